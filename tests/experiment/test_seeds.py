"""`seeds = 5`: several random states on the same splits, through plan, store and table."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError
from palio.experiment.config import load_experiment
from palio.experiment.plan import make_plan
from palio.experiment.store.reading import read_stored_predictions
from palio.experiment.store.store import Store

DATA = ["sklearn:iris", "sklearn:wine"]
LEARNERS: dict[str, Any] = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(splitter="random", max_depth=2),
}


def run(store: str, seeds: int, **more: Any) -> palio.ScoreTable:
    return palio.run(
        DATA, LEARNERS, resampling="2-fold", store=store, engine="inline", seeds=seeds, **more
    )


def test_each_seed_is_a_job_on_the_same_splits() -> None:
    plan = make_plan(DATA, LEARNERS, resampling="2-fold", seeds=3)
    assert str(plan) == "12 jobs, 24 fits: 2 data sets × 2 algorithms × 3 seeds, 2-fold"
    same = [job for job in plan.jobs if (job.dataset.name, job.algorithm) == ("iris", "tree")]
    assert [job.draw for job in same] == [1, 2, 3]
    assert len({job.key for job in same}) == 3
    assert len({job.random_state for job in same}) == 3
    assert all(job.splits == same[0].splits for job in same)


def test_the_first_seed_has_the_key_of_a_plan_without() -> None:
    alone = make_plan(DATA, LEARNERS, resampling="2-fold")
    several = make_plan(DATA, LEARNERS, resampling="2-fold", seeds=2)
    assert [job.key for job in alone.jobs] == [job.key for job in several.jobs if job.draw == 1]


@pytest.mark.parametrize("seeds", [0, 1.5])
def test_how_many_seeds_is_a_whole_number(seeds: Any) -> None:
    with pytest.raises(ParameterError, match="seeds: is a whole number, 1 or more"):
        make_plan(DATA, LEARNERS, seeds=seeds)


def test_the_file_says_how_many(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        'datasets = ["sklearn:iris"]\nalgorithms = ["c45"]\nseeds = 4\nresampling = "2-fold"\n'
    )
    assert load_experiment(tmp_path / "e.toml").plan().n_seeds == 4


def test_a_run_gives_every_seed_and_more_seeds_run_only_those(place: str) -> None:
    one = run(place, 1)
    said: list[Any] = []
    table = run(place, 3, progress=said.append)
    assert sum(each.job is not None for each in said) == 8  # 4 of 12 were there
    assert table.n_seeds == 3
    scores = table.seed_scores()
    assert np.array_equal(scores[:, 0], one.rows.scores["accuracy"])
    random = table.rows.algorithm == table.algorithms.index("tree")
    assert scores[random].std(axis=1).max() > 0
    assert np.ptp(scores[~random], axis=1).max() == 0  # nothing random in it
    with Store(place, create=False) as store:
        assert [job["seed"] for job in store.jobs()] == [1, 2, 3] * 4


def test_a_plan_of_several_seeds_gives_way_to_one(place: str) -> None:
    run(place, 3)
    assert run(place, 1).n_seeds == 1
    with Store(place, create=False) as store:
        assert [job["seed"] for job in store.jobs()] == [1] * 4


def test_predictions_are_those_of_the_first_seed(tmp_path: Path) -> None:
    place = str(tmp_path / "e.db")
    run(place, 1, predictions=True)
    alone = read_stored_predictions(place, dataset="iris")
    run(place, 3, predictions=True)
    several = read_stored_predictions(place, dataset="iris")
    assert several.to_frame().equals(alone.to_frame())


def test_status_tells_seeds_apart(tmp_path: Path) -> None:
    from palio.experiment.status import status_of

    place = str(tmp_path / "e.db")
    run(place, 3)
    with Store(place, create=False) as store:
        found = status_of(store)
    assert {job.seed for job in found.slowest} <= {1, 2, 3}
    assert "seed" in str(found)


def test_seeds_are_repeats_of_an_item(tmp_path: Path) -> None:
    place = str(tmp_path / "e.db")
    run(place, 3, predictions=True)
    items = palio.read_items(place)
    assert items.repeats is not None
    assert set(items.repeats.counts.reshape(-1).tolist()) == {3}
    assert items.means() == pytest.approx(palio.read_scores(place).means(), abs=0.01)
