"""Data sets and algorithms that are copies of another one."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from palio.scores import read_scores
from palio.scores.doubts import notes_on_copies
from palio.scores.table import ScoreTable

WIDE: dict[str, list[Any]] = {
    "dataset": ["iris", "wine", "flowers", "car"],
    "a": [0.9, 0.8, 0.9, 0.5],
    "b": [0.7, 0.6, 0.7, 0.4],
    "c": [0.5, 0.9, 0.5, 0.4],
}
DATASETS = "The same scores throughout, of data sets: iris = flowers."


def copies(table: ScoreTable) -> list[str]:
    return [note for note in table.notes if note.startswith("The same scores")]


@pytest.mark.parametrize("score", ["accuracy", "error"])
def test_data_sets_under_two_names_are_told(score: str) -> None:
    assert copies(read_scores(WIDE, score=score)) == [DATASETS]
    other = {**WIDE, "c": [0.5, 0.9, 0.6, 0.4]}
    assert copies(read_scores(other, score=score)) == []


def test_algorithms_that_are_the_same_are_told_also_if_both_lack_a_score() -> None:
    gaps = [0.9, 0.8, None, 0.5]
    table = read_scores({**WIDE, "a": gaps, "d": gaps}, score="accuracy", missing="pairwise")
    assert copies(table) == ["The same scores throughout, of algorithms: a = d."]
    gaps = [0.9, 0.8, 0.9, None]
    table = read_scores({**WIDE, "a": gaps, "d": WIDE["a"]}, score="accuracy", missing="pairwise")
    assert copies(table) == [DATASETS]


def test_the_folds_must_agree_and_not_the_means_alone() -> None:
    rows = [(d, a, f) for d in ("x", "y", "z") for a in "abc" for f in (1, 2)]
    columns: dict[str, list[Any]] = {
        "dataset": [row[0] for row in rows],
        "algorithm": [row[1] for row in rows],
        "fold": [row[2] for row in rows],
        "accuracy": [
            "xyz".index(d) / 4 + (0.125 if (f == 1) == (a == "a") else 0.25) for d, a, f in rows
        ],
    }
    assert copies(read_scores(columns)) == ["The same scores throughout, of algorithms: b = c."]


def test_a_ceiling_is_named_and_the_list_is_short() -> None:
    names = [f"d{i}" for i in range(4)]
    perfect: dict[str, list[Any]] = {
        "dataset": names,
        **{a: [1.0] * 3 + [0.5] for a in "abcdefghij"},
    }
    found = copies(read_scores(perfect, score="accuracy"))
    assert found[0].endswith("data sets: d0 = d1 = d2 (all 1).")
    few = {name: perfect[name] for name in ("dataset", "a", "b", "c")}
    assert not any("data sets" in note for note in copies(read_scores(few, score="accuracy")))
    many: dict[str, list[Any]] = {"dataset": [f"d{i}" for i in range(12)]}
    for j, name in enumerate("abc"):
        many[name] = [(i // 2 + 1) * (j + 1) / 100 for i in range(12)]
    assert "… and 3 more" in copies(read_scores(many, score="accuracy"))[0]


def test_small_tables_are_left_alone() -> None:
    two = {"dataset": ["x", "y"], "a": [0.9, 0.9], "b": [0.9, 0.9]}
    assert copies(read_scores(two, score="accuracy")) == []


def test_a_large_table_is_quick() -> None:
    values = np.random.default_rng(0).random((1300, 1400))
    values[7] = values[1200]
    names = [[f"{kind}{i}" for i in range(n)] for kind, n in zip("da", values.shape, strict=True)]
    table = ScoreTable.from_arrays(
        values, datasets=names[0], algorithms=names[1], measure="accuracy"
    )
    start = time.perf_counter()
    assert notes_on_copies(table.rows, "accuracy") == (
        "The same scores throughout, of data sets: d7 = d1200.",
    )
    assert time.perf_counter() - start < 5
