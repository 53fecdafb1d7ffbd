"""What every system can do, as far as Python, psutil and filelock do it everywhere alike."""

from __future__ import annotations

import contextlib
import gc
import inspect
import locale
import os
import platform
import signal
import socket
import sys
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

Peak: TypeAlias = Callable[[], float]
"""Ends a measurement: by how many bytes the process grew at its highest."""
Gauge: TypeAlias = Callable[[], Peak]
"""Starts a measurement."""


_SIGNALS = signal.valid_signals()
_handler = inspect.unwrap(signal.getsignal)  # without the names that take most of its time


class Killable(Protocol):
    """A process, as far as one may be ended."""

    def kill(self) -> object:
        """End it; nothing happens if it has ended."""


class System(ABC):
    """An operating system. Where one can do less, the method's docstring says what is done then."""

    holds_memory: bool = False
    """Whether it holds a process to a limit of memory; elsewhere somebody has to watch it."""

    first_readable: int = 0
    """From which byte on others may read a file whose lock someone has."""

    # --- locks: a file that is open, until it is closed or the process ends --------------------

    def take(self, file: int) -> bool:
        """Take the lock on an open file, unless someone has it; never wait."""
        from filelock import lock_descriptor

        try:
            return lock_descriptor(file, blocking=False)
        except OSError:
            return False

    @abstractmethod
    def is_taken(self, file: int) -> bool:
        """Say whether someone has the lock on an open file, without keeping others from it."""

    @abstractmethod
    def is_ours(self, folder: Path) -> bool:
        """Say whether a folder among others' temporary ones belongs to who runs this process."""

    # --- processes: what the system says of them ------------------------------------------------

    def is_stopped(self, pid: int | None) -> bool:
        """Say whether a process is stopped, as by SIGSTOP; one that a debugger has is not."""
        import psutil  # type: ignore[import-untyped]

        try:
            return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
        except psutil.Error:  # it has just ended
            return False

    def memory_of(self, pid: int | None) -> int:
        """Return the bytes that a process has in memory; 0 if it has ended."""
        import psutil

        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return 0

    def children_of(self, pid: int | None) -> Sequence[Killable]:
        """Return the processes that a process has started, and those that these have."""
        import psutil

        try:
            return list(psutil.Process(pid).children(recursive=True))
        except psutil.Error:
            return []

    def process_state(self) -> dict[str, object]:
        """Return what all code of this process shares, and any can change for the other, by name.

        Less is known to some systems than to others; what cannot be had is left out.
        """
        here = Path().stat()
        os.umask(umask := os.umask(0))
        streams = sys.stdin, sys.stdout, sys.stderr
        return {
            "threads": set(sys._current_frames()),
            "environment": dict(os.environ),
            "current folder": (here.st_dev, here.st_ino),
            "umask": umask,
            "recursion limit": sys.getrecursionlimit(),
            "trace functions": (sys.gettrace(), threading.gettrace()),
            "profile functions": (sys.getprofile(), threading.getprofile()),
            "signal handlers": [_handler(number) for number in _SIGNALS],
            "time": dict(vars(time)),
            "search path": list(sys.path),
            "streams": [(stream, getattr(stream, "closed", True)) for stream in streams],
            "garbage collector": (gc.isenabled(), gc.get_threshold()),
            "locale": locale.setlocale(locale.LC_ALL),
            "warnings": list(warnings.filters),
        }

    def busy_threads(self) -> int:
        """Return how many threads besides this one run just now; 0 where that is not known."""
        return 0

    def held_to(self, more: int) -> AbstractContextManager[None]:  # noqa: ARG002
        """Hold this process to the memory it has and so many bytes more, where the system can."""
        return contextlib.nullcontext()

    def hold_to(self, most: int) -> None:  # noqa: B027
        """Hold this process to so many bytes from now on, where the system can."""

    def memory_gauge(self) -> tuple[str, Gauge | None]:
        """Return the best way to measure what this process has, by name; none without psutil.

        The memory is looked at every 10 ms; what comes and goes in between is not seen.
        """
        try:
            import psutil
        except ImportError:
            return "not measured", None
        process = psutil.Process()
        return "polling", lambda: _polled(lambda: float(process.memory_info().rss))

    @abstractmethod
    def give_way(self, steps: int) -> None:
        """Let other processes go first; by how much is only known to some systems."""

    def processor_name(self) -> str:
        """Return what the processor is called; nothing where that is not told."""
        return platform.processor()

    # --- Ctrl-C, which reaches every process of a terminal --------------------------------------

    @property
    @abstractmethod
    def interruptions(self) -> tuple[signal.Signals, ...]:
        """By what a person ends a process."""

    @abstractmethod
    def uninterrupted(self) -> AbstractContextManager[None]:
        """Start processes here that Ctrl-C does not interrupt as they start."""

    def ignore_interruptions(self) -> None:
        """Leave Ctrl-C to who started this process."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    # --- the rest -------------------------------------------------------------------------------

    @abstractmethod
    def claim_address(self, listener: socket.socket) -> None:
        """Have an address to oneself, and at once after whoever had it before."""

    @abstractmethod
    def typed(self, words: Sequence[str]) -> str:
        """Write a command as it is typed in this system's shell."""


_POLL_SECONDS = 0.01


def _polled(resident: Callable[[], float]) -> Peak:
    """Look at the memory in a thread, until asked for the highest."""
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
