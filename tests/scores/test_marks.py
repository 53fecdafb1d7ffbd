"""Which way is better by ranks, where no word says it; what they do not tell."""

from __future__ import annotations

from typing import Any

import pytest

from palio.errors import UndecidedError
from palio.scores import read_scores
from palio.scores.frames import from_mapping
from palio.scores.marks import ranked_direction
from palio.scores.readings import Reading

MODELS: dict[str, list[Any]] = {
    "model": ["svm", "knn", "c45", "mlp", "cart", "ripper"],
    "iris": [90, 88, 88, 70, 65, 60],
    "wine": [80, 75, 77, 60, 61, 55],
}


def worst_first(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: cells if name == "model" else cells[::-1] for name, cells in columns.items()}


@pytest.mark.parametrize("heading", ["rank", "Avg. rank", "Ranking"])
def test_ranks_tell_the_direction(heading: str) -> None:
    ranks = {heading: [1, 2, 3, 4, 5, 6]}
    assert read_scores({**ranks, **MODELS}).measure.higher_is_better
    assert not read_scores({**ranks, **worst_first(MODELS)}).measure.higher_is_better


def test_row_numbers_are_no_ranks_unless_some_are_tied() -> None:
    with pytest.raises(UndecidedError, match="whether higher is better"):
        read_scores({"#": [1, 2, 3, 4, 5, 6], **MODELS})
    table = read_scores({"#": [1, 2, 2, 4, 5, 6], **MODELS})
    assert table.measure.higher_is_better
    assert "Higher is better, as it follows '#'." in table.notes


def test_ranks_of_something_else_tell_nothing() -> None:
    with pytest.raises(UndecidedError, match="whether higher is better"):
        read_scores({"rank": [3, 1, 6, 2, 5, 4], **MODELS})


def test_names_of_two_columns_that_were_joined_have_no_ranks() -> None:
    columns = from_mapping({"task+budget": ["a, 1", "b, 1"], "svm": [1, 2], "knn": [2, 1]}, "t")
    reading = Reading("datasets-in-rows", (), ("task", "budget"), ("svm", "knn"))
    assert ranked_direction(columns, reading, ["svm", "knn"]) == (None, "")
