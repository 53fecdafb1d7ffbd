"""What a report is made of, whether it ends up as text, HTML or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Title:
    """The headline."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Column:
    """A table's column; numbers are right-aligned."""

    name: str
    numeric: bool = False


@dataclass(frozen=True)
class Table:
    """A table whose cells are already text."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Items:
    """A list with a heading: marks (a dash, a number) and texts; notes are ``quiet``."""

    title: str
    items: tuple[tuple[str, str], ...]
    quiet: bool = False


Block = Title | Paragraph | Table | Items
