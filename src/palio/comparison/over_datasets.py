"""Who differs from whom over many data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palio.comparison.corrections import Correction, Family, correction_named
from palio.comparison.groups import GROUP_LIMIT, maximal_groups
from palio.comparison.levels import check_alpha
from palio.comparison.omnibus import OMNIBUS_TESTS, run_omnibus
from palio.comparison.pair_tests import PairTest, PairVerdicts, pair_test_named
from palio.comparison.results import ComparedPair, Comparison, Scores, TestResult
from palio.comparison.sample import Sample
from palio.errors import MissingCellsError, ParameterError
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats import across, posthoc
from palio.types import BoolArray, FloatArray, IntArray

__all__ = ["compare", "compare_scores", "comparison_from"]


def compare(
    table: ScoreTable,
    *,
    test: str = "wilcoxon",
    correction: str | None = "holm",
    alpha: float = 0.05,
    control: str | None = None,
    omnibus: str = "friedman",
    **options: Any,
) -> Comparison:
    """Compare algorithms over many data sets: say who differs from whom.

    Each data set counts once, with the mean over its folds. The default, Wilcoxon's test on every
    pair with Holm's correction, is what benavoli2016 recommends: its verdict on two algorithms
    does not depend on which others are compared.

    Parameters
    ----------
    table
        Scores on two data sets or more.
    test
        ``"wilcoxon"``, ``"sign"``, ``"paired-t"``, ``"permutation"``; or on ranks of all
        algorithms together ``"mean-ranks"``, ``"conover"``, ``"quade"``, ``"aligned-ranks"``.
    correction
        For many pairs at once: ``"holm"``, ``"shaffer"``, ``"bergmann-hommel"``, ``"nemenyi"``
        (with ``"mean-ranks"``), ``"bh"``, …; ``None`` for none.
    alpha
        Significance level.
    control
        Compare every other algorithm with this one alone.
    omnibus
        The test of all algorithms at once: ``"friedman"``, ``"iman-davenport"``,
        ``"aligned-ranks"`` or ``"quade"``. It never hides the pairs.
    **options
        What the test takes besides: ``zero_method`` for ``"wilcoxon"``, ``ties`` for ``"sign"``,
        ``n_resamples`` and ``seed`` for ``"permutation"``.

    References
    ----------
    J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based on
    mean-ranks?, JMLR 17.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> comparison = palio.compare(table)
    >>> comparison
    <Comparison: wilcoxon, holm, 8 algorithms on 38 data sets, 10 of 28 pairs differ>
    >>> comparison.pair("svr", "svl").significant
    False
    """
    if table.n_datasets < 2:
        raise ParameterError(
            "table",
            "a comparison is over two data sets or more",
            f"there is one, '{table.datasets[0]}'",
            "compare on its folds instead (palio.compare_folds, palio folds)",
        )
    return compare_scores(
        Scores(table.means(), table.algorithms, table.datasets, table.measure),
        test=test,
        correction=correction,
        alpha=alpha,
        control=control,
        omnibus=omnibus,
        notes=table.notes,
        options=options,
    )


def compare_scores(
    scores: Scores,
    *,
    test: str,
    correction: str | None,
    alpha: float,
    control: str | None = None,
    omnibus: str = "friedman",
    notes: tuple[str, ...] = (),
    options: dict[str, Any] | None = None,
) -> Comparison:
    """Compare columns of scores; ``compare`` with the table left behind."""
    check_alpha(alpha)
    entry, correct = pair_test_named(test), correction_named(correction)
    chosen = entry.checked(options or {})
    correct.check(test=test, control=control)
    _ = OMNIBUS_TESTS[omnibus]  # an unknown name is better said before the work than after
    goodness = scores.goodness
    complete = np.asarray(~np.isnan(goodness).any(axis=1))
    first, second = _pairs(scores.algorithms, control)
    _check_enough(complete)
    whole = Sample(goodness[complete], first, second)
    sample = whole if entry.on_ranks or complete.all() else Sample(goodness, first, second)
    verdicts = entry.run(sample, chosen)
    return comparison_from(
        verdicts,
        scores,
        first,
        second,
        method=test,
        correction=correct,
        alpha=alpha,
        control=control,
        omnibus=run_omnibus(omnibus, whole),
        ranked=whole,
        notes=(*notes, *_gap_notes(complete, entry), *_test_notes(entry, correct, alpha)),
    )


def comparison_from(
    verdicts: PairVerdicts,
    scores: Scores,
    first: IntArray,
    second: IntArray,
    *,
    method: str,
    correction: Correction,
    alpha: float,
    control: str | None,
    omnibus: TestResult,
    ranked: Sample,
    notes: tuple[str, ...],
) -> Comparison:
    """Put the names on what a test said of the pairs."""
    algorithms = scores.algorithms
    k = len(algorithms)
    mean_ranks = ranked.mean_ranks
    adjusted = correction.adjust(Family(verdicts.p_value, k, verdicts.statistic))
    significant = adjusted <= alpha
    groups = _groups(first, second, significant, mean_ranks, algorithms, control)
    if groups is None:
        notes = (*notes, f"more than {GROUP_LIMIT} groups that do not differ: not listed")
    elif control is None:
        notes = (*notes, *_broken_bars(groups, mean_ranks, algorithms))
    if omnibus.p_value > alpha:
        notes = (
            *notes,
            f"the omnibus test ({omnibus.method}) did not reject, p = {omnibus.p_value:.3g}; "
            "the pairs are shown all the same",
        )
    return Comparison(
        method=method,
        correction=correction.name,
        alpha=alpha,
        mean_ranks=dict(zip(algorithms, mean_ranks.tolist(), strict=True)),
        omnibus=omnibus,
        kendall_w=_agreement(omnibus, ranked),
        pairs=_named(verdicts, adjusted, significant, first, second, scores),
        groups=groups or (),
        compared=scores,
        control=control,
        critical_difference=_critical_difference(
            method, correction.name, k, omnibus.n, alpha, control
        ),
        notes=(*notes, *verdicts.notes),
    )


def _pairs(algorithms: Sequence[str], control: str | None) -> tuple[IntArray, IntArray]:
    """Return all pairs, or those with the control first."""
    k = len(algorithms)
    if k < 2:
        raise ParameterError("algorithms", "a comparison needs two or more", "there is one")
    if control is None:
        return np.triu_indices(k, 1)
    if control not in algorithms:
        raise unknown_name("control", control, algorithms)
    place = list(algorithms).index(control)
    others = np.delete(np.arange(k), place)
    return np.full(k - 1, place), others


def _check_enough(complete: BoolArray) -> None:
    if complete.sum() < 2:
        raise MissingCellsError(
            "missing",
            f"{int(complete.sum())} of {complete.size} data sets have a score of every algorithm",
            "a comparison needs two",
            "leave out the algorithms with gaps",
        )


def _gap_notes(complete: BoolArray, entry: PairTest) -> tuple[str, ...]:
    gaps = int((~complete).sum())
    if gaps == 0:
        return ()
    where = "" if entry.on_ranks else "mean ranks and the omnibus test: "
    rest = "" if entry.on_ranks else "; each pair on the data sets where both have a score"
    return (f"{where}{gaps} data sets with missing scores left out{rest}",)


def _test_notes(entry: PairTest, correction: Correction, alpha: float) -> tuple[str, ...]:
    warning = (
        ("without a correction the chance of any false finding grows with the pairs",)
        if correction.controls == "nothing"
        else ()
    )
    return (
        f"pairs: {entry.title}, two-sided at α = {alpha:g}, {correction.title}",
        *entry.notes,
        *correction.notes,
        *warning,
    )


def _named(
    verdicts: PairVerdicts,
    adjusted: FloatArray,
    significant: BoolArray,
    first: IntArray,
    second: IntArray,
    scores: Scores,
) -> tuple[ComparedPair, ...]:
    algorithms, effects = scores.algorithms, scores.effects(first, second)
    rows = zip(
        first.tolist(),
        second.tolist(),
        verdicts.statistic.tolist(),
        verdicts.p_value.tolist(),
        adjusted.tolist(),
        significant.tolist(),
        verdicts.lead.tolist(),
        strict=True,
    )
    return tuple(
        ComparedPair(
            algorithms[i],
            algorithms[j],
            statistic,
            p_value,
            p_adjusted,
            is_significant,
            None if lead == 0 else algorithms[i if lead > 0 else j],
            effects,
            place,
        )
        for place, (i, j, statistic, p_value, p_adjusted, is_significant, lead) in enumerate(rows)
    )


def _groups(
    first: IntArray,
    second: IntArray,
    significant: BoolArray,
    mean_ranks: FloatArray,
    algorithms: Sequence[str],
    control: str | None,
) -> tuple[tuple[str, ...], ...] | None:
    """Return the sets that do not differ, best mean rank first; with a control, its own."""
    by_rank = np.argsort(mean_ranks, kind="stable")
    names = [algorithms[i] for i in by_rank.tolist()]
    k = len(algorithms)
    different = np.zeros((k, k), dtype=np.bool_)
    different[first, second] = different[second, first] = significant
    if control is not None:
        own = list(algorithms).index(control)
        return (tuple(algorithms[i] for i in by_rank.tolist() if not different[own, i]),)
    return maximal_groups(different[np.ix_(by_rank, by_rank)], names)


def _agreement(omnibus: TestResult, ranked: Sample) -> float:
    """Return Kendall's W: Friedman's statistic over the largest it can be."""
    n, k = ranked.ranks.shape
    statistic = (
        omnibus.statistic
        if omnibus.method == "friedman"
        else across.friedman_from_ranks(ranked.ranks).statistic
    )
    return float(statistic / (n * (k - 1)))


def _broken_bars(
    groups: Sequence[Sequence[str]], mean_ranks: FloatArray, algorithms: Sequence[str]
) -> tuple[str, ...]:
    """Warn of groups over which no bar can be drawn: it would cover an algorithm that differs."""
    by_rank = [algorithms[i] for i in np.argsort(mean_ranks, kind="stable").tolist()]
    place = {name: i for i, name in enumerate(by_rank)}
    broken = [
        group
        for group in groups
        if place[group[-1]] - place[group[0]] + 1 != len(group)  # they are in order of rank
    ]
    if not broken:
        return ()
    shown = "; ".join(", ".join(group) for group in broken[:3])
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    return (
        f"not neighbours by mean rank, so that a bar would cover an algorithm that differs: "
        f"{shown}{more}",
    )


def _critical_difference(
    method: str, correction: str, k: int, n: int, alpha: float, control: str | None
) -> float | None:
    """Return the difference of mean ranks from which on two differ, where there is one."""
    if method != "mean-ranks":
        return None
    if correction == "nemenyi":
        return float(posthoc.critical_difference(k, n, alpha))
    if correction == "bonferroni" and control is not None:
        return float(posthoc.bonferroni_dunn_critical_difference(k, n, alpha))
    return None
