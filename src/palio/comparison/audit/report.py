"""What a check of an audit looks at, and what it finds: a table, and a sentence per finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

import numpy as np

from palio.comparison.board import MANY, pairs_that_matter
from palio.comparison.gaps import MissingSummary
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.pools import PoolCount, Pools, loss_matrix
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison, Over
from palio.comparison.sample import shared, which_met
from palio.comparison.strength_pools import PoolSwap
from palio.registry import unknown_name
from palio.results import Result
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count

if TYPE_CHECKING:
    import pandas as pd

    from palio.claims import Answer, Level


class LeftOut(NamedTuple):
    """A pair, its verdict, and the data sets without any one of which it is another."""

    a: str
    b: str
    significant: bool
    flips_without: tuple[str, ...]


class ByConvention(NamedTuple):
    """A pair, and which of the conventions call it different."""

    a: str
    b: str
    significant: int
    conventions: int
    by: Mapping[str, bool]


class ErrorRate(NamedTuple):
    """The share of simulated tables in which a procedure tells equal algorithms apart."""

    test: str
    correction: str
    situation: str
    error: float
    trials: int
    algorithms: int


class Skewness(NamedTuple):
    """A pair, and the test of whether its differences are symmetric."""

    a: str
    b: str
    p_value: float
    skewed: bool


class NearCopy(NamedTuple):
    """An algorithm that is mostly right beside another, and the pairs judged otherwise without it.

    ``neighbours`` is the share of data sets on which nobody is between the two: near by rank, and
    perhaps far by score.
    """

    copy: str
    of: str
    neighbours: float
    changed: tuple[tuple[str, str], ...]


class WinnersLuck(NamedTuple):
    """Who has the best mean, and by how much it is expected to be worse on other data sets.

    ``lead`` is over the second, ``chosen`` the share of bootstrap samples in which it is first,
    ``among`` the number of algorithms that it was the best of.
    Where ``unit`` is ratio, ``lead``, ``drop`` and its Monte-Carlo ``standard_error`` are
    logarithms.
    """

    best: str
    unit: str
    mean: float
    lead: float
    drop: float
    standard_error: float
    chosen: float
    among: int


class FewerSplits(NamedTuple):
    """An algorithm, on how many data sets another has more splits, and where that is worst."""

    algorithm: str
    datasets: int
    splits: int
    most: int


CheckRow: TypeAlias = (
    PoolCount
    | LeftOut
    | ByConvention
    | ErrorRate
    | Skewness
    | NearCopy
    | PoolSwap
    | WinnersLuck
    | FewerSplits
)


class Otherwise(NamedTuple):
    """Another way to ask ("without iris"), and those who are significantly beaten then.

    ``counts`` says whether it counts for how sure the verdict is.
    """

    how: str
    beaten: frozenset[str]
    counts: bool = True


@dataclass(frozen=True)
class CheckReport:
    """One check: the question, what was found, and the rows it rests on.

    ``affected`` are the pairs whose verdict the check casts doubt on. ``apart`` are checks of what
    was not audited and is not recommended: these never do. ``bears`` says whether it can cast doubt
    on a verdict; ``otherwise`` has each way in which it has asked again.

    With many algorithms, ``findings`` and ``rows`` are about the pairs that matter: neighbours by
    mean rank, pairs of the first, and those of the one in focus. ``unlisted`` counts the findings
    on others; ``affected`` has these too. ``sampling`` says what was drawn at random where not all
    was looked at, and the Monte-Carlo error of that; it is empty where all was. ``why_not`` says
    why it was not asked, where it was not.

    ``pairs`` has the pair that each finding is about, where all are about pairs; ``ways`` the words
    for the choices that rows name.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "name", "question", "findings", "unlisted", "sampling", "rows", "affected", "apart",
        "notes",
    )  # fmt: skip

    name: str
    question: str
    findings: tuple[str, ...]
    rows: tuple[CheckRow, ...] = ()
    affected: frozenset[frozenset[str]] = frozenset()
    notes: tuple[str, ...] = ()
    bears: bool = False
    otherwise: tuple[Otherwise, ...] = ()
    apart: bool = False
    unlisted: int = 0
    sampling: str = ""
    why_not: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    ways: Mapping[str, str] = field(default_factory=dict)


def not_asked(name: str, why: str) -> CheckReport:
    """Return a check that was not made, and why."""
    said = f"not asked: {why}"
    return CheckReport(name, said, (), notes=(said,), why_not=why)


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Result):
    """Which verdicts of a comparison would change, and why.

    It is what :func:`palio.audit` returns. ``audit["leave-one-out"]`` is what one check found.

    Attributes
    ----------
    comparison
        What was audited.
    checks
        What each check found, in the order in which they were made.
    notes
        The conventions that were used.
    in_detail
        Whether its text has what each check found, and not only what would change the answer.

    Examples
    --------
    >>> import palio
    >>> audit = palio.audit(palio.load_study("ulas2008"), only=["symmetry"])
    >>> audit.leader, audit.sureness
    ('svr', 'shared')
    >>> len(audit.sound), len(audit.significant)
    (10, 10)
    >>> audit["symmetry"].question
    "are the differences of each pair symmetric, as Wilcoxon's test takes them to be?"
    """

    kind = "audit"
    parts = (
        "leader", "sureness", "claims", "algorithms", "n_datasets", "over", "test", "correction",
        "alpha", "changes", "significant", "sound", "missing", "checks", "notes",
    )  # fmt: skip

    comparison: Comparison
    checks: tuple[CheckReport, ...]
    notes: tuple[str, ...] = field(default=())
    in_detail: bool = False

    def __getitem__(self, name: str) -> CheckReport:
        found = {check.name: check for check in self.checks}
        if name not in found:
            raise unknown_name("check", name, found)
        return found[name]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return self.comparison.algorithms

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return self.comparison.n_datasets

    @property
    def over(self) -> Over:
        """What would be drawn anew: data sets, or items."""
        return self.comparison.over

    @property
    def test(self) -> str:
        """The test of the audited comparison."""
        return self.comparison.method

    @property
    def correction(self) -> str:
        """Its correction for many pairs."""
        return self.comparison.correction

    @property
    def alpha(self) -> float:
        """Its significance level."""
        return self.comparison.alpha

    @property
    def missing(self) -> MissingSummary | None:
        """What is missing in the comparison, and what depends on it."""
        return self.comparison.missing

    @cached_property
    def significant(self) -> tuple[tuple[str, str], ...]:
        """The pairs that differ significantly."""
        names, tested = self.comparison.algorithms, self.comparison.tested
        differ = tested.significant
        pairs = zip(tested.first[differ].tolist(), tested.second[differ].tolist(), strict=True)
        return tuple((names[i], names[j]) for i, j in pairs)

    @cached_property
    def doubted(self) -> frozenset[frozenset[str]]:
        """The pairs whose verdict some check casts doubt on, significant or not."""
        return frozenset().union(*(check.affected for check in self.checks))

    @cached_property
    def sound(self) -> tuple[tuple[str, str], ...]:
        """The pairs that differ significantly and that no check casts doubt on."""
        return tuple(pair for pair in self.significant if frozenset(pair) not in self.doubted)

    @cached_property
    def sound_that_matter(self) -> tuple[tuple[str, str], ...]:
        """Those of the sound pairs that are worth naming: all of few algorithms, else some."""
        place = {name: i for i, name in enumerate(self.comparison.by_standing)}
        sides = np.array([[place[a], place[b]] for a, b in self.sound], dtype=np.intp).reshape(
            -1, 2
        )
        focus = self.comparison.focus
        matter = pairs_that_matter(
            sides[:, 0],
            sides[:, 1],
            len(place),
            focus=None if focus is None else place[focus.row.algorithm],
        )
        return tuple(self.sound[i] for i in np.flatnonzero(matter).tolist())

    @property
    def claims(self) -> Answer:
        """What the audited comparison claims, and how sure it is who leads."""
        return self.comparison.claims

    @property
    def leader(self) -> str | None:
        """The algorithm that leads, by the default comparison."""
        return self.comparison.leader

    @property
    def sureness(self) -> Level:
        """How sure that is."""
        return self.comparison.sureness

    @cached_property
    def changes(self) -> tuple[str, ...]:
        """What would change the answer: who would be unbeaten, or no longer, and asked how."""
        unbeaten = self.comparison.unbeaten or ()
        ways = [way for check in self.checks if check.bears for way in check.otherwise]
        found = []
        for name in self.comparison.by_standing:
            hows = dict.fromkeys(
                way.how for way in ways if (name in way.beaten) == (name in unbeaten)
            )
            if hows:
                first, *others = hows
                more = f", as in {count(len(others), 'other check')}," if others else ""
                would = "be beaten" if name in unbeaten else "be unbeaten"
                found.append(f"{first}{more} {name} would {would}")
        return tuple(found)

    def __repr__(self) -> str:
        findings = sum(len(check.findings) + check.unlisted for check in self.checks)
        return (
            f"<Audit: {findings} findings in {len(self.checks)} checks; {len(self.sound)} of "
            f"{count(len(self.significant), 'significant pair')} without doubt>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per finding."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"check": check.name, "finding": finding}
                for check in self.checks
                for finding in check.findings
            ],
            columns=["check", "finding"],
        )


@dataclass(frozen=True, eq=False)
class Context:
    """A comparison, and the values behind it (higher is better), with gaps perhaps."""

    comparison: Comparison
    procedure: Procedure
    goodness: FloatArray
    datasets: tuple[str, ...]
    seed: int
    tested: dict[tuple[object, ...], PairVerdicts] = field(default_factory=dict)
    work: int = 700_000_000  # half a minute, in pairs × data sets × data sets

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return self.comparison.algorithms

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.comparison.alpha

    @property
    def by_mean_ranks(self) -> bool:
        """Whether the audited verdicts are by mean ranks, and so depend on the pool."""
        return self.comparison.method == "mean-ranks"

    @cached_property
    def complete(self) -> FloatArray:
        """The values on the data sets where every algorithm has one."""
        return np.asarray(self.goodness[~np.isnan(self.goodness).any(axis=1)])

    @cached_property
    def shared(self) -> IntArray:
        """How many data sets each pair shares."""
        return shared(self.goodness, self.first, self.second)

    @property
    def n_shared(self) -> int:
        """How many data sets two algorithms share, the median of the pairs."""
        return int(np.median(self.shared))

    @property
    def least_without_one(self) -> float:
        """The least adjusted p-value there can be with one data set less for every pair."""
        on = self.shared - 1
        left = on > 0
        if not left.any():
            return 1.0
        k = len(self.names)
        met = which_met(self.first[left], self.second[left], k)
        return self.procedure.least(on[left], k, met)

    @cached_property
    def pools(self) -> Pools:
        """The verdicts by mean ranks in any pool."""
        return Pools(loss_matrix(self.complete), len(self.complete), self.alpha)

    @cached_property
    def first(self) -> IntArray:
        """The first of each pair that was compared, as a column of the values."""
        return self.comparison.tested.first

    @cached_property
    def second(self) -> IntArray:
        """The second of each pair."""
        return self.comparison.tested.second

    @cached_property
    def met(self) -> BoolArray | None:
        """Which of all pairs were compared, if some were not."""
        return which_met(self.first, self.second, len(self.names))

    def pair(self, i: int) -> tuple[str, str]:
        """Return the names of a pair."""
        return self.names[self.first[i]], self.names[self.second[i]]

    def named(self, pairs: Iterable[int]) -> frozenset[frozenset[str]]:
        """Return pairs by their names."""
        return frozenset(frozenset(self.pair(i)) for i in pairs)

    @cached_property
    def places(self) -> tuple[IntArray, IntArray]:
        """The places of both of each pair by mean rank, from 0."""
        place = {name: i for i, name in enumerate(self.comparison.by_standing)}
        places = np.array([place[name] for name in self.names])
        return places[self.first], places[self.second]

    @cached_property
    def listed(self) -> BoolArray:
        """Which pairs are told one by one: all of few algorithms, of many those that matter."""
        focus = self.comparison.focus
        place = None if focus is None else self.comparison.by_standing.index(focus.row.algorithm)
        return pairs_that_matter(*self.places, len(self.names), focus=place)

    def told(self, pairs: IntArray) -> tuple[list[int], int]:
        """Return those of some pairs that are listed, and how many others there are.

        Of many algorithms the best first.
        """
        some = pairs[self.listed[pairs]]
        if len(self.names) > MANY:
            a, b = (side[some] for side in self.places)
            some = some[np.lexsort([np.minimum(a, b), np.maximum(a, b)])]
        return some.tolist(), pairs.size - some.size

    def verdicts(self, procedure: Procedure) -> PairVerdicts:
        """Return what a test says of the pairs; asked once, whatever the corrections."""
        key = procedure.test_key
        if key not in self.tested:
            self.tested[key] = procedure.of_pairs(self.goodness, self.first, self.second)
        return self.tested[key]

    def sided_by(self, procedure: Procedure) -> FloatArray:
        """Return of each pair 1 where the first is significantly better, -1, or 0."""
        return procedure.judged(self.verdicts(procedure), len(self.names), self.met)

    @cached_property
    def sided(self) -> FloatArray:
        """The audited verdicts."""
        return self.sided_by(self.procedure)

    def different(self) -> BoolArray:
        """Return which pairs the audited procedure calls different."""
        return np.asarray(self.sided != 0)

    def losses(self, sided: FloatArray) -> IntArray:
        """Count by how many each is significantly beaten."""
        loser = np.where(sided > 0, self.second, self.first)[sided != 0]
        return np.bincount(loser, minlength=len(self.names))

    def beaten(self, sided: FloatArray) -> frozenset[str]:
        """Return those who are significantly beaten by somebody."""
        return frozenset(self.names[i] for i in np.flatnonzero(self.losses(sided)).tolist())

    def one_by_one(self, pairs: Iterable[int], how: str) -> tuple[Otherwise, ...]:
        """Return who were beaten if one of these verdicts was another, and none beside it.

        That makes a difference to one algorithm at most: the one of the two that is behind. Each
        to whom some pair does is told once.
        """
        losses, beaten = self.losses(self.sided), self.beaten(self.sided)
        lead = np.sign(self.verdicts(self.procedure).lead)
        changed = set()
        for i in pairs:
            if lead[i]:
                behind = int(self.second[i] if lead[i] > 0 else self.first[i])
                if losses[behind] == (1 if self.sided[i] else 0):
                    changed.add(self.names[behind])
        return tuple(Otherwise(how, beaten ^ {name}) for name in sorted(changed))
