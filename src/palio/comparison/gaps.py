"""What is missing in a comparison, of whom and why, and what depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.claims import Missing
from palio.comparison.sample import pair_matrix, shared, which_unbeaten
from palio.scores.lacking import Lacking, lacking_in
from palio.stats.additive import adjusted_mean_ranks
from palio.stats.ranks import ranks_of_present
from palio.words import count, joined, some_of

if TYPE_CHECKING:
    from palio.comparison.procedure import Procedure
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray

# So many verdicts that would change are told one by one.
_TOLD = 3


class Change(NamedTuple):
    """A pair of which another thing would be said."""

    a: str
    b: str
    better: Annotated[str | None, "Who is significantly better as it is."]
    then: Annotated[str | None, "Who would be."]


@dataclass(frozen=True)
class MissingSummary(Lacking):
    """Scores that are missing, and what depends on them."""

    shared: Annotated[
        tuple[int, int] | None, "The fewest and most data sets that a pair shares, if any."
    ]
    apart: Annotated[int, "How many pairs share no data set, and are not compared."]
    complete: Annotated[int | None, "Where only data sets count that all have: how many these are."]
    changes: Annotated[
        tuple[Change, ...],
        "The pairs whose verdict would change if failures counted as the worst score there.",
    ]
    unbeaten: Annotated[
        tuple[str, ...] | None, "Who would be unbeaten then; null where nothing would change."
    ]
    leader_then: Annotated[str | None, "Who would lead then; null where nothing failed."]
    not_comparable: Annotated[
        Mapping[str, int],
        "Those that no result could tell from the leader (or the control), as they share so few "
        "data sets with it.",
    ]


def missing_of(
    table: ScoreTable, comparison: Comparison, procedure: Procedure | None
) -> MissingSummary | None:
    """Say what is missing of a table, and which verdicts depend on it; nothing if nothing is."""
    lacking = lacking_in(table)
    if lacking is None:
        return None
    empty = np.isnan(table.means())
    first, second = np.triu_indices(table.n_algorithms, 1)
    on = shared(table.means(), first, second)
    changes, unbeaten, leader = _if_failures_were_worst(
        table, comparison, procedure, table.failed() & empty
    )
    return MissingSummary(
        **vars(lacking),
        shared=_range_of(on[on > 0]) if empty.any() else None,
        apart=int((on == 0).sum()),
        complete=comparison.n_complete if procedure is not None and procedure.pooled else None,
        changes=changes,
        unbeaten=unbeaten,
        leader_then=leader,
        not_comparable=_not_comparable(comparison, procedure) if empty.any() else {},
    )


def _range_of(n_shared: IntArray) -> tuple[int, int]:
    return (int(n_shared.min()), int(n_shared.max())) if n_shared.size else (0, 0)


# --- if failures counted as worst -----------------------------------------------------------------


def _if_failures_were_worst(
    table: ScoreTable, comparison: Comparison, procedure: Procedure | None, failed: BoolArray
) -> tuple[tuple[Change, ...], tuple[str, ...] | None, str | None]:
    """Return the pairs of which another thing would be said, who would be unbeaten, and lead."""
    if procedure is None or not failed.any():
        return (), None, None
    tested, names = comparison.tested, comparison.algorithms
    first, second = tested.first, tested.second
    with_worst = failures_as_worst(table.goodness(), failed)
    found = procedure.of_pairs(with_worst, first, second)
    then = procedure.judged(found, len(names), comparison.met)
    changes = tuple(
        Change(names[i], names[j], _better(names, i, j, now), _better(names, i, j, side))
        for i, j, now, side in zip(
            *(each[then != tested.sides].tolist() for each in (first, second, tested.sides, then)),
            strict=True,
        )
    )
    if comparison.unbeaten is None:
        return changes, None, None
    ranks = adjusted_mean_ranks(*ranks_of_present(-with_worst))
    unbeaten = tuple(names[i] for i in which_unbeaten(then, first, second, ranks))
    return changes, unbeaten if changes else None, next(iter(unbeaten), None)


def _better(names: Sequence[str], i: int, j: int, side: float) -> str | None:
    return None if side == 0 else names[i if side > 0 else j]


def failures_as_worst(goodness: FloatArray, failed: BoolArray) -> FloatArray:
    """Give what failed the worst score that anybody has on the data set.

    >>> values = np.array([[0.9, np.nan, np.nan], [0.8, 0.7, 0.6]])
    >>> failures_as_worst(values, np.array([[False, True, False], [False] * 3])).tolist()
    [[0.9, 0.9, nan], [0.8, 0.7, 0.6]]
    """
    worst = np.fmin.reduce(goodness, axis=1, keepdims=True)
    return np.where(failed, worst, goodness)


# --- who was hardly compared ----------------------------------------------------------------------


def _not_comparable(comparison: Comparison, procedure: Procedure | None) -> dict[str, int]:
    """Return who shares too few data sets with the best, or the control, to be told from it."""
    if procedure is None or procedure.pooled:
        return {}
    tested, names = comparison.tested, comparison.algorithms
    first, second = tested.first, tested.second
    on = shared(comparison.compared.values, first, second)
    enough = procedure.enough(tested.p_value, len(names), comparison.met, most=int(on.max()))
    if enough is None:
        return {}
    with_others = pair_matrix(on, first, second, len(names))
    most = dict(zip(names, with_others.max(axis=1).tolist(), strict=True))
    level = comparison.unbeaten
    if level is None:
        best: str | None = str(comparison.control)
        level = comparison.standings[str(best)].level_with
    else:
        best = next((name for name in level if most[name] >= enough), None)
    if best is None:
        return {}
    with_best = dict(zip(names, with_others[names.index(best)].tolist(), strict=True))
    return {name: with_best[name] for name in level if name != best and with_best[name] < enough}


# --- as a claim -----------------------------------------------------------------------------------


def missing_claim(missing: MissingSummary | None, leader: str | None) -> Missing | None:
    """Claim what is missing, why, and what depends on it."""
    if missing is None:
        return None
    details = missing.described(besides=_what_depends_on_it(missing, leader))
    other = None if missing.leader_then == leader else missing.leader_then
    left_out = tuple(each.algorithm for each in missing.left_out)
    unended = sum(missing.unended.values())
    return Missing(missing.cells, missing.of, missing.failed, other, details, left_out, unended)


def _what_depends_on_it(missing: MissingSummary, leader: str | None) -> list[str]:
    sentences = []
    if missing.complete is not None and missing.imputed < missing.cells:
        sentences.append(f"Only the {missing.complete} data sets count where all have one.")
    elif missing.shared is not None and missing.imputed < missing.cells:
        low, high = missing.shared
        on = f"{low} of them" if low == high else f"{low} to {high} of them"
        if missing.apart:
            none = count(missing.apart, "pair shares", "pairs share")
            on = f"up to {high} of them; {none} none"
        sentences.append(f"Each pair rests on the data sets that both have, {on}.")
    if missing.failed and not missing.imputed:
        then = missing.leader_then
        leads = f"; {then} would {'still ' * (then == leader)}lead" if then else ""
        sentences.append(f"If failures counted as worst, {_if_worst(missing)}{leads}.")
    return sentences


def _if_worst(missing: MissingSummary) -> str:
    changes, then = missing.changes, missing.unbeaten
    if not changes:
        return "no verdict would change"
    if len(changes) <= _TOLD:
        said = joined([_otherwise(change) for change in changes])
    else:
        said = f"{len(changes)} verdicts would change"
    if then is None:
        return said
    return f"{said}; unbeaten would be {some_of(then) if then else 'nobody'}"


def _otherwise(change: Change) -> str:
    ahead = change.then or change.better
    other = change.a if ahead == change.b else change.b
    would = "would" if change.then else "would not"
    return f"{ahead} {would} be significantly better than {other}"
