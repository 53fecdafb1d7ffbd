"""Tests of all algorithms at once over many data sets, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps

import numpy as np

from palio.comparison.pairs import TestResult
from palio.comparison.sample import Sample
from palio.errors import MissingCellsError
from palio.registry import Registry
from palio.stats import across
from palio.stats.incomplete import skillings_mack
from palio.stats.outcome import Outcome
from palio.types import FloatArray


@dataclass(frozen=True)
class OmnibusTest:
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties``: ``reorder``, ``negation``, ``identical`` and ``monotone`` as for pairs.
    ``gaps``: whether scores may be missing; other tests see the data sets that all have.
    """

    name: str
    title: str
    reference: str
    run: Callable[[Sample], Outcome]
    notes: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset({"reorder", "negation", "identical"})
    gaps: bool = False
    aliases: tuple[str, ...] = ()


SMALL = 10
"""Up to so many data sets an approximation is not trusted where the exact distribution is known."""


@wraps(across.friedman)
def _friedman(sample: Sample) -> Outcome:
    """Take the exact distribution where the table is small, ties included."""
    outcome = across.friedman_from_ranks(sample.ranks)
    n, k = sample.ranks.shape
    if n > SMALL or not across.friedman_exact_possible(n, k):
        return outcome
    exact = across.friedman_exact_from_ranks(sample.ranks)
    return replace(outcome, p_value=exact.p_value, null="exact")


@wraps(across.iman_davenport)
def _iman_davenport(sample: Sample) -> Outcome:
    """Take the exact distribution where the table is small: F rises with Friedman's statistic."""
    outcome = across.iman_davenport_from_ranks(sample.ranks)
    n, k = sample.ranks.shape
    if not across.few_orders(n, k):
        return outcome
    exact = across.friedman_exact_from_ranks(sample.ranks)
    return replace(outcome, p_value=exact.p_value, degenerate=exact.degenerate, null="exact")


@wraps(across.friedman_aligned)
def _aligned(sample: Sample) -> Outcome:
    return across.friedman_aligned(-sample.values)


@wraps(across.quade)
def _quade(sample: Sample) -> Outcome:
    return across.quade(-sample.values)


@wraps(skillings_mack)
def _skillings_mack(sample: Sample) -> Outcome:
    """Take random orders where there are few data sets, of which χ² knows too little."""
    few = len(sample.values) <= SMALL
    return skillings_mack(-sample.values, n_resamples=_RESAMPLES if few else None)


_RESAMPLES = 9999

OMNIBUS_TESTS: Registry[OmnibusTest] = Registry.of(
    "omnibus",
    OmnibusTest(
        "friedman",
        "Friedman test",
        "Friedman 1937; ulas2008 eq. 2.1",
        _friedman,
        ("corrected for ties",),
        frozenset({"reorder", "negation", "identical", "monotone"}),
        aliases=("friedmanchisquare",),
    ),
    OmnibusTest(
        "iman-davenport",
        "Iman–Davenport test",
        "Iman and Davenport 1980",
        _iman_davenport,
        ("corrected for ties",),
        frozenset({"reorder", "negation", "identical", "monotone"}),
    ),
    OmnibusTest(
        "aligned-ranks",
        "Friedman's test on aligned ranks",
        "Hodges and Lehmann 1962",
        _aligned,
        aliases=("friedman-aligned-ranks",),
    ),
    OmnibusTest("quade", "Quade test", "Quade 1979", _quade),
    OmnibusTest(
        "skillings-mack",
        "Skillings–Mack test",
        "Skillings and Mack 1981",
        _skillings_mack,
        ("corrected for ties",),
        frozenset({"reorder", "negation", "identical", "monotone"}),
        gaps=True,
    ),
)


def run_omnibus(name: str | None, sample: Sample) -> TestResult:
    """Test whether any algorithm differs, by Friedman's test unless another is asked for.

    Where scores are missing, Skillings and Mack's is what Friedman's is without gaps.
    """
    complete = ~np.isnan(sample.values).any(axis=1)
    entry = OMNIBUS_TESTS[name or ("friedman" if complete.all() else "skillings-mack")]
    if not entry.gaps and not complete.all():
        sample = Sample(_enough(sample.values[complete], entry), sample.first, sample.second)
    outcome = entry.run(sample)
    uncorrected = getattr(outcome, "statistic_uncorrected", None)
    return TestResult(
        method=entry.name,
        hypothesis="all algorithms are the same over the data sets",
        statistic=float(outcome.statistic),
        statistic_uncorrected=None if uncorrected is None else float(uncorrected),
        df=outcome.df,
        p_value=float(outcome.p_value),
        n=int(outcome.n)
        if entry.gaps
        else len(sample.values),  # with gaps, those that say something
        exact=outcome.null == "exact",
        notes=(*entry.notes, _NULLS[outcome.null], *_raised(outcome)),
    )


def _enough(complete: FloatArray, entry: OmnibusTest) -> FloatArray:
    if len(complete) < 2:
        raise MissingCellsError(
            "omnibus",
            f"'{entry.name}' needs two data sets where every algorithm has a score",
            f"there {'is one' if len(complete) else 'is none'}",
            "'skillings-mack' takes gaps",
        )
    return complete


def _raised(outcome: Outcome) -> tuple[str, ...]:
    """Say where the data sets agree so far that the approximation is below what can be."""
    if outcome.null != "F" or not outcome.degenerate or outcome.statistic == 0.0:
        return ()
    return (AGREEMENT,)


AGREEMENT = (
    "the data sets agree so far that the approximation goes below the least p-value that the "
    "orders within data sets can give: that one is shown"
)


_NULLS = {
    "chi2": "chi-square approximation",
    "F": "F approximation",
    "exact": "exact distribution, ties included",
    "permutation": f"{_RESAMPLES} random orders within data sets",
}
