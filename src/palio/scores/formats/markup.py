"""Tables in Markdown and reStructuredText: with bars, as grids, between rules, lists and CSV.

Both are read in one way, for what is pasted into one is often written as the other.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from palio.scores import limits
from palio.scores.formats.html_pages import add_page
from palio.scores.formats.prose import Document
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable, check_spanned

_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
_SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
_UNDERLINES = re.compile(r"\s*-+(?:[ \t]+-+)*\s*")
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(list-table|csv-table|table)::\s*(.{0,500})")
_OPTION = re.compile(r"\s+:([\w-]{1,40}):\s*(.{0,2000})")
_ITEM = re.compile(r"\s*([*-])(?:\s+(?:([*-])(?:\s+(.*))?|(.*)))?")
_HEADING = re.compile(r"#{1,6}\s")
_UNDERLINE = re.compile(r"\s*([=\-`:'\"~^_*+#.])\1{2,}\s*")
_HIDDEN = re.compile(r"\.\.\s+(?!(?:note|warning|tip|hint|important|caution|attention)::)\S")

Lines = Sequence[str]
Found = tuple[list[list[str]], list[int], int | None, int]
"""Cells as they are written, the line of each row, how many are header, and the line behind."""


def holds_table(text: str) -> bool:
    r"""Return whether text begins with a table of Markdown.

    >>> holds_table("| model | acc |\n|---|---|\n| knn | 0.9 |\n")
    True
    """
    return _kind(text.lstrip().split("\n", 2), 0) == "bars"


def holds_drawn_table(text: str) -> bool:
    r"""Return whether text begins with a table that is drawn with plus, dashes or equal signs.

    >>> holds_drawn_table("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n")
    True
    """
    return _kind(text.lstrip().split("\n", 1), 0) in ("grid", "simple")


def _kind(lines: Lines, place: int) -> str:
    """Return what kind of table begins in a line."""
    line, below = lines[place].rstrip(), "".join(lines[place + 1 : place + 2]).rstrip()
    if "|" in line and "-" in below and _DASHES.fullmatch(below):  # the header is above dashes
        return "bars"
    if directive := _DIRECTIVE.fullmatch(line):
        return directive[2]
    return "grid" if _GRID.fullmatch(line) else "simple" if _SIMPLE.fullmatch(line) else ""


def read_markup(text: str, _name: str) -> list[TextTable]:
    """Read all tables in a text, those in HTML among them."""
    limits.check_text(text, "|")
    reader = _Reader(text.expandtabs().splitlines(), Document(len(text)))
    reader.read()
    reason = "holds no table: a header with bars and dashes below, +---+, === ===, or one in HTML"
    first, *_ = reader.failed or [MalformedError(reason)]
    found = reader.document.tables(first.reason, first.remedy)
    notes = tuple(f"of its other tables, one {error.reason}." for error in reader.failed)
    return [replace(table, notes=notes) for table in found]


class _Reader:
    """Goes through the lines of a document, and gathers tables and words."""

    def __init__(self, lines: Lines, document: Document) -> None:
        self.lines, self.document = lines, document
        self.failed: list[MalformedError] = []
        self.paragraph: list[str] = []
        self.title = ""  # of the next table
        self.in_code = False
        self.indent = -1  # of a directive whose lines are no prose

    def read(self) -> None:
        """Read all lines."""
        place = 0
        while place < len(self.lines):
            place = self._read_table(place) or self._read_line(place)
        self._end_paragraph()

    def _read_table(self, place: int) -> int:
        """Read the table that begins in a line, and return the line behind it; 0 where none is."""
        if "<table" in self.lines[place].lower():
            return self._read_html(place)
        kind = _kind(self.lines, place)
        self.title = _title(self.lines[place]) if kind == "table" else self.title
        try:
            found = _READERS[kind](self.lines, place) if kind in _READERS else None
        except MalformedError as error:
            self.failed.append(error)
            return place + 2
        if found is None:
            return 0
        rows, numbers, n_header, end = found
        self._end_paragraph()
        title = self.title or _title(self.lines[place])
        self.document.add_table(rows, numbers, n_header, title)
        self.title = ""
        return end

    def _read_html(self, begin: int) -> int:
        depth, end = 0, begin
        while end == begin or (depth > 0 and end < len(self.lines)):
            line = self.lines[end].lower()
            depth += line.count("<table") - line.count("</table")
            end += 1
        self._end_paragraph()
        add_page(self.document, "\n".join(self.lines[begin:end]), begin + 1)
        return end

    def _read_line(self, place: int) -> int:
        line = self.lines[place]
        words = line.strip()
        is_rule = _UNDERLINE.fullmatch(line) is not None
        if self._is_hidden(line) or not words or words.startswith(("|", "+-")):
            self._end_paragraph()
        elif _HEADING.match(line):
            self._end_paragraph()
            self.document.add_heading(words.strip("# "))
        elif is_rule and self.paragraph:
            title = self.paragraph.pop()
            self._end_paragraph()
            self.document.add_heading(title)
        elif not is_rule:
            self.paragraph.append(words)
        return place + 1

    def _is_hidden(self, line: str) -> bool:
        """Return whether a line is code, or belongs to a directive."""
        words, left = line.strip(), len(line) - len(line.lstrip())
        if words.startswith("```") or (words.startswith("~~~") and not self.paragraph):
            self.in_code = not self.in_code
            return True
        if words and left <= self.indent:
            self.indent = -1
        is_inside = self.in_code or self.indent >= 0
        is_directive = _HIDDEN.match(words) is not None
        if not is_inside and (is_directive or words.endswith("::")):
            self.indent = left
        return is_inside or is_directive

    def _end_paragraph(self) -> None:
        if self.paragraph:
            self.document.add_paragraph(" ".join(self.paragraph))
        self.paragraph = []


def _from(lines: Lines, begin: int) -> Iterator[str]:
    return (lines[place] for place in range(begin, len(lines)))  # copies nothing


def _title(line: str) -> str:
    directive = _DIRECTIVE.fullmatch(line)
    return directive[3] if directive else ""


# --- with bars -------------------------------------------------------------------------------


def _bars(lines: Lines, begin: int) -> Found:
    """Read a table of Markdown: ``| model | accuracy |`` above dashes."""
    below = list(takewhile(lambda line: "|" in line, _from(lines, begin + 2)))
    header, *rows = (_cells(line) for line in (lines[begin], *below))
    width, end = len(header), begin + 2 + len(below)
    for n, row in enumerate(rows, start=begin + 3):
        if any(map(str.strip, row[width:])):
            raise MalformedError(
                f"is not a table: {width} columns were named, line {n} has {len(row)}"
            )
    numbers = [begin + 1, *range(begin + 3, end + 1)]
    return [header, *(row[:width] for row in rows)], numbers, 1, end


def _cells(line: str) -> list[str]:
    r"""Split a line at its bars.

    >>> _cells(r"| [knn](https://x.org) | **0.9** | a\|b |")
    [' [knn](https://x.org) ', ' **0.9** ', ' a|b ']
    """
    inner = line.strip().removeprefix(">").strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|") for cell in _BAR.split(inner)]


# --- grids -----------------------------------------------------------------------------------


def _grid(lines: Lines, begin: int) -> Found | None:
    """Read a grid: cells may span columns and rows, where a line between them is left out."""
    left = len(lines[begin]) - len(lines[begin].lstrip())
    drawn = list(takewhile(lambda line: line[left : left + 1] in ("+", "|"), _from(lines, begin)))
    width, end = max(map(len, drawn)), begin + len(drawn)
    check_spanned(len(drawn) * width, sum(map(len, drawn)))
    drawn = [line.rstrip()[left:].ljust(width - left) for line in drawn]
    rules = [n for n, line in enumerate(drawn) if re.search(r"\+[-=]+\+", line)]
    if len(rules) < 2 or rules[-1] != len(drawn) - 1:
        return None
    cuts = sorted({place for n in rules for place, letter in enumerate(drawn[n]) if letter == "+"})
    check_spanned(len(rules) * len(cuts), len(drawn) * width)
    last = [line[cuts[0] + 1 : cuts[1]].strip() for line in drawn[rules[-2] + 1 : -1]]
    if len(rules) <= 3 and len(last) != 1 and all(last):
        # As databases and PrettyTable print: a rule below the header, and none between rows.
        places = [n for n in range(len(drawn)) if n not in rules]
        rows = [[drawn[n][a + 1 : b].strip() for a, b in pairwise(cuts)] for n in places]
        return rows, [begin + n + 1 for n in places], rules[1] - 1 if len(rules) > 2 else None, end
    double = [n for n, rule in enumerate(rules) if "=" in drawn[rule] and "-" not in drawn[rule]]
    n_header = next((n for n in double if 0 < n < len(rules) - 1), None)
    rows = _spanned(drawn, list(pairwise(rules)), list(pairwise(cuts)))
    return rows, [begin + rule + 2 for rule in rules[:-1]], n_header, end


def _spanned(
    drawn: Lines, blocks: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> list[list[str]]:
    """Return the words of every cell; what spans several stands in each of them."""
    # Of cells that belong together, all share the list of words.
    cells: list[list[list[str]]] = []
    for top, bottom in blocks:
        row, begin = list[list[str]](), 0
        for m, (_, right) in enumerate(spans):
            inside = drawn[top + 1 : bottom]
            if m < len(spans) - 1 and not any(line[right] in "|+" for line in inside):
                continue
            a = spans[begin][0] + 1
            is_open = bool(cells) and not re.fullmatch(r"[-=+]+", drawn[top][a:right])
            words = cells[-1][begin] if is_open else []
            words += [line[a:right] for line in drawn[top + (not is_open) : bottom]]
            row += [words] * (m + 1 - begin)
            begin = m + 1
        cells.append(row)
    return [[" ".join(" ".join(words).split()) for words in row] for row in cells]


# --- simple tables ---------------------------------------------------------------------------


def _simple(lines: Lines, begin: int) -> Found | None:
    """Read a table between lines of equal signs, whose gaps are those between the columns."""
    rules = [begin]  # three, or as many as come before a blank line
    for n in range(begin + 1, len(lines)):
        if _SIMPLE.fullmatch(lines[n]):
            rules.append(n)
            if len(rules) == 3 or not "".join(lines[n + 1 : n + 2]).strip():
                break
    rows, numbers, header = list[list[str]](), list[int](), None
    columns = [each.start() for each in re.finditer("=+", lines[begin])]
    for n in range(begin + 1, rules[-1]):
        if n == rules[1]:
            header = len(rows)
        elif rows and n < rules[1] and lines[n].strip() and _UNDERLINES.fullmatch(lines[n]):
            rows[-1] = _cut(lines[n - 1], lines[n], columns)
        elif lines[n].strip():
            cells = _cut(lines[n], lines[begin], columns)
            if cells[0] or not rows or n < rules[1]:
                rows.append(cells)
                numbers.append(n + 1)
            else:  # without a first cell a line goes on with the row above
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    return (rows, numbers, header if len(rules) == 3 else None, rules[-1] + 1) if rows else None


def _cut(line: str, rule: str, columns: Sequence[int]) -> list[str]:
    """Cut a line where the parts of a rule begin, and return what is at the begin of each column.

    >>> _cut("a  both", "-  ----", [0, 3, 5])
    ['a', 'both', 'both']
    """
    begins = sorted({0, *(each.start() for each in re.finditer("[=-]+", rule))})
    cells = [line[a:b].strip() for a, b in pairwise([*begins, None])]
    return [cells[bisect_right(begins, column) - 1] for column in columns]


# --- directives ------------------------------------------------------------------------------


def _directive(lines: Lines, begin: int) -> tuple[dict[str, str], list[tuple[int, str]], int]:
    """Return the options of a directive, its lines with their numbers, and the line behind."""
    options, place = dict[str, str](), begin + 1
    while place < len(lines) and (option := _OPTION.fullmatch(lines[place])):
        options[option[1]] = option[2].strip()
        place += 1
    indent, inside = len(lines[begin]) - len(lines[begin].lstrip()), list[tuple[int, str]]()
    while place < len(lines):
        words = lines[place].strip()
        if words and len(lines[place]) - len(lines[place].lstrip()) <= indent:
            break
        place += 1
        inside += [(place, words)] if words else []
    return options, inside, place


def _n_header(options: dict[str, str], more: int = 0) -> int | None:
    given = options.get("header-rows", "0")
    return (int(given) if given.isdecimal() and len(given) < 3 else 0) + more or None


def _list_table(lines: Lines, begin: int) -> Found | None:
    """Read a list of lists: ``* -`` begins a row, ``-`` a cell."""
    options, inside, end = _directive(lines, begin)
    rows, numbers = list[list[str]](), list[int]()
    for n, line in inside:
        item = _ITEM.fullmatch(line)
        if item and item[1] == "*" and item[2]:
            rows.append([item[3] or ""])
            numbers.append(n)
        elif item and rows and item[1] == "-":
            rows[-1].append(" ".join(filter(None, [item[2], item[3] or item[4]])))
        elif rows:
            rows[-1][-1] += f" {line}"
    return (rows, numbers, _n_header(options), end) if rows else None


def _csv_table(lines: Lines, begin: int) -> Found | None:
    """Read CSV in a directive; what stands in another file is not here."""
    options, inside, end = _directive(lines, begin)
    mark = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ","))
    if options.keys() & {"file", "url"} or not inside or len(mark) != 1:
        return None
    header = [(begin + 1, options["header"])] if options.get("header") else []
    numbers, written = zip(*header, *inside, strict=True)
    try:
        rows = list(csv.reader(written, delimiter=mark, skipinitialspace=True))
    except csv.Error:
        return None
    return rows, list(numbers[: len(rows)]), _n_header(options, len(header)), end


_READERS: dict[str, Callable[[Lines, int], Found | None]] = {
    "bars": _bars,
    "grid": _grid,
    "simple": _simple,
    "list-table": _list_table,
    "csv-table": _csv_table,
}
