"""The ordering methods, by name: on the pairs of a comparison, MultiTest, Multi²Test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.comparison.corrections import check_alpha, fold_correction_named
from palio.comparison.fold_tests import FOLD_TESTS, FoldTest
from palio.comparison.on_folds import with_every_fold
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.pairs import Pair
from palio.comparison.rank_tests import POSTHOCS, Contest
from palio.comparison.results import Comparison
from palio.errors import Option, ParameterError
from palio.ordering.arrays import MultiTestArrays
from palio.ordering.first_pass import FirstPass, run_first_pass
from palio.ordering.graph import sort_steps
from palio.ordering.pairwise import pairwise
from palio.ordering.prior import Cost, Prior, cheapest_first, prior_from
from palio.ordering.result import Ordering, mean_ranks
from palio.registry import Registry, one_dataset
from palio.scores import ScoreTable, Tabular, as_table
from palio.scores.over import ReadOver
from palio.types import BoolArray, FloatArray
from palio.words import joined, strung


def multitest(
    table: Tabular,
    *,
    dataset: str | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str = "5x2cv-f",
    correction: str | None = None,
    alpha: float = 0.05,
    **options: float,
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
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``.

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
    table = as_table(table)
    check_alpha(alpha)
    name = one_dataset(table.datasets, dataset, instead="use Multi²Test to order over all")
    one, without = with_every_fold(table, name)
    entry, correct = _test_on_folds(test), fold_correction_named(correction)
    preference = prior_from(one, cost=cost, prior=prior)
    first_pass = run_first_pass(
        one, preference, test=entry, correction=correct, alpha=alpha, options=options
    )
    arrays = first_pass.arrays[0]
    names = [one.algorithms[i] for i in arrays.prior.tolist()]
    return _ordering(
        "multitest",
        one,
        preference,
        first_pass,
        names,
        arrays.edges_by_place,
        costs=preference.shown(one)[0],
        own_pairs=_pairs(names, arrays),
        dataset=one.datasets[0],
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
    **options: float,
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
        What the test needs besides, such as ``test_fraction`` for ``"corrected-t"``.

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
    table = as_table(table)
    check_alpha(alpha)
    if table.n_datasets < 2:
        raise ParameterError(
            "table",
            "Multi²Test orders over two data sets or more",
            f"there is one, '{table.datasets[0]}'",
            f"use MultiTest for it: {Option('method', 'multitest')}",
        )
    entry, correct = _test_on_folds(test), fold_correction_named(correction)
    posthoc = POSTHOCS[posthoc or entry.posthoc].name  # known before the work, not after
    preference = prior_from(table, cost=cost, prior=prior)
    first_pass = run_first_pass(
        table, preference, test=entry, correction=correct, alpha=alpha, options=options
    )
    comparison = second_pass(first_pass, posthoc=posthoc, alpha=alpha)
    names = cheapest_first(table, preference)
    edges_note, *met_with = first_pass.notes
    return _ordering(
        "multi2test",
        table,
        preference,
        first_pass,
        names,
        _edges(names, comparison),
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


def second_pass(first_pass: FirstPass, *, posthoc: str, alpha: float) -> Comparison:
    """Test which pairs differ by their ranks on the data sets."""
    contest = Contest(
        first_pass.algorithms,
        first_pass.datasets,
        ranks=first_pass.arrays.ranks.astype(np.float64),
        wins=first_pass.pair_wins,
    )
    return POSTHOCS[posthoc].run(contest, alpha)


def _ordering(
    method: str,
    table: ScoreTable,
    preference: Prior,
    first_pass: FirstPass,
    prior: Sequence[str],
    edges: BoolArray,
    *,
    costs: FloatArray,
    notes: Sequence[str],
    **found: Any,
) -> Ordering:
    """Read the order off the graph, whose nodes are in prior order."""
    wording = preference.wording
    if found.get("posthoc") is not None:  # its second pass is about places, in which cost counts
        wording = wording._replace(better="significantly better placed")
    steps = sort_steps(prior, edges, wording=wording)
    return Ordering(
        method=method,
        order=tuple(step.taken for step in steps),
        prior=tuple(prior),
        edges=tuple((prior[i], prior[j]) for i, j in np.argwhere(edges).tolist()),
        steps=steps,
        measure=table.measure,
        n_datasets=table.n_datasets,
        cost=preference.weights,
        test=first_pass.test.name,
        correction=first_pass.correction.name,
        alpha=first_pass.arrays.alpha,
        table=table,
        wording=wording,
        costs=dict(zip(table.algorithms, costs.tolist(), strict=True)),
        mean_scores=table.mean_scores(),
        mean_ranks=mean_ranks(table),
        mean_places=first_pass.mean_places,
        on_each=first_pass,
        notes=(*table.notes, *preference.notes, *preference.tied_notes(table.datasets), *notes),
        **found,
    )


def _edges(prior: Sequence[str], comparison: Comparison) -> BoolArray:
    """Draw an edge from the cheaper to the costlier where the costlier is significantly better."""
    place = {name: i for i, name in enumerate(prior)}
    edges = np.zeros((len(prior), len(prior)), dtype=np.bool_)
    for pair in comparison.pairs:
        if pair.winner is None:
            continue
        winner = place[pair.winner]
        loser = place[pair.b if pair.winner == pair.a else pair.a]
        edges[loser, winner] = loser < winner
    return edges


def _pairs(prior: Sequence[str], arrays: MultiTestArrays) -> tuple[Pair, ...]:
    """Name the pairs, the cheaper first; significant as the test inside MultiTest means it."""
    names = [(a, b) for i, a in enumerate(prior) for b in prior[i + 1 :]]
    verdicts = arrays.verdicts
    rows = zip(
        names,
        verdicts.statistic.tolist(),
        verdicts.p_value.tolist(),
        arrays.p_adjusted.tolist(),
        arrays.ahead.tolist(),
        strict=True,
    )
    return tuple(
        Pair(
            a,
            b,
            statistic,
            p_value,
            p_adjusted,
            p_adjusted <= arrays.alpha,
            None if ahead == 0 else b if ahead > 0 else a,
        )
        for (a, b), statistic, p_value, p_adjusted, ahead in rows
    )


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
    scale: str | None = None,
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
    scale
        What means the same on every data set, as for :func:`palio.compare`.
    **options
        What the method or the test takes besides, such as ``posthoc`` or ``test_fraction``.

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
    table = as_table(table, over=over, scale=scale)
    entry = ORDERINGS["pairwise" if method == "auto" else method]
    asked = {"over": over, "dataset": dataset, "test": test, "correction": correction}
    given = {name: value for name, value in {**asked, **options}.items() if value is not None}
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
    many_datasets: bool
    takes: frozenset[str]
    properties: frozenset[str]


def rule_of(ordering: Ordering) -> str:
    """Say in a sentence by which rule an order was made."""
    if ordering.method != "pairwise":
        return f"The order is by {ORDERINGS[ordering.method].title}."
    preferred = ordering.wording.preferred
    return (
        "Nobody stands before one that is significantly better; among the rest, the "
        f"{preferred} first."
    )


_COMMON = frozenset({"rename", "reorder", "negation", "scale", "identical"})

ORDERINGS: Registry[OrderingMethod] = Registry.of(
    "method",
    OrderingMethod(
        "pairwise",
        "pairwise MultiTest",
        pairwise,
        many_datasets=True,
        takes=frozenset({"dataset", "over"}),
        properties=_COMMON,
    ),
    OrderingMethod(
        "multitest",
        "MultiTest",
        multitest,
        many_datasets=False,
        takes=frozenset({"dataset"}),
        properties=_COMMON | {"pool-free-edges"},
    ),
    OrderingMethod(
        "multi2test",
        "Multi²Test",
        multi2test,
        many_datasets=True,
        takes=frozenset({"posthoc"}),
        properties=_COMMON,
    ),
)
