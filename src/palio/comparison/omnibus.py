"""Tests of all algorithms at once over many data sets, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps

import numpy as np

from palio.comparison.pairs import TestResult
from palio.comparison.sample import Sample
from palio.errors import MissingCellsError
from palio.registry import Method, Registry
from palio.stats import across
from palio.stats.incomplete import skillings_mack
from palio.stats.outcome import Outcome
from palio.types import FloatArray


@dataclass(frozen=True)
class OmnibusTest(Method):
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties``: ``reorder``, ``negation``, ``identical`` and ``monotone`` as for pairs.
    ``gaps``: whether scores may be missing; other tests see the data sets that all have.
    """

    run: Callable[[Sample], Outcome]
    notes: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset({"reorder", "negation", "identical"})
    gaps: bool = False


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


def _on_badness(test: Callable[[FloatArray], Outcome]) -> Callable[[Sample], Outcome]:
    return wraps(test)(lambda sample: test(-sample.values))


@wraps(skillings_mack)
def _skillings_mack(sample: Sample) -> Outcome:
    """Take random orders where there are few data sets, of which χ² knows too little."""
    few = len(sample.values) <= SMALL
    return skillings_mack(-sample.values, n_resamples=_RESAMPLES if few else None)


_RESAMPLES = 9999

_on_ranks = partial(
    OmnibusTest,
    notes=("corrected for ties",),
    properties=frozenset({"reorder", "negation", "identical", "monotone"}),
)

OMNIBUS_TESTS: Registry[OmnibusTest] = Registry.of(
    "omnibus",
    _on_ranks(
        "friedman",
        "Friedman test",
        "Friedman 1937; ulas2008 eq. 2.1",
        _friedman,
        aliases=("friedmanchisquare",),
    ),
    _on_ranks("iman-davenport", "Iman–Davenport test", "Iman and Davenport 1980", _iman_davenport),
    OmnibusTest(
        "aligned-ranks",
        "Friedman's test on aligned ranks",
        "Hodges and Lehmann 1962",
        _on_badness(across.friedman_aligned),
        aliases=("friedman-aligned-ranks",),
    ),
    OmnibusTest("quade", "Quade test", "Quade 1979", _on_badness(across.quade)),
    _on_ranks(
        "skillings-mack",
        "Skillings–Mack test",
        "Skillings and Mack 1981",
        _skillings_mack,
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
        if complete.sum() < 2:
            raise MissingCellsError(
                "omnibus",
                f"'{entry.name}' needs two data sets where every algorithm has a score",
                f"there {'is one' if complete.any() else 'is none'}",
                "'skillings-mack' takes gaps",
            )
        sample = Sample(sample.values[complete], sample.first, sample.second)
    outcome = entry.run(sample)
    uncorrected = getattr(outcome, "statistic_uncorrected", None)
    # The data sets may agree so far that the approximation is below what can be.
    raised = outcome.null == "F" and outcome.degenerate and outcome.statistic != 0.0
    found = TestResult.of(outcome, entry.name, "all algorithms are the same over the data sets")
    return replace(
        found,
        statistic_uncorrected=None if uncorrected is None else float(uncorrected),
        n=found.n if entry.gaps else len(sample.values),  # with gaps, those that say something
        notes=(*entry.notes, _NULLS[outcome.null], *((AGREEMENT,) if raised else ())),
    )


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
