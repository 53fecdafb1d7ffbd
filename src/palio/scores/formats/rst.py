"""Tables in reStructuredText, and others that are drawn with plus signs, dashes and equal signs."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from palio.scores import limits
from palio.scores.formats.markdown import (
    context_of,
    headings_of,
    marked_table,
    plain_text,
    prose_of,
)
from palio.scores.limits import MalformedError
from palio.scores.text_tables import TextTable, check_spanned, with_prose

_BORDER = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
_SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
_UNDERLINES = re.compile(r"\s*-+(?:[ \t]+-+)*\s*")
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(list-table|csv-table|table)::\s*(.{0,500})")
_OPTION = re.compile(r"\s+:([\w-]{1,40}):\s*(.{0,2000})")
_ITEM = re.compile(r"(\s*)([*-])(?:\s+(?:([*-])(?:\s+(.*))?|(.*)))?")

Found = tuple[list[list[str]], list[int], int | None, int]
"""Cells as they are written, the line of each row, how many are header, and the line behind."""


def holds_drawn_table(text: str) -> bool:
    r"""Return whether text begins with a table that is drawn.

    >>> holds_drawn_table("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n")
    True
    """
    return bool(_drawn_as(text.lstrip().partition("\n")[0]))


def _drawn_as(line: str) -> str:
    """Return what kind of table a line is the border of."""
    return "grid" if _BORDER.fullmatch(line) else "simple" if _SIMPLE.fullmatch(line) else ""


def read_rst(text: str, _name: str) -> list[TextTable]:
    """Read all tables of a document: grids, simple ones, lists and CSV."""
    limits.check("rows", text.count("\n"))
    lines = text.expandtabs().splitlines()
    headings = headings_of(lines)
    found, drawn, place, title = list[TextTable](), set[int](), 0, ""
    while place < len(lines):
        directive = _DIRECTIVE.fullmatch(lines[place])
        if directive and directive[2] == "table":
            title = directive[3]
        reader = _READERS.get(directive[2] if directive else _drawn_as(lines[place]))
        table = reader(lines, place) if reader else None
        if table is None:
            place += 1
            continue
        rows, numbers, n_header, end = table
        caption = plain_text(title or (directive[3] if directive else ""))
        context = context_of(headings[place], lines, place, end)
        context = replace(context, caption=caption or context.caption)
        found.append(marked_table(rows, numbers, n_header, context, len(text)))
        drawn.update(range(place, end))
        place, title = end, ""
    if not found:
        raise MalformedError("holds no table: +---+, === ===, list-table or csv-table")
    return with_prose(found, prose_of(lines, drawn))


# --- grids -----------------------------------------------------------------------------------


def _grid(lines: Sequence[str], begin: int) -> Found | None:
    """Read a grid: cells may span columns and rows, where a line between them is left out."""
    left = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin
    while end < len(lines) and lines[end][left : left + 1] in ("+", "|"):
        end += 1
    width = max(len(line) for line in lines[begin:end])
    check_spanned((end - begin) * width, sum(map(len, lines[begin:end])))
    drawn = [line.rstrip()[left:].ljust(width - left) for line in lines[begin:end]]
    rules = [n for n, line in enumerate(drawn) if re.search(r"\+[-=]+\+", line)]
    if len(rules) < 2 or rules[-1] != len(drawn) - 1:
        return None
    cuts = sorted({place for n in rules for place, letter in enumerate(drawn[n]) if letter == "+"})
    double = [n for n, rule in enumerate(rules) if "=" in drawn[rule] and "-" not in drawn[rule]]
    n_header = next((n for n in double if 0 < n < len(rules) - 1), None)
    check_spanned(len(rules) * len(cuts), (end - begin) * width)
    if len(rules) <= 3 and not _is_one_row(drawn[rules[-2] + 1 : rules[-1]], cuts):
        # As databases and PrettyTable print: a rule below the header, and none between rows.
        places = [n for n in range(len(drawn)) if n not in rules]
        rows = [[drawn[n][a + 1 : b].strip() for a, b in pairwise(cuts)] for n in places]
        return rows, [begin + n + 1 for n in places], rules[1] - 1 if len(rules) > 2 else None, end
    rows = _spanned(drawn, rules, cuts)
    return rows, [begin + rule + 2 for rule in rules[:-1]], n_header, end


def _is_one_row(block: Sequence[str], cuts: Sequence[int]) -> bool:
    """Return whether lines without a rule between are one row: some of its cells are shorter."""
    first = [line[cuts[0] + 1 : cuts[1]].strip() for line in block]
    return len(block) == 1 or not all(first)


def _spanned(drawn: Sequence[str], rules: Sequence[int], cuts: Sequence[int]) -> list[list[str]]:
    """Return the words of every cell; what spans several stands in each of them."""
    blocks, spans = list(pairwise(rules)), list(pairwise(cuts))
    # The first cell, up and to the left, that each one belongs to.
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    words: dict[tuple[int, int], list[str]] = {}
    for n, (top, bottom) in enumerate(blocks):
        begin = 0
        for m, (_, right) in enumerate(spans):
            closed = m == len(spans) - 1 or any(
                line[right] in "|+" for line in drawn[top + 1 : bottom]
            )
            if not closed:
                continue
            a, b = spans[begin][0] + 1, right
            open_above = n > 0 and not re.fullmatch(r"[-=+]+", drawn[top][a:b])
            first = owner[n - 1, begin] if open_above else (n, begin)
            inside = [drawn[top][a:b]] if open_above else []
            inside += [line[a:b] for line in drawn[top + 1 : bottom]]
            words.setdefault(first, []).extend(inside)
            owner.update({(n, each): first for each in range(begin, m + 1)})
            begin = m + 1
    text = {first: " ".join(" ".join(inside).split()) for first, inside in words.items()}
    return [[text[owner[n, m]] for m in range(len(spans))] for n in range(len(blocks))]


# --- simple tables ---------------------------------------------------------------------------


def _rules(lines: Sequence[str], begin: int) -> list[int]:
    """Return the rules of a simple table: three, or as many as come before a blank line."""
    found = [begin]
    for place in range(begin + 1, len(lines)):
        if _SIMPLE.fullmatch(lines[place]):
            found.append(place)
            if len(found) == 3 or not "".join(lines[place + 1 : place + 2]).strip():
                break
    return found


def _simple(lines: Sequence[str], begin: int) -> Found | None:
    """Read a table between lines of equal signs, whose gaps are those between the columns."""
    rules = _rules(lines, begin)
    if len(rules) < 2:
        return None
    columns = [(each.start(), each.end()) for each in re.finditer("=+", lines[begin])]
    rows, numbers = list[list[str]](), list[int]()
    header = None
    for n in range(begin + 1, rules[-1]):
        if n == rules[1]:
            header = len(rows)
        elif lines[n].strip() and _UNDERLINES.fullmatch(lines[n]) and rows and n < rules[1]:
            rows[-1] = _underlined(lines[n - 1], lines[n], columns)
        elif lines[n].strip():
            cells = _cut(lines[n], columns)
            if cells[0] or not rows or n < rules[1]:
                rows.append(cells)
                numbers.append(n + 1)
            else:  # without a first cell a line goes on with the row above
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    if not rows:
        return None
    return rows, numbers, header if len(rules) == 3 else None, rules[-1] + 1


def _cut(line: str, columns: Sequence[tuple[int, int]]) -> list[str]:
    """Cut a line where the next column begins, for the last one may be longer than its rule."""
    ends = [begin for begin, _ in columns[1:]] + [len(line)]
    return [line[a:b].strip() for (a, _), b in zip(columns, ends, strict=True)]


def _underlined(line: str, dashes: str, columns: Sequence[tuple[int, int]]) -> list[str]:
    """Return the cells of a line whose underlines span columns."""
    spans = [(each.start(), each.end()) for each in re.finditer("-+", dashes)]
    found = []
    for a, b in columns:
        over = next((span for span in spans if span[0] <= a and b <= span[1]), (a, b))
        found.append(line[over[0] : over[1]].strip())
    return found


# --- directives ------------------------------------------------------------------------------


def _options(lines: Sequence[str], begin: int) -> tuple[dict[str, str], int]:
    """Return the options of a directive, and the line behind them."""
    found, place = dict[str, str](), begin + 1
    while place < len(lines) and (option := _OPTION.fullmatch(lines[place])):
        found[option[1]] = option[2].strip()
        place += 1
    return found, place


def _block(lines: Sequence[str], begin: int, indent: int) -> Iterator[tuple[int, str]]:
    """Yield the lines that belong to a directive, with their numbers."""
    for n in range(begin, len(lines)):
        if lines[n].strip() and len(lines[n]) - len(lines[n].lstrip()) <= indent:
            return
        yield n, lines[n]


def _n_header(options: dict[str, str], more: int = 0) -> int | None:
    given = options.get("header-rows", "0")
    return (int(given) if given.isdecimal() and len(given) < 3 else 0) + more or None


def _list_table(lines: Sequence[str], begin: int) -> Found | None:
    """Read a list of lists: ``* -`` begins a row, ``-`` a cell."""
    options, place = _options(lines, begin)
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    rows, numbers, end = list[list[str]](), list[int](), place
    for n, line in _block(lines, place, indent):
        end = n + 1
        item = _ITEM.fullmatch(line)
        if item and item[2] == "*" and item[3]:
            rows.append([item[4] or ""])
            numbers.append(n + 1)
        elif item and rows and item[2] == "-":
            rows[-1].append(" ".join(filter(None, [item[3], item[4] or item[5] or ""])))
        elif rows and line.strip():
            rows[-1][-1] += " " + line.strip()
    return (rows, numbers, _n_header(options), end) if rows else None


def _csv_table(lines: Sequence[str], begin: int) -> Found | None:
    """Read CSV in a directive; what stands in another file is not here."""
    options, place = _options(lines, begin)
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    within = [(n, line.strip()) for n, line in _block(lines, place, indent)]
    filled = [(n, line) for n, line in within if line]
    mark = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ","))
    if "file" in options or "url" in options or not filled or len(mark) != 1:
        return None
    header = [(begin, options["header"])] if options.get("header") else []
    numbered = [*header, *filled]
    read = csv.reader((line for _, line in numbered), delimiter=mark, skipinitialspace=True)
    try:
        rows = list(read)
    except csv.Error:
        return None
    numbers = [n + 1 for n, _ in numbered][: len(rows)]
    return rows, numbers, _n_header(options, len(header)), within[-1][0] + 1


_READERS: dict[str, Callable[[Sequence[str], int], Found | None]] = {
    "grid": _grid,
    "simple": _simple,
    "list-table": _list_table,
    "csv-table": _csv_table,
}
