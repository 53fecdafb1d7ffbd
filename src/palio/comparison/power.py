"""How many data sets, or items of these, are needed to see a difference."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, NamedTuple, TypeGuard

import numpy as np

from palio.bars import Steps, steps
from palio.comparison.item_tests import ITEM_TESTS
from palio.comparison.over_datasets import USUAL_TEST, check_unit, usual_test
from palio.comparison.over_items import ItemQuestion, by_items, read_over
from palio.comparison.pair_tests import PAIR_TESTS, pair_test_named
from palio.comparison.procedure import Asked, Procedure
from palio.comparison.variance import Variance, variance
from palio.errors import DesignError, MissingCellsError, Option, ParameterError, require
from palio.measures import Measure
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ItemScores, ScoreTable, Tabular, as_table, reading_in
from palio.scores.items import ReadOver, items_of
from palio.stats.items import t_power
from palio.types import FloatArray
from palio.words import count, joined

# Numbers of data sets, tried one after another until the target is reached.
_SIZES = (5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 1000)

# The test over items whose power is known. Sign flips of clusters have about the same.
_ITEM_TEST = "item-t"
# More items than this are not looked for.
_MAX_ITEMS = 10_000_000


class PowerPoint(NamedTuple):
    """The chance of finding a difference on so many data sets, with its standard error."""

    n_datasets: int
    power: float
    standard_error: float


@dataclass(frozen=True, repr=False)
class Power(Result):
    """The chance of finding a difference, by the number of data sets.

    ``chances`` maps each number tried to the chance; ``curve`` adds its standard error.
    """

    kind = "power"
    parts: ClassVar[tuple[str, ...]] = (
        "a", "b", "better", "test", "correction", "alpha", "target", "trials", "needed", "curve",
        "notes",
    )  # fmt: skip

    a: str
    b: str
    better: str
    test: str
    correction: str
    alpha: float
    target: float
    trials: int
    chances: Mapping[int, float]
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> int | None:
        """The smallest number of data sets tried that reaches the target, if any does."""
        return next((n for n, chance in self.chances.items() if chance >= self.target), None)

    def __repr__(self) -> str:
        needed = f"{self.needed} data sets" if self.needed else f"more than {max(self.chances)}"
        return f"<Power: {self.a} against {self.b} by {self.test}, {needed} for {self.target:g}>"

    @property
    def curve(self) -> tuple[PowerPoint, ...]:
        """The chances with their standard errors, one point per number of data sets."""
        return tuple(
            PowerPoint(n, chance, math.sqrt(chance * (1 - chance) / self.trials))
            for n, chance in self.chances.items()
        )

    def _frame(self) -> Any:
        """Give one row per number of data sets."""
        return self.curve


class ItemPowerPoint(NamedTuple):
    """The chance of finding a difference on so many items, of all data sets together."""

    n_items: int
    power: float


@dataclass(frozen=True, repr=False)
class ItemPower(Power):
    """The chance of finding a difference, by the number of items of the same data sets."""

    parts = (*(part for part in Power.parts if part != "trials"), "over", "n_items", "n_datasets")

    n_items: int = field(kw_only=True)
    n_datasets: int = field(kw_only=True)

    @property
    def over(self) -> str:
        """What would be drawn anew: items."""
        return "items"

    @property
    def curve(self) -> tuple[ItemPowerPoint, ...]:  # type: ignore[override]  # of items
        """The chances, one point per number of items."""
        return tuple(ItemPowerPoint(n, chance) for n, chance in self.chances.items())


def power(
    source: Tabular | Mapping[str, float] | Variance,
    *,
    a: str | None = None,
    b: str | None = None,
    over: ReadOver | None = None,
    test: str | None = None,
    correction: str | None = "holm",
    alpha: float = 0.05,
    difference: float | None = None,
    sd: float = 1.0,
    each: Mapping[str, int] | None = None,
    n_datasets: Sequence[int] | None = None,
    n_items: Sequence[int] | None = None,
    target: float = 0.8,
    trials: int = 1000,
    seed: int = 0,
    progress: Steps = None,
    **options: Any,
) -> Power:
    r"""Say how often a procedure would tell two algorithms apart, with more data sets or items.

    Over data sets, tables are simulated. Over items the same data sets would have more of them, and
    the chance is that of the t test, by the standard error that the pair has now.

    Parameters
    ----------
    source
        A table, or what `read_scores` reads, whose data sets are drawn with replacement; or the
        mean score of each algorithm (higher is better), to which normal noise is added; or what
        `palio.variance` found, of which the noise then is.
    a, b
        The two algorithms, those with the best means unless given; the others count through the
        correction and, in tests on ranks, through the ranks.
    over
        What would be drawn anew, as for :func:`palio.compare`: ``"datasets"`` or ``"items"``.
    test, correction, alpha, **options
        The procedure, as for :func:`palio.compare`.
    difference
        For a table: shift a so that its mean is so much above b's (below, if negative); on a ratio
        scale, 0.1 is a tenth more of the score.
    sd
        The standard deviation of the noise that is added to means.
    each
        How many splits, seeds or items each data set would have: ``{"splits": 1, "seeds": 3}``. Of
        a table, its variance components are then taken for the noise, as of `palio.variance`.
    n_datasets
        Which numbers of data sets to try; by default more and more until ``target`` is reached.
    n_items
        Over items: which numbers of these, of all data sets together, to look at.
    target
        The chance that is enough.
    trials, seed
        How many tables are simulated for each number, and from which seed.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with each number of data sets.

    Returns
    -------
    Power
        ``needed`` is the smallest number tried that reaches the target, ``chances`` has them all.

    See Also
    --------
    palio.variance : what scores vary by.

    Notes
    -----
    Over data sets, where s of N simulated tables give the right verdict on the pair, the chance and
    its standard error are

    .. math::

        \hat p = \frac{s}{N}, \qquad \sqrt{\frac{\hat p (1 - \hat p)}{N}}

    Over items, with the difference d and its standard error e on the n items at hand, N items, and
    m pairs of which each is tested at the level :math:`\alpha / m`, the chance is

    .. math::

        P(T > t_{1 - \alpha / (2m)}), \qquad T \sim t_\nu\left(\frac{\left|d\right|}{e}
        \sqrt{\frac{N}{n}}\right)

    with T of the noncentral t distribution, and the degrees of freedom ν that so many items have.

    Examples
    --------
    benavoli2016, example 2: the sign test finds in 94 % of the cases what the mean ranks of five
    algorithms find in 5 %.

    >>> means = {"A": 0, "B": 1.5, "C": 5, "D": 6, "E": 7}
    >>> how = dict(a="A", b="B", correction=None, n_datasets=[20], trials=2000)
    >>> round(power(means, test="sign", **how).chances[20], 1)
    0.9
    >>> power(means, test="mean-ranks", **how).chances[20] < 0.1
    True
    """
    require(0 < target < 1, "target", "a chance lies between 0 and 1", target)
    require(trials >= 1, "trials", "at least one is needed", trials)
    require(0 < sd < math.inf, "sd", "a standard deviation is positive", sd)
    if n_datasets is not None:
        several = len(n_datasets) > 0 and min(n_datasets) > 1
        rule = "numbers of data sets from 2 on are needed"
        require(several, "n_datasets", rule, list(n_datasets))
    known = (
        source
        if isinstance(source, Variance) or _are_means(source)
        else as_table(source, reading_in(options), power, over=over)
    )
    means = _goodness(known)
    if _by_items(known, over, test, each, n_datasets):
        items = items_of(known)
        there = {name: means[name] for name in items.algorithms}
        a, b, chosen = _two(there, a, b, meet=_share_items(items))
        if test is not None and (test not in ITEM_TESTS or ITEM_TESTS[test].name != _ITEM_TEST):
            raise ParameterError(
                "test",
                f"how many items are needed is known of '{_ITEM_TEST}'",
                f"{test!r} was given",
                f"leave it out, or give {Option('over', 'datasets')}",
            )
        question = ItemQuestion.asked(items, Asked(_ITEM_TEST, correction, alpha, None, options))
        found = _over_items(question, a, b, difference, n_items, target)
        return replace(found, notes=(*chosen, *found.notes, *known.notes))
    require(n_items is None, "n_items", "it is for the question over items", n_items)
    a, b, chosen = _two(means, a, b)
    if each is not None and isinstance(known, ScoreTable):
        known = variance(known)
    if isinstance(known, ScoreTable | Variance):
        test = test or usual_test(known.measure)
        check_unit(PAIR_TESTS, pair_test_named(test).name, known.measure)
    procedure = Procedure.asked(test or USUAL_TEST, correction, alpha, options=options)
    if isinstance(known, ScoreTable):
        model = _from_table(known, a, b, difference)
    elif isinstance(known, Variance):
        model = _from_components(known, a, b, difference, each or {})
    else:
        model = _from_means(means, a, b, difference, sd, each)
    rng = np.random.default_rng(seed)
    pair = (model.names.index(a), model.names.index(b))
    sign = 1 if model.lead > 0 else -1
    curve: dict[int, float] = {}
    sizes = n_datasets or _SIZES
    with steps("simulating", len(sizes), progress) as step:
        for n in sizes:
            step(count(n, "data set"))
            n_found = sum(procedure.told(model.draw(n, rng), pair) == sign for _ in range(trials))
            curve[n] = n_found / trials
            if n_datasets is None and curve[n] >= target:
                break
    return Power(
        a, b, a if sign > 0 else b, procedure.method, procedure.correction.name, alpha, target,
        trials, curve,
        (
            *chosen,
            model.note,
            f"{trials} simulated tables for each number of data sets, seed {seed}",
            *(known.notes if isinstance(known, ScoreTable | Variance) else ()),
        ),
    )  # fmt: skip


def _goodness(source: ScoreTable | Mapping[str, float] | Variance) -> dict[str, float]:
    """Return the mean of each algorithm, higher is better."""
    if isinstance(source, ScoreTable):
        return dict(zip(source.algorithms, source.overall().tolist(), strict=True))
    if isinstance(source, Variance):
        sign = source.measure.goodness_sign
        return {name: sign * mean for name, mean in source.means.items()}
    return {name: float(mean) for name, mean in source.items()}


def _two(
    means: Mapping[str, float],
    a: str | None,
    b: str | None,
    *,
    meet: Callable[[str, str], bool] = lambda _a, _b: True,
) -> tuple[str, str, tuple[str, ...]]:
    """Return the two algorithms: as given, or else those with the best means that ``meet``."""
    for name in (a, b):
        if name is not None and name not in means:
            raise unknown_name("algorithm", name, means)
    if a is not None and b is not None:
        if a == b:
            rule = "two different algorithms are needed"
            raise ParameterError("b", rule, f"{a!r} is given twice")
        return a, b, ()
    there = [name for name, mean in means.items() if not math.isnan(mean)]
    best = sorted(there, key=lambda name: means[name], reverse=True)
    firsts, seconds = ([name] if name else best for name in (a, b))
    pairs = ((x, y) for x in firsts for y in seconds if x != y and meet(x, y))
    found = next(pairs, None)
    if found is None:
        raise ParameterError("a", "two algorithms that have met are needed", "there are none")
    chosen = [name for name in found if name not in (a, b)]
    verb = "have the best means" if len(chosen) == 2 else "has the best mean of the others"
    return *found, (f"{joined(chosen)} {verb}",)


def _share_items(items: ItemScores) -> Callable[[str, str], bool]:
    """Return what says whether two algorithms share two items of a data set."""
    answered = items.answered()

    def share(a: str, b: str) -> bool:
        both = answered[:, [items.algorithms.index(name) for name in (a, b)]].all(axis=1)
        return bool((np.bincount(items.dataset_of[both], minlength=1) > 1).any())

    return share


def _by_items(
    source: ScoreTable | Mapping[str, float] | Variance,
    over: ReadOver | None,
    test: str | None,
    each: object,
    n_datasets: object,
) -> TypeGuard[ScoreTable]:
    """Whether the question is over items: as asked, or where numbers of data sets are not."""
    if not isinstance(source, ScoreTable):
        return False
    if over is None and (each is not None or n_datasets is not None):
        return False
    return read_over(source, over, dataset=None, test=test) == "items"


def _are_means(source: Tabular | Mapping[str, float] | Variance) -> TypeGuard[Mapping[str, float]]:
    """Whether these are means by name, and not a table, whose columns have values."""
    return isinstance(source, Mapping) and all(isinstance(m, Real) for m in source.values())


# --- over data sets: what is simulated ------------------------------------------------------------


class _Model(NamedTuple):
    """What tables are drawn from, and by how much the first of the two leads in it."""

    names: Sequence[str]
    draw: Callable[[int, np.random.Generator], FloatArray]
    lead: float
    note: str

    @classmethod
    def normal(cls, means: Mapping[str, float], a: str, b: str, sd: float, note: str) -> _Model:
        """Draw normal scores around means."""
        around = np.array(list(means.values()))
        return cls(
            list(means),
            lambda n, rng: around + sd * rng.standard_normal((n, around.size)),
            means[a] - means[b],
            note,
        )


def _from_means(
    means: Mapping[str, float],
    a: str,
    b: str,
    difference: float | None,
    sd: float,
    each: Mapping[str, int] | None,
) -> _Model:
    if each is not None:
        raise ParameterError("each", "stated means have no variance components", "it was given")
    if difference is not None:
        raise ParameterError(
            "difference", "it shifts a table", remedy="with means, give the means you mean"
        )
    if means[a] == means[b]:
        raise ParameterError("source", f"{a!r} and {b!r} have the same mean: nothing to find")
    note = f"normal scores around the stated means, standard deviation {sd:g}"
    return _Model.normal(means, a, b, sd, note)


def _from_table(table: ScoreTable, a: str, b: str, difference: float | None) -> _Model:
    scaled = table.scaled()
    complete = ~np.isnan(scaled.values).any(axis=1)
    goodness, sized = scaled.values[complete], scaled.for_means[complete]
    if len(goodness) < 2:
        raise MissingCellsError(
            "missing",
            "two data sets with a score of every algorithm are needed",
            "there are fewer",
            by_items(table),
        )
    column = {name: j for j, name in enumerate(table.algorithms)}
    gaps = sized[:, column[a]] - sized[:, column[b]]
    if table.measure.is_ordinal:
        if difference is not None:
            raise ParameterError(
                "difference", table.measure.why_ordinal, "a shift would have no unit"
            )
        gaps = np.sign(gaps)  # who wins more often
    gap = float(np.nanmean(gaps))
    note = f"data sets drawn with replacement from the table's {len(goodness)}"
    if difference is not None:
        wanted = _on_scale(difference, table.measure)
        goodness = goodness.copy()
        goodness[:, column[a]] += wanted - gap
        note += f", {a} shifted to a mean difference of {difference:g}"
        gap = wanted
    if gap == 0:
        raise _same_mean(a, b)
    return _Model(
        table.algorithms, lambda n, rng: goodness[rng.integers(len(goodness), size=n)], gap, note
    )


def _same_mean(a: str, b: str) -> ParameterError:
    return ParameterError(
        "table", f"{a!r} and {b!r} have the same mean", remedy=f"give {Option('difference')}"
    )


def _on_scale(difference: float, measure: Measure) -> float:
    """Return a difference of scores, on a ratio scale a share of them, as one of goodness."""
    if measure.scale != "ratio":
        return measure.goodness_sign * difference
    require(
        difference > -1, "difference", "on a ratio scale less than all is taken away", difference
    )
    return measure.goodness_sign * math.log1p(difference)


def _from_components(
    source: Variance, a: str, b: str, difference: float | None, each: Mapping[str, int]
) -> _Model:
    """Draw normal scores around the means, with the variance of so many splits and seeds."""
    if source.complete_rates is None:
        raise DesignError("each", "several data sets are needed", "the table has one")
    units, replicates = _numbers_of(source, each)
    sd = math.sqrt(source.complete_rates.variance(1, units, replicates) / 2)
    means = _goodness(source)
    if difference is not None:
        means[a] = means[b] + _on_scale(difference, source.measure)
    if means[a] == means[b]:
        raise _same_mean(a, b)
    named = ((replicates, source.replicate), (units, source.unit))
    inside = [count(n, name) for n, name in named if name is not None]
    with_each = f", with {' of '.join(inside)} of each data set" if inside else ""
    note = (
        f"normal scores around the table's means, standard deviation {sd:.4g} by its variance "
        f"components{with_each}"
    )
    return _Model.normal(means, a, b, sd, note)


def _numbers_of(source: Variance, each: Mapping[str, int]) -> tuple[int, int]:
    """Return how many units and replicates are meant, as many as there are unless given."""
    known = {f"{name}s": name for name in (source.unit, source.replicate) if name is not None}
    for name, number in each.items():
        if name not in known:
            have = f"the table has {joined(list(known))}" if known else "the table has none"
            raise ParameterError("each", "it is about splits, seeds or items that vary", have)
        require(number >= 1, "each", f"at least one of the {name} is needed", number)
    unit, replicate = f"{source.unit}s", f"{source.replicate}s"
    return (
        each.get(unit, round(source.numbers.units)),
        each.get(replicate, round(source.numbers.replicates)),
    )


# --- over items -----------------------------------------------------------------------------------


def _over_items(
    question: ItemQuestion,
    a: str,
    b: str,
    difference: float | None,
    n_items: Sequence[int] | None,
    target: float,
) -> ItemPower:
    """Work out how many items would tell two algorithms apart, were they like those at hand."""
    scores, alpha = question.scores, question.procedure.alpha
    drawn = question.drawn()
    first, second = sorted((scores.algorithms.index(a), scores.algorithms.index(b)))
    found = np.flatnonzero((drawn.first == first) & (drawn.second == second))
    if not found.size:
        raise DesignError("b", "the two must share items", f"{a!r} and {b!r} do not")
    means = drawn.means.at(found)
    gap = float(means.estimate[0]) * (1 if scores.algorithms[first] == a else -1)
    gap = gap if difference is None else difference
    error, df = float(means.standard_error[0]), float(means.df[0])
    if gap == 0 or error == 0:
        raise DesignError(
            "table",
            f"the difference of {a!r} and {b!r} must vary, and not be 0",
            f"it is {gap:g} on every item" if error == 0 else "it is 0",
            f"give {Option('difference')}" if error else "choose others",
        )
    now, sets = int(means.items[0]), int(means.datasets[0])
    correct = question.procedure.correction
    pairs = 1 if correct.controls == "nothing" else drawn.first.size

    def chance(n: int) -> float:
        more = n / now
        freedom = max(1.0, (df + sets) * more - sets)
        return float(t_power(abs(gap) / error * more**0.5, freedom, alpha / pairs))

    if n_items is not None:
        require(len(n_items) > 0 and min(n_items) > 1, "n_items", "they are 2 or more", n_items)
    least = 2 * sets
    needed = least + bisect_left(range(least, _MAX_ITEMS), target, key=chance)
    tried = n_items or sorted({max(least, n) for n in (needed // 4, needed // 2, needed, now)})
    better = a if scores.measure.turned(gap) > 0 else b
    levelled = (
        f"at the level {alpha:g}/{pairs}, that of Bonferroni for {count(pairs, 'pair')}"
        + ("; holm finds it at least as often" if correct.name == "holm" else "")
        if pairs > 1
        else f"at the level {alpha:g}"
    )
    return ItemPower(
        a, b, better, question.entry.name, correct.name, alpha, target, 0,
        {n: chance(n) for n in tried},
        (
            f"other items of the same data sets: a difference of {gap:.4g}, whose standard error "
            f"is {error:.4g} with the {now} items at hand",
            f"by the noncentral t distribution, {levelled}",
        ),
        n_items=now,
        n_datasets=sets,
    )  # fmt: skip
