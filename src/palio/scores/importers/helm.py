"""HELM: a folder per run, with what was run (run_spec.json) and its statistics (stats.json).

The items of a run are in per_instance_stats.json, where it is there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from palio.errors import UnreadableError
from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, number, part
from palio.scores.importers.results import Result, Sample, columns_of, newest
from palio.words import count, listed

_UP = re.compile(r"exact_match|^bleu_|^rouge_|^f1_")
_SPLITS = ("test", "valid")
_COSTS = ("inference_runtime", "num_prompt_tokens", "num_output_tokens", "training_co2_cost")


def read(files: list[Path], place: Path) -> Columns:
    """Read runs: the measures that a run names, of the test split, without perturbations."""
    found, validated = [], []
    for path in files:
        spec, beside = load_json(path), path.parent / "stats.json"
        if not beside.is_file():
            raise UnreadableError("source", f"there is no stats.json beside {str(path)!r}")
        result, split = _result(spec, load_json(beside))
        instances = path.parent / "per_instance_stats.json"
        if instances.is_file():
            its = _samples(load_json(instances), split, result.scores)
            result = replace(result, samples=its)
        found.append(result)
        if split != _SPLITS[0]:
            validated.append(result.dataset)
    kept, left = newest(found)
    notes = [f"{count(len(files), 'run')} of HELM: the means of the test split.", *left]
    if validated:
        notes.append(f"Only validated on: {listed(dict.fromkeys(validated))}.")
    directions = {name: True for each in kept for name in each.scores if _UP.search(name)}
    return columns_of(kept, name=place.name, source="helm", directions=directions, notes=notes)


def _result(spec: dict[str, Any], stats: list[dict[str, Any]]) -> tuple[Result, str]:
    model = str(part(spec, "adapter_spec").get("model"))
    plain = [each for each in stats if not part(each, "name").get("perturbation")]
    splits = {part(each, "name").get("split") for each in plain}
    split = next((each for each in _SPLITS if each in splits), "")
    means = {
        str(part(each, "name").get("name")): mean
        for each in plain
        if part(each, "name").get("split") == split
        and (mean := number(each.get("mean"))) is not None
    }
    named = [
        name for metric in spec["metric_specs"] for name in part(metric, "args").get("names", [])
    ]
    scores = {name: means[name] for name in named if name in means}
    costs = {name: means[name] for name in _COSTS if name in means}
    # The name of a run is its scenario, how it was asked, and the model.
    dataset = re.sub(r"[:,]model=[^,]*", "", str(spec["name"]))
    return Result(dataset, model, scores, costs), split


def _samples(instances: list[dict[str, Any]], split: str, named: Collection[str]) -> list[Sample]:
    """Return the instances of a split as they are, without perturbations; trials are repeats."""
    return [
        Sample(str(each.get("instance_id")), scores)
        for each in instances
        if not each.get("perturbation") and (scores := _of_instance(each, split, named))
    ]


def _of_instance(instance: dict[str, Any], split: str, named: Collection[str]) -> dict[str, float]:
    found = {
        str(part(each, "name").get("name")): number(each.get("mean"))
        for each in instance.get("stats") or []
        if part(each, "name").get("split") == split
    }
    return {name: value for name in named if (value := found.get(name)) is not None}
