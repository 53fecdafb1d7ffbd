"""From what a test said of the pairs to a comparison with names on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.pairs import Tested, TestResult
from palio.comparison.procedure import Procedure
from palio.comparison.results import GROUP_LIMIT, Comparison, maximal_groups
from palio.comparison.sample import Estimand, Matching, Sample, Scores, pair_matrix, which_met
from palio.errors import ParameterError
from palio.registry import unknown_name
from palio.stats import across, posthoc
from palio.stats.adjust import decision_levels
from palio.stats.rank_sets import rank_sets
from palio.types import BoolArray, FloatArray, IntArray


def comparison_from(
    verdicts: PairVerdicts,
    scores: Scores,
    ranked: Sample,
    procedure: Procedure,
    omnibus: TestResult | None,
    *,
    notes: tuple[str, ...],
    of_scores: bool = True,
    estimand: Estimand | None = None,
    is_default: bool = False,
) -> Comparison:
    """Put the names on what a test said of the pairs of a sample; the ranks are the sample's.

    On the folds of one data set there is no test of all algorithms at once. What is not
    ``of_scores`` but of places in orders has no rank sets.
    """
    algorithms = scores.algorithms
    # Corrections that know which pairs hang together are for all pairs, never with a control.
    met = which_met(ranked.first, ranked.second, len(algorithms))
    adjusted = procedure.adjusted(verdicts, len(algorithms), met)
    significant = adjusted <= procedure.alpha
    matching = Matching(
        estimand,
        decision_levels(verdicts.p_value, adjusted, procedure.alpha),
        np.asarray(np.sign(verdicts.lead) * significant, dtype=np.int8),
    )
    groups = _groups(ranked, significant, algorithms, procedure.control)
    if groups is None:
        notes = (
            *notes,
            f"more than {GROUP_LIMIT} groups without a difference found: not listed",
        )
    elif procedure.control is None:
        differ = None if met is None else _matrix(ranked, significant, unmet=False)
        broken = _broken_bars(groups, ranked.mean_ranks, algorithms, differ=differ)
        notes = (*notes, *broken)
    sets = None
    if procedure.control is None and of_scores:
        sets = _rank_sets(ranked, matching.sides, algorithms, procedure)
        if sets is None:
            notes = (*notes, f"no rank sets: {procedure.no_rank_sets}")
    if omnibus is not None and omnibus.p_value > procedure.alpha:
        notes = (
            *notes,
            f"the omnibus test ({omnibus.method}) did not reject, p = {omnibus.p_value:.3g}; "
            "the pairs are shown all the same",
        )
    return Comparison(
        method=procedure.method,
        procedure=procedure,
        correction=procedure.correction.name,
        alpha=procedure.alpha,
        mean_ranks=dict(zip(algorithms, ranked.mean_ranks.tolist(), strict=True)),
        together=omnibus,
        kendall_w=_agreement(omnibus, ranked),
        tested=Tested(
            scores.effects(ranked.first, ranked.second, matching),
            verdicts.statistic,
            verdicts.p_value,
            adjusted,
            significant,
            verdicts.lead,
        ),
        groups=groups or (),
        compared=scores,
        control=procedure.control,
        critical_difference=_critical_difference(procedure, len(algorithms), len(ranked.values)),
        rank_sets=sets,
        notes=(*notes, *verdicts.notes),
        is_default=is_default,
    )


def pairs_of(algorithms: Sequence[str], control: str | None) -> tuple[IntArray, IntArray]:
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


def _rank_sets(
    sample: Sample, sides: IntArray, algorithms: Sequence[str], procedure: Procedure
) -> dict[str, tuple[int, int]] | None:
    """Return the first and the last rank of each, by the pairs that differ."""
    if procedure.no_rank_sets:
        return None
    pairs = sample.first, sample.second
    better = pair_matrix(sides > 0, *pairs, len(algorithms), mirrored=sides < 0)
    return {
        name: (low, high)
        for name, (low, high) in zip(algorithms, rank_sets(better).tolist(), strict=True)
    }


def _groups(
    sample: Sample, significant: BoolArray, algorithms: Sequence[str], control: str | None
) -> tuple[tuple[str, ...], ...] | None:
    """Return the sets without a difference found, best mean rank first; with a control, its own."""
    by_rank = np.argsort(sample.mean_ranks, kind="stable")
    names = [algorithms[i] for i in by_rank.tolist()]
    # Two that were never compared are not known to be the same, and share no group.
    different = _matrix(sample, significant, unmet=True)
    if control is not None:
        own = list(algorithms).index(control)
        return (tuple(algorithms[i] for i in by_rank.tolist() if not different[own, i]),)
    return maximal_groups(different[np.ix_(by_rank, by_rank)], names)


def _matrix(sample: Sample, significant: BoolArray, *, unmet: bool) -> BoolArray:
    """Return which two differ, (K, K); of those that were not compared what is said."""
    k = sample.values.shape[1]
    different = pair_matrix(significant, sample.first, sample.second, k, others=unmet)
    return different & ~np.eye(k, dtype=np.bool_)


def _agreement(omnibus: TestResult | None, ranked: Sample) -> float | None:
    """Return Kendall's W: Friedman's statistic over the largest it can be; none with gaps."""
    if omnibus is None or np.isnan(ranked.values).any():
        return None
    n, k = ranked.ranks.shape
    return float(across.friedman_from_ranks(ranked.ranks).statistic / (n * (k - 1)))


def _broken_bars(
    groups: Sequence[Sequence[str]],
    mean_ranks: FloatArray,
    algorithms: Sequence[str],
    *,
    differ: BoolArray | None = None,
) -> tuple[str, ...]:
    """Warn of groups over which no bar can be drawn: it would cover an algorithm that differs.

    Where all were compared, whoever stands between differs from somebody in the group; otherwise
    ``differ`` tells.
    """
    columns = np.argsort(mean_ranks, kind="stable").tolist()
    place = {algorithms[column]: i for i, column in enumerate(columns)}
    broken = []
    for group in groups:
        within = [place[name] for name in group]  # they are in order of rank
        between = set(range(within[0], within[-1])).difference(within)
        own, others = ([columns[i] for i in each] for each in (within, between))
        if between and (differ is None or differ[np.ix_(own, others)].any()):
            broken.append(group)
    if not broken:
        return ()
    shown = "; ".join(", ".join(group) for group in broken[:3])
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    return (f"the groups overlap, so a single bar cannot show them: {shown}{more}",)


def _critical_difference(procedure: Procedure, k: int, n: int) -> float | None:
    """Return the difference of mean ranks from which on two differ, where there is one."""
    if procedure.method != "mean-ranks":
        return None
    if procedure.correction.name == "nemenyi":
        return float(posthoc.critical_difference(k, n, procedure.alpha))
    if procedure.correction.name == "bonferroni" and procedure.control is not None:
        return float(posthoc.bonferroni_dunn_critical_difference(k, n, procedure.alpha))
    return None
