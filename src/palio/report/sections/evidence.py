"""What the answer rests on: ranks, the graph of the order, the pairs, cost, and the posterior."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from palio.bayes.claims import posterior_claim
from palio.claims import Leader
from palio.report.blocks import Block, Items, Table, Title
from palio.report.elements import Html, joined, tag
from palio.report.facts import finding
from palio.report.sections.parts import Draft, blocks_html, paragraph
from palio.report.sections.pictures import MOST_STEPS, figure
from palio.report.views import view
from palio.report.views.common import capital
from palio.report.views.comparisons import omnibus_lines
from palio.report.views.orderings import overrides, reasons

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.ordering.tradeoff import Front

# A matrix of more algorithms is no longer read, and weighs more than the rest of the page.
MOST_IN_MATRIX = 60

# With more pairs than this there is the matrix, and a list of neighbours alone.
MOST_PAIRS = 45


def ranks(draft: Draft, comparison: Comparison) -> Html:
    """Show the mean ranks, the groups, and how often each takes each rank."""
    if comparison.over != "datasets":
        return Html("")
    parts = [paragraph(finding(comparison, "critical-difference"))]
    parts.append(figure(draft, comparison, "critical-difference"))
    if _few(comparison) and comparison.n_complete:
        parts.append(figure(draft, comparison, "rank-distribution"))
    return joined([*parts, *_left_out(comparison, "how often each takes each rank")])


def grid(draft: Draft, comparison: Comparison) -> Html:
    """Show the place of each algorithm on each data set, and which cells have no score.

    Over items places are by mean scores, and the differences on each data set are shown.
    """
    from palio.report.figures import available

    if comparison.over == "items" and comparison.n_datasets > 1:
        return figure(draft, comparison, "forest", key="differences")
    if "scores-grid" not in available(comparison):
        return Html("")
    said = paragraph(finding(comparison, "scores-grid"))
    return joined([said, figure(draft, comparison, "scores-grid")])


def graph(draft: Draft, ordering: Ordering) -> Html:
    """Show where tests overrode the preference for the cheaper, and how places were decided."""
    if ordering.by_mean_rank_alone:
        return Html("")
    k = len(ordering.order)
    parts = [paragraph(overrides(ordering))]
    if ordering.overridden:
        parts.append(figure(draft, ordering, "multitest-graph"))
    steps = Items("Step by step", tuple(reasons(ordering.steps)), quiet=k > MOST_STEPS)
    return joined([*parts, _whole_list(steps)])


def _whole_list(items: Items) -> Html:
    """List every step: without the drawing it is all there is."""
    lines = (tag("li", f"{mark} {item}") for mark, item in items.items)
    made = tag("ul", *lines, class_="items")
    return tag("details", tag("summary", items.title), made, open=not items.quiet)


def comparison(draft: Draft, found: Comparison) -> Html:
    """Show who differs from whom by the score."""
    together = [paragraph(f"{capital(line)}.") for line in omnibus_lines(found)]
    parts = [paragraph(found.verdict.sure), *together]
    if _few(found):
        parts.append(figure(draft, found, "comparison-matrix"))
    parts += _left_out(found, "the matrix of all pairs")
    blocks = view(found)
    every = found.n_pairs <= MOST_PAIRS
    title = "All pairs" if every else f"Neighbours by {found.stands_by}"
    pairs = [
        replace(block, title=title)
        for block in blocks
        if isinstance(block, Table) and block.columns[0].name == "a"
    ]
    parts.append(tag("details", tag("summary", f"{title} in numbers"), blocks_html(pairs)))
    if not every:
        said = f"Of {found.n_pairs} pairs the others are not listed."
        parts.append(paragraph(said, class_="muted"))
    lists: list[Block] = [b for b in blocks if isinstance(b, Items) and not b.quiet]
    return joined([*parts, blocks_html(lists)])


def front(draft: Draft, found: Front) -> Html:
    """Show cost against score."""
    return joined([paragraph(found.claim.text), figure(draft, draft.report, "pareto")])


def posterior(draft: Draft, found: PosteriorAnswer) -> Html:
    """Show how probable it is that one is better, where a model was asked."""
    said = posterior_claim(found, draft.report.claims.of(Leader)).text
    return joined([paragraph(said), *_posterior_figures(draft, found), posterior_html(found)])


def posterior_html(found: PosteriorAnswer) -> Html:
    """Show what a model says, in tables and lists; of many pairs there is the matrix."""
    few = len(found.pairs) <= MOST_PAIRS
    return blocks_html(
        [
            block
            for block in view(found)
            if not isinstance(block, Title)
            and (few or not isinstance(block, Table) or block.title == "Who is best")
        ]
    )


def _posterior_figures(draft: Draft, found: PosteriorAnswer) -> list[Html]:
    from palio.report.figures import available

    wanted = ["forest", "posterior-matrix", "posterior", "simplex", "predictive-check"]
    names = [name for name in wanted if name in available(found)]
    if not _few(found):
        names = [name for name in names if name != "posterior-matrix"]
    left_out = _left_out(found, "the matrix of probabilities")
    return [*(figure(draft, found, name) for name in names), *left_out]


def _few(part: Comparison | PosteriorAnswer) -> bool:
    return len(part.algorithms) <= MOST_IN_MATRIX


def _left_out(part: Comparison | PosteriorAnswer, what: str) -> list[Html]:
    if _few(part):
        return []
    said = (
        f"With {len(part.algorithms)} algorithms {what} is left out here, for it could not be read."
    )
    return [paragraph(said, class_="muted")]
