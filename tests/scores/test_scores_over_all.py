"""What holds of every table: either direction, gaps or none, one design or several."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from palio.errors import DesignError, MissingCellsError, Option, ParameterError
from palio.measures import measure_named
from palio.scores import Design, ScoreTable, read_scores
from palio.scores.columns import label_order
from palio.types import FloatArray

DATASETS = {"x": (5, 2), "y": (1, 3), "z": (5, 2), "w": (1, 10)}
ALGORITHMS = ("a", "b", "c")


def table_of(measure: str, missing: str, *, mixed: bool, gaps: bool) -> ScoreTable:
    """Make a table row by row, so that every expected number can be looked up."""
    return read_scores(columns_of(measure, mixed=mixed, gaps=gaps), missing=missing)


def columns_of(measure: str, *, mixed: bool, gaps: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {
        name: [] for name in ("dataset", "algorithm", "repeat", "fold", measure, "train_time")
    }
    for place, (dataset, grid) in enumerate(DATASETS.items()):
        repeats, folds = grid if mixed else (5, 2)
        for j, algorithm in enumerate(ALGORITHMS):
            for repeat, fold in itertools.product(range(1, repeats + 1), range(1, folds + 1)):
                hole = gaps and (dataset, algorithm) in {("y", "b"), ("w", "a")} and fold == 1
                score = None if hole else score_of(place, j, repeat, fold)
                row = (dataset, algorithm, repeat, fold, score, 10.0 * place + j + fold)
                for name, value in zip(columns, row, strict=True):
                    columns[name].append(value)
    return columns


def score_of(place: int, j: int, repeat: int, fold: int) -> float:
    return (1 + place * 7 + (j * 3 + place) % 5 + repeat / 10 + fold / 100) / 40


def adjusted_means_by_hand(values: FloatArray) -> FloatArray:
    """Fit effects of data sets and algorithms by least squares, and average over all data sets."""
    n, k = values.shape
    row, column = np.nonzero(~np.isnan(values))
    design = np.zeros((row.size, n + k))
    design[np.arange(row.size), row] = design[np.arange(row.size), n + column] = 1.0
    fitted = np.linalg.lstsq(design, values[row, column], rcond=None)[0]
    return np.asarray(fitted[:n].mean() + fitted[n:])


CASES = list(itertools.product(["accuracy", "error"], [False, True], [False, True]))


@pytest.mark.parametrize(("measure", "mixed", "gaps"), CASES)
def test_means_goodness_and_mean_scores(measure: str, mixed: bool, gaps: bool) -> None:
    table = table_of(measure, "pairwise", mixed=mixed, gaps=gaps)
    frame = table.to_frame()
    sign = 1 if measure == "accuracy" else -1
    for i, dataset in enumerate(table.datasets):
        for j, algorithm in enumerate(table.algorithms):
            own = frame[(frame["dataset"] == dataset) & (frame["algorithm"] == algorithm)]
            mean = own[measure].mean(skipna=False)
            np.testing.assert_allclose(table.means()[i, j], mean, rtol=1e-12)
            np.testing.assert_allclose(table.goodness()[i, j], sign * mean, rtol=1e-12)
    adjusted = adjusted_means_by_hand(table.means())
    for j, (name, mean) in enumerate(table.mean_scores().items()):
        assert name == ALGORITHMS[j]
        assert mean == pytest.approx(adjusted[j])
        assert table.mean_costs()["train_time"][name] == pytest.approx(
            np.exp(np.log(table.cost_matrix("train_time")[:, j]).mean())
        )
    assert table.gaps().cells == (2 if gaps else 0)
    assert table.is_complete is not gaps


@pytest.mark.parametrize(("measure", "mixed", "gaps"), CASES)
def test_groups_by_design_hold_each_data_set_once_with_its_own_folds(
    measure: str, mixed: bool, gaps: bool
) -> None:
    table = table_of(measure, "pairwise", mixed=mixed, gaps=gaps)
    groups = table.by_design()
    assert [group.datasets for group in groups] == (
        [["x", "z"], ["y"], ["w"]] if mixed else [["x", "y", "z", "w"]]
    )
    assert sorted(row for group in groups for row in group.rows) == [0, 1, 2, 3]
    for group in groups:
        if gaps and set(group.datasets) & {"y", "w"}:
            with pytest.raises(MissingCellsError, match=r"need every score on '(y|w)'"):
                group.goodness()
            continue
        goodness = group.goodness()
        assert goodness.shape == (len(group.rows), 3, group.design.repeats, group.design.folds)
        np.testing.assert_allclose(goodness.mean(axis=(2, 3)), table.goodness()[group.rows])
        for n, (row, dataset) in enumerate(zip(group.rows, group.datasets, strict=True)):
            assert table.datasets[row] == dataset
            assert abs(goodness[n, 2, -1, 0]) == pytest.approx(
                score_of(row, 2, group.design.repeats, 1)
            )


@pytest.mark.parametrize(("measure", "mixed"), [case[:2] for case in CASES if case[2]])
def test_what_is_done_about_gaps(measure: str, mixed: bool) -> None:
    with pytest.raises(MissingCellsError, match="missing"):
        table_of(measure, "error", mixed=mixed, gaps=True)
    dropped = table_of(measure, "drop-datasets", mixed=mixed, gaps=True)
    assert dropped.datasets == ("x", "z")
    whole = table_of(measure, "pairwise", mixed=mixed, gaps=False)
    np.testing.assert_array_equal(dropped.means(), whole.select(datasets=["x", "z"]).means())
    worst = table_of(measure, "worst", mixed=mixed, gaps=True)
    extreme = min if measure == "accuracy" else max
    filled = worst.fold_scores("y")[1, 0, 0]
    assert filled == extreme(worst.fold_scores("y")[[0, 2], 0, 0])
    kept = worst.fold_scores("y")[1, 0, 1]
    assert kept == pytest.approx(score_of(1, 1, 1, 2))


@pytest.mark.parametrize(("measure", "mixed", "gaps"), CASES)
def test_turning_score_and_direction_turns_nothing(measure: str, mixed: bool, gaps: bool) -> None:
    columns = columns_of(measure, mixed=mixed, gaps=gaps)
    other = {name: values for name, values in columns.items() if name != measure}
    other["turned"] = [None if value is None else -value for value in columns[measure]]
    up = measure_named(measure).higher_is_better
    choices: tuple[str, ...] = ("pairwise", "worst", "drop-datasets")
    for missing in choices:
        one = read_scores(columns, missing=missing)
        two = read_scores(other, missing=missing, score="turned", higher_is_better=not up)
        np.testing.assert_array_equal(one.goodness(), two.goodness())


@pytest.mark.parametrize(("measure", "mixed", "gaps"), CASES)
def test_the_order_of_rows_and_a_wide_table_say_the_same(
    measure: str, mixed: bool, gaps: bool
) -> None:
    table = table_of(measure, "pairwise", mixed=mixed, gaps=gaps)
    frame = table.to_frame()
    shuffled = frame.sample(frac=1, random_state=1)
    again = read_scores(shuffled, missing="pairwise").select(table.datasets, table.algorithms)
    np.testing.assert_allclose(again.means(), table.means(), rtol=1e-12)
    wide = frame.pivot(index=["dataset", "repeat", "fold"], columns="algorithm", values=measure)
    same = read_scores(wide.reset_index(), score=measure, missing="pairwise")
    same = same.select(table.datasets, table.algorithms)
    np.testing.assert_allclose(same.means(), table.means(), rtol=1e-12)
    assert [str(same.design(name)) for name in DATASETS] == [
        str(table.design(name)) for name in DATASETS
    ]


def test_labels_are_sorted_as_numbers_where_they_are() -> None:
    labels = ["b2", "10", "b10", "a", "-1", "2.5", "3x", ".5"]
    assert sorted(labels, key=label_order) == ["-1", ".5", "2.5", "10", "3x", "a", "b2", "b10"]
    ten = {"dataset": ["x"] * 20, "algorithm": ["a", "b"] * 10, "fold": sorted([*range(1, 11)] * 2)}
    table = read_scores({**ten, "error": [float(i) for i in range(20)]})
    assert table.fold_scores("x")[0, 0].tolist() == [float(i) for i in range(0, 20, 2)]


def test_unequal_numbers_of_folds_are_noted_even_where_their_mean_is_whole() -> None:
    uneven = {"dataset": ["x"] * 4, "algorithm": ["a", "b", "b", "b"], "fold": [1, 1, 2, 3]}
    table = read_scores({**uneven, "error": [0.1, 0.2, 0.3, 0.4]})
    assert table.design("x") == Design("irregular", 1, 3)
    assert any("do not share the folds of 1 data set (x)" in note for note in table.notes)


def test_the_share_that_is_tested_is_told_by_the_folds_or_given() -> None:
    assert Design.of_grid(5, 2).tested_share(None, by="test") == 0.5
    assert Design.of_grid(5, 2).tested_share(0.25, by="test") == 0.25
    with pytest.raises(DesignError, match="30 hold-outs needs the share") as raised:
        Design.of_grid(30, 1).tested_share(None, by="test: 'corrected-t'")
    assert raised.value.options == [Option("test_fraction")]
    for wrong in (0.0, 1.0, -0.1):
        with pytest.raises(ParameterError, match="between 0 and 1"):
            Design.of_grid(5, 2).tested_share(wrong, by="test")
