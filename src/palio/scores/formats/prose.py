"""Words and tables of documents as a reader sees them, and HTML, which may be in any of them.

Cells and paragraphs of every format pass through here in the markup of Markdown,
reStructuredText or HTML; a `Document` puts the tables together with what is around them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import chain

from palio.scores import limits
from palio.scores.columns import Context
from palio.scores.limits import MalformedError
from palio.scores.text_tables import MAX_TEXT, Cell, Cells, TextTable, spread

# All repeats are bounded: of any length they would take ages on text that was made for it.
_MAX_CELL = 20_000  # letters that are searched for markup
_MAX_PROSE = 20_000  # letters of a document without its tables
_BOLD = re.compile(
    r"<(?:b|strong)\b[^>]{0,200}>|(?<![A-Za-z0-9*])\*\*(?=[^\s*])|(?<!\w)__(?=[^\s_])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LETTERS = str.maketrans("（）％", "()%", "\u200b\u2060\ufeff")  # wide ones, and invisible ones
_CODE = re.compile(r"(`{1,2})([^`]{1,2000})\1")
# In the order in which they are taken away.
_TAGS = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), shown)
    for pattern, shown in (
        (r"(?:\\ )?:(sub|sup):`([^`]{1,100})`(?:\\ )?", r"<\1>\2</\1>"),
        (r"!\[([^\]]{0,300})\]\([^)]{0,2000}\)", r"\1"),  # images
        (r"\s?\[\^[^\]\s]{1,30}\]|\s?\[(?:#[\w-]{0,30}|\*|\d{1,3})\]_", ""),  # footnotes
        (r"\[([^\[\]]{0,500})\]\([^()]{0,1000}(?:\([^()]{0,300}\)[^()]{0,300})?\)", r"\1"),
        (r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]", r"\1"),
        # A spread, and what else may be below a number.
        (
            r"(?<![\w.])(\d[\d.,]{0,20}%?\)?)\s?<sub>[\s±(]{0,3}([\d.,]{1,12}(?:e-?\d)?%?)[\s)]{0,2}</sub>",
            r"\1 ± \2",
        ),
        (r"(?<=[\d%)])\s?<sub>([^<]{1,40})</sub>", r" (\1)"),
        (r"(?<=[\d*%])\s{0,3}<br\s?/?>\s{0,3}(?=[\d*])", " / "),  # two numbers
        (r"</?(?:br|p|div|li)\b[^<>]{0,500}>", " "),
        (r"(?<![\w.×·])10<sup>\s?([+-]?\d{1,4})\s?</sup>", r"1e\1"),
        (r"(?<![\w.])10<sup>\s?([+−-]?\d{1,4})\s?</sup>", r"10^\1"),
        # R² and C<sup>3</sup> are names; a mark behind a longer word leads to a footnote.
        (r"(?<![\w>])([^\W\d])<sup>([^<]{1,10})</sup>", r"\1\2"),
        (
            r"\s?<sup>(?:<[^>]{0,300}>){0,2}(?:[\d*'†‡§¶,\s]{1,10}|[a-z]|(?<=\d<sup>)[a-z,]{1,9})"
            r"(?:</[a-z]{1,9}>){0,2}</sup>",
            "",
        ),
        (r"</?[a-z][^<>]{0,2000}>|<!--.{0,2000}?-->", ""),
    )
]
_MARKS = [
    (re.compile(pattern), r"\1")
    for pattern in (
        # What Sphinx shows of a role: the end of ~package.Name, the words in front of <.
        r"(?<!\w):[\w:+.-]{1,40}:`(?:~[^`<]{0,300}\.)?([^`<]{1,300}?)\s{0,3}(?:<[^`]{0,300})?`",
        r"`([^`<]{1,300}?)\s{0,3}(?:<[^`>]{0,1000}>)?`__?",
    )
]
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")


def plain_text(cell: str, *, has_code: bool = True) -> str:
    r"""Return what a cell or a paragraph shows, with or without its code.

    >>> plain_text("[knn](https://x.org)<sup>1</sup>"), plain_text("_**0.27**_ (±0.01)")
    ('knn', '0.27 (±0.01)')
    >>> plain_text("Z3<sup><a href='#fn'>n</a></sup>"), plain_text("2×10<sup>-3</sup>")
    ('Z3', '2×10^-3')
    >>> plain_text("0.8<sup>1</sup>"), plain_text("0.8<sub>0.02</sub>"), plain_text("N<sub>2</sub>")
    ('0.8', '0.8 ± 0.02', 'N2')
    >>> plain_text("8<sub>(2)</sub>"), plain_text("V2<sub>1</sub>"), plain_text("10<sup>-3</sup>")
    ('8 ± 2', 'V2 (1)', '1e-3')
    >>> plain_text("DROP[^5]<br>(F1)"), plain_text(":class:`~moabb.CSP`"), plain_text("`xgb`_")
    ('DROP (F1)', 'CSP', 'xgb')
    >>> plain_text(r"NDCG\ :sub:`1`"), plain_text(r"R\ :sup:`2`"), plain_text(r"knn\ :sup:`1`")
    ('NDCG1', 'R2', 'knn')
    >>> plain_text("pass_rate_2"), plain_text("58.0*"), plain_text(r"xgboost\_hist")
    ('pass_rate_2', '58.0*', 'xgboost_hist')
    """
    if len(cell) > _MAX_CELL or (cell.isalnum() and cell.isascii()):
        return cell.strip()
    text = cell.translate(_LETTERS)
    for pattern, shown in _TAGS:
        text = pattern.sub(shown, text)
    text = html.unescape(text)
    for pattern, shown in _MARKS:
        text = pattern.sub(shown, text)
    text = _CODE.sub(r"\2" if has_code else "", text)
    for _ in range(3):  # _**a**_ is one within the other
        text = _EMPHASIS.sub(r"\2", text)
    return " ".join(_ESCAPED.sub(r"\1", text).split())


def bold_cells(rows: Iterable[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """Return row and column of the cells in which something is bold.

    >>> sorted(bold_cells([["_**0.9**_ ± 0.1", "2**3"], ["", "<b>0.9</b>"]]))
    [(0, 0), (1, 1)]
    """
    cells = ((n, m, cell) for n, row in enumerate(rows) for m, cell in enumerate(row))
    return frozenset((n, m) for n, m, cell in cells if _BOLD.search(cell[:_MAX_CELL]))


class Document:
    """Gathers the tables of a document of ``size`` letters, and what is around them, in order.

    Where a cell spans rows, its place in these ``is_skipped``, or has a blank cell of its own.
    """

    def __init__(self, size: int, *, is_skipped: bool = True) -> None:
        self.size, self.is_skipped = size, is_skipped
        self.block: list[str] = []  # the paragraph or heading being read
        self.failed: list[MalformedError] = []  # why others could not be read
        self._tables: list[tuple[int, TextTable]] = []  # and the place of the heading above
        self._headings = [""]
        self._prose: list[str] = []
        self._before = ""
        self._is_below_table = False

    def end_block(self, *, is_heading: bool = False) -> None:
        """Add the paragraph or the heading that was read."""
        text = " ".join("".join(self.block).split())
        self.block.clear()
        if text:
            self.add_words(text, is_heading=is_heading)

    def add_words(self, text: str, *, is_heading: bool = False) -> None:
        """Add a heading, or a paragraph: those next to a table may tell of it."""
        text = text[:_MAX_CELL]
        self._prose.append(f"{'# ' * is_heading}{plain_text(text, has_code=False)}")
        words = plain_text(text)
        if is_heading:  # what follows is about something else
            self._headings.append(words[:MAX_TEXT])
            self._before = ""
        elif words:
            self._before = words[-MAX_TEXT:]
            if self._is_below_table:
                place, table = self._tables[-1]
                near = f"{table.context.text} {words}".strip()[:MAX_TEXT]
                self._tables[-1] = place, _about(table, text=near)
        self._is_below_table &= not (is_heading or words)

    def add_table(
        self, cells: Cells, lines: Sequence[int], n_header: int | None, caption: str = ""
    ) -> None:
        """Add a table; where it has no caption, the last sentence above introduces it."""
        rows = spread(cells, self.size, is_skipped=self.is_skipped)
        shown = {cell: plain_text(cell) for cell in set(chain.from_iterable(rows))}
        plain = [[shown[cell] for cell in row] for row in rows]
        if not any(map(any, plain)):
            return
        caption = plain_text(caption)[:MAX_TEXT] or _SENTENCE.split(self._before)[-1]
        context = Context("", "", caption, self._before)
        table = TextTable(plain, lines, n_header, context, bold_cells(rows))
        self._tables.append((len(self._headings) - 1, table))
        self._is_below_table = True

    def tables(self, reason: str, remedy: str = "") -> list[TextTable | MalformedError]:
        """Return the tables by their lines, and those that failed; raise where there is none."""
        if not self._tables and not self.failed:
            raise MalformedError(reason, remedy)
        prose = "\n".join(filter(None, self._prose))[:_MAX_PROSE]
        found = [_about(t, heading=self._heading(n), prose=prose) for n, t in self._tables]
        return [*sorted(found, key=lambda each: each.lines[0]), *self.failed]

    def _heading(self, place: int) -> str:
        """Return a heading; one that comes again is told apart by the last one that does not."""
        heading = self._headings[place]
        if sum(self._headings[at] == heading for at in {n for n, _ in self._tables}) < 2:
            return heading
        above = (each for each in self._headings[place::-1] if self._headings.count(each) == 1)
        return " / ".join(filter(None, [next(above, ""), heading]))


def _about(table: TextTable, **words: str) -> TextTable:
    return replace(table, context=replace(table.context, **words))


# --- HTML: web pages, and what pandas and notebooks write --------------------------------------

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_HIDDEN = {"script", "style", "template", "svg", "button", "select"}
_VERBATIM = {"code", "pre", "kbd", "samp", "title"}
_BLOCKS = {"p", "div", "li", "section", "figcaption", "blockquote", *_HEADINGS}
_PARTS = {"thead", "tbody", "tfoot", "caption"}
_OF_TABLES = {*_PARTS, "tr", "td", "th"}
_MAX_SPANS = {"colspan": 1000, "rowspan": 65_534}  # browsers stop there, too
_MAX_DEPTH = 50  # of tables within tables


@dataclass
class _Table:
    """A table while it is read; ``words`` are where those that come next belong."""

    rows: list[list[tuple[list[str], int, int]]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    part: str = ""
    in_row: bool = False  # a cell behind the end of a row begins another one
    n_header: int = -1  # rows in <thead>, or else those above the first <td>

    def start(self, tag: str, given: dict[str, str | None], line: int) -> None:
        """Begin a part, a row or a cell."""
        self.words = self.caption if tag == "caption" else []
        is_body = tag == "tbody" or (tag == "td" and self.part != "thead")
        if is_body and self.rows and self.n_header < 0:
            self.n_header = len(self.rows) - (tag == "td")
        if tag in _PARTS:
            self.part = tag
            return
        if tag == "tr" or not self.in_row:
            self.rows.append([])
            self.lines.append(line)
        self.in_row = True
        if tag != "tr":
            self.rows[-1].append((self.words, _span(given, "colspan"), _span(given, "rowspan")))

    def add_to(self, document: Document) -> None:
        """Add the table, which is complete, to those of a document."""
        rows = [[Cell("".join(words), *spans) for words, *spans in row] for row in self.rows]
        n_header = self.n_header if self.n_header > 0 else None
        document.add_table(rows, self.lines, n_header, "".join(self.caption))


def read_html(text: str, _name: str) -> list[TextTable | MalformedError]:
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
    for table in reader.open[::-1]:  # some are never closed
        table.add_to(document)


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
        if tag == "table" and len(self.open) < _MAX_DEPTH:
            self._end_block()
            self.open.append(_Table())
        elif self.open and tag in _OF_TABLES:
            self.open[-1].start(tag, dict(attrs), self.getpos()[0] + self.first_line - 1)
        else:
            self._other(tag, f"<{tag}>")
            self.in_heading |= not self.open and tag in _HEADINGS

    def handle_endtag(self, tag: str) -> None:
        """End what is open."""
        self.n_hidden = max(0, self.n_hidden - (tag in _HIDDEN))
        if tag == "table" and self.open:
            self.open.pop().add_to(self.document)
        elif self.open and tag in _OF_TABLES:
            self.open[-1].words = []
            self.open[-1].part = "" if tag in _PARTS else self.open[-1].part
            self.open[-1].in_row &= tag != "tr"
        else:
            self._other(tag, f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Take words where they belong."""
        if not self.n_hidden:
            self._write(html.escape(data, quote=False))

    def _other(self, tag: str, shown: str) -> None:
        if not self.open and tag in _BLOCKS:
            self._end_block()
        else:
            self._write("`" if tag in _VERBATIM else shown)

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
