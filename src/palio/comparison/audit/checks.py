"""The checks of an audit that ask the same question again of other data or by other means."""

from __future__ import annotations

import numpy as np

from palio.comparison.audit.report import (
    CheckReport,
    Context,
    LeftOut,
    NearCopy,
    Otherwise,
)
from palio.comparison.pair_tests import Procedure
from palio.comparison.pools import PoolCount, pool_counts
from palio.comparison.strength_pools import PoolSwap, pool_swaps
from palio.types import FloatArray
from palio.words import count, joined

# Pairs × data sets × data sets: what a minute of leaving data sets out one by one amounts to.
_LEAVE_OUT_LIMIT = 3_000_000_000

# A sentence names this many; the rest are counted.
_NAMED = 4


def pool_dependence(context: Context) -> CheckReport:
    """Find the pairs whose mean-ranks verdict depends on the pool (benavoli2016 Table 1).

    Would a mean-ranks test say the same of two algorithms with other algorithms in the pool? All
    sub-pools are looked at up to twelve algorithms, beyond that a sample of them. It bears on a
    verdict only if that is by mean ranks.

    Notes
    -----
    In a sub-pool of m algorithms on n data sets, with mean ranks R made among those m alone::

        |Rᵢ - Rⱼ| ≥ q(α; m, ∞) √(m (m + 1) / (12 n))

    q is the upper quantile of the studentised range: Nemenyi's critical difference, as in the
    other checks and in `palio.compare`. The paper's own table has Bonferroni's normal quantile,
    which asks for a little more.

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, section 4.3, Table 1.
    """
    counts = pool_counts(context.complete, context.names, alpha=context.alpha, seed=context.seed)
    by_pair: dict[tuple[str, str], list[PoolCount]] = {}
    for each in counts:
        by_pair.setdefault((each.a, each.b), []).append(each)
    fragile = {pair: rows for pair, rows in by_pair.items() if _is_fragile(rows)}
    sampled = any(not each.exhaustive for each in counts)
    return CheckReport(
        "pools",
        "would a mean-ranks test say the same with other algorithms in the pool?",
        tuple(_pool_sentence(pair, rows) for pair, rows in fragile.items()),
        tuple(counts),
        # A test that does not rank all together is not touched by this.
        frozenset(map(frozenset, fragile)) if context.by_mean_ranks else frozenset(),
        notes=(
            "mean-ranks test, Nemenyi's critical difference in each sub-pool",
            *(("sub-pools sampled, not all looked at",) if sampled else ()),
        ),
        whatever=f"in every pool{' looked at' * sampled}" if context.by_mean_ranks else "",
        otherwise=context.one_by_one(fragile, "in another pool") if context.by_mean_ranks else (),
        apart=not context.by_mean_ranks,
    )


def _is_fragile(rows: list[PoolCount]) -> bool:
    significant = sum(row.significant for row in rows)
    return 0 < significant < sum(row.subsets for row in rows)


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
    verdict = "differ" if whole else "do not differ"
    sentence = f"{pair[0]} and {pair[1]} {verdict} by mean ranks in the whole pool"
    if flips is not None:
        others = flips.counterexample if whole else flips.example
        alone = "alone" if not others else f"in a pool with {', '.join(others)}"
        sentence += f", but {'not ' if whole else 'do '}{alone}"
    return sentence + (f" (significant in {', '.join(shares)})" if shares else "")


def leave_one_out(context: Context) -> CheckReport:
    """Find the verdicts that hang on a single data set.

    Would the verdict be the same without any one data set? Valid for any test; a verdict that one
    data set decides is not wrong, but it is one data set's.

    Notes
    -----
    A pair is in doubt where for some data set d::

        verdict(all data sets) ≠ verdict(all but d)
    """
    question = "would the verdict be the same without any one data set?"
    n, k = context.goodness.shape
    if n * n * k * (k - 1) / 2 > _LEAVE_OUT_LIMIT:
        return CheckReport(
            "leave-one-out", question, (), notes=("too many data sets and algorithms: not done",)
        )
    whole = context.different()
    flips: dict[int, list[str]] = {}
    otherwise = []
    for row, dataset in enumerate(context.datasets):
        without = context.procedure.sided(np.delete(context.goodness, row, axis=0))
        otherwise.append(Otherwise(f"without {dataset}", context.beaten(without)))
        for pair in np.flatnonzero((without != 0) != whole).tolist():
            flips.setdefault(pair, []).append(dataset)
    pairs = context.pairs
    return CheckReport(
        "leave-one-out",
        question,
        tuple(_left_out_sentence(pairs[i], bool(whole[i]), flips[i]) for i in sorted(flips)),
        tuple(LeftOut(*pairs[i], bool(whole[i]), tuple(flips[i])) for i in sorted(flips)),
        frozenset(frozenset(pairs[i]) for i in flips),
        whatever="without any one data set",
        otherwise=tuple(otherwise),
    )


def _left_out_sentence(pair: tuple[str, str], significant: bool, datasets: list[str]) -> str:
    # Instead of one other, its name.
    shown = ", ".join(datasets if len(datasets) <= _NAMED + 1 else datasets[:_NAMED])
    if len(datasets) > _NAMED + 1:
        shown += f" or {len(datasets) - _NAMED} others"
    verdict = "differ, but not" if significant else "do not differ, but would"
    return f"{pair[0]} and {pair[1]} {verdict} without {shown}"


def weak_variants(context: Context) -> CheckReport:
    """Ask again without algorithms that stand beside another one (benavoli2016 §4.1).

    Does an algorithm that is nearly always next to another decide a verdict? Adding weak variants
    of one algorithm to a pool moves the mean ranks of all. Ranks cannot tell a variant from one
    that is next in rank and far behind by score, so both are looked at. It bears on a verdict only
    if that is by mean ranks.

    Notes
    -----
    Two algorithms are neighbours if no third is between them on most data sets::

        share of data sets with nobody between ≥ 0.9

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, section 4.1.
    """
    findings, rows = [], []
    affected: set[frozenset[str]] = set()
    names = context.names
    for one, other, share in _neighbours(context.complete):
        keep = np.delete(np.arange(len(names)), one)
        changed = _changed_without(context, keep)
        rows.append(NearCopy(names[one], names[other], share, tuple(changed)))
        for a, b in changed:
            findings.append(
                f"without {names[one]}, next to {names[other]} by rank on "
                f"{100 * share:.0f} % of the data sets, mean ranks judge {a} and {b} differently"
            )
            affected.add(frozenset((a, b)))
    return CheckReport(
        "variants",
        "does an algorithm that stands beside another decide a verdict by mean ranks?",
        tuple(findings),
        tuple(rows),
        frozenset(affected) if context.by_mean_ranks else frozenset(),
        notes=(
            "neighbours: no third algorithm between the two on nine of ten data sets; mean-ranks "
            "test with Nemenyi",
        ),
        whatever="without a neighbour by rank" if context.by_mean_ranks else "",
        otherwise=context.one_by_one(affected, "without a neighbour by rank")
        if context.by_mean_ranks
        else (),
        apart=not context.by_mean_ranks,
    )


def _neighbours(goodness: FloatArray) -> list[tuple[int, int, float]]:
    """Return (worse, better, share of data sets on which nobody is between the two)."""
    k = goodness.shape[1]
    found = []
    if k < 4:  # with three, a neighbour is all there can be
        return []
    for i in range(k):
        for j in range(i + 1, k):
            low = np.minimum(goodness[:, i], goodness[:, j])[:, np.newaxis]
            high = np.maximum(goodness[:, i], goodness[:, j])[:, np.newaxis]
            between = ((goodness > low) & (goodness < high)).any(axis=1)
            share = 1 - float(between.mean())
            if share >= 0.9:
                worse, better = (i, j) if goodness[:, i].mean() < goodness[:, j].mean() else (j, i)
                found.append((worse, better, share))
    return found


def _changed_without(context: Context, keep: np.ndarray) -> list[tuple[str, str]]:
    """Return the pairs, each in the order of the alphabet."""
    mean_ranks = Procedure.asked("mean-ranks", "nemenyi", context.alpha)

    def different(columns: np.ndarray) -> dict[frozenset[str], bool]:
        hits = mean_ranks.different(context.complete[:, columns])
        first, second = np.triu_indices(len(columns), 1)
        return {
            frozenset((context.names[columns[i]], context.names[columns[j]])): bool(hit)
            for i, j, hit in zip(first, second, hits, strict=True)
        }

    whole = different(np.arange(len(context.names)))
    changed = [pair for pair, hit in different(keep).items() if hit != whole[pair]]
    return [(min(pair), max(pair)) for pair in changed]


def places(context: Context) -> CheckReport:
    """Find the neighbours by strength who change places if one other algorithm is left out.

    Would the order by Bradley–Terry strengths or Elo ratings be the same in a smaller pool? No
    verdict on a pair rests on that order, so none is in doubt.

    Notes
    -----
    With β the strengths of all and β⁻ᵏ those without k, neighbours i and j are found where::

        βᵢ > βⱼ, but β⁻ᵏᵢ < β⁻ᵏⱼ for some k
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
