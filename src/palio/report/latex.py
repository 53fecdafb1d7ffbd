r"""A result as LaTeX: pieces that a document takes in, tables that fit, notes as comments.

A table is a ``tabular`` that an ``adjustbox`` makes smaller where it is wider than a line. One that
fits on a page is a float without a placement of its own; a longer one goes on in further parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title, first_texts
from palio.report.latex_text import SCRIPTS, escape_latex, running_latex
from palio.report.paper import pages

if TYPE_CHECKING:
    from palio.results import Result

# What tells that a package is needed.
_PACKAGES = {
    "adjustbox": "{adjustbox}",
    "array": "\\arraybackslash",
    "booktabs": "\\toprule",
    "capt-of": "\\captionof",
    "graphicx": "\\includegraphics",
}

# A part of a long table has so many rows, which fit on a page with their caption.
_ROWS_ON_PAGE = 45

_POWER_OF_TEN = re.compile(r"^([+−-]?)(\d+(?:\.\d+)?)e([+-]\d+)$")


def render_latex(result: Result) -> str:
    r"""Return a result as LaTeX: tables with captions, lists below, notes as comments.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    str
        To be put into a document; the first line says which packages it needs. Tables fit any line.
        Names in scripts other than Latin and
        Greek need XeLaTeX or LuaLaTeX; pdfLaTeX shows their code points.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> print(render_latex(TestResult("sign", "a_1 = b", 3.0, (), 0.25, 3)))
    \noindent sign: p = 0.250; hypothesis: a\_1 = b; statistic 3.000, n = 3.
    <BLANKLINE>
    """
    return piece_latex(pages(result))


def piece_latex(blocks: Sequence[Block], *, label: str = "") -> str:
    """Write blocks as a piece for a document.

    Parameters
    ----------
    blocks : sequence of Block
        What `pages` returns.
    label : str
        That of the first table.

    Returns
    -------
    str
        What it needs, and LaTeX.
    """
    texts = [block.text for block in first_texts(blocks)]
    rest, headline, how = blocks[len(texts) :], texts[:1], texts[1:]
    parts = []
    if not any(isinstance(block, Table) for block in rest):
        parts.append(f"\\noindent {sentence(texts)}")
    for block in rest:
        if isinstance(block, Table):
            # Floats drift apart: each says how its numbers were found, the first what they say.
            said = sentence([*headline, block.title, block.note, *how])
            parts.append(table_latex(block, said, label=label))
            headline, label = [], ""
        else:
            parts.append(_latex(block))
    return with_needs("\n\n".join(part for part in parts if part) + "\n")


def with_needs(body: str) -> str:
    """Put before a piece what it needs of its document."""
    packages = [name for name, mark in _PACKAGES.items() if mark in body]
    needs = []
    if packages:
        where = "; stands in a figure" if "graphicx" in packages else ""
        needs.append(f"% Needs \\usepackage{{{','.join(packages)}}}{where}.")
    if "\\palioscript" in body:
        needs += SCRIPTS
    return "\n".join([*needs, "", body]) if needs else body


def _latex(block: Block) -> str:
    """Write what stands between and below the tables."""
    match block:
        case Title(text):
            return f"\\paragraph{{{running_latex(text)}}}"
        case Paragraph(text):
            return f"\\noindent {running_latex(text)}"
        case Items(quiet=True):
            # Notes are for the author, who words them for the reader.
            said = [f"{mark} {item}" for mark, item in block.items]
            return "\n".join(f"% {' '.join(each.split())}" for each in [block.heading, *said])
        case Items():
            items = [
                f"  \\item{'' if mark == '-' else f'[{escape_latex(mark)}]'} {running_latex(item)}"
                for mark, item in block.items
            ]
            head = f"\\noindent {running_latex(block.heading)}"
            return "\n".join([head, "\\begin{itemize}", *items, "\\end{itemize}"])
    raise TypeError(f"no LaTeX for {block!r}")


# --- tables ---------------------------------------------------------------------------------------


def table_latex(table: Table, caption: str, *, label: str = "") -> str:
    r"""Write a table: one float, or several parts that break between pages where it is long.

    Parameters
    ----------
    table : Table
        What it says.
    caption : str
        LaTeX already.
    label : str
        By which a text refers to it; none if empty.

    Returns
    -------
    str
        Needs ``adjustbox`` and ``booktabs``; ``capt-of`` if it is long, ``array`` for words.
    """
    rows = [
        _row([_cell(table, i, j) for j in range(len(table.columns))])
        for i in range(len(table.rows))
    ]
    mark = f"\\label{{{label}}}" if label else ""
    if len(rows) <= _ROWS_ON_PAGE:
        begin, end, captioned = "\\begin{table}", "\\end{table}", "\\caption"
    else:
        begin, end = "\\noindent\\begin{minipage}{\\linewidth}", "\\end{minipage}\\medskip"
        captioned = "\\captionof{table}"
    parts = [rows[i : i + _ROWS_ON_PAGE] for i in range(0, len(rows), _ROWS_ON_PAGE)] or [[]]
    captions = [f"{{{caption}}}{mark}"]
    captions += [f"{{(continued, {i} of {len(parts)})}}" for i in range(2, len(parts) + 1)]
    return "\n\n".join(
        "\n".join([begin, *_part_lines(table, part, f"{captioned}{said}"), end])
        for part, said in zip(parts, captions, strict=True)
    )


def _part_lines(table: Table, rows: Sequence[str], caption: str) -> Iterator[str]:
    """Yield what stands in the float, or in the part, of a table."""
    layout = "".join(map(_column, table.columns))
    yield from (
        "  \\centering",
        "  \\footnotesize",
        # Of ``article`` the space is above a caption, where figures have it.
        "  \\setlength{\\abovecaptionskip}{0pt}",
        "  \\setlength{\\belowcaptionskip}{5pt}",
        f"  {caption}",
        "  \\begin{adjustbox}{max width=\\linewidth}",
        f"  \\begin{{tabular}}{{@{{}}{layout}@{{}}}}",
        "    \\toprule",
        f"    {_row([escape_latex(column.name) for column in table.columns])}",
        "    \\midrule",
        *(f"    {row}" for row in rows),
        "    \\bottomrule",
        "  \\end{tabular}",
        "  \\end{adjustbox}",
    )


def _column(column: Column) -> str:
    if column.breaks:
        return ">{\\raggedright\\arraybackslash}p{0.4\\linewidth}"
    return "r" if column.numeric else "l"


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(table: Table, i: int, j: int) -> str:
    column, text = table.columns[j], table.rows[i][j]
    power = _POWER_OF_TEN.match(text) if column.numeric else None
    if power:
        sign, digits, exponent = power.groups()
        return f"${sign.replace('−', '-')}{digits} \\times 10^{{{int(exponent)}}}$"
    escaped = running_latex(text) if column.breaks else escape_latex(text)
    return f"\\textbf{{{escaped}}}" if (i, j) in table.bold and escaped else escaped


def sentence(texts: Sequence[str]) -> str:
    """Join what a caption says into sentences, or parts of one where they begin small.

    >>> sentence(["Pairs", "all alike", "38 data sets."])
    'Pairs; all alike. 38 data sets.'
    """
    said = [text.strip().rstrip(".;") for text in texts if text.strip()]
    between = ("; " if text[0].islower() else ". " for text in said[1:])
    joined = "".join(part for pair in zip_longest(said, between, fillvalue="") for part in pair)
    return running_latex(f"{joined}.") if joined else ""
