"""Comparisons by predictions: pairs, all at once, wins, and the ROC convex hull."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.numbers import number, share
from palio.report.blocks import Block, Column, Paragraph, Table, Title
from palio.report.views.common import notes, p_of, pairs_table, statistic_said, unbounded

if TYPE_CHECKING:
    from palio.comparison.prediction_results import HullCorner, PredictionComparison

# A person reads this many rows; the rest are counted, and in the JSON.
_SHOWN = 45


def prediction_comparison(result: PredictionComparison) -> list[Block]:
    """Lay out a comparison on test instances."""
    blocks: list[Block] = [Title(_title(result)), Paragraph(_line(result))]
    if result.test is not None:
        blocks.append(Paragraph(statistic_said(result.test)))
    blocks.append(_algorithms_table(result))
    if result.pairs:
        blocks += [
            pairs_table(
                result.pairs[:_SHOWN],
                ("only a right", lambda pair: str(pair.only_a)),
                ("only b right", lambda pair: str(pair.only_b)),
            ),
            *_left_out(len(result.pairs), "pairs"),
        ]
    if result.roc is not None:
        corners = result.roc.optimal_corners
        blocks += [_hull_table(corners[:_SHOWN]), *_left_out(len(corners), "corners")]
    return [*blocks, notes(result)]


def _left_out(total: int, what: str) -> list[Block]:
    if total <= _SHOWN:
        return []
    return [Paragraph(f"and {total - _SHOWN} more {what}: --json, or .to_dict(), has them.")]


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
    return Table(
        (
            *Column.numbers("false positives", "true positives"),
            *Column.texts("slopes", "cost ratios"),
            *Column.words("reached by"),
        ),
        tuple(
            (
                number(corner.false_positive_rate),
                number(corner.true_positive_rate),
                _range(corner.slopes),
                _range(corner.cost_ratios),
                ", ".join(corner.thresholds) or _trivial(corner),
            )
            for corner in corners
        ),
        title="Corners of the hull",
    )


def _trivial(corner: HullCorner) -> str:
    return "always positive" if corner.true_positive_rate else "always negative"


def _range(values: Sequence[float]) -> str:
    low, high = values
    return f"{unbounded(low)} to {unbounded(high)}"
