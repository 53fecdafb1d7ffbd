"""What a check of an audit looks at, and what it finds: a table, and a sentence per finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from palio.claims import Answer, Answered
from palio.comparison.answer import first_and_count
from palio.comparison.board import MANY, pairs_that_matter
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.pools import PoolCount
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison, Over
from palio.comparison.sample import Sample, shared, which_met
from palio.registry import unknown_name
from palio.results import Result, Topped
from palio.scores.summary import MissingSummary
from palio.stats.across import EXACT_LIMIT
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count

if TYPE_CHECKING:
    from palio.comparison.over_items import ItemComparison, ItemQuestion
    from palio.stats.items import Items


MAX_NAMED = 4
"""A sentence names this many; the rest are counted."""

# Where leaving out all data sets would take too long some are drawn, and this many at least.
_MIN_LEFT_OUT = 4
# Pairs × data sets × data sets that take about two seconds, unless there are many ties.
_QUICK = 15_000_000


class LeftOut(NamedTuple):
    """A pair, its verdict, and the data sets without any one of which it is another."""

    a: str
    b: str
    significant: bool
    flips_without: tuple[str, ...]

    @classmethod
    def of(cls, a: str, b: str, significant: bool, by: Mapping[str, bool]) -> LeftOut:
        """Return a pair by its verdicts without each data set."""
        flips = [dataset for dataset, differ in by.items() if differ != significant]
        return cls(a, b, significant, tuple(flips))

    @property
    def sentence(self) -> str:
        """Say without which data sets the verdict would be another."""
        # Instead of one other, its name.
        others = len(self.flips_without) - MAX_NAMED
        shown = ", ".join(self.flips_without[: MAX_NAMED if others > 1 else None])
        without = f"without {shown}" + (f" or {others} others" if others > 1 else "")
        a_and_b = f"{self.a} and {self.b}"
        if self.significant:
            return f"{a_and_b} differ, but not {without}"
        return f"no difference was found between {a_and_b}, but they would differ {without}"


class ByConvention(NamedTuple):
    """A pair, and which of the conventions call it different."""

    a: str
    b: str
    significant: int
    conventions: int
    by: Mapping[str, bool]

    @classmethod
    def of(cls, a: str, b: str, _significant: bool, by: Mapping[str, bool]) -> ByConvention:
        """Return a pair by its verdicts under each convention."""
        return cls(a, b, sum(by.values()), len(by), by)

    @property
    def sentence(self) -> str:
        """Say by how many choices two differ, and name whichever side is the smaller.

        >>> ByConvention.of("a", "b", True, {"x": True, "y": False, "z": False}).sentence
        'a and b differ by 1 of 3 choices (only by x)'
        """
        n, found = self.conventions, self.significant
        differ = f"{self.a} and {self.b} differ by"
        if found in (0, n):
            return f"{differ} {'all' if found else 'none'} of {count(n, 'choice')}"
        few = found <= n / 2
        some = [name for name, hit in self.by.items() if hit == few]
        more = len(some) - MAX_NAMED
        shown = ", ".join(some[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        side = "only by" if few else "not by"
        return f"{differ} {found} of {count(n, 'choice')} ({side} {shown})"


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
    PoolCount | LeftOut | ByConvention | ErrorRate | Skewness | NearCopy | WinnersLuck | FewerSplits
)


class Otherwise(NamedTuple):
    """Another way to ask ("without iris"), and those who are significantly beaten then.

    ``counts`` says whether it counts for how sure the verdict is.
    """

    how: str
    beaten: frozenset[str]
    counts: bool = True


class WayToAsk(NamedTuple):
    """A way to ask: its name in a list, which pairs differ, and what is otherwise then.

    There is no ``otherwise`` where it is the way that is audited.
    """

    name: str
    different: BoolArray
    otherwise: Otherwise | None


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

    ``pairs`` has the pair that each finding is about, where all are about pairs.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "name", "question", "findings", "unlisted", "sampling", "rows", "affected", "apart",
        "notes",
    )  # fmt: skip

    name: str
    question: str
    findings: tuple[str, ...] = ()
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

    @property
    def about_pairs(self) -> bool:
        """Whether it has asked about pairs: of some there was nothing to ask."""
        asked = self.pairs or self.affected or self.bears or self.apart
        return bool(asked) and not self.why_not


def not_asked(name: str, why: str) -> CheckReport:
    """Return a check that was not made, and why."""
    said = f"not asked: {why}"
    return CheckReport(name, said, notes=(said,), why_not=why)


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Answered, Topped, Result):
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
        listed = _that_matter(self.comparison)[self.comparison.tested.significant]
        matter = dict(zip(self.significant, listed.tolist(), strict=True))
        return tuple(pair for pair in self.sound if matter[pair])

    @property
    def claims(self) -> Answer:
        """What the audited comparison claims, and how sure it is who leads."""
        return self.comparison.claims

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
                would = "be beaten" if name in unbeaten else "be unbeaten"
                found.append(f"{first_and_count(list(hows))} {name} would {would}")
        return tuple(found)

    def __repr__(self) -> str:
        findings = sum(len(check.findings) + check.unlisted for check in self.checks)
        return (
            f"<Audit: {findings} findings in {len(self.checks)} checks; {len(self.sound)} of "
            f"{count(len(self.significant), 'significant pair')} without doubt>"
        )

    def _frame(self) -> Any:
        """Give one row per finding."""
        found = [(check.name, finding) for check in self.checks for finding in check.findings]
        return {name: [row[i] for row in found] for i, name in enumerate(("check", "finding"))}


def _places(comparison: Comparison) -> tuple[IntArray, IntArray]:
    """Return the places of both of each pair by standing, from 0."""
    place = {name: i for i, name in enumerate(comparison.by_standing)}
    places = np.array([place[name] for name in comparison.algorithms])
    return places[comparison.tested.first], places[comparison.tested.second]


def _that_matter(comparison: Comparison) -> BoolArray:
    """Say which pairs are told one by one: all of few algorithms, of many those that matter."""
    focus = comparison.focus
    place = None if focus is None else comparison.by_standing.index(focus.row.algorithm)
    return pairs_that_matter(*_places(comparison), len(comparison.algorithms), focus=place)


@dataclass(frozen=True, eq=False)
class Context:
    """A comparison, and the values behind it (higher is better), with gaps perhaps."""

    comparison: Comparison
    seed: int
    work: int = 700_000_000  # half a minute, in pairs × data sets × data sets

    @property
    def procedure(self) -> Procedure:
        """How the pairs were told apart."""
        return self.comparison.procedure

    @property
    def goodness(self) -> FloatArray:
        """The values (data sets, algorithms), higher is better."""
        return self.comparison.compared.goodness

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets."""
        return self.comparison.datasets

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return self.comparison.algorithms

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.comparison.alpha

    @cached_property
    def complete(self) -> FloatArray:
        """The values on the data sets where every algorithm has one."""
        return np.asarray(self.goodness[~np.isnan(self.goodness).any(axis=1)])

    @cached_property
    def shared(self) -> IntArray:
        """How many data sets each pair shares."""
        return shared(self.goodness, self.first, self.second)

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

    @property
    def first(self) -> IntArray:
        """The first of each pair that was compared, as a column of the values."""
        return self.comparison.tested.first

    @property
    def second(self) -> IntArray:
        """The second of each pair."""
        return self.comparison.tested.second

    def pair(self, i: int) -> tuple[str, str]:
        """Return the names of a pair."""
        return self.names[self.first[i]], self.names[self.second[i]]

    def named(self, pairs: Iterable[int]) -> frozenset[frozenset[str]]:
        """Return pairs by their names."""
        return frozenset(frozenset(self.pair(i)) for i in pairs)

    @cached_property
    def listed(self) -> BoolArray:
        """Which pairs are told one by one."""
        return _that_matter(self.comparison)

    def told(self, pairs: IntArray) -> tuple[list[int], int]:
        """Return those of some pairs that are listed, and how many others there are.

        Of many algorithms the best first.
        """
        some = pairs[self.listed[pairs]]
        if len(self.names) > MANY:
            a, b = (side[some] for side in _places(self.comparison))
            some = some[np.lexsort([np.minimum(a, b), np.maximum(a, b)])]
        return some.tolist(), pairs.size - some.size

    @cached_property
    def _tested(self) -> dict[tuple[object, ...], PairVerdicts]:
        """What tests have said of the pairs: at first the one that is audited."""
        tested = self.comparison.tested
        found = PairVerdicts(tested.statistic, tested.p_value, np.sign(tested.lead))
        return {self.procedure.test_key: found}

    def verdicts(self, procedure: Procedure) -> PairVerdicts:
        """Return what a test says of the pairs; asked once, whatever the corrections."""
        key = procedure.test_key
        if key not in self._tested:
            self._tested[key] = procedure.of_pairs(self.goodness, self.first, self.second)
        return self._tested[key]

    def sided_by(self, procedure: Procedure) -> FloatArray:
        """Return of each pair 1 where the first is significantly better, -1, or 0."""
        return procedure.judged(self.verdicts(procedure), len(self.names), self.comparison.met)

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

    @cached_property
    def left_out(self) -> list[int]:
        """The data sets to leave out: all, or a sample where that would take minutes."""
        n = len(self.goodness)
        # Exact distributions with ties take longer than to sort.
        steps = n if n > EXACT_LIMIT else max(n, n**3 // 50)
        most = max(_MIN_LEFT_OUT, self.work // (self.first.size * steps))
        if n <= most or self.first.size * n * n <= _QUICK:
            return list(range(n))
        drawn = np.random.default_rng(self.seed).choice(n, most, replace=False)
        return sorted(drawn.tolist())

    def without(self, row: int) -> FloatArray:
        """Return the verdicts on the pairs without a data set: 1, -1 or 0.

        Where scores are missing only pairs that both have it are tested again.
        """
        procedure, left = self.procedure, np.delete(self.goodness, row, axis=0)
        first, second, k = self.first, self.second, len(self.names)
        if self.comparison.met is None and not np.isnan(self.goodness).any():
            return procedure.sided(left)
        if procedure.pooled:
            return procedure.judged(procedure.of_pairs(left, first, second), k)
        there = ~np.isnan(self.goodness[row])
        changed = np.flatnonzero(there[first] & there[second])
        known = self.verdicts(procedure)
        p_value, lead = known.p_value.copy(), known.lead.copy()
        meet = self.shared.copy()
        meet[changed] -= 1
        again = changed[meet[changed] > 0]
        found = procedure.run(Sample(left, first[again], second[again]))
        p_value[again], lead[again] = found.p_value, found.lead
        sides, met = np.zeros(p_value.size), meet > 0
        verdicts = PairVerdicts(np.zeros(int(met.sum())), p_value[met], lead[met])
        sides[met] = procedure.judged(verdicts, k, which_met(first[met], second[met], k))
        return sides

    def way(
        self, name: str, how: str, sided: FloatArray, *, counts: bool = True, audited: bool = False
    ) -> WayToAsk:
        """Return a way to ask, by the sides that it takes; ``audited`` is the way it was asked."""
        otherwise = None if audited else Otherwise(how, self.beaten(sided), counts)
        return WayToAsk(name, np.asarray(sided != 0), otherwise)

    def ask_again(
        self,
        check: CheckReport,
        ways: Sequence[WayToAsk],
        row: Callable[[str, str, bool, Mapping[str, bool]], LeftOut | ByConvention],
        *,
        only_changed: bool = True,
    ) -> CheckReport:
        """Add to a check what is said when the same is asked in other ways.

        Rows are of the pairs that are listed, or of those alone of which another thing is said.
        """
        names, whole = [way.name for way in ways], self.different()
        table = np.stack([way.different for way in ways])
        changed = np.flatnonzero((table != whole).any(axis=0))
        told = self.told(changed)[0] if only_changed else np.flatnonzero(self.listed).tolist()
        verdicts = {i: dict(zip(names, table[:, i].tolist(), strict=True)) for i in told}
        rows = {i: row(*self.pair(i), bool(whole[i]), by) for i, by in verdicts.items()}
        otherwise = [way.otherwise for way in ways if way.otherwise is not None]
        return self.found(
            check, changed, lambda i: rows[i].sentence, rows.values(), otherwise=otherwise
        )

    def found(
        self,
        check: CheckReport,
        pairs: IntArray,
        sentence: Callable[[int], str],
        rows: Iterable[CheckRow],
        *,
        doubted: IntArray | None = None,
        otherwise: Iterable[Otherwise] | str,
    ) -> CheckReport:
        """Add to a check the pairs of which something was found.

        If it bears on the verdicts, those of the pairs are in doubt, or of ``doubted`` alone.
        ``otherwise`` may be words for how each of these would change by itself.
        """
        told, unlisted = self.told(pairs)
        affected = (pairs if doubted is None else doubted).tolist() if check.bears else []
        if isinstance(otherwise, str):
            otherwise = self.one_by_one(affected, otherwise)
        return replace(
            check,
            findings=tuple(map(sentence, told)),
            rows=tuple(rows),
            affected=self.named(affected),
            otherwise=tuple(otherwise) if check.bears else (),
            unlisted=unlisted,
            pairs=tuple(map(self.pair, told)),
        )


@dataclass(frozen=True, eq=False)
class ItemContext(Context):
    """A comparison over items, and the question that it answers."""

    comparison: ItemComparison

    @property
    def question(self) -> ItemQuestion:
        """What was asked."""
        return self.comparison.question

    @property
    def items(self) -> Items:
        """The items."""
        return self.question.items

    @cached_property
    def answered(self) -> BoolArray:
        """Which items each has a score on."""
        return self.question.scores.answered()

    @cached_property
    def sided(self) -> FloatArray:
        """The audited verdicts."""
        return np.asarray(self.comparison.tested.sides, dtype=np.float64)

    @property
    def left_out(self) -> list[int]:
        """The data sets to leave out: all."""
        return list(range(len(self.datasets)))

    def without(self, row: int) -> FloatArray:
        """Return the verdicts on the pairs without a data set; the others count as before."""
        return self.on(self.items.dataset_of != row)

    def on(self, which: BoolArray) -> FloatArray:
        """Return the verdicts on the pairs by some of the items."""
        return self.again(self.question.on(self.items.at(np.flatnonzero(which))))

    def again(self, question: ItemQuestion) -> FloatArray:
        """Return what another question says of the pairs."""
        return np.asarray(question.sides()[self.first, self.second])
