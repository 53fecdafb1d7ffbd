"""An ordering: algorithms best first, and the steps that justify each place."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

import numpy as np

from palio.claims import (
    SAME_COST,
    Answer,
    Answered,
    Claim,
    DefaultMethod,
    Evidence,
    First,
    Leader,
    Sureness,
    pool_of,
)
from palio.comparison.answer import untested
from palio.comparison.over_datasets import compare
from palio.comparison.pairs import Pair
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample
from palio.errors import ParameterError
from palio.measures import Measure
from palio.numbers import p_said, weighed
from palio.ordering.arrays import DatasetOrder, FirstPass
from palio.ordering.graph import BY_COST, BY_RANK, MAX_BLOCKERS, Step, Wording, sort_steps
from palio.ordering.tolerance import Tolerance
from palio.ordering.tradeoff import Front, trade, value_claim
from palio.registry import unknown_name
from palio.results import Paired, Result, Topped
from palio.scores import ScoreTable
from palio.words import count, some_of

if TYPE_CHECKING:
    from palio.ordering.prior import Preference


PreferredBy = Literal["cost", "prior", "mean-rank"]


@dataclass(frozen=True, repr=False)
class Ordering(Answered, Paired, Topped, Result):
    """Algorithms best first, and the evidence for it.

    It is what :func:`palio.order`, :func:`palio.multitest` and :func:`palio.multi2test` return.

    Attributes
    ----------
    method
        Which made it: ``pairwise``, ``multitest`` or ``multi2test``.
    order
        The algorithms, best first.
    prior
        The order of preference before the tests: cheapest first, by hand, or by mean rank.
    edges
        The pairs (worse, better) that the tests found and that nobody may stand against; MultiTest
        and Multi²Test have those where the better is costlier.
    steps
        How the order was read off, place by place.
    test, correction, posthoc, alpha, options
        What made the edges.
    comparison, own_pairs
        The comparison that made the edges, or the method's own pairs; ``pairs`` has either.
    judged_by
        The comparison that the verdict stands on where it was given; ``judged`` has it always.
    measure, table, n_datasets
        What was ordered, on how many data sets.
    dataset
        The data set it is about, if it is about one.
    cost, costs
        The weights of the costs, if any was named, and what each algorithm costs by them.
    wording
        How the preference is spoken of.
    mean_scores, mean_ranks
        By score alone, as :func:`palio.compare` has them.
    mean_places, on_each
        The places in MultiTest's order on each data set, averaged and one by one, where the method
        starts with them.
    tolerance
        What the preferred may give up, where no test could tell any two apart.
    shown
        How many rows a text shows.
    notes
        The conventions that were used.

    Examples
    --------
    >>> import palio
    >>> ordering = palio.order(palio.load_study("ulas2008"), cost="train_time")
    >>> ordering.order[:3], ordering.unbeaten
    (('svl', 'svr', '5nn'), ('svr', 'svl'))
    >>> ordering.why("svl", "svr")
    'svl is before svr: it is cheaper, and svr is not significantly better.'
    >>> ordering.verdict.value
    'Best value by train_time: svl, 1.1 times as fast as svr (0.002 to 7.6) and 1.93 worse in
    accuracy on the 38 data sets they share.'
    """

    kind = "ordering"
    parts = (
        "verdict", "leader", "sureness", "claims", "method", "measure", "n_datasets", "test",
        "correction", "alpha", "dataset", "cost", "preferred_by", "posthoc", "order", "ranks",
        "rank_sets", "unbeaten", "prior", "edges", "steps", "pairs", "costs", "mean_scores",
        "mean_ranks", "mean_places", "per_dataset", "comparison", "notes",
    )  # fmt: skip

    method: str
    order: tuple[str, ...]
    prior: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    measure: Measure
    n_datasets: int
    test: str | None
    correction: str | None
    alpha: float
    costs: Mapping[str, float]
    mean_scores: Mapping[str, float]
    mean_ranks: Mapping[str, float]
    table: ScoreTable = field(compare=False)
    wording: Wording = BY_COST
    mean_places: Mapping[str, float] = field(default_factory=dict)
    on_each: FirstPass | None = None
    tolerance: Tolerance | None = None
    dataset: str | None = None
    cost: Mapping[str, float] | None = None
    posthoc: str | None = None
    shown: int | None = None
    comparison: Comparison | None = None
    own_pairs: tuple[Pair, ...] = ()
    judged_by: Comparison | None = field(default=None, compare=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The algorithm in the first place."""
        return self.order[0]

    @property
    def ranks(self) -> dict[str, int]:
        """The place of each algorithm, 1 the best."""
        return {name: place for place, name in enumerate(self.order, start=1)}

    @property
    def imputed(self) -> frozenset[str]:
        """The algorithms of which a rule made up a score."""
        return self.table.with_imputed

    @property
    def per_dataset(self) -> Mapping[str, DatasetOrder]:
        """The order on each data set, where the method makes one."""
        return {} if self.on_each is None else self.on_each.per_dataset

    @property
    def first_pass(self) -> FirstPass:
        """MultiTest on each data set, where the method starts with it."""
        if self.on_each is None:
            raise ParameterError(
                "method", "MultiTest and Multi²Test have a first pass", f"this is '{self.method}'"
            )
        return self.on_each

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """What the test that made the edges says of each pair."""
        if self.comparison is None:
            return self.own_pairs
        return tuple(pair.verdict for pair in self.comparison.pairs)

    @property
    def preferred_by(self) -> PreferredBy:
        """What chose among equals: a cost, a prior order given by hand, or the mean rank."""
        if self.cost is not None:
            return "cost"
        return "mean-rank" if self.wording.preferred == BY_RANK.preferred else "prior"

    @cached_property
    def judged(self) -> Comparison | None:
        """The comparison by score that the verdict stands on; none where no test is possible."""
        if self.judged_by is not None:
            return self.judged_by
        if self.comparison is not None and self.posthoc is None:
            return self.comparison
        if self.test is None:
            return None
        asked: dict[str, Any] = {}
        if self.dataset is not None:
            asked = {"dataset": self.dataset, "test": self.test, **self.options}
        return compare(self.table, alpha=self.alpha, **asked)

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """Those whom nobody significantly beats; all where there is no test."""
        found = None if self.judged is None else self.judged.unbeaten
        return self.table.by_mean_score() if found is None else found

    @property
    def rank_sets(self) -> Mapping[str, tuple[int, int]] | None:
        """The first and the last place that the pairs leave open to each algorithm."""
        if self.judged is not None:
            return self.judged.rank_sets
        return dict.fromkeys(self.table.algorithms, (1, self.table.n_algorithms))

    @cached_property
    def claims(self) -> Answer:
        """What is claimed, each claim with its numbers."""
        if self.goes_by_own_pairs:
            return Answer(self._own_claims())
        judged = untested(self.table) if self.judged is None else self.judged.claims
        leader = judged.leader
        value = value_claim(self, leader)
        return Answer((*judged, *(() if value is None else (value,))))

    @property
    def goes_by_own_pairs(self) -> bool:
        """Whether it is by a paper's method, and speaks in the terms of that method."""
        return self.on_each is not None and self.judged_by is None

    def _own_claims(self) -> Iterator[Claim]:
        """Claim what a paper's method found, by its own pairs; then what the default says."""
        from palio.ordering.methods import ORDERINGS  # which makes orderings

        made, default = self.first_pass, cast("Comparison", self.judged).default
        by = "the given prior order" if self.cost is None else weighed(self.cost)
        pool = pool_of(len(self.order), self.n_datasets, self.dataset)
        yield First(self.first, f"{ORDERINGS[self.method].title} and {by}", pool)
        n = sum(pair.significant for pair in self.pairs)
        if self.comparison is None:
            side = ", one-sided" if made.test.one_sided else ""
            how = f"{made.test.title}{side}, {made.correction.title}, α = {self.alpha:g}"
            yield Evidence(n, self.n_pairs, default.rests_on, str(self.measure), how)
        else:
            places, how = "place in MultiTest's order on each", str(self.comparison.procedure)
            yield Evidence(n, self.n_pairs, default.rests_on, places, how)
        yield from (each for each in default.claims if isinstance(each, (Leader, Sureness)))
        before = {name: self.order[: place - 1] for name, place in self.ranks.items()}
        yield DefaultMethod(
            tuple(
                (worse, name)
                for name in self.order
                for worse in before[name]
                if worse in default.standings[name].beats
            ),
            str(default.procedure),
        )

    @property
    def overridden(self) -> tuple[tuple[str, str], ...]:
        """The edges where the better is the less preferred, so that the preference gave way."""
        place = {name: i for i, name in enumerate(self.prior)}
        return tuple(edge for edge in self.edges if place[edge[0]] < place[edge[1]])

    @property
    def by_mean_rank_alone(self) -> bool:
        """Whether no preference was given and no pair disturbs the order of the mean ranks."""
        return self.preferred_by == "mean-rank" and not self.overridden

    @property
    def n_pairs(self) -> int:
        """The number of pairs of algorithms."""
        return math.comb(len(self.order), 2)

    def why(self, a: str, b: str) -> str:
        """Say why one of two algorithms stands before the other.

        >>> import palio
        >>> palio.order(palio.load_study("ulas2008"), cost="train_time").why("5nn", "svr")
        'svr is before 5nn: it is costlier, but significantly better (p = 1.3e-05).'
        """
        ranks = self.ranks
        for name in (a, b):
            if name not in ranks:
                raise unknown_name("algorithm", name, self.order)
        if a == b:
            return f"{a} is one algorithm: it has one place, {ranks[a]}."
        first, second = sorted((a, b), key=lambda name: ranks[name])
        step = self.steps[ranks[first] - 1]
        return f"{first} is before {second}: {self._reason(first, second, step)}."

    def _reason(self, first: str, second: str, step: Step) -> str:
        preferred, other, _, better = self.wording
        waits_for = step.waiting.get(second, ())
        if self.cost is not None and self.method == "pairwise":
            pair = (second, first) if waits_for and first not in waits_for else (first, second)
            preferred, other = self._cheaper(*pair), self._cheaper(*pair, "costlier")
        if second in step.circle:
            return f"it is {preferred}, and the two are in a circle of those that beat one another"
        if (second, first) in self.edges:
            how = f"{other}, but" if first in waits_for else f"{preferred}, and"
            if self.tolerance is not None:
                return f"it is {how} {better}"
            return f"it is {how} {better} ({p_said(self._pair(first, second).p_adjusted)})"
        if waits_for:
            return (
                f"{second} is {preferred}, but has to wait for {some_of(waits_for, MAX_BLOCKERS)}, "
                f"{better} than {second}"
            )
        if self.comparison is not None:
            apart = self.comparison.not_comparable  # with the leader: these come last
            if self.preferred_by == "mean-rank" and second in apart and first not in apart:
                return f"it is compared enough, and {second} too little{self._met(first, second)}"
            if self.comparison.place_of(first, second) is None:
                return f"it is {preferred}{self._met(first, second)}"
        return f"it is {preferred}, and {second} is not {better}"

    def _cheaper(self, first: str, second: str, word: str = "cheaper") -> str:
        """Say that one is cheaper, unless the data sets that both have say otherwise."""
        found = trade(self.table, self.cost, first, second)
        if found.ratio is None:
            return f"overall {word}"
        if abs(math.log(found.ratio)) <= math.log1p(SAME_COST):
            return "as cheap"
        there = "cheaper" if found.ratio > 1 else "costlier"
        if there == word:
            return word
        preferred = "preferred" if word == "cheaper" else "less preferred"
        on = count(found.n_costs, "data set")
        return f"{preferred} by cost overall, though {there} on the {on} of both"

    def _met(self, a: str, b: str) -> str:
        """Say on how many data sets two met."""
        pair = None if self.comparison is None else self.comparison.pair_if_compared(a, b)
        if pair is None:
            return "; the two never met"
        return f"; the two share {count(pair.n, 'data set')}"

    def _pair(self, a: str, b: str) -> Pair:
        if self.comparison is not None:
            return self.comparison.pair(a, b)
        return next(pair for pair in self.own_pairs if {pair.a, pair.b} == {a, b})

    def __repr__(self) -> str:
        return f"<Ordering by {self.method}: {' > '.join(self.order)}>"

    def _frame(self) -> Any:
        """Give one row per algorithm, best first."""
        return {
            "place": range(1, len(self.order) + 1),
            "algorithm": self.order,
            "prior": [self.prior.index(name) + 1 for name in self.order],
            "mean_rank": [self.mean_ranks[name] for name in self.order],
            "mean_place": [self.mean_places.get(name, math.nan) for name in self.order],
            "mean_score": [self.mean_scores[name] for name in self.order],
            "cost": [self.costs.get(name, math.nan) for name in self.order],
        }


def ordering_of(
    method: str,
    table: ScoreTable,
    preference: Preference,
    edges: Sequence[tuple[str, str]],
    **found: Any,
) -> Ordering:
    """Read the order off the edges, from the worse to the better."""
    steps = sort_steps(preference.order, edges, wording=preference.wording)
    return Ordering(
        method=method,
        order=tuple(step.taken for step in steps),
        prior=tuple(preference.order),
        edges=tuple(edges),
        steps=steps,
        measure=table.measure,
        n_datasets=table.n_datasets,
        cost=preference.weights,
        costs=preference.costs,
        table=table,
        wording=preference.wording,
        **found,
    )


def mean_ranks(table: ScoreTable) -> dict[str, float]:
    """Return the rank of each algorithm by its score, averaged over data sets, as `compare` does.

    >>> import palio
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.1, 0.2], [0.3, 0.3]], datasets=["d", "e"], algorithms=["a", "b"], measure="error"
    ... )
    >>> mean_ranks(table)
    {'a': 1.25, 'b': 1.75}
    """
    pairs = np.triu_indices(table.n_algorithms, 1)
    ranks = Sample(table.goodness(), *pairs).mean_ranks
    return dict(zip(table.algorithms, ranks.tolist(), strict=True))


# --- every algorithm in its place -----------------------------------------------------------------


Names = tuple[str, ...]


@dataclass(frozen=True)
class OrderRow:
    """An algorithm in its place, and why."""

    place: int
    algorithm: str
    mean_score: float
    ranks: Annotated[
        tuple[int, int] | None, "The first and the last place that the pairs leave open."
    ]
    mean_rank: Annotated[float, "By the score alone."]
    cost: Annotated[float | None, "What the order went by; null where no cost was weighed."]
    costs: Annotated[Mapping[str, float], "The geometric mean of every cost, in its own unit."]
    prior_place: Annotated[int, "The place by preference alone."]
    on_front: Annotated[bool | None, "Whether nobody is as good, as cheap, and better in one."]
    reason: str
    overrides: Annotated[Names, "Cheaper ones it is significantly better than (the order's)."]
    waits_for: Annotated[Names, "Costlier ones significantly better than it (the order's)."]
    beats: Annotated[Names | None, "Significantly worse by the comparison; null if none made."]
    beaten_by: Names | None
    level_with: Annotated[Names | None, "Compared, and no difference found."]


@dataclass(frozen=True)
class Order:
    """Best first."""

    parts: ClassVar[tuple[str, ...]] = ("method", "cost", "rows")

    method: str
    cost: Annotated[Mapping[str, float] | None, "The costs weighed, with their weights."]
    rows: tuple[OrderRow, ...]


def places(ordering: Ordering, comparison: Comparison | None, front: Front | None) -> Order:
    """Put what is known of each algorithm in a row, best first.

    ``comparison`` says whom each beats by the score, ``front`` whether nobody dominates it.
    """
    table, ranks = ordering.table, ordering.rank_sets or {}
    scores, costs = ordering.mean_scores, table.mean_costs(of_all=True)
    weighed = {} if ordering.cost is None else ordering.costs
    prior = {name: i for i, name in enumerate(ordering.prior, start=1)}
    on_front = {point.algorithm: point.on_front for point in front.points} if front else {}
    overrides, waits_for = _edges(ordering)
    rows = []
    for place, step in enumerate(ordering.steps, start=1):
        name = step.taken
        standing = None if comparison is None else comparison.standings[name]
        rows.append(
            OrderRow(
                place=place,
                algorithm=name,
                mean_score=scores[name],
                ranks=ranks.get(name),
                mean_rank=ordering.mean_ranks[name],
                cost=weighed.get(name),
                costs={cost: means[name] for cost, means in costs.items()},
                prior_place=prior[name],
                on_front=on_front.get(name),
                reason=step.reason,
                overrides=tuple(overrides[name]),
                waits_for=tuple(waits_for[name]),
                beats=standing and standing.beats,
                beaten_by=standing and standing.beaten_by,
                level_with=standing and standing.level_with,
            )
        )
    return Order(ordering.method, ordering.cost, tuple(rows))


def _edges(ordering: Ordering) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return whom each stands before although it costs more, and who stands so before it."""
    overrides: dict[str, list[str]] = defaultdict(list)
    waits_for: dict[str, list[str]] = defaultdict(list)
    for cheaper, better in ordering.overridden:
        overrides[better].append(cheaper)
        waits_for[cheaper].append(better)
    return overrides, waits_for
