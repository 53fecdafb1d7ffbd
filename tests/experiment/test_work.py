"""What a worker hands back of each fold: scores, costs, predictions."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.decomposition import PCA  # type: ignore[import-untyped]
from sklearn.ensemble import BaggingClassifier, VotingClassifier  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsRegressor  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.algorithms.c45 import C45Classifier
from palio.errors import MissingCellsError
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.outcome import FoldOutcome, FoldPredictions
from palio.experiment.plan import make_plan
from palio.experiment.runner import read_store
from palio.experiment.store.store import Store
from palio.experiment.work import _seeded, execute
from tests.experiment import estimators as odd

ALWAYS = {
    "fit_time", "fit_cpu_time", "predict_time", "predict_cpu_time", "model_predict_cpu_time",
    "predict_time_per_1000",
}  # fmt: skip
GRID = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, cv=2)


def folds_of(
    estimator: Any, dataset: Any = "sklearn:iris", *, predictions: bool = False, **options: Any
) -> tuple[FoldOutcome, ...]:
    plan = make_plan([dataset], {"it": estimator}, **{"resampling": "2-fold", **options})
    outcome = execute(plan.jobs[0], predictions=predictions)
    assert outcome.status == "ok", outcome.traceback
    return outcome.folds


def toy(y: list[Any], task: Any = "classification") -> Dataset:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((len(y), 2)), columns=["u", "v"])
    return Dataset("toy", X, np.array(y), task, (), "here")


# Costs


def test_costs_of_every_fold() -> None:
    for fold in folds_of(GaussianNB()):
        assert set(fold.costs) == ALWAYS | {"model_bytes", "n_parameters", "peak_memory"}
        assert all(np.isfinite(list(fold.costs.values())))
        assert fold.costs["n_parameters"] == 27
        assert fold.costs["predict_time_per_1000"] == pytest.approx(
            1000 / 75 * fold.costs["predict_time"]
        )
        assert 0 < fold.costs["model_predict_cpu_time"] < fold.costs["predict_cpu_time"]
        assert fold.predictions is None


def test_what_cannot_be_measured_is_not_there() -> None:
    for fold in folds_of(HoldsALock()):
        assert set(fold.costs) == ALWAYS | {"peak_memory"}


@pytest.mark.parametrize(
    "tree",
    [
        C45Classifier(random_state=0),
        GridSearchCV(C45Classifier(random_state=0), {"max_depth": [9]}),
    ],
)
def test_nominal_columns_reach_who_takes_them_raw(tree: Any) -> None:
    """MONK's colours have four branches, and 1-of-n columns would have two each."""
    (data,) = load_datasets("monks-1")
    (job, *_) = make_plan([data], {"tree": tree}, resampling="2-fold").jobs
    for fold, split in zip(execute(job).folds, job.splits, strict=True):
        train, test = data.X.iloc[split.train], data.X.iloc[split.test]
        alone = C45Classifier(random_state=0, max_depth=9).fit(train, data.y[split.train])
        assert fold.scores["accuracy"] == alone.score(test, data.y[split.test])
        assert alone.tree_.n_children[0] == 4
        assert fold.costs["n_parameters"] == alone.tree_.node_count


class HoldsALock(odd.Constant):
    """Cannot be pickled once it is fitted, nor counted."""

    def misbehave(self) -> None:
        import threading

        self.lock_ = threading.Lock()


@pytest.mark.parametrize("inside", [False, True])
def test_a_search_tells_its_costs_and_its_inner_score(inside: bool) -> None:
    estimator = make_pipeline(StandardScaler(), GRID) if inside else GRID
    for fold in folds_of(estimator, scoring=["accuracy", "f1_macro"]):
        costs = fold.costs
        assert costs["tuning_time"] + costs["refit_time"] == pytest.approx(costs["fit_time"])
        assert costs["tuning_time_per_combination"] == pytest.approx(costs["tuning_time"] / 3)
        assert list(fold.scores) == ["accuracy", "f1_macro", "inner_cv_accuracy"]
        assert 0.3 < fold.scores["inner_cv_accuracy"] <= 1


class NeverSure(GridSearchCV):  # type: ignore[misc]
    """A search whose inner score is not a number."""

    def fit(self, X: Any, y: Any = None, **params: Any) -> "NeverSure":
        super().fit(X, y, **params)
        self.best_score_ = float("nan")
        return self


def test_an_inner_score_that_is_no_number_fails_no_job() -> None:
    for fold in folds_of(NeverSure(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2)):
        assert list(fold.scores) == ["accuracy"]


def test_the_inner_score_stands_beside_the_score(tmp_path: Path) -> None:
    """Though its name comes first in the alphabet, and the one that searched among the rows."""
    searching = GridSearchCV(
        DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="recall_macro", cv=2
    )
    table = palio.run(
        ["sklearn:iris", "sklearn:wine"],
        {"searched": searching, "nb": GaussianNB()},
        scoring="recall_macro",
        resampling="3-fold",
        store=tmp_path / "e.db",
        engine="inline",
    )
    assert table.measure.name == "recall_macro"
    assert table.score_names == ("recall_macro", "inner_cv_recall_macro")
    inner = table.with_score("inner_cv_recall_macro")
    assert np.isnan(inner.mean_scores()["nb"])
    searched = table.to_frame().query("algorithm == 'searched'")
    assert searched["inner_cv_recall_macro"].notna().all()
    # Written to a file and read again, the score is still the score.
    table.to_frame().to_csv(tmp_path / "e.csv", index=False)
    again = palio.read_scores(tmp_path / "e.csv")
    assert again.measure.name == "recall_macro"
    assert set(again.score_names) == set(table.score_names)
    assert set(again.cost_names) == set(table.cost_names)


def test_a_cost_that_some_algorithms_lack_is_an_error_only_when_asked_for(tmp_path: Path) -> None:
    table = palio.run(
        ["sklearn:iris", "sklearn:wine"],
        {"searched": GRID, "nb": GaussianNB(), "odd": odd.Constant()},
        store=tmp_path / "e.db",
        engine="inline",
    )
    assert palio.multi2test(table, cost="fit_time").order
    with pytest.raises(MissingCellsError, match=r"'tuning_time' was not measured for 'nb', 'odd'"):
        palio.multi2test(table, cost="tuning_time")
    with pytest.raises(MissingCellsError, match=r"'n_parameters' was not measured for 'odd'"):
        table.cost_matrix("n_parameters")
    both = table.select(algorithms=["searched", "nb"])
    assert both.cost_matrix("n_parameters")[0, 1] == 27


def test_a_cost_that_an_older_version_did_not_measure_keeps_no_score_from_being_read(
    tmp_path: Path,
) -> None:
    plan = make_plan(["sklearn:iris", "sklearn:wine"], {"nb": GaussianNB(), "odd": odd.Constant()})
    with Store(tmp_path / "e.db") as store:
        store.save_plan(plan)
        done = [execute(job) for job in plan.jobs]
        for fold in done[0].folds:
            fold.costs.pop("n_parameters")  # type: ignore[attr-defined]
        store.save(done)
    table = read_store(tmp_path / "e.db")
    assert "n_parameters" not in table.cost_names
    assert table.cost_matrix("fit_time").shape == (2, 2)


# Seeds and scorers


class Noise(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers with what it was seeded."""

    seeds: list[Any] = []  # noqa: RUF012 - of all copies

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Noise":
        self.classes_ = np.unique(y)
        Noise.seeds.append((id(self), self.random_state))
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


def test_what_is_nested_is_seeded_too_and_what_has_a_seed_keeps_it() -> None:
    """In a pipeline's step, in what an ensemble is made of, and in a step of that."""
    inner = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    model = make_pipeline(
        PCA(svd_solver="randomized"),
        VotingClassifier(
            [
                ("bags", BaggingClassifier(inner)),
                ("tree", DecisionTreeClassifier(random_state=3)),
            ]
        ),
    )
    seeded = _seeded(model, 17)
    found = {
        name: value
        for name, value in seeded.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state"
    }
    assert found == {
        "pca__random_state": 17,
        "votingclassifier__bags__random_state": 17,
        "votingclassifier__bags__estimator__decisiontreeclassifier__random_state": 17,
        "votingclassifier__tree__random_state": 3,
    }
    assert model[0].random_state is None


@pytest.mark.parametrize("own", [None, 5])
def test_every_fold_has_a_fresh_model_and_the_same_seed(own: int | None) -> None:
    Noise.seeds.clear()
    estimator = Noise(own)
    folds_of(estimator, resampling="4-fold")
    assert len(Noise.seeds) == 4
    assert estimator.random_state is own
    used = {seed for _, seed in Noise.seeds}
    assert len(used) == 1
    assert used != {None}
    assert own is None or used == {own}


# Predictions


def test_predictions_are_those_that_were_scored() -> None:
    folds = folds_of(LogisticRegression(max_iter=500), predictions=True)
    seen = []
    for fold in folds:
        said = fold.predictions
        assert said is not None
        assert said.probabilities is not None
        assert (said.truth == said.predicted).mean() == pytest.approx(fold.scores["accuracy"])
        assert said.classes == ("0", "1", "2")
        assert said.probabilities.sum(axis=1) == pytest.approx(1.0)
        by_probability = np.array(said.classes)[said.probabilities.argmax(axis=1)]
        assert (by_probability == said.predicted).all()
        seen += said.instances.tolist()
    assert sorted(seen) == list(range(150))


def test_instances_are_rows_of_the_data_set() -> None:
    data = toy(list("abcab" * 8))
    for fold in folds_of(GaussianNB(), data, predictions=True):
        assert fold.predictions is not None
        assert (data.y[fold.predictions.instances] == fold.predictions.truth).all()


def test_a_class_that_was_not_trained_on_has_probability_zero() -> None:
    data = toy(["a"] * 10 + ["b"] * 10 + ["c"])  # c is in one of the two test parts
    columns = []
    for fold in folds_of(GaussianNB(), data, predictions=True):
        said = fold.predictions
        assert said is not None
        assert said.probabilities is not None
        assert said.classes == ("a", "b", "c")
        assert said.probabilities.shape == (len(said.instances), 3)
        assert said.probabilities.sum(axis=1) == pytest.approx(1.0)
        columns.append("c" in said.truth and not said.probabilities[:, 2].any())
    assert sum(columns) == 1


def test_without_probabilities_the_predictions_are_kept_alone() -> None:
    for estimator in (SVC(), CannotAfterAll()):
        for fold in folds_of(estimator, predictions=True):
            assert fold.predictions is not None
            assert fold.predictions.probabilities is None
            assert set(fold.predictions.predicted) <= set(fold.predictions.classes)


class CannotAfterAll(GaussianNB):  # type: ignore[misc]
    def predict_proba(self, X: Any) -> Any:
        raise RuntimeError("not today")


class SaysFloats(GaussianNB):  # type: ignore[misc]
    """Says 1.0 for class 1, in a column, as some libraries do."""

    def predict(self, X: Any) -> Any:
        return super().predict(X).astype(float).reshape(-1, 1)


def test_labels_are_written_as_the_data_set_writes_them() -> None:
    for fold in folds_of(SaysFloats(), predictions=True):
        assert fold.predictions is not None
        assert set(fold.predictions.predicted) == {"0", "1", "2"}


def test_regression_keeps_no_predictions() -> None:
    for fold in folds_of(KNeighborsRegressor(), "sklearn:diabetes", predictions=True):
        assert fold.predictions is None


def test_keeping_predictions_changes_no_score() -> None:
    with_them = folds_of(DecisionTreeClassifier(), predictions=True)
    without = folds_of(DecisionTreeClassifier())
    assert [fold.scores for fold in with_them] == [fold.scores for fold in without]


@pytest.mark.parametrize(
    "probabilities", [None, np.array([[0.25, 0.75], [0.1, 0.9], [1 / 3, 2 / 3]])]
)
def test_predictions_survive_being_stored(probabilities: Any) -> None:
    said = FoldPredictions(
        np.array([7, 0, 12]),
        np.array(["ja", "né", "ja"], dtype=object),
        np.array(["ja", "ja", "né"]),
        ("ja", "né"),
        probabilities,
    )
    content = said.to_bytes()
    assert isinstance(content, bytes)
    again = FoldPredictions.from_bytes(content)
    assert again.instances.tolist() == [7, 0, 12]
    assert again.truth.tolist() == ["ja", "né", "ja"]
    assert again.predicted.tolist() == ["ja", "ja", "né"]
    assert again.classes == ("ja", "né")
    if probabilities is None:
        assert again.probabilities is None
    else:
        assert again.probabilities is not None
        assert np.array_equal(again.probabilities, probabilities)


def test_a_job_that_fails_late_has_no_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a data set is no result, though its first fold went well."""
    fit = GaussianNB.fit
    fitted: list[int] = []

    def fit_once(self: Any, X: Any, y: Any) -> Any:
        if fitted:
            raise ValueError("no more")
        fitted.append(len(y))
        return fit(self, X, y)

    monkeypatch.setattr(GaussianNB, "fit", fit_once)
    plan = make_plan(["sklearn:iris"], {"it": GaussianNB()}, resampling="2-fold")
    outcome = execute(plan.jobs[0])
    assert (outcome.status, len(fitted)) == ("failed", 1)
    assert outcome.folds == ()
