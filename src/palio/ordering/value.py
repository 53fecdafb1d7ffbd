"""What the first of an order gives up, and what it saves: the second sentence of a verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.verdict import pool_of, some_of
from palio.numbers import number, rank, signed_alike, times, weighed
from palio.words import Worded, strung

if TYPE_CHECKING:
    from palio.ordering.result import Ordering
    from palio.scores import ItemScores, ScoreTable


# Two digits of so many are said to be about that.
_ROUNDED = 1000


def value_of(ordering: Ordering) -> str | None:
    """Say what the first of the order saves against the best, and what it gives up.

    Nothing where no cost and no prior order was given: then nobody asked for value.
    """
    if ordering.preferred_by == "mean-rank":
        return None
    by = "the given order of preference" if ordering.cost is None else weighed(ordering.cost)
    first, best = ordering.best, ordering.strongest
    if first == best:
        return f"Best value by {by}: {first} too; {_why_first(ordering)}."
    return f"Best value by {by}: {first}, {_trade(ordering, first, best)}; {_beaten(ordering)}."


def _why_first(ordering: Ordering) -> str:
    if len(ordering.unbeaten) > 1:
        return f"{ordering.wording.first.removesuffix(' left')} of those that nobody beats"
    return "nobody else is unbeaten"


def _trade(ordering: Ordering, first: str, best: str) -> str:
    """Say how much cheaper it is than the best, and how much its mean score differs."""
    scores = _change(ordering, first, best)
    if ordering.cost is None:
        return scores
    cost, than = ordering.costs[first], ordering.costs[best]
    ratio = than / cost if cost > 0 else math.inf if than > 0 else 1.0
    return f"{cheaper(ratio)} than {best}, {scores}"


def _change(ordering: Ordering, first: str, best: str) -> str:
    """Say how much the mean scores differ, or the mean ranks where there are none."""
    if ordering.measure.is_ordinal:
        ranks = ordering.mean_ranks
        return f"mean rank {rank(ranks[first])} against {rank(ranks[best])} of {best}"
    change = ordering.mean_scores[first] - ordering.mean_scores[best]
    return f"mean {ordering.measure.name} {signed_alike([change])[0]} against {best}"


def cheaper(ratio: float) -> str:
    """Say how many times cheaper one is.

    >>> cheaper(100.0), cheaper(52718.0), cheaper(1.0), cheaper(math.inf)
    ('100 times cheaper', 'about 53,000 times cheaper', 'no cheaper', 'infinitely cheaper')
    """
    if ratio <= 1:
        return "no cheaper"
    if math.isinf(ratio):
        return "infinitely cheaper"
    return f"{'about ' if ratio >= _ROUNDED else ''}{times(ratio)} times cheaper"


def _beaten(ordering: Ordering) -> str:
    """Say whether anybody is significantly better than the first, by the score alone."""
    judged = ordering.judged
    if judged is None:
        return "no test was possible"
    if judged.least_p is not None:
        return "but so few data sets cannot tell whether it is as good"
    beaten_by = judged.standings[ordering.best].beaten_by
    if ordering.best in judged.hardly:
        return f"too few data sets with {ordering.strongest} to tell whether it is as good"
    if not beaten_by:
        return "nobody is significantly better"
    verb = "is" if len(beaten_by) == 1 else "are"
    return f"but {some_of(beaten_by)} {verb} significantly better by {ordering.measure.name}"


def untested(table: ScoreTable) -> tuple[str, str]:
    """Say who has the best score where no test can say more, and why none can."""
    best = table.by_mean_score()[0]
    pool = pool_of(table.n_algorithms, table.datasets)
    score = number(table.mean_scores()[best])
    why, so = "without folds no test can tell them apart", "one value is no sample"
    if table.items is not None and _strangers(table.items):
        why = "no two have answered the same items, so that no paired test can tell them apart"
        so = Worded(
            "palio compare --unpaired (unpaired=True) compares their means",
            page="their means rest on different items",
        )
    return (
        f"{best} has the best {table.measure.name}, {score}, of {pool}, but {why}: each may be the "
        "best.",
        strung(["There is no test in it: ", so, "."]),
    )


def _strangers(items: ItemScores) -> bool:
    """Say whether no two algorithms share two items."""
    there = items.answered().astype(np.float64)
    return bool((np.triu(there.T @ there, 1) < 2).all())
