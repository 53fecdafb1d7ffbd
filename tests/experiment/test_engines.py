"""Every engine of the registry keeps the same contract; one that declares too much fails here."""

import inspect
import os
from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import BaggingClassifier  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.experiment.engines import ENGINES, EngineKind, EngineOptions, engines_that
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Store
from palio.registry import Later
from tests.experiment import estimators as bad
from tests.experiment.by_hand import folds_in

pytestmark = pytest.mark.filterwarnings("ignore")  # a cluster's own, as it is taken down

# What is drawn at random stands at every depth, and only the run can seed it.
GOOD = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(max_features=1),
    "bags": BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=3),
    "piped": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)),
}


def plan_of(algorithms: dict[str, Any], resampling: str = "2x2") -> Plan:
    return make_plan(["sklearn:iris"], algorithms, resampling=resampling)


def ended(store: Store) -> dict[str, tuple[str, str]]:
    return {job["algorithm"]: (job["status"], job["error"] or "") for job in store.jobs()}


def scores_of(store: Store) -> dict[tuple[str, int, int], Any]:
    return {
        (row["algorithm"], row["repeat"], row["fold"]): row["scores"] for row in folds_in(store)
    }


def test_it_takes_what_its_entry_declares(kind: EngineKind) -> None:
    assert isinstance(kind.make, Later)
    wanted = {
        *(("n_jobs",) if kind.parallel else ()),
        *(("limits",) if kind.limits else ()),
        *(("isolated",) if kind.workers else ()),
        *(("scheduler", "patience") if kind.clients else ()),
    }
    assert set(inspect.signature(kind.make.load()).parameters) == wanted


def test_the_same_scores_and_what_crashes_is_a_row(kind: EngineKind, tmp_path: Path) -> None:
    """A fit that raises, and a worker that dies: always, or the first time."""
    once = str(tmp_path / "once")
    crashes: dict[str, Any] = {"raises": bad.Raises(), "where": bad.TellsWhere()}
    if kind.workers:
        crashes |= {"exits": bad.Exits(), "exits once": bad.ExitsOnce(once)}
    with Store(tmp_path / "all.db") as store:
        # Where jobs run is looked at first: a worker that is none would take the tests with it.
        run_plan(plan_of({"where": bad.TellsWhere()}, "2-fold"), store, EngineOptions(kind.name))
        told = ended(store)["where"]
        assert told[0] == "failed"
        assert (told[1] != f"RuntimeError: {os.getpid()}") == kind.workers
        if kind.clients:  # what kills its worker comes last: there it may take others along
            harmless = {name: each for name, each in crashes.items() if name != "exits"}
            run_plan(plan_of({**GOOD, **harmless}), store, EngineOptions(kind.name))
        run_plan(plan_of({**GOOD, **crashes}), store, EngineOptions(kind.name))
        found, scores = ended(store), scores_of(store)
    with Store(tmp_path / "inline.db") as store:
        run_plan(plan_of(GOOD), store, EngineOptions("inline"))
        expected = scores_of(store)
    assert found.pop("where")[0] == "failed"
    assert found.pop("raises") == ("failed", "ValueError: no good")
    if kind.workers:
        assert found.pop("exits")[0] == "killed"
        assert found.pop("exits once")[0] == "ok"
    assert {status for status, _ in found.values()} == {"ok"}
    assert {key: each for key, each in scores.items() if key[0] in GOOD} == expected
    assert len(expected) == len(GOOD) * 4


def test_a_limit_holds_or_is_refused(kind: EngineKind, tmp_path: Path) -> None:
    plan = plan_of({"nb": GaussianNB(), "sleeps": bad.Sleeps(120)}, "2-fold")
    options = EngineOptions(kind.name, time_limit=6.0)
    with Store(tmp_path / "e.db") as store:
        if kind.limits:
            run_plan(plan, store, options)
            found = ended(store)
            assert found["nb"] == ("ok", "")
            assert found["sleeps"] == ("timeout", "longer than 6 s")
            return
        able = [each.name for each in ENGINES.values() if each.limits]
        with pytest.raises(ParameterError, match="cannot hold time or memory limits") as refused:
            run_plan(plan, store, options)
        assert all(f"'{name}'" in str(refused.value) for name in able)
        assert not store.marks()


def test_an_interruption_keeps_what_is_done_and_the_rest_is_done_next(
    kind: EngineKind, tmp_path: Path
) -> None:
    plan = plan_of(GOOD, "4x2")

    def interrupt(progress: Progress) -> None:
        if progress.done >= 3:
            raise KeyboardInterrupt

    told: list[Progress] = []
    with Store(tmp_path / "e.db") as store:
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, store, EngineOptions(kind.name), progress=interrupt)
        first = store.marks()
        assert 3 <= len(first) < len(plan.jobs)
        run_plan(plan, store, EngineOptions(kind.name), progress=told.append)
        second = store.marks()
        scores = scores_of(store)
    assert told[0].done == len(first)
    assert sum(each.last is not None for each in told) == len(plan.jobs) - len(first)
    assert {key: second[key] for key in first} == first
    assert len(scores) == 8 * len(GOOD)


def test_costs_are_measured_again_where_nothing_runs_beside(
    kind: EngineKind, tmp_path: Path
) -> None:
    when = tmp_path / "when"
    waits = {"a": 0.1, "b": 0.11, "c": 0.12}
    plan = plan_of({name: bad.TellsWhen(str(when), wait) for name, wait in waits.items()}, "2-fold")
    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, EngineOptions("inline"))
        when.unlink()
        if kind.clients:
            alone = engines_that(lambda each: not each.clients)
            with pytest.raises(ParameterError, match=f"use engine {alone}"):
                run_plan(plan, store, EngineOptions(kind.name), exclusive=True)
            return
        run_plan(plan, store, EngineOptions(kind.name), exclusive=True)
        machines = [mark.machine for mark in store.marks().values()]
    assert len(machines) == len(waits)
    assert all('"exclusive": "yes"' in machine for machine in machines)
    times = [float(time) for line in when.read_text().splitlines() for time in line.split()]
    assert len(times) == 2 * 2 * len(waits)
    assert times == sorted(times)  # each ended before the next began


def test_a_scheduler_is_for_those_that_have_one(kind: EngineKind, tmp_path: Path) -> None:
    options = EngineOptions(kind.name, scheduler="tcp://127.0.0.1:9")
    with Store(tmp_path / "e.db") as store, pytest.raises(ParameterError) as refused:
        run_plan(plan_of(GOOD), store, options)
    able = engines_that(lambda each: each.clients)
    said = "nobody answers" if kind.clients else f"has no scheduler; use engine {able}, or"
    assert said in str(refused.value)


def test_what_is_no_engine(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'local'"):
        palio.run(["sklearn:iris"], GOOD, engine="locl", store=tmp_path / "e.db")
    with pytest.raises(ParameterError, match=f"{engines_that(lambda _: True)}, or a client"):
        palio.run(["sklearn:iris"], GOOD, engine=3, store=tmp_path / "e.db")
