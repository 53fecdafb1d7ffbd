"""How jobs travel to workers: together, by value, and what they share once."""

import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.experiment.data.datasets import load_datasets
from palio.experiment.engines import Limits
from palio.experiment.engines.batch import Depot, flattened, lay, mapped, pack, unpack
from palio.experiment.engines.local import LocalEngine
from palio.experiment.plan import make_plan
from tests.experiment.estimators import Constant


class CannotArrive(Constant):
    """Is sent without complaint, and cannot be put together in another process."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def __getstate__(self) -> dict[str, Any]:
        return {"number": self.number, "home": os.getpid()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("home") != os.getpid():
            raise OSError("not at home")
        self.__dict__.update(state)


def local_class(table: Any) -> Any:
    class Local(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def __init__(self, number: int = 0) -> None:
            self.number = number

        def fit(self, X: Any, y: Any) -> Any:
            self.classes_ = np.unique(y)
            return self

        def predict(self, X: Any) -> Any:
            return np.repeat(self.classes_[: int(table[0]) + 1], len(X))

    return Local


def test_what_jobs_share_lies_there_once(tmp_path: Path) -> None:
    """A class that no worker can import, with all it holds, and the data set."""
    heavy = local_class(np.zeros(100_000))
    algorithms = {f"a{i}": make_pipeline(StandardScaler(), heavy(i)) for i in range(20)}
    plan = make_plan(["sklearn:iris"], algorithms)
    depot = Depot(tmp_path)
    payloads = [pack(plan.jobs[i : i + 10], depot.name) for i in range(0, 100, 10)]
    assert len(list(tmp_path.iterdir())) == 2
    assert max(map(len, payloads)) < 40_000  # the class has 800,000 bytes
    laid = {
        path.name: mapped(path)
        if path.name.startswith("data-")
        else pickle.loads(path.read_bytes())
        for path in tmp_path.iterdir()
    }
    arrived = [job for payload in payloads for job in unpack(payload, laid.__getitem__)]
    assert [job.key for job in arrived] == [job.key for job in plan.jobs]
    assert [job.estimator[-1].number for job in arrived] == [i for i in range(20) for _ in range(5)]
    assert len({id(type(job.estimator[-1])) for job in arrived}) == 1
    assert len({id(job.dataset) for job in arrived}) == 1


def test_numbers_of_data_sets_are_mapped_whatever_stands_beside_them(tmp_path: Path) -> None:
    """A frame of numbers, categories, text and holes, and its twin on the same pages."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((5000, 3)), columns=list("abc"))
    frame.loc[::7, "b"] = np.nan
    frame["category"] = pd.Categorical(rng.choice(["x", "y"], 5000))
    frame["text"] = np.array([f"word {i}" for i in range(5000)], dtype=object)
    sparse = scipy.sparse.random(500, 40, 0.1)
    data: dict[str, Any] = {"X": frame, "y": rng.integers(0, 2, 5000), "sparse": sparse}
    lay(tmp_path, "data-x", flattened(data))
    one, other = mapped(tmp_path / "data-x"), mapped(tmp_path / "data-x")
    pd.testing.assert_frame_equal(one["X"], frame)
    assert np.array_equal(one["y"], data["y"])
    assert (one["sparse"] != data["sparse"]).nnz == 0
    for found in (one, other):
        assert not found["y"].flags.writeable
        assert not found["X"]["a"].to_numpy().flags.writeable
    part = one["X"].iloc[np.arange(10)].to_numpy(dtype=object)
    part[0, 0] = 1.0  # what a learner is given is its own
    maps = Path("/proc/self/maps").read_text() if Path("/proc/self/maps").exists() else "data-x"
    assert "data-x" in maps


def test_a_temporary_folder_that_is_swept_loses_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second data set is laid out before the sweep and fetched after; the third only then."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    datasets = ["sklearn:iris", "sklearn:wine", "monks-1"]
    tree = {"tree": DecisionTreeClassifier(max_depth=1)}
    plan = make_plan(datasets, tree, prepare="standard", resampling="2x2")
    swept, found = False, []
    for outcome in LocalEngine(1, limits=Limits(60)).run(plan.jobs):
        found.append(outcome.status)
        for folder in [] if swept else tmp_path.glob("palio-*"):
            shutil.rmtree(folder)
        swept = True
    assert found == ["ok"] * len(plan.jobs)


@pytest.mark.posix("what may be done with a folder is its mode")
def test_nobody_else_may_look_into_a_folder_that_was_swept(tmp_path: Path) -> None:
    (iris,) = load_datasets("sklearn:iris")
    depot = Depot(tmp_path / "palio-x")
    name = depot.name(iris)
    assert stat.S_IMODE(depot.folder.stat().st_mode) == 0o700
    shutil.rmtree(depot.folder)
    assert depot.name(iris) == name
    assert [each.name for each in depot.folder.iterdir()] == [name]


@pytest.mark.slow
def test_a_job_that_cannot_arrive_keeps_no_other_of_its_batch(tmp_path: Path) -> None:
    trees: dict[str, Any] = {f"t{i}": DecisionTreeClassifier(max_depth=i) for i in range(1, 100)}
    algorithms = {"no": CannotArrive(1)} | trees | {"nor": CannotArrive(2)}
    plan = make_plan(["sklearn:iris"], algorithms, resampling="2-fold")
    names = {job.key: job.algorithm for job in plan.jobs}
    ended = {names[each.key]: each for each in LocalEngine(2).run(plan.jobs)}
    assert {name for name, each in ended.items() if each.status != "ok"} == {"no", "nor"}
    assert ended["nor"].error == "OSError: not at home"
    assert len(ended) == len(algorithms)


# No guard, and everything it needs defined in it.
SCRIPT = textwrap.dedent(
    """
    import sys
    import numpy as np
    import palio
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.tree import DecisionTreeClassifier

    def usual(y):
        values, counts = np.unique(y, return_counts=True)
        return values, values[np.argmax(counts)]

    class Usual(ClassifierMixin, BaseEstimator):
        def __init__(self, number=0):
            self.number = number

        def fit(self, X, y):
            self.classes_, self.usual_ = usual(y)
            return self

        def predict(self, X):
            return np.repeat(self.usual_, len(X))

    told = []
    palio.run(
        ["sklearn:iris", "sklearn:wine"],
        {**{f"u{i}": Usual(i) for i in range(10)}, "tree": DecisionTreeClassifier()},
        store=sys.argv[1], progress=told.append,
    )
    print(told[0].done, told[-1].done, told[-1].failed)
    """
)


@pytest.mark.slow
def test_a_script_without_a_guard_may_use_a_cluster_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "go.py"
    text = SCRIPT.replace("range(10)", "range(2)").replace("store=", 'engine="dask", store=')
    script.write_text(text, encoding="utf-8")
    command = [sys.executable, str(script), str(tmp_path / "e.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "0 30 0\n", done.stderr


@pytest.mark.slow
def test_a_script_goes_on_with_classes_of_its_own(tmp_path: Path) -> None:
    """Another process finds what the first one computed, though the class has no lasting name."""
    script = tmp_path / "go.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(tmp_path / "e.db")]
    said = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    assert [text.decode().split() for text in said] == [["0", "110", "0"], ["110", "110", "0"]]
