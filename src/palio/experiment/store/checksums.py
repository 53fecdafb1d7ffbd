"""A checksum per row: what has changed since it was written is found when it is read.

It finds accidents, not malice: who can write to a store can write the checksum, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from types import UnionType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from palio.errors import UnreadableError
from palio.experiment.outcome import FoldPredictions
from palio.words import count

if TYPE_CHECKING:
    import sqlalchemy as sa

CHECKSUM = "checksum"

# So many damaged rows are named.
_NAMED = 5


def checksum(values: Iterable[object]) -> int:
    """Return the CRC-32 of the values of a row, of which a changed digit always makes another.

    >>> checksum(["iris", 1, 0.5]) == checksum(["iris", 1, 0.6])
    False
    """
    texts, binary = [], b""
    for value in values:
        if isinstance(value, bytes | memoryview):
            binary = bytes(value)
        else:
            texts.append(str(value))
    return crc32("\x1f".join(texts).encode(errors="surrogatepass"), crc32(binary) if binary else 0)


@cache
def columns_of(table: sa.Table) -> tuple[str, ...]:
    """Return the columns of a table that its checksums are of: all others."""
    return tuple(column.name for column in table.columns if column.name != CHECKSUM)


def signed(table: sa.Table, row: Mapping[str, Any], *more: object) -> dict[str, Any]:
    """Return a row with its checksum; ``more`` is what else must be there, as how many folds."""
    values = [row[name] for name in columns_of(table)]
    return {**row, CHECKSUM: checksum([*values, *more])}


def is_readable(row: Mapping[str, Any]) -> bool:
    """Whether a row that no checksum vouches for holds what such rows hold.

    >>> is_readable({"scores": '{"f1": 0.5}', "machine": "{}"}), is_readable({"scores": "[0.5]"})
    (True, False)
    """
    if "content" in row and "fold" in row and not _is_prediction(row["content"]):  # of no plan
        return False
    return all(_KINDS[name](value) for name, value in row.items() if name in _KINDS)


def is_object(text: Any, kind: type | UnionType = object) -> bool:
    """Whether a text is an object of JSON, its values of a kind."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and all(isinstance(each, kind) for each in found.values())


def _is_prediction(content: Any) -> bool:
    try:
        return content is None or FoldPredictions.from_bytes(content) is not None
    except Exception:  # NumPy and zip have many ways to complain
        return False


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int)


# What columns hold.
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("scores", "costs"), partial(is_object, kind=float | int)),
    "machine": partial(is_object, kind=str),
    "predictions": _is_prediction,
    **dict.fromkeys(("dataset", "algorithm", "status", "error", "traceback"), _is_text),
    **dict.fromkeys(("repeat", "fold", "seconds", "finished"), _is_number),
}


@dataclass(frozen=True)
class Place:
    """Which job or fold a row is of."""

    dataset: str
    algorithm: str
    repeat: int
    fold: int | None = None

    def __str__(self) -> str:
        fold = "" if self.fold is None else f", fold {self.fold}"
        return f"{self.dataset}, {self.algorithm}, repeat {self.repeat}{fold}"


def place_of(row: Mapping[str, Any]) -> Place:
    """Say which job or fold a row is of."""
    return Place(row["dataset"], row["algorithm"], row["repeat"], row.get("fold"))


def refuse_damaged(
    shown: str, damaged: Collection[object], rows: int, *, what: str = "row", remedy: str = ""
) -> None:
    """Name the rows that are not as they were written, if there are any."""
    if not damaged:
        return
    good = rows - len(damaged)
    named = "; ".join([str(each) for each in islice(damaged, _NAMED)])
    rest = f" … and {len(damaged) - _NAMED} more" if len(damaged) > _NAMED else ""
    raise UnreadableError(
        "store",
        f"'{shown}' is damaged: {len(damaged)} of {count(rows, what)} "
        f"{'is' if len(damaged) == 1 else 'are'} not as written ({named}{rest})"
        f"{f', the other {good} good' if good else ''}",
        remedy=remedy or "run the experiment again: only the damaged jobs are run anew",
    )
