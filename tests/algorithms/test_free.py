"""Free hyper-parameters: a model cut short is the model trained short."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]

from palio.algorithms import LEARNERS
from palio.algorithms.free import at
from palio.errors import ParameterError

CASES = {
    "bst": {"n_boosts": (300, 100)},
    "gbm": {"n_estimators": (60, 20)},
    "rf": {"n_estimators": (60, 20)},
    "rknn": {"n_members": (45, 5)},
}


def _made(name: str, **values: Any) -> Any:
    model = LEARNERS[name].make()
    if "random_state" in model.get_params():
        values["random_state"] = 7
    return model.set_params(**values)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("name", CASES)
def test_cut_short_is_trained_short(name: str, load: Any) -> None:
    X, y = load(return_X_y=True)
    X, train = scale(X), np.arange(len(y)) % 2 == 0
    ((parameter, (many, few)),) = CASES[name].items()
    long = _made(name, **{parameter: many}).fit(X[train], y[train])
    short = _made(name, **{parameter: few}).fit(X[train], y[train])
    said = "decision_function" if name == "bst" else "predict_proba"
    before = getattr(long, said)(X)
    cut = getattr(at(long, **{parameter: few}), said)(X)
    np.testing.assert_allclose(cut, getattr(short, said)(X), rtol=1e-12)
    assert not np.allclose(cut, before)
    np.testing.assert_array_equal(getattr(long, said)(X), before)


def test_every_free_hyper_parameter_of_the_catalogue_is_tested() -> None:
    """Those of paths have a test of their own, as solutions agree to a tolerance only."""
    free = {name: learner.free for name, learner in LEARNERS.items() if learner.free}
    assert free == {**{name: tuple(each) for name, each in CASES.items()}, "glmnet": ("strength",)}


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_another_strength_of_the_path_is_that_of_its_own_training(l1_ratio: float) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    grid = LEARNERS["glmnet"].grid_for(*X.shape)["strength"]
    long = _made("glmnet", l1_ratio=l1_ratio, strength=grid[0]).fit(X, y)
    for strength in grid[4::5]:
        alone = _made("glmnet", l1_ratio=l1_ratio, strength=strength, path=[]).fit(X, y)
        cut = at(long, strength=strength)
        np.testing.assert_allclose(cut.predict_proba(X), alone.predict_proba(X), atol=5e-3)


def test_more_members_than_fitted_is_an_error() -> None:
    X, y = load_wine(return_X_y=True)
    forest = _made("rf", n_estimators=3).fit(X, y)
    with pytest.raises(
        ParameterError, match="n_estimators: the model was fitted with 3, and 5 was"
    ):
        at(forest, n_estimators=5)
