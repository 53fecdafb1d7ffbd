"""Workers beside one another: each has a thread here that talks to it, and replaces it if lost."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from palio.experiment.engines.workers import LostError, Over, Said, Worker

T = TypeVar("T")

# After a worker that could not start the next waits, twice as long each time.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Task(Generic[T]):
    """A parcel, and what it is to whoever gave it; ``fresh`` asks for a worker of its own."""

    of: T
    parcel: bytes
    fresh: bool = False


class Crew(Generic[T]):
    """So many workers, started when there is work for them; what they say comes in one queue."""

    def __init__(self, size: int, make: Callable[[], Worker]) -> None:
        self._make = make
        self._tasks: SimpleQueue[Task[T] | None] = SimpleQueue()
        self._said: SimpleQueue[tuple[T, Said | Over | LostError]] = SimpleQueue()
        self._workers: set[Worker] = set()
        self._changing = threading.Lock()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep, name="palio-keeper", daemon=True)
            for _ in range(size)
        ]
        for thread in self._threads:
            thread.start()

    def give(self, task: Task[T]) -> None:
        """Have a parcel run by whoever is free first."""
        self._tasks.put(task)

    def hear(self) -> tuple[T, Said | Over | LostError]:
        """Wait for what is said next, and of what."""
        while True:
            # Not without end: on Windows Ctrl-C would wait, too.
            with contextlib.suppress(Empty):
                return self._said.get(timeout=_LOOK_SECONDS)

    def stop(self) -> Iterator[tuple[T, Said | Over | LostError]]:
        """End all workers; yield what they had still said."""
        with self._changing:
            self._over.set()
            for worker in self._workers:
                worker.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        while True:
            try:
                yield self._said.get_nowait()
            except Empty:
                return

    def _keep(self) -> None:
        worker: Worker | None = None
        wait = _FIRST_WAIT
        while not self._over.is_set() and (task := self._tasks.get()) is not None:
            try:
                if worker is not None and task.fresh:
                    self._dismiss(worker)
                    worker = None
                worker = worker or self._hired()
                for said in worker.run(task.parcel):
                    self._said.put((task.of, said))
                self._said.put((task.of, Over()))
                wait = _FIRST_WAIT
            except LostError as lost:
                if worker is not None:
                    self._dismiss(worker)
                    worker = None
                self._said.put((task.of, lost))
                if lost.place is None:
                    self._over.wait(wait)
                    wait = min(2 * wait, _LONGEST_WAIT)
        if worker is not None:
            self._dismiss(worker)

    def _hired(self) -> Worker:
        with self._changing:
            if self._over.is_set():
                raise LostError("died", None, None, "the run is over")
            try:
                worker = self._make()
            except OSError as error:  # no memory, or too many processes, for now
                raise LostError("died", None, None, str(error)) from error
            self._workers.add(worker)
            return worker

    def _dismiss(self, worker: Worker) -> None:
        with self._changing:
            self._workers.discard(worker)
        worker.end()
