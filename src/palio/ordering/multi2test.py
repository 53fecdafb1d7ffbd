"""Multi²Test: order the algorithms over many data sets by tests and by cost (ulas2008)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palio.comparison.corrections import fold_correction_named
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.levels import check_alpha
from palio.comparison.rank_tests import POSTHOCS, Contest
from palio.comparison.results import Comparison
from palio.errors import ParameterError
from palio.ordering.first_pass import FirstPass, run_first_pass
from palio.ordering.notes import degenerate_notes, preference_notes, test_note
from palio.ordering.prior import Cost, cheapest_first, prior_from
from palio.ordering.result import Ordering, mean_ranks
from palio.ordering.steps import sort_steps
from palio.scores import ScoreTable
from palio.types import BoolArray

__all__ = ["multi2test", "second_pass"]


def multi2test(
    table: ScoreTable,
    *,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str = "5x2cv-f",
    correction: str | None = None,
    posthoc: str | None = None,
    alpha: float = 0.05,
    **options: float,
) -> Ordering:
    """Order algorithms over many data sets, the cheaper first among equals.

    MultiTest orders the algorithms on each data set; a post-hoc test on the resulting ranks says
    which pairs differ; MultiTest once more turns these pairs, and the cost averaged over the
    data sets, into one order (ulas2008 Table 3.2).

    Parameters
    ----------
    table
        Scores with folds, on two data sets or more.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``. Each is
        divided by its largest value on the data set.
    prior
        Instead of a cost: all algorithms by hand, the most preferred first.
    test, correction
        The test on folds for the first pass, and its correction, as for :func:`multitest`.
    posthoc
        The second pass: ``"nemenyi"`` (the paper's, and what is taken unless the test is
        ``"bayes"``), ``"wilcoxon-holm"``, ``"sign-holm"``, or ``"pairwise-sign"`` and ``"bayes"``,
        whose verdict on a pair does not depend on the other algorithms.
    alpha
        Significance level of both passes.
    **options
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``.

    Notes
    -----
    With p_dj the place of algorithm j on data set d in the order of `multitest`::

        Pⱼ = Σ_d p_dj / n

    There is an edge from a cheaper i to a costlier j where the second pass says that they differ
    and j has the better mean place Pⱼ. The order is the topological sort of these, as in
    `multitest`.

    References
    ----------
    M. A. Ulaş, O. T. Yıldız and E. Alpaydın (2008), Cost-conscious comparison of supervised
    learning algorithms over multiple data sets, Boğaziçi University, FBE/CMPE-01/2008-04.

    Examples
    --------
    >>> import palio
    >>> palio.multi2test(palio.load_study("ulas2008"), cost="train_time").order
    ('5nn', 'c45', 'lnp', 'mlp', 'mdt', 'svl', 'sv2', 'svr')
    """
    check_alpha(alpha)
    if table.n_datasets < 2:
        raise ParameterError(
            "table",
            "Multi²Test orders over two data sets or more",
            f"there is one, '{table.datasets[0]}'",
            "use MultiTest for it (palio.multitest, or --dataset)",
        )
    entry, correct = FOLD_TESTS[test], fold_correction_named(correction)
    posthoc = POSTHOCS[posthoc or entry.posthoc].name  # known before the work, not after
    preference = prior_from(table, cost=cost, prior=prior)
    first_pass = run_first_pass(
        table, preference, test=entry, correction=correct, alpha=alpha, options=options
    )
    comparison = second_pass(first_pass, posthoc=posthoc, alpha=alpha)
    average_cost = preference.values.mean(axis=0)
    prior_names = cheapest_first(table, preference)
    edges = _edges(prior_names, comparison)
    steps = sort_steps(prior_names, edges)
    return Ordering(
        method="multi2test",
        order=tuple(step.taken for step in steps),
        prior=tuple(prior_names),
        edges=tuple((prior_names[i], prior_names[j]) for i, j in np.argwhere(edges).tolist()),
        steps=steps,
        pairs=tuple(pair.verdict for pair in comparison.pairs),
        measure=table.measure,
        n_datasets=table.n_datasets,
        cost=preference.weights,
        test=test,
        correction=correct.name,
        posthoc=posthoc,
        alpha=alpha,
        costs=dict(zip(table.algorithms, average_cost.tolist(), strict=True)),
        mean_scores=table.mean_scores(),
        mean_ranks=mean_ranks(table),
        mean_places=first_pass.mean_places,
        first_pass=first_pass,
        comparison=comparison,
        notes=(
            *table.notes,
            *preference_notes(preference, table.datasets),
            f"first pass, {test_note(entry, correct, alpha, table.n_algorithms)}",
            *degenerate_notes(first_pass),
            *(f"second pass, {note}" for note in comparison.notes),
        ),
    )


def second_pass(first_pass: FirstPass, *, posthoc: str, alpha: float) -> Comparison:
    """Test which pairs differ by their ranks on the data sets."""
    contest = Contest(
        first_pass.algorithms,
        first_pass.datasets,
        ranks=first_pass.arrays.ranks.astype(np.float64),
        wins=first_pass.pair_wins,
    )
    return POSTHOCS[posthoc].run(contest, alpha)


def _edges(prior: Sequence[str], comparison: Comparison) -> BoolArray:
    """Draw an edge from the cheaper to the costlier where the costlier is significantly better."""
    place = {name: i for i, name in enumerate(prior)}
    edges = np.zeros((len(prior), len(prior)), dtype=np.bool_)
    for pair in comparison.pairs:
        if pair.winner is None:
            continue
        winner = place[pair.winner]
        loser = place[pair.b if pair.winner == pair.a else pair.a]
        edges[loser, winner] = loser < winner
    return edges
