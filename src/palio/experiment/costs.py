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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Bound here, so that an estimator that patches the module `time` cannot change what is measured.
from time import perf_counter, process_time
from typing import Any

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

    import numpy as np
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
    import numpy as np
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
