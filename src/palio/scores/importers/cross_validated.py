"""scikit-learn's ``cross_validate`` by name, and what searches over parameters leave behind.

Its scorers are all such that higher is better: losses are negated. Optuna's trials do not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from palio.errors import CellError
from palio.scores.columns import Columns, Texts
from palio.scores.frames import table_name
from palio.scores.importers.results import Result, ResultSet
from palio.scores.vocabulary import algorithm_share, dataset_share, has_role
from palio.words import count

_SPLIT = re.compile(r"split(?P<fold>\d+)_(?P<score>test_\w+)")
_COSTS = ("fit_time", "score_time")
_Cell: TypeAlias = tuple[str, str, Mapping[str, Any]]


def read(source: Any, parameter: str) -> Columns:
    """Read the scores on every fold; the folds are taken for those of one cross-validation."""
    found = getattr(source, "cv_results_", source)
    cells: Iterable[_Cell]
    if "params" in found:
        cells = [
            ("data", _called(each), _of(found, row)) for row, each in enumerate(found["params"])
        ]
        told = f"{count(len(found['params']), 'candidate')} of a search, each an algorithm."
    else:
        cells, told = _cells(found)
    results = [result for cell in cells for result in _folds(*cell)]
    directions = {score: True for each in results for score in each.scores}
    name = table_name(parameter)
    return ResultSet(results, [told], directions, newest_by=()).to_columns(name, "scikit-learn")


def _cells(found: Mapping[Any, Any]) -> tuple[list[_Cell], str]:
    """Return what `cross_validate` gave for each data set and algorithm, and what to note.

    Names of data sets come first, unless the names themselves say that they are of algorithms.
    """
    told = "the folds are taken for those of one cross-validation."
    if all(isinstance(key, tuple) and len(key) == 2 for key in found):
        keyed = [(first, second, each) for (first, second), each in found.items()]
    elif all(any(map(_is_score, each)) for each in found.values()):
        # A single data set has no name of its own.
        return [("data", *each) for each in found.items()], f"Results of cross_validate; {told}"
    else:
        keyed = [(first, *each) for first, below in found.items() for each in below.items()]
    outer, inner = ([str(cell[place]) for cell in keyed] for place in (0, 1))
    as_given = dataset_share(outer) + algorithm_share(inner)
    if algorithm_share(outer) + dataset_share(inner) > as_given:
        swapped = [(second, first, each) for first, second, each in keyed]
        return swapped, f"Results of cross_validate by algorithm and data set; {told}"
    return keyed, f"Results of cross_validate by data set and algorithm; {told}"


def of_trials(columns: Columns) -> Columns:
    """Read the trials of a study of Optuna: parameters are algorithms, and durations seconds."""
    import pandas as pd

    done = np.array([name == "COMPLETE" for name in columns.labels_or_blank("state").names])
    there = done[columns.labels_or_blank("state").codes]
    columns = columns.take(there)
    parts = {
        name.removeprefix("params_"): columns.labels_or_blank(name)
        for name in columns.names
        if name.startswith("params_")
    }
    called = [
        ", ".join(f"{name}={text}" for name, each in parts.items() if (text := each.name(row)))
        for row in range(len(columns))
    ]
    values: dict[str, Any] = {"trial": Texts([name or "default" for name in called])}
    for name in columns.names:
        own = name.removeprefix("user_attrs_")
        if name.startswith("value") or has_role(own, "dataset"):
            values[own] = columns.values[name]
    if "duration" in columns.names:
        durations = columns.labels_or_blank("duration")
        taken = pd.to_timedelta([durations.name(row) for row in range(len(columns))])
        values["duration"] = Texts([str(each) for each in taken.total_seconds()])
    told = f"{count(len(columns), 'trial')} of a study, each an algorithm."
    if n_left := int((~there).sum()):
        told += (
            f" {count(n_left, 'trial')} not completed {'is' if n_left == 1 else 'are'} left out."
        )
    return columns.noted(told, values=values)


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
