"""How far an experiment is: what would run, how jobs ended, why, where, and how long they took."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from palio.experiment.estimate import Sizes, Spent, seconds_left, work_left
from palio.experiment.parts import divided, sizes_of
from palio.results import Result
from palio.words import harmless, listed

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.plan import Plan
    from palio.experiment.store.checking import Checked
    from palio.experiment.store.store import Mark, Store

Jobs = Sequence[Mapping[str, Any]]

# Of what a machine tells of itself, the libraries.
_LIBRARIES = ("python", "numpy", "scipy", "scikit-learn", "palio")

_SLOWEST = 5


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
    preparation: Annotated[
        Mapping[str, str], "What is done to the features before each algorithm, by its name."
    ]
    units: Annotated[
        Mapping[str, str], "By data set: what is left out together, where rows have groups."
    ]

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


def marks_of(store: Store, jobs: Jobs) -> dict[str, Mark]:
    """Return how and when jobs ended, those that have."""
    return store.marks({job["key"] for job in jobs})


def version_of(marks: Mapping[str, Mark]) -> str:
    """Return what changes when a store does: how many jobs have ended, and when the last did."""
    return f"{len(marks)}-{max((mark.finished for mark in marks.values()), default=0):.3f}"


def run_facts(store: Store, name: str | None = None) -> RunFacts:
    """Say how the jobs of a plan ended, why, and where: what a report tells of the run."""
    return facts_of(store, store.plan_name(name), store.jobs(name))


def rest_of(
    jobs: Jobs, marks: Mapping[str, Mark], now: float, sizes: Sizes | None = None
) -> float | None:
    """Return how long the jobs that have not ended take; nothing while that is not known."""
    left = [(job["algorithm"], job["dataset"]) for job in jobs if job["key"] not in marks]
    spent = [
        Spent(job["algorithm"], job["dataset"], mark.seconds, mark.finished)
        for job in jobs
        if (mark := marks.get(job["key"])) is not None
    ]
    return seconds_left(left, spent, now, sizes)


def facts_of(store: Store, plan: str, jobs: Jobs) -> RunFacts:
    """Say how jobs ended, why, and where."""
    counts = Counter(job["status"] or "not run" for job in jobs)
    ran = machines(jobs)
    versions = {
        library: tuple(sorted({each[library] for each in ran if library in each}))
        for library in _LIBRARIES
    }
    return RunFacts(
        store=store.shown,
        plan=plan or None,
        jobs=len(jobs),
        counts=dict(counts),
        finished="not run" not in counts,
        failures=_failures(jobs),
        machines=_by_machine(ran),
        versions={library: found for library, found in versions.items() if found},
        preparation=store.recall_object(f"preparation of {plan}"),
        units=store.recall_object(f"units of {plan}"),
    )


def machines(jobs: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return where jobs ran that ended well, one entry per job."""
    return [json.loads(job["machine"]) for job in jobs if job["status"] == "ok"]


def _failures(jobs: Jobs) -> tuple[Failure, ...]:
    """Gather the jobs that did not end well by their cause, the commonest first."""
    by_cause: dict[str, list[Mapping[str, Any]]] = {}
    for job in jobs:
        if job["status"] not in (None, "ok") or job["error"]:
            how = "no score" if job["status"] == "ok" else job["status"]
            by_cause.setdefault(f"{how}: {harmless(job['error'])}", []).append(job)
    return tuple(
        Failure(
            cause,
            len(failed),
            tuple(dict.fromkeys(job["dataset"] for job in failed)),
            tuple(dict.fromkeys(job["algorithm"] for job in failed)),
        )
        for cause, failed in sorted(by_cause.items(), key=lambda item: -len(item[1]))
    )


def _by_machine(ran: Sequence[Mapping[str, str]]) -> tuple[Machine, ...]:
    """Count the jobs of each machine, those measured with nothing beside by themselves."""
    counts = Counter(
        (each["host"], each.get("processor_name", each.get("processor", "")), "exclusive" in each)
        for each in ran
        if "host" in each
    )
    return tuple(Machine(*where, n) for where, n in sorted(counts.items()))


def keep_datasets(store: Store, plan: Plan, name: str) -> None:
    """Remember which columns a plan learns, and how large its data sets are."""
    told: Mapping[str, Mapping[str, object]] = {
        "targets": plan.targets,
        "sizes": sizes_of(plan),
        "preparation": plan.prepared,
        "units": plan.units,
    }
    for what, values in told.items():
        store.remember(f"{what} of {name}", json.dumps(dict(values)))


def stored_sizes(store: Store, name: str) -> dict[str, float]:
    """Return how large the data sets of a plan are; nothing of stores of earlier versions."""
    return store.recall_object(f"sizes of {name}")


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
    jobs = store.jobs(name)
    ended = [job for job in jobs if job["seconds"] is not None]
    slowest = sorted(ended, key=lambda job: -job["seconds"])[:_SLOWEST]
    plan = store.plan_name(name)
    seconds: dict[str, list[float]] = {}
    for job in ended:
        seconds.setdefault(job["algorithm"], []).append(job["seconds"])
    return Status(
        **vars(facts_of(store, plan, jobs)),
        plans=tuple(store.plans()),
        algorithms=tuple(
            AlgorithmTime(algorithm, len(each), sum(each), fmean(each))
            for algorithm, each in seconds.items()
        ),
        slowest=tuple(
            JobTime(*(job[each] for each in ("dataset", "algorithm", "repeat", "seed", "seconds")))
            for job in slowest
        ),
        targets=store.recall_object(f"targets of {plan}"),
        seconds_left=rest_of(jobs, marks_of(store, jobs), time.time(), stored_sizes(store, plan)),
        checked=checked,
    )


def said_of_targets(targets: Mapping[str, str]) -> str:
    """Say which columns are learnt, the commonest first; nothing if none was to be found.

    >>> said_of_targets({"iris": "class", "wine": "quality", "zoo": "class"})
    'target: class in iris, zoo; quality in wine'
    """
    by_column: dict[str, list[str]] = {}
    for dataset, column in targets.items():
        by_column.setdefault(column, []).append(dataset)
    ordered = sorted(by_column.items(), key=lambda item: -len(item[1]))
    said = [f"{column} in {listed(datasets)}" for column, datasets in ordered]
    return f"target: {'; '.join(said)}" if said else ""


def said_of_data(preparation: Mapping[str, str], units: Mapping[str, str]) -> str:
    """Say how data were prepared and what was left out together; nothing where neither is told.

    >>> said_of_data({"svm": "standard", "tree": "none"}, {"churn": "who"})
    'features: standard before svm, as they are before tree; whole groups left out: who in churn'
    """
    by_way: dict[str, list[str]] = {}
    for algorithm, way in preparation.items():
        by_way.setdefault("as they are" if way == "none" else way, []).append(algorithm)
    one = len(by_way) == 1
    ways = [way if one else f"{way} before {listed(names)}" for way, names in by_way.items()]
    groups = [f"{unit} in {dataset}" for dataset, unit in units.items()]
    told = [f"features: {', '.join(ways)}"] if ways else []
    return "; ".join([*told, *([f"whole groups left out: {listed(groups)}"] if groups else [])])


# --- of a plan -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartOutlook:
    """What one of several parts of a plan would run."""

    part: str
    datasets: tuple[str, ...]
    jobs: int
    left: int
    seconds_left: float | None


@dataclass(frozen=True)
class Outlook(Result):
    """What a plan would run, and how much of it is left.

    Parameters
    ----------
    jobs, fits : int
        How many there are in all.
    datasets, algorithms : tuple of str
        What is run on what.
    resampling : str
        How each data set is divided.
    seeds : int
        With how many random states each algorithm is trained on each split.
    left : int
        How many jobs no row says the end of.
    seconds_left : float or None
        How long these would take, by what others took; ``None`` if none has ended.
    targets : mapping
        Which column is learnt, of data sets that come from files or OpenML.
    preparation : mapping
        What is done to the features before each algorithm.
    units : mapping
        By data set: what is left out together, where rows have groups.
    refused : tuple of str
        Which algorithms fail on a few rows of which data sets, and what would help.
    division : tuple of PartOutlook
        The same of each part, where the plan is divided.
    """

    jobs: int
    fits: int
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    resampling: str
    seeds: int
    left: int
    seconds_left: float | None
    targets: Mapping[str, str]
    preparation: Mapping[str, str]
    units: Mapping[str, str]
    refused: tuple[str, ...] = ()
    division: tuple[PartOutlook, ...] = ()

    kind: ClassVar[str] = "plan"

    @property
    def learnt(self) -> str:
        """The targets in words."""
        return said_of_targets(self.targets)

    @property
    def data_said(self) -> str:
        """How the data are prepared and divided, in words."""
        return said_of_data(self.preparation, self.units)

    def to_frame(self) -> pd.DataFrame:
        """Return one row."""
        import pandas as pd

        return pd.DataFrame([vars(self)])


def outlook(
    plan: Plan,
    store: Store | None,
    *,
    n_jobs: int,
    name: str | None = None,
    parts: int = 1,
) -> Outlook:
    """Say how much of a plan is left to run, and how long it would take so many workers.

    ``name`` is that of the plan whose times are looked at, if the store has it. With ``parts`` it
    is also said of each of so many.
    """
    from palio.experiment.scheduling import Results
    from palio.experiment.trying import refused_pairs

    left = {job.key: job for job in plan.jobs}
    spent: Jobs = ()
    if store is not None:
        done = Results(store, plan.jobs).done(store.marks(left))
        left = {key: job for key, job in left.items() if key not in done}
        spent = store.jobs(name if name in store.plans() else None)
    took = [
        Spent(job["algorithm"], job["dataset"], job["seconds"])
        for job in spent
        if job["status"] is not None
    ]
    sizes = sizes_of(plan)

    def seconds(datasets: Collection[str]) -> float | None:
        jobs = [job for job in left.values() if job.dataset.name in datasets]
        pairs = [(job.algorithm, job.dataset.name) for job in jobs]
        found = work_left(pairs, took, sizes)
        return None if found is None else found / n_jobs

    return Outlook(
        jobs=len(plan.jobs),
        fits=plan.n_fits,
        datasets=tuple(plan.datasets),
        algorithms=tuple(plan.algorithms),
        resampling=plan.resampling,
        seeds=plan.n_seeds,
        left=len(left),
        seconds_left=seconds(plan.datasets),
        targets=plan.targets,
        preparation=plan.prepared,
        units=plan.units,
        refused=refused_pairs(left.values()),
        division=tuple(
            PartOutlook(
                f"{i}/{parts}",
                names,
                sum(job.dataset.name in names for job in plan.jobs),
                sum(job.dataset.name in names for job in left.values()),
                seconds(names),
            )
            for i, names in enumerate(divided(plan, parts) if parts > 1 else (), start=1)
        ),
    )
