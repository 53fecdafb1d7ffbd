"""Experiments on systems that are not at hand, played on this one: see elsewhere/."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from palio.errors import InputError
from palio.experiment.store.store import Store

HERE = Path(__file__).resolve().parent
EXPERIMENT = """
datasets = ["sklearn:iris"]
resampling = "2-fold"
store = "e.db"
time_limit = 5
memory_limit = 60_000_000
[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"
tree = "sklearn.tree:DecisionTreeClassifier"
[algorithms.hoards]
estimator = "tests.systems.estimators:Hoards"
[algorithms.sleeps]
estimator = "tests.systems.estimators:Sleeps"
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is played on Linux only")


def palio(folder: Path, system: str, *arguments: str) -> "subprocess.Popen[str]":
    paths = [str(HERE / "elsewhere"), str(HERE.parents[1])]
    if before := os.environ.get("PYTHONPATH"):
        paths.append(before)
    return subprocess.Popen(
        [sys.executable, "-m", "palio.app.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PALIO_TESTS_SYSTEM": system},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def jobs(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        with Store(folder / "e.db", create=False) as store:
            return {job["algorithm"]: job for job in store.jobs() if job["status"]}
    except Exception:
        return {}


def running(folder: Path) -> bool | None:
    with Store(folder / "e.db", create=False) as store:
        return store.running().goes_on


@pytest.mark.parametrize("system", ["windows", pytest.param("macos", marks=pytest.mark.slow)])
def test_a_run_with_limits_is_killed_and_resumed(system: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(EXPERIMENT, encoding="utf-8")
    options = ["run", "x.toml", "--allow", "tests", "--json"]
    first = palio(tmp_path, system, *options)
    try:
        until = time.monotonic() + 90
        while not jobs(tmp_path):
            assert first.poll() is None, first.communicate()
            assert time.monotonic() < until
            time.sleep(0.05)
        first.send_signal(signal.SIGSTOP)  # so that it does not end meanwhile
        assert running(tmp_path)
        with Store(tmp_path / "e.db") as store, pytest.raises(InputError, match="another run"):
            store.writing().__enter__()
    finally:
        first.kill()
        first.communicate()
    assert not running(tmp_path)

    out, said = palio(tmp_path, system, *options).communicate(timeout=120)
    found = jobs(tmp_path)
    assert {name: job["status"] for name, job in found.items()} == {
        "nb": "ok", "tree": "ok", "hoards": "memory", "sleeps": "timeout",
    }, said  # fmt: skip
    assert found["hoards"]["error"] == "more than 60,000,000 bytes, seen every 0.05 s"
    assert json.loads(out)["counts"] == {"ok": 2, "memory": 1, "timeout": 1}
    machine = json.loads(found["nb"]["machine"])
    assert machine["memory"] == "polling"
    assert "left_behind" not in machine
