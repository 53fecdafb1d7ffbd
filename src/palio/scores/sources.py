"""The way in for whatever holds a table: a file, a frame, or a dictionary of columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from palio.errors import CellError
from palio.scores.columns import Columns
from palio.scores.files import from_file
from palio.scores.frames import from_frame, from_mapping
from palio.words import quoted

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    TableSource: TypeAlias = str | os.PathLike[str] | IntoFrame | Mapping[str, Any]

__all__ = ["read_columns"]


def read_columns(source: object, *, parameter: str) -> Columns:
    """Read a file, a frame or a dictionary of columns; ``parameter`` is for the messages."""
    if isinstance(source, str | os.PathLike):
        columns = from_file(Path(source).expanduser(), parameter)
    elif isinstance(source, Mapping):
        columns = from_mapping(
            source, "the table" if parameter == "source" else "the table of costs"
        )
    else:
        columns = from_frame(source, parameter)
    if not columns.origin.numbers.size:
        raise CellError(
            parameter,
            f"{columns.origin.name} has no rows (its columns are {quoted(columns.names)})",
            remedy="Give a table with at least one row",
        )
    return columns
