"""macOS, the BSDs, and what Linux has in common with them."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING

from palio.systems.base import System

# Whatever is not of this system is unknown to who checks types for another.
assert sys.platform != "win32" or not TYPE_CHECKING


class Posix(System):
    """Locks that can be shared, owners, signals that wait; limits of memory are watched."""

    @property
    def interruptions(self) -> tuple[signal.Signals, ...]:
        """Ctrl-C, kill, and the closing of a terminal."""
        return signal.SIGINT, signal.SIGTERM, signal.SIGHUP

    def is_taken(self, file: int) -> bool:
        """Try to share the lock: those who only look do not disturb one another."""
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        return False

    def is_ours(self, folder: Path) -> bool:
        """Ask for the owner: /tmp is everybody's."""
        return folder.stat().st_uid == os.geteuid()

    def process_state(self) -> dict[str, object]:
        """Ask for limits, priority, timers, blocked signals, and the files that are open."""
        import resource

        files = {}
        for file in Path("/dev/fd").iterdir():
            with contextlib.suppress(OSError):  # the one that was listed by
                found = os.fstat(int(file.name))
                files[file.name] = (found.st_dev, found.st_ino)
        limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
        return {
            **super().process_state(),
            "open files": files,
            "resource limits": [resource.getrlimit(limit) for limit in limits],
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
            "timers": signal.getitimer(signal.ITIMER_REAL),
            "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        }

    def give_way(self, steps: int) -> None:
        """Be so much nicer."""
        os.nice(steps)

    @contextlib.contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Block the signal, which processes inherit; one that comes meanwhile waits."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        # It unblocks the signal in the thread that starts it, which would be the first to need it.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def ignore_interruptions(self) -> None:
        """Ignore the signal, and block it no longer."""
        super().ignore_interruptions()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def claim_address(self, listener: socket.socket) -> None:
        """Not wait for connections of the last server to be forgotten."""
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    def typed(self, words: Sequence[str]) -> str:
        """Quote as sh does."""
        return shlex.join(words)


class MacOS(Posix):
    """Like the others; it has the names of limits of memory, and refuses or ignores them."""

    def processor_name(self) -> str:
        """Ask sysctl; Python only knows the family."""
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            found = subprocess.run(command, capture_output=True, timeout=5, check=True)
            return found.stdout.decode(errors="replace").strip()
        return super().processor_name()
