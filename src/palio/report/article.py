r"""A report as a folder for a paper: tables, figures, a methods paragraph, references.

``report.tex`` takes all of them in and compiles as it is with pdfLaTeX; each file also goes into a
document of one's own with ``\input``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.errors import UnreadableError
from palio.report.files import replace_file
from palio.report.latex import escape_latex, render_latex
from palio.report.methods import methods
from palio.report.names import shown_in, with_names

if TYPE_CHECKING:
    from palio.report.analysis import Report
    from palio.report.verdict import ReportVerdict, Statement
    from palio.results import Result

# With more algorithms than this the steps of the sort fill pages and say nothing at a glance.
MOST_STEPS = 16


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
    figures = dict(_figures(report, folder))
    texts = {**_tables(report), "methods": _methods(report), "references": _references(report)}
    written = list(figures.values())
    for name, text in {**texts, "report": _document(report.verdict, list(texts), figures)}.items():
        path = folder / f"{name}.tex"
        replace_file(path, text.encode())
        written.append(path)
    return written


def _tables(report: Report) -> dict[str, str]:
    parts = {"order": report, "comparison": report.comparison, "posterior": report.posterior_answer}
    return {name: render_latex(part) for name, part in parts.items() if part is not None}


def _figures(report: Report, folder: Path) -> Iterator[tuple[str, Path]]:
    """Draw every figure that the report allows."""
    from palio.report.figures import FIGURES, available, draw, save

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
        yield (
            FIGURES[name].title_of(part),
            save(draw(part, name, **options), folder / f"{name}.pdf"),
        )


def _with_intervals(report: Report) -> Result | None:
    """Return what has effects or differences with intervals: a posterior, or pairs over items."""
    if report.posterior_answer is not None:
        return report.posterior_answer
    found = report.comparison
    return found if found is not None and found.over == "items" else None


def _methods(report: Report) -> str:
    said = []
    for sentence in methods(report):
        cites = ",".join(_key(short) for short in sentence.cites)
        text = escape_latex(sentence.text.removesuffix("."))
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


def _document(verdict: ReportVerdict, texts: list[str], figures: Mapping[str, Path]) -> str:
    claims = [f"  \\item {escape_latex(_said(each))}" for each in verdict.statements]
    tables = [f"\\input{{{name}}}" for name in texts if name not in ("methods", "references")]
    return "\n".join(
        [
            "\\documentclass{article}",
            "\\usepackage[T1]{fontenc}",
            "\\usepackage[utf8]{inputenc}",
            "\\usepackage{booktabs}",
            "\\usepackage{graphicx}",
            f"\\title{{{escape_latex(verdict.headline)}}}",
            "\\author{}",
            "\\date{}",
            "\\begin{document}",
            "\\maketitle",
            "\\section{Verdict}",
            "\\begin{itemize}",
            *claims,
            "\\end{itemize}",
            "\\section{Methods}",
            "\\input{methods}",
            "\\section{Results}",
            *tables,
            "\\clearpage",
            *(_included(title, path) for title, path in figures.items()),
            "\\clearpage",
            "\\input{references}",
            "\\end{document}",
            "",
        ]
    )


def _said(statement: Statement) -> str:
    """Return a claim with what it rests on."""
    claim, certainty = statement.claim, statement.certainty
    return f"{claim} ({certainty})" if certainty else claim


def _included(title: str, path: Path) -> str:
    size = "width=\\linewidth,height=0.8\\textheight,keepaspectratio"
    return "\n".join(
        [
            "\\begin{figure}[tbp]",
            "  \\centering",
            f"  \\includegraphics[{size}]{{{path.name}}}",
            f"  \\caption{{{escape_latex(title)}.}}",
            "\\end{figure}",
        ]
    )
