"""scikit-learn's ``cross_validate`` by name, and what a search over parameters leaves behind.

Its scorers are all such that higher is better: losses are negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from palio.errors import CellError
from palio.scores.columns import Columns
from palio.scores.frames import table_name
from palio.scores.importers.results import Result, ResultSet
from palio.words import count

_SPLIT = re.compile(r"split(?P<fold>\d+)_(?P<score>test_\w+)")
_COSTS = ("fit_time", "score_time")


def read(source: Any, parameter: str) -> Columns:
    """Read the scores on every fold; the folds are taken for those of one cross-validation."""
    found = getattr(source, "cv_results_", source)
    cells: Iterable[tuple[str, str, Mapping[str, Any]]]
    if "params" in found:
        cells = [
            ("data", _called(each), _of(found, row)) for row, each in enumerate(found["params"])
        ]
        told = f"{count(len(found['params']), 'candidate')} of a search, each an algorithm."
    else:
        # A single data set has no name of its own.
        single = all(any(map(_is_score, each)) for each in found.values())
        by_dataset = {"data": found} if single else found
        cells = [(data, *each) for data, by_name in by_dataset.items() for each in by_name.items()]
        told = "Results of cross_validate; the folds are taken for those of one cross-validation."
    results = [result for cell in cells for result in _folds(*cell)]
    directions = {score: True for each in results for score in each.scores}
    name = table_name(parameter)
    return ResultSet(results, [told], directions, newest_by=()).to_columns(name, "scikit-learn")


def of_search(columns: Columns) -> Columns:
    """Read a search over parameters that was saved as a table; its parameters are text there."""
    there = [name for name in columns.names if re.match(r"split\d+_test_|mean_\w+_time", name)]
    found: dict[str, Any] = {name: columns.numbers(name).checked() for name in there}
    texts = columns.labels_or_blank("params")
    found["params"] = [texts.name(row) for row in range(len(columns))]
    results = read(found, "source")
    origin = replace(results.origin, name=columns.origin.name)
    return replace(results, origin=origin, context=columns.context)


def _is_score(key: object) -> bool:
    return str(key).startswith("test_")


def _folds(dataset: str, name: str, values: Mapping[str, Any]) -> Iterator[Result]:
    """Yield a result for each fold of what `cross_validate` returned."""
    scores, costs = (
        {key: list(map(float, values[key])) for key in keys if key in values}
        for keys in (filter(_is_score, values), _COSTS)
    )
    if len({len(each) for each in scores.values()}) != 1:
        raise CellError("source", f"{name!r} on {dataset!r} needs scores on the same folds")
    for fold in range(len(next(iter(scores.values())))):
        its, used = ({key: each[fold] for key, each in kind.items()} for kind in (scores, costs))
        yield Result(str(dataset), str(name), its, used, fold=str(fold + 1))


def _of(search: Mapping[str, Any], row: int) -> dict[str, list[Any]]:
    """Return the scores and mean times of a candidate, as `cross_validate` returns them."""
    splits = [match for key in search if (match := _SPLIT.fullmatch(str(key)))]
    found: dict[str, list[Any]] = {}
    for split in sorted(splits, key=lambda each: int(each["fold"])):
        found.setdefault(split["score"], []).append(search[split[0]][row])
    n_folds = max(map(len, found.values()), default=0)
    return found | {
        key: [search[f"mean_{key}"][row]] * n_folds for key in _COSTS if f"mean_{key}" in search
    }


def _called(parameters: Mapping[str, Any] | str) -> str:
    """Return a short name of a candidate.

    >>> _called({"C": 1.0, "kernel": "rbf"}), _called("{'C': 1.0, 'kernel': 'rbf'}")
    ('C=1.0, kernel=rbf', 'C=1.0, kernel=rbf')
    """
    if isinstance(parameters, str):
        return re.sub(r"'(\w+)': '?([^,']*)'?", r"\1=\2", parameters).strip("{}") or "default"
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "default"
