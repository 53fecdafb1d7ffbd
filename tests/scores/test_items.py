"""ItemScores: what it holds, how small, and the table of its means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio import ItemScores, Measure
from palio.errors import CellError, ColumnError, InputError, ParameterError, UnknownNameError
from palio.scores.items import NO_SCORE

NAN = float("nan")


def graded(**more: object) -> ItemScores:
    """Return four items of two data sets that come mixed up."""
    return ItemScores.from_arrays(
        [[0.2, 0.4, 0.1], [5.0, 6.0, NAN], [0.6, NAN, 0.3], [7.0, 9.0, NAN]],
        algorithms=["a", "b", "c"],
        measure="error",
        dataset=["u", "v", "u", "v"],
        item=["1", "1", "2", "2"],
        **more,  # type: ignore[arg-type]
    )


def test_items_of_a_data_set_lie_together() -> None:
    items = graded(cluster=["x", "x", "x", "y"])
    assert items.datasets == ("u", "v")
    assert items.labels == ("1", "2", "1", "2")
    assert items.dataset_of.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(items.block("u"), [[0.2, 0.4, 0.1], [0.6, NAN, 0.3]])
    np.testing.assert_array_equal(items.block(1), items.block("v"))
    # The cluster x of another data set is another one.
    assert items.cluster_of is not None
    assert items.cluster_of.tolist() == [0, 0, 1, 2]
    assert items.n_clusters == 3


def test_means_are_over_the_items_that_are_there() -> None:
    table = graded().to_scores()
    np.testing.assert_allclose(table.means(), [[0.4, 0.4, 0.2], [6.0, 7.5, NAN]])
    assert not table.measure.higher_is_better
    assert table.items is not None


def test_lower_is_better_is_turned() -> None:
    np.testing.assert_array_equal(graded().goodness(), -graded().as_floats())


def test_right_or_wrong_are_bytes() -> None:
    items = ItemScores.from_arrays(
        [[1.0, 0.0], [NAN, 1.0], [1.0, 1.0]], algorithms=["a", "b"], measure="accuracy"
    )
    assert items.is_binary
    assert items.values.dtype == np.uint8
    assert items.values[1, 0] == NO_SCORE
    assert not items.is_complete
    np.testing.assert_array_equal(items.as_floats(), [[1, 0], [NAN, 1], [1, 1]])
    np.testing.assert_allclose(items.means(), [[1, 2 / 3]])


def test_repeats_are_averaged_within_their_item() -> None:
    items = ItemScores.from_arrays(
        [[[1.0, 0.0, 1.0], [1.0, 1.0, NAN]], [[0.0, 0.0, 0.0], [NAN, NAN, NAN]]],
        algorithms=["a", "b"],
        measure="accuracy",
    )
    assert items.repeats is not None
    assert items.repeats.counts.tolist() == [[3, 2], [3, 0]]
    np.testing.assert_allclose(items.repeats.squares, [[2 / 3, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(items.as_floats(), [[2 / 3, 1.0], [0.0, NAN]])
    assert not items.is_binary


def test_select_and_on() -> None:
    items = graded(cluster=["x", "x", "w", "y"])
    part = items.select(["v", "u"], ["c", "a"])
    assert part.datasets == ("v", "u")
    assert part.algorithms == ("c", "a")
    np.testing.assert_array_equal(part.values, [[NAN, 5], [NAN, 7], [0.1, 0.2], [0.3, 0.6]])
    assert part.cluster_of is not None
    assert part.cluster_of.tolist() == [0, 1, 2, 3]
    alone = items.on("v")
    assert (alone.n_items, alone.datasets) == (2, ("v",))
    assert alone.cluster_of is not None
    assert alone.cluster_of.tolist() == [0, 1]
    with pytest.raises(UnknownNameError):
        items.on("w")
    with pytest.raises(UnknownNameError):
        items.block("w")


def test_tables_carry_the_items_of_what_is_chosen() -> None:
    table = graded().to_scores()
    part = table.select(["v"], ["b", "a"])
    assert part.items is not None
    assert part.items.algorithms == ("b", "a")
    np.testing.assert_array_equal(part.items.values, [[6, 5], [9, 7]])


def test_nothing_can_be_written_to() -> None:
    for array in (graded().values, graded().dataset_of):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    given = np.ones((2, 2))
    items = ItemScores.from_arrays(given, algorithms=["a", "b"], measure="accuracy")
    given[0] = 7
    assert items.values.max() == 1


def test_as_a_frame_and_as_text() -> None:
    items = graded(cluster=["x", "x", "x", "y"])
    frame = items.to_frame()
    assert frame.columns.tolist() == ["dataset", "item", "algorithm", "cluster", "error"]
    assert len(frame) == 9
    assert repr(items) == (
        "<ItemScores: 4 items of 2 data sets × 3 algorithms, error (lower is better), 3 clusters, "
        "scores missing>"
    )


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"scores": [[1, 2, 3]]}, ParameterError, "2 algorithms"),
        ({"scores": [[1], [2]], "algorithms": ["a"]}, ColumnError, "two algorithms"),
        ({"scores": np.zeros((0, 2))}, CellError, "no items"),
        ({"scores": [[1, np.inf]]}, CellError, "'b' on item '1'"),
        ({"item": ["x"]}, ParameterError, "2 items"),
        ({"algorithms": ["a", "a"]}, CellError, "must differ"),
        ({"measure": "quality"}, ParameterError, "direction"),
    ],
)
def test_what_is_refused(given: dict[str, Any], error: type[InputError], told: str) -> None:
    usual: dict[str, Any] = {
        "scores": [[1, 2], [3, 4]],
        "algorithms": ["a", "b"],
        "measure": "error",
    }
    arguments = {**usual, **given}
    with pytest.raises(error, match=told):
        ItemScores.from_arrays(arguments.pop("scores"), **arguments)


def test_a_hundred_megabytes_do_for_thousands_of_models() -> None:
    import tracemalloc

    right = np.zeros((12_032, 2_211), dtype=bool)
    right[::3] = True
    tracemalloc.start()
    items = ItemScores.from_arrays(
        right,
        algorithms=[f"m{i}" for i in range(2_211)],
        measure=Measure("acc", higher_is_better=True),
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert items.values.nbytes < 27e6
    assert peak < 120e6
