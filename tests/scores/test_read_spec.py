"""How a table is read can be said, kept and used again."""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import palio
from palio import ReadSpec, read_scores
from palio.app.cli import main
from palio.errors import ParameterError, UnreadableError
from palio.scores import limits
from palio.scores.spec import from_toml
from tests.shared import shared_file

WIDE = "task,knn,svm\nads,1,2\nbio,3,5\ncar,2,7\n"

# Of each kind: long, with folds, both ways of wide, boards, documents, sheets of JSON.
FILES = (
    "strangers/lmarena_text.csv",
    "strangers/hand/accuracy.csv",
    "strangers/asr_en.csv",
    "strangers/evalplus.json",
    "strangers/timm_imagenet.csv",
    "strangers/dl4tsc_ucr128.csv",
    "strangers/catboost_README.md",
    "strangers/emj_cv.csv",
    "corpus/files/jmetal_MeanStd-IGD+.tex",
    "corpus/files/simple_evals_README.md",
    "corpus/files/openclip_results.csv",
    "corpus/files/multi_mergedTable_VUS-PR.csv",
)


@pytest.mark.parametrize("name", FILES)
def test_what_was_inferred_reads_the_same_again(name: str, tmp_path: Path) -> None:
    path = shared_file(f"results/{name}")
    table = read_scores(path, alone=True)
    assert table.how_read.spec is not None
    kept = tmp_path / "kept.toml"
    kept.write_text(table.how_read.spec.to_toml(), encoding="utf-8")
    again = read_scores(path, kept)
    assert (again.datasets, again.algorithms) == (table.datasets, table.algorithms)
    assert (again.measure, again.cost_names) == (table.measure, table.cost_names)
    np.testing.assert_array_equal(again.means(), table.means())


def test_a_spec_beside_the_file_is_used_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(WIDE, encoding="utf-8")
    beside = tmp_path / "results.csv.palio.toml"
    beside.write_text('score = "time"\nexclude = ["sv*"]\nalone = true\n', encoding="utf-8")
    for source in (path, str(path)):
        table = read_scores(source)
        assert table.algorithms == ("knn",)
        assert (table.measure.name, table.measure.higher_is_better) == ("time", False)
        assert "Read by results.csv.palio.toml." in table.notes
    beside.write_text('score = "time"\nlimits = false\n', encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(limits, "LIMITS", limits.Limits(rows=2))
        patch.setattr(limits, "_current", ContextVar("few", default=limits.LIMITS))
        with pytest.raises(UnreadableError, match="has 3 rows, and the limit is 2"):
            read_scores(path)
    # Who gives another one, or a field, is asked first.
    assert read_scores(path, ReadSpec(score="accuracy")).algorithms == ("knn", "svm")
    assert read_scores(path, exclude=None).algorithms == ("knn", "svm")


def test_fields_come_before_the_spec(tmp_path: Path) -> None:
    spec = ReadSpec(score="time", algorithms=["knn", "svm"])
    frame = pd.DataFrame({"task": ["ads", "bio"], "knn": [1, 2], "svm": [2, 3], "mlp": [3, 1]})
    assert read_scores(frame, spec).measure.name == "time"
    table = read_scores(frame, spec, score="gain", higher_is_better=True)
    assert (table.measure.name, table.algorithms) == ("gain", ("knn", "svm"))


def test_all_that_can_be_said_can_be_kept(tmp_path: Path) -> None:
    spec = ReadSpec(
        dataset=["task", "split"],  # made one name
        algorithm='a "model"',
        score="größe",
        direction={"gain": "higher", "mape": False},
        where={"part": ["test", "val"]},
        costs=["time", "price"],
        missing="value=0.5",
        transpose=False,
        limits=False,
        results=("x", "y"),
    )
    path = tmp_path / "kept.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    again = from_toml(path)
    assert again.given() == {**spec.given(), "costs": ["time", "price"]}
    assert ReadSpec().to_toml() == ""


@pytest.mark.parametrize(
    "said",
    [
        "transpose = 1", 'alone = "yes"', 'limits = "no"', 'layout = "wide"', "where = 3",
        "datasets = 3", "exclude = [1]", 'dataset = ["a", 3]', "direction = 3",
    ],
)  # fmt: skip
def test_a_file_that_says_what_cannot_be_is_refused(said: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.toml"
    path.write_text(said, encoding="utf-8")
    with pytest.raises(ParameterError, match=f"^{said.split()[0]}: "):
        from_toml(path)


def test_a_value_that_is_no_number_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.toml"
    path.write_text(ReadSpec(where={"C": float("inf")}).to_toml(), encoding="utf-8")
    assert from_toml(path).where == {"C": float("inf")}


def test_functions_that_ask_take_a_spec_and_that_beside_the_file(tmp_path: Path) -> None:
    path, spec = tmp_path / "results.csv", ReadSpec(score="accuracy", scale="order")
    path.write_text(WIDE, encoding="utf-8")
    assert palio.compare(path, spec=spec).measure.scale == "order"
    beside = tmp_path / "results.csv.palio.toml"
    beside.write_text(spec.to_toml(), encoding="utf-8")
    assert palio.compare(path).measure.scale == "order"
    assert palio.compare(path, scale="difference").measure.scale == "difference"


def test_what_cannot_be_kept_is_said() -> None:
    with pytest.raises(ParameterError, match="costs: it cannot be saved, and it is a DataFrame"):
        ReadSpec(costs=pd.DataFrame()).to_toml()


def test_bad_specs_are_one_line(tmp_path: Path) -> None:
    frame = pd.DataFrame({"task": ["ads", "bio"], "knn": [1, 2], "svm": [2, 3]})
    with pytest.raises(ParameterError, match=r"scores: no option has this name. Did you mean"):
        read_scores(frame, scores="accuracy")
    path = tmp_path / "bad.toml"
    path.write_text("score = \n", encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"bad.toml' cannot be read as TOML"):
        read_scores(frame, path)
    with pytest.raises(UnreadableError, match=r"none.toml' cannot be read"):
        read_scores(frame, os.fspath(tmp_path / "none.toml"))
    with pytest.raises(ParameterError, match=r"decimal: it is \. or ,"):
        palio.ReadSpec(decimal=";")


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, kept = tmp_path / "results.csv", tmp_path / "kept.toml"
    path.write_text(WIDE, encoding="utf-8")
    assert main(["read", str(path), "--lower-is-better", "--save-spec", str(kept)]) == 0
    assert f"wrote {kept}" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8").splitlines() == [
        'dataset = "task"', "higher_is_better = false", 'layout = "datasets-in-rows"'
    ]  # fmt: skip
    assert main(["read", str(path), "--spec", str(kept), "--json"]) == 0
    assert '"higher_is_better": false' in capsys.readouterr().out
    assert main(["compare", str(path), "--spec", str(kept)]) == 0
    assert "knn" in capsys.readouterr().out
    assert main(["read", "study:ulas2008", "--save-spec", str(kept)]) == 2
    assert "has columns of its own" in capsys.readouterr().err
