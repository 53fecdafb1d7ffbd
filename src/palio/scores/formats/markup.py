"""Tables in Markdown and reStructuredText: with bars, as grids, between rules, lists and CSV.

Both are read in one way, for what is pasted into one is often written as the other.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, takewhile

from palio.scores import limits
from palio.scores.formats.prose import Document, add_page
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable

_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
# As databases and PrettyTable print: a rule below the header, and none between rows.
_PRINTED = re.compile(r"\+[-+]+\+((?:\n\|.*)+\n\+[-+]+\+)?\n(?:\|\s*[^\s|].*\n){2,}\+[-+]+\+")
_SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
_UNDERLINES = re.compile(r"\s*-+(?:[ \t]+-+)*\s*")
_DIRECTIVE = re.compile(r"\s*\.\.\s+(list-table|csv-table|table)::\s*(.{0,500})")
_OPTION = re.compile(r":([\w-]{1,40}):\s*(.{0,2000})")
_HEADING = re.compile(r"#{1,6}\s")
_UNDERLINE = re.compile(r"\s*([=\-`'\"~^_*+#.])\1{2,}\s*")
_HIDDEN = re.compile(r"\.\.\s+(?!(?:note|warning|tip|hint|important|caution|attention)::)\S")

Lines = Sequence[str]
Found = tuple[list[list[str]], list[int], int | None, int]
"""Cells as they are written, the line of each row, how many are header, and the line behind."""


def table_kind(text: str) -> str:
    r"""Return what kind of table a text begins with, in the words of `FORMATS`.

    >>> table_kind("| model | acc |\n|---|---|\n| knn | 0.9 |\n"), table_kind("===  ===\na    b")
    ('markdown', 'rst')
    """
    kind = _kind(text.lstrip().split("\n", 2), 0)
    return {"bars": "markdown", "grid": "rst", "simple": "rst"}.get(kind, "")


def _kind(lines: Lines, place: int) -> str:
    """Return what kind of table begins in a line."""
    line, below = lines[place].rstrip(), "".join(lines[place + 1 : place + 2]).rstrip()
    if "|" in line and "-" in below and _DASHES.fullmatch(below):  # the header is above dashes
        return "bars"
    if directive := _DIRECTIVE.fullmatch(line):
        return directive[1]
    return "grid" if _GRID.fullmatch(line) else "simple" if _SIMPLE.fullmatch(line) else ""


def read_markup(text: str, _name: str) -> list[TextTable | MalformedError]:
    """Read all tables in a text, those in HTML among them."""
    limits.check_text(text, "|")
    reader = _Reader(text.expandtabs().splitlines(), Document(len(text)))
    place = 0
    while place < len(reader.lines):
        place = reader.read_table(place) or reader.read_line(place)
    reader.document.end_block()
    reason = "holds no table: a header with bars and dashes below, +---+, === ===, or one in HTML"
    return reader.document.tables(reason)


class _Reader:
    """Goes through the lines of a document, and gathers tables and words."""

    def __init__(self, lines: Lines, document: Document) -> None:
        self.lines, self.document = lines, document
        self.title = ""  # of the next table
        self.in_code = False
        self.indent = -1  # of a directive whose lines are no prose

    def read_table(self, place: int) -> int:
        """Read the table that begins in a line, and return the line behind it; 0 where none is."""
        if "<table" in self.lines[place].lower():
            return self._read_html(place)
        kind = _kind(self.lines, place)
        if kind.endswith("table"):
            self.title = _DIRECTIVE.sub(r"\2", self.lines[place].rstrip())
        try:
            found = _READERS[kind](self.lines, place) if kind in _READERS else None
        except MalformedError as error:
            self.document.failed.append(error)
            return place + 2
        if found is None:
            return 0
        self.document.end_block()
        self.document.add_table(*found[:3], self.title)
        self.title = ""
        return found[3]

    def _read_html(self, begin: int) -> int:
        depth, end = 0, begin
        while end == begin or (depth > 0 and end < len(self.lines)):
            line = self.lines[end].lower()
            depth += line.count("<table") - line.count("</table")
            end += 1
        self.document.end_block()
        add_page(self.document, "\n".join(self.lines[begin:end]), begin + 1)
        return end

    def read_line(self, place: int) -> int:
        """Read a line of words, and return the one behind it."""
        line, document = self.lines[place], self.document
        words = line.strip()
        if self._is_hidden(line) or not words or words.startswith(("|", "+-", ":::")):
            document.end_block()
        elif _HEADING.match(line):
            document.end_block()
            document.add_words(words.strip("# "), is_heading=True)
        elif not _UNDERLINE.fullmatch(line):
            document.block.append(f"{words} ")
        elif document.block:
            title = document.block.pop()
            document.end_block()
            document.add_words(title, is_heading=True)
        return place + 1

    def _is_hidden(self, line: str) -> bool:
        """Return whether a line is code, or belongs to a directive."""
        words, left = line.strip(), _indent(line)
        if words.startswith("```") or (words.startswith("~~~") and not self.document.block):
            self.in_code = not self.in_code
            return True
        if words and left <= self.indent:
            self.indent = -1
        is_inside = self.in_code or self.indent >= 0
        is_directive = _HIDDEN.match(words) is not None
        if not is_inside and (is_directive or words.endswith("::")):
            self.indent = left
        return is_inside or is_directive


def _from(lines: Lines, begin: int) -> Iterator[str]:
    return (lines[place] for place in range(begin, len(lines)))  # copies nothing


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# --- with bars -------------------------------------------------------------------------------


def _bars(lines: Lines, begin: int) -> Found:
    """Read a table of Markdown: ``| model | accuracy |`` above dashes."""
    below = list(takewhile(lambda line: "|" in line, _from(lines, begin + 2)))
    header, *rows = (_cells(line) for line in (lines[begin], *below))
    width, end = len(header), begin + 2 + len(below)
    for n, row in enumerate(rows, start=begin + 3):
        if any(map(str.strip, row[width:])):
            told = f"{width} columns were named, line {n} has {len(row)}"
            raise MalformedError(f"is not a table: {told}")
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


def _grid(lines: Lines, begin: int) -> Found | None:
    """Read a grid: cells may span columns and rows, where a line between them is left out."""
    left = _indent(lines[begin])
    drawn = list(takewhile(lambda line: line[left : left + 1] in ("+", "|"), _from(lines, begin)))
    width, end = max(map(len, drawn)), begin + len(drawn)
    limits.check_spanned(len(drawn) * width, sum(map(len, drawn)))
    drawn = [line[left:].rstrip() for line in drawn]
    rules = [n for n, line in enumerate(drawn) if re.search(r"\+[-=]+\+", line)]
    if len(rules) < 2 or rules[-1] != len(drawn) - 1:
        return None
    cuts = sorted({place for n in rules for place, letter in enumerate(drawn[n]) if letter == "+"})
    limits.check_spanned(len(rules) * len(cuts), len(drawn) * width)
    if printed := _PRINTED.fullmatch("\n".join(drawn)):
        places = [n for n, line in enumerate(drawn) if line.startswith("|")]
        rows = [[drawn[n][a + 1 : b].strip() for a, b in pairwise(cuts)] for n in places]
        return rows, [begin + n + 1 for n in places], (printed[1] or "").count("\n|") or None, end
    double = [n for n, rule in enumerate(rules) if "=" in drawn[rule] and "-" not in drawn[rule]]
    n_header = next((n for n in double if 0 < n < len(rules) - 1), None)
    rows = _spanned([line.ljust(width) for line in drawn], rules, cuts)
    return rows, [begin + rule + 2 for rule in rules[:-1]], n_header, end


def _spanned(drawn: Lines, rules: Sequence[int], cuts: Sequence[int]) -> list[list[str]]:
    """Return the words of every cell; what spans several stands in each of them."""
    # Of cells that belong together, all share the list of words.
    cells: list[list[list[str]]] = []
    for top, bottom in pairwise(rules):
        row, begin = list[list[str]](), 0
        for m, right in enumerate(cuts[1:], start=1):
            is_cut = any(line[right] in "|+" for line in drawn[top + 1 : bottom])
            if not is_cut and right != cuts[-1]:
                continue
            a = cuts[begin] + 1
            is_open = bool(cells) and not re.fullmatch(r"[-=+]+", drawn[top][a:right])
            words = cells[-1][begin] if is_open else []
            words += [line[a:right] for line in drawn[top + (not is_open) : bottom]]
            row += [words] * (m - begin)
            begin = m
        cells.append(row)
    return [[" ".join(" ".join(words).split()) for words in row] for row in cells]


def _simple(lines: Lines, begin: int) -> Found | None:
    """Read a table between lines of equal signs, whose gaps are those between the columns."""
    below = (n for n in range(begin + 1, len(lines)) if _SIMPLE.fullmatch(lines[n]))
    rules = [begin, *islice(below, 2)]
    if len(rules) == 3 and not lines[rules[1] + 1].strip():
        del rules[2]  # it is of another table, for this one has no header
    rows, numbers = list[list[str]](), list[int]()
    columns = [each.start() for each in re.finditer("=+", lines[begin])]
    for n in range(begin + 1, rules[-1]):
        cells = _cut(lines[n], lines[begin], columns)
        if n == rules[1] or not any(cells):
            continue
        if rows and n < rules[1] and _UNDERLINES.fullmatch(lines[n]):
            rows[-1] = _cut(lines[n - 1], lines[n], columns)
        elif cells[0] or not rows or n < rules[1]:
            rows.append(cells)
            numbers.append(n + 1)
        else:  # without a first cell a line goes on with the row above
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    header = sum(number <= rules[1] for number in numbers) if len(rules) == 3 else None
    return (rows, numbers, header, rules[-1] + 1) if rows else None


def _cut(line: str, rule: str, columns: Sequence[int]) -> list[str]:
    """Cut a line where the parts of a rule begin, and return what is at the begin of each column.

    >>> _cut("a  both", "-  ----", [0, 3, 5])
    ['a', 'both', 'both']
    """
    begins = sorted({0, *(each.start() for each in re.finditer("[=-]+", rule))})
    cells = [line[a:b].strip() for a, b in pairwise([*begins, None])]
    return [cells[bisect_right(begins, column) - 1] for column in columns]


def _directive(lines: Lines, begin: int) -> Found | None:
    """Read a table in a directive: CSV, or a list of lists, in which ``* -`` begins a row."""
    left = _indent(lines[begin])
    below = takewhile(
        lambda line: not line.strip() or _indent(line) > left, _from(lines, begin + 1)
    )
    inside = {n: line.strip() for n, line in enumerate(below, start=begin + 2)}
    options = {each[1]: each[2] for line in inside.values() if (each := _OPTION.match(line))}
    content = {n: line for n, line in inside.items() if line and not _OPTION.match(line)}
    n_header = int(options.get("header-rows", "")[:1] or 0)
    if _kind(lines, begin) == "list-table":
        items = re.split(r"(?:^|\n)\*\s+-(?:\s+|$)", "\n".join(content.values()))[1:]
        rows = [re.split(r"\n-(?: |(?=\n)|$)", item) for item in items]
        numbers = [n for n, line in content.items() if line.startswith("*")]
    else:
        if "header" in options:
            content, n_header = {begin + 1: options["header"], **content}, n_header + 1
        rows = list(csv.reader(content.values(), skipinitialspace=True))
        numbers = [*content][: len(rows)]
    return (rows, numbers, n_header or None, begin + 1 + len(inside)) if rows else None


_READERS = {
    "list-table": _directive,
    "csv-table": _directive,
    "bars": _bars,
    "grid": _grid,
    "simple": _simple,
}
