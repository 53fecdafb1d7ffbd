"""A report as one HTML page that needs nothing else: no network, no file beside it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from palio.report.elements import Html, tag
from palio.report.facts import island
from palio.report.sections import SECTIONS, prepare

if TYPE_CHECKING:
    from palio.report.analysis import Report, TableFacts


# What a report is made with; all but its own frame, the workbench has too.
STYLES = (
    "colours.css",
    "page.css",
    "board.css",
    "figures.css",
    "audit.css",
    "copy.css",
    "print.css",
)
SCRIPTS = ("page.js", "link.js", "board.js", "copy.js")


@cache
def style() -> str:
    """Return the style sheet of a report."""
    return "".join(map(asset, STYLES))


@cache
def script() -> str:
    """Return the script of a report, which works without it."""
    return "".join(map(asset, SCRIPTS))


@cache
def asset(name: str) -> str:
    """Return a file of ours that pages are made with, one of `STYLES` or `SCRIPTS`."""
    return (resources.files("palio.report") / "assets" / name).read_text(encoding="utf-8")


def render_page(report: Report, *, refresh: int | None = None) -> str:
    """Return a report as a page.

    Parameters
    ----------
    report : Report
        What is shown.
    refresh : int, optional
        Seconds after which a browser loads the page again, while an experiment goes on.

    Returns
    -------
    str
        HTML. Names are text wherever they stand, and the page asks for nothing from anywhere.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> page = render_page(report)
    >>> page.startswith("<!doctype html>"), "<h2>Verdict</h2>" in page
    (True, True)
    """
    draft = prepare(report)
    made = [(entry, entry.render(draft)) for entry in SECTIONS.values()]
    sections = [(entry, body) for entry, body in made if body]
    headline = draft.report.claims.headline.removesuffix(".")
    contents = [
        tag("li", tag("a", entry.title, href=f"#{entry.name}")) for entry, _body in sections
    ]
    main = [tag("section", tag("h2", entry.title), body, id=entry.name) for entry, body in sections]
    body = (
        tag("a", "To the verdict", class_="skip", href="#verdict"),
        tag(
            "header", tag("h1", headline), tag("p", _subtitle(draft.report.facts), class_="muted"),
            class_="top",
        ),
        tag(
            "div",
            tag("nav", tag("ul", *contents), class_="contents", aria_label="Contents"),
            tag("main", *main),
            class_="frame",
        ),
        tag("footer", f"Made with Palio {draft.report.versions['palio']}."),
        island(draft),
        tag("script", Html(script())),
    )  # fmt: skip
    page = tag("html", _head(headline, refresh), tag("body", *body), lang="en")
    return f"<!doctype html>\n{page}\n"


def _subtitle(table: TableFacts) -> str:
    source = f"{table.source}: " if table.source else ""
    return f"{source}{table.measure.name}, {table.design}"


def _head(title: str, refresh: int | None) -> Html:
    policy = (
        f"default-src 'none'; style-src {_digest(style())}; script-src {_digest(script())}; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        *([] if refresh is None else [tag("meta", http_equiv="refresh", content=refresh)]),
        tag("title", title),
        tag("style", Html(style())),
    )


def _digest(content: str) -> str:
    """Return what a content security policy knows a piece of ours by."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
