"""Words of documents as a reader sees them: without links, emphasis, tags, roles and marks.

Cells and paragraphs of every format pass through here in the markup of Markdown,
reStructuredText or HTML; a `Document` puts the tables together with what is around them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from palio.scores.columns import Context
from palio.scores.limits import MalformedError
from palio.scores.text_tables import MAX_TEXT, Cells, TextTable, spread

# All repeats are bounded: of any length they would take ages on text that was made for it.
_MAX_CELL = 20_000  # letters that are searched for markup
_MAX_PROSE = 20_000  # letters of a document without its tables
_BOLD = re.compile(
    r"<(?:b|strong)\b[^>]{0,200}>|(?<![A-Za-z0-9*])\*\*(?=[^\s*])|(?<!\w)__(?=[^\s_])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def _short_name(role: re.Match[str]) -> str:
    """Return what Sphinx shows of a role: the end of ``~package.Name``, the words before ``<``."""
    shown = role[1].partition("<")[0].strip() or role[1]
    return shown.rpartition(".")[2] if shown.startswith("~") else shown


_LETTERS = str.maketrans("（）％", "()%", "\u200b\u2060\ufeff")  # wide ones, and invisible ones
_CODE = re.compile(r"(`{1,2})([^`]{1,2000})\1")
# In the order in which they are taken away.
_BEFORE_CODE = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), shown)
    for pattern, shown in (
        (r"(?:\\ )?:sub:`([^`]{1,100})`(?:\\ )?", r"\1"),
        (r"(?:\\ )?:sup:`([^`]{1,100})`(?:\\ )?", r"<sup>\1</sup>"),
        (r"!\[([^\]]{0,300})\]\([^)]{0,2000}\)", r"\1"),  # images
        (r"\s?\[\^[^\]\s]{1,30}\]|\s?\[(?:#[\w-]{0,30}|\*|\d{1,3})\]_", ""),  # footnotes
        (r"\[([^\[\]]{0,500})\]\([^()]{0,1000}(?:\([^()]{0,300}\)[^()]{0,300})?\)", r"\1"),
        (r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]", r"\1"),
        (r"(?<=\d)\s?<sub>\s?±?\s?(\d{0,4}[.,]\d{1,9})\s?</sub>", r" ± \1"),  # a spread
        (r"(?<=[\d*%])\s{0,3}<br\s?/?>\s{0,3}(?=[\d*])", " / "),  # two numbers
        (r"</?(?:br|p|div|li)\b[^<>]{0,500}>", " "),
        (r"(?<![\w.])10<sup>\s?([+−-]?\d{1,4})\s?</sup>", r"10^\1"),
        # R² and C<sup>3</sup> are names; a mark behind a longer word leads to a footnote.
        (r"(?<![\w>])([^\W\d])<sup>([^<]{1,10})</sup>", r"\1\2"),
        (
            r"\s?<sup>(?:<[^>]{0,300}>){0,2}(?:[\d*†‡§¶,\s]{1,10}|[a-z])(?:</[a-z]{1,9}>){0,2}</sup>",
            "",
        ),
        (r"</?[a-z][^<>]{0,2000}>|<!--.{0,2000}?-->", ""),
    )
]
_ROLE = re.compile(r"(?<!\w):[\w:+.-]{1,40}:`([^`]{1,300})`")
_TARGET = re.compile(r"`([^`<]{1,300}?)\s{0,3}(?:<[^`>]{0,1000}>)?`__?")
_EMPHASIS = [
    re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]{1,500}?)(?<=[^\s*])\1(?!\w)"),
    re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,500}?)(?<=[^\s_])\1(?!\w)"),
    re.compile(r"(~~)([^~]{1,500})\1"),
]
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")


def plain_text(cell: str, *, has_code: bool = True) -> str:
    r"""Return what a cell or a paragraph shows, with or without its code.

    >>> plain_text("[knn](https://x.org)<sup>1</sup>"), plain_text("_**0.27**_ (±0.01)")
    ('knn', '0.27 (±0.01)')
    >>> plain_text("Z3<sup><a href='#fn'>n</a></sup>"), plain_text("2×10<sup>-3</sup>")
    ('Z3', '2×10^-3')
    >>> plain_text("0.8<sup>1</sup>"), plain_text("0.8<sub>0.02</sub>"), plain_text("N<sub>2</sub>")
    ('0.8', '0.8 ± 0.02', 'N2')
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
    for pattern, shown in _BEFORE_CODE:
        text = pattern.sub(shown, text)
    text = html.unescape(text).replace("\\ :", ":")
    text = _TARGET.sub(r"\1", _ROLE.sub(_short_name, text))
    text = _CODE.sub(r"\2" if has_code else "", text)
    for pattern in 3 * _EMPHASIS:  # _**a**_ is one within the other
        text = pattern.sub(r"\2", text)
    return " ".join(_ESCAPED.sub(r"\1", text).split())


def bold_cells(rows: Iterable[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """Return row and column of the cells in which something is bold.

    >>> sorted(bold_cells([["_**0.9**_ ± 0.1", "2**3"], ["", "<b>0.9</b>"]]))
    [(0, 0), (1, 1)]
    """
    return frozenset(
        (n, m)
        for n, row in enumerate(rows)
        for m, cell in enumerate(row)
        if _BOLD.search(cell[:_MAX_CELL])
    )


class Document:
    """Gathers the tables of a document of ``size`` letters, and what is around them, in order.

    Where a cell spans rows, its place in these ``is_skipped``, or has a blank cell of its own.
    """

    def __init__(self, size: int, *, is_skipped: bool = True) -> None:
        self.size, self.is_skipped = size, is_skipped
        self.block: list[str] = []  # the paragraph or heading being read
        self._tables: list[TextTable] = []
        self._prose: list[str] = []
        self._before = ""
        self._headings = [""]
        self._places: list[int] = []  # of the heading above each table
        self._is_below_table = False

    def end_block(self, *, is_heading: bool = False) -> None:
        """Add the paragraph or the heading that was read."""
        text = " ".join("".join(self.block).split())
        self.block.clear()
        if text and is_heading:
            self.add_heading(text)
        elif text:
            self.add_paragraph(text)

    def add_heading(self, text: str) -> None:
        """Add a heading: what follows is about something else."""
        self._headings.append(plain_text(text[:MAX_TEXT]))
        self._before = ""
        self._is_below_table = False
        self._prose.append(f"# {plain_text(text[:MAX_TEXT], has_code=False)}")

    def add_paragraph(self, text: str) -> None:
        """Add words; those next to a table, above or below, may tell of it."""
        self._prose.append(plain_text(text[:_MAX_CELL], has_code=False))
        if not (words := plain_text(text[:_MAX_CELL])):
            return
        self._before = words[-MAX_TEXT:]
        if self._is_below_table:
            context = self._tables[-1].context
            near = f"{context.text} {words}".strip()[:MAX_TEXT]
            self._tables[-1] = replace(self._tables[-1], context=replace(context, text=near))
        self._is_below_table = False

    def add_table(
        self, cells: Cells, lines: Sequence[int], n_header: int | None, caption: str = ""
    ) -> None:
        """Add a table; where it has no caption, the last sentence above introduces it."""
        rows = spread(cells, self.size, is_skipped=self.is_skipped)
        shown = {cell: plain_text(cell) for cell in set(chain.from_iterable(rows))}
        plain = [[shown[cell] for cell in row] for row in rows]
        caption = plain_text(caption)[:MAX_TEXT] or _SENTENCE.split(self._before)[-1]
        context = Context("", self._headings[-1], caption, self._before)
        self._places.append(len(self._headings) - 1)
        self._tables.append(TextTable(plain, lines, n_header, context, bold_cells(rows)))
        self._is_below_table = True

    def tables(self, reason: str, remedy: str = "") -> list[TextTable]:
        """Return the tables by their lines; raise, for this reason, where there is none."""
        tables = [
            replace(each, context=replace(each.context, heading=self._heading(place)))
            for each, place in zip(self._tables, self._places, strict=True)
        ]
        found = sorted(filter(_is_filled, tables), key=lambda each: each.lines[0])
        if not found:
            raise MalformedError(reason, remedy)
        prose = "\n".join(filter(None, self._prose))[:_MAX_PROSE]
        return [replace(each, context=replace(each.context, prose=prose)) for each in found]

    def _heading(self, place: int) -> str:
        """Return a heading; one that comes again is told apart by the last one that does not."""
        heading = self._headings[place]
        if sum(self._headings[at] == heading for at in {*self._places}) < 2:
            return heading
        above = (each for each in self._headings[place::-1] if self._headings.count(each) == 1)
        return " / ".join(filter(None, [next(above, ""), heading]))


def _is_filled(table: TextTable) -> bool:
    return any(map(any, table.rows))
