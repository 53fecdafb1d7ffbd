"""The study that stands in for a table of one's own: what it says, refuses and makes."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris  # type: ignore[import-untyped]

import palio
from palio import studies
from palio.errors import ParameterError
from palio.experiment.data.datasets import load_datasets, to_binary
from palio.recommending import Described
from palio.recommending.experience import FAILED, SHIPPED, Experience, experience_of

IRIS = "sklearn:iris"


@pytest.fixture(scope="module")
def experience() -> Experience:
    found = experience_of(None)
    assert found is not None
    return found


def test_it_says_whose_experience_it_is() -> None:
    table = palio.load_study("classification2026")
    found = palio.recommend(new="sklearn:breast_cancer", n_resamples=20)
    said = found.notes[0]
    assert found.experience == said
    assert "the study classification2026" in said
    assert f"{table.n_datasets} data sets of two classes" in said
    assert f"{table.n_algorithms} tuned learners of scikit-learn and of this package" in said
    text = str(found)
    assert text.count("Experience: the study classification2026") == 1
    assert text.index("Experience") < text.index("place")
    named = palio.recommend(SHIPPED["classification"], new="sklearn:breast_cancer", n_resamples=20)
    assert named.to_dict() == found.to_dict()


def test_a_table_of_ones_own_is_not_the_study() -> None:
    found = palio.recommend("study:ulas2008", n_resamples=20)
    assert found.experience is None
    assert "Experience" not in str(found)


def test_something_must_be_given() -> None:
    with pytest.raises(ParameterError, match=r"new='new\.csv'"):
        palio.recommend()


def test_costs_are_cpu_seconds_scaled_by_the_rows_of_the_study(experience: Experience) -> None:
    table = palio.read_scores(SHIPPED["classification"], missing=FAILED)
    whole = np.sum([table.cost_matrix(name) for name in experience.costs], axis=0)
    ratio = whole / table.cost_matrix("fit_cpu_time")
    assert 0.9 < np.nanmedian(ratio) < 1.1  # the search, the fit of what it chose, and predicting
    rows = {each.name: each.rows for each in experience.described}
    assert set(rows) == set(table.datasets)
    small, large = (
        {
            each.algorithm: each
            for each in palio.recommend(
                new=Described("new", n, task="classification"), n_resamples=2
            ).suggestions
        }
        for n in (1000, 3000)
    )
    for name, each in small.items():
        assert each.cost is not None
        assert large[name].cost == pytest.approx(each.cost * 3**each.power)
    assert small["svmRadial"].power > 0.5
    # A fold of a trial trains on four fifths, one of the study on a half; of the larger half of
    # the data sets.
    own = whole[:, table.algorithms.index("svmRadial")]
    halves = np.array([rows[name] / 2 for name in table.datasets])
    larger = halves >= np.median(halves)
    expected = 5 * np.median((own * (800 / halves) ** small["svmRadial"].power)[larger])
    assert small["svmRadial"].cost == pytest.approx(expected)


def test_a_search_looks_at_no_more_rows(experience: Experience) -> None:
    def cost(rows: int) -> dict[str, float]:
        new = Described("new", rows, task="classification")
        found = palio.recommend(new=new, n_resamples=2)
        assert any("a search looks at 5,000" in note for note in found.notes) == (rows > 6250)
        return {each.algorithm: each.cost or 0.0 for each in found.suggestions}

    at, beyond, far = cost(6250), cost(6251), cost(62_500)
    power = palio.recommend(new=Described("new", 6250), n_resamples=2).suggestions[0].power
    assert beyond == pytest.approx(at, rel=1e-3)
    assert at["svmRadial"] < far["svmRadial"] < at["svmRadial"] * 10**power
    assert experience.search is not None
    assert experience.search.rows == 5000


def test_a_target_of_numbers_is_answered_by_the_study_of_such() -> None:
    found = palio.recommend(new="sklearn:diabetes", budget="1h", n_resamples=20)
    assert "the study regression2026" in str(found.experience)
    assert "28 data sets with a target of numbers, 60 to 2,000 rows" in str(found.experience)
    assert "hgb" in found.within
    assert found.costs == ("fit_cpu_time", "predict_cpu_time")
    classes = Described("new", 500, task="classification")
    with pytest.raises(ParameterError, match=r"target of classes, and regression2026.*regression"):
        palio.recommend(SHIPPED["regression"], new=classes)
    with pytest.raises(ParameterError, match=r"classification2026.* is of classification"):
        palio.recommend(SHIPPED["classification"], new="sklearn:diabetes")


def test_the_kept_study_is_what_its_learners_do() -> None:
    """One fold of the smallest data set is not shipped; diabetes comes with scikit-learn."""
    table = palio.load_study("regression2026")
    assert (table.n_datasets, table.n_algorithms) == (28, 8)
    assert np.isfinite(table.means()).all()
    assert str(table.design("diabetes")) == "5×2 cv"
    # Nobody foretells the progress of diabetes within 40 of a spread of 77, nor worse than it.
    assert ((table.means()[table.datasets.index("diabetes")] > 40)
            & (table.means()[table.datasets.index("diabetes")] < 77)).all()  # fmt: skip


def test_a_large_file_is_not_given_what_does_not_end(experience: Experience) -> None:
    """The polynomial SVM was expected to take 59 of 60 seconds on 48,842 rows."""
    adult = Described("adult", 48_842, task="classification", classes=2)
    found = palio.recommend(new=adult, budget="60s", n_resamples=2)
    by_name = {each.algorithm: each for each in found.suggestions}
    assert by_name["svmPoly"].cost is not None
    assert by_name["svmPoly"].cost > 100
    assert "svmPoly" not in found.within
    assert found.within
    for budget in (0.01, 1.0, 600.0):  # there is always something to try
        assert palio.recommend(new=adult, budget=budget, n_resamples=2).within


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_this_machine_is_compared_with_that_of_the_study(task: str) -> None:
    found = experience_of(None, task)
    assert found is not None
    slowness = found.slowness(palio.read_scores(SHIPPED[task], missing=FAILED))
    assert 0.01 < slowness < 1000  # other work may run beside


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_costs_have_the_preparation_in_them(task: str) -> None:
    """They are those of whole fits; a search and its last fit alone would leave it out."""
    found = experience_of(None, task)
    assert found is not None
    assert found.costs[0] == "fit_cpu_time"
    table = palio.load_study(found.study)
    if found.search is not None:
        whole, parts = (
            sum(np.nansum(table.cost_matrix(name)) for name in names)
            for names in (("fit_cpu_time",), (*found.search.costs, "refit_cpu_time"))
        )
        assert whole > parts


def test_more_than_two_classes_are_compared_as_two_and_noted(experience: Experience) -> None:
    (iris,) = load_datasets(IRIS)
    found = palio.recommend(new=IRIS, relevant=3, n_resamples=20)
    assert any("iris has 3 classes" in note for note in found.notes)
    known = experience.describe(iris, features=True)
    assert known.features == Described.of(to_binary(iris)).features
    two = palio.recommend(new=to_binary(iris), relevant=3, n_resamples=20)
    assert not any("classes, and where" in note for note in two.notes)
    assert two.neighbours == found.neighbours
    # The study has this very data set.
    nearest, distance = next(iter(found.neighbours.items()))
    assert nearest == "iris"
    assert distance == pytest.approx(0.0, abs=0.05)


def test_the_learners_take_more_than_two_classes(experience: Experience) -> None:
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for name, make in experience.makers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = make().estimator.fit(X, y)
        assert fitted.score(X, y) > 0.7, name  # with two of them it would be two thirds at most
    assert set(experience.makers) == set(palio.load_study("classification2026").algorithms)


def test_its_learners_are_tried_without_being_named(tmp_path: Path) -> None:
    (new,) = load_datasets("sklearn:iris")
    found = palio.recommend(new=to_binary(new), budget=60, n_resamples=20)
    few = replace(found, suggestions=tuple(s for s in found.suggestions if s.algorithm == "sda"))
    store = tmp_path / "recommend.db"
    tried = palio.try_in_order(few, None, to_binary(new), store=store, engine="inline")
    assert [(each.algorithm, each.ending) for each in tried.trials] == [("sda", "ok")]
    with pytest.raises(ParameterError, match="what the algorithms of a table are must be said"):
        palio.try_in_order(few, "study:ulas2008", new, store=store)


def test_nearness_needs_no_data_of_the_study() -> None:
    found = palio.recommend(new="sklearn:breast_cancer", relevant="auto", n_resamples=20)
    assert any(note.startswith("all data sets are taken") for note in found.notes)
    evaluated = palio.evaluate_recommendation(nearest=[5], progress=False)
    assert evaluated.notes[0] == found.notes[0]
    assert evaluated.n_datasets == found.n_known
    assert str(evaluated).count("Experience: the study") == 1


def test_what_did_not_end_is_the_worst_there(monkeypatch: pytest.MonkeyPatch) -> None:
    table = palio.load_study("classification2026")
    frame: pd.DataFrame = table.to_frame()
    gone = (frame["dataset"] == "german") & (frame["algorithm"] == "rf")
    frame.loc[gone, ["error", *table.cost_names]] = np.nan
    holed = palio.read_scores(frame, score="error", costs=list(table.cost_names))
    monkeypatch.setattr(studies, "load_study", lambda _name: holed)
    found = palio.recommend(new="sklearn:breast_cancer", n_resamples=20)
    assert set(found.order) == set(table.algorithms)
    assert all(each.cost is not None and each.cost > 0 for each in found.suggestions)
    assert any("worst" in note for note in found.notes)
    evaluated = palio.evaluate_recommendation(nearest=[5], progress=False)
    assert evaluated.n_datasets == table.n_datasets
