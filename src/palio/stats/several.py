"""Several algorithms on one data set: whether any of them differ.

Both tests take ``y`` of shape (..., K, L): K algorithms, L folds each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from palio.stats._checks import finite_array
from palio.stats._outcome import Outcome
from palio.stats.ranks import average_ranks, rounding_noise
from palio.types import FloatArray

__all__ = ["anova", "kruskal_wallis", "means_and_mse"]


def means_and_mse(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the K means, the MSE of eq. 10, and what counts as zero among them.

    An MSE within the rounding noise of the scores is exactly 0.

    Examples
    --------
    >>> means, mse, _ = means_and_mse(np.array([[1.0, 3.0], [2.0, 6.0]]))
    >>> means.tolist(), float(mse)
    ([2.0, 4.0], 5.0)
    """
    k, folds = y.shape[-2:]
    means = y.mean(axis=-1)
    squares = np.square(y - means[..., None]).sum(axis=(-2, -1))
    noise = rounding_noise(y, axis=(-2, -1))
    mse = squares / (k * (folds - 1))
    return means, np.where(np.sqrt(mse) <= noise, 0.0, mse), noise


def anova(y: ArrayLike) -> Outcome:
    """Test by one-way analysis of variance (yildiz2006, eq. 8–11).

    Do K algorithms have the same expected score on this data set? Valid for independent, normal
    scores of equal variance. A rejection does not say which algorithms differ.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), both at least 2.

    Notes
    -----
    With the K means mₖ of L scores each, their mean m, and Sₖ the standard deviation of each::

        MST = L Σ (mₖ - m)² / (K - 1),   MSE = Σ Sₖ² / K
        F = MST / MSE,   K - 1 and K (L - 1) degrees of freedom

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.

    Examples
    --------
    Means 2 and 4, MST = 4, MSE = 2.

    >>> outcome = anova([[1.0, 3.0], [3.0, 5.0]])
    >>> float(outcome.statistic), outcome.df, round(float(outcome.p_value), 4)
    (2.0, (1.0, 2.0), 0.2929)
    """
    scores = finite_array(y, name="y", least=(2, 2))
    k, folds = scores.shape[-2:]
    means, mse, noise = means_and_mse(scores)
    nothing = np.ptp(means, axis=-1) <= noise
    mst = folds * means.var(axis=-1, ddof=1)  # eq. 9
    degenerate = mse == 0.0
    f = np.where(degenerate, np.where(nothing, 0.0, np.inf), mst / np.where(degenerate, 1.0, mse))
    df = (k - 1.0, k * (folds - 1.0))
    return Outcome(
        statistic=f,
        p_value=fdtrc(*df, f),
        degenerate=np.asarray(degenerate),
        n=np.asarray(k * folds),
        null="F",
        df=df,
    )


def kruskal_wallis(y: ArrayLike) -> Outcome:
    """Test by Kruskal and Wallis: analysis of variance on ranks.

    Do K algorithms have the same distribution of scores on this data set? Valid for independent
    scores of any distribution; the χ² approximation wants five or more folds. Ties are corrected.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), K at least 2, and at least two scores in all.

    Notes
    -----
    All N = K L scores are ranked together; r_ki is a rank, r̄_k the mean of an algorithm's::

        H = (N - 1) L Σ (r̄_k - (N + 1)/2)² / Σ (r_ki - (N + 1)/2)²

    referred to χ² with K - 1 degrees of freedom.

    References
    ----------
    Kruskal and Wallis (1952), Use of ranks in one-criterion variance analysis. JASA 47.

    Examples
    --------
    Ranks 1, 2 against 3, 4: H = 3 · (2 · 1² + 2 · 1²) / 5.

    >>> outcome = kruskal_wallis([[0.1, 0.2], [0.3, 0.4]])
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (2.4, (1.0,), 0.1213)
    """
    scores = finite_array(y, name="y", least=(2, 1))
    k, folds = scores.shape[-2:]
    n = k * folds
    ranks = average_ranks(scores.reshape(*scores.shape[:-2], n)).reshape(scores.shape)
    ranks -= (n + 1) / 2.0
    between = folds * np.square(ranks.mean(axis=-1)).sum(axis=-1)
    # Dividing by the ranks' own variance, instead of n(n + 1)/12, is the correction for ties.
    total = np.square(ranks).sum(axis=(-2, -1))
    degenerate = total == 0.0
    h = np.where(degenerate, 0.0, (n - 1) * between / np.where(degenerate, 1.0, total))
    return Outcome(
        statistic=h,
        p_value=chdtrc(k - 1.0, h),
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="chi2",
        df=(k - 1.0,),
    )
