"""tsml, MTEB and the AutoML benchmark: real files beside hand-made tables, and small ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palio.errors import InputError, UnreadableError
from palio.scores import ScoreTable, read_scores
from palio.scores.sources import read_columns
from tests.shared import shared_file


def means(table: ScoreTable) -> pd.DataFrame:
    return pd.DataFrame(table.means(), index=list(table.datasets), columns=list(table.algorithms))


def same(found: pd.DataFrame, expected: pd.DataFrame, rtol: float = 1e-12) -> None:
    pd.testing.assert_frame_equal(
        found.sort_index(axis=0).sort_index(axis=1),
        expected.sort_index(axis=0).sort_index(axis=1),
        check_names=False,
        check_exact=False,
        rtol=rtol,
    )


def by_fold(
    frame: pd.DataFrame, dataset: str = "dataset", algorithm: str = "algorithm"
) -> pd.DataFrame:
    there = frame[frame["score"].notna()]
    return there.pivot_table(index=[dataset, "fold"], columns=algorithm, values="score")


# --- tsml ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "tsml:"])
def test_tsml_is_a_file_per_estimator_with_resamples_as_repeats(prefix: str) -> None:
    folder = shared_file("results/tsml")
    table = read_scores(f"{prefix}{folder}", missing="pairwise")
    expected = {
        path.name.removesuffix("_accuracy.csv"): pd.read_csv(path, index_col=0).mean(axis=1)
        for path in folder.glob("*_accuracy.csv")
    }
    same(means(table), pd.DataFrame(expected))
    assert str(table.design()) == "30 hold-outs"
    assert table.measure.name == "accuracy"
    assert any("tsml" in note for note in table.notes)


def test_files_of_two_measures_are_not_mixed(tmp_path: Path) -> None:
    for measure in ("accuracy", "logloss"):
        (tmp_path / f"ROCKET_{measure}.csv").write_text("Resamples:,0\na,0.5\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"several measures.*\*accuracy\*"):
        read_scores(tmp_path)


def test_a_measure_of_tsml_may_go_down_and_a_resample_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "A_logloss.csv").write_text("Resamples:,0,1\na,0.5,\n", encoding="utf-8")
    (tmp_path / "B_logloss.csv").write_text("Resamples:,0,1\na,0.7,0.9\n", encoding="utf-8")
    table = read_scores(tmp_path, missing="pairwise")
    assert not table.measure.higher_is_better
    np.testing.assert_allclose(table.to_frame()["logloss"], [0.5, np.nan, 0.7, 0.9])


# --- MTEB ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "mteb:"])
def test_mteb_is_the_mean_over_subsets_of_the_test_split(prefix: str) -> None:
    folder = shared_file("results/mteb/results")
    table = read_scores(f"{prefix}{folder}", missing="pairwise")
    cells = pd.read_csv(shared_file("results/mteb/cells.csv.gz"))
    cells = cells[cells["algorithm"].isin(table.algorithms)]
    expected = cells[cells["dataset"].isin(table.datasets)].pivot_table(
        index="dataset", columns="algorithm", values="main_score"
    )
    assert (len(table.datasets), len(table.algorithms)) == (12, 7)
    same(means(table), expected, rtol=1e-4)
    assert table.measure.higher_is_better
    assert table.cost_names == ()  # some files have no evaluation_time, and a note says so
    assert any("lack it: evaluation_time, kg_co2_emissions" in note for note in table.notes)
    assert any("sentence-t5-xxl" in note for note in table.notes)  # left out, with a note


def mteb_file(path: Path, scores: dict[str, list[float]], version: str = "1.29.7") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "task_name": path.stem,
        "mteb_version": version,
        "scores": {
            split: [{"main_score": value, "hf_subset": str(value)} for value in values]
            for split, values in scores.items()
        },
    }
    path.write_text(json.dumps(content), encoding="utf-8")


def test_of_two_revisions_the_one_of_the_newer_mteb_counts(tmp_path: Path) -> None:
    mteb_file(tmp_path / "m" / ("a" * 40) / "STS12.json", {"test": [0.2]}, "1.10.0")
    mteb_file(tmp_path / "m" / ("b" * 40) / "STS12.json", {"test": [0.7]}, "1.9.9")
    mteb_file(tmp_path / "n" / "external" / "STS12.json", {"dev": [0.1, 0.5], "train": [0.9]})
    table = read_scores(tmp_path)
    assert dict(zip(table.algorithms, table.means()[0], strict=True)) == {
        "m": 0.2,
        "n": pytest.approx(0.3),
    }
    assert any("newer" in note for note in table.notes)
    assert any("STS12 (dev)" in note for note in table.notes)


# --- AutoML benchmark ----------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "amlb:"])
def test_amlb_keeps_failed_folds_as_missing_with_their_reason(prefix: str) -> None:
    path = shared_file("results/amlb/all_results_1h.csv")
    table = read_scores(f"{prefix}{path}", missing="pairwise")
    frame = pd.read_csv(path)
    rows = table.to_frame()
    assert len(rows) == len(frame) == 2450
    failed = frame[frame["score"].isna()]
    assert len(failed) == 34
    gone = rows[rows["status"] != "ok"]
    assert set(zip(gone["dataset"], gone["algorithm"], gone["fold"], strict=True)) == set(
        zip(failed["task"], failed["framework"], failed["fold"], strict=True)
    )
    same(by_fold(rows), by_fold(frame, "task", "framework"))
    assert str(table.design()) == "10-fold cv"
    assert table.measure.to_dict() == {"name": "score", "higher_is_better": True}
    assert table.cost_names == ("duration",)


def test_amlb_without_a_score_column_is_turned_by_what_the_result_is() -> None:
    path = shared_file("results/amlb/results_medium-8c1h.csv")
    frame = pd.read_csv(path)
    frame["score"] = frame["auc"].fillna(-frame["logloss"])
    found = by_fold(read_scores(path, keep_failing=True).to_frame())
    same(found, by_fold(frame, "task", "framework"))


def test_the_summary_of_amlb_says_the_same_as_its_folds() -> None:
    summary = means(
        read_scores(shared_file("results/amlb/result_summary_1h.csv"), missing="pairwise")
    )
    folds = means(read_scores(shared_file("results/amlb/all_results_1h.csv"), missing="pairwise"))
    complete = folds.notna()
    assert complete.to_numpy().sum() > 230
    same(summary[complete], folds, rtol=1e-4)


AMLB = "task,framework,fold,metric,result,duration,constraint,info\n"


def test_amlb_metrics_turn_and_constraints_name_apart(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        AMLB
        + "a,X,0,rmse,2,10,1h,\na,X,0,rmse,1,40,4h,\nb,X,0,neg_logloss,-3,10,1h,\n"
        + "b,X,0,neg_logloss,,,4h,TimeoutError: interrupted after timeout\n",
        encoding="utf-8",
    )
    table = read_scores(path, missing="pairwise")
    assert table.algorithms == ("X (1h)", "X (4h)")
    np.testing.assert_array_equal(table.means(), [[-2, -1], [-3, np.nan]])
    assert list(table.to_frame()["status"]) == ["ok", "ok", "ok", "timeout"]
    assert any("constraint is in its name" in note for note in table.notes)


def test_amlb_results_of_an_unknown_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("task,framework,fold,result,duration,auc\na,X,0,0.5,1,0.7\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match="what its result measures in line 2"):
        read_scores(path)


# --- all -----------------------------------------------------------------------------------


def test_what_the_user_says_wins() -> None:
    path = shared_file("results/amlb/all_results_1h.csv")
    table = read_scores(path, score="acc", missing="pairwise")
    assert table.measure.name == "acc"
    columns = read_columns(path, parameter="source")
    assert columns.known.source == "amlb"
    turned = read_scores(path, higher_is_better=False, missing="pairwise")
    assert not turned.measure.higher_is_better


def test_rows_are_chosen_by_what_the_benchmark_tells_of_them() -> None:
    path = shared_file("results/amlb/all_results_1h.csv")
    frame = pd.read_csv(path)
    table = read_scores(path, where="type=binary", missing="pairwise")
    assert set(table.datasets) == set(frame[frame["type"] == "binary"]["task"])
    assert table.measure.to_dict() == {"name": "auc", "higher_is_better": True}
    assert table.cost_names == ("duration",)


def test_what_is_recognised_is_said_and_can_be_turned_off(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        "task,framework,fold,metric,result,duration\na,X,0,rmse,2,1\na,Y,0,rmse,3,2\n",
        encoding="utf-8",
    )
    table = read_scores(path)
    assert table.notes[0] == (
        f"Recognised: the AutoML benchmark; table:{path} reads it as an ordinary table."
    )
    np.testing.assert_array_equal(table.means(), [[-2, -3]])
    plain = read_scores(f"table:{path}", score="result", higher_is_better=False)
    np.testing.assert_array_equal(plain.means(), [[2, 3]])
    assert not any("Recognised: the AutoML" in note for note in plain.notes)


def test_a_prefix_for_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="there is no file of MTEB"):
        read_scores(f"mteb:{tmp_path / 'nowhere'}")
    (tmp_path / "t.csv").write_text("dataset,algorithm,error\na,x,1\na,y,2\n", encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"t\.csv is not JSON"):
        read_scores(f"mteb:{tmp_path / 't.csv'}")
    with pytest.raises(UnreadableError, match="there is no file of MTEB"):
        read_scores(f"mteb:{tmp_path}")
    assert read_scores(tmp_path / "t.csv").algorithms == ("x", "y")


@pytest.mark.parametrize(
    "content", ["{", '{"mteb_version": 1, "scores": ', "[]", '"mteb_version":']
)
def test_broken_files_are_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "STS12.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        read_scores(f"mteb:{tmp_path}")


def test_what_only_begins_like_the_benchmark_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    rows = ["binary,a,0,1,2", "binary,a,1,1,2", "multiclass,b,0,2,1"]
    path.write_text("\n".join(["type,task,fold,tpot,constantpredictor", *rows]), encoding="utf-8")
    table = read_scores(path, score="error")
    assert (table.datasets, table.algorithms) == (("a", "b"), ("tpot", "constantpredictor"))
    assert table.means().tolist() == [[1, 2], [2, 1]]
    (tmp_path / "more.csv").write_bytes(path.read_bytes().replace(b",a,", b",c,"))
    several = read_scores([path, tmp_path / "more.csv"], score="error", duplicates="first")
    assert several.datasets == ("a", "b", "c")
    with pytest.raises(UnreadableError, match="benchmark writes it: it lacks 'framework'"):
        read_scores(f"amlb:{path}")


def test_what_only_begins_like_the_json_of_a_tool_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"results": {"a": 3, "b,c": 2}, "versions": {}}', encoding="utf-8")
    with pytest.raises(UnreadableError, match="not as lm-evaluation-harness writes it") as caught:
        read_scores(path)
    assert "Error" not in str(caught.value)
