"""What a table can tell: designs, folds, means, selections, its faces."""

from __future__ import annotations

import copy
import itertools
import pickle
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio.errors import (
    CellError,
    ColumnError,
    MissingCellsError,
    ParameterError,
    UnknownNameError,
    UnpairedFoldsError,
)
from palio.measures import Measure
from palio.scores import Design, ScoreTable, read_scores


def grid(
    repeats: int, folds: int, *, datasets: str = "xy", algorithms: str = "abc"
) -> pd.DataFrame:
    keys = itertools.product(datasets, algorithms, range(1, repeats + 1), range(1, folds + 1))
    frame = pd.DataFrame(keys, columns=["dataset", "algorithm", "repeat", "fold"])
    frame["accuracy"] = np.random.default_rng(1).random(len(frame))
    frame["train_time"] = np.arange(len(frame), dtype=float)
    return frame


@pytest.mark.parametrize(
    ("repeats", "folds", "design", "text"),
    [
        (5, 2, "5x2", "5×2 cv"),
        (1, 10, "k-fold", "10-fold cv"),
        (10, 10, "repeated-k-fold", "10×10-fold cv"),
        (2, 5, "repeated-k-fold", "2×5-fold cv"),
        (3, 1, "hold-outs", "3 hold-outs"),
        (1, 1, "none", "one value per data set"),
    ],
)
def test_designs(repeats: int, folds: int, design: Any, text: str) -> None:
    table = read_scores(grid(repeats, folds))
    assert table.design() == table.design("x") == Design(design, repeats, folds)
    assert str(table.design()) == text
    assert table.fold_scores("y").shape == (3, repeats, folds)


def test_mixed_designs() -> None:
    table = read_scores(pd.concat([grid(5, 2), grid(1, 10, datasets="z")]))
    assert table.design("x").kind == "5x2"
    assert table.design("z").kind == "k-fold"
    assert table.design() == Design("mixed", 5, 10)
    assert "designs differ by data set" in repr(table)
    assert table.select(datasets=["z"]).design().kind == "k-fold"
    assert table.means().shape == (3, 3)


def test_unpaired_folds_are_accepted_with_a_note_and_refused_by_folds() -> None:
    frame = grid(1, 3)
    lacking = frame[~((frame.dataset == "x") & (frame.algorithm == "b") & (frame.fold == 2))]
    table = read_scores(lacking)
    assert table.design("x").kind == "irregular"
    assert str(table.design("x")) == "irregular folds"
    assert table.design("y").kind == "k-fold"
    assert table.is_complete
    assert np.isfinite(table.means()).all()
    assert "do not share the folds of 1 data set (x)" in table.notes[-1]
    with pytest.raises(UnpairedFoldsError, match=r"folds of 'x'.*'b' lacks fold 2"):
        table.fold_scores("x")
    assert table.fold_scores("y").shape == (3, 1, 3)


def test_folds_of_the_same_number_but_different_labels_are_unpaired() -> None:
    columns = {"dataset": ["x"] * 4, "algorithm": ["a", "a", "b", "b"], "auc": [1, 2, 3, 4]}
    table = read_scores({**columns, "fold": [1, 2, 1, 3]})
    with pytest.raises(UnpairedFoldsError, match="'a' lacks fold 3, 'b' lacks fold 2\\. Add those"):
        table.fold_scores("x")
    with pytest.raises(UnpairedFoldsError, match="'a' lacks repeat 3, 'b' lacks repeat 2\\."):
        read_scores({**columns, "repeat": [1, 2, 1, 3]}).fold_scores("x")


def test_repeats_with_different_folds_are_irregular() -> None:
    frame = grid(2, 2)
    table = read_scores(frame[~((frame.repeat == 2) & (frame.fold == 2))])
    assert table.design().kind == "irregular"
    with pytest.raises(UnpairedFoldsError, match=r"not the same in every repeat.*repeat 2 fold 1"):
        table.fold_scores("x")


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (["10", "2", "1"], [1, 2, 10]),
        ([10, 2, 1], [1, 2, 10]),
        ([10.0, 2.0, 1.0], [1, 2, 10]),
        (["-1", "0", "+3"], [-1, 0, 3]),
        (["fold10", "fold2", "fold1"], ["fold1", "fold2", "fold10"]),
        (["b", "10", "a"], ["10", "a", "b"]),
        (["0.5", "0.25", "10"], ["0.25", "0.5", "10"]),
    ],
)
def test_folds_are_sorted_as_numbers(labels: list[Any], ordered: list[Any]) -> None:
    columns = {"dataset": ["x"] * 6, "algorithm": ["a"] * 3 + ["b"] * 3, "fold": labels * 2}
    scores = {label: float(place) for place, label in enumerate(labels)}
    table = read_scores({**columns, "auc": [scores[label] for label in labels] * 2})
    assert table.to_frame()["fold"].tolist() == ordered * 2
    plain = [str(label).removeprefix("+").removesuffix(".0") for label in labels]
    expected = [float(plain.index(str(label))) for label in ordered]
    assert table.fold_scores("x")[0, 0].tolist() == expected


@cache
def reference_grid() -> ScoreTable:
    return read_scores(grid(3, 2))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(random: Any) -> None:
    frame, reference = grid(3, 2), reference_grid()
    rows, columns = list(range(len(frame))), list(frame.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    table = read_scores(frame.iloc[rows][columns])
    table = table.select(reference.datasets, reference.algorithms)
    assert np.array_equal(table.means(), reference.means())
    assert np.array_equal(table.cost_matrix("train_time"), reference.cost_matrix("train_time"))
    for dataset in reference.datasets:
        assert np.array_equal(table.fold_scores(dataset), reference.fold_scores(dataset))


def test_means_are_over_folds() -> None:
    frame = grid(5, 2)
    expected = frame.groupby(["dataset", "algorithm"])["accuracy"].mean().to_numpy().reshape(2, 3)
    assert np.allclose(read_scores(frame).means(), expected, rtol=1e-15)


def test_select_keeps_the_order_given() -> None:
    table = read_scores(grid(2, 2), higher_is_better=True)
    part = table.select(datasets=["y"], algorithms=["c", "a"])
    assert (part.datasets, part.algorithms) == (("y",), ("c", "a"))
    assert (part.n_datasets, part.n_algorithms) == (1, 2)
    assert np.array_equal(part.fold_scores("y"), table.fold_scores("y")[[2, 0]])
    assert np.array_equal(part.means(), table.means()[1:, [2, 0]])
    swapped = table.select(datasets=["y", "x"])
    assert np.array_equal(swapped.means(), table.means()[::-1])
    assert table.select().means().tolist() == table.means().tolist()
    assert table.select(algorithms=["a"]).n_algorithms == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.select(datasets=["z"]), UnknownNameError, "dataset: 'z' is not known"),
        (lambda t: t.select(algorithms=["aa"]), UnknownNameError, "algorithm: 'aa' is not known"),
        (lambda t: t.select(datasets=[]), ParameterError, "datasets: at least one"),
        (lambda t: t.select(algorithms=["a", "a"]), ParameterError, "each name may be given once"),
        (lambda t: t.fold_scores("z"), UnknownNameError, "dataset: 'z' is not known"),
        (lambda t: t.design("z"), UnknownNameError, "dataset: 'z' is not known"),
        (lambda t: t.with_score("f1"), UnknownNameError, "score: 'f1' is not known"),
    ],
)
def test_unknown_names(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(read_scores(grid(1, 2)))


def test_with_score() -> None:
    frame = grid(1, 2)
    frame["depth"] = -frame["accuracy"]
    frame["auc"] = np.inf
    table = read_scores(frame, score="accuracy")
    other = table.with_score("depth", higher_is_better=False)
    assert np.array_equal(other.means(), -table.means())
    assert other.measure == Measure("depth", higher_is_better=False)
    assert table.measure.name == "accuracy"
    *notes, scale = other.notes
    assert tuple(notes) == table.notes
    assert scale.startswith("depth is compared by differences, as its name does not tell its scale")
    with pytest.raises(ParameterError, match="higher_is_better: 'depth'"):
        table.with_score("depth")
    with pytest.raises(CellError, match="auc must be finite"):
        table.with_score("auc")


def test_nothing_can_be_written_to() -> None:
    table = read_scores(grid(1, 2))
    arrays = [table.fold_scores("x"), table.rows.dataset, *table.rows.scores.values()]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        table.measure = None  # type: ignore[misc, assignment]


def test_faces() -> None:
    table = read_scores(grid(5, 2))
    assert repr(table) == (
        "<ScoreTable: 2 data sets × 3 algorithms, 5×2 cv, accuracy (higher is better),"
        " costs: train_time>"
    )
    assert str(table) == str(table.understood())
    assert str(table).startswith("2 data sets × 3 algorithms")
    assert "Recognised as costs by name: train_time." in str(table)
    one = ScoreTable.from_arrays([[1, 2]], datasets=["x"], algorithms=["a", "b"], measure="rmse")
    assert repr(one) == (
        "<ScoreTable: 1 data set × 2 algorithms, one value per data set, rmse (lower is better)>"
    )


def test_to_frame_reads_back() -> None:
    frame = grid(5, 2)
    table = read_scores(frame)
    pd.testing.assert_frame_equal(table.to_frame(), frame, check_dtype=False)
    assert np.array_equal(read_scores(table.to_frame()).means(), table.means())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_tables_can_be_copied_and_sent(copied: Any) -> None:
    table = read_scores(grid(5, 2))
    again = copied(table)
    assert repr(again) == repr(table)
    assert np.array_equal(again.means(), table.means())


def test_from_arrays() -> None:
    scores = np.arange(24.0).reshape(2, 3, 2, 2)
    table = ScoreTable.from_arrays(
        scores,
        datasets=["x", "y"],
        algorithms=["a", "b", "c"],
        measure=Measure("gain", higher_is_better=True),
        costs={"time": [[1, 2, 3], [4, 5, 6]]},
        notes=["made up"],
    )
    assert table.fold_scores("y").tolist() == scores[1].tolist()
    assert table.cost_matrix("time").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert table.notes[0] == "made up"
    (scale,) = table.notes[1:]
    assert scale.startswith("gain is compared by differences, as its name does not tell its scale")
    scores[:] = 0
    assert table.fold_scores("y").max() == 23
    settled = ScoreTable.from_arrays(
        [[1, np.nan]], datasets=["x"], algorithms=["a", "b"], measure="auc", missing="worst"
    )
    assert settled.means().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("scores", "changes", "error", "message"),
    [
        ([1, 2], {}, ParameterError, r"scores: .*\(2,\) was given"),
        ([[1, 2], [3, 4]], {}, ParameterError, r"scores: .* \(1, 2\), or .*\(2, 2\) was given"),
        ([[1, 2, 3]], {}, ParameterError, r"\(1, 3\) was given; give a name for each"),
        ([["u", 2]], {}, CellError, "scores: must be an array of numbers"),
        (np.zeros((0, 2)), {"datasets": []}, ParameterError, "at least one value"),
        ([[1, np.nan]], {"missing": "error"}, MissingCellsError, "'b' on 'x'"),
        ([[1, np.inf]], {}, CellError, "inf for 'b' on 'x'"),
        ([[1]], {"algorithms": ["a"]}, ColumnError, "at least two algorithms"),
        ([[1, 2]], {"algorithms": ["a", "a "]}, CellError, "more than one 'a'"),
        ([[1, 2]], {"datasets": [" "]}, CellError, "datasets: no name may be empty"),
        ([[1, 2]], {"costs": {"t": [1, 2]}}, ParameterError, r"costs\['t'\]: .*\(2,\) was given"),
        ([[1, 2]], {"costs": {"t": [[1, -2]]}}, CellError, "t must be finite and not negative"),
        ([[1, 2]], {"costs": {"t": [[np.nan] * 2]}}, MissingCellsError, "t must be there"),
        ([[1, 2]], {"measure": "zeal"}, ParameterError, r"measure: .*give Measure\('zeal', high"),
        ([[1, 2]], {"missing": "drop"}, UnknownNameError, "missing: 'drop' is not known"),
    ],
)
def test_bad_arrays(
    scores: Any, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    options: dict[str, Any] = {"datasets": ["x"], "algorithms": ["a", "b"], "measure": "auc"}
    with pytest.raises(error, match=message) as raised:
        ScoreTable.from_arrays(scores, **{**options, **changes})
    assert "\n" not in str(raised.value)


def test_a_large_table() -> None:
    n_datasets, n_algorithms, n_folds = 80, 50, 10
    scores = np.random.default_rng(0).random((n_datasets, n_algorithms, 1, n_folds))
    dataset, algorithm, _, fold = (axis.reshape(-1) for axis in np.indices(scores.shape))
    frame = pd.DataFrame(
        {
            "dataset": np.char.add("d", dataset.astype(str)),
            "algorithm": np.char.add("a", algorithm.astype(str)),
            "fold": fold,
            "accuracy": scores.reshape(-1),
        }
    ).sample(frac=1, random_state=0)
    table = read_scores(frame)
    names = [f"d{i}" for i in range(n_datasets)], [f"a{i}" for i in range(n_algorithms)]
    assert np.allclose(table.select(*names).means(), scores.mean(axis=(2, 3)), rtol=1e-14)
    assert np.array_equal(table.select(*names).fold_scores("d7"), scores[7])


def test_a_published_table() -> None:
    folder = files("palio.studies") / "data" / "ulas2008"
    with as_file(folder / "accuracy.csv") as scores, as_file(folder / "costs.csv") as costs:
        table = read_scores(scores, costs=costs)
    assert repr(table) == (
        "<ScoreTable: 38 data sets × 8 algorithms, 5×2 cv, accuracy (higher is better),"
        " costs: train_time, space>"
    )
    assert table.notes == ()


# --- means, turned and by design -----------------------------------------------------------------


def lower_with_gaps() -> ScoreTable:
    return ScoreTable.from_arrays(
        [[0.1, 0.3, np.nan], [0.5, np.nan, np.nan]],
        datasets=["x", "y"],
        algorithms=["a", "b", "never"],
        measure="error",
        keep_failing=True,
        costs={"time": [[1, 2, np.nan], [3, np.nan, np.nan]], "space": [[1, 1, 5], [1, 1, 7]]},
    )


def test_goodness_is_the_means_turned_so_that_higher_is_better() -> None:
    table = lower_with_gaps()
    np.testing.assert_array_equal(table.goodness(), -table.means())
    upwards = ScoreTable.from_arrays(
        [[0.1, 0.3]], datasets=["x"], algorithms=["a", "b"], measure="accuracy"
    )
    np.testing.assert_array_equal(upwards.goodness(), upwards.means())


def test_mean_scores_and_costs_allow_for_what_is_missing() -> None:
    """On x b is worse by 0.2 and takes twice as long; on y, where it is missing, it would be so."""
    table = lower_with_gaps()
    scores, costs = table.mean_scores(), table.mean_costs()
    assert scores["a"] == pytest.approx(0.3)
    assert scores["b"] == pytest.approx(0.5)
    assert np.isnan(scores["never"])
    assert costs["time"]["a"] == pytest.approx(3**0.5)
    assert costs["time"]["b"] == pytest.approx(2 * 3**0.5)
    assert np.isnan(costs["time"]["never"])
    assert costs["space"] == pytest.approx({"a": 1.0, "b": 1.0, "never": 35**0.5})
    assert list(table.mean_costs(of_all=True)) == ["space"]
    assert table.gaps() == ("pairwise", 3, 6)


def test_a_table_as_plain_data_is_what_was_understood() -> None:
    table = lower_with_gaps()
    found = table.to_dict()
    assert found == table.understood().to_dict()
    assert found["kind"] == "reading"
    assert found["design"] == "one value per data set"
    assert found["measure"] == {"name": "error", "higher_is_better": False}
    assert found["costs"] == ["time", "space"]
    assert (found["n_cells"], found["n_missing"]) == (6, 3)
    assert found["missing"] == {"b": 1, "never": 2}
    assert list(table.understood().to_frame()) == ["algorithm", "missing"]


def mixed_designs() -> ScoreTable:
    """Designs take turns, so that groups are not slices: x and z have 2 folds, y and w have 3."""
    rows = [
        (name, algorithm, fold, 100 * place + 10 * j + fold)
        for place, (name, folds) in enumerate([("x", 2), ("y", 3), ("z", 2), ("w", 3)])
        for j, algorithm in enumerate(["a", "b"])
        for fold in range(folds)
    ]
    dataset, algorithm, fold, error = zip(*rows, strict=True)
    return read_scores({"dataset": dataset, "algorithm": algorithm, "fold": fold, "error": error})


def test_data_sets_are_grouped_by_design_with_their_places_and_their_own_folds() -> None:
    two, three = mixed_designs().by_design()
    assert (str(two.design), two.rows, two.datasets) == ("2-fold cv", [0, 2], ["x", "z"])
    assert (str(three.design), three.rows, three.datasets) == ("3-fold cv", [1, 3], ["y", "w"])
    assert two.goodness().tolist() == [
        [[[0, -1]], [[-10, -11]]],
        [[[-200, -201]], [[-210, -211]]],
    ]
    assert three.goodness()[1].tolist() == [[[-300, -301, -302]], [[-310, -311, -312]]]


def test_irregular_folds_are_refused_where_designs_are_needed() -> None:
    frame = mixed_designs().to_frame().drop(index=0)
    with pytest.raises(UnpairedFoldsError, match="'a' lacks fold 0"):
        read_scores(frame).by_design()
