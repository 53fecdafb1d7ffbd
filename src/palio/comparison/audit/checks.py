"""The checks of an audit that ask the same question again of other data or by other means.

Below those over data sets are those that have a meaning over items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.comparison.audit.report import (
    MAX_NAMED,
    ByConvention,
    CheckReport,
    Context,
    ItemContext,
    LeftOut,
    NearCopy,
    WayToAsk,
    not_asked,
)
from palio.comparison.board import MANY
from palio.comparison.corrections import CORRECTIONS, Correction
from palio.comparison.item_tests import ITEM_TESTS, ItemTest
from palio.comparison.missing import failures_as_worst
from palio.comparison.over_datasets import suits
from palio.comparison.over_items import ItemQuestion
from palio.comparison.pair_tests import PAIR_TESTS, PairTest
from palio.comparison.pools import PoolCount, Pools, loss_matrix, pool_shares
from palio.comparison.procedure import Asked, Procedure
from palio.errors import DesignError
from palio.stats.item_tests import FLIPS_EXACT_LIMIT
from palio.stats.items import cluster_sums
from palio.types import FloatArray, IntArray, Options
from palio.words import count

if TYPE_CHECKING:
    from palio.stats.luck import Strata


_AS_WORST = "failures as worst"
# On fewer data sets that all have there is next to nothing left to ask.
_MIN_COMPLETE = 3

# Two algorithms are neighbours where nobody is between them on this share of the data sets.
_NEAR = 0.9

# A note names so many sizes of sub-pools.
_SIZES_NAMED = 8


def pool_dependence(context: Context) -> CheckReport:
    r"""Find the pairs whose mean-ranks verdict depends on the pool (benavoli2016 Table 1).

    Would a mean-ranks test say the same of two algorithms with other algorithms in the pool? All
    sub-pools are looked at up to twelve algorithms, beyond that a sample of them. It bears on a
    verdict only if that is by mean ranks.

    Notes
    -----
    In a sub-pool of m algorithms on n data sets, with mean ranks :math:`R_i` made among those m
    alone, two differ where

    .. math::

        \left|R_i - R_j\right| \ge q_\alpha(m) \sqrt{\frac{m (m + 1)}{12 n}}

    q is the upper quantile of the studentized range with infinite degrees of freedom: this is
    Nemenyi's critical difference, as in the other checks and in `palio.compare`. The paper's own
    table has Bonferroni's normal quantile, which asks for a little more.

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, section 4.3, Table 1.
    """
    shares = pool_shares(context.complete, alpha=context.alpha, seed=context.seed)
    fragile = np.flatnonzero(shares.fragile[context.first, context.second])
    listed = context.listed
    rows = shares.counts(context.names, (context.first[listed], context.second[listed]))
    by_pair: dict[tuple[str, str], list[PoolCount]] = {}
    for each in rows:
        by_pair.setdefault((each.a, each.b), []).append(each)
    # A test that does not rank all together is not touched by this.
    bears = context.procedure.method == "mean-ranks"
    check = CheckReport(
        "pools",
        "would a mean-ranks test say the same with other algorithms in the pool?",
        bears=bears,
        apart=not bears,
        notes=("mean-ranks test, Nemenyi's critical difference in each sub-pool",),
        sampling=_about_sampling(rows),
    )

    def sentence(i: int) -> str:
        return _pool_sentence(context.pair(i), by_pair[context.pair(i)])

    return context.found(check, fragile, sentence, rows, otherwise="in another pool")


def _about_sampling(rows: list[PoolCount]) -> str:
    """Say how many sub-pools were drawn, and how far a share may be off for it."""
    drawn = [row for row in rows if not row.exhaustive]
    if not drawn:
        return ""
    sizes = sorted({row.others for row in drawn})
    some = ", ".join(map(str, sizes)) if len(sizes) <= _SIZES_NAMED else f"{sizes[0]}–{sizes[-1]}"
    fewest, error = min(row.subsets for row in drawn), max(row.error for row in drawn)
    return (
        f"sub-pools with {some} others are a sample, {fewest} or more for each pair; the standard "
        f"error of a share is {error:.2f} at most"
    )


def _pool_sentence(pair: tuple[str, str], rows: list[PoolCount]) -> str:
    whole = rows[-1].significant > 0
    flips = next(
        (row for row in rows if (row.counterexample if whole else row.example) is not None), None
    )
    shares = [
        f"{row.significant}/{row.subsets} with {count(row.others, 'other')}"
        for row in rows
        if row.depends
    ]
    if len(shares) > MAX_NAMED:
        shares[2:-1] = ["…"]
    a_and_b = f"{pair[0]} and {pair[1]}"
    verdict = f"{a_and_b} differ" if whole else f"no difference was found between {a_and_b}"
    sentence = f"{verdict} by mean ranks in the whole pool"
    if flips is not None:
        others = flips.counterexample if whole else flips.example
        alone = "alone" if not others else f"in a pool with {', '.join(others)}"
        sentence += f", but {'not' if whole else 'they differ'} {alone}"
    return sentence + (f" (significant in {', '.join(shares)})" if shares else "")


def leave_one_out(context: Context) -> CheckReport:
    r"""Find the verdicts that hang on a single data set.

    Would the verdict be the same without any one data set? Valid for any test; a verdict that one
    data set decides is not wrong, but it is one data set's. Where leaving out each of them would
    take minutes some are drawn, and the check says how many.

    Notes
    -----
    With D the data sets, a pair is in doubt where for some d of them

    .. math::

        \mathrm{verdict}(D) \ne \mathrm{verdict}(D \setminus \{d\})
    """
    n, k, drawn = len(context.datasets), len(context.names), len(context.left_out)
    if n < 2:
        return not_asked("leave-one-out", "there is one data set")
    sampling = (
        f"{drawn} of {n} data sets, drawn at random, are left out one by one; one on which a "
        f"verdict hangs is among them with probability {drawn / n:.2f}"
    )
    check = CheckReport(
        "leave-one-out",
        "would the verdict be the same without any one data set?",
        bears=True,
        sampling=sampling if drawn < n else "",
    )
    ways = [
        context.way(context.datasets[row], f"without {context.datasets[row]}", context.without(row))
        for row in context.left_out
    ]
    found = context.ask_again(check, ways, LeftOut.of)
    if isinstance(context, ItemContext) or k <= MANY or not context.different().any():
        return found
    if any(way.beaten for way in found.otherwise):
        return found
    # Of many algorithms it is said once that all verdicts hang on every data set.
    said = "without any one data set nobody would be beaten"
    if not context.procedure.pooled and context.least_without_one > context.alpha:
        said += f", as {n - 1} are too few to tell any of {k} algorithms apart"
    return replace(found, findings=(said,), rows=(), pairs=(), unlisted=0, bears=False)


def missing_scores(context: Context) -> CheckReport:
    r"""Ask again with other rules for scores that are missing.

    Would the verdicts be the same on the data sets that all have, and if what failed counted as
    the worst score there? A failure is not missing at random: who fails where it would have been
    bad looks better than it is. What was never run is never counted as worst.

    Notes
    -----
    With p the rule that takes each pair where both have a score, a pair is in doubt where for
    another rule r

    .. math::

        \mathrm{verdict}(p) \ne \mathrm{verdict}(r)
    """
    question = "would another rule for missing scores say the same?"
    goodness, failed = context.goodness, context.comparison.compared.failed
    if not np.isnan(goodness).any():
        return CheckReport("missing", question, notes=("no score is missing",))
    rules = []
    if failed is not None and failed.any():
        rules.append(("with", _AS_WORST, failures_as_worst(goodness, failed)))
    if len(context.complete) >= _MIN_COMPLETE:
        rules.append(("on", "the data sets that all have", context.complete))
    if not rules:
        few = f"fewer than {_MIN_COMPLETE} data sets have a score of every algorithm"
        why = f"no other rule to ask by: nothing failed, and {few}"
        return CheckReport("missing", question, notes=(why,))

    def sided(values: FloatArray) -> FloatArray:
        found = context.procedure.of_pairs(values, context.first, context.second)
        return context.procedure.judged(found, len(context.names), context.comparison.met)

    ways = [
        context.way(name, f"{by} {name}", sided(values), counts=name == _AS_WORST)
        for by, name, values in rules
    ]
    notes = (f"choices: {'; '.join(name for _, name, _ in rules)}",)
    check = CheckReport("missing", question, bears=True, notes=notes)
    return context.ask_again(check, ways, ByConvention.of)


def weak_variants(context: Context) -> CheckReport:
    r"""Ask again without algorithms that stand beside another one (benavoli2016 §4.1).

    Does an algorithm that is nearly always next to another decide a verdict? Adding weak variants
    of one algorithm to a pool moves the mean ranks of all. Ranks cannot tell a variant from one
    that is next in rank and far behind by score, so both are looked at. It bears on a verdict only
    if that is by mean ranks.

    Notes
    -----
    Two algorithms i and j are neighbours if no third is between them on most of the n data sets d:

    .. math::

        \frac{1}{n}\, \#\{d : \text{nobody is between } i \text{ and } j \text{ on } d\} \ge 0.9

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, section 4.1.
    """
    rows, without = [], dict[int, list[str]]()
    names, complete = context.names, context.complete
    judge, pool = Pools(loss_matrix(complete), len(complete), context.alpha), np.arange(len(names))
    in_all = judge.matrix(pool)[context.first, context.second]
    for one, other, share in _neighbours(complete):
        changed = judge.matrix(np.delete(pool, one))[context.first, context.second] != in_all
        changed &= (context.first != one) & (context.second != one)
        told = np.flatnonzero(changed & context.listed).tolist()
        rows.append(NearCopy(names[one], names[other], share, tuple(map(context.pair, told))))
        near = (
            f"{names[one]}, next to {names[other]} by rank on {100 * share:.0f} % of the data sets"
        )
        for i in np.flatnonzero(changed).tolist():
            without.setdefault(i, []).append(near)
    bears = context.procedure.method == "mean-ranks"
    check = CheckReport(
        "variants",
        "does an algorithm that stands beside another decide a verdict by mean ranks?",
        notes=(
            "neighbours: no third algorithm between the two on nine of ten data sets; mean-ranks "
            "test with Nemenyi",
        ),
        bears=bears,
        apart=not bears,
    )

    def sentence(i: int) -> str:
        first, *others = without[i]
        also = f", or {count(len(others), 'other neighbour')}" if others else ""
        a_and_b = " and ".join(context.pair(i))
        return f"without {first}{also}, mean ranks judge {a_and_b} differently"

    changed_at_all = np.array(sorted(without), dtype=np.intp)
    return context.found(
        check, changed_at_all, sentence, rows, otherwise="without a neighbour by rank"
    )


def _neighbours(goodness: FloatArray) -> list[tuple[int, int, float]]:
    """Return (worse, better, share of data sets on which nobody is between the two)."""
    n, k = goodness.shape
    if k < 4:  # with three, a neighbour is all there can be
        return []
    apart = np.zeros((k, k), dtype=np.int32)
    for row in goodness:
        level = np.unique(row, return_inverse=True)[1].astype(np.int32)
        apart += np.abs(level[:, np.newaxis] - level) > 1
    shares = 1 - apart / n
    means = goodness.mean(axis=0)
    return [
        (*((i, j) if means[i] < means[j] else (j, i)), float(shares[i, j]))
        for i, j in np.argwhere(np.triu(shares >= _NEAR, 1)).tolist()
    ]


# --- other tests and corrections ------------------------------------------------------------------


# With more algorithms than this a correction takes longer than all the rest: Bergmann and Hommel's
# grows faster than any power of them, Rom's with the fourth.
_UP_TO = {"bergmann-hommel": 9, "rom": 30}


class Convention(NamedTuple):
    """A test with its options, and a correction."""

    test: PairTest
    options: Options
    correction: Correction

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return " ".join([self.test.name, *self.options.values(), self.correction.name])

    def otherwise_than(self, test: str) -> str:
        """Say in words what differs from the choice audited: zeros only where the test does not."""
        same = self.test.name == test
        zeros = f", zeros by {', '.join(self.options.values())}" if same and self.options else ""
        return f"by the {self.test.title} with {self.correction.title}{zeros}"


def conventions(context: Context) -> CheckReport:
    r"""Ask again under every choice of test, correction, zeros and ties that we recommend.

    Would another test or correction that we recommend say the same? Wilcoxon's test and the sign
    test with their ways to treat zeros and ties, each with Holm's correction: it holds whatever
    the hypotheses and however the tests depend on each other. Shaffer's and Bergmann and Hommel's
    need transitive hypotheses, which these tests do not have; Hochberg's, Hommel's and Rom's need
    p-values that are independent or positively dependent, which is not proved for all pairs. Valid
    for any verdict; all of them hold the same α.

    Notes
    -----
    With a the convention that is audited, a pair is in doubt where for some c that we recommend

    .. math::

        \mathrm{verdict}(a) \ne \mathrm{verdict}(c)
    """
    question = "would another test or correction that we recommend say the same?"
    return _asked_again(context, recommended(len(context.names)), "conventions", question)


def in_use(context: Context) -> CheckReport:
    r"""Ask again under choices that are in use, but that we do not recommend.

    Would tests and corrections say the same that are in use, but that we do not recommend for all
    pairs over data sets? Their pages say why. It casts no doubt on a verdict, whatever it finds;
    it says what readers who are used to them would see.

    Notes
    -----
    Each test that we do not recommend with its own correction, or with Holm's; and each test that
    we do with the corrections that we do not recommend with it, where these are meant to hold the
    same family-wise error.
    Tests that draw at random are left out, as they may say another thing by chance. With a the
    convention that is audited, a pair is listed where for some such c

    .. math::

        \mathrm{verdict}(a) \ne \mathrm{verdict}(c)
    """
    question = "would tests and corrections in use that we do not recommend say the same?"
    return _asked_again(context, only_in_use(len(context.names)), "in-use", question, apart=True)


def recommended(k: int) -> Iterator[Convention]:
    """Return every choice that we recommend for all pairs of k algorithms."""
    for test in PAIR_TESTS.values():
        if test.recommended:
            corrections = recommended_corrections(k, transitive=test.transitive)
            yield from (Convention(test, *each) for each in product(_options(test), corrections))


def only_in_use(k: int) -> Iterator[Convention]:
    """Return the choices in use that promise as much, but of which we do not recommend a part."""
    held = list(_held_corrections(k))
    own = {each.test: each for each in held if each.test is not None}
    for test in PAIR_TESTS.values():
        if "seed" in test.options:
            continue
        if not test.recommended:
            yield Convention(test, {}, own.get(test.name, CORRECTIONS["holm"]))
        else:
            usual = recommended_corrections(k, transitive=test.transitive)
            others = (each for each in held if each.test is None and each not in usual)
            yield from (Convention(test, {}, each) for each in others)


def recommended_corrections(k: int, *, transitive: bool) -> list[Correction]:
    """Return those that we recommend for all pairs of k, by the hypotheses of the test."""
    return [each for each in _held_corrections(k) if each.is_recommended(transitive=transitive)]


def _held_corrections(k: int) -> Iterator[Correction]:
    """Return those meant to hold the family-wise error of all pairs; of one pair, all are equal."""
    for each in CORRECTIONS.values():
        fits = each.family != "control" and k <= _UP_TO.get(each.name, k)
        holds = each.holds_fwer(transitive=True)
        if holds and fits and (k > 2 or each.name == "holm" or each.test):
            yield each


def _options(test: PairTest) -> Iterator[Options]:
    """Return every way to treat what a test leaves open."""
    open_ = {name: values for name, values in test.options.items() if isinstance(values, tuple)}
    for values in product(*open_.values()):
        yield dict(zip(open_, values, strict=True))


def _asked_again(
    context: Context,
    choices: Iterable[Convention],
    name: str,
    question: str,
    *,
    apart: bool = False,
) -> CheckReport:
    enough = len(context.complete) >= 2
    ways = []
    for choice in choices:
        test, options, correction = choice
        if not suits(test, context.comparison.measure):
            continue
        if test.on_ranks and not enough:  # these look at data sets that all have
            continue
        procedure = Procedure(test.name, correction, context.alpha, options=options)
        same_test = procedure.test_key == context.procedure.test_key
        how, sided = choice.otherwise_than(context.procedure.method), context.sided_by(procedure)
        audited = same_test and correction == context.procedure.correction
        ways.append(context.way(choice.name, how, sided, audited=audited))
    notes = (f"choices: {'; '.join(way.name for way in ways)}",)
    check = CheckReport(name, question, bears=not apart, apart=apart, notes=notes)
    return context.ask_again(check, ways, ByConvention.of, only_changed=False)


# Of fewer items, or clusters of these, none may be left outside a sample.
_MIN_ITEMS = 3
# Random flips tell p-values down to 1/10,000; corrected for more pairs than this that is too much.
_PAIRS_BY_FLIPS = 50


# --- other tests, other items ---------------------------------------------------------------------


def conventions_over_items(context: ItemContext) -> CheckReport:
    """Ask again by the other tests over items, per item or averaged, and by other corrections.

    Would another test or correction that holds for these items say the same? Per item a data set
    counts as much as it has items, which is another question where these differ in number.
    """
    ways = [*_other_item_tests(context), *_otherwise_corrected(context)]
    left = "flips are left out: random ones tell no p-values as small as so many pairs need"
    choices = f"choices: {'; '.join(way.name for way in ways)}"
    check = CheckReport(
        "conventions",
        "would another test or correction that we recommend say the same?",
        bears=True,
        notes=(choices,) if _flips_tell(context) else (choices, left),
    )
    return context.ask_again(check, ways, ByConvention.of, only_changed=False)


def _sides_over_items(
    context: ItemContext, test: str, correction: str, options: Options
) -> FloatArray:
    """Return what a test with a correction says of the pairs."""
    asked = context.question
    given = {**options, "unpaired": asked.unpaired}
    then = Asked(test, correction, context.alpha, None, given)
    return context.again(ItemQuestion.asked(asked.scores, then))


def _other_item_tests(context: ItemContext) -> Iterator[WayToAsk]:
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
            sided = _sides_over_items(context, entry.name, correction, {"average": by})
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


def _otherwise_corrected(context: ItemContext) -> Iterator[WayToAsk]:
    """Give the audited test, which is of means, with the other corrections that we recommend."""
    test, audited = context.question.entry.name, context.question.procedure
    for each in recommended_corrections(len(context.names), transitive=True):
        if each.name != audited.correction.name:
            sided = _sides_over_items(context, test, each.name, audited.options)
            yield context.way(f"{test} {each.name}", f"with {each.title}", sided)


# --- luck, over items -----------------------------------------------------------------------------


def luck_over_items(context: ItemContext) -> CheckReport:
    """Say by how much the best mean will be worse on other items of these data sets.

    How much of the first place is luck? The best is chosen in bootstrap samples of the items, or
    whole clusters of these, within each data set, and measured on those outside; data sets count
    as they do in the comparison.
    """
    from palio.comparison.audit.assumptions import reported

    rows, columns = _part(context)
    if columns.size < 2:
        why = f"no two algorithms share {_MIN_ITEMS} items (or clusters) of every data set"
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
        enough = max(_MIN_ITEMS, (int(left.max()) + 1) // 2) if left.size else _MIN_ITEMS
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


def missing_over_items(context: ItemContext) -> CheckReport:
    """Ask again on the items that every algorithm has a score on.

    Would the verdict be the same? Pairs rest on the items that both have, which may be easier or
    harder than those of other pairs.
    """
    question = "would other items than those that both have say the same?"
    whole = np.asarray(context.answered.all(axis=1))
    if whole.all():
        return CheckReport("missing", question, notes=("no score is missing",))
    if whole.sum() < _MIN_ITEMS:
        why = f"all have {int(whole.sum())} items in common"
        return not_asked("missing", why)
    name = f"the {count(int(whole.sum()), 'item')} that all have"
    way = context.way(name, f"on {name}", context.on(whole), counts=False)
    check = CheckReport("missing", question, bears=True, notes=(f"choices: {name}",))
    return context.ask_again(check, [way], ByConvention.of, only_changed=False)
