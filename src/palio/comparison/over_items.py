"""Who differs from whom on other items of the same data sets, and what such a comparison says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.claims import Claim, FewClusters, Missing
from palio.comparison.board import BoardRow
from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.item_tests import (
    ITEM_TESTS,
    MIN_CLUSTERS,
    Drawn,
    ItemTest,
    TooFewForFlips,
    few_clusters,
    item_test_named,
    usual_item_test,
)
from palio.comparison.pair_tests import PAIR_TESTS, PairVerdicts
from palio.comparison.procedure import Asked, Procedure
from palio.comparison.results import Comparison, Over
from palio.comparison.sample import (
    MEAN,
    PairEffects,
    RankSizes,
    Record,
    Sample,
    Scores,
    pair_matrix,
    which_met,
)
from palio.errors import DesignError, Option, ParameterError
from palio.numbers import percent
from palio.scores import ItemScores, ScoreTable
from palio.scores.items import ReadOver, check_over, items_of, usual_over
from palio.scores.summary import parts_said
from palio.stats.additive import adjusted_means
from palio.stats.items import Averages, By, Items, column_means, repeats_share
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray
from palio.words import Worded, count, strung

if TYPE_CHECKING:
    from collections.abc import Mapping


# So many numbers are looked at together where the items of pairs are counted.
_CELLS = 1 << 18


@dataclass(frozen=True, eq=False)
class ItemEffects(PairEffects):
    """How far pairs are apart over items: their mean differences, and who is better on how many.

    Medians and ranks of differences are for data sets: of items, most of which tie, they say
    little, and are not worked out. The interval of a pair is that of its test.
    """

    drawn: Drawn
    higher_is_better: bool

    @cached_property
    def means(self) -> list[tuple[float, float]]:
        """The mean difference of each pair, and its standard error."""
        errors = np.sqrt(self.drawn.means.variance)
        return list(zip(self.drawn.means.estimate.tolist(), errors.tolist(), strict=True))

    @cached_property
    def intervals(self) -> list[tuple[float, float, float]]:
        """The mean difference of each pair, and the ends of its interval."""
        ends = self.drawn.interval(self.matching)
        return list(zip(*(x.tolist() for x in (self.drawn.means.estimate, *ends)), strict=True))

    @property
    def sizes(self) -> list[RankSizes]:
        """Nothing: see above."""
        return [RankSizes(*(math.nan,) * 4)] * self.first.size

    def some(self, places: IntArray) -> tuple[ItemEffects, IntArray]:
        """Return the effects of some of the pairs, and the columns that they are of: all."""
        few = replace(
            self,
            first=self.first[places],
            second=self.second[places],
            matching=self.matching.at(places),
            drawn=self.drawn.some(places),
        )
        return few, np.arange(self.drawn.items.values.shape[1])

    @cached_property
    def records(self) -> list[Record]:
        """On how many items both of each pair have a score, and on how many each is better."""
        step = max(1, _CELLS // len(self.drawn.items.values))
        parts = (slice(start, start + step) for start in range(0, self.first.size, step))
        rows = (row for part in parts for row in self._count(part).T.tolist())
        return [Record(n, wins, n - wins - losses, losses) for n, wins, losses in rows]

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
    the means of the data sets; ``items`` says what it rests on. ``question`` is what was asked of
    the items, ``drawn`` the pairs and their mean differences.
    """

    parts = (*Comparison.parts, "items")

    items: OnItems = field(kw_only=True)
    question: ItemQuestion = field(kw_only=True)
    drawn: Drawn = field(kw_only=True)

    @property
    def over(self) -> Over:
        """What would be drawn anew: items."""
        return "items"

    @cached_property
    def means(self) -> Averages:
        """The mean scores, with their variances over items."""
        return self.question.means(self.drawn.by)

    @cached_property
    def mean_scores(self) -> dict[str, float]:
        """The mean score of each algorithm, averaged over data sets as the differences are."""
        return dict(zip(self.algorithms, self.means.estimate.tolist(), strict=True))

    @cached_property
    def board(self) -> tuple[BoardRow, ...]:
        """One row per algorithm, the best mean first, with an interval over items."""
        ends = np.stack(self.means.interval(1 - self.alpha)).T.tolist()
        lacking = self.question.items.lacking.tolist()
        own = {
            name: {"interval": (low, high), "missing": missing}
            for name, (low, high), missing in zip(self.algorithms, ends, lacking, strict=True)
        }
        return tuple(row._replace(**own[row.algorithm]) for row in super().board)

    @cached_property
    def not_comparable(self) -> Mapping[str, int]:
        """Who shares less than half of the data sets with the leader, and on how many.

        Where nobody unbeaten was seen on half of all, half of those of the leader count.
        """
        if self.control is not None:
            return {}
        ordered = (name for part in self._joined for name in part)
        unbeaten = [name for name in ordered if not self.standings[name].beaten_by]
        if not unbeaten:
            return {}
        known = [name for name in unbeaten if 2 * self.n_seen(name) >= self.n_datasets]
        best = (known or unbeaten)[0]
        n_datasets = self.n_datasets if known else self.n_seen(best)
        shared = {
            name: 0 if place is None else int(self.drawn.means.datasets[place])
            for name in unbeaten
            if name != best
            for place in (self.place_of(best, name),)
        }
        return {name: n for name, n in shared.items() if 2 * n < n_datasets}

    @property
    def warnings(self) -> tuple[Claim, ...]:
        """What the headline must say of the test besides: that there are few clusters."""
        few = self.items.few_clusters
        return () if few is None else (FewClusters(*few, self.alpha),)

    @property
    def missing_claim(self) -> Missing | None:
        """What is missing, as a claim."""
        on = self.items
        said = []
        if on.missing:
            verb = "is" if on.missing == 1 else "are"
            low, high = on.shared
            some = f"{low}" if low == high else f"{low} to {high}"
            said.append(
                f"{on.missing} of {count(on.of, 'score')} on items {verb} missing; each pair rests "
                f"on the items that both have, {some} of them."
            )
        if on.unpaired:
            pairs = count(on.unpaired, "pair shares", "pairs share")
            verb = "is" if on.unpaired == 1 else "are"
            said.append(
                f"{pairs} no items and {verb} compared unpaired: what is hard for both makes them "
                "less sure."
            )
        said += parts_said([len(part) for part in self.components])
        if not said:
            return None
        return Missing(on.missing, on.of, 0, None, " ".join(said))

    @property
    def rests_on(self) -> str:
        """How many items of how many data sets, in words."""
        on = self.items
        clusters = f" in {count(on.n_clusters, 'cluster')}" if on.n_clusters else ""
        sets = f" of {self.n_datasets} data sets" if self.n_datasets > 1 else ""
        low, high = on.shared
        items = f"{low} to {high} items" if low < high else count(high, "item")
        return f"{items}{clusters}{sets}"


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


# --- who differs from whom on other items of the same data sets -----------------------------------


def read_over(
    table: ScoreTable, over: str | None, *, dataset: str | None, test: str | None
) -> ReadOver:
    """Return which reading of a table is asked for: the one named, the test's, or the usual one."""
    check_over(over)
    asked = over
    if over is None:
        over = _usual(table, dataset, test)
    if over == "items":
        items_of(table)
        return "items"
    one = dataset is not None or table.n_datasets == 1
    if asked == "datasets" and one and table.items is not None:
        raise DesignError(
            "over",
            "what holds on other data sets is seen on several",
            f"'{table.datasets[0] if dataset is None else dataset}' is one",
            by_items(table),
        )
    return "datasets"


def by_items(table: ScoreTable | None) -> str:
    """Return what to do where data sets are too few: ask about the items, if there are any."""
    if table is None or table.items is None:
        return ""
    return f"give {Option('over', 'items')}: there are {table.items.n_items} items"


def _usual(table: ScoreTable, dataset: str | None, test: str | None) -> ReadOver:
    elsewhere = test is not None and (test in PAIR_TESTS or test in FOLD_TESTS)
    if test is not None and (test in ITEM_TESTS) != elsewhere:
        return "datasets" if elsewhere else "items"
    return usual_over(table, dataset=dataset)


@dataclass(frozen=True, eq=False)
class ItemQuestion:
    """A test over items and what it is asked of."""

    scores: ItemScores
    items: Items
    entry: ItemTest
    procedure: Procedure
    unpaired: bool = False

    @classmethod
    def asked(cls, scores: ItemScores, asked: Asked) -> ItemQuestion:
        """Return the question that names ask; what has no answer is refused."""
        given = dict(asked.options)
        unpaired = bool(given.pop("unpaired", False))
        usual = usual_item_test(clustered=scores.cluster_of is not None)
        entry = item_test_named(asked.test or usual)
        procedure = Procedure.asked(entry, *asked[1:4], given)
        if scores.measure.is_ordinal and scores.n_datasets > 1:
            raise ParameterError(
                "over",
                "a difference averaged over data sets needs one measure",
                "here it differs by data set",
                f"name a data set, or give {Option('over', 'datasets')}",
            )
        values = in_units(scores) if scores.measure.scale == "ratio" else scores.values
        items = Items(values, scores.dataset_of, scores.cluster_of)
        entry.check(items)
        return cls(scores, items, entry, procedure, unpaired)

    def drawn(self) -> Drawn:
        """Work out the mean differences of the pairs; refuse where none has common items."""
        pairs = pairs_of(self.scores.algorithms, self.procedure.control)
        found = Drawn.of(self.items, *pairs, self.by, unpaired=self.unpaired)
        if not found.first.size:
            helps = found.apart(*pairs) > 0
            raise DesignError(
                "over",
                "differences over items are of pairs of scores on the same items",
                f"no two algorithms share {self.least_shared} of a data set",
                "give runs on the same items"
                + (f", or {Option('unpaired', 'True')} to compare means" if helps else ""),
            )
        found = replace(found, exact=self.entry.binary)
        if self.entry.flips == "never":
            return found
        always = self.entry.flips == "always"
        options = self.procedure.options
        return replace(found, flips=found.flips_for(self.p_needed(found), options, always=always))

    @property
    def by(self) -> By:
        """How it averages over data sets."""
        asked: By = self.procedure.options.get("average", self.entry.averages[0])
        return asked

    @property
    def least_shared(self) -> str:
        """The least that a pair must share."""
        if self.items.cluster_of is None:
            return "two items"
        return f"{MIN_CLUSTERS} clusters of items"

    def p_needed(self, drawn: Drawn) -> float:
        """Return the p-value that Holm's first step corrects to α/5.

        A test whose least p-value is larger hardly finds any difference, however clear.
        """
        pairs = 1 if self.procedure.correction.controls == "nothing" else drawn.first.size
        return self.procedure.alpha / 5.0 / pairs

    def verdicts(self, drawn: Drawn) -> PairVerdicts:
        """Test the pairs."""
        outcome, notes = self.entry.tested(drawn, self.procedure.options)
        lead = self.scores.measure.turned(drawn.means.estimate)
        return PairVerdicts(outcome.statistic, outcome.p_value, lead, notes)

    def on(self, items: Items) -> ItemQuestion:
        """Return the same question of other items of these algorithms."""
        return replace(self, items=items)

    def sides(self) -> FloatArray:
        """Return of all pairs (K, K) 1 where the first is significantly better, -1, or 0.

        Those that share no items are not told apart.
        """
        k = len(self.scores.algorithms)
        try:
            drawn = self.drawn()
        except DesignError:
            return np.zeros((k, k))
        pairs = drawn.first, drawn.second, k
        sides = self.procedure.judged(self.verdicts(drawn), k, which_met(*pairs))
        return pair_matrix(sides, *pairs, mirrored=-sides)

    def means(self, by: By) -> Averages:
        """Return the mean of each algorithm, averaged as differences are.

        Where some have not all items they are adjusted for that, and have no interval.
        """
        found = column_means(self.items, by=by)
        if not self.items.lacking.any():
            return found
        nothing = np.full_like(found.variance, np.nan)
        return replace(found, estimate=self._adjusted(by), variance=nothing)

    def _adjusted(self, by: By) -> FloatArray:
        if by == "items":
            return _means_on_shared(self.items)
        return adjusted_means(np.stack(list(map(_means_on_shared, self.items.each_dataset()))))


# On so many items that all have, or on half of them, a mean is precise enough to stand by.
_MIN_SHARED_ITEMS = 20


def _means_on_shared(items: Items) -> FloatArray:
    """Return the means (K,) over the items that all have who have any; if few, adjusted means.

    Which items are missing mostly has to do with how hard they are, so that means of others are no
    standing; additive adjustment alone would take them for as hard for everybody.
    """
    values, weights = items.floats, items.weight
    there = ~np.isnan(values)
    tried = there.any(axis=0)
    all_have = there[:, tried].all(axis=1)
    if not tried.any() or all_have.sum() < min(_MIN_SHARED_ITEMS, len(values) / 2):
        return adjusted_means(values, weights)
    means = np.average(np.nan_to_num(values[all_have]), axis=0, weights=weights[all_have])
    return np.where(tried, means, np.nan)


def on_shared_items(table: ScoreTable) -> ScoreTable:
    """Return a table whose means over items can be compared, where some algorithms lack items.

    Means over different items say more of the items than of the algorithms.
    """
    scores, rows = table.items, table.rows
    if scores is None or scores.is_complete or (rows.cell_counts > 1).any():
        return table
    items = Items(scores.values, scores.dataset_of, scores.cluster_of)
    means = np.full(rows.shape, np.nan)
    columns = [table.algorithms.index(name) for name in scores.algorithms]
    for name, each in zip(scores.datasets, items.each_dataset(), strict=True):
        means[table.datasets.index(name), columns] = _means_on_shared(each)
    own = {**rows.scores, table.measure.name: means[rows.dataset, rows.algorithm]}
    note = "Means are over the items that all have, or adjusted where these are few."
    return replace(table, rows=replace(rows, scores=own).frozen(), notes=(*table.notes, note))


def in_units(scores: ItemScores) -> FloatArray:
    """Return scores of items in the unit of their data set: the median of its positive scores."""
    values = scores.values.astype(np.float64)
    if scores.n_datasets == 1:
        return values
    for code in np.unique(scores.dataset_of):
        own = scores.dataset_of == code
        sizes = np.abs(values[own])
        values[own] /= np.median(sizes[sizes > 0]) if (sizes > 0).any() else 1.0
    return values


def compare_over_items(table: ScoreTable, asked: Asked, *, dataset: str | None) -> ItemComparison:
    """Compare all pairs, or all with a control, on the items that both have, two-sided."""
    items = items_of(table)
    scores = items if dataset is None else items.on(dataset)
    question = ItemQuestion.asked(scores, asked)
    drawn = question.drawn()
    titled = replace(question.procedure, title=question.entry.title_of(drawn))
    question = replace(question, procedure=titled)
    verdicts = question.verdicts(drawn)
    means = question.means(drawn.by)
    compared = Scores(
        scores.means(),
        scores.algorithms,
        scores.datasets,
        scores.measure.on_one_dataset,
        table=table if dataset is None else table.select(datasets=[dataset]),
    )
    on = _rests_on(question, drawn)
    usual = usual_item_test(clustered=question.items.cluster_of is not None)
    found = comparison_from(
        verdicts,
        compared,
        Sample(scores.measure.turned(means.estimate)[np.newaxis], drawn.first, drawn.second),
        question.procedure,
        omnibus=None,
        notes=(*table.notes, *_notes(question, drawn, on)),
        estimand=MEAN,
        effects=partial(
            ItemEffects,
            drawn.first,
            drawn.second,
            ratios=False,
            drawn=drawn,
            higher_is_better=scores.measure.higher_is_better,
        ),
        is_default=question.procedure.is_default(usual) and not question.unpaired,
    )
    return ItemComparison(**vars(found), items=on, question=question, drawn=drawn)


def _rests_on(question: ItemQuestion, drawn: Drawn) -> OnItems:
    scores, lacking = question.scores, question.items.lacking
    shares = None
    if scores.repeats is not None:
        found = repeats_share(
            question.items, *scores.repeats, drawn.first, drawn.second, by=drawn.by
        )
        known = found[~np.isnan(found)]
        if known.size:
            shares = float(np.median(known)), float(known.min()), float(known.max())
    return OnItems(
        scores.n_items,
        scores.n_clusters,
        few_clusters(drawn, question.p_needed(drawn)),
        drawn.by,
        int(lacking.sum()),
        scores.values.size,
        (int(drawn.means.items.min()), int(drawn.means.items.max())),
        int(drawn.alone.sum()),
        shares,
    )


def _notes(question: ItemQuestion, drawn: Drawn, on: OnItems) -> tuple[str, ...]:
    """Say what is estimated, by which test, and what was left out."""
    procedure, n = question.procedure, question.scores.n_datasets
    estimated = "the mean difference over items"
    if n > 1:
        estimated = {
            "datasets": f"the mean difference over items, averaged over {n} data sets that count "
            "the same",
            "items": f"the mean difference per item of {n} data sets together",
        }[drawn.by]
    k = len(question.scores.algorithms)
    pairs = k - 1 if procedure.control is not None else k * (k - 1) // 2
    fewer = int((drawn.means.datasets < n).sum())
    never = pairs - drawn.first.size
    apart = drawn.apart(*pairs_of(question.scores.algorithms, procedure.control)) if never else 0
    said = (
        f"pairs: {procedure.title}, {procedure.level}",
        f"what is estimated: {estimated}; what holds on other data sets is not known from it",
        f"{count(fewer, 'pair')} on fewer than {n} data sets: those where both have two items or "
        "more"
        if fewer
        else "",
        strung(
            [
                f"{count(never, 'pair')} not compared, as they share no {question.least_shared}",
                Worded(f": --unpaired (unpaired=True) compares the means of {apart}" * bool(apart)),
            ]
        )
        if never
        else "",
        repeats_said(on.repeats) if on.repeats is not None else "",
    )
    return (*(each for each in said if each), *procedure.notes)
