r"""Texts as LaTeX: nothing in them is a command, and long words may be broken.

Letters that LaTeX has without further ado are themselves; symbols go through mathematics. Other
scripts are written ``\palioscript{算法}{7B97 6CD5}``: XeLaTeX and LuaLaTeX show the letters,
pdfLaTeX, which has no font for them, their code points.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

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
