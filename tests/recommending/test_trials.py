"""Trying in order: the rule that stops it by hand, the budget, resuming, what cannot be made."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.experiment import work
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.resampling import make_splits
from palio.experiment.store.store import Store
from palio.recommending import Recommendation, Trials
from palio.recommending.loading import scorer_for
from palio.recommending.trials import chance_of_rest
from tests.experiment.estimators import Constant, Raises

NAMES = ["nb", "tree", "constant"]
ESTIMATORS = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "constant": DummyClassifier(),
}


def table(scores: Any, costs: tuple[float, ...] = (1.0, 1.0, 1.0)) -> palio.ScoreTable:
    values = np.array(scores, dtype=float)
    return palio.ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(len(values))],
        algorithms=NAMES,
        measure="accuracy",
        costs={"fit_time": np.tile(costs, (len(values), 1))},
    )


ALWAYS = [[0.9, 0.8, 0.7]] * 12
MIXED = [[0.9, 0.8, 0.7]] * 6 + [[0.8, 0.9, 0.7]] * 5 + [[0.8, 0.7, 0.9]]


@pytest.fixture(scope="module")
def iris() -> Dataset:
    return load_datasets("sklearn:iris")[0]


def tried(
    scores: palio.ScoreTable, iris: Dataset, folder: Path, budget: float | None = None, **more: Any
) -> Trials:
    found: Recommendation = palio.recommend(scores, budget=budget, folds=2, n_resamples=50)
    options = {"engine": "inline", "store": folder / "r.db", **more}
    return palio.try_in_order(found, scores, iris, options.pop("estimators", ESTIMATORS), **options)


# --- the rule ------------------------------------------------------------------------------------


def test_chance_by_hand() -> None:
    goodness = np.array([[3.0, 2, 1, 0], [3, 1, 4, 0], [1, 2, 5, 0], [2, 2, 1, 2], [5, 1, 1, 9]])
    # Of 0 and 1, 0 leads on rows 0, 1, 3 (a tie) and 4; 2 or 3 beats it on rows 1 and 4.
    found = chance_of_rest(goodness, tried=[0, 1], rest=[2, 3], leader=0)
    assert (found.beaten, found.n) == (2, 4)
    assert found.probability == 0.5
    assert chance_of_rest(goodness, [0, 1], [2, 3], 0, margin=1.0).beaten == 1  # row 1 by just 1
    assert chance_of_rest(goodness, [0, 1], [2], 1).n == 2  # 1 leads on rows 2 and 3
    assert chance_of_rest(goodness, [0, 3], [1], 3).probability == pytest.approx(0.5 / 3)


def test_ten_data_sets_are_needed_to_be_sure_at_a_twentieth() -> None:
    def probability(n: int) -> float:
        return chance_of_rest(np.tile([1.0, 0.0], (n, 1)), [0], [1], 0).probability

    assert probability(9) == 0.05
    assert probability(10) < 0.05


# --- trying --------------------------------------------------------------------------------------


def test_it_stops_when_the_rest_cannot_win(iris: Dataset, tmp_path: Path) -> None:
    found = tried(table(ALWAYS), iris, tmp_path)
    assert [each.ending for each in found.trials] == ["ok", "left", "left"]
    assert found.chance is not None
    assert (found.chance.beaten, found.chance.n) == (0, 12)
    assert "probability 0.038, below 0.05" in found.stopped
    everything = tried(table(ALWAYS), iris, tmp_path, stop=0)
    assert [each.ending for each in everything.trials] == ["ok"] * 3


def test_it_goes_on_while_they_may(iris: Dataset, tmp_path: Path) -> None:
    found = tried(table(MIXED), iris, tmp_path)
    # After nb and tree: nb leads the two on 7 of 12 data sets, tree on 5, and the constant beats
    # nb on one, tree on none; neither (1.5/8, 0.5/6) is below a twentieth.
    assert [each.ending for each in found.trials] == ["ok"] * 3
    assert found.stopped == "all that could be tried were tried"
    assert found.best in ("nb", "tree")


def test_scores_are_those_of_the_folds_that_all_share(iris: Dataset, tmp_path: Path) -> None:
    found = tried(table(MIXED), iris, tmp_path, seed=3)
    folds = [(split.train, split.test) for split in make_splits(iris, "2-fold", seed=3)]
    model = make_pipeline(StandardScaler(), GaussianNB())
    expected = cross_val_score(model, iris.X.to_numpy(), iris.y, cv=folds).mean()
    by_name = {each.algorithm: each for each in found.trials}
    assert by_name["nb"].score == pytest.approx(expected)
    assert by_name["constant"].score == pytest.approx(1 / 3)
    stored = palio.read_scores(tmp_path / "r.db")
    assert stored.datasets == ("iris",)
    assert stored.means()[0, stored.algorithms.index("nb")] == pytest.approx(expected)


def test_what_is_too_dear_is_passed_over(iris: Dataset, tmp_path: Path) -> None:
    found = tried(table(MIXED, (1.0, 100.0, 2.0)), iris, tmp_path, budget=7.0)
    endings = {each.algorithm: each.ending for each in found.trials}
    assert endings == {"nb": "ok", "tree": "too dear", "constant": "ok"}
    assert found.stopped == "all that fit into the budget were tried"


def test_a_budget_always_returns_something(iris: Dataset, tmp_path: Path) -> None:
    found = tried(table(MIXED, (9.0, 9.0, 8.0)), iris, tmp_path, budget=7.0)
    endings = {each.algorithm: each.ending for each in found.trials}
    # The cheapest is tried, though it is not expected to fit; as it takes a moment, so do others.
    assert endings["constant"] == "ok"
    assert found.best == "nb"
    # The first of the order that takes a twentieth at most goes first, and fails; the others stay.
    fails = {**ESTIMATORS, "tree": Raises()}
    other = tmp_path / "other"
    other.mkdir()
    rest = tried(table(MIXED, (900.0, 1.0, 800.0)), iris, other, budget=70.0, estimators=fails)
    endings = {each.algorithm: each.ending for each in rest.trials}
    assert endings == {"nb": "too dear", "tree": "failed", "constant": "ok"}
    assert "the cheapest had half of what was left" in rest.stopped


def test_a_budget_whose_trials_do_not_end_has_a_result_on_few_rows(tmp_path: Path) -> None:
    """No trial is without a limit, and the budget begins with the call."""
    rng = np.random.default_rng(0)
    large = Dataset("large", rng.normal(size=(900, 2)), rng.integers(0, 2, 900))
    start = time.monotonic()
    found = tried(
        table(MIXED, (0.01, 0.01, 0.01)),
        large,
        tmp_path,
        budget=4.0,
        estimators=dict.fromkeys(NAMES, SleepsWithMany()),
        engine="local",
    )
    # Not the minute that a fit takes, but the budget, and the start of some workers.
    assert time.monotonic() - start < 30
    assert found.best_trial is not None
    assert found.best_trial.why == "on 500 of 900 rows"
    assert ", on 500 of 900 rows" in " ".join(str(found).split()[:20])
    assert [each.ending for each in found.trials].count("ok") == 1


def test_a_trial_leaves_the_others_their_chance(iris: Dataset, tmp_path: Path) -> None:
    """The first sleeps for a minute: it gets half of what is left, and the second is tried."""
    slow = {"nb": SleepsUntil(str(tmp_path / "never")), "tree": GaussianNB()}
    found = tried(
        table(MIXED, (0.01, 0.01, 0.01)),
        iris,
        tmp_path,
        budget=40.0,
        estimators=slow,
        engine="local",
    )
    by_name = {each.algorithm: each for each in found.trials}
    assert by_name["nb"].ending == "timeout"
    assert by_name["nb"].seconds == pytest.approx(20.0, abs=1.0)
    assert by_name["tree"].ending == "ok"


def test_resuming_runs_nothing_twice(
    iris: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(job: Any, **options: Any) -> Any:
        if job.algorithm == "constant":
            raise KeyboardInterrupt
        return execute(job, **options)

    execute = work.execute
    monkeypatch.setattr(work, "execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tried(table(MIXED), iris, tmp_path, budget=60.0)
    ran: list[str] = []

    def watched(job: Any, **options: Any) -> Any:
        ran.append(job.algorithm)
        return execute(job, **options)

    monkeypatch.setattr(work, "execute", watched)
    found = tried(table(MIXED), iris, tmp_path, budget=60.0)
    assert ran == ["constant"]
    assert [each.ending for each in found.trials] == ["ok"] * 3
    again = tried(table(MIXED), iris, tmp_path, budget=60.0)
    assert ran == ["constant"]
    assert again.to_dict() == found.to_dict()


def test_what_cannot_be_made_or_fails_is_told(iris: Dataset, tmp_path: Path) -> None:
    found = tried(
        table(MIXED),
        iris,
        tmp_path,
        estimators={"nb": Raises(), "constant": DummyClassifier()},
        unmade={"tree": "its wood is missing"},
    )
    by_name = {each.algorithm: each for each in found.trials}
    assert by_name["nb"].ending == "failed"
    assert "ValueError: no good" in by_name["nb"].why
    assert by_name["tree"].ending == "not made"
    assert found.best == "constant"
    text = str(found)
    assert "its wood is missing" in text
    assert max(map(len, text.splitlines())) <= 80
    with pytest.raises(ParameterError, match="none of the 3 algorithms can be made"):
        tried(table(MIXED), iris, tmp_path, estimators={})
    with pytest.raises(ParameterError, match=r"none of the 3 .* is a class; give an instance"):
        tried(table(MIXED), iris, tmp_path, estimators={"nb": GaussianNB})


class SleepsUntil(Constant):
    """Takes long until there is a file, as on a machine that has much to do for a while."""

    def __init__(self, marker: str = "") -> None:
        self.marker = marker

    def misbehave(self) -> None:
        if not Path(self.marker).exists():
            time.sleep(60)


class SleepsWithMany(SleepsUntil):
    """Takes long where there are many rows."""

    def fit(self, X: Any, y: Any) -> Any:
        self.marker = "/nowhere" if len(X) > 400 else "/"
        return super().fit(X, y)


def test_a_trial_over_the_budget_is_ended_and_tried_again_with_more(
    iris: Dataset, tmp_path: Path
) -> None:
    awake, quick = tmp_path / "awake", {"nb": GaussianNB()}
    scores = table(MIXED, (0.01, 0.01, 0.01))
    tried(scores, iris, tmp_path, estimators=quick)  # inline: one worker less to start
    slow = {
        "estimators": {**quick, "tree": SleepsUntil(str(awake))},
        "engine": "local",
    }

    def endings(budget: float) -> list[str]:
        found = tried(scores, iris, tmp_path, budget=budget, **slow)
        return [each.ending for each in found.trials[:2]]

    first = tried(scores, iris, tmp_path, budget=2.0, **slow)
    assert [each.ending for each in first.trials[:2]] == ["ok", "timeout"]
    assert first.spent == pytest.approx(2.0, abs=0.2)  # the clock ran between the trials, too
    with Store(tmp_path / "r.db") as store:
        before = store.marks()
    for no_more in (2.0, 1e-6):
        assert endings(no_more) == ["ok", "timeout"]
    with Store(tmp_path / "r.db") as store:
        assert store.marks() == before  # what is there was read, not run
    awake.touch()
    assert endings(60.0) == ["ok", "ok"]


# --- the door ------------------------------------------------------------------------------------


def test_the_scorer_is_that_of_the_table() -> None:
    def named(measure: str) -> palio.ScoreTable:
        return palio.ScoreTable.from_arrays(
            [[0.1, 0.2]], datasets=["d"], algorithms=["a", "b"], measure=measure
        )

    assert scorer_for(named("balanced_accuracy")) == "balanced_accuracy"
    assert scorer_for(named("error")) == "accuracy"
    assert scorer_for(named("log_loss"), "neg_log_loss") == "neg_log_loss"
    with pytest.raises(ParameterError, match="'log_loss' of the table is no scorer"):
        scorer_for(named("log_loss"))
    with pytest.raises(UnknownNameError, match="Did you mean 'accuracy'"):
        scorer_for(named("error"), "acuracy")


@pytest.mark.parametrize(
    ("option", "says"), [({"stop": 1.0}, "below 1"), ({"margin": -1}, "or more")]
)
def test_options_have_ranges(
    iris: Dataset, tmp_path: Path, option: dict[str, float], says: str
) -> None:
    with pytest.raises(ParameterError, match=says):
        tried(table(MIXED), iris, tmp_path, **option)
