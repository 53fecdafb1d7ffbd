r"""Tables in LaTeX: ``\begin{tabular}`` and its kin, as papers have them and pandas writes them.

Cells and paragraphs are turned into the markup that `Document` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palio.scores import limits
from palio.scores.formats.markup import Document
from palio.scores.limits import MalformedError
from palio.scores.text_tables import Cell, TextTable


def _braced(depth: int) -> str:
    """Return a pattern of what stands in braces, with braces so deep within."""
    within = f"|{_braced(depth - 1)}" if depth else ""
    return rf"\{{(?:[^{{}}\\]|\\.{within})*+\}}"


_BRACED = _braced(4)
_OPTION = r"(?:\s?\[[^\]]{0,200}\])?"
# Those whose names end in a letter more, or a star, have a width in front of their columns.
_BEGIN = re.compile(
    r"\\begin\s?\{((?:(?:long|super|xl|Nice)?[tT]ab(?:u|ular)([xyX*])?|longtable|tblr|array"
    rf"|deluxetable)\*?)\}}{_OPTION}(?(2)\s?{_BRACED}{_OPTION})(?:\s?{_BRACED})?",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CAPTION = re.compile(rf"\\(?:table)?caption\*?\s?{_OPTION}\s?({_BRACED})", re.DOTALL)
_SECTION = re.compile(rf"\\(?:sub){{0,2}}(?:section|paragraph|chapter)\*?\s?({_BRACED})", re.DOTALL)
# Behind the end of a row may stand its distance from the next: [2pt].
_MARK = re.compile(
    r"(\\\\\*?(?:\s?\[-?[\d.]{1,8}\s?[a-z]{2}\])?|\\tabularnewline\b)|\\.|[{}&]", re.DOTALL
)
_VERBATIM = re.compile(
    r"\\verb\*?(\W).{0,200}?\1|\\texttt\s?\{[^{}]{0,200}\}"
    r"|\\begin\{(verbatim|lstlisting|minted|algorithm\w{0,3})\}.{0,5000}?\\end\{\2\}",
    re.DOTALL,
)
_SPANS = [
    re.compile(rf"\\multi{name}\*?\s?(?:\[[^\]]{{0,20}}\])?\s?\{{\s?(\d{{1,9}})\s?\}}")
    for name in ("column", "row")
]
# Papers have short names for them: \mc{2}{Accuracy}, \mc{2}{c|}{Accuracy}.
_SHORT = re.compile(
    r"\\[a-z]{0,2}mc[a-z]{0,3}\s?(\{\s?\d{1,2}\s?\})(?:\s?\{[lcr|]{1,5}\}(?=\s?\{))?"
)
_ESCAPED = re.compile(r"\\([^a-zA-Z])")
# A command with what is in brackets and braces behind it, what is raised or lowered, or braces.
_PIECE = re.compile(
    r"\\([a-zA-Z]{1,40})\*?(?:\s?\[[^\]]{0,100}\]|\([^()]{0,40}\)){0,2}((?:\s{0,3}\{[^{}]*+\})*)"
    r"|([_^])(\{[^{}]*+\}|\\[a-zA-Z]{1,40}|(?<=\^)[^\s{}])|\{([^{}]*+)\}"
)
_MAX_DEPTH = 20  # of braces within braces
_MAX_WORDS = 20_000  # letters of a title or a paragraph
_MAX_SPAN = 1000

_LETTERS = {"<": "&lt;", ">": "&gt;", "---": "—", "--": "–", "``": '"', "''": '"', "~": " "}
# What a command shows, or how many of its arguments it does not show; those behind them it does.
_COMMANDS = dict(
    each.split(":")
    for each in """
    pm:± textpm:± times:× cdot:· dagger:† ddagger:‡ uparrow:↑ downarrow:↓ alpha:α beta:β gamma:γ
    delta:δ epsilon:ε varepsilon:ε lambda:λ mu:µ sigma:σ tau:τ checkmark:✓ cmark:✓ xmark:✗ infty:∞
    approx:≈ ldots:… dots:… sim:~ textasciitilde:~ textendash:– textemdash:— textsuperscript:^
    textsubscript:_ toprule:0 midrule:0 bottomrule:0 hline:0 endhead:0 endfirsthead:0 endfoot:0
    endlastfoot:0 addlinespace:0 it:0 itshape:0 sl:0 slshape:0 sc:0 scshape:0 em:0 tt:0 bf:0
    bfseries:0 ttfamily:0 rm:0 rmfamily:0 sf:0 sffamily:0 tiny:0 small:0 scriptsize:0 footnotesize:0
    normalsize:0 large:0 Large:0 centering:0 raggedright:0 raggedleft:0 left:0 right:0 big:0 Big:0
    displaystyle:0 textstyle:0 quad:0 qquad:0 hfill:0 newline:0 linebreak:0 strut:0 protect:0
    relax:0 null:0 par:0 noindent:0 arraystretch:0 maketitle:0 clearpage:0 newpage:0 tabucline:0
    footnotemark:0 cmidrule:1 cline:1 Xhline:1 rowstyle:1 arrayrulecolor:1 noalign:1 cellcolor:1
    rowcolor:1 columncolor:1 color:1 cite:1 citep:1 citet:1 citealp:1 citeauthor:1 ref:1 eqref:1
    autoref:1 cref:1 label:1 caption:1 footnote:1 tablefootnote:1 tnote:1 vspace:1 hspace:1
    includegraphics:1 phantom:1 hphantom:1 vphantom:1 textcolor:1 colorbox:1 href:1 scalebox:1
    parbox:1 raisebox:1 rotatebox:1 begin:1 end:1 documentclass:1 usepackage:1 fontseries:1
    multicolumn:2 multirow:2 resizebox:2 fcolorbox:2 rule:2 fontsize:2 setlength:2 addtolength:2
    newcommand:2 renewcommand:2 specialrule:3 rowcolors:3
    """.split()  # noqa: SIM905
)


def read_latex(text: str, _name: str) -> list[TextTable | MalformedError]:
    """Read all tables of a document."""
    limits.check_text(text, "&")
    text = _COMMENT.sub("", text)
    document = Document(text, is_skipped=False)
    place = max(0, text.find(r"\begin{document}"))
    while begin := _BEGIN.search(text, place):
        _add_words(document, text[place : begin.start()])
        end = text.find(rf"\end{{{begin[1]}}}", begin.end())
        place = end if end >= 0 else len(text)
        _add_table(document, text, begin, place)
    _add_words(document, text[place:])
    return document.tables(r"holds no table: \begin{tabular} … \end{tabular}")


def _add_words(document: Document, text: str) -> None:
    """Add the headings and paragraphs that are around tables."""
    for n, part in enumerate(_SECTION.split(_VERBATIM.sub("", text))):
        is_title = n % 2 == 1
        for block in [part] if is_title else part.split("\n\n"):
            document.add_words(_markup(block[:_MAX_WORDS]), is_heading=is_title)


def _add_table(document: Document, text: str, begin: re.Match[str], end: int) -> None:
    """Add the table that begins and ends here."""
    rows: list[list[Cell]] = [[]]
    lines = list[int]()
    line, counted, n_made = 1, 0, 0
    for place, written, is_last in _split(text, begin.end(), end):
        cell = _SHORT.sub(r"\\multicolumn\1{}", written)
        if not rows[-1]:
            line, counted = line + text.count("\n", counted, place), place
            lines.append(line)
        found = (form.search(cell) for form in _SPANS)
        spans = [min(int(each[1]) or 1, _MAX_SPAN) if each else 1 for each in found]
        rows[-1].append(Cell(_markup(cell).strip(), *spans))
        n_made += rows[-1][-1].n_columns
        limits.check_spanned(n_made, document.size)
        if is_last:
            rows.append([])
    document.add_table(rows[:-1], lines, _markup(_caption(text, begin.start(), end)))


def _caption(text: str, begin: int, end: int) -> str:
    """Return the caption in the same float, next to the table, or that within a long table."""
    before = max(text.rfind(mark, 0, begin) for mark in (r"\begin{table", r"\end{tab"))
    behind = [text.find(mark, end) % (len(text) + 1) for mark in (r"\begin{tab", r"\end{table")]
    found = _CAPTION.search(text, max(0, before), min(behind))
    return found[1][:_MAX_WORDS] if found else ""


def _split(text: str, begin: int, end: int) -> Iterator[tuple[int, str, bool]]:
    r"""Yield where each cell ends, the cell, and whether it is the last of its row.

    >>> list(_split(r"a \& b & \textbf{c & d} \\ e", 0, 28))
    [(7, 'a \\& b ', False), (24, ' \\textbf{c & d} ', True), (28, ' e', True)]
    """
    depth = 0
    for each in _MARK.finditer(text, begin, end):
        depth += {"{": 1, "}": -1}.get(each[0], 0)
        if depth <= 0 and (each[0] == "&" or each[1]):
            yield each.start(), text[begin : each.start()], each[0] != "&"
            begin = each.end()
    yield end, text[begin:end], True


def _markup(text: str) -> str:
    r"""Return what LaTeX shows, as HTML has it.

    >>> _markup(r"$\mathbf{0.36}_{0.02}$"), _markup(r"$0.9 \pm 0.1$"), _markup(r"\emph{k}~\cite{a}")
    ('0.36<sub>0.02</sub>', '0.9 ± 0.1', 'k ')
    >>> _markup(r"$3.1\times10^{-4}$"), _markup(r"91.2$^{\dagger}$"), _markup(r"R^2 by a_time")
    ('3.1×10<sup>-4</sup>', '91.2<sup>†</sup>', 'R<sup>2</sup> by a_time')
    >>> _markup(r"\( \mathbf{66.2} \)"), _markup(r"\$5"), _markup(r"\textcolor{red}{\uline{0.9}}")
    (' 66.2 ', '&#36;5', '0.9')
    >>> _markup(r"\ours"), _markup(r"\multicolumn{2}{c@{\hskip 1em}}{\textbf{A}}")
    ('ours', 'A')
    """
    text = _ESCAPED.sub(_letter, _BEGIN.sub(" ", text).replace(r"\\", " ")).replace("$", "")
    for written, shown in _LETTERS.items():
        text = text.replace(written, shown)
    for _ in range(_MAX_DEPTH):
        text, n_pieces = _PIECE.subn(_shown, text)
        if not n_pieces:
            break
    return text


def _letter(escaped: re.Match[str]) -> str:
    letter = escaped[1]
    return "" if letter in "()[]" else " " if letter in " ,;:!\n" else f"&#{ord(letter)};"


def _shown(piece: re.Match[str]) -> str:
    """Return what a part of a cell shows, in which there may be others."""
    command, behind, script, argument, words = piece.groups()
    if script:
        tag = "sup" if script == "^" else "sub"
        return f"<{tag}>{argument}</{tag}>"
    if command is None:
        return str(words)
    known = _COMMANDS.get(command, "")
    if not known.isdecimal():
        return f"{known}{behind}" if known or behind.strip(" {}") else command
    arguments = re.findall(r"\{([^{}]*)\}", behind)
    # Those that hold braces themselves come next.
    return "".join(arguments[int(known) :]) if len(arguments) >= int(known) else piece[0]
