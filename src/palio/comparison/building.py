"""From what a test said of the pairs to a comparison with names on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.pairs import Tested, TestResult
from palio.comparison.procedure import Procedure
from palio.comparison.results import GROUP_LIMIT, Comparison, maximal_groups
from palio.comparison.sample import (
    Estimand,
    Matching,
    PairEffects,
    Sample,
    Scores,
    pair_matrix,
    which_met,
)
from palio.errors import ParameterError
from palio.registry import unknown_name
from palio.stats import across, posthoc
from palio.stats.adjust import decision_levels
from palio.stats.rank_sets import rank_sets
from palio.types import BoolArray, IntArray


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
    effects: Callable[[Matching], PairEffects] | None = None,
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
    groups, about_groups = _groups(ranked, significant, algorithms, procedure.control)
    notes = (*notes, *about_groups)
    sets = None
    if procedure.control is None and of_scores:
        if procedure.no_rank_sets:
            notes = (*notes, f"no rank sets: {procedure.no_rank_sets}")
        else:
            sets = _rank_sets(ranked, matching.sides, algorithms)
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
            effects(matching) if effects else scores.effects(ranked.first, ranked.second, matching),
            verdicts.statistic,
            verdicts.p_value,
            adjusted,
            significant,
            verdicts.lead,
        ),
        groups=groups,
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
    sample: Sample, sides: IntArray, algorithms: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return the first and the last rank of each, by the pairs that differ."""
    pairs = sample.first, sample.second
    better = pair_matrix(sides > 0, *pairs, len(algorithms), mirrored=sides < 0)
    return dict(zip(algorithms, map(tuple, rank_sets(better).tolist()), strict=True))


def _groups(
    sample: Sample, significant: BoolArray, algorithms: Sequence[str], control: str | None
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the sets without a difference found, best mean rank first, and a note on them.

    With a control it is the one set that the control is in.
    """
    by_rank = np.argsort(sample.mean_ranks, kind="stable")
    names, order = [algorithms[i] for i in by_rank.tolist()], np.ix_(by_rank, by_rank)
    of_pairs = significant, sample.first, sample.second, len(names)
    apart = pair_matrix(*of_pairs, others=True)[order]  # those that never met are not the same
    np.fill_diagonal(apart, False)
    if control is not None:
        differ = apart[names.index(control)].tolist()
        return (tuple(name for name, far in zip(names, differ, strict=True) if not far),), ()
    groups = maximal_groups(apart, names)
    if groups is None:
        return (), (f"more than {GROUP_LIMIT} groups without a difference found: not listed",)
    return groups, _broken_bars(groups, names, pair_matrix(*of_pairs)[order])


def _agreement(omnibus: TestResult | None, ranked: Sample) -> float | None:
    """Return Kendall's W: Friedman's statistic over the largest it can be; none with gaps."""
    if omnibus is None or np.isnan(ranked.values).any():
        return None
    n, k = ranked.ranks.shape
    return float(across.friedman_from_ranks(ranked.ranks).statistic / (n * (k - 1)))


def _broken_bars(
    groups: Sequence[Sequence[str]], names: Sequence[str], differ: BoolArray
) -> tuple[str, ...]:
    """Warn of groups over which no bar can be drawn: it would cover an algorithm that differs.

    Where all were compared, whoever stands between differs from somebody in the group.
    """
    place = {name: i for i, name in enumerate(names)}
    broken = []
    for group in groups:
        within = [place[name] for name in group]  # they are in order of rank
        between = sorted(set(range(within[0], within[-1])).difference(within))
        if differ[np.ix_(within, between)].any():
            broken.append(", ".join(group))
    if not broken:
        return ()
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    return (f"the groups overlap, so a single bar cannot show them: {'; '.join(broken[:3])}{more}",)


def _critical_difference(procedure: Procedure, k: int, n: int) -> float | None:
    """Return the difference of mean ranks from which on two differ, where there is one."""
    if procedure.method != "mean-ranks":
        return None
    if procedure.correction.name == "nemenyi":
        return float(posthoc.critical_difference(k, n, procedure.alpha))
    if procedure.correction.name == "bonferroni" and procedure.control is not None:
        return float(posthoc.bonferroni_dunn_critical_difference(k, n, procedure.alpha))
    return None
