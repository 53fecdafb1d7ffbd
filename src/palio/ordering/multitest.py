"""MultiTest: order the algorithms on one data set by tests on error and by cost (yildiz2006)."""

from __future__ import annotations

from collections.abc import Sequence

from palio.comparison.corrections import fold_correction_named
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.levels import check_alpha
from palio.comparison.results import Pair
from palio.ordering.arrays import MultiTestArrays
from palio.ordering.first_pass import run_first_pass
from palio.ordering.notes import degenerate_notes, preference_notes, test_note
from palio.ordering.prior import Cost, prior_from
from palio.ordering.result import Ordering, mean_ranks
from palio.ordering.steps import sort_steps
from palio.scores import ScoreTable
from palio.scores.choosing import one_dataset

__all__ = ["multitest"]


def multitest(
    table: ScoreTable,
    *,
    dataset: str | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str = "5x2cv-f",
    correction: str | None = None,
    alpha: float = 0.05,
    **options: float,
) -> Ordering:
    """Order algorithms on one data set, the cheaper first among equals.

    Between two algorithms the cheaper is preferred, unless the test on their folds says that the
    costlier is significantly better. The order then repeatedly takes, of the algorithms that no
    remaining one is significantly better than, the cheapest.

    Parameters
    ----------
    table
        Scores with folds.
    dataset
        Which data set; may be left out when there is only one.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``.
    prior
        Instead of a cost: all algorithms by hand, the most preferred first.
    test
        A test on folds that the table's resampling design allows.
    correction
        For K(K − 1)/2 tests at once: ``None``, ``"bonferroni"``, ``"holm"`` and others.
    alpha
        Significance level.
    **options
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``.

    Notes
    -----
    There is an edge from a cheaper algorithm i to a costlier j where the test says that j is better
    (one-sided where the test has such a form). The order is a topological sort of these edges::

        repeat: of those without an edge to another that is left, take the cheapest

    References
    ----------
    O. T. Yıldız and E. Alpaydın (2006), Ordering and finding the best of K > 2 supervised
    learning algorithms, IEEE TPAMI 28(3).

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> ordering = palio.multitest(table, dataset="optdigits", cost="train_time")
    >>> ordering.order
    ('svr', 'svl', 'sv2', '5nn', 'mlp', 'lnp', 'mdt', 'c45')
    >>> ordering.why("5nn", "mlp")
    '5nn is before mlp: it is cheaper, and mlp is not significantly better.'
    """
    check_alpha(alpha)
    name = one_dataset(table.datasets, dataset, instead="use Multi²Test to order over all")
    one = table.select(datasets=[name])
    entry, correct = FOLD_TESTS[test], fold_correction_named(correction)
    preference = prior_from(one, cost=cost, prior=prior)
    first_pass = run_first_pass(
        one, preference, test=entry, correction=correct, alpha=alpha, options=options
    )
    arrays = first_pass.arrays[0]
    prior_names = [one.algorithms[i] for i in arrays.prior.tolist()]
    steps = sort_steps(prior_names, arrays.edges_by_place)
    pairs = _pairs(prior_names, arrays)
    costs = preference.shown(one)[0]
    return Ordering(
        method="multitest",
        order=tuple(step.taken for step in steps),
        prior=tuple(prior_names),
        edges=tuple(
            (pair.a, pair.b) for pair in pairs if pair.significant and pair.better == pair.b
        ),
        steps=steps,
        pairs=pairs,
        measure=one.measure,
        dataset=one.datasets[0],
        n_datasets=1,
        cost=preference.weights,
        test=test,
        correction=correct.name,
        alpha=alpha,
        costs=dict(zip(one.algorithms, costs.tolist(), strict=True)),
        mean_scores=one.mean_scores(),
        mean_ranks=mean_ranks(one),
        mean_places=first_pass.mean_places,
        first_pass=first_pass,
        notes=(
            *one.notes,
            *preference_notes(preference, one.datasets),
            test_note(entry, correct, alpha, one.n_algorithms),
            *degenerate_notes(first_pass),
        ),
    )


def _pairs(prior: Sequence[str], arrays: MultiTestArrays) -> tuple[Pair, ...]:
    """Name the pairs, the cheaper first; significant as the test inside MultiTest means it."""
    names = [(a, b) for i, a in enumerate(prior) for b in prior[i + 1 :]]
    verdicts = arrays.verdicts
    rows = zip(
        names,
        verdicts.statistic.tolist(),
        verdicts.p_value.tolist(),
        arrays.p_adjusted.tolist(),
        verdicts.lead.tolist(),
        strict=True,
    )
    return tuple(
        Pair(
            a,
            b,
            statistic,
            p_value,
            p_adjusted,
            p_adjusted <= arrays.alpha,
            None if lead == 0 else b if lead > 0 else a,
        )
        for (a, b), statistic, p_value, p_adjusted, lead in rows
    )
