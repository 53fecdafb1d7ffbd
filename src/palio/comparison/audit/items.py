"""The checks of an audit that have a meaning over items: the same question of these data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.comparison.audit.checks import left_out_sentence
from palio.comparison.audit.conventions import by_each, recommended_corrections
from palio.comparison.audit.report import (
    CheckReport,
    Context,
    LeftOut,
    Otherwise,
    WinnersLuck,
    not_asked,
)
from palio.comparison.item_tests import ITEM_TESTS, ItemTest
from palio.comparison.over_items import ItemQuestion
from palio.errors import DesignError
from palio.stats.item_tests import FLIPS_EXACT_LIMIT
from palio.stats.items import Items, cluster_sums
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count

if TYPE_CHECKING:
    from palio.stats.luck import Strata

# Of fewer items, or clusters of these, none may be left outside a sample.
_LEAST = 3
# Random flips tell p-values down to 1/10,000; corrected for more pairs than this that is too much.
_PAIRS_BY_FLIPS = 50


@dataclass(frozen=True, eq=False)
class ItemContext(Context):
    """A comparison over items, and the question that it answers."""

    question: ItemQuestion = field(kw_only=True)

    @cached_property
    def sided(self) -> FloatArray:
        """The audited verdicts."""
        return np.asarray(self.comparison.tested.sides, dtype=np.float64)

    def again(self, question: ItemQuestion) -> FloatArray:
        """Return what another question says of the pairs."""
        return np.asarray(question.sides()[self.first, self.second])

    @property
    def items(self) -> Items:
        """The items."""
        return self.question.items

    @cached_property
    def answered(self) -> BoolArray:
        """Which items each has a score on."""
        return self.question.scores.answered()


# --- one data set less ----------------------------------------------------------------------------


def leave_one_out(context: ItemContext) -> CheckReport:
    """Find the verdicts over items that hang on a single data set.

    Would the mean difference be significant without any one data set? The others count as before.
    """
    question, datasets = "would the verdict be the same without any one data set?", context.datasets
    if len(datasets) < 2:
        return not_asked("leave-one-out", "there is one data set")
    whole = context.different()
    flips: dict[int, list[str]] = {}
    otherwise = []
    for number, dataset in enumerate(datasets):
        rows = np.flatnonzero(context.items.dataset_of != number)
        without = context.again(context.question.on(context.items.at(rows)))
        otherwise.append(Otherwise(f"without {dataset}", context.beaten(without)))
        for i in np.flatnonzero((without != 0) != whole).tolist():
            flips.setdefault(i, []).append(dataset)
    told, unlisted = context.told(np.array(sorted(flips), dtype=np.intp))
    return CheckReport(
        "leave-one-out",
        question,
        tuple(left_out_sentence(context.pair(i), bool(whole[i]), flips[i]) for i in told),
        tuple(LeftOut(*context.pair(i), bool(whole[i]), tuple(flips[i])) for i in told),
        context.named(flips),
        bears=True,
        otherwise=tuple(otherwise),
        unlisted=unlisted,
        pairs=tuple(map(context.pair, told)),
    )


# --- other tests, other items ---------------------------------------------------------------------


class _Choice(NamedTuple):
    name: str
    how: str
    question: ItemQuestion


def conventions(context: ItemContext) -> CheckReport:
    """Ask again by the other tests over items, per item or averaged, and by other corrections.

    Would another test or correction that holds for these items say the same? Per item a data set
    counts as much as it has items, which is another question where these differ in number.
    """
    chosen = [*_tests(context), *_corrected(context)]
    asked = {choice.name: choice for choice in chosen}
    left = "flips are left out: random ones tell no p-values as small as so many pairs need"
    notes = (f"choices: {'; '.join(asked)}", *(() if _flips_tell(context) else (left,)))
    return by_each(
        context,
        "conventions",
        "would another test or correction that we recommend say the same?",
        {name: context.again(choice.question) for name, choice in asked.items()},
        {name: choice.how for name, choice in asked.items()},
        bears=True,
        notes=notes,
    )


def _tests(context: ItemContext) -> Iterator[_Choice]:
    """Give the tests that the items allow, each way of averaging once."""
    asked, several = context.question, len(context.datasets) > 1
    seen = set()
    for entry in ITEM_TESTS.values():
        if not _allowed(entry, context):
            continue
        for by in entry.averages if several else entry.averages[:1]:
            key = entry.run, by if several else ""
            if key in seen:
                continue
            seen.add(key)
            question = ItemQuestion.asked(
                asked.scores,
                entry.name,
                asked.procedure.correction.name,
                context.alpha,
                None,
                {"average": by, "unpaired": asked.unpaired},
            )
            each = " per item" if several and by == "items" else ""
            yield _Choice(f"{entry.name}{each}", f"by the {entry.title}{each}", question)


def _allowed(entry: ItemTest, context: ItemContext) -> bool:
    try:
        entry.check(context.items)
    except DesignError:
        return False
    # In clusters 'cluster-flips' flips the signs of those pairs that have enough of them.
    if entry.flips == "always":
        return context.items.cluster_of is None and _flips_tell(context)
    return True


def _flips_tell(context: ItemContext) -> bool:
    """Say whether flips are all counted, or random ones enough for so many pairs.

    Those of clusters are as many as the pairs need.
    """
    items, pairs = context.items, context.first.size
    few = len(items.values) <= FLIPS_EXACT_LIMIT or pairs <= _PAIRS_BY_FLIPS
    return items.cluster_of is not None or few


def _corrected(context: ItemContext) -> Iterator[_Choice]:
    """Give the audited test, which is of means, with the other corrections that we recommend."""
    asked = context.question
    given = {**asked.procedure.options, "unpaired": asked.unpaired}
    for each in recommended_corrections(len(context.names), transitive=True):
        if each.name != asked.procedure.correction.name:
            question = ItemQuestion.asked(
                asked.scores, asked.entry.name, each.name, context.alpha, None, given
            )
            yield _Choice(f"{asked.entry.name} {each.name}", f"with {each.title}", question)


# --- luck -----------------------------------------------------------------------------------------


def luck(context: ItemContext) -> CheckReport:
    """Say by how much the best mean will be worse on other items of these data sets.

    How much of the first place is luck? The best is chosen in bootstrap samples of the items, or
    whole clusters of these, within each data set, and measured on those outside; data sets count
    as they do in the comparison.
    """
    from palio.comparison.audit.luck import DRAWS, reported
    from palio.stats.luck import winners_luck

    rows, columns = _part(context)
    if columns.size < 2:
        why = f"no two algorithms share {_LEAST} items (or clusters) of every data set"
        return not_asked("luck", why)
    units, strata = _units(context, rows, columns)
    weights = strata.shares[strata.of] * strata.weights
    weights /= np.bincount(strata.of, strata.weights)[strata.of]
    means = weights @ units
    first, second = np.argsort(-means, kind="stable")[:2].tolist()
    rng = np.random.default_rng(context.seed)
    found = winners_luck(units, draws=DRAWS, rng=rng, strata=strata)
    measure = context.comparison.measure
    row = WinnersLuck(
        context.names[int(columns[first])],
        measure.name,
        float(measure.turned(means[first])),
        float(means[first] - means[second]),
        found.drop,
        found.standard_error,
        float(found.chosen[first]),
        columns.size,
    )
    what = "items" if context.items.cluster_of is None else "clusters of items"
    these = "this data set" if len(context.datasets) == 1 else "these data sets"
    on = count(rows.size, "item")
    return reported(row, context, on=on, drawn=what, elsewhere=f"items of {these}")


def _part(context: ItemContext) -> tuple[IntArray, IntArray]:
    """Return items that some algorithms all have, half of each data set at least, and these.

    Those with the most items come first, and are as many as it allows.
    """
    order = np.argsort(context.items.lacking, kind="stable")
    there = np.logical_and.accumulate(context.answered[:, order], axis=1)
    most = order.size
    for number in range(len(context.datasets)):
        own = context.items.dataset_of == number
        cluster_of = None if context.items.cluster_of is None else context.items.cluster_of[own]
        left = (cluster_sums(there[own].astype(np.float64), cluster_of) > 0).sum(axis=0)
        enough = max(_LEAST, (int(left.max()) + 1) // 2) if left.size else _LEAST
        most = min(most, int((left >= enough).sum()))
    columns = np.sort(order[:most])
    return np.flatnonzero(there[:, most - 1] if most else np.zeros(len(there))), columns


def _units(context: ItemContext, rows: IntArray, columns: IntArray) -> tuple[FloatArray, Strata]:
    """Return the mean score of each item, or cluster, higher is better, and what it counts."""
    from palio.stats.luck import Strata

    items = context.items.at(rows)
    values = context.question.scores.measure.turned(items.columns(columns))
    parts, weights = [], []
    for number in range(len(context.datasets)):
        own = items.dataset_of == number
        cluster_of = None if items.cluster_of is None else items.cluster_of[own]
        w = items.weight[own][:, np.newaxis]
        weight = cluster_sums(w, cluster_of)
        parts.append(cluster_sums(w * values[own], cluster_of) / weight)
        weights.append(weight[:, 0])
    totals = np.array([each.sum() for each in weights])
    by_items = context.question.entry.by(context.question.procedure.options) == "items"
    shares = totals / totals.sum() if by_items else np.full(totals.size, 1 / totals.size)
    of = np.repeat(np.arange(totals.size), [each.size for each in weights])
    return np.concatenate(parts), Strata(of, np.concatenate(weights), shares)


# --- what is missing ------------------------------------------------------------------------------


def missing_scores(context: ItemContext) -> CheckReport:
    """Ask again on the items that every algorithm has a score on.

    Would the verdict be the same? Pairs rest on the items that both have, which may be easier or
    harder than those of other pairs.
    """
    question = "would other items than those that both have say the same?"
    whole = context.answered.all(axis=1)
    if whole.all():
        return CheckReport("missing", question, (), notes=("no score is missing",))
    if whole.sum() < _LEAST:
        why = f"all have {int(whole.sum())} items in common"
        return not_asked("missing", why)
    name = f"the {count(int(whole.sum()), 'item')} that all have"
    sided = context.again(context.question.on(context.items.at(np.flatnonzero(whole))))
    on = f"on {name}"
    return by_each(context, "missing", question, {name: sided}, {name: on}, bears=True, counting=())
