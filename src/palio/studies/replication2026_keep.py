"""From the store of a rerun of wainer2016 to the files that the package keeps of it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from palio.errors import ParameterError
from palio.studies.replication2026 import COSTS
from palio.studies.replication2026_data import DataSet, data_sets
from palio.studies.rerunning import Setting, Why
from palio.studies.wainer2016_experiment import as_filed
from palio.studies.wainer2016_pmlb import pmlb_files

if TYPE_CHECKING:
    from palio.experiment.plan import Plan
    from palio.scores import ScoreTable

Row: TypeAlias = "Mapping[str, Any]"

_KEYS = ("dataset", "algorithm", "half", "n_test", "n_wrong", "inner_cv_error")


def keep(table: ScoreTable, plan: Plan, setting: Setting, why: Why, folder: Path) -> None:
    """Write the table of a rerun, with accuracies, as `load` reads it: two files in a folder.

    Costs are kept with four digits. A job that did not end well is two rows that say ``why``, in
    ``status``, which is empty for the others. A folder that has such files grows by the data sets
    that it lacks, so that a long run can be kept day by day; those it has must have the same
    errors, and stay as they are. Data sets are from small to large.
    """
    rows = result_rows(table, plan, why)
    before = _read(folder / "results.csv")
    had = {row["dataset"] for row in before}
    _check_same(before, rows, folder)
    names = [name for name in plan.datasets if name in table.datasets and name not in had]
    known = [
        *_read(folder / "datasets.csv"),
        *(each.written() for each in known_of(plan, setting, names)),
    ]
    known.sort(key=lambda row: (int(row["all_rows"]), row["dataset"]))
    place = {row["dataset"]: i for i, row in enumerate(known)}
    rows = [*before, *(row for row in rows if row["dataset"] not in had)]
    rows.sort(key=lambda row: (place[row["dataset"]], row["algorithm"], int(row["half"])))
    folder.mkdir(parents=True, exist_ok=True)
    write_results(folder, rows)
    write_rows(folder / "datasets.csv", known[0], known)


def result_rows(table: ScoreTable, plan: Plan, why: Why) -> list[dict[str, Any]]:
    """Return the rows that `palio.studies.replication2026.read_kept` makes a table of."""
    sizes = {
        (job.dataset.name, split.fold): split.test.size for job in plan.jobs for split in job.splits
    }
    return [_row(row, sizes, why) for row in table.to_frame().to_dict("records")]


def write_results(folder: Path, rows: Iterable[Row]) -> None:
    """Write such rows as a file of a study."""
    write_rows(folder / "results.csv", (*_KEYS, *COSTS, "status"), rows)


def _check_same(before: Iterable[Row], rows: Iterable[Row], folder: Path) -> None:
    """Refuse a data set that the folder has with another end."""
    had = {_cell(row): _end(row) for row in before}
    for row in rows:
        dataset, algorithm, half = cell = _cell(row)
        if had.get(cell, _end(row)) != _end(row):
            raise ParameterError(
                "keep",
                "a folder can grow by data sets, and those it has stay as they are",
                f"{algorithm} on half {half} of {dataset} ended with '{_end(row)}' in the store "
                f"and '{had[cell]}' in '{folder}'",
                remedy="give another folder",
            )


def _cell(row: Row) -> tuple[str, str, str]:
    return row["dataset"], row["algorithm"], str(row["half"])


def _end(row: Row) -> str:
    return row.get("status") or f"{row['n_wrong']} of {row['n_test']} wrong"


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


def known_of(plan: Plan, setting: Setting, names: Iterable[str]) -> list[DataSet]:
    """Tell what is known of those of the plan's data sets that are named.

    Where one is from says the ``INDEX.csv`` (columns ``name`` and ``source``) above the folder in
    which its file really lies, for a folder may be made of links; or ``pmlb.csv`` of the study.
    """
    run = {job.dataset.name: job.dataset for job in plan.jobs}
    first = {each.name for each in data_sets().values() if each.first}
    further = {name: f"PMLB {file.name}" for name, file in pmlb_files().items()}
    return [
        DataSet.of(
            run[name],
            as_filed(setting, name),
            source=further.get(name) or source_of(setting.folder / f"{name}.csv"),
            first=name in first,
        )
        for name in names
    ]


def source_of(file: Path) -> str:
    """Return where the ``INDEX.csv`` above the folder of a file says that it is from."""
    index = file.resolve().parent.parent / "INDEX.csv"
    sources = [row["source"] for row in _read(index) if row.get("name") == file.stem]
    return sources[0] if sources else ""


def _written(cost: float | None) -> str:
    return "" if cost is None or cost != cost else f"{cost:.4g}"


def _read(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def write_rows(path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file as `read_rows` reads it."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
