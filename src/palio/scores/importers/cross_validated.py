"""scikit-learn's ``cross_validate`` by name, and what a search over parameters leaves behind.

Its scorers are all such that higher is better: losses are negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from palio.errors import CellError
from palio.scores.columns import Columns
from palio.scores.importers.results import Result, columns_of
from palio.words import count

_SPLIT = re.compile(r"split(?P<fold>\d+)_test_(?P<score>\w+)")
_COSTS = ("fit_time", "score_time")


def read(source: Any, name: str) -> Columns:
    """Read the scores on every fold; the folds are taken for those of one cross-validation."""
    found = getattr(source, "cv_results_", source)
    if "params" in found:
        results = list(_of_search(found))
        told = f"{count(len(found['params']), 'candidate')} of a search, each an algorithm."
    else:
        results = [
            each for dataset, by_name in _by_dataset(found) for each in _of(dataset, by_name)
        ]
        told = "Results of cross_validate; the folds are taken for those of one cross-validation."
    directions = {score: True for each in results for score in each.scores}
    return columns_of(
        results, name=name, source="scikit-learn", directions=directions, notes=[told]
    )


def of_search(columns: Columns) -> Columns:
    """Read a search over parameters that was saved as a table; its parameters are text there."""
    there = [name for name in columns.names if re.match(r"split\d+_test_|mean_\w+_time", name)]
    found: dict[str, Any] = {name: columns.numbers(name).checked() for name in there}
    texts = columns.labels_or_blank("params")
    found["params"] = [texts.name(row) for row in range(len(columns))]
    return replace(read(found, columns.origin.name), context=columns.context)


def _by_dataset(found: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield data sets with their results by name; a single one has no name of its own."""
    if all(any(str(key).startswith("test_") for key in each) for each in found.values()):
        yield "data", found
    else:
        yield from found.items()


def _of(dataset: str, by_name: Mapping[str, Any]) -> Iterator[Result]:
    for name, values in by_name.items():
        scores = {key: list(map(float, each)) for key, each in values.items() if _is_score(key)}
        lengths = {len(each) for each in scores.values()}
        if len(lengths) != 1:
            raise CellError("source", f"{name!r} on {dataset!r} needs scores on the same folds")
        costs = {key: list(map(float, values[key])) for key in _COSTS if key in values}
        for fold in range(lengths.pop()):
            yield Result(
                str(dataset),
                str(name),
                {key: each[fold] for key, each in scores.items()},
                {key: each[fold] for key, each in costs.items()},
                fold=str(fold + 1),
            )


def _is_score(key: object) -> bool:
    return str(key).startswith("test_")


def _of_search(found: Mapping[str, Any]) -> Iterator[Result]:
    splits = [match for key in found if (match := _SPLIT.fullmatch(str(key)))]
    folds = sorted({int(match["fold"]) for match in splits})
    measures = list(dict.fromkeys(match["score"] for match in splits))
    for place, parameters in enumerate(found["params"]):
        name = _called(parameters)
        costs = {key: found[f"mean_{key}"] for key in _COSTS if f"mean_{key}" in found}
        for fold in folds:
            scores = {
                f"test_{each}": float(found[f"split{fold}_test_{each}"][place]) for each in measures
            }
            means = {key: float(values[place]) for key, values in costs.items()}
            yield Result("data", name, scores, means, fold=str(fold + 1))


def _called(parameters: Mapping[str, Any] | str) -> str:
    """Return a short name of a candidate.

    >>> _called({"C": 1.0, "kernel": "rbf"}), _called("{'C': 1.0, 'kernel': 'rbf'}")
    ('C=1.0, kernel=rbf', 'C=1.0, kernel=rbf')
    """
    if isinstance(parameters, str):
        return re.sub(r"'(\w+)': '?([^,']*)'?", r"\1=\2", parameters).strip("{}") or "default"
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "default"
