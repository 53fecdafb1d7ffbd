"""What a page says of an algorithm, or of a pair, that is pointed at.

A page has it as JSON in an element that is not run; algorithms have the numbers of their marks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from palio.comparison.sample import CONFIDENCE
from palio.measures import cost_named
from palio.numbers import cost, differences, limit, p_said, rank, span
from palio.report.elements import Html, tag
from palio.report.views.common import mean_said
from palio.report.views.orderings import mean_of
from palio.results import plain

if TYPE_CHECKING:
    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.ordering.places import OrderRow
    from palio.report.analysis import Report
    from palio.report.sections.parts import Draft

# Of more algorithms a page has only the pairs with the best: all would weigh more than the rest.
MOST_WITH_ALL_PAIRS = 60

# One that has no score stands nowhere.
_NOT_PLACED = ("It has no place in the order.",)


class PairFacts(NamedTuple):
    """What is said of two algorithms, the one that is ahead first; a list in JSON, to be short."""

    a: int
    b: int
    difference: str
    interval: str
    wins: int
    ties: int
    losses: int
    p: str
    significant: bool


@dataclass(frozen=True)
class Facts:
    """What is said of each algorithm and of pairs.

    ``names`` are as they are shown, ``against`` those that an algorithm is compared with where none
    is pinned. ``over`` is what is won and lost; ``between`` two names is the sign of what is shown
    of them, a difference or a ratio, ``of`` says which estimate and interval that is, and ``level``
    the level of the interval where all pairs have the same. ``p`` says which p-values these are,
    ``whole`` whether all pairs are here.
    """

    names: tuple[str, ...]
    said: tuple[tuple[str, ...], ...]
    against: tuple[int, ...]
    pairs: tuple[tuple[object, ...], ...]
    over: str
    between: str
    of: str
    level: str
    p: str
    whole: bool


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
    number = {name: i for i, name in enumerate(names)}
    rows = {row.algorithm: row for row in report.order.rows}
    against = _against(report)
    whole = len(names) <= MOST_WITH_ALL_PAIRS
    ratios = comparison is not None and comparison.measure.scale == "ratio"
    pairs: Iterable[ComparedPair] = ()
    if comparison is not None:
        some = [*against, *(name for name in also if name in number)]
        pairs = comparison.pairs if whole else _pairs_with(comparison, some)
    return Facts(
        names=tuple(names),
        said=tuple(_of_one(report, rows[name]) if name in rows else _NOT_PLACED for name in names),
        against=tuple(number[name] for name in against),
        pairs=tuple(tuple(_of_two(pair, number, ratios=ratios)) for pair in pairs),
        over=_over(comparison),
        between="/" if ratios else "−",
        of=_interval_of(comparison, ratios=ratios),
        level=_level(comparison),
        p="adjusted " if comparison is not None and comparison.correction != "none" else "",
        whole=whole,
    )


def island(draft: Draft) -> Html:
    """Return the facts as an element of the page, which the script reads."""
    text = json.dumps(plain(facts_of(draft)), ensure_ascii=False, separators=(",", ":"))
    # Nothing in it can end the element, whatever a name holds.
    return tag("script", Html(text.replace("<", "\\u003c")), type="application/json", id="facts")


def _against(report: Report) -> list[str]:
    """Return whom the others are compared with: the best, or the control."""
    control = None if report.comparison is None else report.comparison.control
    first = report.leader if control is None else control
    return [first] if first in report.table.algorithms else []


def _pairs_with(comparison: Comparison, names: Iterable[str]) -> list[ComparedPair]:
    """Return the pairs of some with all others, each once."""
    found = {(pair.a, pair.b): pair for name in names for pair in comparison.pairs_of(name)}
    return list(found.values())


def _over(comparison: Comparison | None) -> str:
    over = "datasets" if comparison is None else comparison.over
    return "data sets" if over == "datasets" else over


def _interval_of(comparison: Comparison | None, *, ratios: bool) -> str:
    """Say which estimate and interval of a pair are shown; logarithms are shown as ratios."""
    said = "" if comparison is None else comparison.tested.effects.interval_of
    return said.replace("difference", "ratio") if ratios else said


def _level(comparison: Comparison | None) -> str:
    """Return the level of the intervals; none where a correction decides each pair at its own."""
    if comparison is None or not comparison.tested.effects.is_matched:
        return f"{limit(100 * CONFIDENCE)} %"
    adjusted = comparison.correction != "none"
    return "" if adjusted else f"{limit(100 * (1 - comparison.alpha))} %"


def _of_one(report: Report, row: OrderRow) -> tuple[str, ...]:
    """Say where an algorithm stands, its mean, and what it costs if that counts."""
    ranks = ""
    if row.ranks is not None:
        low, high = row.ranks
        ranks = f"; rank {low}" if low == high else f"; ranks {span(low, high)}"
    measure, comparison = report.table.measure, report.comparison
    means = []
    if not measure.is_ordinal:
        mean = mean_said(row.mean_score, imputed=row.algorithm in report.table.with_imputed)
        means.append(f"mean {mean_of(report.ordering)} {mean}")
    if comparison is not None and comparison.over == "datasets":
        means.append(f"mean rank {rank(row.mean_rank)}")
    means += [
        f"mean {name} {cost(row.costs[name], cost_named(name).unit)}"
        for name in report.order.cost or ()
        if name in row.costs
    ]
    said = "; ".join(means)
    place = f"Place {row.place} of {len(report.order.rows)}{ranks}."
    return (place, f"{said[:1].upper()}{said[1:]}.") if said else (place,)


def _of_two(pair: ComparedPair, number: dict[str, int], *, ratios: bool) -> PairFacts:
    """Say of a pair what there is, seen from the one that is ahead."""
    turned = pair.better == pair.b
    ahead, behind = (pair.b, pair.a) if turned else (pair.a, pair.b)
    low, high = pair.interval
    # Folds of one data set give a mean difference, but no interval.
    middle = pair.difference if math.isnan(pair.estimate) else pair.estimate
    sizes = [-middle, -high, -low] if turned else [middle, low, high]
    difference, *ends = differences(sizes, ratios=ratios)
    wins, losses = (pair.losses, pair.wins) if turned else (pair.wins, pair.losses)
    return PairFacts(
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
