"""Which mean-ranks verdicts hang on the pool: on who else is compared (benavoli2016).

A rank within a pool is one plus the number of its members that are better, so the mean ranks of
every pool follow from the matrix of pairwise losses, and no pool is ranked anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.app.web.answers import encode
from palio.app.web.desk import table_of
from palio.app.web.sources import Asked
from palio.comparison.audit.pools import loss_matrix
from palio.errors import MissingCellsError, ParameterError
from palio.stats.posthoc import critical_difference

if TYPE_CHECKING:
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray

__all__ = ["Pools", "pools"]


@dataclass(frozen=True, eq=False)
class Pools:
    """Nemenyi's verdicts on the pairs of any pool of algorithms.

    Examples
    --------
    a is always the best; c comes between a and b, and widens the gap of their mean ranks.

    >>> goodness = np.tile([3.0, 1.0, 2.0], (6, 1))
    >>> pools = Pools(loss_matrix(goodness), n_datasets=6, alpha=0.05)
    >>> pools.different(np.array([0, 1])).tolist(), pools.different(np.array([0, 1, 2]))[0].tolist()
    ([[False, True], [True, False]], [False, True, False])
    """

    losses: FloatArray
    n_datasets: int
    alpha: float

    def different(self, pool: Any) -> BoolArray:
        """Return a matrix of who differs from whom among the algorithms of a pool."""
        inside = self.losses[np.ix_(pool, pool)]
        ranks = inside.sum(axis=1)
        gaps = np.abs(ranks[:, np.newaxis] - ranks)
        limit = critical_difference(len(pool), self.n_datasets, self.alpha)
        found: BoolArray = gaps >= limit * (1 - 1e-12)
        return found


def pools(asked: Asked) -> bytes:
    """Return who differs by mean ranks in this pool, and what one algorithm changes."""
    question = asked.question
    table = table_of(asked.source)
    if question.score not in (None, table.measure.name):
        table = table.with_score(question.score, question.higher_is_better)
    if question.datasets is not None:
        table = table.select(question.datasets)
    names = list(table.algorithms)
    goodness, n = _goodness(table)
    judge = Pools(loss_matrix(goodness), n, question.alpha)
    inside = [names.index(name) for name in question.algorithms or names]
    verdicts = _different(judge, inside)
    steps: list[dict[str, Any]] = []
    for one in range(len(names)):
        pool = [i for i in inside if i != one] if one in inside else [*inside, one]
        if len(pool) < 2:
            continue
        then = _different(judge, pool)
        both = [i for i in inside if i in pool]
        flips = [
            [names[a], names[b], (a, b) in then]
            for place, a in enumerate(sorted(both))
            for b in sorted(both)[place + 1 :]
            if ((a, b) in then) != ((a, b) in verdicts)
        ]
        if flips:
            steps.append({"algorithm": names[one], "inside": one in inside, "flips": flips})
    pairs = len(inside) * (len(inside) - 1) // 2
    return encode(
        {
            "pool": [names[i] for i in inside],
            "different": [[names[a], names[b]] for a, b in sorted(verdicts)],
            "steps": sorted(steps, key=lambda step: -len(step["flips"])),
            "sentence": _sentence(len(verdicts), pairs, steps),
            "note": (
                f"Mean ranks with Nemenyi's critical difference, α = {question.alpha:g}, {n} data "
                "sets. A test of each pair by itself does not depend on the pool "
                "(Benavoli, Corani and Mangili 2016)."
            ),
        }
    )


def _goodness(table: ScoreTable) -> tuple[FloatArray, int]:
    sign = 1 if table.measure.higher_is_better else -1
    means = sign * table.means()
    complete = means[~np.isnan(means).any(axis=1)]
    if len(complete) < 2:
        raise MissingCellsError(
            "missing",
            "mean ranks need two data sets with a score of every algorithm",
            f"there {'is one' if len(complete) == 1 else 'is none'}",
        )
    if complete.shape[1] < 2:
        raise ParameterError("algorithms", "two or more are needed", "there is one")
    return complete, len(complete)


def _different(judge: Pools, pool: list[int]) -> set[tuple[int, int]]:
    ordered = np.array(sorted(pool))
    first, second = np.nonzero(np.triu(judge.different(ordered), 1))
    return set(zip(ordered[first].tolist(), ordered[second].tolist(), strict=True))


def _sentence(different: int, pairs: int, steps: list[dict[str, Any]]) -> str:
    flipping = {(a, b) for step in steps for a, b, _ in step["flips"]}
    found = f"By mean ranks {different} of {pairs} pairs differ in this pool. "
    if not flipping:
        return found + "None of these verdicts changes with one algorithm more or less."
    some = "1 of them changes" if len(flipping) == 1 else f"{len(flipping)} of them change"
    return found + f"{some} with one algorithm more or less, though no score of the pair does:"
