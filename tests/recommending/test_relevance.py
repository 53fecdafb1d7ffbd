"""Which data sets are near: worked by hand."""

import numpy as np
import pytest

from palio.errors import ParameterError
from palio.recommending.relevance import (
    Described,
    as_matrix,
    by_distance,
    check_tasks,
    distances,
)


def test_distances_by_hand() -> None:
    # Ranges 10 and 2: (2/10 + 1/2)/2, (3/10 + 1/2)/2, (8/10 + 1/2)/2.
    known = np.array([[0.0, 1.0], [5.0, 3.0], [10.0, 3.0]])
    found = distances(known, np.array([2.0, 2.0]))
    assert found == pytest.approx([0.35, 0.40, 0.65])
    assert by_distance(found).tolist() == [0, 1, 2]


def test_the_unit_of_a_feature_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    known, new = rng.normal(size=(6, 3)), rng.normal(size=3)
    scale, shift = np.array([1e3, 1e-3, 5.0]), np.array([7.0, -2.0, 0.0])
    assert distances(known * scale + shift, new * scale + shift) == pytest.approx(
        distances(known, new)
    )


def test_what_is_lacking_or_the_same_for_all_is_not_compared() -> None:
    # The second feature is 4 everywhere; the third is lacking on one side or the other.
    known = np.array([[0.0, 4.0, np.nan], [10.0, 4.0, 1.0], [5.0, 4.0, 3.0]])
    assert distances(known, np.array([0.0, 9.0, np.nan])) == pytest.approx([0.0, 1.0, 0.5])
    assert distances(known, np.array([0.0, 9.0, 1.0])) == pytest.approx([0.0, 0.5, 0.75])


def test_nothing_to_compare_is_infinitely_far() -> None:
    assert np.isinf(distances(np.array([[1.0], [1.0]]), np.array([1.0]))).all()
    assert np.isinf(distances(np.empty((2, 0)), np.empty(0))).all()
    one_lacks = distances(np.array([[1.0], [3.0], [np.nan]]), np.array([1.0]))
    assert one_lacks.tolist() == [0.0, 1.0, np.inf]


def test_equally_near_ones_stay_in_order() -> None:
    assert by_distance(np.array([0.5, 0.2, 0.5, 0.2])).tolist() == [1, 3, 0, 2]


def test_matrix_has_all_features_of_all() -> None:
    matrix, names = as_matrix([Described("a", 3, {"x": 1.0}), Described("b", 4, {"y": 2.0})])
    assert names == ("x", "y")
    assert np.isnan(matrix[0, 1])
    assert matrix[1, 1] == 2.0


def test_tasks_must_agree_where_they_are_known() -> None:
    new = Described("new", 3, task="regression")
    check_tasks(new, [Described("a", 3, task="regression"), Described("b", 3)])
    check_tasks(Described("new", 3), [Described("a", 3, task="classification")])
    with pytest.raises(ParameterError, match="'a' of the table is for classification"):
        check_tasks(new, [Described("a", 3, task="classification")])
