"""What a report is made of, whether it ends up as text, HTML or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar


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


Row = TypeVar("Row")


@dataclass(frozen=True)
class Table:
    """A table whose cells are already text.

    In a paper some of its cells (row, column) are ``bold``, and a ``note`` says how to read it.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    bold: frozenset[tuple[int, int]] = frozenset()
    note: str = ""

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[str]],
        *texts: str,
        words: Collection[str] = (),
        title: str = "",
    ) -> Table:
        """Return a table of columns by their headings; numbers, but for those named.

        ``words`` are texts that may be broken between words.

        >>> Table.of({"name": ["a", "b"], "rank": ["1", "2"]}, "name").rows
        (('a', '1'), ('b', '2'))
        """
        heads = (Column(name, name not in (*texts, *words), name in words) for name in columns)
        return cls(tuple(heads), tuple(zip(*columns.values(), strict=True)), title)

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[Row],
        cells: Mapping[str, Callable[[Row], str]],
        *texts: str,
        words: Collection[str] = (),
        title: str = "",
    ) -> Table:
        """Lay rows out, by what each column says of a row; the rest is as in `of`."""
        columns = {name: list(map(cell, rows)) for name, cell in cells.items()}
        return cls.of(columns, *texts, words=words, title=title)


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

    @property
    def heading(self) -> str:
        """The title as it stands above the list."""
        return self.title if self.title.endswith("?") else f"{self.title}:"

    @property
    def lines(self) -> list[str]:
        """The texts, with their marks where these are no dashes."""
        return [text if mark == "-" else f"{mark} {text}" for mark, text in self.items]


Block = Title | Paragraph | Table | Items


def first_texts(blocks: Iterable[Block]) -> list[Title | Paragraph]:
    """Return the titles and paragraphs before anything else."""
    found: list[Title | Paragraph] = []
    for block in blocks:
        if not isinstance(block, Title | Paragraph):
            break
        found.append(block)
    return found


def filled(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks without empty lists."""
    return [block for block in blocks if not isinstance(block, Items) or block.items]
