"""Which resampling design a data set's folds form; the design decides which tests are valid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.errors import DesignError, Option, UnpairedFoldsError, require
from palio.scores.columns import first_places
from palio.words import listed

if TYPE_CHECKING:
    from palio.scores.rows import Rows
    from palio.scores.table import ScoreTable
    from palio.types import FloatArray

DesignKind: TypeAlias = Literal[
    "5x2", "k-fold", "repeated-k-fold", "hold-outs", "none", "irregular", "mixed"
]


@dataclass(frozen=True, slots=True)
class Design:
    """A resampling design: so many repeats of so many folds.

    Parameters
    ----------
    kind : {"5x2", "k-fold", "repeated-k-fold", "hold-outs", "none", "irregular", "mixed"}
        ``none`` is a single value, ``hold-outs`` many repeats of one fold. ``irregular`` is not a
        full grid of repeats and folds, or not the same one for every algorithm. ``mixed`` is said
        of a table whose data sets have different designs.
    repeats, folds : int
        Their numbers; the largest ones where the design is irregular or mixed.

    Examples
    --------
    >>> str(Design("repeated-k-fold", repeats=10, folds=10))
    '10×10-fold cv'
    """

    kind: DesignKind
    repeats: int
    folds: int

    @classmethod
    def of_grid(cls, repeats: int, folds: int) -> Design:
        """Return the design of a full grid of repeats and folds.

        >>> str(Design.of_grid(5, 2))
        '5×2 cv'
        """
        if folds == 1:
            kind: DesignKind = "none" if repeats == 1 else "hold-outs"
        elif repeats == 1:
            kind = "k-fold"
        else:
            kind = "5x2" if (repeats, folds) == (5, 2) else "repeated-k-fold"
        return cls(kind, repeats, folds)

    def tested_share(self, given: float | None, *, by: str) -> float:
        """Return the share of the data that each fold tests on: as given, or as the folds tell.

        ``by`` says in messages who needs it, as ``"test: 'corrected-t'"``.

        >>> Design.of_grid(10, 10).tested_share(None, by="test: 'corrected-t'")
        0.1
        """
        if given is not None:
            require(0 < given < 1, "test_fraction", "a share lies between 0 and 1", given)
            return float(given)
        if self.folds < 2:
            parameter, _, method = by.partition(": ")
            rule = f"{method} on {self} needs the share of the data used for testing"
            remedy = f"give {Option('test_fraction')}, for example 0.33"
            raise DesignError(parameter, rule, remedy=remedy)
        return 1 / self.folds

    def __str__(self) -> str:
        texts: dict[DesignKind, str] = {
            "5x2": "5×2 cv",
            "k-fold": f"{self.folds}-fold cv",
            "repeated-k-fold": f"{self.repeats}×{self.folds}-fold cv",
            "hold-outs": f"{self.repeats} hold-outs",
            "none": "one value per data set",
            "irregular": "irregular folds",
            "mixed": "designs differ by data set",
        }
        return texts[self.kind]


@dataclass(frozen=True, eq=False)
class DesignGroup:
    """The data sets of one design: ``rows`` are their places in the table."""

    table: ScoreTable
    design: Design
    rows: list[int]

    @property
    def datasets(self) -> list[str]:
        """The names of the data sets."""
        return [self.table.datasets[row] for row in self.rows]

    def goodness(self) -> FloatArray:
        """Return the scores on every fold, higher is better: (n, K, repeats, folds).

        Raises
        ------
        MissingCellsError
            If a score is missing.
        """
        scores = np.stack([self.table.fold_scores(name) for name in self.datasets])
        return self.table.measure.turned(scores)


def recognise(rows: Rows, dataset: int) -> Design:
    """Return the design of a data set, from its code; the rows are sorted, each key is there once.

    So the grid is full if there are as many rows as it has cells.
    """
    part = rows.slice_of(dataset)
    codes = (rows.algorithm, rows.repeat, rows.fold)
    algorithms, repeats, folds = (np.unique(each[part]).size for each in codes)
    if part.stop - part.start != algorithms * repeats * folds:
        return Design("irregular", repeats, folds)
    return Design.of_grid(repeats, folds)


def unpaired_datasets(rows: Rows) -> list[str]:
    """Return the data sets whose algorithms do not all have the same (repeat, fold) pairs."""
    counts = rows.cell_counts
    dataset_of = rows.dataset[first_places(rows.place_of_fold)]
    of_all = np.bincount(dataset_of, minlength=len(rows.datasets))[:, np.newaxis]
    unpaired = ((counts > 0) & (counts < of_all)).any(axis=1)
    return [rows.datasets[code] for code in np.flatnonzero(unpaired).tolist()]


def unpaired(rows: Rows, dataset: int) -> UnpairedFoldsError:
    """Build the error for a data set whose folds are irregular: it says which are not there."""
    part, name = rows.slice_of(dataset), rows.datasets[dataset]
    splits, place = np.unique(rows.split[part], return_inverse=True)
    there = np.zeros((len(rows.algorithms), splits.size), dtype=bool)
    there[rows.algorithm[part], place] = True
    called = [rows.describe_fold(*divmod(split, len(rows.folds))) for split in splits.tolist()]
    found = f"the folds of {name!r} are not the same in every repeat: {listed(called)}"
    pairs = zip(rows.algorithms, there, strict=True)
    lacks = [f"{x!r} lacks {listed(compress(called, ~own))}" for x, own in pairs if not own.all()]
    if lacks:
        found = f"of the folds of {name!r}, {listed(lacks, limit=4)}"
    return UnpairedFoldsError(
        "dataset",
        f"tests by folds need a full grid that all algorithms share, but {found}",
        remedy="Add those results, or leave out the algorithms, repeats or folds concerned",
    )
