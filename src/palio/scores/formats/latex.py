r"""Tables in LaTeX: ``\begin{tabular}`` and its kin, as papers have them and pandas writes them.

Cells and paragraphs are turned into the markup that `Document` reads.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from palio.scores import limits
from palio.scores.formats.prose import Document
from palio.scores.text_tables import Cell, TextTable

_BEGIN = re.compile(
    r"\\begin\s?\{((?:(?:long|super|xl|Nice)?[tT]ab(?:u|ular[xy]?)|longtable|tblr|array|deluxetable)"
    r"\*?)\}"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CAPTION = re.compile(r"\\(?:table)?caption\*?\s{0,3}(?:\[[^\]]{0,500}\])?\s{0,3}(?=\{)")
_SECTION = re.compile(r"\\(?:sub){0,2}(?:section|paragraph|chapter)\*?\s{0,3}(?=\{)")
_DEFINED = re.compile(r"\\(?:re)?newcommand\*?\s{0,3}\{?\\([A-Za-z]{1,40})\}?\s{0,3}(?=\{)")
_RULE = re.compile(r"\\(?:midrule|X?hline|specialrule|toprule|bottomrule)\b")
# What stands in front of a row and holds no words.
_LEADING = re.compile(
    r"(?:\s|\\\w{0,20}(?:rule|line|head|foot|space|colors?)\b"
    r"(?:\([^)]{0,20}\)|\[[^\]]{0,40}\]|\{[^{}]{0,40}\}){0,4}){0,99}"
)
# Behind the end of a row may stand its distance from the next: [2pt].
_MARK = re.compile(
    r"(\\\\\*?(?:\s?\[-?[\d.]{1,8}\s?[a-z]{2}\])?|\\tabularnewline\b)|\\.|[{}&]", re.DOTALL
)
_VERBATIM = re.compile(
    r"\\verb\*?(\W).{0,200}?\1|\\texttt\s?\{[^{}]{0,200}\}"
    r"|\\begin\{(verbatim|lstlisting|minted|algorithm\w{0,3})\}.{0,5000}?\\end\{\2\}",
    re.DOTALL,
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTIONAL = re.compile(r"(?:\s?(?:\[[^\]]{0,100}\]|\([^()]{0,40}\))){0,2}\s{0,3}")
_ARGUMENT = re.compile(r"\s{0,20}(?:(?=\{)|\[[^\]]{0,200}\])")
_COMMAND = re.compile(r"\\([a-zA-Z]{1,40})\*?(?:\s?\[[^\]]{0,100}\]){0,2}")
_TOKEN = re.compile(rf"{_COMMAND.pattern}|\\.|---?|``|''|[{{}}$~^_]|[^\\{{}}$~^_`'-]+|.", re.DOTALL)
_MAX_WORDS = 20_000  # letters of a caption, a title or a paragraph
_MAX_ARGUMENT = 300  # letters of any other argument
_MAX_ARGUMENTS = 9  # of an environment
_MAX_SCRIPT = 40  # letters that are raised or lowered
_MAX_SPAN = 1000

_LETTERS = {
    **dict.fromkeys(["{", "}", "$", "\\", r"\(", r"\)"], ""),
    **dict.fromkeys(["~", "\\\\", "\\ ", "\\,", "\\;", "\\:", "\\!"], " "),
    **dict(zip(["---", "--", "``", "''", "\\_", "\\&"], [*'—–""', "\\_", "&amp;"], strict=True)),
}
_SCRIPTS = {"^": "^", "_": "_", "textsuperscript": "^", "textsubscript": "_"}
# What a command shows, or how many of its arguments it does not show; those behind them it does.
_COMMANDS = dict(
    each.split(":")
    for each in """
    textbf:<b> mathbf:<b> boldsymbol:<b> bm:<b> bfseries:<b> bf:<b> pm:± textpm:± times:× cdot:·
    dagger:† ddagger:‡ uparrow:↑ downarrow:↓ alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε
    lambda:λ mu:µ sigma:σ tau:τ checkmark:✓ cmark:✓ xmark:✗ infty:∞ approx:≈ ldots:… dots:… sim:~
    textasciitilde:~ textendash:– textemdash:— toprule:0 midrule:0 bottomrule:0 hline:0 endhead:0
    endfirsthead:0 endfoot:0 endlastfoot:0 addlinespace:0 it:0 itshape:0 sl:0 slshape:0 sc:0
    scshape:0 em:0 tt:0 ttfamily:0 rm:0 rmfamily:0 sf:0 sffamily:0 tiny:0 small:0 scriptsize:0
    footnotesize:0 normalsize:0 large:0 Large:0 centering:0 raggedright:0 raggedleft:0 left:0
    right:0 big:0 Big:0 displaystyle:0 textstyle:0 quad:0 qquad:0 hfill:0 newline:0 linebreak:0
    strut:0 protect:0 relax:0 null:0 par:0 noindent:0 arraystretch:0 maketitle:0 clearpage:0
    newpage:0 tabucline:0 footnotemark:0 cmidrule:1 cline:1 Xhline:1 rowstyle:1 arrayrulecolor:1
    noalign:1 cellcolor:1 rowcolor:1 columncolor:1 color:1 cite:1 citep:1 citet:1 citealp:1
    citeauthor:1 ref:1 eqref:1 autoref:1 cref:1 label:1 caption:1 footnote:1 tablefootnote:1 tnote:1
    vspace:1 hspace:1 includegraphics:1 phantom:1 hphantom:1 vphantom:1 textcolor:1 colorbox:1
    href:1 scalebox:1 parbox:1 raisebox:1 rotatebox:1 end:1 documentclass:1 usepackage:1
    fontseries:1 multicolumn:2 multirow:2 resizebox:2 fcolorbox:2 rule:2 fontsize:2 setlength:2
    addtolength:2 newcommand:2 renewcommand:2 specialrule:3 rowcolors:3
    """.split()  # noqa: SIM905
)


def read_latex(text: str, _name: str) -> list[TextTable]:
    """Read all tables of a document."""
    limits.check_text(text, "&")
    text = _COMMENT.sub("", text)
    defined = ((each[1], _argument(text, each.end())[0]) for each in _DEFINED.finditer(text))
    commands = {name: shown for name, shown in defined if shown}
    document = Document(len(text), is_skipped=False)
    place = max(0, text.find(r"\begin{document}"))
    while begin := _BEGIN.search(text, place):
        _add_words(document, text[place : begin.start()])
        end = text.find(rf"\end{{{begin[1]}}}", begin.end())
        place = end if end >= 0 else len(text)
        _add_table(document, text, begin, place, commands)
    _add_words(document, text[place:])
    return document.tables(r"holds no table: \begin{tabular} … \end{tabular}")


def _add_words(document: Document, text: str) -> None:
    """Add the headings and paragraphs that are around tables."""
    for block in map(str.strip, _SECTION.sub("\n\n#", _VERBATIM.sub("", text)).split("\n\n")):
        end = 0
        if block.startswith("#{"):
            title, end = _argument(block, 1, _MAX_WORDS)
            document.add_heading(_markup(title))
        document.add_paragraph(_markup(block[end : end + _MAX_WORDS]))


def _add_table(
    document: Document, text: str, begin: re.Match[str], end: int, commands: Mapping[str, str]
) -> None:
    """Add the table that begins and ends here."""
    rows: list[list[Cell]] = [[]]
    lines, n_header = list[int](), None
    line, counted, n_made = 1, 0, 0
    for place, cell, is_last in _split(text, _after_arguments(text, begin.end()), end):
        if not rows[-1]:  # a rule above a row may end the header
            words = place + _LEADING.match(cell).end()  # type: ignore[union-attr]  # may be empty
            line, counted = line + text.count("\n", counted, words), words
            lines.append(line)
            if n_header is None and len(rows) > 1 and _RULE.search(cell):
                n_header = len(rows) - 1
        n_made += _spans(cell)[0]
        limits.check_spanned(n_made, document.size)
        shown = _COMMAND.sub(lambda each: commands.get(each[1], each[0]), cell)
        rows[-1].append(Cell(_markup(shown).strip(), *_spans(cell)))
        if is_last:
            rows.append([])
    document.add_table(rows[:-1], lines, n_header, _markup(_caption(text, begin.start(), end)))


def _caption(text: str, begin: int, end: int) -> str:
    """Return the caption in the same float, next to the table, or that within a long table."""
    opened, place = text.rfind(r"\begin{table", 0, begin), begin
    if opened > text.rfind(r"\end{table", 0, begin):
        end = text.find(r"\end{table", begin)
        begin, end = opened, end if end >= 0 else len(text)
    near = max(begin, text.rfind(r"\end{tabular", 0, place))
    found = _CAPTION.search(text, near, end) or _CAPTION.search(text, begin, end)
    return _argument(text, found.end(), _MAX_WORDS)[0] if found else ""


def _after_arguments(text: str, place: int) -> int:
    """Return where the arguments of an environment end: {width}, [position], {columns}."""
    for _ in range(_MAX_ARGUMENTS):
        if (found := _ARGUMENT.match(text, place)) is None:
            break
        is_optional = found[0].endswith("]")
        argument, end = ("", found.end()) if is_optional else _argument(text, found.end())
        # A row may begin with a brace, too: columns are given by letters, not words.
        if "&" in argument or "\\\\" in argument:
            break
        place = end
    return place


def _argument(text: str, place: int, most: int = _MAX_ARGUMENT) -> tuple[str, int]:
    r"""Return what stands in the braces that open at a place, or one letter, and where it ends.

    >>> _argument(r"\caption{An {A}UC}.", 8), _argument("x^2", 2)
    (('An {A}UC', 18), ('2', 3))
    """
    if text[place : place + 1] != "{":
        found = re.compile(r"\\[a-zA-Z]{1,40}|\\?.?", re.DOTALL).match(text, place)
        return (found[0], found.end()) if found else ("", place)
    depth = 0
    for each in _BRACE.finditer(text, place, place + most):
        depth += {"{": 1, "}": -1}.get(each[0], 0)
        if depth == 0:
            return text[place + 1 : each.start()], each.end()
    return "", place + 1


def _split(text: str, begin: int, end: int) -> Iterator[tuple[int, str, bool]]:
    r"""Yield cells, where each begins, and whether it is the last of its row.

    >>> list(_split(r"a \& b & \textbf{c & d} \\ e", 0, 28))
    [(0, 'a \\& b ', False), (8, ' \\textbf{c & d} ', True), (26, ' e', True)]
    """
    depth = 0
    for each in _MARK.finditer(text, begin, end):
        depth += {"{": 1, "}": -1}.get(each[0], 0)
        if depth <= 0 and (each[0] == "&" or each[1]):
            yield begin, text[begin : each.start()], each[0] != "&"
            begin = each.end()
    yield begin, text[begin:end], True


def _spans(cell: str) -> tuple[int, int]:
    r"""Return how many columns and rows a cell spans.

    >>> _spans(r"\multicolumn{2}{c}{\multirow{3}{*}{iris}}")
    (2, 3)
    """
    found = (
        re.search(rf"\\multi{name}\*?\s?(?:\[[^\]]{{0,20}}\])?\s?\{{\s?(\d{{1,9}})\s?\}}", cell)
        for name in ("column", "row")
    )
    n_columns, n_rows = (max(1, min(int(each[1]), _MAX_SPAN)) if each else 1 for each in found)
    return n_columns, n_rows


def _markup(text: str) -> str:
    r"""Return what LaTeX shows, with ``<b>`` where it is bold.

    >>> _markup(r"$\mathbf{0.36}_{0.02}$"), _markup(r"$0.9 \pm 0.1$"), _markup(r"\emph{k}~\cite{a}")
    ('<b>0.36 ± 0.02', '0.9 ± 0.1', 'k ')
    >>> _markup(r"\cellcolor{gray95} 6.4e-3_{2e-3}"), _markup(r"$3.1\times10^{-4}$")
    (' 6.4e-3 ± 2e-3', '3.1e-4')
    >>> _markup("$R^{2}$"), _markup("$10^{-3}$"), _markup(r"91.2$^{\dagger}$"), _markup("0.9^{a}")
    ('R2', '1e-3', '91.2', '0.9')
    >>> _markup(r"0.9\textsuperscript{2}"), _markup(r"R\textsuperscript{2}")
    ('0.9', 'R2')
    >>> _markup(r"\( \mathbf{66.2} \)"), _markup(r"\$5")
    (' <b>66.2 ', '$5')
    >>> _markup(r"85.2\%"), _markup(r"\textcolor{red}{\underline{0.9}}"), _markup(r"\ours")
    ('85.2%', '0.9', 'ours')
    """
    shown, place = "", 0
    while token := _TOKEN.match(text, place):
        place = token.end()
        command = token[1]
        if script := _SCRIPTS.get(command or token[0]):
            argument, place = _argument(text, place, 2 * _MAX_SCRIPT)
            shown = _with_script(shown, script, argument)
        elif command is None:
            letters = token[0].removeprefix("\\") or token[0]
            shown += _LETTERS.get(token[0], html.escape(letters, quote=False))
        elif command == "begin":
            place = _after_arguments(text, place)
        elif (known := _COMMANDS.get(command, "")).isdecimal():
            for _ in range(int(known)):
                place = _OPTIONAL.match(text, place).end()  # type: ignore[union-attr]
                place = _argument(text, place)[1]
        else:
            shown += known or ("" if text.startswith("{", place) else command)
    return shown


def _with_script(shown: str, mark: str, argument: str) -> str:
    """Add what is raised or lowered: a power of ten, a spread, a mark or a part of a name."""
    words, before = _markup(argument[:_MAX_SCRIPT]), shown[-_MAX_SCRIPT:]
    is_number = re.search(r"[\d)%]\s?$", before) is not None
    if mark == "_" and (not is_number or not (len(argument) > 1 or argument.isdecimal())):
        return f"{shown}\\_{words}"
    if mark == "_":
        words = re.sub("[±()]", "", words).strip()
        is_spread = re.fullmatch(r"[\d.,]+(?:[eE][+-]?\d+)?%?", words)
        return f"{shown} ± {words}" if is_spread else f"{shown} ({words})"
    power = re.search(r"(\s?[×·]\s?|(?<![\w.]))10\s?$", before)
    if power and re.fullmatch(r"\s?[+−-]?\d{1,4}\s?", words):
        digits = "" if power[1] else "1"
        return f"{shown[: -len(power[0])]}{digits}e{words.strip().replace('−', '-')}"
    is_mark = re.fullmatch(r"(?:\\[a-zA-Z]{1,20}|[*'†‡§¶,\s]){0,6}", argument)
    return shown if is_number or is_mark else shown + words
