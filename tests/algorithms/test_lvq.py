"""Learning vector quantisation: steps by hand, and where prototypes end."""

import numpy as np
import pytest

from palio.algorithms.lvq import LVQClassifier, _first_codebook, _lvq1, _moved, _olvq1
from palio.errors import ParameterError


def test_a_prototype_is_drawn_to_its_class_and_pushed_from_others() -> None:
    prototype, x = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    np.testing.assert_allclose(_moved(prototype, x, right=True, rate=0.3), [0.3, 1.6])
    np.testing.assert_allclose(_moved(prototype, x, right=False, rate=0.3), [-0.3, 0.4])


def test_lvq1_by_hand() -> None:
    """The rate falls linearly: 0.4, then 0.2."""
    prototypes, labels = np.array([[0.0], [10.0]]), np.array([0, 1])
    moved = _lvq1(prototypes, labels, np.array([[1.0], [4.0]]), np.array([0, 1]), 0.4)
    # 1 is nearest to 0 and of its class: 0 + 0.4·1. 4 is nearest to 0.4, and of the other class:
    # 0.4 − 0.2·(4 − 0.4).
    np.testing.assert_allclose(moved, [[-0.32], [10.0]])
    assert prototypes[0, 0] == 0


def test_olvq1_by_hand() -> None:
    """A rate becomes α/(1 + α) after a right instance, α/(1 − α) after a wrong one."""
    prototypes, labels = np.array([[0.0], [10.0]]), np.array([0, 1])
    rows, codes = np.array([[1.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, 0])
    first = 0.3
    second = first + 0.3 / 1.3 * (1 - first)
    third_rate = (0.3 / 1.3) / (1 + 0.3 / 1.3)
    third = second - third_rate * (1 - second)
    fourth = third + third_rate / (1 - third_rate) * (1 - third)
    assert third_rate / (1 - third_rate) < 0.3
    np.testing.assert_allclose(_olvq1(prototypes, labels, rows, codes, 0.3), [[fourth], [10.0]])


def test_a_rate_does_not_grow_above_the_first() -> None:
    rows, codes = np.array([[1.0], [1.0]]), np.array([1, 0])
    moved = _olvq1(np.array([[0.0]]), np.array([0]), rows, codes, 0.3)
    np.testing.assert_allclose(moved, [[-0.3 + 0.3 * 1.3]])


@pytest.mark.parametrize("optimised", [True, False])
def test_prototypes_come_to_rest_near_the_class_means(optimised: bool) -> None:
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    y = np.repeat([0, 1, 2], 200)
    X = means[y] + rng.normal(size=(600, 2))
    model = LVQClassifier(3, optimised=optimised, n_steps=5000, random_state=0).fit(X, y)
    assert model.labels_.tolist() == [0, 1, 2]
    # LVQ pushes prototypes apart a little: a prototype is not the mean, but near it.
    assert np.linalg.norm(model.centroids_ - means, axis=1).max() < 0.6
    assert model.score(X, y) > 0.95


def test_the_first_codebook_is_of_instances_among_their_own_class() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.1, 30), rng.normal(9, 0.1, 10)])[:, None]
    codes = np.array([0] * 30 + [1] * 10)
    codes[:5] = 1  # strangers among the others
    chosen = _first_codebook(X, codes, 8, 5, np.random.RandomState(0))
    # 25 and 15 of 40: five prototypes and three.
    assert np.bincount(codes[chosen]).tolist() == [5, 3]
    assert (chosen >= 5).all()
    assert len(set(chosen.tolist())) == 8


def test_every_class_has_a_prototype_however_rare() -> None:
    X, y = np.arange(40.0)[:, None], np.array([0] * 39 + [1])
    model = LVQClassifier(2, random_state=0).fit(X, y)
    assert set(model.labels_.tolist()) == {0, 1}


def test_the_default_size_is_that_of_r() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.repeat([0, 1, 2], 20)
    # 0.4 · 3 · (2 + 8/2) = 7.2, so 7 of 60: 2.33 for each class, and that is 2.
    assert len(LVQClassifier(random_state=0).fit(X, y).centroids_) == 6


def test_a_rate_of_one_or_more_is_an_error() -> None:
    with pytest.raises(ParameterError, match=r"learning_rate: it is between 0 and 1, and 1\.5 was"):
        LVQClassifier(learning_rate=1.5).fit([[0.0], [1.0]], [0, 1])
