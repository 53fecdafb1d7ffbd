"""Sets of algorithms that do not differ."""

from __future__ import annotations

from collections.abc import Sequence

from palio.stats._types import BoolArray

__all__ = ["maximal_groups"]


def maximal_groups(different: BoolArray, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return every largest set of names of which no two differ, in the order of ``names``.

    These are the maximal cliques of the graph "not different"; each algorithm is in at least one.
    Bron and Kerbosch (1973) with pivoting, on sets held as the bits of integers.

    >>> import numpy as np
    >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> maximal_groups(different, ["a", "b", "c"])
    (('a', 'b'), ('b', 'c'))
    """
    size = len(names)
    level_with = [
        sum(1 << j for j in range(size) if j != i and not different[i, j]) for i in range(size)
    ]
    found: list[tuple[int, ...]] = []

    def extend(chosen: tuple[int, ...], candidates: int, excluded: int) -> None:
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
    return tuple(tuple(names[i] for i in group) for group in sorted(found))


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
