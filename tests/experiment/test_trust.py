"""Whose code an experiment file may run, and modules that lie beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import palio
from palio.app.cli import main
from palio.errors import ParameterError
from palio.experiment.config import load_experiment
from palio.experiment.estimators import estimator_named
from palio.experiment.runner import read_store
from palio.experiment.trust import PACKAGES, Trust

MINE = """\
import numpy as np
import helpers
from helpers import first
from sklearn.base import BaseEstimator, ClassifierMixin


class Mine(ClassifierMixin, BaseEstimator):
    def __init__(self, shift=0):
        self.shift = shift

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.said_ = first(self.classes_)
        return self

    def predict(self, X):
        return np.repeat(self.said_, len(X) + helpers.MORE)


def make():
    return Mine()
"""
TOML = """\
datasets = ["sklearn:iris"]
resampling = "2-fold"
n_jobs = 1
algorithms = { mine = "mylib:Mine", nb = "sklearn.naive_bayes:GaussianNB" }
"""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Leave neither modules nor paths behind."""
    yield
    for name in ("mylib", "helpers"):
        sys.modules.pop(name, None)


def beside(folder: Path, *, helper: str = "def first(classes):\n    return classes[0]\n") -> Path:
    """Write an experiment, a module beside it, and one that this imports."""
    folder.mkdir(exist_ok=True)
    (folder / "mylib.py").write_text(MINE, encoding="utf-8")
    (folder / "helpers.py").write_text(f"MORE = 0\n\n\n{helper}", encoding="utf-8")
    (folder / "e.toml").write_text(TOML, encoding="utf-8")
    return folder / "e.toml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("os:system", r"'os:system' is of no package .* If you trust os, allow it: allow='os'"),
        ("subprocess:Popen", "allow='subprocess'"),
        ("sklearn.base:clone", "is no class but <function clone"),
        ("sklearn.utils:Bunch", "it needs fit and get_params"),
        ("sklearn.gaussian_process.kernels:RBF", "it needs fit and get_params"),
        ("sklearn.model_selection._search:MaskedArray", "allow='numpy'"),  # only imported there
    ],
)
def test_a_file_may_not_run_what_it_likes(text: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        estimator_named(text)


def test_nothing_is_run_before_it_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, trace = beside(tmp_path), tmp_path / "trace"
    for text in (f'"os:system", params = {{ command = "touch {trace}" }}', '"mylib:make"'):
        path.write_text(
            f'datasets = ["monks-1"]\n[algorithms]\nx = {{ estimator = {text} }}\n',
            encoding="utf-8",
        )
        assert main(["plan", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert not trace.exists()
    assert "mylib" not in sys.modules
    assert said[1].endswith(
        "as its code would be run. If you trust mylib, allow it: --allow mylib."
    )
    assert main(["plan", str(path), "--allow", "mylib"]) == 2
    assert "is no class but <function make" in capsys.readouterr().err


def test_parts_may_be_kernels_and_splitters() -> None:
    for text in ("sklearn.gaussian_process.kernels:RBF", "sklearn.model_selection:KFold"):
        assert estimator_named(text, part=True).__name__ in text
    with pytest.raises(ParameterError, match="it needs fit"):
        estimator_named("sklearn.utils:Bunch", part=True)
    assert {"sklearn", "palio", "xgboost", "lightgbm", "catboost"} <= PACKAGES


def test_a_module_beside_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a worker, which has neither the file nor the path, it does as here; so does a retry."""
    path, before = beside(tmp_path / "one"), list(sys.path)
    store = tmp_path / "one" / "experiment.db"
    assert main(["run", str(path), "--allow", "mylib"]) == 0
    mine = read_store(store).to_frame().query("algorithm == 'mine'")
    assert mine["accuracy"].tolist() == [pytest.approx(1 / 3)] * 2
    assert (mine["model_bytes"] > 0).all()
    assert sys.path == before
    capsys.readouterr()
    assert main(["retry", str(store)]) == 2
    assert "allow it: --allow mylib" in capsys.readouterr().err
    assert main(["retry", str(store), "--allow", "mylib"]) == 0


def test_the_key_is_the_content_wherever_it_lies(tmp_path: Path) -> None:
    def keys(path: Path) -> list[str]:
        return [job.key for job in load_experiment(path, allow="mylib").plan().jobs]

    one = keys(beside(tmp_path / "one"))
    assert keys(beside(tmp_path / "two")) == one
    last = "def first(classes):\n    return classes[-1]\n"
    other = beside(tmp_path / "three", helper=last)
    assert keys(other) != one
    assert load_experiment(other, allow=["mylib"]).estimators()["mine"].fit([[0]], [1]).said_ == 1


def test_a_namesake_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "tests.py").write_text("", encoding="utf-8")
    with pytest.raises(ParameterError, match="a module of that name is loaded from elsewhere"):
        Trust.of("tests", tmp_path).find("tests.experiment.estimators:Raises")
    found = Trust.of("tests").find("tests.experiment.estimators:Raises")
    assert found.__name__ == "Raises"


def test_from_python(tmp_path: Path) -> None:
    names = ["nn", "tests.experiment.estimators:Constant"]
    with pytest.raises(ParameterError, match="allow='tests'"):
        palio.run(["monks-1"], names, store=tmp_path / "e.db", engine="inline")
    table = palio.run(
        ["monks-1"], names, store=tmp_path / "e.db", engine="inline", resampling="half",
        allow="tests",
    )  # fmt: skip
    assert table.algorithms == ("nn", "Constant")
