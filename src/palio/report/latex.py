r"""A result as LaTeX: pieces that a document takes in, tables that fit, notes as comments.

A table is a ``tabular`` that an ``adjustbox`` makes smaller where it is wider than a line. One that
fits on a page is a float without a placement of its own; a longer one goes on in further parts.

Nothing in a text is a command, and long words may be broken. Letters that LaTeX has without further
ado are themselves; symbols go through mathematics. Other scripts are written
``\palioscript{算法}{7B97 6CD5}``: XeLaTeX and LuaLaTeX show the letters, pdfLaTeX, which has no
font for them, their code points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title, first_texts
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


# What a piece that holds another script begins with; `article.py` has more than this.
SCRIPTS = (
    r"\providecommand{\palioscript}[2]{\ifdefined\Umathcode #1\else\texttt{{[}#2{]}}\fi}",
    "% Some names are in scripts that pdfLaTeX shows as code points: use XeLaTeX or LuaLaTeX.",
)

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

# Stand between two hyphens, which would be drawn as a dash, and where a word may be broken.
_APART, _BREAK = "\0", "\1"

_WRITTEN = {
    _APART: "{}",
    _BREAK: r"\allowbreak{}",
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
_ESCAPES = str.maketrans(_WRITTEN)

# Letters with accents that LaTeX has for every engine, and what it has not among them.
_LATIN, _NOT_LATIN = "\u017f", "ĦħĸĿŀŉŦŧſ\u00ad"
_ALSO_LATIN = "ȘșȚț€™"
_OTHER_SCRIPT = re.compile(
    f"[^\u0001-{_LATIN}{_ALSO_LATIN}{''.join(map(re.escape, _WRITTEN))}]+|[{_NOT_LATIN}]+"
)

# Where a word may go on in the next line: after a mark, and before a capital.
_SEAM = re.compile(r"(?<=[-_/.:=,;+|)])(?=\w)|(?<=[a-z])(?=[A-Z])")

# In running text, words of more letters than this may be broken at a seam; a longer piece without a
# seam, after every so many letters. Letters of broad scripts count twice.
_LONG, _STRIDE = 14, 5


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
    >>> print(escape_latex("算法 2"))
    \palioscript{算法}{7B97 6CD5} 2
    """
    return _escaped(_one_line(text))


def running_latex(text: str) -> str:
    r"""Return the same for running text, in which a long word may be broken.

    Examples
    --------
    >>> print(running_latex("a gradient_boosting_25 of 0.123"))
    a gradient\_\allowbreak{}boosting\_\allowbreak{}25 of 0.123
    """
    return _escaped(re.sub(r"\S{8,}", lambda word: _with_seams(word[0]), _one_line(text)))


def _one_line(text: str) -> str:
    # Not `str.split()` alone: a no-break space is to stay one.
    line = re.sub(r"[ \t\r\n\f\v]+", " ", unicodedata.normalize("NFC", text))
    return "".join(each for each in line if each.isprintable() or each == "\u00a0").strip()


def _with_seams(word: str) -> str:
    if cell_len(word) <= _LONG:
        return word
    return _BREAK.join(
        piece
        if cell_len(piece) <= _LONG
        else re.sub(rf"(.{{{_STRIDE}}})(?=.)", rf"\1{_BREAK}", piece)
        for piece in _SEAM.split(word)
    )


def _escaped(line: str) -> str:
    parts = _OTHER_SCRIPT.split(line)
    others = [*map(_other_script, _OTHER_SCRIPT.findall(line)), ""]
    plain = (re.sub(r"-(?=-)", f"-{_APART}", part).translate(_ESCAPES) for part in parts)
    return "".join(piece for pair in zip(plain, others, strict=True) for piece in pair)


def _other_script(letters: str) -> str:
    codes = " ".join(f"{ord(letter):04X}" for letter in letters)
    return f"\\palioscript{{{letters}}}{{{codes}}}"
