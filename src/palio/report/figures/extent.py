"""How much of a long table a figure shows, in which order, and what its caption says of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.numbers import number, rank
from palio.report.figures import style
from palio.scores.missing import filled_by
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.types import IntArray

MOST_ROWS = 150
"""A figure with more rows than this is no longer looked at."""

MOST_COLUMNS = 200


@dataclass(frozen=True)
class Extent:
    """The algorithms that a figure shows, best first, and what is said of them.

    ``breaks`` are the rows before which a part begins that no data set joins to those above.
    """

    names: tuple[str, ...]
    breaks: tuple[int, ...]
    said: str

    def caption(self, *before: str) -> str:
        """Return a caption that ends with what is said of the algorithms."""
        return " ".join(filter(None, (*before, self.said)))


def extent_of(comparison: Comparison) -> Extent:
    """Return the first of a comparison's algorithms, as many as are asked for or can be shown.

    The one in focus is always among them.
    """
    order = comparison.by_standing
    most = min(comparison.shown or MOST_ROWS, MOST_ROWS)
    names, focus = order[:most], ""
    if comparison.focus is not None and comparison.focus.row.algorithm not in names:
        focus = comparison.focus.row.algorithm
        names = (*order[: most - 1], focus)
    breaks = _breaks(comparison, names)
    said = _parts_said(comparison, ruled=bool(breaks))
    if len(names) < len(order):
        first = f"The first {len(names) - bool(focus)} of {count(len(order), 'algorithm')}"
        said = [f"{first}, and {style.clean(focus)}." if focus else f"{first}.", *said]
    return Extent(names, breaks, " ".join([*said, *_imputed_said(comparison)]))


def _breaks(comparison: Comparison, names: tuple[str, ...]) -> tuple[int, ...]:
    part = {name: i for i, each in enumerate(comparison.components) for name in each}
    rows = range(1, len(names))
    return tuple(row for row in rows if part[names[row]] != part[names[row - 1]])


def _parts_said(comparison: Comparison, *, ruled: bool) -> list[str]:
    parts = comparison.components
    if len(parts) < 2:
        return []
    sizes = [str(len(part)) for part in parts[:6]] + (["…"] if len(parts) > 6 else [])
    drawn = "; a rule parts them" if ruled else ""
    return [
        f"No data set joins {len(parts)} parts, of {joined(sizes)} algorithms{drawn}: those of "
        "different parts are not ordered against each other."
    ]


def _imputed_said(comparison: Comparison) -> list[str]:
    missing = comparison.missing
    if missing is None or not missing.imputed:
        return []
    verb = "is" if missing.imputed == 1 else "are"
    return [
        f"{missing.imputed} of {count(missing.of, 'score')} {verb} imputed, "
        f"{filled_by(missing.rule)}."
    ]


def sorted_by(comparison: Comparison) -> str:
    """Say by what the algorithms are sorted, and who stands at the end whatever that is."""
    by = f"mean {comparison.measure.name}" if comparison.over == "items" else "mean rank"
    if not comparison.not_comparable or comparison.control is not None:
        return by
    return f"{by} (those that cannot be compared with {style.clean(str(comparison.leading))} last)"


def standing_texts(comparison: Comparison, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return a heading and the number by which each algorithm stands where it does."""
    if comparison.over == "items":
        return "mean\nscore", tuple(number(comparison.mean_scores[name]) for name in names)
    return "mean\nrank", tuple(rank(comparison.mean_ranks[name]) for name in names)


def columns_of(comparison: Comparison, rows: IntArray, most: int = MOST_COLUMNS) -> IntArray:
    """Return which data sets are shown: of very many those where most of the rows have a score."""
    there = ~np.isnan(comparison.compared.values[:, rows])
    fullest = np.argsort(-there.sum(axis=1), kind="stable")[:most]
    return np.sort(fullest)
