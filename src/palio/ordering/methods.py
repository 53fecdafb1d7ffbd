"""The ordering methods, by name: on the pairs of a comparison, MultiTest, Multi²Test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palio.comparison.corrections import check_alpha
from palio.comparison.fold_tests import FOLD_TESTS, FoldTest
from palio.comparison.on_folds import with_every_fold
from palio.comparison.over_datasets import compare
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.pairs import Pair, named_pairs
from palio.comparison.rank_tests import POSTHOCS, Contest
from palio.comparison.results import Comparison
from palio.errors import DesignError, Option, ParameterError
from palio.ordering.arrays import FirstPass, MultiTestArrays, run_first_pass
from palio.ordering.graph import Step
from palio.ordering.presets import PRESETS
from palio.ordering.prior import (
    Cost,
    Preference,
    cheapest_first,
    cost_weights,
    preference_of,
    prior_from,
)
from palio.ordering.result import Ordering, mean_ranks, ordering_of
from palio.ordering.tolerance import CLEARLY, Tolerance, clearly_better
from palio.registry import Registry, one_dataset
from palio.scores import ScoreTable, Tabular, as_table, reading_in
from palio.scores.items import ReadOver
from palio.types import FloatArray
from palio.words import joined, strung


def pairwise(
    table: ScoreTable,
    *,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    over: ReadOver | None = None,
    dataset: str | None = None,
    test: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    tolerance: float | None = None,
    **options: Any,
) -> Ordering:
    r"""Order algorithms by the pairs of a comparison, the cheaper first among equals.

    Nobody stands before one that is significantly better; among the rest, the cheaper first. The
    pairs are those of :func:`palio.compare` with the same test, correction and level, so that the
    two never disagree. No folds are needed: over many data sets each counts with its mean.

    Parameters
    ----------
    table
        Scores on data sets, with folds or without, or on one data set.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``. They count
        by the additive model of log cost, so that who is cheaper of two does not depend on others.
    prior
        Instead of a cost: algorithms by hand, the most preferred first; those left out follow by
        mean rank. Without either, the better mean rank is first among equals.
    over
        What would be drawn anew, as for :func:`palio.compare`.
    dataset
        Order on the folds, or the items, of this data set.
    test, correction, alpha
        As for :func:`palio.compare`. With ``test="bayes"`` there is an edge where the probability
        that one is better, by more than the region ``rope``, is 1 − α or more.
    tolerance
        What a cost may give up where no test could tell any two apart, as for :func:`order`.
    **options
        What the test takes besides.

    Notes
    -----
    There is an edge from the worse to the better of every pair that differs significantly. The
    order is a topological sort of these edges E, as in `multitest`: of those left, L, the next is
    the one with the least cost c among those that nobody left beats,

    .. math::

        \mathrm{arg\,min} \left\{c_i : i \in L,\ (i, j) \notin E \text{ for all } j \in L\right\}

    Where edges form a circle, which tests of pairs do not rule out, of the circles that nobody
    outside still beats the cheapest algorithm is taken, and a note says so.

    On fewer data sets than any test could tell apart, and on one without folds, a cost would decide
    alone. There, with a cost, an edge stands for who is clearly better: by more than the tolerance
    on the mean of the data sets that both have, or by their folds
    (`palio.stats.folds.mean_corrected_t` with Holm's correction, at level α, which speaks of these
    data sets alone). The first then gives up no more than the tolerance.

    References
    ----------
    O. T. Yıldız and E. Alpaydın (2006), Ordering and finding the best of K > 2 supervised
    learning algorithms, IEEE TPAMI 28(3), for the sort.
    A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based on
    mean-ranks?, JMLR 17, for the tests of pairs.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> ordering = palio.order(table, cost="train_time")
    >>> ordering.order
    ('svl', 'svr', '5nn', 'c45', 'lnp', 'mlp', 'mdt', 'sv2')
    >>> ordering.why("svr", "5nn")
    'svr is before 5nn: it is costlier, but significantly better (p = 1.3e-05).'
    """
    check_alpha(alpha)
    without: tuple[str, ...] = ()
    if dataset is not None or table.n_datasets == 1:
        table, without = with_every_fold(table, one_dataset(table.datasets, dataset))
    asked = {"over": over, "test": test, "correction": correction, "alpha": alpha, **options}
    named = None if cost is None else cost_weights(cost)
    comparison, untested = _compared(table, {**asked, "cost": named})
    ranks = mean_ranks(table) if comparison is None else comparison.mean_ranks
    if comparison is not None and comparison.over == "items":
        # Of some of the algorithms there may be no items.
        table = table.select(comparison.datasets, comparison.algorithms)
    scores = table.mean_scores() if comparison is None else comparison.mean_scores
    standing = ranks
    if comparison is not None:  # those that cannot be compared with the leader come last
        standing = {name: float(place) for place, name in enumerate(comparison.by_standing)}
    by = "mean rank" if comparison is None else comparison.stands_by
    preference = preference_of(table, standing, cost=cost, prior=prior, by=by)
    edges, allowed, rule = _beaten_pairs(comparison), None, tuple[str, ...]()
    untold = comparison is None or comparison.least_p is not None
    if untold and cost is not None:
        allowed = Tolerance.of(table, tolerance)
        edges, rule = clearly_better(table, allowed, ranks, alpha)
        preference = preference._replace(wording=preference.wording._replace(better=CLEARLY))
    found = ordering_of(
        "pairwise",
        table,
        preference,
        edges,
        test=None if comparison is None else comparison.method,
        correction=None if comparison is None else comparison.correction,
        alpha=alpha,
        mean_scores=scores,
        mean_ranks=ranks,
        dataset=table.datasets[0] if table.n_datasets == 1 else None,
        comparison=comparison,
        tolerance=allowed,
    )
    notes = table.notes if comparison is None else comparison.notes
    circles = _circles(found.steps)
    return replace(found, notes=(*notes, *without, *preference.notes, *untested, *rule, *circles))


def _compared(
    table: ScoreTable, asked: dict[str, Any]
) -> tuple[Comparison | None, tuple[str, ...]]:
    """Compare the algorithms; where the design of one data set allows no test, say so."""
    try:
        return compare(table, **asked), ()
    except DesignError as error:
        refused = asked["over"] is not None and error.parameter == "over"
        if asked["test"] is not None or refused or table.n_datasets > 1:
            raise
        return None, (f"no test in it: {error}",)


def _beaten_pairs(comparison: Comparison | None) -> list[tuple[str, str]]:
    """Return the worse and the better of every pair that differs significantly."""
    if comparison is None:
        return []
    tested, names = comparison.tested, np.array(comparison.algorithms, dtype=object)
    pairs = names[np.stack([tested.first, tested.second])]
    worse_first = np.where(tested.sides > 0, pairs[::-1], pairs)[:, tested.sides != 0]
    return [(worse, better) for worse, better in worse_first.T.tolist()]


def _circles(steps: Sequence[Step]) -> tuple[str, ...]:
    """Say where algorithms beat one another in a circle, so that one stands before a better."""
    return tuple(
        f"a circle: {step.taken} stands before {joined(step.circle)}, {step.wording.better} than "
        "it, which others in the circle beat in turn"
        for step in steps
        if step.circle
    )


# --- the papers' own, on folds --------------------------------------------------------------------


def multitest(
    table: Tabular,
    *,
    dataset: str | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str = "5x2cv-f",
    correction: str | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> Ordering:
    r"""Order algorithms on one data set, the cheaper first among equals.

    Between two algorithms the cheaper is preferred, unless the test on their folds says that the
    costlier is significantly better. The order then repeatedly takes, of the algorithms that no
    remaining one is significantly better than, the cheapest.

    Parameters
    ----------
    table
        Scores with folds.
    dataset
        Which data set; may be left out when there is only one.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``.
    prior
        Instead of a cost: all algorithms by hand, the most preferred first.
    test
        A test on folds that the table's resampling design allows.
    correction
        For many tests at once, one for each pair: ``None``, ``"bonferroni"``, ``"holm"`` and
        others.
    alpha
        Significance level.
    **options
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``; and options
        of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Ordering

    See Also
    --------
    palio.multi2test : the same over many data sets.
    palio.order : by the pairs of a comparison, without folds.

    Notes
    -----
    There is an edge from a cheaper algorithm i to a costlier j where the test says that j is better
    (one-sided where the test has such a form). The order is a topological sort of these edges E
    (yildiz2006, figure 1): of those left, L, the next is the one with the least cost c among
    those without an edge to another that is left,

    .. math::

        \mathrm{arg\,min} \left\{c_i : i \in L,\ (i, j) \notin E \text{ for all } j \in L\right\}

    References
    ----------
    O. T. Yıldız and E. Alpaydın (2006), Ordering and finding the best of K > 2 supervised
    learning algorithms, IEEE TPAMI 28(3).

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> ordering = palio.multitest(table, dataset="optdigits", cost="train_time")
    >>> ordering.order
    ('svr', 'svl', 'sv2', '5nn', 'mlp', 'lnp', 'mdt', 'c45')
    >>> ordering.why("5nn", "mlp")
    '5nn is before mlp: it is cheaper, and mlp is not significantly better.'
    """
    table = as_table(table, reading_in(options), multitest)
    check_alpha(alpha)
    name = one_dataset(table.datasets, dataset, instead="use Multi²Test to order over all")
    one, without = with_every_fold(table, name)
    entry, preference = _test_on_folds(test), prior_from(one, cost=cost, prior=prior)
    first_pass = run_first_pass(
        one, preference, test=entry, correction=correction, alpha=alpha, options=options
    )
    arrays = first_pass.arrays[0]
    names = [one.algorithms[i] for i in arrays.prior.tolist()]
    return _ordering(
        "multitest",
        one,
        first_pass,
        names,
        [(names[i], names[j]) for i, j in np.argwhere(arrays.edges_by_place).tolist()],
        costs=preference.shown(one)[0],
        own_pairs=_pairs(names, arrays),
        dataset=name,
        options=options,
        notes=(*without, *first_pass.notes),
    )


def multi2test(
    table: Tabular,
    *,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str = "5x2cv-f",
    correction: str | None = None,
    posthoc: str | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> Ordering:
    r"""Order algorithms over many data sets, the cheaper first among equals.

    MultiTest orders the algorithms on each data set; a post-hoc test on the resulting ranks says
    which pairs differ; MultiTest once more turns these pairs, and the cost averaged over the
    data sets, into one order (ulas2008 Table 3.2).

    Parameters
    ----------
    table
        Scores with folds, on two data sets or more.
    cost
        A cost column, several, or weights such as ``{"train_time": 0.7, "space": 0.3}``. Each is
        divided by its largest value on the data set.
    prior
        Instead of a cost: all algorithms by hand, the most preferred first.
    test, correction
        The test on folds for the first pass, and its correction, as for :func:`multitest`.
    posthoc
        The second pass: ``"nemenyi"`` (the paper's, and what is taken unless the test is
        ``"bayes"``), ``"wilcoxon-holm"``, ``"sign-holm"``, or ``"pairwise-sign"`` and ``"bayes"``,
        whose verdict on a pair does not depend on the other algorithms.
    alpha
        Significance level of both passes.
    **options
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``; and options
        of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Ordering

    See Also
    --------
    palio.multitest : the first pass, on one data set.
    palio.order : by the pairs of a comparison, without folds.

    Notes
    -----
    With :math:`p_{dj}` the place of algorithm j on data set d of n in the order of `multitest`, its
    mean place is

    .. math::

        P_j = \frac{1}{n} \sum_{d=1}^{n} p_{dj}

    There is an edge from a cheaper i to a costlier j where the second pass says that they differ
    and j has the better mean place. The order is the topological sort of these, as in `multitest`.

    References
    ----------
    M. A. Ulaş, O. T. Yıldız and E. Alpaydın (2008), Cost-conscious comparison of supervised
    learning algorithms over multiple data sets, Boğaziçi University, FBE/CMPE-01/2008-04.

    Examples
    --------
    >>> import palio
    >>> palio.multi2test(palio.load_study("ulas2008"), cost="train_time").order
    ('5nn', 'c45', 'lnp', 'mlp', 'mdt', 'svl', 'sv2', 'svr')
    """
    table = as_table(table, reading_in(options), multi2test)
    check_alpha(alpha)
    if table.n_datasets < 2:
        raise ParameterError(
            "table",
            "Multi²Test orders over two data sets or more",
            f"there is one, '{table.datasets[0]}'",
            f"use MultiTest for it: {Option('method', 'multitest')}",
        )
    entry = _test_on_folds(test)
    posthoc = POSTHOCS[posthoc or entry.posthoc].name  # known before the work, not after
    preference = prior_from(table, cost=cost, prior=prior)
    first_pass = run_first_pass(
        table, preference, test=entry, correction=correction, alpha=alpha, options=options
    )
    ranks = first_pass.arrays.ranks.astype(np.float64)
    contest = Contest(table.algorithms, table.datasets, ranks, first_pass.pair_wins)
    comparison = POSTHOCS[posthoc].run(contest, alpha)
    names = cheapest_first(table, preference)
    place = {name: i for i, name in enumerate(names)}
    edges = [(place[worse], place[better]) for worse, better in _beaten_pairs(comparison)]
    edges_note, *met_with = first_pass.notes
    return _ordering(
        "multi2test",
        table,
        first_pass,
        names,
        # From the cheaper to the costlier: where the cheaper is better, nothing is overridden.
        [(names[i], names[j]) for i, j in sorted(edges) if i < j],
        costs=preference.overall,
        posthoc=posthoc,
        comparison=comparison,
        notes=(
            f"first pass, {edges_note}",
            *first_pass.scarce,
            *met_with,
            *(strung(["second pass, ", note]) for note in comparison.notes),
        ),
    )


def _test_on_folds(name: str) -> FoldTest:
    """Look a test on folds up; one over data sets is told where it belongs."""
    if name in PAIR_TESTS and name not in FOLD_TESTS:
        raise ParameterError(
            "test",
            f"'{name}' compares over data sets",
            "MultiTest and Multi²Test do so on folds",
            f"give {Option('method', 'pairwise')}, or use one of {', '.join(FOLD_TESTS)}",
        )
    return FOLD_TESTS[name]


def _ordering(
    method: str,
    table: ScoreTable,
    first_pass: FirstPass,
    prior: Sequence[str],
    edges: Sequence[tuple[str, str]],
    *,
    costs: FloatArray,
    notes: Sequence[str],
    **found: Any,
) -> Ordering:
    """Read the order off the edges, with what both methods know from the first pass."""
    preference = first_pass.preference
    wording = preference.wording
    if "posthoc" in found:  # its second pass is about places, in which cost counts
        wording = wording._replace(better="significantly better placed")
    named = dict(zip(table.algorithms, costs.tolist(), strict=True))
    tied = preference.tied_notes(table.datasets)
    return ordering_of(
        method,
        table,
        Preference(list(prior), named, preference.weights, preference.notes, wording),
        edges,
        test=first_pass.test.name,
        correction=first_pass.correction.name,
        alpha=first_pass.arrays.alpha,
        mean_scores=table.mean_scores(),
        mean_ranks=mean_ranks(table),
        mean_places=first_pass.mean_places,
        on_each=first_pass,
        notes=(*table.notes, *preference.notes, *tied, *notes),
        **found,
    )


def _pairs(prior: Sequence[str], arrays: MultiTestArrays) -> tuple[Pair, ...]:
    """Name the pairs, the cheaper first; significant as the test inside MultiTest means it."""
    rows = named_pairs(
        prior,
        *np.triu_indices(len(prior), 1),
        arrays.statistic,
        arrays.p_value,
        arrays.p_adjusted,
        arrays.p_adjusted <= arrays.alpha,
        -arrays.ahead,
    )
    return tuple(Pair(*row) for row in rows)


# --- by name --------------------------------------------------------------------------------------


def order(
    table: Tabular,
    *,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    method: str = "auto",
    over: ReadOver | None = None,
    dataset: str | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    tolerance: float | None = None,
    scale: str | None = None,
    preset: str | None = None,
    **options: Any,
) -> Ordering:
    """Order algorithms best first, on whatever the table is.

    Nobody stands before one that is significantly better; among the rest, the cheaper first.

    Parameters
    ----------
    table
        Scores on data sets, with folds or without, or on one data set: a table, or whatever
        `palio.read_scores` reads, such as a path or a frame.
    cost, prior
        What is preferred among equals: a cost column, several, or weights such as
        ``{"train_time": 0.7, "space": 0.3}``, compared by the additive model of log cost; or an
        order by hand. Without either the better mean rank.
    method
        ``"auto"`` is ``"pairwise"``, on the pairs of :func:`palio.compare`; ``"multitest"`` and
        ``"multi2test"`` are the papers' own, on the folds of one data set and of many.
    over
        What it generalises to, as for :func:`palio.compare`: ``"datasets"`` or ``"items"``.
    dataset
        Order on this data set alone.
    test, correction
        The method's own unless given; ``"none"`` for no correction.
    alpha
        Significance level.
    tolerance
        On fewer data sets than any test could tell apart: by how much worse a mean score the
        preferred may have and still stand first. One point of a share; on a ratio scale 0.01,
        which is 1 %; else a hundredth of what the scores spread over, unless given.
    scale
        What means the same on every data set, as for :func:`palio.compare`.
    preset
        A paper whose procedure it is: ``"yildiz2006"``, ``"ulas2008"``, ``"benavoli2016"`` or
        ``"wainer2016"`` sets the method, its tests and corrections.
    **options
        What the method or the test takes besides, such as ``posthoc`` or ``test_fraction``; and
        options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Ordering

    See Also
    --------
    palio.compare : the pairs behind it.
    palio.multitest : the paper's own, on one data set.
    palio.multi2test : the paper's own, over data sets.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> palio.order(table).order
    ('svr', 'svl', 'mlp', 'lnp', 'sv2', '5nn', 'c45', 'mdt')
    >>> ordering = palio.order(table, cost="train_time")
    >>> ordering.order
    ('svl', 'svr', '5nn', 'c45', 'lnp', 'mlp', 'mdt', 'sv2')
    >>> ordering.unbeaten
    ('svr', 'svl')
    """
    table = as_table(table, reading_in(options), order, over=over, scale=scale)
    asked: dict[str, Any] = {"over": over, "dataset": dataset, "tolerance": tolerance}
    asked |= {"test": test, "correction": correction, **options}
    given = {name: value for name, value in asked.items() if value is not None}
    if preset is not None:
        paper, chosen = PRESETS[preset], {} if method == "auto" else {"method": method}
        wanted = paper.options_for("order", table, {**given, **chosen})
        found = order(table, cost=cost, prior=prior, alpha=alpha, **wanted)
        return replace(found, notes=(paper.note, *found.notes))
    entry = ORDERINGS["pairwise" if method == "auto" else method]
    _check_taken(entry, given)
    return entry.run(table, cost=cost, prior=prior, alpha=alpha, **given)


def _check_taken(entry: OrderingMethod, given: Collection[str]) -> None:
    """Refuse what belongs to another method, and say to which."""
    for name in given:
        others = [other.name for other in ORDERINGS.values() if name in other.takes]
        if others and name not in entry.takes:
            raise ParameterError(
                name,
                f"it belongs to {joined(others)}",
                f"the method is {entry.name}",
                f"leave it out, or give {Option('method', others[0])}",
            )


@dataclass(frozen=True)
class OrderingMethod:
    """An entry of the registry.

    ``properties`` are promises that the property tests verify for every entry: ``rename`` and
    ``reorder`` (the names of algorithms and the order of data sets and algorithms do not matter),
    ``negation`` (negating the scores with the direction flipped changes nothing), ``scale`` (nor
    does multiplying them), ``identical`` (of identical algorithms the cheaper is first),
    ``dominated`` (worse on every fold and costlier is never before), ``pool-free-edges`` (the
    verdict on a pair does not depend on the other algorithms). ``takes`` are the options of its own
    that not every method has.
    """

    name: str
    title: str
    run: Callable[..., Ordering]
    takes: frozenset[str]
    properties: frozenset[str]


def rule_of(ordering: Ordering) -> str:
    """Say in a sentence by which rule an order was made."""
    if ordering.method != "pairwise":
        return f"The order is by {ORDERINGS[ordering.method].title}."
    preferred, _, _, better = ordering.wording
    return f"Nobody stands before one that is {better}; among the rest, the {preferred} first."


_COMMON = frozenset({"rename", "reorder", "negation", "scale", "identical"})

ORDERINGS: Registry[OrderingMethod] = Registry.of(
    "method",
    OrderingMethod(
        "pairwise",
        "pairwise MultiTest",
        pairwise,
        takes=frozenset({"dataset", "over", "tolerance"}),
        properties=_COMMON,
    ),
    OrderingMethod(
        "multitest",
        "MultiTest",
        multitest,
        takes=frozenset({"dataset"}),
        properties=_COMMON | {"pool-free-edges"},
    ),
    OrderingMethod(
        "multi2test",
        "Multi²Test",
        multi2test,
        takes=frozenset({"posthoc"}),
        properties=_COMMON,
    ),
)
