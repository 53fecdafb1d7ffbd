"""Loading the data and the learners of a table: from its experiment, or by what one names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from palio.errors import CellError, ColumnError, InputError, Option, PalioError, ParameterError
from palio.measures import is_error_rate
from palio.recommending.relevance import Described
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.words import one_line, quoted

if TYPE_CHECKING:
    from palio.experiment.config import Experiment
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.data.origins import Table

Tell = Callable[[str], object]


def experiment_data(
    experiment: Experiment, wanted: Iterable[str], *, features: bool, tell: Tell
) -> tuple[list[Described], tuple[str, ...]]:
    """Read the data of an experiment again, as it read them; say which cannot be read.

    What it keeps aside is not looked at.
    """
    from palio.experiment.data.datasets import load_among, named_specs

    names, found, gone = set(wanted), [], {}
    for name, spec in named_specs(experiment.datasets):
        try:
            loaded = load_among(spec, name, **experiment.reading)
        except InputError as error:
            gone[spec] = one_line(error)
            continue
        for dataset in loaded:
            if dataset.name in names:
                tell(dataset.name)
                found.append(Described.of(_without_aside(experiment, dataset), features=features))
    if not gone:
        return found, ()
    why = next(iter(gone.values()))
    return found, (f"data that cannot be read again: {quoted(gone)} ({why})",)


def _without_aside(experiment: Experiment, dataset: Dataset) -> Dataset:
    from palio.experiment.resampling import aside

    if experiment.aside is None:
        return dataset
    return dataset.take(aside(dataset, seed=experiment.seed, fraction=experiment.aside)[0])


def named_data(
    specs: Sequence[str], wanted: Sequence[str], *, features: bool, tell: Tell
) -> list[Described]:
    """Read data sets by their strings, such as ``folder:data``, and keep those of the table."""
    from palio.experiment.data.datasets import load_datasets

    found, seen = [], []
    for spec in specs:
        for dataset in load_datasets(spec):
            seen.append(dataset.name)
            if dataset.name in wanted:
                tell(dataset.name)
                found.append(Described.of(dataset, features=features))
    if not found:
        raise ParameterError(
            "data",
            f"none of {quoted(seen)} is a data set of the table, which has {quoted(wanted)}",
            remedy="files are matched by their names without the ending",
        )
    return found


def new_dataset(
    spec: str, *, target: str | None = None, task: str | None = None, labelled: bool = True
) -> Dataset:
    """Read the one data set that a string names; without labels, all its columns are features.

    Where there are no labels the target is a column of zeros, not to be looked at.

    Examples
    --------
    >>> new_dataset("sklearn:iris", labelled=False)
    <Dataset iris: 150 rows, 5 features, regression>
    """
    from palio.experiment.data.datasets import load_datasets
    from palio.experiment.data.origins import find_origin

    if not labelled:
        if target is not None:
            raise ParameterError(
                "target", f"either there is none or it is {target!r}", remedy="give one"
            )
        origin, rest = find_origin(spec)
        found = [_unlabelled(table) for table in origin.load(rest, None)]
    else:
        try:
            found = load_datasets(spec, target=target, task=task)
        except (CellError, ColumnError) as error:
            if error.parameter != "target":
                raise
            raise type(error)(
                error.parameter,
                error.rule,
                error.received,
                f"{error.remedy}. If it has no target, say so: {Option('no_target', 'True')}; "
                "what looks at the target is then not compared",
            ) from error
    if len(found) != 1:
        raise ParameterError("for", "one data set is needed", f"{spec!r} has {len(found)}")
    return found[0]


def _unlabelled(table: Table) -> Dataset:
    from palio.experiment.data.datasets import from_table

    target = "no target"
    while target in set(map(str, table.frame.columns)):
        target += "_"
    frame = table.frame.assign(**{target: 0.0})
    # A regression, for classes there must be two.
    return from_table(replace(table, frame=frame, target=target), "regression")


# --- learners ------------------------------------------------------------------------------------


def experiment_estimators(experiment: Experiment) -> tuple[dict[str, Any], dict[str, str]]:
    """Make the estimators of an experiment, one by one; say why some cannot be made."""
    return made_by(
        {name: partial(experiment.estimator, name, tune=False) for name in experiment.algorithms}
    )


def named_estimators(
    named: Mapping[str, str], allow: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, str]]:
    """Make estimators of ``package.module:Class`` or short names that `palio algorithms` lists.

    >>> named_estimators({"nn": "nn", "c5": "c5"})
    ({'nn': KNeighborsClassifier(n_neighbors=1)}, {'c5': "estimator: it is written ..."})
    """
    return made_by({name: partial(_estimator, text, allow) for name, text in named.items()})


def _estimator(text: str, allow: Sequence[str]) -> Any:
    from palio.experiment.estimators import estimator_named
    from palio.experiment.trust import Trust

    return estimator_named(text, trust=Trust.of(allow))()


def made_by(makers: Mapping[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Make estimators by a function for each; say why some cannot be made."""
    made, unmade = {}, {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except PalioError as error:
            unmade[name] = one_line(error)
        except Exception as error:  # a class of one's own can fail in any way
            unmade[name] = one_line(f"{type(error).__name__}: {error}")
    return made, unmade


_LOSSES = {
    "rmse": "root_mean_squared_error",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
}


def scorer_for(table: ScoreTable, scoring: str | None = None) -> str:
    """Return the scikit-learn scorer that measures what the table does.

    Examples
    --------
    >>> import palio
    >>> scorer_for(palio.load_study("ulas2008"))
    'accuracy'
    """
    from sklearn.metrics import get_scorer_names  # type: ignore[import-untyped]

    known = get_scorer_names()
    if scoring is not None:
        if scoring not in known:
            raise unknown_name("scoring", scoring, known)
        return scoring
    name = table.measure.name
    if name in known:
        return name
    if name in _LOSSES:
        return f"neg_{_LOSSES[name]}"
    if is_error_rate(name):
        return "accuracy"
    raise ParameterError(
        "scoring",
        f"{name!r} of the table is no scorer of scikit-learn",
        remedy=f"name one that measures the same with {Option('scoring')}, such as neg_log_loss",
    )
