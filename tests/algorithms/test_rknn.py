"""Random k nearest neighbours: votes of members, each on its own features."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]

from palio.algorithms.rknn import RandomKNNClassifier
from palio.errors import ParameterError


def _sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return rng.normal(size=(90, 6)) + y[:, None] * 1.5, y


def test_with_all_features_every_member_is_the_same_knn() -> None:
    X, y = _sample()
    model = RandomKNNClassifier(5, n_members=3, max_features=6, random_state=0).fit(X, y)
    single = KNeighborsClassifier(5).fit(X, y)
    assert np.array_equal(model.predict(X), single.predict(X))
    assert set(np.unique(model.predict_proba(X))) == {0.0, 1.0}


def test_probabilities_are_shares_of_the_members_votes() -> None:
    X, y = _sample()
    model = RandomKNNClassifier(3, n_members=7, max_features=2, random_state=0).fit(X, y)
    votes = np.zeros((len(X), 3))
    for subset in model.subsets_:
        assert len(set(subset.tolist())) == 2
        said = KNeighborsClassifier(3).fit(X[:, subset], y).predict(X[:, subset])
        votes += np.eye(3)[said]
    np.testing.assert_allclose(model.predict_proba(X), votes / 7)


@pytest.mark.parametrize("k", [1, 4, 15, 90, 400])
def test_members_vote_as_scikit_learns_neighbours_do(k: int) -> None:
    X, y = _sample()
    model = RandomKNNClassifier(k, n_members=1, max_features=3, random_state=0).fit(X[::2], y[::2])
    features = model.subsets_[0]
    single = KNeighborsClassifier(min(k, 45)).fit(X[::2][:, features], y[::2])
    assert np.array_equal(model.predict(X), single.predict(X[:, features]))


def test_all_that_are_as_near_as_the_kth_have_a_say() -> None:
    """At 0 are a, b and b, at 1 are a and a: one neighbour means three, four mean all five."""
    X, y = [[0.0], [1.0], [0.0], [0.0], [-1.0]], ["a", "a", "b", "b", "a"]
    said = {
        k: RandomKNNClassifier(k, n_members=1).fit(X, y).predict([[0.0]])[0]
        for k in (1, 2, 3, 4, 5)
    }
    assert said == {1: "b", 2: "b", 3: "b", 4: "a", 5: "a"}


def test_of_equally_frequent_classes_the_first_is_voted_for() -> None:
    model = RandomKNNClassifier(2, n_members=1).fit([[0.0], [1.0], [9.0]], ["z", "b", "c"])
    assert model.predict([[0.4]])[0] == "b"


def test_subsets_rescue_knn_from_a_feature_of_noise() -> None:
    """One of six columns drowns the distances: members without it outvote those with it."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 6)) + y[:, None] * 2.0
    X[:, 0] = rng.normal(0, 500, 200)
    train, test = np.arange(0, 200, 2), np.arange(1, 200, 2)
    alone = KNeighborsClassifier(1).fit(X[train], y[train]).score(X[test], y[test])
    model = RandomKNNClassifier(1, n_members=60, max_features=2, random_state=0)
    assert alone < 0.7
    assert model.fit(X[train], y[train]).score(X[test], y[test]) > 0.9


def test_default_is_the_square_root_of_the_number_of_features() -> None:
    rng = np.random.default_rng(0)
    model = RandomKNNClassifier(n_members=2).fit(rng.normal(size=(9, 17)), [0, 1, 0] * 3)
    assert model.subsets_.shape == (2, 4)


def test_more_members_than_fitted_is_an_error() -> None:
    X, y = _sample()
    model = RandomKNNClassifier(n_members=5).fit(X, y).set_params(n_members=6)
    with pytest.raises(ParameterError, match="n_members: the model was fitted with 5, and 6 was"):
        model.predict(X)
