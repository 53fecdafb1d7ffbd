"""Linux: limits of memory that hold, and /proc."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from palio.systems.base import Gauge, Peak

# Whatever is not of this system is unknown to who checks types for another.
assert sys.platform == "linux" or not TYPE_CHECKING

from palio.systems.posix import Posix  # noqa: E402


class Linux(Posix):
    """The kernel itself refuses memory, and keeps the highest of what a process had."""

    holds_memory = True

    @contextlib.contextmanager
    def held_to(self, more: int) -> Iterator[None]:
        """Hold the address space: who asks for more gets a MemoryError. A lower limit stays."""
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = pages * resource.getpagesize() + more
        if soft != resource.RLIM_INFINITY:
            allowed = min(allowed, soft)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def hold_to(self, most: int) -> None:
        """Hold the address space; a limit from outside that is lower stays."""
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))

    def memory_gauge(self) -> tuple[str, Gauge | None]:
        """Use what is kept of each process, which misses nothing, where it is to be had."""
        mark = _high_water_mark()
        return super().memory_gauge() if mark is None else ("high-water mark", mark)

    def process_state(self) -> dict[str, object]:
        """Ask for child processes and processors, too."""
        children = ""
        with contextlib.suppress(OSError):  # a kernel without the file
            children = (_TASKS / f"{os.getpid()}/children").read_text(encoding="ascii")
        return {
            **super().process_state(),
            "processes": children,
            "processors": os.sched_getaffinity(0),
        }

    def busy_threads(self) -> int:
        """Look at the state of each."""
        this = str(threading.get_native_id())
        others = [task for task in _TASKS.iterdir() if task.name != this]
        return sum(_state_of(task) == "R" for task in others)

    def processor_name(self) -> str:
        """Look it up; Python only knows the family."""
        try:
            text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        named = (line.partition(":") for line in text.splitlines())
        return next((value.strip() for name, _, value in named if name.strip() == "model name"), "")


_TASKS = Path("/proc/self/task")


def _state_of(task: Path) -> str:
    """Return the letter for what a thread does, which follows its name in brackets."""
    try:
        return (task / "stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2][0]
    except OSError:  # it has just ended
        return ""


def _status_line(file: int, name: bytes) -> float:
    """Read a line of an open /proc/…/status, in bytes."""
    text = os.pread(file, 4096, 0)
    start = text.index(name) + len(name)
    return 1024.0 * int(text[start : text.index(b"kB", start)])


def _high_water_mark() -> Gauge | None:
    """Set back and read the mark in files that stay open, for a fit may take 1 ms."""
    try:
        reset = os.open("/proc/self/clear_refs", os.O_WRONLY)
        status = os.open("/proc/self/status", os.O_RDONLY)
        os.pwrite(reset, b"5", 0)
        _status_line(status, b"VmHWM:")
    except (OSError, ValueError):  # a container that lacks the line
        return None

    def start() -> Peak:
        os.pwrite(reset, b"5", 0)
        before = _status_line(status, b"VmRSS:")
        return lambda: _status_line(status, b"VmHWM:") - before

    return start
