"""scikit-learn's splitters, and any object like them, become repeats and folds."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ParameterError
from palio.words import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from palio.experiment.data.datasets import Dataset


def splits_of_splitter(
    splitter: Any, dataset: Dataset, random_state: int
) -> list[tuple[int, int, NDArray[np.intp], NDArray[np.intp]]]:
    """Return repeat, fold, training and test rows of every split of a splitter.

    A splitter that says ``n_repeats`` has so many repeats. One whose test parts do not overlap is
    one repeat of that many folds. Any other, such as a shuffle split, has one fold per repeat.

    >>> from sklearn.model_selection import RepeatedKFold
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> splits = splits_of_splitter(RepeatedKFold(n_splits=3, n_repeats=2), iris, 0)
    >>> [(repeat, fold) for repeat, fold, _, _ in splits]
    [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    """
    if not callable(getattr(splitter, "split", None)) or isinstance(splitter, type | bytes):
        raise ParameterError(
            "resampling",
            "must be a name such as '5x2' or an object with a split method, such as "
            "scikit-learn's KFold(5)",
            f"{one_line(repr(splitter), limit=80)} was given",
        )
    own = _seeded(splitter, random_state)
    try:
        pairs = [
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in own.split(dataset.X, dataset.y)
        ]
    except (ValueError, TypeError) as error:
        raise ParameterError(
            "resampling",
            f"{one_line(repr(splitter), limit=80)} cannot split {dataset.name!r}: "
            f"{one_line(error)}",
            remedy="Take fewer folds, or another splitter",
        ) from error
    _check(pairs, splitter, dataset)
    folds = _folds_per_repeat(own, pairs)
    return [
        (number // folds + 1, number % folds + 1, train, test)
        for number, (train, test) in enumerate(pairs)
    ]


def _seeded(splitter: Any, random_state: int) -> Any:
    """Return a copy that draws the same splits every time."""
    own = copy.deepcopy(splitter)
    draws = getattr(own, "shuffle", True)
    if draws and hasattr(own, "random_state") and own.random_state is None:
        own.random_state = random_state
    return own


def _folds_per_repeat(splitter: Any, pairs: Sequence[tuple[Any, Any]]) -> int:
    from sklearn.model_selection import BaseShuffleSplit  # type: ignore[import-untyped]

    repeats = getattr(splitter, "n_repeats", None)
    if isinstance(repeats, int) and repeats > 0 and len(pairs) % repeats == 0:
        return len(pairs) // repeats
    tested = np.concatenate([test for _, test in pairs])
    drawn_anew = isinstance(splitter, BaseShuffleSplit)
    return len(pairs) if np.unique(tested).size == tested.size and not drawn_anew else 1


def _check(pairs: Sequence[tuple[Any, Any]], splitter: Any, dataset: Dataset) -> None:
    told = one_line(repr(splitter), limit=80)
    if not pairs:
        raise ParameterError("resampling", f"{told} makes no split of {dataset.name!r}")
    for train, test in pairs:
        both = np.concatenate([train, test])
        if not (train.size and test.size and both.min() >= 0 and both.max() < dataset.n_rows):
            raise ParameterError(
                "resampling",
                f"{told} must give row numbers from 0 to {dataset.n_rows - 1} to train and to "
                "test on",
                remedy=f"on {dataset.name!r} it gave {train.size} and {test.size}",
            )
