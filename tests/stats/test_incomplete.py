"""Tests of all algorithms at once where scores are missing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import chdtrc

from palio.stats.incomplete import components, skillings_mack
from palio.stats.omnibus import friedman
from palio.stats.ranks import average_ranks, ranks_of_present

NAN = np.nan

# Assembly times of Skillings and Mack (1981), as R's Skillings.Mack has them: T = 15.49, 3 degrees
# of freedom, p = 0.0014.
ASSEMBLY = [
    [3.2, 4.1, 3.8, 4.2],
    [3.1, 3.9, 3.4, 4.0],
    [4.3, 3.5, 4.6, 4.8],
    [3.5, 3.6, 3.9, 4.0],
    [3.6, 4.2, 3.7, 3.9],
    [4.5, 4.7, 3.7, NAN],
    [NAN, 4.2, 3.4, NAN],
    [4.3, 4.6, 4.4, 4.9],
    [3.5, NAN, 3.7, 3.9],
]


def test_published_example() -> None:
    outcome = skillings_mack(ASSEMBLY)
    assert float(outcome.statistic) == pytest.approx(15.493, abs=5e-4)
    assert outcome.df == (3.0,)
    assert float(outcome.p_value) == pytest.approx(0.00144, abs=5e-6)


def test_durbins_balanced_design() -> None:
    """Conover (1999), section 5.9: seven varieties, three to a judge, Durbin's T = 12."""
    of = [(1, 2, 4), (2, 3, 5), (3, 4, 6), (4, 5, 7), (1, 5, 6), (2, 6, 7), (1, 3, 7)]
    ranks = [(2, 3, 1), (3, 1, 2), (2, 1, 3), (1, 2, 3), (3, 1, 2), (3, 1, 2), (3, 1, 2)]
    values = np.full((7, 7), NAN)
    for judge, (varieties, given) in enumerate(zip(of, ranks, strict=True)):
        values[judge, np.array(varieties) - 1] = given
    outcome = skillings_mack(values)
    assert float(outcome.statistic) == pytest.approx(12.0)
    assert outcome.df == (6.0,)


@pytest.mark.parametrize("levels", [3, 1000])
def test_complete_tables_give_friedmans_test(levels: int) -> None:
    values = np.random.default_rng(3).integers(0, levels, (12, 5)).astype(float)
    ours, friedmans = skillings_mack(values), friedman(values)
    assert float(ours.statistic) == pytest.approx(float(friedmans.statistic), rel=1e-12)
    assert float(ours.p_value) == pytest.approx(float(friedmans.p_value), rel=1e-12)


def test_two_parts_that_nothing_joins_are_two_tests() -> None:
    one = np.random.default_rng(0).random((8, 3))
    other = np.random.default_rng(1).random((6, 2))
    values = np.full((14, 5), NAN)
    values[:8, :3], values[8:, 3:] = one, other
    outcome = skillings_mack(values)
    parts = [friedman(one), friedman(other)]
    assert float(outcome.statistic) == pytest.approx(sum(float(p.statistic) for p in parts))
    assert outcome.df == (3.0,)
    assert float(outcome.p_value) == pytest.approx(chdtrc(3.0, float(outcome.statistic)))


def test_what_says_nothing_changes_nothing() -> None:
    more = [*ASSEMBLY, [1.0, NAN, NAN, NAN], [2.0, 2.0, NAN, 2.0], [NAN] * 4]
    once, again = skillings_mack(ASSEMBLY), skillings_mack(more)
    assert float(again.statistic) == pytest.approx(float(once.statistic), rel=1e-12)
    assert int(again.n) == int(once.n) == 9


def test_nothing_to_tell() -> None:
    outcome = skillings_mack([[1.0, NAN], [NAN, 2.0], [3.0, 3.0]])
    assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)
    assert bool(outcome.degenerate)


def test_random_orders_agree_with_counting_them_all() -> None:
    """Two data sets of three and two: of the 6 · 2 orders, two agree as far as these."""
    values = [[1.0, 2.0, 3.0], [1.0, 2.0, NAN]]
    outcome = skillings_mack(values, n_resamples=20_000)
    every = []
    for first in itertools.permutations([1.0, 2.0, 3.0]):
        for second in ([1.0, 2, NAN], [2.0, 1, NAN]):
            every.append(float(skillings_mack([list(first), second]).statistic))
    share = np.mean(np.array(every) >= float(outcome.statistic) - 1e-9)
    assert float(outcome.p_value) == pytest.approx(share, abs=0.01)
    assert outcome.null == "permutation"


def test_refuses_what_is_no_table() -> None:
    with pytest.raises(ValueError, match="finite or NaN"):
        skillings_mack([[1.0, np.inf], [1.0, 2.0]])


def test_components_by_chains() -> None:
    there = np.array(
        [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]], dtype=np.bool_
    )
    assert components(there).tolist() == [0, 0, 0, 1, 2]


def test_ranks_of_complete_rows_are_the_ranks() -> None:
    values = np.random.default_rng(5).integers(0, 4, (30, 6)).astype(float)
    assert (ranks_of_present(values)[0] == average_ranks(values)).all()
    ranks, of = ranks_of_present(np.where(values == 3, NAN, values))
    assert (np.isnan(ranks) == (values == 3)).all()
    assert (of == (values != 3).sum(axis=1)).all()
