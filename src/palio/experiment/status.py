"""How far an experiment is: what would run, what does, how jobs ended, why, where, how long."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from palio.errors import UnreadableError
from palio.experiment.estimate import Pace, Sizes
from palio.experiment.parts import said_of_data, sizes_of
from palio.experiment.store.database import without_collections
from palio.experiment.store.store import Checked
from palio.results import Result
from palio.words import harmless

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.plan import Plan
    from palio.experiment.store.store import JobColumns, Store

# Of what a machine tells of itself, the libraries.
_LIBRARIES = ("python", "numpy", "scipy", "scikit-learn", "palio")

_N_SLOWEST = 5


@dataclass(frozen=True)
class Failure:
    """Jobs that ended for one cause."""

    cause: str
    jobs: int
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]


@dataclass(frozen=True)
class Machine:
    """Where jobs ran."""

    host: str
    processor: str
    exclusive: Annotated[bool, "Whether nothing else ran beside them."]
    jobs: int


@dataclass(frozen=True)
class RunFacts:
    """What the store says of the run."""

    store: str
    plan: str | None
    jobs: int
    counts: Annotated[Mapping[str, int], "How many jobs ended how; 'not run' for those to come."]
    finished: bool
    failures: tuple[Failure, ...]
    machines: tuple[Machine, ...]
    versions: Annotated[Mapping[str, tuple[str, ...]], "Of the libraries that ran it."]
    _: KW_ONLY
    part: Annotated[str, "Which parts of the plan these jobs are; empty for all of it."] = ""
    total: Annotated[int, "How many jobs the whole plan has."] = 0
    preparation: Annotated[
        Mapping[str, str], "What is done to the features before each algorithm, by its name."
    ] = field(default_factory=dict)
    units: Annotated[
        Mapping[str, str], "By data set: what is left out together, where rows have groups."
    ] = field(default_factory=dict)

    @property
    def data_said(self) -> str:
        """How the data were prepared and divided, in words."""
        return said_of_data(self.preparation, self.units)

    @property
    def done(self) -> int:
        """How many jobs have ended, however."""
        return self.jobs - self.counts.get("not run", 0)

    @property
    def failed(self) -> int:
        """How many of these did not end well."""
        return self.done - self.ended_well

    @property
    def ended_well(self) -> int:
        """How many jobs have a score."""
        return self.counts.get("ok", 0)


def version_of(finished: Iterable[float | None]) -> str:
    """Return what changes when a store does: how many jobs have ended, and when the last did."""
    ended = [moment for moment in finished if moment is not None]
    return f"{len(ended)}-{max(ended, default=0):.3f}"


def run_facts(store: Store, name: str | None = None) -> RunFacts:
    """Say how the jobs of a plan ended, why, and where: what a report tells of the run."""
    jobs = store.job_columns(name)
    return _facts(store.shown, jobs, kept_of_plan(store, jobs.plan.name))


def _facts(store: str, jobs: JobColumns, kept: KeptOfPlan) -> RunFacts:
    """Say how jobs ended, why, and where."""
    counts = Counter(status or "not run" for status in jobs.status)
    counts += Counter({"not run": _absent(jobs)})
    ran = machines(jobs)
    distinct = list({id(each): each for each in ran}.values())
    versions = {
        library: tuple(sorted({each[library] for each in distinct if library in each}))
        for library in _LIBRARIES
    }
    return RunFacts(
        store=store,
        plan=jobs.plan.name or None,
        jobs=len(jobs) + _absent(jobs),
        counts=dict(counts),
        finished="not run" not in counts,
        failures=_failures(jobs),
        machines=_by_machine(ran),
        versions={library: found for library, found in versions.items() if found},
        part=jobs.plan.part,
        total=max(jobs.plan.total, len(jobs)),
        preparation=kept["preparation"],
        units=kept["units"],
    )


def machines(
    jobs: JobColumns, wanted: Callable[[int], bool] = lambda _: True
) -> list[dict[str, str]]:
    """Return where jobs ran that ended well, one entry per job that is wanted."""
    read = {text: json.loads(text) for text in set(jobs.machine) if text is not None}
    return [
        read[text]
        for job, (status, text) in enumerate(zip(jobs.status, jobs.machine, strict=True))
        if status == "ok" and text is not None and wanted(job)
    ]


def cause_of(jobs: JobColumns, job: int) -> str:
    """Say how a job ended that did not end well, or that lacks a score."""
    status = "no score" if jobs.status[job] == "ok" else jobs.status[job]
    return f"{status}: {harmless(jobs.error[job] or '')}" if status else "not run"


def _failures(jobs: JobColumns) -> tuple[Failure, ...]:
    """Gather the jobs that did not end well by their cause, the commonest first."""
    by_cause: dict[str, list[int]] = {}
    for job, status in enumerate(jobs.status):
        if status not in (None, "ok") or jobs.error[job]:
            by_cause.setdefault(cause_of(jobs, job), []).append(job)
    return tuple(
        Failure(
            cause,
            len(failed),
            tuple(dict.fromkeys(jobs.dataset[job] for job in failed)),
            tuple(dict.fromkeys(jobs.algorithm[job] for job in failed)),
        )
        for cause, failed in sorted(by_cause.items(), key=lambda item: -len(item[1]))
    )


def _by_machine(ran: Sequence[Mapping[str, str]]) -> tuple[Machine, ...]:
    """Count the jobs of each machine, those measured with nothing beside by themselves."""
    jobs = Counter(map(id, ran))
    counts: Counter[tuple[str, str, bool]] = Counter()
    for each in {id(each): each for each in ran}.values():
        if "host" in each:
            processor = each.get("processor_name", each.get("processor", ""))
            counts[each["host"], processor, "exclusive" in each] += jobs[id(each)]
    return tuple(Machine(*where, n) for where, n in sorted(counts.items()))


KEPT_OF_PLAN = ("targets", "sizes", "preparation", "units")
"""What a store remembers of a plan, each a mapping by data set or algorithm."""

KeptOfPlan: TypeAlias = dict[str, dict[str, Any]]


def keep_datasets(store: Store, plan: Plan, name: str) -> None:
    """Remember which columns a plan learns, how its data are prepared, and how large they are."""
    told = (dict(plan.targets), sizes_of(plan), plan.prepared, plan.units)
    for what, values in zip(KEPT_OF_PLAN, told, strict=True):
        store.remember(f"{what} of {name}", json.dumps(values))


def kept_of_plan(store: Store, plan: str) -> KeptOfPlan:
    """Return what `keep_datasets` wrote."""
    return {what: store.recall_object(f"{what} of {plan}") for what in KEPT_OF_PLAN}


def _seconds_left(jobs: JobColumns, sizes: Sizes, now: float) -> float | None:
    if _absent(jobs) or None not in jobs.status:
        return None if _absent(jobs) else 0.0
    pace, left = Pace.of(jobs, sizes)
    return pace.seconds_left(left, now)


def _absent(jobs: JobColumns) -> int:
    """Return how many jobs of a plan are not among these, where they should be all of it."""
    return 0 if jobs.plan.part else max(jobs.plan.total - len(jobs), 0)


# --- of a store ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class AlgorithmTime:
    """How long the jobs of an algorithm took."""

    algorithm: str
    jobs: int
    seconds: float
    per_job: float


@dataclass(frozen=True)
class JobTime:
    """How long a job took."""

    dataset: str
    algorithm: str
    repeat: int
    seed: int
    seconds: float


@dataclass(frozen=True)
class Status(RunFacts, Result):
    """How the jobs of a plan ended, and how long they took.

    Parameters
    ----------
    plans : tuple of str
        Those of the store, the newest first.
    algorithms : tuple of AlgorithmTime
        How long each took in all.
    slowest : tuple of JobTime
        The jobs that took longest.
    targets : mapping
        Which column was learnt, of data sets that came from files or OpenML.
    seconds_left : float or None
        How long the jobs that have not ended take; ``None`` while too little is known to say.
    checked : Checked or None
        That every row of the store was looked at and is good, if that was asked.
    """

    plans: tuple[str, ...]
    algorithms: tuple[AlgorithmTime, ...]
    slowest: tuple[JobTime, ...]
    targets: Mapping[str, str]
    seconds_left: float | None = None
    checked: Checked | None = None

    kind: ClassVar[str] = "status"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm."""
        import pandas as pd

        return pd.DataFrame(self.algorithms)


def status_of(store: Store, name: str | None = None, *, check: bool = False) -> Status:
    """Say how the jobs of a plan ended, why, where, and how long they took.

    With ``check`` every row of the store is looked at first.
    """
    checked = store.check() if check else None
    with without_collections():
        jobs = store.job_columns(name)
        kept = kept_of_plan(store, jobs.plan.name)
        return _status(store.shown, jobs, kept, plans=tuple(store.plans()), checked=checked)


def status_of_parts(folder: Path, name: str | None = None, *, check: bool = False) -> Status:
    """Say the same of parts of a plan, each in a store of its own; jobs of others are not run."""
    from palio.experiment.store.store import Store

    jobs: JobColumns | None = None
    kept, rows = KeptOfPlan(), 0
    for place in sorted(folder.glob("*.db")):
        with Store(place, create=False) as store:
            rows += store.check().rows if check else 0
            part = store.job_columns(name)
            kept = kept_of_plan(store, part.plan.name)  # of all of the plan, in each
            jobs = part if jobs is None else jobs.joined(part)
    if jobs is None:
        raise UnreadableError(
            "store", f"'{folder}' has no store yet", remedy="wait until the first part has begun"
        )
    checked = Checked(rows) if check else None
    return _status(str(folder), jobs, kept, plans=(jobs.plan.name,), checked=checked)


def _status(
    shown: str, jobs: JobColumns, kept: KeptOfPlan, plans: tuple[str, ...], checked: Checked | None
) -> Status:
    ended = [(took, job) for job, took in enumerate(jobs.seconds) if took is not None]
    seconds: dict[str, list[float]] = {}
    for algorithm, took in zip(jobs.algorithm, jobs.seconds, strict=True):
        if took is not None:
            seconds.setdefault(algorithm, []).append(took)
    return Status(
        **vars(_facts(shown, jobs, kept)),
        plans=plans,
        algorithms=tuple(
            AlgorithmTime(algorithm, len(each), sum(each), sum(each) / len(each))
            for algorithm, each in seconds.items()
        ),
        slowest=tuple(
            JobTime(jobs.dataset[job], jobs.algorithm[job], jobs.repeat[job], jobs.seed[job], took)
            for took, job in nlargest(_N_SLOWEST, ended)
        ),
        targets=kept["targets"],
        seconds_left=_seconds_left(jobs, kept["sizes"], time.time()),
        checked=checked,
    )


# --- of a run that goes on -----------------------------------------------------------------------

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
    jobs = store.job_columns(name)
    kept = kept_of_plan(store, jobs.plan.name)
    return RunNow(
        **vars(_facts(store.shown, jobs, kept)),
        version=version_of(jobs.finished),
        seconds_left=_seconds_left(jobs, kept["sizes"], now),
        running=running.goes_on,
        last=max((moment for moment in jobs.finished if moment is not None), default=0.0),
        cells=_cells(jobs, running.keys),
    )


def _cells(jobs: JobColumns, under_way: Collection[str]) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    columns = zip(jobs.dataset, jobs.algorithm, jobs.status, jobs.key, strict=True)
    for dataset, algorithm, status, key in columns:
        cell = found.setdefault(dataset, {}).setdefault(algorithm, Cell())
        cell.jobs += 1
        cell.ok += status == "ok"
        cell.failed += status not in (None, "ok")
        cell.under_way += status is None and key in under_way
    return found
