r"""A result as LaTeX: pieces that a document takes in, tables that fit, notes as comments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Items, Paragraph, Title
from palio.report.latex_tables import LINE, sentence, table_latex
from palio.report.latex_text import SCRIPTS, escape_latex, running_latex
from palio.report.paper import Sheet, pages

if TYPE_CHECKING:
    from palio.results import Result

# What tells that a package is needed.
_PACKAGES = {
    "array": "\\arraybackslash",
    "booktabs": "\\toprule",
    "graphicx": "\\includegraphics",
    "longtable": "{longtable}",
}


def render_latex(result: Result) -> str:
    r"""Return a result as LaTeX: tables with captions, lists below, notes as comments.

    Parameters
    ----------
    result : Result
        What `palio.compare` and the others return.

    Returns
    -------
    str
        To be put into a document; the first line says which packages it needs. Tables fit any line
        that is as wide as that of ``article`` or wider. Names in scripts other than Latin and
        Greek need XeLaTeX or LuaLaTeX; pdfLaTeX shows their code points.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> print(render_latex(TestResult("sign", "a_1 = b", 3.0, (), 0.25, 3)))
    \noindent sign: p = 0.250; hypothesis: a\_1 = b; statistic 3.000, n = 3.
    <BLANKLINE>
    """
    return piece_latex(pages(result))


def piece_latex(blocks: Sequence[Block | Sheet], *, label: str = "") -> str:
    """Write blocks as a piece for a document.

    Parameters
    ----------
    blocks : sequence of Block or Sheet
        What `pages` returns.
    label : str
        That of the first table.

    Returns
    -------
    str
        What it needs, and LaTeX.
    """
    texts, rest = _leading_text(blocks)
    headline, how = texts[:1], texts[1:]
    parts = []
    if not any(isinstance(block, Sheet) for block in rest):
        parts.append(f"\\noindent {sentence(texts)}")
    for block in rest:
        if isinstance(block, Sheet):
            # Floats drift apart: each says how its numbers were found, the first what they say.
            said = sentence([*headline, block.table.title, block.note, *how])
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
        fits = f", and lines of {LINE:.0f}pt or more" if "booktabs" in packages else ""
        fits = "; stands in a figure" if "graphicx" in packages else fits
        needs.append(f"% Needs \\usepackage{{{','.join(packages)}}}{fits}.")
    if "\\palioscript" in body:
        needs += SCRIPTS
    return "\n".join([*needs, "", body]) if needs else body


def _leading_text(blocks: Sequence[Block | Sheet]) -> tuple[list[str], list[Block | Sheet]]:
    """Split off the titles and paragraphs that come first."""
    texts: list[str] = []
    for i, block in enumerate(blocks):
        if not isinstance(block, (Title, Paragraph)):
            return texts, list(blocks[i:])
        texts.append(block.text)
    return texts, []


# What stands between and below the tables.


@singledispatch
def _latex(block: Block) -> str:
    raise TypeError(f"no LaTeX for {block!r}")


@_latex.register
def _(block: Title) -> str:
    return f"\\paragraph{{{running_latex(block.text)}}}"


@_latex.register
def _(block: Paragraph) -> str:
    return f"\\noindent {running_latex(block.text)}"


@_latex.register
def _(block: Items) -> str:
    if block.quiet:
        # Notes are for the author, who words them for the reader.
        said = [f"% {mark} {' '.join(item.split())}" for mark, item in block.items]
        return "\n".join([f"% {' '.join(block.title.split())}:", *said])
    items = [
        "  \\item " + running_latex(item)
        if mark == "-"
        else f"  \\item[{escape_latex(mark)}] {running_latex(item)}"
        for mark, item in block.items
    ]
    begin, end = "\\begin{itemize}", "\\end{itemize}"
    colon = "" if block.title.endswith("?") else ":"
    return "\n".join([f"\\noindent {running_latex(block.title)}{colon}", begin, *items, end])
