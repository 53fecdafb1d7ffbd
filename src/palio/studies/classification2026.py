"""What `palio recommend` goes by in classification: the replication, and boosting of today.

The fourteen learners of replication2026 stay a study of their own, which is compared with a paper.
Gradient boosting on histograms was tuned on the same halves of the same data sets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from palio.studies.replication2026 import REFERENCE as OF_OTHERS
from palio.studies.replication2026 import described, errors_of, read_kept
from palio.studies.replication2026_keep import result_rows, write_results
from palio.studies.reproduction import Check, Layout, Reproduction, check_cells, read_rows
from palio.studies.rerunning import Setting, run_again, stored

__all__ = ["REFERENCE", "described", "learners", "load", "reproduce", "rerun"]

REFERENCE = f"{OF_OTHERS}; with HistGradientBoosting of scikit-learn, tuned alike, beside them"

_NAME = "classification2026"


def load() -> ScoreTable:
    """Return the error rates of both halves, and the costs.

    >>> load().n_algorithms
    15
    """
    return read_kept([*read_rows("replication2026", "results"), *read_rows(_NAME, "results")])


def learners() -> dict[str, Any]:
    """Make the searches of the fourteen learners, and that of hgb."""
    from palio.experiment.tuning import tuned
    from palio.studies.wainer2016_experiment import learners as of_paper

    return {**of_paper(), "hgb": tuned("hgb")}


def reproduce(again: ScoreTable | None = None) -> Reproduction:
    """Lay out where hgb stands; with a table of a rerun, compare it cell by cell."""
    table = load()
    ranks, costs = average_ranks(table.means()).mean(axis=0), table.mean_costs()
    return Reproduction(
        study=_NAME,
        reference=REFERENCE,
        checks=() if again is None else (_compared(table, again),),
        layouts=(
            Layout(
                "learners",
                "mean rank by error, and CPU seconds to tune and fit on a half (geometric mean)",
                {
                    (name, what): f"{value:.3g}"
                    for j, name in enumerate(table.algorithms)
                    for what, value in (
                        ("rank", float(ranks[j])),
                        ("CPU s", costs["fit_cpu_time"][name]),
                    )
                },
            ),
        ),
    )


def _compared(kept: ScoreTable, again: ScoreTable) -> Check:
    def errors(table: ScoreTable) -> dict[tuple[str, ...], float]:
        found = table.select(algorithms=["hgb"]).means()[:, 0].tolist()
        return {(name, "hgb"): each for name, each in zip(table.datasets, found, strict=True)}

    known, anew = errors(kept), errors(again)
    return check_cells(
        "errors",
        "error rate of hgb, the mean of both halves",
        {cell: error for cell, error in known.items() if cell in anew},
        {cell: error for cell, error in anew.items() if cell in known},
        tolerance=1e-9,
        words=("kept", "run again"),
    )


def rerun(setting: Setting) -> Reproduction:
    """Run hgb again on a folder's data sets, as wainer2016 is; ``keep`` writes what there is."""
    from palio.studies.wainer2016_experiment import lay_out

    plan = lay_out(setting, {"hgb": learners()["hgb"]})
    table = (stored if setting.keep else run_again)(plan, setting, name=_NAME)
    ended = np.flatnonzero(np.isfinite(table.means()).all(axis=1))
    table = table.select(datasets=[table.datasets[i] for i in ended])
    if setting.keep:
        folder = Path(setting.keep)
        folder.mkdir(parents=True, exist_ok=True)
        write_results(folder, result_rows(table, plan, {}))
    return reproduce(errors_of(table))
