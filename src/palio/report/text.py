"""Blocks as text, for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from palio.claims import Evidence, MostProbable, PairByModel, RankedFirst
from palio.report.blocks import Block, Items, Paragraph, Table, Title, filled
from palio.report.layout import laid_out, wrapped
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
        evidence, found = answer.of(Evidence), answer.verdict
        texts = (found.best, found.value, None if evidence is None else evidence.text)
        return visible("\n".join(filter(None, texts)))
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
