"""Files of text with a row per line: separators, quotation marks, and what tools put in front."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palio.scores import limits
from palio.scores.columns import Columns, Context, Origin, Texts, named_columns
from palio.scores.formats.markup import plain_text, read_markup, table_kind
from palio.scores.limits import MalformedError
from palio.scores.text_tables import MAX_TEXT, TextTable, counts, is_number
from palio.words import count, listed, one_line

if TYPE_CHECKING:
    import pandas as pd

    from palio.types import IntArray

_BLANK = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))*")
_SAID = re.compile(r"sep=([,;|\t])[ \t]*(?:\r\n|\n|\r)", re.IGNORECASE)  # by Excel
_COMMENTS = re.compile(r"(?:#[^\r\n]*(?:\r\n|\n|\r)|[ \t]*(?:\r\n|\n|\r))*")
_LOOKED_AT = 50  # lines
_BEGIN = 1 << 20  # letters, among which a header is
_LINE_END = re.compile(r"\r\n|\n|\r")
_SAMPLED = 1000  # lines of a large file that tell which columns repeat their texts


def read_separated(text: str, name: str) -> Columns | list[TextTable | MalformedError]:
    """Read text with a header and rows, or a table that is drawn in it."""
    if table_kind(text[:_BEGIN]):
        return read_markup(text, name)
    if records := _records(text):
        return records
    notes = list[str]()
    text, first, said = _from_header(text, notes)
    try:
        separator = said or _separator(text)
        if separator not in text and (between := _tables_between_words(text, first, notes)):
            return between
        if separator == " ":
            text = "\n".join(" ".join(line.split()) for line in _LINE_END.split(text))
        end = _LINE_END.search(text)
        limits.check("columns", text.count(separator, 0, end.start() if end else None) + 1)
        limits.check_text(text, separator)
        rows = _rows(text, separator, first)
        limits.check_spanned(len(rows) * len(rows[0]), len(text))
        rows = _of_one_width(rows, first, notes)
    except csv.Error as error:
        if between := _tables_between_words(text, first, notes):
            return between
        told = f"is not a table: {one_line(error).rstrip('.')}"
        remedy = "Every line needs as many columns as the header; quote names that hold a separator"
        raise MalformedError(told, remedy) from error
    if may_be_guarded(text):
        rows = [[unguarded(cell) for cell in row] for row in rows]
    if "`" in text or "**" in text:  # reStructuredText or Markdown in cells
        rows = [[plain_text(cell) for cell in row] for row in rows]
    if "**" in text or not _is_regular(rows):
        return [TextTable(rows, range(first, first + len(rows)), notes=tuple(notes))]
    # Everything is read as text: names such as NA and 007 are names, and the numbers are converted
    # where it is known which columns hold them.
    header, *rows = rows
    filled = [any(map(str.strip, row)) for row in rows]
    rows = list(itertools.compress(rows, filled))
    # Column by column: zip(*rows) would hold an iterator for every row.
    columns = [Texts(list(map(itemgetter(place), rows))) for place in range(len(header))]
    return _columns_of(header, columns, np.flatnonzero(filled) + first + 1, name, notes)


def _columns_of(
    header: Sequence[str], columns: Sequence[Texts], lines: IntArray, name: str, notes: list[str]
) -> Columns:
    told = tuple(f"{name}: {note}" for note in notes)
    return Columns(named_columns(header, columns, name), Origin(name, "line", lines), told)


def read_large(content: bytes, name: str) -> Columns | None:
    """Read a large file by Arrow, where that is installed; nothing if the file is not regular.

    The careful reader takes ten times as long, and gives the same.
    """
    if find_spec("pyarrow") is None or b"`" in content or b"**" in content:
        return None
    if b"'" in content and may_be_guarded(content.decode()):
        return None
    notes, begin = list[str](), content[: 2 * _BEGIN].decode(errors="ignore")
    text, first, said = _from_header(begin, notes)
    separator = said or _separator(text)
    header, *rows = csv.reader(_lines(text, _SAMPLED), delimiter=separator)
    width, is_drawn = len(header), bool(table_kind(begin)) or separator == " "
    if is_drawn or width < 2 or {width} != set(map(len, rows)) or not _is_regular([header, *rows]):
        return None
    n_rows = max(content.count(b"\n"), content.count(b"\r")) - 1  # below the header
    if n_rows > limits.now().rows or n_rows * width > limits.now().cells:  # the other will tell
        return None
    from palio.scores.formats.arrow import text_columns

    few = [2 * len(set(cells)) <= len(rows) for cells in zip(*rows, strict=True)]
    in_front = len(begin[: len(begin) - len(text)].encode())
    columns = text_columns(content, in_front, separator, few)
    if columns is None:
        return None
    lines = np.arange(first + 1, first + 1 + len(columns[0]))
    return _columns_of(header, columns, lines, name, notes)


def _lines(text: str, most: int = _LOOKED_AT) -> list[str]:
    """Return the first lines of a text, which may be long."""
    lines = _LINE_END.split(text[:_BEGIN], maxsplit=most)
    # The last is what comes behind them, or may be cut.
    return lines[:most] if len(text) <= _BEGIN or len(lines) == 1 else lines[:-1]


def _is_regular(rows: list[list[str]]) -> bool:
    """Return whether the first row is plainly a header, and the only one.

    It names all columns but perhaps the first, each once and not by a number; and the second row
    holds more than one cell, and a number if any of the next ones does.
    """
    header = [cell.strip() for cell in rows[0]]
    if not all(header[1:]) or len(set(header)) < len(header) or any(map(is_number, header)):
        return False
    below = [row for row in rows[1:_LOOKED_AT] if any(map(str.strip, row))]
    if len(header) < 2 or len(below) < 2 or (header[0] and below[0][0].strip()):
        return True
    return any(is_number(cell.strip()) for cell in below[0][1:])


# --- pairs: knn: accuracy=0.9, F1=0.8 ---------------------------------------------------------

_PAIR = re.compile(r"(?P<key>[^\s=:,;|][^=:,;|]{0,60}?)\s?[=:]\s?(?P<value>[^\s=:,;|][^=:,;|]*)")
_BETWEEN = re.compile("[,;|]")
_SPACES = re.compile(r"\s(?=[^\s=]{1,60}=)")


def _pairs(line: str) -> tuple[str, list[re.Match[str] | None]]:
    """Return the name in front of the pairs in a line, and the pairs.

    >>> name, pairs = _pairs("Random forest: accuracy=0.9, F1 score=0.8")
    >>> name, [(pair["key"], pair["value"]) for pair in pairs]
    ('Random forest', [('accuracy', '0.9'), ('F1 score', '0.8')])
    """
    name, _, rest = line.partition(": ")
    if not re.search("[:=]", rest):
        name, rest = "", line
    parts = (_BETWEEN if _BETWEEN.search(rest) else _SPACES).split(rest)
    parts = [part.strip() for part in parts if part.strip()]
    if name and parts and not _PAIR.fullmatch(parts[0]):
        name, parts[0] = "", f"{name}: {parts[0]}"
    if not name and parts and not _PAIR.fullmatch(parts[0]):
        name = parts.pop(0)
    return name.strip(" :-*#"), [_PAIR.fullmatch(part) for part in parts]


def _records(text: str) -> list[TextTable | MalformedError]:
    """Read pairs of a name and a value, a record in each line or below a line of words.

    There is no table where a line holds anything else, or records do not have the same names.
    """
    found, lines = list[dict[str, str]](), list[int]()
    for n, line in enumerate(_LINE_END.split(text), start=1):
        if _NO_ROW.fullmatch(line):
            continue
        name, pairs = _pairs(line.strip())
        record = {pair["key"]: pair["value"] for pair in pairs if pair}
        if len(record) < len(pairs):
            return []
        if found and name and len(found[-1]) == 1:  # a title above a name
            del found[-1], lines[-1]
        if name or not found or {*record} & {*found[-1]}:
            found.append({"": name})
            lines.append(n)
        found[-1] |= record
    names = next(map(tuple, found), ())
    are_alike = len(found) > 1 and {*map(tuple, found)} == {names} and len(names) > 1
    if not are_alike or not any(map(is_number, found[0].values())):
        return []
    limits.check_spanned(len(found) * len(names), len(text))
    return [TextTable([names, *([*each.values()] for each in found)], [1, *lines])]


# --- in front of the header ----------------------------------------------------------------


def _from_header(text: str, notes: list[str]) -> tuple[str, int, str]:
    """Return the text from its header on, the line where that is, and the separator if it says it.

    Lines beginning with # are in front of it, unless the last of them has as many columns as the
    line below: then it is the header.
    """
    begin, separator = _end(_BLANK, text), ""
    if said := _SAID.match(text, begin):
        separator, begin = said[1], _end(_BLANK, text, said.end())
    after = _end(_COMMENTS, text, begin)
    if after > begin and text[after:].strip():
        comments = text[begin:after].strip().splitlines()
        mark = separator or _separator(text[after:])
        below = csv.reader([comments[-1], _lines(text[after:], 1)[0]], delimiter=mark)
        if len(set(map(len, below))) == 2:
            notes.append(f"{count(len(comments), 'line')} in front, beginning with #, left out.")
            begin = after
    return text[begin:], len(_LINE_END.findall(text[:begin])) + 1, separator


def _end(pattern: re.Pattern[str], text: str, begin: int = 0) -> int:
    """Return where a pattern ends that matches any text."""
    return pattern.match(text, begin).end()  # type: ignore[union-attr]


def _separator(text: str) -> str:
    """Return what separates the cells of the header.

    Where the first line has none, it may be a title, and the lines below tell.
    """
    lines = _lines(text)
    for some in (lines[:1], [line for line in lines if line.strip()]):
        for mark in filter("".join(some).__contains__, "\t,;|"):
            widths = [len(row) for row in csv.reader(some, delimiter=mark)]
            if 2 * sum(width > 1 for width in widths) > len(some):
                return mark
        if _is_spaced(text):
            return " "
    return "\t"


def _is_spaced(text: str) -> bool:
    """Return whether every line has as many words, and not one."""
    widths = {len(words) for line in _lines(text) if (words := line.split())}
    return len(widths) == 1 and widths != {1}


# --- rows ----------------------------------------------------------------------------------


def _rows(text: str, separator: str, first_line: int) -> list[list[str]]:
    end = "\0end"  # a quotation mark that is never closed swallows it
    lines = itertools.chain(io.StringIO(text, newline=""), [end])
    rows = list(csv.reader(lines, delimiter=separator))
    if rows.pop() != [end]:
        raise csv.Error(f"a quotation mark opened in line {len(rows) + first_line} is never closed")
    return rows


def _of_one_width(rows: list[list[str]], first_line: int, notes: list[str]) -> list[list[str]]:
    """Return rows as long as the first: short ones are filled up, and told; long ones refused."""
    width = len(rows[0])
    if set(map(len, rows)) == {width}:
        return rows
    firsts = [row[0] for row in rows[1:] if len(row) == width + 1 and row[-1]]
    if len({*firsts}) == len(firsts) == sum(map(bool, rows)) - 1 > 1:  # R names rows so
        notes.append("the first column has no name, for the header has one cell less.")
        rows, width = [["", *rows[0]], *rows[1:]], width + 1
    filled = [each for each in enumerate(rows, start=first_line) if any(map(str.strip, each[1]))]
    for line, row in filled:
        if any(row[width:]):
            raise csv.Error(f"Expected {width} fields in line {line}, saw {len(row)}")
    if short := [line for line, row in filled if len(row) < width]:
        told = (
            f"lines {listed(short, limit=3)} have fewer fields than the header, which has {width}"
        )
        if len(short) == len(filled) - 1:  # they are no rows below it
            raise csv.Error(told)
        notes.append(f"{told}: the last cells are taken as empty.")
    return [row[:width] + [""] * (width - len(row)) for row in rows]


# --- aligned by spaces, as DataFrame.to_string() prints a frame --------------------------------

# Names may hold single spaces; one is between two numbers.
_WORDS = re.compile(r"\S+(?:(?! -[\d.]|(?<=\d) (?:[\d.]|NaN\b)|(?<=NaN) ) \S+)*")
_NO_ROW = re.compile(r"\s*\[\d+ rows x \d+ columns\]\s*|[-=_*#~+\s]*")
_MIN_LINES = 3  # of a table between words


def _aligned_rows(lines: Sequence[str], *, is_strict: bool = True) -> list[list[str]]:
    """Return the cells of lines; the header may stand otherwise than what is below it."""
    n_above = 0 if is_strict else 1
    lines = _without_counts(lines)
    columns = _aligned_columns(lines[n_above:])
    limits.check_spanned(len(lines) * len(columns), sum(map(len, lines)) + len(lines))
    if not columns:
        return []
    places = [(a, b) for (a, _), (b, _) in pairwise([*columns, (None, None)])]
    rows = [[line[a:b].strip() for a, b in places] for line in lines]
    if n_above:  # each word is above the nearest column
        rows[0] = ["" for _ in columns]
        for word in re.finditer(r"\S+", lines[0]):
            apart = [max(a - word.end(), word.start() - b) for a, b in columns]
            place = apart.index(min(apart))
            rows[0][place] = f"{rows[0][place]} {word[0]}".strip(": ")
    return rows


def _without_counts(lines: Sequence[str]) -> Sequence[str]:
    """Return lines without the numbers of rows, which may touch names that end at one place.

    >>> _without_counts(["   Model Acc", "1 My kNN 0.9", "2    SVM 0.8"])
    ['   Model Acc', '  My kNN 0.9', '     SVM 0.8']
    """
    numbers = [re.split(r"(?<=\d) ", line, maxsplit=1)[0] for line in lines[1:]]
    width = max(map(len, numbers), default=0)
    if lines[0][:width].strip() or not counts([each.strip() for each in numbers]):
        return lines
    return [re.sub(r"\d", " ", line[:width]) + line[width:] for line in lines]


def _tables_between_words(
    text: str, first_line: int, notes: Sequence[str]
) -> list[TextTable | MalformedError]:
    """Read the tables that stand between words and rules; lines above one say what it is of."""
    limits.check_text(text, " ")
    numbered = [(n, line.rstrip()) for n, line in enumerate(text.splitlines(), start=first_line)]
    found, above, beside = list[TextTable](), [""], list[int]()
    for is_filled, block in itertools.groupby(numbered, key=lambda each: bool(each[1])):
        lines = {n: line for n, line in block if is_filled and not _NO_ROW.fullmatch(line)}
        words, rows = _block_rows([*lines.values()])
        above = [each.strip("=-#*_: \t") for each in words] or above
        if rows:
            caption = " ".join(above)[:MAX_TEXT] if len(above) > 1 else ""
            context = Context(heading=above[-1][:MAX_TEXT], caption=caption)
            found.append(TextTable(rows, [*lines][len(words) :], context))
        else:
            beside += [n for n, line in lines.items() if any(map(is_number, line.split()))]
    told = f"lines {listed(beside, limit=5)} are no rows of a table, and were left out."
    return [replace(each, notes=(*notes, told) if beside else tuple(notes)) for each in found]


def _block_rows(lines: Sequence[str]) -> tuple[Sequence[str], list[list[str]]]:
    """Return the lines above a table, and its cells; all lines where there is none."""
    words = list(itertools.takewhile(lambda line: len(_cells(line)) == 1, lines))
    able = range(min(len(words), len(lines) - _MIN_LINES) + 1)
    for n, is_strict in [*((n, True) for n in able), *((n, False) for n in reversed(able))]:
        below = lines[n:]
        ways = [[*csv.reader(below, delimiter=mark)] for mark in "\t,;|" if mark in below[0]]
        for rows in [*ways, [line.split() for line in below]]:
            if len({*map(len, rows)}) == 1 < len(rows[0]):
                return lines[:n], rows
        if rows := _aligned_rows(below, is_strict=is_strict):
            return lines[:n], rows
    return words, []


def _aligned_columns(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return where columns begin and end, if no line has two cells in one; else none.

    Two spaces are between cells; before a minus there may be one.

    >>> _aligned_columns(["      Naive Bayes  svm", "iris          0.6  0.5"])
    [(0, 4), (6, 17), (19, 22)]
    >>> _aligned_columns(["Some words.", "No table  at all"])
    []
    """
    cells = [_cells(line) for line in lines]
    columns = list[tuple[int, int]]()  # what the cells of all lines cover together
    for begin, end in sorted({span for row in cells for span in row}):
        if columns and begin < columns[-1][1]:
            columns[-1] = columns[-1][0], max(end, columns[-1][1])
        else:
            columns.append((begin, end))
    places = [[bisect_right(columns, (begin, math.inf)) for begin, _ in row] for row in cells]
    alone = all(len(set(row)) == len(row) for row in places)
    full = sum(2 * len(row) > len(columns) for row in cells)
    usual = max(map(len, cells), default=0)
    return columns if alone and 1 < len(columns) <= usual + 1 and 2 * full > len(lines) else []


def _cells(line: str) -> list[tuple[int, int]]:
    return [each.span() for each in _WORDS.finditer(line)]


# --- ARFF ------------------------------------------------------------------------------------
#
# Names may stand in quotation marks. Dates and nominal values are text, as names are.

_ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\S+)""", re.IGNORECASE
)


def read_arff(text: str, name: str) -> Columns:
    """Read the attributes and the data of an ARFF file."""
    limits.check_text(text, ",")
    lines = [line.strip() for line in _LINE_END.split(text)]
    begin = next((n for n, line in enumerate(lines) if line.lower().startswith("@data")), None)
    if begin is None:
        raise MalformedError("is not ARFF: it has no @data")
    found = (match for line in lines[:begin] if (match := _ATTRIBUTE.match(line)))
    header = [_quoted_cells(each[1])[0] for each in found]
    places = [n for n, line in enumerate(lines) if n > begin and line and line[0] != "%"]
    rows = [_quoted_cells(lines[place]) for place in places]
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(header):
            told = f"{len(header)} columns were named, line {place + 1} has {len(row)}"
            raise MalformedError(f"is not a table: {told}")
    columns = [Texts([row[n] for row in rows]) for n in range(len(header))]
    return _columns_of(header, columns, np.array(places, dtype=np.intp) + 1, name, [])


def _quoted_cells(line: str) -> list[str]:
    r"""Split a line at its commas, but for those in quotation marks.

    >>> _quoted_cells("iris, 'J48 -C 0.25, pruned', 96.0,?")
    ['iris', 'J48 -C 0.25, pruned', '96.0', '?']
    """
    mark = min({"'", '"'} & set(line), key=line.index, default=None)
    if mark is None:
        return [cell.strip() for cell in line.split(",")]
    reader = csv.reader([line], quotechar=mark, escapechar="\\", skipinitialspace=True, strict=True)
    return [cell.strip() for cell in next(reader)]


# --- formulas --------------------------------------------------------------------------------
#
# Where a cell begins as a formula does, a spreadsheet would run it. An apostrophe is written in
# front then, as spreadsheets themselves do for "this is text"; reading takes it away again, so that
# a name is the same afterwards. Whoever writes separated text guards its cells here.

_FORMULA = re.compile(r"('*)[=+\-@\t\r]")
_GUARDED = re.compile(r"'[=+\-@\t\r]")


def guarded(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> guarded("=SUM(A1)"), guarded("'=x"), guarded("svr"), guarded(-1.5)
    ("'=SUM(A1)", "''=x", 'svr', -1.5)
    """
    if not isinstance(value, str) or (found := _FORMULA.match(value)) is None:
        return value
    if not value.endswith("'"):
        return f"'{value}"
    # Words in quotation marks are taken as they are when they are read; no others end so.
    return value if len(found[1]) == 1 else f"''{value}"


def unguarded(cell: str) -> str:
    """Return a cell as it was before it was guarded.

    >>> unguarded("'=SUM(A1)"), unguarded("''=x"), unguarded("'-C 0.25'"), unguarded("'svr")
    ('=SUM(A1)', "'=x", "'-C 0.25'", "'svr")
    """
    if not cell.startswith("'") or (found := _FORMULA.match(cell)) is None:
        return cell
    if not cell.endswith("'"):
        return cell[1:]
    return cell if len(found[1]) == 1 else cell[2:]


def may_be_guarded(text: str) -> bool:
    """Return whether any cell of a text may be."""
    return _GUARDED.search(text) is not None


def write_separated(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame; names that begin as formulas do are guarded."""
    separator = "," if path.suffix.lower() == ".csv" else "\t"
    header = [str(guarded(str(name))) for name in frame.columns]
    safe = frame.copy(deep=False)
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        safe[name] = frame[name].map(guarded)
    safe.to_csv(path, sep=separator, index=False, header=header)
