"""The first of two phases: to find the data sets seen before that resemble the new one.

The distance is that of Brazdil, Soares and da Costa (2003): meta-features scaled by their range
over the data sets seen before, absolute differences, no weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import Option, ParameterError
from palio.types import FloatArray, IntArray

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset


@dataclass(frozen=True)
class Described:
    """What is kept of a data set: its name, its size, its task and its meta-features.

    ``features`` is empty where only the size was asked for, and has no landmarks where the target
    is not known. ``classes`` is how many the target has, if it has any and is known.
    """

    name: str
    rows: int
    features: Mapping[str, float] = field(default_factory=dict)
    task: str | None = None
    classes: int | None = field(default=None, repr=False)

    @classmethod
    def of(cls, dataset: Dataset, *, features: bool = True, target: bool = True) -> Described:
        """Describe a data set; without ``features`` only its size, which is quick.

        Examples
        --------
        >>> from palio.experiment.data.datasets import load_datasets
        >>> Described.of(load_datasets("sklearn:wine")[0], features=False)
        Described(name='wine', rows=178, features={}, task='classification')
        """
        from palio.experiment.data.metafeatures import describe

        found = describe(dataset, target=target) if features else {}
        return cls(dataset.name, dataset.n_rows, found, dataset.task if target else None)


def as_matrix(described: Sequence[Described]) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the meta-features (S, F) and their names; NaN where one does not apply."""
    names = tuple(dict.fromkeys(name for each in described for name in each.features))
    rows = [[each.features.get(name, np.nan) for name in names] for each in described]
    return np.array(rows, dtype=np.float64).reshape(len(described), len(names)), names


def distances(known: FloatArray, new: FloatArray) -> FloatArray:
    r"""Return how far each known data set (S, F) is from a new one (F,).

    What one of the two lacks is left out of their mean, and so is what is the same for all known
    ones: it tells none of them apart. Without anything to compare the distance is infinite.

    Notes
    -----
    With the meta-features :math:`x_{df}` of the known data sets and :math:`x_f` of the new one:

    .. math::

        \frac{1}{F} \sum_{f=1}^{F} \frac{\left|x_{df} - x_f\right|}{\max_s x_{sf} - \min_s x_{sf}}

    Examples
    --------
    Rows of 100, 200 and 300, and entropies of 0, 1 and 1; the new set has 150 rows and 1.

    >>> distances(np.array([[100.0, 0.0], [200.0, 1.0], [300.0, 1.0]]), np.array([150.0, 1.0]))
    array([0.625, 0.125, 0.375])
    """
    seen = ~np.isnan(known)
    low = np.where(seen, known, np.inf).min(axis=0, initial=np.inf)
    high = np.where(seen, known, -np.inf).max(axis=0, initial=-np.inf)
    telling = (low < high) & ~np.isnan(new)
    if not telling.any():
        return np.full(len(known), np.inf)
    apart = np.abs(known - new)[:, telling] / (high - low)[telling]
    compared = seen[:, telling].sum(axis=1)
    total = np.where(seen[:, telling], apart, 0.0).sum(axis=1)
    nothing = np.full(len(known), np.inf)
    found: FloatArray = np.divide(total, compared, out=nothing, where=compared > 0)
    return found


def by_distance(apart: FloatArray) -> IntArray:
    """Return the data sets, nearest first; equally near ones in the order of the table."""
    return np.argsort(apart, kind="stable")


def check_tasks(new: Described, data: Sequence[Described]) -> None:
    """Refuse to learn for one task from data sets of another."""
    for each in data:
        if new.task is not None and each.task is not None and new.task != each.task:
            raise ParameterError(
                "new",
                f"{new.name!r} is a {new.task} set",
                f"{each.name!r} of the table is for {each.task}",
                f"give {Option('task', each.task)} if its target is misread",
            )
