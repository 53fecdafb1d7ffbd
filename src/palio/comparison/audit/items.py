"""The checks of an audit that have a meaning over items: the same question of these data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.audit.checks import recommended_corrections
from palio.comparison.audit.report import (
    ByConvention,
    CheckReport,
    ItemContext,
    WayToAsk,
    not_asked,
)
from palio.comparison.item_tests import ITEM_TESTS, ItemTest
from palio.comparison.over_items import ItemQuestion
from palio.comparison.procedure import Asked
from palio.errors import DesignError
from palio.stats.item_tests import FLIPS_EXACT_LIMIT
from palio.stats.items import cluster_sums
from palio.types import FloatArray, IntArray, Options
from palio.words import count

if TYPE_CHECKING:
    from palio.stats.luck import Strata

# Of fewer items, or clusters of these, none may be left outside a sample.
_LEAST = 3
# Random flips tell p-values down to 1/10,000; corrected for more pairs than this that is too much.
_PAIRS_BY_FLIPS = 50


# --- other tests, other items ---------------------------------------------------------------------


def conventions(context: ItemContext) -> CheckReport:
    """Ask again by the other tests over items, per item or averaged, and by other corrections.

    Would another test or correction that holds for these items say the same? Per item a data set
    counts as much as it has items, which is another question where these differ in number.
    """
    ways = [*_tests(context), *_corrected(context)]
    left = "flips are left out: random ones tell no p-values as small as so many pairs need"
    choices = f"choices: {'; '.join(way.name for way in ways)}"
    check = CheckReport(
        "conventions",
        "would another test or correction that we recommend say the same?",
        bears=True,
        notes=(choices,) if _flips_tell(context) else (choices, left),
    )
    return context.ask_again(check, ways, ByConvention.of, only_changed=False)


def _sided(context: ItemContext, test: str, correction: str, options: Options) -> FloatArray:
    """Return what a test with a correction says of the pairs."""
    asked = context.question
    given = {**options, "unpaired": asked.unpaired}
    then = Asked(test, correction, context.alpha, None, given)
    return context.again(ItemQuestion.asked(asked.scores, then))


def _tests(context: ItemContext) -> Iterator[WayToAsk]:
    """Give the tests that the items allow, each way of averaging once."""
    asked, several = context.question, len(context.datasets) > 1
    correction = asked.procedure.correction.name
    by_audited = asked.by if several else ""
    seen = set()
    for entry in ITEM_TESTS.values():
        if not _allowed(entry, context):
            continue
        for by in entry.averages if several else entry.averages[:1]:
            key = entry.run, by if several else ""
            if key in seen:
                continue
            seen.add(key)
            each = " per item" if several and by == "items" else ""
            sided = _sided(context, entry.name, correction, {"average": by})
            how, audited = f"by the {entry.title}{each}", key == (asked.entry.run, by_audited)
            yield context.way(f"{entry.name}{each}", how, sided, audited=audited)


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


def _corrected(context: ItemContext) -> Iterator[WayToAsk]:
    """Give the audited test, which is of means, with the other corrections that we recommend."""
    test, audited = context.question.entry.name, context.question.procedure
    for each in recommended_corrections(len(context.names), transitive=True):
        if each.name != audited.correction.name:
            sided = _sided(context, test, each.name, audited.options)
            yield context.way(f"{test} {each.name}", f"with {each.title}", sided)


# --- luck -----------------------------------------------------------------------------------------


def luck(context: ItemContext) -> CheckReport:
    """Say by how much the best mean will be worse on other items of these data sets.

    How much of the first place is luck? The best is chosen in bootstrap samples of the items, or
    whole clusters of these, within each data set, and measured on those outside; data sets count
    as they do in the comparison.
    """
    from palio.comparison.audit.assumptions import reported

    rows, columns = _part(context)
    if columns.size < 2:
        why = f"no two algorithms share {_LEAST} items (or clusters) of every data set"
        return not_asked("luck", why)
    units, strata = _units(context, rows, columns)
    measure = context.comparison.measure
    these = "this data set" if len(context.datasets) == 1 else "these data sets"
    return reported(
        context,
        units,
        columns,
        measure.name,
        lambda mean: float(measure.turned(mean)),
        strata=strata,
        on=count(rows.size, "item"),
        drawn="items" if context.items.cluster_of is None else "clusters of items",
        elsewhere=f"items of {these}",
    )


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
    by_items = context.question.by == "items"
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
    whole = np.asarray(context.answered.all(axis=1))
    if whole.all():
        return CheckReport("missing", question, notes=("no score is missing",))
    if whole.sum() < _LEAST:
        why = f"all have {int(whole.sum())} items in common"
        return not_asked("missing", why)
    name = f"the {count(int(whole.sum()), 'item')} that all have"
    way = context.way(name, f"on {name}", context.on(whole), counts=False)
    check = CheckReport("missing", question, bears=True, notes=(f"choices: {name}",))
    return context.ask_again(check, [way], ByConvention.of, only_changed=False)
