"""``palio rank``: one ranking from many data sets, how well it foretells, how stable it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from palio.app.options import (
    As,
    Focused,
    FoldTestOptions,
    Given,
    JsonFlag,
    MoreFiles,
    Over,
    Preference,
    Reading,
    choices,
    flag,
    looked_at,
    several,
    show,
    together,
)
from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.results import Result
    from palio.scores import ScoreTable


@Parameter(name="*", group=Group("With some methods", sort_key=1))
@dataclass(frozen=True)
class MethodOptions(Given):
    """What some methods take besides."""

    test: Annotated[
        str | None,
        Parameter(help="significant-wins (kfold-t), multi2test: the test on folds."),
    ] = None
    alpha: Annotated[float | None, Parameter(help="Its significance level; 0.05.")] = None
    acc_d: Annotated[
        float | None,
        Parameter(
            help="adjusted-ratios: the share of success given for a tenfold speed, 0.01 by default."
        ),
    ] = None
    anchor: Annotated[
        str | None, Parameter(help="elo: the algorithm that has 1500; else the mean has it.")
    ] = None


@Parameter(name="*", group=Group("With --evaluate", sort_key=1))
@dataclass(frozen=True)
class EvaluateOptions(Given):
    """How methods are evaluated."""

    points: Annotated[
        str | None, Parameter(help="What the tests count: folds (as the paper does) or datasets.")
    ] = None
    overall_alpha: Annotated[
        float | None, Parameter(help="Level of Dunn's procedure over all pairs; 0.05.")
    ] = None


@Parameter(name="*", group=Group("With --stability", sort_key=1))
@dataclass(frozen=True)
class StabilityOptions(Given):
    """How data sets are drawn anew."""

    n_resamples: Annotated[int | None, Parameter(help="How many times; 2000.")] = None
    seed: Annotated[int | None, Parameter(help="The seed; 0.")] = None


def rank(
    results: str,
    /,
    *more: MoreFiles,
    method: Annotated[
        list[str] | None,
        several(
            choices(
                "palio.ordering.rankings:RANKINGS",
                after="; average-ranks unless given. With --evaluate and --stability several, or "
                "none for all that the table allows",
            )
        ),
    ] = None,
    evaluate: Annotated[
        bool,
        flag("Leave out each data set: which method foretells best, and do they differ?"),
    ] = False,
    stability: Annotated[
        bool,
        flag("Draw data sets anew: how probable is each place?"),
    ] = False,
    over: Over = None,
    preference: Preference | None = None,
    method_options: MethodOptions | None = None,
    test_options: FoldTestOptions | None = None,
    evaluate_options: EvaluateOptions | None = None,
    stability_options: StabilityOptions | None = None,
    top: Annotated[
        int | None,
        Parameter(
            help="Show the first N of many algorithms; with --evaluate what is lost after trying "
            "N, 3 unless given."
        ),
    ] = None,
    focus: Focused = None,
    preset: As = None,
    reading: Reading | None = None,
    figure: Annotated[
        list[str] | None,
        several(
            "Write a figure (.svg, .png, .pdf). With --stability the heat map of places, with "
            "--evaluate the loss curves."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Rank algorithms over many data sets, to say which to try first on a new one.

    The ranks are over the data sets at hand; --over says for which others the rank sets beside
    them hold. Predictions are ranked by their accuracies.

    Example: palio rank results.csv --method success-rate-ratios
    Example: palio rank results.csv --evaluate --figure losses.svg

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score, repeat and fold, costs; or a store.
    """
    from palio.app.writing import check_figures, write_figures

    evaluating = (evaluate_options or EvaluateOptions()).arguments()
    evaluate = evaluate or preset is not None
    if evaluate and top is not None:
        evaluating["top"], top = top, None
    drawing = (stability_options or StabilityOptions()).arguments()
    _check(evaluate, stability, evaluating, drawing, figure or [])
    if over is not None and (evaluate or stability):
        raise ParameterError("over", "it is for rank sets, which a ranking alone has")
    default = "rank-stability" if stability else "loss-curves"
    figures = check_figures(figure or [], default=default)
    preferred = preference or Preference()
    table = (reading or Reading()).read(
        together(results, more), costs=list(preferred.weights), over=over
    )
    result = _run(
        table,
        method,
        evaluate,
        stability,
        {
            **preferred.arguments(table.algorithms),
            **(method_options or MethodOptions()).arguments(),
            **(test_options or FoldTestOptions()).arguments(),
            **evaluating,
            **drawing,
            **({} if over is None else {"over": over}),
        },
        preset,
    )
    show(looked_at(result, top, focus), json=json)
    write_figures(figures, result)


def _run(
    table: ScoreTable,
    methods: list[str] | None,
    evaluate: bool,
    stability: bool,
    options: dict[str, Any],
    preset: str | None,
) -> Result:
    from palio import ordering
    from palio.ordering.presets import PRESETS

    if preset is not None:
        paper, chosen = PRESETS[preset], {"methods": methods} if methods else {}
        found = ordering.evaluate_rankings(
            table, **paper.options_for("rank", table, {**options, **chosen})
        )
        return replace(found, notes=(paper.note, *found.notes))
    if evaluate:
        return ordering.evaluate_rankings(table, methods, **options)
    if stability:
        return ordering.rank_stability(table, methods, **options)
    if methods is not None and len(methods) > 1:
        raise ParameterError(
            "method",
            "a ranking is by one method",
            f"{len(methods)} were given",
            "--evaluate and --stability compare several",
        )
    return ordering.rank(table, method=methods[0] if methods else "average-ranks", **options)


def _check(
    evaluate: bool,
    stability: bool,
    evaluating: dict[str, Any],
    drawing: dict[str, Any],
    figures: list[str],
) -> None:
    """Refuse options that contradict each other, before anything is read."""
    if evaluate and stability:
        raise ParameterError("evaluate", "give --evaluate or --stability, one at a time")
    for mode, chosen, options in (
        ("evaluate", evaluate, evaluating),
        ("stability", stability, drawing),
    ):
        if options and not chosen:
            raise ParameterError(
                f"{next(iter(options))}", f"it goes with --{mode}", remedy="add it"
            )
    if figures and not (evaluate or stability):
        raise ParameterError(
            "figure",
            "a ranking alone has none",
            remedy="add --stability for the heat map of places, or --evaluate for the loss curves",
        )
