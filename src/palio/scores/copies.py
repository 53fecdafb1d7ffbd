"""Data sets and algorithms that are the same as another one, value for value: worth a word.

They are mostly one file under two names, or one run reported twice, and then count twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.words import listed

if TYPE_CHECKING:
    from palio.scores.rows import Rows
    from palio.types import FloatArray, IntArray

_FEWEST = 3  # that must agree before it is more than chance
_MANY = 10
_SHOWN = 3


def notes_on_copies(rows: Rows, score: str) -> tuple[str, ...]:
    """Say which data sets have the scores of another one, and which algorithms do, everywhere."""
    notes, values = [], rows.scores[score]
    if rows.censored is not None:  # what did not end is alike everywhere
        values = np.where(rows.censored > 0, np.nan, values)
    for what, names, own, other, n_others in (
        ("data sets", rows.datasets, rows.dataset, rows.algorithm, len(rows.algorithms)),
        ("algorithms", rows.algorithms, rows.algorithm, rows.dataset, len(rows.datasets)),
    ):
        if n_others < _FEWEST or len(names) < 2:
            continue
        place = (other * len(rows.repeats) + rows.repeat) * len(rows.folds) + rows.fold
        groups = list(_alike(own, place, values, len(names)))
        if groups:
            told = [f"{' = '.join(names[i] for i in group)}{said}" for group, said in groups]
            notes.append(f"The same scores throughout, of {what}: {listed(told, limit=_SHOWN)}.")
    return tuple(notes)


def _alike(
    own: IntArray, place: IntArray, values: FloatArray, size: int
) -> Iterator[tuple[Sequence[int], str]]:
    """Give groups of names with the same values in the same places, with what to say of them."""
    # What is missing comes last.
    order = np.argsort(
        np.where(np.isnan(values), size, own) * (int(place.max(initial=0)) + 1) + place
    )
    order = order[: order.size - int(np.isnan(values).sum())]
    own, place, values = own[order], place[order], values[order] + 0.0  # -0 is 0
    ends = np.searchsorted(own, np.arange(size + 1))
    found: dict[tuple[bytes, bytes], list[int]] = {}
    for name in range(size):
        part = slice(ends[name], ends[name + 1])
        if ends[name + 1] - ends[name] >= _FEWEST:
            found.setdefault((place[part].tobytes(), values[part].tobytes()), []).append(name)
    for group in found.values():
        if len(group) > 1:
            mine = values[ends[group[0]] : ends[group[0] + 1]]
            if not (mine == mine[0]).all():
                yield group, ""
            elif mine.size >= _MANY:  # by a ceiling or a floor, which a few reach by themselves
                yield group, f" (all {mine[0]:g})"
