"""What a plan lays out: which data, which rows, and how quickly."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import InputError, ParameterError
from palio.experiment.data.datasets import Dataset, load_datasets, to_binary
from palio.experiment.plan import make_plan
from palio.experiment.resampling import aside as keep_aside

NB = {"nb": GaussianNB()}


def blobs(name: str, rows: int = 60, classes: int = 3, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    X = pd.DataFrame({"a": y + rng.normal(size=rows), "b": rng.normal(size=rows)})
    return Dataset(name, X, y, "classification", (), "made here")


def a_file(path: Path) -> str:
    rows = [f"{i},{'uvw'[i % 3]},{i % 2}" for i in range(30)]
    path.write_text("\n".join(["x,kind,z", *rows]), encoding="utf-8")
    return f"csv:{path}"


# --- kept aside ------------------------------------------------------------------------------


@pytest.mark.parametrize("resampling", ["5x2", "10-fold", "holdout", "bootstrap-3-full"])
def test_no_job_touches_what_is_kept_aside(resampling: str) -> None:
    plan = make_plan(["sklearn:iris", "monks-1"], NB, resampling=resampling, aside=1 / 3)
    for job in plan.jobs:
        rest, kept = plan.held_out(job.dataset.name)
        assert kept.size == round(job.dataset.n_rows / 3)
        assert np.array_equal(np.sort(np.concatenate([rest, kept])), np.arange(job.dataset.n_rows))
        for split in job.splits:
            touched = np.concatenate([split.train, split.test])
            assert not np.isin(touched, kept).any()
            assert np.isin(touched, rest).all()
    assert "0.333 of every data set kept aside" in str(plan)


def test_the_rest_is_used_whole_and_classes_stay_in_proportion() -> None:
    plan = make_plan(["sklearn:iris"], NB, aside=1 / 3, seed=3)
    rest, kept = plan.held_out("iris")
    y = plan.jobs[0].dataset.y
    for rows, each in ((rest, 100 / 3), (kept, 50 / 3)):
        assert (np.abs(np.bincount(y[rows]) - each) < 1).all()
    for job in plan.jobs:
        tested = np.concatenate([split.test for split in job.splits])
        assert np.array_equal(np.sort(tested), rest)


def test_what_is_kept_aside_depends_on_data_and_seed_alone() -> None:
    (iris,) = load_datasets("sklearn:iris")
    expected = keep_aside(iris, seed=3, fraction=0.25)[1]
    for resampling in ("5x2", "10-fold"):
        plan = make_plan(["monks-1", iris], NB, resampling=resampling, aside=0.25, seed=3)
        assert np.array_equal(plan.held_out("iris")[1], expected)
    other = make_plan([iris], NB, aside=0.25, seed=4).held_out("iris")[1]
    assert not np.array_equal(other, expected)


def test_a_plan_that_keeps_nothing_aside_says_so() -> None:
    plan = make_plan(["sklearn:iris"], NB)
    assert plan.aside is None
    with pytest.raises(ParameterError, match="keeps nothing aside"):
        plan.held_out("iris")
    with pytest.raises(InputError, match=r"'irs' is not known\. Did you mean 'iris'"):
        make_plan(["sklearn:iris"], NB, aside=0.5).held_out("irs")


def test_jobs_with_and_without_are_different_jobs() -> None:
    keys = {
        job.key
        for part in (None, 0.25, 1 / 3)
        for job in make_plan(["sklearn:iris"], NB, aside=part).jobs
    }
    assert len(keys) == 3 * 5


# --- which data ------------------------------------------------------------------------------


def test_the_target_is_for_files_and_others_have_their_own(tmp_path: Path) -> None:
    plan = make_plan([a_file(tmp_path / "f.csv"), "sklearn:iris"], NB, target="kind")
    mine, iris = (plan.jobs[i].dataset for i in (0, -1))
    assert mine.classes == ("u", "v", "w")
    assert list(mine.X.columns) == ["x", "z"]
    assert iris.classes == (0, 1, 2)
    assert make_plan([a_file(tmp_path / "f.csv")], NB).jobs[0].dataset.classes == (0, 1)


def test_the_task(tmp_path: Path) -> None:
    (dataset,) = {job.dataset for job in make_plan([a_file(tmp_path / "f.csv")], NB, target="x",
                                                   task="regression").jobs}  # fmt: skip
    assert dataset.task == "regression"
    job = make_plan(["sklearn:iris"], NB, task="regression").jobs[0]
    assert job.scoring == ("r2",)


def test_rows_and_classes() -> None:
    plan = make_plan(["sklearn:digits", "sklearn:iris"], NB, max_rows=100, binary=True)
    digits, iris = (plan.jobs[i].dataset for i in (0, -1))
    assert (digits.n_rows, digits.classes) == (100, (0, 1))
    assert (iris.n_rows, iris.classes) == (100, (0, 1))
    # setosa and virginica against versicolor
    assert np.bincount(iris.y).tolist() in ([33, 67], [34, 66])


def test_a_class_that_is_not_drawn_does_not_turn_the_others_round() -> None:
    """Of a, b, c and d, two rows of b: c is positive whether or not one of b is drawn."""
    y = np.repeat(["a", "b", "c", "d"], [99, 2, 99, 100])
    X = pd.DataFrame({"code": np.repeat([0.0, 1.0, 2.0, 3.0], [99, 2, 99, 100])})
    many = Dataset("many", X, y, "classification", (), "made here")
    (cut,) = load_datasets(many, max_rows=10, binary=True)
    expected = np.isin(cut.X["code"], [0.0, 2.0]).astype(int)
    assert np.array_equal(cut.y, expected)
    assert 1.0 not in set(cut.X["code"])
    whole = to_binary(many)
    assert int(whole.y.sum()) == 198


def test_run_takes_them_all(tmp_path: Path) -> None:
    table = palio.run(
        [a_file(tmp_path / "f.csv"), "sklearn:iris"],
        {**NB, "tree": DecisionTreeClassifier()},
        resampling="2-fold",
        scoring="f1",
        store=tmp_path / "e.db",
        engine="inline",
        target="kind",
        max_rows=20,
        binary=True,
        aside=0.2,
    )
    # f1 has no meaning for three classes: they were made two.
    assert table.datasets == ("f", "iris")
    assert table.measure.name == "f1"


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"aside": 1.0}, "aside: the part kept aside is a number between 0 and 1, and 1.0 was"),
        ({"aside": 0}, "and 0 was given"),
        ({"aside": float("nan")}, "and nan was given"),
        ({"aside": "1/3"}, "and '1/3' was given"),
        ({"target": "kind"}, "target: none of these data sets lets its target be named, and 'kin"),
        ({"max_rows": 1}, "max_rows: must be a whole number of at least 2"),
        ({"task": "clustering"}, "task: must be 'classification' or 'regression'"),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": []}, "scoring: at least one scorer"),
    ],
)
def test_bad_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        make_plan(["sklearn:iris"], NB, **options)
    assert says in str(caught.value)


def test_binary_is_for_classes() -> None:
    with pytest.raises(ParameterError, match="'diabetes' is for regression"):
        make_plan(["sklearn:iris", "sklearn:diabetes"], NB, binary=True)


def test_names_of_data_sets_differ() -> None:
    pairs = [blobs("b"), blobs("a"), blobs("b", seed=1), blobs("a", seed=1), blobs("c")]
    with pytest.raises(ParameterError, match="names must differ, and a, b comes twice"):
        make_plan(pairs, NB)


# --- how quickly -----------------------------------------------------------------------------


def test_fifty_thousand_jobs_are_laid_out_at_once() -> None:
    datasets = [blobs(f"d{i}", rows=40, seed=i) for i in range(100)]
    trees = {f"t{depth}": DecisionTreeClassifier(max_depth=depth) for depth in range(1, 51)}
    start = time.process_time()
    plan = make_plan(datasets, trees, resampling="10x2")
    spent = time.process_time() - start
    assert len(plan.jobs) == 50_000
    assert spent < 2.0


def test_who_changes_an_estimator_later_does_not_change_the_plan() -> None:
    """A job's key stands for what was planned, so it must be what is run."""
    tree = DecisionTreeClassifier(max_depth=2)
    plan = make_plan(["sklearn:iris"], {"tree": tree}, resampling="2-fold")
    tree.set_params(max_depth=9)
    (job,) = plan.jobs
    assert job.estimator.max_depth == 2
