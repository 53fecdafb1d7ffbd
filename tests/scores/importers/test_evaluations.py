"""Evaluations of language models: real logs beside their own figures, and small ones."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio.errors import InputError, UnreadableError
from palio.scores import read_scores
from palio.scores.columns import Columns
from palio.scores.sources import read_columns
from tests.shared import shared_file


def columns(place: object) -> Columns:
    return read_columns(str(place), parameter="source")


def frame(place: object) -> pd.DataFrame:
    found = pd.DataFrame(columns(place).values)
    return found.set_index(["dataset", "algorithm"]).sort_index()


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


# --- lm-evaluation-harness -----------------------------------------------------------------

MODEL = "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"


@pytest.mark.parametrize("prefix", ["", "lm-eval:"])
def test_lm_eval_takes_the_results_and_not_again_their_samples(prefix: str) -> None:
    folder = shared_file("results/lm_eval")
    found = frame(f"{prefix}{folder}")
    assert found["exact_match"].to_dict() == {
        ("math_perturbed_full", MODEL): 0.0,
        ("math_rephrased_full", MODEL): 0.0004,
    }
    assert columns(folder).known.directions["exact_match"] is True


def test_lm_eval_samples_alone_are_their_mean() -> None:
    path = next(shared_file("results/lm_eval").glob("samples_*.jsonl"))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    expected = sum(line["exact_match"] for line in lines) / len(lines)
    found = frame(path)
    assert found["exact_match"].to_dict() == {("math_perturbed_full", MODEL): expected}
    assert any("10 samples" in note for note in columns(path).notes)


def run(model: str, tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "results": tasks,
        "versions": {},
        "config": {"model_args": f"pretrained={model}"},
        **more,
    }


def test_lm_eval_names_filters_leaves_groups_out_and_takes_the_newest(tmp_path: Path) -> None:
    old = {"gsm8k": {"exact_match,strict-match": 0.1}, "mmlu": {"acc,none": 0.0}}
    new: dict[str, Any] = {
        "gsm8k": {"exact_match,strict-match": 0.2, "exact_match_stderr,strict-match": 0.01},
        "mmlu": {"acc,none": 0.3, "acc_norm,none": 0.4, "alias": " - mmlu"},
        "all": {"acc,none": 0.25},
    }
    groups = {"all": ["gsm8k", "mmlu"], "mmlu": []}
    write(tmp_path / "x" / "results_1.json", run("org/x", old, date=1.0))
    write(tmp_path / "x" / "results_2.json", run("org/x", new, date=2.0, group_subtasks=groups))
    write(tmp_path / "y" / "results_1.json", run("org/y", old, date=1.0))
    table = read_scores(tmp_path)
    assert table.datasets == ("gsm8k", "mmlu")
    assert table.algorithms == ("org/x", "org/y")
    np.testing.assert_array_equal(table.means(), [[0.2, 0.1], [0.3, 0.0]])
    assert table.measure.to_dict() == {"name": "score", "higher_is_better": True}
    told = " ".join(table.notes)
    assert "exact_match,strict-match on gsm8k" in told
    assert "acc on mmlu" in told
    assert "means of other tasks: all" in told
    assert "org/x on gsm8k" in told  # the older run


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"groups": {"mmlu": {"acc,none": 0.5}}}, ("gsm8k", "mmlu_law")),
        ({"group_subtasks": {"mmlu": ["mmlu_law", "mmlu_art"]}}, ("gsm8k", "mmlu_law")),
        # The tasks of the group are not there, so its mean is all there is.
        ({"group_subtasks": {"mmlu": ["mmlu_art"]}}, ("mmlu", "gsm8k", "mmlu_law")),
        ({}, ("mmlu", "gsm8k", "mmlu_law")),
    ],
)
def test_lm_eval_leaves_out_means_of_tasks_that_are_there(
    more: dict[str, Any], left: tuple[str, ...], tmp_path: Path
) -> None:
    tasks = {"mmlu": {"acc,none": 0.5}, "gsm8k": {"acc,none": 0.2}, "mmlu_law": {"acc,none": 0.5}}
    for model in "xy":
        write(tmp_path / model / "results_1.json", run(model, tasks, **more))
    table = read_scores(tmp_path)
    assert table.datasets == left
    told = "Left out, as means of other tasks: mmlu."
    assert (told in table.notes) is ("mmlu" not in left)


def test_lm_eval_samples_do_not_take_the_place_of_results(tmp_path: Path) -> None:
    for model in "xy":
        folder = tmp_path / model
        write(folder / "results_2026-01-01T00-00-00.1.json", run(model, {"arc": {"acc,none": 0.5}}))
        for task in ("arc", "boolq"):  # boolq has samples only
            write(
                folder / f"samples_{task}_2026-01-01T00-00-00.1.jsonl",
                {"doc_id": 0, "metrics": ["acc"], "acc": 1.0},
            )
    table = read_scores(tmp_path)
    assert table.datasets == ("arc", "boolq")
    np.testing.assert_array_equal(table.means(), [[0.5, 0.5], [1.0, 1.0]])


def test_lm_eval_says_which_way_a_measure_goes(tmp_path: Path) -> None:
    up = {"wiki": {"bits": False}}
    for model, bits in (("x", 2.0), ("y", 3.0)):
        content = run(model, {"wiki": {"bits,none": bits}}, higher_is_better=up)
        write(tmp_path / model / "results_1.json", content)
    assert not read_scores(tmp_path).measure.higher_is_better


def without_directions(folder: Path) -> None:
    """Write results as older versions do, which do not say which way measures go."""
    for model, more in (("a", 0.1), ("b", 0.2)):
        results = {
            "x": {"acc": 0.5 + more},
            "y": {"zap": 1 + more, "acc": 0.4 - more},
            "crows": {"likelihood_difference": 3 + more, "pct_stereotype": 0.4},
            "odd": {"zap": 1 + more},
        }
        run = {"results": results, "versions": {}, "config": {"model_args": f"pretrained={model}"}}
        (folder / f"results_{model}.json").write_text(json.dumps(run), encoding="utf-8")


def test_lm_eval_guesses_no_direction(tmp_path: Path) -> None:
    without_directions(tmp_path)
    table = read_scores(tmp_path)
    assert table.datasets == ("x", "y", "crows")
    np.testing.assert_allclose(table.means(), [[0.6, 0.7], [0.3, 0.2], [-3.1, -3.2]])
    assert any("None on odd: whether a higher zap is better" in note for note in table.notes)
    assert table.measures["crows"].name == "neg_likelihood_difference"


def test_a_measure_of_some_data_sets_leaves_the_others_out(tmp_path: Path) -> None:
    without_directions(tmp_path)
    table = read_scores(tmp_path, score="acc")
    assert table.datasets == ("x", "y")
    assert table.gaps().cells == 0
    assert not any("the first of each" in note for note in table.notes)
    told = "Left out, because nobody has acc there: 2 data sets of 4, crows, odd."
    assert told in table.notes
    other = read_scores(tmp_path, score="zap", higher_is_better=False)
    assert (other.datasets, other.measure.is_mixed) == (("y", "odd"), False)
    with pytest.raises(InputError, match="not a well-known measure"):
        read_scores(tmp_path, score="zap")


def test_lm_eval_measures_of_both_directions_are_turned(tmp_path: Path) -> None:
    for model, bits, acc in (("x", 2.0, 0.5), ("y", 3.0, 0.7)):
        tasks = {"wiki": {"perplexity,none": bits}, "arc": {"acc,none": acc}}
        write(tmp_path / model / "results_1.json", run(model, tasks))
    table = read_scores(tmp_path)
    np.testing.assert_array_equal(table.means(), [[-2, -3], [0.5, 0.7]])
    assert any("minus perplexity on wiki" in note for note in table.notes)


# --- Inspect -------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "inspect:"])
def test_inspect_gives_the_accuracies_that_the_logs_state(prefix: str) -> None:
    found = frame(f"{prefix}{shared_file('results/inspect')}")
    assert found["accuracy"].round(6).to_dict() == {
        ("inspect_evals/arc_easy", "anthropic/claude-sonnet-4-0"): 1.0,
        ("inspect_evals/arc_easy", "ollama/qwen2.5:0.5b"): 0.333333,
        ("inspect_evals/mmlu_0_shot", "openai/gpt-4o"): 0.0,
        ("inspect_evals/pubmedqa", "openai/azure/gpt-4o-mini"): 1.0,
        ("popularity", "openai/gpt-4o-mini"): 0.666667,
        ("simpleqa_verified", "anthropic/claude-opus-4-6"): 0.431,
    }
    assert found.loc[("simpleqa_verified", "anthropic/claude-opus-4-6"), "total_tokens"] == 105534
    notes = " ".join(columns(shared_file("results/inspect")).notes)
    assert "popularity (cancelled)" in notes
    assert "same samples of: inspect_evals/arc_easy" in notes


def log(model: str, values: dict[int, list[Any]], **more: Any) -> dict[str, Any]:
    samples = [
        {"id": place, "epoch": epoch, "scores": {"match": {"value": value}}}
        for epoch, row in values.items()
        for place, value in enumerate(row)
    ]
    flat = [value for row in values.values() for value in row]
    mean = sum(value in ("C", 1) for value in flat) / max(len(flat), 1)
    metrics = {"accuracy": {"name": "accuracy", "value": mean}, "stderr": {"value": 0.1}}
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": model, "created": "2025", "config": {"epochs": len(values)}},
        "results": {"scores": [{"name": "match", "metrics": metrics}]},
        "samples": samples,
        **more,
    }


def archive(path: Path, content: dict[str, Any]) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for place, sample in enumerate(content.pop("samples")):
            file.writestr(f"samples/{place}.json", json.dumps(sample))
        file.writestr("header.json", json.dumps(content))


def test_inspect_epochs_are_repeats_in_json_and_in_archives(tmp_path: Path) -> None:
    write(tmp_path / "x.json", log("x", {1: ["C", "I"], 2: ["C", "P"]}))
    archive(tmp_path / "y.eval", log("y", {1: [1, 1], 2: [False, "0.5"]}))
    table = read_scores(tmp_path)
    assert table.algorithms == ("x", "y")
    assert str(table.design()) == "2 hold-outs"
    np.testing.assert_allclose(table.to_frame()["accuracy"], [0.5, 0.75, 1.0, 0.25])


def test_inspect_keeps_what_ended_before_what_did_not(tmp_path: Path) -> None:
    write(tmp_path / "x.json", log("x", {1: ["C"]}))
    broken = log("x", {}, status="error", results=None)
    broken["eval"]["created"] = "2026"
    write(tmp_path / "x2.json", broken)
    write(tmp_path / "y.json", log("y", {}, status="error", results=None))
    table = read_scores(tmp_path, missing="pairwise")
    assert list(table.to_frame()["status"]) == ["ok", "error"]
    np.testing.assert_array_equal(table.means(), [[1.0, np.nan]])


# --- HELM ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "helm:"])
def test_helm_gives_the_means_of_the_test_split(prefix: str) -> None:
    found = frame(f"{prefix}{shared_file('results/helm')}")
    hellaswag = "commonsense:dataset=hellaswag,method=multiple_choice_joint"
    assert found["exact_match"].to_dict() == {
        (hellaswag, "eleutherai/pythia-1b-v0"): 0.3,  # it has no test split
        ("mmlu:subject=philosophy,method=multiple_choice_joint", "openai/gpt2"): 1 / 9,
        ("narrative_qa", "openai/gpt2"): 0.0,
    }
    assert found.loc[("narrative_qa", "openai/gpt2"), "f1_score"] == pytest.approx(0.174242424)
    known = columns(shared_file("results/helm")).known
    assert known.score == "exact_match"
    assert "num_output_tokens" in known.costs
    assert any(hellaswag in note for note in columns(shared_file("results/helm")).notes)


def helm_run(folder: Path, model: str, stats: list[tuple[str, str, Any, float]]) -> None:
    spec = {
        "name": f"boolq:model={model},mode=few",
        "adapter_spec": {"model": model},
        "metric_specs": [{"args": {"names": ["exact_match"]}}, {"args": {}}],
    }
    write(folder / "run_spec.json", spec)
    rows = [
        {"name": {"name": name, "split": split, "perturbation": how}, "mean": mean}
        for name, split, how, mean in stats
    ]
    write(folder / "stats.json", rows)


def test_helm_leaves_perturbed_and_other_splits_out(tmp_path: Path) -> None:
    for model, score in (("a", 0.5), ("b", 0.75)):
        stats = [
            ("exact_match", "valid", None, 0.1),
            ("exact_match", "test", {"name": "robustness"}, 0.2),
            ("exact_match", "test", None, score),
            ("num_references", "test", None, 4.0),
        ]
        helm_run(tmp_path / model, model, stats)
    table = read_scores(tmp_path)
    assert table.datasets == ("boolq,mode=few",)
    np.testing.assert_array_equal(table.means(), [[0.5, 0.75]])
    (tmp_path / "a" / "stats.json").unlink()
    with pytest.raises(UnreadableError, match=r"no stats\.json beside"):
        read_scores(tmp_path)


# --- Every Eval Ever -----------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "eee:"])
def test_every_eval_ever_takes_the_aggregate(prefix: str) -> None:
    found = frame(f"{prefix}{shared_file('results/every_eval_ever')}")
    assert found["accuracy"].to_dict() == {("demo-source.demo_bench", "demo-org/demo-model"): 0.75}


def test_every_eval_ever_samples_alone_are_their_mean() -> None:
    path = next(shared_file("results/every_eval_ever").rglob("*.jsonl"))
    found = frame(path)
    assert found["score"].to_dict() == {("demo-source.demo_bench", "demo-org/demo-model"): 1.0}
    assert found["total_tokens"].item() == 17


def test_every_eval_ever_knows_directions(tmp_path: Path) -> None:
    for model, score in (("a", 2.0), ("b", 3.0)):
        content = {
            "schema_version": "0.3.0",
            "evaluation_id": f"e/{model}",
            "model_info": {"id": model},
            "evaluation_results": [
                {
                    "evaluation_name": "wiki",
                    "metric_config": {"metric_name": "surprise", "lower_is_better": True},
                    "score_details": {"score": score},
                }
            ],
        }
        write(tmp_path / f"{model}.json", content)
    assert read_scores(tmp_path).measure.to_dict() == {
        "name": "surprise",
        "higher_is_better": False,
    }


# --- spoiled -------------------------------------------------------------------------------

SPOILED = {
    "lm-eval": ("results_1.json", '{"results": {"a": {"acc,none": 1}}, "group_subtasks": '),
    "inspect": ("x.json", '{"status": "success", "eval": {"task": 3, "model": []}, "results": 1}'),
    "helm": ("run_spec.json", '{"adapter_spec": {"model": 1}}'),
    "eee": ("x.json", '{"schema_version": "0", "evaluation_id": "e", "evaluation_results": [1]}'),
    "mteb": ("x.json", '{"mteb_version": "1", "scores": {"test": [3]}}'),
}


@pytest.mark.parametrize("importer", SPOILED)
def test_a_spoiled_file_is_one_line(importer: str, tmp_path: Path) -> None:
    name, content = SPOILED[importer]
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "stats.json").write_text("[3]", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_scores(f"{importer}:{tmp_path}")
    assert "\n" not in str(caught.value)


def test_an_archive_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(b"PK not a zip archive")
    with pytest.raises(UnreadableError, match=r"x\.eval is not a log of Inspect"):
        read_scores(tmp_path)
