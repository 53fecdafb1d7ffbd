r"""Does the model fit the scores? wainer2016 App. C, after Gelman, Meng and Stern (1996).

Scores are replicated from some draws of the posterior, and a discrepancy between scores and model
is compared for the real ones and the replicated ones. A model under which the real scores are
nothing special has a Bayesian p-value (the share of draws whose replicated scores are further off)
away from 0 and 1.

With the residuals r, divided by their standard deviation, the discrepancies are

- normal errors: :math:`\chi^2 = \sum r^2`, as in wainer2016 figure 4;
- Student t errors: :math:`\sum \log(1 + r^2)`. Their variance need not exist (wainer2016 App. E
  finds 1.12 degrees of freedom), so neither need the mean of χ²; that of the logarithm always
  exists, no single score can dominate it, and it still grows with every residual;
- both: the largest :math:`|r|`, which sees what sums hide. The standard deviation is fitted to the
  sum, so the sum rarely disagrees, while one score that no normal distribution explains does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.bayes.answer import (
    Binned,
    Checks,
    Discrepancy,
    Histograms,
    LargestResidual,
    Outside,
)
from palio.bayes.detail import histogram
from palio.words import Worded, strung

if TYPE_CHECKING:
    from palio.bayes.models.anova_model import Fits
    from palio.types import FloatArray

_BINS = 15
_MOST_DATASETS = 20
# Replicated errors of very few degrees of freedom are cut here, where their squares are finite.
_LARGEST = 1e150
_EXTREME = 0.05
_OFTEN = 0.05


def check_fit(
    scores: FloatArray,
    fits: Fits,
    *,
    algorithms: Sequence[str],
    datasets: Sequence[str],
    lower: float | None,
    upper: float | None,
    rng: np.random.Generator,
) -> Checks:
    """Return all checks, with ``warnings`` in words.

    Parameters
    ----------
    scores : array (S, K)
        NaN where missing.
    fits : Fits
        Some draws of the posterior.
    algorithms, datasets : sequence of str
        What the columns and the rows are called.
    lower, upper : float, optional
        The range of the measure, where it is known.
    """
    found = predictive(scores, fits, lower=lower, upper=upper, rng=rng)
    return Checks(
        *found,
        histograms=histograms(scores, fits, rng, algorithms=algorithms, datasets=datasets),
        warnings=_warnings(*found, robust=fits.df is not None),
    )


def predictive(
    scores: FloatArray,
    fits: Fits,
    *,
    lower: float | None,
    upper: float | None,
    rng: np.random.Generator,
) -> tuple[Discrepancy, LargestResidual, Outside]:
    """Replicate the scores once for every fit; return discrepancies, p-values and ranges."""
    seen = ~np.isnan(scores)
    y = scores[seen]
    n = fits.sd_error.size
    sums, largest, outside = np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n))
    for t in range(n):
        fit, sd = fits.of_draw(t)[seen], fits.sd_error[t]
        errors = _errors(None if fits.df is None else float(fits.df[t]), y.size, rng)
        for side, r in enumerate(((y - fit) / sd, errors)):
            squares = r**2
            sums[side, t] = (squares if fits.df is None else np.log1p(squares)).sum()
            largest[side, t] = squares.max()
        replicated = fit + sd * errors
        outside[0, t] = 0.0 if lower is None else np.mean(replicated < lower)
        outside[1, t] = 0.0 if upper is None else np.mean(replicated > upper)
    below, above = outside.mean(axis=1).tolist()
    return (
        Discrepancy(
            name="chi-square" if fits.df is None else "sum of log(1 + r²)",
            p_value=float(np.mean(sums[1] >= sums[0])),
            observed=sums[0].tolist(),
            replicated=sums[1].tolist(),
        ),
        LargestResidual(float(np.mean(largest[1] >= largest[0]))),
        Outside(
            lower=lower,
            below=None if lower is None else below,
            upper=upper,
            above=None if upper is None else above,
        ),
    )


def _errors(df: float | None, n: int, rng: np.random.Generator) -> FloatArray:
    if df is None:
        return rng.standard_normal(n)
    with np.errstate(over="ignore", divide="ignore"):
        errors: FloatArray = np.clip(rng.standard_t(df, n), -_LARGEST, _LARGEST)
    return errors


def histograms(
    scores: FloatArray,
    fits: Fits,
    rng: np.random.Generator,
    *,
    algorithms: Sequence[str],
    datasets: Sequence[str],
) -> Histograms:
    """Return what wainer2016 figures 2 and 3 show, and the residuals and effects behind them.

    Scores of every algorithm, and of at most 20 data sets drawn at random; residuals and effects
    of data sets at their posterior means.
    """
    seen = scores[~np.isnan(scores)]
    edges = np.linspace(seen.min(), seen.max(), _BINS + 1)
    n = len(scores)
    chosen = np.sort(rng.choice(n, size=min(n, _MOST_DATASETS), replace=False))
    dataset = fits.dataset.mean(axis=0)
    fit = fits.grand_mean.mean() + dataset[:, None] + fits.algorithm.mean(axis=0)
    residuals = scores - fit
    return Histograms(
        edges=edges.tolist(),
        by_algorithm=_binned(scores.T, edges, algorithms),
        by_dataset=_binned(scores[chosen], edges, [datasets[place] for place in chosen]),
        residuals=histogram(residuals[~np.isnan(residuals)]),
        dataset_effects=histogram(dataset),
    )


def _binned(groups: FloatArray, edges: FloatArray, names: Sequence[str]) -> Binned:
    values = [group[~np.isnan(group)] for group in groups]
    return Binned(
        names=list(names),
        counts=[np.histogram(group, bins=edges)[0].tolist() for group in values],
        mean=[float(group.mean()) for group in values],
        sd=[float(group.std(ddof=1)) if group.size > 1 else 0.0 for group in values],
    )


def _warnings(
    found: Discrepancy, largest: LargestResidual, outside: Outside, *, robust: bool
) -> list[str]:
    warnings = []
    p = found.p_value
    if not _EXTREME <= p <= 1 - _EXTREME:
        more = "more" if p < _EXTREME else "less"
        warnings.append(
            f"the scores vary {more} around the model than it expects "
            f"(posterior predictive p = {p:.3f} for {found.name})"
        )
    p = largest.p_value
    if p < _EXTREME:
        advice = "" if robust else "; robust=True allows for outliers"
        said = (
            "the largest residual is larger than the model can explain "
            f"(posterior predictive p = {p:.3f})"
        )
        warnings.append(strung([said, Worded(advice)]))
    ends = (("below", outside.below, outside.lower), ("above", outside.above, outside.upper))
    return warnings + [
        f"{share:.0%} of the scores that the model would expect lie {side} {end:g}, where no "
        "score can be"
        for side, share, end in ends
        if share is not None and share > _OFTEN
    ]
