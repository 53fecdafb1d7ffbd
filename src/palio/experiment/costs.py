"""What a fit costs: wall and CPU time, memory, the size of the model; and on which machine.

Times of different machines are not comparable. Each row says where it was measured, on how many
threads, and how fast that machine is at a fixed piece of work; `mixed_machines` says so when rows
do not agree.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import os
import pickle
import platform
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Bound here, so that an estimator that patches the module `time` cannot change what is measured.
from time import perf_counter, process_time
from typing import Any

import numpy as np

from palio.measures import inner_cv_name
from palio.systems import Gauge, system

# --- time ----------------------------------------------------------------------------------------


@dataclass
class Clock:
    """Wall and CPU seconds of a block."""

    wall: float = 0.0
    cpu: float = 0.0


@contextlib.contextmanager
def timed() -> Iterator[Clock]:
    """Time a block.

    >>> with timed() as clock:
    ...     _ = sum(range(1000))
    >>> clock.wall > 0
    True
    """
    clock = Clock()
    wall, cpu = perf_counter(), process_time()
    try:
        yield clock
    finally:
        clock.wall, clock.cpu = perf_counter() - wall, process_time() - cpu


# A fit of this many seconds takes some CPU time on every system, however coarse its clock.
_MIN_SECONDS_WITH_CPU = 1.0


def check(costs: Mapping[str, float]) -> None:
    """Refuse costs that cannot be: something has changed the clocks.

    >>> check({"fit_time": 0.5, "fit_cpu_time": 0.4})
    >>> check({"fit_time": -929.0, "fit_cpu_time": 0.4})
    Traceback (most recent call last):
    ValueError: costs that cannot be were measured: fit_time = -929
    """
    wrong = {name: cost for name, cost in costs.items() if not 0 <= cost < math.inf}
    if costs["fit_cpu_time"] == 0 and costs["fit_time"] > _MIN_SECONDS_WITH_CPU:
        wrong["fit_cpu_time"] = 0
    if wrong:
        shown = ", ".join(f"{name} = {cost:g}" for name, cost in wrong.items())
        raise ValueError(f"costs that cannot be were measured: {shown}")


# --- threads -------------------------------------------------------------------------------------

# What learners call the number of their threads.
_THREADS = ("n_jobs", "nthread", "thread_count", "num_threads")
# Where None stands for one thread; elsewhere it stands for all that the machine has.
_NONE_IS_ONE = ("sklearn.", "palio.")


def limit_threads(estimator: Any) -> int:
    """Have each part of an estimator use one thread, unless it asks for a number of them.

    Learners that bring their own threads heed only their own parameter.

    Returns
    -------
    int
        The largest number that a part asks for.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(n_jobs=-1)
    >>> limit_threads(forest), forest.n_jobs
    (1, 1)
    >>> limit_threads(RandomForestClassifier(n_jobs=4))
    4
    """
    largest = 1
    for part in [estimator, *estimator.get_params(deep=True).values()]:
        if not hasattr(part, "get_params") or isinstance(part, type):
            continue
        given = part.get_params(deep=False)
        asked = [n for name in _THREADS if isinstance(n := given.get(name), int) and n > 0]
        largest = max(largest, *asked, 1)
        # CatBoost tells only of parameters that were set, XGBoost's constructor not of this one.
        known = {*inspect.signature(type(part)).parameters, *given}
        name = next((name for name in _THREADS if name in known), None)
        none_is_one = type(part).__module__.startswith(_NONE_IS_ONE)
        if name and not asked and not (none_is_one and given.get(name) is None):
            part.set_params(**{name: 1})
    return largest


# --- memory --------------------------------------------------------------------------------------


@contextlib.contextmanager
def measure_memory() -> Iterator[dict[str, float]]:
    """Measure by how many bytes the process grew at its highest, during a block.

    In the best way that the system has; where there is none, nothing is told rather than something
    made up. ``machine()["memory"]`` says which it was.
    """
    found: dict[str, float] = {}
    _, start = _gauge(os.getpid())
    if start is None:
        yield found
        return
    peak = start()
    try:
        yield found
    finally:
        found["peak_memory"] = max(0.0, peak())


@lru_cache(maxsize=1)
def _gauge(_pid: int) -> tuple[str, Gauge | None]:
    """Return the best way to measure memory in this process, by name."""
    return system().memory_gauge()


def model_bytes(model: Any) -> float | None:
    """Return the size of a fitted model, pickled; ``None`` if it cannot be.

    >>> model_bytes([1, 2, 3]) > 5, model_bytes(lambda: 1)
    (True, None)
    """
    try:
        return float(len(pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL)))
    except Exception:  # whatever an estimator's own __reduce__ may raise
        return _size_by_name(model)


def _size_by_name(model: Any) -> float | None:
    """Return the size with classes by their names, also of those that cannot be imported here."""

    class ByName(pickle.Pickler):
        def persistent_id(self, thing: Any) -> str | None:
            is_class = isinstance(thing, type)
            return f"{thing.__module__}.{thing.__qualname__}" if is_class else None

    buffer = io.BytesIO()
    try:
        ByName(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(model)
    except Exception:
        return None
    return float(buffer.tell())


# --- the machine ---------------------------------------------------------------------------------


@lru_cache
def machine(threads: int = 1) -> dict[str, str]:
    """Describe the machine, how it measures, on how many threads, and the libraries."""
    from importlib.metadata import version

    import scipy
    import sklearn  # type: ignore[import-untyped]

    return {
        "host": platform.node(),
        "processor": platform.machine(),
        **({"processor_name": name} if (name := system().processor_name()) else {}),
        "n_cpus": str(os.cpu_count() or 1),
        "calibration": f"{calibration():.5f}",
        "memory": _gauge(os.getpid())[0],
        "threads": str(threads),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "palio": version("palio"),
    }


@lru_cache(maxsize=1)
def calibration() -> float:
    """Return how fast this machine is: the seconds that a fixed piece of work takes.

    A loop in Python, sorting and products of small matrices on one thread, about 10 ms; the best
    of five, so that what else is running counts little. Computed once per process. It shows that
    two machines differ; it is not meant to convert the times of one into those of the other.

    >>> 0 < calibration() < 10
    True
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    rng = np.random.default_rng(0)
    numbers, matrix = rng.random(20_000), rng.random((96, 96))

    def work() -> float:
        total = 0
        for i in range(110_000):
            total += i % 7
        for _ in range(8):
            np.sort(numbers)
        product = matrix
        for _ in range(40):
            product = product @ matrix / 48.0  # divided, so that it stays finite
        return total + float(product[0, 0])

    seconds = []
    with threadpool_limits(1):
        for _ in range(5):
            with timed() as clock:
                work()
            seconds.append(clock.wall)
    return min(seconds)


def mixed_machines(machines: Sequence[Mapping[str, str]]) -> str | None:
    """Say why costs are not comparable: several machines, or some measured alone and some not.

    Parameters
    ----------
    machines : sequence of mappings
        What `machine` gave where each row was measured; empty ones, of jobs that did not end by
        themselves, are passed over. ``exclusive`` is ``"yes"`` where nothing else ran beside it.

    Returns
    -------
    str or None
        The notice, or ``None`` if there is nothing to say.

    Examples
    --------
    >>> here = {"host": "a", "processor_name": "x", "calibration": "0.01010"}
    >>> there = {"host": "b", "processor_name": "y", "calibration": "0.01730"}
    >>> mixed_machines([here, here])
    >>> mixed_machines([here, there])
    'costs come from 2 machines (a: calibration 0.0101 s, b: 0.0173 s): times are not comparable;
    re-measure them with `palio run … --exclusive` on one machine, or compare scores only.'
    """
    known = [each for each in machines if each.get("host")]
    notices = [_several_machines(known), _partly_exclusive(known)]
    return " ".join(notice for notice in notices if notice) or None


_REMEDY = "re-measure them with `palio run … --exclusive` on one machine, or compare scores only."


def _several_machines(machines: Sequence[Mapping[str, str]]) -> str | None:
    fastest: dict[tuple[str, str], float] = {}
    for each in machines:
        identity = (each["host"], each.get("processor_name") or each.get("processor", ""))
        seconds = float(each.get("calibration", "nan"))
        fastest[identity] = min(seconds, fastest.get(identity, seconds))
    if len(fastest) < 2:
        return None
    hosts = [host for host, _ in fastest]
    shown: list[str] = []
    for (host, processor), seconds in fastest.items():
        name = host if hosts.count(host) == 1 else f"{host} with {processor or 'unknown processor'}"
        # The word once, for the first that has a number.
        word = "" if any(": " in text for text in shown) else "calibration "
        shown.append(name if seconds != seconds else f"{name}: {word}{seconds:.4f} s")
    return (
        f"costs come from {len(fastest)} machines ({', '.join(shown)}): times are not comparable; "
        f"{_REMEDY}"
    )


def _partly_exclusive(machines: Sequence[Mapping[str, str]]) -> str | None:
    alone = sum(each.get("exclusive") == "yes" for each in machines)
    if alone in (0, len(machines)):
        return None
    return (
        f"costs of {alone} of {len(machines)} jobs were measured with nothing else running, the "
        f"others were not: times are not comparable; {_REMEDY}"
    )


# --- how many numbers a model holds --------------------------------------------------------------


@dataclass(frozen=True)
class Count:
    """How to count the numbers of one kind of model, known by the attributes it has.

    Never by its class, so that whatever follows scikit-learn's conventions is understood.
    """

    title: str
    needs: tuple[str, ...]
    numbers: Callable[[Any], float | None]

    def fits(self, model: Any) -> bool:
        """Whether the model has what this kind has."""
        return all(hasattr(model, name) for name in self.needs)


def n_parameters(model: Any) -> float | None:
    """Count the numbers that a fitted model holds; ``None`` if it is of no known kind.

    Coefficients and intercepts, the nodes of trees, the stored instances of nearest neighbours
    and support vector machines. An ensemble has those of its members together, a search those of
    the model it chose, and a pipeline those of its last step.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> n_parameters(LogisticRegression(max_iter=500).fit(X, y))  # 3 classes × (4 features + 1)
    15.0
    """
    try:
        for count in COUNTS:
            if count.fits(model):
                return count.numbers(model)
    except Exception:  # whatever an estimator's own properties may raise: it is not countable
        return None
    return None


def _size(value: Any) -> float:
    """Count the numbers in an array, or in a list of arrays of any depth."""
    if isinstance(value, list | tuple):
        return sum((_size(each) for each in value), 0.0)
    return float(np.size(value))


def _sizes(*names: str) -> Callable[[Any], float | None]:
    """Count the numbers in those attributes that are there."""
    return lambda model: sum(
        (_size(getattr(model, name)) for name in names if hasattr(model, name)), 0.0
    )


def _members(value: Any) -> float | None:
    """Count the numbers of a model, or of all in a list or array of models."""
    if not isinstance(value, list | tuple | np.ndarray):
        return n_parameters(value)
    counts = [_members(each) for each in value]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _models(*names: str) -> Callable[[Any], float | None]:
    """Count the numbers of the models in those attributes that are there."""
    return lambda model: _members([getattr(model, name) for name in names if hasattr(model, name)])


def _linear(model: Any) -> float:
    # Without an intercept scikit-learn writes a zero there, which was not fitted.
    intercept = _size(model.intercept_) if getattr(model, "fit_intercept", True) else 0.0
    return _size(model.coef_) + intercept


def _histogram_trees(model: Any) -> float:
    return sum((float(len(tree.nodes)) for trees in model._predictors for tree in trees), 0.0)


# The first that fits counts. Linear models come after those that have a coef_ besides what they
# predict with, and whatever wraps another model comes last, since ensembles keep a template too.
COUNTS: tuple[Count, ...] = (
    Count("told by the model", ("n_parameters_",), lambda model: float(model.n_parameters_)),
    Count("tree: nodes", ("tree_",), lambda model: float(model.tree_.node_count)),
    Count("search: the model chosen", ("best_estimator_",), _models("best_estimator_")),
    Count("pipeline: the last step", ("steps",), lambda model: n_parameters(model.steps[-1][1])),
    Count("boosting on histograms: nodes", ("_predictors",), _histogram_trees),
    Count("ensemble: its members", ("estimators_",), _models("estimators_", "final_estimator_")),
    Count("network: weights", ("coefs_", "intercepts_"), _sizes("coefs_", "intercepts_")),
    Count(
        "support vector machine: vectors and weights",
        ("support_vectors_", "dual_coef_"),
        _sizes("support_vectors_", "dual_coef_", "intercept_"),
    ),
    Count(
        "Gaussian naive Bayes: means, variances, priors",
        ("theta_", "var_"),
        _sizes("theta_", "var_", "class_prior_"),
    ),
    Count(
        "discrete naive Bayes: probabilities and priors",
        ("feature_log_prob_",),
        _sizes("feature_log_prob_", "class_log_prior_"),
    ),
    Count("nearest neighbours: stored values", ("_fit_X",), _sizes("_fit_X")),
    Count(
        "quadratic discriminant: means, covariances, priors",
        ("means_", "rotations_", "scalings_"),
        _sizes("means_", "rotations_", "scalings_", "priors_"),
    ),
    Count("linear model: coefficients", ("coef_", "intercept_"), _linear),
    Count("kernel ridge: instances and weights", ("X_fit_",), _sizes("X_fit_", "dual_coef_")),
    Count("nearest centroid", ("centroids_",), _sizes("centroids_")),
    Count("priors alone", ("class_prior_",), _sizes("class_prior_")),
    Count("a constant", ("constant_",), _sizes("constant_")),
    Count("target transformed: the model inside", ("regressor_",), _models("regressor_")),
    Count("wrapper: the model inside", ("estimator_",), _models("estimator_")),
)


# --- what a search took --------------------------------------------------------------------------


def search_costs(model: Any, fit_seconds: float) -> dict[str, float]:
    """Return what the search in a fitted model took; nothing if there is none.

    The whole time to find the hyper-parameters, and the same divided by the number of
    combinations tried: grids of different sizes are compared by the latter (wainer2016 §3.4).
    CPU times of searches that measure them; and of models with a cap on iterations, whether the
    last fit was ``capped`` (1 or 0), and how many fits of the search were.

    Parameters
    ----------
    model : fitted estimator
        A search such as `GridSearchCV`, or a pipeline that ends in one.
    fit_seconds : float
        What the whole fit took, the last fit on all rows with it.
    """
    search = _search(model)
    if search is None:
        return {}
    found: dict[str, float] = {}
    refit = getattr(search, "refit_time_", None)
    if refit is not None:
        found["refit_time"] = float(refit)
        found["tuning_time"] = max(0.0, fit_seconds - float(refit))
    each = getattr(search, "time_per_combination_", None)  # of searches that know it themselves
    if each is None and "tuning_time" in found and search.cv_results_["params"]:
        each = found["tuning_time"] / len(search.cv_results_["params"])
    if each is not None:
        found["tuning_time_per_combination"] = float(each)
    for name, attribute in _TOLD.items():
        if hasattr(search, attribute):
            found[name] = float(getattr(search, attribute))
    chosen = getattr(search, "best_estimator_", None)
    if chosen is not None and hasattr(chosen, "capped_"):
        found["capped"] = float(chosen.capped_)
        if hasattr(search, "n_capped_"):
            found["n_capped"] = float(search.n_capped_)
    return found


# Costs that some searches know, by the attributes they have them in.
_TOLD = {
    "tuning_cpu_time": "tuning_cpu_time_",
    "tuning_cpu_time_per_combination": "cpu_time_per_combination_",
    "refit_cpu_time": "refit_cpu_time_",
}


def inner_cv_score(model: Any, scoring: Collection[str], task: str) -> dict[str, float]:
    """Return the inner cross-validation's score of the combination that a search chose.

    It is comparable with the score on the test part only if both are the same scorer, so it is
    told only for one of ``scoring``. Their difference is δ^cv (wainer2016 §3.3, equation 4).
    """
    search = _search(model)
    if search is None:
        return {}
    scorer = _scorer_of(search, task)
    score = getattr(search, "best_score_", None)
    if scorer not in scoring or score is None or not math.isfinite(score):
        return {}
    return {inner_cv_name(scorer): float(score)}


def _search(model: Any) -> Any:
    """Return the search that a model is, or that a pipeline ends in; ``None`` if there is none."""
    while getattr(model, "steps", None):
        model = model.steps[-1][1]
    return model if hasattr(model, "cv_results_") and hasattr(model, "best_index_") else None


# What `score` is, of estimators that are not told otherwise.
_DEFAULT_SCORERS = {"classification": "accuracy", "regression": "r2"}


def _scorer_of(search: Any, task: str) -> str:
    """Return the name of the scorer by which a search chose; empty if it has no name."""
    scoring = getattr(search, "scoring", "")
    if scoring is None:
        return _DEFAULT_SCORERS.get(task, "")
    if isinstance(scoring, dict | list | tuple | set):
        # Several: the best combination is the best by the one called ``refit``.
        chosen = getattr(search, "refit", "")
        scoring = scoring.get(chosen) if isinstance(scoring, dict) else chosen
    return scoring if isinstance(scoring, str) else ""
