"""What is asked of a method that ranks algorithms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palio.errors import InputError
from palio.measures import Measure
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.testing.pairs import broken
from palio.types import FloatArray

Method = Callable[[ScoreTable], Any]


@dataclass(frozen=True)
class Case:
    """Scores in per cent (data sets, algorithms, 5, 2) and costs (data sets, algorithms)."""

    scores: FloatArray
    costs: FloatArray
    names: tuple[str, ...] = tuple("abcde")
    higher_is_better: bool = True

    @classmethod
    def drawn(cls, seed: int, spread: float = 3.0, decimals: int = 1, n: int = 8) -> Case:
        """Draw one of five algorithms: how far apart they are, how finely written, how many."""
        rng = np.random.default_rng(seed)
        scores = rng.normal(60, 1, (n, 5, 5, 2)) + spread * rng.normal(size=(n, 5, 1, 1))
        costs = 1 + rng.random((n, 5)) + np.arange(5)[rng.permutation(5)]
        return cls(np.clip(scores, 1, 99).round(decimals), costs)

    def table(self) -> ScoreTable:
        """Return it as a table; the measure has no range, so that only numbers are looked at."""
        return ScoreTable.from_arrays(
            self.scores,
            datasets=[f"d{i}" for i in range(len(self.scores))],
            algorithms=self.names,
            measure=Measure("quality", self.higher_is_better),
            costs={"time": self.costs},
        )

    def ranks(self, method: Method) -> dict[str, float]:
        """Return the rank that a method gives each."""
        return ranks_of(method(self.table()))


def ranks_of(found: Any) -> dict[str, float]:
    """Return the ranks in what a method returned: a result, ranks by name, or names best first."""
    ranks = getattr(found, "ranks", found)
    if isinstance(ranks, Mapping):
        return {str(name): float(rank) for name, rank in ranks.items()}
    if isinstance(ranks, Sequence) and all(isinstance(name, str) for name in ranks):
        return {name: float(place) for place, name in enumerate(ranks, start=1)}
    raise AssertionError(
        f"a ranking is ranks by name, or names with the best first, and {found!r} is neither"
    )


# --- what may be promised -------------------------------------------------------------------------


def reorder(method: Method, case: Case) -> bool:
    """Whether the order of data sets and algorithms does not matter."""
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(case.scores)), rng.permutation(len(case.names))
    shuffled = Case(
        case.scores[rows][:, columns],
        case.costs[rows][:, columns],
        tuple(case.names[j] for j in columns.tolist()),
    )
    return case.ranks(method) == shuffled.ranks(method)


def negation(method: Method, case: Case) -> bool:
    """Whether negating the scores with the direction flipped changes nothing."""
    negated = replace(case, scores=-case.scores, higher_is_better=False)
    try:
        return case.ranks(method) == negated.ranks(method)
    except InputError:  # to refuse them is not to promise it
        return False


def scale(method: Method, case: Case) -> bool:
    """Whether fractions for per cent, and minutes for seconds, change nothing."""
    scaled = replace(case, scores=case.scores / 100, costs=case.costs / 60)
    return case.ranks(method) == scaled.ranks(method)


def monotone(method: Method, case: Case) -> bool:
    """Whether a growing function of the scores of data sets changes nothing."""
    means = case.scores.mean(axis=(-2, -1), keepdims=True)
    return monotone_on_folds(
        method, replace(case, scores=np.broadcast_to(means, case.scores.shape))
    )


def monotone_on_folds(method: Method, case: Case) -> bool:
    """Whether a growing function of the scores of folds changes nothing."""
    curved = replace(case, scores=100 * (case.scores / 100) ** 4)
    return case.ranks(method) == curved.ranks(method)


def identical(method: Method, case: Case) -> bool:
    """Whether an algorithm and its copy share a rank."""
    scores, costs = case.scores.copy(), case.costs.copy()
    scores[:, -1], costs[:, -1] = scores[:, 0], costs[:, 0]
    ranks = replace(case, scores=scores, costs=costs).ranks(method)
    return ranks[case.names[0]] == ranks[case.names[-1]]


def dominated(method: Method, case: Case) -> bool:
    """Whether one that is no better on any fold, and no cheaper, never ranks above."""
    scores, costs = case.scores.copy(), case.costs.copy()
    scores[:, -1] = np.minimum(scores[:, -1], scores[:, 0])
    costs[:, -1] = np.maximum(costs[:, -1], costs[:, 0])
    ranks = replace(case, scores=scores, costs=costs).ranks(method)
    return ranks[case.names[0]] <= ranks[case.names[-1]]


def copy(method: Method, case: Case) -> bool:
    """Whether a copy of an algorithm does not reorder the others."""
    more = Case(
        np.concatenate([case.scores, case.scores[:, :1]], axis=1),
        np.concatenate([case.costs, case.costs[:, :1]], axis=1),
        (*case.names, "copy"),
    )
    before, after = case.ranks(method), more.ranks(method)
    others = case.names[1:]
    return all(
        np.sign(before[a] - before[b]) == np.sign(after[a] - after[b])
        for a in others
        for b in others
    )


PROPERTIES: dict[str, Callable[[Method, Case], bool]] = {
    "reorder": reorder,
    "negation": negation,
    "scale": scale,
    "monotone": monotone,
    "identical": identical,
    "dominated": dominated,
    "copy": copy,
}
"""What a ranking method may promise, under the names that its entry has."""


# --- the check ------------------------------------------------------------------------------------


def check_ranking_method(
    method: Method,
    properties: Collection[str] = ("reorder", "negation", "identical", "dominated"),
    *,
    n_tables: int = 20,
    seed: int = 0,
) -> None:
    """Check that a ranking method keeps its promises.

    Parameters
    ----------
    method : callable
        From a `ScoreTable` to what `palio.rank` returns, to ranks by name (1 is best, ties share
        one) or to names with the best first. The tables have folds, and a cost ``time``.
    properties : collection of str
        What it promises: ``reorder`` (the order of data sets and algorithms does not matter),
        ``negation`` (negating the scores with the direction flipped changes nothing), ``scale``
        (nor does multiplying scores and costs), ``monotone`` (nor does a growing function of the
        scores), ``identical`` (an algorithm and its copy share a rank), ``dominated`` (one that is
        no better on any fold, and no cheaper, never ranks above), ``copy`` (a copy of an
        algorithm does not reorder the others).
    n_tables : int
        On how many tables the promises are tried.
    seed : int
        Of the first of them.

    Raises
    ------
    AssertionError
        With the promise that is broken, and the table that breaks it.

    Examples
    --------
    >>> import palio
    >>> check_ranking_method(palio.rank, ["reorder", "monotone", "identical", "dominated"])

    Mean ranks look at all algorithms at once, so that a copy of one may turn others round:

    >>> check_ranking_method(palio.rank, ["copy"])
    Traceback (most recent call last):
    ...
    AssertionError: 'copy' is not kept. Asked was whether a copy of an algorithm does not ...
    """
    for name in properties:
        if name not in PROPERTIES:
            raise unknown_name("property", name, PROPERTIES)
        for i in range(n_tables):
            case = Case.drawn(seed + i, spread=(0.0, 1.0, 5.0)[i % 3], decimals=(1, 0, -1)[i % 3])
            if not PROPERTIES[name](method, case):
                means = f"the mean scores\n{case.table().means()!r}"
                raise AssertionError(broken(name, PROPERTIES[name], means))
