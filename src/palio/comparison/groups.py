"""Sets of algorithms that do not differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palio.types import BoolArray

__all__ = ["GROUP_LIMIT", "letters", "maximal_groups"]

GROUP_LIMIT = 500
"""More groups than this tell nobody anything, and there may be exponentially many."""


def maximal_groups(
    different: BoolArray, names: Sequence[str]
) -> tuple[tuple[str, ...], ...] | None:
    """Return every largest set of names of which no two differ, in the order of ``names``.

    These are the maximal cliques of the graph "not different"; each algorithm is in at least one.
    ``None`` if there are more than ``GROUP_LIMIT``. Bron and Kerbosch (1973) with pivoting, on
    sets held as the bits of integers.

    >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> maximal_groups(different, ["a", "b", "c"])
    (('a', 'b'), ('b', 'c'))
    """
    size = len(names)
    level = np.packbits(~different & ~np.eye(size, dtype=np.bool_), axis=1, bitorder="little")
    level_with = [int.from_bytes(row.tobytes(), "little") for row in level]
    found: list[tuple[int, ...]] = []

    def extend(chosen: tuple[int, ...], candidates: int, excluded: int) -> None:
        if len(found) > GROUP_LIMIT:
            return
        if not candidates and not excluded:
            found.append(tuple(sorted(chosen)))
            return
        pivot = max(
            _bits(candidates | excluded), key=lambda u: (candidates & level_with[u]).bit_count()
        )
        for v in _bits(candidates & ~level_with[pivot]):
            extend((*chosen, v), candidates & level_with[v], excluded & level_with[v])
            candidates &= ~(1 << v)
            excluded |= 1 << v

    extend((), (1 << size) - 1, 0)
    if len(found) > GROUP_LIMIT:
        return None
    return tuple(tuple(names[i] for i in group) for group in sorted(found))


def letters(groups: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, str]:
    """Give each group a letter, and each name the letters of its groups.

    Two names share a letter exactly where they do not differ.

    >>> letters([("a", "b"), ("b", "c")], ["c", "b", "a"])
    {'c': 'b', 'b': 'ab', 'a': 'a'}
    """
    return {
        name: "".join(_letter(i) for i, group in enumerate(groups) if name in group)
        for name in names
    }


def _letter(i: int) -> str:
    """Count a, b, … z, then a1, b1 and so on."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    turn, place = divmod(i, len(alphabet))
    return alphabet[place] + (str(turn) if turn else "")


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
