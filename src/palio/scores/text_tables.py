"""Tables as documents show them: rows of text, of which some are header, titles or footnotes.

Every format of text makes a `TextTable`; `columns_of` finds out which rows are what. What it leaves
out it says in a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from palio.measures import find_measures
from palio.scores import limits
from palio.scores.columns import Columns, Context, Origin, Texts, named_columns
from palio.scores.limits import MalformedError
from palio.scores.values import MISSING, REASONS
from palio.words import listed, quoted

Rows = Sequence[Sequence[str]]

MAX_TEXT = 1000  # letters of the text around a table that are kept
_MAX_HEADER_ROWS = 3
_SAMPLE = 200  # rows that tell which columns hold numbers
_MAX_NUMBER = 100  # letters; what is longer is a sentence
_UNIT = (
    r"(?:%|[µmun]?s|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|[hdx×]|[kKMGTB]|[dKMGT]i?B|[kMG]?Hz|pp)"
)
# 0.27 (±0.0004) (+1.20%), 130.094 s, 1,700,000, -0.4 ± 0.1: nothing but a unit is in letters.
_NUMBER = re.compile(
    rf"[^\w]{{0,6}}\d[\d.,'\s]{{0,30}}(?:[eE][+-]?\d{{1,4}})?\s?{_UNIT}?[^A-Za-z]{{0,80}}"
)
_LEADING = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_RULE = re.compile(r"[-=_.:…]{2,200}|…")
_MISSING = {*MISSING, *REASONS, "-", "--", "—", "–"} - {""}


@dataclass(frozen=True, slots=True, eq=False)
class TextTable:
    """A table as a document shows it: rows of text as wide as each other, and what is around it.

    A cell that the format says to span others is repeated in all of them.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells.
    lines : sequence of int
        The line, or row of a sheet, of each row.
    context : Context
        The words around the table.
    unit : str
        What ``lines`` count.
    notes : tuple of str
        What the format has to say of the table.
    """

    rows: Rows
    lines: Sequence[int]
    context: Context = Context()  # noqa: RUF009  # frozen
    unit: str = "line"
    notes: tuple[str, ...] = ()


class Cell(NamedTuple):
    """A cell, and how many columns and rows it spans."""

    text: str
    n_columns: int = 1
    n_rows: int = 1


Cells = Sequence[Sequence[str | Cell]]


def spread(rows: Cells, size: int, *, is_skipped: bool = True) -> list[list[str]]:
    """Repeat what spans several columns or rows in each of them, and fill up short rows.

    Places that are taken by a cell further up are skipped, as in HTML, or else have blank cells
    of their own, as in LaTeX. ``size`` is the length of the document: cells are counted before
    they are made.

    >>> spread([[Cell("a", 1, 2), Cell("b", 2)], ["c", "d"], ["e"]], 99)
    [['a', 'b', 'b'], ['a', 'c', 'd'], ['e', '', '']]
    """
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    spans = ((n, cell) for n, row in enumerate(cells) for cell in row)
    limits.check_spanned(sum(min(c.n_rows, len(rows) - n) * c.n_columns for n, c in spans), size)
    filled: list[dict[int, str]] = [{} for _ in rows]
    for n, row in enumerate(cells):
        column = 0
        for text, n_columns, n_rows in row:
            while is_skipped and column in filled[n]:
                column += 1
            shown = text or filled[n].get(column, "")
            for each in filled[n : n + n_rows]:
                each.update(dict.fromkeys(range(column, column + n_columns), shown))
            column += n_columns
    width = 1 + max((place for row in filled for place in row), default=-1)
    limits.check_spanned(len(filled) * width, size)
    return [[row.get(place, "") for place in range(width)] for row in filled]


def is_number(cell: str) -> bool:
    """Return whether a cell shows a number, be it with a unit, a spread or marks.

    >>> [is_number(cell) for cell in ("0.27 (±0.0004)", "131.5 s", "108M", "5nn", "-", "")]
    [True, True, True, False, False, False]
    """
    return len(cell) <= _MAX_NUMBER and _NUMBER.fullmatch(cell) is not None


def columns_of(table: TextTable, name: str) -> Columns:
    """Find header and body of a table.

    >>> shown = [["Accuracy", "", ""], ["", "knn", "svm"], ["Dataset", "", ""], ["iris", "1", "2"]]
    >>> found = columns_of(TextTable(shown, [1, 2, 3, 4]), "t.csv")
    >>> found.names, found.context.caption, found.origin.numbers.tolist()
    (('Dataset', 'knn', 'svm'), 'Accuracy', [4])
    """
    rows, places, columns = _without_blanks(table)
    limits.check("columns", len(columns))
    notes = list(table.notes)
    titles = _count_titles(rows)
    first = titles + _count_header_rows(rows[titles:], notes)
    header, body, places = rows[titles:first], rows[first:], places[first:]
    names, shared = _header_names(header)
    _check_side_by_side(names, body)
    names = _unique(names, notes) or [f"column {place + 1}" for place in columns]
    captions = [*(_single(row) for row in rows[:titles]), *shared]
    if captions:
        notes.append(f"above the header, and taken as its title: {quoted(captions, limit=2)}.")
    kinds, groups = _kinds(body, header, captions[-1] if captions else "")
    rows_of = {each: [n for n, kind in enumerate(kinds) if kind == each] for each in _KINDS}
    lines = np.array([table.lines[place] for place in places], dtype=np.intp)
    kept = rows_of.pop("result")
    notes += [
        f"{table.unit}s {listed(lines[found])} {_KINDS[kind]}."
        for kind, found in rows_of.items()
        if found
    ]
    cells = [[body[row][place] for row in kept] for place in range(len(names))]
    groups = [groups[row] for row in kept]
    if rows_of["heading"] and _repeats(groups, cells[0]):
        names, cells = [_free("group", names), *names], [groups, *cells]
    caption = " ".join(filter(None, [table.context.caption, *captions]))
    footnotes = [_single(body[row]) for row in rows_of["footnote"]]
    text = " ".join(filter(None, [table.context.text, *footnotes]))
    return Columns(
        named_columns(names, [Texts(column) for column in cells], name),
        Origin(name, table.unit, lines[kept]),
        tuple(f"{name}: {note}" for note in notes),
        context=replace(table.context, caption=caption[:MAX_TEXT], text=text[:MAX_TEXT]),
    )


def _check_side_by_side(names: Sequence[str], rows: Rows) -> None:
    """Refuse tables side by side: a later column has the first heading, and other names.

    Next to the first, a column of the same heading is the second half of a name.
    """
    plain = [name.rpartition(" / ")[2] for name in names]
    for n in range(2, len(plain) if any(plain[:1]) else 0):
        pairs = [(row[0], row[n]) for row in rows if plain[n] == plain[0]]
        n_numbers = sum(is_number(other) for _, other in pairs)
        if 2 * n_numbers < len(pairs) and any(first != other for first, other in pairs):
            reason = f"holds tables side by side, with other names in column {n + 1}"
            raise MalformedError(reason, "Put them into files of their own")


def _without_blanks(table: TextTable) -> tuple[list[list[str]], list[int], list[int]]:
    """Return the rows and columns that hold something, and which these are."""
    stripped = [[cell.strip() for cell in row] for row in table.rows]
    places = [place for place, row in enumerate(stripped) if any(row)]
    width = len(stripped[0]) if stripped else 0
    columns = [c for c in range(width) if any(stripped[place][c] for place in places)]
    return [[stripped[place][c] for c in columns] for place in places], places, columns


def _single(row: Sequence[str]) -> str:
    """Return what a row says that has one cell, or one that spans all: a title or a heading."""
    filled = [cell for cell in row if cell]
    spans = len(set(filled)) == 1 and len(filled) > max(2, len(row) / 2) and row[0] != ""
    return filled[0] if (len(filled) == 1 or spans) and not is_number(filled[0]) else ""


# --- header ----------------------------------------------------------------------------------


def _count_titles(rows: Rows) -> int:
    """Return how many rows above the header hold a title only."""
    found = 0
    while found < len(rows) - 2 and len(rows[found]) > 1 and _single(rows[found]):
        # "" acc over model "" is a header of pandas, the name of the rows below that of columns.
        if not rows[found][0] and _fits_below([rows[found]], rows[found + 1]):
            break
        found += 1
    return found


def _fits_below(header: Rows, row: Sequence[str]) -> bool:
    """Return whether the cells of a row are all below blank ones."""
    return any(row) and not any(
        cell and any(above[place] for above in header) for place, cell in enumerate(row)
    )


def _count_header_rows(rows: Rows, notes: list[str]) -> int:
    """Return how many rows are header: the first may be one though it holds numbers."""
    if not rows:
        return 0
    numeric = _numeric_columns(rows[1:])
    if _holds_numbers(rows[0], numeric):
        if not _is_numbered(rows, numeric):
            notes.append("has no header: its columns are called column 1, column 2, ….")
            return 0
        notes.append("the numbers in its first row were taken as names of columns.")
    size = 1
    while size < min(_MAX_HEADER_ROWS, len(rows) - 1) and _goes_on(rows, size, numeric):
        size += 1
    return size


def _numeric_columns(rows: Rows) -> list[int]:
    """Return the columns in which most cells are numbers."""
    found = []
    for place, cells in enumerate(zip(*rows[:_SAMPLE], strict=True)):
        filled = [cell for cell in cells if cell.lower() not in {*_MISSING, ""}]
        if filled and 2 * sum(map(is_number, filled)) >= len(filled):
            found.append(place)
    return found


def _holds_numbers(row: Sequence[str], numeric: Sequence[int]) -> bool:
    """Return whether a row holds numbers where those below do."""
    return bool(numeric) and 2 * sum(is_number(row[place]) for place in numeric) >= len(numeric)


def _is_numbered(rows: Rows, numeric: Sequence[int]) -> bool:
    """Return whether numbers in the first row name columns: they count, and those below do not."""
    corner, *counted = rows[0]
    if len(counted) > 1 and not is_number(corner) and counts(counted):
        return not any(counts(row[1:]) for row in rows[1:_SAMPLE])
    ascend, *below = (_ascends([row[place] for place in numeric]) for row in rows[:_SAMPLE])
    if len(numeric) > 1:
        return ascend and (not any(below) or not rows[0][0])
    return not rows[0][0] and "." not in rows[0][numeric[0]]


def counts(cells: Sequence[str]) -> bool:
    """Return whether cells are 0, 1, 2, … or 1, 2, 3, …."""
    return any(list(cells) == [str(n + first) for n in range(len(cells))] for first in (0, 1))


def _ascends(cells: Sequence[str]) -> bool:
    """Return whether cells are ascending numbers, whole or percentages: 0, 1, 2 or 10%, 20%."""
    found = [_LEADING.match(cell) for cell in cells if cell]
    if None in found or any("." in each[0] for each in found if each):
        return False
    numbers = [float(each[0]) for each in found if each]
    return all(a < b for a, b in pairwise(numbers))


def _goes_on(rows: Rows, size: int, numeric: Sequence[int]) -> bool:
    """Return whether the header of so many rows has one more."""
    header, row = rows[:size], rows[size]
    if any(cell.lower() in _MISSING and not find_measures(cell) for cell in row if cell):
        return False  # but for memory, which is a measure as well
    upper = [cell for cell in header[-1] if cell]
    # Names that come again, 1 to 5 times each, are told apart by the numbers below them.
    repeats = len(set(upper)) < len(upper) and not (row[0] or header[-1][0])
    if any(is_number(row[place]) for place in numeric) and not (repeats and _ascends(row[1:3])):
        return False
    if _fits_below(header, row):
        # A heading among rows looks the same, but comes again.
        return not any(_single(other) and other[0] for other in rows[size + 1 : -1])
    names = [name for name in _header_names([*header, row])[0] if name]
    tells_apart = len(set(upper)) < len(upper) and not any(is_number(cell) for cell in row)
    corners = {each[0] for each in (*header, row) if each[0]}
    if not numeric or (len(corners) > 1 and not tells_apart):
        return False
    if sum(map(bool, row)) < 2 or _single(row):
        return False
    has_more = size + 1 < min(_MAX_HEADER_ROWS, len(rows) - 1)  # which may tell the rest apart
    return len(set(names)) == len(names) or (has_more and _goes_on(rows, size + 1, numeric))


def _header_names(header: Rows) -> tuple[list[str], list[str]]:
    """Return a name for each column, and what stands above all of them.

    >>> _header_names([["", "iris", "", "wine", ""], ["model", "acc", "f1", "acc", "f1"]])
    (['model', 'iris / acc', 'iris / f1', 'wine / acc', 'wine / f1'], [])
    >>> _header_names([["model", "error", "error"], ["model", "iris", "wine"]])
    (['model', 'iris', 'wine'], ['error'])

    A last row of one cell, as pandas writes it, is the name of the rows:

    >>> _header_names([["model", "knn", "svm"], ["dataset", "", ""]])
    (['dataset', 'knn', 'svm'], [])
    """
    if not header:
        return [], []
    *above, row = header
    if above and row[0] and not any(row[1:]):
        names, shared = _header_names(above)
        return [row[0], *names[1:]], shared
    names, shared = list(row), list[str]()
    for cells in reversed(above):
        upper = _spread(cells, names)
        if len(upper) > 2 and upper[1] and len(set(upper[1:])) == 1 and len(set(names)) > 1:
            shared.insert(0, upper[1])
            upper = ["" if names[0] else upper[0], *[""] * (len(upper) - 1)]
        pairs = zip(upper, names, strict=True)
        names = [" / ".join(dict.fromkeys(filter(None, pair))) for pair in pairs]
    return names, shared


def _spread(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Fill the blanks behind a cell if all below them have different names."""
    found = list(upper)
    filled = [place for place, cell in enumerate(upper) if cell]
    for begin, end in zip(filled, [*filled[1:], len(upper)], strict=True):
        under = lower[begin:end]
        if all(under) and len(set(under)) == len(under):
            found[begin:end] = [upper[begin]] * (end - begin)
    return found


def _unique(names: Sequence[str], notes: list[str]) -> list[str]:
    """Return names that differ; the first column may have none.

    >>> _unique(["", "acc", "acc", ""], [])
    ['', 'acc', 'acc (2)', 'column 4']
    """
    named = [name or (f"column {n}" if n > 1 else "") for n, name in enumerate(names, start=1)]
    seen, found = Counter[str](), list[str]()
    for name in named:
        seen[name] += 1
        found.append(name if seen[name] == 1 else _free(f"{name} ({seen[name]})", [*named, *found]))
    if twice := [new for new, old in zip(found, named, strict=True) if new != old]:
        notes.append(f"columns of the same name are told apart: {quoted(twice)}.")
    return found


def _free(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else _free(f"{name}'", taken)


# --- body ------------------------------------------------------------------------------------


_KINDS = {
    "result": "are results",
    "heading": "hold one cell, and were taken as headings",
    "header": "repeat the header, and were left out",
    "rule": "hold dashes or dots only, and were left out",
    "footnote": "hold one cell below the table, and were taken as footnotes",
}


def _kinds(rows: Rows, header: Rows, title: str) -> tuple[list[str], list[str]]:
    """Return which of `_KINDS` each row below the header is, and the heading above it.

    Where the header is repeated, perhaps without its last cells, tables stand below each other, and
    the title is the heading of the first.
    """
    again = [any(_repeats_header(row, each) for each in header) for row in rows]
    kinds, headings, heading = list[str](), list[str](), title if any(again) else ""
    for row, repeats_header in zip(rows, again, strict=True):
        # Of two cells, the second may be missing.
        single = _single(row) if len(row) > 2 else ""
        if all(_RULE.fullmatch(cell) for cell in row if cell):
            kinds.append("rule")
        else:
            kinds.append("heading" if single else "header" if repeats_header else "result")
            heading = single or heading
        headings.append(heading)
    for n in takewhile(lambda n: kinds[n] in ("heading", "rule"), reversed(range(len(kinds)))):
        kinds[n] = "footnote" if kinds[n] == "heading" else "rule"
    return kinds, headings


def _repeats_header(row: Sequence[str], header: Sequence[str]) -> bool:
    """Return whether a row is the header again, of two cells at least.

    >>> header = ["model", "acc", "note"]
    >>> _repeats_header(["model", "acc", ""], header), _repeats_header(["model", "", ""], header)
    (True, False)
    """
    if row[0] != header[0]:
        return False
    same = all(a in ("", b) for a, b in zip(row, header, strict=True))
    return list(row) == list(header) or (same and sum(map(bool, row)) > 1)


def _repeats(groups: Sequence[str], firsts: Sequence[str]) -> bool:
    """Return whether the same names stand below several headings, which then tell them apart.

    >>> _repeats(["A", "B"], ["knn", "knn"]), _repeats(["A", "A"], ["knn", "knn"])
    (True, False)
    """
    return len(set(firsts)) < len(set(zip(groups, firsts, strict=True))) == len(firsts)
