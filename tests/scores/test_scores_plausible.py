"""Values that cannot be, or not all at once: an error that names rows, or a note if let through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import CellError
from palio.scores import ScoreTable, read_scores

NAMES = ["x", "y", "z"]


def of(columns: dict[str, list[Any]], score: str, *, let: bool = False) -> ScoreTable:
    names = NAMES[: len(next(iter(columns.values())))]
    return read_scores({"dataset": names, **columns}, score=score, allow_out_of_range=let)


def assert_refused(rule: str, score: str = "accuracy", **columns: list[Any]) -> None:
    """Assert that it is an error, and, let through, the same values with a note."""
    with pytest.raises(CellError, match=f"score: {rule}.*allow_out_of_range=True"):
        of(columns, score)
    table = of(columns, score, let=True)
    assert table.means().T.tolist() == list(columns.values())
    assert any(note.startswith("Let through as asked: ") for note in table.notes)


RATIOS = "rmse has a unit of its own on each data set: it is compared by ratios."
FLOORED = (
    "In no mean, as they are taken for that: 1 value of rmse below a millionth of the data set's "
    "median."
)


def assert_read(
    score: str = "accuracy", *, notes: tuple[str, ...] = (), **columns: list[Any]
) -> None:
    table = of(columns, score)
    assert table.means().T.tolist() == list(columns.values())
    assert table.notes == notes


# --- ranges ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "value", "rule"),
    [
        ("accuracy", -0.1, "accuracy is between 0 and 100, as fractions or percent, but 1 "),
        ("accuracy", 100.5, "accuracy is between"),
        ("auc", 300, "auc is between"),
        ("f1_macro", -2, "f1_macro is between"),
        ("error_rate", 101, "error_rate is between"),
        ("kappa", -101, "kappa is between -100 and 100, as fractions or percent, but 1 "),
        ("r2", 101, "r2 is between -inf and 100, as fractions or percent, but 1 value is not"),
        ("rmse", -2, "rmse is between 0 and inf, but 1 value is not"),
        ("neg_log_loss", 0.5, "neg_log_loss is between -inf and 0, but 1 value is not"),
    ],
)
def test_values_beyond_the_range(score: str, value: float, rule: str) -> None:
    usual = -0.5 if score.startswith("neg") else 60.0
    where = rf".*\({value:g} for 'b' on 'y'; row 1, counted from 0\)"
    assert_refused(rule + where, score, a=[usual, usual, usual], b=[usual, value, usual])


@pytest.mark.parametrize(
    ("score", "value"),
    [
        ("accuracy", 0.0),
        ("accuracy", 100.0),
        ("kappa", -0.5),
        ("r2", -1e5),
        ("rmse", 1e9),
        ("error", 150.0),
        ("loss", -3.0),
        ("wer", 120.0),
        ("score", -7.0),
        ("reward", 1e6),
    ],
)
def test_values_within_the_range(score: str, value: float) -> None:
    notes = {
        "rmse": (RATIOS, FLOORED),
        "loss": (
            "loss is below 0 for 'b' on 'y', so ratios mean nothing: only who is better on each "
            "data set counts.",
        ),
    }.get(score, ())
    assert_read(score, notes=notes, a=[60.0, 61.0, 62.0], b=[60.0, value, 59.0])


def test_a_name_turned_against_its_direction_has_no_range() -> None:
    columns = {"dataset": ["x"], "a": [-5.0], "b": [300.0]}
    assert read_scores(columns, score="accuracy", higher_is_better=False).notes == ()


def test_what_failed_runs_left_behind_is_no_value() -> None:
    columns = {
        "dataset": ["x", "x", "y", "y"],
        "algorithm": ["a", "b", "a", "b"],
        "accuracy": [0.9, -1, 0.9, 0.8],
        "status": ["ok", "failed", "ok", "ok"],
    }
    assert read_scores(columns, missing="drop-datasets").datasets == ("y",)


def test_what_is_left_out_is_not_looked_at() -> None:
    columns = {"dataset": ["x", "y"], "a": [0.5, 0.6], "b": [0.7, 0.8], "c": [-1, -1]}
    assert read_scores(columns, score="accuracy", exclude="c").algorithms == ("a", "b")


def test_absurd_values() -> None:
    rule = (
        r"rmse is 0.9 or less in half of the rows, but 1 value is far off \(1e\+90 for 'b' on 'x'"
    )
    assert_refused(rule, "rmse", a=[0.9, 0.8, 0.7], b=[1e90, 0.9, 1.1])
    assert_read("rmse", notes=(RATIOS, FLOORED), a=[0.9, 0.8, 0.7], b=[1e9, 0.9, 1.1])
    assert_read("rmse", notes=(RATIOS,), a=[1e31, 2e31, 3e31], b=[1e31, 2e33, 3e30])


def test_infinite_values_are_never_let_through() -> None:
    with pytest.raises(CellError, match="must be finite"):
        of({"a": [1.0, 2.0], "b": [np.inf, 1.0]}, "rmse", let=True)


# --- ranks -----------------------------------------------------------------------------------


# --- fractions and percent -------------------------------------------------------------------


def test_an_algorithm_in_fractions_beside_percent() -> None:
    rule = (
        "accuracy seems to be in fractions for 'b' and in percent for others "
        r"\(0.88 for 'b' on 'x', 0.7 for 'b' on 'y', 0.95 for 'b' on 'z'; rows 0, 1, 2, counted"
    )
    assert_refused(rule, a=[90.0, 72.0, 91.0], b=[0.88, 0.7, 0.95], c=[85.0, 60.0, 99.0])
    assert_refused(
        "error_rate seems to be in fractions for 'b'", "error_rate",
        a=[12.0, 20.0, 8.0], b=[0.11, 0.22, 0.07],
    )  # fmt: skip


def test_low_percentages_are_no_fractions() -> None:
    # Errors of an algorithm that is better by far.
    assert_read("error_rate", a=[6.0, 8.0, 5.0], b=[0.3, 0.5, 0.4])
    # A weak algorithm: at some place nothing, or a little above 1.
    assert_read(a=[60.0, 72.0, 51.0], b=[0.6, 0.0, 0.8])
    assert_read(a=[60.0, 72.0, 51.0], b=[0.6, 0.7, 1.3])
    # Far from the others in one place only, or nowhere far from all.
    assert_read(a=[60.0, 4.0, 3.0], b=[0.6, 0.3, 0.2])
    assert_read(a=[5.0, 6.0, 4.0], b=[0.9, 0.8, 0.7], c=[60.0, 70.0, 50.0])
    # Values on both sides of 1 that are near each other.
    assert_read(a=[1.2, 0.8, 1.1], b=[0.9, 0.7, 0.6])


def test_a_data_set_in_fractions_beside_percent() -> None:
    rule = "accuracy seems to be in fractions on 'y' and in percent on others"
    assert_refused(rule, a=[90.0, 0.7, 95.0], b=[80.0, 0.8, 70.0])
    # An easy data set, in errors; one where nobody gets far, as elsewhere; and marks up to 10.
    assert_read("error_rate", a=[30.0, 0.7, 25.0], b=[31.0, 0.8, 24.0])
    assert_read(a=[90.0, 0.7, 50.0], b=[80.0, 0.8, 0.7])
    assert_read(a=[9.0, 0.7, 5.0], b=[8.0, 0.8, 7.0])


def test_a_cell_in_fractions_beside_percent() -> None:
    rule = r"accuracy seems .* in fractions in 1 cell and in percent beside \(0.85 for 'b' on 'y'"
    assert_refused(rule, a=[90.0, 80.0, 95.0], b=[80.0, 0.85, 70.0], c=[79.0, 90.0, 75.0])
    rule = "accuracy seems to be in fractions in 2 cells and in percent beside"
    assert_refused(rule, a=[90.0, 80.0], b=[80.0, 0.85], c=[79.0, 90.0], d=[85.0, 0.9])
    assert_read("error_rate", a=[30.0, 20.0], b=[31.0, 0.21], c=[29.0, 22.0])
    # The others are far apart, so that this one may be too.
    assert_read(a=[90.0, 80.0, 95.0], b=[80.0, 0.85, 70.0], c=[79.0, 20.0, 75.0])


def test_values_above_one_among_fractions() -> None:
    good = [0.9] * 3
    rule = r"accuracy is in fractions, but 1 value is above 1 \(1.02 for 'd' on 'z'"
    assert_refused(rule, a=good, b=good, c=good, d=[0.8, 0.9, 1.02])
    assert_read("error_rate", a=good, b=good, c=good, d=[0.8, 0.9, 1.02])


def test_on_a_leaderboard_columns_may_be_measures_of_their_own() -> None:
    board = {
        "model": ["a", "b", "c"],
        "ARC": [0.5, 0.6, 0.7],
        "MTB": [71.0, 62.0, 83.0],
        "STS": [-0.1, 0.4, 0.5],
    }
    table = read_scores(board, score="accuracy")
    assert table.datasets == ("ARC", "MTB", "STS")
    note = "Perhaps not all columns are accuracy: accuracy is between 0 and 100, as fractions or "
    assert any(each.startswith(note) for each in table.notes)
    mixed = {"model": ["a", "b"], "ARC": [0.5, 60.0], "MTB": [0.71, 62.0]}
    with pytest.raises(CellError, match="seems to be in fractions for 'a'"):
        read_scores(mixed, score="accuracy")
