"""From the ranks of Multi²Test's first pass to pairs that differ: its post-hoc tests, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.comparison.building import comparison_from
from palio.comparison.corrections import CORRECTIONS
from palio.comparison.omnibus import run_omnibus
from palio.comparison.over_datasets import compare_scores
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample, Scores
from palio.measures import Measure
from palio.registry import Later, Method, Registry
from palio.stats import across
from palio.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Contest:
    """What the post-hoc tests may look at.

    ``ranks`` has one row per data set (1 = best). ``wins[i, j]`` counts the data sets on which
    i is preferred to j when the two stand alone.
    """

    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: FloatArray
    wins: IntArray

    @property
    def scores(self) -> Scores:
        """The ranks as what is compared."""
        measure = Measure("rank", higher_is_better=False)
        return Scores(self.ranks, self.algorithms, self.datasets, measure)


@dataclass(frozen=True)
class PostHoc(Method):
    """An entry of the registry.

    ``pool_free`` promises that other algorithms do not matter, ``family_wise`` that any error at
    all among equal algorithms is as rare as α says.
    """

    run: Callable[[Contest, float], Comparison]
    pool_free: bool = False
    family_wise: bool = True


_FIRST_PASS = (
    "the ranks were made among all algorithms together, so the verdict on a pair depends on "
    "which others are in the pool (benavoli2016); posthoc 'pairwise-sign' does not"
)


def _on_ranks(test: str, correction: str) -> Callable[[Contest, float], Comparison]:
    def run(contest: Contest, alpha: float) -> Comparison:
        return compare_scores(
            contest.scores,
            Procedure.asked(test, correction, alpha),
            notes=(_FIRST_PASS,),
            of_scores=False,
        )

    return run


@dataclass(frozen=True)
class _Contests:
    """A verdict on every pair from how often each is preferred when the two stand alone."""

    method: str
    title: str
    correction: str
    judge: Callable[[IntArray, IntArray], tuple[FloatArray, FloatArray]]
    note: str

    def __call__(self, contest: Contest, alpha: float) -> Comparison:
        ranked = Sample(-contest.ranks, *np.triu_indices(len(contest.algorithms), 1))
        pairs = ranked.first, ranked.second
        ahead, behind = contest.wins[pairs], contest.wins[pairs[::-1]]
        lead = np.asarray(ahead - behind, dtype=np.float64)
        return comparison_from(
            PairVerdicts(*self.judge(ahead, behind), lead),
            contest.scores,
            ranked,
            Procedure(self.method, CORRECTIONS[self.correction], alpha, title=self.title),
            run_omnibus("friedman", ranked),
            notes=(self.note.format(alpha=alpha),),
            of_scores=False,
        )


def _sign(ahead: IntArray, behind: IntArray) -> tuple[FloatArray, FloatArray]:
    outcome = across.sign_test_counts(ahead, behind)
    return outcome.statistic, outcome.p_value


_pairwise_sign = _Contests(
    "pairwise-sign",
    "sign tests on two-algorithm contests",
    "holm",
    _sign,
    "pairs: sign tests, two-sided at α = {alpha:g}, Holm; on each data set MultiTest chose between "
    "the two alone, so no other algorithm has a say (but for the number of pairs that Holm "
    "corrects for)",
)
_bayes = _Contests(
    "bayes",
    "Bayesian sign test on two-algorithm contests",
    "none",
    Later[..., Any]("palio.comparison.bayes_tests:preferred"),
    "pairs: beta posterior (Jeffreys' prior) of the share of data sets on which MultiTest, "
    "choosing between the two alone, prefers the first; p is the probability that this share lies "
    "on the other side of 1/2, and a pair differs where it is below {alpha:g}; of each pair by "
    "itself, not of all together",
)


POSTHOCS: Registry[PostHoc] = Registry.of(
    "posthoc",
    PostHoc(
        "nemenyi",
        "Nemenyi's test on mean ranks",
        "Demšar 2006; ulas2008 §2.2",
        _on_ranks("mean-ranks", "nemenyi"),
    ),
    PostHoc(
        "wilcoxon-holm",
        "Wilcoxon signed-rank tests on the ranks, Holm",
        "benavoli2016 §5",
        _on_ranks("wilcoxon", "holm"),
    ),
    PostHoc(
        "sign-holm",
        "sign tests on the ranks, Holm",
        "benavoli2016 §5",
        _on_ranks("sign", "holm"),
    ),
    PostHoc(
        "pairwise-sign",
        "sign tests on two-algorithm contests, Holm",
        "Palio; after benavoli2016 §5",
        _pairwise_sign,
        pool_free=True,
    ),
    PostHoc(
        "bayes",
        "Bayesian sign test on two-algorithm contests",
        "Palio; after Benavoli and others 2017",
        _bayes,
        pool_free=True,
        family_wise=False,
    ),
)
