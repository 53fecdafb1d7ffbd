"""From ranks on many data sets to pairs that differ: the post-hoc tests of Multi²Test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from palio.comparison.groups import maximal_groups
from palio.comparison.results import Comparison, Pair, TestResult
from palio.registry import Registry
from palio.stats import across, adjust, posthoc
from palio.stats._types import BoolArray, FloatArray, IntArray

__all__ = ["POSTHOCS", "Contest", "PairTests", "PostHoc", "compare_ranks"]

_POOL_NOTE = (
    "the ranks were made among all algorithms together, so the verdict on a pair depends on "
    "which others are in the pool (benavoli2016); posthoc 'pairwise-sign' does not"
)


@dataclass(frozen=True)
class Contest:
    """What the post-hoc tests may look at.

    ``ranks`` has one row per data set (1 = best). ``wins[i, j]`` counts the data sets on which
    i is preferred to j when the two stand alone.
    """

    ranks: FloatArray
    wins: IntArray


@dataclass(frozen=True)
class PairTests:
    """What a post-hoc test says of every pair, for i < j in the order of ``np.triu_indices``.

    ``lead`` is positive where the first of the pair is ahead.
    """

    statistic: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    lead: FloatArray
    critical_difference: float | None = None


@dataclass(frozen=True)
class PostHoc:
    """An entry of the registry; ``pool_free`` promises that other algorithms do not matter."""

    name: str
    title: str
    reference: str
    run: Callable[[Contest, float], PairTests]
    pool_free: bool = False
    notes: tuple[str, ...] = ()


def _nemenyi(contest: Contest, alpha: float) -> PairTests:
    n, k = contest.ranks.shape
    mean_ranks = contest.ranks.mean(axis=0)
    first, second = np.triu_indices(k, 1)
    lead = mean_ranks[second] - mean_ranks[first]
    p = posthoc.nemenyi(mean_ranks, n)[first, second]
    difference = float(posthoc.critical_difference(k, n, alpha))
    return PairTests(np.abs(lead), p, p, lead, difference)


def _wilcoxon_holm(contest: Contest, _alpha: float) -> PairTests:
    first, second = np.triu_indices(contest.ranks.shape[1], 1)
    ranks = contest.ranks.T
    outcome = across.wilcoxon(ranks[second], ranks[first])
    # W+ is n(n + 1)/4 where nobody leads.
    lead = outcome.statistic - outcome.n * (outcome.n + 1) / 4
    return PairTests(outcome.statistic, outcome.p_value, adjust.holm(outcome.p_value), lead)


def _sign_holm(contest: Contest, _alpha: float) -> PairTests:
    first, second = np.triu_indices(contest.ranks.shape[1], 1)
    ahead = (contest.ranks[:, first] < contest.ranks[:, second]).sum(axis=0)
    behind = (contest.ranks[:, first] > contest.ranks[:, second]).sum(axis=0)
    return _signs(ahead, behind)


def _pairwise_sign(contest: Contest, _alpha: float) -> PairTests:
    first, second = np.triu_indices(contest.wins.shape[0], 1)
    return _signs(contest.wins[first, second], contest.wins[second, first])


def _signs(ahead: IntArray, behind: IntArray) -> PairTests:
    outcome = across.sign_test_counts(ahead, behind)
    lead = np.asarray(ahead - behind, dtype=np.float64)
    return PairTests(outcome.statistic, outcome.p_value, adjust.holm(outcome.p_value), lead)


POSTHOCS: Registry[PostHoc] = Registry.of(
    "posthoc",
    PostHoc(
        "nemenyi",
        "Nemenyi's test on mean ranks",
        "Demšar 2006; ulas2008 §2.2",
        _nemenyi,
        notes=(
            "critical values from the studentised range with infinite degrees of freedom",
            _POOL_NOTE,
        ),
    ),
    PostHoc(
        "wilcoxon-holm",
        "Wilcoxon signed-rank tests on the ranks, Holm",
        "benavoli2016 §5",
        _wilcoxon_holm,
        notes=("zero differences of ranks are dropped", _POOL_NOTE),
    ),
    PostHoc(
        "sign-holm",
        "sign tests on the ranks, Holm",
        "benavoli2016 §5",
        _sign_holm,
        notes=(_POOL_NOTE,),
    ),
    PostHoc(
        "pairwise-sign",
        "sign tests on two-algorithm contests, Holm",
        "Palio; after benavoli2016 §5",
        _pairwise_sign,
        pool_free=True,
        notes=(
            "on each data set MultiTest chose between the two of a pair alone; the sign "
            "test counts the data sets each won, so no other algorithm has a say (but for "
            "the number of pairs Holm corrects for)",
        ),
    ),
)


def compare_ranks(
    contest: Contest, algorithms: Sequence[str], *, posthoc: str, alpha: float
) -> Comparison:
    """Compare algorithms by their ranks on many data sets.

    Pairs are two-sided at ``alpha``; who is ahead comes from the same statistic.
    """
    entry = POSTHOCS[posthoc]
    tests = entry.run(contest, alpha)
    significant = tests.p_adjusted <= alpha
    mean_ranks = contest.ranks.mean(axis=0)
    omnibus = _friedman(contest.ranks)
    return Comparison(
        method=posthoc,
        algorithms=tuple(algorithms),
        n_datasets=contest.ranks.shape[0],
        alpha=alpha,
        mean_ranks=dict(zip(algorithms, mean_ranks.tolist(), strict=True)),
        omnibus=omnibus,
        pairs=_named_pairs(tests, significant, algorithms),
        groups=_groups(significant, mean_ranks, algorithms),
        critical_difference=tests.critical_difference,
        notes=_notes(entry, omnibus, alpha),
    )


def _friedman(ranks: FloatArray) -> TestResult:
    outcome = across.friedman_from_ranks(ranks)
    return TestResult(
        method="friedman",
        hypothesis="all algorithms have the same distribution of ranks",
        statistic=float(outcome.statistic),
        statistic_uncorrected=float(outcome.statistic_uncorrected),
        df=outcome.df,
        p_value=float(outcome.p_value),
        n=ranks.shape[0],
        notes=("chi-square approximation, corrected for ties",),
    )


def _named_pairs(
    tests: PairTests, significant: BoolArray, algorithms: Sequence[str]
) -> tuple[Pair, ...]:
    first, second = np.triu_indices(len(algorithms), 1)
    rows = zip(
        first.tolist(),
        second.tolist(),
        tests.statistic.tolist(),
        tests.p_value.tolist(),
        tests.p_adjusted.tolist(),
        significant.tolist(),
        tests.lead.tolist(),
        strict=True,
    )
    return tuple(
        Pair(
            algorithms[i],
            algorithms[j],
            statistic,
            p_value,
            p_adjusted,
            is_significant,
            None if lead == 0 else algorithms[i if lead > 0 else j],
        )
        for i, j, statistic, p_value, p_adjusted, is_significant, lead in rows
    )


def _groups(
    significant: BoolArray, mean_ranks: FloatArray, algorithms: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    k = len(algorithms)
    different = np.zeros((k, k), dtype=np.bool_)
    different[np.triu_indices(k, 1)] = significant
    different |= different.T
    by_rank = np.argsort(mean_ranks, kind="stable")
    return maximal_groups(
        different[np.ix_(by_rank, by_rank)], [algorithms[i] for i in by_rank.tolist()]
    )


def _notes(entry: PostHoc, omnibus: TestResult, alpha: float) -> tuple[str, ...]:
    notes = (f"pairs: {entry.title}, two-sided at α = {alpha:g}", *entry.notes)
    if omnibus.p_value > alpha:
        return (
            *notes,
            f"Friedman's test did not reject (p = {omnibus.p_value:.3g}); the pairs are shown "
            "all the same",
        )
    return notes
