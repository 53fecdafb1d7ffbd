"""Run a study's experiment again, on one's own copy of the data, coded as the study had it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from palio.bars import Jobs, job_bar
from palio.errors import MissingCellsError, ParameterError, require
from palio.studies.reproduction import read_rows
from palio.words import one_line

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Plan
    from palio.scores import ScoreTable

_PREFIX = "folder:"

Code: TypeAlias = "Callable[[Dataset], Dataset]"


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
    sample_rows
        Of larger data sets so many rows are drawn, with the classes in proportion and always the
        same ones, where a study does so.
    part
        ``"2/5"``: only the second of five parts of the plan.
    keep
        A folder: run nothing more, and add the data sets that the store has to those kept there,
        where a study does so.
    n_jobs, time_limit
        Worker processes, and seconds that a job may take.
    progress
        Called after every job.
    """

    data: str
    store: str | os.PathLike[str]
    runs: int | None = None
    max_rows: int | None = None
    sample_rows: int | None = None
    part: str | None = None
    keep: str | os.PathLike[str] | None = None
    n_jobs: int = 2
    time_limit: float | None = None
    progress: Jobs = None

    @property
    def folder(self) -> Path:
        """The folder of the data."""
        rule = f"a study is run again on the files of a folder, {_PREFIX}DIR"
        require(self.data.startswith(_PREFIX), "data", rule, self.data)
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


def absent(missing: Sequence[str]) -> tuple[str, ...]:
    """Note which files the folder lacks."""
    return (f"not in the folder: {', '.join(missing)}",) if missing else ()


def write_kept(frame: pd.DataFrame, path: str | os.PathLike[str], costs: Sequence[str]) -> None:
    """Write the folds of a rerun as the package keeps them: four digits of costs.

    Scores are in full, lest means that are equal come to differ.
    """
    shown = {cost: frame[cost].map("{:.4g}".format) for cost in costs}
    frame.assign(**shown).to_csv(path, index=False, lineterminator="\n")


# --- as a paper had them --------------------------------------------------------------------------


@dataclass(frozen=True)
class PapersData:
    """A data set of a paper: which file it is, how it is coded, and what speaks for it."""

    file: str
    code: Code | None = None
    why: str = ""

    def coded(self, dataset: Dataset) -> Dataset:
        """Return the data set of the file as the paper had it."""
        return self.code(dataset) if self.code else dataset


def papers_data(study: str, **own: Code) -> dict[str, PapersData]:
    """Read ``files.csv`` of a study: its data sets by the paper's names.

    How one is coded is written as ``nominal but A2 A3``, ``numeric``, ``without customer``,
    ``first 3823``, nothing, or the name of a way of the study's ``own``.
    """
    return {
        row["dataset"]: PapersData(row["file"], _code(row["coding"], own), row["why"])
        for row in read_rows(study, "files")
    }


def _code(written: str, own: Mapping[str, Code]) -> Code | None:
    way, *names = written.split() or [""]
    ways: dict[str, Callable[[], Code | None]] = {
        "": lambda: None,
        "nominal": lambda: nominal(but=names[1:]),
        "numeric": lambda: numeric,
        "without": lambda: without(*names),
        "first": lambda: first_rows(int(names[0])),
    }
    return own[way] if way in own else ways[way]()


def coded_sets(
    setting: Setting, papers: Mapping[str, PapersData]
) -> tuple[list[Dataset], tuple[str, ...]]:
    """Read what the folder has of a paper's data sets, coded; and name the files it has not."""
    names = {each.file: name for name, each in papers.items()}

    def read(setting: Setting, file: str) -> Dataset:
        found = data_set(setting, file, name=names[file])
        return papers[found.name].coded(found)

    return data_sets(setting, names, read)


def nominal(*, but: Collection[str] = ()) -> Code:
    """Take the values of all columns for mere names, but for the numbers of those that are named.

    >>> import pandas as pd
    >>> from palio.experiment.data.datasets import Dataset
    >>> data = Dataset("toy", pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [0, 1])
    >>> nominal(but=["b"])(data).categorical
    ('a',)
    """

    def code(dataset: Dataset) -> Dataset:
        from palio.experiment.data.columns import plain

        names = {name: plain(dataset.X[name], names=True) for name in dataset.X if name not in but}
        return replace(dataset, X=dataset.X.assign(**names), categorical=())

    return code


def numeric(dataset: Dataset) -> Dataset:
    """Take names for numbers, in their sorted order."""
    import pandas as pd

    columns, features = {}, dataset.plain
    for name in dataset.categorical:
        codes = pd.factorize(features[name], sort=True)[0]
        columns[name] = np.where(codes < 0, np.nan, codes)
    return replace(dataset, X=dataset.X.assign(**columns), categorical=())


def without(*names: str) -> Code:
    """Leave columns out."""

    def code(dataset: Dataset) -> Dataset:
        features = dataset.X.drop(columns=list(names), errors="ignore")
        left = tuple(name for name in dataset.categorical if name not in names)
        return replace(dataset, X=features, categorical=left)

    return code


def first_rows(rows: int) -> Code:
    """Take so many rows from the top, such as a training file that a test file follows."""
    return lambda dataset: dataset.take(np.arange(min(rows, dataset.n_rows)))


# --- the run --------------------------------------------------------------------------------------


def run_again(plan: Plan, setting: Setting, *, name: str, score: str | None = None) -> ScoreTable:
    """Run what the store has not, and return all that it has of the plan."""
    from palio.experiment.engines import EngineOptions
    from palio.experiment.parts import Part, chosen
    from palio.experiment.runner import read_store, run_plan
    from palio.experiment.store.store import Store

    only = None if setting.part is None else chosen(plan, Part.read(setting.part))
    with Store(setting.store) as store, job_bar(setting.progress) as tell:
        run_plan(
            plan,
            store,
            EngineOptions(n_jobs=setting.n_jobs, time_limit=setting.time_limit),
            only=only,
            part=setting.part or "",
            name=name,
            progress=tell,
        )
        return read_store(store, plan=name, score=score, alone=_is_alone(plan, setting))


Why: TypeAlias = "Mapping[tuple[str, str], str]"
"""Why there is no result, by data set and algorithm."""


def why_missing(setting: Setting, *, name: str) -> Why:
    """Say why jobs of the store did not end well: how, and what was raised."""
    from palio.experiment.store.store import Store

    with Store(setting.store, create=False) as store:
        return {
            (job["dataset"], job["algorithm"]): one_line(
                f"{job['status']}: {job['error']}" if job["error"] else job["status"]
            )
            for job in store.jobs(name)
            if job["status"] not in (None, "ok")
        }


def stored(plan: Plan, setting: Setting, *, name: str) -> ScoreTable:
    """Return what the store has of the plan, and run nothing."""
    from palio.experiment.runner import read_store
    from palio.experiment.store.store import Store

    with Store(setting.store, create=False) as store:
        have = {job["key"] for job in store.jobs(name)}
        lacks = [job for job in plan.jobs if job.key not in have]
        if lacks:
            raise MissingCellsError(
                "store",
                f"'{store.shown}' does not know {len(lacks)} of the {len(plan.jobs)} jobs that the "
                f"data give, such as {lacks[0].algorithm} on {lacks[0].dataset.name}",
                remedy="give the folder and the options with which it was run",
            )
        return read_store(store, plan=name, alone=_is_alone(plan, setting))


def _is_alone(plan: Plan, setting: Setting) -> bool:
    """Whether there may be one algorithm only."""
    return setting.part is not None or len(plan.algorithms) == 1
