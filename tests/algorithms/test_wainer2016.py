"""The learners of wainer2016: grids counted against the list of §2.4."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]

from palio.algorithms import LEARNERS
from palio.algorithms.wainer2016 import WAINER2016

NAMES = [
    "bst", "elm", "gbm", "glmnet", "knn", "lvq", "nb", "nnet", "rf", "rknn", "sda", "svmLinear",
    "svmPoly", "svmRadial",
]  # fmt: skip

# Combinations to train, and values of the free hyper-parameter, on 6000 rows and 100 features.
COUNTS = {
    "bst": (2, 15),  # shrinkage; 100, 300, …, 2900
    "elm": (24, None),
    "gbm": (5 * 2, 23),  # depth, shrinkage; 50, 70, …, 490
    "glmnet": (8, 20),
    "knn": (1 + 23, None),
    "lvq": (8, None),
    "nb": (2 * 4, None),
    "nnet": (8 * 3, None),
    "rf": (6, 6),  # 5, 10, 20, 30, 40 and 50 of 100; 500, 1000, …, 3000
    "rknn": (4 * 24, 5),  # 5, 25, …, 85
    "sda": (8, None),
    "svmLinear": (5, None),
    "svmPoly": (5 * 4, None),
    "svmRadial": (5 * 5, None),
}


def test_the_papers_fourteen_are_in_the_catalogue() -> None:
    assert [learner.name for learner in WAINER2016] == NAMES
    assert all(LEARNERS[learner.name] is learner for learner in WAINER2016)


@pytest.mark.parametrize("name", NAMES)
def test_grids_are_as_large_as_the_papers_list(name: str) -> None:
    learner = LEARNERS[name]
    combinations, free = COUNTS[name]
    assert learner.grid_size(6000, 100) == combinations
    assert len(learner.free) == (free is not None)
    for parameter in learner.free:
        assert len(learner.grid_for(6000, 100)[parameter]) == free


@pytest.mark.parametrize("name", NAMES)
def test_values_are_distinct_and_rise(name: str) -> None:
    for rows, features in ((6000, 100), (500, 20), (60, 4), (10, 1)):
        for values in LEARNERS[name].grid_for(rows, features).values():
            assert len(set(values)) == len(values) >= 1
            if not isinstance(values[0], bool):
                assert list(values) == sorted(values)


def _grid(name: str, rows: int, features: int) -> Any:
    return LEARNERS[name].grid_for(rows, features)


def test_caps_cut_a_range_and_leave_its_start() -> None:
    assert _grid("bst", 700, 5)["n_boosts"] == [100, 300, 500, 700]
    assert _grid("bst", 80, 5)["n_boosts"] == [100]
    assert _grid("gbm", 95, 5)["n_estimators"] == [50, 70, 90]
    assert _grid("rf", 2100, 5)["n_estimators"] == [500, 1000]
    assert _grid("rf", 150, 5)["n_estimators"] == [500]
    assert _grid("elm", 30, 5)["n_hidden"] == [20]
    assert _grid("elm", 46, 5)["n_hidden"] == [20, 21, 22, 23]
    assert _grid("nnet", 30, 4)["hidden_layer_sizes"] == [3]
    assert _grid("nnet", 30, 10)["hidden_layer_sizes"] == [3, 4, 5]
    assert _grid("knn", 10, 5)["n_neighbors"] == [1, 3]
    assert _grid("knn", 24, 5)["n_neighbors"] == [1, 3, 4, 5, 6]
    assert _grid("rknn", 24, 3)["max_features"] == [2]
    assert _grid("rknn", 24, 10)["max_features"] == [2, 4, 6, 8]
    assert _grid("lvq", 24, 1)["codebook_size"] == [2]


def test_mtry_is_at_most_half_of_the_features() -> None:
    assert _grid("rf", 100, 100)["max_features"] == [5, 10, 20, 30, 40, 50]
    assert _grid("rf", 100, 40)["max_features"] == [3, 6, 13, 19]  # 25 and 32 are above 20
    assert _grid("rf", 100, 4)["max_features"] == [1, 2]
    assert _grid("rf", 100, 1)["max_features"] == [1]


def test_random_values_of_k_are_the_same_for_the_same_rows_and_within_the_range() -> None:
    values = _grid("knn", 1000, 5)["n_neighbors"]
    assert values == _grid("knn", 1000, 9)["n_neighbors"]
    assert values != _grid("knn", 1001, 5)["n_neighbors"]
    assert values[0] == 1
    assert 3 <= values[1] < values[-1] <= 250


def test_values_of_the_list() -> None:
    assert _grid("svmLinear", 9, 9)["C"] == (2**-5, 1, 2**5, 2**10, 2**15)
    assert _grid("svmRadial", 9, 9)["gamma"] == (2**-15, 2**-10.5, 2**-6, 2**-1.5, 2**3)
    assert _grid("svmPoly", 9, 9)["degree"] == [2, 3, 4, 5]
    assert _grid("sda", 9, 9)["ridge"][::7] == pytest.approx([1e-8, 1e3])
    assert _grid("glmnet", 9, 9)["strength"][::19] == pytest.approx([1e-5, 1e3])
    assert _grid("glmnet", 9, 9)["l1_ratio"][:2] == pytest.approx([0, 1 / 7])
    assert _grid("gbm", 9, 9)["max_leaf_nodes"] == [2, 3, 4, 5, 6]  # depths 1 to 5, as R counts
    assert _grid("nnet", 9, 9)["alpha"] == [0, 0.02, 0.2]  # decays 0, 0.01 and 0.1
    assert _grid("nb", 9, 9)["laplace"] == [0, 0.1, 1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_ends_and_middle_of_every_grid_can_be_trained_and_one_learns(name: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    train, test = np.arange(0, 120), np.arange(120, 569)
    scores = []
    for share in (0, 0.5, 1):
        model = LEARNERS[name].make()
        grid = _grid(name, 120, 30)
        chosen = {key: values[int(share * (len(values) - 1))] for key, values in grid.items()}
        if "random_state" in model.get_params():
            chosen["random_state"] = 0
        if name.startswith("svm"):
            chosen["max_iter"] = 20_000
        with warnings.catch_warnings():
            if name == "nnet":  # it stops after 100 iterations, as in R
                warnings.simplefilter("ignore")
            model.set_params(**chosen).fit(X[train], y[train])
        scores.append(float(model.score(X[test], y[test])))
    # The ends may be bad choices: a search is there to find better ones.
    assert max(scores) > 0.85
