"""Naive Bayes: densities against SciPy's, frequencies by hand."""

import numpy as np
import pytest
from scipy import stats

from palio.algorithms.nb import NaiveBayesClassifier, _bandwidths
from palio.errors import ParameterError


def _posterior(densities: np.ndarray, priors: list[float]) -> np.ndarray:
    joint = densities * priors
    shares: np.ndarray = joint / joint.sum(axis=1, keepdims=True)
    return shares


def _sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.array([0] * 40 + [1] * 20)
    return rng.gamma(2, size=(60, 2)) + y[:, None], y


def test_gaussian_densities() -> None:
    X, y = _sample()
    densities = np.column_stack(
        [
            np.prod([stats.norm.pdf(X[:, j], own[:, j].mean(), own[:, j].std(ddof=1))
                     for j in range(2)], axis=0)
            for own in (X[y == 0], X[y == 1])
        ]
    )  # fmt: skip
    model = NaiveBayesClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), _posterior(densities, [2 / 3, 1 / 3]))


def test_kernel_densities() -> None:
    X, y = _sample()

    def kernels(values: np.ndarray, own: np.ndarray) -> np.ndarray:
        width = 0.9 * min(own.std(ddof=1), stats.iqr(own) / 1.34) * len(own) ** -0.2
        # SciPy's factor multiplies the standard deviation.
        found: np.ndarray = stats.gaussian_kde(own, bw_method=width / own.std(ddof=1))(values)
        return found

    densities = np.column_stack(
        [kernels(X[:, 0], own[:, 0]) * kernels(X[:, 1], own[:, 1]) for own in (X[:40], X[40:])]
    )
    model = NaiveBayesClassifier(use_kernel=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), _posterior(densities, [2 / 3, 1 / 3]))


def test_kernels_see_what_a_gaussian_cannot() -> None:
    """One class around −3 and 1, the other around −1 and 3: two bumps each, that interleave."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = (rng.choice([-2.0, 2.0], 400) + 2 * y - 1 + rng.normal(0, 0.3, 400))[:, None]
    assert NaiveBayesClassifier(use_kernel=True).fit(X, y).score(X, y) > 0.95
    assert NaiveBayesClassifier().fit(X, y).score(X, y) < 0.6


@pytest.mark.parametrize(("laplace", "share"), [(0, 3 / 4), (1, 4 / 7), (2, 5 / 10)])
def test_nominal_frequencies_by_hand(laplace: float, share: float) -> None:
    # Of three codes class 0 has the first 3 times in 4; class 1 has it once in 4.
    X = np.array([[0], [0], [0], [1], [0], [1], [1], [2]])
    y = np.repeat([0, 1], 4)
    other = (1 + laplace) / (4 + 3 * laplace)
    model = NaiveBayesClassifier(laplace=laplace, nominal=[0]).fit(X, y)
    assert model.predict_proba([[0]])[0, 0] == pytest.approx(share / (share + other))


def test_a_nominal_value_never_seen_leaves_the_priors() -> None:
    X, y = np.array([[0], [0], [1], [1]]), [0, 0, 0, 1]
    model = NaiveBayesClassifier(nominal=[0]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[7]]), [[0.75, 0.25]])


def test_laplace_changes_nothing_without_nominal_features() -> None:
    X, y = _sample()
    plain, smoothed = (NaiveBayesClassifier(laplace=f).fit(X, y) for f in (0, 2))
    np.testing.assert_array_equal(plain.predict_proba(X), smoothed.predict_proba(X))


def test_bandwidth_where_half_the_values_are_equal() -> None:
    own = np.array([0.0] * 8 + [1.0, 2.0])[:, None]  # the quartiles are both 0
    by_hand = 0.9 * own.std(ddof=1) * 10**-0.2
    np.testing.assert_allclose(_bandwidths(own, 1e-9), [by_hand])


@pytest.mark.parametrize("use_kernel", [True, False])
def test_a_feature_constant_within_a_class_decides_without_nan(use_kernel: bool) -> None:
    X, y = np.array([[0.0, 1], [0, 2], [1, 1], [2, 3]]), [0, 0, 1, 1]
    told = NaiveBayesClassifier(use_kernel=use_kernel).fit(X, y).predict_proba(X)
    assert np.isfinite(told).all()
    assert told.argmax(axis=1).tolist() == [0, 0, 1, 1]


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ParameterError, match=r"nominal: .* from 0 to 0, and \[3\] were given"):
        NaiveBayesClassifier(nominal=[3]).fit([[0.0], [1.0]], [0, 1])
