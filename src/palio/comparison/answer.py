"""What a comparison says, as claims: who leads, who is unbeaten, how sure, on what."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from palio.claims import (
    Against,
    Answer,
    Circle,
    Claim,
    Elsewhere,
    Evidence,
    First,
    FirstByMean,
    Leader,
    NotComparable,
    OtherReading,
    Sureness,
    TooFew,
    Unbeaten,
    pool_of,
)
from palio.errors import InputError
from palio.words import Worded

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.scores import ItemScores, ScoreTable
    from palio.scores.over import ReadOver


def claims_of(comparison: Comparison) -> Answer:
    """Return what a comparison claims.

    The leader and how sure that is are those of the default comparison of the table, whatever test
    was asked for; the rest is of the comparison itself.
    """
    return Answer(_claims(comparison))


def default_claims(table: ScoreTable, over: ReadOver | None = None) -> Answer:
    """Return what the default comparison of a table claims, or who is first where there is none."""
    from palio.comparison.over_datasets import compare

    try:
        return compare(table, over=over).claims
    except InputError:
        return untested(table)


def untested(table: ScoreTable) -> Answer:
    """Claim who has the best score where no test can say more, and why none can."""
    first = table.by_mean_score()[0]
    reason = "one value per algorithm cannot be tested"
    if table.items is not None and _share_no_items(table.items):
        reason = Worded(
            "no two have answered the same items; palio compare --unpaired (unpaired=True) "
            "compares their means",
            page="no two have answered the same items",
        )
    leader = Leader(
        first,
        1,
        table.n_datasets,
        table.n_algorithms,
        table.measure.name,
        table.mean_scores()[first],
        (first,),
        any_differ=False,
        dataset=table.datasets[0] if table.n_datasets == 1 else None,
    )
    others = tuple(name for name in table.by_mean_score() if name != first)
    unbeaten = Unbeaten((first, *others), others, any_differ=False, beats_all=False)
    return Answer((leader, unbeaten, Sureness("open", reason)))


def _share_no_items(items: ItemScores) -> bool:
    """Say whether no two algorithms share two items."""
    there = items.answered().astype(np.float64)
    return bool((np.triu(there.T @ there, 1) < 2).all())


def _claims(comparison: Comparison) -> Iterator[Claim]:
    default = comparison.default
    yield leader_of(default)
    if comparison.control is not None:
        yield _against_control(comparison)
    elif comparison is not default:
        yield First(
            comparison.leading,
            str(comparison.procedure),
            leader_of(comparison).pool,
            comparison.n_different > 0,
        )
    if comparison.least_p is not None:
        yield TooFew(_most_shared(comparison), comparison.least_p)
    if comparison.control is None:
        yield _unbeaten(comparison)
    if comparison.not_comparable:
        against = comparison.control or str(comparison.leading)
        yield NotComparable(tuple(comparison.not_comparable), against)
    yield from comparison.warnings
    yield default.sureness_claim
    yield Evidence(
        comparison.n_different,
        comparison.n_pairs,
        comparison.rests_on,
        str(comparison.measure),
        str(comparison.procedure),
    )
    if comparison.control is None:
        yield from _what_else(comparison)
    if (missing := comparison.missing_claim) is not None:
        yield missing


def leader_of(comparison: Comparison) -> Leader:
    """Return who leads, by the comparison itself."""
    first = comparison.leading
    shares = () if first is None else tuple(_level_with(comparison, first))
    seen = comparison.n_datasets if first is None else comparison.n_seen(first)
    reread = comparison.over == "items" or comparison.reading is not None
    return Leader(
        first,
        seen,
        comparison.n_datasets,
        len(comparison.algorithms),
        comparison.stands_by,
        math.nan if first is None else comparison.standing_of(first),
        shares,
        comparison.n_different > 0,
        comparison.datasets[0] if comparison.n_datasets == 1 else None,
        comparison.over if reread else None,
    )


def _level_with(comparison: Comparison, first: str) -> list[str]:
    """Return those that stand as the first does."""
    part = next(part for part in comparison.components if first in part)
    own = comparison.standing_of(first)
    return [
        name
        for name in part
        if name not in comparison.not_comparable
        and math.isclose(comparison.standing_of(name), own, rel_tol=1e-12)
    ]


def _most_shared(comparison: Comparison) -> int:
    there = ~np.isnan(comparison.compared.values)
    first, second = comparison.tested.first, comparison.tested.second
    return int((there[:, first] & there[:, second]).sum(axis=0).max())


def _unbeaten(comparison: Comparison) -> Unbeaten:
    names, leading = comparison.unbeaten or (), comparison.leading
    others = tuple(
        name for name in names if name != leading and name not in comparison.not_comparable
    )
    beats = 0 if leading is None else len(comparison.standings[leading].beats)
    return Unbeaten(
        names,
        others,
        comparison.n_different > 0,
        beats == len(comparison.algorithms) - 1,
    )


def _against_control(comparison: Comparison) -> Against:
    control = str(comparison.control)
    standing = comparison.standings[control]
    undecided = [name for name in standing.level_with if name not in comparison.not_comparable]
    dataset = comparison.datasets[0] if comparison.n_datasets == 1 else None
    pool = pool_of(len(comparison.algorithms), comparison.n_datasets, dataset)
    return Against(control, standing.beats, standing.beaten_by, tuple(undecided), pool)


def _what_else(comparison: Comparison) -> Iterator[Claim]:
    """Say where the first by another count is not the leader, and what another reading says."""
    leading = comparison.leading
    if leading is None:
        yield Circle(_circle(comparison))
    elif comparison.n_different or comparison.measure.scale == "ratio":
        yield from _others_first(comparison, leading)
    if (other := comparison.reading) is not None and comparison.unbeaten is not None:
        same = set(other.unbeaten) == set(comparison.unbeaten)
        if not same or other.unbeaten[:1] != comparison.unbeaten[:1]:
            yield OtherReading(
                other.over, comparison.n_datasets, other.unbeaten, other.too_few, same
            )


def _others_first(comparison: Comparison, leading: str) -> Iterator[Claim]:
    apart = comparison.not_comparable
    first = next(name for name in comparison.by_standing if name not in apart)
    if first != leading:
        yield Elsewhere(
            first,
            comparison.stands_by,
            comparison.standing_of(first),
            comparison.standings[first].beaten_by,
        )
    highest = next(name for name in comparison.by_mean_score if name not in apart)
    means = comparison.mean_scores
    tied = math.isclose(means[highest], means[leading], rel_tol=1e-12)
    sizes = not comparison.measure.is_ordinal and comparison.over == "datasets"
    if sizes and highest != leading and not tied and len(comparison.components) == 1:
        yield FirstByMean(highest, comparison.mean_of, means[highest], leading, means[leading])


def _circle(comparison: Comparison) -> tuple[str, ...]:
    """Follow who beats whom until one comes again."""
    name, seen = comparison.by_standing[0], list[str]()
    while name not in seen:
        seen.append(name)
        name = comparison.standings[name].beaten_by[0]
    return (name, *reversed(seen[seen.index(name) :]))
