"""scikit-learn's splitters, and any object like them, become repeats and folds."""

from __future__ import annotations

import copy
import warnings
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
    own, told = _seeded(splitter, random_state), one_line(repr(splitter), limit=80)
    try:
        drawn = own if isinstance(own, list | tuple) else _asked(own, dataset)
        pairs = [
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in drawn
        ]
    except (ValueError, TypeError) as error:
        needs = "The 'groups'" in str(error) and dataset.groups is None
        remedy = (
            "Say which column they are, with groups"
            if needs
            else "Take fewer folds, or another splitter"
        )
        raise ParameterError(
            "resampling", f"{told} cannot split {dataset.name!r}: {one_line(error)}", remedy=remedy
        ) from error
    _check(pairs, told, dataset)
    folds = _folds_per_repeat(own, pairs)
    return [
        (number // folds + 1, number % folds + 1, train, test)
        for number, (train, test) in enumerate(pairs)
    ]


def _asked(splitter: Any, dataset: Dataset) -> Any:
    # Splitters of one's own need not know of groups; some of scikit-learn's warn that they do not.
    more = {} if dataset.groups is None else {"groups": dataset.groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(splitter.split(dataset.X, dataset.y, **more))


def _seeded(splitter: Any, random_state: int) -> Any:
    """Return a copy that draws the same splits every time."""
    pairs = isinstance(splitter, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in splitter
    )
    if not pairs and (
        not callable(getattr(splitter, "split", None)) or isinstance(splitter, type | bytes)
    ):
        raise ParameterError(
            "resampling",
            "must be a name such as '5x2', an object with a split method, such as scikit-learn's "
            "KFold(5), or a list of (train, test) rows",
            f"{one_line(repr(splitter), limit=80)} was given",
        )
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


def _check(pairs: Sequence[tuple[Any, Any]], told: str, dataset: Dataset) -> None:
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
        straddling = (
            ()
            if dataset.groups is None
            else (set(dataset.groups[train].tolist()) & set(dataset.groups[test].tolist()))
        )
        if straddling:
            raise ParameterError(
                "resampling",
                f"{told} puts rows of one {dataset.unit} of {dataset.name!r} on both sides, such "
                f"as {min(map(str, straddling))!r}",
                remedy="Take GroupKFold(5), or a name such as '5-fold', which keeps groups whole",
            )
