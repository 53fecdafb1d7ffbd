"""Jobs in worker processes that live on between jobs, and are replaced when they die."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from multiprocessing import context, spawn
from pathlib import Path
from types import FunctionType
from typing import Any

from palio.errors import MissingExtraError, require
from palio.experiment.data.datasets import Dataset
from palio.experiment.identity import lasting_name
from palio.experiment.outcome import Begun, DoneFold, JobOutcome, Status
from palio.experiment.plan import Job


class LocalEngine:
    """Worker processes with limits: a job over its time or memory ends as a row, like any other.

    A job whose worker dies is tried once more, since the fault may have been the machine's; so is
    one whose data have vanished from the temporary folder, which some machines sweep.
    """

    def __init__(
        self, n_jobs: int, *, time_limit: float | None = None, memory_limit: int | None = None
    ) -> None:
        require(n_jobs >= 1, "n_jobs", "at least one worker is needed", n_jobs)
        for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit)):
            require(limit is None or limit > 0, name, "a limit is positive", limit)
        self.n_jobs, self.time_limit, self.memory_limit = n_jobs, time_limit, memory_limit
        self._begun: Begun = {}

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job as it finishes; a few jobs wait ahead, never all of them."""
        try:
            from pebble import ProcessPool
        except ImportError as error:
            raise MissingExtraError("engine", "'local' needs pebble", extra="run") from error
        with tempfile.TemporaryDirectory(prefix="palio-") as folder:
            pool = ProcessPool(
                max_workers=self.n_jobs,
                context=_WorkerContext(),
                initializer=_become_worker,
                initargs=(folder, self.memory_limit),
            )
            waiting: dict[Future[list[JobOutcome]], _Sent] = {}
            try:
                yield from self._feed(pool, iter(jobs), _Depot(Path(folder)), waiting)
            finally:
                pool.stop()  # type: ignore[no-untyped-call]
                pool.join()
                under_way = [job.key for sent in waiting.values() for job in sent.jobs]
                self._begun = _done_folds(Path(folder), under_way)

    def begun(self) -> Begun:
        """Return the folds done of the jobs that workers had."""
        return self._begun

    def _feed(
        self,
        pool: Any,
        jobs: Iterator[Job],
        depot: _Depot,
        waiting: dict[Future[list[JobOutcome]], _Sent],
    ) -> Iterator[JobOutcome]:
        # A job with a time limit goes alone, so that only it is killed when it is over.
        pace = _Pace(alone=self.time_limit is not None)

        def fill() -> None:
            # Two ahead per worker keeps them busy and the memory small.
            while len(waiting) < 3 * self.n_jobs and (batch := tuple(islice(jobs, pace.batch))):
                self._send(pool, _Sent(batch), waiting, depot)

        fill()
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                outcomes, again = self._received(future, waiting.pop(future))
                for sent in again:
                    self._send(pool, sent, waiting, depot)
                pace.learn(outcomes)
                fill()
                yield from outcomes

    def _send(
        self, pool: Any, sent: _Sent, waiting: dict[Future[list[JobOutcome]], _Sent], depot: _Depot
    ) -> None:
        payload = pack(sent.jobs, depot.name)
        waiting[pool.schedule(_work, args=(payload,), timeout=self.time_limit)] = sent

    def _received(
        self, future: Future[list[JobOutcome]], sent: _Sent
    ) -> tuple[list[JobOutcome], list[_Sent]]:
        """Return how the jobs ended, and what is to be tried again."""
        from pebble import ProcessExpired

        try:
            return future.result(), []
        except Exception as error:
            if len(sent.jobs) > 1:
                # One of several is at fault: each by itself will tell which.
                return [], [_Sent((job,), sent.tries) for job in sent.jobs]
            if isinstance(error, ProcessExpired | _SweptError) and sent.tries == 0:
                return [], [_Sent(sent.jobs, tries=1)]
            return [self._ended(sent.jobs[0].key, error)], []

    def _ended(self, key: str, error: Exception) -> JobOutcome:
        """Make a row of what happened to a job, or to the worker that had it."""
        from pebble import ProcessExpired

        if isinstance(error, FutureTimeoutError):
            return _ended(key, "timeout", f"longer than {self.time_limit:g} s", self.time_limit)
        if isinstance(error, ProcessExpired):
            return _ended(key, "killed", f"the worker died (exit code {error.exitcode}), twice")
        if isinstance(error, MemoryError):
            return _ended(key, "memory", "out of memory")
        # What cannot be unpickled, here or there.
        return _ended(key, "failed", f"{type(error).__name__}: {error}".splitlines()[0])


@dataclass(frozen=True)
class _Sent:
    jobs: tuple[Job, ...]
    tries: int = 0


@dataclass
class _Pace:
    """How many jobs to send together: short ones go in batches, so that sending costs little."""

    alone: bool
    batch: int = 1
    seconds: float = 1.0  # of a job, as it has been of late

    def learn(self, outcomes: list[JobOutcome]) -> None:
        """Look at how long jobs take; aim at a quarter of a second together."""
        for outcome in outcomes:
            self.seconds += 0.2 * (outcome.seconds - self.seconds)
        if not self.alone:
            self.batch = max(1, min(64, int(0.25 / max(self.seconds, 1e-4))))


def _ended(key: str, status: Status, error: str, seconds: float | None = None) -> JobOutcome:
    return JobOutcome(key, status, error=error, stage="running", seconds=seconds or 0.0)


class _Depot:
    """A folder where workers find what many jobs share, each thing laid there once.

    That is data sets, and the classes and functions that no worker could import.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # By id, each with the thing itself, which keeps the id from being given to another.
        self._laid: dict[int, tuple[object, str]] = {}

    def name(self, thing: Any) -> str | None:
        """Return the name under which a thing lies there; ``None`` if it goes with the job."""
        if isinstance(thing, Dataset):
            kind = "data"
        elif isinstance(thing, type | FunctionType) and lasting_name(thing) is None:
            kind = "code"
        else:
            return None
        if id(thing) not in self._laid:
            self._laid[id(thing)] = thing, f"{kind}-{len(self._laid)}"
        name = self._laid[id(thing)][1]
        if not (self.folder / name).exists():
            self._lay(name, thing)
        return name

    def _lay(self, name: str, thing: object) -> None:
        import cloudpickle  # type: ignore[import-untyped]

        # What cleans temporary folders may have taken ours; a run can last for days.
        self.folder.mkdir(mode=0o700, exist_ok=True)
        (self.folder / name).write_bytes(cloudpickle.dumps(thing))


class _SweptError(Exception):
    """What a worker says when something it needs lies no longer where it was laid."""


# --- in the worker -------------------------------------------------------------------------------

_folder = Path()
_memory_limit: int | None = None


def _become_worker(folder: str, memory_limit: int | None) -> None:
    """Be quiet, whatever estimators print, and know where the data are and the limit."""
    global _folder, _memory_limit
    _folder, _memory_limit = Path(folder), memory_limit
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    from palio.experiment import work  # loaded before the first job, so that no job pays for it

    work.warm_up()


def _fetch(name: str) -> Any:
    """Fetch what was laid there; few data sets are kept, for jobs come data set by data set."""
    try:
        return _data(name) if name.startswith("data-") else _code(name)
    except FileNotFoundError as error:
        raise _SweptError(f"{error.filename} has vanished") from error


@lru_cache(maxsize=4)
def _data(name: str) -> Any:
    return pickle.loads((_folder / name).read_bytes())


@cache
def _code(name: str) -> Any:
    return pickle.loads((_folder / name).read_bytes())


def _work(payload: bytes) -> list[JobOutcome]:
    from palio.experiment.work import execute

    outcomes, jobs = [], unpack(payload, _fetch)
    for job in jobs:
        with _limited(_memory_limit):
            outcomes.append(execute(job, tell=partial(_lay_fold, job.key)))
    for job in jobs:
        for split in job.splits:
            _fold_file(_folder, job.key, split.fold).unlink(missing_ok=True)
    return outcomes


# What is done of jobs lies in the folder until they are told of, so that it outlives the worker.


def _fold_file(folder: Path, key: str, fold: int | str) -> Path:
    return folder / f"fold-{key}-{fold}"


def _lay_fold(key: str, done: DoneFold) -> None:
    file = _fold_file(_folder, key, done.outcome.fold)
    half = file.with_name(f"half-{file.name}")
    with contextlib.suppress(OSError):  # a full disk, or a folder swept away, is no fault of a job
        half.write_bytes(pickle.dumps(done))
        half.replace(file)


def _done_folds(folder: Path, keys: Iterable[str]) -> Begun:
    found = {
        key: [pickle.loads(file.read_bytes()) for file in sorted(folder.glob(f"fold-{key}-*"))]
        for key in keys
    }
    return {key: folds for key, folds in found.items() if folds}


@contextlib.contextmanager
def _limited(memory: int | None) -> Iterator[None]:
    """Hold the address space to what there is now and so much more."""
    if memory is None:
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


# --- starting workers ----------------------------------------------------------------------------

_patching = threading.Lock()


class _WorkerProcess(context.SpawnProcess):
    """A fresh process that does not run the user's script again.

    Processes are spawned, not forked, for a fork of a process with threads may hang. Spawning
    would import the main script anew in every worker, which scripts without a guard do not bear;
    jobs come pickled by value, so the workers do not need it.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - multiprocessing's name
        original: Callable[[str], dict[str, Any]] = spawn.get_preparation_data

        def without_main(name: str) -> dict[str, Any]:
            data = original(name)
            data.pop("init_main_from_name", None)
            data.pop("init_main_from_path", None)
            return data

        with _patching:
            spawn.get_preparation_data = without_main
            try:
                return context.SpawnProcess._Popen(process_obj)
            finally:
                spawn.get_preparation_data = original  # type: ignore[assignment]


class _WorkerContext(context.SpawnContext):
    Process = _WorkerProcess


# --- jobs on their way to a worker ---------------------------------------------------------------


# Jobs are pickled by value, so that estimators defined in a script or a notebook arrive too. What
# an engine sends in another way, a data set first of all, is left out and stands there as a name.


def pack(jobs: Sequence[Job], name: Callable[[Any], str | None]) -> bytes:
    """Pickle jobs; what ``name`` has a name for is left out."""
    for job in jobs:
        _ = job.key  # computed here once, and carried along
    buffer = io.BytesIO()
    _pickler()(buffer, name).dump(list(jobs))
    return buffer.getvalue()


def unpack(payload: bytes, fetch: Callable[[str], Any]) -> list[Job]:
    """Put jobs together again with what ``fetch`` has under those names."""

    class WithNamed(pickle.Unpickler):
        def persistent_load(self, name: Any) -> Any:
            return fetch(name)

    jobs: list[Job] = WithNamed(io.BytesIO(payload)).load()
    return jobs


@cache
def _pickler() -> Any:
    import cloudpickle

    class WithoutNamed(cloudpickle.CloudPickler):  # type: ignore[misc]
        def __init__(self, file: Any, name: Callable[[Any], str | None]) -> None:
            super().__init__(file)
            self.name = name

        def persistent_id(self, thing: Any) -> str | None:
            return self.name(thing)

    return WithoutNamed
