"""The contract of engines, with the same faults in each of them: see `Engine`."""

from __future__ import annotations

import errno
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.errors import EngineError, UnreadableError
from palio.experiment.engines import EngineKind, EngineOptions, workers
from palio.experiment.engines.workers import TRIES
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Store
from palio.systems import system
from tests.experiment import estimators as bad
from tests.experiment.by_hand import folds_in

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # a cluster's own, as it is taken down
    pytest.mark.posix("kills, stops or interrupts processes by signals"),
]

GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}


@pytest.fixture
def working(kind: EngineKind) -> EngineKind:
    """Return an engine with workers, which may be lost."""
    if not kind.workers:
        pytest.skip("it is its own worker")
    return kind


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster, set_as_default=False) as made,  # type: ignore[no-untyped-call]
    ):
        yield made


@pytest.fixture
def options(kind: EngineKind, request: pytest.FixtureRequest) -> EngineOptions:
    """Return how to run on an engine; on a cluster that is there already."""
    return EngineOptions(request.getfixturevalue("client") if kind.clients else kind.name)


def plan_of(algorithms: dict[str, Any], resampling: str = "2x2") -> Plan:
    return make_plan(["sklearn:iris"], algorithms, resampling=resampling)


def jobs_of(store: Store) -> dict[str, dict[str, Any]]:
    return {job["algorithm"]: job for job in store.jobs()}


def folds_of(store: Store) -> list[Any]:
    return sorted(
        (row["algorithm"], row["repeat"], row["fold"], row["scores"]["accuracy"])
        for row in folds_in(store)
    )


def undisturbed(plan: Plan, folder: Path) -> list[Any]:
    with Store(folder / "undisturbed.db") as store:
        run_plan(plan, store, EngineOptions("inline"))
        return folds_of(store)


@contextmanager
def meanwhile(do: Callable[[], None]) -> Iterator[None]:
    """Do something in a thread; what goes wrong there goes wrong here."""
    wrong: list[BaseException] = []

    def guarded() -> None:
        try:
            do()
        except BaseException as error:
            wrong.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    yield
    thread.join()
    assert not wrong, wrong


def written(file: Path) -> list[list[int]]:
    lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
    return [[int(number) for number in line.split()] for line in lines]


def processes() -> set[psutil.Process]:
    """Return those that this one, or one of its own, has started."""
    return set(psutil.Process().children(recursive=True))


def wait_for(holds: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


# What a job raises


def test_what_a_fit_raises_is_its_row_whatever_it_is(
    options: EngineOptions, tmp_path: Path
) -> None:
    said = {
        "SystemExit": "SystemExit: 3",
        "KeyboardInterrupt": "KeyboardInterrupt",
        "GeneratorExit": "GeneratorExit",
        "StopIteration": "StopIteration",
        "Strange": "Strange: what it says cannot be written",
        "long": f"ValueError: {'x' * 487}…",
    }
    plan = plan_of({**{what: bad.RaisesAnything(what) for what in said}, **GOOD}, "2-fold")
    with Store(tmp_path / "e.db") as store:
        ended = run_plan(plan, store, options)
        found = jobs_of(store)
    assert (ended.done, ended.failed) == (len(plan.jobs), len(said))
    assert {name: found[name]["error"] for name in said} == said
    assert {found[name]["status"] for name in said} == {"failed"}
    assert {found[name]["status"] for name in GOOD} == {"ok"}
    assert len(found["long"]["traceback"]) <= 20_000


# Workers that are lost


@pytest.mark.usefixtures("working")
def test_a_worker_that_is_killed_costs_no_job(options: EngineOptions, tmp_path: Path) -> None:
    """One busy, and the next one as it starts."""
    file = tmp_path / "pids"
    slow = {f"s{i}": bad.TellsPid(str(file), 0.1 + i / 1000) for i in range(4)}
    plan = plan_of({**GOOD, **slow})

    def kill() -> None:
        wait_for(lambda: len(written(file)) >= 2)
        before = processes()
        os.kill(written(file)[-1][0], signal.SIGKILL)
        wait_for(lambda: processes() - before)
        (processes() - before).pop().kill()

    with Store(tmp_path / "e.db") as store, meanwhile(kill):
        ended = run_plan(plan, store, options)
        found = folds_of(store)
    assert ended.failed == 0
    assert found == undisturbed(plan, tmp_path)


def test_a_worker_that_is_stopped_is_noticed(
    working: EngineKind, options: EngineOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SILENCE_SECONDS", 1.0)
    if working.clients:
        options.engine.run(set_silence, 1.0)
    file = tmp_path / "pids"
    plan = plan_of({"slow": bad.TellsPid(str(file), 0.5), **GOOD}, "2-fold")

    def stop() -> None:
        wait_for(lambda: written(file))
        os.kill(written(file)[0][0], signal.SIGSTOP)

    with Store(tmp_path / "e.db") as store, meanwhile(stop):
        ended = run_plan(plan, store, options)
        found = folds_of(store)
    assert ended.failed == 0
    assert found == undisturbed(plan, tmp_path)


def set_silence(seconds: float) -> None:
    workers.SILENCE_SECONDS = seconds


def test_one_that_computes_or_waits_is_not_taken_for_stopped() -> None:
    process = psutil.Popen(["sleep", "60"])
    try:
        assert not system().is_stopped(process.pid)
        process.suspend()
        wait_for(lambda: system().is_stopped(process.pid))
        process.resume()
        wait_for(lambda: not system().is_stopped(process.pid))
    finally:
        process.kill()
        process.wait()
    assert not system().is_stopped(os.getpid())
    assert not system().is_stopped(process.pid)


@pytest.mark.usefixtures("working")
def test_a_job_that_takes_its_worker_along_is_its_row_when_it_was_alone(
    options: EngineOptions, tmp_path: Path
) -> None:
    fatal, calm = tmp_path / "fatal", tmp_path / "calm"
    algorithms = {
        "fatal": bad.ExitsAndTells(str(fatal), 0.05),
        **{f"calm{i}": bad.TellsWhen(str(calm), 0.2 + i / 1000) for i in range(6)},
    }
    plan = plan_of(algorithms, "2-fold")
    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, options)
        found = jobs_of(store)
    assert found["fatal"]["status"] == "killed"
    assert found["fatal"]["error"] == (
        f"the worker died (SIGKILL), {TRIES} times, at last with no other job beside it"
    )
    assert {found[name]["status"] for name in found if name != "fatal"} == {"ok"}
    times = [line.split() for line in fatal.read_text(encoding="ascii").splitlines()]
    assert len(times) == TRIES
    others = [line.split()[1] for line in calm.read_text(encoding="ascii").splitlines()]
    assert max(map(float, others)) < float(times[-1][0])


# An engine that cannot go on


def test_what_could_not_be_run_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the third job its worker dies, and every other as it starts."""
    file = tmp_path / "pids"
    plan = plan_of({f"s{i}": bad.TellsPid(str(file), 0.05 + i / 1000) for i in range(3)}, "4x2")
    with Store(tmp_path / "e.db") as store:

        def no_more(state: Any) -> None:
            if state.done == 3:
                monkeypatch.setattr("palio.experiment.engines.workers.start_worker", bad.dies)
                os.kill(written(file)[-1][0], signal.SIGKILL)

        with pytest.raises(EngineError) as ended:
            run_plan(plan, store, EngineOptions("local", n_jobs=1), progress=no_more)
        first = store.marks()
        left = len(plan.jobs) - len(first)
        assert str(ended.value) == (
            "engine: 'local' can run nothing: a worker ended as it started (exit code 1), 5 times "
            f"in a row, and {left} of 12 jobs are not run; what is finished is kept in "
            f"{store.place}: run again to go on."
        )
        assert {mark.status for mark in first.values()} == {"ok"}
        monkeypatch.undo()
        run_plan(plan, store, EngineOptions("inline"))
        second = store.marks()
        assert {key: second[key] for key in first} == first
        assert len(second) == len(plan.jobs)


def test_a_system_that_does_not_say_what_jobs_leave_behind_is_no_fault_of_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palio.experiment.engines.workers.start_worker", bad.is_not_known)
    with Store(tmp_path / "e.db") as store:
        with pytest.raises(EngineError, match=r"started \(PermissionError: not told\), \d+ times"):
            run_plan(plan_of(GOOD), store, EngineOptions("local", n_jobs=1))
        assert not store.marks()


def test_a_full_disk_is_no_fault_of_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("palio.experiment.engines.batch.lay", full)
    with Store(tmp_path / "e.db") as store:
        with pytest.raises(EngineError, match=r"cannot write to .*: No space left .* are not run"):
            run_plan(plan_of(GOOD), store, EngineOptions("local"))
        assert not store.marks()


@pytest.mark.parametrize("engine", ["inline", "local"])
def test_a_store_that_is_deleted_ends_the_run_at_once(engine: str, tmp_path: Path) -> None:
    """Not only after the last job."""
    place = tmp_path / "e.db"
    plan = plan_of({f"s{i}": bad.Sleeps(0.1 + i / 1000) for i in range(20)})
    told: list[int] = []

    def delete(state: Progress) -> None:
        told.append(state.done)
        if state.done == 3:
            for file in tmp_path.glob("e.db*"):
                file.unlink()

    with (
        Store(place) as store,
        pytest.raises(UnreadableError, match=re.escape(str(place))) as ended,
    ):
        run_plan(plan, store, EngineOptions(engine), progress=delete)
    assert "\n" not in str(ended.value)
    assert max(told) < 15
    assert not place.exists()
