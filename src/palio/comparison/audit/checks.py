"""The checks of an audit that ask the same question again of other data or by other means."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from palio.comparison.audit.report import (
    ByConvention,
    CheckReport,
    Context,
    LeftOut,
    NearCopy,
)
from palio.comparison.pair_tests import Procedure
from palio.comparison.pools import PoolCount, pool_counts
from palio.stats import related
from palio.types import BoolArray, FloatArray
from palio.words import count

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
    counts = pool_counts(context.goodness, context.names, alpha=context.alpha, seed=context.seed)
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
        frozenset(map(frozenset, fragile))
        if context.comparison.method == "mean-ranks"
        else frozenset(),
        notes=(
            "mean-ranks test, Nemenyi's critical difference in each sub-pool",
            *(("sub-pools sampled, not all looked at",) if sampled else ()),
        ),
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
    for row, dataset in enumerate(context.datasets):
        without = context.different(np.delete(context.goodness, row, axis=0))
        for pair in np.flatnonzero(without != whole).tolist():
            flips.setdefault(pair, []).append(dataset)
    pairs = context.pairs
    return CheckReport(
        "leave-one-out",
        question,
        tuple(_left_out_sentence(pairs[i], bool(whole[i]), flips[i]) for i in sorted(flips)),
        tuple(LeftOut(*pairs[i], bool(whole[i]), tuple(flips[i])) for i in sorted(flips)),
        frozenset(frozenset(pairs[i]) for i in flips),
    )


def _left_out_sentence(pair: tuple[str, str], significant: bool, datasets: list[str]) -> str:
    # Instead of one other, its name.
    shown = ", ".join(datasets if len(datasets) <= _NAMED + 1 else datasets[:_NAMED])
    if len(datasets) > _NAMED + 1:
        shown += f" or {len(datasets) - _NAMED} others"
    verdict = "differ, but not" if significant else "do not differ, but would"
    return f"{pair[0]} and {pair[1]} {verdict} without {shown}"


def conventions(context: Context) -> CheckReport:
    """Ask again under every defensible choice of test, correction, zeros and ties.

    Would another test or correction that one could defend as well say the same? Wilcoxon and sign
    tests with their ways to treat zeros and ties, and the paired t, each with several corrections;
    and mean ranks with Nemenyi's test. Valid for any verdict; all of them hold the same α.

    Notes
    -----
    With c of C conventions that call a pair different, it is in doubt where::

        0 < c < C
    """
    pairs = context.pairs
    choices = list(_choices(len(context.names)))
    table = np.stack(
        [
            Procedure.asked(test, correction, context.alpha, options=options).different(
                context.goodness
            )
            for _, test, correction, options in choices
        ]
    )
    named = [name for name, *_ in choices]
    split = np.flatnonzero(table.any(axis=0) & ~table.all(axis=0)).tolist()
    return CheckReport(
        "conventions",
        "would another defensible test or correction say the same?",
        tuple(_convention_sentence(pairs[i], table[:, i], named) for i in split),
        tuple(
            ByConvention(
                a, b, int(hits.sum()), len(named), dict(zip(named, hits.tolist(), strict=True))
            )
            for (a, b), hits in zip(pairs, table.T, strict=True)
        ),
        frozenset(frozenset(pairs[i]) for i in split),
        notes=(f"choices: {'; '.join(named)}",),
    )


def _choices(k: int) -> Iterable[tuple[str, str, str, dict[str, object]]]:
    structured = ["shaffer"] if k > 2 else []
    if 2 < k <= min(9, related.BERGMANN_HOMMEL_LIMIT):
        structured.append("bergmann-hommel")
    for correction in ("holm", "hommel", *structured):
        for zeros in ("wilcox", "pratt"):
            yield f"wilcoxon {zeros} {correction}", "wilcoxon", correction, {"zero_method": zeros}
        for ties in ("drop", "split"):
            yield f"sign {ties} {correction}", "sign", correction, {"ties": ties}
        yield f"paired-t {correction}", "paired-t", correction, {}
    yield "mean-ranks nemenyi", "mean-ranks", "nemenyi", {}


def _convention_sentence(pair: tuple[str, str], hits: BoolArray, names: list[str]) -> str:
    """Say by how many choices, and name whichever side is the smaller."""
    found = int(hits.sum())
    few = hits if found <= hits.size / 2 else ~hits
    some = [name for name, hit in zip(names, few, strict=True) if hit]
    shown = ", ".join(some[:4]) + (f" and {len(some) - 4} more" if len(some) > 4 else "")
    side = "only by" if found <= hits.size / 2 else "not by"
    return f"{pair[0]} and {pair[1]} differ by {found} of {hits.size} choices ({side} {shown})"


def weak_variants(context: Context) -> CheckReport:
    """Ask again without near-copies of an algorithm (benavoli2016 §4.1).

    Does a near-copy of an algorithm decide a verdict? Adding weak variants of one algorithm to a
    pool moves the mean ranks of all. It bears on a verdict only if that is by mean ranks.

    Notes
    -----
    Two algorithms are near-copies if no third is between them on most data sets::

        share of data sets with nobody between ≥ 0.9

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, section 4.1.
    """
    question = "does a near-copy of an algorithm decide a verdict?"
    copies = _near_copies(context.goodness)
    findings, rows = [], []
    affected: set[frozenset[str]] = set()
    names = context.names
    for copy, original, share in copies:
        keep = np.delete(np.arange(len(names)), copy)
        changed = _changed_without(context, keep)
        rows.append(NearCopy(names[copy], names[original], share, tuple(changed)))
        for a, b in changed:
            findings.append(
                f"without {names[copy]}, a near-copy of {names[original]}, mean ranks judge "
                f"{a} and {b} differently"
            )
            affected.add(frozenset((a, b)))
    return CheckReport(
        "variants",
        question,
        tuple(findings),
        tuple(rows),
        frozenset(affected) if context.comparison.method == "mean-ranks" else frozenset(),
        notes=(
            "near-copies: no third algorithm between the two on nine of ten data sets; mean-ranks "
            "test with Nemenyi",
        ),
    )


def _near_copies(goodness: FloatArray) -> list[tuple[int, int, float]]:
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
        hits = mean_ranks.different(context.goodness[:, columns])
        first, second = np.triu_indices(len(columns), 1)
        return {
            frozenset((context.names[columns[i]], context.names[columns[j]])): bool(hit)
            for i, j, hit in zip(first, second, hits, strict=True)
        }

    whole = different(np.arange(len(context.names)))
    changed = [pair for pair, hit in different(keep).items() if hit != whole[pair]]
    return [(min(pair), max(pair)) for pair in changed]
