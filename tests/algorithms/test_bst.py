"""Boosting of linear classifiers: the first steps by hand."""

import numpy as np
import pytest

from palio.algorithms.bst import LinearBoostClassifier
from palio.errors import ParameterError


def test_first_two_steps_by_hand() -> None:
    # Class means of the first column differ by 4, of the second by 1.
    X = np.array([[-2.0, 0.0], [-2.0, -1.0], [2.0, 0.0], [2.0, 1.0]])
    y = np.array([0, 0, 1, 1])
    model = LinearBoostClassifier(2, shrinkage=0.1).fit(X, y)
    # f = 0: the gradient is ½y. First column: Σxu = 4, Σx² = 16, gain 16/16 = 1; second: Σxu = 1,
    # Σx² = 2, gain 1/2. So 0.1 · 4/16 = 0.025, twice, as no margin has come to 1.
    assert model.features_[:, 0].tolist() == [0, 0]
    np.testing.assert_allclose(model.slopes_[:, 0], [0.025, 0.025])
    np.testing.assert_allclose(model.coef_, [[0.05, 0.0]])
    np.testing.assert_allclose(model.intercept_, [0.0])


def test_intercept_of_unequal_classes_by_hand() -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 1, 1])
    model = LinearBoostClassifier(1, shrinkage=0.2).fit(X, y)
    # u = −½, ½, ½, ½ has mean ¼; centred x is −1.5, …, 1.5: Σxu = 1.5, Σx² = 5, slope 0.3.
    np.testing.assert_allclose(model.coef_, [[0.2 * 0.3]])
    np.testing.assert_allclose(model.intercept_, [0.2 * (0.25 - 0.3 * 2.5)])


def test_boosting_ends_where_all_margins_are_one() -> None:
    X, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    model = LinearBoostClassifier(500, shrinkage=0.5).fit(X, y)
    # u = ±½ and Σxu/Σx² = ½: each step adds ¼, and after four the margins are 1.
    assert np.count_nonzero(model.slopes_) == 4
    np.testing.assert_allclose(model.decision_function(X), [-1.0, 1.0])


def test_irrelevant_features_stay_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    y = X[:, 3] - X[:, 7] > 0
    model = LinearBoostClassifier(60).fit(X, y)
    assert set(np.flatnonzero(model.coef_[0])) == {3, 7}
    assert model.score(X, y) > 0.97


def test_three_classes_one_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 50)
    means = {"a": (3, 0), "b": (0, 3), "c": (-3, -3)}
    X = np.array([means[label] for label in y]) + rng.normal(size=(150, 2))
    model = LinearBoostClassifier(300).fit(X, y)
    assert model.coef_.shape == (3, 2)
    assert model.score(X, y) > 0.95


def test_more_steps_than_fitted_is_an_error() -> None:
    model = LinearBoostClassifier(5).fit([[0.0], [1.0]], [0, 1]).set_params(n_boosts=6)
    with pytest.raises(ParameterError, match="n_boosts: the model was fitted with 5, and 6 was"):
        model.predict([[0.0]])
