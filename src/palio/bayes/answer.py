"""What a posterior says, without its draws: small, typed, and fit to be handed between processes.

`PosteriorAnswer` is what text, figures, the page and JSON are made from. Its rows are named
tuples; what depends on the model (``checks``, ``diagnostics``) are `Facts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from palio.claims import NO_CLAIMS, Answer, Answered
from palio.measures import Measure
from palio.results import Result, Topped, plain
from palio.scores.items import ReadOver
from palio.scores.summary import MissingSummary

if TYPE_CHECKING:
    import pandas as pd

Interval = tuple[float, float]

# A statement is made when it is more probable than this.
SURE = 0.95


class Facts(Mapping[str, Any]):
    """The base of dataclasses whose attributes are also a mapping of what is known.

    Facts with a default are optional: they are in the mapping, and so in JSON, where they are not
    ``None``.
    """

    def __getitem__(self, name: str) -> Any:
        if name not in tuple(self):
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        for field in fields(self):  # type: ignore[arg-type]
            if field.default is MISSING or getattr(self, field.name) is not None:
                yield field.name

    def __len__(self) -> int:
        return sum(1 for _ in self)


# --- rows ----------------------------------------------------------------------------------------


class PosteriorPair(NamedTuple):
    """Two algorithms: which is better, are they practically equal, and by how much they differ.

    ``difference`` is the posterior mean of a − b, ``hdi`` its highest-density interval, and
    ``mc_error`` the largest Monte-Carlo standard error of the three probabilities.
    """

    a: str
    b: str
    p_a_better: float
    p_rope: float
    p_b_better: float
    difference: float
    hdi: Interval
    mc_error: float

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three probabilities: a better, practically equal, b better."""
        return self.p_a_better, self.p_rope, self.p_b_better

    @property
    def likeliest(self) -> tuple[str, float]:
        """What is most probable, ``"a"``, ``"equal"`` or ``"b"``, and how probable it is."""
        return max(zip(("a", "equal", "b"), self.shares, strict=True), key=lambda each: each[1])


class EffectRow(NamedTuple):
    """The effect of an algorithm: its posterior mean and highest-density interval."""

    algorithm: str
    mean: float
    hdi: Interval


class BestRow(NamedTuple):
    """How probable it is that an algorithm is the best, or practically as good as the best.

    ``expected_loss`` is how much worse than the best it is on average; ``in_set``: it is in the
    smallest set that holds the best with 95 %.
    """

    algorithm: str
    p_best: float
    p_as_good: float
    expected_loss: float
    in_set: bool


class Scale(NamedTuple):
    """What differences and effects are counted in, and the region on this scale.

    ``ratios``: they are of natural logarithms, so that a difference of 0.01 is a ratio of 1.01.
    """

    name: str
    rope: float
    higher_is_better: bool
    ratios: bool = False


class Cheapest(NamedTuple):
    """The cheapest algorithm that is as good as the best, by a prior order, cheapest first.

    ``probability`` that it is as good is below ``wanted`` where none is as sure as that.
    """

    algorithm: str
    probability: float
    wanted: float
    prior: tuple[str, ...]


class Decided(NamedTuple):
    """Of how many pairs something is said with more than 95 %."""

    better: int
    equal: int
    undecided: int


@dataclass(frozen=True, eq=False)
class Histogram(Facts):
    """Draws counted in bins, and how many lie ``beyond`` the outer edges; mean and sd of all."""

    edges: list[float]
    counts: list[int]
    beyond: int
    mean: float
    sd: float

    @property
    def n(self) -> int:
        """The number of draws, in the bins and beyond."""
        return sum(self.counts) + self.beyond

    def if_normal(self, points: int) -> list[float]:
        """Return the counts of bins around places, evenly from end to end, were the draws normal.

        Not the density, which of narrow distributions rises far above bars that are broader.
        Without a spread there are none.

        >>> [round(count, 1) for count in Histogram([-1, 0, 1], [50, 50], 0, 0.0, 1.0).if_normal(3)]
        [24.2, 38.3, 24.2]
        """
        if not self.sd:
            return []
        low, step = self.edges[0], (self.edges[-1] - self.edges[0]) / (points - 1)
        unit = self.sd * math.sqrt(2)
        half = (self.edges[1] - low) / 2 / unit
        middles = ((low + i * step - self.mean) / unit for i in range(points))
        return [self.n * (math.erf(z + half) - math.erf(z - half)) / 2 for z in middles]


class Detail(NamedTuple):
    """One pair in detail: some draws of it for the figures.

    ``difference`` are the draws of a − b, ``points`` some draws of the probabilities that a is
    better, that both are equal, that b is better; ``None`` where the model has no such draws.
    """

    a: str
    b: str
    p_a_better: float
    p_rope: float
    p_b_better: float
    mean: float
    hdi: Interval
    difference: Histogram | None
    points: list[list[float]] | None

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three probabilities: a better, practically equal, b better."""
        return self.p_a_better, self.p_rope, self.p_b_better


# --- can it be trusted? --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Trust(Facts):
    """How the draws were made, and the worst of their diagnostics over all parameters.

    The optional ones are what some samplers tell of themselves.
    """

    method: str
    independent: bool
    n_chains: int
    n_draws: int
    r_hat: float
    ess_bulk: float | None
    ess_tail: float | None
    mc_error: float
    warnings: tuple[str, ...]
    acceptance: float | None = None
    pareto_k: float | None = None
    ess: float | None = None
    proposals: float | None = None
    divergences: float | None = None
    proposal_pareto_k: float | None = None


@dataclass(frozen=True, eq=False)
class Discrepancy(Facts):
    """A posterior predictive check: scores and replicated scores, a value per draw."""

    name: str
    p_value: float
    observed: list[float]
    replicated: list[float]


@dataclass(frozen=True, eq=False)
class LargestResidual(Facts):
    """Whether the largest residual is larger than the model can explain."""

    p_value: float


@dataclass(frozen=True, eq=False)
class Outside(Facts):
    """The shares of replicated scores beyond the range; ``None`` where an end is not known."""

    lower: float | None
    below: float | None
    upper: float | None
    above: float | None


@dataclass(frozen=True, eq=False)
class Binned(Facts):
    """The scores of each algorithm, or of each data set, counted in the same bins."""

    names: list[str]
    counts: list[list[int]]
    mean: list[float]
    sd: list[float]

    def by_name(self, edges: list[float]) -> dict[str, Histogram]:
        """Return the histogram of each, by name."""
        rows = zip(self.names, self.counts, self.mean, self.sd, strict=True)
        return {name: Histogram(edges, counts, 0, mean, sd) for name, counts, mean, sd in rows}


@dataclass(frozen=True, eq=False)
class Histograms(Facts):
    """The scores by algorithm and by data set, the residuals and the effects behind them."""

    edges: list[float]
    by_algorithm: Binned
    by_dataset: Binned
    residuals: Histogram
    dataset_effects: Histogram


@dataclass(frozen=True, eq=False)
class NextDataset(Facts):
    """The expected probabilities of the three regions on the next data set."""

    a: str
    b: str
    p_a_better: float
    p_rope: float
    p_b_better: float


@dataclass(frozen=True, eq=False)
class TheseDatasets(NextDataset):
    """The probabilities of the three regions on average over the data sets at hand."""


@dataclass(frozen=True, eq=False)
class ShrunkenDataset(Facts):
    """The difference on a data set, as measured and as the model sees it."""

    dataset: str
    measured: float
    mean: float
    hdi: Interval


@dataclass(frozen=True, eq=False)
class Shrunken(Facts):
    """The differences of a pair on every data set."""

    a: str
    b: str
    datasets: list[ShrunkenDataset]


@dataclass(frozen=True, eq=False)
class Checks(Facts):
    """Posterior predictive checks and other facts about the fit: those that the model has."""

    discrepancy: Discrepancy | None = None
    largest_residual: LargestResidual | None = None
    outside: Outside | None = None
    histograms: Histograms | None = None
    wins_in_95: float | None = None
    next_dataset: list[NextDataset] | None = None
    these_datasets: list[TheseDatasets] | None = None
    shrunken: list[Shrunken] | None = None
    warnings: Sequence[str] | None = None


# --- all of it -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorAnswer(Answered, Topped, Result):
    """What a posterior says, without its draws; `Posterior.answer` makes it.

    Parameters
    ----------
    rope : float
        Half the region of practical equivalence, as it was given; ``scale.rope`` is the same on
        the scale of differences and effects.
    order : tuple of str
        The algorithms, best first: by their mean effects, or by the pairs they are expected to
        win.
    pairs, effects, best : tuples of rows
        In the order of ``algorithms``; no effects and no best where pairs are compared one by one.
    rank_sets : mapping of str to two int, optional
        The first and the last rank of each algorithm: all of them hold at once with probability
        ``mass``, and none can be narrowed. A rank is 1 + the number better beyond the region, so
        that all have rank 1 where all are practically equal. None where pairs are compared one by
        one.
    detail : Detail, optional
        One pair with some of its draws; none where there is no pair.
    cheapest : Cheapest, optional
        Only where it was asked for.
    missing : MissingSummary, optional
        The scores that the table lacks, of whom and why.
    over : "items" or "datasets", optional
        What would be drawn anew, of models that are asked about items.
    claims : Answer
        What is most probable, and who leads by the default comparison; empty unless asked for.
    """

    kind: ClassVar[str] = "posterior"
    parts = (
        "leader", "sureness", "claims", "model", "title", "reference", "algorithms", "n_datasets",
        "measure", "rope", "rope_source", "mass", "scale", "order", "pairs", "effects", "best",
        "best_set", "best_set_probability", "rank_sets", "detail", "diagnostics", "checks",
        "missing", "notes",
    )  # fmt: skip

    model: str
    title: str
    reference: str
    algorithms: tuple[str, ...]
    n_datasets: int
    measure: Measure
    rope: float
    rope_source: str
    mass: float
    scale: Scale
    order: tuple[str, ...]
    pairs: tuple[PosteriorPair, ...]
    effects: tuple[EffectRow, ...]
    best: tuple[BestRow, ...]
    rank_sets: Mapping[str, tuple[int, int]] | None
    detail: Detail | None
    diagnostics: Trust
    checks: Checks
    notes: tuple[str, ...]
    cheapest: Cheapest | None = None
    missing: MissingSummary | None = None
    over: ReadOver | None = None
    claims: Answer = NO_CLAIMS

    def __repr__(self) -> str:
        return f"<PosteriorAnswer: {self.title}, {len(self.algorithms)} algorithms>"

    @property
    def best_first(self) -> tuple[BestRow, ...]:
        """The rows of ``best``, the likeliest to be the best first."""
        return tuple(sorted(self.best, key=lambda row: (-row.p_best, row.expected_loss)))

    @property
    def best_set(self) -> tuple[str, ...]:
        """The smallest set that holds the best with probability 0.95, the likeliest first."""
        return tuple(row.algorithm for row in self.best_first if row.in_set)

    @property
    def best_set_probability(self) -> float | None:
        """How probable it is that the best is in the set; none without joint draws."""
        return sum(row.p_best for row in self.best if row.in_set) if self.best else None

    @property
    def decided(self) -> Decided:
        """Of how many pairs something is said with more than 95 %."""
        better = sum(max(pair.p_a_better, pair.p_b_better) > SURE for pair in self.pairs)
        equal = sum(pair.p_rope > SURE for pair in self.pairs)
        return Decided(better, equal, len(self.pairs) - better - equal)

    @property
    def leaders(self) -> PosteriorPair | None:
        """The pair of the first two of ``order``, as it stands among the pairs."""
        two = set(self.order[:2])
        return next((pair for pair in self.pairs if {pair.a, pair.b} == two), None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; ``cheapest`` and ``over`` are in it only where they were asked for."""
        asked = {} if self.cheapest is None else {"cheapest": plain(self.cheapest)}
        over = {} if self.over is None else {"over": self.over}
        return {**super().to_dict(), **asked, **over}

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs as a frame."""
        return pairs_frame(self.pairs)


def pairs_frame(pairs: Sequence[PosteriorPair]) -> pd.DataFrame:
    """Return a row per pair, the ends of the interval in columns of their own."""
    import pandas as pd

    frame = pd.DataFrame([pair._asdict() for pair in pairs])
    if pairs:
        frame["hdi_low"], frame["hdi_high"] = zip(*frame.pop("hdi"), strict=True)
        frame["mc_error"] = frame.pop("mc_error")
    return frame
