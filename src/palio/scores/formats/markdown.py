"""Tables in Markdown, as leaderboards are pasted: ``| model | accuracy |`` above dashes.

And words as a reader sees them, in any document: without links, emphasis, tags, roles and marks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from palio.scores import limits
from palio.scores.limits import MalformedError
from palio.scores.text_tables import MAX_TEXT, Context, Rows, TextTable, rectangle, with_prose

# All repeats are bounded: of any length they would take ages on text that was made for it.
_MAX_CELL = 20_000  # letters that are looked through
_IMAGE = re.compile(r"!\[([^\]]{0,300})\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\([^()]{0,1000}(?:\([^()]{0,300}\)[^()]{0,300})?\)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]")
_FOOTNOTE = re.compile(r"\s?\[\^[^\]\s]{1,30}\]|\s?\[(?:#[\w-]{0,30}|\*|\d{1,3})\]_")
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
# R² and C<sup>3</sup> are names; a mark behind a longer word leads to a footnote.
_RAISED = re.compile(
    r"(?<![\w>])(\w)<sup>([^<]{1,10})</sup>"
    r"|\s?<sup>(?:<[^>]{0,300}>){0,2}[\d*†‡§¶,\s]{1,10}(?:</[a-z]{1,9}>){0,2}</sup>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>|<!--.{0,2000}?-->", re.DOTALL)
_BOLD = re.compile(
    r"<(?:b|strong)\b[^>]{0,200}>|(?<![A-Za-z0-9*])\*\*(?=[^\s*])|(?<!\w)__(?=[^\s_])",
    re.IGNORECASE,
)
_ROLE = re.compile(r"(?<!\w):[\w:+.-]{1,40}:`([^`]{1,300})`")
_SCRIPT = re.compile(r"(?:\\ )?:su([bp]):`([^`]{1,100})`(?:\\ )?")
_TARGET = re.compile(r"`([^`<]{1,300}?)\s{0,3}(?:<[^`>]{0,1000}>)?`__?")
_CODE = re.compile(r"(`{1,2})([^`]{1,500})\1")
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]{1,500}?)(?<=[^\s*])\1(?!\w)"),
    re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,500}?)(?<=[^\s_])\1(?!\w)"),
    re.compile(r"(~~)([^~]{1,500})\1"),
)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")


def plain_text(cell: str) -> str:
    r"""Return what a cell shows.

    >>> plain_text("[knn](https://x.org)<sup>1</sup>"), plain_text("_**0.27**_ (±0.01)")
    ('knn', '0.27 (±0.01)')
    >>> plain_text("DROP[^5]<br>(F1)"), plain_text(":class:`~moabb.CSP`"), plain_text("`xgb`_")
    ('DROP (F1)', 'CSP', 'xgb')
    >>> plain_text(r"NDCG\ :sub:`1`"), plain_text(r"R\ :sup:`2`"), plain_text(r"knn\ :sup:`1`")
    ('NDCG1', 'R2', 'knn')
    >>> plain_text("pass_rate_2"), plain_text("58.0*"), plain_text(r"xgboost\_hist")
    ('pass_rate_2', '58.0*', 'xgboost_hist')
    """
    if len(cell) > _MAX_CELL or (cell.isalnum() and cell.isascii()):
        return cell.strip()
    text = _SCRIPT.sub(lambda each: each[2] if each[1] == "b" else f"<sup>{each[2]}</sup>", cell)
    text = _FOOTNOTE.sub("", _IMAGE.sub(r"\1", text))
    text = _REFERENCE.sub(r"\1", _LINK.sub(r"\1", text))
    text = _RAISED.sub(r"\1\2", _BREAK.sub(" ", text))
    text = html.unescape(_TAG.sub("", text))
    text = _ROLE.sub(_short_name, text.replace("\\ :", ":"))
    text = _CODE.sub(r"\2", _TARGET.sub(r"\1", text))
    for _ in range(3):  # _**a**_ is one within the other
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\2", text)
    return " ".join(_ESCAPED.sub(r"\1", text).split())


def _short_name(role: re.Match[str]) -> str:
    """Return what Sphinx shows of a role: the end of ``~package.Name``, the words before ``<``."""
    shown = role[1].partition("<")[0].strip() or role[1]
    return shown.rpartition(".")[2] if shown.startswith("~") else shown


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


def marked_table(
    rows: Rows, lines: Sequence[int], n_header: int | None, context: Context, size: int
) -> TextTable:
    """Make a table of cells as they are written in a document of so many letters."""
    rows = rectangle(rows, size)
    plain = [[plain_text(cell) for cell in row] for row in rows]
    return TextTable(plain, lines, n_header, context, bold_cells(rows))


def headings_of(lines: Sequence[str]) -> list[str]:
    """Return for each line the nearest heading above: # Results, or Results above a rule.

    >>> headings_of(["# A #", "b", "C", "---", "d"])
    ['', 'A', 'A', 'A', 'C']
    """
    found, title = [], ""
    for above, line in pairwise(["", *lines]):
        found.append(title)
        if _HEADING.match(line):
            title = line[:_MAX_TITLE].strip("# \t")
        elif above.strip() and _UNDERLINE.fullmatch(line) and not _UNDERLINE.fullmatch(above):
            title = above.strip()
    return found


def context_of(heading: str, lines: Sequence[str], begin: int, end: int) -> Context:
    """Return what is around a table that stands in these lines.

    The last sentence before it, which may be above other tables, introduces it.
    """
    above = plain_text(" ".join(_paragraph(lines, begin - 1, -1))[-_MAX_CELL:])
    below = plain_text(" ".join(_paragraph(lines, end, 1))[:_MAX_CELL])
    text = " ".join(filter(None, [above, below]))
    caption = _SENTENCE.split(above)[-1][-MAX_TEXT:]
    return Context("", plain_text(heading), caption, text[:MAX_TEXT])


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_HEADING = re.compile(r"#{1,6}\s")
_UNDERLINE = re.compile(r"\s*([=\-`:'\"~^_*+#.])\1{2,}\s*")
_DRAWN = re.compile(r"\s*(?:\||[+=-][-=+ \t]*[+=-]\s*$)|[^|]{0,500}\|[^|]{0,500}\|")


_MAX_AWAY = 200  # lines
_MAX_TITLE = 500  # letters


def _paragraph(lines: Sequence[str], begin: int, step: int) -> list[str]:
    """Return the lines of the next paragraph in a direction, unless a heading comes first.

    >>> _paragraph(["# A", "b", "c", "", "| d | e |", ""], 5, -1)
    ['b', 'c']
    >>> _paragraph(["", "Title", "=====", "a"], 0, 1)
    []
    """
    place, found = begin, list[str]()
    while 0 <= place < len(lines) and abs(place - begin) < _MAX_AWAY:
        line = lines[place]
        if _HEADING.match(line) or _UNDERLINE.fullmatch(line):
            return [] if step > 0 and not _HEADING.match(line) else found[::step]
        is_text = bool(line.strip()) and not _DRAWN.match(line)
        if (found and not is_text) or (step > 0 and line.strip() and not is_text):
            break
        if is_text:
            found.append(line)
        place += step
    return found[::step]


# --- the text of a document ------------------------------------------------------------------

_FENCE = re.compile(r"```|~~~|<table\b|<pre\b", re.IGNORECASE)
_CLOSED_BY = {"<table": "</table", "<pre": "</pre"}
_DIRECTIVE = re.compile(r"\.\.\s+(?!(?:note|warning|tip|hint|important|caution|attention)::)\S")
_LITERAL = re.compile(r"``[^`]{1,500}``")


def prose_of(lines: Sequence[str], tables: Collection[int]) -> Iterator[str]:
    """Yield headings, behind ``# ``, and paragraphs of Markdown or reStructuredText, without code.

    ``tables`` are the places of the lines that are in tables.

    >>> text = ["A", "===", "We use `f` and", "[b](x).", "```", "c", "```", ".. code::", "", "  d"]
    >>> list(filter(None, prose_of(text, ())))
    ['# A', 'We use and b.']
    """
    paragraph = list[str]()
    for line in (*_without_code(lines, tables), "", "# "):
        is_title = bool(paragraph) and _UNDERLINE.fullmatch(line) is not None
        title = paragraph.pop() if is_title else line if _HEADING.match(line) else ""
        if title or not line.strip():
            yield _without_spans(" ".join(paragraph))
            paragraph = []
        if title.strip("# "):
            yield f"# {_without_spans(title.strip('# '))}"
        elif line.strip() and not is_title:
            paragraph.append(line.strip())


def _without_code(lines: Sequence[str], tables: Collection[int]) -> Iterator[str]:
    """Yield lines; those of code, of directives and of tables are blank."""
    closed_by, indent = "", -1
    for place, line in enumerate(lines):
        words, left = line.strip(), len(line) - len(line.lstrip())
        if words and left <= indent:
            indent = -1
        fence = _FENCE.match(words)
        hidden = bool(closed_by or fence) or indent >= 0 or place in tables
        if closed_by or fence:
            ended = (closed_by or "</") in words.lower()
            started = fence[0].lower() if fence else ""
            closed_by = "" if ended else closed_by or _CLOSED_BY.get(started, started)
        elif _DIRECTIVE.match(words) or words.endswith("::"):
            indent = left if indent < 0 else indent
            hidden |= words.startswith("..")
        yield "" if hidden else line


def _without_spans(text: str) -> str:
    """Return text without its code; what is between single marks may be a link or a role."""
    text = _LITERAL.sub("", text[:_MAX_CELL])
    text = _TARGET.sub(r"\1", _ROLE.sub(_short_name, text))
    return plain_text(_CODE.sub("", text))


# --- tables ------------------------------------------------------------------------------------

_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")


def holds_table(text: str) -> bool:
    r"""Return whether text begins with a table.

    >>> holds_table("| model | acc |\n|---|---|\n| knn | 0.9 |\n")
    True
    """
    first, _, rest = text.lstrip().partition("\n")
    return "|" in first and _DASHES.fullmatch(rest.partition("\n")[0].rstrip()) is not None


def read_markdown(text: str, name: str) -> list[TextTable]:
    """Read all tables in a text, those in HTML among them."""
    limits.check_text(text, "|")
    lines = text.splitlines()
    headings = headings_of(lines)
    found: list[TextTable] = []
    failed: list[MalformedError] = []
    for n in range(1, len(lines)):
        # The header stands above the dashes.
        if "|" in lines[n - 1] and "-" in lines[n] and _DASHES.fullmatch(lines[n]):
            try:
                found.append(_table(lines, n, headings[n - 1], len(text)))
            except MalformedError as error:
                failed.append(error)
    if "<table" in text.lower():
        from palio.scores.formats.html_pages import read_html  # whose cells are marked up, too

        found += [_with_heading(table, headings) for table in read_html(text, name)]
    if not found:
        told = "holds no table: a header with bars, and a line of dashes below"
        raise failed[0] if failed else MalformedError(told)
    notes = tuple(f"of its other tables, one {error.reason}." for error in failed)
    found = sorted((replace(table, notes=notes) for table in found), key=lambda t: t.lines[0])
    # A line with bars is in a table, be it one that could not be read.
    drawn = {n for n, line in enumerate(lines) if "|" in line}
    return with_prose(found, prose_of(lines, drawn))


def _table(lines: list[str], dashes: int, heading: str, size: int) -> TextTable:
    below = list(takewhile(lambda line: "|" in line, lines[dashes + 1 :]))
    shown = [_cells(line) for line in (lines[dashes - 1], *below)]
    width = len(shown[0])
    for n, row in enumerate(shown[1:], start=dashes + 2):
        if len(row) > width and any(map(str.strip, row[width:])):
            raise MalformedError(
                f"is not a table: {width} columns were named, line {n} has {len(row)}"
            )
    end = dashes + 1 + len(below)
    context = context_of(heading, lines, dashes - 1, end)
    numbers = [dashes, *range(dashes + 2, end + 1)]
    return marked_table([row[:width] for row in shown], numbers, 1, context, size)


def _with_heading(table: TextTable, headings: list[str]) -> TextTable:
    """Add the heading in Markdown above a table in HTML, unless HTML has one itself."""
    if table.context.heading:
        return table
    heading = plain_text(headings[min(table.lines[0], len(headings)) - 1])
    return replace(table, context=replace(table.context, heading=heading))


def _cells(line: str) -> list[str]:
    r"""Split a line at its bars.

    >>> _cells(r"| [knn](https://x.org) | **0.9** | a\|b |")
    [' [knn](https://x.org) ', ' **0.9** ', ' a|b ']
    """
    inner = line.strip().removeprefix(">").strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|") for cell in _BAR.split(inner)]
