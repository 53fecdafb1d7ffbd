"""The Bayesian correlated t test: two algorithms on the folds of one data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtr, stdtrit

from palio.bayes.draws import Draws, Pairs, all_pairs, check_draws, check_mass, check_pairs
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region
from palio.errors import DesignError, ParameterError
from palio.registry import one_dataset
from palio.scores import Tabular, as_table
from palio.scores.summary import missing_in
from palio.stats.outcome import finite_array
from palio.stats.ranks import paired_difference, rounding_noise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from palio.bayes.rope import Rope
    from palio.scores import Design
    from palio.types import BoolArray, FloatArray


def correlated_t(
    table: Tabular,
    *,
    dataset: str | None = None,
    rope: float | str | Rope = "auto",
    test_fraction: float | None = None,
    draws: int = 50_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Compare all pairs on the folds of one data set by the Bayesian correlated t test.

    On this data set, how probable is it that the first algorithm's expected score is better by
    more than the region, practically equal, or worse? Valid for repeated k-fold
    cross-validation, 5×2 cv and repeated random splits, with differences that are about normal.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more, with the same folds.
    dataset : str, optional
        Which data set; needed if the table has several.
    rope : float, Rope or "auto"
        Half the region of practical equivalence. With 0 only identical algorithms are equal;
        "auto" is 0 where the data set's folds suggest none.
    test_fraction : float, optional
        ρ, the share of the data that each split tests on; 1 / k for k folds unless given.
    draws : int
        How many draws to make for figures; the probabilities and intervals are exact.
    seed : int
        Of the random numbers.
    mass : float
        Of the highest-density intervals.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior

    Notes
    -----
    The n differences x of a pair are jointly normal with mean μ, variance :math:`\sigma^2`, and
    correlation ρ between any two, because their training sets overlap; ρ is the share of the data
    in a test set (Nadeau and Bengio 2003). With the prior
    :math:`p(\mu, \sigma^2) \propto 1 / \sigma^2`, and the mean :math:`\bar x` and standard
    deviation s of the differences, the posterior of μ is

    .. math::

        \frac{\mu - \bar x}{s \sqrt{\dfrac{1}{n} + \dfrac{\rho}{1 - \rho}}} \sim t_{n-1}

    Its probabilities are those of the corrected resampled t test, read the other way round.

    If the differences do not vary at all, the posterior is a point: probability 1 for the side on
    which it lies, or for the region.

    References
    ----------
    Corani and Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets. Machine Learning 100.

    Examples
    --------
    Differences 1, 2, 3 of 3-fold cross-validation: :math:`t = 2 / \sqrt{1/3 + 1/2} = 2.19` with 2
    degrees of freedom.

    >>> from palio.scores import ScoreTable
    >>> table = ScoreTable.from_arrays(
    ...     [[[[5.0, 7.0, 9.0]], [[4.0, 5.0, 6.0]]]],
    ...     datasets=["iris"], algorithms=["rf", "knn"], measure="accuracy",
    ... )
    >>> correlated_t(table, rope=0).probabilities()[["p_a_better", "difference"]].round(4)
       p_a_better  difference
    0      0.9201         2.0
    """
    table = as_table(table, reading, correlated_t)
    check_pairs(table)
    name = one_dataset(table.datasets, dataset, instead="use 'hierarchical' for all together")
    table = table.select(datasets=[name]).with_scale("difference")
    rho = correlation_of(table.design(name), test_fraction, model="correlated-t")
    region = Region.of(table, rope)
    count, mass = check_draws(draws), check_mass(mass)

    scores = table.fold_scores(name).reshape(table.n_algorithms, -1)
    first, second = all_pairs(table.n_algorithms)
    differences = paired_difference(scores[first], scores[second])
    noise = rounding_noise(scores[first], scores[second], axis=-1)
    mean, spread = _location_scale(differences, rho, noise)
    df = differences.shape[-1] - 1

    half = spread * stdtrit(df, (1 + mass) / 2)
    standard = np.random.default_rng(seed).standard_t(df, count)
    return Posterior(
        model="correlated-t",
        title="Bayesian correlated t test",
        reference="Corani and Benavoli 2015",
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=1,
        missing=missing_in(table),
        table=table,
        rope=region.rope,
        draws=Draws(
            {"difference": (mean + spread * standard[:, None])[None]},
            "exact, from Student's t",
            independent=True,
        ),
        pairs=Pairs(
            first,
            second,
            probabilities=correlated_t_probabilities(
                table.measure.turned(differences), rho, region.scale.rope, noise=noise
            ),
            difference=mean,
            hdi=np.stack([mean - half, mean + half], axis=-1),
            mc_error=np.zeros(first.size),
        ),
        scale=region.scale,
        mass=mass,
        notes=(*region.notes, *_notes(table.design(name), name, rho, test_fraction, spread == 0)),
    )


def correlated_t_probabilities(
    differences: ArrayLike, rho: float, rope: float, *, noise: ArrayLike = 0.0
) -> FloatArray:
    """Return the probabilities that the mean difference is above, in and below the region.

    Parameters
    ----------
    differences : array (…, n)
        Differences on the folds, two or more.
    rho : float
        Their correlation, at least 0 and below 1.
    rope : float
        Half the region; its edge is inside.
    noise : array (…), default 0
        What counts as zero, from the size of the scores (`palio.stats.ranks.rounding_noise`).

    Returns
    -------
    array (…, 3)

    Examples
    --------
    >>> correlated_t_probabilities([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]], 1 / 3, 0.5).round(3)
    array([[0.879, 0.065, 0.056],
           [1.   , 0.   , 0.   ]])
    """
    if not 0 <= rho < 1:
        raise ParameterError("rho", "a correlation here lies in [0, 1)", f"{rho!r} was given")
    values = finite_array(differences, name="differences", least=(2,))
    zero = finite_array(noise, name="noise")
    mean, scale = _location_scale(values, rho, zero)
    df, point = values.shape[-1] - 1, scale == 0
    size, unit = np.abs(mean), np.where(point, 1.0, scale)
    # Lower tails keep tiny values, so the mean is put on the upper side and the far side below.
    near = np.where(point, size > rope + zero, stdtr(df, (size - rope) / unit))
    far = np.where(point, False, stdtr(df, (-size - rope) / unit))
    between = stdtr(df, (rope - size) / unit) - far
    middle = np.where(point, size <= rope + zero, between)
    swapped = mean < 0
    above, below = np.where(swapped, far, near), np.where(swapped, near, far)
    return np.stack([above, middle, below], axis=-1)


def correlation_of(design: Design, test_fraction: float | None, *, model: str) -> float:
    """Return ρ: the share of the data used for testing, as given or as the folds tell.

    >>> from palio.scores import Design
    >>> correlation_of(Design.of_grid(10, 10), None, model="correlated-t")
    0.1
    """
    if design.repeats * design.folds < 2:
        raise DesignError(
            "model",
            f"'{model}' needs at least 2 folds",
            f"the data have {design}",
            "give one row per fold (columns repeat and fold)",
        )
    return design.tested_share(test_fraction, by=f"model: '{model}'")


def _location_scale(
    differences: FloatArray, rho: float, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the location and the scale of the t posterior; scale 0 where nothing varies."""
    n = differences.shape[-1]
    spread = differences.std(axis=-1, ddof=1)
    scale = np.where(spread <= noise, 0.0, spread * np.sqrt(1 / n + rho / (1 - rho)))
    return differences.mean(axis=-1), scale


def _notes(
    design: Design, dataset: str, rho: float, given: float | None, points: BoolArray
) -> tuple[str, ...]:
    source = "given" if given is not None else "1 / folds"
    notes = [
        f"data set {dataset!r}, {design}: differences correlated by ρ = {rho:.3g} ({source})",
        "prior: p(μ, σ²) ∝ 1/σ²; probabilities and intervals are exact, the draws serve figures",
    ]
    if points.any():
        notes.append(
            f"{int(points.sum())} pairs differ by the same amount on every fold: their posterior "
            "is that point"
        )
    return tuple(notes)
