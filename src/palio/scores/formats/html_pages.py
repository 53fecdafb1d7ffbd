"""Tables in HTML: web pages, and what pandas and notebooks write."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from itertools import takewhile

from palio.scores import limits
from palio.scores.formats.prose import Document
from palio.scores.limits import MalformedError
from palio.scores.text_tables import Cell, TextTable

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_HIDDEN = {"script", "style", "template", "svg", "button", "select"}
_CODE = {"code", "pre", "kbd", "samp", "title"}
_BLOCKS = {"p", "div", "li", "section", "figcaption", "blockquote", *_HEADINGS}
_PARTS = {"thead", "tbody", "tfoot", "caption"}
_OF_TABLES = {*_PARTS, "tr", "td", "th"}
_MAX_SPANS = {"colspan": 1000, "rowspan": 65_534}  # browsers stop there, too
_MAX_DEPTH = 50  # of tables within tables


class _Table:
    """A table while it is read; ``words`` are where those that come next belong."""

    def __init__(self) -> None:
        self.rows: list[list[tuple[list[str], int, int]]] = []
        self.tags: list[set[str]] = []  # of the cells of each row; "thead" where that is around it
        self.lines: list[int] = []
        self.caption: list[str] = []
        self.words: list[str] = []
        self.part = ""

    def start(self, tag: str, given: dict[str, str | None], line: int) -> None:
        """Begin a part, a row or a cell."""
        self.words = self.caption if tag == "caption" else []
        if tag in _PARTS:
            self.part = tag
            return
        if tag == "tr" or not self.rows:
            self.rows.append([])
            self.tags.append({"thead"} & {self.part})
            self.lines.append(line)
        if tag != "tr":
            self.rows[-1].append((self.words, _span(given, "colspan"), _span(given, "rowspan")))
            self.tags[-1].add(tag)

    def end(self, tag: str) -> None:
        """End a part, a row or a cell."""
        self.words = []
        self.part = "" if tag in _PARTS else self.part

    def add_to(self, document: Document) -> None:
        """Add the table, which is complete, to those of a document."""
        rows = [[Cell("".join(words), *spans) for words, *spans in row] for row in self.rows]
        # Where no row is in <thead>, those are header that hold <th> only.
        only_th = takewhile(lambda tags: tags <= {"th"}, self.tags)
        n_header = sum("thead" in tags for tags in self.tags) or len(list(only_th)) or None
        document.add_table(rows, self.lines, n_header, "".join(self.caption))


def read_html(text: str, _name: str) -> list[TextTable]:
    """Read all tables of a page."""
    document = Document(len(text))
    add_page(document, text)
    return document.tables("is a web page without a table", "Download the file itself")


def add_page(document: Document, text: str, first_line: int = 1) -> None:
    """Add the tables and words of a page, or of a part of a document, that begins in a line."""
    limits.check("cells", text.lower().count("<td") + text.lower().count("<th"))
    reader = _Reader(document, first_line)
    reader.feed(text)
    reader.close()
    document.end_block()
    while reader.open:  # some are never closed
        reader.handle_endtag("table")


class _Reader(HTMLParser):
    """Gathers tables and the words around them; what is bold or raised stays marked by its tag."""

    def __init__(self, document: Document, first_line: int) -> None:
        super().__init__(convert_charrefs=True)
        self.document, self.first_line = document, first_line
        self.open: list[_Table] = []
        self.n_hidden = 0
        self.in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row, a cell or a paragraph."""
        self.n_hidden += tag in _HIDDEN
        if tag == "table":
            self._end_block()
            if len(self.open) >= _MAX_DEPTH:
                raise MalformedError(f"holds tables more than {_MAX_DEPTH} deep in each other")
            self.open.append(_Table())
        elif self.open and tag in _OF_TABLES:
            self.open[-1].start(tag, dict(attrs), self.getpos()[0] + self.first_line - 1)
        elif not self.open and tag in _BLOCKS:
            self._end_block()
            self.in_heading = tag in _HEADINGS
        else:
            self._write("`" if tag in _CODE else f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        """End what is open."""
        self.n_hidden = max(0, self.n_hidden - (tag in _HIDDEN))
        if tag == "table" and self.open:
            table = self.open.pop()
            if any(table.rows):
                table.add_to(self.document)
        elif self.open and tag in _OF_TABLES:
            self.open[-1].end(tag)
        elif not self.open and tag in _BLOCKS:
            self._end_block()
        else:
            self._write("`" if tag in _CODE else f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Take words where they belong."""
        if not self.n_hidden:
            self._write(html.escape(data, quote=False))

    def _write(self, words: str) -> None:
        (self.open[-1].words if self.open else self.document.block).append(words)

    def _end_block(self) -> None:
        """Add the heading or the paragraph that was read."""
        self.document.end_block(is_heading=self.in_heading)
        self.in_heading = False


def _span(given: dict[str, str | None], name: str) -> int:
    """Return how many rows or columns a cell spans.

    >>> [_span({"colspan": span}, "colspan") for span in ("3", "9999", "all", None)]
    [3, 1000, 1, 1]
    """
    span = (given.get(name) or "").strip()
    is_number = span.isdecimal() and len(span) < 10
    return max(1, min(int(span), _MAX_SPANS[name])) if is_number else 1
