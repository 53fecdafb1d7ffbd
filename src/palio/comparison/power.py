"""How many data sets are needed to see a difference, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeGuard

import numpy as np

from palio.bars import Steps, steps
from palio.comparison.over_datasets import USUAL_TEST, check_unit, usual_test
from palio.comparison.over_items import by_items, read_over
from palio.comparison.pair_tests import pair_test_named
from palio.comparison.procedure import Procedure
from palio.comparison.variance import Variance, variance
from palio.errors import DesignError, MissingCellsError, Option, ParameterError, require
from palio.measures import Measure
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ItemScores, ScoreTable, Tabular, as_table
from palio.scores.over import ReadOver, items_of
from palio.types import FloatArray
from palio.words import count, joined

if TYPE_CHECKING:
    import pandas as pd

# Tried one after another until the target is reached.
_SIZES = (5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 1000)

Draw = Callable[[int, np.random.Generator], FloatArray]


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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of data sets."""
        import pandas as pd

        return pd.DataFrame(self.curve)


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
    _check_numbers(target, trials, sd, n_datasets)
    known = (
        source
        if isinstance(source, Variance) or _are_means(source)
        else as_table(source, over=over)
    )
    if _by_items(known, over, test, each, n_datasets):
        from palio.comparison.item_power import power_over_items

        a, b, chosen = _two(known, a, b, meet=share_items(items_of(known)))
        return power_over_items(
            known, a, b, test=test, correction=correction, alpha=alpha, difference=difference,
            n_items=n_items, target=target, options=options, notes=chosen,
        )  # fmt: skip
    require(n_items is None, "n_items", "it is for the question over items", n_items)
    a, b, chosen = _two(known, a, b)
    if each is not None and isinstance(known, ScoreTable):
        known = variance(known)
    if isinstance(known, ScoreTable | Variance):
        test = test or usual_test(known.measure)
        check_unit("test", pair_test_named(test), known.measure)
    test = test or USUAL_TEST
    procedure = Procedure.asked(test, correction, alpha, options=options)
    names, draw, better, notes = _model(known, a, b, difference, sd, each)
    rng = np.random.default_rng(seed)
    pair = (names.index(a), names.index(b))
    sign = 1 if better == a else -1
    curve: dict[int, float] = {}
    sizes = n_datasets or _SIZES
    with steps("simulating", len(sizes), progress) as step:
        for n in sizes:
            step(count(n, "data set"))
            found = sum(procedure.told(draw(n, rng), pair) == sign for _ in range(trials))
            curve[n] = found / trials
            if n_datasets is None and curve[n] >= target:
                break
    return Power(
        a, b, better, procedure.method, procedure.correction.name, alpha, target, trials, curve,
        (
            *chosen,
            *notes,
            f"{trials} simulated tables for each number of data sets, seed {seed}",
            *(known.notes if isinstance(known, ScoreTable | Variance) else ()),
        ),
    )  # fmt: skip


def _two(
    source: ScoreTable | Mapping[str, float] | Variance,
    a: str | None,
    b: str | None,
    *,
    meet: Callable[[str, str], bool] = lambda _a, _b: True,
) -> tuple[str, str, tuple[str, ...]]:
    """Return the two algorithms: as given, or else those with the best means that ``meet``."""
    if a is not None and b is not None:
        return a, b, ()
    if isinstance(source, ScoreTable):
        means, up = dict(zip(source.algorithms, source.overall().tolist(), strict=True)), True
    elif isinstance(source, Variance):
        means, up = dict(source.means), source.higher_is_better
    else:
        means, up = dict(source), True
    there = {name: mean for name, mean in means.items() if not math.isnan(mean)}
    best = sorted(there, key=lambda name: there[name], reverse=up)
    firsts, seconds = ([name] if name else best for name in (a, b))
    pairs = ((x, y) for x in firsts for y in seconds if x != y and meet(x, y))
    found = next(pairs, None)
    if found is None:
        raise ParameterError("a", "two algorithms that have met are needed", "there are none")
    chosen = [name for name in found if name not in (a, b)]
    verb = "have the best means" if len(chosen) == 2 else "has the best mean of the others"
    return *found, (f"{joined(chosen)} {verb}",)


def share_items(items: ItemScores) -> Callable[[str, str], bool]:
    """Return what says whether two algorithms share two items of a data set."""
    answered = items.answered()

    def share(a: str, b: str) -> bool:
        if not {a, b} <= set(items.algorithms):
            return False
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


def _model(
    source: ScoreTable | Mapping[str, float] | Variance,
    a: str,
    b: str,
    difference: float | None,
    sd: float,
    each: Mapping[str, int] | None,
) -> tuple[list[str], Draw, str, tuple[str, ...]]:
    names = list(source.algorithms if isinstance(source, ScoreTable | Variance) else source)
    for name in (a, b):
        if name not in names:
            raise unknown_name("algorithm", name, names)
    if a == b:
        raise ParameterError("b", "two different algorithms are needed", f"{a!r} is given twice")
    if isinstance(source, ScoreTable):
        return (names, *_from_table(source, a, b, difference))
    if isinstance(source, Variance):
        return (names, *_from_components(source, a, b, difference, each or {}))
    if each is not None:
        raise ParameterError("each", "stated means have no variance components", "it was given")
    if difference is not None:
        raise ParameterError(
            "difference", "it shifts a table", remedy="with means, give the means you mean"
        )
    means = np.array([float(source[name]) for name in names])
    if source[a] == source[b]:
        raise ParameterError("source", f"{a!r} and {b!r} have the same mean: nothing to find")
    better = a if source[a] > source[b] else b
    return (
        names,
        lambda n, rng: means + sd * rng.standard_normal((n, means.size)),
        better,
        (f"normal scores around the stated means, standard deviation {sd:g}",),
    )


def _from_table(
    table: ScoreTable, a: str, b: str, difference: float | None
) -> tuple[Draw, str, tuple[str, ...]]:
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
                "difference", "the measure differs by data set", "a shift would have no unit"
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
        raise ParameterError(
            "table", f"{a!r} and {b!r} have the same mean", remedy=f"give {Option('difference')}"
        )
    return (
        lambda n, rng: goodness[rng.integers(len(goodness), size=n)],
        a if gap > 0 else b,
        (note,),
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
) -> tuple[Draw, str, tuple[str, ...]]:
    """Draw normal scores around the means, with the variance of so many splits and seeds."""
    if source.rates is None:
        raise DesignError("each", "several data sets are needed", "the table has one")
    units, replicates = _numbers_of(source, each)
    sd = math.sqrt(source.rates.variance(1, units, replicates) / 2)
    means = np.array(list(source.means.values()))
    at, other = source.algorithms.index(a), source.algorithms.index(b)
    if difference is not None:
        sign = source.measure.goodness_sign
        means[at] = means[other] + sign * _on_scale(difference, source.measure)
    if means[at] == means[other]:
        raise ParameterError(
            "table", f"{a!r} and {b!r} have the same mean", remedy=f"give {Option('difference')}"
        )
    goodness = means if source.higher_is_better else -means
    inside = [count(n, name) for n, name in _named(source, units, replicates)]
    with_each = f", with {' of '.join(inside)} of each data set" if inside else ""
    return (
        lambda n, rng: goodness + sd * rng.standard_normal((n, means.size)),
        a if goodness[at] > goodness[other] else b,
        (
            f"normal scores around the table's means, standard deviation {sd:.4g} by its variance "
            f"components{with_each}",
        ),
    )


def _named(source: Variance, units: int, replicates: int) -> list[tuple[int, str]]:
    found = ((replicates, source.replicate), (units, source.unit))
    return [(n, name) for n, name in found if name is not None]


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


def _check_numbers(target: float, trials: int, sd: float, n_datasets: Sequence[int] | None) -> None:
    if not 0 < target < 1:
        raise ParameterError("target", "a chance lies between 0 and 1", f"{target!r} was given")
    if trials < 1:
        raise ParameterError("trials", "at least one is needed", f"{trials!r} was given")
    if not 0 < sd < float("inf"):
        raise ParameterError("sd", "a standard deviation is positive", f"{sd!r} was given")
    if n_datasets is not None and (not n_datasets or min(n_datasets) < 2):
        raise ParameterError(
            "n_datasets",
            "numbers of data sets from 2 on are needed",
            f"{list(n_datasets)} was given",
        )
