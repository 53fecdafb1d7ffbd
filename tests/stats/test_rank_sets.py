"""Sets of ranks: from pairs that differ, and from joint draws."""

import numpy as np
import pytest

from palio.stats.rank_sets import drawn_ranks, joint_rank_sets, rank_sets
from palio.types import IntArray


def test_many_tables_at_once() -> None:
    """Nothing was found; the second beats all; a circle, in which each beats the next."""
    better = np.zeros((3, 3, 3), dtype=bool)
    better[1, 1, [0, 2]] = True
    better[2, [0, 1, 2], [1, 2, 0]] = True
    assert rank_sets(better).tolist() == [
        [[1, 3], [1, 3], [1, 3]],
        [[2, 3], [1, 1], [2, 3]],
        [[2, 2], [2, 2], [2, 2]],
    ]


def test_ranks_in_draws() -> None:
    values = np.array([[3.0, 1, 2], [1, 1, 0]])
    assert drawn_ranks(values).tolist() == [[1, 3, 2], [1, 1, 3]]
    assert drawn_ranks(values, 1.0).tolist() == [[1, 2, 1], [1, 1, 1]]


def share_held(sets: IntArray, ranks: IntArray) -> float:
    return float(((sets[:, 0] <= ranks) & (ranks <= sets[:, 1])).all(axis=1).mean())


@pytest.mark.parametrize("seed", range(20))
def test_joint_sets_hold_and_no_end_can_be_spared(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, mass = int(rng.integers(1, 9)), float(rng.choice([0.5, 0.8, 0.95]))
    ranks = drawn_ranks(rng.normal(size=(400, k)) + rng.choice([0.5, 2.0]) * rng.normal(size=k))
    sets = joint_rank_sets(ranks, mass)
    assert share_held(sets, ranks) >= mass
    for one, side in np.ndindex(k, 2):
        if sets[one, 0] == sets[one, 1]:
            continue
        narrower = sets.copy()
        narrower[one, side] += 1 - 2 * side
        assert share_held(narrower, ranks) < mass


def test_joint_sets_with_ties() -> None:
    """In 9 of 10 draws all three are level, in one the last is third."""
    ranks = np.array([[1, 1, 1]] * 9 + [[1, 1, 3]])
    assert joint_rank_sets(ranks, 0.9).tolist() == [[1, 1], [1, 1], [1, 1]]
    assert joint_rank_sets(ranks, 0.91).tolist() == [[1, 1], [1, 1], [1, 3]]
