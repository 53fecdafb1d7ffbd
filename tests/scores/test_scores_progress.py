"""Scores along training, turns and judges of questions, and messages within results."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palio.errors import CellError, ColumnError
from palio.scores import read_scores

# Two games, two agents, steps in any order; the last of each is best.
CURVES: dict[str, list[Any]] = {
    "game": ["pong"] * 4 + ["qbert"] * 4,
    "agent": ["dqn", "dqn", "iqn", "iqn"] * 2,
    "env_step": [200, 100, 100, 200, 100, 200, 200, 100],
    "reward": [5.0, 1.0, 2.0, 6.0, 3.0, 7.0, 8.0, 4.0],
}


@pytest.mark.parametrize("name", ["env_step", "Iteration", "epoch", "frame", "timestep", "hour"])
def test_training_progress_is_refused_and_the_last_step_offered(name: str) -> None:
    curves = {key if key != "env_step" else name: each for key, each in CURVES.items()}
    with pytest.raises(ColumnError, match="how far training has come") as raised:
        read_scores(curves)
    assert [str(each.in_python()) for each in raised.value.options] == [
        "duplicates='last'", f"where='{name}=200'",
    ]  # fmt: skip
    told = f"last {name}: duplicates='last'; or at another one: where='{name}=200'. If"
    assert told in str(raised.value)
    with pytest.raises(ColumnError, match="neither data sets nor repeats"):
        read_scores(curves, dataset=name)


def test_the_last_step_is_found_by_its_number_and_not_by_its_row() -> None:
    table = read_scores(CURVES, duplicates="last")
    np.testing.assert_array_equal(table.means(), [[5, 6], [7, 8]])
    assert "The rows are in the order of env_step, whichever of several is taken." in table.notes
    assert any(note.startswith("duplicates='last': 4 results") for note in table.notes)
    np.testing.assert_array_equal(read_scores(CURVES, duplicates="first").means(), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(read_scores(CURVES, duplicates="mean").means(), [[3, 4], [5, 6]])


def test_a_file_of_curves_is_of_one_data_set(tmp_path: Path) -> None:
    path = tmp_path / "ant.json"
    curves = {name: values[:4] for name, values in CURVES.items() if name != "game"}
    path.write_text(
        json.dumps(
            [dict(zip(curves, row, strict=True)) for row in zip(*curves.values(), strict=True)]
        )
    )
    with pytest.raises(ColumnError, match="how far training has come"):
        read_scores(path)
    table = read_scores(path, duplicates="last")
    assert table.datasets == ("ant",)
    np.testing.assert_array_equal(table.means(), [[5, 6]])


def test_an_unknown_step_is_not_the_last() -> None:
    more = {name: [*values, values[0]] for name, values in CURVES.items()}
    more |= {"env_step": [*CURVES["env_step"], None], "reward": [*CURVES["reward"], 99.0]}
    table = read_scores(more, duplicates="last")
    np.testing.assert_array_equal(table.means(), [[5, 6], [7, 8]])


def test_several_rows_of_a_step_are_asked_about() -> None:
    twice = {name: values * 2 for name, values in CURVES.items()}
    twice["reward"] = [*CURVES["reward"], *(each + 2 for each in CURVES["reward"])]
    with pytest.raises(CellError, match="several rows are of one env_step"):
        read_scores(twice, duplicates="last")
    table = read_scores({**twice, "seed": [1] * 8 + [2] * 8}, duplicates="last")
    np.testing.assert_array_equal(table.means(), [[6, 7], [8, 9]])


def test_a_wide_table_of_curves_has_no_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "ant.csv"
    path.write_text("Step,dqn,iqn\n1,0.1,0.2\n3,0.5,0.6\n2,0.3,0.4\n")
    with pytest.raises(ColumnError, match="'Step'"):
        read_scores(path, score="reward")
    table = read_scores(path, score="reward", duplicates="last")
    np.testing.assert_array_equal(table.means(), [[0.5, 0.6]])


def test_iterations_of_a_resampling_are_repeats() -> None:
    renamed = {key if key != "env_step" else "iteration": each for key, each in CURVES.items()}
    table = read_scores({**renamed, "resampling_id": ["cv"] * 8})
    assert str(table.design()) == "2 hold-outs"
    assert str(read_scores(renamed, repeat="iteration").design()) == "2 hold-outs"


QUESTIONS: dict[str, list[Any]] = {
    "question_id": ["q1", "q2"] * 4,
    "model": ["a"] * 4 + ["b"] * 4,
    "score": [8.0, 6.0, 9.0, 5.0, 7.0, 6.0, 6.0, 4.0],
}


@pytest.mark.parametrize("name", ["judge_id", "annotator", "rater", "grader"])
def test_judges_are_repeats_of_a_question_and_no_data_sets(name: str) -> None:
    judges = ["x", "x", "y", "y"] * 2
    table = read_scores({**QUESTIONS, name: judges, "category": ["u", "v"] * 4})
    assert table.datasets == ("u", "v")
    assert table.items is not None
    assert table.items.repeats is not None
    np.testing.assert_array_equal(table.items.values, [[8.5, 6.5], [5.5, 5.0]])


def test_turns_of_a_question_are_items_of_one_cluster() -> None:
    table = read_scores({**QUESTIONS, "turn": [1, 1, 2, 2] * 2})
    assert table.items is not None
    assert (table.items.n_items, table.items.n_clusters) == (4, 2)
    assert dict(table.how_read.roles)["cluster"] == "question_id"
    once = read_scores({**QUESTIONS, "turn": [1] * 8, "judge": ["x", "x", "y", "y"] * 2})
    assert once.items is not None
    assert (once.items.n_items, once.items.n_clusters) == (2, None)


def test_a_column_of_lists_names_nothing() -> None:
    judge = [["gpt", "v1"], ["gpt", "v1"], ["gpt", "v1-multi"], ["gpt", "v1-multi"]] * 2
    rows = {**QUESTIONS, "judge": judge, "turn": [1, 1, 2, 2] * 2}
    records = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    table = read_scores(records)
    assert table.n_datasets == 1
    assert "Columns not used because they hold lists or records: judge." in table.notes


def test_a_mark_of_minus_one_is_noted() -> None:
    marks = [8.0, 6.0, 9.0, 5.0, -1.0, 6.0, 6.0, 4.0]
    rows = {**QUESTIONS, "turn": [1, 1, 2, 2] * 2, "score": marks}
    assert any("1 score of -1 count" in note for note in read_scores(rows).notes)


def talks(score: str | None, inner: dict[str, object]) -> str:
    tasks = [
        {"task_id": task, "trial": trial, "traj": [inner, inner], **({score: 1.0} if score else {})}
        for task in (1, 2)
        for trial in (0, 1)
    ]
    return json.dumps(tasks)


def test_messages_within_a_result_are_no_results(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(talks("reward", {"role": "user", "content": "hi"}))
    with pytest.raises(ColumnError, match=r"at least two algorithms .*'one'.* of a second one"):
        read_scores(tmp_path / "one.json")
    table = read_scores(tmp_path)
    assert (table.algorithms, table.n_datasets) == (("one", "two"), 2)
    assert str(table.design()) == "2 hold-outs"
