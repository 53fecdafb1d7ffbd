"""From a grid to trainings: which combinations come from which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self

from sklearn.base import BaseEstimator, clone  # type: ignore[import-untyped]
from sklearn.model_selection import ParameterGrid  # type: ignore[import-untyped]

from palio.errors import ParameterError
from palio.experiment.free.paths import FREE_PATHS, FreePath, find_path
from palio.experiment.free.views import fit

__all__ = ["Plan", "Trained", "Training", "plan_trainings"]

Grid = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Training:
    """A combination to be trained, and the values of a free hyper-parameter that come with it."""

    params: Mapping[str, Any]
    parameter: str | None = None
    values: tuple[Any, ...] = (None,)


@dataclass(frozen=True)
class Plan:
    """The trainings of a grid, and for each combination its training and its place there."""

    trainings: tuple[Training, ...]
    combinations: tuple[Mapping[str, Any], ...]
    places: tuple[tuple[int, int], ...]

    @property
    def most_values(self) -> int:
        """How many models the largest training gives."""
        return max((len(training.values) for training in self.trainings), default=0)


class Trained(BaseEstimator):  # type: ignore[misc]
    """An estimator that is fitted for all values of a training at once.

    After ``fit``, ``models_`` is a function from rows to the fitted models, one for each value.
    """

    models_: Callable[[Any], Iterable[Any]]

    def __init__(
        self, estimator: Any, parameter: str | None = None, values: tuple[Any, ...] = (None,)
    ) -> None:
        self.estimator = estimator
        self.parameter = parameter
        self.values = values

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Train once."""
        model = self.estimator
        path = self.parameter and find_path(model, self.parameter)
        if path:
            self.models_ = path.train(model, X, y, self.values, fit_params)
        else:
            fit(model, X, y, fit_params)
            self.models_ = lambda _rows: [model]
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags  # type: ignore[import-untyped]

        return get_tags(self.estimator)  # how the rows are split depends on them


def plan_trainings(
    estimator: Any, grid: Grid | Sequence[Grid], free: Sequence[str] | None = None
) -> Plan:
    """Find the trainings that a grid needs; the combinations are in `ParameterGrid`'s order.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> grid = {"n_neighbors": [1, 3, 5], "p": [1, 2]}
    >>> plan = plan_trainings(KNeighborsClassifier(), grid)
    >>> [(dict(each.params), each.values) for each in plan.trainings]
    [({'p': 1}, (1, 3, 5)), ({'p': 2}, (1, 3, 5))]
    >>> plan.combinations[1], plan.places[1]  # from the second training the first model
    ({'n_neighbors': 1, 'p': 2}, (1, 0))
    """
    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    combinations = tuple(ParameterGrid(grid))  # first: it says what is wrong with a grid
    _check_free(estimator, grids, free)
    trainings: list[Training] = []
    places: list[tuple[int, int]] = []
    for each in grids:
        found, where = _of_grid(estimator, each, free)
        places += [(len(trainings) + training, place) for training, place in where]
        trainings += found
    return Plan(tuple(trainings), combinations, tuple(places))


def _of_grid(
    estimator: Any, grid: Grid, free: Sequence[str] | None
) -> tuple[list[Training], list[tuple[int, int]]]:
    names, parameter = sorted(grid), _free_of(estimator, grid, free)
    trainings: list[Training] = []
    places: list[tuple[int, int]] = []
    paths: dict[tuple[int, ...], FreePath | None] = {}
    shared: dict[tuple[int, ...], int] = {}
    for combination in product(*(enumerate(grid[name]) for name in names)):
        numbered = dict(zip(names, combination, strict=True))
        params = {name: value for name, (_, value) in numbered.items()}
        rest = {name: value for name, value in params.items() if name != parameter}
        key = tuple(numbered[name][0] for name in rest)
        if key not in paths:
            paths[key] = _path(estimator, rest, parameter)
        path = paths[key]
        if parameter is None or path is None or not path.takes(params[parameter]):
            places.append((len(trainings), 0))
            trainings.append(Training(params))
            continue
        if key not in shared:
            shared[key] = len(trainings)
            trainings.append(Training(rest, parameter, ()))
        training = trainings[shared[key]]
        places.append((shared[key], len(training.values)))
        trainings[shared[key]] = replace(training, values=(*training.values, params[parameter]))
    return trainings, places


def _path(estimator: Any, params: Mapping[str, Any], parameter: str | None) -> FreePath | None:
    """Find the path of a model with these parameters, which may rule it out."""
    if parameter is None:
        return None
    model = clone(estimator).set_params(**clone(dict(params), safe=False))
    return find_path(model, parameter)


def _free_of(estimator: Any, grid: Grid, free: Sequence[str] | None) -> str | None:
    """Return the free hyper-parameter with the most values; ``None`` if there is none."""
    names = [name for name in grid if free is None or name in free]
    found = [name for name in names if _worth_it(find_path(estimator, name), len(grid[name]))]
    return max(found, key=lambda name: len(grid[name]), default=None)


def _worth_it(path: FreePath | None, n_values: int) -> bool:
    # An exact path is no slower for one value, and a forest's is quicker.
    return path is not None and (n_values > 1 or path.exact)


def _check_free(estimator: Any, grids: Sequence[Grid], free: Sequence[str] | None) -> None:
    for name in free or ():
        if not any(name in grid for grid in grids):
            raise ParameterError("free", f"{name!r} is not in the grid")
        if find_path(estimator, name) is None:
            raise ParameterError(
                "free",
                f"{name!r} of {type(estimator).__name__} must be trained value by value",
                remedy=f"leave it out. There are: {', '.join(FREE_PATHS)}",
            )
