"""What the sections of the page are made of: figures, tables, lists, links to algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.report.elements import Html, breakable, joined, table_html, tag
from palio.report.names import anchors, shown_in, with_names
from palio.words import on_page

if TYPE_CHECKING:
    from palio.report.analysis import Report

# A list longer than this is cut on the page, and says so.
MOST_ITEMS = 20

# So much of a list or of an enumeration of names is in view; the rest is behind a click.
FEW_ITEMS = 8
FEW_NAMES = 8

# With more algorithms than this a list of them ends where it would fold.
MOST_WITH_ALL_NAMES = 60

# A text of more letters than this shows its beginning, and unfolds.
LONG_ITEM, LONG_PARAGRAPH = 250, 600


@dataclass(frozen=True)
class Draft:
    """A report with names as they are shown, and what the page needs beside it.

    ``full`` has the whole names of those that were cut, ``anchors`` the ids of the algorithms;
    ``algorithms`` are their names as the table has them, by whose places marks are numbered.
    """

    report: Report
    full: Mapping[str, str]
    anchors: Mapping[str, str]
    algorithms: tuple[str, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of the algorithms in the order, from 0."""
        return {name: place for place, name in enumerate(self.anchors)}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number by which the marks of a page know each algorithm."""
        return {name: number for number, name in enumerate(self.algorithms)}


def prepare(report: Report) -> Draft:
    """Make a report ready for the page."""
    _ = report.claims  # before names are cut: what is worked out goes with the report
    shown = shown_in(report.table)
    names = [shown.get(row.algorithm, row.algorithm) for row in report.order.rows]
    full = {short: name for name, short in shown.items()}
    algorithms = tuple(shown.get(name, name) for name in report.table.algorithms)
    return Draft(with_names(report, shown), full, anchors(names, "algorithm"), algorithms)


def links(draft: Draft, names: Sequence[str]) -> list[Html]:
    """Name algorithms, each a link to its details; many are not all in view.

    Where all of very many would name all the others, the page would grow with their square: each
    names some, and counts the rest.
    """
    few, others = names[: _in_view(len(names), FEW_NAMES)], len(names) - FEW_NAMES
    if len(draft.anchors) > MOST_WITH_ALL_NAMES and len(few) < len(names):
        return [paragraph(_linked(draft, few), f" and {others} others")]
    rest = paragraph(_linked(draft, names[len(few) :]))
    return [paragraph(_linked(draft, few)), *_more(len(names) - len(few), rest)]


def _linked(draft: Draft, names: Sequence[str]) -> Html:
    return joined(
        (
            tag("a", name, href=f"#{draft.anchors[name]}", data_a=draft.numbers[name])
            for name in names
        ),
        ", ",
    )


def _in_view(count: int, few: int) -> int:
    """Say how many are shown at first: all, where one or two would be left."""
    return count if count <= few + 2 else few


def _more(count: int, rest: Html) -> list[Html]:
    """Put the rest of a list behind a click, if there is one."""
    return [tag("details", tag("summary", f"{count} more"), rest, class_="more")] if count else []


def paragraph(*children: object, **attributes: Any) -> Html:
    """Return a paragraph."""
    return tag("p", *children, **attributes)


def facts_html(facts: Iterable[tuple[str, object]]) -> Html:
    """List facts, each beside its name."""
    said = (
        part for term, value in facts for part in (tag("dt", breakable(term)), tag("dd", value))
    )
    return tag("dl", *said, class_="facts")


def scrolled(table: Html, label: str, *, kind: str = "scroll", role: str = "region") -> Html:
    """Let a wide table scroll by itself, also by keyboard."""
    return tag("div", table, class_=kind, tabindex="0", role=role, aria_label=label)


def blocks_html(blocks: Sequence[Block]) -> Html:
    """Return what a view lays out, as part of a section."""
    return joined(_html(block) for block in blocks)


def _html(block: Block) -> Html:
    match block:
        case Title(text):
            return paragraph(tag("strong", text))
        case Paragraph(text):
            said = on_page(text)
            if not said:
                return Html("")
            return unfolding(said) if len(said) > LONG_PARAGRAPH else paragraph(said)
        case Table(title=title):
            return scrolled(table_html(block), title or "table")
        case Items():
            return _items(block)


def _items(block: Items) -> Html:
    """List what is told on a page; of many the first few are in view."""
    told = tuple((mark, line) for mark, item in block.items if (line := on_page(item)))
    said = replace(block, items=told).lines
    if not said:
        return Html("")
    lines = [
        tag("li", unfolding(each) if len(each) > LONG_ITEM else each) for each in said[:MOST_ITEMS]
    ]
    if len(said) > MOST_ITEMS:
        lines.append(tag("li", f"… and {len(said) - MOST_ITEMS} more"))
    few = _in_view(len(said), FEW_ITEMS)
    first = tag("ul", *lines[:few], class_="items")
    rest = _more(len(said) - few, tag("ul", *lines[few:], class_="items"))
    return tag("details", tag("summary", block.title), first, *rest, open=not block.quiet)


def unfolding(said: str) -> Html:
    """Show where a long text begins, if possible as far as an aside; the rest is behind a click."""
    at = max(said.rfind(" (", 0, LONG_ITEM), 0) or said.rfind(" ", 0, LONG_ITEM)
    rest = paragraph(f"… {said[at:].strip()}")
    return tag("details", tag("summary", f"{said[:at]} …"), rest, class_="more")
