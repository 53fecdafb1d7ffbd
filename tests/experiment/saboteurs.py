"""Estimators that change what all code of a process shares, and one that would suffer from it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import locale
import mmap
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.experiment.estimators import Constant

_kept: list[Any] = []


class Honest(Constant):
    """Works for a while, and needs files, streams, recursion, random numbers and its time."""

    def __init__(self, number: int = 0, size: int = 300_000) -> None:
        self.number = number
        self.size = size

    def misbehave(self) -> None:
        total = 0
        for i in range(self.size):
            total += i % 7
        _nested(500)
        sys.stdout.write("a line\n")
        os.write(1, b"another\n")
        with contextlib.ExitStack() as files:
            for _ in range(20):
                files.enter_context(tempfile.TemporaryFile())
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "x").write_bytes(bytes(100_000))
            (Path(folder) / "x").read_bytes()
        np.log(np.zeros(1))
        if os.environ.get("HOME", "") == "nowhere" or time.time() < 1e9:
            raise RuntimeError("not the world it was")
        self.drawn_ = random.random() + np.random.random()  # noqa: NPY002 - what is shared

    def predict(self, X: Any) -> Any:
        first = np.asarray(X, dtype=float)[:, 0]
        return self.classes_[np.argsort(np.argsort(first * self.drawn_)) % len(self.classes_)]


def _nested(depth: int) -> int:
    return 0 if depth == 0 else 1 + _nested(depth - 1)


class Saboteur(Constant):
    """Does one of the `SABOTAGES`, by its name."""

    def __init__(self, kind: str = "files") -> None:
        self.kind = kind

    def misbehave(self) -> None:
        SABOTAGES[self.kind]()


def _spin() -> None:
    while True:
        pass


def _leak_files() -> None:
    with contextlib.suppress(OSError):  # all there are
        for _ in range(2000):
            _kept.append(Path(os.devnull).open("rb"))  # noqa: SIM115 - that is the point


def _patch_time() -> None:
    for name in ("perf_counter", "process_time", "time", "monotonic"):
        setattr(time, name, lambda: -929.0)


def _leave_threads() -> None:
    for _ in range(3):
        threading.Thread(target=_spin, daemon=True).start()


def _leave_native_thread() -> None:
    """Spin in machine code, where Python does not see the thread: a jump to itself."""
    jump = {"x86_64": b"\xeb\xfe", "aarch64": b"\x00\x00\x00\x14"}[platform.machine()]
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(jump)
    _kept.append(page)
    start = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    ctypes.CDLL(None).pthread_create(ctypes.byref(ctypes.c_ulong()), None, start, None)


def _change_environment() -> None:
    os.environ.update(HOME="nowhere", OMP_NUM_THREADS="64")


def _set_alarm() -> None:
    signal.signal(signal.SIGALRM, _raise)
    signal.setitimer(signal.ITIMER_REAL, 5.0, 0.05)


def _raise(*_arguments: Any) -> None:
    raise RuntimeError("an alarm of another job")


def _trace(*_arguments: Any) -> Any:
    return _trace


def _set_trace() -> None:
    threading.settrace(_trace)
    sys.settrace(_trace)


def _lower_limits() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def _fork() -> None:
    os.fork()


def _fork_and_raise() -> None:
    if os.fork() == 0:
        raise ValueError("the child's own")


def _fork_and_spin() -> None:
    if os.fork() == 0:
        _spin()


def _start_process() -> None:
    _kept.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))


def _close_streams() -> None:
    sys.stdout.close()
    for number in (1, 2):
        with contextlib.suppress(OSError):
            os.close(number)


def _collect_nothing() -> None:
    gc.disable()


def _draw() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - what is shared


def _hide_warnings() -> None:
    warnings.simplefilter("error")
    warnings.showwarning = _raise  # type: ignore[assignment]


# By name; to each what its row says it left behind, on a system where all can be looked at.
SABOTAGES: dict[str, Callable[[], object]] = {
    "files": _leak_files,
    "threads": _leave_threads,
    "native thread": _leave_native_thread,
    "time": _patch_time,
    "folder": lambda: os.chdir(tempfile.gettempdir()),
    "umask": lambda: os.umask(0o777),
    "recursion": lambda: sys.setrecursionlimit(150),
    "environment": _change_environment,
    "signals": _set_alarm,
    "trace": _set_trace,
    "profile": lambda: sys.setprofile(_trace),
    "limits": _lower_limits,
    "priority": lambda: os.nice(5),
    "fork": _fork,
    "fork and raise": _fork_and_raise,
    "fork and spin": _fork_and_spin,
    "process": _start_process,
    "numpy": lambda: np.seterr(all="raise"),
    "warnings": _hide_warnings,
    "streams": _close_streams,
    "pipe": lambda: os.closerange(3, 200),
    "collector": _collect_nothing,
    "locale": lambda: locale.setlocale(locale.LC_ALL, "C.UTF-8"),
    "random": _draw,
}
LEFT_BEHIND = {
    "files": "open files",
    "threads": "threads",
    "native thread": "busy threads",
    "time": "time",
    "folder": "current folder",
    "umask": "umask",
    "recursion": "recursion limit",
    "environment": "environment",
    "signals": "signal handlers",
    "trace": "trace functions",
    "profile": "profile functions",
    "limits": "resource limits",
    "priority": "priority",
    "fork": "processes",
    "fork and raise": "processes",
    "fork and spin": "processes",
    "process": "processes",
    "numpy": "NumPy's settings",
    "streams": "streams",
    "collector": "garbage collector",
    "locale": "locale",
    # "pipe" ends its worker, warnings and random numbers are put back.
}
