"""Excel's workbooks (.xlsx): a table for every sheet that holds something."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

import openpyxl
from openpyxl.utils import range_boundaries
from openpyxl.worksheet._reader import (
    FORMULA_TAG,
    WorkSheetParser,
)

from palio.scores import limits
from palio.scores.columns import Context
from palio.scores.formats.content import check_archive
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable
from palio.words import listed, quoted

Sheet = dict[int, dict[int, Any]]
"""The cells that hold something, by row and column from 1 on: a sheet may be nearly empty."""

_SHARE = 5  # of the bytes that may be in a file: what is read takes far more room
_MAX_MERGED = 10_000  # areas that are filled


def read_excel(content: bytes, _name: str, part: str = "") -> list[TextTable]:
    """Read all sheets that hold something, or the one that is named."""
    with ZipFile(io.BytesIO(content)) as archive:
        check_archive(archive, share=_SHARE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of extensions that are not read, such as colours
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=True, read_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if part and part not in sheets:
            raise MalformedError(f"has no sheet {part!r}; its sheets are {quoted(sheets)}")
        found, failed = list[TextTable](), list[MalformedError]()
        for title in [part] if part else sheets:
            try:
                found += _tables(sheets[title])
            except MalformedError as error:
                failed.append(error)
    if not found:
        nothing = MalformedError("is empty", "Give a sheet with a header and rows")
        raise failed[0] if failed else nothing
    notes = tuple(f"another sheet {error.reason}." for error in failed)
    return [replace(table, notes=(*table.notes, *notes)) for table in found]


class _Parser(WorkSheetParser):  # type: ignore[misc]
    """Gives what is in the file: openpyxl's own iteration makes all cells in front of another."""

    def parse_cell(self, element: Any) -> Any:
        """Return a cell, unless it is a formula without a value."""
        cell = super().parse_cell(element)
        if cell["value"] is None and element.find(FORMULA_TAG) is not None:
            told = f"has a formula in {element.get('r')} whose value is not in the file"
            raise MalformedError(told, "Open it in Excel and save it, so that its values are")
        return cell


def _tables(sheet: Any) -> list[TextTable]:
    """Return the table of a sheet: the rows and columns that hold something."""
    book = sheet.parent
    cells: Sheet = {}
    with sheet._get_source() as source:
        dates = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
        parser = _Parser(source, sheet._shared_strings, book.data_only, book.epoch, **dates)
        for number, row in parser.parse():
            limits.check("rows", number)
            if filled := {c["column"]: c["value"] for c in row if c["value"] not in (None, "")}:
                cells.setdefault(number, {}).update(filled)
    n_cells = sum(map(len, cells.values()))
    limits.check("cells", n_cells)
    numbers = sorted(cells)
    columns = sorted({column for row in cells.values() for column in row})
    limits.check("columns", len(columns))
    limits.check_spanned(len(numbers) * len(columns), 10 * n_cells)
    areas = [each.ref for each in parser.merged_cells.mergeCell] if parser.merged_cells else []
    merged = [each for each in areas[:_MAX_MERGED] if _fill(each, cells, numbers, columns)]
    rows = [[str(cells[row].get(column, "")) for column in columns] for row in numbers]
    notes = (f"merged cells ({listed(merged, limit=3)}) hold the same.",) if merged else ()
    context = Context(heading=sheet.title)
    return [TextTable(rows, numbers, None, context, unit="sheet row", notes=notes)] if rows else []


def _fill(area: str, cells: Sheet, numbers: list[int], columns: list[int]) -> bool:
    """Write what merged cells hold into each of them, and return whether there are others."""
    left, top, right, bottom = range_boundaries(area)
    value = cells.get(top, {}).get(left)
    rows = [row for row in numbers if top <= row <= bottom]
    across = [column for column in columns if left <= column <= right]
    if value is None or len(rows) * len(across) < 2:
        return False
    for row in rows:
        cells[row].update(dict.fromkeys(across, value))
    return True
