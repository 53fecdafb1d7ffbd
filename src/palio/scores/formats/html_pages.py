"""Tables in HTML: web pages, and what pandas and notebooks write."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from html.parser import HTMLParser

from palio.scores import limits
from palio.scores.formats.markdown import plain_text
from palio.scores.limits import MalformedError
from palio.scores.text_tables import (
    MAX_TEXT,
    Context,
    TextTable,
    check_spanned,
    rectangle,
    with_prose,
)

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_HIDDEN = {"script", "style", "template", "svg", "button", "select"}
_CODE = {"code", "pre", "kbd", "samp", "title"}
_BLOCKS = {"p", "div", "li", "section", "figcaption", "blockquote", *_HEADINGS}
_PARTS = {"thead", "tbody", "tfoot", "caption"}
_MAX_SPAN = 1000  # columns; browsers stop there, too
_MAX_ROW_SPAN = 65_534
_MAX_DEPTH = 50  # of tables within tables


@dataclass
class _Cell:
    header: bool
    columns: int
    rows: int
    text: list[str] = field(default_factory=list)
    bold: bool = False


@dataclass
class _Table:
    """A table while it is read, and which of its parts are open."""

    heading: str
    before: str
    after: str = ""
    caption: list[str] = field(default_factory=list)
    rows: list[list[_Cell]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    n_head_rows: int = 0  # in <thead>
    open: set[str] = field(default_factory=set)

    def start(self, tag: str, given: dict[str, str | None], line: int) -> None:
        """Begin a part, a row or a cell."""
        if tag in _PARTS:
            self.open = {tag}
        elif tag == "tr" or (tag in ("td", "th") and "row" not in self.open):
            self.open = (self.open & {"thead"}) | {"row"}
            self.rows.append([])
            self.lines.append(line)
            self.n_head_rows += "thead" in self.open
        if tag in ("td", "th"):
            columns = _span(given.get("colspan"), _MAX_SPAN)
            rows = _span(given.get("rowspan"), _MAX_ROW_SPAN)
            self.rows[-1].append(_Cell(tag == "th", columns, rows))
            self.open.add("cell")
        elif "cell" in self.open:
            self.rows[-1][-1].bold |= tag in ("b", "strong")
            self.add({"sup": "<sup>", **dict.fromkeys(("br", "p", "div", "li"), " ")}.get(tag, ""))

    def end(self, tag: str) -> None:
        """End a part, a row or a cell."""
        if tag == "sup" and "cell" in self.open:
            self.add("</sup>")
        ended = {"td": {"cell"}, "th": {"cell"}, "tr": {"cell", "row"}}
        self.open -= self.open if tag in _PARTS else ended.get(tag, set())

    def add(self, marked: str) -> None:
        """Take words where they belong."""
        if "cell" in self.open:
            self.rows[-1][-1].text.append(marked)
        elif "caption" in self.open:
            self.caption.append(html.unescape(marked))


def read_html(text: str, _name: str) -> list[TextTable]:
    """Read all tables of a page."""
    limits.check("cells", text.lower().count("<td") + text.lower().count("<th"))
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.close_tables(len(reader.open))
    found = [_text_table(table, len(text)) for table in reader.found if any(table.rows)]
    if not found:
        raise MalformedError("is a web page without a table", "Download the file itself")
    return with_prose(sorted(found, key=lambda table: table.lines[0]), reader.prose)


class _Reader(HTMLParser):
    """Gathers tables and the words around them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Table] = []
        self.open: list[_Table] = []
        self.hidden = self.in_code = 0
        self.heading = ""
        self.in_heading = False
        self.block: list[str] = []  # the paragraph being read
        self.spoken: list[str] = []  # the same without code
        self.before = ""  # the paragraph before it
        self.prose: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row, a cell or a paragraph."""
        self.in_code += tag in _CODE
        self.hidden += tag in _HIDDEN
        if tag == "table":
            self._end_block()
            if len(self.open) >= _MAX_DEPTH:
                raise MalformedError(f"holds tables more than {_MAX_DEPTH} deep in each other")
            self.open.append(_Table(self.heading, self.before))
        elif self.open:
            self.open[-1].start(tag, dict(attrs), self.getpos()[0])
        elif tag in _BLOCKS:
            self._end_block()
            self.in_heading = tag in _HEADINGS

    def handle_endtag(self, tag: str) -> None:
        """End what is open."""
        self.in_code = max(0, self.in_code - (tag in _CODE))
        self.hidden = max(0, self.hidden - (tag in _HIDDEN))
        if tag == "table":
            self.close_tables(1)
        elif self.open:
            self.open[-1].end(tag)
        elif tag in _BLOCKS:
            self._end_block()

    def handle_data(self, data: str) -> None:
        """Take words where they belong."""
        if self.hidden:
            return
        if self.open:
            self.open[-1].add(html.escape(data, quote=False))
        else:
            self.block.append(data)
            self.spoken += [] if self.in_code else [data]

    def _end_block(self) -> None:
        text, spoken = (" ".join("".join(each).split()) for each in (self.block, self.spoken))
        self.block, self.spoken = [], []
        self.prose.append(f"# {spoken}" if spoken and self.in_heading else spoken)
        if not text:
            return
        if self.in_heading:
            self.heading, self.before, self.in_heading = text[:MAX_TEXT], "", False
            return
        self.before = text[-MAX_TEXT:]
        if self.found and not self.found[-1].after:
            self.found[-1].after = text[:MAX_TEXT]

    def close_tables(self, n_tables: int) -> None:
        """End the innermost tables; some are never closed."""
        self._end_block()
        for _ in range(min(n_tables, len(self.open))):
            self.found.append(self.open.pop())


def _span(given: str | None, most: int) -> int:
    """Return how many rows or columns a cell spans.

    >>> _span("3", 10), _span("999", 10), _span("all", 10), _span(None, 10)
    (3, 10, 1, 1)
    """
    given = (given or "").strip()
    return max(1, min(int(given), most)) if given.isdecimal() and len(given) < 10 else 1


def _text_table(table: _Table, size: int) -> TextTable:
    filled: list[dict[int, str]] = [{} for _ in table.rows]
    spans = ((n, cell) for n, cells in enumerate(table.rows) for cell in cells)
    check_spanned(sum(min(c.rows, len(filled) - n) * c.columns for n, c in spans), size)
    best = set()
    for n, cells in enumerate(table.rows):
        column = 0
        for cell in cells:
            while column in filled[n]:
                column += 1
            text = plain_text("".join(cell.text))
            for row in filled[n : n + cell.rows]:
                row.update(dict.fromkeys(range(column, column + cell.columns), text))
            if cell.bold and not cell.header:
                best.add((n, column))
            column += cell.columns
    rows = [[row.get(place, "") for place in range(max(row, default=-1) + 1)] for row in filled]
    caption = " ".join("".join(table.caption).split()) or table.before
    text = " ".join(filter(None, [table.before, table.after]))
    context = Context("", table.heading, caption[:MAX_TEXT], text[:MAX_TEXT])
    # Where no row is in <thead>, those are header that hold <th> only.
    plain = [n for n, cells in enumerate(table.rows) if not all(cell.header for cell in cells)]
    n_header = table.n_head_rows or next(iter(plain), len(rows)) or None
    return TextTable(rectangle(rows, size), table.lines, n_header, context, frozenset(best))
