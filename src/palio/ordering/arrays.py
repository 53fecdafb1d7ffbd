"""MultiTest on arrays: any number of tables at once, names left behind.

The single-table functions and Multi²Test's first pass both come down to this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from palio.comparison.corrections import Correction, Family, check_alpha, fold_correction_named
from palio.comparison.fold_tests import BoundTest, bind_fold_test
from palio.errors import ParameterError
from palio.ordering.graph import edge_matrix, inverse_permutation, topological_order
from palio.ordering.prior import prior_order
from palio.scores import Design
from palio.stats.ranks import paired_difference
from palio.types import Alternative, BoolArray, FloatArray, IntArray

# Pairs × folds held at once: enough to amortise the calls, small enough to stay in the cache.
_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class PairVerdicts:
    """What a test says of the pairs i < j of algorithms in prior order (i is the cheaper).

    ``lead`` is positive where the costlier has the better mean score; ``favours_costlier`` says
    where a rejection speaks for it: always, if the test asked on that side, whatever the means.
    """

    statistic: FloatArray
    p_value: FloatArray
    lead: FloatArray
    favours_costlier: BoolArray
    degenerate: BoolArray

    def __getitem__(self, index: Any) -> PairVerdicts:
        return PairVerdicts(*(getattr(self, f.name)[index] for f in fields(self)))


@dataclass(frozen=True, eq=False)
class MultiTestArrays:
    """The result of MultiTest over leading axes.

    ``prior`` and ``order`` number the algorithms as they were given, cheapest and best first;
    ``p_adjusted`` and ``verdicts`` speak of pairs of places in the prior.
    """

    alpha: float
    prior: IntArray
    order: IntArray
    p_adjusted: FloatArray
    verdicts: PairVerdicts

    def overrides(self, p: FloatArray) -> BoolArray:
        """Say where p-values of the pairs override the prior."""
        return (p <= self.alpha) & self.verdicts.favours_costlier

    @property
    def ahead(self) -> FloatArray:
        """Positive where the costlier is ahead: where the test overrides, else by the means."""
        return np.where(self.overrides(self.p_adjusted), 1.0, self.verdicts.lead)

    @property
    def against_means(self) -> BoolArray:
        """Where the test overrides the prior, and the means do not: 5×2 cv t rests on one fold."""
        return self.overrides(self.p_adjusted) & (self.verdicts.lead <= 0)

    @property
    def edges_by_place(self) -> BoolArray:
        """``[..., i, j]``: the j-th in the prior is significantly better than the i-th."""
        return edge_matrix(self.overrides(self.p_adjusted), self.prior.shape[-1])

    @property
    def edges(self) -> BoolArray:
        """``[..., i, j]``: algorithm j is costlier than algorithm i and significantly better."""
        place = inverse_permutation(self.prior)
        rows = np.take_along_axis(self.edges_by_place, place[..., :, np.newaxis], axis=-2)
        return np.take_along_axis(rows, place[..., np.newaxis, :], axis=-1)

    @property
    def ranks(self) -> IntArray:
        """The place of each algorithm, 1 the best."""
        return inverse_permutation(self.order) + 1

    def __getitem__(self, index: Any) -> MultiTestArrays:
        return MultiTestArrays(
            self.alpha,
            self.prior[index],
            self.order[index],
            self.p_adjusted[index],
            self.verdicts[index],
        )


def multitest_batch(
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    *,
    higher_is_better: bool,
    test: str = "5x2cv-f",
    correction: str | None = None,
    alpha: float = 0.05,
    **options: float,
) -> MultiTestArrays:
    """Run MultiTest on many tables in one call, as in a simulation or a bootstrap.

    Parameters
    ----------
    scores
        Shape (..., algorithms, repeats, folds).
    costs
        Shape (..., algorithms), or anything that broadcasts to it; lower is preferred, and of
        equal costs the better mean score, then the lower number.
    higher_is_better
        The direction of the scores.
    test, correction, alpha, **options
        As for :func:`palio.multitest`.

    Returns
    -------
    MultiTestArrays
        ``order`` (..., algorithms) has the algorithms' numbers, best first; ``ranks``, ``edges``.

    Examples
    --------
    >>> import numpy as np
    >>> errors = np.random.default_rng(0).normal(size=(1000, 3, 5, 2))
    >>> errors[:, :2] += 20  # the third is the costliest, and far better
    >>> batch = multitest_batch(errors, [1, 2, 3], higher_is_better=False)
    >>> batch.order.shape, batch.order[0].tolist()
    ((1000, 3), [2, 0, 1])
    """
    check_alpha(alpha)
    array, preference = checked_scores(scores, costs)
    goodness = array if higher_is_better else -array
    return order_arrays(
        goodness,
        prior_order(preference, goodness.mean(axis=(-2, -1))),
        test=bind_fold_test(test, Design.of_grid(*array.shape[-2:]), options),
        correction=fold_correction_named(correction),
        alpha=alpha,
    )


def order_arrays(
    goodness: FloatArray,
    prior: IntArray,
    *,
    test: BoundTest,
    correction: Correction,
    alpha: float,
) -> MultiTestArrays:
    """Run MultiTest on scores (..., k, repeats, folds), higher is better, and priors (..., k)."""
    batch, k = prior.shape[:-1], prior.shape[-1]
    tables = goodness.reshape(-1, *goodness.shape[-3:])
    priors = prior.reshape(-1, k)
    pairs_and_folds = k * (k - 1) // 2 * tables.shape[-2] * tables.shape[-1]
    size = max(1, _CHUNK // pairs_and_folds)
    parts = [
        _test_chunk(tables[i : i + size], priors[i : i + size], test, correction, alpha)
        for i in range(0, len(tables), size)
    ]
    unsorted = concatenate(parts)
    taken, _ = topological_order(unsorted.edges_by_place)
    whole = replace(unsorted, order=np.take_along_axis(priors, taken, axis=-1))
    # Back to the shape of the batch: every array has the flat batch as its first axis.
    return whole[np.arange(len(tables)).reshape(batch)]


def _test_chunk(
    goodness: FloatArray, prior: IntArray, test: BoundTest, correction: Correction, alpha: float
) -> MultiTestArrays:
    """Test the pairs of some tables; the order is still the prior."""
    ordered = np.take_along_axis(goodness, prior[..., np.newaxis, np.newaxis], axis=-3)
    verdicts = verdicts_on_pairs(ordered, test)
    adjusted = correction.adjusted(Family(verdicts.p_value, prior.shape[-1]))
    return MultiTestArrays(alpha, prior, prior, adjusted, verdicts)


def verdicts_on_pairs(ordered: FloatArray, test: BoundTest) -> PairVerdicts:
    """Test every pair; ``ordered`` is (..., k, repeats, folds) in prior order, higher is better.

    A test with a one-sided form asks whether the costlier is better (yildiz2006 eq. 18): the
    prior chose that side, not the data, and where it rejects there is an edge (Fig. 1). A test
    without one is two-sided, and the means say for whom it speaks.
    """
    first, second = np.triu_indices(ordered.shape[-3], 1)
    side: Alternative = "greater" if test.test.one_sided else "two-sided"
    # Fold by fold in memory: sums over a few folds then run along the many pairs.
    by_fold = np.ascontiguousarray(np.moveaxis(ordered, (-2, -1), (0, 1)))
    a, b = (np.moveaxis(by_fold[..., which], (0, 1), (-2, -1)) for which in (second, first))
    outcome = test(a, b, alternative=side)
    means = ordered.mean(axis=(-2, -1))
    lead = paired_difference(means[..., second], means[..., first])
    favours = np.ones_like(lead, dtype=np.bool_) if test.test.one_sided else lead > 0
    return PairVerdicts(outcome.statistic, outcome.p_value, lead, favours, outcome.degenerate)


def concatenate(parts: Sequence[MultiTestArrays]) -> MultiTestArrays:
    """Put batches one after another along the first axis."""
    if len(parts) == 1:
        return parts[0]
    return MultiTestArrays(
        alpha=parts[0].alpha,
        prior=np.concatenate([part.prior for part in parts]),
        order=np.concatenate([part.order for part in parts]),
        p_adjusted=np.concatenate([part.p_adjusted for part in parts]),
        verdicts=PairVerdicts(
            *(
                np.concatenate([getattr(part.verdicts, f.name) for part in parts])
                for f in fields(PairVerdicts)
            )
        ),
    )


def checked_scores(scores: npt.ArrayLike, costs: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Refuse arrays that are no scores (..., algorithms, repeats, folds) and costs."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim < 3 or array.shape[-3] < 2 or not np.isfinite(array).all():
        raise ParameterError(
            "scores",
            "finite numbers of shape (..., algorithms, repeats, folds) with at least two "
            "algorithms are needed",
            f"an array of shape {array.shape} was given",
        )
    preference = np.asarray(costs, dtype=np.float64)
    if preference.shape[-1:] != array.shape[-3:-2] or not np.isfinite(preference).all():
        raise ParameterError(
            "costs",
            f"finite numbers of shape (..., {array.shape[-3]}) are needed, one per algorithm",
            f"an array of shape {preference.shape} was given",
        )
    return array, np.broadcast_to(preference, array.shape[:-2])
