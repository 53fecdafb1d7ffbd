"""`Learner`: what the catalogue knows of a learning algorithm before anybody makes one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from palio.registry import Later

Grid = Mapping[str, Sequence[Any]]


def made(home: str, *args: Any, **settings: Any) -> Callable[[], Any]:
    """Return what makes an estimator of ``package.module:Class``, which is loaded only then.

    >>> made("sklearn.neighbors:KNeighborsClassifier", 3)()
    KNeighborsClassifier(n_neighbors=3)
    """
    return partial(Later[..., Any](home), *args, **settings)


@dataclass(frozen=True)
class Learner:
    """A learning algorithm as a paper sets it up.

    Parameters
    ----------
    name : str
        Its short name in the paper's tables, and in experiment files.
    title : str
        What it is, in a few words.
    family : str
        Its kind: ``"tree"``, ``"linear"``, ``"neighbours"``, …
    paper : str
        Short name of the paper whose settings it has, such as ``"ulas2008"``.
    make : callable
        Returns a new, unfitted estimator with the paper's settings. Imports what it needs itself,
        so that reading the catalogue costs nothing.
    grid : mapping of str to sequence or callable, optional
        The hyper-parameters the paper searches over, by the names that ``set_params`` takes, and
        the values tried; ``None`` if the paper fixes them all. Where the values depend on the data,
        a function of the numbers of rows and features that returns such a mapping.
    free : tuple of str
        Hyper-parameters of the grid whose whole range comes from one training (wainer2016 §2.4).
    notes : str
        Where the entry departs from the paper, or what the paper leaves open.
    prepare : str
        What its paper does to the data first: ``"standard"`` scales numbers and codes names 1-of-n,
        or fills in missing cells alone for a learner that takes names as they are. It is done where
        the learner is run by its short name, unless the experiment says otherwise.
    """

    name: str
    title: str
    family: str
    paper: str
    make: Callable[[], Any]
    grid: Grid | Callable[[int, int], Grid] | None = None
    free: tuple[str, ...] = ()
    notes: str = ""
    prepare: str = "standard"

    def estimator(self, **params: Any) -> Any:
        """Make an estimator whose settings are the paper's, but for those given.

        >>> from palio.algorithms.catalogue import LEARNERS
        >>> LEARNERS["nn"].estimator(n_neighbors=3)
        KNeighborsClassifier(n_neighbors=3)
        """
        return self.make().set_params(**params)

    def grid_for(self, n_rows: int, n_features: int) -> Grid:
        """Return the values to try on a training set of this size; empty if there are none."""
        if callable(self.grid):
            return self.grid(n_rows, n_features)
        return self.grid or {}

    def grid_size(self, n_rows: int, n_features: int) -> int:
        """Count the combinations that must be trained: those of free hyper-parameters need not."""
        grid = self.grid_for(n_rows, n_features)
        return math.prod(len(values) for name, values in grid.items() if name not in self.free)
