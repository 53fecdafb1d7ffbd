"""Data sets of the Penn Machine Learning Benchmarks among those of the replication.

PMLB has every value as a number, and keeps numbers of rows, names and dates as columns. Which are
left out, and which numbers are mere names, says ``pmlb.csv`` of the study.

References
----------
J. D. Romano et al. (2022), PMLB v1.0: an open-source dataset collection for benchmarking machine
learning methods, Bioinformatics 38.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from palio.studies.reproduction import read_rows
from palio.studies.rerunning import Setting, nominal, without

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

_ALL = "all"


@dataclass(frozen=True)
class PmlbFile:
    """A file of PMLB: its name there, columns that are left out, and those that are names."""

    name: str
    dropped: tuple[str, ...]
    nominal: tuple[str, ...]

    def coded(self, dataset: Dataset) -> Dataset:
        """Return the data set as it was run, names spelt as c1 and c2."""
        found = without(*self.dropped)(dataset)
        columns = tuple(map(str, found.X.columns))
        names = columns if self.nominal == (_ALL,) else self.nominal
        found = nominal(but=[column for column in columns if column not in names])(found)
        spelt = {name: found.X[name].map("c{}".format, na_action="ignore") for name in names}
        return replace(found, X=found.X.assign(**spelt))


@cache
def pmlb_files() -> Mapping[str, PmlbFile]:
    """Return the files by the names of the data sets.

    >>> pmlb_files()["crabs"]
    PmlbFile(name='prnn_crabs', dropped=('index',), nominal=())
    """
    return {
        row["dataset"]: PmlbFile(row["pmlb"], _split(row["dropped"]), _split(row["nominal"]))
        for row in read_rows("replication2026", "pmlb")
    }


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split("; ") if name)


def pmlb_there(folder: Path) -> list[str]:
    """Return the data sets whose file a folder has as PMLB has it, unpacked: ``spect.tsv``."""
    return [name for name, file in pmlb_files().items() if _path(folder, file).is_file()]


def read_pmlb(setting: Setting, name: str) -> Dataset:
    """Read a data set of the replication from PMLB's file."""
    from palio.experiment.data.datasets import load_datasets

    file = pmlb_files()[name]
    spec = str(_path(setting.folder, file))
    (found,) = load_datasets(spec, target="target", task="classification")
    return replace(file.coded(found), name=name)


def _path(folder: Path, file: PmlbFile) -> Path:
    return folder / f"{file.name}.tsv"
