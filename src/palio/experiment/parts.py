"""Parts of a plan: which jobs one machine, or one day, takes on.

A part follows from the plan alone: machines that do not know of each other divide it in the same
way. Splits are drawn per data set, so that designs stay paired, whoever runs which job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from heapq import heapify, heapreplace
from typing import TYPE_CHECKING

from palio.errors import ParameterError, require
from palio.registry import unknown_name

if TYPE_CHECKING:
    from palio.experiment.plan import Job, Plan


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
        number, _, of = str(text).partition("/")
        good = number.strip().isdecimal() and of.strip().isdecimal()
        found = cls(int(number), int(of)) if good else cls(0, 0)
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
