"""What is known of the data sets of the replication: sizes and meta-features, without the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from palio.recommending.relevance import Described
from palio.studies.reproduction import read_rows

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

_WHOLE = ("rows", "all_rows", "features", "categorical", "classes")
_TOLD = ("dataset", *_WHOLE, "larger_class", "source", "first")


@dataclass(frozen=True)
class DataSet:
    """A data set as it was run: two classes, and a sample of the rows where there are many.

    Parameters
    ----------
    name
        As in the table of scores.
    rows, all_rows
        As run, and how many there are.
    features, categorical
        How many columns, and how many of them are nominal.
    classes
        How many there were before they were made two.
    larger_class
        The share of the larger of the two.
    source
        Where the file is from.
    first
        Whether it is one of the 48 with which the replication began: of up to 1000 rows.
    metafeatures
        What `palio.experiment.data.metafeatures.describe` says of it, four digits.
    """

    name: str
    rows: int
    all_rows: int
    features: int
    categorical: int
    classes: int
    larger_class: float
    source: str
    first: bool
    metafeatures: Mapping[str, float] = field(repr=False)

    @classmethod
    def of(cls, run: Dataset, whole: Dataset, *, source: str, first: bool) -> DataSet:
        """Look at a data set as it was run, and at the one that it was made of."""
        from palio.experiment.data.metafeatures import describe

        counts = np.unique(run.y, return_counts=True)[1]
        return cls(
            name=run.name,
            rows=run.n_rows,
            all_rows=whole.n_rows,
            features=run.n_features,
            categorical=len(run.categorical),
            classes=len(whole.classes),
            larger_class=float(counts.max() / counts.sum()),
            source=source,
            first=first,
            metafeatures=describe(run),
        )

    @classmethod
    def read(cls, row: Mapping[str, str]) -> DataSet:
        """Read a row that `written` has made."""
        return cls(
            name=row["dataset"],
            **{name: int(row[name]) for name in _WHOLE},
            larger_class=float(row["larger_class"]),
            source=row["source"],
            first=row["first"] == "yes",
            metafeatures={
                name: float(value or "nan") for name, value in row.items() if name not in _TOLD
            },
        )

    def written(self) -> dict[str, str]:
        """Return it as a row of a file: four digits, nothing where a meta-feature says nothing."""
        return {
            "dataset": self.name,
            **{name: str(getattr(self, name)) for name in _WHOLE},
            "larger_class": f"{self.larger_class:.4f}",
            "source": self.source,
            "first": "yes" if self.first else "no",
            **{
                name: "" if math.isnan(value) else f"{value:.4g}"
                for name, value in self.metafeatures.items()
            },
        }

    def described(self) -> Described:
        """Return what a recommendation asks of a data set."""
        return Described(self.name, self.rows, self.metafeatures, "classification")


def data_sets() -> dict[str, DataSet]:
    """Return what is known of each data set, in the order of the table of scores.

    >>> iris = data_sets()["iris"]
    >>> iris.rows, iris.classes, iris.metafeatures["landmark_1nn"] > 0.9
    (150, 3, True)
    """
    rows = read_rows("replication2026", "datasets")
    return {row["dataset"]: DataSet.read(row) for row in rows}


def described() -> tuple[Described, ...]:
    """Return the data sets as a recommendation takes them, so that nearness needs no data.

    >>> described()[0].name, len(described()[0].features)
    ('creditscore', 13)
    """
    return tuple(each.described() for each in data_sets().values())
