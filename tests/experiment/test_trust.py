"""Whose code an experiment file may run, and modules that lie beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import palio
from palio.app.cli import main
from palio.errors import ParameterError
from palio.experiment.config import load_experiment
from palio.experiment.engines import EngineOptions, InlineEngine
from palio.experiment.estimators import estimator_named
from palio.experiment.runner import read_store
from palio.experiment.store.store import Store
from palio.experiment.trust import Trust

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
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "mylib.py").write_text(MINE, encoding="utf-8")
    (folder / "helpers.py").write_text(f"MORE = 0\n\n\n{helper}", encoding="utf-8")
    (folder / "e.toml").write_text(TOML, encoding="utf-8")
    return folder / "e.toml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("os:system", "'os:system' is of no installed package, .* trust os, allow it: allow='os'"),
        ("builtins:exit", "allow='builtins'"),
        ("subprocess:Popen", "allow='subprocess'"),
        ("antigravity:open", "allow='antigravity'"),
        ("tests.experiment.estimators:Raises", "allow='tests'"),
        ("pip.__main__:main", "'pip.__main__:main' is a program"),
        ("tpot:TPOTClassifier", "may be given programs to run by its parameters.*allow='tpot'"),
        ("sklearn.base:clone", "is no class of estimators but a function"),
        ("sklearn.utils:shuffle", "is no class of estimators but a function"),
        ("sklearn.pipeline:make_pipeline", "is no class of estimators but a function"),
        ("sklearn.os:system", "No module named 'sklearn.os'"),
        ("sklearn:os.system", "sklearn has no os.system"),
        ("palio.experiment.trust:importlib", "is no class of estimators but a module"),
        ("sklearn.utils:Bunch", "it needs fit, predict and get_params"),
        ("sklearn.preprocessing:StandardScaler", "it needs fit, predict and get_params"),
        ("sklearn.gaussian_process.kernels:RBF", "it needs fit, predict and get_params"),
        ("sklearn.model_selection._search:MaskedArray", "it needs fit, predict and get_params"),
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
    assert "lies beside the file, and its code would be run. If you trust mylib" in said[1]
    assert "allow it: --allow mylib, or trust its folder in /" in said[1]
    assert main(["plan", str(path), "--allow", "mylib"]) == 2
    assert "does not say that it makes an estimator; annotate" in capsys.readouterr().err


def test_parts_may_be_kernels_and_splitters() -> None:
    for text in ("sklearn.gaussian_process.kernels:RBF", "sklearn.model_selection:KFold"):
        assert estimator_named(text, part=True).__name__ in text
    with pytest.raises(ParameterError, match="it needs fit"):
        estimator_named("sklearn.utils:Bunch", part=True)


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
    with pytest.raises(ParameterError, match="there is another module of that name"):
        Trust.of("tests", tmp_path).find("tests.experiment.estimators:Raises")
    found = Trust.of("tests").find("tests.experiment.estimators:Raises")
    assert found.__name__ == "Raises"


def test_a_factory_says_what_it_makes(tmp_path: Path) -> None:
    path = beside(tmp_path)
    (tmp_path / "mylib.py").write_text(
        f"{MINE}\n\ndef shifted() -> 'Mine':\n    return Mine(3)\n\n\ndef number() -> int:\n"
        f"    open({str(tmp_path / 'trace')!r}, 'w')\n    return 1\n",
        encoding="utf-8",
    )
    path.write_text(TOML.replace("mylib:Mine", "mylib:shifted"), encoding="utf-8")
    assert load_experiment(path, allow="mylib").estimators()["mine"].shift == 3
    path.write_text(TOML.replace("mylib:Mine", "mylib:number"), encoding="utf-8")
    with pytest.raises(ParameterError, match="does not say that it makes an estimator"):
        load_experiment(path, allow="mylib")
    assert not (tmp_path / "trace").exists()


def test_a_folder_that_the_user_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the user's own file, which no experiment file can stand in for."""
    path, home = beside(tmp_path / "work" / "one"), tmp_path / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    (tmp_path / "work" / "one" / "config.toml").write_text(f'trusted = ["{tmp_path}"]')
    assert main(["plan", str(path)]) == 2
    settings = home / "palio" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'trusted = ["{tmp_path / "elsewhere"}"]')
    assert main(["plan", str(path)]) == 2
    settings.write_text(f'trusted = ["{tmp_path / "work"}"]')
    assert main(["plan", str(path)]) == 0
    for wrong in ("trusted = 3", "trusted ="):
        settings.write_text(wrong)
        assert main(["plan", str(path)]) == 2
        assert str(settings) in capsys.readouterr().err.splitlines()[-1]


# One run for all that it must not load, and one for a file that is asked for by name.
@pytest.mark.parametrize(
    ("modules", "learner", "status"),
    [
        (
            ("numpy", "sklearn", "multiprocessing", "mylib"),
            "sklearn.tree:DecisionTreeClassifier",
            0,
        ),
        (("xgboost",), "xgboost:XGBClassifier", 0 if find_spec("xgboost") else 2),
    ],
    ids=["beside", "named"],
)
def test_modules_beside_a_file_are_not_run(
    tmp_path: Path, modules: tuple[str, ...], learner: str, status: int
) -> None:
    """In the folder where palio is called, in workers too, whatever they are called."""
    for module in modules:
        trace = str(tmp_path / f"{module}.trace")
        (tmp_path / f"{module}.py").write_text(f"open({trace!r}, 'w')\n", encoding="utf-8")
    (tmp_path / "e.toml").write_text(
        'datasets = ["monks-1"]\nresampling = "half"\nn_jobs = 1\n'
        f'algorithms = ["nn", "{learner}"]\n',
        encoding="utf-8",
    )
    # As the installed command is: without the present folder on the path.
    call = "import sys; from palio.app.cli import main; sys.exit(main(['run', 'e.toml']))"
    source = str(Path(palio.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-P", "-c", call], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": source}, check=False,
    )  # fmt: skip
    assert not list(tmp_path.glob("*.trace"))
    assert "Traceback" not in done.stderr
    assert done.returncode == status, done.stderr


def test_an_installed_namesake_is_not_mistaken_for_the_allowed(tmp_path: Path) -> None:
    """Who allows lightgbm means the package, not a file that a stranger has called so."""
    for package in ("distributed", "psycopg"):
        (tmp_path / f"{package}.py").write_text("raise SystemExit\n", encoding="utf-8")
        with pytest.raises(ParameterError, match="there is another module of that name"):
            Trust.of(package, tmp_path).find(f"{package}:X")


@pytest.mark.parametrize(
    "params",
    [
        'params.memory = "cache"',
        'params.steps = []\nparams.memory = "cache"',
    ],
)
def test_no_folder_of_pickles(params: str, tmp_path: Path) -> None:
    """Pipelines load what they find in the folder of their memory."""
    (tmp_path / "e.toml").write_text(
        'datasets = ["monks-1"]\n[algorithms.a]\nestimator = "sklearn.pipeline:Pipeline"\n'
        f"{params}\n",
        encoding="utf-8",
    )
    with pytest.raises(ParameterError, match=r"params\.memory: a folder for memory may hold"):
        load_experiment(tmp_path / "e.toml")
    (tmp_path / "e.toml").write_text(
        'datasets = ["monks-1"]\n[algorithms.a]\nestimator = "sklearn.model_selection:GridSearchCV"'
        '\nparams.param_grid = { pipe__memory = ["cache"] }\n'
        'params.estimator = { estimator = "nn" }\n',
        encoding="utf-8",
    )
    with pytest.raises(ParameterError, match="pipe__memory: a folder for memory"):
        load_experiment(tmp_path / "e.toml")


@pytest.mark.parametrize("address", ["tcp://evil.example:8786", "tls://10.0.0.7:1", "evil:1"])
def test_a_file_may_not_send_jobs_away(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who answers as a scheduler may send pickles back."""
    path = tmp_path / "e.toml"
    path.write_text(
        f'datasets = ["monks-1"]\nalgorithms = ["nn"]\nengine = "dask"\nscheduler = "{address}"\n',
        encoding="utf-8",
    )
    assert main(["run", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"If you trust it, give it yourself: --scheduler {address}.")
    for near in ("tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786", None):
        Trust().check_scheduler(near)


def test_where_jobs_were_sent_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store may come from a stranger, too; what it says of a scheduler is asked about."""
    path, store = tmp_path / "e.toml", tmp_path / "experiment.db"
    path.write_text('datasets = ["monks-1"]\nalgorithms = ["nn"]\nresampling = "half"\n')
    sent: list[EngineOptions] = []

    def make(options: EngineOptions, **_: object) -> InlineEngine:
        sent.append(options)
        return InlineEngine()

    monkeypatch.setattr(EngineOptions, "make", make)
    assert main(["run", str(path), "--engine", "dask", "--scheduler", "tcp://far:1"]) == 0
    assert main(["retry", str(store)]) == 0
    assert [(each.engine, each.scheduler) for each in sent] == [
        ("dask", "tcp://far:1"), ("local", None),
    ]  # fmt: skip
    with Store(store) as opened:
        kept = opened.recall("file of e")
        assert kept is not None
        opened.remember("file of e", kept.replace('"scheduler":null', '"scheduler":"tcp://far:1"'))
    assert main(["retry", str(store)]) == 2
    assert "give it yourself: --scheduler tcp://far:1" in capsys.readouterr().err
    assert main(["retry", str(store), "--scheduler", "tcp://far:1"]) == 0


def test_from_python(tmp_path: Path) -> None:
    names = ["nn", "tests.experiment.estimators:Constant"]
    with pytest.raises(ParameterError, match="allow='tests'"):
        palio.run(["monks-1"], names, store=tmp_path / "e.db", engine="inline")
    table = palio.run(
        ["monks-1"], names, store=tmp_path / "e.db", engine="inline", resampling="half",
        allow="tests",
    )  # fmt: skip
    assert table.algorithms == ("nn", "Constant")
