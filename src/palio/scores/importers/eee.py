"""Every Eval Ever: the common schema, a JSON file per model, and JSON Lines of its samples."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, load_lines, number, part
from palio.scores.importers.results import Result, columns_of, item_means, newest
from palio.words import count


def read(files: list[Path], place: Path) -> Columns:
    """Read evaluations; samples are used where no file has their mean."""
    directions: dict[str, bool] = {}
    found: list[Result] = []
    for path in files:
        if ".jsonl" not in path.name:
            found += _results(load_json(path), directions)
    notes = [f"{count(len(files), 'file')} of Every Eval Ever."]
    there = {(each.dataset, each.algorithm) for each in found}
    items, more = 0, []
    for path in files:
        if ".jsonl" in path.name:
            for result, number_of in _of_samples(load_lines(path)):
                if (result.dataset, result.algorithm) not in there:
                    items += number_of
                    more.append(result)
    if items:
        notes.append(f"{count(items, 'sample')}: the score is their mean.")
    kept, left = newest([*found, *more])
    return columns_of(
        kept, name=place.name, source="eee", directions=directions, notes=[*notes, *left]
    )


def _results(content: dict[str, Any], directions: dict[str, bool]) -> list[Result]:
    model = _model(part(content, "model_info"))
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for each in content.get("evaluation_results") or []:
        metric = part(each, "metric_config")
        value = number(part(each, "score_details").get("score"))
        measure = metric.get("metric_name") or metric.get("metric_id") or "score"
        dataset = each.get("evaluation_name") or part(each, "source_data").get("dataset_name")
        if value is None:
            continue
        scores[str(dataset)][str(measure)] = value
        if isinstance(down := metric.get("lower_is_better"), bool):
            directions[str(measure)] = not down
    when = str(content.get("evaluation_timestamp") or content.get("retrieved_timestamp") or "")
    return [Result(dataset, model, values, when=when) for dataset, values in scores.items()]


def _model(about: dict[str, Any]) -> str:
    return str(about.get("id") or about.get("name"))


def _of_samples(samples: list[dict[str, Any]]) -> list[tuple[Result, int]]:
    by_cell: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for each in samples:
        value = number(part(each, "evaluation").get("score"))
        tokens = number(part(each, "token_usage").get("total_tokens"))
        cell = (str(each.get("evaluation_name")), str(each.get("model_id")))
        if value is not None:
            by_cell[cell].append({"score": value} | ({} if tokens is None else {"tokens": tokens}))
    found = []
    for (dataset, model), items in by_cell.items():
        means = item_means(items)
        costs = {"total_tokens": means.pop("tokens") * len(items)} if "tokens" in means else {}
        found.append((Result(dataset, model, means, costs), len(items)))
    return found
