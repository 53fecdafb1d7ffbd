"""The checks of an audit that ask the same question again of other data or by other means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from palio.comparison.audit.report import (
    CheckReport,
    Context,
    LeftOut,
    NearCopy,
    Otherwise,
)
from palio.comparison.board import MANY
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.pools import PoolCount, pool_shares
from palio.comparison.sample import Sample, which_met
from palio.comparison.strength_pools import PoolSwap, pool_swaps
from palio.stats.across import EXACT_LIMIT
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count, joined

# Where leaving out all data sets would take too long some are drawn, and this many at least.
_MIN_LEFT_OUT = 4
# Pairs × data sets × data sets that take about two seconds, unless there are many ties.
_QUICK = 15_000_000

# Two algorithms are neighbours where nobody is between them on this share of the data sets.
_NEAR = 0.9

# A note names so many sizes of sub-pools.
_SIZES_NAMED = 8

# A sentence names this many; the rest are counted.
_NAMED = 4


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
    told, unlisted = context.told(fragile)
    rows = shares.counts(context.names, *_listed(context))
    by_pair: dict[tuple[str, str], list[PoolCount]] = {}
    for each in rows:
        by_pair.setdefault((each.a, each.b), []).append(each)
    bears = context.by_mean_ranks  # a test that does not rank all together is not touched by this
    return CheckReport(
        "pools",
        "would a mean-ranks test say the same with other algorithms in the pool?",
        tuple(_pool_sentence(context.pair(i), by_pair[context.pair(i)]) for i in told),
        tuple(rows),
        context.named(fragile.tolist()) if bears else frozenset(),
        notes=("mean-ranks test, Nemenyi's critical difference in each sub-pool",),
        bears=bears,
        otherwise=context.one_by_one(fragile.tolist(), "in another pool") if bears else (),
        apart=not bears,
        unlisted=unlisted,
        sampling=_about_sampling(rows),
        pairs=tuple(map(context.pair, told)),
    )


def _listed(context: Context) -> tuple[IntArray, IntArray]:
    return context.first[context.listed], context.second[context.listed]


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
    if len(shares) > _NAMED:
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
    whole, n = context.different(), len(context.datasets)
    flips: dict[int, list[str]] = {}
    otherwise = []
    rows = _left_out_rows(context)
    for row in rows:
        without = _without(context, row)
        dataset = context.datasets[row]
        otherwise.append(Otherwise(f"without {dataset}", context.beaten(without)))
        for i in np.flatnonzero((without != 0) != whole).tolist():
            flips.setdefault(i, []).append(dataset)
    if whole.any() and len(context.names) > MANY and not any(each.beaten for each in otherwise):
        return replace(_none_without_one(context, flips), otherwise=tuple(otherwise))
    told, unlisted = context.told(np.array(sorted(flips), dtype=np.intp))
    return CheckReport(
        "leave-one-out",
        "would the verdict be the same without any one data set?",
        tuple(left_out_sentence(context.pair(i), bool(whole[i]), flips[i]) for i in told),
        tuple(LeftOut(*context.pair(i), bool(whole[i]), tuple(flips[i])) for i in told),
        context.named(flips),
        bears=True,
        otherwise=tuple(otherwise),
        unlisted=unlisted,
        sampling="" if len(rows) == n else _about_left_out(len(rows), n),
        pairs=tuple(map(context.pair, told)),
    )


def _without(context: Context, row: int) -> FloatArray:
    """Return the verdicts on the pairs without a data set: 1, -1 or 0.

    Where scores are missing only pairs that both have it are tested again.
    """
    procedure, left = context.procedure, np.delete(context.goodness, row, axis=0)
    if context.met is None and not np.isnan(context.goodness).any():
        return procedure.sided(left)
    if procedure.pooled:
        return procedure.judged(
            procedure.of_pairs(left, context.first, context.second), len(context.names)
        )
    there = ~np.isnan(context.goodness[row])
    changed = np.flatnonzero(there[context.first] & there[context.second])
    known = context.verdicts(procedure)
    p_value, lead = known.p_value.copy(), known.lead.copy()
    meet = context.shared.copy()
    meet[changed] -= 1
    again = changed[meet[changed] > 0]
    found = procedure.run(Sample(left, context.first[again], context.second[again]))
    p_value[again], lead[again] = found.p_value, found.lead
    sides, met = np.zeros(p_value.size), meet > 0
    verdicts = PairVerdicts(np.zeros(int(met.sum())), p_value[met], lead[met])
    k = len(context.names)
    sides[met] = procedure.judged(
        verdicts, k, which_met(context.first[met], context.second[met], k)
    )
    return sides


def _none_without_one(context: Context, flips: Iterable[int]) -> CheckReport:
    """Say once of many algorithms that all verdicts hang on every data set."""
    n, k = len(context.datasets), len(context.names)
    said = "without any one data set nobody would be beaten"
    if not context.procedure.pooled and context.least_without_one > context.alpha:
        said += f", as {n - 1} are too few to tell any of {k} algorithms apart"
    return CheckReport(
        "leave-one-out",
        "would the verdict be the same without any one data set?",
        (said,),
        affected=context.named(flips),
    )


def _left_out_rows(context: Context) -> list[int]:
    """Return the data sets to leave out: all, or a sample where that would take minutes."""
    n = len(context.goodness)
    # Exact distributions with ties take longer than to sort.
    steps = n if n > EXACT_LIMIT else max(n, n**3 // 50)
    most = max(_MIN_LEFT_OUT, context.work // (context.first.size * steps))
    if n <= most or context.first.size * n * n <= _QUICK:
        return list(range(n))
    drawn = np.random.default_rng(context.seed).choice(n, most, replace=False)
    return sorted(drawn.tolist())


def _about_left_out(drawn: int, n: int) -> str:
    return (
        f"{drawn} of {n} data sets, drawn at random, are left out one by one; one on which a "
        f"verdict hangs is among them with probability {drawn / n:.2f}"
    )


def left_out_sentence(pair: tuple[str, str], significant: bool, datasets: list[str]) -> str:
    """Say without which data sets the verdict on two would be another."""
    # Instead of one other, its name.
    shown = ", ".join(datasets if len(datasets) <= _NAMED + 1 else datasets[:_NAMED])
    if len(datasets) > _NAMED + 1:
        shown += f" or {len(datasets) - _NAMED} others"
    a_and_b = f"{pair[0]} and {pair[1]}"
    if significant:
        return f"{a_and_b} differ, but not without {shown}"
    return f"no difference was found between {a_and_b}, but they would differ without {shown}"


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
    findings, rows, pairs = [], [], []
    names, listed = context.names, _listed(context)
    changed_at_all = np.zeros((len(names), len(names)), dtype=np.bool_)
    for one, other, share in _neighbours(context.complete):
        changed = _changed_without(context, one)
        changed_at_all |= changed
        some = [
            (min(a, b), max(a, b))
            for a, b in (
                (names[i], names[j])
                for i, j in zip(*(side[changed[listed]] for side in listed), strict=True)
            )
        ]
        pairs += some
        rows.append(NearCopy(names[one], names[other], share, tuple(some)))
        findings += [
            f"without {names[one]}, next to {names[other]} by rank on {100 * share:.0f} % of the "
            f"data sets, mean ranks judge {a} and {b} differently"
            for a, b in some
        ]
    affected = np.flatnonzero(changed_at_all[context.first, context.second])
    bears = context.by_mean_ranks
    return CheckReport(
        "variants",
        "does an algorithm that stands beside another decide a verdict by mean ranks?",
        tuple(findings),
        tuple(rows),
        context.named(affected.tolist()) if bears else frozenset(),
        notes=(
            "neighbours: no third algorithm between the two on nine of ten data sets; mean-ranks "
            "test with Nemenyi",
        ),
        bears=bears,
        otherwise=context.one_by_one(affected.tolist(), "without a neighbour by rank")
        if bears
        else (),
        apart=not bears,
        unlisted=context.told(affected)[1],
        pairs=tuple(pairs),
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


def _changed_without(context: Context, one: int) -> BoolArray:
    """Return the pairs (k, k) that mean ranks judge otherwise without an algorithm."""
    judge, k = context.pools, len(context.names)
    changed = judge.matrix(np.arange(k)) != judge.matrix(np.delete(np.arange(k), one))
    changed[one] = changed[:, one] = False
    return np.asarray(changed)


def places(context: Context) -> CheckReport:
    r"""Find the neighbours by strength who change places if one other algorithm is left out.

    Would the order by Bradley–Terry strengths or Elo ratings be the same in a smaller pool? No
    verdict on a pair rests on that order, so none is in doubt.

    Notes
    -----
    With β the strengths of all and :math:`\beta^{(-k)}` those without algorithm k, neighbours i and
    j are found where for some k

    .. math::

        \beta_i > \beta_j \qquad \text{but} \qquad \beta^{(-k)}_i < \beta^{(-k)}_j
    """
    swaps = pool_swaps(context.goodness, context.names)
    return CheckReport(
        "places",
        "would neighbours by strength stay in their order without any one other algorithm?",
        tuple(map(_swap_sentence, swaps)),
        swaps,
        notes=("places by Bradley–Terry strengths, as Elo ratings have them",),
    )


def _swap_sentence(swap: PoolSwap) -> str:
    named = swap.without if len(swap.without) <= _NAMED else swap.without[: _NAMED - 1]
    rest = len(swap.without) - len(named)
    others = joined([*named, *([count(rest, "other")] if rest else [])], "or")
    return f"{swap.first} is before {swap.second} by strength, but not without {others}"
