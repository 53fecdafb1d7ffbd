"""A Dask cluster of processes of its own, as people start them: `dask scheduler`, `dask worker`."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])


class Cluster:
    """A scheduler, always on the same port, and workers, each with a nanny that restarts it."""

    def __init__(self, folder: Path, n_workers: int = 2) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self._scheduler()
        self.nannies = [self._nanny() for _ in range(n_workers)]

    def answers(self, within: float = 60.0) -> bool:
        """Wait until the scheduler listens; on a machine with other work that takes long."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline and self.scheduler.poll() is None:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.1)
        return False

    def mend(self) -> None:
        """Start again what has died, as a service manager would."""
        if self.scheduler.poll() is not None:
            self.scheduler = self._scheduler()
        for i, nanny in enumerate(self.nannies):
            if nanny.poll() is not None:
                self.nannies[i] = self._nanny()

    def close(self) -> None:
        for process in (*self.nannies, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _scheduler(self) -> subprocess.Popen[bytes]:
        return self._start("scheduler", "--host", "127.0.0.1", f"--port={self.port}",
                           "--no-dashboard")  # fmt: skip

    def _nanny(self) -> subprocess.Popen[bytes]:
        return self._start("worker", self.address, "--nthreads=1", "--no-dashboard",
                           f"--local-directory={self.folder}", "--death-timeout=60")  # fmt: skip

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), ROOT])
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *options],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


@contextlib.contextmanager
def running(folder: Path, n_workers: int = 2, *, mended: bool = False) -> Iterator[Cluster]:
    """Start a cluster, for as long as it is needed; ``mended``: whatever dies is started again."""
    cluster, over = Cluster(folder, n_workers), threading.Event()

    def mend() -> None:
        while not over.wait(0.2):
            cluster.mend()

    mender = threading.Thread(target=mend)
    if mended:
        mender.start()
    try:
        assert cluster.answers()
        yield cluster
    finally:
        over.set()
        if mended:
            mender.join()
        cluster.close()
