r"""Texts as LaTeX: nothing in them is a command, and how wide they are is known beforehand.

Letters that LaTeX has without further ado are themselves; symbols go through mathematics. Other
scripts are written ``\palioscript{算法}{7B97 6CD5}``: XeLaTeX and LuaLaTeX show the letters,
pdfLaTeX, which has no font for them, their code points.
"""

from __future__ import annotations

import re
import unicodedata

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

# In running text, words wider than this many ems may be broken at a seam; a piece without one that
# is wider, after every so many letters.
_LONG, _STRIDE = 7.5, 5


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


def narrow_latex(text: str, room: float, *, bold: bool = False) -> str:
    r"""Return the same for a narrow column: a word that is wider than the room may be broken.

    Parameters
    ----------
    text : str
        What stands in the cell.
    room : float
        The width of the column, in ems.
    bold : bool
        Whether it is bold.

    Examples
    --------
    >>> print(narrow_latex("RandomForest of one", 5))
    Random\allowbreak{}Forest of one
    """

    def broken(found: re.Match[str]) -> str:
        if width(found[0], bold=bold) <= room:
            return found[0]
        return _BREAK.join(
            part if width(part, bold=bold) <= room else _BREAK.join(part)
            for part in _SEAM.split(found[0])
        )

    return _escaped(re.sub(r"\S+", broken, _one_line(text)))


def _one_line(text: str) -> str:
    # Not `str.split()` alone: a no-break space is to stay one.
    line = re.sub(r"[ \t\r\n\f\v]+", " ", unicodedata.normalize("NFC", text))
    return "".join(letter for letter in line if _is_visible(letter)).strip()


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter == "\u00a0"


def _with_seams(word: str) -> str:
    if width(word) <= _LONG:
        return word
    return _BREAK.join(
        piece if width(piece) <= _LONG else re.sub(rf"(.{{{_STRIDE}}})(?=.)", rf"\1{_BREAK}", piece)
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


# How wide a text is: in ems of the font that tables are set in, Computer Modern at eight points.

_WIDTHS = {
    letter: thousandths / 1000
    for thousandths, letters in {
        295: "!',.:;[]`il|", 325: "fj", 354: "- ", 383: "I", 414: "()tr", 419: "s", 472: "cez",
        502: "?", 531: '"$*/0123456789\\ago{}', 545: "J", 561: "kqvxy", 590: "Sbdhnpu", 649: "Z^~",
        663: "L", 693: "F", 722: "EP", 752: "B", 767: "CTw", 781: "R", 796: "AHNUVXY", 811: "D",
        826: "K&+<=>@OQ_G", 885: "#%m", 973: "M", 1091: "W",
    }.items()
    for letter in letters
}  # fmt: skip
_BOLD = 1.16
# A sign of mathematics with the space around it; letters of unknown fonts.
_SIGN, _UNKNOWN, _BROAD = 0.9, 0.9, 1.05


def width(text: str, *, bold: bool = False) -> float:
    """Return how wide a text is, in ems.

    A little too much where the letters are not LaTeX's own, never too little.

    Examples
    --------
    >>> width("mmm") > width("iii"), width("é") == width("e")
    (True, True)
    """
    return sum(map(_letter_width, _one_line(text))) * (_BOLD if bold else 1.0)


def _letter_width(letter: str) -> float:
    if letter in _MATHEMATICS:
        return _SIGN
    if unicodedata.east_asian_width(letter) in "WF":
        return _BROAD
    base = unicodedata.normalize("NFD", letter)[0]
    return _WIDTHS.get(base, _BROAD if letter in "—…" else _UNKNOWN)
