"""The figures of a page, each with what it shows in words; report and workbench have the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from palio.report.elements import Html, joined, tag, text
from palio.report.findings import finding
from palio.report.sections.parts import Draft, scrolled
from palio.report.sections.prices import prices
from palio.report.svg import inline_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.ordering.result import Ordering
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
    chosen = [prices(draft)] if name == "pareto" else []
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
