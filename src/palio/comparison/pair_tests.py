"""Tests of pairs of algorithms over many data sets, one value on each, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial, wraps

import numpy as np

from palio.comparison.fold_tests import FOLD_TESTS, PairwiseTest
from palio.comparison.omnibus import AGREEMENT, SMALL
from palio.comparison.sample import (
    MEAN,
    MEDIAN,
    PSEUDO_MEDIAN,
    Estimand,
    Sample,
    slabs,
)
from palio.errors import Option, ParameterError
from palio.registry import Later, Registry, unknown_method
from palio.stats import across, posthoc
from palio.stats.effects import win_tie_loss
from palio.stats.exact import conover_exact, few_orders
from palio.stats.outcome import Outcome
from palio.stats.ranks import paired_difference
from palio.types import FloatArray, IntArray, Options
from palio.words import Worded, count, strung


@dataclass(frozen=True, eq=False)
class PairVerdicts:
    """What a test says of the pairs; ``lead`` is positive where the first is ahead."""

    statistic: FloatArray
    p_value: FloatArray
    lead: FloatArray
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairTest(PairwiseTest):
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties`` are promises that the property tests verify for every entry: ``mirror``,
    ``reorder`` (rows and columns), ``negation``, ``identical``, ``pool-free`` (the verdict on a
    pair does not depend on the others), ``monotone`` (nor on a monotone rescaling of the scores),
    ``shift`` (nor on a constant added on a data set), ``flips`` (see `by_flips`).
    ``against`` says why we do not recommend it; it is empty where we do. ``estimand`` is what it
    tests, with an interval that matches its verdict.
    """

    run: Callable[[Sample, Options], PairVerdicts]
    against: str = field(kw_only=True)
    notes: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset()
    estimand: Estimand | None = None

    @property
    def recommended(self) -> bool:
        """Whether an audit counts doubt from it."""
        return not self.against

    @property
    def audited(self) -> bool:
        """Whether an audit asks it again."""
        return not self.bayesian

    @property
    def on_ranks(self) -> bool:
        """Whether all algorithms are ranked together, so that every row must be complete."""
        return "pool-free" not in self.properties

    def by_flips(self, n: int) -> bool:
        """Say whether p is a share of all sign flips of n differences, so that wins bound it."""
        return "flips" in self.properties and n <= across.EXACT_LIMIT


def _tested(
    values: FloatArray,
    sample: Sample,
    test: Callable[[FloatArray, FloatArray], Outcome],
    *,
    least: int = 1,
) -> tuple[FloatArray, FloatArray]:
    """Return statistics and p-values of a test on (…, data sets), over all pairs.

    Of pairs that share fewer data sets than the ``least`` that the test needs, p is 1.
    """
    statistic, p_value = np.zeros(sample.first.size), np.ones(sample.first.size)
    for part, a, b in slabs(values, sample.first, sample.second):
        if a.shape[1] < least:
            continue
        outcome = test(a, b)
        statistic[part], p_value[part] = outcome.statistic, outcome.p_value
    return statistic, p_value


def _mean_lead(sample: Sample) -> FloatArray:
    """Return by how much the first of each pair is ahead on average, rounding noise aside."""
    leads = np.zeros(sample.first.size)
    for part, a, b in slabs(sample.for_means, sample.first, sample.second):
        leads[part] = paired_difference(a.mean(axis=1), b.mean(axis=1))
    return leads


@wraps(across.wilcoxon)
def _wilcoxon(sample: Sample, options: Options) -> PairVerdicts:
    zero_method = options.get("zero_method", "wilcox")
    zeros = f"zero differences: {_ZEROS[zero_method]}"
    if np.isnan(sample.values).any():
        statistic, p_value = _tested(
            sample.values, sample, lambda a, b: across.wilcoxon(a, b, zero_method=zero_method)
        )
        null = f"exact up to {across.EXACT_LIMIT} data sets, ties and zeros included"
    else:
        outcome = across.wilcoxon_pairs(
            sample.values, first=sample.first, second=sample.second, zero_method=zero_method
        )
        statistic, p_value = outcome.statistic, outcome.p_value
        null = (
            "exact distribution, ties and zeros included"
            if outcome.null == "exact"
            else "normal approximation, corrected for ties, without continuity correction"
        )
        if zero_method == "wilcox":  # the ranks there are follow from n, and need no counting
            lead = np.asarray(statistic - outcome.n * (outcome.n + 1) / 4)
            return PairVerdicts(statistic, p_value, lead, (zeros, null))
    lead = _signed_rank_lead(statistic, zero_method, *_counts(sample))
    return PairVerdicts(statistic, p_value, lead, (zeros, null))


_ZEROS = {
    "wilcox": "dropped (wilcox)",
    "pratt": "ranked, then dropped (pratt)",
    "zsplit": "ranked and split between the two (zsplit)",
}


def _signed_rank_lead(
    positive: FloatArray, zero_method: str, wins: IntArray, losses: IntArray, zeros: IntArray
) -> FloatArray:
    """Return W+ less half of all the ranks there were: what it is where nobody leads."""
    nonzero, n = wins + losses, wins + losses + zeros
    ranks = {
        "wilcox": nonzero * (nonzero + 1) / 2,
        "pratt": (n * (n + 1) - zeros * (zeros + 1)) / 2,
        "zsplit": n * (n + 1) / 2,
    }[zero_method]
    return np.asarray(positive - ranks / 2)


@wraps(across.sign_test)
def _sign(sample: Sample, options: Options) -> PairVerdicts:
    ties = options.get("ties", "drop")
    wins, losses, level = _counts(sample)
    if ties == "split":
        # One odd tie is dropped, so that both get the same.
        wins, losses = wins + level // 2, losses + level // 2
    outcome = across.sign_test_counts(wins, losses)
    lead = (wins - losses).astype(np.float64)
    how = "dropped" if ties == "drop" else "split evenly, an odd one dropped"
    return PairVerdicts(
        outcome.statistic, outcome.p_value, lead, (f"ties: {how}", "exact binomial distribution")
    )


def _counts(sample: Sample) -> tuple[IntArray, IntArray, IntArray]:
    """Count wins, losses and ties of the first of each pair; a missing score is neither."""
    wins, losses, level = np.zeros((3, sample.first.size), dtype=np.intp)
    for part, a, b in slabs(sample.values, sample.first, sample.second):
        found = win_tie_loss(a, b)
        wins[part], losses[part], level[part] = found.wins, found.losses, found.ties
    return wins, losses, level


@wraps(across.paired_t)
def _paired_t(sample: Sample, _options: Options) -> PairVerdicts:
    statistic, p_value = _tested(sample.for_means, sample, across.paired_t, least=2)
    notes = ["differences taken as normal and commensurable between data sets"]
    if flat := int(np.isinf(statistic).sum()):
        notes.append(
            f"warning: the differences of {count(flat, 'pair')} do not vary at all, so that there "
            "is no t: p is that of their signs, 2/2ⁿ on n data sets"
        )
    return PairVerdicts(statistic, p_value, _mean_lead(sample), tuple(notes))


@wraps(across.permutation_test)
def _permutation(sample: Sample, options: Options) -> PairVerdicts:
    resamples, seed = options.get("n_resamples", 9999), options.get("seed", 0)
    statistic, p_value = _tested(
        sample.for_means,
        sample,
        lambda a, b: across.permutation_test(a, b, n_resamples=resamples, seed=seed),
    )
    note = (
        f"sign flips of the mean difference: all of them up to "
        f"{across.PERMUTATION_EXACT_LIMIT} data sets, else {resamples} random ones"
    )
    return PairVerdicts(statistic, p_value, _mean_lead(sample), (note,))


def _on_ranks(
    matrices: Callable[[FloatArray], Outcome], *, of_values: bool = False
) -> Callable[[Sample, Options], PairVerdicts]:
    """Make a pair test of a function from all ranks, or values, to matrices of all pairs."""

    @wraps(matrices)
    def run(sample: Sample, _options: Options) -> PairVerdicts:
        outcome = matrices(-sample.values if of_values else sample.ranks)
        pair = sample.first, sample.second
        # The statistic is positive where the first has the higher, that is the worse ranks.
        worse = outcome.statistic[pair]
        notes: tuple[str, ...] = (f"{_NULLS[outcome.null]} for each pair",)
        if outcome.null == "t" and (outcome.degenerate[pair] & (worse != 0.0)).any():
            notes = (*notes, AGREEMENT)
        return PairVerdicts(np.abs(worse), outcome.p_value[pair], -worse, notes)

    return run


_NULLS = {
    "normal": "normal approximation",
    "t": "t distribution",
    "exact": "exact distribution",
}


@wraps(posthoc.mean_ranks_z)
def _mean_ranks(ranks: FloatArray) -> Outcome:
    """Refer eq. 4 to the normal, or on few data sets without ties to all (k!)ⁿ rankings."""
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    outcome = posthoc.mean_ranks_z(means, n)
    if n > SMALL or not posthoc.mean_ranks_exact_possible(n, k):
        return outcome
    if (np.sort(ranks, axis=1) != np.arange(1, k + 1)).any():
        return outcome
    return replace(outcome, p_value=posthoc.mean_ranks_exact(means, n).p_value, null="exact")


@wraps(posthoc.conover)
def _conover(ranks: FloatArray) -> Outcome:
    """Refer Conover's t to t, or on few data sets to all (k!)ⁿ orders, ties included."""
    return conover_exact(ranks) if few_orders(*ranks.shape) else posthoc.conover(ranks)


_POOL = strung(
    [
        "the algorithms are ranked together, so the verdict on a pair depends on which others are "
        "in the pool (benavoli2016); 'wilcoxon' and 'sign' do not",
        Worded(
            ", and `palio audit` shows where it shows", page=", and the audit shows where it shows"
        ),
    ]
)
_POOLED = "its verdict on two algorithms depends on which others are in the pool"
_AVERAGED = (
    "it averages differences that need not have the same unit, so that one outlying data set can "
    "hide what is there on all others, or make it up"
)
_PAIR = frozenset({"mirror", "reorder", "negation", "identical", "pool-free"})
_RANKED = frozenset({"mirror", "reorder", "negation", "identical"})

_pooled = partial(PairTest, against=_POOLED, notes=(_POOL,))

BAYESIAN = (
    "in the place of p stands 1 − P(better beyond the region), and a pair differs where that is α "
    "or less; probabilities are not corrected: each is of its pair alone",
)
"""The notes of every comparison by a Bayesian test."""

PAIR_TESTS: Registry[PairTest] = Registry.of(
    "test",
    PairTest(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        "Wilcoxon 1945; benavoli2016 §5",
        _wilcoxon,
        against="",
        transitive=False,
        options={"zero_method": ("wilcox", "pratt", "zsplit")},
        notes=("differences taken as symmetric and commensurable between data sets",),
        properties=_PAIR | {"shift", "flips"},
        aliases=("signed-rank", "wilcoxon-signed-rank"),
        estimand=PSEUDO_MEDIAN,
    ),
    PairTest(
        "sign",
        "sign test",
        "Demšar 2006; benavoli2016 §5",
        _sign,
        against="",
        transitive=False,
        options={"ties": ("drop", "split")},
        properties=_PAIR | {"monotone", "shift", "flips"},
        aliases=("sign-test",),
        estimand=MEDIAN,
    ),
    PairTest(
        "paired-t",
        "paired t test",
        "Student 1908",
        _paired_t,
        against=_AVERAGED,
        properties=_PAIR | {"shift"},
        aliases=("t-test", "paired-t-test", "ttest-rel"),
        estimand=MEAN,
    ),
    PairTest(
        "permutation",
        "permutation test of the mean difference",
        "Fisher 1935",
        _permutation,
        against=_AVERAGED,
        options={"n_resamples": int, "seed": int},
        properties=_PAIR | {"shift"},
        aliases=("permutation-test", "randomization", "randomisation"),
    ),
    PairTest(
        "bayes",
        "Bayesian signed-rank test",
        "Benavoli and others 2014, 2017",
        Later[..., PairVerdicts]("palio.comparison.bayes_tests:signed_rank_pairs"),
        against="it judges each pair by itself: with many pairs some look sure by chance",
        bayesian=True,
        transitive=False,
        options={"rope": float, "draws": int, "seed": int},
        notes=("differences taken as commensurable between data sets",),
        properties=_PAIR | {"shift"},
        aliases=("bayesian", "bayesian-signed-rank"),
    ),
    _pooled(
        "mean-ranks",
        "mean-ranks test",
        "Demšar 2006; benavoli2016 eq. 4 (Dunn's test in brazdil2000)",
        _on_ranks(_mean_ranks),
        properties=_RANKED | {"monotone", "shift"},
    ),
    _pooled(
        "conover",
        "Conover's test on Friedman's ranks",
        "Conover 1999",
        _on_ranks(_conover),
        properties=_RANKED | {"monotone", "shift"},
        aliases=("conover-friedman",),
    ),
    _pooled(
        "quade",
        "Quade's post-hoc test",
        "Quade 1979; Conover 1999",
        _on_ranks(posthoc.quade_posthoc, of_values=True),
        properties=_RANKED | {"shift"},
    ),
    _pooled(
        "aligned-ranks",
        "test on aligned ranks",
        "Hodges and Lehmann 1962; García and others 2010",
        _on_ranks(posthoc.aligned_posthoc, of_values=True),
        properties=_RANKED | {"shift"},
        aliases=("friedman-aligned-ranks",),
    ),
)


def pair_test_named(name: str) -> PairTest:
    """Look a test over data sets up; one on folds is told where it belongs."""
    if name in PAIR_TESTS:
        return PAIR_TESTS[name]
    if name not in FOLD_TESTS:
        raise unknown_method("test", name, PAIR_TESTS, FOLD_TESTS)
    raise ParameterError(
        "test",
        f"'{name}' compares on the folds of one data set",
        "this is over many",
        f"name the data set, use one of {', '.join(PAIR_TESTS)}, or order with "
        f"{Option('method', 'multi2test')}",
    )
