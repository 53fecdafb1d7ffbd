"""What a comparison says, as claims: who leads, who is unbeaten, how sure, on what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from palio import claims
from palio.claims import Answer, Claim, Leader, Sureness
from palio.comparison.sample import shared
from palio.errors import InputError
from palio.numbers import number
from palio.words import Worded, count

if TYPE_CHECKING:
    from palio.comparison.audit.report import Otherwise
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable
    from palio.scores.items import ReadOver


def default_claims(table: ScoreTable, over: ReadOver | None = None) -> Answer:
    """Return what the default comparison of a table claims, or who is first where there is none."""
    from palio.comparison.over_datasets import compare

    try:
        return compare(table, over=over).claims
    except InputError:
        return untested(table)


def untested(table: ScoreTable) -> Answer:
    """Claim who has the best score where no test can say more, and why none can."""
    first, *others = table.by_mean_score()
    means = table.mean_scores()
    shares = [name for name in others if math.isclose(means[name], means[first], rel_tol=1e-12)]
    reason = "one value per algorithm cannot be tested"
    there = None if table.items is None else table.items.answered().astype(np.float64)
    if there is not None and (np.triu(there.T @ there, 1) < 2).all():
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
        means[first],
        (first, *shares),
        any_differ=False,
        dataset=table.datasets[0] if table.n_datasets == 1 else None,
    )
    unbeaten = claims.Unbeaten((first, *others), tuple(others), any_differ=False, beats_all=False)
    return Answer((leader, unbeaten, Sureness("open", reason)))


def claims_of(comparison: Comparison) -> Iterator[Claim]:
    """Give what a comparison claims.

    The leader and how sure that is are those of the default comparison of the table, whatever test
    was asked for; the rest is of the comparison itself.
    """
    default = comparison.default
    yield leader_of(default)
    if comparison.control is not None:
        yield _against_control(comparison)
    elif comparison is not default:
        yield claims.First(
            comparison.leading,
            str(comparison.procedure),
            leader_of(comparison).pool,
            comparison.n_different > 0,
        )
    if comparison.least_p is not None:
        tested, values = comparison.tested, comparison.compared.values
        most = int(shared(values, tested.first, tested.second).max())
        yield claims.TooFew(most, comparison.least_p)
    if comparison.control is None:
        yield _unbeaten(comparison)
    if comparison.not_comparable:
        against = comparison.control or str(comparison.leading)
        yield claims.NotComparable(tuple(comparison.not_comparable), against)
    yield from comparison.warnings
    yield default.sureness_claim
    yield claims.Evidence(
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
        0 if first is None else len(comparison.not_comparable),
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


def _unbeaten(comparison: Comparison) -> claims.Unbeaten:
    names, leading = comparison.unbeaten or (), comparison.leading
    others = tuple(
        name for name in names if name != leading and name not in comparison.not_comparable
    )
    beats = 0 if leading is None else len(comparison.standings[leading].beats)
    beats_all = beats == len(comparison.algorithms) - 1
    return claims.Unbeaten(names, others, comparison.n_different > 0, beats_all)


def _against_control(comparison: Comparison) -> claims.Against:
    control = str(comparison.control)
    standing = comparison.standings[control]
    undecided = [name for name in standing.level_with if name not in comparison.not_comparable]
    dataset = comparison.datasets[0] if comparison.n_datasets == 1 else None
    pool = claims.pool_of(len(comparison.algorithms), comparison.n_datasets, dataset)
    return claims.Against(control, standing.beats, standing.beaten_by, tuple(undecided), pool)


def _what_else(comparison: Comparison) -> Iterator[Claim]:
    """Say where the first by another count is not the leader, and what another reading says."""
    leading = comparison.leading
    if leading is None:
        yield claims.Circle(_circle(comparison))
    elif comparison.n_different or comparison.measure.scale == "ratio":
        yield from _others_first(comparison, leading)
    if (other := comparison.reading) is not None and comparison.unbeaten is not None:
        same = set(other.unbeaten) == set(comparison.unbeaten)
        if not same or other.unbeaten[:1] != comparison.unbeaten[:1]:
            yield replace(other, same=same)


def other_reading(comparison: Comparison) -> claims.OtherReading | None:
    """Say who is unbeaten over items where data sets were compared, or the other way round."""
    from palio.comparison.over_datasets import compare

    table, procedure = comparison.compared.table, comparison.procedure
    if table is None or table.items is None or procedure.control or comparison.dataset:
        return None
    over: ReadOver = "datasets" if comparison.over == "items" else "items"
    of_test = procedure.bayesian or procedure.correction.test is not None
    correction = "holm" if of_test else comparison.correction
    try:
        found = compare(table, over=over, correction=correction, alpha=comparison.alpha)
    except InputError:
        return None
    # Nothing is known of one that shares too little with everybody.
    known = tuple(name for name in found.unbeaten or () if any(found.standings[name]))
    too_few = 0 if found.least_p is None else found.n_datasets
    return claims.OtherReading(over, table.n_datasets, known, too_few)


def _others_first(comparison: Comparison, leading: str) -> Iterator[Claim]:
    apart = comparison.not_comparable
    first = next(name for name in comparison.by_standing if name not in apart)
    if first != leading:
        yield claims.Elsewhere(
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
        yield claims.FirstByMean(
            highest, comparison.mean_of, means[highest], leading, means[leading]
        )


def _circle(comparison: Comparison) -> tuple[str, ...]:
    """Follow who beats whom until one comes again."""
    name, seen = comparison.by_standing[0], list[str]()
    while name not in seen:
        seen.append(name)
        name = comparison.standings[name].beaten_by[0]
    return (name, *reversed(seen[seen.index(name) :]))


# --- how sure -------------------------------------------------------------------------------------

CHECKS = ("leave-one-out", "conventions", "missing")
"""The checks of an audit that count."""


def sureness_of(comparison: Comparison) -> Sureness:
    """Return how sure it is who leads by a comparison of all pairs: one of four levels.

    Decided in this order.

    - **open**: no pair differs, or none could.
    - **firm**: one algorithm is unbeaten, and the same one alone in every check.
    - **shared**: several are unbeaten; in every check the leader stays unbeaten and somebody is
      beaten.
    - **fragile**: everything else, also where there are too few data sets to check, and where
      everybody is beaten.

    The checks that count are those of an audit that ask the same question again: without any one
    data set, by the other conventions that we recommend, and with failures as worst. *Firm* is
    about a name, never about a set: at the edge of the unbeaten some change comes with nearly every
    check.
    """
    if comparison.least_p is not None:
        return Sureness("open", f"no adjusted p can be below {number(comparison.least_p)}")
    if comparison.n_different == 0:
        return Sureness("open", "no difference was found between any two")
    if not comparison.unbeaten:
        return Sureness("fragile", "everybody is beaten by somebody")
    if comparison.over == "folds":
        return Sureness("fragile", "one data set cannot be checked against others")
    from palio.comparison.audit import checks_that_count

    return _judged(comparison, *checks_that_count(comparison))


def _judged(comparison: Comparison, ways: Sequence[Otherwise], too_few: bool) -> Sureness:
    """Compare who is unbeaten, asked in other ways, with who is.

    ``too_few`` says that without one data set no pair could differ, whatever the scores.
    """
    unbeaten, leader = frozenset(comparison.unbeaten or ()), comparison.leading
    n, everyone = len(ways), frozenset(comparison.algorithms)
    idle = [way.how for way in ways if not way.beaten]
    if not ways or (idle and too_few):
        what = count(comparison.n_datasets, "data set")
        return Sureness("fragile", f"{what} are too few to check", n)
    lost = [way.how for way in ways if leader in way.beaten]
    changed = [way.how for way in ways if everyone - way.beaten != unbeaten]
    if lost or idle:
        who = f"{leader} would be beaten" if lost else "nobody would be beaten"
        return Sureness("fragile", f"{first_and_count(lost or idle)} {who}", n)
    if len(unbeaten) > 1:
        edge = f", but who else is unbeaten changes in {len(changed)}" if changed else ""
        return Sureness("shared", f"{leader} stays unbeaten in {_all(n)}{edge}", n)
    if changed:
        return Sureness("fragile", f"{first_and_count(changed)} {leader} would not be alone", n)
    return Sureness("firm", f"{leader} stays alone in {_all(n)}", n)


def _all(n: int) -> str:
    return {1: "the one check", 2: "both checks"}.get(n, f"all {n} checks")


def first_and_count(ways: Sequence[str]) -> str:
    """Name the first way to ask in which it is otherwise, and count the others."""
    more = f", as in {count(len(ways) - 1, 'other check')}," if len(ways) > 1 else ""
    return f"{ways[0]}{more}"
