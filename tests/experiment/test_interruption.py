"""Ctrl-C in the midst of a job: the folds that are done are kept, and only the rest is run."""

from __future__ import annotations

import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from palio.errors import TerminatedError
from palio.experiment.engines import EngineOptions
from palio.experiment.outcome import DoneFold
from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.runner import run_plan
from palio.experiment.store.store import Store
from palio.experiment.work import execute
from tests.experiment import estimators as bad
from tests.experiment.by_hand import folds_in

pytestmark = pytest.mark.posix("kills, stops or interrupts processes by signals")

FOLDS = 8


def plan_of(file: Path, *, at: int = 0, seconds: float = 0.0) -> Plan:
    slow = bad.Interrupts(str(file), seconds, at)
    return make_plan(["sklearn:iris"], {"slow": slow}, resampling=f"{FOLDS}-fold")


def fits(file: Path) -> int:
    return len(file.read_text(encoding="ascii").splitlines()) if file.exists() else 0


def found_in(place: Path, key: str) -> dict[int, dict[str, float]]:
    with Store(place) as store:
        return store.scores([key])[key]


def left_over(place: Path) -> int:
    with closing(sqlite3.connect(place)) as connection, connection:
        found: int = connection.execute("SELECT count(*) FROM palio_begun").fetchone()[0]
        return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "fits"


@pytest.mark.parametrize("predictions", [False, True])
def test_in_this_process(tmp_path: Path, file: Path, predictions: bool) -> None:
    plan, place = plan_of(file, at=6), tmp_path / "e.db"
    (key,) = (job.key for job in plan.jobs)
    with Store(place) as store:
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, store, EngineOptions("inline"), predictions=predictions)
        assert not store.marks()
        assert not folds_in(store)  # a job has all its folds or none
        assert left_over(place) == 5
        run_plan(plan, store, EngineOptions("inline"), predictions=predictions)
        assert fits(file) == FOLDS + 1  # only the one that was interrupted came twice
        assert store.marks()[key].status == "ok"
        assert bool(store.predicted()) == predictions
        seconds = store.jobs()[0]["seconds"]
        assert seconds >= sum(fold["costs"]["fit_time"] for fold in folds_in(store))
    assert left_over(place) == 0
    with Store(tmp_path / "whole.db") as store:
        run_plan(plan, store, EngineOptions("inline"))
    assert found_in(place, key) == found_in(tmp_path / "whole.db", key)
    assert len(set(found_in(place, key))) == FOLDS


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Ctrl-C raises, whatever another test has left it to do."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, TerminatedError)]
)
def test_in_worker_processes(
    tmp_path: Path, file: Path, number: signal.Signals, error: type[BaseException]
) -> None:
    plan, place = plan_of(file, seconds=0.4), tmp_path / "e.db"
    (key,) = (job.key for job in plan.jobs)
    main = threading.main_thread().ident
    assert main is not None

    def press() -> None:
        while fits(file) < 4:
            time.sleep(0.02)
        signal.pthread_kill(main, number)

    threading.Thread(target=press, daemon=True).start()
    with Store(place) as store:
        with pytest.raises(error):
            run_plan(plan, store, EngineOptions("local", n_jobs=1))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        kept = left_over(place)
        assert 3 <= kept < FOLDS
        before = fits(file)
        run_plan(plan, store, EngineOptions("local", n_jobs=1))
    assert fits(file) - before == FOLDS - kept
    with Store(tmp_path / "whole.db") as store:
        run_plan(plan, store, EngineOptions("inline"))
    assert found_in(place, key) == found_in(tmp_path / "whole.db", key)


def test_what_was_measured_elsewhere_or_says_less_is_measured_anew(file: Path) -> None:
    (job,) = plan_of(file).jobs
    done: list[DoneFold] = []
    whole = execute(job, tell=done.append)
    assert [each.outcome.fold for each in done] == [split.fold for split in job.splits]

    def run_again(job: Job, **options: Any) -> int:
        before = fits(file)
        outcome = execute(job, **options)
        assert [f.scores for f in outcome.folds] == [f.scores for f in whole.folds]
        return fits(file) - before

    assert run_again(job.but(begun=tuple(done[:3]))) == FOLDS - 3
    assert run_again(job.but(begun=tuple(done))) == 0
    assert run_again(job.but(begun=tuple(done)), predictions=True) == FOLDS
    slower = DoneFold(done[0].outcome, {**done[0].machine, "calibration": "9"})
    elsewhere = DoneFold(done[1].outcome, {**done[1].machine, "host": "elsewhere"})
    assert run_again(job.but(begun=(slower, elsewhere))) == FOLDS - 1
    assert job.but(begun=tuple(done)).key == job.key


def test_costs_measured_again_are_measured_whole(tmp_path: Path, file: Path) -> None:
    plan, done = plan_of(file), list[DoneFold]()
    (job,) = plan.jobs
    execute(job, tell=done.append)
    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, EngineOptions("inline"))
        store.save_begun({job.key: done})
        run_plan(plan, store, EngineOptions("inline"), exclusive=True)
    assert fits(file) == 3 * FOLDS


def test_a_store_of_either_kind_keeps_them_until_the_job_has_a_row(place: str, file: Path) -> None:
    (job,) = plan_of(file).jobs
    done: list[DoneFold] = []
    whole = execute(job, predictions=True, tell=done.append)
    with Store(place) as store:
        store.save_begun({job.key: done[:2]})
        store.save_begun({job.key: done[1:3]})
        (found,) = store.begun([job.key, "another"]).values()
        assert [each.outcome.scores for each in found] == [each.outcome.scores for each in done[:3]]
        assert [each.outcome.costs for each in found] == [each.outcome.costs for each in done[:3]]
        assert [each.machine for each in found] == [done[0].machine] * 3
        said, kept = (each[2].outcome.predictions for each in (done, found))
        assert said is not None
        assert kept is not None
        assert kept.predicted.tolist() == said.predicted.tolist()
        store.save([whole])
        assert not store.begun([job.key])
