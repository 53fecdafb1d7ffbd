r"""A report as a folder for a paper: pieces that ``\input`` takes in, and documents of them.

``report.tex`` is the whole report and ``summary.tex`` one page of it; both compile with pdfLaTeX,
XeLaTeX and LuaLaTeX. Every other file is a piece: a table or a text with what it needs, or what
stands in a figure. ``preamble.tex`` has what all of them need of a document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.claims import Evidence, MostProbable, OnFront, PosteriorPair, Unfinished
from palio.errors import UnreadableError
from palio.report.files import replace_file
from palio.report.latex import piece_latex, render_latex, with_needs
from palio.report.latex_text import escape_latex, running_latex
from palio.report.methods import methods
from palio.report.names import shown_in, with_names
from palio.report.paper import Sheet, pages, pairs_page

if TYPE_CHECKING:
    from palio.claims import Answer
    from palio.report.analysis import Report
    from palio.results import Result

# With more algorithms than this the steps of the sort fill pages and say nothing at a glance.
MOST_STEPS = 16

# With more pairs than this the document only says where they are: a page holds about fifty.
MOST_PAIRS = 200

# So many rows of the order are on the page of the summary.
TOP = 15

# Points. Figures no wider than this stand two abreast, and those no higher share a page: at four
# fifths of their size, or three quarters, letters are still read.
_ABREAST, _SHARING = 284.0, 400.0

PREAMBLE = r"""% What the pieces need of a document, for pdfLaTeX, XeLaTeX and LuaLaTeX.
\usepackage{array,booktabs,graphicx,longtable}
\ifdefined\Umathcode
  \usepackage{fontspec}
  % Letters of other scripts are shown in the first of these fonts that has them, if any has.
  \newcommand{\paliofont}[2]{\IfFontExistsTF{#2}{\newfontfamily#1{#2}}{\let#1\relax}}
  \paliofont{\paliofonta}{Noto Serif CJK SC}
  \paliofont{\paliofontb}{Noto Sans CJK SC}
  \paliofont{\paliofontc}{FandolSong-Regular.otf}
  \paliofont{\paliofontd}{Arial Unicode MS}
  \paliofont{\paliofonte}{DejaVu Sans}
  \paliofont{\paliofontf}{FreeSerif}
  \newcommand{\paliohas}[1]{\ifx\paliofound\relax\ifx#1\relax\else
    {#1\iffontchar\font\paliocode\relax\global\let\paliofound#1\fi}\fi\fi}
  \def\paliofirst#1#2\paliofirst{`#1}
  \DeclareRobustCommand{\palioscript}[2]{{%
    \edef\paliocode{\number\paliofirst#1\paliofirst}\global\let\paliofound\relax
    \paliohas\normalfont\paliohas\paliofonta\paliohas\paliofontb\paliohas\paliofontc
    \paliohas\paliofontd\paliohas\paliofonte\paliohas\paliofontf
    \ifdefined\XeTeXlinebreaklocale\XeTeXlinebreaklocale "zh"\fi
    \ifx\paliofound\relax[#2]\else\ifx\paliofound\normalfont\else\paliofound\fi#1\fi}}
\else
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \DeclareRobustCommand{\palioscript}[2]{\texttt{[#2]}%
    \typeout{Letters that pdfLaTeX lacks are shown as code points: use XeLaTeX or LuaLaTeX.}}
\fi
"""


@dataclass(frozen=True)
class _Drawing:
    """A figure that was drawn: its name, its file, its size in points, and what it says."""

    name: str
    path: Path
    width: float
    height: float
    caption: str


def write_article(report: Report, folder: Path) -> list[Path]:
    r"""Write a report for a paper.

    Parameters
    ----------
    report : Report
        What is written.
    folder : Path
        Where to; made if it is not there. Files of the same names are replaced.

    Returns
    -------
    list of Path
        What was written, ``report.tex`` last.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableError("latex", f"'{folder}' cannot be made: {error.strerror}") from error
    report = with_names(report, shown_in(report.table))
    drawings = {drawing.name: drawing for drawing in _drawings(report, folder)}
    texts = {
        "verdict": with_needs(_verdict(report.claims)),
        "methods": with_needs(_methods(report)),
        **{name: text for name in TABLES if (text := _table(report, name))},
        **{name: with_needs(_figure(drawing)) for name, drawing in drawings.items()},
        "references": _references(report),
    }
    texts |= {
        "preamble": PREAMBLE,
        "summary": _summary(report, drawings),
        "report": _document(report, texts, drawings),
    }
    written = [drawing.path for drawing in drawings.values()]
    for name, text in texts.items():
        path = folder / f"{name}.tex"
        replace_file(path, text.encode())
        written.append(path)
    return written


# The tables.

TABLES = ("order", "pairs", "posterior")


def table_piece(report: Report, name: str) -> str:
    """Return one of `TABLES` as a piece, or nothing where the report has none of it."""
    return _table(with_names(report, shown_in(report.table)), name)


def _table(report: Report, name: str) -> str:
    label = f"tab:{name}"
    if name == "order":
        return piece_latex(pages(report), label=label)
    if name == "pairs":
        found = report.comparison
        return "" if found is None else piece_latex(pairs_page(found), label=label)
    posterior = report.posterior_answer
    return "" if posterior is None else render_latex(posterior)


def _top(report: Report) -> str:
    """Return the first rows of the order, without what the page says anyway."""
    sheet = next(block for block in pages(report) if isinstance(block, Sheet))
    rows = sheet.table.rows
    title = sheet.table.title
    if len(rows) > TOP:
        title = f"{title}: the first {TOP} of {len(rows)}"
    table = replace(sheet.table, rows=rows[:TOP], title=title)
    return piece_latex([replace(sheet, table=table)])


# The figures.


def _drawings(report: Report, folder: Path) -> Iterator[_Drawing]:
    """Draw every figure that the report allows."""
    from palio.report.figures import FIGURES, available, caption_of, draw, save

    comparison, posterior = report.comparison, report.posterior_answer
    wanted: dict[str, Result | None] = {
        "critical-difference": comparison,
        "comparison-matrix": comparison,
        "rank-distribution": comparison,
        "scores-grid": comparison,
        "multitest-graph": None if report.ordering.by_mean_rank_alone else report.ordering,
        "pareto": report,
        "forest": _with_intervals(report),
        "posterior-matrix": posterior,
    }
    for name, part in wanted.items():
        if part is None or name not in available(part):
            continue
        few = report.table.n_algorithms <= MOST_STEPS
        options: dict[str, Any] = {"steps": few} if "steps" in FIGURES[name].options else {}
        made = draw(part, name, medium="page", **options)
        yield _Drawing(
            name,
            save(made, folder / f"{name}.pdf"),
            72 * float(made.get_figwidth()),
            72 * float(made.get_figheight()),
            caption_of(made) or FIGURES[name].title_of(part),
        )


def _with_intervals(report: Report) -> Result | None:
    """Return what has effects or differences with intervals: a posterior, or pairs over items."""
    if report.posterior_answer is not None:
        return report.posterior_answer
    found = report.comparison
    return found if found is not None and found.over == "items" else None


def _figure(drawing: _Drawing) -> str:
    """Write what stands in a figure: the drawing at its own size, or less where a line is less."""
    natural = f"{drawing.width:.0f}bp"
    height = 0.42 if drawing.height <= _SHARING else 0.8
    size = (
        f"width=\\ifdim{natural}>\\linewidth\\linewidth\\else{natural}\\fi,"
        f"height={height}\\textheight,keepaspectratio"
    )
    return "\n".join(
        [
            "\\centering",
            f"\\includegraphics[{size}]{{{drawing.path.name}}}",
            f"\\caption{{{running_latex(drawing.caption.removesuffix('.'))}.}}",
            f"\\label{{fig:{drawing.name}}}",
            "",
        ]
    )


def _placed(drawings: Sequence[_Drawing]) -> Iterator[str]:
    """Take figures in, small neighbours two abreast."""
    left = list(drawings)
    while left:
        abreast = left[: 2 if all(each.width <= _ABREAST for each in left[:2]) else 1]
        left = left[len(abreast) :]
        taken = [f"\\input{{{each.name}}}" for each in abreast]
        if len(taken) == 2:
            begin, end = "\\begin{minipage}[t]{0.48\\linewidth}", "\\end{minipage}"
            taken = [begin, taken[0], f"{end}\\hfill", begin, taken[1], end]
        yield from ("\\begin{figure}", *taken, "\\end{figure}")


# The texts.


def _verdict(answer: Answer) -> str:
    evidence, found = answer.of(Evidence), answer.verdict
    kinds = (OnFront, MostProbable, PosteriorPair, Unfinished)
    more = (each.text for each in answer if isinstance(each, kinds))
    rests_on = None if evidence is None else evidence.text
    texts = filter(None, (found.best, found.value, rests_on, found.missing, *more))
    items = [f"  \\item {running_latex(each)}" for each in texts]
    return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}", ""])


def _methods(report: Report) -> str:
    said = []
    for sentence in methods(report):
        cites = ",".join(_key(short) for short in sentence.cites)
        text = running_latex(sentence.text.removesuffix("."))
        said.append(f"{text}~\\cite{{{cites}}}." if cites else f"{text}.")
    return "\n".join(said) + "\n"


def _references(report: Report) -> str:
    items = [
        f"\\bibitem{{{_key(work.short)}}} {escape_latex(work.full)}" for work in report.references
    ]
    if not items:
        return "% No work is cited.\n"
    return "\n".join(["\\begin{thebibliography}{99}", *items, "\\end{thebibliography}", ""])


def _key(short: str) -> str:
    """Return the key of a reference.

    >>> _key("Alpaydın 1999"), _key("Corani and others 2017")
    ('alpaydin1999', 'coraniandothers2017')
    """
    plain = unicodedata.normalize("NFKD", short.replace("ı", "i"))
    return re.sub(r"[^a-z0-9]", "", plain.lower())


# The documents.

# Tables and figures stand where they are taken in, and a long name may stretch a line.
_HEAD = (
    "\\documentclass[a4paper]{article}",
    "\\usepackage[margin=25mm]{geometry}",
    "\\usepackage{float}",
    "\\floatplacement{table}{H}",
    "\\floatplacement{figure}{H}",
    "\\input{preamble}",
    "\\setlength{\\emergencystretch}{3em}",
)

# The sections of results: the tables and figures of each.
_RESULTS = {
    "Order": ("order", "multitest-graph"),
    "Ranks": ("critical-difference", "rank-distribution"),
    "Comparison": ("comparison-matrix", "pairs"),
    "On each data set": ("scores-grid",),
    "Cost and score": ("pareto",),
    "Differences": ("forest",),
    "Probabilities": ("posterior", "forest", "posterior-matrix"),
}


def _document(report: Report, texts: Mapping[str, str], drawings: Mapping[str, _Drawing]) -> str:
    return "\n".join(
        [
            *_HEAD,
            f"\\title{{{running_latex(report.claims.headline.removesuffix('.'))}}}",
            "\\author{}",
            "\\date{}",
            "\\begin{document}",
            "\\maketitle",
            "\\section{Verdict}",
            "\\input{verdict}",
            "\\section{Methods}",
            "\\input{methods}",
            *_results(report, texts, drawings),
            "\\input{references}",
            "\\end{document}",
            "",
        ]
    )


def _results(
    report: Report, texts: Mapping[str, str], drawings: Mapping[str, _Drawing]
) -> Iterator[str]:
    bayesian = report.posterior_answer is not None
    for title, names in _RESULTS.items():
        if title == ("Differences" if bayesian else "Probabilities"):
            continue
        here = [name for name in names if name in texts]
        if here:
            yield f"\\section{{{title}}}"
        for name in here:
            if name in TABLES:
                yield _many_pairs(report) if name == "pairs" else f"\\input{{{name}}}"
        yield from _placed([drawings[name] for name in here if name in drawings])


def _many_pairs(report: Report) -> str:
    """Take the pairs in, or say where they are."""
    n = 0 if report.comparison is None else report.comparison.n_pairs
    if n <= MOST_PAIRS:
        return "\\input{pairs}"
    return f"\\noindent The {n} pairs are in \\texttt{{pairs.tex}}.\n% \\input{{pairs}}"


def _summary(report: Report, drawings: Mapping[str, _Drawing]) -> str:
    """Write one page: the verdict, the top of the order, and the ranks."""
    ranks = drawings.get("critical-difference")
    figure: list[str] = []
    if ranks is not None:
        size = "width=\\linewidth,height=0.35\\textheight,keepaspectratio"
        figure = [
            "\\begin{center}",
            f"\\includegraphics[{size}]{{{ranks.path.name}}}\\par\\smallskip",
            f"\\small {running_latex(ranks.caption)}",
            "\\end{center}",
        ]
    return "\n".join(
        [
            *_HEAD,
            "\\pagestyle{empty}",
            "\\begin{document}",
            f"\\section*{{{running_latex(report.claims.headline.removesuffix('.'))}}}",
            "\\input{verdict}",
            _top(report),
            *figure,
            "\\end{document}",
            "",
        ]
    )
