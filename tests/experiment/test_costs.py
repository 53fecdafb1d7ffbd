"""What is measured besides the score, and on which machine."""

import builtins
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

from palio.experiment import costs
from palio.experiment.plan import make_plan
from palio.experiment.work import execute
from palio.systems import System, system

MEGABYTE = 1_000_000


GAUGES = {"best": system().memory_gauge, "polling": partial(System.memory_gauge, system())}


@pytest.fixture
def gauges(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Let a test choose the way to measure memory."""

    def choose(name: str) -> None:
        monkeypatch.setattr(system(), "memory_gauge", GAUGES.get(name, lambda: (name, None)))
        costs._gauge.cache_clear()

    yield choose
    monkeypatch.undo()
    costs._gauge.cache_clear()


def test_wall_time_passes_while_the_processor_sleeps() -> None:
    with costs.timed() as clock:
        time.sleep(0.05)
    assert clock.wall >= 0.05
    assert clock.cpu < 0.03


# Memory


@pytest.mark.parametrize("how", GAUGES)
def test_memory_that_comes_and_goes_is_seen(gauges: Callable[..., None], how: str) -> None:
    gauges(how)
    with costs.measure_memory() as found:
        # Of the system's, not of what earlier tests have left in the heap.
        block = np.frombuffer(mmap.mmap(-1, 60 * MEGABYTE), dtype=np.uint8)
        block[:] = 1
        time.sleep(0.05)
        del block
    assert 55 * MEGABYTE < found["peak_memory"] < 90 * MEGABYTE
    with costs.measure_memory() as quiet:
        pass
    assert quiet["peak_memory"] < 5 * MEGABYTE  # the mark was set back


def test_polling_leaves_no_thread_behind_whatever_happens(gauges: Callable[..., None]) -> None:
    gauges("polling")
    before = set(threading.enumerate())
    with costs.measure_memory():
        (watcher,) = set(threading.enumerate()) - before
        assert watcher.daemon  # an interpreter that ends meanwhile does not wait for it
    with pytest.raises(ValueError, match="no good"), costs.measure_memory() as found:
        raise ValueError("no good")
    assert not set(threading.enumerate()) - before
    assert found["peak_memory"] >= 0


def test_memory_that_cannot_be_measured_is_not_made_up(gauges: Callable[..., None]) -> None:
    gauges("not measured")
    with costs.measure_memory() as found:
        pass
    assert found == {}
    assert costs._gauge(os.getpid())[0] == "not measured"


def test_each_way_says_when_it_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    real_open, real_import = os.open, builtins.__import__

    def no_proc(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(path)
        return real_open(path, *arguments, **options)

    def no_psutil(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "psutil":
            raise ImportError(name)
        return real_import(name, *arguments, **options)

    monkeypatch.setattr(os, "open", no_proc)
    assert system().memory_gauge()[0] == "polling"
    monkeypatch.setattr(builtins, "__import__", no_psutil)
    assert system().memory_gauge() == ("not measured", None)


def test_measuring_memory_takes_no_time_of_a_short_fit() -> None:
    costs._gauge(os.getpid())
    seconds = []
    for _ in range(50):
        with costs.timed() as clock, costs.measure_memory():
            pass
        seconds.append(clock.wall)
    assert min(seconds) < 0.0005


def test_a_model_that_cannot_be_pickled_has_no_size() -> None:
    assert costs.model_bytes(threading.Lock()) is None
    small, large = costs.model_bytes(np.zeros(10)), costs.model_bytes(np.zeros(1010))
    assert small is not None
    assert large is not None
    assert large - small >= 8000


# The machine


@pytest.mark.linux("the processor's name in /proc")
def test_the_machine_says_how_it_measures() -> None:
    found = costs.machine()
    assert found["threads"] == "1"
    assert found["memory"] in ("high-water mark", "polling", "not measured")
    assert int(found["n_cpus"]) == os.cpu_count()
    assert float(found["calibration"]) == pytest.approx(costs.calibration(), abs=1e-5)
    names = [
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    assert found.get("processor_name") == (names[0] if names else None)
    assert all(isinstance(value, str) for value in found.values())


def test_the_calibration_is_computed_once() -> None:
    first = costs.calibration()
    before = costs.calibration.cache_info()
    assert costs.calibration() == first > 0
    after = costs.calibration.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 1)


A = {"host": "a", "processor_name": "x", "calibration": "0.01010"}
B = {"host": "b", "processor_name": "x", "calibration": "0.01730"}


def test_one_machine_is_nothing_to_speak_of() -> None:
    slower = {**A, "calibration": "0.01500"}  # the same machine, busier
    assert costs.mixed_machines([]) is None
    assert costs.mixed_machines([A, slower, A]) is None
    assert costs.mixed_machines([A, {}]) is None  # killed: nobody told where it ran


def test_several_machines_are_told_with_their_best_calibration() -> None:
    said = costs.mixed_machines([{**A, "calibration": "0.02"}, B, A, B])
    assert said == (
        "costs come from 2 machines (a: calibration 0.0101 s, b: 0.0173 s): times are not "
        "comparable; re-measure them with `palio run … --exclusive` on one machine, or compare "
        "scores only."
    )


def test_the_same_name_with_another_processor_is_another_machine() -> None:
    said = costs.mixed_machines([A, {**A, "processor_name": "y"}])
    assert said is not None
    assert "2 machines (a with x: calibration 0.0101 s, a with y: 0.0101 s)" in said


def test_rows_without_a_calibration_are_from_an_older_version() -> None:
    said = costs.mixed_machines([{"host": "old", "processor": "x86_64"}, B])
    assert said is not None
    assert "2 machines (old, b: calibration 0.0173 s)" in said


def test_rows_measured_alone_and_rows_that_were_not() -> None:
    alone = {**A, "exclusive": "yes"}
    assert costs.mixed_machines([alone, alone]) is None
    said = costs.mixed_machines([alone, A, {**A, "exclusive": "no"}])
    assert said is not None
    assert said.startswith("costs of 1 of 3 jobs were measured with nothing else running")
    both = costs.mixed_machines([alone, B])
    assert both is not None
    assert "2 machines" in both
    assert "1 of 2 jobs" in both


# Costs that cannot be


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ({"fit_time": -929.0}, "fit_time = -929"),
        ({"predict_time": float("nan")}, "predict_time = nan"),
        ({"peak_memory": float("inf")}, "peak_memory = inf"),
        ({"fit_cpu_time": 0.0}, "fit_cpu_time = 0"),
    ],
)
def test_what_cannot_be_is_refused(measured: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=f"costs that cannot be were measured: {said}$"):
        costs.check({"fit_time": 2.0, "fit_cpu_time": 0.1, **measured})


def test_no_cpu_time_is_possible_in_an_instant() -> None:
    """Where the clock has steps of 1/64 s."""
    costs.check({"fit_time": 0.01, "fit_cpu_time": 0.0, "peak_memory": 0.0})


def test_a_job_with_impossible_costs_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1000, 0, -7))
    monkeypatch.setattr(costs, "perf_counter", lambda: float(next(ticks)))
    plan = make_plan(["sklearn:iris"], {"nb": GaussianNB()}, resampling="2-fold")
    outcome = execute(plan.jobs[0])
    assert (outcome.status, outcome.folds) == ("failed", ())
    assert outcome.error.startswith(
        "ValueError: costs that cannot be were measured: fit_time = -7, predict_time = "
    )
