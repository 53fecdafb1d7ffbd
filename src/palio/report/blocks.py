"""What a report is made of, whether it ends up as text, HTML or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
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
    """A table's column; numbers are right-aligned, and lists and words may break between them."""

    name: str
    numeric: bool = False
    breaks: bool = False

    @classmethod
    def texts(cls, *names: str) -> tuple[Column, ...]:
        """Return columns of texts."""
        return tuple(cls(name) for name in names)

    @classmethod
    def words(cls, *names: str) -> tuple[Column, ...]:
        """Return columns of texts that are no names, and may be broken between words."""
        return tuple(cls(name, breaks=True) for name in names)

    @classmethod
    def numbers(cls, *names: str) -> tuple[Column, ...]:
        """Return columns of numbers."""
        return tuple(cls(name, numeric=True) for name in names)


@dataclass(frozen=True)
class Table:
    """A table whose cells are already text."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Items:
    """A list with a heading: marks (a dash, a number) and texts; notes are ``quiet``.

    ``verbatim`` texts are to be copied, and never broken.
    """

    title: str
    items: tuple[tuple[str, str], ...]
    quiet: bool = False
    verbatim: bool = False

    @classmethod
    def dashed(cls, title: str, said: Iterable[str], *, quiet: bool = False) -> Items:
        """List texts, a dash before each."""
        return cls(title, tuple(("-", text) for text in said), quiet)


Block = Title | Paragraph | Table | Items
