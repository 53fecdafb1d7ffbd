r"""A report as a folder for a paper: pieces that ``\input`` takes in, and documents of them.

``report.tex`` is the whole report and ``summary.tex`` one page of it; both compile with pdfLaTeX,
XeLaTeX and LuaLaTeX. Every other file is a piece: a table or a text with what it needs, or what
stands in a figure. ``preamble.tex`` has what all of them need of a document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.errors import UnreadableError
from palio.report.blocks import Table
from palio.report.files import replace_file
from palio.report.latex import escape_latex, piece_latex, render_latex, running_latex, with_needs
from palio.report.methods import methods, references
from palio.report.names import shown_in, with_names
from palio.report.page import asset
from palio.report.paper import pages, pairs_page
from palio.report.sections.pictures import MOST_STEPS
from palio.report.views.common import verdict_texts

if TYPE_CHECKING:
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report
    from palio.results import Result

# With more pairs than this the document only says where they are: a page holds about fifty.
MOST_PAIRS = 200

# So many rows of the order are on the page of the summary.
TOP = 15


@dataclass(frozen=True)
class _Drawing:
    """A figure that was drawn: its name, its file, and what it says."""

    name: str
    path: Path
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
        "verdict": with_needs(_verdict(report)),
        "methods": with_needs(_methods(report)),
        **{name: text for name in TABLES if (text := table_piece(report, name))},
        **{name: with_needs(_figure(drawing)) for name, drawing in drawings.items()},
        "references": _references(report),
    }
    texts |= {
        "preamble": asset("preamble.tex"),
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
    report, label = with_names(report, shown_in(report.table)), f"tab:{name}"
    if name == "order":
        return piece_latex(pages(report), label=label)
    if name == "pairs":
        found = report.comparison
        return "" if found is None else piece_latex(pairs_page(found), label=label)
    posterior = report.posterior_answer
    return "" if posterior is None else render_latex(posterior)


def _top(report: Report) -> str:
    """Return the first rows of the order, without what the page says anyway."""
    table = next(block for block in pages(report) if isinstance(block, Table))
    if len(table.rows) > TOP:
        title = f"{table.title}: the first {TOP} of {len(table.rows)}"
        table = replace(table, rows=table.rows[:TOP], title=title)
    return piece_latex([table])


# The figures.


def _drawings(report: Report, folder: Path) -> Iterator[_Drawing]:
    """Draw every figure that the report allows."""
    from palio.report.figures import FIGURES, available, caption_of, draw, save

    comparison, posterior = report.comparison, report.posterior_answer
    over_items = comparison is not None and comparison.over == "items"
    wanted: dict[str, Result | None] = {
        "critical-difference": comparison,
        "comparison-matrix": comparison,
        "rank-distribution": comparison,
        "scores-grid": comparison,
        "multitest-graph": None if report.ordering.by_mean_rank_alone else report.ordering,
        "pareto": report,
        "forest": posterior or (comparison if over_items else None),
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
            caption_of(made) or FIGURES[name].title_of(part),
        )


def _figure(drawing: _Drawing) -> str:
    """Write what stands in a figure: the drawing at its own size, or less where a line is less."""
    return "\n".join(
        [
            "\\centering",
            "\\begin{adjustbox}{max width=\\linewidth,max totalheight=0.8\\textheight}",
            f"  \\includegraphics{{{drawing.path.name}}}",
            "\\end{adjustbox}",
            f"\\caption{{{running_latex(drawing.caption.removesuffix('.'))}.}}",
            f"\\label{{fig:{drawing.name}}}",
            "",
        ]
    )


# The texts.


def _verdict(report: Report) -> str:
    items = [f"  \\item {running_latex(each)}" for each in verdict_texts(report.claims)]
    return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}", ""])


def order_piece(ordering: Ordering, path: Path) -> str:
    """Return what a paper needs of an order: method, table, graph (drawn beside it), references."""
    from palio.report.figures import available, caption_of, draw, save

    pieces = [_methods(ordering), render_latex(ordering)]
    if names := available(ordering):
        figure = draw(ordering, names[0], medium="page")
        drawing = _Drawing(names[0], path.with_suffix(".pdf"), caption_of(figure))
        save(figure, drawing.path)
        pieces.append(f"\\begin{{figure}}\n{with_needs(_figure(drawing))}\\end{{figure}}\n")
    return "\n".join([*pieces, _references(ordering)])


def _methods(report: Report | Ordering) -> str:
    said = []
    for sentence in methods(report):
        cites = ",".join(_key(short) for short in sentence.cites)
        text = running_latex(sentence.text.removesuffix("."))
        said.append(f"{text}~\\cite{{{cites}}}." if cites else f"{text}.")
    return "\n".join(said) + "\n"


def _references(report: Report | Ordering) -> str:
    items = [
        f"\\bibitem{{{_key(work.short)}}} {escape_latex(work.full)}" for work in references(report)
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


def _whole(*lines: str) -> str:
    """Return a document of these lines."""
    return "\n".join([*_HEAD, "\\begin{document}", *lines, "\\end{document}", ""])


def _headline(report: Report) -> str:
    return running_latex(report.claims.headline.removesuffix("."))


def _document(report: Report, texts: Mapping[str, str], drawings: Mapping[str, _Drawing]) -> str:
    return _whole(
        f"\\title{{{_headline(report)}}}",
        "\\author{}",
        "\\date{}",
        "\\maketitle",
        "\\section{Verdict}",
        "\\input{verdict}",
        "\\section{Methods}",
        "\\input{methods}",
        *_results(report, texts, drawings),
        "\\input{references}",
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
        for name in here:
            if name in drawings:
                yield from ("\\begin{figure}", f"\\input{{{name}}}", "\\end{figure}")


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
    return _whole(
        "\\pagestyle{empty}",
        f"\\section*{{{_headline(report)}}}",
        "\\input{verdict}",
        _top(report),
        *figure,
    )
