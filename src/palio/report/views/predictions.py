"""Comparisons by predictions: pairs, all at once, wins, and the ROC convex hull."""

from __future__ import annotations

import math
from collections.abc import Sequence

from palio.report.blocks import Block, Column, Paragraph, Table, Title
from palio.report.numbers import number, p_said, share
from palio.report.views.common import Summary, notes, pairs_table

__all__ = ["prediction_comparison"]

# A person reads this many rows; the rest are counted, and in the JSON.
_SHOWN = 45


def prediction_comparison(summary: Summary) -> list[Block]:
    """Lay out a comparison on test instances."""
    pairs, test, roc = summary["pairs"], summary["test"], summary["roc"]
    blocks: list[Block] = [Title(_title(summary)), Paragraph(_line(summary))]
    if test is not None:
        df = ", ".join(f"{value:.4g}" for value in test["df"])
        blocks.append(Paragraph(f"statistic {_unbounded(test['statistic'])}, df {df}"))
    blocks.append(_algorithms_table(summary))
    if pairs:
        blocks += [
            pairs_table(
                pairs[:_SHOWN],
                ("only a right", lambda pair: str(pair["only_a"])),
                ("only b right", lambda pair: str(pair["only_b"])),
            ),
            *_left_out(len(pairs), "pairs"),
        ]
    if roc is not None:
        # Where the hull leaves a trivial corner at once, it is optimal for nothing.
        corners = [each for each in roc["hull"] if each["slopes"][0] != each["slopes"][1]]
        blocks += [_hull_table(corners[:_SHOWN]), *_left_out(len(corners), "corners")]
    return [*blocks, notes(summary)]


def _left_out(total: int, what: str) -> list[Block]:
    if total <= _SHOWN:
        return []
    return [Paragraph(f"and {total - _SHOWN} more {what}: --json, or .to_dict(), has them.")]


def _title(summary: Summary) -> str:
    algorithms, test, roc = len(summary["algorithms"]), summary["test"], summary["roc"]
    if roc is not None:
        found = len(roc["on_hull"])
        are = "is" if found == 1 else "are"
        return f"{found} of {algorithms} algorithms {are} on the ROC convex hull"
    if summary["selection"]:
        most = max(row["wins"] for row in summary["selection"])
        best = [row["algorithm"] for row in summary["selection"] if most - row["wins"] < 1e-9]
        have = "has" if len(best) == 1 else "have"
        return f"{', '.join(best)} {have} the most wins; all equally many: {_p(test)}"
    if test is not None:
        some = "some differ" if test["p_value"] <= summary["alpha"] else "no difference found"
        return f"{some}, {_p(test)}"
    pairs = summary["pairs"]
    differ = sum(pair["significant"] for pair in pairs)
    if differ == 0:
        return f"no two of {algorithms} algorithms differ significantly"
    return f"{differ} of {len(pairs)} pairs differ significantly"


def _p(test: Summary) -> str:
    return p_said(test["p_value"])


def _line(summary: Summary) -> str:
    correction = summary["correction"]
    how = summary["method"]
    if correction not in (None, "none"):
        how += f" with {correction}"
    n = summary["n"]
    instances = "1 test instance" if n == 1 else f"{n} test instances"
    level = "" if summary["roc"] is not None else f", α = {summary['alpha']:g}"
    return f"{how}{level}, on {instances}"


def _algorithms_table(summary: Summary) -> Table:
    """Show the algorithms, most accurate first; by wins or area where these are the answer."""
    accuracies = summary["accuracies"]
    columns = [Column("algorithm"), Column("accuracy", numeric=True)]
    cells = {name: [number(value)] for name, value in accuracies.items()}
    key = dict(accuracies)
    if summary["selection"]:
        columns += [Column("wins", numeric=True), Column("chance", numeric=True)]
        for row in summary["selection"]:
            cells[row["algorithm"]] += [share(row["wins"]), f"{row['chance']:.3f}"]
            key[row["algorithm"]] = row["wins"]
    if summary["roc"] is not None:
        columns += [Column("AUC", numeric=True), Column("optimal for slopes")]
        for name, line in summary["roc"]["curves"].items():
            cells[name] += [number(line["auc"]), "; ".join(map(_range, line["ranges"]))]
            key[name] = line["auc"]
    order = sorted(key, key=lambda name: -key[name])
    return Table(tuple(columns), tuple((name, *cells[name]) for name in order))


def _hull_table(corners: Sequence[Summary]) -> Table:
    """Show the corners of the hull from left to right: from dear false positives to cheap ones."""
    return Table(
        (
            Column("false positives", numeric=True),
            Column("true positives", numeric=True),
            Column("slopes"),
            Column("cost ratios"),
            Column("reached by"),
        ),
        tuple(
            (
                number(corner["false_positive_rate"]),
                number(corner["true_positive_rate"]),
                _range(corner["slopes"]),
                _range(corner["cost_ratios"]),
                ", ".join(corner["thresholds"]) or _trivial(corner),
            )
            for corner in corners
        ),
        title="Corners of the hull",
    )


def _trivial(corner: Summary) -> str:
    return "always positive" if corner["true_positive_rate"] else "always negative"


def _range(values: Sequence[float | None]) -> str:
    low, high = values
    return f"{_unbounded(low)} to {_unbounded(high)}"


def _unbounded(value: float | None) -> str:
    """Write a number that may be infinite, which JSON has no number for."""
    return "∞" if value is None or math.isinf(value) else number(value)
