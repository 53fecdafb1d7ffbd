"""Other ways to find the best algorithm on one data set: MultiTest's rivals in yildiz2006 §4.2.

Unlike MultiTest they do not always find one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palio.comparison.corrections import CORRECTIONS, check_alpha
from palio.comparison.fold_tests import FOLD_TESTS, BoundTest, bind_fold_test
from palio.errors import require
from palio.ordering.arrays import MultiTestArrays, goodness_and_prior, order_arrays
from palio.ordering.methods import multitest
from palio.ordering.prior import Cost, prior_from, prior_order
from palio.registry import Registry, one_dataset
from palio.results import Result
from palio.scores import Design, Tabular, as_table, reading_in
from palio.stats import several
from palio.types import FloatArray, IntArray

NOT_FOUND = -1


@dataclass(frozen=True)
class Finder:
    """An entry of the registry.

    ``run`` takes scores (..., k, repeats, folds) in prior order, higher is better, and answers
    with the place in the prior of the best, or ``NOT_FOUND``.
    """

    name: str
    title: str
    run: Callable[[FloatArray, BoundTest, float], IntArray]
    note: str
    uses_test: bool = True


def _multitest(ordered: FloatArray, test: BoundTest, alpha: float) -> IntArray:
    r"""Take the first of MultiTest's order (yildiz2006 §3).

    Which is the cheapest algorithm that no costlier one is significantly better than? Always finds
    one. Valid as far as the test on folds is.

    Notes
    -----
    Bonferroni over all pairs of K algorithms, as in yildiz2006 §4.3:

    .. math::

        \alpha' = \frac{\alpha}{K (K - 1) / 2}

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.
    """
    return _ordered(ordered, test, "bonferroni", alpha).order[..., 0]


def _test_first(ordered: FloatArray, test: BoundTest, alpha: float) -> IntArray:
    r"""Take the algorithm with the best mean, if it beats every cheaper one (yildiz2006 §4.2).

    Is the algorithm with the best mean also worth its cost? Finds none where a cheaper one is not
    significantly worse. Valid as far as the test on folds is.

    Notes
    -----
    Each of the tests against the cheaper ones at the level

    .. math::

        \alpha' = \frac{\alpha}{K - 1}

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.
    """
    k = ordered.shape[-3]
    best = np.argmax(ordered.mean(axis=(-2, -1)), axis=-1)
    _, costlier = np.triu_indices(k, 1)
    found = _ordered(ordered, test, "none", alpha / (k - 1))
    # Only the simpler ones have to be beaten: against the costlier, having less error is enough.
    beaten = found.overrides(found.p_value) | (costlier != best[..., np.newaxis])
    return np.where(beaten.all(axis=-1), best, NOT_FOUND)


def _ordered(
    ordered: FloatArray, test: BoundTest, correction: str, alpha: float
) -> MultiTestArrays:
    """Run MultiTest on scores that are in prior order."""
    prior = np.broadcast_to(np.arange(ordered.shape[-3]), ordered.shape[:-2])
    return order_arrays(ordered, prior, test=test, correction=CORRECTIONS[correction], alpha=alpha)


def _anova(ordered: FloatArray, _test: BoundTest, alpha: float) -> IntArray:
    r"""Take the cheapest if analysis of variance finds no difference (yildiz2006 §4.2).

    Do the algorithms differ at all? If not, the cheapest is the best. If they do, nothing is found,
    for the test does not say who differs. Valid for independent, normal scores of equal variance.

    Notes
    -----
    With F of `palio.stats.several.anova`, K algorithms and L folds, the cheapest is taken if

    .. math::

        P(F_{K-1,\, K(L-1)} \ge F) > \alpha

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.
    """
    outcome = several.anova(ordered.reshape(*ordered.shape[:-2], -1))
    return np.where(outcome.p_value > alpha, 0, NOT_FOUND)


def _newman_keuls(ordered: FloatArray, _test: BoundTest, alpha: float) -> IntArray:
    r"""Take the simplest in the first underline, unless an underline through it has a simpler one.

    Which is the cheapest of those that do not differ from the best? Finds none where the
    underlines overlap so that the answer is not clear. Valid for independent, normal scores of
    equal variance.

    Notes
    -----
    The underlines are those of `newman_keuls`; of P means the ends do not differ if

    .. math::

        \frac{m_j - m_i}{\sqrt{\mathrm{MSE} / L}} \le q_\alpha(P, K (L - 1))

    The paper's underlines are lost in the text we have; this rule gives its Table 2 back when
    simulated from its Table 1.

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.
    """
    errors = -ordered.reshape(*ordered.shape[:-2], -1)
    result = several.newman_keuls(errors, alpha=alpha)
    k = errors.shape[-2]
    in_first = result.equal[..., 0, :]
    simplest = np.where(in_first, result.order, k).min(axis=-1, keepdims=True)
    position = np.argmax(result.order == simplest, axis=-1)[..., np.newaxis, np.newaxis]
    level_with_it = np.take_along_axis(result.equal, position, axis=-2)[..., 0, :]
    challenged = (level_with_it & (result.order < simplest)).any(axis=-1)
    return np.where(challenged, NOT_FOUND, simplest[..., 0])


FINDERS: Registry[Finder] = Registry.of(
    "method",
    Finder(
        "multitest",
        "MultiTest",
        _multitest,
        "Bonferroni over all K(K − 1)/2 tests, as yildiz2006 §4.3",
    ),
    Finder(
        "testfirst",
        "TestFirst",
        _test_first,
        "the algorithm with the best mean must beat every cheaper one at α/(K − 1); yildiz2006 "
        "does not state its level, and its Table 2 excludes α/(K(K − 1)/2)",
    ),
    Finder(
        "anova",
        "analysis of variance",
        _anova,
        "the cheapest where no difference is found; nothing where one is",
        uses_test=False,
    ),
    Finder(
        "newman-keuls",
        "Newman–Keuls range test",
        _newman_keuls,
        "the cheapest in the first underline, unless another underline through it holds a cheaper "
        "one",
        uses_test=False,
    ),
)


@dataclass(frozen=True)
class Best(Result):
    """The best algorithm on one data set, where the method finds one."""

    kind = "best"
    parts = ("method", "dataset", "best", "prior", "alpha", "test", "notes")

    method: str
    dataset: str
    best: str | None
    prior: tuple[str, ...]
    alpha: float
    test: str | None
    notes: tuple[str, ...] = ()

    def _frame(self) -> Any:
        """Give one row."""
        keys = ("dataset", "method", "best", "alpha", "test")
        return [{key: getattr(self, key) for key in keys}]


def find_best(
    table: Tabular,
    *,
    method: str = "multitest",
    dataset: str | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> Best:
    """Find the best algorithm on one data set, by MultiTest or one of its rivals.

    Which single algorithm is the best, the cheaper first among equals? MultiTest always finds one,
    its rivals do not always.

    Parameters
    ----------
    method
        ``"multitest"``, ``"testfirst"``, ``"anova"`` or ``"newman-keuls"``.
    cost, prior
        As for :func:`palio.multitest`; with neither, the better mean score is preferred.
    test, correction
        Of ``"multitest"``, as for :func:`palio.multitest`, whose answer it is; of ``"testfirst"``
        by default the 5×2 cv t test of the paper. On other folds it is the corrected t test.
        ``"anova"`` and ``"newman-keuls"`` use no pairwise test.
    table, dataset, alpha, **options
        As for :func:`palio.multitest`.

    Returns
    -------
    Best
        ``best`` is the algorithm, or None where the method finds none.

    See Also
    --------
    palio.multitest : all of them in order.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> find_best(table, method="newman-keuls", dataset="pendigits", cost="train_time").best
    'svr'
    >>> find_best(table, method="anova", dataset="pendigits", cost="train_time").best is None
    True
    """
    table = as_table(table, reading_in(options), find_best)
    check_alpha(alpha)
    finder = FINDERS[method]
    name = one_dataset(table.datasets, dataset, instead="use Multi²Test to order over all")
    one = table.select(datasets=[name])
    notes: tuple[str, ...] = ()
    if cost is None and prior is None:
        prior = one.by_mean_score()
        notes = ("neither a cost nor a prior order was given: the better mean score is preferred",)
    usual = _usual(one.design(name), "5x2cv-f" if finder.name == "multitest" else "5x2cv-t")
    test = FOLD_TESTS.name_of(test) if test else usual
    if finder.name == "multitest":
        asked: dict[str, Any] = {"cost": cost, "prior": prior, "alpha": alpha, **options}
        found = multitest(one, test=test, correction=correction, **asked)
        own = found.notes if not notes else (*notes, *found.notes)
        return Best("multitest", name, found.first, found.prior, alpha, test, own)
    require(correction is None, "correction", "it is of MultiTest", correction)
    preference = prior_from(one, cost=cost, prior=prior)
    bound = _bound(finder, test, one.design(name), options, name)
    goodness = one.by_design()[0].goodness()[0]
    order = prior_order(preference.values[0], goodness.mean(axis=(-2, -1)), one.algorithms)
    names = [one.algorithms[i] for i in order.tolist()]
    place = int(finder.run(goodness[order], bound, alpha))
    return Best(
        method=finder.name,
        dataset=name,
        best=None if place == NOT_FOUND else names[place],
        prior=tuple(names),
        alpha=alpha,
        test=test if finder.uses_test else None,
        notes=(*one.notes, *(notes or preference.notes), finder.note),
    )


def _usual(design: Design, test: str) -> str:
    """Name the paper's test, or the usual one where the folds are not its own."""
    return test if FOLD_TESTS[test].accepts(design) else "corrected-t"


def find_best_batch(
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    *,
    higher_is_better: bool,
    method: str = "multitest",
    test: str = "5x2cv-t",
    alpha: float = 0.05,
    **options: float,
) -> IntArray:
    """Find the best of many tables in one call: the algorithms' numbers, −1 for not found.

    All methods are as in yildiz2006: MultiTest by the 5×2 cv t test with Bonferroni's correction.
    Scores are (..., algorithms, repeats, folds), costs (..., algorithms).

    >>> errors = np.ones((3, 5, 2)) * [[[0.3]], [[0.2]], [[0.1]]]
    >>> find_best_batch(errors, [1, 2, 3], higher_is_better=False)
    array(2)
    """
    check_alpha(alpha)
    finder = FINDERS[method]
    goodness, order = goodness_and_prior(scores, costs, higher_is_better=higher_is_better)
    ordered = np.take_along_axis(goodness, order[..., np.newaxis, np.newaxis], axis=-3)
    bound = _bound(finder, test, Design.of_grid(*goodness.shape[-2:]), options)
    place = finder.run(ordered, bound, alpha)
    named = np.take_along_axis(order, np.maximum(place, 0)[..., np.newaxis], axis=-1)[..., 0]
    return np.where(place == NOT_FOUND, NOT_FOUND, named)


def _bound(
    finder: Finder, test: str, design: Design, options: dict[str, float], dataset: str = ""
) -> BoundTest:
    """Bind the pairwise test; a finder that uses none gets one that any folds allow."""
    if finder.uses_test:
        return bind_fold_test(test, design, options, dataset=dataset)
    return bind_fold_test("kfold-t", design, dataset=dataset)
