"""Blocks as text for a terminal of 80 columns."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import singledispatch
from typing import TYPE_CHECKING

import rich.box
import rich.table
from rich.console import Console, RenderableType
from rich.text import Text

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views import view

if TYPE_CHECKING:
    from palio.results import Result

WIDTH = 80


def render_text(result: Result) -> str:
    """Return a result as plain text, at most 80 columns wide where the names allow it."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, force_terminal=False)
    for renderable in renderables(result):
        console.print(renderable, soft_wrap=isinstance(renderable, _Unbroken))
    text = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO above
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def print_to_terminal(result: Result) -> None:
    """Write to standard output: styled on a terminal, plain into a file or a pipe."""
    console = Console()
    if not console.is_terminal:
        console.file.write(render_text(result) + "\n")
        return
    for renderable in renderables(result):
        console.print(renderable, highlight=False, soft_wrap=isinstance(renderable, _Unbroken))


class _Unbroken(Text):
    """A line that is never broken."""


def renderables(result: Result) -> Iterable[RenderableType]:
    """Yield what a rich console prints, a blank line between blocks."""
    blocks = [block for block in view(result) if not _is_empty(block)]
    for i, block in enumerate(blocks):
        if i:
            yield ""
        yield from _lines(block)


def _is_empty(block: Block) -> bool:
    return isinstance(block, Items) and not block.items


@singledispatch
def _lines(block: object) -> Iterable[RenderableType]:
    raise TypeError(f"no text for {block!r}")


@_lines.register
def _(block: Title) -> Iterable[RenderableType]:
    yield Text(block.text, style="bold")


@_lines.register
def _(block: Paragraph) -> Iterable[RenderableType]:
    yield Text(block.text)


@_lines.register
def _(block: Table) -> Iterable[RenderableType]:
    # Headings break before names do, and names before they are cut: they are never cut.
    widths = [
        max(map(len, [*column.name.split(), *(row[i] for row in block.rows)]))
        for i, column in enumerate(block.columns)
    ]
    crowded = sum(widths) + 3 * (len(widths) - 1) > WIDTH
    table = rich.table.Table(
        box=rich.box.SIMPLE_HEAD,
        title=block.title or None,
        padding=(0, 1, 0, 0) if crowded else (0, 1),
        pad_edge=False,
        show_edge=False,
    )
    for column, width in zip(block.columns, widths, strict=True):
        table.add_column(
            column.name,
            justify="right" if column.numeric else "left",
            overflow="fold",
            width=width if column.numeric else None,
        )
    for row in block.rows:
        table.add_row(*(Text(cell) for cell in row))
    yield table


@_lines.register
def _(block: Items) -> Iterable[RenderableType]:
    style = "dim" if block.quiet else ""
    colon = "" if block.title.endswith("?") else ":"
    yield Text(f"{block.title}{colon}", style=style or "bold")
    if block.verbatim:
        yield from _verbatim(block)
        return
    # A grid, so that an item of several lines hangs from its first.
    grid = rich.table.Table.grid(padding=(0, 1))
    for mark, item in block.items:
        grid.add_row(Text(f"  {mark}", style=style), Text(item, style=style))
    yield grid


def _verbatim(block: Items) -> Iterable[RenderableType]:
    """Write what is to be copied beside its mark, or below it where the line is too short."""
    width = max(len(mark) for mark, _ in block.items)
    beside = all(2 + width + 2 + len(item) <= WIDTH for _, item in block.items)
    for mark, item in block.items:
        yield _Unbroken(f"  {mark:{width}}  {item}" if beside else f"  {mark}:\n    {item}")
