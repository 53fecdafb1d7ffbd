"""Parts of a plan: which data sets one machine, or one day, takes on.

A part is whole data sets, so that what it leaves behind can be compared, and follows from the plan
alone: two machines that do not know of each other divide it in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from palio.errors import ParameterError, require
from palio.registry import unknown_name

if TYPE_CHECKING:
    from palio.experiment.plan import Plan


@dataclass(frozen=True)
class Part:
    """One of so many parts, counted from 1.

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


def divided(plan: Plan, parts: int) -> list[tuple[str, ...]]:
    """Divide the data sets into parts of about the same size, each from small to large.

    From the largest on, each goes to the part that has least so far (Graham 1969).

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from palio.experiment.plan import make_plan
    >>> sets = ["sklearn:iris", "sklearn:wine", "sklearn:digits", "sklearn:breast_cancer"]
    >>> divided(make_plan(sets, {"nb": GaussianNB()}), 2)
    [('digits',), ('iris', 'wine', 'breast_cancer')]
    """
    sizes = sizes_of(plan)
    if parts > len(sizes):
        raise ParameterError(
            "part",
            "a part is at least one data set",
            f"{parts} parts of {len(sizes)} were asked for",
            "take fewer parts",
        )
    small_first = sorted(sizes, key=lambda name: (sizes[name], name))
    found: list[list[str]] = [[] for _ in range(parts)]
    for name in reversed(small_first):
        min(found, key=lambda part: (sum(sizes[each] for each in part), len(part))).append(name)
    return [tuple(reversed(part)) for part in found]


def chosen(plan: Plan, part: Part | None = None, datasets: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the data sets of a part, or those that one of some patterns fits; of both if given.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from palio.experiment.plan import make_plan
    >>> plan = make_plan(["monks-1", "monks-2", "sklearn:iris"], {"nb": GaussianNB()})
    >>> chosen(plan, datasets=["monks-*"])
    ('monks-1', 'monks-2')
    """
    names = plan.datasets if part is None else divided(plan, part.of)[part.number - 1]
    for pattern in datasets:
        if not any(fnmatchcase(name, pattern) for name in plan.datasets):
            raise unknown_name("data set", pattern, plan.datasets)
    if not datasets:
        return tuple(names)
    found = [name for name in names if any(fnmatchcase(name, each) for each in datasets)]
    if not found:
        raise ParameterError(
            "datasets", f"part {part} has none of them", remedy="leave one of the two out"
        )
    return tuple(found)
