"""What a fit costs: wall and CPU time, memory, the size of the model."""

from __future__ import annotations

import contextlib
import pickle
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["Clock", "machine", "measure_memory", "model_bytes", "timed"]


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


@contextlib.contextmanager
def measure_memory() -> Iterator[dict[str, float]]:
    """Measure by how many bytes the process grew at its highest, during a block.

    The kernel's high-water mark, set back before the block; where there is none, nothing is told
    rather than something made up.
    """
    found: dict[str, float] = {}
    before = _status("VmRSS") if _reset_high_water_mark() else None
    try:
        yield found
    finally:
        peak = _status("VmHWM") if before is not None else None
        if before is not None and peak is not None:
            found["peak_memory"] = max(0.0, peak - before)


def _reset_high_water_mark() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _status(name: str) -> float | None:
    """Read a line of /proc/self/status, in bytes."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return 1024.0 * float(line.split()[1])
    return None


def model_bytes(model: Any) -> float:
    """Return the size of a fitted model, pickled; NaN if it cannot be."""
    try:
        return float(len(pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL)))
    except Exception:  # whatever an estimator's own __reduce__ may raise
        return float("nan")


@lru_cache(maxsize=1)
def machine() -> dict[str, str]:
    """Describe the machine and the libraries: costs of different machines are not comparable."""
    from importlib.metadata import version

    import numpy as np
    import scipy
    import sklearn  # type: ignore[import-untyped]

    return {
        "host": platform.node(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "palio": version("palio"),
    }
