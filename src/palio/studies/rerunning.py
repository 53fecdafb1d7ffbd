"""Run a study's experiment again, on one's own copy of the data, and go on where it stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import ParameterError

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Plan
    from palio.experiment.runner import Progress
    from palio.scores import ScoreTable

__all__ = ["Setting", "data_set", "data_sets", "run_again"]

_PREFIX = "folder:"


@dataclass(frozen=True)
class Setting:
    """What a person says of a rerun; a study says which of it concerns it.

    Parameters
    ----------
    data
        ``folder:DIR``: one file per data set, named after it, the class last.
    store
        Where the results go, and what is in it is not computed again.
    runs
        How often the whole resampling is drawn anew, where a study does so.
    max_rows
        Data sets with more rows are left out, where a study does so.
    n_jobs, time_limit
        Worker processes, and seconds that a job may take.
    progress
        Called after every job.
    """

    data: str
    store: str | os.PathLike[str]
    runs: int | None = None
    max_rows: int | None = None
    n_jobs: int = 2
    time_limit: float | None = None
    progress: Callable[[Progress], object] | None = None

    @property
    def folder(self) -> Path:
        """The folder of the data."""
        if not self.data.startswith(_PREFIX):
            raise ParameterError(
                "data",
                f"a study is run again on the files of a folder, {_PREFIX}DIR",
                f"{self.data!r} was given",
            )
        return Path(self.data.removeprefix(_PREFIX)).expanduser()


def data_set(setting: Setting, file: str, *, name: str | None = None) -> Dataset:
    """Read the classification set of a file ``FILE.csv``, under another name if given."""
    from palio.experiment.data.datasets import load_datasets

    (found,) = load_datasets(f"csv:{setting.folder / file}.csv", task="classification")
    return replace(found, name=name or file)


def data_sets(
    setting: Setting, wanted: Iterable[str], read: Callable[[Setting, str], Dataset] = data_set
) -> tuple[list[Dataset], tuple[str, ...]]:
    """Read those of the wanted data sets that the folder has; say which it has not.

    Parameters
    ----------
    setting
        Where the folder is.
    wanted
        The names of files, without ``.csv``.
    read
        Makes a data set of a file's name, for studies that code some of them otherwise.
    """
    folder = setting.folder
    if not folder.is_dir():
        raise ParameterError("data", f"there is no folder '{folder}'")
    names = list(wanted)
    there = [name for name in names if (folder / f"{name}.csv").is_file()]
    if not there:
        raise ParameterError(
            "data",
            f"the folder '{folder}' has none of the study's data sets, such as "
            f"{', '.join(f'{name}.csv' for name in names[:3])}",
        )
    return [read(setting, name) for name in there], tuple(n for n in names if n not in there)


def run_again(plan: Plan, setting: Setting, *, name: str, score: str | None = None) -> ScoreTable:
    """Run what the store has not, and return all that it has of the plan."""
    from palio.experiment.engines import Limits
    from palio.experiment.runner import read_store, run_plan
    from palio.experiment.store.store import Store

    with Store(setting.store) as store:
        run_plan(
            plan,
            store,
            n_jobs=setting.n_jobs,
            limits=Limits(setting.time_limit, None),
            name=name,
            progress=setting.progress,
        )
        return read_store(store, plan=name, score=score)
