"""What values cannot be, or not all at once: percent beside fractions, beyond a range, ranks.

Each check finds nothing, or an error that names the rows; a caller who knows better lets the values
through, and then it is a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, Option
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.scores.columns import Numbers


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
        without = np.flatnonzero(
            there & (numbers.values != 0) & ~(False if percent is None else percent)
        )
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
