"""Inspect: a log per task and model, as JSON or, ``.eval``, as JSON in a zip archive."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from palio.scores.columns import Columns
from palio.scores.formats import MalformedError, opened
from palio.scores.formats.packing import check_archive
from palio.scores.importers.jsons import load_json, number, parsed, part
from palio.scores.importers.results import Result, Sample, columns_of, item_means, newest
from palio.words import count, listed

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_SPREAD = ("stderr", "std", "var", "bootstrap_stderr", "bootstrap_std")


def read(files: list[Path], place: Path) -> Columns:
    """Read logs; the epochs of a task are repeats, where the samples are there."""
    logs = [_log(path) for path in files]
    found = [each for log in logs for each in _results(log)]
    kept, left = newest(found)
    notes = [f"{count(len(files), 'log')} of Inspect.", *left, *_note_on_samples(logs)]
    ended = [f"{part(log, 'eval').get('task')} ({log.get('status')})" for log in logs]
    odd = [text for text, log in zip(ended, logs, strict=True) if log.get("status") != "success"]
    if odd:
        notes.append(f"Logs that did not end in success: {listed(odd)}.")
    if any(each.repeat != "1" for each in kept):
        notes.append("The epochs are repeats: each score is the mean over the samples of one.")
    return columns_of(kept, name=place.name, source="inspect", notes=notes)


def _log(path: Path) -> dict[str, Any]:
    if path.suffix == ".eval":
        return _unzipped(path)
    log: dict[str, Any] = load_json(path)
    return log


def _unzipped(path: Path) -> dict[str, Any]:
    with opened(path, "source"):
        try:
            with zipfile.ZipFile(path) as archive:
                check_archive(archive)
                names = archive.namelist()
                header = next((n for n in ("header.json", "_journal/start.json") if n in names), "")
                log: dict[str, Any] = parsed(archive.read(header))
                if "summaries.json" in names:  # the samples without what was said
                    log["samples"] = parsed(archive.read("summaries.json"))
                else:
                    log["samples"] = [
                        parsed(archive.read(name)) for name in names if name.startswith("samples/")
                    ]
        except (zipfile.BadZipFile, KeyError) as error:
            raise MalformedError("is not a log of Inspect") from error
    return log


# --- results -------------------------------------------------------------------------------


def _results(log: dict[str, Any]) -> list[Result]:
    about = part(log, "eval")
    task, model = str(about.get("task")), str(about.get("model"))
    when = str(about.get("created", ""))
    costs = _costs(log, model)
    by_epoch = _by_epoch(log)
    if len(by_epoch) > 1:
        return [
            Result(task, model, _mean_of(its), costs, repeat=epoch, when=when, samples=its)
            for epoch, its in by_epoch.items()
        ]
    status = str(log.get("status") or "missing")
    scores, samples = _means(log), next(iter(by_epoch.values()), [])
    ended = "ok" if scores else status
    return [Result(task, model, scores, costs, status=ended, when=when, samples=samples)]


def _mean_of(samples: list[Sample]) -> dict[str, float]:
    return item_means(each.scores for each in samples)


def _means(log: dict[str, Any]) -> dict[str, float]:
    """Return the metrics of the scorers; a scorer is named where there are several."""
    scorers = part(log, "results").get("scores") or []
    found = {}
    for scorer in scorers:
        for name, metric in part(scorer, "metrics").items():
            value = number(metric.get("value"))
            if value is not None and name not in _SPREAD:
                found[_named(scorer.get("name"), name, several=len(scorers) > 1)] = value
    return found


def _named(scorer: object, metric: str, *, several: bool) -> str:
    return f"{scorer} {metric}" if several else metric


def _by_epoch(log: dict[str, Any]) -> dict[str, list[Sample]]:
    """Return the samples of each epoch, their scores under the name of the scorer's metric."""
    metrics = {
        scorer.get("name"): next(iter(part(scorer, "metrics")), "mean")
        for scorer in part(log, "results").get("scores") or []
    }
    epochs: dict[str, list[Sample]] = {}
    for sample in log.get("samples") or []:
        scores: dict[str, float] = {}
        for scorer, score in part(sample, "scores").items():
            for key, value in _values(score.get("value")):
                metric = _named(scorer, metrics.get(scorer, "mean"), several=len(metrics) > 1)
                scores[f"{metric} {key}".strip()] = value
        found = Sample(str(sample.get("id")), scores)
        epochs.setdefault(str(sample.get("epoch", 1)), []).append(found)
    return epochs


def _values(value: object) -> Iterable[tuple[str, float]]:
    """Yield the numbers of a sample's score: a letter, a number, or several by name.

    >>> list(_values("C")), list(_values({"style": 3, "tone": "I"}))
    ([('', 1.0)], [('style', 3.0), ('tone', 0.0)])
    """
    named = value if isinstance(value, Mapping) else {"": value}
    for key, each in named.items():
        found = _LETTERS.get(each) if isinstance(each, str) else None
        found = number(each) if found is None else found
        if found is not None:
            yield key, found


def _costs(log: dict[str, Any], model: str) -> dict[str, float]:
    tokens = number(part(log, "stats", "model_usage", model).get("total_tokens"))
    begun, ended = (part(log, "stats").get(name) for name in ("started_at", "completed_at"))
    costs = {} if tokens is None else {"total_tokens": tokens}
    if begun and ended:
        took = datetime.fromisoformat(str(ended)) - datetime.fromisoformat(str(begun))
        costs["duration"] = took.total_seconds()
    return costs


def _note_on_samples(logs: list[dict[str, Any]]) -> list[str]:
    """Say on which tasks the models did not answer the same samples."""
    asked: dict[str, set[str]] = {}
    for log in logs:
        ids = part(log, "eval", "dataset").get("sample_ids")
        asked.setdefault(str(part(log, "eval").get("task")), set()).add(json.dumps(ids))
    uneven = [task for task, different in asked.items() if len(different) > 1]
    return [f"Not all models answered the same samples of {listed(uneven)}."] if uneven else []
