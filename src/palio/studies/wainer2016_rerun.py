"""Wainer (2016) run again on a folder's data sets, compared with the paper, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from palio.errors import MissingCellsError
from palio.scores import ScoreTable
from palio.studies import wainer2016
from palio.studies.replication2026 import errors_of
from palio.studies.replication2026_keep import keep
from palio.studies.reproduction import Reproduction
from palio.studies.rerunning import Setting, run_again, stored, why_missing
from palio.studies.wainer2016_experiment import lay_out
from palio.words import listed

_NAME = "wainer2016"


def rerun(setting: Setting, algorithms: Mapping[str, Any] | None = None) -> Reproduction:
    """Run the experiment of §2 on a folder's data sets, and compare with the paper.

    Data sets count of which every job has ended, well or not.

    Parameters
    ----------
    setting
        Where the data and the store are; data sets of more than ``max_rows`` rows are left out,
        and of more than ``sample_rows`` sampled. With ``keep`` nothing is run.
    algorithms
        Other searches than the paper's fourteen.
    """
    plan = lay_out(setting, algorithms)
    read = stored if setting.keep else run_again
    table = read(plan, setting, name=_NAME)
    # A part has some of the jobs of each data set.
    whole = set() if setting.part else set(_ended(table))
    ended = [name for name in plan.datasets if name in whole]
    if len(ended) < 2:
        raise MissingCellsError(
            "store",
            f"'{setting.store}' has {len(ended)} of {len(plan.datasets)} data sets on which all "
            "learners have ended, and two are needed to compare anything",
            remedy="run the other parts, and put them together: palio merge",
        )
    table = table.select(datasets=ended)
    why = {
        cell: reason
        for cell, reason in why_missing(setting, name=_NAME).items()
        if cell[0] in ended and cell[1] in table.algorithms
    }
    if setting.keep:
        keep(table, plan, setting, why, Path(setting.keep))
    rows = {job.dataset.name: job.dataset.n_rows for job in plan.jobs}
    found = wainer2016.reproduce(errors_of(table, why), name="the rerun", rows=rows)
    left = [name for name in plan.datasets if name not in ended]
    if not left:
        return found
    note = f"left out, not all jobs have ended there: {listed(left, limit=10)}"
    return replace(found, notes=(*found.notes, note))


def _ended(table: ScoreTable) -> list[str]:
    """Return the data sets of which no cell is missing without a reason."""
    open_cells = np.isnan(table.means()) & ~table.failed()
    return [table.datasets[i] for i in np.flatnonzero(~open_cells.any(axis=1)).tolist()]
