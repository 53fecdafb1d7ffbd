"""What is right passes the checks that others may use, and each fault is named."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio.algorithms.catalogue import LEARNERS
from palio.errors import UnknownNameError
from palio.testing import (
    assert_same_answer,
    check_learner,
    check_pair_test,
    check_ranking_method,
    make_scores,
)
from palio.types import FloatArray

# --- tests of two ---------------------------------------------------------------------------------


def by_signs(a: FloatArray, b: FloatArray) -> float:
    wins, losses = int((a > b).sum()), int((a < b).sum())
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def test_a_right_test_passes() -> None:
    promised = ["mirror", "reorder", "negation", "identical", "shift", "monotone"]
    check_pair_test(by_signs, promised, simulations=300)
    check_pair_test(stats.ttest_rel, ["mirror", "reorder", "negation", "shift"], simulations=300)


WRONG: dict[str, Callable[[FloatArray, FloatArray], Any]] = {
    "mirror": lambda a, b: stats.wilcoxon(a, b, alternative="greater"),
    "reorder": lambda a, b: by_signs(a[:6], b[:6]),
    "negation": lambda a, b: by_signs(np.maximum(a, 15), np.maximum(b, 15)),
    "identical": lambda a, b: 0.9 * by_signs(a, b),
    "rounding": by_signs,
    "shift": lambda a, b: by_signs(1.1 * a, b),
    "monotone": stats.ttest_rel,
    "level": lambda a, b: stats.ttest_rel(a, b).pvalue / 2,
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_test_is_told_what_it_breaks(what: str) -> None:
    promised = [] if what == "level" else [what]
    with pytest.raises(AssertionError, match=f"^'?{what}"):
        check_pair_test(WRONG[what], promised, simulations=500)


def test_a_p_value_is_a_probability() -> None:
    with pytest.raises(AssertionError, match="between 0 and 1, and nan"):
        check_pair_test(lambda a, b: np.nan)
    with pytest.raises(AssertionError, match="a p-value is a number"):
        check_pair_test(lambda a, b: "small")
    with pytest.raises(UnknownNameError, match="mirror"):
        check_pair_test(by_signs, ["miror"])


# --- rankings -------------------------------------------------------------------------------------


def best_first(table: palio.ScoreTable) -> list[str]:
    means = table.goodness().mean(axis=0)
    return [table.algorithms[i] for i in np.argsort(-means, kind="stable")]


def test_a_right_ranking_passes() -> None:
    check_ranking_method(lambda table: palio.rank(table, method="mean-score"), ["copy", "negation"])
    # Names are a ranking too, but have no ties.
    check_ranking_method(best_first, ["scale", "dominated"])
    with pytest.raises(AssertionError, match=r"^'identical' is not kept"):
        check_ranking_method(best_first, ["identical"])


@pytest.mark.parametrize(
    ("what", "method"),
    [
        ("reorder", lambda table: list(table.algorithms)),
        ("negation", lambda table: dict(zip(table.algorithms, table.means()[0], strict=True))),
        ("scale", lambda table: dict(zip(table.algorithms, table.means()[0] // 1, strict=True))),
        ("monotone", lambda table: palio.rank(table, method="mean-score")),
        ("dominated", lambda table: best_first(table)[::-1]),
    ],
)
def test_a_wrong_ranking_is_told_what_it_breaks(what: str, method: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError, match=f"^'{what}' is not kept"):
        check_ranking_method(method, [what])


def test_what_is_no_ranking() -> None:
    with pytest.raises(AssertionError, match="a ranking is ranks by name"):
        check_ranking_method(lambda table: 3)


# --- learners -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nb", "nmc", "c45"])
def test_learners_of_the_catalogue_pass(name: str) -> None:
    check_learner(LEARNERS[name].make())


def test_a_regressor_passes() -> None:
    check_learner(DummyRegressor())


class Forgets(GaussianNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> None:
        super().fit(X, y)


class Writes(GaussianNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Any:
        X[0] = 0
        return super().fit(X, y)


class Locked(GaussianNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Any:
        self.lock_ = threading.Lock()
        return super().fit(X, y)


class Dice(GaussianNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(X + np.random.default_rng().normal(0, 5, X.shape), y)


class Column(GaussianNB):  # type: ignore[misc]
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:, None]


class Picky(GaussianNB):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> Any:
        if len(X) < 100:
            raise ValueError("too few rows")
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (object(), "get_params: object has no such method"),
        (Forgets(), "fit: Forgets does not return itself"),
        (Writes(), "fit: Writes changes the data"),
        (Locked(), "pickle: Locked cannot be pickled"),
        (Dice(), "random_state: Dice (learns another thing|scores otherwise)"),  # by chance alike
        (Column(), "predict: Column gives"),
        (Picky(), "run: Picky failed: ValueError: too few rows"),
    ],
)
def test_a_learner_is_told_what_it_lacks(learner: Any, says: str) -> None:
    with pytest.raises(AssertionError, match=f"^{says}"):
        check_learner(learner)


# --- tables and answers ---------------------------------------------------------------------------


def test_tables_in_all_shapes() -> None:
    plain = make_scores()
    assert (plain.n_datasets, plain.n_algorithms) == (20, 4)
    assert str(make_scores(resampling=(5, 2)).design()) == "5×2 cv"
    assert palio.order(make_scores(30, higher_is_better=False)).first == "algorithm 1"
    assert make_scores(costs=["time", "space"]).cost_names == ("time", "space")
    assert np.isnan(make_scores(missing=0.25).means()).sum() == 20
    few = make_scores(4, 3, missing=0.9).means()
    assert (np.isfinite(few).sum(axis=0) == 2).all()
    tied = make_scores(ties=True).means()
    assert len(np.unique(tied)) < tied.size / 2
    np.testing.assert_array_equal(make_scores(seed=3).means(), make_scores(seed=3).means())
    assert (make_scores(seed=3).means() != make_scores(seed=4).means()).all()


def test_the_first_differences_are_told() -> None:
    one = {"a": [1.0, {"b": "x"}], "notes": ["n"], "c": 1}
    assert_same_answer(one, {"a": [1.0 + 1e-13, {"b": "x"}], "notes": [], "c": 1}, ignore=["notes"])
    with pytest.raises(AssertionError) as caught:
        assert_same_answer(one, {"a": [2.0, {"b": "y"}], "notes": [], "d": True})
    assert str(caught.value).splitlines() == [
        "a[0]: 1.0 and 2.0",
        "a[1].b: 'x' and 'y'",
        "notes: 1 and 0 long",
        "c: only in the first",
        "d: only in the second",
    ]


def test_a_result_and_its_dictionary_are_the_same_answer() -> None:
    found = palio.compare(make_scores())
    assert_same_answer(found, found.to_dict())
    said = ["verdict", "claims", "sureness"]
    with pytest.raises(AssertionError, match=r"claims\[0\].standing"):
        assert_same_answer(found, palio.compare(make_scores(seed=1)), ignore=["verdict", "scores"])
    with pytest.raises(AssertionError, match="mean_ranks"):
        assert_same_answer(found, palio.compare(make_scores(seed=1)), ignore=[*said, "scores"])
