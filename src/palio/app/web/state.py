"""All that one server has: its tables, its workers, and what they have found out.

The work is done in `processes` beside the server, so that it always has time to answer. Files that
people upload are read there too. What takes too long, or brings its process down, is an error for
the one who asked and for nobody else.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVarTuple

from palio.app.options import Reading
from palio.app.web import live, worker
from palio.app.web.cache import Answers, Memory
from palio.app.web.events import Watcher
from palio.app.web.packing import packed
from palio.app.web.processes import Processes
from palio.app.web.settings import Settings
from palio.app.web.tables import Asked, TableSource, TableSources, Uploads
from palio.errors import ParameterError
from palio.experiment.engines.folders import run_folder
from palio.scores.sources import study_in

Given = TypeVarTuple("Given")

# A store is looked at anew after so many seconds, however many people are watching.
_GLANCE = 2.0


class ServerState:
    """The state of a server; closed with it."""

    def __init__(
        self, settings: Settings, opened: str | None = None, reading: Reading | None = None
    ) -> None:
        self.settings = settings
        self._open = contextlib.ExitStack()
        # For uploads; those of servers that were killed go.
        self.folder = self._open.enter_context(run_folder())
        self.tables = TableSources(Uploads(self.folder, settings), opened, reading)
        # One limit for what was answered and for what the processes share.
        self.memory = Memory(most_bytes=settings.cache_bytes)
        self._answers = Answers(self.memory)
        self._processes = Processes(settings, self.memory)
        self.watcher = Watcher(self.progress)

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
        self._open.close()

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
        found = await self._find(key, _version, source)
        return found.decode()

    def experiment(self) -> TableSource:
        """Return the store that the server was started with."""
        source = self.tables.opened()
        if source is None or not source.is_store:
            raise ParameterError("table", "only an experiment's store has progress to show")
        return source

    async def progress(self) -> bytes:
        """Return how far the experiment is."""
        source = self.experiment()
        source = replace(source, version=await self.version(source))
        # Who looks again within the same state of the store is told the same, a little later anew.
        key = ("progress", *source.key, self.moment())
        return await self._find(key, live.progress, source)

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
        """Return what a function says, packed, from memory if it has said it before."""
        return await self._find(key, packed, function, *given, slow=slow)

    async def _find(
        self,
        key: Hashable,
        function: Callable[[*Given], bytes],
        *given: *Given,
        slow: bool = False,
    ) -> bytes:
        return await self._answers.get(
            key, lambda: self._processes.run(function, *given, slow=slow)
        )

    async def posterior(self, asked: Asked) -> bytes:
        """Return what the Bayesian model says; whatever shows it, the model is asked once."""
        about = worker.posterior_question(asked)
        return await self._find(("model", *about.key), worker.pickled_posterior, about, slow=True)


def _version(source: TableSource) -> bytes:
    return live.version_of(source).encode()
