"""Every ranking method in the registry keeps its promises, and those it does not make are broken.

The second half matters as much: a method that does not promise to be unmoved by a copy of an
algorithm is shown to be moved by one.
"""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio.ordering import RANKINGS, Ranking, rank
from palio.scores import ScoreTable
from palio.testing.rankings import PROPERTIES, Case, monotone_on_folds
from tests.slow import a_third_of_the_examples

NEEDS: dict[str, dict[str, Any]] = {
    "adjusted-ratios": {"cost": "time"},
    "multi2test": {"cost": "time"},
}


def ranked(method: str) -> Callable[[ScoreTable], Ranking]:
    return partial(rank, method=method, **NEEDS.get(method, {}))


cases = st.builds(
    Case.drawn,
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1.0, 5.0]),
    st.sampled_from([-1, 0, 1]),
)


def holds(what: str, method: str, case: Case) -> bool:
    # Where folds count, it is their scores that go through a growing function.
    if what == "monotone" and "test" in RANKINGS[method].options:
        return monotone_on_folds(ranked(method), case)
    return PROPERTIES[what](ranked(method), case)


def test_every_promise_is_tested() -> None:
    assert {what for method in RANKINGS.values() for what in method.properties} == set(PROPERTIES)


@pytest.mark.parametrize(
    ("method", "what"),
    [(m, what) for m, entry in RANKINGS.items() for what in sorted(entry.properties)],
)
@a_third_of_the_examples()
@given(case=cases)
def test_promises_hold(method: str, what: str, case: Case) -> None:
    assert holds(what, method, case), f"'{method}' promises '{what}' in its properties"


# --- what is not promised -------------------------------------------------------------------------


def beaten_by_variance() -> Case:
    """a is never below e, and dearer ones are; yet a's lead varies so much that no test sees it.

    On every data set: b is a little better than a, which a test sees; e is a but for one fold,
    where it fails, so that no test tells it from anyone; it beats d, from which it differs by a
    constant but for a wiggle, while a does not, for that one fold is what its lead is made of.
    """
    rng = np.random.default_rng(0)
    n = 60
    wiggle = 0.01 * rng.normal(size=(n, 5, 5, 2))
    spike = np.zeros((5, 2))
    spike[0, 0] = 40.0
    scores = 50 + wiggle
    e = 50 + wiggle[:, 4]
    scores[:, 4], scores[:, 0], scores[:, 3] = e, e + spike, e - 1 + wiggle[:, 3]
    scores[:, 1], scores[:, 2] = scores[:, 0] + 1 + wiggle[:, 1], 20 + wiggle[:, 2]
    costs = np.broadcast_to(np.array([1.0, 3.0, 5.0, 4.0, 2.0]), (n, 5)).copy()
    return Case(scores, costs)


SPIKED = beaten_by_variance()


def times_far_apart() -> Case:
    """b is before c against the dear ones alone, so that one more cheap opponent turns them round.

    On one data set adjusted ratios are no longer ratios of one number each where times are so far
    apart that 1 + AccD · log (T / T') is far from an exponential.
    """
    scores = np.array([50.0, 49.0, 58.0, 50.0, 50.0])
    costs = 10.0 ** np.array([[0.0, 0.0, 10.0, 60.0, 60.0]])
    return Case(np.broadcast_to(scores[:, None, None], (1, 5, 5, 2)).copy(), costs)


FAR_APART = times_far_apart()

BROKEN = [
    (name, what)
    for name, entry in RANKINGS.items()
    for what in PROPERTIES
    if what not in entry.properties
]


@pytest.mark.parametrize(("method", "what"), BROKEN)
def test_what_is_not_promised_can_fail(method: str, what: str) -> None:
    tries = (
        Case.drawn(seed, spread=spread, n=n)
        for seed in range(60)
        for spread, n in ((3.0, 8), (20.0, 8), (2.0, 40))
    )
    assert any(
        not holds(what, method, case) for case in itertools.chain([SPIKED, FAR_APART], tries)
    ), f"no case breaks '{what}': promise it in '{method}'s properties, or show a case that does"


def test_who_promises_what_about_copies_and_dominance() -> None:
    """A change here is a change of what the documentation says."""
    unmoved = {name for name, entry in RANKINGS.items() if "copy" in entry.properties}
    fair = {name for name, entry in RANKINGS.items() if "dominated" in entry.properties}
    assert unmoved == {"mean-score"}
    assert set(RANKINGS) - fair == {"significant-wins", "multi2test"}


# --- orders that are another's --------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", [name for name, entry in RANKINGS.items() if entry.same_order_as is not None]
)
@a_third_of_the_examples()
@given(case=cases)
def test_the_scores_themselves_have_the_order_of_the_other(method: str, case: Case) -> None:
    """The ranks are taken from the other method; the scores are computed, and must agree."""
    other = RANKINGS[method].same_order_as
    assert other is not None
    table = case.table()
    found, expected = ranked(method)(table), ranked(other)(table)
    assert found.ranks == expected.ranks
    for a in case.names:
        for b in case.names:
            if expected.ranks[a] < expected.ranks[b]:
                assert found.scores[a] > found.scores[b]
            elif expected.ranks[a] == expected.ranks[b]:
                assert found.scores[a] == pytest.approx(found.scores[b], abs=1e-5)
