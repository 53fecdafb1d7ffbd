"""What a fit costs: wall and CPU time, memory, the size of the model; and on which machine.

Times of different machines are not comparable. Each row says where it was measured and how fast
that machine is at a fixed piece of work, and `mixed_machines` says so when rows do not agree.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from palio.systems import Gauge, Peak, system

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
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield clock
    finally:
        clock.wall, clock.cpu = time.perf_counter() - wall, time.process_time() - cpu


# --- memory --------------------------------------------------------------------------------------

_POLL_SECONDS = 0.01


@contextlib.contextmanager
def measure_memory() -> Iterator[dict[str, float]]:
    """Measure by how many bytes the process grew at its highest, during a block.

    The kernel's high-water mark, set back before the block; elsewhere the memory is looked at
    every 10 ms; where neither can be had, nothing is told rather than something made up.
    ``machine()["memory"]`` says which it was.
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
    for name, make in _GAUGES:
        start = make()
        if start is not None:
            return name, start
    return "not measured", None


def _high_water_mark() -> Gauge | None:
    """Use what the system keeps of each process, where it does."""
    return system().high_water_mark()


def _polling() -> Gauge | None:
    """Look at the memory every 10 ms; what comes and goes in between is not seen."""
    try:
        import psutil  # type: ignore[import-untyped]
    except ImportError:
        return None
    process = psutil.Process()

    def resident() -> float:
        return float(process.memory_info().rss)

    def start() -> Peak:
        before = highest = resident()
        over = threading.Event()

        def watch() -> None:
            nonlocal highest
            while not over.wait(_POLL_SECONDS):
                highest = max(highest, resident())

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()

        def peak() -> float:
            over.set()
            watcher.join()
            return max(highest, resident()) - before

        return peak

    return start


# Ways to measure memory, best first.
_GAUGES: tuple[tuple[str, Callable[[], Gauge | None]], ...] = (
    ("high-water mark", _high_water_mark),
    ("polling", _polling),
)


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


@lru_cache(maxsize=1)
def machine() -> dict[str, str]:
    """Describe the machine, how it measures, and the libraries."""
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
        "threads": "1",  # what a worker sets the thread pools to
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
