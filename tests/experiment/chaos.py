"""Faults at random moments of a run, each followed by what a person would do: run it again.

``python -m tests.experiment.chaos`` prints the table of what was tried and what came of it.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from palio.experiment.engines import EngineOptions
from palio.experiment.plan import Plan, make_plan
from palio.experiment.runner import Progress, run_plan
from palio.experiment.store.store import Mark, Store
from tests.experiment import cluster
from tests.experiment.by_hand import folds_in
from tests.experiment.estimators import Draws
from tests.experiment.server import new_place, server

ROOT = str(Path(__file__).resolve().parents[2])
# One after another may be needed, and each takes as long as a machine needs to load a library.
_PATIENCE_SECONDS = 600.0


def plan_of(jobs: int) -> Plan:
    """Return a plan of so many jobs, five on each data set for each algorithm."""
    algorithms = {f"d{i}": Draws(i, 0.001) for i in range(jobs // 10)}
    return make_plan(["sklearn:iris", "sklearn:wine"], algorithms, resampling="5x2")


# --- a run that may be killed, and is quickly started again ----------------------------------


def nursery(place: str, engine: str, scheduler: str, jobs: int) -> None:
    """Load everything once; for each line that comes, run the plan in a process of its own."""
    plan = plan_of(jobs)
    _ = [job.key for job in plan.jobs]
    options = EngineOptions(engine, 2, scheduler=scheduler or None, patience=60)
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            os._exit(_run(plan, place, options))
        _say(f"pid {pid}")
        _say(f"end {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}")


def _run(plan: Plan, place: str, options: EngineOptions) -> int:
    from palio.errors import PalioError

    def tell(state: Progress) -> None:
        _say(f"done {state.done}")

    try:
        with Store(place) as store:
            run_plan(plan, store, options, progress=tell)
    except PalioError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0


def _say(line: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, f"{line}\n".encode())


class Run:
    """A run as seen from outside: how far it is, its process, and how that ended."""

    def __init__(self, place: str, engine: str, jobs: int, log: Path, scheduler: str = "") -> None:
        self.pid, self.done, self.status = 0, 0, 0
        self.resumes = -1
        command = (
            f"from tests.experiment import chaos; chaos.nursery{place, engine, scheduler, jobs}"
        )
        path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), ROOT])
        with log.open("ab") as said:
            self._nursery = subprocess.Popen(
                [sys.executable, "-c", command],
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def start(self) -> None:
        """Run the plan, or go on with it."""
        assert self._nursery.stdin is not None
        self.resumes += 1
        self.pid = -1
        self._nursery.stdin.write(b"go\n")
        self._nursery.stdin.flush()

    def _listen(self) -> None:
        assert self._nursery.stdout is not None
        for line in self._nursery.stdout:
            what, number = line.split()
            if what == b"pid":
                self.pid = int(number)
            elif what == b"done":
                self.done = max(self.done, int(number))
            else:
                self.pid, self.status = 0, int(number)

    def close(self) -> None:
        """End it, and what it has started."""
        for process in [*processes(self._nursery.pid), psutil.Process(self._nursery.pid)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._nursery.wait()
        self._listener.join()
        for pipe in (self._nursery.stdin, self._nursery.stdout):
            assert pipe is not None
            pipe.close()


def processes(pid: int) -> list[psutil.Process]:
    """Return what a process, or one of its own, has started."""
    try:
        return list(psutil.Process(pid).children(recursive=True)) if pid > 0 else []
    except psutil.NoSuchProcess:
        return []


# --- the faults ------------------------------------------------------------------------------

# What may be hit, by name: processes as they are just then, or something else to be done.
Targets = Mapping[str, Callable[[], Sequence[psutil.Process] | None]]


def _workers(pid: int) -> list[psutil.Process]:
    return [each for each in processes(pid) if _says(each, "spawn_main")]


def _says(process: psutil.Process, word: str) -> bool:
    try:
        return word in " ".join(process.cmdline())
    except psutil.Error:
        return False


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _itself(run: Run) -> list[psutil.Process]:
    return [psutil.Process(run.pid)] if run.pid > 0 and psutil.pid_exists(run.pid) else []


@dataclass(frozen=True)
class Count:
    """What was tried on an engine, and what came of it."""

    engine: str
    faults: int
    survived: int
    resumes: int
    jobs: int
    lost: int
    equal: int
    failed: int
    tracebacks: int
    seconds: float

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, nothing differs, and nobody saw a traceback."""
        whole = self.survived == self.faults and self.equal == 2 * self.jobs
        return whole and not (self.lost or self.failed or self.tracebacks)


def table(counts: Sequence[Count]) -> str:
    """Write them down."""
    names = [each.name for each in fields(Count)]
    rows = [names, *([_cell(getattr(count, name)) for name in names] for count in counts)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(names))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def _cell(value: object) -> str:
    return f"{value:.0f}" if isinstance(value, float) else str(value)


class Chaos:
    """One engine under fire: so many faults over so many jobs, drawn with a seed."""

    def __init__(self, folder: Path, *, faults: int, jobs: int, seed: int = 0) -> None:
        self._folder, self._faults, self._jobs = folder, faults, jobs
        self._draw = random.Random(seed)
        # What was stored at each fault must be there at the end, and have ended in the same way.
        self._before: list[dict[str, Mark]] = []

    def count(self, name: str, place: str, runs: Sequence[Run], targets: Targets) -> Count:
        """Run the plan in as many processes as there are, with faults, to its end."""
        began = time.monotonic()
        # A run goes on while a fault waits for its moment: none comes when it is nearly over.
        moments = sorted(self._draw.sample(range(1, self._jobs * 9 // 10), self._faults))
        for run in runs:
            run.start()
        while not self._is_over(runs):
            assert time.monotonic() - began < _PATIENCE_SECONDS, f"{name} does not end"
            if len(self._before) < self._faults and self._reached(runs, moments):
                self._hit(place, targets)
            for run in runs:
                if run.pid == 0 and run.status != 0:
                    run.start()
            time.sleep(0.005)
        return self._counted(name, place, runs, time.monotonic() - began)

    def _is_over(self, runs: Sequence[Run]) -> bool:
        return all(run.pid == 0 and run.status == 0 for run in runs)

    def _reached(self, runs: Sequence[Run], moments: Sequence[int]) -> bool:
        return max(run.done for run in runs) >= moments[len(self._before)]

    def _hit(self, place: str, targets: Targets) -> None:
        """Wait a little, and hit something: what is busy, waits, or is just starting."""
        time.sleep(self._draw.choice([0.0, 0.02, 0.1, 0.5]) * self._draw.random())
        stored = _marks(place)
        find = targets[self._draw.choices(list(targets), [_WEIGHTS[name] for name in targets])[0]]
        found = find()
        if found is None:
            self._before.append(stored)
        elif alive := [each for each in found if _is_alive(each)]:
            chosen = self._draw.choice(alive)
            with contextlib.suppress(psutil.NoSuchProcess):
                chosen.kill()
                self._before.append(stored)
            while _is_alive(chosen):
                time.sleep(0.002)

    def _counted(self, name: str, place: str, runs: Sequence[Run], seconds: float) -> Count:
        plan = plan_of(self._jobs)
        with Store(place) as store, Store(self._folder / "undisturbed.db") as whole:
            if not whole.marks():
                run_plan(plan, whole, EngineOptions("inline"))
            marks, found, expected = store.marks(), _folds(store), _folds(whole)
        log = (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return Count(
            name,
            len(self._before),
            sum(
                all(key in marks and marks[key].status == mark.status for key, mark in each.items())
                for each in self._before
            ),
            sum(run.resumes for run in runs),
            len(plan.jobs),
            sum(job.key not in marks for job in plan.jobs),
            sum(found.get(key) == value for key, value in expected.items()),
            sum(mark.status != "ok" for mark in marks.values()),
            log.count("Traceback"),
            seconds,
        )


# How often each is hit; what takes long to start again, seldom.
_WEIGHTS = {
    "run": 3, "worker": 12, "dask worker": 4, "nanny": 1, "scheduler": 1, "connection": 1,
}  # fmt: skip


def _marks(place: str) -> dict[str, Mark]:
    try:
        with Store(place, create=False) as store:
            return store.marks()
    except Exception:  # not there yet, or its connections are just being cut
        return {}


def _folds(store: Store) -> dict[Any, Any]:
    return {
        (row["dataset"], row["algorithm"], row["repeat"], row["fold"]): row["scores"]
        for row in folds_in(store)
    }


# --- the engines -----------------------------------------------------------------------------


def over_inline(chaos: Chaos, folder: Path, jobs: int) -> Count:
    """Kill the process."""
    return _alone("inline", chaos, folder, jobs, lambda run: {"run": lambda: _itself(run)})


def over_local(chaos: Chaos, folder: Path, jobs: int) -> Count:
    """Kill workers, and the process."""
    return _alone(
        "local", chaos, folder, jobs,
        lambda run: {"run": lambda: _itself(run), "worker": lambda: _workers(run.pid)},
    )  # fmt: skip


def over_dask(chaos: Chaos, folder: Path, jobs: int) -> Count:
    """Kill processes of jobs, Dask's workers, their nannies, the scheduler, and the process."""
    with cluster.running(folder / "dask", mended=True) as made:

        def nannies() -> list[psutil.Process]:
            return [psutil.Process(each.pid) for each in made.nannies if each.poll() is None]

        def depth(levels: int) -> list[psutil.Process]:
            found = nannies()
            for _ in range(levels):
                with contextlib.suppress(psutil.NoSuchProcess):
                    found = [child for each in found for child in each.children()]
            return [each for each in found if _says(each, "spawn_main")]

        return _alone(
            "dask", chaos, folder, jobs,
            lambda run: {
                "run": lambda: _itself(run),
                "worker": lambda: depth(2),
                "dask worker": lambda: depth(1),
                "nanny": nannies,
                "scheduler": lambda: [psutil.Process(made.scheduler.pid)],
            },
            scheduler=made.address,
        )  # fmt: skip


def over_postgres(chaos: Chaos, folder: Path, jobs: int) -> Count:
    """Kill one of two runs that share a store, or cut the connections of both."""
    import psycopg

    with server() as url:
        place = new_place(url, "chaos")

        def cut() -> None:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                )

        with _runs("postgresql", place, "inline", folder, jobs, n=2) as runs:
            targets: Targets = {
                "run": lambda: [process for run in runs for process in _itself(run)],
                "connection": cut,
            }
            return chaos.count("postgresql", place, runs, targets)


OVER = {
    "inline": over_inline, "local": over_local, "dask": over_dask, "postgresql": over_postgres,
}  # fmt: skip


def _alone(
    engine: str,
    chaos: Chaos,
    folder: Path,
    jobs: int,
    targets: Callable[[Run], Targets],
    scheduler: str = "",
) -> Count:
    place = str(folder / f"{engine}.db")
    with _runs(engine, place, engine, folder, jobs, scheduler=scheduler) as (run,):
        return chaos.count(engine, place, [run], targets(run))


@contextlib.contextmanager
def _runs(
    name: str, place: str, engine: str, folder: Path, jobs: int, *, n: int = 1, scheduler: str = ""
) -> Iterator[list[Run]]:
    log = folder / f"{name}.log"
    runs = [Run(place, engine, jobs, log, scheduler) for _ in range(n)]
    try:
        yield runs
    finally:
        for run in runs:
            run.close()


def counts(
    names: Sequence[str], folder: Path, *, faults: int, jobs: int, seed: int = 0
) -> Iterator[Count]:
    """Try faults on engines, one after another."""
    for name in names:
        chaos = Chaos(folder, faults=faults, jobs=jobs, seed=seed)
        yield OVER[name](chaos, folder, jobs)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as temporary:
        wanted = sys.argv[3:] or list(OVER)
        made = counts(
            wanted, Path(temporary), faults=int(sys.argv[1]), jobs=int(sys.argv[2]), seed=19
        )
        sys.stdout.write(f"{table(list(made))}\n")
        for each in wanted:
            told = (Path(temporary) / f"{each}.log").read_text(encoding="utf-8")
            sys.stderr.write(f"--- {each}\n{told[-3000:]}\n" if told else "")
