"""Bayesian verdicts in the form of a test: ``p_value`` is the probability of being wrong.

They let MultiTest and Multi²Test order without p-values: the costlier stands before the cheaper
where P(costlier better beyond the region) > 1 - α.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import betainc

from palio.bayes.models.correlated_t import correlated_t_probabilities, correlation_of
from palio.bayes.rope import check_rope
from palio.errors import ParameterError
from palio.scores import Design
from palio.stats.folds import Options, SidedPairFunction
from palio.stats.outcome import Outcome
from palio.stats.ranks import paired_difference, rounding_noise
from palio.types import Alternative, FloatArray, IntArray


def bind_bayes(design: Design, options: Options) -> SidedPairFunction:
    """Make the correlated t posterior ready for a design.

    How probable is it that the costlier of two algorithms is better by more than the region? In
    the place of a p-value stands the probability of being wrong about it. Valid where
    `correlated_t` is: differences that are about normal, training sets that overlap.

    Notes
    -----
    With the posterior of the mean difference μ of `correlated_t`, and ρ half the region::

        p = 1 - P(μ > ρ)

    so that the costlier is placed before the cheaper where P(μ > ρ) is 1 - α or more.

    References
    ----------
    Corani and Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets. Machine Learning 100.
    """
    rho = correlation_of(design, options.get("test_fraction"), model="correlated-t")
    rope = options.get("rope", 0.0)
    if isinstance(rope, str):  # a test sees one design, not the table that could suggest a region
        raise ParameterError(
            "rope",
            "test 'bayes' takes a number",
            f"{rope!r} was given",
            "palio.bayes.suggest_rope (palio rope) says which one the table suggests",
        )
    region = check_rope(rope)
    return functools.partial(_correlated_t, rho=rho, rope=region.value)


def _correlated_t(
    a: FloatArray, b: FloatArray, /, *, alternative: Alternative, rho: float, rope: float
) -> Outcome:
    """Return 1 - P(a better beyond the region) for ``greater``; two-sided: the surer side's."""
    noise = rounding_noise(a, b, axis=(-2, -1))
    difference = paired_difference(a, b)
    flat = difference.reshape(*difference.shape[:-2], -1)
    found = correlated_t_probabilities(flat, rho, rope, noise=noise)
    first, equal, second = found[..., 0], found[..., 1], found[..., 2]
    better, wrong = {
        "greater": (first, equal + second),
        "less": (second, equal + first),
        "two-sided": (np.maximum(first, second), equal + np.minimum(first, second)),
    }[alternative]
    return Outcome(
        statistic=better,
        p_value=wrong,
        degenerate=flat.std(axis=-1, ddof=1) <= noise,
        n=np.asarray(flat.shape[-1]),
        null="posterior",
        df=(flat.shape[-1] - 1,),
    )


def preferred(ahead: IntArray, behind: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return P(preferred on more than half of all data sets), and 1 minus the surer side's.

    Is one of two algorithms preferred on more than half of all data sets like these? Each data set
    counts once, for whichever is preferred on it. Of each pair by itself: with many pairs some
    will look sure by chance.

    Notes
    -----
    With the numbers of data sets that prefer either, and Jeffreys' prior, the share θ has the
    posterior::

        θ ~ Beta(ahead + 1/2, behind + 1/2)

    References
    ----------
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18.

    Examples
    --------
    >>> share, wrong = preferred(np.array([9, 5]), np.array([1, 5]))
    >>> share.round(3), wrong.round(3)
    (array([0.996, 0.5  ]), array([0.004, 0.5  ]))
    """
    # P(θ > 1/2) is the lower tail of the mirrored beta: no cancellation near 1.
    above: FloatArray = np.asarray(betainc(behind + 0.5, ahead + 0.5, 0.5), dtype=np.float64)
    below: FloatArray = np.asarray(betainc(ahead + 0.5, behind + 0.5, 0.5), dtype=np.float64)
    return above, np.minimum(above, below)
