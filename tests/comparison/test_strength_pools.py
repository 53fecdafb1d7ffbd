"""Places by strength that hang on the pool: each algorithm left out by hand."""

import itertools

import numpy as np
import pytest

import palio
from palio.comparison.strength_pools import pool_swaps
from palio.scores import ScoreTable


def table_of(scores: np.ndarray, *, higher_is_better: bool = True) -> ScoreTable:
    return ScoreTable.from_arrays(
        scores if higher_is_better else -scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=list("abcdefgh"[: scores.shape[1]]),
        measure=palio.Measure("quality", higher_is_better=higher_is_better),
        missing="pairwise",
    )


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_places_that_hang_on_the_pool(gaps: float, higher_is_better: bool) -> None:
    """Leaving each out by hand: who of two neighbours is first then?"""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(25, 8)).round(1)
    scores[rng.random(scores.shape) < gaps] = np.nan
    table = table_of(scores, higher_is_better=higher_is_better)
    whole = palio.rank(table, method="bradley-terry")
    neighbours = [
        (first, second)
        for first, second in itertools.pairwise(whole.order)
        if whole.ranks[first] < whole.ranks[second]  # equals have no order to lose
    ]
    expected: dict[tuple[str, str], set[str]] = {}
    for out in table.algorithms:
        others = [name for name in table.algorithms if name != out]
        left = palio.rank(table.select(algorithms=others), method="bradley-terry").scores
        for first, second in neighbours:
            if out not in (first, second) and left[second] > left[first]:
                expected.setdefault((first, second), set()).add(out)
    found = pool_swaps(table.goodness(), table.algorithms)
    assert {(swap.first, swap.second): set(swap.without) for swap in found} == expected
    assert expected
    assert all(swap.lead > 0 for swap in found)


def test_places_of_parts_are_not_neighbours() -> None:
    """a beats b and c beats d, and nobody of the one pair has met the other."""
    nan = np.nan
    table = table_of(np.array([[2, 1, nan, nan], [nan, nan, 2, 1]] * 3))
    assert pool_swaps(table.goodness(), table.algorithms) == ()


def test_an_audit_tells_and_doubts_nothing() -> None:
    """b beats a four times of seven, but always loses to c when a does not."""
    scores = np.array([[2, 3, 1]] * 4 + [[3, 1, 2]] * 3, dtype=float)
    check = palio.audit(table_of(scores), only=["places"])["places"]
    assert check.findings == ("a is before b by strength, but not without c",)
    assert check.rows == pool_swaps(scores, "abc")
    assert check.affected == frozenset()
    assert not check.bears
    assert check.otherwise == ()
