"""What values cannot be, or not all at once: percent beside fractions, beyond a range, ranks.

Each check finds nothing, or an error that names the rows; a caller who knows better lets the values
through, and then it is a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.errors import CellError, Option
from palio.scores.missing import failed_rows
from palio.stats.ranks import average_ranks
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.arranged import Arranged
    from palio.scores.columns import Numbers, Origin
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray

# Such a number is what a program writes for no number, if the others are nowhere near.
_ABSURD, _BESIDE = 1e30, 1e15
# Benchmarks are also marked from 1 to 10, which is not percent.
_UP_TO_TEN = 10
# Of so many values so many are fractions: the others are mistakes.
_MANY, _MOST = 10, 0.9


def let_through(found: Sequence[CellError], *, allow: bool) -> tuple[str, ...]:
    """Raise the first that was found or, if that is allowed, return what to note."""
    if found and not allow:
        raise found[0]
    return tuple(f"Let through as asked: {each.rule}." for each in found)


def _error(rule: str, remedy: str) -> CellError:
    allow = Option("allow_out_of_range", "True")
    return CellError("score", rule, remedy=f"{remedy}, or give {allow} to take them as they are")


def percent_signs(found: Sequence[Numbers]) -> list[CellError]:
    """Find numbers without a percent sign beside numbers with one; 0 is the same with both."""
    marked = [each.written.percent for each in found]
    if all(each is None for each in marked):
        return []
    signs, bare = 0, 0
    shown: list[str] = []
    for numbers, percent in zip(found, marked, strict=True):
        there = ~np.isnan(numbers.values)
        unmarked = there if percent is None else there & ~percent
        without = np.flatnonzero(unmarked & (numbers.values != 0))
        signs += 0 if percent is None else int(percent.sum())
        bare += without.size
        shown += [
            f"{numbers.text(place)!r} of {numbers.name!r} ({numbers.origin.at(np.array([place]))})"
            for place in without[: max(3 - len(shown), 0)].tolist()
        ]
    if not bare:
        return []
    rule = (
        f"{count(signs, 'cell has', 'cells have')} a percent sign and "
        f"{count(bare, 'has', 'have')} none: {listed(shown, limit=3, total=bare)}"
    )
    return [_error(rule, "Write all in percent or none")]


# --- what a measure can be -------------------------------------------------------------------


class Found(NamedTuple):
    """What cannot be, and what is only noted."""

    errors: Sequence[CellError]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The scores of rows, NaN where there is none, and the measure that they are of."""

    rows: Rows
    values: FloatArray
    measure: Measure
    origin: Origin

    @classmethod
    def of(cls, rows: Rows, measure: Measure, origin: Origin) -> _Scores:
        given = rows.scores[measure.name]
        values = np.where(failed_rows(rows) | ~np.isfinite(given), np.nan, given)
        return cls(rows, values, measure, origin)

    def error(self, rule: str, where: BoolArray, remedy: str) -> CellError:
        """Build the error, with the rows that it is about at the end of the rule."""
        positions = np.flatnonzero(where)
        shown = [
            f"{self.values[place]:g} for {self.rows.describe(place)}"
            for place in positions[:3].tolist()
        ]
        cells = listed(shown, limit=3, total=positions.size)
        return _error(f"{rule} ({cells}; {self.origin.at(positions)})", remedy)

    def mixed(self, where: str, rows: BoolArray) -> CellError:
        """Build the error about fractions beside percent."""
        name = self.measure.name
        return self.error(
            f"{name} seems to be in fractions {where}", rows, "Write all in one scale"
        )

    def in_cells(self, cells: BoolArray) -> BoolArray:
        """Mark the rows of some (data set, algorithm)."""
        return np.asarray(cells[self.rows.dataset, self.rows.algorithm] & ~np.isnan(self.values))


def implausible(rows: Rows, measure: Measure, origin: Origin, *, board: bool) -> Found:
    """Find what scores cannot be; what failed has none, and what is infinite is refused anyway.

    On a leaderboard each column may be a measure of its own, so that data sets may differ in range
    and scale: that is noted.
    """
    scores = _Scores.of(rows, measure, origin)
    errors: list[CellError] = []
    notes: list[str] = []
    if np.isnan(scores.values).all():
        return Found(errors, ())
    for family in _CHECKS if measure.possible[1] == 100 else _CHECKS[:2]:
        for check in family:
            error = check(scores)
            if error is None:
                continue
            if board and check in _BY_DATASET:
                notes.append(f"Perhaps not all columns are {measure.name}: {error.rule}.")
            else:
                errors.append(error)
            break
    return Found(errors, tuple(notes))


def implausible_items(arranged: Arranged) -> Found:
    """Find what scores cannot be that are going to be averaged: the mean may hide it."""
    if arranged.items is not None:
        return Found((), minus_ones(arranged.items.as_floats()))
    scores = _Scores.of(arranged.rows, arranged.measure, arranged.origin)
    if not arranged.over or np.isnan(scores.values).all():
        return Found((), ())
    error = _beyond(scores)
    return Found((), minus_ones(scores.values)) if error is None else Found((error,), ())


def minus_ones(values: FloatArray) -> tuple[str, ...]:
    """Note scores of -1 beside marks from 0 or 1 up, as tools write them where they found none.

    >>> minus_ones(np.array([7.0, -1.0, 9.0]))[0]
    '1 of 3 scores is -1, and all others are 7 to 9: so a tool may write that it found none, as ...
    >>> minus_ones(np.array([1.0, 0.0, -1.0]))
    ()
    """
    marked = values == -1
    others = values[~marked & ~np.isnan(values)]
    if not marked.any() or not others.size or others.min() < 0 or others.max() <= 2:
        return ()
    number, of = int(marked.sum()), count(others.size + int(marked.sum()), "score")
    return (
        f"{number} of {of} {'is' if number == 1 else 'are'} -1, and all others are "
        f"{others.min():g} to {others.max():g}: so a tool may write that it found none, as "
        "FastChat does of a failed judgment. They count as scores; leave "
        "those cells empty if they are none.",
    )


def _beyond(scores: _Scores) -> CellError | None:
    """Find values outside the measure's range."""
    low, high = scores.measure.possible
    slack = 1e-9 * 100
    out = (scores.values < low - slack) | (scores.values > high + slack)
    if not out.any():
        return None
    number = int(out.sum())
    rule = (
        f"{scores.measure.name} {_span(low, high)}, but "
        f"{count(number, 'value is', 'values are')} not"
    )
    remedy = f"Correct the table, say with {Option('score')} what it holds"
    return scores.error(rule, out, remedy)


def _span(low: float, high: float) -> str:
    """Say between what values are.

    >>> _span(0.0, 100.0), _span(0.0, np.inf)
    ('is between 0 and 1, or in percent between 0 and 100', 'is at least 0')
    """
    if np.isinf(high):
        return f"is at least {low:g}"
    if high == 0 and np.isinf(low):
        return "is at most 0"
    if np.isinf(low):
        return f"is at most {high / 100:g}, or in percent {high:g}"
    percent = f"in percent between {low:g} and {high:g}"
    return f"is between {low / 100:g} and {high / 100:g}, or {percent}"


def _absurd(scores: _Scores) -> CellError | None:
    """Find numbers that stand for none: 1e300 beside 0.9."""
    sizes = np.abs(scores.values)
    usual = float(np.nanmedian(sizes))
    out = (sizes > _ABSURD) & (sizes > _BESIDE * usual)
    if not out.any():
        return None
    number = count(int(out.sum()), "value is", "values are")
    rule = f"{scores.measure.name} is {usual:g} or less in half of the rows, but {number} far off"
    return scores.error(rule, out, "Leave a cell empty if its value is missing")


def _ranks(scores: _Scores) -> CellError | None:
    """Find ranks called by the name of a share: 1 to K in every data set and fold."""
    rows, values = scores.rows, scores.values
    there = values[~np.isnan(values)]
    most = len(rows.algorithms)
    if there.min() < 1 or there.max() > most or (there * 2 % 1 != 0).any():
        return None
    fold = (rows.dataset * len(rows.repeats) + rows.repeat) * len(rows.folds) + rows.fold
    order = np.argsort(fold, kind="stable")
    groups = np.split(values[order], np.flatnonzero(np.diff(fold[order])) + 1)
    if len(groups) < 2 and most < 3:
        return None
    if not all(map(_are_ranks, groups)):
        return None
    rule = f"{scores.measure.name} is 1 to {most} on every data set, as ranks are"
    remedy = (
        f"If they are, give {Option('score', 'rank')} and {Option('higher_is_better', 'False')}"
    )
    return scores.error(rule, ~np.isnan(values), remedy)


def _are_ranks(values: FloatArray) -> bool:
    """Return whether values are their own ranks, none of them missing."""
    return not np.isnan(values).any() and np.array_equal(values, average_ranks(values))


@dataclass(frozen=True, slots=True, eq=False)
class _Scales:
    """Which cells are fractions and which percent, and what the percent of each data set are.

    A share in percent may truly be below 1. It is suspected where it is far from the others on the
    same data set, and a hundred times it is near.
    """

    means: FloatArray
    there: BoolArray
    fraction: BoolArray
    percent: BoolArray
    least: FloatArray
    most: FloatArray

    @classmethod
    def of(cls, scores: _Scores) -> _Scales:
        means = scores.rows.cell_means(scores.values)
        there = ~np.isnan(means)
        percent = there & (means > 1)
        return cls(
            means,
            there,
            there & (means > 0) & (means <= 1),
            percent,
            np.where(percent, means, np.inf).min(axis=1, keepdims=True),
            np.where(percent, means, -np.inf).max(axis=1, keepdims=True),
        )

    def suspect(self, by: float) -> BoolArray:
        """Mark fractions that would be like the others, within a factor, if they were percent."""
        far = self.fraction & (10 * self.means < self.least)
        hundredfold = 100 * self.means
        highest = np.minimum(self.most * by, 100)
        return np.asarray(far & (hundredfold >= self.least / by) & (hundredfold <= highest))


def _by_algorithm(scores: _Scores) -> CellError | None:
    """Find algorithms whose values are all fractions while the others' are percent."""
    scales = _Scales.of(scores)
    there = scales.there
    only = (scales.fraction | ~there).all(axis=0) & there.any(axis=0)
    only &= 2 * scales.suspect(2).sum(axis=0) >= there.sum(axis=0)
    if not only.any():
        return None
    names = [name for name, is_so in zip(scores.rows.algorithms, only, strict=True) if is_so]
    where = scores.in_cells(scales.fraction & only)
    return scores.mixed(f"for {quoted(names)} and in percent for others", where)


def _by_dataset(scores: _Scores) -> CellError | None:
    """Find data sets where all are fractions while on all others they are percent.

    Errors in percent are often all below 1.
    """
    scales = _Scales.of(scores)
    there = scales.there
    low = np.all(scales.fraction | ~there, axis=1)
    high = np.all(scales.percent | ~there, axis=1)
    several = there.sum(axis=1) > 1
    above = high & several & (scales.most[:, 0] > _UP_TO_TEN)
    found = (low | high).all() and (low & several).any() and above.any()
    if not (found and scores.measure.higher_is_better):
        return None
    names = [name for name, is_so in zip(scores.rows.datasets, low, strict=True) if is_so]
    where = scores.in_cells(scales.fraction & low[:, np.newaxis])
    return scores.mixed(f"on {quoted(names)} and in percent on others", where)


def _by_cell(scores: _Scores) -> CellError | None:
    """Find fractions where the percent of the others on the data set are close together."""
    scales = _Scales.of(scores)
    close = (scales.most <= 1.5 * scales.least) & (scales.percent.sum(axis=1, keepdims=True) > 1)
    cells = scales.suspect(1.25) & close
    if not (cells.any() and scores.measure.higher_is_better):
        return None
    number = count(int(cells.sum()), "cell")
    return scores.mixed(f"in {number} and in percent beside", scores.in_cells(cells))


def _above_one(scores: _Scores) -> CellError | None:
    """Find values above 1 among fractions: few of many."""
    values = scores.values
    there = int((~np.isnan(values)).sum())
    fractions, above = (values > 0) & (values <= 1), values > 1 + 1e-9
    few = there >= _MANY and fractions.sum() >= _MOST * there
    if not (few and above.any() and scores.measure.higher_is_better):
        return None
    number = count(int(above.sum()), "value is", "values are")
    rule = f"{scores.measure.name} is in fractions, but {number} above 1"
    return scores.error(rule, above, "Write all in one scale")


# Of each family the first that finds something; the last is about shares and their like.
_CHECKS = ((_beyond,), (_absurd,), (_ranks, _by_algorithm, _by_dataset, _by_cell, _above_one))
_BY_DATASET = (_beyond, _by_dataset, _above_one)
