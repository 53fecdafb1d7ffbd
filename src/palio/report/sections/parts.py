"""What the sections of the page are made of: figures, tables, lists, links to algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.elements import Html, joined, table_html, tag
from palio.report.names import anchors, shown_names, with_names
from palio.report.svg import inline_svg

__all__ = ["Draft", "blocks_html", "figure", "links", "paragraph", "prepare", "scrolled"]

Summary = Mapping[str, Any]

# A list longer than this is cut on the page, and says so.
MOST_ITEMS = 20


@dataclass(frozen=True)
class Draft:
    """A report's dictionary with names as they are shown, and what the page needs beside it.

    ``full`` has the whole names of those that were cut, ``anchors`` the ids of the algorithms.
    """

    summary: Summary
    full: Mapping[str, str]
    anchors: Mapping[str, str]


def prepare(summary: Summary) -> Draft:
    """Make a report's dictionary ready for the page.

    Parameters
    ----------
    summary : mapping
        A report's ``to_dict()``.

    Returns
    -------
    Draft
    """
    table = summary["table"]
    shown = shown_names([*table["algorithms"], *table["datasets"]])
    order = [row["algorithm"] for row in summary["order"]["rows"]]
    names = {shown.get(name, name): name for name in order}
    ids = anchors(names, "algorithm")
    full = {short: name for name, short in shown.items()}
    return Draft(with_names(summary, shown), full, ids)


def figure(part: Summary, name: str, *, finding: str, **options: Any) -> Html:
    """Draw a figure on a card, with its title below and what it shows in words.

    Parameters
    ----------
    part : mapping
        The summary that it is drawn from.
    name : str
        A name in `FIGURES`.
    finding : str
        What it shows: read aloud instead of the picture.
    **options
        The figure's own.
    """
    from palio.report.figures import FIGURES, draw

    svg = inline_svg(draw(part, name, **options), prefix=name, label=finding)
    title = FIGURES[name].title
    # Wide figures scroll, also by keyboard.
    card = tag("div", svg, class_="card", tabindex="0", role="region", aria_label=title)
    return tag("figure", card, tag("figcaption", title), id=f"figure-{name}")


def links(draft: Draft, names: Sequence[str]) -> Html:
    """Name algorithms, each a link to its details."""
    return joined((tag("a", name, href=f"#{draft.anchors[name]}") for name in names), ", ")


def paragraph(*children: object, **attributes: Any) -> Html:
    """Return a paragraph."""
    return tag("p", *children, **attributes)


def scrolled(table: Html, label: str) -> Html:
    """Let a wide table scroll by itself, also by keyboard."""
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def blocks_html(blocks: Sequence[Block]) -> Html:
    """Return what a view lays out, as part of a section."""
    return joined(_html(block) for block in blocks)


@singledispatch
def _html(block: Block) -> Html:
    raise TypeError(f"no HTML for {block!r}")


@_html.register
def _(block: Title) -> Html:
    return paragraph(tag("strong", block.text))


@_html.register
def _(block: Paragraph) -> Html:
    return paragraph(block.text)


@_html.register
def _(block: Table) -> Html:
    made = table_html(block, numeric={"class": "number"}, caption=block.title)
    return scrolled(made, block.title or "table")


@_html.register
def _(block: Items) -> Html:
    if not block.items:
        return Html("")
    shown = [item if mark == "-" else f"{mark} {item}" for mark, item in block.items[:MOST_ITEMS]]
    more = len(block.items) - len(shown)
    if more:
        shown.append(f"… and {more} more: palio report --json has them all")
    made = tag("ul", *(tag("li", item) for item in shown), class_="items")
    return tag("details", tag("summary", block.title), made, open=not block.quiet)
