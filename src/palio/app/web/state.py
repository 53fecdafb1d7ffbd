"""All that one server has: its tables, its workers, and what they have found out.

The work is done in processes beside the server, so that it always has time to answer. Files that
people upload are read there too. What takes too long, or brings its process down, is an error for
the one who asked and for nobody else.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from palio.app.options import Reading
from palio.app.web import live, worker
from palio.app.web.cache import Answers
from palio.app.web.settings import OverloadError, Settings
from palio.app.web.tables import Asked, TableSource, TableSources, Uploads
from palio.scores.kept import study_in

if TYPE_CHECKING:
    from pebble import ProcessPool

Given = TypeVarTuple("Given")
Found = TypeVar("Found")

# A store is looked at anew after so many seconds, however many people are watching.
_GLANCE = 2.0


class ServerState:
    """The state of a server; closed with it."""

    def __init__(
        self, settings: Settings, opened: str | None = None, reading: Reading | None = None
    ) -> None:
        self.settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="palio-")
        self.tables = TableSources(Uploads(Path(self._folder.name), settings), opened, reading)
        self._answers = Answers(most_bytes=settings.cache_bytes)
        self._processes = Processes(settings)

    def check(self) -> None:
        """Refuse what the server is to start with if it is not there."""
        opened = self.tables.opened()
        if opened is None:
            return
        if opened.is_store:
            live.version_of(opened)
        if (study := study_in(opened.place)) is not None:
            from palio.studies import STUDIES

            STUDIES[study]  # an unknown name is an error, which says the known ones

    def open(self) -> None:
        """Start the workers."""
        self._processes.warm(worker.warm)

    def close(self) -> None:
        """End the workers, and forget the uploads."""
        self._processes.close()
        self._folder.cleanup()

    async def asked(self, query: str) -> Asked:
        """Read a question; an experiment is asked as it stands now."""
        asked = await asyncio.to_thread(self.tables.asked, query)
        if not asked.source.is_store:
            return asked
        version = await self.version(asked.source)
        return replace(asked, source=replace(asked.source, version=version))

    async def version(self, source: TableSource) -> str:
        """Return the state of a store, which is looked at once in a while."""
        key = ("version", source.id, self.moment())
        found = await self.ask(key, _version, source)
        return found.decode()

    def moment(self) -> int:
        """Return a number that is the same for as long as a glance at a store is good."""
        return int(time.monotonic() / _GLANCE)

    async def ask(
        self,
        key: Hashable,
        function: Callable[[*Given], bytes],
        *given: *Given,
        slow: bool = False,
    ) -> bytes:
        """Return what a function says, from memory if it has said it before."""
        return await self._answers.get(
            key, lambda: self._processes.run(function, *given, slow=slow)
        )

    async def posterior(self, asked: Asked) -> bytes:
        """Return what the Bayesian model says; whatever shows it, the model is asked once."""
        about = worker.posterior_question(asked)
        return await self.ask(("model", *about.key), worker.pickled_posterior, about, slow=True)


def _version(source: TableSource) -> bytes:
    return live.version_of(source).encode()


# --- the processes --------------------------------------------------------------------------------

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
