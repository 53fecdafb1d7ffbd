"""Who differs from whom on other items of the same data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.corrections import CORRECTIONS, check_alpha, correction_for
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.item_results import ItemComparison, ItemMeans, OnItems, repeats_said
from palio.comparison.item_tests import (
    ITEM_TESTS,
    MIN_CLUSTERS,
    Drawn,
    ItemTest,
    few_clusters,
    item_test_named,
    usual_item_test,
)
from palio.comparison.pair_tests import PAIR_TESTS, PairVerdicts
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison, Reading
from palio.comparison.sample import Sample, shared, which_beaten, which_met
from palio.errors import DesignError, Option, ParameterError
from palio.scores import ItemScores, ScoreTable
from palio.scores.over import ReadOver, check_over, items_of, usual_over
from palio.stats.additive import adjusted_means
from palio.stats.adjust import decision_levels
from palio.stats.items import Averages, By, Items, column_means, repeats_share
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import Worded, count, strung


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
    def asked(
        cls,
        scores: ItemScores,
        test: str | None,
        correction: str | None,
        alpha: float,
        control: str | None,
        options: Mapping[str, Any],
    ) -> ItemQuestion:
        """Return the question that names ask; what has no answer is refused."""
        check_alpha(alpha)
        given = dict(options)
        unpaired = bool(given.pop("unpaired", False))
        usual = usual_item_test(clustered=scores.cluster_of is not None)
        entry = item_test_named(test or usual)
        correct = correction_for(correction, bayesian=False)
        chosen = entry.checked(given)
        correct.check(test=entry.name, control=control)
        if scores.measure.is_ordinal and scores.n_datasets > 1:
            raise ParameterError(
                "over",
                "a difference averaged over data sets needs one measure",
                "here it differs by data set",
                f"name a data set, or give {Option('over', 'datasets')}",
            )
        values = in_units(scores) if scores.measure.scale == "ratio" else scores.values
        items = Items(values, scores.dataset_of, scores.cluster_of, scores.weights)
        entry.check(items)
        procedure = Procedure(entry.name, correct, alpha, control, chosen, entry.title)
        return cls(scores, items, entry, procedure, unpaired)

    def drawn(self) -> Drawn:
        """Work out the mean differences of the pairs; refuse where none has common items."""
        pairs = pairs_of(self.scores.algorithms, self.procedure.control)
        by = self.entry.by(self.procedure.options)
        found = Drawn.of(self.items, *pairs, by, unpaired=self.unpaired)
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

    def levels(self, drawn: Drawn, found: PairVerdicts) -> FloatArray:
        """Return the level at which each pair was decided."""
        adjusted = self.procedure.adjusted(found, len(self.scores.algorithms), self._met(drawn))
        return decision_levels(found.p_value, adjusted, self.procedure.alpha)

    def _met(self, drawn: Drawn) -> BoolArray | None:
        """Say which pairs were compared, where not all were."""
        if self.procedure.control is not None:
            return None
        return which_met(drawn.first, drawn.second, len(self.scores.algorithms))

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
        found = np.zeros((k, k))
        try:
            drawn = self.drawn()
        except DesignError:
            return found
        met = which_met(drawn.first, drawn.second, k)
        sides = self.procedure.judged(self.verdicts(drawn), k, met)
        found[drawn.first, drawn.second] = sides
        found[drawn.second, drawn.first] = -sides
        return found

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


def compare_over_items(
    table: ScoreTable,
    *,
    dataset: str | None,
    test: str | None,
    correction: str | None,
    alpha: float,
    control: str | None,
    options: Mapping[str, Any],
) -> ItemComparison:
    """Compare all pairs, or all with a control, on the items that both have, two-sided."""
    items = items_of(table)
    scores = items if dataset is None else items.on(dataset)
    question = ItemQuestion.asked(scores, test, correction, alpha, control, options)
    drawn = question.drawn()
    titled = replace(question.procedure, title=question.entry.title_of(drawn))
    question = replace(question, procedure=titled)
    verdicts = question.verdicts(drawn)
    means = question.means(drawn.by)
    compared = ItemMeans(
        scores.means(),
        scores.algorithms,
        scores.datasets,
        scores.measure.on_one_dataset,
        table=table if dataset is None else table.select(datasets=[dataset]),
        drawn=drawn,
        levels=question.levels(drawn, verdicts),
        p_value=verdicts.p_value,
    )
    on = _rests_on(question, drawn)
    found = comparison_from(
        verdicts,
        compared,
        Sample(scores.measure.turned(means.estimate)[np.newaxis], drawn.first, drawn.second),
        question.procedure,
        omnibus=None,
        notes=(*table.notes, *_notes(question, drawn, on)),
        stands_by=f"mean {scores.measure.name}",
    )
    own = {each.name: getattr(found, each.name) for each in fields(found)}
    usual = usual_item_test(clustered=question.items.cluster_of is not None)
    asked = (None, usual), ("holm",), (None,)
    own["is_default"] = not options and all(
        given in known for given, known in zip((test, correction, control), asked, strict=True)
    )
    own["reading"] = None if control is not None else _over_datasets(table, question, dataset)
    return ItemComparison(
        **own,
        items=on,
        means=means,
        lacking=tuple(question.items.lacking.tolist()),
        question=question,
    )


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
    if question.items.weights is not None:
        estimated += ", items by their weights"
    correction = procedure.correction
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
        "without a correction the chance of any false finding grows with the pairs"
        if correction.controls == "nothing"
        else "",
    )
    return (*(each for each in said if each), *correction.notes)


# --- the other reading ----------------------------------------------------------------------------


def _over_datasets(
    table: ScoreTable, question: ItemQuestion, dataset: str | None
) -> Reading | None:
    """Say who is unbeaten over data sets; nothing on one of them."""
    from palio.comparison.over_datasets import usual_test

    if dataset is not None or table.n_datasets < 2 or table.n_algorithms < 2:
        return None
    asked = question.procedure
    procedure = Procedure.asked(usual_test(table.measure), asked.correction.name, asked.alpha)
    goodness, k = table.goodness(), table.n_algorithms
    ranks = Sample(goodness, *np.triu_indices(k, 1)).mean_ranks
    unbeaten = _unbeaten(procedure.sided(goodness), *np.triu_indices(k, 1), ranks)
    first, second = np.triu_indices(k, 1)
    on = shared(goodness, first, second)
    possible = procedure.least(on[on > 0], k, on > 0) <= asked.alpha if on.any() else False
    return Reading(
        "datasets",
        tuple(table.algorithms[i] for i in unbeaten),
        0 if possible else table.n_datasets,
    )


def over_items_instead(table: ScoreTable, found: Comparison, procedure: Procedure) -> Comparison:
    """Return a comparison over data sets together with what the reading over items would say."""
    if table.items is None or procedure.control is not None or table.measure.is_ordinal:
        return found
    correction = procedure.correction
    if procedure.bayesian or correction.test is not None:
        correction = CORRECTIONS["holm"]
    question = ItemQuestion.asked(
        table.items, None, correction.name, procedure.alpha, None, {"unpaired": False}
    )
    try:
        drawn = question.drawn()
    except DesignError:
        return found
    k = table.items.n_algorithms
    met = which_met(drawn.first, drawn.second, k)
    sides = question.procedure.judged(question.verdicts(drawn), k, met)
    # Who has too few items for a mean stands last.
    means = table.measure.turned(question.means(drawn.by).estimate)
    goodness = np.nan_to_num(means, nan=-np.inf)
    unbeaten = _unbeaten(sides, drawn.first, drawn.second, np.asarray(-goodness))
    # Nothing is known of one that shares too few items with everybody.
    compared = {*drawn.first.tolist(), *drawn.second.tolist()}
    names = tuple(table.items.algorithms[i] for i in unbeaten if i in compared)
    return replace(found, reading=Reading("items", names))


def _unbeaten(sides: FloatArray, first: IntArray, second: IntArray, ranks: FloatArray) -> list[int]:
    """Return the columns that nobody significantly beats, the best rank first."""
    beaten = which_beaten(sides, first, second, ranks.size)
    order = np.argsort(ranks, kind="stable")
    return [int(i) for i in order if not beaten[i]]
