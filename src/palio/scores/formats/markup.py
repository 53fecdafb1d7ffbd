"""Words and tables of documents as a reader sees them: HTML, Markdown and reStructuredText.

Cells and paragraphs of every format pass through here in the markup of one of these; a `Document`
puts the tables together with what is around them. Markdown and reStructuredText are read in one
way, for what is pasted into one is often written as the other: tables with bars, as grids, between
rules, lists and CSV.
"""

from __future__ import annotations

import csv
import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import chain, islice, pairwise, takewhile

from palio.scores import limits
from palio.scores.columns import Context
from palio.scores.limits import MalformedError
from palio.scores.text_tables import MAX_TEXT, Cell, Cells, TextTable, spread

# All repeats are bounded: of any length they would take ages on text that was made for it.
_MAX_CELL = 20_000  # letters that are searched for markup
_MAX_PROSE = 20_000  # letters of a document without its tables
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


# --- HTML: web pages, and what pandas and notebooks write --------------------------------------

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_UNSHOWN = {"script", "style", "template", "svg", "button", "select"}
_VERBATIM = {"code", "pre", "kbd", "samp", "title"}
_BLOCKS = {"p", "div", "li", "section", "figcaption", "blockquote", *_HEADINGS}
_CELLS = {"td", "th"}
_OF_TABLES = {"thead", "tbody", "tfoot", "caption", "tr", *_CELLS}
_MAX_SPANS = {"colspan": 1000, "rowspan": 65_534}  # browsers stop there, too
_MAX_PENDING = 5_000  # letters of a tag, a comment or a script
_MAX_DEPTH = 50  # of tables within tables


@dataclass
class _Table:
    """A table while it is read; ``words`` are where those that come next belong."""

    rows: list[list[tuple[list[str], int, int]]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    in_row: bool = False  # a cell behind the end of a row begins another one

    def start(self, tag: str, given: dict[str, str | None], line: int) -> None:
        """Begin a part, a row or a cell."""
        self.words = self.caption if tag == "caption" else []
        if tag == "tr" or (tag in _CELLS and not self.in_row):
            self.rows.append([])
            self.lines.append(line)
            self.in_row = True
        if tag in _CELLS:
            self.rows[-1].append((self.words, _span(given, "colspan"), _span(given, "rowspan")))

    def add_to(self, document: Document) -> None:
        """Add the table, which is complete, to those of a document."""
        rows = [[Cell("".join(words), *spans) for words, *spans in row] for row in self.rows]
        document.add_table(rows, self.lines, "".join(self.caption))


class Document(HTMLParser):
    """Gathers the tables of a document, and what is around them, in order, from HTML fed to it.

    Where a cell spans rows, its place in these ``is_skipped``, or has a blank cell of its own. What
    is raised or lowered stays marked by its tag.
    """

    def __init__(self, text: str, *, is_skipped: bool = True) -> None:
        super().__init__(convert_charrefs=True)
        limits.check("cells", text.lower().count("<td") + text.lower().count("<th"))
        self.size, self.is_skipped = len(text), is_skipped
        self.open: list[_Table] = []
        self.block: list[str] = []  # the paragraph or heading being read
        self.failed: list[MalformedError] = []  # why others could not be read
        self.in_heading = False
        self._n_hidden = 0
        self._tables: list[tuple[int, TextTable]] = []  # and the place of the heading above
        self._headings = [""]
        self._prose: list[str] = []
        self._above: list[str] = []  # the paragraphs in front of the next table
        self._is_told = False  # whether they are in front of one already

    def feed(self, data: str) -> None:
        """Take a part of a page; what is never closed ends somewhere, or is searched ever again."""
        super().feed(data)
        if len(self.rawdata) > _MAX_PENDING:
            self.close()
            self.updatepos(0, len(self.rawdata))
            self.clear_cdata_mode()
            self.rawdata = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row, a cell or a paragraph."""
        self._n_hidden += tag in _UNSHOWN
        if tag == "table" and len(self.open) < _MAX_DEPTH:
            self.end_block()
            self.open.append(_Table())
        elif self.open and tag in _OF_TABLES:
            self.open[-1].start(tag, dict(attrs), self.getpos()[0])
        else:
            self._other(tag, f"<{tag}>")
            self.in_heading |= not self.open and tag in _HEADINGS

    def handle_endtag(self, tag: str) -> None:
        """End what is open."""
        self._n_hidden = max(0, self._n_hidden - (tag in _UNSHOWN))
        if tag == "table" and self.open:
            self.open.pop().add_to(self)
        elif self.open and tag in _OF_TABLES:
            self.open[-1].words = []
            self.open[-1].in_row &= tag != "tr"
        else:
            self._other(tag, f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Take words where they belong."""
        if not self._n_hidden:
            self._write(html.escape(data, quote=False))

    def _other(self, tag: str, shown: str) -> None:
        if not self.open and tag in _BLOCKS:
            self.end_block()
        else:
            self._write("`" if tag in _VERBATIM else shown)

    def _write(self, words: str) -> None:
        place = self.open[-1].words if self.open else self.block
        if place or not words.isspace():
            place.append(words)

    def end_block(self) -> None:
        """Add the heading or the paragraph that was read."""
        text = " ".join("".join(self.block).split())
        self.block.clear()
        if text:
            self.add_words(text, is_heading=self.in_heading)
        self.in_heading = False

    def add_words(self, text: str, *, is_heading: bool = False) -> None:
        """Add a heading, or a paragraph: those above a table may tell of it."""
        text = text[:_MAX_CELL]
        self._prose.append(f"{'# ' * is_heading}{plain_text(text, has_code=False)}")
        words = plain_text(text)
        if is_heading:  # what follows is about something else
            self._headings.append(words[:MAX_TEXT])
            self._above.clear()
        elif words:
            if self._is_told:
                self._above.clear()
            self._is_told = False
            self._above.append(words[-MAX_TEXT:])

    def add_table(self, cells: Cells, lines: Sequence[int], caption: str) -> None:
        """Add a table; where it has no caption, the last sentence above introduces it."""
        rows = spread(cells, self.size, is_skipped=self.is_skipped)
        shown = {cell: plain_text(cell) for cell in set(chain.from_iterable(rows))}
        plain = [[shown[cell] for cell in row] for row in rows]
        if not any(map(any, plain)):
            return
        last = self._above[-1] if self._above else ""
        caption = plain_text(caption)[:MAX_TEXT] or _SENTENCE.split(last)[-1]
        context = Context("", "", caption, "\n".join(self._above)[-MAX_TEXT:])
        self._is_told = True
        self._tables.append((len(self._headings) - 1, TextTable(plain, lines, context)))

    def tables(self, reason: str, remedy: str = "") -> list[TextTable | MalformedError]:
        """Return the tables by their lines, and those that failed; raise where there is none."""
        self.close()
        self.end_block()
        for table in self.open[::-1]:  # some are never closed
            table.add_to(self)
        if not self._tables and not self.failed:
            raise MalformedError(reason, remedy)
        prose = "\n".join(filter(None, self._prose))[:_MAX_PROSE]
        found = [
            replace(table, context=replace(table.context, heading=self._heading(n), prose=prose))
            for n, table in self._tables
        ]
        return [*sorted(found, key=lambda each: each.lines[0]), *self.failed]

    def _heading(self, place: int) -> str:
        """Return a heading; one that comes again is told apart by the last one that does not."""
        heading = self._headings[place]
        if sum(self._headings[at] == heading for at in {n for n, _ in self._tables}) < 2:
            return heading
        above = (each for each in self._headings[place::-1] if self._headings.count(each) == 1)
        return " / ".join(filter(None, [next(above, ""), heading]))


def read_html(text: str, _name: str) -> list[TextTable | MalformedError]:
    """Read all tables of a page."""
    document = Document(text)
    document.feed(text)
    return document.tables("is a web page without a table", "Download the file itself")


def _span(given: dict[str, str | None], name: str) -> int:
    """Return how many rows or columns a cell spans.

    >>> [_span({"colspan": span}, "colspan") for span in ("3", "9999", "all", None)]
    [3, 1000, 1, 1]
    """
    span = (given.get(name) or "").strip()
    is_number = span.isdecimal() and len(span) < 10
    return max(1, min(int(span), _MAX_SPANS[name])) if is_number else 1


# --- Markdown and reStructuredText -----------------------------------------------------------

_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*")
# As databases and PrettyTable print: a rule below the header, and none between rows.
_PRINTED = re.compile(r"\+[-+]+\+((?:\n\|.*)+\n\+[-+]+\+)?\n(?:\|\s*[^\s|].*\n){2,}\+[-+]+\+")
_SIMPLE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*")
_UNDERLINES = re.compile(r"\s*-+(?:[ \t]+-+)*\s*")
_DIRECTIVE = re.compile(r"\s*\.\.\s+(list-table|csv-table|table)::\s*(.{0,500})")
_OPTION = re.compile(r":([\w-]{1,40}):\s*(.{0,2000})")
_HEADING = re.compile(r"#{1,6}\s")
_UNDERLINE = re.compile(r"\s*([=\-`'\"~^_*+#.])\1{2,}\s*")
_HIDDEN = re.compile(r"\.\.\s+\S")
_SHOWN = re.compile(
    r"\.\.\s+(?:note|warning|tip|hint|important|caution|attention|info|tabs|tab-set|raw)::"
)
_TAB = re.compile(r"\.\.\s+(?:group-)?(?:tab|tab-item|dropdown)::|:{3,9}\{tab-item\}")

Lines = Sequence[str]
Found = tuple[list[list[str]], list[int], int]
"""Cells as they are written, the line of each row, and the line behind."""


def table_kind(text: str) -> str:
    r"""Return what kind of table a text begins with, in the words of `FORMATS`.

    >>> table_kind("| model | acc |\n|---|---|\n| knn | 0.9 |\n"), table_kind("===  ===\na    b")
    ('markdown', 'rst')
    """
    kind = _kind(text.lstrip().split("\n", 2), 0)
    return {"bars": "markdown", "grid": "rst", "simple": "rst"}.get(kind, "")


def _kind(lines: Lines, place: int) -> str:
    """Return what kind of table begins in a line."""
    line, below = lines[place].rstrip(), "".join(lines[place + 1 : place + 2]).rstrip()
    if "|" in line and "-" in below and _DASHES.fullmatch(below):  # the header is above dashes
        return "bars"
    if directive := _DIRECTIVE.fullmatch(line):
        return directive[1]
    return "grid" if _GRID.fullmatch(line) else "simple" if _SIMPLE.fullmatch(line) else ""


def read_markup(text: str, _name: str) -> list[TextTable | MalformedError]:
    """Read all tables in a text, those in HTML among them."""
    limits.check_text(text, "|")
    reader = _LineReader(text)
    place = 0
    while place < len(reader.lines):
        place = reader.read_table(place) or reader.read_line(place)
    return reader.tables("holds no table: bars above dashes, +---+, === ===, or one in HTML")


class _LineReader(Document):
    """Goes through the lines of a document, and gathers tables and words; the rest is HTML."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines = text.expandtabs().splitlines()
        self.title = ""  # of the next table
        self.in_code = False
        self.indent = -1  # of a directive whose lines are no prose

    def read_table(self, place: int) -> int:
        """Read the table that begins in a line, and return the line behind it; 0 where none is."""
        kind = "" if self.open else _kind(self.lines, place)
        if kind.endswith("table"):
            self.title = _DIRECTIVE.sub(r"\2", self.lines[place].rstrip())
        try:
            found = _READERS[kind](self.lines, place) if kind in _READERS else None
        except MalformedError as error:
            self.failed.append(error)
            found = [], [], place + 2
        if found is None:
            return 0
        cells, numbers, end = found
        self.end_block()
        self.add_table(cells, numbers, self.title)
        self.title = ""
        self.feed("\n" * (end - place))  # which counts them
        return end

    def read_line(self, place: int) -> int:
        """Read a line of words, and return the one behind it."""
        line = self.lines[place]
        words = line.strip()
        if self.open or "<table" in line.lower():
            self.feed(f"{line}\n")
        elif not self.in_code and (tab := _TAB.match(words)):
            self.feed(f"<h2>{words[tab.end() :].strip()}</h2>\n")
        elif self._is_hidden(line) or not words or words.startswith(("|", "+-", ":::")):
            self.end_block()
            self.feed("\n")
        elif _HEADING.match(line):
            self.feed(f"<h2>{words.strip('# ')}</h2>\n")
        elif not _UNDERLINE.fullmatch(line):
            self.feed(f"{line}\n")
        else:
            title = self.block.pop().strip() if self.block else ""
            self.end_block()
            self.feed(f"<h2>{title}</h2>\n")
        return place + 1

    def _is_hidden(self, line: str) -> bool:
        """Return whether a line is code, or belongs to a directive."""
        words, left = line.strip(), _indent(line)
        if words.startswith("```") or (words.startswith("~~~") and not self.block):
            self.in_code = not self.in_code
            return True
        if words and left <= self.indent:
            self.indent = -1
        is_inside = self.in_code or self.indent >= 0
        is_directive = _HIDDEN.match(words) is not None
        if not is_inside and (is_directive or words.endswith("::")) and not _SHOWN.match(words):
            self.indent = left
        return is_inside or is_directive


def _from(lines: Lines, begin: int) -> Iterator[str]:
    return (lines[place] for place in range(begin, len(lines)))  # copies nothing


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# --- with bars -------------------------------------------------------------------------------


def _bars(lines: Lines, begin: int) -> Found:
    """Read a table of Markdown: ``| model | accuracy |`` above dashes."""
    below = list(takewhile(lambda line: "|" in line, _from(lines, begin + 2)))
    header, *rows = (_cells(line) for line in (lines[begin], *below))
    width, end = len(header), begin + 2 + len(below)
    for n, row in enumerate(rows, start=begin + 3):
        if any(map(str.strip, row[width:])):
            told = f"{width} columns were named, line {n} has {len(row)}"
            raise MalformedError(f"is not a table: {told}")
    numbers = [begin + 1, *range(begin + 3, end + 1)]
    return [header, *(row[:width] for row in rows)], numbers, end


def _cells(line: str) -> list[str]:
    r"""Split a line at its bars.

    >>> _cells(r"| [knn](https://x.org) | **0.9** | a\|b |")
    [' [knn](https://x.org) ', ' **0.9** ', ' a|b ']
    """
    inner = line.strip().removeprefix(">").strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|") for cell in _BAR.split(inner)]


def _grid(lines: Lines, begin: int) -> Found | None:
    """Read a grid: cells may span columns and rows, where a line between them is left out."""
    left = _indent(lines[begin])
    drawn = list(takewhile(lambda line: line[left : left + 1] in ("+", "|"), _from(lines, begin)))
    width, end = max(map(len, drawn)), begin + len(drawn)
    limits.check_spanned(len(drawn) * width, sum(map(len, drawn)))
    drawn = [line[left:].rstrip() for line in drawn]
    rules = [n for n, line in enumerate(drawn) if re.search(r"\+[-=]+\+", line)]
    if len(rules) < 2 or rules[-1] != len(drawn) - 1:
        return None
    cuts = sorted({place for n in rules for place, letter in enumerate(drawn[n]) if letter == "+"})
    limits.check_spanned(len(rules) * len(cuts), len(drawn) * width)
    if _PRINTED.fullmatch("\n".join(drawn)):
        places = [n for n, line in enumerate(drawn) if line.startswith("|")]
        rows = [[drawn[n][a + 1 : b].strip() for a, b in pairwise(cuts)] for n in places]
        return rows, [begin + n + 1 for n in places], end
    rows = _spanned([line.ljust(width) for line in drawn], rules, cuts)
    return rows, [begin + rule + 2 for rule in rules[:-1]], end


def _spanned(drawn: Lines, rules: Sequence[int], cuts: Sequence[int]) -> list[list[str]]:
    """Return the words of every cell; what spans several stands in each of them."""
    # Of cells that belong together, all share the list of words.
    cells: list[list[list[str]]] = []
    for top, bottom in pairwise(rules):
        row, begin = list[list[str]](), 0
        for m, right in enumerate(cuts[1:], start=1):
            is_cut = any(line[right] in "|+" for line in drawn[top + 1 : bottom])
            if not is_cut and right != cuts[-1]:
                continue
            a = cuts[begin] + 1
            is_open = bool(cells) and not re.fullmatch(r"[-=+]+", drawn[top][a:right])
            words = cells[-1][begin] if is_open else []
            words += [line[a:right] for line in drawn[top + (not is_open) : bottom]]
            row += [words] * (m - begin)
            begin = m
        cells.append(row)
    return [[" ".join(" ".join(words).split()) for words in row] for row in cells]


def _simple(lines: Lines, begin: int) -> Found | None:
    """Read a table between lines of equal signs, whose gaps are those between the columns."""
    below = (n for n in range(begin + 1, len(lines)) if _SIMPLE.fullmatch(lines[n]))
    rules = [begin, *islice(below, 2)]
    if len(rules) == 3 and not lines[rules[1] + 1].strip():
        del rules[2]  # it is of another table, for this one has no header
    rows, numbers = list[list[str]](), list[int]()
    columns = [each.start() for each in re.finditer("=+", lines[begin])]
    for n in range(begin + 1, rules[-1]):
        cells = _cut(lines[n], lines[begin], columns)
        if n == rules[1] or not any(cells):
            continue
        if rows and n < rules[1] and _UNDERLINES.fullmatch(lines[n]):
            rows[-1] = _cut(lines[n - 1], lines[n], columns)
        elif cells[0] or not rows or n < rules[1]:
            rows.append(cells)
            numbers.append(n + 1)
        else:  # without a first cell a line goes on with the row above
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
    return (rows, numbers, rules[-1] + 1) if rows else None


def _cut(line: str, rule: str, columns: Sequence[int]) -> list[str]:
    """Cut a line where the parts of a rule begin, and return what is at the begin of each column.

    >>> _cut("a  both", "-  ----", [0, 3, 5])
    ['a', 'both', 'both']
    """
    begins = sorted({0, *(each.start() for each in re.finditer("[=-]+", rule))})
    cells = [line[a:b].strip() for a, b in pairwise([*begins, None])]
    return [cells[bisect_right(begins, column) - 1] for column in columns]


def _directive(lines: Lines, begin: int) -> Found | None:
    """Read a table in a directive: CSV, or a list of lists, in which ``* -`` begins a row."""
    left = _indent(lines[begin])
    below = takewhile(
        lambda line: not line.strip() or _indent(line) > left, _from(lines, begin + 1)
    )
    inside = {n: line.strip() for n, line in enumerate(below, start=begin + 2)}
    options = {each[1]: each[2] for line in inside.values() if (each := _OPTION.match(line))}
    content = {n: line for n, line in inside.items() if line and not _OPTION.match(line)}
    if _kind(lines, begin) == "list-table":
        items = re.split(r"(?:^|\n)\*\s+-(?:\s+|$)", "\n".join(content.values()))[1:]
        rows = [re.split(r"\n-(?: |(?=\n)|$)", item) for item in items]
        numbers = [n for n, line in content.items() if line.startswith("*")]
    else:
        if "header" in options:
            content = {begin + 1: options["header"], **content}
        rows = list(csv.reader(content.values(), skipinitialspace=True))
        numbers = [*content][: len(rows)]
    return (rows, numbers, begin + 1 + len(inside)) if rows else None


_READERS = {
    "list-table": _directive,
    "csv-table": _directive,
    "bars": _bars,
    "grid": _grid,
    "simple": _simple,
}
