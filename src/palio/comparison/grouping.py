"""The largest sets of algorithms of which no two differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palio.types import BoolArray

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
    # What is still to be extended: chosen, candidates, excluded. A stack, as recursion would be as
    # deep as the largest group.
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), (1 << size) - 1, 0)]
    while waiting and len(found) <= GROUP_LIMIT:
        chosen, candidates, excluded = waiting.pop()
        if not candidates and not excluded:
            found.append(tuple(sorted(chosen)))
        if not candidates:
            continue
        pivot = max(
            _bits(candidates | excluded), key=lambda u: (candidates & level_with[u]).bit_count()
        )
        branches = []
        for v in _bits(candidates & ~level_with[pivot]):
            branches.append(((*chosen, v), candidates & level_with[v], excluded & level_with[v]))
            candidates &= ~(1 << v)
            excluded |= 1 << v
        waiting += reversed(branches)
    if len(found) > GROUP_LIMIT:
        return None
    return tuple(tuple(names[i] for i in group) for group in sorted(found))


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
