"""The tables of the page about wainer2016, from the replication that the package keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import palio
from palio.studies.reproduction import Cell, Cells
from palio.studies.wainer2016_bayes import papers_pairs

__all__ = ["MARKS", "cells", "found"]

_PAIRS = (
    ("rf", "svmRadial"), ("rf", "gbm"), ("svmRadial", "gbm"), ("svmRadial", "nnet"),
    ("rf", "nnet"), ("svmRadial", "rknn"),
)  # fmt: skip


@cache
def found(study: str = "wainer2016") -> palio.Reproduction:
    """Return the reproduction that the page tells of."""
    return palio.reproduce(study)


def cells(table: str, study: str = "wainer2016") -> Cells:
    """Return the cells of one layout, by row and column; none where there is no such layout."""
    return next((each.recomputed for each in found(study).layouts if each.table == table), {})


def grid(first: str, columns: Mapping[str, str], rows: Iterable[str], values: Cells) -> str:
    """Write a table: ``columns`` are those of the cells, and how they are headed.

    >>> print(grid("learner", {"a": "A"}, ["rf"], {("rf", "a"): 0.5}))
    | learner | A |
    |---|---:|
    | rf | 0.50 |
    """
    lines = [
        (row, *(_written(values.get((row, column), "")) for column in columns)) for row in rows
    ]
    return "\n".join(
        (
            _line((first, *columns.values())),
            f"|---|{'---:|' * len(columns)}",
            *map(_line, lines),
        )
    )


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _written(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2f}"


def _whole(table: str, first: str = "", **headed: str) -> str:
    """Write all of a layout; ``headed`` says which columns are called otherwise."""
    values = cells(table)
    columns = {column: headed.get(column, column) for _, column in values}
    return grid(first, columns, dict.fromkeys(row for row, _ in values), values)


def _errors() -> str:
    values = cells("1")
    n = palio.load_study("replication2026").n_datasets
    headed = {
        "mean rank": "mean rank", "paper's": "paper", "first": f"first of {n}",
        "paper's first": "paper, of 115",
    }  # fmt: skip
    columns = {column: headed.get(column, column) for _, column in values}
    return grid("learner", columns, dict.fromkeys(row for row, _ in values), values)


def _thresholds() -> str:
    """Write the paper's thresholds above those here, by size."""
    here = cells("§4.3", "replication2026")
    columns = {column: column for _, column in here} | {"by chance": "δ by chance"}
    rows = {"all": "here", "smaller": "the smaller half", "larger": "the larger half"}
    values: dict[Cell, float | str] = {
        (rows[row], column): value for (row, column), value in here.items()
    }
    papers = {"data sets": "115", "δ": "0.0112", "δ^cv": "0.0134"}
    values |= {("the paper", column): value for column, value in papers.items()}
    return grid("", columns, ("the paper", *rows.values()), values)


def _equal() -> str:
    printed = {frozenset(cell): p for cell, p in papers_pairs("3").items()}
    here = {frozenset(cell): str(value).split("|")[0] for cell, value in cells("3").items()}
    values: dict[Cell, float | str] = {
        (", ".join(pair), column): value
        for pair in _PAIRS
        for column, value in (("here", here[frozenset(pair)]), ("paper", printed[frozenset(pair)]))
    }
    return grid("pair", {"here": "here", "paper": "paper"}, map(", ".join, _PAIRS), values)


def _times() -> str:
    values = cells("4")
    columns = {"1-t-t": "1-t-t", "1-t-t paper": "paper", "p/h": "p/h", "p/h paper": "paper"}
    return grid("learner", columns, dict.fromkeys(row for row, _ in values), values)


def _verdicts() -> str:
    headed = {"same": "same verdict", "only paper": "paper alone", "only here": "here alone"}
    return _whole("verdicts", "table of p-values", **headed)


def _parts() -> str:
    """Write what agrees on all data sets and on the first ones, where there are others."""
    if not cells("parts"):
        return ""
    return _whole("parts")


MARKS: dict[str, Callable[[], str]] = {
    "wainer2016_errors": _errors,
    "wainer2016_parts": _parts,
    "wainer2016_size": partial(_whole, "size", "learner"),
    "wainer2016_thresholds": _thresholds,
    "wainer2016_equal": _equal,
    "wainer2016_times": _times,
    "wainer2016_verdicts": _verdicts,
}
"""What a mark of the page stands for."""
