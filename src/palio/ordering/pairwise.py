"""An order that cannot contradict a comparison: its pairs, sorted by cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palio.comparison.corrections import check_alpha
from palio.comparison.on_folds import with_every_fold
from palio.comparison.over_datasets import compare
from palio.comparison.results import Comparison
from palio.errors import DesignError
from palio.ordering.graph import Step, sort_steps
from palio.ordering.prior import Cost, cost_weights, preference_of
from palio.ordering.result import Ordering, mean_ranks
from palio.registry import one_dataset
from palio.scores import ScoreTable
from palio.scores.over import ReadOver
from palio.types import BoolArray
from palio.words import joined


def pairwise(
    table: ScoreTable,
    *,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    over: ReadOver | None = None,
    dataset: str | None = None,
    test: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    **options: Any,
) -> Ordering:
    r"""Order algorithms by the pairs of a comparison, the cheaper first among equals.

    Nobody stands before one that is significantly better; among the rest, the cheaper first. The
    pairs are those of :func:`palio.compare` with the same test, correction and level, so that the
    two never disagree. No folds are needed: over many data sets each counts with its mean.

    Parameters
    ----------
    table
        Scores on data sets, with folds or without, or on one data set.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``. They count
        by the additive model of log cost, so that who is cheaper of two does not depend on others.
    prior
        Instead of a cost: algorithms by hand, the most preferred first; those left out follow by
        mean rank. Without either, the better mean rank is first among equals.
    over
        What would be drawn anew, as for :func:`palio.compare`.
    dataset
        Order on the folds, or the items, of this data set.
    test, correction, alpha
        As for :func:`palio.compare`. With ``test="bayes"`` there is an edge where the probability
        that one is better, by more than the region ``rope``, is 1 − α or more.
    **options
        What the test takes besides.

    Notes
    -----
    There is an edge from the worse to the better of every pair that differs significantly. The
    order is a topological sort of these edges E, as in `multitest`: of those left, L, the next is
    the one with the least cost c among those that nobody left beats,

    .. math::

        \mathrm{arg\,min} \left\{c_i : i \in L,\ (i, j) \notin E \text{ for all } j \in L\right\}

    Where edges form a circle, which tests of pairs do not rule out, of the circles that nobody
    outside still beats the cheapest algorithm is taken, and a note says so. On one data set without
    folds no test is possible: there are no edges, and the order is that of cost, or of score.

    References
    ----------
    O. T. Yıldız and E. Alpaydın (2006), Ordering and finding the best of K > 2 supervised
    learning algorithms, IEEE TPAMI 28(3), for the sort.
    A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based on
    mean-ranks?, JMLR 17, for the tests of pairs.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> ordering = palio.order(table, cost="train_time")
    >>> ordering.order
    ('svl', 'svr', '5nn', 'c45', 'lnp', 'mlp', 'mdt', 'sv2')
    >>> ordering.why("svr", "5nn")
    'svr is before 5nn: it is costlier, but significantly better (p = 1.3e-05).'
    """
    check_alpha(alpha)
    without: tuple[str, ...] = ()
    if dataset is not None or table.n_datasets == 1:
        table, without = with_every_fold(table, one_dataset(table.datasets, dataset))
    named = None if cost is None else cost_weights(cost)
    asked = {
        "over": over,
        "test": test,
        "correction": correction,
        "alpha": alpha,
        "cost": named,
        **options,
    }
    comparison, untested = _compared(table, asked)
    ranks = mean_ranks(table) if comparison is None else comparison.mean_ranks
    if comparison is not None and comparison.over == "items":
        # Of some of the algorithms there may be no items.
        table = table.select(comparison.datasets, comparison.algorithms)
    scores = table.mean_scores() if comparison is None else comparison.mean_scores
    standing = ranks if comparison is None else _places(comparison)
    by = "mean rank" if comparison is None else comparison.stands_by
    preference = preference_of(table, standing, cost=cost, prior=prior, by=by)
    names = preference.order
    steps = sort_steps(names, _edges(names, comparison), wording=preference.wording)
    return Ordering(
        method="pairwise",
        order=tuple(step.taken for step in steps),
        prior=tuple(names),
        edges=_named_edges(comparison),
        steps=steps,
        measure=table.measure,
        n_datasets=table.n_datasets,
        cost=preference.weights,
        test=None if comparison is None else comparison.method,
        correction=None if comparison is None else comparison.correction,
        alpha=alpha,
        table=table,
        wording=preference.wording,
        costs=preference.costs,
        mean_scores=scores,
        mean_ranks=ranks,
        dataset=table.datasets[0] if table.n_datasets == 1 else None,
        comparison=comparison,
        notes=(
            *(table.notes if comparison is None else comparison.notes),
            *without,
            *preference.notes,
            *untested,
            *_circles(steps),
        ),
    )


def _compared(
    table: ScoreTable, asked: dict[str, Any]
) -> tuple[Comparison | None, tuple[str, ...]]:
    """Compare the algorithms; where the design of one data set allows no test, say so."""
    try:
        return compare(table, **asked), ()
    except DesignError as error:
        refused = asked["over"] is not None and error.parameter == "over"
        if asked["test"] is not None or refused or table.n_datasets > 1:
            raise
        return None, (f"no test in it: {error}",)


def _places(comparison: Comparison) -> Mapping[str, float]:
    """Return the places by standing: those that cannot be compared with the leader come last."""
    return {name: float(place) for place, name in enumerate(comparison.by_standing)}


def _named_edges(comparison: Comparison | None) -> tuple[tuple[str, str], ...]:
    """Return the worse and the better of every pair that differs significantly."""
    if comparison is None:
        return ()
    tested, names = comparison.tested, comparison.algorithms
    differ = np.flatnonzero(tested.sides)
    ahead = tested.sides[differ] > 0
    first, second = tested.first[differ], tested.second[differ]
    worse, better = np.where(ahead, second, first), np.where(ahead, first, second)
    return tuple((names[i], names[j]) for i, j in zip(worse.tolist(), better.tolist(), strict=True))


def _edges(names: Sequence[str], comparison: Comparison | None) -> BoolArray:
    place = {name: i for i, name in enumerate(names)}
    edges = np.zeros((len(names), len(names)), dtype=np.bool_)
    for worse, better in _named_edges(comparison):
        edges[place[worse], place[better]] = True
    return edges


def _circles(steps: Sequence[Step]) -> tuple[str, ...]:
    """Say where algorithms beat one another in a circle, so that one stands before a better."""
    return tuple(
        f"a circle: {step.taken} stands before {joined(step.circle)}, significantly better than "
        "it, which others in the circle beat in turn"
        for step in steps
        if step.circle
    )
