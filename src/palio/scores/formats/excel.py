"""Excel's workbooks (.xlsx): a table for every sheet that holds something."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

import openpyxl  # type: ignore[import-untyped]
from openpyxl.utils import range_boundaries  # type: ignore[import-untyped]
from openpyxl.worksheet._reader import WorkSheetParser  # type: ignore[import-untyped]

from palio.scores import limits
from palio.scores.columns import Context
from palio.scores.formats.packing import check_archive
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable
from palio.words import listed, quoted

Sheet = dict[int, dict[int, Any]]
"""The cells that hold something, by row and column from 1 on: a sheet may be nearly empty."""

_SHARE = 5  # of the bytes that may be in a file: what is read takes far more room
_MERGED = re.compile(rb'<mergeCell\s[^>]*?ref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')
_MAX_MERGED = 10_000  # areas that are filled
# A formula without a value: the file was never open in Excel.
_UNCOMPUTED = re.compile(
    rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3}[0-9]{1,7})"[^>]*>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*'
    rb"</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)


def read_excel(content: bytes, _name: str, part: str = "") -> list[TextTable]:
    """Read all sheets that hold something, or the one that is named."""
    with ZipFile(io.BytesIO(content)) as archive, warnings.catch_warnings():
        check_archive(archive, share=_SHARE)
        warnings.simplefilter("ignore")  # of extensions that are not read, such as colours
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=True, read_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if part and part not in sheets:
            raise MalformedError(f"has no sheet {part!r}; its sheets are {quoted(sheets)}")
        found, failed = list[TextTable](), list[MalformedError]()
        for title in [part] if part else sheets:
            written = archive.read(str(sheets[title]._worksheet_path).removeprefix("/"))
            try:
                found += _table(title, _cells(sheets[title]), written)
            except MalformedError as error:
                failed.append(error)
    if not found:
        nothing = MalformedError("is empty", "Give a sheet with a header and rows")
        raise failed[0] if failed else nothing
    notes = tuple(f"another sheet {error.reason}." for error in failed)
    return [replace(table, notes=(*table.notes, *notes)) for table in found]


def _cells(sheet: Any) -> Sheet:
    """Return the cells that hold something.

    openpyxl's own iteration makes all rows and cells in front of one that is far away, so that
    its parser is asked, which gives what is in the file.
    """
    book = sheet.parent
    found: Sheet = {}
    n_cells = 0
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,
            data_only=book.data_only,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for number, row in parser.parse():
            limits.check("rows", number)
            cells = {c["column"]: c["value"] for c in row if c["value"] not in (None, "")}
            if cells:
                found.setdefault(number, {}).update(cells)
                n_cells += len(cells)
                limits.check("cells", n_cells)
    return found


def _table(title: str, cells: Sheet, written: bytes) -> list[TextTable]:
    """Return the rows and columns that hold something; the others are not made."""
    if not cells:
        return []
    if uncomputed := _UNCOMPUTED.search(written):
        told = f"has a formula in {uncomputed[1].decode()} whose value is not in the file"
        raise MalformedError(told, "Open it in Excel and save it, so that its values are")
    numbers = sorted(cells)
    columns = sorted({column for row in cells.values() for column in row})
    limits.check("columns", len(columns))
    limits.check_spanned(len(numbers) * len(columns), 10 * sum(map(len, cells.values())))
    # openpyxl would make every cell of merged areas, however many.
    areas = [each.decode() for each in _MERGED.findall(written)[:_MAX_MERGED]]
    merged = [area for area in areas if _fill(area, cells, numbers, columns)]
    rows = [[str(cells[row].get(column, "")) for column in columns] for row in numbers]
    notes = (f"merged cells ({listed(merged, limit=3)}) hold the same.",) if merged else ()
    return [TextTable(rows, numbers, None, Context(heading=title), unit="sheet row", notes=notes)]


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
