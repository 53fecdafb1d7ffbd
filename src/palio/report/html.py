"""Blocks as a fragment of HTML, for notebooks."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.elements import Html, table_html, tag
from palio.report.views import view

if TYPE_CHECKING:
    from palio.results import Result


def render_html(result: Result) -> str:
    """Return a result as an HTML fragment; names are escaped."""
    return str(tag("div", *(_html(block) for block in view(result)), class_="palio"))


@singledispatch
def _html(block: Block) -> Html:
    raise TypeError(f"no HTML for {block!r}")


@_html.register
def _(block: Title) -> Html:
    return tag("h4", block.text)


@_html.register
def _(block: Paragraph) -> Html:
    return tag("p", block.text)


@_html.register
def _(block: Table) -> Html:
    # A notebook has no style sheet of ours, and its own centres everything.
    return table_html(
        block,
        numeric={"style": "text-align:right"},
        plain={"style": "text-align:left"},
        caption=block.title,
    )


@_html.register
def _(block: Items) -> Html:
    if not block.items:
        return Html("")
    items = [tag("div", f"{mark} {item}") for mark, item in block.items]
    # Notes fold away: they are there for whoever asks.
    return tag("details", tag("summary", block.title), *items, open=not block.quiet)
