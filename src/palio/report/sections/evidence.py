"""What the answer rests on: ranks, the graph of the order, the pairs, cost, and the posterior."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from palio.comparison.verdict import some_of
from palio.numbers import effect, rank
from palio.report.blocks import Block, Items, Table, Title
from palio.report.elements import Html, joined, tag
from palio.report.sections.parts import Draft, blocks_html, figure, paragraph
from palio.report.views import view
from palio.report.views.comparisons import comparison_title, omnibus_lines
from palio.report.views.orderings import overrides, reasons

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison

# With more algorithms the steps of the sort are told in words alone.
MOST_STEPS = 16

# A matrix of more algorithms is no longer read, and weighs more than the rest of the page.
MOST_IN_MATRIX = 60

# With more pairs than this there is the matrix, and a list of neighbours alone.
MOST_PAIRS = 45


def ranks(draft: Draft) -> Html:
    """Show the mean ranks, who does not differ, and how often each takes each rank."""
    comparison = draft.report.comparison
    if comparison is None or comparison.over != "datasets":
        return Html("")
    finding = _ranks_in_words(comparison)
    parts = [paragraph(finding)]
    k = len(comparison.algorithms)
    parts.append(figure(comparison, "critical-difference", finding=finding))
    if _few(comparison) and comparison.n_complete:
        parts.append(figure(comparison, "rank-distribution", finding=finding))
    left_out = _left_out(k, "how often each takes each rank")
    return joined([*parts, *left_out])


def _ranks_in_words(comparison: Comparison) -> str:
    title, measure = _capital(comparison_title(comparison)), comparison.measure.name
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


def grid(draft: Draft) -> Html:
    """Show the place of each algorithm on each data set, and which cells have no score.

    Over items places are by mean scores, and the differences on each data set are shown.
    """
    from palio.report.figures import available

    comparison = draft.report.comparison
    if comparison is not None and comparison.over == "items" and comparison.n_datasets > 1:
        finding = comparison.verdict.sure
        return figure(comparison, "forest", finding=finding, key="differences")
    if comparison is None or "scores-grid" not in available(comparison):
        return Html("")
    finding = _cells_in_words(comparison)
    return joined([paragraph(finding), figure(comparison, "scores-grid", finding=finding)])


def _cells_in_words(comparison: Comparison) -> str:
    said = comparison.verdict.missing
    return said if said is not None else "Every algorithm has a score on every data set."


def graph(draft: Draft) -> Html:
    """Show where tests overrode the preference for the cheaper, and how places were decided."""
    ordering = draft.report.ordering
    if ordering.by_mean_rank_alone:
        return Html("")
    finding = overrides(ordering)
    k = len(ordering.order)
    parts = [paragraph(finding)]
    if k <= MOST_IN_MATRIX:
        parts.append(figure(ordering, "multitest-graph", finding=finding, steps=k <= MOST_STEPS))
    parts += _left_out(k, "the graph")
    steps = Items("Step by step", tuple(reasons(ordering.steps)), quiet=k > MOST_STEPS)
    return joined([*parts, _whole_list(steps)])


def _whole_list(items: Items) -> Html:
    """List every step: without the drawing it is all there is."""
    lines = (tag("li", f"{mark} {item}") for mark, item in items.items)
    made = tag("ul", *lines, class_="items")
    return tag("details", tag("summary", items.title), made, open=not items.quiet)


def comparison(draft: Draft) -> Html:
    """Show who differs from whom by the score."""
    found = draft.report.comparison
    if found is None:
        return Html("")
    finding = found.verdict.sure
    together = [paragraph(f"{_capital(line)}.") for line in omnibus_lines(found)]
    parts = [paragraph(finding), *together]
    if _few(found):
        parts.append(figure(found, "comparison-matrix", finding=finding))
    parts += _left_out(len(found.algorithms), "the matrix of all pairs")
    blocks = view(found)
    every = found.n_pairs <= MOST_PAIRS
    title = "All pairs" if every else f"Neighbours by {_standing_by(found)}"
    pairs = [
        replace(block, title=title)
        for block in blocks
        if isinstance(block, Table) and block.columns[0].name == "a"
    ]
    parts.append(tag("details", tag("summary", f"{title} in numbers"), blocks_html(pairs)))
    if not every:
        said = f"Of {found.n_pairs} pairs the others are not listed: palio report --json."
        parts.append(paragraph(said, class_="muted"))
    lists: list[Block] = [b for b in blocks if isinstance(b, Items) and not b.quiet]
    return joined([*parts, blocks_html(lists)])


def _standing_by(comparison: Comparison) -> str:
    return f"mean {comparison.measure.name}" if comparison.over == "items" else "mean rank"


def front(draft: Draft) -> Html:
    """Show cost against score."""
    said = draft.report.verdict.claim("front")
    if said is None:
        return Html("")
    return joined([paragraph(said), figure(draft.report, "pareto", finding=said)])


def posterior(draft: Draft) -> Html:
    """Show how probable it is that one is better, where a model was asked."""
    found, said = draft.report.posterior_answer, draft.report.verdict.claim("posterior")
    if found is None or said is None:
        return Html("")
    few = len(found.pairs) <= MOST_PAIRS
    blocks = [
        block
        for block in view(found)
        if not isinstance(block, Title)
        and (few or not isinstance(block, Table) or block.title == "Who is best")
    ]
    return joined([paragraph(said), *_posterior_figures(found, said), blocks_html(blocks)])


def _posterior_figures(found: PosteriorAnswer, said: str) -> list[Html]:
    from palio.report.figures import available

    wanted = ["forest", "posterior-matrix", "posterior", "simplex", "predictive-check"]
    names = [name for name in wanted if name in available(found)]
    if not _few(found):
        names = [name for name in names if name != "posterior-matrix"]
    left_out = _left_out(len(found.algorithms), "the matrix of probabilities")
    return [*(figure(found, name, finding=_about(name, found, said)) for name in names), *left_out]


def _about(name: str, found: PosteriorAnswer, said: str) -> str:
    """Say in words what a figure of the posterior shows."""
    if name in ("posterior", "simplex"):
        leaders = found.order[:2] if found.detail is None else (found.detail.a, found.detail.b)
        return f"The difference of {some_of(leaders)}, the two that lead. {said}"
    return said


def _capital(sentence: str) -> str:
    """Begin with a capital, and leave the names in it as they are."""
    return sentence[:1].upper() + sentence[1:]


def _few(part: Comparison | PosteriorAnswer) -> bool:
    return len(part.algorithms) <= MOST_IN_MATRIX


def _left_out(k: int, what: str, *, most: int = MOST_IN_MATRIX) -> list[Html]:
    if k <= most:
        return []
    said = f"With {k} algorithms {what} is left out here; the command line draws it (--figure)."
    return [paragraph(said, class_="muted")]
