"""Parts of a plan: which jobs one machine, or one day, takes on.

A part follows from the plan alone: machines that do not know of each other divide it in the same
way. Splits are drawn per data set, so that designs stay paired, whoever runs which job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from heapq import heapify, heapreplace
from typing import TYPE_CHECKING, ClassVar

from palio.errors import ParameterError, require
from palio.experiment.estimate import Pace
from palio.registry import unknown_name
from palio.results import Result
from palio.words import listed

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.plan import Job, Plan
    from palio.experiment.store.store import Store


@dataclass(frozen=True)
class Part:
    """One of several parts, counted from 1.

    Examples
    --------
    >>> Part.read("2/5"), str(Part(2, 5))
    (Part(number=2, of=5), '2/5')
    """

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> Part:
        """Read ``"2/5"``."""
        said = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", str(text))
        found = cls(int(said[1]), int(said[2])) if said else cls(0, 0)
        rule = "it is one of several, written 2/5: the second of five"
        require(1 <= found.number <= found.of, "part", rule, text)
        return found

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def sizes_of(plan: Plan) -> dict[str, int]:
    """Return how large each data set is: rows times columns."""
    return {job.dataset.name: int(job.dataset.X.size) for job in plan.jobs}


def divided(plan: Plan, parts: int) -> list[list[Job]]:
    """Divide the jobs into parts of about the same work, by the sizes of their data sets.

    From the largest data set on, each job goes to the part that has least so far (Graham 1969). How
    long a learner takes is not known: its jobs on a data set are dealt out one after the other, so
    that every part gets its share of slow and fast ones. More parts than jobs leave some empty.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from palio.experiment.plan import make_plan
    >>> plan = make_plan(["sklearn:iris", "sklearn:wine"], {"nb": GaussianNB()}, resampling="3x2")
    >>> [[f"{job.dataset.name} {job.repeat}" for job in part] for part in divided(plan, 2)]
    [['wine 1', 'wine 3'], ['iris 1', 'iris 2', 'iris 3', 'wine 2']]
    """
    sizes = sizes_of(plan)
    work = {place: sizes[job.dataset.name] * len(job.splits) for place, job in enumerate(plan.jobs)}
    names = [(job.dataset.name, job.algorithm, job.repeat, job.draw) for job in plan.jobs]
    # By name among the same sizes: so it does not matter in which order a plan was written.
    large_first = sorted(work, key=lambda place: (-work[place], names[place]))
    loads = [(0, part) for part in range(parts)]
    heapify(loads)
    part_of: dict[str, int] = {}
    for place in large_first:
        key = plan.jobs[place].key
        if key not in part_of:  # two names may stand for the same job
            load, part_of[key] = loads[0]
            heapreplace(loads, (load + work[place], part_of[key]))
    found: list[list[Job]] = [[] for _ in range(parts)]
    for job in plan.jobs:
        found[part_of[job.key]].append(job)
    return found


def chosen(plan: Plan, part: Part | None = None, datasets: Sequence[str] = ()) -> set[str]:
    """Return the keys of the jobs of a part, on data sets that one of some patterns fits, if any.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from palio.experiment.plan import make_plan
    >>> plan = make_plan(["monks-1", "monks-2", "sklearn:iris"], {"nb": GaussianNB()})
    >>> len(chosen(plan, Part(1, 3))), len(chosen(plan, datasets=["monks-*"]))
    (4, 10)
    """
    for pattern in datasets:
        if not any(fnmatchcase(name, pattern) for name in plan.datasets):
            raise unknown_name("data set", pattern, plan.datasets)
    jobs = plan.jobs if part is None else divided(plan, part.of)[part.number - 1]
    found = {
        job.key
        for job in jobs
        if not datasets or any(fnmatchcase(job.dataset.name, each) for each in datasets)
    }
    if datasets and not found:
        raise ParameterError(
            "datasets", f"part {part} has none of them", remedy="leave one of the two out"
        )
    return found


# --- what a plan, and each of its parts, would run ----------------------------------------------


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


@dataclass(frozen=True)
class PartOutlook:
    """What one of several parts of a plan would run."""

    part: str
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

    left = {job.key for job in plan.jobs}
    pace = Pace(sizes_of(plan))
    if store is not None:
        left -= Results(store, plan.jobs).done(store.marks(left))
        known = store.job_columns(name if name in store.plans() else None)
        pace, _ = Pace.of(known, sizes_of(plan))

    def seconds(jobs: Iterable[Job]) -> float | None:
        found = pace.work_left((job.algorithm, job.dataset.name) for job in jobs)
        return None if found is None else found / n_jobs

    return Outlook(
        jobs=len(plan.jobs),
        fits=plan.n_fits,
        datasets=tuple(plan.datasets),
        algorithms=tuple(plan.algorithms),
        resampling=plan.resampling,
        seeds=plan.n_seeds,
        left=len(left),
        seconds_left=seconds(job for job in plan.jobs if job.key in left),
        targets=plan.targets,
        preparation=plan.prepared,
        units=plan.units,
        refused=refused_pairs(job for job in plan.jobs if job.key in left),
        division=tuple(
            PartOutlook(
                f"{number}/{parts}",
                len(ours),
                len(rest := [job for job in ours if job.key in left]),
                seconds(rest),
            )
            for number, ours in enumerate(divided(plan, parts) if parts > 1 else (), start=1)
        ),
    )
