"""What a page says of an algorithm or of a pair that is pointed at, and of each figure, in words.

Of algorithms and pairs a page has it as JSON in an element that is not run; algorithms have the
numbers of their marks.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from palio.bayes.claims import posterior_claim
from palio.claims import Evidence, sentence
from palio.comparison.sample import CONFIDENCE
from palio.measures import cost_named
from palio.numbers import cost, differences, limit, p_said, rank, share, span
from palio.report.elements import Html, tag
from palio.report.figures.kinds import comparison_of
from palio.report.views.common import capital, mean_said
from palio.report.views.orderings import mean_of, overrides
from palio.results import plain
from palio.words import count, joined, some_of, strung

if TYPE_CHECKING:
    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering, OrderRow
    from palio.report.analysis import Report
    from palio.report.sections.parts import Draft
    from palio.results import Result

# Of more algorithms a page has only the pairs with the best: all would weigh more than the rest.
MOST_WITH_ALL_PAIRS = 60

# One that has no score stands nowhere.
_NOT_PLACED = ("It has no place in the order.",)


# A pair of a posterior is decided where one outcome is more probable than this, as in its matrix.
SURE = 0.95

SAID_OF = ("ordering", "comparison", "posterior", "report")
"""The kinds of results of whose figures something can be said here."""


@dataclass(frozen=True)
class Facts:
    """What is said of each algorithm and of pairs.

    A pair has the numbers of the one that is ahead and of the other, the difference and its
    interval, how often the one ahead won, tied and lost, p, and whether it is significant.

    ``names`` are as they are shown, ``against`` those that an algorithm is compared with where none
    is pinned. ``over`` is what is won and lost; ``between`` two names is the sign of what is shown
    of them, a difference or a ratio, ``of`` says which estimate and interval that is, and ``level``
    the level of the interval where all pairs have the same. ``p`` says which p-values these are,
    ``whole`` whether all pairs are here.
    """

    names: tuple[str, ...]
    said: tuple[tuple[str, ...], ...]
    against: tuple[int, ...]
    whole: bool
    pairs: tuple[tuple[object, ...], ...] = ()
    over: str = "data sets"
    between: str = "−"
    of: str = ""
    level: str = ""
    p: str = ""


def facts_of(draft: Draft, also: Iterable[str] = ()) -> Facts:
    """Return what a page says of whom it is pointed at.

    Parameters
    ----------
    draft : Draft
        The report, with names as they are shown.
    also : iterable of str
        Whose pairs are wanted too, where there are too many for all.

    Examples
    --------
    >>> import palio
    >>> from palio.report.sections import prepare
    >>> found = facts_of(prepare(palio.analyse(palio.load_study("ulas2008"), checks=[])))
    >>> found.names[0], found.names[6], found.against
    ('c45', 'svr', (6,))
    >>> found.said[6]
    ('Place 1 of 8; ranks 1–2.', 'Mean accuracy 85.11; mean rank 2.45.')
    >>> next(pair for pair in found.pairs if pair[:2] == (6, 0))
    (6, 0, '+5.19', '+2.23 to +9.49', 33, 0, 5, 'p = 4.4e-06', True)
    """
    report = draft.report
    names, comparison = report.table.algorithms, report.comparison
    number = draft.numbers
    rows = {row.algorithm: row for row in report.order.rows}
    first = report.leader if comparison is None else comparison.control or report.leader
    against = [first] if first in number else []
    facts = Facts(
        names=tuple(names),
        said=tuple(_of_one(report, rows[name]) if name in rows else _NOT_PLACED for name in names),
        against=tuple(number[name] for name in against),
        whole=len(names) <= MOST_WITH_ALL_PAIRS,
    )
    if comparison is None:
        return facts
    some = [*against, *(name for name in also if name in number)]
    # Each once, also where both are among those asked for.
    few = {(pair.a, pair.b): pair for name in some for pair in comparison.pairs_of(name)}
    ratios, effects = comparison.measure.scale == "ratio", comparison.tested.effects
    return replace(
        facts,
        pairs=tuple(
            _of_two(pair, number, ratios=ratios)
            for pair in (comparison.pairs if facts.whole else few.values())
        ),
        over="data sets" if comparison.over == "datasets" else comparison.over,
        between="/" if ratios else "−",
        # Logarithms are shown as ratios.
        of=effects.interval_of.replace("difference", "ratio") if ratios else effects.interval_of,
        level=_level(comparison),
        p="adjusted " if comparison.correction != "none" else "",
    )


def island(draft: Draft) -> Html:
    """Return the facts as an element of the page, which the script reads."""
    text = json.dumps(plain(facts_of(draft)), ensure_ascii=False, separators=(",", ":"))
    # Nothing in it can end the element, whatever a name holds.
    return tag("script", Html(text.replace("<", "\\u003c")), type="application/json", id="facts")


def _level(comparison: Comparison) -> str:
    """Return the level of the intervals; none where a correction decides each pair at its own."""
    if not comparison.tested.effects.is_matched:
        return f"{limit(100 * CONFIDENCE)} %"
    adjusted = comparison.correction != "none"
    return "" if adjusted else f"{limit(100 * (1 - comparison.alpha))} %"


def _of_one(report: Report, row: OrderRow) -> tuple[str, ...]:
    """Say where an algorithm stands, its mean, and what it costs if that counts."""
    known = row_facts(report, row)
    ranks = known.pop("ranks left open", "")
    if ranks:
        ranks = f"; rank{'s' if '–' in ranks else ''} {ranks}"
    weighed = [f"mean {name}" for name in report.order.cost or ()]
    means = [mean_name(report), "mean rank", *weighed]
    said = "; ".join(f"{name} {known[name]}" for name in means if name in known)
    place = f"Place {row.place} of {len(report.order.rows)}{ranks}."
    return (place, f"{capital(said)}.") if said else (place,)


def mean_name(report: Report) -> str:
    """Name what the mean scores of a report are."""
    return f"mean {mean_of(report.ordering)}"


def row_facts(report: Report, row: OrderRow) -> dict[str, str]:
    """Return what is known of an algorithm in its place, by name."""
    facts = {} if row.ranks is None else {"ranks left open": span(*row.ranks)}
    over = None if report.comparison is None else report.comparison.over
    if report.table.n_datasets > 1 and over != "items":
        facts["mean rank"] = rank(row.mean_rank)
    if report.table.measure.has_means:
        imputed = row.algorithm in report.table.with_imputed
        facts[mean_name(report)] = mean_said(row.mean_score, imputed=imputed)
    # Else the order weighs the mean of a single cost, which is told below.
    if row.cost is not None and (
        report.order.method != "pairwise" or len(report.order.cost or ()) > 1
    ):
        facts["cost weighed"] = cost(row.cost)
    for name, value in row.costs.items():
        facts[f"mean {name}"] = cost(value, cost_named(name).unit)
    facts["place by preference"] = str(row.prior_place)
    if row.on_front is not None:
        facts["on the front"] = "yes" if row.on_front else "no"
    return facts


def _of_two(pair: ComparedPair, number: dict[str, int], *, ratios: bool) -> tuple[object, ...]:
    """Say of a pair what there is, seen from the one that is ahead."""
    turned = pair.better == pair.b
    ahead, behind = (pair.b, pair.a) if turned else (pair.a, pair.b)
    low, high = pair.interval
    # Folds of one data set give a mean difference, but no interval.
    middle = pair.difference if math.isnan(pair.estimate) else pair.estimate
    sizes = [-middle, -high, -low] if turned else [middle, low, high]
    difference, *ends = differences(sizes, ratios=ratios)
    wins, losses = (pair.losses, pair.wins) if turned else (pair.wins, pair.losses)
    return (
        number[ahead],
        number[behind],
        "" if math.isnan(pair.difference) else difference,
        "" if math.isnan(low) else " to ".join(ends),
        wins,
        pair.ties,
        losses,
        p_said(pair.p_adjusted),
        pair.significant,
    )


# --- figures, for whoever cannot see them ---------------------------------------------------------


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
    return " ".join(comparison.claims.texts(Evidence))


def _ranks(comparison: Comparison) -> str:
    measure = comparison.measure.name
    ranks, (best, *_, worst) = comparison.mean_ranks, comparison.by_mean_rank
    said = (
        f"Mean ranks by {measure} run from {rank(ranks[best])} ({best}) to "
        f"{rank(ranks[worst])} ({worst}), 1 is best. {sentence(comparison.claims.how_many_differ)}"
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
    said = sentence(comparison.claims.how_many_differ)
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
        f"{one} has {difference} in {comparison.measure.size_name} against {other} on average: "
        f"better on {wins} of {on}, worse on {losses}."
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
