"""The figures of a page, each with what it shows in words; report and workbench have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from palio.comparison.verdict import some_of
from palio.numbers import effect, rank
from palio.report.elements import Html, tag
from palio.report.sections.parts import Draft, capital
from palio.report.sections.prices import prices
from palio.report.svg import inline_svg
from palio.report.verdict import posterior_claim
from palio.report.views.comparisons import comparison_title
from palio.report.views.orderings import overrides

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report
    from palio.results import Result

# With more algorithms the steps of the sort are told in words alone.
MOST_STEPS = 16


def figure(
    draft: Draft, part: Result, name: str, *, key: str | None = None, narrow: bool = False
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
    narrow : bool
        Whether it is drawn for a narrow window.

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
    made = drawn(draft, part, name, medium="narrow" if narrow else "page")
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


# --- what they show, in words --------------------------------------------------------------------


def finding(part: Result, name: str) -> str:
    """Say what a figure shows.

    >>> import palio
    >>> finding(palio.compare(palio.load_study("ulas2008")), "critical-difference")[:58]
    'Mean ranks by accuracy run from 2.45 (svr) to 5.45 (mdt), '
    """
    if part.kind == "posterior":
        return _of_posterior(cast("PosteriorAnswer", part), name)
    if part.kind == "ordering":
        return overrides(cast("Ordering", part))
    if part.kind == "report":
        return cast("Report", part).verdict.claim("front") or ""
    comparison = cast("Comparison", part)
    if name in ("critical-difference", "rank-distribution"):
        return _ranks_in_words(comparison)
    if name == "scores-grid":
        return comparison.verdict.missing or "Every algorithm has a score on every data set."
    return comparison.verdict.sure


def _ranks_in_words(comparison: Comparison) -> str:
    title, measure = capital(comparison_title(comparison)), comparison.measure.name
    if comparison.strengths is not None:
        # Strengths of different parts have no common zero.
        (best, *_, worst), strengths = comparison.components[0], comparison.strengths
        high, low = (effect(strengths[name].strength) for name in (best, worst))
        of = " of the largest part" if len(comparison.components) > 1 else ""
        return f"Strengths{of} by {measure} run from {high} ({best}) to {low} ({worst}). {title}."
    ranks, (best, *_, worst) = comparison.mean_ranks, comparison.by_mean_rank
    said = (
        f"Mean ranks by {measure} run from {rank(ranks[best])} ({best}) to "
        f"{rank(ranks[worst])} ({worst}), 1 is best. {title}."
    )
    limit = comparison.critical_difference
    return said if limit is None else f"{said} The critical difference is {rank(limit)}."


def _of_posterior(found: PosteriorAnswer, name: str) -> str:
    said = posterior_claim(found)
    if name in ("posterior", "simplex"):
        leaders = found.order[:2] if found.detail is None else (found.detail.a, found.detail.b)
        return f"The difference of {some_of(leaders)}, the two that lead. {said}"
    return said
