"""Parquet and Feather (Arrow IPC), by pyarrow.

What they pack is small in a file and large in memory, so that it is asked how large before it is
unpacked.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.scores import limits
from palio.scores.limits import MalformedError
from palio.words import one_line

if TYPE_CHECKING:
    import pandas as pd

_STREAM = b"\xff\xff\xff\xff"
_MAGIC = re.compile(rb"\x28\xb5\x2f\xfd|\x04\x22\x4d\x18")  # of Zstandard and LZ4
_NUMBER = 8  # bytes of one; whatever is packed begins where a number could stand


def read_parquet(content: bytes, _name: str) -> pd.DataFrame:
    """Read Parquet."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        about, schema = file.metadata, file.schema_arrow
        _check_groups(about, len(content))
        # A text that stands in many rows is kept once, until it is known how long all are.
        leaves = [about.schema.column(place) for place in range(about.num_columns)]
        flat = [leaf for leaf in leaves if leaf.path == leaf.name]
        texts = [leaf.path for leaf in flat if leaf.physical_type == "BYTE_ARRAY"]
        file = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
        table = file.read(columns=[leaf.path for leaf in flat])
        table.validate(full=True)
        return _frame(_written_out(_with_nested(table, schema), schema, len(content)))
    except MemoryError:  # of which pyarrow has its own
        raise
    except (pa.ArrowException, OSError) as error:
        raise MalformedError(f"is not Parquet: {one_line(error)}") from error


def read_feather(content: bytes, _name: str) -> pd.DataFrame:
    """Read Feather, which is Arrow's format for files, or what Arrow writes to streams."""
    import pyarrow as pa
    import pyarrow.feather as feather  # type: ignore[import-untyped]

    try:
        _check_unpacked(_unpacked(content), len(content))
        if content.startswith(_STREAM):
            return _frame(pa.ipc.open_stream(content).read_all())
        return _frame(feather.read_table(io.BytesIO(content), memory_map=False))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise MalformedError(f"is not Feather: {one_line(error)}") from error


# --- how much it is ------------------------------------------------------------------------


def _check_groups(about: Any, size: int) -> None:
    """Refuse what the file says of itself."""
    limits.check("columns", about.num_columns)
    limits.check("rows", about.num_rows)
    limits.check("cells", about.num_rows * about.num_columns)
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    _check_unpacked(sum(group.total_byte_size for group in groups), size)


def _check_unpacked(size: int, packed: int) -> None:
    most = limits.now().unpacked(packed)
    if size > most:
        raise limits.too_large(f"unpacks to {size / 1e6:.0f} MB", most)


def _unpacked(content: bytes) -> int:
    """Return how many bytes the packed buffers in Arrow's format unpack to, as they say.

    That stands in front of each.
    """
    places = (match.start() for match in _MAGIC.finditer(content))
    said = (content[place - _NUMBER : place] for place in places if place % _NUMBER == 0)
    return sum(int.from_bytes(each, "little") for each in said)


def _with_nested(table: Any, schema: Any) -> Any:
    """Return a table with […] for lists and objects, which are neither names nor numbers.

    They are not read: of a row it cannot be told how much it holds before it does.
    """
    import pyarrow as pa

    for place, field in enumerate(schema):
        if pa.types.is_nested(field.type):
            table = table.add_column(place, field.name, pa.array(["[…]"] * table.num_rows))
    return table


def _written_out(table: Any, schema: Any, size: int) -> Any:
    """Return a table of which only those texts are in a dictionary that are by its schema."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    columns = table.columns
    for place, column in enumerate(columns):
        kind = schema.field(place).type
        if not pa.types.is_dictionary(column.type) or pa.types.is_dictionary(kind):
            continue
        lengths = (pc.take(pc.binary_length(c.dictionary), c.indices) for c in column.chunks)
        _check_unpacked(sum(pc.sum(each).as_py() or 0 for each in lengths), size)
        columns[place] = column.cast(kind)
    return _with_columns(table, columns)


def _frame(table: Any) -> pd.DataFrame:
    """Return a frame, whose bytes are text."""
    import pyarrow as pa

    table.validate(full=True)  # a text that begins outside its buffer would end the process
    limits.check("columns", table.num_columns)
    limits.check("cells", table.num_rows * table.num_columns)
    columns = table.columns
    for place, field in enumerate(table.schema):
        if pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
            cells = columns[place].to_pylist()
            columns[place] = pa.array([None if cell is None else _text(cell) for cell in cells])
    frame: pd.DataFrame = _with_columns(table, columns).to_pandas()
    return frame


def _text(cell: bytes) -> str:
    r"""Return bytes as text; those that are none are spelled out.

    >>> print(_text(b"caf\xc3\xa9 \xff"))
    café \xff
    """
    return cell.decode(errors="backslashreplace")


def _with_columns(table: Any, columns: list[Any]) -> Any:
    """Return a table with other columns, and what pandas has noted of its index."""
    import pyarrow as pa

    made = pa.Table.from_arrays(columns, table.column_names)
    return made.replace_schema_metadata(table.schema.metadata)


# --- writing -------------------------------------------------------------------------------


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write Parquet."""
    frame.to_parquet(path, engine="pyarrow", index=False)


def write_feather(frame: pd.DataFrame, path: Path) -> None:
    """Write Feather."""
    frame.reset_index(drop=True).to_feather(path)
