"""``palio compare``: who differs from whom, whatever the table is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import (
    All,
    Alpha,
    Focused,
    JsonFlag,
    MoreFiles,
    Over,
    PairTestOptions,
    Reading,
    Top,
    choices,
    figures,
    looked_at,
    several,
    show,
    together,
)


def compare(
    results: str,
    /,
    *more: MoreFiles,
    dataset: str | None = None,
    over: Over = None,
    test: Annotated[
        str | None,
        Parameter(
            help=" ".join(
                (
                    choices(
                        "palio.comparison.pair_tests:PAIR_TESTS",
                        "Over data sets, wilcoxon unless given",
                    ),
                    choices(
                        "palio.comparison.fold_tests:FOLD_TESTS",
                        "On the folds of one, as its design allows",
                    ),
                    choices("palio.comparison.on_folds:GROUP_TESTS", "On these all at once"),
                    choices(
                        "palio.comparison.item_tests:ITEM_TESTS",
                        "Over items, item-t unless given, in clusters cluster-flips",
                    ),
                    choices(
                        "palio.comparison.prediction_tests:PREDICTION_TESTS",
                        "On predictions, mcnemar unless given",
                    ),
                )
            )
        ),
    ] = None,
    correction: Annotated[
        str | None,
        Parameter(
            help=choices("palio.comparison.corrections:CORRECTIONS", after="; holm unless given")
        ),
    ] = None,
    control: str | None = None,
    alpha: Alpha = 0.05,
    omnibus: Annotated[
        str | None,
        Parameter(
            help=choices(
                "palio.comparison.omnibus:OMNIBUS_TESTS",
                "Over data sets, all at once",
                "; friedman unless given, skillings-mack where scores are missing",
            )
        ),
    ] = None,
    positive: str | None = None,
    cost: Annotated[
        list[str] | None, several("A cost to show beside the scores; it decides nothing.")
    ] = None,
    top: Top = None,
    focus: Focused = None,
    whole: All = False,
    test_options: PairTestOptions | None = None,
    reading: Reading | None = None,
    figure: Annotated[
        list[str] | None,
        figures("critical-difference", "comparison", "; of predictions roc-hull"),
    ] = None,
    latex: Path | None = None,
    markdown: Path | None = None,
    json: JsonFlag = False,
) -> None:
    """Say who differs from whom, over data sets or on one.

    Over data sets each counts once, with the mean over its folds. On one (--dataset, or if there
    is only one) its folds are compared. A file of predictions is compared instance by instance.
    Where there is a score on each item, --over says which are drawn anew, items or data sets.

    Example: palio compare results.csv --test wilcoxon --correction holm
    Example: palio compare answers.csv --over items
    Example: palio compare results.csv --dataset optdigits --test tukey
    Example: palio compare predictions.csv --test mcnemar

    Parameters
    ----------
    results
        Scores: columns dataset, algorithm, a score; repeat and fold, where there are any; or one
        column per algorithm with --score naming the measure. Or predictions: columns instance,
        algorithm, truth, prediction and, for each class, p_CLASS; or instance, truth and one
        column per algorithm. Or the store of an experiment.
    dataset
        Compare on this data set: by folds, items or predictions.
    control
        Compare the others with this one.
    positive
        For roc-hull: the positive class; the last in order unless given.
    latex
        Write LaTeX tables to this file.
    markdown
        Write Markdown tables to this file.
    """
    from palio.app.grounds import read_ground
    from palio.app.writing import check_figures, write_figures, write_text
    from palio.report.latex import render_latex
    from palio.report.markdown import render_markdown

    asked = {
        "dataset": dataset,
        "over": over,
        "correction": correction,
        "control": control,
        "omnibus": omnibus,
        "positive": positive,
        "cost": cost,
        **(test_options or PairTestOptions()).arguments(),
    }
    given = {name: value for name, value in asked.items() if value is not None}
    ground, data = read_ground(together(results, more), test, reading or Reading(), given)
    ground.check(given)
    wanted = check_figures(figure or [], default=ground.figure)
    named = {} if test is None else {"test": test}
    comparison = looked_at(ground.run(data, **named, alpha=alpha, **given), top, focus)
    show(comparison, json=json, whole=whole)
    write_figures(wanted, comparison)
    for path, render in ((latex, render_latex), (markdown, render_markdown)):
        if path is not None:
            write_text(path, render(comparison))
