"""Every Eval Ever: the common schema, a JSON file per model, and JSON Lines of its samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, load_lines, number, part
from palio.scores.importers.results import Result, Sample, columns_of, item_means, newest
from palio.words import count


def read(files: list[Path], place: Path) -> Columns:
    """Read evaluations; samples are their items, and their mean is used where no file has it."""
    directions: dict[str, bool] = {}
    found: list[Result] = []
    for path in files:
        if ".jsonl" not in path.name:
            found += _results(load_json(path), directions)
    notes = [f"{count(len(files), 'file')} of Every Eval Ever."]
    there = {(each.dataset, each.algorithm): at for at, each in enumerate(found)}
    more: list[Result] = []
    for path in files:
        for result in _of_samples(load_lines(path)) if ".jsonl" in path.name else ():
            at = there.get((result.dataset, result.algorithm))
            if at is None:
                more.append(result)
            elif len(found[at].scores) == 1:  # of several, samples do not say which theirs is
                found[at] = _with_samples(found[at], result.samples)
    if more:
        items = sum(len(each.samples) for each in more)
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


def _with_samples(result: Result, samples: Sequence[Sample]) -> Result:
    """Put samples beside a result, their score under the name of its one measure."""
    measure = next(iter(result.scores))
    own = [replace(each, scores={measure: each.scores["score"]}) for each in samples]
    return replace(result, samples=own)


def _of_samples(samples: list[dict[str, Any]]) -> list[Result]:
    by_cell: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    used: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for each in samples:
        value = number(part(each, "evaluation").get("score"))
        tokens = number(part(each, "token_usage").get("total_tokens"))
        cell = (str(each.get("evaluation_name")), str(each.get("model_id")))
        if value is None:
            continue
        name, mark = str(each.get("sample_id")), str(each.get("sample_hash") or "")
        by_cell[cell].append(Sample(name, {"score": value}, mark))
        used[cell].append({} if tokens is None else {"tokens": tokens})
    found = []
    for (dataset, model), items in by_cell.items():
        means, usage = item_means(each.scores for each in items), item_means(used[dataset, model])
        costs = {"total_tokens": usage["tokens"] * len(items)} if usage else {}
        found.append(Result(dataset, model, means, costs, samples=items))
    return found
