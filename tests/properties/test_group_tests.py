"""Every test on several algorithms in the registry keeps its promises."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from palio.comparison import GROUP_TESTS, FoldComparison, compare_folds
from palio.scores import ScoreTable
from palio.types import FloatArray
from tests.slow import a_third_of_the_examples

SCORES = arrays(
    np.float64, (4, 5, 2), elements=st.integers(0, 1000).map(lambda i: i / 10), fill=st.nothing()
)
NAMES = ("a", "b", "c", "d")
TESTED = {"relabel-folds", "shift", "scale", "reorder", "identical"}


def run(name: str, scores: FloatArray, names: tuple[str, ...] = NAMES) -> FoldComparison:
    table = ScoreTable.from_arrays(
        scores[np.newaxis], datasets=["d"], algorithms=names, measure="accuracy"
    )
    return compare_folds(table, test=name)


def verdict(result: FoldComparison) -> tuple[Any, Any]:
    """The p-value, and who is under which line, in whatever order they are named."""
    lines = None if result.underlines is None else {frozenset(line) for line in result.underlines}
    p = None if result.p_value is None else pytest.approx(result.p_value, rel=1e-6, abs=1e-12)
    return p, lines


def promising(what: str) -> Any:
    names = [name for name, test in GROUP_TESTS.items() if what in test.properties]
    assert names
    return pytest.mark.parametrize("name", names)


def test_every_promise_is_tested() -> None:
    assert {what for test in GROUP_TESTS.values() for what in test.properties} <= TESTED


@promising("relabel-folds")
@a_third_of_the_examples()
@given(scores=SCORES, repeats=st.permutations(range(5)), folds=st.permutations(range(2)))
def test_relabelling_folds(
    name: str, scores: FloatArray, repeats: list[int], folds: list[int]
) -> None:
    assert verdict(run(name, scores[:, repeats][:, :, folds])) == verdict(run(name, scores))


@promising("shift")
@a_third_of_the_examples()
@given(scores=SCORES, shift=st.integers(-50, 50))
def test_shifting(name: str, scores: FloatArray, shift: int) -> None:
    assert verdict(run(name, scores + shift)) == verdict(run(name, scores))


@promising("scale")
@a_third_of_the_examples()
@given(scores=SCORES)
def test_scaling(name: str, scores: FloatArray) -> None:
    assert verdict(run(name, scores / 100)) == verdict(run(name, scores))


@promising("reorder")
@a_third_of_the_examples()
@given(scores=SCORES, order=st.permutations(range(4)))
def test_reordering(name: str, scores: FloatArray, order: list[int]) -> None:
    names = tuple(NAMES[i] for i in order)
    assert verdict(run(name, scores[order], names)) == verdict(run(name, scores))


@promising("identical")
@a_third_of_the_examples()
@given(scores=SCORES)
def test_identical_algorithms_are_never_separated(name: str, scores: FloatArray) -> None:
    result = run(name, np.stack([scores[0]] * 4))
    if result.underlines is None:
        assert result.p_value == pytest.approx(1)
    else:
        assert {frozenset(line) for line in result.underlines} == {frozenset(NAMES)}


@promising("identical")
@a_third_of_the_examples()
@given(scores=SCORES)
def test_twins_are_under_one_line(name: str, scores: FloatArray) -> None:
    """With others around: where lines are drawn at all, one of them joins the twins."""
    result = run(name, np.stack([scores[0], scores[1], scores[0], scores[3]]))
    if result.underlines is not None:
        assert any({"a", "c"} <= set(line) for line in result.underlines)
