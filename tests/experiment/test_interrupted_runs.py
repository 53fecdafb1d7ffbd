"""Ctrl-C, which every process of a terminal gets, and SIGTERM, which batch systems send.

Each engine ends soon and says what is kept.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from palio.experiment.config import load_experiment
from palio.experiment.engines import ENGINES, EngineOptions, interruptions
from palio.experiment.plan import make_plan
from palio.experiment.runner import run_plan
from palio.experiment.store.store import Store
from tests.experiment import estimators as bad
from tests.experiment.test_faults import wait_for
from tests.slow import mostly_slow

pytestmark = pytest.mark.posix("kills, stops or interrupts processes by signals")

ROOT = Path(__file__).resolve().parents[2]

FILE = """
datasets = ["sklearn:iris"]
resampling = "{folds}-fold"
store = "e.db"
[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"
[algorithms.long]
estimator = "tests.experiment.estimators:Sleeps"
params.seconds = {seconds}
"""


def palio(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "palio.app.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(place: Path) -> int:
    try:
        with Store(place, create=False) as store:
            return len(store.marks())
    except Exception:
        return 0


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(name, marks=[pytest.mark.slow] if kind.clients else [])
        for name, kind in ENGINES.items()
    ],
)
def test_ctrl_c_ends_all_processes_soon(engine: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE.format(folds=2, seconds=600), encoding="utf-8")
    options = ["run", "x.toml", "--engine", engine, "--allow", "tests"]
    process = palio(tmp_path, *options)
    wait_for(lambda: finished(tmp_path / "e.db") or process.poll() is not None, 120)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)
    began = time.monotonic()
    said = process.communicate(timeout=30)[1]
    assert time.monotonic() - began < 15
    assert process.returncode == 130
    assert said.endswith("run again to go on\nerror: interrupted.\n")
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        wait_for(lambda: os.killpg(process.pid, 0), 10)
    assert finished(tmp_path / "e.db") == 1


@pytest.mark.parametrize(
    "engine",
    mostly_slow([name for name, kind in ENGINES.items() if not kind.clients], ["inline"]),
)
def test_sigterm_keeps_what_is_done_of_the_job_under_way(engine: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE.format(folds=10, seconds=0.5), encoding="utf-8")
    process = palio(tmp_path, "run", "x.toml", "--engine", engine, "--allow", "tests")
    wait_for(lambda: finished(tmp_path / "e.db") or process.poll() is not None, 120)
    time.sleep(2)
    process.terminate()
    process.terminate()  # as some do, to the process and to its group
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 143
    assert said.endswith("run again to go on\nerror: terminated.\n")
    assert "Traceback" not in said
    jobs = load_experiment(tmp_path / "x.toml", allow="tests").plan().jobs
    with Store(tmp_path / "e.db") as store:
        (begun,) = store.begun(job.key for job in jobs).values()
    assert 2 <= len(begun) < 10


SCRIPT = """
import os, signal, palio
from tests.experiment.estimators import Sleeps

def terminate(state):
    os.kill(os.getpid(), signal.SIGTERM)

try:
    palio.run(["sklearn:iris"], {"s": Sleeps(0)}, store="e.db", progress=terminate)
finally:
    print("tidied up")
"""


def test_sigterm_ends_a_script_with_its_status(tmp_path: Path) -> None:
    path = f"{os.environ.get('PYTHONPATH', '')}:{ROOT}"
    command = [sys.executable, "-c", SCRIPT]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "tidied up\n", "")


@pytest.mark.parametrize("raises", [False, True])
def test_an_interruption_that_a_fit_swallows_is_still_one(raises: bool, tmp_path: Path) -> None:
    """What it makes of a model that was broken off is not kept."""
    plan = make_plan(["sklearn:iris"], {"swallows": bad.Swallows(raises)}, resampling="2-fold")
    with Store(tmp_path / "e.db") as store:
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, store, EngineOptions("inline"))
        assert not store.marks()
        assert not store.begun(job.key for job in plan.jobs)


def test_whoever_handles_signals_still_does() -> None:
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(5))
    try:
        with interruptions() as interrupted:
            assert not interrupted()
            with pytest.raises(SystemExit) as ended:
                signal.raise_signal(signal.SIGTERM)
            assert interrupted() is ended.value
        assert callable(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)


def test_elsewhere_than_in_the_main_thread_no_person_interrupts(tmp_path: Path) -> None:
    plan = make_plan(
        ["sklearn:iris"], {"own": bad.RaisesAnything("KeyboardInterrupt")}, resampling="2-fold"
    )
    with Store(tmp_path / "e.db") as store:
        thread = threading.Thread(target=run_plan, args=(plan, store, EngineOptions("inline")))
        thread.start()
        thread.join()
        assert [job["error"] for job in store.jobs()] == ["KeyboardInterrupt"]


def test_a_fit_that_leaves_gives_a_row_and_status_0(tmp_path: Path) -> None:
    text = FILE.format(folds=2, seconds=0).replace("Sleeps", "RaisesAnything")
    (tmp_path / "x.toml").write_text(text.replace("params.seconds = 0", ""), encoding="utf-8")
    process = palio(tmp_path, "run", "x.toml", "--engine", "inline", "--allow", "tests", "--json")
    out, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert json.loads(out)["counts"] == {"ok": 1, "failed": 1}
