"""What an answer says, as data: each claim holds its numbers, and its sentence is made of these.

Every face (text, tiles, report, LaTeX, page, JSON) shows claims; none works anything out of its
own, and none takes a sentence apart. A claim's ``clause`` goes into the headline, its ``text`` is
the same as a sentence.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Annotated, ClassVar, Literal, NamedTuple, Protocol, TypeVar, dataclass_transform

from palio.measures import cost_named
from palio.numbers import cost, limit, number, probability, rank, signed_alike, times
from palio.words import Worded, count, joined, some_of, strung

Level = Literal["open", "firm", "shared", "fragile"]
"""How sure the headline is: see `palio.comparison.answer.sureness_of`."""

AnyClaim = TypeVar("AnyClaim", bound="Claim")

# The headline names so many of those that may be as good as the leader.
_NAMES_IN_HEADLINE = 2


class Verdict(NamedTuple):
    """The answer in a few sentences, rendered from claims."""

    best: Annotated[str, "Who leads, who may be as good, and how sure that is."]
    value: Annotated[str | None, "The best value for its cost; null where no cost was named."]
    sure: Annotated[str, "How sure that is, and what it rests on."]
    missing: Annotated[str | None, "What is missing, why, and what depends on it."] = None


@dataclasses.dataclass(frozen=True)
class Claim(ABC):
    """A statement about results; ``kind`` says which."""

    kind: ClassVar[str] = ""
    parts: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def clause(self) -> str:
        """What is claimed, as a part of a sentence."""

    @property
    def text(self) -> str:
        """What is claimed, as a sentence."""
        return sentence(self.clause, self.names)

    @property
    def names(self) -> frozenset[str]:
        """The names in it, which keep their letters also where they open a sentence."""
        found = (getattr(self, name, ()) for name in _NAMING)
        return frozenset(
            name
            for value in found
            for name in (value if isinstance(value, tuple) else (value,))
            if isinstance(name, str) and name
        )


# The fields of claims that hold names of algorithms.
_NAMING = ("algorithm", "algorithms", "others", "shares", "against", "leader", "control", "a", "b")


@dataclass_transform(frozen_default=True)
def claim(kind: str) -> Callable[[type[AnyClaim]], type[AnyClaim]]:
    """Make a class a kind of claim: a frozen dataclass whose JSON has its kind, fields and text."""

    def make(cls: type[AnyClaim]) -> type[AnyClaim]:
        made = dataclasses.dataclass(frozen=True)(cls)
        made.kind = kind
        names = (field.name for field in dataclasses.fields(made) if field.repr)
        made.parts = ("kind", *names, "text")
        return made

    return make


def sentence(clause: str, names: Collection[str] = ()) -> str:
    """Begin a clause with a capital letter, unless a name opens it, and end it with a full stop.

    >>> sentence("no two differ"), sentence("svm leads", ["svm"]), sentence("by mean", ["b"])
    ('No two differ.', 'svm leads.', 'By mean.')
    """
    if isinstance(clause, Worded):
        return clause.changed(lambda text: sentence(text, names))
    named = any(_opens(name, clause) for name in names)
    opened = clause if named else clause[:1].upper() + clause[1:]
    return opened if opened.endswith(".") or not opened else f"{opened}."


def _opens(name: str, clause: str) -> bool:
    """Return whether a name, and not a longer word, opens a clause."""
    following = clause[len(name) : len(name) + 1]
    return clause.startswith(name) and not following.isalnum()


class Answer(tuple[Claim, ...]):
    """The claims of a result, in the order in which they are read."""

    __slots__ = ()

    def of(self, kind: type[AnyClaim]) -> AnyClaim | None:
        """Return the claim of a kind, if there is one."""
        return next((each for each in self if isinstance(each, kind)), None)

    def texts(self, *kinds: type[Claim]) -> list[str]:
        """Return the sentences of the claims of some kinds, in the order of these."""
        return [each.text for kind in kinds if (each := self.of(kind)) is not None]

    @property
    def how_many_differ(self) -> str:
        """How many pairs differ, or why none could, as a part of a sentence."""
        few, evidence = self.of(TooFew), self.of(Evidence)
        return few.clause if few else evidence.pairs if evidence else ""

    @property
    def leader(self) -> str | None:
        """The algorithm that leads, by the default comparison of the table."""
        found = self.of(Leader)
        return None if found is None else found.algorithm

    @property
    def sureness(self) -> Level:
        """How sure that is."""
        found = self.of(Sureness)
        return "open" if found is None else found.level

    @property
    def headline(self) -> str:
        """Who leads, who may be as good, and how sure that is, in one sentence."""
        more = (Unbeaten, NotComparable, FewClusters)
        about = (Against, First, TooFew, *more) if self._is_asked else (Leader, *more, Sureness)
        found = [each for kind in about if (each := self.of(kind)) is not None]
        clauses = filter(None, (each.clause for each in found))
        leader = self.of(Leader)
        over = "" if leader is None else generalises_first(leader.over, leader.of_datasets)
        opening = over if self._is_asked else ""  # the leader's clause has it
        clause = strung([opening, strung(clauses, "; ")])
        return sentence(clause, found[0].names if found else ())

    @property
    def _is_asked(self) -> bool:
        """Whether it is by another test than the default, or against a control."""
        return self.of(First) is not None or self.of(Against) is not None

    @property
    def _by_default(self) -> str:
        """Who leads by the default comparison, where another was asked for."""
        leader, sure = self.of(Leader), self.of(Sureness)
        if leader is None or sure is None:
            return ""
        who = "nobody" if leader.algorithm is None else leader.algorithm
        leads = f"{who} leads;" if leader.any_differ else "the answer is"
        return f"By the default comparison {leads} {sure.clause}."

    @property
    def verdict(self) -> Verdict:
        """The answer in sentences."""
        best = [self.headline, *self.texts(Circle, Elsewhere, FirstByMean, OtherReading)]
        best += [self._by_default] if self._is_asked else []
        best += self.texts(DefaultMethod)
        value, missing = (next(iter(self.texts(kind)), None) for kind in (Value, Missing))
        sure = self.texts(Sureness, Evidence)
        return Verdict(strung(best, " "), value, strung(sure, " "), missing)


NO_CLAIMS = Answer()


class _HasClaims(Protocol):
    @property
    def claims(self) -> Answer: ...


class Answered:
    """What results that make claims say: who leads, how sure that is, and both in sentences."""

    @property
    def leader(self: _HasClaims) -> str | None:
        """The algorithm that leads, by the default comparison of the table."""
        return self.claims.leader

    @property
    def sureness(self: _HasClaims) -> Level:
        """How sure that is."""
        return self.claims.sureness

    @property
    def verdict(self: _HasClaims) -> Verdict:
        """The answer in sentences: who leads, what is the best value, how sure that is."""
        return self.claims.verdict


def pool_of(n_algorithms: int, n_datasets: int, dataset: str | None = None) -> str:
    """Say among whom, and on what.

    >>> pool_of(3, 1, "iris"), pool_of(3, 2)
    ('3 algorithms on iris', '3 algorithms over 2 data sets')
    """
    where = f"over {n_datasets} data sets" if dataset is None else f"on {dataset}"
    return f"{n_algorithms} algorithms {where}"


# --- who leads ------------------------------------------------------------------------------------


@claim("leader")
class Leader(Claim):
    """Who leads: the unbeaten algorithm with the best standing, by the default comparison.

    ``n_datasets`` says on how many of ``of_datasets`` it was seen; ``shares`` are those with the
    same standing. ``over`` says what the answer generalises to, where that was a choice.
    """

    algorithm: str | None
    n_datasets: int
    of_datasets: int
    n_algorithms: int
    by: Annotated[str, "What algorithms stand by: mean rank, or the mean of the score."]
    standing: float
    shares: tuple[str, ...]
    any_differ: bool
    dataset: str | None = None
    over: str | None = None
    n_apart: Annotated[int, "How many cannot be compared with it, for want of shared data."] = 0

    @property
    def pool(self) -> str:
        """Among whom, and on what."""
        return pool_of(self.n_algorithms, self.of_datasets, self.dataset)

    @property
    def clause(self) -> str:
        """What is claimed."""
        return f"{generalises_first(self.over, self.of_datasets)}{self._clause}"

    @property
    def _clause(self) -> str:
        if self.algorithm is None:
            return f"nobody leads {self.pool}: everybody is significantly beaten by somebody"
        seen = f", seen on {self.n_datasets} of them" if self.n_datasets < self.of_datasets else ""
        if self.any_differ:
            return f"{self.algorithm} leads {self.pool}{seen}"
        if len(self.shares) == self.n_algorithms:
            everyone = "all" if self.n_algorithms > 2 else "the"
            return f"{everyone} {self.pool} have the same {self.by}"
        written = _standing(self.by, self.standing)
        have = "has" if len(self.shares) == 1 else "share"
        best = f"{'comparable ' * (self.n_apart > 0)}{self.by}, {written}, of {self.pool}"
        return f"{some_of(self.shares)} {have} the best {best}{seen}"


@claim("unbeaten")
class Unbeaten(Claim):
    """Who is unbeaten: nobody is significantly better.

    ``others`` are those besides the leader that can be compared with it; ``beats_all`` says whether
    the leader is significantly better than every other.
    """

    algorithms: tuple[str, ...]
    others: tuple[str, ...]
    any_differ: bool
    beats_all: bool

    @property
    def text(self) -> str:
        """What is claimed, as a sentence; in the headline how sure it is says the same."""
        if self.clause:
            return super().text
        names = some_of(self.algorithms) or "nobody"
        verb = "is" if len(self.algorithms) < 2 else "are"
        return sentence(f"{names} {verb} unbeaten", self.names)

    @property
    def clause(self) -> str:
        """What is claimed."""
        if not self.algorithms or not self.any_differ:
            return ""
        if self.others:
            return f"{_few(self.others)} may be as good"
        if len(self.algorithms) > 1:  # these cannot be compared with the leader
            return ""
        if self.beats_all:
            return "it is significantly better than the rest"
        return "everybody else is significantly beaten by somebody"


def _standing(by: str, value: float) -> str:
    return rank(value) if by == "mean rank" else number(value)


def _few(names: tuple[str, ...]) -> str:
    """Name one or two, and count more."""
    if len(names) <= _NAMES_IN_HEADLINE:
        return joined(names)
    return f"{len(names)} others"


@claim("not_comparable")
class NotComparable(Claim):
    """Who shares too few data sets with the leader, or the control, to be told from it."""

    algorithms: tuple[str, ...]
    against: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        return f"{_few(self.algorithms)} cannot be compared with it"


@claim("too_few")
class TooFew(Claim):
    """No result could be significant: ``least_p`` is the least adjusted p-value there can be."""

    n_datasets: int
    least_p: float

    @property
    def clause(self) -> str:
        """What is claimed."""
        n_datasets = count(self.n_datasets, "data set")
        return f"with {n_datasets} no adjusted p can be below {number(self.least_p)}"


@claim("few_clusters")
class FewClusters(Claim):
    """Pairs that share too few clusters of items for sign flips, and are tested by t.

    ``effective`` clusters of one size would be as good as the fewest of these. Where one cluster
    has nearly all items no test holds its level.
    """

    n_pairs: int
    n_clusters: int
    effective: float
    level_held: bool
    alpha: float

    @property
    def clause(self) -> str:
        """What is claimed."""
        if not self.level_held:
            return f"the level {limit(self.alpha)} is not held, as one cluster has nearly all items"
        return (
            f"few clusters: {self.n_clusters}, as good as {self.effective:.1f} of one size, are "
            "tested by t"
        )


@claim("circle")
class Circle(Claim):
    """Algorithms that beat one another in a circle, each the next, the first again at the end."""

    algorithms: tuple[str, ...]

    @property
    def clause(self) -> str:
        """What is claimed."""
        around = zip(self.algorithms, self.algorithms[1:], strict=False)
        return joined([f"{a} is significantly better than {b}" for a, b in around])


@claim("elsewhere")
class Elsewhere(Claim):
    """Another has a better standing than the leader, but is beaten."""

    algorithm: str
    by: str
    standing: float
    beaten_by: tuple[str, ...]

    @property
    def clause(self) -> str:
        """What is claimed."""
        written = _standing(self.by, self.standing)
        verb = "is" if len(self.beaten_by) == 1 else "are"
        return (
            f"{self.algorithm} has a better {self.by}, {written}, but {some_of(self.beaten_by)} "
            f"{verb} significantly better"
        )


@claim("first_by_mean")
class FirstByMean(Claim):
    """Another than the leader has the best mean score."""

    algorithm: str
    measure: str
    mean: float
    leader: str
    leader_mean: float

    @property
    def clause(self) -> str:
        """What is claimed."""
        return (
            f"by mean {self.measure} {self.algorithm} is first, {number(self.mean)} to "
            f"{number(self.leader_mean)}"
        )


@claim("against_control")
class Against(Claim):
    """How a control compares with the others."""

    control: str
    better_than: tuple[str, ...]
    worse_than: tuple[str, ...]
    undecided: tuple[str, ...]
    pool: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        found = [
            f"{verb} {some_of(names)}"
            for verb, names in (
                ("significantly better than", self.better_than),
                ("significantly worse than", self.worse_than),
                ("not shown to differ from", self.undecided),
            )
            if names
        ]
        return f"the control {self.control}, of {self.pool}, is {joined(found)}"


# --- how sure, on what ----------------------------------------------------------------------------


@claim("sureness")
class Sureness(Claim):
    """How sure the headline is, and why; ``n_checks`` other ways to ask were tried."""

    level: Level
    reason: str
    n_checks: int = 0

    @property
    def clause(self) -> str:
        """What is claimed."""
        return strung([f"{self.level}: ", self.reason])


@claim("evidence")
class Evidence(Claim):
    """How many pairs differ, on how much, by which test."""

    n_different: int
    n_pairs: int
    on: str
    measure: str
    procedure: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        return f"{self.pairs} on {self.on} by {self.measure}: {self.procedure}"

    @property
    def pairs(self) -> str:
        """How many pairs differ."""
        return pairs_differ(self.n_different, self.n_pairs)


def pairs_differ(n_different: int, n_pairs: int) -> str:
    """Say how many of some pairs differ.

    >>> pairs_differ(0, 1), pairs_differ(1, 28)
    ('the one pair does not differ significantly', '1 of 28 pairs differs significantly')
    """
    if n_pairs == 1:
        return f"the one pair {'differs' if n_different else 'does not differ'} significantly"
    n = f"{n_different:,}" if n_different else "none"
    return f"{n} of {n_pairs:,} pairs {'differs' if n_different == 1 else 'differ'} significantly"


@claim("missing")
class Missing(Claim):
    """What is missing, in numbers (``cells`` of ``of``), and what depends on it, in words."""

    cells: int
    of: int
    failed: int
    would_lead: Annotated[str | None, "Who would lead if failures counted as worst, if another."]
    details: Annotated[str, "What is missing, why, and what depends on it."]
    left_out: Annotated[tuple[str, ...], "Who is left out, as most of its scores failed."] = ()
    unended: Annotated[int, "How many did not end: slower than every run that did."] = 0

    @property
    def clause(self) -> str:
        """What is claimed."""
        return self.details

    @property
    def short(self) -> str:
        """The same in a few words."""
        if not self.cells or self.unended:
            return self.details
        verb = "is" if self.cells == 1 else "are"
        failed = f", {self.failed:,} failed" if self.failed else ""
        if self.cells == self.failed:
            failed = ", as it failed" if self.cells == 1 else ", all of them failed"
        parts = [f"{self.cells:,} of {self.of:,} scores {verb} missing{failed}"]
        if self.would_lead:
            parts.append(f"if they counted as worst, {self.would_lead} would lead")
        if self.left_out:
            parts.append(f"left out for failing: {some_of(self.left_out, 2)}")
        return f"{'; '.join(parts)}."


@claim("other_reading")
class OtherReading(Claim):
    """Who is unbeaten if the same scores are read the other way: over items, or over data sets.

    ``too_few`` is how many data sets there are, where these cannot tell any two apart.
    """

    over: str
    n_datasets: int
    unbeaten: tuple[str, ...]
    too_few: int = 0
    same: bool = False

    @property
    def clause(self) -> str:
        """What is claimed."""
        drawn = generalises_to(self.over, self.n_datasets)
        if self.too_few:
            return f"for {drawn}, {self.too_few} data sets are too few to tell any two apart"
        if self.same:
            return f"for {drawn}, the same are unbeaten, but {self.unbeaten[0]} is first"
        verb = "is" if len(self.unbeaten) == 1 else "are"
        return f"for {drawn}, {some_of(self.unbeaten, 2) or 'nobody'} {verb} unbeaten"


def generalises_first(over: str | None, n_datasets: int) -> str:
    """Open a sentence with what it generalises to, where that was asked.

    >>> generalises_first("items", 1), generalises_first(None, 1)
    ('This task, other items: ', '')
    """
    if over is None:
        return ""
    drawn = generalises_to(over, n_datasets)
    return f"{drawn[0].upper()}{drawn[1:]}: "


def generalises_to(over: str, n_datasets: int) -> str:
    """Say what a verdict generalises to.

    >>> generalises_to("items", 18), generalises_to("datasets", 18)
    ('these tasks, other items', 'other tasks like these')
    """
    if over == "datasets":
        return "other tasks like these"
    return f"{'this task' if n_datasets == 1 else 'these tasks'}, other items"


# --- at what cost ---------------------------------------------------------------------------------


@claim("value")
class Value(Claim):
    """What the first of an order by cost saves against the leader, and what it gives up.

    ``ratio`` is the cost of ``against`` over that of ``algorithm``, the geometric mean of the
    ratios on the data sets where both were measured, ``ratios`` the least and the largest of them,
    ``totals`` what both cost there in all, where one cost is meant.
    ``score_difference`` is the mean paired difference on the ``n_shared`` data sets that both
    have, positive where the algorithm is better; on ratio scales it is null, and ``score_ratio``
    the geometric mean of the paired ratios, the algorithm's score over the other's.
    """

    algorithm: str
    against: str | None
    cost: Annotated[str, "The cost, or the costs with their weights; a prior order given by hand."]
    ratio: float | None
    ratios: tuple[float, float] | None
    totals: tuple[float, float] | None
    n_costs: int
    n_shared: int
    score_difference: float | None
    score_ratio: float | None
    measure: str
    is_time: bool
    beaten_by: tuple[str, ...] | None
    why_first: str = ""
    unclear: str = ""
    on_one_dataset: bool = dataclasses.field(default=False, repr=False)

    @property
    def clause(self) -> str:
        """What is claimed."""
        first = f"best value by {self.cost}: {self.algorithm}"
        if self.against is None or self.algorithm == self.against:
            return f"{first}{' too' if self.against else ''}, {self.why_first}"
        parts = [f"{first}, {self.trade}" if self.trade else first, self._beaten]
        return "; ".join(filter(None, parts))

    @property
    def short(self) -> str:
        """The same without what is weighed and who is first."""
        parts = [self.why_first] if self.algorithm == self.against else [self.trade, self._beaten]
        return sentence("; ".join(filter(None, parts)))

    @property
    def trade(self) -> str:
        """How much it costs and scores against the leader, on what both have."""
        if not self.n_shared:
            return f"which shares no data set with {self.against}"
        saved = [] if self.ratio is None else [self._cheap]
        if saved and self.n_costs != self.n_shared:
            saved = [f"{self._cheap} on {count(self.n_costs, 'data set')} with both costs"]
        sets = f"{self.n_shared} data sets" if self.n_shared > 1 else "one data set"
        on = "" if self.on_one_dataset else f" on the {sets} they share"
        return f"{' and '.join([*saved, *self._score])}{on}{self._in_total}"

    @property
    def _cheap(self) -> str:
        """How many times as cheap as the leader it is, and between what this varies."""
        cheap = f"{as_cheap(self.ratio or 1.0, is_time=self.is_time)} as {self.against}"
        low, high = self.ratios or (1.0, 1.0)
        if (self.ratio or 1.0) < 1:  # told as so many times as costly
            low, high = 1 / high, 1 / low
        varies = high > low * (1 + SAME_COST)
        return f"{cheap} ({times(low)} to {times(high)})" if varies else cheap

    @property
    def _in_total(self) -> str:
        """What both cost in all, where that is the other way round than the ratio."""
        own, others = self.totals or (0.0, 0.0)
        ratio = self.ratio or 1.0
        costlier_in_total = ratio > 1 + SAME_COST and own > others
        cheaper_in_total = ratio < 1 - SAME_COST and own < others
        if not costlier_in_total and not cheaper_in_total:
            return ""
        unit = cost_named(self.cost).unit
        word = "costlier" if costlier_in_total else "cheaper"
        return f", though {word} in total, {cost(own, unit)} against {cost(others, unit)}"

    @property
    def _score(self) -> list[str]:
        if self.score_ratio is not None:
            return [f"{self.measure} {number(self.score_ratio)} times as large"]
        if self.score_difference is None or math.isnan(self.score_difference):
            return []
        if self.score_difference == 0:
            return [f"equal in {self.measure}"]
        # A sign would be read as that of the score, which of a loss is the other one.
        written = signed_alike([self.score_difference])[0].lstrip("+−")
        side = "better" if self.score_difference > 0 else "worse"
        return [f"{written} {side} in {self.measure}"]

    @property
    def _beaten(self) -> str:
        if self.unclear:
            return self.unclear
        if self.beaten_by is None:
            return "no test was possible"
        if not self.beaten_by:  # the first of an order by the pairs never is
            return ""
        verb = "is" if len(self.beaten_by) == 1 else "are"
        return f"but {some_of(self.beaten_by)} {verb} significantly better by {self.measure}"


SAME_COST = 0.01
"""Costs that differ by no more than this share are the same."""


def as_cheap(ratio: float, *, is_time: bool = False) -> str:
    """Say how many times as fast, or as cheap, one is that another costs ``ratio`` times as much.

    >>> as_cheap(3.14, is_time=True), as_cheap(1.004), as_cheap(0.5), as_cheap(52718.0)
    ('3.1 times as fast', 'as cheap', '2.0 times as costly', 'about 53,000 times as cheap')
    """
    low, high = ("slow", "fast") if is_time else ("costly", "cheap")
    if abs(math.log(ratio)) <= math.log1p(SAME_COST):
        return f"as {high}"
    word, size = (high, ratio) if ratio > 1 else (low, 1 / ratio)
    return f"{'about ' if size >= 1000 else ''}{times(size)} times as {word}"


@claim("front")
class OnFront(Claim):
    """Who is on the front of cost and score: no other is as cheap, as good, and better in one.

    Each pair is compared on the data sets that both have.
    """

    algorithms: tuple[str, ...]
    n_others: int
    cost: str
    measure: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        verb, these = ("is", "it") if len(self.algorithms) == 1 else ("are", "one of these")
        others = "the other one" if self.n_others == 1 else "each of the others"
        behind = f"; {others} is neither cheaper nor better than {these}" if self.n_others else ""
        return (
            f"on the front of {self.cost} and {self.measure} {verb} {some_of(self.algorithms)}"
            f"{behind}"
        )


# --- what other methods put first -----------------------------------------------------------------


@claim("first")
class First(Claim):
    """Who comes first by another test, or by another method, than the default comparison."""

    algorithm: str | None
    method: str
    pool: str
    any_differ: bool = True

    @property
    def clause(self) -> str:
        """What is claimed."""
        if not self.any_differ:
            return f"by {self.method} no two of {self.pool} are shown to differ"
        return f"by {self.method} {self.algorithm or 'nobody'} leads {self.pool}"


@claim("default_method")
class DefaultMethod(Claim):
    """How the default order differs from that of a paper's method.

    ``against`` has pairs of which the default finds the second significantly better, and the
    method places it after the first.
    """

    against: tuple[tuple[str, str], ...]
    procedure: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        why = (
            f"the default method, 'pairwise', goes by the {self.procedure}, which tests each pair "
            "by its own scores, without costs and places"
        )
        if not self.against:
            return why
        (before, better), n = self.against[0], len(self.against) - 1
        others = f", as in {count(n, 'other pair')}" if n else ""
        return (
            f"{why}; it finds {better} significantly better than {before}, here before it{others}"
        )


@claim("ranked_first")
class RankedFirst(Claim):
    """Whom a ranking puts first; where that is not the leader, the text says why."""

    algorithm: str
    method: str
    leader: str | None
    by: Annotated[str, "What the leader stands by: mean rank, or the mean of the score."]
    shares: Annotated[tuple[str, ...], "Those that share the first place."]

    @property
    def clause(self) -> str:
        """What is claimed."""
        first = "is first" if len(self.shares) == 1 else "share the first place"
        found = f"by {self.method} {some_of(self.shares)} {first}"
        if self.leader is None or self.leader in self.shares:
            return found
        why = f"of those that nobody significantly beats {self.leader} has the best {self.by}"
        return f"{found}; {why}"


@claim("most_probable")
class MostProbable(Claim):
    """Who is most probably the best by a Bayesian model of all algorithms.

    ``best_set`` is the smallest set that holds the best with the probability beside it.
    """

    algorithm: str
    p_best: float
    p_as_good: Annotated[float | None, "Practically as good as the best; null without a region."]
    best_set: tuple[str, ...]
    p_best_set: Annotated[float | None, "That the best is in the set."]
    model: str
    leader: str | None
    shares: Annotated[tuple[str, ...], "Those that stand as the leader does, by ranks."]

    @property
    def clause(self) -> str:
        """What is claimed."""
        as_good = ""
        if self.p_as_good is not None:
            as_good = f", practically as good as the best with {probability(self.p_as_good)}"
        best = f"{self.algorithm} is the best with probability {probability(self.p_best)}"
        if self.leader is None or self.algorithm in (self.leader, *self.shares):
            return f"{best}{as_good}"
        why = "by ranks, which ask how often one is better and not by how much on average, it is"
        return f"{best}{as_good}; {why} {self.leader}"


@claim("posterior")
class PairByModel(Claim):
    """How two algorithms compare by a Bayesian model of pairs."""

    a: str
    b: str
    p_a_better: float
    p_rope: float
    p_b_better: float
    details: str

    @property
    def clause(self) -> str:
        """What is claimed."""
        return self.details


@claim("experiment")
class Unfinished(Claim):
    """How many jobs of an experiment ended well, if not all."""

    ended_well: int
    jobs: int
    counts: str
    finished: bool

    @property
    def clause(self) -> str:
        """What is claimed."""
        state = "" if self.finished else "; it is not finished, and the answer may change"
        return (
            f"{self.ended_well} of {self.jobs} jobs of the experiment ended well, {self.counts}"
            f"{state}"
        )
