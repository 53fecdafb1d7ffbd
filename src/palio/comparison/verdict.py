"""The first sentences of an answer: who is best, what is the best value, how sure is that.

They are written from a result's own numbers, and every face shows the same ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.numbers import number, rank
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable

# A sentence names this many; the rest are counted.
_NAMED = 5


class Verdict(NamedTuple):
    """The answer in three sentences, and what is missing for it."""

    best: Annotated[str, "Who is best, and who cannot be told from the best."]
    value: Annotated[str | None, "The best value for its cost; null where no cost was named."]
    sure: Annotated[str, "What it rests on, and how much that can bear."]
    missing: Annotated[str | None, "What is missing, why, and what hangs on it."] = None


def some_of(names: Sequence[str], most: int = _NAMED) -> str:
    """Join names as in a sentence, the first few of many.

    >>> some_of(["a", "b"]), some_of(list("abcdefg")), some_of(list("abcd"), 2)
    ('a and b', 'a, b, c, d, e and 2 others', 'a, b and 2 others')
    """
    if len(names) <= most + 1:
        return joined(names)
    return f"{', '.join(names[:most])} and {len(names) - most} others"


def pool_of(n_algorithms: int, datasets: Sequence[str]) -> str:
    """Say among whom, and on what.

    >>> pool_of(3, ["iris"]), pool_of(3, ["iris", "wine"])
    ('3 algorithms on iris', '3 algorithms over 2 data sets')
    """
    where = f"on {datasets[0]}" if len(datasets) == 1 else f"over {len(datasets)} data sets"
    return f"{n_algorithms} algorithms {where}"


# --- the best -------------------------------------------------------------------------------------


def best_of(comparison: Comparison) -> str:
    """Say who is best, and who cannot be told from the best."""
    unbeaten = comparison.unbeaten
    if unbeaten is None:
        return _of_control(comparison)
    pool = pool_of(len(comparison.algorithms), comparison.datasets)
    if not unbeaten:
        return f"Of {pool} nobody is unbeaten: {_circle(comparison)}."
    if comparison.n_different == 0:
        return _nobody_differs(comparison, pool)
    best = str(comparison.best)
    also = "".join(f" {said}" for said in _others_first(comparison, best))
    return f"{_unbeaten(comparison, best, pool)}{also}"


def _unbeaten(comparison: Comparison, best: str, pool: str) -> str:
    hardly = comparison.hardly
    told = [name for name in comparison.unbeaten or () if name not in (best, *hardly)]
    if told or hardly:
        cannot = f"; {some_of(told)} cannot be told from the best" if told else ""
        by = _standing(comparison, best)
        return f"{best} is the best of {pool} by {by}{cannot}{_too_rarely(hardly, best)}."
    if len(comparison.standings[best].beats) == len(comparison.algorithms) - 1:
        return f"{best} is the best of {pool}: significantly better than every other."
    return (
        f"{best} is the best of {pool}: nobody is significantly better, and each of the others is "
        "significantly beaten by somebody."
    )


def _too_rarely(hardly: Mapping[str, int], best: str) -> str:
    """Say who shares so few data sets with the best that nothing could be told."""
    if not hardly:
        return ""
    verb, few = "shares" if len(hardly) == 1 else "share", "too few data sets with"
    return f"; {some_of(list(hardly), 2)} {verb} {few} {best} to tell"


def leader_of(comparison: Comparison) -> tuple[list[str], str]:
    """Return those that are ahead, significantly or not, and what they are ahead by."""
    return _level_with(comparison, str(comparison.best)), _by(comparison)


def _nobody_differs(comparison: Comparison, pool: str) -> str:
    first = str(comparison.best)
    level = _level_with(comparison, first)
    if len(level) == len(comparison.algorithms):
        return f"Nobody is best of {pool}: all have the same {_by(comparison)}."
    have = "has" if len(level) == 1 else "share"
    ahead = f"{joined(level)} {have} the best {_standing(comparison, first)}, of {pool}"
    if comparison.least_p is not None:
        return f"{ahead}, but {_too_few(comparison.least_p)}."
    rarely = _too_rarely(comparison.hardly, first)
    return f"{ahead}, but no two differ significantly: each may be the best{rarely}."


def _too_few(least: float) -> str:
    return (
        "so few data sets allow no verdict: even one better on all of them would have an adjusted "
        f"p of {number(least)}"
    )


def _level_with(comparison: Comparison, first: str) -> list[str]:
    """Return those that stand as the first does."""
    if comparison.strengths is not None:
        return [first]
    ranks, hardly = comparison.mean_ranks, comparison.hardly
    part = next(part for part in comparison.components if first in part)
    names = [name for name in part if name not in hardly]
    return [name for name in names if np.isclose(ranks[name], ranks[first], rtol=1e-12)]


def _by(comparison: Comparison) -> str:
    if comparison.strengths is not None:
        return "Bradley–Terry strength"
    if comparison.over == "datasets":
        return "mean rank"
    return f"mean {comparison.measure.name}"


def _standing(comparison: Comparison, name: str) -> str:
    """Return what an algorithm's standing is measured by, with its value."""
    if comparison.strengths is not None:
        value = number(comparison.strengths[name].strength)
    elif comparison.over == "datasets":
        value = rank(comparison.mean_ranks[name])
    else:
        value = number(comparison.mean_scores[name])
    has = int((~np.isnan(comparison.compared.column(name))).sum())
    lacks = has < len(comparison.compared.values) and comparison.over == "datasets"
    on = f" on {count(has, 'data set')}" if lacks else ""
    return f"{_by(comparison)}, {value}{on}"


def _others_first(comparison: Comparison, best: str) -> Iterator[str]:
    """Say where another has the best mean rank, or the best mean score."""
    leader = next(name for name in comparison.by_standing if name not in comparison.hardly)
    if leader != best:
        beaten_by = comparison.standings[leader].beaten_by
        verb = "is" if len(beaten_by) == 1 else "are"
        yield (
            f"{leader} has a better {_standing(comparison, leader)}, but {some_of(beaten_by)} "
            f"{verb} significantly better."
        )
    highest = comparison.by_mean_score[0]
    scores = comparison.mean_scores
    tied = np.isclose(scores[highest], scores[best], rtol=1e-12, atol=0)
    # Means over different data sets, or of different measures, are no order.
    alike = comparison.n_complete == comparison.n_datasets and not comparison.measure.is_ordinal
    if comparison.over == "datasets" and alike and highest != best and not tied:
        yield (
            f"By mean {comparison.measure.name} {highest} is first, {number(scores[highest])} "
            f"to {number(scores[best])}."
        )


def _circle(comparison: Comparison) -> str:
    """Follow who beats whom until one comes again."""
    name, seen = comparison.by_standing[0], list[str]()
    while name not in seen:
        seen.append(name)
        name = comparison.standings[name].beaten_by[0]
    circle = [name, *reversed(seen[seen.index(name) :])]
    steps = [f"{a} is significantly better than {b}" for a, b in itertools.pairwise(circle)]
    return joined(steps)


def _of_control(comparison: Comparison) -> str:
    control = str(comparison.control)
    standing, hardly = comparison.standings[control], comparison.hardly
    said = (
        ("significantly better than {}", standing.beats),
        ("significantly worse than {}", standing.beaten_by),
        ("not told from {}", [name for name in standing.level_with if name not in hardly]),
    )
    pool = pool_of(len(comparison.algorithms), comparison.datasets)
    found = "; ".join(text.format(some_of(names)) for text, names in said if names)
    few = "" if comparison.least_p is None else f", as {_too_few(comparison.least_p)}"
    rarely = _too_rarely(hardly, "it")
    return f"The control {control}, of {pool}, is {found or 'compared with no other'}{few}{rarely}."


def headline_of(comparison: Comparison | None, best: str, table: ScoreTable) -> str:
    """Say in few words who is best, or that nobody can be told from another."""
    pool = pool_of(table.n_algorithms, table.datasets)
    if comparison is not None and comparison.over == "items":
        # Of some of the algorithms there may be no items.
        pool = pool_of(len(comparison.algorithms), comparison.datasets)
    if comparison is None:
        return f"{best} has the best {table.measure.name} of {pool}"
    if comparison.least_p is not None:
        return f"No verdict is possible on so few data sets: {pool}"
    if comparison.n_different == 0:
        return f"No two of {pool} differ significantly"
    if not comparison.unbeaten:
        return f"Nobody is unbeaten of {pool}"
    return f"{best} is the best of {pool}"


# --- what would be drawn anew ---------------------------------------------------------------------


class Reading(NamedTuple):
    """What another reading of the same scores says: the unbeaten, the best first.

    ``too_few`` is how many data sets there are, where these cannot tell any two apart.
    """

    over: str
    unbeaten: tuple[str, ...]
    too_few: int = 0


def read_both_ways(comparison: Comparison, best: str) -> str:
    """Say of item scores what would be drawn anew, and what the other reading says, if another."""
    if comparison.over != "items" and comparison.reading is None:
        return best
    n = comparison.n_datasets
    other = _other_reading(comparison, comparison.reading)
    return f"{drawn_first(comparison.over, n)}{best}{f' {other}' if other else ''}"


def drawn_first(over: str | None, n_datasets: int) -> str:
    """Open a sentence with what would be drawn anew, where that was asked.

    >>> drawn_first("items", 1), drawn_first(None, 1)
    ('This task, other items: ', '')
    """
    if over is None:
        return ""
    drawn = drawn_anew(over, n_datasets)
    return f"{drawn[0].upper()}{drawn[1:]}: "


def drawn_anew(over: str, n_datasets: int) -> str:
    """Say what would be drawn anew.

    >>> drawn_anew("items", 18), drawn_anew("datasets", 18)
    ('these tasks, other items', 'other tasks like these')
    """
    if over == "datasets":
        return "other tasks like these"
    return f"{'this task' if n_datasets == 1 else 'these tasks'}, other items"


def _other_reading(comparison: Comparison, other: Reading | None) -> str:
    """Say who is unbeaten in the other reading, where these are others."""
    unbeaten = comparison.unbeaten
    if other is None or unbeaten is None:
        return ""
    same = set(other.unbeaten) == set(unbeaten)
    if same and other.unbeaten[:1] == unbeaten[:1]:
        return ""
    drawn = drawn_anew(other.over, comparison.n_datasets)
    if other.too_few:
        return f"For {drawn}, {other.too_few} data sets are too few to tell any two apart."
    if same:
        return f"For {drawn}, the same are unbeaten, but {other.unbeaten[0]} is first."
    verb = "is" if len(other.unbeaten) == 1 else "are"
    return f"For {drawn}, {some_of(other.unbeaten) or 'nobody'} {verb} unbeaten."


# --- how sure -------------------------------------------------------------------------------------


def sureness_of(comparison: Comparison) -> str:
    """Say what the verdict rests on: how many pairs differ, by which test, on how much."""
    n = comparison.n_different
    verb = "differs" if n == 1 else "differ"
    pairs = f"{n} of {count(comparison.n_pairs, 'pair')} {verb}"
    on, by = comparison.rests_on, comparison.measure
    return f"{pairs} significantly on {on} by {by}: {comparison.procedure}."
