"""From the store of a rerun of wainer2016 to the files that the package keeps of it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.studies.replication2026 import COSTS
from palio.studies.replication2026_data import DataSet, data_sets
from palio.studies.reproduction import read_rows
from palio.studies.rerunning import Setting, Why, data_set

if TYPE_CHECKING:
    from palio.experiment.plan import Plan
    from palio.scores import ScoreTable

_KEYS = ("dataset", "algorithm", "half", "n_test", "n_wrong", "inner_cv_error")


def keep(table: ScoreTable, plan: Plan, setting: Setting, why: Why, folder: Path) -> None:
    """Write the table of a rerun, with accuracies, as `load` reads it: two files in a folder.

    Costs are kept with four digits. A job that did not end well is two rows that say ``why``, in
    ``status``, which is empty for the others. Data sets are in the order of the plan.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {
        (job.dataset.name, split.fold): split.test.size for job in plan.jobs for split in job.splits
    }
    rows = [_row(row, sizes, why) for row in table.to_frame().to_dict("records")]
    names = [name for name in plan.datasets if name in table.datasets]
    rows.sort(key=lambda row: (names.index(row["dataset"]), row["algorithm"], row["half"]))
    _write(folder / "results.csv", (*_KEYS, *COSTS, "status"), rows)
    write_data_sets(plan, setting, names, folder)


def _row(row: Mapping[Any, Any], sizes: Mapping[tuple[str, int], int], why: Why) -> dict[str, Any]:
    half, cell = int(row["fold"]), (row["dataset"], row["algorithm"])
    n_test = sizes[row["dataset"], half]
    known = {"dataset": row["dataset"], "algorithm": row["algorithm"], "half": half}
    if cell in why:
        return {**known, "n_test": n_test, "status": why[cell]}
    return {
        **known,
        "n_test": n_test,
        "n_wrong": round((1 - row["accuracy"]) * n_test),
        "inner_cv_error": f"{1 - row['inner_cv_accuracy']:.6f}",
        **{cost: _written(row.get(cost)) for cost in COSTS},
    }


def write_data_sets(plan: Plan, setting: Setting, names: Iterable[str], folder: Path) -> None:
    """Write ``datasets.csv``: what is known of those of the plan's data sets that are named.

    Where one is from says the ``INDEX.csv`` (columns ``name`` and ``source``) above the folder in
    which its file really lies, for a folder may be made of links; or ``pmlb.csv`` of the study.
    """
    run = {job.dataset.name: job.dataset for job in plan.jobs}
    first = {each.name for each in data_sets().values() if each.first}
    further = {row["dataset"]: f"PMLB {row['pmlb']}" for row in read_rows(*_PMLB)}
    known = [
        DataSet.of(
            run[name],
            data_set(setting, name),
            source=further.get(name) or _source(setting.folder / f"{name}.csv"),
            first=name in first,
        ).written()
        for name in names
    ]
    _write(folder / "datasets.csv", known[0], known)


_PMLB = ("replication2026", "pmlb")


def _source(file: Path) -> str:
    index = file.resolve().parent.parent / "INDEX.csv"
    if not index.is_file():
        return ""
    with index.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row.get("name") == file.stem]
    return rows[0]["source"] if rows else ""


def _written(cost: float | None) -> str:
    return "" if cost is None or cost != cost else f"{cost:.4g}"


def _write(path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
