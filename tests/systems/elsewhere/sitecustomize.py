"""Makes a process on Linux, and all it starts, believe that it runs on another system.

What the other system lacks is taken away; what it has and Linux has not is made up.
"""

# ruff: noqa: E402

import ctypes
import importlib
import os
import resource
import signal
import socket
import sys
from types import SimpleNamespace
from typing import Any

import filelock  # both have a hold of their own on every system
import psutil  # type: ignore[import-untyped]

LACKS: dict[str, tuple[Any, ...]] = {
    "windows": (
        *((os, name) for name in ("pread", "pwrite", "geteuid", "getuid", "nice", "fork")),
        *((signal, name) for name in ("pthread_sigmask", "SIGHUP", "alarm")),
    ),
    # It refuses limits of memory; what limits there are can be asked.
    "macos": ((resource, "setrlimit"), (os, "sched_getaffinity")),
}
MODULES = {"windows": ("fcntl", "resource"), "macos": ()}

elsewhere = os.environ["PALIO_TESTS_SYSTEM"]
_ = filelock.lock_descriptor, psutil.Process
for module, name in LACKS[elsewhere]:
    delattr(module, name)
for hidden in MODULES[elsewhere]:
    sys.modules[hidden] = None  # type: ignore[assignment]

import palio.systems

calls: list[tuple[Any, ...]] = []
kernel = SimpleNamespace(SetConsoleCtrlHandler=lambda *given: calls.append(given))
if elsewhere == "windows":
    vars(ctypes)["windll"] = SimpleNamespace(kernel32=kernel)
    vars(signal)["SIGBREAK"] = signal.SIGUSR1
    vars(socket)["SO_EXCLUSIVEADDRUSE"] = socket.SO_KEEPALIVE
home, name = {"windows": ("windows", "Windows"), "macos": ("posix", "MacOS")}[elsewhere]
system = getattr(importlib.import_module(f"palio.systems.{home}"), name)()
vars(palio.systems)["system"] = lambda: system
