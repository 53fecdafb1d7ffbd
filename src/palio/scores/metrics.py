"""A measure that differs by data set: each has its own direction, and there is no mean over them.

AUC on one data set and RMSE on another can be ranked and won, and neither averaged nor subtracted.
Where also the directions differ, scores are turned so that higher is better. The scale of such a
table's measure is ``"order"``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ColumnError, Option, UndecidedError, either
from palio.measures import (
    Measure,
    direction_in,
    find_measures,
    is_general_score,
    is_known_measure,
    is_known_score,
    measure_named,
)
from palio.registry import unknown_name
from palio.scores.columns import distinct_pairs, squeezed
from palio.scores.vocabulary import names_measures, published_direction
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Coded, Columns
    from palio.scores.rows import Rows
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray


@dataclass(frozen=True)
class Metrics:
    """What the score measures on each data set, as a column says it.

    ``up`` is the direction of all of them, where the caller or the name of the score tells it;
    ``directions`` are those of some.
    """

    column: str
    of: Mapping[str, str]
    up: bool | None = None
    directions: Mapping[str, bool] = field(default_factory=dict)

    def direction(self, name: str) -> bool | None:
        """Return which way a measure is better; None where that is not known."""
        up = self.directions.get(name, self.up)
        if up is None and is_known_measure(name):
            return measure_named(name).higher_is_better
        return direction_within(name) if up is None else up

    def measure(self, name: str) -> Measure:
        """Return the measure of this name."""
        up = self.direction(name)
        if up and is_known_score(name) and not measure_named(name).higher_is_better:
            name = f"neg_{name}"  # a loss that higher is better of is turned
        return measure_named(name, higher_is_better=up)


def direction_within(name: str) -> bool | None:
    """Return whether higher is better by the measures within a name: entity F1, char F1.

    A benchmark may stand for its measure.
    """
    ways = {each.higher_is_better for each in find_measures(name)}
    if not ways:
        return published_direction([name])
    return ways.pop() if len(ways) == 1 and direction_in(name) in (None, *ways) else None


# --- which column, and which of its values -------------------------------------------------


def metric_column(columns: Columns, taken: Collection[str] = ()) -> str | None:
    """Return the column that says what the score measures, if one does."""
    for name in columns.names:
        if names_measures(name) and name not in taken:
            numbers = columns.numbers(name)
            if not numbers.is_empty and np.isnan(numbers.values).all():
                return name
    return None


def by_metric(columns: Columns, score: str | None) -> tuple[Columns, str | None]:
    """Return the rows of the measure asked about, where its name is in a column of such names.

    Then no score column is asked for any more.
    """
    if not isinstance(score, str) or score.strip() in columns.values:
        return columns, score
    if (column := metric_column(columns)) is None:
        return columns, score
    there = columns.labels_or_blank(column)
    rows = np.array([squeezed(name) == squeezed(score) for name in there.names])[there.codes]
    if not rows.any():
        return columns, score
    note = f"Only rows where {column} is {score.strip()}: {int(rows.sum())} of {len(columns)}."
    return columns.take(rows).noted(note), None


def tells_itself(score: str) -> bool:
    """Whether a score's own name says what it measures, whatever a column beside it says."""
    return is_known_score(score) and not is_general_score(score)


def metrics_of(
    columns: Columns, keys: dict[str, str], datasets: Coded, score: str, given: ReadSpec
) -> Metrics | None:
    """Return what is measured on each data set, if a column says it; several on one are refused."""
    column = metric_column(columns, keys.values())
    if column is None or tells_itself(score):
        return None
    keys["measure"] = column
    there = columns.labels_or_blank(column)
    found: dict[str, list[str]] = {name: [] for name in datasets.names}
    for dataset, metric in distinct_pairs(datasets.codes, there.codes).T.tolist():
        if there.names[metric]:
            found[datasets.names[dataset]].append(there.names[metric])
    if several := [name for name, its in found.items() if len(its) > 1]:
        names = sorted(name for name in there.names if name)
        ways = [Option("where", f"{column}={name}") for name in names[:4]]
        if given.layout == "datasets-in-rows" and given.dataset is not None:
            ways.insert(0, Option("dataset", f"{given.dataset}+{column}"))
        where = quoted(several, limit=3)
        rule = f"{columns.origin.name} has several measures on one data set ({where}): "
        remedy = f"Say which is meant: {either(ways)}"
        raise ColumnError(f"column {column!r}", rule + quoted(names, limit=20), remedy=remedy)
    up = given.higher_is_better
    if up is None and is_known_score(score) and not measure_named(score).higher_is_better:
        up = False  # metric_error is an error, whatever it is of
    of = {name: its[0] if its else score for name, its in found.items()}
    return Metrics(column, of, up, given.directions)


# --- what becomes of the scores ------------------------------------------------------------


def resolved(
    rows: Rows, score: str, metrics: Metrics
) -> tuple[Rows, Measure, dict[str, Measure], tuple[str, ...]]:
    """Return the rows, the measure asked about, that of each data set if they differ, and notes.

    Where their directions differ, scores are turned so that higher is better.
    """
    metrics = replace(metrics, of={name: metrics.of[name] for name in rows.datasets})
    names = list(dict.fromkeys(metrics.of.values()))
    unknown = [name for name in names if metrics.direction(name) is None]
    if unknown and len(names) == 1 and is_known_score(score):
        return rows, measure_named(score), {}, ()
    if unknown:
        ways = [
            Option.together([Option("direction", f"{name}={way}") for name in unknown])
            for way in ("higher", "lower")
        ]
        what, of_each = ("measures", " of each") if len(unknown) > 1 else ("a measure", "")
        rule = f"column {metrics.column!r} names {what} whose direction is not known: "
        remedy = f"Say it{of_each}: {either(ways)}"
        raise UndecidedError("direction", rule + quoted(unknown, limit=20), remedy=remedy)
    each = {name: metrics.measure(name) for name in names}
    for name in metrics.directions:
        if name not in each:
            raise unknown_name("direction", name, each)
    if metrics.up is None:
        _refuse_turned(rows, score, metrics, each)
    if len(each) == 1:
        only = next(iter(each.values()))
        note = f"{metrics.column!r} says what {score} measures: {only}."
        return renamed(rows, score, only.name), only, {}, (note,)
    measures = {name: each[metric] for name, metric in metrics.of.items()}
    measure = mixed(score, up=any(each.higher_is_better for each in measures.values()))
    return alike(rows, measure, measures), measure, measures, (note_on(measures),)


def renamed(rows: Rows, score: str, name: str) -> Rows:
    """Return the rows with another name of a score."""

    def named(columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        return {name if key == score else key: each for key, each in columns.items()}

    return replace(rows, scores=named(rows.scores), by_seed=named(rows.by_seed))


def mixed(score: str, *, up: bool = True) -> Measure:
    """Return the measure of scores that measure another thing on other data sets."""
    return Measure(score, higher_is_better=up, is_mixed=True)


def score_named(score: str, given: ReadSpec, metrics: Metrics | None) -> Measure:
    """Return the measure of a score; where a column says what it is, that is asked later."""
    if metrics is not None:
        return mixed(score)
    ways, up = given.directions, given.higher_is_better
    if ways and list(ways) != [score]:
        raise unknown_name("direction", next(iter(ways)), [score])
    return measure_named(score, higher_is_better=ways.get(score) if up is None else up)


def alike(rows: Rows, measure: Measure, measures: Mapping[str, Measure]) -> Rows:
    """Return the rows with all scores in the direction of one measure; twice is as they were."""
    own = np.array([measures[name].higher_is_better for name in rows.datasets])[rows.dataset]
    sign = np.where(own == measure.higher_is_better, 1.0, -1.0)

    def turned(columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        # Scores by seed have a second axis.
        own = {name: (sign * columns[name].T).T for name in columns if name == measure.name}
        return {**columns, **own}

    return replace(rows, scores=turned(rows.scores), by_seed=turned(rows.by_seed))


def note_on(measures: Mapping[str, Measure]) -> str:
    """Say which measures there are, on how many data sets, and what follows."""
    kinds = Counter(map(str, measures.values()))
    told = [f"{name} on {number}" for name, number in kinds.items()]
    one_way = len({each.higher_is_better for each in measures.values()}) == 1
    turned = "" if one_way else "Scores are turned so that higher is better. "
    return (
        f"The measure differs by data set: {listed(told)}. {turned}Over data sets only ranks and "
        "wins count, and no mean of scores is taken."
    )


def _refuse_turned(rows: Rows, score: str, metrics: Metrics, each: Mapping[str, Measure]) -> None:
    """Raise where a loss is negative: somebody has turned it already; what is given is trusted."""
    values = rows.scores[score]
    for name, measure in each.items():
        if measure.higher_is_better or measure.lower != 0 or measure.kind == "cost":
            continue
        own = np.array([metrics.of[dataset] == name for dataset in rows.datasets])[rows.dataset]
        if (bad := np.flatnonzero(own & (values < 0))).size:
            first = f"{values[bad[0]]:g} for {rows.describe(int(bad[0]))}"
            n_bad = count(bad.size, "value is", "values are")
            remedy = f"If it is turned already, give {Option('direction', f'{name}=higher')}"
            rule = f"{name} is never negative, but {n_bad}: {first}"
            raise CellError("score", rule, remedy=remedy)
