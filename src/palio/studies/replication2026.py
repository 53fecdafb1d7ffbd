"""A replication of Wainer (2016): fourteen tuned learners on real data sets.

The table is kept with the package, as the paper prints no error rates: how many instances of each
half were taken for the wrong class, what the inner cross-validation had promised, and the costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from palio.bayes.rope import suggest_rope
from palio.scores import ScoreTable, read_scores
from palio.studies.replication2026_data import DataSet, data_sets, described
from palio.studies.reproduction import (
    Cell,
    Layout,
    Reproduction,
    check_cells,
    read_rows,
)
from palio.studies.rerunning import Why
from palio.types import FloatArray

__all__ = [
    "COSTS", "REFERENCE", "DataSet", "data_sets", "described", "errors_of", "load", "read_kept",
    "reproduce",
]  # fmt: skip

REFERENCE = (
    "a replication of J. Wainer (2016) with this package in 2026: its fourteen learners, its grids "
    "and its two halves, on public data sets of 100 rows or more"
)

COSTS = (
    "tuning_cpu_time", "tuning_cpu_time_per_combination", "refit_cpu_time",
    "model_predict_cpu_time", "fit_cpu_time", "fit_time", "peak_memory", "model_bytes",
    "n_parameters", "capped", "n_capped",
)  # fmt: skip

_JOINED = "the paper joins the training file to the test file, which is all there is here"
_OTHER_SIZE = {
    "audiology": "the paper has the standardised version, without some of the rows",
    "primary_tumor": "the paper has 330 of the 339 rows",
    "cylinder": "the paper has 512 of the 540 rows",
    "bank": "the paper has a tenth of the rows",
    **dict.fromkeys(("monks1", "monks2", "monks3"), _JOINED),
}


def load() -> ScoreTable:
    """Return the error rates of both halves, the inner cross-validation's, and the costs.

    A job that did not end well is a missing cell whose status says why.

    >>> load().n_algorithms
    14
    """
    return read_kept(read_rows("replication2026", "results"))


def read_kept(rows: Sequence[Mapping[str, str]]) -> ScoreTable:
    """Make the table of rows that `palio.studies.replication2026_keep.keep` has written."""
    columns: dict[str, list[Any]] = {
        "dataset": [row["dataset"] for row in rows],
        "algorithm": [row["algorithm"] for row in rows],
        "fold": [int(row["half"]) for row in rows],
        # Counts are kept, so that data sets with equal errors are tied.
        "error": [
            int(row["n_wrong"]) / int(row["n_test"]) if row["n_wrong"] else None for row in rows
        ],
    }
    costs = [cost for cost in COSTS if any(row[cost] for row in rows)]
    for name in ("inner_cv_error", *costs):
        columns[name] = [float(row[name]) if row[name] else None for row in rows]
    if any(row.get("status") for row in rows):
        columns["status"] = [row["status"] or "ok" for row in rows]
    return read_scores(columns, score="error", costs=costs)


def reproduce() -> Reproduction:
    """Compare the sizes of the data sets with the paper's, and lay them out as its Table 9 does."""
    ours = data_sets()
    papers = {row["dataset"]: float(row["ndat"]) for row in read_rows("wainer2016", "table_9")}
    # What the paper's Table 9 calls our data sets; the others are not in it.
    names = {row["dataset"]: row["papers"] for row in read_rows("replication2026", "names")}
    both = {name: names[name] for name in ours if name in names}
    alone = [name for name in ours if name not in both]
    return Reproduction(
        study="replication2026",
        reference=REFERENCE,
        checks=(
            check_cells(
                "9",
                "rows in a half, of the data sets that the paper has too",
                {(name,): papers[theirs] for name, theirs in both.items()},
                {(name,): ours[name].all_rows // 2 for name in both},
                tolerance=1.0,  # halves differ by one row, and the paper does not say which it has
                explain=lambda cell: _OTHER_SIZE.get(cell[0], "another version of the data"),
                words=("the paper's", "here"),
            ),
        ),
        layouts=(
            _by_size(load(), ours),
            Layout(
                "9",
                "the data sets: rows, features and nominal ones of them, share of the larger class",
                {
                    (each.name, column.replace("_", " ")): f"{getattr(each, column):.4g}"
                    for each in ours.values()
                    for column in ("rows", "features", "categorical", "larger_class")
                },
            ),
        ),
        notes=(
            f"{len(both)} of the {len(ours)} data sets are among the paper's 115, some in another "
            f"version; not among them are {', '.join(alone) or 'none'}",
            "the comparison with the paper's tables is `palio reproduce wainer2016`",
        ),
    )


def _by_size(table: ScoreTable, known: Mapping[str, DataSet]) -> Layout:
    """Ask for the thresholds of §3.3 on the smaller and on the larger data sets without gaps."""
    complete = np.flatnonzero(np.isfinite(table.means()).all(axis=1)).tolist()
    ordered = sorted((table.datasets[i] for i in complete), key=lambda name: known[name].rows)
    middle = len(ordered) // 2
    values: dict[Cell, float | str] = {}
    parts = {"all": ordered, "smaller": ordered[:middle], "larger": ordered[middle:]}
    for part, names in parts.items():
        some = table.select(datasets=names)
        suggested = suggest_rope(some)
        rows = np.array([known[name].rows for name in names])
        values[part, "data sets"] = str(len(names))
        values[part, "median rows"] = f"{np.median(rows):g}"
        values[part, "δ"] = f"{suggested.delta:.4f}"
        values[part, "δ^cv"] = f"{suggested.delta_cv or np.nan:.4f}"
        values[part, "by chance"] = f"{_by_chance(some.means(), rows):.4f}"
    return Layout(
        "§4.3",
        "thresholds of irrelevance by the size of the data sets, and what δ would be by the chance "
        "of the two test halves alone; the paper has δ = 0.0112 and δ^cv = 0.0134",
        values,
    )


def _by_chance(errors: FloatArray, rows: FloatArray) -> float:
    """Return what δ would be if nothing but the draw of the two test halves made it.

    Errors of two halves of n instances differ by about N(0, 2e(1 − e)/n). Returned is the median
    of the absolute differences of the three best of each data set, and of who is level with them.
    """
    from scipy.optimize import brentq  # slow to import

    best = errors <= np.sort(errors, axis=1)[:, 2:3] + 1e-9
    spread = np.sqrt(2 * errors * (1 - errors) / (rows[:, None] / 2))[best]
    spread = np.maximum(spread, 1e-12)  # without errors there is no difference
    return float(brentq(lambda x: np.mean(2 * ndtr(x / spread) - 1) - 0.5, 0.0, 1.0))


def errors_of(table: ScoreTable, why: Why | None = None) -> ScoreTable:
    """Return the table of a rerun, which has accuracies, with error rates in their place.

    ``why`` has the reasons of cells that are missing, in more than a word.

    >>> accuracies = ScoreTable.from_arrays(
    ...     [[0.75, 0.5]], datasets=["iris"], algorithms=["rf", "nb"], measure="accuracy"
    ... )
    >>> errors_of(accuracies).means()
    array([[0.25, 0.5 ]])
    """
    frame = table.to_frame()
    for name in table.score_names:
        frame[name.replace("accuracy", "error")] = 1.0 - frame.pop(name)
    if why:
        cells = zip(frame["dataset"], frame["algorithm"], frame["status"], strict=True)
        frame["status"] = [why.get((dataset, name), status) for dataset, name, status in cells]
    return read_scores(frame, score="error", costs=list(table.cost_names), missing=table.missing)
