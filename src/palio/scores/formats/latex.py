r"""Tables in LaTeX: ``\begin{tabular}`` and its kin, as papers have them and pandas writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from palio.scores import limits
from palio.scores.limits import MalformedError
from palio.scores.text_tables import (
    MAX_TEXT,
    Context,
    TextTable,
    check_spanned,
    rectangle,
    with_prose,
)

_BEGIN = re.compile(
    r"\\begin\s?\{(tabular[xy*]?|longtable\*?|longtabu|tabu|tblr|NiceTabular\*?|array|supertabular"
    r"|xltabular|deluxetable\*?)\}"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_CAPTION = re.compile(r"\\(?:caption|tablecaption)\*?\s{0,3}(?:\[[^\]]{0,500}\])?\s{0,3}(?=\{)")
_SECTION = re.compile(r"\\(?:sub){0,2}(?:section|paragraph|chapter)\*?\s{0,3}(?=\{)")
_DEFINED = re.compile(r"\\(?:re)?newcommand\*?\s{0,3}\{?\\([A-Za-z]{1,40})\}?\s{0,3}(?=\{)")
_RULE = re.compile(r"\\(?:midrule|hline|Xhline|specialrule|toprule|bottomrule)\b")
# What stands between rows and holds no words; \endhead and its kin end the header of a long table.
_BETWEEN = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|noalign"
    r"|addlinespace|rowcolors?|cmidrule|cline|Xhline|specialrule|rowstyle|arrayrulecolor|tabucline)"
    r"\b(?:\s{0,2}(?:\([^)]{0,20}\)|\[[^\]]{0,40}\]|\{[^{}]{0,40}\})){0,4}"
)
_NEXT_CELL = re.compile("&")
# Behind the end of a row may stand its distance from the next: [2pt].
_NEXT_ROW = re.compile(r"\\(?:\\|tabularnewline\b)\*?(?:\s?\[-?[\d.]{1,8}\s?[a-z]{2}\])?")
_SPAN = re.compile(r"\\(multicolumn|multirow)\s{0,2}\*?\s{0,2}(?:\[[^\]]{0,20}\])?\s{0,2}(?=\{)")
_BOLD = re.compile(r"\\(?:textbf|mathbf|boldsymbol|bm|bfseries|bf|fontseries\{b\})\b")
_DROPPED = re.compile(  # with what they are given
    r"\\(?:cellcolor|rowcolor|columncolor|color|cite[a-z]{0,10}|ref|eqref|autoref|cref|label|caption"
    r"|footnote|footnotemark|tablefootnote|tnote|vspace|hspace|rule|includegraphics|fontsize"
    r"|phantom|hphantom|vphantom|setlength|addtolength)(?![A-Za-z])\*?"
    r"(?:\s?\[[^\]]{0,100}\]){0,2}(?:\s?\{[^{}]{0,300}\})?"
)
_FIRST_DROPPED = re.compile(
    r"\\(?:textcolor|colorbox|fcolorbox|href|scalebox|resizebox|parbox|raisebox|rotatebox)"
    r"(?:\s?\[[^\]]{0,50}\])?\s?\{[^{}]{0,300}\}"
)
_STYLED = re.compile(r"\\(?:mathbf|textbf|bm|boldsymbol|mathrm|text)\s?\{([^{}]{0,100})\}")
_SUBSCRIPT = re.compile(r"(?<=[\d)}%])\s{0,2}_\s{0,2}(?:\{\s{0,3}([^{}]{1,40})\}|(\d))")
_POWER = re.compile(r"\s?(?:\\times|\\cdot|×)\s?10\s?\^\s?(?:\{\s?([+−-]?\d{1,4})\s?\}|(\d))")
_TEN = re.compile(r"(?<![\w.])10\s?\^\s?\{?\s?([+−-]?\d{1,4})\s?\}?")
# A raised mark, or anything raised behind a number; R^{2} is a name.
_RAISED = re.compile(
    r"(?<=[\d)%}])\s?\^\s{0,2}(?:\{[^{}]{0,40}\}|\w)"
    r"|\^\s{0,2}(?:\{(?:\\[a-z]{1,10}|[*'†‡§¶,\s]){1,6}\}|\\[a-zA-Z]{1,20}|[*'†‡])"
)
_DOCUMENT = r"\begin{document}"
_MAX_AROUND = 200_000  # letters around tables that are looked through
_VERBATIM = re.compile(
    r"\\verb\*?(\W).{0,200}?\1|\\texttt\s?\{[^{}]{0,200}\}"
    r"|\\begin\{(verbatim|lstlisting|minted|algorithm\w{0,3})\}.{0,5000}?\\end\{\2\}",
    re.DOTALL,
)
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end|documentclass|usepackage)\s?(?:\[[^\]]{0,99}\]|\{[^{}]{0,99}\}){0,3}"
)
_MAX_GROUP = 20_000  # letters in braces
_MAX_COMMAND = 200  # letters of what a command of the document stands for
_COMMAND = re.compile(r"\\([a-zA-Z]{1,40})\*?(?:\s?\[[^\]]{0,40}\])?")
_SYMBOLS = dict(
    zip(
        """
        pm textpm times cdot dagger ddagger uparrow downarrow alpha beta gamma delta epsilon
        varepsilon lambda mu sigma tau checkmark cmark xmark infty approx ldots dots sim
        textasciitilde textendash textemdash
        """.split(),  # noqa: SIM905
        "±±×·†‡↑↓αβγδεελµστ✓✓✗∞≈……~~–—",
        strict=True,
    )
)
# Commands that change how words look, and are no words.
_QUIET = frozenset(
    """
    bf bfseries it itshape sl slshape sc scshape em tt ttfamily rm rmfamily sf sffamily tiny small
    scriptsize footnotesize normalsize large Large centering raggedright raggedleft displaystyle
    textstyle quad qquad hfill newline linebreak left right big Big strut protect relax null par
    noindent arraystretch maketitle clearpage newpage
    """.split()  # noqa: SIM905
)
_ESCAPED = re.compile(r"\\([%&#_$ {},;:!])")


def read_latex(text: str, _name: str) -> list[TextTable]:
    """Read all tables of a document."""
    limits.check_text(text, "&")
    text = _COMMENT.sub("", text)
    commands = {each[1]: _group(text, each.end(), _MAX_COMMAND) for each in _DEFINED.finditer(text)}
    found, place, around = list[TextTable](), max(0, text.find(_DOCUMENT)), ""
    while begin := _BEGIN.search(text, place):
        around += text[place : begin.start()]
        end = text.find(rf"\end{{{begin[1]}}}", begin.end())
        place = end if end >= 0 else len(text)
        found.append(_table(text, begin, place, {k: v for k, v in commands.items() if v}))
    found = [table for table in found if table.rows]
    if not found:
        raise MalformedError(r"holds no table: \begin{tabular} … \end{tabular}")
    return with_prose(found, _prose(around + text[place:]))


def _prose(text: str) -> Iterator[str]:
    r"""Yield headings and paragraphs of what is around tables.

    >>> list(filter(None, _prose("\\section{A \\emph{b}} We use \\verb|c|\n d.\n\nMore.")))
    ['# A b', 'We use d.', 'More.']
    """
    text = _VERBATIM.sub("", text[:_MAX_AROUND])
    for block in map(str.strip, _SECTION.sub("\n\n#", text).split("\n\n")):
        title = _group(block, 1) if block.startswith("#{") else ""
        if title:
            yield f"# {_plain(title)}"
        yield _plain(_ENVIRONMENT.sub("", block[len(title) + 3 if title else 0 :]))


def _table(text: str, begin: re.Match[str], end: int, commands: dict[str, str]) -> TextTable:
    """Read the table that begins and ends here."""
    body = text[_after_arguments(text, begin.end()) : end]
    made = _Rows(len(text), commands)
    line = text.count("\n", 0, begin.end()) + 1
    before = 0
    for place, row in _split(body, _NEXT_ROW):
        line += body.count("\n", before, place)
        before = place
        made.add(row, line + _blank_lines(row))
    *_, section = (None, *_SECTION.finditer(text, 0, begin.start()))
    caption, heading = (
        _plain(_group(text, each.end()), commands)[:MAX_TEXT] if each else ""
        for each in (_caption_at(text, begin.start(), end), section)
    )
    return TextTable(
        rectangle(made.rows, len(text)),
        made.lines,
        made.n_header,
        Context("", heading, caption),
        frozenset(made.best),
    )


def _caption_at(text: str, begin: int, end: int) -> re.Match[str] | None:
    """Return the caption in the same float, next to the table, or that within a long table."""
    opened = text.rfind(r"\begin{table", 0, begin)
    if opened <= text.rfind(r"\end{table", 0, begin):
        return _CAPTION.search(text, begin, end)
    closed = text.find(r"\end{table", begin)
    closed = len(text) if closed < 0 else closed
    near = max(opened, text.rfind(r"\end{tabular", 0, begin))
    return _CAPTION.search(text, near, closed) or _CAPTION.search(text, opened, closed)


def _after_arguments(text: str, place: int) -> int:
    """Return where the arguments of an environment end: {width}, [position], {columns}."""
    while True:
        match = re.compile(r"\s{0,20}(\{|\[[^\]]{0,200}\])").match(text, place)
        if match is None:
            return place
        if match[1] != "{":
            place = match.end()
            continue
        group = _group(text, match.end() - 1)
        # A row may begin with a brace, too: columns are given by letters, not words.
        if "&" in group or "\\\\" in group:
            return place
        place = match.end() + len(group) + 1


def _group(text: str, place: int, most: int = _MAX_GROUP) -> str:
    r"""Return what stands in the braces that open at a place.

    >>> _group(r"\caption{An {A}UC}.", 8)
    'An {A}UC'
    """
    depth = 0
    for each in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, place, place + most):
        depth += {"{": 1, "}": -1}.get(each[0], 0)
        if depth == 0 and each[0] == "}":
            return text[place + 1 : each.start()]
    return ""


def _split(text: str, mark: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    r"""Yield what is between marks outside of braces, with the place where it begins.

    >>> list(_split(r"a \& b & \textbf{c & d} & e", re.compile("&")))
    [(0, 'a \\& b '), (8, ' \\textbf{c & d} '), (25, ' e')]
    """
    depth = begin = 0
    for each in re.compile(r"\\(?:tabularnewline\b|.)|[{}&]", re.DOTALL).finditer(text):
        depth += {"{": 1, "}": -1}.get(each[0], 0)
        if depth <= 0 and (found := mark.match(text, each.start())):
            yield begin, text[begin : each.start()]
            begin = found.end()
    yield begin, text[begin:]


def _blank_lines(row: str) -> int:
    """Return how many lines of a row are in front of its words and rules."""
    words = _BETWEEN.sub(lambda each: " " * len(each[0]), row)
    return row.count("\n", 0, len(words) - len(words.lstrip()))


@dataclass
class _Rows:
    """The rows of a table while they are read."""

    size: int
    commands: dict[str, str]
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    best: set[tuple[int, int]] = field(default_factory=set)
    n_header: int | None = None
    below: dict[int, tuple[int, str]] = field(default_factory=dict)  # by column: rows, words
    made: int = 0

    def add(self, row: str, line: int) -> None:
        """Take a row; a rule above it may end the header."""
        if self.rows and self.n_header is None and _RULE.search(row):
            self.n_header = len(self.rows)
        row = _BETWEEN.sub("", row)
        if not row.strip():
            return
        cells: list[str] = []
        for _, cell in _split(row, _NEXT_CELL):
            self._add_cell(cells, cell)
        self.rows.append(cells)
        self.lines.append(line)

    def _add_cell(self, cells: list[str], cell: str) -> None:
        columns, rows, words = _spans(cell)
        text = _plain(words, self.commands)
        held = self.below.pop(len(cells), None)
        if held is not None:
            left, above = held
            text = text or above
            if left > 1:
                self.below[len(cells)] = left - 1, above
        self.made += columns
        check_spanned(self.made, self.size)
        if rows > 1:
            self.below.update({len(cells) + n: (rows - 1, text) for n in range(columns)})
        elif text and _BOLD.search(cell):
            self.best.add((len(self.rows), len(cells)))
        cells += [text] * columns


def _spans(cell: str) -> tuple[int, int, str]:
    r"""Return how many columns and rows a cell spans, and what it holds.

    >>> _spans(r"\multicolumn{2}{c}{\multirow{3}{*}{iris}}")
    (2, 3, 'iris')
    """
    columns = rows = 1
    for _ in range(2):
        found = _SPAN.search(cell)
        if found is None:
            break
        number = _group(cell, found.end())
        place = found.end() + len(number) + 2
        # The second argument is the alignment or the width, which may be * without braces.
        given = re.compile(r"\s{0,3}(\*|\{)").match(cell, place)
        if given and given[1] == "{":
            place = given.end() + len(_group(cell, given.end() - 1)) + 1
        elif given:
            place = given.end()
        extra = re.compile(r"\s{0,3}(?:\[[^\]]{0,20}\])?\s{0,3}(?=\{)").match(cell, place)
        inner = _group(cell, extra.end()) if extra else ""
        span = max(1, min(int(number), 1000)) if number.strip().isdecimal() else 1
        columns, rows = (span, rows) if found[1] == "multicolumn" else (columns, span)
        cell = cell[: found.start()] + inner
    return columns, rows, cell.strip() if columns * rows > 1 else cell


def _plain(cell: str, commands: dict[str, str] | None = None) -> str:
    r"""Return what a cell shows.

    >>> _plain(r"$\mathbf{0.36}_{0.02}$"), _plain(r"$0.9 \pm 0.1$"), _plain(r"\textbf{k}~\cite{a}")
    ('0.36 ± 0.02', '0.9 ± 0.1', 'k')
    >>> _plain(r"\cellcolor{gray95} 6.4e-3_{2e-3}"), _plain(r"$3.1\times10^{-4}$"), _plain(r"\ours")
    ('6.4e-3 ± 2e-3', '3.1e-4', 'ours')
    >>> _plain("$R^{2}$"), _plain("$10^{-3}$"), _plain(r"91.2$^{\dagger}$"), _plain("0.9^{a}")
    ('R2', '1e-3', '91.2', '0.9')
    >>> _plain(r"85.2\%"), _plain(r"{\bf a\_b}"), _plain(r"\textcolor{red}{\underline{0.9}}")
    ('85.2%', 'a_b', '0.9')
    """
    text = _COMMAND.sub(lambda each: (commands or {}).get(each[1], each[0]), cell)
    text = _FIRST_DROPPED.sub("", _DROPPED.sub("", text))
    text = _STYLED.sub(r"\1", text)
    text = _POWER.sub(lambda each: f"e{each[1] or each[2]}".replace("−", "-"), text)
    text = _TEN.sub(lambda each: f"1e{each[1]}".replace("−", "-"), text)
    text = _SUBSCRIPT.sub(_spread, text)
    text = _RAISED.sub("", text)
    # What is escaped is kept apart until all else is taken away.
    text = _ESCAPED.sub(lambda each: f"\0{ord(each[1])}\0" if each[1] in "%&#_${}" else " ", text)
    bare = _COMMAND.sub(_symbol, text)
    bare = re.sub(r"[{}$^]|\\[a-zA-Z@]?", "", bare.replace("\\\\", " ").replace("~", " "))
    bare = bare.replace("---", "—").replace("--", "–").replace("``", '"').replace("''", '"')
    bare = re.sub(r"\0(\d{1,3})\0", lambda each: chr(int(each[1])), bare)
    return " ".join(bare.split())


def _spread(subscript: re.Match[str]) -> str:
    """Return a number below a number as its spread; words below are left out."""
    words = re.sub(r"\\pm|[±()]", "", subscript[1] or subscript[2]).strip()
    return f" ± {words}" if re.fullmatch(r"[\d.,]+(?:[eE][+-]?\d+)?%?", words) else f" ({words})"


def _symbol(command: re.Match[str]) -> str:
    r"""Return what a command shows: a symbol, nothing, or, where it is not known, its name."""
    if command[1] in _SYMBOLS:
        return _SYMBOLS[command[1]]
    behind = command.string[command.end() : command.end() + 1]
    return "" if command[1] in _QUIET or behind == "{" else command[1]
