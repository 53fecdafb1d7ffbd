"""Parquet, and large files of text, by pyarrow.

What Parquet packs is small in a file and large in memory, so that it is asked how large before it
is unpacked.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from palio.scores import limits
from palio.scores.columns import CodedTexts, Texts

if TYPE_CHECKING:
    import pandas as pd

    from palio.types import FloatArray, IntArray


def read_parquet(content: bytes, _name: str) -> pd.DataFrame:
    """Read Parquet."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    file = pq.ParquetFile(io.BytesIO(content))
    about, schema = file.metadata, file.schema_arrow
    limits.check("columns", about.num_columns)
    limits.check("rows", about.num_rows)
    limits.check("cells", about.num_rows * about.num_columns)
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    limits.check_size(sum(group.total_byte_size for group in groups), packed=len(content))
    # A text that stands in many rows is kept once, and never written out.
    leaves = [about.schema.column(place) for place in range(about.num_columns)]
    flat = [leaf for leaf in leaves if leaf.path == leaf.name]
    coded = [leaf.path for leaf in flat if leaf.physical_type == "BYTE_ARRAY"]
    file = pq.ParquetFile(io.BytesIO(content), read_dictionary=coded)
    table = file.read(columns=[leaf.path for leaf in flat])
    table.validate(full=True)
    _check_texts(table, len(content))
    for place, field in enumerate(schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_nested(kind):
            # Lists and objects are neither names nor numbers, and are not read: of a row it cannot
            # be told how much it holds before it does.
            table = table.add_column(place, field.name, pa.array(["[…]"] * table.num_rows))
        elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            cells = table.column(place).to_pylist()
            texts = [cell and cell.decode(errors="backslashreplace") for cell in cells]
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _check_texts(table: Any, size: int) -> None:
    """Refuse texts that would be too long if each row had its own."""
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            lengths = (pc.take(pc.binary_length(c.dictionary), c.indices) for c in column.chunks)
            limits.check_size(sum(pc.sum(each).as_py() or 0 for each in lengths), packed=size)


# --- large files of text -------------------------------------------------------------------


class _Spelled(Sequence[str]):
    """Texts as Arrow keeps them, in a third of the room that Python's take."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, place: Any) -> Any:
        found = self._array[place]
        return found.to_pylist() if isinstance(place, slice) else found.as_py()


class ArrowTexts(Texts):
    """A column of text that hardly repeats itself, such as one of numbers."""

    def __init__(self, array: Any) -> None:
        super().__init__(_Spelled(array))
        self.array = array

    def factorize(self) -> tuple[IntArray, Sequence[str]]:
        """Return each cell's place among the different ones."""
        encoded = self.array.dictionary_encode().combine_chunks()  # each part has all texts
        codes, texts = encoded.indices.to_numpy().astype(np.intp), _Spelled(encoded.dictionary)
        del encoded
        pa.default_memory_pool().release_unused()
        return codes, texts

    def plain_numbers(self) -> FloatArray | None:
        """Return the numbers, if every cell is one; NaN where it is empty."""
        texts = self.array
        if pc.any(pc.equal(pc.binary_length(texts), 0)).as_py():
            texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        try:
            numbers = texts.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        # What is no number by its name is left to Python, which knows other names for it.
        is_plain = pc.all(pc.is_finite(numbers)).as_py()
        return np.array(numbers.to_numpy(), dtype=np.float64) if is_plain else None

    def take(self, places: IntArray) -> Texts:
        """Return some of the rows."""
        return ArrowTexts(self.array.take(places))


def text_columns(
    content: bytes, begin: int, separator: str, repeats_itself: Sequence[bool]
) -> list[Texts] | None:
    """Return the columns of UTF-8 below the header at its ``begin``; none if it is not regular.

    ``repeats_itself`` says of each column whether its texts come again and again.
    """
    import pyarrow.csv as csv  # type: ignore[import-untyped]

    coded = pa.dictionary(pa.int32(), pa.string())
    kinds = {str(n): coded if few else pa.string() for n, few in enumerate(repeats_itself)}
    blank = len(content[-_LAST:]) - len(content[-_LAST:].rstrip(b"\r\n"))
    lines = csv.ReadOptions(block_size=_BLOCK, skip_rows=1, column_names=list(kinds))
    lines.use_threads = False
    cells = csv.ParseOptions(delimiter=separator, newlines_in_values=b'"' in content)
    cells.ignore_empty_lines = False
    types = csv.ConvertOptions(column_types=kinds, strings_can_be_null=False)
    below = pa.py_buffer(content).slice(begin, len(content) - begin - blank)
    try:
        table = csv.read_csv(below, lines, cells, types)
    except pa.ArrowInvalid:
        return None
    columns = [_texts(table.column(n)) for n in range(len(kinds))]
    del table
    pa.default_memory_pool().release_unused()  # which Arrow would keep for what comes next
    # Rows without anything have a blank in every column, and are left to the careful reader.
    return None if all(map(_has_blanks, columns)) else columns


def _has_blanks(column: Texts) -> bool:
    texts = column.array if isinstance(column, ArrowTexts) else pa.array(column.factorize()[1])
    return bool(pc.any(pc.equal(pc.utf8_trim_whitespace(texts), "")).as_py())


_LAST = 100  # letters at the end, among which there may be lines without anything
_BLOCK = 1 << 22  # bytes that are read together


def _texts(column: Any) -> Texts:
    if not pa.types.is_dictionary(column.type):
        return ArrowTexts(column)
    parts = column.unify_dictionaries().chunks
    codes = np.concatenate([part.indices.to_numpy() for part in parts], dtype=np.intp)
    return CodedTexts(codes, parts[0].dictionary.to_pylist())


# --- writing -------------------------------------------------------------------------------


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write Parquet."""
    frame.to_parquet(path, engine="pyarrow", index=False)
