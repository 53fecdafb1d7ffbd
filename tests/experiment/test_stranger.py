"""What comes from a stranger is data: a store, a table, predictions. SECURITY.md says so."""

from __future__ import annotations

import ast
import io
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.errors import UnreadableError
from palio.experiment.outcome import FoldPredictions
from palio.experiment.plan import make_plan
from palio.experiment.store.store import Store
from palio.experiment.work import execute

SOURCES = Path(palio.__file__).parent
READERS = ("experiment/store", "scores", "predictions", "studies")


class Touching:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.touch, (self.path,)


class Poisoned(FoldPredictions):
    """Predictions as a stranger would write them, with a checksum that is right."""

    poison: bytes

    def to_bytes(self) -> bytes:
        return self.poison


def test_predictions_of_a_store_are_not_unpickled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran, place = tmp_path / "ran", str(tmp_path / "e.db")
    buffer = io.BytesIO()
    bad = np.array([Touching(ran)], dtype=object)
    np.savez(buffer, instances=bad, truth=bad, predicted=bad, classes=bad, probabilities=bad)
    with np.load(io.BytesIO(buffer.getvalue()), allow_pickle=True) as arrays:
        _ = arrays["truth"]
    assert ran.exists(), "the trap works"
    ran.unlink()
    plan = make_plan(
        ["sklearn:iris"], {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)},
        resampling="2-fold", predictions=True,
    )  # fmt: skip
    outcomes = []
    for outcome in map(execute, plan.jobs):
        folds = []
        for fold in outcome.folds:
            assert fold.predictions is not None
            poisoned = Poisoned(**vars(fold.predictions))
            object.__setattr__(poisoned, "poison", buffer.getvalue())
            folds.append(replace(fold, predictions=poisoned))
        outcomes.append(replace(outcome, folds=tuple(folds)))
    with Store(place) as store:
        store.save_plan(plan)
        store.save(outcomes)
        store.check()
    with pytest.raises(UnreadableError, match="none that Palio wrote"):
        palio.read_stored_predictions(place)
    assert main(["compare", place, "--test", "mcnemar"]) == 2
    assert main(["status", place, "--check"]) == 0
    assert palio.read_scores(place).algorithms == ("nb", "tree")
    assert not ran.exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["pkl", "csv", "json", "parquet", "db"])
def test_a_pickle_is_no_table(tmp_path: Path, ending: str) -> None:
    ran = tmp_path / "ran"
    (tmp_path / f"t.{ending}").write_bytes(pickle.dumps(Touching(ran)))
    assert main([str(tmp_path / f"t.{ending}")]) == 2
    assert not ran.exists()


def calls(path: Path) -> Iterator[str]:
    """Yield what a module imports and calls that would execute what it reads."""
    unsafe = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.split(".")[0] in unsafe)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in unsafe:
            yield str(node.module)
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("eval", "exec", "compile") or name.endswith("read_pickle"):
                yield name
            safe = {each.arg: ast.unparse(each.value) for each in node.keywords}
            if name == "np.load" and safe.get("allow_pickle") != "False":
                yield "np.load"


@pytest.mark.parametrize("folder", READERS)
def test_nothing_that_reads_has_the_means_to_execute(folder: str) -> None:
    paths = [*(SOURCES / folder).rglob("*.py"), SOURCES / "experiment" / "outcome.py"]
    assert {str(path): found for path in paths if (found := list(calls(path)))} == {}
