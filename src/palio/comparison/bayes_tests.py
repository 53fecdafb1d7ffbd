"""Bayesian verdicts in the form of a test: ``p_value`` is the probability of being wrong.

They let comparisons and orders do without p-values: one is better than another where P(better
beyond the region) ≥ 1 - α.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from palio.bayes.draws import check_draws, few_datasets, shares_of_regions
from palio.bayes.models.correlated_t import correlated_t_probabilities, correlation_of
from palio.bayes.models.signed_rank import signed_rank_draws
from palio.bayes.rope import check_rope
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.sample import Sample
from palio.errors import require
from palio.scores import Design
from palio.stats.outcome import Outcome
from palio.stats.ranks import TIE_TOLERANCE, paired_difference, rounding_noise
from palio.types import Alternative, FloatArray, IntArray, Options


def correlated_t_errors(
    a: FloatArray, b: FloatArray, /, *, alternative: Alternative, rho: float, rope: float
) -> Outcome:
    r"""Return 1 - P(a better beyond the region) for ``greater``; two-sided: the surer side's.

    How probable is it that the costlier of two algorithms is better by more than the region? In
    the place of a p-value stands the probability of being wrong about it. Valid where
    `correlated_t` is: differences that are about normal, training sets that overlap.

    Notes
    -----
    With the posterior of the mean difference μ of `correlated_t`, and r half the region:

    .. math::

        p = 1 - P(\mu > r)

    so that the costlier is placed before the cheaper where that is α or less.

    References
    ----------
    Corani and Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets. Machine Learning 100.
    """
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


def correlated_t_arguments(design: Design, options: Options) -> dict[str, float]:
    """Return what the correlated t posterior takes from a design and from options."""
    rho = correlation_of(design, options.get("test_fraction"), model="correlated-t")
    rope = options.get("rope", 0.0)
    # A test sees one design, not the table that could suggest a region.
    remedy = "palio.bayes.suggest_rope (palio rope) says which one the table suggests"
    require(not isinstance(rope, str), "rope", "test 'bayes' takes a number", rope, remedy)
    return {"rho": rho, "rope": check_rope(rope).value}


# --- over data sets -------------------------------------------------------------------------------

# Each is used twice, with the differences in both orders.
_DRAWS = 25_000

# Draws of regions held at once.
_MOST_NUMBERS = 1 << 24


def signed_rank_pairs(sample: Sample, options: Options) -> PairVerdicts:
    r"""Judge pairs over data sets by the Bayesian signed-rank test.

    How probable is it that one of two algorithms is better by more than the region, taking data
    sets like these? In the place of a p-value stands the probability of being wrong about it. Valid
    where `signed_rank` is, the model behind it: differences that can be compared in size between
    data sets. They are those of the scores, as Wilcoxon's test takes them. Probabilities are not
    corrected for many pairs.

    Notes
    -----
    With :math:`\theta_1, \theta_2, \theta_3` the probabilities that the mean of two differences is
    above the region, in it or below it, as `signed_rank` draws them (prior strength ½, placed at
    0):

    .. math::

        p = 1 - \max\left(P(\theta_1 > \theta_2, \theta_3),\ P(\theta_3 > \theta_1, \theta_2)\right)

    The data sets' weights are drawn for the differences in order of size, and once more for the
    reverse order, so that neither the order of the data sets nor that of the two algorithms has a
    say in it. No p is below one in the number of draws.

    Each pair is judged by itself, so that nothing is said of all algorithms together; `anova` and
    `plackett_luce` draw them jointly.

    References
    ----------
    Benavoli and others (2014), A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process. ICML.
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8], [0.7, 0.65], [0.75, 0.76], [0.88, 0.87], [0.6, 0.52]])
    >>> found = signed_rank_pairs(Sample(scores, np.array([0]), np.array([1])), {"rope": 0.01})
    >>> found.statistic.round(1), found.p_value.round(1)
    (array([0.9]), array([0.1]))
    """
    return _judged(
        sample.values.tobytes(),
        sample.values.shape,
        sample.first.tobytes(),
        sample.second.tobytes(),
        check_rope(options.get("rope", 0.0)).value,
        check_draws(options.get("draws", _DRAWS)),
        options.get("seed", 0),
    )


# Half a minute for 60 algorithms, and another level or cost leaves it as it is.
@functools.lru_cache(maxsize=2)
def _judged(
    values: bytes,
    shape: tuple[int, int],
    first: bytes,
    second: bytes,
    rope: float,
    draws: int,
    seed: int,
) -> PairVerdicts:
    """Judge the pairs of a sample, given by its content."""
    sample = Sample(
        np.frombuffer(values).reshape(shape),
        np.frombuffer(first, dtype=np.intp),
        np.frombuffer(second, dtype=np.intp),
    )
    draw = functools.partial(
        signed_rank_draws,
        rope=rope,
        prior_at=np.zeros(1),
        prior_strengths=np.array([0.5]),
        draws=draws,
    )
    shares = np.empty((sample.first.size, 3))
    for part, difference, noise in _differences(sample, draws):
        forth = draw(np.sort(difference, axis=1), noise, np.random.default_rng(seed))
        back = draw(np.sort(-difference, axis=1), noise, np.random.default_rng(seed))
        shares[part] = shares_of_regions(forth.values["regions"])
        shares[part] += shares_of_regions(back.values["regions"])[:, ::-1]
    shares /= 2
    better = np.maximum(shares[:, 0], shares[:, 2])
    return PairVerdicts(
        _kept(better),
        _kept(np.maximum(1 - better, 1 / (2 * draws))),
        _kept(shares[:, 0] - shares[:, 2]),
        (
            f"{2 * draws} draws of the data sets' weights, seed {seed}",
            *few_datasets(len(sample.values)),
        ),
    )


def _differences(sample: Sample, draws: int) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Give some pairs at a time, their differences, and what counts as zero among these."""
    columns = np.ascontiguousarray(sample.values.T)
    size = max(1, _MOST_NUMBERS // (3 * draws))
    for start in range(0, sample.first.size, size):
        part = slice(start, start + size)
        a, b = columns[sample.first[part]], columns[sample.second[part]]
        noise = TIE_TOLERANCE * np.maximum(np.abs(a), np.abs(b))
        difference = np.where(np.abs(a - b) <= noise, 0.0, a - b)
        strangers = np.isnan(difference).all(axis=1)
        difference[strangers] = noise[strangers] = 0.0  # who never met cannot be told apart
        yield part, difference, noise


def _kept(found: NDArray[Any]) -> NDArray[Any]:
    """Return what several will be given, which none may change."""
    found.setflags(write=False)
    return found


# --- inside Multi²Test ----------------------------------------------------------------------------


def preferred(ahead: IntArray, behind: IntArray) -> tuple[FloatArray, FloatArray]:
    r"""Return how probable it is to be preferred on most data sets, and to be wrong about it.

    Is one of two algorithms preferred on more than half of all data sets like these? Each data set
    counts once, for whichever is preferred on it. Of each pair by itself: with many pairs some
    will look sure by chance.

    Notes
    -----
    With the numbers a and b of data sets that prefer either, and Jeffreys' prior, the share θ has
    the posterior

    .. math::

        \theta \sim \mathrm{Beta}\left(a + \tfrac{1}{2}, b + \tfrac{1}{2}\right)

    and what is returned are :math:`P(\theta > \frac{1}{2})`, and the lesser of it and its
    complement.

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
