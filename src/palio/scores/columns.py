"""Named columns and where they came from; nothing is interpreted here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.errors import ColumnError, UnreadableError
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd

    from palio.types import BoolArray, IntArray

__all__ = ["Columns", "Origin", "named_columns", "refuse_duplicates"]


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where rows came from, so that messages can point at them.

    Files of text are counted in lines, as an editor shows them; everything else in rows from 0,
    as frames do.
    """

    name: str
    unit: str
    numbers: IntArray

    def at(self, positions: IntArray | BoolArray) -> str:
        """Return ``lines 3, 5`` or ``row 3, counted from 0`` for these rows."""
        numbers = self.numbers[positions]
        plural = "" if numbers.size == 1 else "s"
        counted = "" if self.unit == "line" else ", counted from 0"
        return f"{self.unit}{plural} {listed(numbers[:6], total=numbers.size)}{counted}"

    def take(self, positions: IntArray | BoolArray) -> Origin:
        """Return the origin of some of the rows."""
        return Origin(self.name, self.unit, self.numbers[positions])


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Named columns of equal length, and where they came from."""

    values: Mapping[str, pd.Series[Any]]
    origin: Origin
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.values)


def named_columns(
    header: Sequence[str], columns: Sequence[pd.Series[Any]], name: str
) -> dict[str, pd.Series[Any]]:
    """Put header and columns together; empty columns without a name are what Excel leaves."""
    pairs = [
        (label.strip(), column)
        for label, column in zip(header, columns, strict=True)
        if label.strip() or not ((column == "") | column.isna()).all()
    ]
    if not pairs:
        raise UnreadableError(
            "columns", f"{name} has none", remedy="Give a table with a header and rows"
        )
    refuse_duplicates([label for label, _ in pairs], name)
    return dict(pairs)


def refuse_duplicates(header: Sequence[str], name: str) -> None:
    """Raise if two columns have the same name."""
    counts = Counter(label.strip() for label in header)
    twice = [label for label, times in counts.items() if times > 1]
    if "" in twice:
        raise ColumnError(
            "columns", f"{count(counts[''], 'column')} of {name} have no name", remedy="Name them"
        )
    if twice:
        raise ColumnError(
            "columns",
            f"the names must differ, but {name} has {quoted(twice)} more than once",
            remedy="Rename or remove the extra columns",
        )
