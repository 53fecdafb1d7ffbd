"""Blocks as a fragment of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from html import escape
from typing import Any

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.views import view

__all__ = ["render_html"]


def render_html(summary: Mapping[str, Any]) -> str:
    """Return the summary as an HTML fragment; names are escaped."""
    return f'<div class="palio">{"".join(_html(block) for block in view(summary))}</div>'


@singledispatch
def _html(block: Block) -> str:
    raise TypeError(f"no HTML for {block!r}")


@_html.register
def _(block: Title) -> str:
    return f"<h4>{escape(block.text)}</h4>"


@_html.register
def _(block: Paragraph) -> str:
    return f"<p>{escape(block.text)}</p>"


@_html.register
def _(block: Table) -> str:
    def cell(tag: str, text: str, numeric: bool) -> str:
        align = "right" if numeric else "left"
        return f'<{tag} style="text-align:{align}">{escape(text)}</{tag}>'

    head = "".join(cell("th", c.name, c.numeric) for c in block.columns)
    rows = "".join(
        "<tr>"
        + "".join(cell("td", t, c.numeric) for t, c in zip(row, block.columns, strict=True))
        + "</tr>"
        for row in block.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


@_html.register
def _(block: Items) -> str:
    if not block.items:
        return ""
    items = "".join(f"<div>{escape(mark)} {escape(item)}</div>" for mark, item in block.items)
    # Notes fold away: they are there for whoever asks.
    opened = "" if block.quiet else " open"
    return f"<details{opened}><summary>{escape(block.title)}</summary>{items}</details>"
