"""Excel's workbooks (.xlsx): a table for every sheet that holds something."""

from __future__ import annotations

import io
import warnings
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
from palio.scores.formats import check_archive
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable
from palio.words import listed

Sheet = dict[int, dict[int, Any]]
"""The cells that hold something, by row and column from 1 on: a sheet may be nearly empty."""

_SHARE = 5  # of the bytes that may be in a file: what is read takes far more room
_MAX_MERGED = 10_000  # areas that are filled


def read_excel(content: bytes, _name: str) -> dict[str, TextTable | MalformedError]:
    """Read all sheets that hold something; a table, or why there is none, by the name of each."""
    with ZipFile(io.BytesIO(content)) as archive:
        check_archive(archive, share=_SHARE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of extensions that are not read, such as colours
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=True, read_only=True)
        found = dict[str, TextTable | MalformedError]()
        for sheet in book.worksheets:
            try:
                table = _table(sheet)
                found |= {sheet.title: table} if table.rows else {}
            except MalformedError as error:
                found[sheet.title] = error
    if not found:
        raise MalformedError("is empty", "Give a sheet with a header and rows")
    return found


class _Parser(WorkSheetParser):  # type: ignore[misc]
    """Gives what is in the file: openpyxl's own iteration makes all cells in front of another."""

    def parse_cell(self, element: Any) -> Any:
        """Return a cell, unless it is a formula without a value."""
        cell = super().parse_cell(element)
        if cell["value"] is None and element.find(FORMULA_TAG) is not None:
            told = f"has a formula in {element.get('r')} whose value is not in the file"
            raise MalformedError(told, "Open it in Excel and save it, so that its values are")
        return cell


def _table(sheet: Any) -> TextTable:
    """Return the rows and columns of a sheet that hold something."""
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
    return TextTable(rows, numbers, Context(heading=sheet.title), unit="sheet row", notes=notes)


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
