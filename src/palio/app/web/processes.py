"""The processes beside the server, in which all the work is done.

Each has a pipe of its own, so that whenever and however one dies, it takes along nothing but the
question that it was at. That question is asked once more, of a new process.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import pickle
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from palio.app.web import shared
from palio.app.web.cache import Memory
from palio.app.web.settings import GIGABYTE, OverloadError, Settings
from palio.errors import PalioError
from palio.systems import system

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Given = TypeVarTuple("Given")
Found = TypeVar("Found")

# By how much each pool gives way where there are more processes than cores.
_PATIENCE = {"quick": 0, "slow": 5}

# So often a question is asked whose process dies: what killed the first need not be the question.
_TRIES = 2

# So many seconds a process has to come up, and to be gone once it was killed.
_GREETING, _FAREWELL = 60.0, 5.0

# So often, in seconds, its memory is looked at, where the system does not hold it to a limit.
_LOOK = 0.05

# So many seconds after its death a process that never came up is missed.
_LATEST = 1.0


class LostError(Exception):
    """A process died before it answered."""


class LateError(Exception):
    """A process did not answer in time."""


class Processes:
    """Two pools: one for what a person waits for, one for figures, audits and posteriors.

    What one of them has found out the others get from ``memory``. With ``workers=0`` all of it is
    done in threads of this process, one thing at a time.
    """

    def __init__(self, settings: Settings, memory: Memory | None = None) -> None:
        self._settings = settings
        if memory is None:
            memory = Memory(most_bytes=settings.cache_bytes)
        self._pools = {
            name: _Pool(settings, patience, memory)
            for name, patience in _PATIENCE.items()
            if settings.workers
        }
        self._alone = asyncio.Lock()

    @property
    def pids(self) -> list[int]:
        """Who works here at the moment."""
        return [pid for pool in self._pools.values() for pid in pool.pids]

    def warm(self, function: Callable[[], object]) -> None:
        """Start all processes and let them load what they will need."""
        for pool in self._pools.values():
            for _ in range(self._settings.workers):
                pool.submit(function)

    async def run(
        self, function: Callable[[*Given], Found], *given: *Given, slow: bool = False
    ) -> Found:
        """Run a function; a slow one, which may take seconds, does not keep the others waiting."""
        try:
            if not self._pools:
                async with self._alone:
                    return await asyncio.to_thread(function, *given)
            pool = self._pools["slow" if slow else "quick"]
            found: Found = await asyncio.wrap_future(pool.submit(function, *given))
        except LateError as error:
            raise OverloadError(
                "the answer",
                f"it took longer than {self._settings.seconds:g} s",
                remedy="ask for less: fewer algorithms, fewer data sets",
            ) from error
        except MemoryError as error:
            raise OverloadError(
                "the answer",
                f"it takes more memory than the {self._settings.worker_bytes / GIGABYTE:g} GB "
                "that a process may have here",
                remedy="ask for less, or start the workbench with more memory",
            ) from error
        except LostError as error:
            raise OverloadError(
                "the answer",
                "the process that worked on it died, and so did the next",
                remedy="ask again, or for less; it may be for lack of memory",
            ) from error
        return found

    def close(self) -> None:
        """End the processes, whatever they are at."""
        for pool in self._pools.values():
            pool.close()


class _Pool:
    """As many threads as processes: each thread waits for the process that it has asked."""

    def __init__(self, settings: Settings, patience: int, memory: Memory) -> None:
        self._seconds = settings.seconds
        self._workers = [
            _Worker(patience, settings.worker_bytes, memory) for _ in range(settings.workers)
        ]
        # The one that worked last comes first: it has the table in its memory.
        self._idle = deque(self._workers)
        self._threads = ThreadPoolExecutor(settings.workers, thread_name_prefix="palio-wait")

    @property
    def pids(self) -> list[int]:
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def submit(self, function: Callable[..., Found], *given: object) -> Future[Found]:
        return self._threads.submit(self._ask, function, given)

    def _ask(self, function: Callable[..., Found], given: tuple[object, ...]) -> Found:
        question = pickle.dumps((function, given))
        worker = self._idle.pop()
        try:
            found: Found = _opened(self._answer(worker, question))
        finally:
            self._idle.append(worker)
        return found

    def _answer(self, worker: _Worker, question: bytes) -> bytes:
        for _ in range(_TRIES - 1):
            with contextlib.suppress(LostError):
                return worker.ask(question, self._seconds)
        return worker.ask(question, self._seconds)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(cancel_futures=True)


def _opened(answer: bytes) -> Any:
    """Return what a process has found, or raise what it has raised."""
    fine, found = pickle.loads(answer)
    if not fine:
        raise found
    return found


class _Worker:
    """A process and the pipe to it: started when it is asked, and anew where it has died.

    It is asked by one thread at a time; any may close it.
    """

    def __init__(self, patience: int, most_bytes: int, memory: Memory) -> None:
        self._with = (patience, most_bytes)
        self._most_bytes = None if system().holds_memory else most_bytes
        self._memory = memory
        self._process: BaseProcess | None = None
        self._pipe: Any = None  # of a kind that each system has its own of
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        process = self._process
        return None if process is None else process.pid

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Send a question and wait for its answer, for at most so many seconds."""
        process, pipe, new = self._started()
        if new:
            self._talk(process, _GREETING, lambda: _greeting(process, pipe))

        def talk() -> bytes:
            pipe.send_bytes(question)
            return shared.heard(pipe, self._memory)

        return self._talk(process, seconds, talk)

    def _talk(self, process: BaseProcess, seconds: float, talk: Callable[[], bytes]) -> bytes:
        """Talk to a process, which is killed when the time is up: so neither side can hang.

        It is also killed for taking too much memory, where nothing else keeps it from that.
        """
        over = threading.Event()
        why: list[Exception] = []
        until = time.monotonic() + seconds

        def watch() -> None:
            while not over.wait(self._next_look(until)):
                if self._is_over_memory(process):
                    why.append(MemoryError())
                elif time.monotonic() >= until:
                    why.append(LateError())
                if why:
                    process.kill()
                    break

        watcher = threading.Thread(target=watch, name="palio-watch", daemon=True)
        watcher.start()
        try:
            return talk()
        except (EOFError, OSError) as error:
            self._end()
            raise (why or [LostError()])[0] from error
        finally:
            over.set()

    def _next_look(self, until: float) -> float:
        left = max(0.0, until - time.monotonic())
        return left if self._most_bytes is None else min(left, _LOOK)

    def _is_over_memory(self, process: BaseProcess) -> bool:
        most = self._most_bytes
        return most is not None and system().memory_of(process.pid) > most

    def _started(self) -> tuple[BaseProcess, Any, bool]:
        """Return the process, its pipe, and whether it has yet to say that it is there."""
        with self._lock:
            if self._closed:
                raise LostError
            if self._process is not None and self._pipe is not None and self._process.is_alive():
                return self._process, self._pipe, False
            self._drop()
            spawning = multiprocessing.get_context("spawn")
            pipe, theirs = spawning.Pipe()
            process = spawning.Process(
                target=_work, args=(theirs, *self._with), name="palio-worker", daemon=True
            )
            try:
                with system().uninterrupted():
                    process.start()
            except OSError as error:  # no memory, or too many processes
                pipe.close()
                raise LostError from error
            finally:
                # The process alone holds its end, so that its death closes the pipe.
                theirs.close()
            self._process, self._pipe = process, pipe
            return process, pipe, True

    def _end(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join(_FAREWELL)
            self._drop()

    def _drop(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def close(self) -> None:
        """End the process for good; whoever waits for it is told that it is lost."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()
                self._process.join(_FAREWELL)


def _greeting(process: BaseProcess, pipe: Any) -> bytes:
    """Wait for the first word of a process, or its death, which on Windows may end no pipe."""
    while not pipe.poll(_LATEST):
        if not process.is_alive() and not pipe.poll(0):
            raise EOFError
    return bytes(pipe.recv_bytes())


# --- inside a process -----------------------------------------------------------------------------


def _work(pipe: Connection, patience: int, most_bytes: int) -> None:
    """Answer one question after the other, until the server is gone."""
    _become_worker(patience, most_bytes)
    shared.connect(pipe)
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            answer, exhausted = _answered(pipe.recv_bytes())
            pipe.send(("answer", None, answer))
            if exhausted:  # a new process has all its memory
                return


def _answered(question: bytes) -> tuple[bytes, bool]:
    """Return what a function says or raises, and whether the memory ran out over it."""
    try:
        function, given = pickle.loads(question)
        return pickle.dumps((True, function(*given))), False
    except MemoryError:
        return pickle.dumps((False, MemoryError())), True
    except Exception as error:
        return _packed(error), False


def _packed(error: Exception) -> bytes:
    """Return an error for the server; one that is no known one with its traceback, for the log."""
    if not isinstance(error, PalioError):
        error.add_note(traceback.format_exc())
    try:
        packed = pickle.dumps((False, error))
        pickle.loads(packed)  # some can be packed, but not unpacked
    except Exception:
        return pickle.dumps((False, RuntimeError(traceback.format_exc())))
    return packed


def _become_worker(patience: int, most_bytes: int) -> None:
    """Leave Ctrl-C to the server, the cores to the other workers, and memory to the machine."""
    system().ignore_interruptions()
    system().give_way(patience)
    system().hold_to(most_bytes)
    # Before NumPy is loaded, or it would start as many threads as there are cores.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
