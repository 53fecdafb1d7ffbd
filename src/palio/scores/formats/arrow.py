"""Parquet and Feather (Arrow IPC), by pyarrow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.scores.formats import packing
from palio.scores.formats.kinds import MalformedError
from palio.words import one_line

if TYPE_CHECKING:
    import pandas as pd

_CELL = 8  # bytes of a number
_STREAM = b"\xff\xff\xff\xff"
_TIMES = 100  # that a table of results may be larger than its file


def read_parquet(content: bytes, _name: str) -> pd.DataFrame:
    """Read Parquet."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        _refuse_large(file.metadata.num_rows * file.metadata.num_columns, len(content))
        return _frame(file.read())
    except (pa.ArrowException, OSError) as error:
        raise MalformedError(f"is not Parquet: {one_line(error)}") from error


def read_feather(content: bytes, _name: str) -> pd.DataFrame:
    """Read Feather, which is Arrow's format for files, or what Arrow writes to streams."""
    import pyarrow as pa
    import pyarrow.feather as feather  # type: ignore[import-untyped]

    try:
        if content.startswith(_STREAM):
            return _frame(pa.ipc.open_stream(content).read_all())
        return _frame(feather.read_table(io.BytesIO(content), memory_map=False))
    except (pa.ArrowException, OSError) as error:
        raise MalformedError(f"is not Feather: {one_line(error)}") from error


def _frame(table: Any) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _refuse_large(cells: int, size: int) -> None:
    """Refuse a table that takes hardly any room in a file, and more than there is outside."""
    if cells * _CELL > max(packing.MOST, _TIMES * size):
        raise MalformedError(
            f"holds {cells} cells, and the limit is {packing.MOST // _CELL}",
            "Choose the rows and columns that are needed, or give a frame",
        )


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write Parquet."""
    frame.to_parquet(path, engine="pyarrow", index=False)


def write_feather(frame: pd.DataFrame, path: Path) -> None:
    """Write Feather."""
    frame.reset_index(drop=True).to_feather(path)
