"""What each figure shows, in a sentence or two, for whoever cannot see it: one source for pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

import numpy as np

from palio.bayes.claims import posterior_claim
from palio.claims import Evidence
from palio.numbers import differences, rank, share
from palio.report.figures.kinds import comparison_of
from palio.report.views.comparisons import comparison_title
from palio.report.views.orderings import overrides
from palio.words import count, joined, some_of, strung

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.report.analysis import Report
    from palio.results import Result

# A pair of a posterior is decided where one outcome is more probable than this, as in its matrix.
SURE = 0.95

SAID_OF = ("ordering", "comparison", "posterior", "report")
"""The kinds of results of whose figures something can be said here."""


def finding(part: Result, name: str) -> str:
    """Say what a figure shows.

    Parameters
    ----------
    part : Result
        What it is drawn from.
    name : str
        A name in `FIGURES`.

    Returns
    -------
    str
        Sentences.

    Examples
    --------
    >>> import palio
    >>> found = palio.compare(palio.load_study("ulas2008"))
    >>> finding(found, "critical-difference")[:58]
    'Mean ranks by accuracy run from 2.45 (svr) to 5.45 (mdt), '
    >>> finding(found, "rank-distribution")
    'svr takes the first rank most often, on 13 of 38 data sets; sv2 the last, on 12.'
    """
    if part.kind == "posterior":
        return _of_posterior(cast("PosteriorAnswer", part), name)
    if name == "multitest-graph":
        return overrides(cast("Ordering", part))
    if part.kind == "report":
        front = cast("Report", part).front
        return "" if front is None else front.claim.text
    comparison = comparison_of(cast("Comparison | Ordering", part))
    say = {
        "critical-difference": _ranks,
        "rank-distribution": _extremes,
        "comparison-matrix": _pairs,
        "scores-grid": _firsts,
        "forest": _difference,
    }.get(name)
    return _evidence(comparison) if say is None else say(comparison)


def _evidence(comparison: Comparison) -> str:
    found = comparison.claims.of(Evidence)
    return "" if found is None else found.text


def _capital(sentence: str) -> str:
    """Begin with a capital, and leave the names in it as they are."""
    return sentence[:1].upper() + sentence[1:]


def _ranks(comparison: Comparison) -> str:
    title, measure = _capital(comparison_title(comparison)), comparison.measure.name
    ranks, (best, *_, worst) = comparison.mean_ranks, comparison.by_mean_rank
    said = (
        f"Mean ranks by {measure} run from {rank(ranks[best])} ({best}) to "
        f"{rank(ranks[worst])} ({worst}), 1 is best. {title}."
    )
    limit = comparison.critical_difference
    return said if limit is None else f"{said} The critical difference is {rank(limit)}."


def _extremes(comparison: Comparison) -> str:
    """Say who takes the first rank most often, and who the last."""
    counts, names = comparison.rank_counts, comparison.complete.algorithms
    n = count(len(comparison.complete.datasets), "data set")
    first, last = int(counts[:, 0].argmax()), int(counts[:, -1].argmax())
    if np.ptp(counts[:, 0]) < 1e-9:
        return f"Of {n} each takes the first rank on {share(float(counts[0, 0]))}."
    return (
        f"{names[first]} takes the first rank most often, on {share(float(counts[first, 0]))} of "
        f"{n}; {names[last]} the last, on {share(float(counts[last, -1]))}."
    )


def _pairs(comparison: Comparison) -> str:
    """Say how many pairs differ, and who is better than most others."""
    said = f"{_capital(comparison_title(comparison))}."
    wins = Counter(pair.winner for pair in comparison.pairs if pair.winner is not None)
    if not wins:
        return said
    (name, most), *_ = wins.most_common(1)
    others = count(len(comparison.algorithms) - 1, "other")
    return f"{said} {name} is significantly better than {most} of {others}."


def _firsts(comparison: Comparison) -> str:
    """Say who is first on most data sets, and what is missing."""
    places, _ = comparison.compared.places
    best = np.where(np.isnan(places), np.inf, places).min(axis=1, keepdims=True)
    firsts = (places == best).sum(axis=0)  # none where nobody has a score
    most = sorted(zip((-firsts).tolist(), comparison.algorithms, strict=True))[:3]
    said = [f"{name} on {-n}" for n, name in most if n < 0]
    whole = count(comparison.n_datasets, "data set")
    missing = comparison.verdict.missing or "Every algorithm has a score on every data set."
    return strung([f"Of {whole} the most firsts: {joined(said)}.", missing], " ")


def _difference(comparison: Comparison) -> str:
    """Say how the first pair of the figure differs."""
    order = comparison.by_standing
    focus = comparison.focus.row.algorithm if comparison.focus is not None else None
    one = comparison.control or focus or order[0]
    pairs = ((name, comparison.pair_if_compared(one, name)) for name in order)
    other, pair = next(((name, pair) for name, pair in pairs if pair is not None), ("", None))
    if pair is None:
        return _evidence(comparison)
    turned = pair.a != one
    ratios = comparison.measure.scale == "ratio"
    (difference,) = differences([-pair.difference if turned else pair.difference], ratios=ratios)
    wins, losses = (pair.losses, pair.wins) if turned else (pair.wins, pair.losses)
    on = count(wins + pair.ties + losses, "data set" if comparison.over == "datasets" else "item")
    return (
        f"{one} has {difference} in {comparison.measure.name} against {other} on average: better "
        f"on {wins} of {on}, worse on {losses}."
    )


def _of_posterior(found: PosteriorAnswer, name: str) -> str:
    said = posterior_claim(found).text
    if name == "posterior-matrix":
        sure = sum(max(pair.shares) > SURE for pair in found.pairs)
        pairs = count(len(found.pairs), "pair")
        return f"Of {pairs} {sure} are decided with a probability above {SURE:g}. {said}"
    if name in ("posterior", "simplex"):
        leaders = found.order[:2] if found.detail is None else (found.detail.a, found.detail.b)
        return f"The difference of {some_of(leaders)}, the two that lead. {said}"
    return said
