"""What ``<!-- palio: NAME -->`` in a page stands for: tables and texts from the registries."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from cyclopts import App
from rich.console import Console

import palio
from docs.pages import replication
from palio import __version__
from palio.algorithms.catalogue import LEARNERS
from palio.app.cli import app, without_verb
from palio.app.help_pages import LongHelp
from palio.app.verbs import GROUPS, VERBS
from palio.numbers import part
from palio.recommending.counting import Reach, Share
from palio.recommending.evaluated import RecommendationEvaluation
from palio.report.figures import FIGURES
from palio.scores.formats import endings
from palio.scores.importers import IMPORTERS
from palio.studies import STUDIES
from palio.studies.concordance import PAPERS, concordance

__all__ = [
    "BUDGETS", "EXAMPLES", "MARKS", "captioned", "evaluation", "fill", "fitting", "shown_in",
]  # fmt: skip

DOCS = Path(__file__).resolve().parents[1]
EXAMPLES = tuple(sorted((DOCS / "gallery").glob("plot_*.py")))
"""The scripts of the gallery."""


def fill(markdown: str) -> str:
    """Put what is written from the code in the place of its mark.

    >>> print(fill("Files: <!-- palio: formats -->."))
    Files: ...csv...
    """
    for name, write in MARKS.items():
        mark = f"<!-- palio: {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, write())
    return markdown


def captioned(markdown: str) -> str:
    r"""Show the name of a file above its content, where a block says it.

    >>> print(captioned('```toml title="a.toml"\nx = 1\n```'))
    ```{code-block} toml
    :caption: a.toml
    <BLANKLINE>
    x = 1
    ```
    """
    return re.sub(
        r'^(`{3,})(\w+) title="([^"]+)"$',
        r"\1{code-block} \2\n:caption: \3\n",
        markdown,
        flags=re.M,
    )


def shown_in(figure: str) -> str | None:
    """Return the page of the first example that draws a figure."""
    drawn = (path for path in EXAMPLES if f'"{figure}"' in path.read_text(encoding="utf-8"))
    return next((f"../examples/{path.stem}.rst" for path in drawn), None)


def _table(heads: str, rows: Iterable[Iterable[str]]) -> str:
    lines = [heads, "|".join(["", *["---"] * heads.count(" | "), "---", ""])]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def _verbs() -> str:
    named = ((want, (n for names in of.values() for n in names)) for want, of in GROUPS.items())
    return _table(
        "| to | verbs |",
        ((want, ", ".join(f"[`{n}`](#palio-{n})" for n in names)) for want, names in named),
    )


def _commands() -> str:
    """Return a section for every verb, and one for none: what `palio VERB --help-all` prints."""
    pages = {"results.csv": _help(without_verb()), **{verb: _help(app, verb) for verb in VERBS}}
    return "\n\n".join(f"### palio {each}\n\n```text\n{page}\n```" for each, page in pages.items())


def _help(application: App, *verb: str) -> str:
    page = io.StringIO()
    application.help_formatter = LongHelp()
    application.help_print(verb, console=Console(file=page, width=80, no_color=True))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())


def _figures() -> str:
    return _table(
        "| name | shows | of a |",
        (
            (
                f"[`{name}`]({shown_in(name)})" if shown_in(name) else f"`{name}`",
                kind.title,
                ", ".join(kind.kinds),
            )
            for name, kind in FIGURES.items()
        ),
    )


def _learners() -> str:
    """Return one row per learner; the hyper-parameters that are free are in italics."""
    rows = (
        (
            f"`{each.name}`",
            each.title,
            each.family,
            each.paper,
            ", ".join(f"*{n}*" if n in each.free else f"`{n}`" for n in each.grid_for(1000, 10)),
        )
        for each in LEARNERS.values()
    )
    remarks = (f"`{each.name}`\n:   {each.notes}" for each in LEARNERS.values() if each.notes)
    table = _table("| name | learner | kind | settings of | searched over |", rows)
    return f"{table}\n\n## Remarks\n\n" + "\n\n".join(remarks)


def _studies() -> str:
    return _table(
        "| study | what it is | paper | can be run again |",
        (
            (
                f"[{name}]({name}.md)" if (DOCS / "studies" / f"{name}.md").exists() else name,
                study.title,
                study.reference,
                "yes" if study.rerun else "no",
            )
            for name, study in STUDIES.items()
        ),
    )


def _concordance() -> str:
    """Return a row for each element of the papers: the command, or what it is in Python."""
    found = concordance({name: replication.found(name) for name in PAPERS})
    return _table(
        "| paper | § | element | what | agrees | command | Python |",
        (
            (
                f"[{each.paper}]({each.paper}.md)", each.section, each.element, each.what,
                each.agrees, *(f"`{code}`" if code else "" for code in (each.command, each.call)),
            )
            for each in found.elements
        ),
    )  # fmt: skip


def _of_the_repository(name: str) -> str:
    """Return a file at the root, its links to other files as links to their pages.

    >>> "](policy.md)" in _of_the_repository("CONTRIBUTING.md")
    True
    """
    text = (DOCS.parent / name).read_text(encoding="utf-8")

    def link(found: re.Match[str]) -> str:
        said, path, anchor = found.groups(default="")
        page = _PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        return f"[{said}]({page}{anchor})" if page else said

    return re.sub(r"\[([^\]]+)\]\((?!\w+:)([^)#]+)(#[^)]*)?\)", link, text)


_PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""The files at the root that are pages too."""


def _limits() -> str:
    """Return what a file of a table may hold, as the list in SECURITY.md says.

    >>> print(_limits())
    - 500 MB in a file, unpacked
    ...
    """
    text = (DOCS.parent / "SECURITY.md").read_text(encoding="utf-8")
    found = re.search(r"is refused, in one\nline each:\n\n((?:- .*\n)+)", text)
    assert found is not None
    return found[1].rstrip()


def _notebook() -> str:
    """Show an answer as a notebook does."""
    found = palio.order(palio.load_study("ulas2008"), cost="train_time")
    return f"````{{raw}} html\n{found._repr_html_()}\n````"


@cache
def evaluation(budget: float | None = None) -> RecommendationEvaluation:
    """Leave out each data set of the study that `palio recommend` goes by without a table."""
    if budget is None:
        return palio.evaluate_recommendation(progress=False)
    found = evaluation()
    return replace(found, ways=replace(found.ways, budget=budget))


BUDGETS = (1.0, 3.0, 5.0, 10.0, 60.0)
"""Those that the page of recommendations shows, in seconds."""


def fitting(reach: Reach) -> Share:
    """Return how often the first that fits into a budget is good enough."""
    assert reach.fitting is not None
    return reach.fitting


def _budgets() -> str:
    """Return a row for each budget: the first of the order that fits, and the best for all."""

    def row(budget: float) -> Iterable[str]:
        found = evaluation(budget)
        reach, over = found.reached[0].reach, found.reached[0].reach.over
        alone = max(found.alone, key=lambda each: fitting(each.reach).count)
        yield f"{budget:g} s"
        yield part(fitting(reach).count, fitting(reach).n)
        yield f"{alone.algorithm}, {part(fitting(alone.reach).count, fitting(reach).n)}"
        yield "–" if over is None else f"{over.count} of {over.n}"

    return _table("| budget | first that fits | best for all | cost more |", map(row, BUDGETS))


def _citation() -> str:
    fields = {"title": "Palio", "author": "{The Palio developers}", "version": __version__}
    written = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"```bibtex\n@software{{palio,\n{written}\n}}\n```"


MARKS: dict[str, Callable[[], str]] = {
    "evaluation": lambda: f"```text\n{evaluation()}\n```",
    "budgets": _budgets,
    "notebook": _notebook,
    "citation": _citation,
    "commands": _commands,
    "figures": _figures,
    "formats": endings,
    "importers": lambda: _table(
        "| prefix | files of |",
        ((f"`{each.name}:`", each.description) for each in IMPORTERS.values()),
    ),
    "learners": _learners,
    "limits": _limits,
    "concordance": _concordance,
    "studies": _studies,
    "verbs": _verbs,
    **replication.MARKS,
    **{
        page.removesuffix(".md"): partial(_of_the_repository, name) for name, page in _PAGES.items()
    },
}
