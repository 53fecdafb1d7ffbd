"""What runs in a worker of a Dask cluster: a job in a process beside it, which may be lost alone.

So Dask's own worker stays answering whatever a job does, limits hold, and a job that takes its
process along is told from a worker that the cluster has lost.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from multiprocessing import process
from pathlib import Path

from palio.experiment.engines import Limits
from palio.experiment.engines.batch import lay
from palio.experiment.engines.workers import FAULTS, Ended, LostError, Spoiled, Worker, ended_row
from palio.experiment.outcome import JobOutcome

# A process that waits for so long has seen the last job of the run.
_IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Order:
    """A job to do: its run and key, a batch of it alone, and by what name its data are laid."""

    run: str
    key: str
    batch: bytes
    data_name: str
    limits: Limits
    fresh: bool = False


def given(data: bytes) -> bytes:
    """Return a data set, pickled: a task's result, which the scheduler can have made again."""
    return data


def work(order: Order, data: bytes) -> JobOutcome | str:
    """Run a job; return its outcome, or how it was lost with its process."""
    folder = _folder()
    for _ in range(FAULTS):
        if not (folder / order.data_name).exists():
            lay(folder, order.data_name, [data])
        worker = _hired(folder, order)
        try:
            ended = [said for said in worker.run(order.batch) if isinstance(said, Ended | Spoiled)]
        except LostError as lost:
            if lost.place is None:
                error = lost
                continue
            return lost.row(order.key, order.limits) or str(lost)
        finally:
            if order.fresh:
                worker.end()
            with _lock:
                _busy.get(order.run, set()).discard(worker)
                if not worker.gone.is_set():
                    _waiting[order.limits].append(worker)
        match ended[0]:
            case Ended(_, outcome):
                return outcome
            case Spoiled(why, swept) if not swept:
                return ended_row(order.key, "failed", why)
    raise RuntimeError(str(error))


# --- processes that wait for the next job ----------------------------------------------------

_waiting: dict[Limits, list[Worker]] = {}
_busy: dict[str, set[Worker]] = {}
_lock = threading.Lock()


def _hired(folder: Path, order: Order) -> Worker:
    limits = order.limits
    with _lock:
        waiting = _waiting.setdefault(limits, [])
        if waiting and not order.fresh:
            worker = waiting.pop()
        else:
            # Dask's workers are daemons, which multiprocessing forbids to have children; ours
            # ends with them all the same.
            process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
            worker = Worker(folder, limits, idle=_IDLE_SECONDS)
        _busy.setdefault(order.run, set()).add(worker)
        return worker


def dismiss(run: str) -> None:
    """End what is under way of a run that is over."""
    with _lock:
        for worker in _busy.pop(run, ()):
            worker.kill()


def _folder() -> Path:
    """Return a folder below the worker's, which Dask removes, be it only after its death."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / "palio"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
