"""Where the work is done: in processes beside the server, so that it always has time to answer.

Files that people upload are read there too. What takes too long, or brings its process down, is
an error for the one who asked and for nobody else.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from palio.app.web.settings import OverloadError, Settings

if TYPE_CHECKING:
    from pebble import ProcessPool

Given = TypeVarTuple("Given")
Found = TypeVar("Found")


# By how much each pool gives way where there are more processes than cores.
_PATIENCE = {"quick": 0, "slow": 5}


class Processes:
    """Two pools: one for what a person waits for, one for figures, audits and posteriors.

    With ``workers=0`` all of it is done in threads of this process, one thing at a time.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pools: dict[str, ProcessPool] = {}
        self._alone = asyncio.Lock()

    def warm(self, function: Callable[[], object]) -> None:
        """Start all processes and let them load what they will need."""
        for name in _PATIENCE:
            for _ in range(self._settings.workers):
                self._pool(name).schedule(function)

    async def run(
        self, function: Callable[[*Given], Found], *given: *Given, slow: bool = False
    ) -> Found:
        """Run a function; a slow one, which may take seconds, does not keep the others waiting."""
        if self._settings.workers == 0:
            async with self._alone:
                return await asyncio.to_thread(function, *given)
        pool = self._pool("slow" if slow else "quick")
        future = pool.schedule(function, args=given, timeout=self._settings.seconds)
        try:
            found: Found = await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise OverloadError(
                "the answer",
                f"it took longer than {self._settings.seconds:g} s",
                remedy="ask for less: fewer algorithms, fewer data sets",
            ) from error
        except Exception as error:
            if _is_lost(error):
                raise OverloadError(
                    "the answer",
                    "the process that worked on it died, perhaps for lack of memory",
                    remedy="ask again, or for less",
                ) from error
            raise
        return found

    def _pool(self, name: str) -> ProcessPool:
        if name not in self._pools:
            import multiprocessing

            from pebble import ProcessPool

            self._pools[name] = ProcessPool(
                max_workers=self._settings.workers,
                context=multiprocessing.get_context("spawn"),
                initializer=_become_worker,
                initargs=[_PATIENCE[name]],
            )
        return self._pools[name]

    def close(self) -> None:
        """End the processes, whatever they are at."""
        for pool in self._pools.values():
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()
        self._pools.clear()


def _is_lost(error: Exception) -> bool:
    from pebble import ProcessExpired

    return isinstance(error, ProcessExpired)


def _become_worker(patience: int) -> None:
    """Leave Ctrl-C to the server, and the cores to the other workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(patience)
    # Before NumPy is loaded, or it would start as many threads as there are cores.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
