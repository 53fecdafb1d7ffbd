"""Blocks as text, for a terminal or a file; tables within a width or as wide as they need to be.

Where a table is too wide, a name that stands in its row already is told by the heading it has
there, and what may break between words does so. Names never break: one that its column has no room
for stands on a line of its own, the rest of its row below it, and the rows after it that begin so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from palio.claims import Evidence, MostProbable, PairByModel, RankedFirst, Value
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title, filled
from palio.report.views import view
from palio.words import visible

if TYPE_CHECKING:
    from palio.claims import Answer
    from palio.results import Result


WIDTH = 80


class Room(NamedTuple):
    """How wide running text is, and tables, which may be as wide as they need to be."""

    text: int = WIDTH
    table: int | None = WIDTH


def render_text(result: Result, room: Room | None = None) -> str:
    """Return a result as plain text, at most 80 columns wide where the names allow it."""
    lines = (visible(line.plain.rstrip()) for line in text_lines(result, room or Room()))
    return "\n".join(lines).strip("\n")


def render_summary(result: Result) -> str:
    """Return what a result says first, a line each: its verdict, or how its text begins.

    >>> import palio
    >>> print(render_summary(palio.rank(palio.load_study("ulas2008"))))
    svr is first of 8 algorithms over 38 data sets
    average ranks by accuracy (higher is better)
    """
    answer: Answer | None = getattr(result, "claims", None)
    if answer and not isinstance(answer[0], RankedFirst | MostProbable | PairByModel):
        return visible("\n".join([answer.verdict.best, *answer.texts(Value, Evidence)]))
    blocks = view(result)[:2]
    said = "\n".join(block.text for block in blocks if isinstance(block, Title | Paragraph))
    return visible(said)


def print_to_terminal(result: Result) -> None:
    """Write to standard output: styled on a terminal, plain into a file or a pipe.

    Tables fit the terminal; in a file, which may be searched or cut, a row is a line.
    """
    console = Console()
    if not console.is_terminal:
        console.file.write(render_text(result, Room(table=None)) + "\n")
        return
    for line in text_lines(result, Room(console.width, console.width)):
        line.plain = visible(line.plain)
        # What is too long still is one line: names can be copied whole.
        console.print(line, highlight=False, soft_wrap=True)


def text_lines(result: Result, room: Room) -> Iterable[Text]:
    """Yield the lines, a blank one between blocks."""
    for i, block in enumerate(filled(view(result))):
        if i:
            yield Text()
        yield from _lines(block, room)


def _lines(block: Block, room: Room) -> Iterator[Text]:
    match block:
        case Title(text):
            yield from (Text(line, style="bold") for line in wrapped(text, room.text))
        case Paragraph(text):
            yield from map(Text, wrapped(text, room.text))
        case Table(title=title):
            headings, rows = laid_out(block, room.table)
            width = max(map(cell_len, [*headings, *rows]), default=0)
            for line in wrapped(title, max(width, room.text)) if title else ():
                yield Text(" " * ((width - cell_len(line)) // 2) + line, style="italic")
            yield from (Text(line, style="bold") for line in headings)
            yield Text("─" * width)
            yield from map(Text, rows)
        case Items():
            heading = wrapped(block.heading, room.text)
            yield from (Text(line, style="dim" if block.quiet else "bold") for line in heading)
            lines = _verbatim(block, room) if block.verbatim else _hanging(block, room)
            yield from (Text(line, style="dim" if block.quiet else "") for line in lines)


def _hanging(block: Items, room: Room) -> Iterable[str]:
    """Write items so that one of several lines hangs from its first."""
    margin = max(cell_len(mark) for mark, _ in block.items) + 3
    for mark, item in block.items:
        first, *others = wrapped(item, room.text - margin)
        yield f"  {mark}".ljust(margin) + first
        yield from (" " * margin + line for line in others)


def _verbatim(block: Items, room: Room) -> Iterable[str]:
    """Write what is to be copied beside its mark, or below it where the line is too short."""
    width = max(len(mark) for mark, _ in block.items)
    beside = all(2 + width + 2 + len(item) <= room.text for _, item in block.items)
    for mark, item in block.items:
        if beside:
            yield f"  {mark:{width}}  {item}"
        else:
            yield from (f"  {line}" for line in wrapped(f"{mark}:", room.text - 2))
            yield f"    {item}"


_Rows: TypeAlias = list[list[str]]

# Between columns, and where a table would be wider than usual.
_GAP, _NARROW_GAP, _USUAL = 3, 2, 80
# No column of names gets narrower than this, whatever its heading; only where nothing else helps.
_LEAST, _LAST = 8, 4


def laid_out(table: Table, width: int | None) -> tuple[list[str], list[str]]:
    r"""Return the lines of the headings and of the rows, within a width or of any.

    >>> table = Table((Column("name"), Column("mean rank", True)), (("a", "1.5"), ("longer", "2")))
    >>> print(*sum(laid_out(table, None), []), sep="\n")
             mean
    name     rank
    a         1.5
    longer      2
    """
    columns, rows = (
        table.columns,
        [[" ".join(cell.splitlines()) for cell in row] for row in table.rows],
    )
    widths = _widest(columns, rows)
    gap = _GAP if _total(widths, _GAP) <= (width or _USUAL) else _NARROW_GAP
    if width is not None and _total(widths, gap) > width:
        rows = _by_heading(columns, rows)
        room = width - gap * (len(columns) - 1)
        widths = _narrowed(columns, rows, _widest(columns, rows), room)
        rows = _begun_once(rows, widths[0])
    form = _Form(columns, widths, gap, max(_total(widths, gap), width or 0))
    return form.headings(), [line for row in rows for line in form.row(row)]


def wrapped(text: str, width: int) -> list[str]:
    """Break a text between words; a word that is too long stays whole, and a pair has two.

    >>> wrapped("a sentence-transformers/all-MiniLM-L6-v2 b", 20)
    ['a', 'sentence-transformers/all-MiniLM-L6-v2', 'b']
    >>> wrapped("intfloat/e5-large–thenlper/gte-large", 20)
    ['intfloat/e5-large–', 'thenlper/gte-large']
    """
    pairs = re.compile(rf"\S{{{width + 1},}}")
    return [
        line
        for part in pairs.sub(lambda word: word[0].replace("–", "– "), text).split("\n")
        for line in wrap(part, max(width, 1), break_long_words=False, break_on_hyphens=False)
        or [""]
    ]


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _widest(columns: Sequence[Column], rows: _Rows) -> list[int]:
    """Return what columns need: headings of numbers break between words, cells do not."""
    return [
        max(
            map(
                cell_len,
                [*(column.name.split() if column.numeric else [column.name]),
                 *(row[i] for row in rows)],
            ),
            default=0,
        )
        for i, column in enumerate(columns)
    ]  # fmt: skip


# --- what need not be said twice -----------------------------------------------------------------


def _by_heading(columns: Sequence[Column], rows: _Rows) -> _Rows:
    """Return the rows with names told by their headings, in columns of names said before.

    >>> _by_heading(list(map(Column, ["a", "b", "better"])), [["x", "y", "y"], ["x", "z", ""]])
    [['x', 'y', 'b'], ['x', 'z', '']]
    """
    names = [i for i, column in enumerate(columns) if not (column.numeric or column.breaks)]
    for i in names:
        before = [j for j in names if j < i]
        if before and all(not row[i] or row[i] in [row[j] for j in before] for row in rows):
            for row in rows:
                row[i] = next((columns[j].name for j in before if row[i] and row[j] == row[i]), "")
    return rows


def _begun_once(rows: _Rows, width: int) -> _Rows:
    """Return the rows without a first name that is too long and stands above already."""
    said = None
    for row in rows:
        first = row[0]
        if first == said and cell_len(first) > width:
            row[0] = ""
        said = first
    return rows


# --- how wide each column is ---------------------------------------------------------------------


def _narrowed(columns: Sequence[Column], rows: _Rows, widths: list[int], room: int) -> list[int]:
    """Return widths that fit where they can: first of what may break, then of names."""
    widths = list(widths)
    for breaking, least in ((True, _LEAST), (False, _LEAST), (False, _LAST)):
        steps = {
            i: _steps(column, [row[i] for row in rows], least)
            for i, column in enumerate(columns)
            if not column.numeric and column.breaks is breaking
        }
        while sum(widths) > room:
            shorter = {
                i: max((step for step in each if step < widths[i]), default=0)
                for i, each in steps.items()
            }
            wide = [i for i, step in shorter.items() if step]
            if not wide:
                break
            widest = max(wide, key=lambda i: widths[i])
            # No narrower than it has to be.
            widths[widest] = max(shorter[widest], widths[widest] - (sum(widths) - room))
    return widths


def _steps(column: Column, cells: Sequence[str], least: int) -> list[int]:
    """Return the widths that a column of texts may have, but its widest."""
    heading = max(map(cell_len, column.name.split()), default=0)
    if column.breaks:
        return [
            max(heading, *(cell_len(word) for cell in cells for word in cell.split() or [""]), 1)
        ]
    least = max(heading, least)
    return [least, *(length for length in map(cell_len, cells) if length > least)]


# --- the lines -----------------------------------------------------------------------------------


class _Form:
    """Where columns begin and end."""

    def __init__(
        self, columns: Sequence[Column], widths: Sequence[int], gap: int, room: int
    ) -> None:
        self._columns, self._widths, self._room, self._gap = columns, widths, room, gap
        self._starts = [sum(widths[:i]) + gap * i for i in range(len(widths))]

    def headings(self) -> list[str]:
        """Return the headings, which break between words, on the same last line."""
        parts = [
            wrapped(column.name, width)
            for column, width in zip(self._columns, self._widths, strict=True)
        ]
        upward = zip_longest(*(part[::-1] for part in parts), fillvalue="")
        lines = [self._line(cells) for cells in upward]
        return lines[::-1]

    def row(self, cells: Sequence[str]) -> list[str]:
        """Return the lines of a row: what does not fit stands alone, the rest below it."""
        lines: list[str] = []
        waiting = [""] * len(cells)
        for i, cell in enumerate(cells):
            fits = cell_len(cell) <= self._widths[i] or self._columns[i].breaks
            if fits:
                waiting[i] = cell
                continue
            start = max(0, min(self._starts[i], self._room - cell_len(cell)))
            before = self._broken(waiting)
            waiting = [""] * len(cells)
            end = cell_len(before[-1].rstrip()) if before else 0
            if before and end + (self._gap if end else 0) <= start:
                last = before.pop().rstrip()
                lines += [*before, last + " " * (start - end) + cell]
            else:
                lines += [*before, " " * start + cell]
        return lines + self._broken(waiting)

    def _broken(self, cells: Sequence[str]) -> list[str]:
        """Return the lines of cells that fit, some broken between words; none if all are empty."""
        if not any(cells):
            return []
        parts = [
            _filled(cell, width) if column.breaks else [cell]
            for cell, column, width in zip(cells, self._columns, self._widths, strict=True)
        ]
        return [self._line(each) for each in zip_longest(*parts, fillvalue="")]

    def _line(self, cells: Iterable[str]) -> str:
        padded = []
        for cell, column, width in zip(cells, self._columns, self._widths, strict=True):
            blank = " " * (width - cell_len(cell))
            padded.append(blank + cell if column.numeric else cell + blank)
        return (" " * self._gap).join(padded).rstrip()


def _filled(cell: str, width: int) -> list[str]:
    """Break a list after its commas, where its members fit, and other texts between words."""
    members = re.split(r"(?<=[,;]) ", cell)
    if max(map(cell_len, members)) > width:
        return wrapped(cell, width)
    lines = [members[0]]
    for member in members[1:]:
        if cell_len(lines[-1]) + 1 + cell_len(member) <= width:
            lines[-1] += f" {member}"
        else:
            lines.append(member)
    return lines
