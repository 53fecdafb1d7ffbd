"""How many items are needed to see a difference on the same data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from palio.comparison.item_tests import ITEM_TESTS
from palio.comparison.over_items import ItemQuestion
from palio.comparison.power import Power
from palio.errors import DesignError, Option, ParameterError, require
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.scores.over import items_of
from palio.stats.items import t_power
from palio.words import count

# The test whose power is known. Sign flips of clusters have about the same.
_TEST = "item-t"
# More items than this are not looked for.
_MOST = 10_000_000


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


def power_over_items(
    table: ScoreTable,
    a: str,
    b: str,
    *,
    test: str | None,
    correction: str | None,
    alpha: float,
    difference: float | None,
    n_items: Sequence[int] | None,
    target: float,
    options: Mapping[str, Any],
    notes: tuple[str, ...],
) -> ItemPower:
    """Work out how many items would tell two algorithms apart, were they like those at hand."""
    scores = items_of(table)
    if test is not None and (test not in ITEM_TESTS or ITEM_TESTS[test].name != _TEST):
        raise ParameterError(
            "test",
            f"how many items are needed is known of '{_TEST}'",
            f"{test!r} was given",
            f"leave it out, or give {Option('over', 'datasets')}",
        )
    question = ItemQuestion.asked(scores, _TEST, correction, alpha, None, options)
    drawn = question.drawn()
    for name in (a, b):
        if name not in scores.algorithms:
            raise unknown_name("algorithm", name, scores.algorithms)
    first, second = sorted((scores.algorithms.index(a), scores.algorithms.index(b)))
    found = np.flatnonzero((drawn.first == first) & (drawn.second == second))
    if not found.size:
        raise DesignError("b", "the two must share items", f"{a!r} and {b!r} do not")
    place = int(found[0])
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
    now, sets = int(drawn.means.items[place]), int(drawn.means.datasets[place])
    correct = question.procedure.correction
    pairs = 1 if correct.controls == "nothing" else drawn.first.size

    def chance(n: int) -> float:
        more = n / now
        freedom = max(1.0, (df + sets) * more - sets)
        return float(t_power(abs(gap) / error * more**0.5, freedom, alpha / pairs))

    if n_items is not None:
        require(len(n_items) > 0 and min(n_items) > 1, "n_items", "they are 2 or more", n_items)
    needed = _smallest(chance, target, 2 * sets)
    tried = n_items or sorted({max(2 * sets, n) for n in (needed // 4, needed // 2, needed, now)})
    turned = scores.measure.turned(np.array(gap))
    levelled = (
        f"at the level {alpha:g}/{pairs}, that of Bonferroni for {count(pairs, 'pair')}"
        + ("; holm finds it at least as often" if correct.name == "holm" else "")
        if pairs > 1
        else f"at the level {alpha:g}"
    )
    return ItemPower(
        a, b, a if float(turned) > 0 else b, question.entry.name, correct.name, alpha, target, 0,
        {n: chance(n) for n in tried},
        (
            *notes,
            f"other items of the same data sets: a difference of {gap:.4g}, whose standard error "
            f"is {error:.4g} with the {now} items at hand",
            f"by the noncentral t distribution, {levelled}",
            *table.notes,
        ),
        n_items=now,
        n_datasets=sets,
    )  # fmt: skip


def _smallest(chance: Callable[[int], float], target: float, least: int) -> int:
    """Return the smallest number whose chance is enough, or the largest that is looked at."""
    low, high = least - 1, least
    while chance(high) < target and high < _MOST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle) >= target else (middle, high)
    return high
