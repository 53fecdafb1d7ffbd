"""The figures of a page, each with what it shows in words; report and workbench have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from palio.report.elements import Html, tag
from palio.report.findings import finding
from palio.report.sections.parts import Draft
from palio.report.sections.prices import prices
from palio.report.svg import inline_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.ordering.result import Ordering
    from palio.results import Result

# With more algorithms the steps of the sort are told in words alone.
MOST_STEPS = 16


def figure(
    draft: Draft, part: Result, name: str, *, key: str | None = None, medium: str = "page"
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
    medium : {"page", "panel", "narrow"}
        What it is drawn for.

    Returns
    -------
    Html
        Where the picture would tell no more than its finding, that alone.
    """
    from palio.report.figures import FIGURES, caption_of

    if not FIGURES[name].tells(part):
        return tag("p", finding(part, name))
    key = key or name
    title = FIGURES[name].title_of(part)
    made = drawn(draft, part, name, medium=medium)
    label = finding(part, name)
    svg = inline_svg(made, prefix=key, label=label, algorithms=draft.algorithms)
    # Wide figures scroll, also by keyboard.
    frame = tag("div", svg, class_="drawing", tabindex="0", role="region", aria_label=title)
    said = tag("figcaption", tag("strong", f"{title}."), " ", caption_of(made))
    chosen = [prices(draft)] if name == "pareto" else []
    return tag("figure", *chosen, frame, said, id=f"figure-{key}", data_figure=name)


def drawn(draft: Draft, part: Result, name: str, *, medium: str = "file") -> Figure:
    """Draw a figure as a page shows it; of an order of many, not the steps of the sort."""
    from palio.report.figures import draw

    options: dict[str, Any] = {}
    if part.kind == "ordering":
        options["steps"] = len(cast("Ordering", part).order) <= MOST_STEPS
        options["focus"] = draft.report.question.focus
    return draw(part, name, medium=medium, **options)
