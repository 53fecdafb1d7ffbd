"""Today's learners: those of scikit-learn, and those of the extra ``boosting``."""

import sys
from types import SimpleNamespace

import pytest
from sklearn.datasets import load_wine  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from palio.algorithms import LEARNERS
from palio.algorithms.catalogue import TODAY
from palio.errors import MissingExtraError

CLASSES = {
    "lightgbm": "LGBMClassifier",
    "xgboost": "XGBClassifier",
    "catboost": "CatBoostClassifier",
}


def test_what_there_is() -> None:
    assert [learner.name for learner in TODAY] == ["hgb", "et", *CLASSES]
    assert all(LEARNERS[learner.name] is learner for learner in TODAY)


@pytest.mark.parametrize("name", ["hgb", "et"])
def test_those_of_scikit_learn_know_wine(name: str) -> None:
    X, y = load_wine(return_X_y=True)
    model = LEARNERS[name].make().set_params(random_state=0)
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


@pytest.mark.parametrize("name", CLASSES)
def test_one_that_is_not_installed_says_how_to_get_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)  # as if it were not there, whether it is or not
    with pytest.raises(
        MissingExtraError, match=rf"{name} is not .* pip install 'palio\[boosting\]"
    ):
        LEARNERS[name].make()


@pytest.mark.parametrize(("name", "class_name"), CLASSES.items())
def test_one_that_is_installed_gets_one_thread_and_numbered_classes(
    name: str, class_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {}

    def made(**options: object) -> LogisticRegression:
        given.update(options)
        return LogisticRegression()

    monkeypatch.setitem(sys.modules, name, SimpleNamespace(**{class_name: made}))
    model = LEARNERS[name].make().fit([[0.0], [1.0]], ["b", "a"])
    assert 1 in given.values()
    assert set(given) & {"n_jobs", "thread_count"}
    assert model.predict([[0.0]]).tolist() == ["b"]
    assert model.estimator_.classes_.tolist() == [0, 1]
