"""What a comparison over items says: that of data sets, with means, errors and counts of items."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.claims import Claim, FewClusters, Missing
from palio.comparison.board import BoardRow
from palio.comparison.item_tests import Drawn, TooFewForFlips
from palio.comparison.results import Comparison, Over
from palio.comparison.sample import MEAN, Effect, Matching, Record, Scores
from palio.numbers import percent
from palio.scores.lacking import parts_said
from palio.stats.items import Averages, By
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray
from palio.words import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from palio.comparison.forest import Forest
    from palio.comparison.over_items import ItemQuestion

# So many numbers are looked at together where the items of pairs are counted.
_CELLS = 1 << 18
# Intervals of this many pairs are worked out together.
_PAIRS = 256


@dataclass(frozen=True, eq=False)
class ItemEffects:
    """How far pairs are apart over items: their mean differences, and who is better on how many.

    Medians and ranks of differences are for data sets: of items, most of which tie, they say
    little, and are not worked out. The interval of a pair is that of its test, at the level at
    which the pair was decided (``levels``): it is without zero just where the pair differs.
    """

    drawn: Drawn
    higher_is_better: bool
    levels: FloatArray
    p_value: FloatArray

    @property
    def first(self) -> IntArray:
        """The first of each pair, as a column."""
        return self.drawn.first

    @property
    def second(self) -> IntArray:
        """The second of each pair."""
        return self.drawn.second

    @cached_property
    def rows(self) -> tuple[Effect, ...]:
        """The effects of all pairs."""
        return tuple(self.at(place) for place in range(self.first.size))

    def at(self, place: int) -> Effect:
        """Return the effects of one pair."""
        mean, low, high = self.interval_at(place)
        nothing = (math.nan,) * 4
        return Effect(*self.record_at(place), mean, mean, (low, high), *nothing)

    def difference_at(self, place: int) -> float:
        """Return the mean difference of one pair."""
        return float(self.drawn.means.estimate[place])

    def interval_at(self, place: int) -> tuple[float, float, float]:
        """Return the mean difference of one pair, and the ends of its interval."""
        # The intervals of sign flips take long where there are many pairs, of which few are shown.
        block, within = divmod(place, _PAIRS)
        if block not in self._ends:
            some = np.arange(block * _PAIRS, min((block + 1) * _PAIRS, self.first.size))
            of = self.drawn.some(some)
            self._ends[block] = of.interval(self.levels[some], self.p_value[some])
        low, high = self._ends[block]
        return float(self.drawn.means.estimate[place]), float(low[within]), float(high[within])

    @property
    def interval_of(self) -> str:
        """What the intervals are of, in words."""
        return f"{MEAN.title}, at the level of the verdict"

    @property
    def is_matched(self) -> bool:
        """Always: intervals are of the test itself."""
        return True

    @property
    def ratios(self) -> bool:
        """Never: over items differences are in the units of the data sets."""
        return False

    def standard_error_at(self, place: int) -> float:
        """Return the standard error of that mean difference."""
        return float(np.sqrt(self.drawn.means.variance[place]))

    def some(self, places: IntArray) -> tuple[ItemEffects, IntArray]:
        """Return the effects of some of the pairs, and the columns that they are of: all."""
        few = self.drawn.some(places)
        columns = np.arange(self.drawn.items.values.shape[1])
        some = replace(self, drawn=few, levels=self.levels[places], p_value=self.p_value[places])
        return some, columns

    @cached_property
    def _ends(self) -> dict[int, tuple[FloatArray, FloatArray]]:
        return {}

    def record_at(self, place: int) -> Record:
        """Return on how many items both have a score, and on how many each is better."""
        step = max(1, _CELLS // len(self.drawn.items.values))
        block, within = divmod(place, step)
        if block not in self._counted:
            self._counted[block] = self._count(slice(block * step, (block + 1) * step))
        n, wins, losses = self._counted[block][:, within].tolist()
        return Record(n, wins, n - wins - losses, losses)

    @cached_property
    def _counted(self) -> dict[int, IntArray]:
        return {}

    def _count(self, part: slice) -> IntArray:
        columns, where = np.unique(
            np.concatenate([self.first[part], self.second[part]]), return_inverse=True
        )
        x = self.drawn.items.columns(columns)
        i, j = np.split(where, 2)
        a, b = x[:, i], x[:, j]
        with np.errstate(invalid="ignore"):  # a missing score is neither better nor worse
            noise = TIE_TOLERANCE * np.maximum(np.abs(a), np.abs(b))
            above, below = (a - b > noise).sum(axis=0), (b - a > noise).sum(axis=0)
        n = (~np.isnan(a) & ~np.isnan(b)).sum(axis=0)
        better = (above, below) if self.higher_is_better else (below, above)
        return np.stack([n, *better])


@dataclass(frozen=True, eq=False)
class ItemMeans(Scores):
    """The means of data sets over their items, and the items that pairs are told apart on."""

    drawn: Drawn = field(kw_only=True)
    levels: FloatArray = field(kw_only=True)
    p_value: FloatArray = field(kw_only=True)

    def effects(
        self, first: IntArray, second: IntArray, _matching: Matching | None = None
    ) -> ItemEffects:
        """Return the effects of the pairs, which are those that were drawn."""
        if not (np.array_equal(first, self.drawn.first) and first.size == second.size):
            raise ValueError("these are not the pairs that were compared.")
        return ItemEffects(self.drawn, self.measure.higher_is_better, self.levels, self.p_value)


class OnItems(NamedTuple):
    """What a comparison over items rests on."""

    n_items: int
    n_clusters: Annotated[int | None, "Null where each item is one by itself."]
    few_clusters: Annotated[
        TooFewForFlips | None,
        "Pairs that few clusters allow only t for. Null where there are none.",
    ]
    average: Annotated[By, "What counts the same in a difference: data sets, or items."]
    missing: Annotated[int, "How many of the scores on items are missing."]
    of: int
    shared: Annotated[tuple[int, int], "The fewest and the most items that a pair rests on."]
    unpaired: Annotated[int, "How many pairs share no items, and were compared all the same."]
    repeats: Annotated[
        tuple[float, float, float] | None,
        "The share of a difference's variance that more repeats of the items would remove: the "
        "median, the least and the largest of the pairs. Null without repeats.",
    ]


@dataclass(frozen=True, repr=False, eq=False)
class ItemComparison(Comparison):
    """Who differs from whom on other items of the same data sets; and how sure we are.

    A `Comparison`: what is said of data sets there is said of items here. ``mean_scores`` are
    averaged over data sets as the differences are, ``mean_ranks`` are their ranks, ``scores`` are
    the means of the data sets; ``items`` says what it rests on. ``means`` are the mean scores with
    their variances over items, ``lacking`` on how many items each algorithm has no score;
    ``question`` is what was asked of the items.
    """

    parts = (*Comparison.parts, "items")

    compared: ItemMeans
    items: OnItems = field(kw_only=True)
    means: Averages = field(kw_only=True)
    lacking: tuple[int, ...] = field(kw_only=True)
    question: ItemQuestion = field(kw_only=True)

    @property
    def over(self) -> Over:
        """What would be drawn anew: items."""
        return "items"

    @cached_property
    def mean_scores(self) -> dict[str, float]:
        """The mean score of each algorithm, averaged over data sets as the differences are."""
        return dict(zip(self.algorithms, self.means.estimate.tolist(), strict=True))

    @cached_property
    def board(self) -> tuple[BoardRow, ...]:
        """One row per algorithm, the best mean first, with an interval over items."""
        ends = np.stack(self.means.interval(1 - self.alpha)).T.tolist()
        own = {
            name: {"mean_score": mean, "interval": (low, high), "missing": missing}
            for name, mean, (low, high), missing in zip(
                self.algorithms, self.means.estimate.tolist(), ends, self.lacking, strict=True
            )
        }
        return tuple(row._replace(**own[row.algorithm]) for row in super().board)

    @cached_property
    def not_comparable(self) -> Mapping[str, int]:
        """Who shares less than half of the data sets with the leader, and on how many."""
        tried = (~np.isnan(self.compared.values)).sum(axis=0)
        of = dict(zip(self.algorithms, tried.tolist(), strict=True))
        unbeaten: tuple[str, ...] = ()
        if self.control is None:
            ordered = (name for part in self._joined for name in part)
            unbeaten = tuple(name for name in ordered if not self.standings[name].beaten_by)
        best = next((name for name in unbeaten if 2 * of[name] >= self.n_datasets), None)
        if best is None:
            return {}
        shared = {
            name: 0 if place is None else int(self.compared.drawn.means.datasets[place])
            for name in unbeaten
            if name != best
            for place in (self.place_of(best, name),)
        }
        return {name: n for name, n in shared.items() if 2 * n < self.n_datasets}

    @property
    def warnings(self) -> tuple[Claim, ...]:
        """What the headline must say of the test besides: that there are few clusters."""
        few = self.items.few_clusters
        return () if few is None else (FewClusters(*few, self.alpha),)

    @property
    def missing_claim(self) -> Missing | None:
        """What is missing, as a claim."""
        on = self.items
        said = [*_missing_said(on), *parts_said([len(part) for part in self.components])]
        if not said:
            return None
        return Missing(on.missing, on.of, 0, None, " ".join(said))

    def forest(self, a: str, b: str) -> Forest:
        """Return by how much a is above b on each data set and over all, with intervals."""
        from palio.comparison.forest import forest_over_items

        return forest_over_items(self, a, b)

    @property
    def rests_on(self) -> str:
        """How many items of how many data sets, in words."""
        on = self.items
        clusters = f" in {count(on.n_clusters, 'cluster')}" if on.n_clusters else ""
        sets = f" of {self.n_datasets} data sets" if self.n_datasets > 1 else ""
        low, high = on.shared
        items = f"{low} to {high} items" if low < high else count(high, "item")
        return f"{items}{clusters}{sets}"

    def __repr__(self) -> str:
        return (
            f"<ItemComparison: {self.method}, {self.correction}, {len(self.algorithms)} algorithms "
            f"on {self.rests_on}, {self.n_different} of {self.n_pairs} pairs differ>"
        )


def _missing_said(on: OnItems) -> list[str]:
    """Say what is missing, and on how much each pair rests."""
    sentences = []
    if on.missing:
        verb = "is" if on.missing == 1 else "are"
        low, high = on.shared
        shared = f"{low}" if low == high else f"{low} to {high}"
        sentences.append(
            f"{on.missing} of {count(on.of, 'score')} on items {verb} missing; each pair rests on "
            f"the items that both have, {shared} of them."
        )
    if on.unpaired:
        pairs = count(on.unpaired, "pair")
        verb = "shares" if on.unpaired == 1 else "share"
        sentences.append(
            f"{pairs} {verb} no items and {'is' if on.unpaired == 1 else 'are'} compared unpaired: "
            "what is hard for both makes them less sure."
        )
    return sentences


def repeats_said(shares: tuple[float, float, float]) -> str:
    """Say what more repeats of the items would bring.

    >>> repeats_said((0.4, 0.25, 0.5))
    'more repeats of the same items would remove 40.0 % of the variance of a difference (25.0 % to
    50.0 % by pair); more items the rest'
    """
    middle, low, high = (percent(each, 1) for each in shares)
    return (
        f"more repeats of the same items would remove {middle} of the variance of a difference "
        f"({low} to {high} by pair); more items the rest"
    )
