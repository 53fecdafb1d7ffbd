"""Results that stand more than once: copies, contradictions, and what tells them apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import CellError, ColumnError, UnknownNameError
from palio.scores import read_scores
from palio.scores.doubts import DUPLICATES
from tests.shared import shared_file


def table(**more: Any) -> dict[str, list[Any]]:
    """x,a and y,b stand twice: x,a with another error, y,b with the same."""
    return {
        "dataset": ["x", "x", "y", "y", "x", "y"],
        "algorithm": ["a", "b", "a", "b", "a", "b"],
        "error": [0.2, 0.3, 0.4, 0.5, 0.4, 0.5],
        **more,
    }


@pytest.mark.parametrize(("way", "expected"), [("mean", 0.3), ("first", 0.2), ("last", 0.4)])
def test_what_contradicts_is_settled_as_asked(way: Any, expected: float) -> None:
    times = [1.0, 1.0, 1.0, 1.0, 3.0, 1.0]
    found = read_scores(table(train_time=times), duplicates=way)
    np.testing.assert_allclose(found.means(), [[expected, 0.3], [0.4, 0.5]])
    time = {"mean": 2.0, "first": 1.0, "last": 3.0}[way]
    assert found.cost_matrix("train_time").tolist() == [[time, 1.0], [1.0, 1.0]]
    assert "Dropped 1 copy of other rows: same key, same result." in found.notes
    told = next(note for note in found.notes if note.startswith("duplicates="))
    assert told.startswith(f"duplicates={way!r}: 1 result stands in several rows")
    assert DUPLICATES[way].description in told


def test_copies_are_dropped_unasked_and_only_if_costs_and_status_agree() -> None:
    columns = {name: values[:4] + values[5:] for name, values in table().items()}
    found = read_scores(columns)
    assert found.means().tolist() == [[0.2, 0.3], [0.4, 0.5]]
    assert found.notes == ("Dropped 1 copy of other rows: same key, same result.",)
    for more in ({"train_time": [1, 1, 1, 1, 2]}, {"status": ["ok"] * 4 + ["timeout"]}):
        with pytest.raises(CellError, match="1 result repeats an earlier one"):
            read_scores({**columns, **more})


def test_two_failures_are_copies_and_another_measure_that_differs_is_none() -> None:
    columns = {name: values[:4] + values[5:] for name, values in table().items()}
    columns["error"][3] = columns["error"][4] = None
    assert np.isnan(read_scores(columns, missing="pairwise").means()[1, 1])
    with pytest.raises(CellError, match="1 result repeats"):
        read_scores({**columns, "auc": [1, 1, 1, 0.5, 0.6]}, score="error", missing="pairwise")


def test_a_mean_with_a_failure_among_its_values_is_missing() -> None:
    columns = table(status=["ok"] * 4 + ["failed", "ok"])
    found = read_scores(columns, duplicates="mean", missing="pairwise")
    assert np.isnan(found.means()).tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            {"version": ["v1", "v1", "v1", "v1", "v2", "v1"]},
            "They differ in 'version'. Say which are meant: algorithm='algorithm+version' or "
            "where='version=v1'.",
        ),
        (
            {"turn": [1, 1, 1, 1, 2, 2]},
            "They differ in 'turn'. Say which are meant: repeat='turn' or where='turn=1'.",
        ),
        (
            {"tstamp": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]},
            "They differ in 'tstamp'. Say which are meant: duplicates='mean', ",
        ),
        ({}, "name these in a column. Say which are meant: duplicates='mean', "),
    ],
)
def test_the_error_looks_for_what_tells_the_rows_apart(more: dict[str, Any], says: str) -> None:
    with pytest.raises(CellError, match=r"'a' on 'x' \(rows 0, 4.*" + says.replace("+", r"\+")):
        read_scores(table(**more), score="error")


def test_what_the_error_offers_works() -> None:
    columns = table(version=["v1", "v1", "v1", "v1", "v2", "v1"])
    chosen = read_scores(columns, where="version=v1")
    assert chosen.means().tolist() == [[0.2, 0.3], [0.4, 0.5]]
    named = read_scores(columns, algorithm="algorithm+version", missing="pairwise")
    assert named.algorithms == ("a / v1", "b / v1", "a / v2")


def test_what_is_not_asked_about_need_not_agree() -> None:
    columns = table()
    for name, value in (("dataset", "x"), ("algorithm", "c"), ("error", 0.1)):
        columns[name] += [value, "y" if name == "dataset" else value]
    assert read_scores(columns, exclude="a").means().tolist()[0] == [0.3, 0.1]


def test_items_that_stand_twice_are_settled_before_they_are_averaged() -> None:
    columns = {
        "dataset": ["x"] * 5,
        "algorithm": ["a", "a", "b", "b", "a"],
        "question_id": [1, 2, 1, 2, 2],
        "accuracy": [1.0, 0.0, 0.5, 0.5, 1.0],
    }
    with pytest.raises(CellError, match="each data set, algorithm and item may have one"):
        read_scores(columns)
    assert read_scores(columns, duplicates="last").means().tolist() == [[1.0, 0.5]]
    assert read_scores(columns, duplicates="mean").means().tolist() == [[0.75, 0.5]]


@pytest.mark.parametrize("name", ["tstamp", "Created at"])
def test_items_asked_at_another_time_are_repeats(name: str) -> None:
    columns = {
        "dataset": ["x"] * 5,
        "algorithm": ["a", "a", "b", "b", "a"],
        "question_id": [1, 2, 1, 2, 2],
        "accuracy": [1.0, 0.0, 0.5, 0.5, 1.0],
        name: [11, 12, 13, 14, 15],
    }
    found = read_scores(columns)
    assert found.means().tolist() == [[0.75, 0.5]]
    (told,) = (note for note in found.how_read.recognised if "more than once" in note)
    assert f"as '{name}' tells: 1 result stands in several rows" in told
    assert read_scores(columns, duplicates="last").means().tolist() == [[1.0, 0.5]]
    # A version tells models apart, not times; and without items it may be another training.
    with pytest.raises(CellError, match="They differ in 'version'"):
        read_scores({**columns, "version": columns[name], name: [0] * 5})
    with pytest.raises(CellError, match="repeat"):
        read_scores({key: each for key, each in columns.items() if key != "question_id"})


def test_a_wide_table_may_have_a_row_twice() -> None:
    wide: dict[str, list[Any]] = {"dataset": ["x", "y", "x"], "a": [1, 2, 1], "b": [3, 4, 3]}
    found = read_scores(wide, score="error")
    assert found.means().tolist() == [[1, 3], [2, 4]]
    assert "Dropped 2 copies of other rows: same key, same result." in found.notes
    wide["b"][2] = 5
    assert read_scores(wide, score="error", duplicates="mean").means()[0].tolist() == [1, 4]


def test_an_unknown_way_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'lst' is not known\. .*last"):
        read_scores(table(), duplicates="lst")


def test_livebench_reads_with_one_flag() -> None:
    path = shared_file("results/livebench/livebench_13012025.parquet")
    found = read_scores(path, duplicates="mean", missing="pairwise")
    assert (found.n_datasets, found.n_algorithms) == (18, 93)
    assert found.items is not None
    assert found.items.n_items == 1136
    assert "Dropped 531 copies of other rows: same key, same result." in found.notes


def test_what_belongs_to_no_name_is_not_offered_as_its_part() -> None:
    """A judge marks anew; a remark that tells only some rows apart settles nothing."""
    twice = {name: values * 2 for name, values in table().items()}
    twice["error"] = [0.01 * place for place in range(len(twice["error"]))]
    half = len(twice["error"]) // 2
    judged = {**twice, "judge": ["p"] * half + ["q"] * half}
    with pytest.raises(CellError) as raised:
        read_scores({name: values[:4] + values[half : half + 4] for name, values in judged.items()})
    assert [each.in_python() for each in raised.value.options][:2] == [
        "repeat='judge'", "where='judge=p'",
    ]  # fmt: skip
    remark = {**twice, "remark": ["p"] * half + ["q"] * (half - 1) + ["p"]}
    with pytest.raises(CellError) as raised:
        read_scores(remark)
    assert not any(each.parameter == "algorithm" for each in raised.value.options)


def test_segments_belong_to_no_system() -> None:
    with pytest.raises(ColumnError) as raised:
        read_scores({"system": ["a", "a", "b", "b"], "line_id": [1, 2] * 2, "score": [1, 2, 3, 4]})
    assert [each.in_python() for each in raised.value.options] == [
        "dataset='line_id'", "item='line_id'",
    ]  # fmt: skip
