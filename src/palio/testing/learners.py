"""What is asked of a learner that experiments run."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from palio.experiment.outcome import JobOutcome

_COSTS = ("fit_time", "predict_time", "model_bytes")


def check_learner(estimator: Any, *, data: str | None = None) -> None:
    """Check that a learner can be run, measured and resumed as `palio.run` does.

    It is asked for what scikit-learn's estimators have (``get_params``, ``fit``, ``predict``), and
    besides: a copy with the same parameters learns the same from the same random state; what it has
    learnt can be pickled, and then predicts the same; it leaves its data as they were; a run
    ends well, with a score and with its costs measured. scikit-learn's own
    ``check_estimator`` asks for much more of a class, and is worth its time too.

    Parameters
    ----------
    estimator : object
        A classifier or a regressor.
    data : str, optional
        A data set as for `palio.run`; iris, or diabetes for a regressor, unless given.

    Raises
    ------
    AssertionError
        With what it does not do.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> check_learner(DecisionTreeClassifier(max_depth=2))

    >>> class Guess(DecisionTreeClassifier):
    ...     def predict(self, X):
    ...         import numpy as np
    ...         return np.random.default_rng().choice(self.classes_, len(X))
    >>> check_learner(Guess())
    Traceback (most recent call last):
    ...
    AssertionError: predict: Guess says another thing each time
    """
    from palio.extras import need

    need("run", "estimator")
    from sklearn.base import is_regressor  # type: ignore[import-untyped]

    from palio.experiment.plan import make_plan
    from palio.experiment.work import execute

    name = type(estimator).__name__
    for method in ("get_params", "set_params", "fit", "predict"):
        _demand(hasattr(estimator, method), method, f"{name} has no such method")
    place = data or ("sklearn:diabetes" if is_regressor(estimator) else "sklearn:iris")
    plan = make_plan([place], {name: estimator}, prepare="standard", resampling="half")
    job = plan.jobs[0]
    X, y = np.array(job.dataset.X, dtype=float), np.array(job.dataset.y)
    _check_alone(estimator, name, X, y)
    first, again = execute(job), execute(job)
    _demand(first.status == "ok", "run", f"{name} {first.status}: {first.error}")
    _check_outcome(first, again, name)


def _check_alone(estimator: Any, name: str, X: NDArray[Any], y: NDArray[Any]) -> None:
    """Fit and predict without an experiment around it."""
    from sklearn.base import clone

    made = clone(estimator)
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    kept_X, kept_y = X.copy(), y.copy()
    _demand(made.fit(X, y) is made, "fit", f"{name} does not return itself")
    said = np.asarray(made.predict(X))
    unchanged = np.array_equal(X, kept_X) and np.array_equal(y, kept_y)
    _demand(unchanged, "fit", f"{name} changes the data that it is given")
    _demand(said.shape == y.shape, "predict", f"{name} gives {said.shape} for {y.shape}")
    _demand(
        np.array_equal(made.predict(X), said), "predict", f"{name} says another thing each time"
    )
    back = _pickled(made, name)
    same = np.array_equal(np.asarray(back.predict(X)), said)
    _demand(same, "pickle", f"{name} predicts otherwise after it was pickled")
    other = clone(made).fit(X, y)
    same = np.array_equal(np.asarray(other.predict(X)), said)
    _demand(same, "random_state", f"{name} learns another thing from the same random state")


def _pickled(made: Any, name: str) -> Any:
    """Send it to another process and back, as far as that can be told from here."""
    import cloudpickle  # type: ignore[import-untyped]

    try:
        return pickle.loads(cloudpickle.dumps(made))
    except Exception as error:  # whatever it is made of may complain in its own way
        raise AssertionError(f"pickle: {name} cannot be pickled: {error}") from error


def _check_outcome(first: JobOutcome, again: JobOutcome, name: str) -> None:
    for one, other in zip(first.folds, again.folds, strict=True):
        _demand(
            dict(one.scores) == dict(other.scores),
            "random_state",
            f"{name} scores otherwise when the same job is run again",
        )
        for cost in _COSTS:
            value = one.costs.get(cost, math.nan)
            _demand(math.isfinite(value) and value >= 0, cost, f"{name} has none that was measured")


def _demand(holds: bool, what: str, otherwise: str) -> None:
    if not holds:
        raise AssertionError(f"{what}: {otherwise}")
