"""The topological sort on graphs small enough to follow by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio.ordering.graph import (
    BY_RANK,
    edge_matrix,
    inverse_permutation,
    sort_steps,
    topological_order,
)


def pairs(edges: list[str]) -> list[tuple[str, str]]:
    return [(edge[0], edge[1]) for edge in edges]


@pytest.mark.parametrize(
    ("prior", "edges", "order"),
    [
        ("1234", ["12", "13", "14", "23"], "3241"),  # yildiz2006 Figure 2
        ("CADB", ["CA", "DB"], "ACBD"),  # ulas2008 §3.2
        ("ABC", ["AC", "BC"], "CAB"),  # ulas2008 §4.5.2
        ("abc", [], "abc"),  # no test overrides: the prior stands
        ("abc", ["ab", "ac", "bc"], "cba"),  # every test overrides: the prior is reversed
        ("abc", ["ac"], "bca"),  # b passes a, which waits for c
    ],
)
def test_order(prior: str, edges: list[str], order: str) -> None:
    steps = sort_steps(prior, pairs(edges))
    assert "".join(step.taken for step in steps) == order


FIRST = "the cheapest of those that nobody left significantly beats"


def test_steps_say_who_waited() -> None:
    """yildiz2006 Figure 2, panel by panel."""
    steps = sort_steps("1234", pairs(["12", "13", "14", "23"]))
    assert [step.candidates for step in steps] == [("3", "4"), ("2", "4"), ("4",), ("1",)]
    assert steps[0].waiting == {"1": ("2", "3", "4"), "2": ("3",)}
    assert [step.reason for step in steps] == [
        f"{FIRST}; 1 and 2 are cheaper, but 3 and 4 are significantly better",
        f"{FIRST}; 1 is cheaper, but 2 and 4 are significantly better",
        f"{FIRST}; 1 is cheaper, but 4 is significantly better",
        "the last one left",
    ]


def test_reason_when_a_cheaper_one_waits_for_another() -> None:
    first = sort_steps("abc", pairs(["ac"]))[0]
    assert first.reason == f"{FIRST}; a is cheaper, but c is significantly better"


def test_edge_matrix_puts_pairs_in_their_place() -> None:
    edges = edge_matrix(np.array([[True, False, False], [False, False, True]]), 3)
    assert edges[0].nonzero() == (0, 1)
    assert edges[1].nonzero() == (1, 2)


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_batch_equals_loop_and_respects_every_edge(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = edge_matrix(rng.random((4, 3, k * (k - 1) // 2)) < 0.4, k)
    taken, candidates = topological_order(edges)
    place = inverse_permutation(taken)
    for index in np.ndindex(4, 3):
        alone, free = topological_order(edges[index])
        assert np.array_equal(alone, taken[index])
        assert np.array_equal(free, candidates[index])
        for cheaper, costlier in np.argwhere(edges[index]):
            assert place[index][costlier] < place[index][cheaper]


def test_a_reason_speaks_of_those_left_only() -> None:
    """b is better than a, but it has been taken when a is: of those left nobody is."""
    steps = sort_steps("abc", [("a", "b")])
    assert [step.taken for step in steps] == ["b", "a", "c"]
    assert steps[0].reason == f"{FIRST}; a is cheaper, but b is significantly better"
    assert steps[1].reason == FIRST
    by_rank = sort_steps("abc", [("a", "b")], wording=BY_RANK)
    assert by_rank[1].reason == ("the best mean rank of those that nobody left significantly beats")


def test_one_candidate_need_not_be_the_last() -> None:
    """Both others are beaten by it: they wait, although they are less preferred."""
    reasons = [step.reason for step in sort_steps("abc", pairs(["ba", "ca"]))]
    assert reasons == [
        FIRST,
        FIRST,
        "the last one left",
    ]
