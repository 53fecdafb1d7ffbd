"""Many tables at once: the batch says what the single table says."""

from typing import Any

import numpy as np
import pytest

import palio
from palio.comparison import CORRECTIONS, FOLD_TESTS
from palio.errors import ParameterError
from palio.ordering import arrays
from palio.scores import ScoreTable


@pytest.mark.parametrize("test", list(FOLD_TESTS))
@pytest.mark.parametrize("correction", [c.name for c in CORRECTIONS.values() if c.family == "any"])
def test_batch_equals_loop(test: str, correction: str) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0.5, 0.05, size=(3, 4, 5, 5, 2)) + rng.normal(0, 0.1, size=(3, 4, 5, 1, 1))
    costs = rng.random((3, 4, 5))
    options: dict[str, Any] = {"test_df": 4.0} if test == "calibrated-t" else {}
    batch = palio.multitest_batch(
        scores, costs, higher_is_better=True, test=test, correction=correction, **options
    )
    names = list("abcde")
    edges = batch.edges
    for index in np.ndindex(3, 4):
        table = ScoreTable.from_arrays(
            scores[index][np.newaxis],
            datasets=["d"],
            algorithms=names,
            measure="accuracy",
            costs={"time": costs[index][np.newaxis]},
        )
        alone = palio.multitest(table, cost="time", test=test, correction=correction, **options)
        assert "".join(alone.order) == "".join(names[i] for i in batch.order[index])
        assert [alone.ranks[name] for name in names] == batch.ranks[index].tolist()
        assert set(alone.edges) == {(names[i], names[j]) for i, j in np.argwhere(edges[index])}


@pytest.mark.parametrize("test", ["5x2cv-f", "5x2cv-t", "corrected-t"])
@pytest.mark.parametrize("k", [2, 3, 9])
def test_chunks_do_not_show(test: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    scores, costs = rng.random((7, k, 5, 2)), rng.random((7, k))
    whole = palio.multitest_batch(scores, costs, higher_is_better=False, test=test)
    monkeypatch.setattr(arrays, "_CHUNK", 60)
    pieces = palio.multitest_batch(scores, costs, higher_is_better=False, test=test)
    assert np.array_equal(whole.order, pieces.order)
    assert np.array_equal(whole.p_adjusted, pieces.p_adjusted)


@pytest.mark.parametrize(
    ("scores", "costs", "says"),
    [
        (np.ones((5, 2)), [1, 2], "scores: .* shape \\(5, 2\\)"),
        (np.ones((1, 5, 2)), [1], "at least two"),
        (np.full((2, 5, 2), np.nan), [1, 2], "scores: finite"),
        (np.ones((2, 5, 2)), [1, 2, 3], "costs: .*\\(\\.\\.\\., 2\\)"),
        (np.ones((2, 5, 2)), [1, np.inf], "costs: finite"),
    ],
)
def test_bad_arrays(scores: np.ndarray, costs: list[float], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        palio.multitest_batch(scores, costs, higher_is_better=True)
