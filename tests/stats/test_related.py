"""Adjusted p-values of all pairs of algorithms."""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from palio.stats import related
from palio.stats.adjust import bonferroni, holm
from palio.stats.related import bergmann_hommel, possible_true_counts, shaffer
from palio.types import FloatArray

METHODS: dict[str, Callable[[ArrayLike, int], FloatArray]] = {
    "shaffer": shaffer,
    "bergmann_hommel": bergmann_hommel,
}
every_method = pytest.mark.parametrize("name", METHODS)
P_VALUES = st.one_of(st.sampled_from([0.0, 0.01, 0.5, 1.0]), st.floats(0.0, 1.0))


@st.composite
def families(draw: st.DrawFn) -> tuple[int, FloatArray]:
    k = draw(st.integers(2, 5))
    pairs = comb(k, 2)
    return k, np.array(draw(st.lists(P_VALUES, min_size=pairs, max_size=pairs)))


def _partitions(members: list[int]) -> Iterator[list[list[int]]]:
    """Give every way to split ``members`` into groups."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            for groups in _partitions([x for x in rest if x not in others]):
                yield [[first, *others], *groups]


def _exhaustive_sets(k: int) -> list[list[int]]:
    """Return the possible sets of true hypotheses, as places in np.triu_indices(k, 1)."""
    place = {pair: i for i, pair in enumerate(combinations(range(k), 2))}
    return [
        [place[pair] for group in groups for pair in combinations(group, 2)]
        for groups in _partitions(list(range(k)))
    ]


def _by_definition(p: FloatArray, k: int) -> FloatArray:
    adjusted = np.zeros(p.size)
    for possible in _exhaustive_sets(k):
        if possible:
            value = len(possible) * p[possible].min()
            adjusted[possible] = np.maximum(adjusted[possible], value)
    return np.minimum(1.0, adjusted)


def test_shaffer_by_hand() -> None:
    # Four algorithms: 0, 1, 2, 3 or 6 pairs can be equal, so the factors are 6 3 3 3 2 1.
    # 0.006 0.012 0.015 0.045 0.06 0.05: the last rises.
    p = [0.03, 0.001, 0.05, 0.005, 0.004, 0.015]
    np.testing.assert_allclose(shaffer(p, 4), [0.06, 0.006, 0.06, 0.015, 0.012, 0.045])


def test_possible_true_counts() -> None:
    # Shaffer (1986), and by counting the pairs within the groups of every partition.
    assert possible_true_counts(2) == (0, 1)
    assert possible_true_counts(3) == (0, 1, 3)
    assert possible_true_counts(4) == (0, 1, 2, 3, 6)
    assert possible_true_counts(6) == (0, 1, 2, 3, 4, 6, 7, 10, 15)
    for k in range(1, 8):
        assert set(possible_true_counts(k)) == {len(s) for s in _exhaustive_sets(k)}


def test_bergmann_hommel_by_hand() -> None:
    # Three algorithms: a pair on its own, or all three: max(p, 3 min p).
    np.testing.assert_allclose(bergmann_hommel([0.01, 0.04, 0.02], 3), [0.03, 0.04, 0.03])
    # Four: all is 6 · 0.005, all that (0, 2) can be worth. (0, 1) in {0, 1, 3} is 3 · 0.03, (2, 3)
    # in {1, 2, 3} is 3 · 0.04, (0, 3) with (1, 2) is 2 · 0.5; (1, 3) with (0, 2) is not, so 0.5.
    p = [0.03, 0.005, 0.5, 0.5, 0.5, 0.04]
    np.testing.assert_allclose(bergmann_hommel(p, 4), [0.09, 0.03, 1.0, 1.0, 0.5, 0.12])


def test_bergmann_hommel_need_not_keep_the_order_of_size() -> None:
    # (0, 3) has the largest p-value, but in a group of three or four it is beside a 0.002, so at
    # most 2 · 0.011 with (1, 2). The pairs of {0, 1, 2} are worth 3 · 0.01.
    p = [0.011, 0.01, 0.02, 0.011, 0.002, 0.002]
    np.testing.assert_allclose(bergmann_hommel(p, 4), [0.03, 0.03, 0.022, 0.03, 0.012, 0.012])


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7])
def test_bergmann_hommel_by_its_definition(k: int) -> None:
    rng = np.random.default_rng(k)
    for power in (1, 2, 5, 20):
        for _ in range(5 if k < 7 else 1):
            p = rng.random(comb(k, 2)) ** power
            np.testing.assert_allclose(bergmann_hommel(p, k), _by_definition(p, k), rtol=1e-14)
    tied = rng.choice([0.0, 0.01, 0.04, 1.0], comb(k, 2))
    np.testing.assert_allclose(bergmann_hommel(tied, k), _by_definition(tied, k), rtol=1e-14)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_bergmann_hommel_rejects_what_the_acceptance_set_leaves(alpha: float) -> None:
    # Bergmann and Hommel: keep every hypothesis of every exhaustive I with min p > α / |I|.
    rng = np.random.default_rng(1)
    possible_sets = [possible for possible in _exhaustive_sets(5) if possible]
    for _ in range(50):
        p = rng.random(10) ** 4
        kept: set[int] = set()
        for possible in possible_sets:
            if p[possible].min() > alpha / len(possible):
                kept.update(possible)
        assert (bergmann_hommel(p, 5) > alpha).nonzero()[0].tolist() == sorted(kept)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_shaffer_rejects_what_the_step_down_procedure_rejects(alpha: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = rng.random(10) ** 4
        rejected = np.zeros(10, dtype=bool)
        for step, index in enumerate(np.argsort(p)):
            most = max(count for count in possible_true_counts(5) if count <= 10 - step)
            if p[index] > alpha / most:
                break
            rejected[index] = True
        np.testing.assert_array_equal(shaffer(p, 5) <= alpha, rejected)


@given(family=families())
def test_each_rejects_at_least_as_much_as_the_one_before(family: tuple[int, FloatArray]) -> None:
    k, p = family
    assert (bergmann_hommel(p, k) <= shaffer(p, k)).all()
    assert (shaffer(p, k) <= holm(p)).all()
    assert (holm(p) <= bonferroni(p)).all()
    assert (bergmann_hommel(p, k) >= p).all()


@pytest.mark.parametrize("k", [9, 10, 11, 12])
def test_many_algorithms(k: int) -> None:
    p = np.random.default_rng(k).random((2, comb(k, 2))) ** 4
    exact = bergmann_hommel(p, k)
    assert (exact <= shaffer(p, k)).all()
    assert (exact < shaffer(p, k)).any()
    assert (exact >= p).all()


@every_method
@given(family=families(), data=st.data())
def test_renaming_the_algorithms_changes_nothing(
    name: str, family: tuple[int, FloatArray], data: st.DataObject
) -> None:
    k, p = family
    order = np.array(data.draw(st.permutations(range(k))))
    table = np.zeros((k, k))
    table[np.triu_indices(k, 1)] = p
    table += table.T
    renamed = table[np.ix_(order, order)][np.triu_indices(k, 1)]
    adjusted = np.zeros((k, k))
    adjusted[np.triu_indices(k, 1)] = METHODS[name](p, k)
    adjusted += adjusted.T
    expected = adjusted[np.ix_(order, order)][np.triu_indices(k, 1)]
    np.testing.assert_array_equal(METHODS[name](renamed, k), expected)


@every_method
@given(family=families(), data=st.data())
def test_larger_p_values_never_get_smaller_adjusted_ones(
    name: str, family: tuple[int, FloatArray], data: st.DataObject
) -> None:
    k, p = family
    raised = np.maximum(p, data.draw(st.lists(P_VALUES, min_size=p.size, max_size=p.size)))
    assert (METHODS[name](raised, k) >= METHODS[name](p, k)).all()


@every_method
def test_batch_equals_loop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    p = np.random.default_rng(3).random((3, 4, 10)).round(1) ** 2
    before = p.copy()
    batch = METHODS[name](p, 5)
    np.testing.assert_array_equal(p, before)
    for index in np.ndindex(3, 4):
        np.testing.assert_array_equal(batch[index], METHODS[name](p[index], 5))
    assert METHODS[name](p[:0], 5).shape == (0, 4, 10)
    # In the smallest portions, the same.
    monkeypatch.setattr(related, "_CELLS", 1)
    monkeypatch.setattr(related, "_KEPT", 0)
    np.testing.assert_array_equal(batch, METHODS[name](p, 5))


@every_method
def test_what_is_not_a_family(name: str) -> None:
    with pytest.raises(ValueError, match=r"p must hold the 6 pairs of k = 4 .* got shape \(5,\)"):
        METHODS[name](np.full(5, 0.5), 4)
    with pytest.raises(ValueError, match=r"p must hold the 1 pairs of k = 2 .* got shape \(\)"):
        METHODS[name](0.5, 2)
    with pytest.raises(ValueError, match="k must be at least 2 algorithms; got 1"):
        METHODS[name]([], 1)
    with pytest.raises(ValueError, match="p must lie between 0 and 1; got nan"):
        METHODS[name]([np.nan], 2)


def test_too_many_algorithms_for_bergmann_and_hommel() -> None:
    with pytest.raises(ValueError, match=r"k must be at most 16 .* got 17\. Take Shaffer's"):
        bergmann_hommel(np.full(comb(17, 2), 0.5), 17)
    p = np.random.default_rng(4).random(comb(150, 2)) ** 9
    assert (shaffer(p, 150) <= holm(p)).all()


def test_a_batch_is_done_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    p = np.random.default_rng(1).random((5, 6))
    whole = related.bergmann_hommel(p, 4)
    monkeypatch.setattr(related, "_CELLS", 1)  # one family at a time
    assert related.bergmann_hommel(p, 4).tolist() == whole.tolist()


def test_a_family_is_gone_through_once_and_nobody_can_change_what_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    p = np.linspace(0.001, 0.9, comb(6, 2))
    first = bergmann_hommel(p, 6)
    monkeypatch.setattr(related, "_largest_within", None)
    expected = first.copy()
    first[:] = 0.0
    assert bergmann_hommel(p, 6).tolist() == expected.tolist()
