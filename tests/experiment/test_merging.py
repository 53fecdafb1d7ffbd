"""Stores put together: as if all of it had been run in one, or an error and nothing changed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import InputError, ParameterError, UnreadableError
from palio.experiment.engines import EngineOptions
from palio.experiment.merging import merge_stores
from palio.experiment.outcome import DoneFold, FoldOutcome, FoldPredictions
from palio.experiment.parts import Part, chosen, divided, outlook
from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.runner import run_plan
from palio.experiment.status import status_of
from palio.experiment.store.store import Store
from palio.results import to_json
from tests.experiment.by_hand import change_folds, folds_in, folds_of
from tests.experiment.test_store import key, outcome

SETS = ["sklearn:iris", "sklearn:wine", "sklearn:breast_cancer", "monks-1"]
GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}


def plan_of(sets: list[str] = SETS, **options: Any) -> Plan:
    options = {"prepare": "standard", **options}
    return make_plan(sets, GOOD, resampling=options.pop("resampling", "2x2"), **options)


def run_part(place: str | Path, plan: Plan, part: str | None = None) -> None:
    only = None if part is None else chosen(plan, Part.read(part))
    with Store(place) as store:
        run_plan(plan, store, EngineOptions("inline"), only=only, part=part or "")


def content(place: str | Path) -> dict[str, Any]:
    """Return what does not depend on when and how fast jobs ran."""
    with Store(place, create=False) as store:
        jobs = [{k: job[k] for k in ("dataset", "algorithm", "repeat", "seed", "key", "status")}
                for job in store.jobs()]  # fmt: skip
        folds = [{k: v for k, v in row.items() if k != "costs"} for row in folds_in(store)]
        return {"plans": store.plans(), "jobs": jobs, "folds": folds, "rows": store.check().rows}


def test_the_parts_of_a_plan_are_one_run(place: str, tmp_path: Path) -> None:
    """Also in a store on a server, with predictions and several random states."""
    plan = plan_of(predictions=True, seeds=2)
    parts = [tmp_path / f"{i}.db" for i in (1, 2, 3)]
    for i, part in enumerate(parts, start=1):
        run_part(part, plan, f"{i}/3")
    merged = merge_stores(place, parts)
    run_part(tmp_path / "whole.db", plan)
    assert content(place) == content(tmp_path / "whole.db")
    assert (merged.jobs, merged.left) == (len(plan.jobs), 0)
    assert sum(each.jobs for each in merged.sources) == len(plan.jobs)
    for dataset in ("iris", "monks-1"):
        one = palio.read_stored_predictions(place, dataset=dataset)
        other = palio.read_stored_predictions(tmp_path / "whole.db", dataset=dataset)
        assert np.array_equal(one.predicted, other.predicted)
    # Nothing is left to do, and once more nothing is new.
    with Store(place) as store:
        before = store.marks()
        run_plan(plan, store, EngineOptions("inline"))
        assert store.marks() == before
    again = merge_stores(place, parts)
    assert [(each.jobs, each.same) for each in again.sources] == [
        (0, each.jobs) for each in merged.sources
    ]
    assert content(place) == content(tmp_path / "whole.db")


def test_costs_keep_their_machine(tmp_path: Path) -> None:
    for i, host in ((1, "here"), (2, "there")):
        with Store(tmp_path / f"{i}.db") as store:
            store.save([outcome(i, 0.5, machine={"host": host})])
    merge_stores(tmp_path / "all.db", [tmp_path / "1.db", tmp_path / "2.db"])
    with Store(tmp_path / "all.db") as store:
        hosts = {k: json.loads(mark.machine)["host"] for k, mark in store.marks().items()}
    assert hosts == {key(1): "here", key(2): "there"}


def stored(place: Path, *outcomes: Any) -> Path:
    with Store(place) as store:
        store.save(outcomes)
    return place


def test_other_scores_are_an_error_that_names_the_job(tmp_path: Path) -> None:
    plan = plan_of(["sklearn:iris"])
    one, two = tmp_path / "1.db", tmp_path / "2.db"
    for place in (one, two):
        run_part(place, plan)
    first, second = folds_of(str(two), plan.jobs[3].key)
    other = replace(second, scores={"accuracy": 0.25})
    change_folds(str(two), plan.jobs[3].key, [first, other])
    for target in (one, tmp_path / "all.db"):
        before = content(target) if target.exists() else None
        with pytest.raises(InputError) as told:
            merge_stores(target, [one, two])
        said = str(told.value)
        assert "'iris'" not in said
        assert "has other scores" in said
        assert "1 of 4 jobs that both have (iris, tree, repeat 2: fold 2, " in said
        assert '{"accuracy": 0.25}' in said
        assert "keep_first=True" in said
        # All or nothing.
        assert (content(target) if target.exists() else None) == before
    assert sorted(path.name for path in tmp_path.glob("all*")) == []
    merged = merge_stores(tmp_path / "all.db", [one, two], keep_first=True)
    assert [each.differing for each in merged.sources] == [0, 1]
    assert content(tmp_path / "all.db") == content(one)


def test_nan_is_the_same_as_nan(tmp_path: Path) -> None:
    stores = [stored(tmp_path / f"{i}.db", outcome(1, float("nan"), 0.5)) for i in (1, 2)]
    assert merge_stores(tmp_path / "all.db", stores).sources[1].same == 1


def test_what_ended_well_takes_the_place_of_what_did_not(tmp_path: Path) -> None:
    bad = {"status": "timeout", "error": "too long", "folds": ()}
    one = stored(tmp_path / "1.db", outcome(1, **bad), outcome(2, 0.5), outcome(3, **bad))
    two = stored(tmp_path / "2.db", outcome(1, 0.75), outcome(2, **bad), outcome(3, **bad))
    merged = merge_stores(tmp_path / "all.db", [one, two])
    assert [(each.jobs, each.mended, each.same) for each in merged.sources] == [
        (3, 0, 0),
        (0, 1, 2),
    ]
    with Store(tmp_path / "all.db") as store:
        assert store.statuses() == {key(1): "ok", key(2): "ok", key(3): "timeout"}
        assert store.scores([key(1)]) == {key(1): {1: {"accuracy": 0.75}}}
        store.check()


def test_predictions_that_only_the_other_has_are_taken(tmp_path: Path) -> None:
    plan = plan_of(["sklearn:iris"])
    run_part(tmp_path / "bare.db", plan)
    run_part(tmp_path / "said.db", plan_of(["sklearn:iris"], predictions=True))
    merge_stores(tmp_path / "bare.db", [tmp_path / "said.db"])
    with Store(tmp_path / "bare.db") as store:
        assert store.predicted() == {job.key for job in plan.jobs}
        store.check()


def test_what_was_begun_is_gone_on_with(tmp_path: Path) -> None:
    def begun(score: float) -> list[DoneFold]:
        said = FoldPredictions(np.array([3]), np.array(["a"]), np.array(["b"]), ("a", "b"))
        return [DoneFold(FoldOutcome(1, {"accuracy": score}, {}, said), {"host": "here"})]

    for i in (1, 2):
        with Store(tmp_path / f"{i}.db") as store:
            store.save_begun({key(1): begun(i / 4), key(i + 1): begun(0.5)})
            store.save([outcome(5 - i, 0.5)])  # 4, 3: the third was begun in the second store
    merge_stores(tmp_path / "all.db", [tmp_path / "1.db", tmp_path / "2.db"])
    with Store(tmp_path / "all.db") as store:
        found = store.begun([key(i) for i in range(1, 5)])
        assert {k: each[0].outcome.scores["accuracy"] for k, each in found.items()} == {
            key(1): 0.25, key(2): 0.5,
        }  # fmt: skip
        store.check()


def test_plans_of_one_name_become_one(tmp_path: Path) -> None:
    """As when each machine has its own list of data sets."""
    run_part(tmp_path / "1.db", plan_of(["sklearn:iris", "monks-1"]))
    run_part(tmp_path / "2.db", plan_of(["monks-1", "sklearn:wine"]))
    merged = merge_stores(tmp_path / "all.db", [tmp_path / "1.db", tmp_path / "2.db"])
    assert palio.read_scores(tmp_path / "all.db").datasets == ("iris", "monks-1", "wine")
    assert (merged.plans, merged.jobs, merged.left) == (("experiment",), 12, 0)
    with Store(tmp_path / "all.db") as store:
        assert set(store.recall_object("sizes of experiment")) == {"iris", "monks-1", "wine"}


def test_the_same_names_for_other_jobs(tmp_path: Path) -> None:
    run_part(tmp_path / "1.db", plan_of(["sklearn:iris"]))
    run_part(tmp_path / "2.db", plan_of(["sklearn:iris"], seed=7))
    with pytest.raises(InputError, match=r"4 jobs with other data, .*iris, nb, repeat 1 is one"):
        merge_stores(tmp_path / "all.db", [tmp_path / "1.db", tmp_path / "2.db"])
    assert not (tmp_path / "all.db").exists()


def test_final_results(tmp_path: Path) -> None:
    for i, score in ((1, 0.5), (2, 0.75)):
        with Store(tmp_path / f"{i}.db") as store:
            for dataset, value in (("both", 0.25), (f"only {i}", score)):
                store.save_final("p", dataset, "nb", scores={"f1": value}, costs={}, machine={})
    with Store(tmp_path / "3.db") as store:
        store.save_final("p", "both", "nb", scores={"f1": 0.3}, costs={}, machine={})
    places = [tmp_path / f"{i}.db" for i in (1, 2, 3)]
    merge_stores(tmp_path / "all.db", places[:2])
    with pytest.raises(InputError, match="both, nb: final result"):
        merge_stores(tmp_path / "all.db", places[2:])
    with Store(tmp_path / "all.db") as store:
        assert store.check().rows == 3 + 2  # and what says which schema it has


def test_a_damaged_store_is_not_merged(tmp_path: Path) -> None:
    plan = plan_of(["sklearn:iris"])
    run_part(tmp_path / "new.db", plan)
    change_folds(str(tmp_path / "new.db"), plan.jobs[0].key)
    with pytest.raises(UnreadableError, match="is damaged"):
        merge_stores(tmp_path / "all.db", [tmp_path / "new.db"])


def test_what_cannot_be_merged(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least one store besides"):
        merge_stores(tmp_path / "all.db", [])
    with pytest.raises(UnreadableError, match="there is no file"):
        merge_stores(tmp_path / "all.db", [tmp_path / "none.db"])
    assert list(tmp_path.iterdir()) == []
    # A store that is named twice is no other.
    stored(tmp_path / "1.db", outcome(1, 0.5))
    with pytest.raises(ParameterError, match="besides the target"):
        merge_stores(tmp_path / "1.db", [tmp_path / "1.db"])


# --- parts ----------------------------------------------------------------------------------------


def work_of(jobs: list[Job]) -> int:
    return sum(int(job.dataset.X.size) * len(job.splits) for job in jobs)


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 16, 40])
def test_parts_are_all_jobs_once_and_as_even_as_they_can_be(parts: int) -> None:
    plan = plan_of()
    found = divided(plan, parts)
    assert sorted(job.key for part in found for job in part) == sorted(j.key for j in plan.jobs)
    loads = [work_of(part) for part in found]
    assert max(loads) - min(loads) <= max(work_of([job]) for job in plan.jobs)


def test_parts_are_the_same_in_whatever_order_a_plan_is_written() -> None:
    one, other = (
        [{job.key for job in part} for part in divided(plan_of(sets), 3)]
        for sets in (SETS, SETS[::-1])
    )
    assert one == other


def test_every_part_has_its_share_of_each_learner() -> None:
    plan = plan_of(["sklearn:iris"], resampling="6x2")
    for part in divided(plan, 3):
        assert Counter(job.algorithm for job in part) == {"nb": 2, "tree": 2}


def test_two_names_of_one_job_are_in_the_same_part() -> None:
    twins = {"a": GaussianNB(), "b": GaussianNB()}
    plan = make_plan(["sklearn:iris"], twins, resampling="3x2")
    parts = [{job.key for job in part} for part in divided(plan, 2)]
    assert not parts[0] & parts[1]


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2", "1.5/2", ""])
def test_what_is_no_part(text: str) -> None:
    with pytest.raises(ParameterError, match="the second of five"):
        Part.read(text)


def test_data_sets_by_pattern() -> None:
    plan = plan_of()
    keys = chosen(plan, None, ["*n*", "iris"])
    assert keys == {job.key for job in plan.jobs}
    assert chosen(plan, Part(1, 2), ["iris"]) < chosen(plan, None, ["iris"])
    with pytest.raises(ParameterError, match="part 17/17 has none of them"):
        chosen(plan, Part(17, 17), ["iris"])


def test_a_store_has_the_parts_that_were_run_and_says_which(tmp_path: Path) -> None:
    plan, place = plan_of(), tmp_path / "e.db"
    first, second = (len(chosen(plan, Part(i, 2))) for i in (1, 2))
    run_part(place, plan, "1/2")
    with Store(place) as store:
        state = status_of(store)
        assert (state.part, state.jobs, state.total) == ("1/2", first, len(plan.jobs))
        assert state.finished
    assert "part 1/2" in str(state)
    run_part(place, plan, "1/3")
    with Store(place) as store:
        assert status_of(store).part == "1/2, 1/3"
        assert list(store.job_columns().key) == sorted(
            store.job_columns().key, key=[job.key for job in plan.jobs].index
        )
    run_part(place, plan, "2/2")
    with Store(place) as store:
        state = status_of(store)
    assert (state.part, state.jobs, state.total) == ("", first + second, len(plan.jobs))


def test_what_each_part_takes(tmp_path: Path) -> None:
    """From what has been run: the rest by its size."""
    plan = plan_of()
    run_part(tmp_path / "e.db", plan, "2/2")
    with Store(tmp_path / "e.db") as store:
        found = outlook(plan, store, n_jobs=2, parts=2)
    first, second = found.division
    assert (first.part, second.part) == ("1/2", "2/2")
    assert first.jobs + second.jobs == len(plan.jobs)
    assert (first.left, second.left) == (first.jobs, 0)
    assert first.seconds_left is not None
    assert first.seconds_left > 0
    assert second.seconds_left == 0
    assert json.loads(to_json(found))["division"][0]["jobs"] == first.jobs


def test_data_sets_are_finished_one_after_the_other_the_small_ones_first(tmp_path: Path) -> None:
    plan = plan_of(SETS[::-1], resampling="2-fold")
    complete: list[str] = []

    def watch(progress: Any) -> None:
        complete.extend(
            name for name, (done, of) in progress.datasets.items()
            if done == of and name not in complete
        )  # fmt: skip

    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, EngineOptions("inline"), progress=watch)
    assert complete == ["iris", "wine", "monks-1", "breast_cancer"]
