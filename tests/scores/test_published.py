"""Results as others publish them: one command each, against a table made by hand from the file.

The tables are made with pandas and json alone, from what the owners say of their files
(``shared/results/README.md``), so that nothing of Palio's own reading is on both sides.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio.app.cli import main
from tests.shared import shared_file

Reads = Callable[..., tuple[dict[str, Any], pd.DataFrame]]

CELL = ["dataset", "algorithm"]


@dataclass(frozen=True)
class ByHand:
    """What a file holds: one row per result, of which the score may be missing."""

    rows: pd.DataFrame  # dataset, algorithm, repeat or fold where there are, score, costs
    measure: str
    up: bool
    source: str
    design: str
    missing: int
    costs: tuple[str, ...] = ()
    items: int | None = None
    statuses: Mapping[str, int] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return [name for name in (*CELL, "repeat", "fold") if name in self.rows]


@pytest.fixture
def reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Reads:
    """Read a table as a person does, with one flag at most; return what was said and written."""

    def reads(path: Path, *flag: str) -> tuple[dict[str, Any], pd.DataFrame]:
        assert len(flag) <= 2
        written = tmp_path / "table.csv"
        status = main(["read", str(path), *flag, "--json", "--to", str(written)])
        captured = capsys.readouterr()
        assert status == 0, captured.err
        names = dict.fromkeys((*CELL, "repeat", "fold"), str)
        frame = pd.read_csv(written, dtype=names, keep_default_na=False, na_values=[""])
        return json.loads(captured.out), frame

    return reads


def assert_same(found: tuple[dict[str, Any], pd.DataFrame], hand: ByHand) -> None:
    """Compare what was said, and every value that was written."""
    said, written = found
    datasets, algorithms = (set(hand.rows[name]) for name in CELL)
    assert set(said["datasets"]) == datasets
    assert set(said["algorithms"]) == algorithms
    assert len(said["datasets"]) == len(datasets)
    assert len(said["algorithms"]) == len(algorithms)
    assert said["measure"] == {"name": hand.measure, "higher_is_better": hand.up}
    assert said["n_cells"] == len(datasets) * len(algorithms)
    assert said["n_missing"] == hand.missing
    assert (said["items"], said["source"], said["design"]) == (hand.items, hand.source, hand.design)
    assert tuple(said["costs"]) == hand.costs
    scores = _by_key(written, hand.keys, hand.measure).dropna()
    assert_equal(scores, _by_key(hand.rows, hand.keys, "score").dropna())
    for cost in hand.costs:  # a run that failed has none
        costs = _by_key(hand.rows.dropna(subset="score"), hand.keys, cost).dropna()
        assert_equal(_by_key(written, hand.keys, cost).reindex(costs.index), costs)
    if hand.statuses:
        told = written["status"].value_counts()
        assert {name: told[name] for name in told.index if name != "absent"} == hand.statuses


def assert_equal(found: pd.Series, expected: pd.Series) -> None:
    assert set(found.index) == set(expected.index)
    np.testing.assert_allclose(found.loc[expected.index], expected, rtol=1e-12, atol=1e-12)


def _by_key(frame: pd.DataFrame, keys: list[str], value: str) -> pd.Series:
    series = frame.set_index(keys)[value]
    assert series.index.is_unique
    return series


def _lacking(rows: pd.DataFrame) -> int:
    """Count the cells without a mean: without rows, or with a row that has no score."""
    whole = rows.groupby(CELL)["score"].apply(lambda each: each.notna().all())
    return int(rows["dataset"].nunique() * rows["algorithm"].nunique() - whole.sum())


# --- AutoML benchmark ------------------------------------------------------------------------


def test_automl_benchmark_by_folds(reads: Reads) -> None:
    path = shared_file("results/amlb/all_results_1h.csv")
    raw = pd.read_csv(path, dtype={"fold": str})
    rows = raw.rename(columns={"task": "dataset", "framework": "algorithm"})
    turned = raw["result"].where(raw["type"] == "binary", -raw["result"])
    assert turned.equals(raw["score"])  # AUC up; log-loss down
    hand = ByHand(
        rows,
        measure="score",
        up=True,
        source="amlb",
        design="10-fold cv",
        missing=7,  # 34 failed folds of 7 (task, framework)
        costs=("duration",),
        statuses={"ok": 2416, "failed": 29, "timeout": 5},
    )
    assert (raw["score"].isna().sum(), _lacking(rows)) == (34, 7)
    assert_same(reads(path), hand)


def test_automl_benchmark_in_summary(reads: Reads) -> None:
    path = shared_file("results/amlb/result_summary_1h.csv")
    raw = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows = raw.melt(["type", "task"], var_name="algorithm", value_name="cell")
    parts = rows["cell"].str.partition(" ")  # 13.0427 (1): one fold failed, and was imputed
    number = parts[0].astype(float)
    rows["score"] = number.where(rows["type"] == "binary", -number)
    rows = rows.rename(columns={"task": "dataset"})
    hand = ByHand(rows, "score", True, "amlb", "one value per data set", missing=2)
    found = reads(path)
    assert_same(found, hand)
    imputed = rows[(parts[2] != "") & rows["score"].notna()]
    assert len(imputed) == 5
    assert any("imputed failed folds in 5 scores" in note for note in found[0]["notes"])
    # It is what the folds behind it give, failed ones imputed by the constant predictor.
    folds = pd.read_csv(shared_file("results/amlb/all_results_1h.csv"))
    means = folds.groupby(["task", "framework"])["imp_score"].mean()
    there = rows.set_index(CELL)["score"].dropna()
    np.testing.assert_allclose(there, means.loc[there.index], rtol=1e-4)


def test_automl_benchmark_raw(reads: Reads) -> None:
    path = shared_file("results/amlb/results_medium-8c1h.csv")
    raw = pd.read_csv(path, dtype={"fold": str})
    assert not raw.duplicated(["task", "framework", "fold"]).any()
    binary = raw.groupby("task")["auc"].transform("count") > 0
    rows = raw.rename(columns={"task": "dataset", "framework": "algorithm"})
    rows["score"] = raw["result"].where(binary, -raw["result"])
    late = raw["info"].str.contains("in the requested time", na=False).sum()
    # What was late covers the folds of its task that have no row: oboe's, of three tasks.
    covered = int((10 - raw.groupby(["task", "framework"]).size()).sum())
    assert covered == 15
    hand = ByHand(
        rows,
        measure="score",
        up=True,
        source="amlb",
        design="10-fold cv",
        missing=_lacking(rows),
        costs=("duration",),
        statuses={"ok": 747, "failed": 178 - late, "timeout": late + covered},
    )
    assert (len(raw), hand.missing) == (925, 23)
    assert_same(reads(path), hand)


# --- time series -----------------------------------------------------------------------------


def test_a_folder_of_time_series_classifiers(reads: Reads) -> None:
    folder = shared_file("results/tsml")
    parts = []
    for path in folder.glob("*_accuracy.csv"):
        wide = pd.read_csv(path).rename(columns={"Resamples:": "dataset"})
        long = wide.melt("dataset", var_name="repeat", value_name="score")
        parts.append(long.assign(algorithm=path.name.removesuffix("_accuracy.csv")))
    rows = pd.concat(parts, ignore_index=True)
    hand = ByHand(rows, "accuracy", True, "tsml", "30 hold-outs", missing=_lacking(rows))
    assert (rows["algorithm"].nunique(), rows["dataset"].nunique()) == (10, 142)
    assert_same(reads(folder), hand)


# --- embeddings ------------------------------------------------------------------------------


def _mteb_cells() -> pd.DataFrame:
    return pd.read_csv(shared_file("results/mteb/cells.csv.gz")).rename(
        columns={"main_score": "score"}
    )


def _embeddings(rows: pd.DataFrame, missing: int) -> ByHand:
    costs = ("evaluation_time",)
    return ByHand(rows, "main_score", True, "long", "one value per data set", missing, costs=costs)


def test_cells_of_some_embeddings(reads: Reads, tmp_path: Path) -> None:
    """Every twentieth model, and those with a row that has no score."""
    rows = _mteb_cells()
    models = rows["algorithm"].unique()
    unscored = rows.loc[rows["score"].isna(), "algorithm"]
    some = rows[rows["algorithm"].isin({*models[::20], *unscored})]
    assert some["score"].isna().sum() == 12
    path = tmp_path / "cells.csv.gz"
    some.rename(columns={"score": "main_score"}).to_csv(path, index=False)
    assert_same(reads(path), _embeddings(some, _lacking(some)))


@pytest.mark.slow
def test_cells_of_embeddings(reads: Reads) -> None:
    """A table of 907,000 cells, most of which are missing."""
    hand = _embeddings(_mteb_cells(), 1391 * 652 - 88_949)  # of 88,961 rows, 12 have no score
    assert_same(reads(shared_file("results/mteb/cells.csv.gz")), hand)


def test_a_leaderboard_of_embeddings(reads: Reads) -> None:
    path = shared_file("results/mteb/board.csv")
    wide = pd.read_csv(path)
    tasks = wide.columns[2:]
    assert np.allclose(wide["Average"], wide[tasks].mean(axis=1), atol=1e-4)
    rows = wide.drop(columns="Average").melt("model", var_name="dataset", value_name="score")
    rows = rows.rename(columns={"model": "algorithm"})
    hand = ByHand(rows, "main_score", True, "leaderboard", "one value per data set", missing=0)
    found = reads(path, "--score", "main_score")
    assert_same(found, hand)
    assert found[0]["algorithms"] == list(wide["model"])


def test_files_of_embeddings(reads: Reads) -> None:
    folder = shared_file("results/mteb/results")
    rows = []
    for path in folder.glob("*/*/*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        if "scores" in content:  # early files name no main score
            test = [each["main_score"] for each in content["scores"]["test"]]
            rows.append((content["task_name"], path.parts[-3], np.mean(test)))
    frame = pd.DataFrame(rows, columns=[*CELL, "score"])
    hand = ByHand(frame, "main_score", True, "mteb", "one value per data set", missing=0)
    found = reads(folder)
    assert_same(found, hand)
    cells = _mteb_cells().set_index(CELL)["score"]
    ours = found[1].set_index(CELL)["main_score"]
    np.testing.assert_allclose(ours, cells.loc[ours.index], rtol=0, atol=1e-5)


# --- language models -------------------------------------------------------------------------


def test_a_run_of_the_evaluation_harness(reads: Reads) -> None:
    folder = shared_file("results/lm_eval")
    run = json.loads(next(folder.glob("results_*.json")).read_text(encoding="utf-8"))
    rows = [
        (task, run["model_name"], values["exact_match,none"])
        for task, values in run["results"].items()
    ]
    frame = pd.DataFrame(rows, columns=[*CELL, "score"])
    samples = next(folder.glob("samples_*.jsonl")).read_text(encoding="utf-8")
    hand = ByHand(
        frame,
        "exact_match",
        True,
        "lm-eval",
        "one value per data set",
        missing=0,
        items=len(samples.splitlines()),
    )
    assert len(frame) == 2
    assert_same(reads(folder), hand)


def _inspect_log(path: Path) -> Any:
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("header.json"))
    return json.loads(path.read_text(encoding="utf-8"))


def test_logs_of_inspect(reads: Reads) -> None:
    folder = shared_file("results/inspect")
    newest: dict[tuple[str, str], dict[str, Any]] = {}
    for path in folder.iterdir():
        log = _inspect_log(path)
        about, stats = log["eval"], log["stats"]
        began, ended = (
            datetime.fromisoformat(stats[name]) for name in ("started_at", "completed_at")
        )
        row = {
            "dataset": about["task"],
            "algorithm": about["model"],
            "when": datetime.fromisoformat(about["created"]),
            "score": log["results"]["scores"][0]["metrics"]["accuracy"]["value"],
            "total_tokens": stats["model_usage"][about["model"]]["total_tokens"],
            "duration": (ended - began).total_seconds(),
        }
        key = (row["dataset"], row["algorithm"])
        if key not in newest or newest[key]["when"] < row["when"]:
            newest[key] = row
    hand = ByHand(
        pd.DataFrame(newest.values()),
        measure="accuracy",
        up=True,
        source="inspect",
        design="one value per data set",
        missing=5 * 6 - 6,  # only arc_easy was given to two models
        costs=("total_tokens", "duration"),
        items=3 + 5 + 2 + 1,  # popularity, arc_easy, pubmedqa, mmlu; the other has no samples
    )
    assert len(newest) == 6
    assert_same(reads(folder), hand)


def test_runs_of_helm(reads: Reads) -> None:
    folder = shared_file("results/helm")
    costs = ("inference_runtime", "num_prompt_tokens", "num_output_tokens")
    splits = {"commonsense": "valid", "mmlu": "test", "narrative_qa": "test"}
    rows, items = [], 0
    for path in folder.glob("*/run_spec.json"):
        spec = json.loads(path.read_text(encoding="utf-8"))
        stats = json.loads((path.parent / "stats.json").read_text(encoding="utf-8"))
        scenario, _, asked = spec["name"].partition(":")
        rest = [each for each in asked.split(",") if not each.startswith("model=")]
        plain = {"split": splits[scenario]}
        means = {
            each["name"]["name"]: each["mean"]
            for each in stats
            if {k: v for k, v in each["name"].items() if k != "name"} == plain and "mean" in each
        }
        row = {
            "dataset": f"{scenario}:{','.join(rest)}" if rest else scenario,
            "algorithm": spec["adapter_spec"]["model"],
            "score": means["exact_match"],
        }
        rows.append(row | {name: means[name] for name in costs})
        each_text = (path.parent / "per_instance_stats.json").read_text(encoding="utf-8")
        items += sum(
            any(stat["name"] == {"name": "exact_match", **plain} for stat in each["stats"])
            for each in json.loads(each_text)
        )
    hand = ByHand(
        pd.DataFrame(rows),
        measure="exact_match",
        up=True,
        source="helm",
        design="one value per data set",
        missing=3,
        costs=costs,
        items=items,
    )
    assert_same(reads(folder), hand)


def test_the_common_schema_of_evaluations(reads: Reads) -> None:
    folder = shared_file("results/every_eval_ever")
    # The only sample, of score 1, is one of those behind the 0.75 that was reported.
    frame = pd.DataFrame([("demo-source.demo_bench", "demo-org/demo-model", 0.75)])
    frame.columns = [*CELL, "score"]
    hand = ByHand(frame, "accuracy", True, "eee", "one value per data set", missing=0, items=1)
    assert_same(reads(folder), hand)


# --- algorithm selection ---------------------------------------------------------------------


def _runs(text: str, measure: str) -> pd.DataFrame:
    data = text.partition("@DATA")[2].split("\n")
    cells = [line.rsplit(",", 4) for line in data if line.strip() and not line.startswith("%")]
    rows = pd.DataFrame(cells, columns=["dataset", "repeat", "algorithm", measure, "status"])
    return rows.assign(
        algorithm=rows["algorithm"].str.strip("'\""),
        dataset=rows["dataset"].str.strip("'\""),
        score=rows[measure].astype(float).where(rows["status"] == "ok"),
    )


def test_selection_on_openml(reads: Reads) -> None:
    path = shared_file("results/aslib/OPENML-WEKA-2017.algorithm_runs.arff")
    rows = _runs(path.read_text(encoding="utf-8"), "predictive_accuracy")
    hand = ByHand(rows, "predictive_accuracy", True, "aslib", "one value per data set", missing=0)
    assert (len(rows), rows["dataset"].nunique()) == (105 * 30, 105)
    assert_same(reads(path), hand)


def test_solvers_with_a_cut_off(reads: Reads) -> None:
    path = shared_file("results/aslib/SAT20-MAIN.algorithm_runs.arff.gz")
    rows = _runs(gzip.decompress(path.read_bytes()).decode(), "runtime")
    longest = rows["runtime"].astype(float).max()  # what is written for a run that did not end
    rows["score"] = rows["score"].fillna(longest)
    statuses = {"ok": 12_955, "timeout": 13_423, "crash": 234, "other": 116, "memout": 72}
    hand = ByHand(
        rows,
        measure="runtime",
        up=False,
        source="aslib",
        design="one value per data set",
        missing=0,  # a run that did not end is slower than all that did, and not missing
        statuses=statuses,
    )
    assert rows["status"].value_counts().to_dict() == statuses
    assert_same(reads(path), hand)


# --- tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "up"), [("rmse_test", False), ("r2_test", True)])
def test_symbolic_regression(reads: Reads, measure: str, up: bool) -> None:
    path = shared_file("results/srbench/blackbox_results.csv")
    rows = pd.read_csv(path).assign(score=lambda frame: frame[measure])
    hand = ByHand(
        rows,
        measure=measure,
        up=up,
        source="long",
        design="one value per data set",
        missing=21 * 122 - 2547,
        costs=("model_size", "training time (s)"),
    )
    assert_same(reads(path, "--score", measure), hand)


def test_an_example_of_critical_differences(reads: Reads) -> None:
    path = shared_file("results/cd_diagram/example.csv")
    rows = pd.read_csv(path)
    rows.columns = ["algorithm", "dataset", "score"]
    hand = ByHand(rows, "accuracy", True, "long", "one value per data set", missing=0)
    assert_same(reads(path), hand)


def test_rows_without_names(reads: Reads) -> None:
    path = shared_file("results/mcm/results_example.csv")
    wide = pd.read_csv(path)
    wide.insert(0, "dataset", [str(number + 1) for number in range(len(wide))])
    rows = wide.melt("dataset", var_name="algorithm", value_name="score")
    hand = ByHand(rows, "accuracy", True, "wide", "one value per data set", missing=0)
    assert_same(reads(path, "--score", "accuracy"), hand)


# --- items -----------------------------------------------------------------------------------


def test_questions_of_which_some_were_asked_twice(reads: Reads) -> None:
    path = shared_file("results/livebench/livebench_13012025.parquet")
    raw = pd.read_parquet(path)
    keys = ["task", "model", "question_id"]
    assert raw.duplicated(keys).sum() == 590
    once = raw.groupby(keys, sort=False)["score"].mean()  # of the two where they differ
    rows = once.groupby(["task", "model"]).mean().rename("score").reset_index()
    rows = rows.rename(columns={"task": "dataset", "model": "algorithm"})
    hand = ByHand(
        rows,
        measure="score",
        up=True,
        source="long",
        design="one value per data set",
        missing=18 * 93 - len(rows),
        items=1136,
    )
    assert (len(rows), raw["question_id"].nunique()) == (1582, 1136)
    assert_same(reads(path), hand)
