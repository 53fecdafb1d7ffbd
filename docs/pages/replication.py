"""The tables of the page about wainer2016, and sentences that count, from the replication kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import numpy as np

import palio
from palio.scores import ScoreTable
from palio.studies import replication2026
from palio.studies.reproduction import Cell, Cells, Check
from palio.studies.wainer2016_bayes import papers_pairs
from palio.studies.wainer2016_findings import worst_there
from palio.studies.wainer2016_tables import NEITHER, nemenyi
from palio.words import joined

__all__ = ["MARKS", "by_error", "cells", "check", "found"]

_PAIRS = (
    ("rf", "svmRadial"), ("rf", "gbm"), ("svmRadial", "gbm"), ("svmRadial", "nnet"),
    ("rf", "nnet"), ("svmRadial", "rknn"),
)  # fmt: skip


@cache
def found(study: str = "wainer2016") -> palio.Reproduction:
    """Return the reproduction that the page tells of."""
    return palio.reproduce(study)


@cache
def by_error() -> palio.Comparison:
    """Compare the errors of all learners as Table 2 does."""
    table = worst_there(palio.load_study("replication2026"))
    return nemenyi(table.means(), table.datasets, table.algorithms, "error")


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


# --- sentences -----------------------------------------------------------------------------------


@cache
def _kept() -> ScoreTable:
    return palio.load_study("replication2026")


def _data_sets() -> str:
    """Tell how many there are, how many are the paper's, and of which a part was drawn."""
    known = replication2026.data_sets()
    (sizes,) = found("replication2026").checks
    both = {cell[0] for cell in sizes.recomputed}
    drawn = [each for each in known.values() if each.rows < each.all_rows]
    said = (
        f"{len(known)} in all. {sizes.cells} of them are also among the paper's 115, "
        f"{len(sizes.differences)} of these in a version of another size. The other "
        f"{len(known) - len(both)} are {joined(sorted(set(known) - both))}."
    )
    if drawn:
        said += (
            f" Of {joined([each.name for each in drawn])} a sample was drawn, "
            f"{max(each.rows for each in drawn)} rows with the classes in proportion."
        )
    return said


def _jobs() -> str:
    table = _kept()
    ended = int(np.isfinite(table.means()).sum())
    there = table.n_datasets * table.n_algorithms
    hours = float(np.nansum(table.rows.costs["fit_cpu_time"])) / 3600
    which = "All" if ended == there else f"{ended} of"
    return (
        f"{which} {there} jobs ({table.n_datasets} data sets × {table.n_algorithms} learners) "
        f"ended well, in {hours:.1f} hours of CPU."
    )


def _capped() -> str:
    """Tell how often LIBSVM was stopped: 5 folds, and 5, 20 or 25 combinations."""
    table = _kept()
    machines = {"svmLinear": 5, "svmPoly": 20, "svmRadial": 25}
    of = {name: table.rows.algorithm == table.algorithms.index(name) for name in machines}
    final, within = (
        [round(float(np.nansum(table.rows.costs[cost][of[name]]))) for name in machines]
        for cost in ("capped", "n_capped")
    )
    models = 2 * table.n_datasets
    fits = [5 * combinations * models for combinations in machines.values()]
    return (
        f"That happened to {final[0]} of {models} final models of svmLinear, to {final[1]} of "
        f"svmPoly and to {final[2]} of svmRadial; and within the searches to "
        + ", ".join(f"{n:,} of {all_fits:,}" for n, all_fits in zip(within, fits, strict=True))
        + " fits."
    )


def check(table: str) -> Check:
    """Return what was compared of one table."""
    (one,) = (each for each in found().checks if each.table == table)
    return one


def _paper_alone() -> str:
    """Tell how many verdicts of Table 2 are the paper's alone, and who is ahead here."""
    mean = by_error().mean_ranks
    alone = [each for each in check("2").differences if each.recomputed == NEITHER]
    same = sum(min(each.key, key=mean.__getitem__) == each.published for each in alone)
    where = "in each of them" if same == len(alone) else f"in {same} of them"
    return (
        f"{len(alone)} differences are significant in the paper and not here; {where} the same "
        "learner is ahead here."
    )


def _here_alone() -> str:
    """Tell which verdicts of Table 2 are ours alone."""
    beaten: dict[str, list[str]] = {}
    alone = [each for each in check("2").differences if each.published == NEITHER]
    for each in alone:
        (loser,) = set(each.key) - {each.recomputed}
        beaten.setdefault(loser, []).append(str(each.recomputed))
    said = [
        f"{joined(winners)} {'is' if len(winners) == 1 else 'are'} better than {loser}"
        for loser, winners in beaten.items()
    ]
    return f"{len(alone)} differences are significant here and not in the paper: {'; '.join(said)}."


MARKS: dict[str, Callable[[], str]] = {
    "wainer2016_data_sets": _data_sets,
    "wainer2016_jobs": _jobs,
    "wainer2016_capped": _capped,
    "wainer2016_paper_alone": _paper_alone,
    "wainer2016_here_alone": _here_alone,
    "wainer2016_errors": _errors,
    "wainer2016_parts": _parts,
    "wainer2016_size": partial(_whole, "size", "learner"),
    "wainer2016_thresholds": _thresholds,
    "wainer2016_equal": _equal,
    "wainer2016_times": _times,
    "wainer2016_verdicts": _verdicts,
}
"""What a mark of the page stands for."""
