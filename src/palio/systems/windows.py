"""Windows: locks that nobody shares and keep others from reading, no signals but Ctrl-C."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from palio.systems.base import System

# Whatever is not of this system is unknown to who checks types for another.
assert sys.platform == "win32" or not TYPE_CHECKING

# Who only looks has the lock for an instant, and looks again if another has it: so many times.
_LOOKS = 4
_PLAIN = re.compile(r"[\w@+=:,./\\-]+")


class Windows(System):
    """Limits of memory are watched; temporary folders are each user's own."""

    first_readable = 1  # the lock is on the first byte, which nobody else may read

    @property
    def interruptions(self) -> tuple[signal.Signals, ...]:
        """Ctrl-C, Ctrl-Break, and what a process may send itself."""
        return signal.SIGINT, signal.SIGTERM, signal.SIGBREAK

    def __init__(self) -> None:
        self._starting = threading.RLock()

    def is_taken(self, file: int) -> bool:
        """Take the lock for an instant, for it cannot be shared."""
        from filelock import unlock_descriptor

        for _ in range(_LOOKS):
            if self.take(file):
                unlock_descriptor(file)
                return False
            time.sleep(random.uniform(0.001, 0.02))
        return True

    def is_ours(self, folder: Path) -> bool:
        """Not ask: nobody else's temporary folders can be seen."""
        return os.access(folder, os.W_OK)

    def give_way(self, steps: int) -> None:
        """Be of a lower class of priority, however many steps are meant."""
        import psutil  # type: ignore[import-untyped]

        if steps:
            with contextlib.suppress(psutil.Error):
                psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)

    @contextlib.contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Ignore Ctrl-C, which processes inherit; one that comes meanwhile is lost."""
        ignore = ctypes.windll.kernel32.SetConsoleCtrlHandler
        with self._starting:
            ignore(None, True)
            try:
                yield
            finally:
                ignore(None, False)

    def claim_address(self, listener: socket.socket) -> None:
        """Refuse the address to others: to reuse it would mean here to share it."""
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)

    def typed(self, words: Sequence[str]) -> str:
        """Quote for cmd and PowerShell, which share double quotation marks."""
        return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    r"""Put a word in quotation marks if it needs them; backslashes before one are doubled.

    >>> print(_quoted("C:\\my data\\"), _quoted("a.csv"))
    "C:\my data\\" a.csv
    """
    if _PLAIN.fullmatch(word):
        return word
    inside = re.sub(r'(\\*)"', r"\1\1\"", word)
    return '"' + re.sub(r"(\\+)$", r"\1\1", inside) + '"'
