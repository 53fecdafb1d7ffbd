"""``palio recommend``: which algorithms to try first on a new data set, and the trying of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from palio.app.options import (
    AllowOption,
    JsonFlag,
    PlainReading,
    flag,
    several,
    show,
    split_named,
)
from palio.errors import ParameterError
from palio.experiment.engines import engines_that
from palio.extras import absent, need

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.data.datasets import Dataset
    from palio.recommending import (
        Described,
        Recommendation,
        RecommendationEvaluation,
        Trials,
    )
    from palio.recommending.experience import Known
    from palio.recommending.recommendation import Relevant


@Parameter(name="*", group=Group("The new data set", sort_key=1))
@dataclass(frozen=True)
class NewData:
    """What the new data set is, and which data sets resemble it."""

    new: Annotated[
        str | None,
        Parameter(name="--for", help="The new data set: a file, csv:PATH, sklearn:NAME, …"),
    ] = None
    target: Annotated[str | None, Parameter(help="Its column to learn; the last unless given.")] = (
        None
    )
    no_target: Annotated[
        bool,
        flag("It has no column to learn: what looks at it (classes, landmarks) is left out."),
    ] = False
    task: Annotated[
        str | None, Parameter(help="classification or regression, where the target misleads.")
    ] = None
    nearest: Annotated[
        str | None,
        Parameter(
            name=["--nearest", "--relevant"],
            help="Rank on so many nearest data sets, on all, or auto (the default where the data "
            "are there): as many as foretell clearly better than all, if any do.",
        ),
    ] = None
    data: Annotated[
        list[str],
        several(
            "The data sets of the table, by name: folder:DIR, csv:PATH, …; those of the "
            "experiment file unless given. Without a table they are known."
        ),
    ] = field(default_factory=list)


@Parameter(name="*", group=Group("With --run", sort_key=1))
@dataclass(frozen=True)
class RunOptions:
    """How algorithms are tried."""

    store: Annotated[str | None, Parameter(help="Where results go; recommend.db.")] = None
    algorithm: Annotated[
        list[str] | None,
        several(
            "What an algorithm is, NAME=package.module:Class; else as the experiment file "
            "or the study has it, or of that short name."
        ),
    ] = None
    allow: AllowOption = None
    scoring: Annotated[
        str | None, Parameter(help="A scikit-learn scorer; the table's unless given.")
    ] = None
    stop: Annotated[
        float | None,
        Parameter(help="Stop when one of the rest wins with less probability; 0.05, 0 for never."),
    ] = None
    margin: Annotated[
        float | None, Parameter(help="To win is to be better by more than this; 0.")
    ] = None
    engine: Annotated[
        str | None,
        Parameter(
            help=f"{engines_that(lambda kind: kind.limits, quote='')}; "
            f"{engines_that(lambda kind: not kind.limits, quote='')} without time limits."
        ),
    ] = None


def recommend(
    results: str | None = None,
    /,
    *,
    new_data: NewData | None = None,
    budget: str | None = None,
    method: str = ("average-ranks"),
    cost: Annotated[
        list[str] | None,
        several("The costs that add up to a trial's; the times of fitting and predicting."),
    ] = None,
    folds: int = 5,
    run: Annotated[
        bool,
        flag("Try them in this order, until the budget is spent or the rest cannot plausibly win."),
    ] = False,
    evaluate: Annotated[
        bool,
        flag(
            "Leave out each data set: do the nearest foretell better than all, and how often is "
            "the first good enough?"
        ),
    ] = False,
    within: float | None = None,
    run_options: RunOptions | None = None,
    reading: PlainReading | None = None,
    figure: Annotated[
        list[str] | None,
        several("Write a figure (.svg, .png, .pdf). The probability of every place."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Say which algorithms to try first on a data set never seen, and which in a budget.

    Without results of your own it goes by those of a study that comes with Palio: tuned learners
    on data sets of two classes, or learners on targets of numbers. Ctrl-C a --run and run it
    again: what is finished is kept.

    Example: palio recommend --for new.csv

    Example: palio recommend experiment.db --for new.csv --budget 60s

    Example: palio recommend results.csv --data folder:data --for new.csv --nearest 10 --run

    Parameters
    ----------
    results
        Scores: a store of `palio run`, or a table with columns dataset, algorithm, a score, costs;
        study:classification2026 or study:regression2026, by the target, unless given.
    budget
        What trying may take: 60s, 5min, 2h, or seconds.
    method
        The ranking method, as for palio rank.
    folds
        A trial is a cross-validation of so many folds.
    within
        With --evaluate: how much worse than the best is good enough; one point.
    """
    from palio.app.writing import check_figures, write_figures
    from palio.ordering import RANKINGS
    from palio.recommending.budget import read_budget
    from palio.recommending.experience import nothing_given

    about = new_data or NewData()
    trying = {} if run_options is None else _given(run_options)
    if results is None and about.new is None and not evaluate:
        raise nothing_given()
    _check(about, run, evaluate, trying, figure or [])
    if within is not None and not evaluate:
        raise ParameterError("within", "it goes with --evaluate", remedy="add it")
    figures = check_figures(figure or [], default="rank-stability")
    if run:
        need("run", "run")
        _refuse_own_store(results, trying)
    method, seconds = RANKINGS[method].name, None if budget is None else read_budget(budget)
    dataset = _new_dataset(about)
    task = None if dataset is None or about.no_target else dataset.task
    source = _source(results, reading or PlainReading(), cost or [], trying.get("allow", ()), task)
    relevant = _relevant(about, source, evaluate=evaluate)
    source = _with_data(source, about, features=relevant != "all" or evaluate)
    options = {"ranking": method, "cost": cost, "budget": seconds, "folds": folds}
    if evaluate:
        show(_evaluated(source, relevant, within, options), json=json)
        return
    found = _recommended(source, dataset, about, relevant, options)
    if run and dataset is not None:
        show(_tried(found, source, dataset, trying), json=json)
    else:
        show(found, json=json)
    if figures and found.stability is None:
        raise ParameterError(
            "figure", "of one data set there is nothing to draw anew", remedy="take more"
        )
    if found.stability is not None:
        write_figures(figures, found.stability)


@dataclass(frozen=True)
class _Source:
    """What is gone by, the experiment that it is of, and its data sets."""

    known: Known
    experiment: Experiment | None = None
    data: Sequence[Described] = ()
    notes: tuple[str, ...] = ()


def _source(
    results: str | None,
    how: PlainReading,
    costs: Sequence[str],
    allow: Sequence[str],
    task: str | None,
) -> _Source:
    """Read the table, or the study in its place."""
    from palio.recommending.experience import FAILED, SHIPPED, Known, experience_of
    from palio.scores.missing import USUAL

    if (experience := experience_of(results, task)) is not None:
        how = replace(how, missing=FAILED) if how.missing == USUAL else how
        return _Source(Known(how.read(SHIPPED[experience.task], costs=costs), experience))
    table = how.read(str(results), costs=costs)
    return _Source(Known(table), _experiment(str(results), how.plan, allow))


def _given(options: RunOptions) -> dict[str, Any]:
    return {name: value for name, value in vars(options).items() if value is not None}


def _check(
    about: NewData, run: bool, evaluate: bool, trying: dict[str, Any], figures: Sequence[str]
) -> None:
    """Refuse options that contradict each other, before anything is read."""
    if run and evaluate:
        raise ParameterError("evaluate", "give --run or --evaluate, one at a time")
    if evaluate and (about.new is not None or figures):
        option = "for" if about.new is not None else "figure"
        raise ParameterError(
            option,
            "--evaluate leaves out the data sets of the table in turn",
            remedy=f"leave --{option} away",
        )
    if trying and not run:
        raise ParameterError(f"{next(iter(trying))}", "it goes with --run", remedy="add it")
    if run and about.new is None:
        raise ParameterError("run", "say what to try them on, --for new.csv")
    if run and about.no_target:
        raise ParameterError(
            "run", "to try algorithms a target is needed", remedy="leave --no-target away"
        )
    if about.new is None:
        for option, value in (("target", about.target), ("task", about.task)):
            if value is not None:
                raise ParameterError(option, "it is that of the new data set", remedy="add --for")


def _refuse_own_store(results: str | None, trying: dict[str, Any]) -> None:
    """Keep trials out of the store that is learnt from: they are of another experiment."""
    place = Path(trying.get("store", "recommend.db"))
    if (
        results is not None
        and place.exists()
        and Path(results).exists()
        and place.samefile(results)
    ):
        raise ParameterError(
            "store", f"'{place}' is the table itself", remedy="give trials one of their own"
        )


def _experiment(results: str, name: str | None, allow: Sequence[str]) -> Experiment | None:
    """Return the experiment file that a store remembers, if there is a store and it does."""
    from palio.scores.sources import is_store

    if not is_store(results):
        return None
    from palio.experiment.config import stored_experiment
    from palio.experiment.store.store import Store

    with Store(results, create=False) as opened:
        try:
            return stored_experiment(opened, name, allow=allow)[0]
        except ParameterError:  # made in Python: its estimators and data are not known
            return None


def _relevant(about: NewData, source: _Source, *, evaluate: bool) -> Relevant:
    """Read ``--nearest``; without it the table is asked, where it can be."""
    study = source.known.experience
    there = bool(about.data or source.experiment or study)
    wanted = about.nearest
    if wanted is None:
        # Of the study all is known, but the new data set is described by scikit-learn.
        asked = there and about.new is not None and not (study and absent("run"))
        wanted = "auto" if asked else "all"
    if evaluate or wanted != "all":
        if not there:
            raise ParameterError(
                "evaluate" if evaluate else "nearest",
                "the data sets of the table must be read to compare them",
                remedy="say where they are, --data folder:DIR"
                + ("" if evaluate else ", or --nearest all"),
            )
        if about.new is None and not evaluate:
            raise ParameterError("nearest", "nearest to what? Give the new data set, --for new.csv")
    if wanted in ("all", "auto"):
        return wanted  # type: ignore[return-value]
    try:
        return int(wanted)
    except ValueError:
        raise ParameterError(
            "nearest", "it is a number of data sets, all or auto", f"{wanted!r} was given"
        ) from None


def _with_data(source: _Source, about: NewData, *, features: bool) -> _Source:
    """Read what there is of the table's data sets; those of a study are known."""
    from palio.bars import steps
    from palio.recommending.loading import experiment_data, named_data

    names = source.known.table.datasets
    with steps("reading data", len(names)) as tell:
        if about.data:
            data = named_data(about.data, names, features=features, tell=tell)
            return replace(source, data=data)
        if source.experiment is not None and (features or about.new is not None):
            data, notes = experiment_data(source.experiment, names, features=features, tell=tell)
            return replace(source, data=data, notes=notes)
    return replace(source, data=source.known.described)


def _new_dataset(about: NewData) -> Dataset | None:
    from palio.recommending.loading import new_dataset

    if about.new is None:
        return None
    return new_dataset(
        about.new, target=about.target, task=about.task, labelled=not about.no_target
    )


def _evaluated(
    source: _Source, relevant: Relevant, within: float | None, options: dict[str, Any]
) -> RecommendationEvaluation:
    from palio.recommending import evaluate_recommendation

    chosen = None if isinstance(relevant, str) else [relevant]
    return evaluate_recommendation(
        source.known, source.data, nearest=chosen, within=within, **options
    )


def _recommended(
    source: _Source,
    dataset: Dataset | None,
    about: NewData,
    relevant: Relevant,
    options: dict[str, Any],
) -> Recommendation:
    from palio.recommending import recommend

    known, notes, data = source.known, source.notes, source.data
    if notes and relevant != "all" and len(data) < (1 if relevant == "auto" else relevant):
        notes = (*notes, "all data sets are taken, for too few can be compared with the new one")
        relevant = "all"
    new = None
    if dataset is not None:
        new = known.describe(dataset, features=relevant != "all", target=not about.no_target)
        known.check(new, "--no-target if it has none, ")
    found = recommend(known, new=new, data=data, relevant=relevant, **options)
    return replace(found, notes=(*found.notes, *notes))


def _tried(
    found: Recommendation, source: _Source, dataset: Dataset, options: dict[str, Any]
) -> Trials:
    from palio.recommending import try_in_order

    table = source.known.table
    allow = options.pop("allow", ())
    given = dict(split_named("algorithm", text) for text in options.pop("algorithm", ()))
    for name in given:
        if name not in table.algorithms:
            from palio.registry import unknown_name

            raise unknown_name("algorithm", name, table.algorithms)
    made, unmade = _estimators(source, given, allow)
    store = str(options.pop("store", "recommend.db"))
    try:
        return try_in_order(
            found, source.known, dataset, made, unmade=unmade, store=store, **options
        )
    except KeyboardInterrupt:
        sys.stderr.write(f"what is finished is kept in {Path(store)}; run again to go on\n")
        raise


def _estimators(
    source: _Source, given: dict[str, str], allow: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Make the learners of the experiment or the study, or else those of that name."""
    from palio.recommending.loading import experiment_estimators, made_by, named_estimators

    if source.experiment is not None:
        made, unmade = experiment_estimators(source.experiment)
    elif source.known.experience is not None:
        made, unmade = made_by(source.known.experience.makers)
    else:
        return named_estimators(
            {name: name for name in source.known.table.algorithms} | given, allow
        )
    others, wrong = named_estimators(given, allow)
    return made | others, unmade | wrong
