"""Which way is better by bold cells and ranks, where no word says it; what they do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from palio.errors import UndecidedError
from palio.scores import read_scores

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {"iris": (91, 88, 70), "wine": (80, 85, 60), "glass": (77, 79, 71), "zoo": (55, 66, 50)}


def bold(best: Any, **rows: tuple[int, ...]) -> str:
    """Write a table in which the best of each data set is in bold."""
    lines = [
        f"| {name} | " + " | ".join(f"**{x}**" if x == best(row) else f"{x}" for x in row) + " |"
        for name, row in rows.items()
    ]
    return "\n".join(["| dataset | svm | knn | c45 |", "|---|---|---|---|", *lines]) + "\n"


@pytest.mark.parametrize(("best", "up"), [(max, True), (min, False)])
def test_bold_cells_tell_the_direction(tmp_path: Path, best: Any, up: bool) -> None:
    (tmp_path / "t.md").write_text(bold(best, **ROWS))
    table = read_scores(tmp_path / "t.md")
    assert table.measure.higher_is_better is up
    assert (
        f"{'Higher' if up else 'Lower'} is better, as the best values are in bold." in table.notes
    )


@pytest.mark.parametrize("best", [lambda row: row[0], lambda _: 0, lambda row: max(row) - 1])
def test_bold_cells_that_contradict_each_other_tell_nothing(tmp_path: Path, best: Any) -> None:
    rows = {**ROWS, "zoo": (50, 66, 55), "sonar": (40, 66, 55)}
    (tmp_path / "t.md").write_text(bold(best, **rows))
    with pytest.raises(UndecidedError, match="whether higher is better"):
        read_scores(tmp_path / "t.md")


def test_words_go_before_marks(tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text("# Error rates\n\n" + bold(max, **ROWS))
    assert not read_scores(tmp_path / "t.md").measure.higher_is_better


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
