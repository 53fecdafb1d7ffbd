"""Excel's workbooks (.xlsx): the sheet that holds a table."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from palio.errors import Option
from palio.scores import limits
from palio.scores.columns import Columns, Origin, named_columns
from palio.scores.formats.kinds import MalformedError
from palio.scores.formats.packing import check_archive
from palio.words import count, listed, one_line, quoted

Rows = list[list[Any]]

_SHARE = 5  # of the bytes that may be in a file: what is read takes far more room
_MERGED = re.compile(rb'<mergeCell\s[^>]*?ref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')


def read_excel(content: bytes, name: str, part: str = "") -> Columns:
    """Read the sheet that holds a table, or the one that is named."""
    merged = _looked_through(content)
    book = _opened(content)
    sheets = _sheets(book)
    filled = [title for title, rows in sheets.items() if rows]
    if part and part not in sheets:
        raise MalformedError(f"has no sheet {part!r}; its sheets are {quoted(sheets)}")
    if not part and len(filled) > 1:
        raise MalformedError(
            f"has something in {count(len(filled), 'sheet')}: {quoted(filled)}",
            f"Say which is meant: {Option('format', f'xlsx:{filled[0]}')}",
        )
    title = part or "".join(filled)
    rows = sheets.get(title)
    if not rows:
        raise MalformedError("is empty", "Give a sheet with a header and rows")
    first = _header_at(rows)
    notes = _filled_merged(merged.get(_place_of(book[title]), []), rows, first)
    if any(cell is None for row in rows[first:] for cell in row):
        _refuse_uncomputed(rows, _sheets(_opened(content, values=False))[title], first)
    return _table(rows, first, name, notes)


def _opened(content: bytes, *, values: bool = True) -> Any:
    """Open a workbook for the values that Excel computed, or for the formulas."""
    import warnings

    import openpyxl  # type: ignore[import-untyped]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of extensions that are not read, such as colours
            return openpyxl.load_workbook(io.BytesIO(content), data_only=values, read_only=True)
    except Exception as error:  # what is within is XML, and may be broken in any way
        raise MalformedError(f"is not an Excel workbook: {one_line(error)}") from error


def _looked_through(content: bytes) -> dict[str, list[str]]:
    """Refuse what unpacks to too much, and return which cells are merged in the file of a sheet."""
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(content)) as archive:
            check_archive(archive, _SHARE)
            sheets = [each for each in archive.namelist() if each.startswith("xl/worksheets/")]
            return {each: _merged(archive.read(each)) for each in sheets}
    except (BadZipFile, ValueError, OSError, EOFError, zlib.error) as error:
        raise MalformedError(f"is not an Excel workbook: {one_line(error)}") from error


def _merged(sheet: bytes) -> list[str]:
    """Return the areas of merged cells: openpyxl would make every cell of them, however many."""
    return [each.decode() for each in _MERGED.findall(sheet)]


def _sheets(book: Any) -> dict[str, Rows]:
    """Return the rows of each sheet, from 1 on, without the empty ones at its end."""
    found = {}
    try:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # which some tools write wrongly
            rows = _limited(sheet.iter_rows(values_only=True))
            while rows and not any(map(_is_there, rows[-1])):
                rows.pop()
            width = max(map(len, rows), default=0)
            found[sheet.title] = [row + [None] * (width - len(row)) for row in rows]
    except MalformedError:
        raise
    except Exception as error:  # what is within is XML, and may be broken in any way
        raise MalformedError(f"is not an Excel workbook: {one_line(error)}") from error
    return found


def _limited(rows: Iterable[Sequence[Any]]) -> Rows:
    """Return rows as lists: one cell far to the right makes a row of thousands."""
    found, cells = [], 0
    for row in rows:
        found.append(list(row))
        cells += len(row)
        limits.check("cells", cells)
    return found


def _is_there(cell: object) -> bool:
    return cell is not None and cell != ""


def _place_of(sheet: Any) -> str:
    return str(sheet._worksheet_path).removeprefix("/")


def _filled_merged(areas: list[str], rows: Rows, first: int) -> list[str]:
    """Write what merged cells hold into each of them, below the header."""
    from openpyxl.utils import range_boundaries  # type: ignore[import-untyped]

    merged = []
    for area in areas:
        left, above, right, below = range_boundaries(area)
        top, column = above - 1, left - 1
        if first < top < len(rows) and left == right and column < len(rows[top]):
            for row in rows[top:below]:
                row[column] = rows[top][column]
            merged.append(area)
    return [f"merged cells ({listed(merged, limit=3)}) hold the same."] if merged else []


def _header_at(rows: Rows) -> int:
    """Return the row of the header: the first with more than a title in it, if there is one."""
    filled = [sum(map(_is_there, row)) for row in rows]
    return next((n for n, cells in enumerate(filled) if cells > 1), filled.index(max(filled)))


def _table(rows: Rows, first: int, name: str, notes: Sequence[str]) -> Columns:
    import pandas as pd

    titles = [str(cell) for row in rows[:first] for cell in row if _is_there(cell)]
    if titles:
        notes = (f"above the header, and left out: {quoted(titles, limit=2)}.", *notes)
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


def _refuse_uncomputed(rows: Rows, formulas: Rows, first: int) -> None:
    """Refuse formulas whose values are not in the file: it was never open in Excel."""
    from openpyxl.utils import get_column_letter

    for n, (row, written) in enumerate(zip(rows, formulas, strict=False), start=1):
        for m, (value, formula) in enumerate(zip(row, written, strict=False), start=1):
            if n > first and value is None and str(formula or "").startswith("="):
                raise MalformedError(
                    f"has a formula in {get_column_letter(m)}{n} whose value is not in the file",
                    "Open it in Excel and save it, so that its values are",
                )
