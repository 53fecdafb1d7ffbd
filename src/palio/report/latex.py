r"""A result as LaTeX, for a document that has ``\usepackage{booktabs}`` and needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Column, Items, Paragraph, Title
from palio.report.paper import Sheet, pages

if TYPE_CHECKING:
    from palio.results import Result

# A float cannot break over pages, so that a longer table goes on in the next float.
ROWS = 40

# More floats than this in a row overflow LaTeX's memory for floats unless it may place them.
FLOATS = 8

_GREEK_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
_GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", _GREEK_NAMES.split(), strict=True))

# Symbols that pdfLaTeX knows only in mathematics.
_MATHEMATICS = {
    **{letter: f"\\{name}" for letter, name in _GREEK.items()},
    "µ": r"\mu",
    "−": "-",
    "×": r"\times",
    "·": r"\cdot",
    "±": r"\pm",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "²": "^2",
    "³": "^3",
    "₁": "_1",
    "₂": "_2",
    "½": r"\frac{1}{2}",
    "<": "<",
    ">": ">",
    "|": "|",
    "│": "|",
}

# Stands between two hyphens, which would be drawn as a dash.
_APART = "\0"

_ESCAPES = str.maketrans(
    {
        _APART: "{}",
        **{symbol: f"${code}$" for symbol, code in _MATHEMATICS.items()},
        **{symbol: f"\\{symbol}" for symbol in "%&#$_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        # After a line break of a table, and inside \item[…], brackets and stars are commands.
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        '"': "''",
        "\u00a0": "~",
        "–": "--",
        "—": "---",
        "…": r"\ldots{}",
        "‘": "`",
        "’": "'",
        "“": "``",
        "”": "''",
    }
)

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
        To be put into a document with ``\usepackage{booktabs}``. Names in scripts other than
        Latin and Greek need XeLaTeX or LuaLaTeX.

    Examples
    --------
    >>> from palio.comparison import TestResult
    >>> print(render_latex(TestResult("sign", "a_1 = b", 3.0, (), 0.25, 3)))
    % Needs \usepackage{booktabs}.
    <BLANKLINE>
    \noindent sign: p = 0.250; hypothesis: a\_1 = b; statistic 3.000, n = 3.
    <BLANKLINE>
    """
    texts, rest = _leading_text(pages(result))
    headline, how = texts[:1], texts[1:]
    parts = ["% Needs \\usepackage{booktabs}."]
    if not any(isinstance(block, Sheet) for block in rest):
        parts.append(f"\\noindent {_sentence(texts)}")
    for block in rest:
        if isinstance(block, Sheet):
            # Floats drift apart: each says how its numbers were found, the first what they say.
            parts += _floats(block, _sentence([*headline, block.table.title, block.note, *how]))
            headline = []
        else:
            parts.append(_latex(block))
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_latex(text: str) -> str:
    r"""Return a text of one line in which nothing is a command.

    Parameters
    ----------
    text : str
        A name, a number, a sentence.

    Returns
    -------
    str
        LaTeX.

    Examples
    --------
    >>> print(escape_latex("50%_of {α}~C:\\x"))
    50\%\_of \{$\alpha$\}\textasciitilde{}C:\textbackslash{}x
    """
    # Not `str.split()` alone: a no-break space is to stay one.
    line = "".join(letter for letter in re.sub(r"[ \t\r\n\f\v]+", " ", text) if _is_visible(letter))
    return re.sub(r"-(?=-)", f"-{_APART}", line.strip()).translate(_ESCAPES)


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter == "\u00a0"


def _leading_text(blocks: Sequence[Block | Sheet]) -> tuple[list[str], list[Block | Sheet]]:
    """Split off the titles and paragraphs that come first."""
    texts: list[str] = []
    for i, block in enumerate(blocks):
        if not isinstance(block, (Title, Paragraph)):
            return texts, list(blocks[i:])
        texts.append(block.text)
    return texts, []


def _sentence(texts: Sequence[str]) -> str:
    said = [text.strip().rstrip(".;") for text in texts if text.strip()]
    return escape_latex("; ".join(said)) + "." if said else ""


# Tables.


def _floats(sheet: Sheet, caption: str) -> list[str]:
    """Write a table as one float, or as many as its rows need."""
    starts = range(0, max(len(sheet.table.rows), 1), ROWS)
    floats = []
    for part, start in enumerate(starts, start=1):
        if part > 1:
            caption = f"(continued, {part} of {len(starts)})"
        floats.append(_float(sheet, start, caption))
        if part % FLOATS == 0 and part < len(starts):
            floats.append("\\clearpage")
    return floats


def _float(sheet: Sheet, start: int, caption: str) -> str:
    table = sheet.table
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        "\\begin{table}[tbp]",
        "  \\centering",
        f"  \\caption{{{caption}}}",
        "  \\footnotesize",
        f"  \\begin{{tabular}}{{@{{}}{layout}@{{}}}}",
        "    \\toprule",
        f"    {_row([escape_latex(column.name) for column in table.columns])}",
        "    \\midrule",
        *(f"    {_body_row(sheet, i)}" for i in range(len(table.rows))[start : start + ROWS]),
        "    \\bottomrule",
        "  \\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _body_row(sheet: Sheet, i: int) -> str:
    cells = zip(sheet.table.columns, sheet.table.rows[i], strict=True)
    return _row(
        [_cell(column, text, bold=(i, j) in sheet.bold) for j, (column, text) in enumerate(cells)]
    )


def _cell(column: Column, text: str, *, bold: bool) -> str:
    power = _POWER_OF_TEN.match(text) if column.numeric else None
    if power:
        sign, digits, exponent = power.groups()
        return f"${sign.replace('−', '-')}{digits} \\times 10^{{{int(exponent)}}}$"
    escaped = escape_latex(text)
    return f"\\textbf{{{escaped}}}" if bold and escaped else escaped


# What stands between and below the tables.


@singledispatch
def _latex(block: Block) -> str:
    raise TypeError(f"no LaTeX for {block!r}")


@_latex.register
def _(block: Title) -> str:
    return f"\\paragraph{{{escape_latex(block.text)}}}"


@_latex.register
def _(block: Paragraph) -> str:
    return f"\\noindent {escape_latex(block.text)}"


@_latex.register
def _(block: Items) -> str:
    if block.quiet:
        # Notes are for the author, who words them for the reader.
        said = [f"% {mark} {' '.join(item.split())}" for mark, item in block.items]
        return "\n".join([f"% {' '.join(block.title.split())}:", *said])
    items = [
        "  \\item " + escape_latex(item)
        if mark == "-"
        else f"  \\item[{escape_latex(mark)}] {escape_latex(item)}"
        for mark, item in block.items
    ]
    begin, end = "\\begin{itemize}", "\\end{itemize}"
    colon = "" if block.title.endswith("?") else ":"
    return "\n".join([f"\\noindent {escape_latex(block.title)}{colon}", begin, *items, end])
