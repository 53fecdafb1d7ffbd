"""What engines do about faults: whose they are, how often a job is tried, and when to give up.

A job is never at fault because a worker, a connection or a scheduler was lost: it is tried again.
Only one that is lost with its worker time and again, at last as the only job that is running, has
ended, as a row.
"""

from __future__ import annotations

import signal
from collections import Counter
from typing import Literal, TypeAlias

from palio.errors import EngineError
from palio.experiment.outcome import JobOutcome, Status

TRIES = 3
"""So many workers may die of a job: two with others beside it, the third with the job alone."""

FAULTS = 5
"""So many faults for each worker, with no job ending meanwhile, and an engine gives up."""

Next: TypeAlias = Literal["again", "alone", "over"]


class Faults:
    """Counts what is lost: a job with its worker, or only time."""

    def __init__(self, engine: str, n_workers: int) -> None:
        self._engine = engine
        self._most = FAULTS * n_workers
        self._in_a_row = 0
        self._lost: Counter[str] = Counter()

    def ended(self) -> None:
        """Take note that a job has ended: whatever was wrong, it goes on."""
        self._in_a_row = 0

    def lost(self, key: str) -> Next:
        """Count a job that was lost with the worker it ran in, and say what to do with it."""
        self.ended()  # workers that run jobs are no fault of the engine
        self._lost[key] += 1
        if self._lost[key] >= TRIES:
            return "over"
        return "alone" if self._lost[key] == TRIES - 1 else "again"

    def in_vain(self, why: str) -> None:
        """Count a fault that no job had a part in; too many in a row are an error."""
        self._in_a_row += 1
        if self._in_a_row >= self._most:
            raise EngineError(
                "engine",
                f"'{self._engine}' can run nothing: {why}, {self._in_a_row} times in a row",
            )


def lost_row(key: str, why: str) -> JobOutcome:
    """Make the row of a job that was lost with its worker each time."""
    return ended_row(key, "killed", f"{why}, {TRIES} times, at last with no other job beside it")


def ended_row(key: str, status: Status, error: str, seconds: float | None = None) -> JobOutcome:
    """Make the row of a job that could not say itself how it ended."""
    return JobOutcome(key, status, error=error, stage="running", seconds=seconds or 0.0)


def exit_named(code: int | None) -> str:
    """Say how a process ended.

    Windows has large numbers for what it ends a process for, known by their hexadecimal digits.

    >>> exit_named(7), exit_named(-15), exit_named(-40), exit_named(0xC0000005)
    ('exit code 7', 'SIGTERM', 'signal 40', 'exit code 0xc0000005')
    """
    if code is not None and code < 0:
        known = -code in set(signal.Signals)
        return signal.Signals(-code).name if known else f"signal {-code}"
    return f"exit code {code if code is None or code < 1 << 16 else hex(code)}"
