"""Posteriors to draw and to write, made of random draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palio.bayes.answer import Binned, Checks, Discrepancy, Histograms, Scale
from palio.bayes.detail import histogram
from palio.bayes.draws import Draws, all_pairs, highest_density, pairs_of_effects, pairs_of_regions
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Rope
from palio.measures import Measure


def measure(higher_is_better: bool) -> Measure:
    return Measure("accuracy" if higher_is_better else "error", higher_is_better=higher_is_better)


def joint_posterior(
    algorithms: Sequence[str],
    *,
    higher_is_better: bool = True,
    seed: int = 0,
    rope: float = 0.01,
    size: float = 1.0,
    **changes: Any,
) -> Posterior:
    """Return a posterior of effects, about 0.03 × ``size`` apart."""
    random = np.random.default_rng(seed)
    k = len(algorithms)
    means = random.normal(0, 0.03 * size, k)
    effects = means + random.normal(0, 0.012 * size, (4, 250, k))
    draws = Draws({"algorithm": effects}, "made up", independent=True)
    how: dict[str, Any] = {"rope": rope * size, "higher_is_better": higher_is_better}
    whole: dict[str, Any] = {
        "model": "anova",
        "title": "Bayesian ANOVA",
        "reference": "nobody",
        "algorithms": tuple(algorithms),
        "measure": measure(higher_is_better),
        "n_datasets": 38,
        "rope": Rope(rope * size),
        "draws": draws,
        "pairs": pairs_of_effects(draws, effects, mass=0.95, **how),
        "scale": Scale(measure(higher_is_better).name, **how),
        "effects": "algorithm",
        "checks": checks(algorithms, seed),
        "notes": ("a convention",),
    }
    return Posterior(**{**whole, **changes})


def region_posterior(
    algorithms: Sequence[str],
    *,
    higher_is_better: bool = True,
    seed: int = 0,
    rope: float = 0.01,
    n: int = 20,
    **changes: Any,
) -> Posterior:
    """Return a posterior of the three regions of each pair, from counts over ``n`` data sets."""
    random = np.random.default_rng(seed)
    first, second = all_pairs(len(algorithms))
    means = random.normal(0, 0.01, len(algorithms))
    gaps = means[first] - means[second]
    difference = gaps + random.normal(0, 0.006, (1, 1000, first.size))
    better = (1 if higher_is_better else -1) * gaps[:, None] + random.normal(
        0, 0.02, (gaps.size, n)
    )
    counts = np.stack([better > rope, abs(better) <= rope, better < -rope], axis=2).sum(axis=1)
    gamma = random.standard_gamma(counts + 1 / 3, size=(1, 1000, *counts.shape))
    regions = gamma / gamma.sum(axis=-1, keepdims=True)
    draws = Draws({"regions": regions, "difference": difference}, "made up", independent=True)
    whole: dict[str, Any] = {
        "model": "sign",
        "title": "Bayesian sign test",
        "reference": "nobody",
        "algorithms": tuple(algorithms),
        "measure": measure(higher_is_better),
        "n_datasets": n,
        "rope": Rope(rope),
        "draws": draws,
        "pairs": pairs_of_regions(
            draws,
            regions,
            difference=difference.mean(axis=(0, 1)),
            hdi=np.array([highest_density(difference[:, :, p], 0.95) for p in range(first.size)]),
            first=first,
            second=second,
        ),
        "scale": Scale(measure(higher_is_better).name, rope, higher_is_better),
        "notes": ("a convention",),
    }
    return Posterior(**{**whole, **changes})


def checks(algorithms: Sequence[str], seed: int = 0) -> Checks:
    """Return the checks of an analysis of variance, in the shape that its model gives them."""
    random = np.random.default_rng(seed)
    observed, replicated = random.chisquare(200, (2, 300))
    scores = random.normal(0.8, 0.05, (38, len(algorithms)))
    edges = np.linspace(scores.min(), scores.max(), 16)

    def binned(names: Sequence[str], groups: np.ndarray) -> Binned:
        return Binned(
            names=list(names),
            counts=[np.histogram(group, bins=edges)[0].tolist() for group in groups],
            mean=groups.mean(axis=1).tolist(),
            sd=groups.std(axis=1).tolist(),
        )

    return Checks(
        discrepancy=Discrepancy(
            name="chi-square",
            p_value=float(np.mean(replicated >= observed)),
            observed=observed.tolist(),
            replicated=replicated.tolist(),
        ),
        histograms=Histograms(
            edges=edges.tolist(),
            by_algorithm=binned(algorithms, scores.T),
            by_dataset=binned([f"data {i}" for i in range(20)], scores[:20]),
            residuals=histogram(scores - 0.8),
            dataset_effects=histogram(scores.mean(axis=1)),
        ),
    )
