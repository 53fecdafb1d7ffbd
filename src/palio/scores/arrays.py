"""Arrays with names beside them become rows; validation comes after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ParameterError
from palio.scores.rows import Rows
from palio.words import quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from palio.measures import Measure
    from palio.types import FloatArray

__all__ = ["rows_from_arrays"]


def rows_from_arrays(
    scores: ArrayLike,
    datasets: Sequence[object],
    algorithms: Sequence[object],
    measure: Measure,
    costs: Mapping[str, ArrayLike],
) -> Rows:
    """Return the rows of an (S, K) or (S, K, R, F) array."""
    values = _floats("scores", scores)
    if values.ndim == 2:
        values = values[:, :, np.newaxis, np.newaxis]
    if values.ndim != 4:
        raise ParameterError(
            "scores",
            "must be an array of data sets × algorithms, or of data sets × algorithms × repeats "
            "× folds",
            remedy=f"its shape is {np.shape(scores)}",
        )
    names = {
        "datasets": _names("datasets", datasets),
        "algorithms": _names("algorithms", algorithms),
    }
    for axis, (parameter, given) in enumerate(names.items()):
        if len(given) != values.shape[axis]:
            raise ParameterError(
                parameter,
                f"scores has {values.shape[axis]} along axis {axis}, but {len(given)} names are "
                "given",
                remedy="Give one name for each",
            )
    if not values.size:
        raise CellError(
            "scores",
            f"the array has no values (its shape is {values.shape})",
            remedy="Give at least one data set and two algorithms",
        )
    dataset, algorithm, repeat, fold = (axis.reshape(-1) for axis in np.indices(values.shape))
    return Rows(
        datasets=names["datasets"],
        algorithms=names["algorithms"],
        repeats=_numbered(values.shape[2]),
        folds=_numbered(values.shape[3]),
        dataset=dataset,
        algorithm=algorithm,
        repeat=repeat,
        fold=fold,
        scores={measure.name: values.reshape(-1)},
        pair_costs={name: _cost(name, matrix, values.shape) for name, matrix in costs.items()},
    )


def _floats(parameter: str, values: ArrayLike) -> FloatArray:
    try:
        # A copy, so that the table does not change when the caller's array does.
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CellError(parameter, f"must be an array of numbers: {error}") from error


def _cost(name: str, matrix: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    values = _floats(f"costs[{name!r}]", matrix)
    if values.shape != shape[:2]:
        raise ParameterError(
            f"costs[{name!r}]: must have one value per data set and algorithm, {shape[:2]};"
            f" got shape {values.shape}."
        )
    return values


def _names(parameter: str, given: Sequence[object]) -> tuple[str, ...]:
    names = tuple(str(name).strip() for name in given)
    if "" in names:
        raise CellError(
            parameter, f"no name may be empty, but the one at position {names.index('')} is"
        )
    twice = (
        sorted({name for name in names if names.count(name) > 1})
        if len(set(names)) < len(names)
        else []
    )
    if twice:
        raise CellError(
            parameter, f"the names must differ, but there is more than one {quoted(twice)}"
        )
    return names


def _numbered(size: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, size + 1))
