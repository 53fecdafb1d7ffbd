"""What is asked of a test that compares algorithms by their scores on data sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from palio.registry import unknown_name
from palio.types import FloatArray

# Twins that differ by this are the same numbers, rounded otherwise.
_ROUNDING = 1e-14


class Pairs(NamedTuple):
    """What a test says of all pairs of K algorithms, (K, K) each.

    ``ahead`` is 1 where the row is better than the column, −1 where it is worse.
    """

    p_values: FloatArray
    ahead: FloatArray

    def of(self, places: Sequence[int]) -> Pairs:
        """Return the same of the algorithms in other places."""
        at = np.ix_(places, places)
        return Pairs(self.p_values[at], self.ahead[at])

    def like(self, other: Pairs) -> bool:
        """Whether both say the same, but for rounding."""
        close = np.allclose(self.p_values, other.p_values, rtol=1e-8, atol=1e-12, equal_nan=True)
        return close and bool((self.ahead == other.ahead).all())


class AllPairs(Protocol):
    """A test of all pairs of the columns of scores (data sets, algorithms)."""

    def __call__(self, scores: FloatArray, /, *, higher_is_better: bool = True) -> Pairs:
        """Test them."""


# --- what may be promised -------------------------------------------------------------------------


def mirror(test: AllPairs, scores: FloatArray) -> bool:
    """Whether swapping two algorithms mirrors the result."""
    swapped, found = [1, 0, *range(2, scores.shape[1])], test(scores)
    turned = Pairs(found.p_values.T, -found.ahead.T)
    return found.like(turned) and test(scores[:, swapped]).like(found.of(swapped))


def reorder(test: AllPairs, scores: FloatArray) -> bool:
    """Whether the order of data sets and algorithms does not matter."""
    rng = np.random.default_rng(scores.size)
    rows, columns = (rng.permutation(n) for n in scores.shape)
    return test(scores[rows][:, columns]).like(test(scores).of(columns.tolist()))


def negation(test: AllPairs, scores: FloatArray) -> bool:
    """Whether negating the scores with the direction flipped changes nothing."""
    return test(-scores, higher_is_better=False).like(test(scores))


def identical(test: AllPairs, scores: FloatArray) -> bool:
    """Whether an algorithm and its copy are never told apart: p is 1."""
    return _twins(test, scores, scores[:, 0])


def rounding(test: AllPairs, scores: FloatArray) -> bool:
    """Whether p is 1 also of a copy whose scores were rounded otherwise."""
    return _twins(test, scores, scores[:, 0] * (1 + _ROUNDING))


def _twins(test: AllPairs, scores: FloatArray, twin: FloatArray) -> bool:
    twins = scores.copy()
    twins[:, 1] = twin
    found = test(twins)
    return bool(abs(found.p_values[0, 1] - 1) < 1e-6 and found.ahead[0, 1] == 0)


def shift(test: AllPairs, scores: FloatArray) -> bool:
    """Whether a constant added on a data set changes nothing."""
    return test(scores + 10.0 * np.arange(len(scores))[:, None]).like(test(scores))


def monotone(test: AllPairs, scores: FloatArray) -> bool:
    """Whether a growing function of the scores changes nothing."""
    return test(np.exp(scores / 10)).like(test(scores))


def pool_free(test: AllPairs, scores: FloatArray) -> bool:
    """Whether the verdict on a pair does not depend on which others are compared."""
    return test(scores[:, :2]).like(test(scores).of([0, 1]))


PROPERTIES: dict[str, Callable[[AllPairs, FloatArray], bool]] = {
    "mirror": mirror,
    "reorder": reorder,
    "negation": negation,
    "identical": identical,
    "rounding": rounding,
    "shift": shift,
    "monotone": monotone,
    "pool-free": pool_free,
}
"""What a test over data sets may promise, under the names that its entry has."""


# --- the check ------------------------------------------------------------------------------------


def check_pair_test(
    test: Callable[[FloatArray, FloatArray], Any],
    properties: Collection[str] = ("mirror", "reorder", "negation", "identical"),
    *,
    alpha: float | None = 0.05,
    n_tables: int = 20,
    simulations: int = 1000,
    seed: int = 0,
) -> None:
    """Check that a two-sided test of two algorithms keeps its promises.

    Parameters
    ----------
    test : callable
        From the scores of two algorithms on the same data sets, (n,) each, to a p-value, or to
        anything that has one as ``pvalue`` or ``p_value``.
    properties : collection of str
        What it promises: ``mirror`` (swapping the two changes nothing), ``reorder`` (nor does the
        order of the data sets), ``negation`` (nor do scores of which lower is better),
        ``identical`` (of an algorithm and its copy p is 1), ``rounding`` (also where the copy was
        rounded otherwise), ``shift`` (a constant added on a data set changes nothing),
        ``monotone`` (nor does a growing function of the scores).
    alpha : float, optional
        At this level it must not reject more often than it says where nothing differs; ``None``
        leaves that out.
    n_tables, simulations : int
        On how many tables the promises are tried, and the level is.
    seed : int
        Of what is drawn.

    Raises
    ------
    AssertionError
        With the promise that is broken, and the scores that break it.

    Examples
    --------
    >>> from scipy.stats import binomtest
    >>> def sign_test(a, b):
    ...     wins, losses = int((a > b).sum()), int((a < b).sum())
    ...     return binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    >>> check_pair_test(sign_test, ["mirror", "reorder", "negation", "identical", "monotone"])

    One that picks its side from the data rejects twice as often as it says.

    >>> from scipy.stats import ttest_rel
    >>> check_pair_test(lambda a, b: ttest_rel(a, b).pvalue / 2, ["mirror"])
    Traceback (most recent call last):
    ...
    AssertionError: level: of 1000 tables without a difference ... were rejected at 0.05, ...
    """
    lifted, rng = _of_two(test), np.random.default_rng(seed)
    for name in properties:
        if name not in PROPERTIES:
            raise unknown_name("property", name, PROPERTIES)
        for _ in range(n_tables):
            # One decimal, so that ties and equal differences do happen.
            scores = rng.integers(0, 300, (9, 3)) / 10
            if not PROPERTIES[name](lifted, scores):
                raise AssertionError(broken(name, PROPERTIES[name], f"the scores\n{scores!r}"))
    if alpha is not None:
        _check_level(test, alpha, simulations, rng)


def _of_two(test: Callable[[FloatArray, FloatArray], Any]) -> AllPairs:
    """Make a test of all pairs of one of two; who is ahead is not asked."""

    def all_pairs(scores: FloatArray, /, *, higher_is_better: bool = True) -> Pairs:
        del higher_is_better  # a two-sided test of two need not know
        k = scores.shape[1]
        found = np.ones((k, k))
        for i in range(k):
            for j in range(k):
                if i != j:
                    found[i, j] = p_of(test(scores[:, i].copy(), scores[:, j].copy()))
        return Pairs(found, np.zeros((k, k)))

    return all_pairs


def broken(name: str, holds: Callable[..., bool], by: str) -> str:
    """Say which promise is broken, and by what."""
    said = (holds.__doc__ or "").splitlines()[0]
    return f"'{name}' is not kept. Asked was {said[0].lower()}{said[1:]} It is not so with {by}"


def p_of(found: Any) -> float:
    """Return the p-value of what a test returned; it must be a probability."""
    value = next(
        (getattr(found, name) for name in ("p_value", "pvalue") if hasattr(found, name)), found
    )
    try:
        p = float(value)
    except (TypeError, ValueError):
        raise AssertionError(f"a p-value is a number, and {found!r} has none") from None
    if not 0 <= p <= 1:
        raise AssertionError(f"a p-value lies between 0 and 1, and {p} does not")
    return p


def _check_level(
    test: Callable[[FloatArray, FloatArray], Any], alpha: float, n: int, rng: np.random.Generator
) -> None:
    """Simulate tables on which two algorithms are alike, and count the rejections."""
    rejected = 0
    for i in range(n):
        hard = rng.normal(0.7, 0.1, (15, 1))
        scores = hard + 0.03 * rng.standard_normal((15, 2))
        if i % 2:
            scores = scores.round(2)  # ties
        rejected += p_of(test(scores[:, 0], scores[:, 1])) <= alpha
    # Three standard errors: by chance one right test in a thousand is above.
    bound = n * alpha + 3 * np.sqrt(n * alpha * (1 - alpha))
    if rejected > bound:
        raise AssertionError(
            f"level: of {n} tables without a difference {rejected} were rejected at {alpha:g}, "
            f"more than the {bound:.0f} that chance allows"
        )
