"""What values cannot be, or not all at once: percent beside fractions, beyond a range, ranks.

Each check finds nothing, or an error that names the rows; a caller who knows better lets the values
through, and then it is a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.errors import CellError, Option
from palio.scores.missing import failed_rows
from palio.stats.ranks import ranks_of_present
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Numbers, Origin
    from palio.scores.long_table import LongTable
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray

# Such a number is what a program writes for no number, if the others are nowhere near.
_ABSURD, _BESIDE = 1e30, 1e15
# Benchmarks are also marked from 1 to 10, which is not percent.
_UP_TO_TEN = 10
# Of so many values so many are fractions: the others are mistakes.
_MANY, _MOST = 10, 0.9


class Doubt(NamedTuple):
    """What cannot be, unless each column of a leaderboard is a measure of its own."""

    error: CellError
    of_column: bool = False


def let_through(
    doubts: Sequence[Doubt], measure: Measure, *, allow: bool, board: bool
) -> list[str]:
    """Raise the first doubt or, if that is allowed, return what to note."""
    perhaps = [each.error.rule for each in doubts if board and each.of_column]
    errors = [each.error for each in doubts if not (board and each.of_column)]
    if errors and not allow:
        raise errors[0]
    notes = [f"Perhaps not all columns are {measure.name}: {rule}." for rule in perhaps]
    return [*notes, *(f"Let through as asked: {each.rule}." for each in errors)]


def _error(rule: str, remedy: str) -> CellError:
    allow = Option("allow_out_of_range", "True")
    return CellError("score", rule, remedy=f"{remedy}, or give {allow} to take them as they are")


def percent_signs(found: Sequence[Numbers]) -> list[Doubt]:
    """Find numbers without a percent sign beside numbers with one; 0 is the same with both."""
    if all(numbers.written.percent is None for numbers in found):
        return []
    signed, plain = list[float](), list[float]()
    shown: list[str] = []
    for numbers in found:
        percent = numbers.written.percent
        signs = np.zeros(numbers.values.size, dtype=bool) if percent is None else percent
        bare = np.flatnonzero(~signs & ~np.isnan(numbers.values) & (numbers.values != 0))
        signed += numbers.values[signs].tolist()
        plain += numbers.values[bare].tolist()
        shown += [
            f"{numbers.text(place)!r} of {numbers.name!r} ({numbers.origin.at(np.array([place]))})"
            for place in bare[:3].tolist()
        ]
    if not signed or not plain:
        return []
    # No number above 1 is a fraction; among others of its size it is in percent, too.
    if max(1, min(signed) / 2) < min(plain) and max(plain) <= min(100, 2 * max(signed)):
        return []
    rule = (
        f"{count(len(signed), 'cell has', 'cells have')} a percent sign and "
        f"{count(len(plain), 'has', 'have')} none: {listed(shown[:3], limit=3, total=len(plain))}"
    )
    return [Doubt(_error(rule, "Write all in percent or none"))]


def without_minus_ones(table: LongTable) -> LongTable:
    """Take scores of -1, as tools write where they found none, for unknown.

    Where nothing says that the measure is never below 0 they count, and that is noted of items:
    in a mean nobody would see it.
    """
    name, items = table.measure.name, table.items
    values = table.rows.scores[name] if items is None else items.as_floats()
    marked = values == -1
    others = values[~marked & ~np.isnan(values)]
    if not marked.any() or not others.size or others.min() < 0:
        return table
    number = int(marked.sum())
    if items is None and table.measure.possible[0] == 0:
        scores = {**table.rows.scores, name: np.where(marked, np.nan, values)}
        told = f"{count(number, 'score')} of -1, which {name} cannot be, read as missing."
        return table.noted(told, rows=replace(table.rows, scores=scores))
    if others.max() <= 2 or (items is None and not table.averaged):
        return table
    return table.noted(
        f"{number} of {count(others.size + number, 'score')} {'is' if number == 1 else 'are'} -1, "
        f"and all others are {others.min():g} to {others.max():g}: so a tool may write that it "
        "found none, as FastChat does of a failed judgment. They count as scores; leave those "
        "cells empty if they are none."
    )


# --- what a measure can be -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The scores of rows, NaN where there is none, and the measure that they are of."""

    rows: Rows
    values: FloatArray
    measure: Measure
    origin: Origin

    @classmethod
    def of(cls, table: LongTable) -> _Scores:
        given = table.rows.scores[table.measure.name]
        values = np.where(failed_rows(table.rows) | ~np.isfinite(given), np.nan, given)
        return cls(table.rows, values, table.measure, table.origin)

    def doubt(
        self, rule: str, where: BoolArray, remedy: str, *, of_column: bool = False
    ) -> Doubt | None:
        """Build the error about the rows where something is wrong; these end the rule."""
        if not where.any():
            return None
        positions = np.flatnonzero(where)
        number = count(positions.size, "value is", "values are")
        cells = self.rows.describe_some(positions, self.values, limit=3)
        text = f"{self.measure.name} {rule}".replace("{number}", number)
        return Doubt(_error(f"{text} ({cells}; {self.origin.at(positions)})", remedy), of_column)

    def mixed(self, where: str, cells: BoolArray, *, of_column: bool = False) -> Doubt | None:
        """Build the error about the (data set, algorithm) in fractions beside percent."""
        rows = cells[self.rows.dataset, self.rows.algorithm] & ~np.isnan(self.values)
        rule = f"seems to be in fractions {where}"
        return self.doubt(rule, rows, "Write all in one scale", of_column=of_column)


def implausible(table: LongTable, *, of_items: bool = False) -> list[Doubt]:
    """Find what scores cannot be; what failed has none, and what is infinite is refused anyway.

    Of single items, before means of them hide it, only what is beyond the range of the measure.
    """
    scores = _Scores.of(table)
    if np.isnan(scores.values).all():
        return []
    families = _CHECKS[:1] if of_items else _CHECKS
    if table.measure.possible[1] != 100:
        families = families[:2]
    firsts = [next(filter(None, (check(scores) for check in family)), None) for family in families]
    return [doubt for doubt in firsts if doubt is not None]


def _beyond(scores: _Scores) -> Doubt | None:
    """Find values outside the measure's range."""
    low, high = scores.measure.possible
    slack = 1e-7
    out = (scores.values < low - slack) | (scores.values > high + slack)
    remedy = f"Correct the table, say with {Option('score')} what it holds"
    return scores.doubt(f"{_span(low, high)}, but {{number}} not", out, remedy, of_column=True)


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


def _absurd(scores: _Scores) -> Doubt | None:
    """Find numbers that stand for none: 1e300 beside 0.9."""
    sizes = np.abs(scores.values)
    usual = float(np.nanmedian(sizes))
    out = (sizes > _ABSURD) & (sizes > _BESIDE * usual)
    rule = f"is {usual:g} or less in half of the rows, but {{number}} far off"
    return scores.doubt(rule, out, "Leave a cell empty if its value is missing")


def _ranks(scores: _Scores) -> Doubt | None:
    """Find ranks called by the name of a share: 1 to K in every data set and fold."""
    rows, values = scores.rows, scores.values
    there, most = values[~np.isnan(values)], len(rows.algorithms)
    is_rank = (there >= 1) & (there <= most) & (there * 2 % 1 == 0)
    if there.size < values.size or not is_rank.all():
        return None
    by_fold = rows.grid(values)
    ranks, _ = ranks_of_present(by_fold)
    if (len(by_fold) < 2 and most < 3) or not np.array_equal(ranks, by_fold, equal_nan=True):
        return None
    rule = f"is 1 to {most} on every data set, as ranks are"
    remedy = (
        f"If they are, give {Option('score', 'rank')} and {Option('higher_is_better', 'False')}"
    )
    return scores.doubt(rule, ~np.isnan(values), remedy)


def _in_fractions(scores: _Scores) -> Doubt | None:
    """Find algorithms, data sets or cells in fractions while the others are in percent.

    A share in percent may truly be below 1. It is suspected where it is far from the others on the
    same data set, and a hundred times it is near.
    """
    means = scores.rows.cell_means(scores.values)
    there, fraction, percent = ~np.isnan(means), (means > 0) & (means <= 1), means > 1
    least = np.where(percent, means, np.inf).min(axis=1, keepdims=True)
    most = np.where(percent, means, -np.inf).max(axis=1, keepdims=True)

    def suspected(by: float) -> BoolArray:
        """Mark fractions that would be like the others, within a factor, if they were percent."""
        highest = np.minimum(most * by, 100)
        near = (100 * means >= least / by) & (100 * means <= highest)
        return np.asarray(fraction & (10 * means < least) & near)

    n_cells = there.sum(axis=0)
    only = (fraction | ~there).all(axis=0) & (n_cells > 0)
    only &= 2 * suspected(2).sum(axis=0) >= n_cells
    if only.any():
        names = quoted(compress(scores.rows.algorithms, only))
        return scores.mixed(f"for {names} and in percent for others", fraction & only)
    if not scores.measure.higher_is_better:  # errors in percent are often all below 1
        return None
    low = np.asarray((fraction | ~there).all(axis=1))
    high = np.asarray((percent | ~there).all(axis=1))
    several = there.sum(axis=1) > 1
    above = high & several & (most[:, 0] > _UP_TO_TEN)
    if (low | high).all() and (low & several).any() and above.any():
        names = quoted(compress(scores.rows.datasets, low))
        cells = fraction & low[:, np.newaxis]
        return scores.mixed(f"on {names} and in percent on others", cells, of_column=True)
    # Where the percent of the others on the data set are close together.
    close = (most <= 1.5 * least) & (percent.sum(axis=1, keepdims=True) > 1)
    cells = suspected(1.25) & close
    return scores.mixed(f"in {count(int(cells.sum()), 'cell')} and in percent beside", cells)


def _above_one(scores: _Scores) -> Doubt | None:
    """Find values above 1 among fractions: few of many."""
    values = scores.values
    there = int((~np.isnan(values)).sum())
    fractions, above = (values > 0) & (values <= 1), values > 1 + 1e-9
    if there < _MANY or fractions.sum() < _MOST * there or not scores.measure.higher_is_better:
        return None
    rule = "is in fractions, but {number} above 1"
    return scores.doubt(rule, above, "Write all in one scale", of_column=True)


# Of each family the first that finds something; the last is about shares and their like.
_CHECKS = ((_beyond,), (_absurd,), (_ranks, _in_fractions, _above_one))
