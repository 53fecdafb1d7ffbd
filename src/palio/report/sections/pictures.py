"""The figures of a page, each with what it shows in words; report and workbench have the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from palio.claims import as_cheap
from palio.measures import cost_named, is_time
from palio.numbers import cost, number
from palio.ordering.tradeoff import prices_of
from palio.report.elements import Html, joined, tag, text
from palio.report.facts import finding
from palio.report.sections.parts import Draft, scrolled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.ordering.result import Ordering
    from palio.ordering.tradeoff import Price
    from palio.report.analysis import Report
    from palio.results import Result

# With more algorithms the steps of the sort are told in words alone.
MOST_STEPS = 16


def figure(
    draft: Draft, part: Result, name: str, *, key: str | None = None, medium: str | None = None
) -> Html:
    """Draw a figure in a frame, with its title and caption below and what it shows in words.

    Parameters
    ----------
    draft : Draft
        The report that it belongs to.
    part : Result
        What it is drawn from, with names as they are shown.
    name : str
        A name in `FIGURES`.
    key : str, optional
        What its ids begin with, where the page has another figure of this name.
    medium : {"page", "panel", "narrow"}, optional
        What it is drawn for; unless given for a page in wide windows and in narrow ones, which
        shows the one that fits.

    Returns
    -------
    Html
        Where the picture would tell no more than its finding, that alone.
    """
    from palio.report.figures import FIGURES

    if not FIGURES[name].tells(part):
        return tag("p", finding(part, name))
    key = key or name
    title = FIGURES[name].title_of(part)
    chosen = [_prices(draft)] if name == "pareto" else []
    if medium is not None:
        frames, caption = _drawing(draft, part, name, key=key, medium=medium)
    else:
        wide, said = _drawing(draft, part, name, key=key, medium="page")
        small, said_there = _drawing(draft, part, name, key=f"{key}-narrow", medium="narrow")
        frames, caption = _either("div", wide, small), text(said)
        if said_there != said:  # fewer names may have room
            caption = _either("span", said, said_there)
    below = tag("figcaption", tag("strong", f"{title}."), " ", caption)
    return tag("figure", *chosen, frames, below, id=f"figure-{key}", data_figure=name)


def _drawing(draft: Draft, part: Result, name: str, *, key: str, medium: str) -> tuple[Html, str]:
    """Draw a figure in its frame, and return its caption."""
    from palio.report.figures import FIGURES, caption_of

    made = drawn(draft, part, name, medium=medium)
    label, title = finding(part, name), FIGURES[name].title_of(part)
    frame = framed(made, key=key, label=label, title=title, algorithms=draft.algorithms)
    return frame, caption_of(made)


def framed(
    made: Figure,
    *,
    key: str,
    label: str,
    title: str,
    algorithms: Sequence[str] = (),
    role: str = "region",
) -> Html:
    """Put a figure in a frame that scrolls, also by keyboard; the rest as `inline_svg` has it."""
    from palio.report.svg import inline_svg

    svg = inline_svg(made, prefix=key, label=label, algorithms=algorithms)
    return scrolled(svg, title, kind="drawing", role=role)


def _either(element: str, wide: object, narrow: object) -> Html:
    """Show one in wide windows and the other in narrow ones."""
    return joined(
        [tag(element, wide, class_="for-wide"), tag(element, narrow, class_="for-narrow")]
    )


def drawn(draft: Draft, part: Result, name: str, *, medium: str = "file") -> Figure:
    """Draw a figure as a page shows it; of an order of many, not the steps of the sort."""
    from palio.report.figures import draw

    options: dict[str, Any] = {}
    if part.kind == "ordering":
        options["steps"] = len(cast("Ordering", part).order) <= MOST_STEPS
        options["focus"] = draft.report.question.focus
    return draw(part, name, medium=medium, **options)


# --- the front as a choice: so much may be spent, and this is what it buys -----------------------


def _prices(draft: Draft) -> Html:
    """Return a slider over the costs of the front, and what each buys; without script, a list."""
    report = draft.report
    leader = report.leader
    if report.front is None or leader is None:
        return Html("")
    found = prices_of(report.table, report.front, leader, report.comparison)
    if len(found) < 2:
        return Html("")
    names = [price.algorithm for price in found]
    # At first the best value that the verdict names, if it is one of them.
    value = report.ordering.first
    first = names.index(value) if value in names else len(names) - 1
    slider = tag(
        "input", type="range", class_="price scripted", min=0, max=len(found) - 1, value=first,
        aria_label="What may be spent", data_key="price",
    )  # fmt: skip
    steps = [
        tag(
            "li", tag("span", f"At most {_at(report, price)}: ", class_="quiet"),
            tag("strong", price.algorithm), _price_said(report, price, leader),
            data_a=draft.numbers[price.algorithm], class_="chosen" if i == first else None,
        )
        for i, price in enumerate(found)
    ]  # fmt: skip
    return tag("div", slider, tag("ol", *steps, aria_live="polite"), class_="prices")


def _at(report: Report, price: Price) -> str:
    """Say what it costs: one cost in its own unit."""
    (name, *others) = report.order.cost or ("",)
    return f"{cost(price.cost, '' if others else cost_named(name).unit)} ({name})"


def _price_said(report: Report, price: Price, leader: str) -> str:
    mean = f", {report.table.measure.name} {number(price.score)}"
    if price.algorithm == leader:
        return f"{mean}, the leader."
    saves = "not run on the same data sets"
    if price.cheaper is not None:
        timed = all(map(is_time, report.order.cost or ()))
        saves = f"{as_cheap(price.cheaper, is_time=timed)} as {leader}"
    told = {True: "significantly worse", False: "not significantly worse", None: "not compared"}
    return f"{mean}, {saves}; {told[price.worse]}."
