r"""Tables that fit: what is too wide gets broken headings, smaller letters, broken names, parts.

Widths are measured before (`latex_text.width`), so that a piece fits any line of `LINE` points or
more. A table that fits on a page is a float without a placement of its own, a longer one a
``longtable``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from palio.report.blocks import Column, Table
from palio.report.latex_text import escape_latex, narrow_latex, running_latex, width
from palio.report.paper import Sheet

# Points: what a line of ``article`` holds, which is as narrow as a whole line gets.
LINE = 345.0

# Points that a float may be high, and of a line of a caption; a page of ``article`` has 550.
_HIGHEST, _CAPTION_LINE = 500.0, 11.0
_CAPTION_LETTERS = 85

_POWER_OF_TEN = re.compile(r"^([+−-]?)(\d+(?:\.\d+)?)e([+-]\d+)$")

# What a measured width may be short of, for each column.
_SLACK = 1.5


@dataclass(frozen=True)
class _Form:
    """A size of letters, the space beside columns, and what may be broken."""

    size: str
    em: float
    line: float
    between: float
    headings: bool = False
    # Columns of names that are broken are at least so wide; without it, none is.
    names: float | None = None

    @property
    def gap(self) -> float:
        return 2 * self.between


# From the best to the last resort. Seven points are wider than eight, in proportion.
_FORMS = (
    _Form("footnotesize", 8.0, 9.5, 6.0),
    _Form("footnotesize", 8.0, 9.5, 4.0, headings=True),
    _Form("scriptsize", 7.55, 8.5, 3.0, headings=True),
    _Form("footnotesize", 8.0, 9.5, 4.0, headings=True, names=90.0),
    _Form("scriptsize", 7.55, 8.5, 3.0, headings=True, names=50.0),
)


@dataclass(frozen=True)
class _Laid:
    """A form, and the width of each column in points; broken ones share what is left."""

    form: _Form
    widths: tuple[float, ...]
    broken: frozenset[int]

    @property
    def fixed(self) -> float:
        """What columns that are not broken take, and the space between all."""
        kept = sum(width for i, width in enumerate(self.widths) if i not in self.broken)
        return kept + self.form.gap * (len(self.widths) - 1)

    @property
    def room(self) -> float:
        """The width of a broken column, on the narrowest line."""
        return (LINE - self.fixed) / len(self.broken)


def table_latex(sheet: Sheet, caption: str, *, label: str = "") -> str:
    r"""Write a table: one float, or a ``longtable``, or several where its columns are too many.

    Parameters
    ----------
    sheet : Sheet
        What it says.
    caption : str
        LaTeX already.
    label : str
        By which a text refers to it; none if empty.

    Returns
    -------
    str
        Needs ``array``, ``booktabs`` and ``longtable``.
    """
    parts = list(_parts(sheet))
    texts = [f"\\label{{{label}}}" if label else "", *[""] * (len(parts) - 1)]
    captions = [caption, *(f"(continued, {i} of {len(parts)})" for i in range(2, len(parts) + 1))]
    return "\n\n".join(
        _written(part, laid, f"\\caption{{{said}}}{mark}")
        for (part, laid), said, mark in zip(parts, captions, texts, strict=True)
    )


# What fits.


def _parts(sheet: Sheet) -> Iterator[tuple[Sheet, _Laid]]:
    """Cut a table into parts that fit: each has the columns that say whom a row is about."""
    laid = _fitting(sheet)
    n, first = len(sheet.table.columns), _leading(sheet.table.columns)
    if laid is not None:
        yield sheet, laid
        return
    start = first
    while start < n:
        ends = range(n, start, -1)
        part, laid = next(
            (made, found)
            for made in (_columns(sheet, [*range(first), *range(start, end)]) for end in ends)
            if (found := _fitting(made) or (_at_worst(made) if _is_last(made, first) else None))
        )
        yield part, laid
        start += len(part.table.columns) - first


def _is_last(sheet: Sheet, first: int) -> bool:
    return len(sheet.table.columns) == first + 1


def _leading(columns: Sequence[Column]) -> int:
    """Return how many columns come first up to the names, which every part has."""
    texts = [i for i, column in enumerate(columns) if not column.numeric]
    last = next((i for i in texts if i + 1 not in texts), -1)
    return min(last + 1, len(columns) - 1)


def _columns(sheet: Sheet, kept: Sequence[int]) -> Sheet:
    table = sheet.table
    return replace(
        sheet,
        table=Table(
            tuple(table.columns[i] for i in kept),
            tuple(tuple(row[i] for i in kept) for row in table.rows),
            table.title,
        ),
        bold=frozenset((row, kept.index(i)) for row, i in sheet.bold if i in kept),
    )


def _fitting(sheet: Sheet) -> _Laid | None:
    return next((laid for form in _FORMS if (laid := _laid_out(sheet, form)) is not None), None)


def _laid_out(sheet: Sheet, form: _Form) -> _Laid | None:
    """Find the widths of a form, if it fits."""
    laid = _Laid(form, tuple(_natural(sheet, i, form) for i in _count(sheet)), frozenset())
    if laid.fixed <= LINE:
        return laid
    if form.names is None:
        return None
    # The widest texts are broken, as few as will do.
    columns = sheet.table.columns
    texts = sorted(
        (i for i in _count(sheet) if not columns[i].numeric), key=lambda i: -laid.widths[i]
    )
    for n in range(1, len(texts) + 1):
        found = replace(laid, broken=frozenset(texts[:n]))
        if found.room >= form.names:
            return found
    return None


def _at_worst(sheet: Sheet) -> _Laid:
    """Break all texts, however narrow: a column of numbers is wider than a line."""
    form = replace(_FORMS[-1], names=0.0)
    widths = tuple(_natural(sheet, i, form) for i in _count(sheet))
    texts = (i for i in _count(sheet) if not sheet.table.columns[i].numeric)
    return _Laid(form, widths, frozenset(texts))


def _count(sheet: Sheet) -> range:
    return range(len(sheet.table.columns))


def _natural(sheet: Sheet, i: int, form: _Form) -> float:
    """Return the width of a column that is not broken, in points."""
    cells = _widest_cell(sheet, i)
    name = sheet.table.columns[i].name
    heading = max(map(width, _pieces(name)), default=0.0) if form.headings else width(name)
    return max(cells, heading) * form.em + _SLACK


def _widest_cell(sheet: Sheet, i: int) -> float:
    return max(
        (
            _cell_width(row[i], numeric=sheet.table.columns[i].numeric, bold=(j, i) in sheet.bold)
            for j, row in enumerate(sheet.table.rows)
        ),
        default=0.0,
    )


def _cell_width(text: str, *, numeric: bool, bold: bool) -> float:
    power = _POWER_OF_TEN.match(text) if numeric else None
    if power is None:
        return width(text, bold=bold)
    sign, digits, exponent = power.groups()
    # The sign of multiplication with its space is 1.3 ems wide, an exponent about 0.8 as wide.
    return width(f"{sign}{digits}10") + 1.3 + 0.8 * width(str(int(exponent)).replace("-", "−"))


# How it is written.


def _written(sheet: Sheet, laid: _Laid, caption: str) -> str:
    long = _height(sheet, laid, caption) > _HIGHEST
    return _long(sheet, laid, caption) if long else _float(sheet, laid, caption)


def _height(sheet: Sheet, laid: _Laid, caption: str) -> float:
    """Return about how many points a table takes."""
    lines = sum(
        max([1, *(_lines(row[i], laid) for i in laid.broken)]) for row in sheet.table.rows
    ) + len(_headings(sheet, laid))
    return lines * laid.form.line + (1 + len(caption) // _CAPTION_LETTERS) * _CAPTION_LINE


def _lines(text: str, laid: _Laid) -> int:
    return 1 + int(1.15 * width(text) * laid.form.em / laid.room)


def _float(sheet: Sheet, laid: _Laid, caption: str) -> str:
    lines = [
        "\\begin{table}",
        "  \\centering",
        f"  \\{laid.form.size}",
        # Of ``article`` the space is above a caption, where figures have it.
        "  \\setlength{\\abovecaptionskip}{0pt}",
        "  \\setlength{\\belowcaptionskip}{5pt}",
        f"  {caption}",
        f"  \\setlength{{\\tabcolsep}}{{{laid.form.between:g}pt}}",
        f"  \\begin{{tabular}}{{{_layout(sheet, laid)}}}",
        "    \\toprule",
        *(f"    {line}" for line in _headings(sheet, laid)),
        "    \\midrule",
        *(f"    {_body_row(sheet, laid, i)}" for i in range(len(sheet.table.rows))),
        "    \\bottomrule",
        "  \\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines)


def _long(sheet: Sheet, laid: _Laid, caption: str) -> str:
    head = ["  \\toprule", *(f"  {line}" for line in _headings(sheet, laid)), "  \\midrule"]
    lines = [
        f"{{\\{laid.form.size}",
        f"\\setlength{{\\tabcolsep}}{{{laid.form.between:g}pt}}",
        "\\setlength{\\LTcapwidth}{\\linewidth}",
        f"\\begin{{longtable}}{{{_layout(sheet, laid)}}}",
        f"  {caption}\\\\",
        *head,
        "  \\endfirsthead",
        "  \\caption[]{(continued)}\\\\",
        *head,
        "  \\endhead",
        "  \\bottomrule",
        "  \\endfoot",
        *(f"  {_body_row(sheet, laid, i)}" for i in range(len(sheet.table.rows))),
        "\\end{longtable}}",
    ]
    return "\n".join(lines)


def _layout(sheet: Sheet, laid: _Laid) -> str:
    """Return the columns; what is broken shares what the line of the document leaves."""
    share = f"\\dimexpr(\\linewidth-{laid.fixed:.0f}pt)/{max(len(laid.broken), 1)}\\relax"
    broken = f">{{\\raggedright\\arraybackslash\\hangindent=1em}}p{{{share}}}"
    columns = (
        broken if i in laid.broken else "r" if column.numeric else "l"
        for i, column in enumerate(sheet.table.columns)
    )
    return f"@{{}}{''.join(columns)}@{{}}"


def _headings(sheet: Sheet, laid: _Laid) -> list[str]:
    """Write the headings, which end on the same line."""
    parts = [
        _filled(column.name, room / laid.form.em) if laid.form.headings else [column.name]
        for column, room in zip(sheet.table.columns, laid.widths, strict=True)
    ]
    upward = list(zip_longest(*(part[::-1] for part in parts), fillvalue=""))
    return [_row([escape_latex(cell) for cell in cells]) for cells in upward[::-1]]


def _pieces(heading: str) -> list[str]:
    """Split a heading where it may be broken: between words, and at hyphens, strokes and lines.

    >>> _pieces("mean won/lost"), _pieces("rank-biserial")
    (['mean', 'won/', 'lost'], ['rank-', 'biserial'])
    """
    return re.findall(r"[^\s_/-]+[_/-]*|[_/-]+", heading)


def _filled(heading: str, room: float) -> list[str]:
    lines: list[str] = []
    for word in heading.split():
        for i, piece in enumerate(_pieces(word)):
            longer = f"{lines[-1]}{'' if i else ' '}{piece}" if lines else piece
            if lines and width(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(piece)
    return lines or [""]


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _body_row(sheet: Sheet, laid: _Laid, i: int) -> str:
    return _row([_cell(sheet, laid, i, j) for j in _count(sheet)])


def _cell(sheet: Sheet, laid: _Laid, i: int, j: int) -> str:
    column, text, bold = sheet.table.columns[j], sheet.table.rows[i][j], (i, j) in sheet.bold
    power = _POWER_OF_TEN.match(text) if column.numeric else None
    if power:
        sign, digits, exponent = power.groups()
        return f"${sign.replace('−', '-')}{digits} \\times 10^{{{int(exponent)}}}$"
    if j in laid.broken:
        escaped = narrow_latex(text, laid.room / laid.form.em, bold=bold)
    else:
        escaped = escape_latex(text)
    return f"\\textbf{{{escaped}}}" if bold and escaped else escaped


def sentence(texts: Sequence[str]) -> str:
    """Join what a caption says into sentences, or parts of one where they begin small.

    >>> sentence(["Pairs", "all alike", "38 data sets."])
    'Pairs; all alike. 38 data sets.'
    """
    said = [text.strip().rstrip(".;") for text in texts if text.strip()]
    between = ("; " if text[0].islower() else ". " for text in said[1:])
    joined = "".join(part for pair in zip_longest(said, between, fillvalue="") for part in pair)
    return running_latex(f"{joined}.") if joined else ""
