"""An experiment at a moment: which jobs have ended, how, and which are under way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from palio.experiment.status import (
    Jobs,
    RunFacts,
    facts_of,
    marks_of,
    rest_of,
    stored_sizes,
    version_of,
)

if TYPE_CHECKING:
    from palio.experiment.store.store import Mark, Store

CellState: TypeAlias = Literal["ok", "failed", "running", "begun", "waiting"]


@dataclass
class Cell:
    """The jobs of an algorithm on a data set."""

    jobs: int = 0
    ok: int = 0
    failed: int = 0
    under_way: int = 0

    @property
    def ended(self) -> int:
        """How many have ended, however."""
        return self.ok + self.failed

    @property
    def state(self) -> CellState:
        """What is to be seen of them at once: a failure before all."""
        if self.failed:
            return "failed"
        if self.ok == self.jobs:
            return "ok"
        if self.under_way:
            return "running"
        return "begun" if self.ok else "waiting"


@dataclass(frozen=True)
class RunNow(RunFacts):
    """What the store says of a run that may go on."""

    version: Annotated[str, "Another one whenever a job has ended."]
    seconds_left: Annotated[float | None, "How long the rest takes; nothing if that is not known."]
    running: Annotated[bool | None, "Whether someone runs it; nothing if that is not known."]
    last: Annotated[float, "When the last job ended; 0 if none has."]
    cells: Annotated[Mapping[str, Mapping[str, Cell]], "By data set and algorithm."]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those of the plan, in its order."""
        return tuple(self.cells)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Those of the plan, in its order."""
        return tuple(dict.fromkeys(name for row in self.cells.values() for name in row))

    @property
    def complete(self) -> tuple[str, ...]:
        """The data sets all of whose jobs have ended, however."""
        return tuple(
            name
            for name, row in self.cells.items()
            if all(cell.ended == cell.jobs for cell in row.values())
        )

    @property
    def under_way(self) -> int:
        """How many jobs run at the moment, as far as that is known."""
        return sum(cell.under_way for row in self.cells.values() for cell in row.values())


def run_now(store: Store, name: str | None, now: float) -> RunNow:
    """Say how far a run is at a moment."""
    running = store.running()  # before the rows, so that what ends meanwhile is not under way
    plan, jobs = store.plan_name(name), store.jobs(name)
    marks = marks_of(store, jobs)
    return RunNow(
        **vars(facts_of(store, plan, jobs)),
        version=version_of(marks),
        seconds_left=rest_of(jobs, marks, now, stored_sizes(store, plan)),
        running=running.goes_on,
        last=max((mark.finished for mark in marks.values()), default=0.0),
        cells=_cells(jobs, marks, running.keys),
    )


def _cells(
    jobs: Jobs, marks: Mapping[str, Mark], under_way: Collection[str]
) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    for job in jobs:
        cell = found.setdefault(job["dataset"], {}).setdefault(job["algorithm"], Cell())
        mark = marks.get(job["key"])
        cell.jobs += 1
        cell.ok += mark is not None and mark.status == "ok"
        cell.failed += mark is not None and mark.status != "ok"
        cell.under_way += mark is None and job["key"] in under_way
    return found
