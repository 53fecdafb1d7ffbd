"""Samples that tools keep beside their results: the items behind a table."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palio import ItemScores, read_items, read_scores
from palio.scores.sources import read_columns

NAN = float("nan")


def write(path: Path, content: Any, *, lines: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
    path.write_text(text, encoding="utf-8")


def column(items: ItemScores, algorithm: str) -> list[float]:
    values: list[float] = items.as_floats()[:, items.algorithms.index(algorithm)].tolist()
    return values


# --- lm-evaluation-harness -----------------------------------------------------------------


def harness(folder: Path, model: str, tasks: dict[str, Any], samples: dict[str, Any]) -> None:
    config = {"config": {"model_args": f"pretrained={model}"}}
    write(folder / model / "results_2026-01-01T00-00-00.json", {"results": tasks, **config})
    for task, lines in samples.items():
        write(folder / model / f"samples_{task}_2026-01-01T00-00-00.jsonl", lines, lines=True)


def sample(doc: int, *, kind: str = "none", mark: str = "", **scores: float) -> dict[str, Any]:
    return {"doc_id": doc, "doc_hash": mark, "filter": kind, "metrics": list(scores), **scores}


def test_lm_eval_samples_are_beside_the_results(tmp_path: Path) -> None:
    harness(
        tmp_path, "x", {"arc": {"acc,none": 0.5}}, {"arc": [sample(0, acc=1), sample(1, acc=0)]}
    )
    harness(
        tmp_path, "y", {"arc": {"acc,none": 1.0}}, {"arc": [sample(1, acc=1), sample(2, acc=1)]}
    )
    table = read_scores(tmp_path)
    np.testing.assert_array_equal(table.means(), [[0.5, 1.0]])
    assert table.items is not None
    assert table.items.is_binary
    assert table.items.labels == ("0", "1", "2")
    np.testing.assert_array_equal(table.items.as_floats(), [[1, NAN], [0, 1], [NAN, 1]])
    assert "The scores of items are there too: 3 items." in table.notes


def test_lm_eval_samples_have_the_filter_asked_about(tmp_path: Path) -> None:
    for model, strict, loose in (("x", 0.0, 1.0), ("y", 1.0, 1.0)):
        tasks = {"gsm": {"exact_match,strict": strict, "exact_match,flexible": loose}}
        lines = [
            sample(doc, kind=kind, exact_match=score)
            for doc in (0, 1)
            for kind, score in (("strict", strict), ("flexible", loose))
        ]
        harness(tmp_path, model, tasks, {"gsm": lines})
    for kind, x in (("strict", 0.0), ("flexible", 1.0)):
        items = read_items(tmp_path, score=f"exact_match,{kind}", higher_is_better=True)
        assert items.repeats is None
        assert column(items, "x") == [x, x]
        assert column(items, "y") == [1.0, 1.0]


def test_lm_eval_measures_of_both_directions_are_turned(tmp_path: Path) -> None:
    for model, bits, acc in (("x", 2.0, 1.0), ("y", 3.0, 0.0)):
        tasks = {"wiki": {"perplexity,none": bits}, "arc": {"acc,none": acc}}
        lines = {"wiki": [sample(0, perplexity=bits)], "arc": [sample(0, acc=acc)]}
        harness(tmp_path, model, tasks, lines)
    table = read_scores(tmp_path)
    assert table.items is not None
    assert table.items.datasets == table.datasets
    np.testing.assert_array_equal(table.items.values, table.means())
    np.testing.assert_array_equal(table.items.values, [[-2, -3], [1, 0]])


def test_samples_without_the_measure_are_none_of_its_items(tmp_path: Path) -> None:
    for model in "xy":
        tasks = {"arc": {"acc,none": 1.0, "f1,none": 0.5}}
        harness(tmp_path, model, tasks, {"arc": [sample(0, acc=1), sample(1, f1=0.5)]})
    assert read_items(tmp_path, score="acc").labels == ("0",)
    assert read_items(tmp_path, score="f1").labels == ("1",)


def test_lm_eval_samples_alone(tmp_path: Path) -> None:
    for model in "xy":
        lines = [sample(doc, acc=float(model == "x")) for doc in (0, 1, 2)]
        write(tmp_path / model / "samples_arc.jsonl", lines, lines=True)
    items = read_items(tmp_path)
    assert (items.n_items, items.algorithms) == (3, ("x", "y"))
    assert column(items, "x") == [1, 1, 1]


def test_documents_of_the_same_number_may_be_others(tmp_path: Path) -> None:
    for model, mark in (("x", "aa"), ("y", "bb")):
        lines = [sample(0, acc=1, mark=mark), sample(1, acc=0, mark="cc")]
        harness(tmp_path, model, {"arc": {"acc,none": 0.5}}, {"arc": lines})
    table = read_scores(tmp_path)
    assert table.items is not None
    assert table.items.labels == ("1", "0 aa", "0 bb")
    assert any(
        "differ between algorithms, and are not paired, on: arc" in note for note in table.notes
    )


def test_means_that_are_not_the_scores_are_told(tmp_path: Path) -> None:
    harness(tmp_path, "x", {"arc": {"acc,none": 0.5}}, {"arc": [sample(0, acc=1)]})
    harness(tmp_path, "y", {"arc": {"acc,none": 1.0}}, {"arc": [sample(0, acc=1)]})
    table = read_scores(tmp_path)
    np.testing.assert_array_equal(table.means(), [[0.5, 1.0]])
    assert "The means of the items there are not the scores given for arc." in table.notes


def test_some_have_no_samples(tmp_path: Path) -> None:
    harness(tmp_path, "x", {"arc": {"acc,none": 1}, "wiki": {"acc,none": 0.5}}, {})
    lines = {"arc": [sample(0, acc=1)]}
    harness(tmp_path, "y", {"arc": {"acc,none": 1}, "wiki": {"acc,none": 0.5}}, lines)
    table = read_scores(tmp_path)
    assert table.items is not None
    assert (table.items.datasets, table.items.algorithms) == (("arc",), ("y",))
    told = "The scores of items are there too: 1 item of 1 data set × 1 algorithm."
    assert told in table.notes
    assert table.select(datasets=["wiki"]).items is None
    assert read_scores(tmp_path, exclude="y", alone=True).items is None


def test_rows_that_are_chosen_by_what_they_name_keep_their_items(tmp_path: Path) -> None:
    for model in "xy":
        tasks = {task: {"acc,none": 0.5, "shots,none": 5} for task in ("arc", "wiki")}
        lines = {"arc": [sample(0, acc=1)], "wiki": [sample(0, acc=1), sample(1, acc=0)]}
        harness(tmp_path, model, tasks, lines)
    items = read_items(tmp_path, where="dataset=wiki")
    assert (items.datasets, items.n_items) == (("wiki",), 2)
    columns = read_columns(str(tmp_path), parameter="source")
    assert columns.items is not None
    assert columns.take(np.array([0])).items is None
    # What else rows are chosen by, the samples do not tell.
    assert read_scores(tmp_path, where="shots=5").items is None


# --- Inspect -------------------------------------------------------------------------------


def log(model: str, samples: list[tuple[str, int, Any]], epochs: int = 1) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": model, "created": "2025", "config": {"epochs": epochs}},
        "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": 0.5}}}]},
        "samples": [
            {"id": name, "epoch": epoch, "scores": {"match": {"value": value}}}
            for name, epoch, value in samples
        ],
    }


@pytest.mark.parametrize("kept", ["summaries", "samples"])
def test_inspect(kept: str, tmp_path: Path) -> None:
    write(tmp_path / "x.json", log("x", [("p", 1, "C"), ("q", 1, "I")]))
    content = log("y", [("p", 1, "P"), ("r", 1, 1)])
    samples = content.pop("samples")
    with zipfile.ZipFile(tmp_path / "y.eval", "w") as file:
        file.writestr("header.json", json.dumps(content))
        if kept == "summaries":
            file.writestr("summaries.json", json.dumps(samples))
        else:
            for place, each in enumerate(samples):
                file.writestr(f"samples/{place}.json", json.dumps(each))
    items = read_items(tmp_path)
    assert items.measure.name == "accuracy"
    assert items.labels == ("p", "q", "r")
    np.testing.assert_array_equal(items.as_floats(), [[1, 0.5], [0, NAN], [NAN, 1]])
    np.testing.assert_array_equal(read_scores(tmp_path).means(), [[0.5, 0.5]])


def test_inspect_epochs_are_repeats_of_their_items(tmp_path: Path) -> None:
    write(tmp_path / "x.json", log("x", [("p", 1, "C"), ("q", 1, "I"), ("p", 2, "I")], epochs=2))
    write(tmp_path / "y.json", log("y", [("p", 1, "C"), ("q", 1, "C")]))
    items = read_items(tmp_path)
    np.testing.assert_array_equal(items.as_floats(), [[0.5, 1], [0, 1]])
    assert items.repeats is not None
    assert items.repeats.counts.tolist() == [[2, 1], [1, 1]]
    assert items.repeats.squares.tolist() == [[0.5, 0], [0, 0]]


# --- HELM ----------------------------------------------------------------------------------


def test_helm(tmp_path: Path) -> None:
    for model, right in (("a", 1.0), ("b", 0.0)):
        spec = {
            "name": f"boolq:model={model}",
            "adapter_spec": {"model": model},
            "metric_specs": [{"args": {"names": ["exact_match"]}}],
        }
        stat = {"name": {"name": "exact_match", "split": "test"}, "mean": right}
        other = {"name": {"name": "exact_match", "split": "valid"}, "mean": 0.7}
        write(tmp_path / model / "run_spec.json", spec)
        write(tmp_path / model / "stats.json", [stat])
        instances = [
            {"instance_id": "id1", "train_trial_index": 0, "stats": [stat]},
            {"instance_id": "id1", "train_trial_index": 1, "stats": [stat]},
            {"instance_id": "id2", "train_trial_index": 0, "stats": [stat, other]},
            {"instance_id": "id3", "perturbation": {"name": "typos"}, "stats": [stat]},
            {"instance_id": "id4", "train_trial_index": 0, "stats": [other]},
        ]
        write(tmp_path / model / "per_instance_stats.json", instances)
    items = read_items(tmp_path)
    assert items.labels == ("id1", "id2")
    np.testing.assert_array_equal(items.values, [[1, 0], [1, 0]])
    assert items.repeats is not None
    assert items.repeats.counts.tolist() == [[2, 2], [1, 1]]


# --- Every Eval Ever -----------------------------------------------------------------------


def test_every_eval_ever(tmp_path: Path) -> None:
    for model, scores in (("a", (2.0, 4.0)), ("b", (1.0, 5.0))):
        evaluation = {
            "evaluation_name": "wiki",
            "metric_config": {"metric_name": "surprise", "lower_is_better": True},
            "score_details": {"score": 3.0},
        }
        content = {
            "schema_version": "0.3.0",
            "evaluation_id": f"e/{model}",
            "model_info": {"id": model},
            "evaluation_results": [evaluation],
        }
        lines = [
            {
                "schema_version": "0.3.0",
                "evaluation_id": f"e/{model}",
                "model_id": model,
                "evaluation_name": "wiki",
                "sample_id": f"s{place}",
                "sample_hash": "h",
                "evaluation": {"score": score},
            }
            for place, score in enumerate(scores)
        ]
        write(tmp_path / f"{model}.json", content)
        write(tmp_path / f"{model}_samples.jsonl", lines, lines=True)
    items = read_items(tmp_path)
    assert (items.measure.name, items.measure.higher_is_better) == ("surprise", False)
    np.testing.assert_array_equal(items.values, [[2, 1], [4, 5]])
    np.testing.assert_array_equal(read_scores(tmp_path).means(), [[3, 3]])
