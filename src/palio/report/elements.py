"""HTML elements from Python values: what is not an element already is text, and escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from palio.report.blocks import Table
from palio.words import on_page

# What a page may not hold: control characters, but for tabs and line breaks.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")

_VOID = frozenset({"br", "hr", "input", "link", "meta", "wbr"})


class Html(str):
    """A text that is HTML; anything else is escaped on its way into an element."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return a value as text, in which nothing is markup, in the words of a page.

    >>> text("<b>&"), text(Html("<b>x</b>"))
    ('&lt;b&gt;&amp;', '<b>x</b>')
    """
    if isinstance(value, Html):
        return value
    return Html(escape(printable(on_page(value) if isinstance(value, str) else str(value))))


def printable(value: str) -> str:
    """Return a text without what neither HTML nor SVG can hold."""
    return _CONTROL.sub("\ufffd", value)


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Join parts, each escaped unless it is an element.

    >>> joined(["a<b", tag("br")])
    'a&lt;b<br>'
    """
    return Html(between.join(text(part) for part in parts))


def breakable(name: str) -> Html:
    """Let a long name go on in the next line after an underscore or before a capital.

    >>> breakable("cpu_time"), breakable("RandomForest"), breakable("kNN")
    ('cpu_<wbr>time', 'Random<wbr>Forest', 'kNN')
    """
    return joined(re.split(r"(?<=_)(?=[^_])|(?<=[a-z]{4})(?=[A-Z])", name), "<wbr>")


def tag(name: str, *children: object, **attributes: Any) -> Html:
    """Return an element.

    Attributes that are ``None`` or ``False`` are left out, ``True`` ones have no value. A trailing
    underscore is dropped, the others are hyphens.

    Parameters
    ----------
    name : str
        The element.
    *children
        Elements, or values that become text.
    **attributes
        Its attributes.

    Returns
    -------
    Html

    Examples
    --------
    >>> tag("a", "x<y", href="#a&b", class_="name", hidden=False, aria_label="z")
    '<a href="#a&amp;b" class="name" aria-label="z">x&lt;y</a>'
    """
    written = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def table_html(
    table: Table,
    *,
    cell: Callable[[int, int, str], object] | None = None,
    row: Callable[[int], Mapping[str, str]] | None = None,
) -> Html:
    """Return a table: a caption, headings with their scope, cells aligned by their columns.

    Parameters
    ----------
    table : Table
        What it says.
    cell : callable, optional
        From the row, the column and the text to what stands in the cell.
    row : callable, optional
        The attributes of a row.
    """
    looks = [{"class": "number"} if column.numeric else {} for column in table.columns]
    head = [
        tag("th", column.name, scope="col", **look)
        for column, look in zip(table.columns, looks, strict=True)
    ]
    show = cell or (lambda _i, _j, value: value)
    body = [
        tag(
            "tr",
            *(
                tag("td", show(i, j, value), **look)
                for j, (value, look) in enumerate(zip(values, looks, strict=True))
            ),
            **(row(i) if row else {}),
        )
        for i, values in enumerate(table.rows)
    ]
    return tag(
        "table",
        *([tag("caption", table.title)] if table.title else []),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
    )
