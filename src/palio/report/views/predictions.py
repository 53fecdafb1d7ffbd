"""Comparisons by predictions: pairs, all at once, wins, and the ROC convex hull."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.numbers import number, share
from palio.report.blocks import Block, Column, Paragraph, Table, Title
from palio.report.views.common import (
    left_out,
    notes,
    p_of,
    pairs_table,
    shortened,
    statistic_said,
    unbounded,
    whole,
)

if TYPE_CHECKING:
    from palio.comparison.prediction_tests import HullCorner, PredictionComparison

# A person reads this many rows, unless it is said; the rest are counted.
_SHOWN = 45


def prediction_comparison(result: PredictionComparison) -> list[Block]:
    """Lay out a comparison on test instances."""
    blocks: list[Block] = [Title(_title(result)), Paragraph(_line(result))]
    if result.test is not None:
        blocks.append(Paragraph(statistic_said(result.test)))
    blocks += shortened(_algorithms_table(result), result.shown, rest=whole(result.shown))
    most = result.shown or _SHOWN
    if result.pairs:
        blocks += [
            pairs_table(
                result.pairs[:most],
                ("only a right", lambda pair: str(pair.only_a)),
                ("only b right", lambda pair: str(pair.only_b)),
            ),
            *map(Paragraph, left_out(len(result.pairs) - most, whole(result.shown), "pairs")),
        ]
    if result.roc is not None:
        corners = result.roc.optimal_corners
        more = left_out(len(corners) - most, whole(result.shown), "corners")
        blocks += [_hull_table(corners[:most]), *map(Paragraph, more)]
    return [*blocks, notes(result)]


def _title(result: PredictionComparison) -> str:
    algorithms, test, roc = len(result.algorithms), result.test, result.roc
    if roc is not None:
        found = len(roc.on_hull)
        are = "is" if found == 1 else "are"
        return f"{found} of {algorithms} algorithms {are} on the ROC convex hull"
    said = "" if test is None else p_of(test)
    if result.selection:
        most = result.most_wins
        have = "has" if len(most) == 1 else "have"
        return f"{', '.join(most)} {have} the most wins; all equally many: {said}"
    if test is not None:
        some = "some differ" if test.p_value <= result.alpha else "no difference found"
        return f"{some}, {said}"
    if result.n_different == 0:
        return f"no two of {algorithms} algorithms differ significantly"
    return f"{result.n_different} of {len(result.pairs)} pairs differ significantly"


def _line(result: PredictionComparison) -> str:
    how = result.method
    if result.correction not in (None, "none"):
        how += f" with {result.correction}"
    instances = "1 test instance" if result.n == 1 else f"{result.n} test instances"
    level = "" if result.roc is not None else f", α = {result.alpha:g}"
    return f"{how}{level}, on {instances}"


def _algorithms_table(result: PredictionComparison) -> Table:
    """Show the algorithms, most accurate first; by wins or area where these are the answer."""
    columns = [*Column.texts("algorithm"), *Column.numbers("accuracy")]
    cells = {name: [number(value)] for name, value in result.accuracies.items()}
    if result.selection:
        columns += Column.numbers("wins", "chance")
        for row in result.selection:
            cells[row.algorithm] += [share(row.wins), f"{row.chance:.3f}"]
    if result.roc is not None:
        columns += [*Column.numbers("AUC"), *Column.words("optimal for slopes")]
        for name, line in result.roc.curves.items():
            cells[name] += [number(line.auc), "; ".join(map(_range, line.ranges))]
    return Table(tuple(columns), tuple((name, *cells[name]) for name in result.best_first))


def _hull_table(corners: Sequence[HullCorner]) -> Table:
    """Show the corners of the hull from left to right: from dear false positives to cheap ones."""
    columns = {
        "false positives": [number(each.false_positive_rate) for each in corners],
        "true positives": [number(each.true_positive_rate) for each in corners],
        "slopes": [_range(each.slopes) for each in corners],
        "cost ratios": [_range(each.cost_ratios) for each in corners],
        "reached by": [", ".join(each.thresholds) or _trivial(each) for each in corners],
    }
    title = "Corners of the hull"
    return Table.of(columns, "slopes", "cost ratios", words=["reached by"], title=title)


def _trivial(corner: HullCorner) -> str:
    return "always positive" if corner.true_positive_rate else "always negative"


def _range(values: Sequence[float]) -> str:
    low, high = values
    return f"{unbounded(low)} to {unbounded(high)}"
