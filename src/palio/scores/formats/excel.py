"""Excel's workbooks (.xlsx): the sheet that holds a table."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from palio.errors import Option
from palio.scores.columns import Columns, Origin, named_columns
from palio.scores.formats import packing
from palio.scores.formats.kinds import MalformedError
from palio.words import count, listed, one_line, quoted

Rows = list[list[Any]]


def read_excel(content: bytes, name: str, part: str = "") -> Columns:
    """Read the sheet that holds a table, or the one that is named."""
    _refuse_large(content)
    book = _opened(content, values=True)
    sheets: dict[str, Rows] = {sheet.title: _cells(sheet) for sheet in book.worksheets}
    filled = [title for title, rows in sheets.items() if rows]
    if part and part not in sheets:
        raise MalformedError(f"has no sheet {part!r}; its sheets are {quoted(sheets)}")
    if not part and len(filled) > 1:
        raise MalformedError(
            f"has something in {count(len(filled), 'sheet')}: {quoted(filled)}",
            f"Say which is meant: {Option('format', f'xlsx:{filled[0]}')}",
        )
    if not part and not filled:
        raise MalformedError("is empty", "Give a sheet with a header and rows")
    title = part or filled[0]
    notes = _filled_merged(book[title], sheets[title])
    return _table(sheets[title], name, notes, _opened(content, values=False)[title])


def _opened(content: bytes, *, values: bool) -> Any:
    import warnings

    import openpyxl  # type: ignore[import-untyped]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions that are not read, such as colours
            return openpyxl.load_workbook(io.BytesIO(content), data_only=values)
    except Exception as error:  # what is within is XML, and may be broken in any way
        raise MalformedError(f"is not an Excel workbook: {one_line(error)}") from error


def _refuse_large(content: bytes) -> None:
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(content)) as archive:
            size = sum(each.file_size for each in archive.infolist())
    except (BadZipFile, ValueError, OSError) as error:
        raise MalformedError(f"is not an Excel workbook: {one_line(error)}") from error
    most = packing.MOST // 5  # what is read takes far more room than what is in the file
    if size > most:
        raise MalformedError(
            f"unpacks to more than {most / 1e9:g} GB, which is the limit", "Save the sheet as CSV"
        )


def _cells(sheet: Any) -> Rows:
    """Return the rows of a sheet, from 1 on, without the empty ones at its end."""
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    while rows and not any(map(_is_there, rows[-1])):
        rows.pop()
    return rows


def _is_there(cell: object) -> bool:
    return cell is not None and cell != ""


def _filled_merged(sheet: Any, rows: Rows) -> tuple[str, ...]:
    """Write the name of merged cells into each of them, below the header."""
    first = _header_at(rows)
    merged = []
    for area in sheet.merged_cells.ranges:
        if (
            area.min_row - 1 > first
            and area.min_row - 1 < len(rows)
            and area.min_col == area.max_col
        ):
            value = rows[area.min_row - 1][area.min_col - 1]
            for row in rows[area.min_row - 1 : area.max_row]:
                row[area.min_col - 1] = value
            merged.append(str(area))
    return (f"merged cells ({listed(merged, limit=3)}) hold the same.",) if merged else ()


def _header_at(rows: Rows) -> int:
    """Return the row of the header: the first with more than a title in it, if there is one."""
    filled = [sum(map(_is_there, row)) for row in rows]
    return next((n for n, cells in enumerate(filled) if cells > 1), filled.index(max(filled)))


def _table(rows: Rows, name: str, notes: Sequence[str], formulas: Any) -> Columns:
    import pandas as pd

    first = _header_at(rows)
    titles = [str(cell) for row in rows[:first] for cell in row if _is_there(cell)]
    if titles:
        notes = (f"above the header, and left out: {quoted(titles, limit=2)}.", *notes)
    _refuse_uncomputed(rows, first, formulas)
    places = [n for n in range(first + 1, len(rows)) if any(map(_is_there, rows[n]))]
    used = [n for n, cell in enumerate(rows[first]) if _is_there(cell) or _any(rows, places, n)]
    header = ["" if rows[first][n] is None else _text(rows[first][n]) for n in used]
    columns = [pd.Series([_value(rows[p][n]) for p in places], dtype=object) for n in used]
    plain: list[Any] = [column.infer_objects() for column in columns]
    origin = Origin(name, "sheet row", np.array(places, dtype=np.intp) + 1)
    told = tuple(f"{name}: {note}" for note in notes)
    return Columns(named_columns(header, plain, name), origin, told)


def _any(rows: Rows, places: Sequence[int], column: int) -> bool:
    return any(_is_there(rows[place][column]) for place in places)


def _value(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, int | float) else _text(cell)


def _text(cell: Any) -> str:
    return str(cell)


def _refuse_uncomputed(rows: Rows, first: int, formulas: Any) -> None:
    """Refuse formulas whose values are not in the file: it was never open in Excel."""
    empty = next(_uncomputed(rows, first, formulas), None)
    if empty is not None:
        raise MalformedError(
            f"has a formula in {empty} whose value is not in the file",
            "Open it in Excel and save it, so that its values are",
        )


def _uncomputed(rows: Rows, first: int, formulas: Any) -> Iterator[str]:
    for row, cells in zip(rows[first:], formulas.iter_rows(min_row=first + 1), strict=False):
        for value, cell in zip(row, cells, strict=False):
            if value is None and cell.data_type == "f":
                yield str(cell.coordinate)
