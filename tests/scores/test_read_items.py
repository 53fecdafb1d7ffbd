"""read_items and the items of read_scores: every layout that an item column may stand in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palio
from palio import read_items, read_scores
from palio.errors import CellError, ColumnError
from palio.scores.items import MODELS_STAY
from tests.shared import shared_file

NAN = float("nan")

LONG: dict[str, list[Any]] = {
    "task": ["u", "u", "u", "u", "v", "v", "v", "v"],
    "question_id": [1, 1, 2, 2, 1, 1, 7, 7],
    "model": ["a", "b"] * 4,
    "accuracy": [1.0, 0.0, 0.5, 1.0, 0.25, 0.75, 1.0, 0.5],
}
MATRIX = [[1, 0], [0.5, 1], [0.25, 0.75], [1, 0.5]]


def test_long() -> None:
    items = read_items(LONG)
    assert (items.datasets, items.algorithms) == (("u", "v"), ("a", "b"))
    assert items.labels == ("1", "2", "1", "7")
    assert items.dataset_of.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(items.values, MATRIX)
    assert items.measure.name == "accuracy"
    assert items.repeats is None
    assert items.cluster_of is None


def test_the_table_of_means_is_the_same_either_way() -> None:
    table = read_scores(LONG)
    assert table.items is not None
    np.testing.assert_array_equal(table.means(), table.items.to_scores().means())
    np.testing.assert_array_equal(table.means(), [[0.75, 0.5], [0.625, 0.625]])


def test_wide_with_items() -> None:
    wide = {
        "dataset": ["u", "u", "v", "v"],
        "item": [1, 2, 1, 7],
        "a": [1, 0.5, 0.25, 1],
        "b": [0, 1, 0.75, 0.5],
    }
    items = read_items(wide, score="accuracy")
    np.testing.assert_array_equal(items.values, MATRIX)
    assert items.labels == ("1", "2", "1", "7")
    np.testing.assert_array_equal(
        read_scores(wide, score="accuracy").means(), read_scores(LONG).means()
    )


def test_right_and_wrong_may_be_words() -> None:
    long = {
        "question_id": [1, 1, 2, 2],
        "model": ["a", "b", "a", "b"],
        "correct": [True, False, False, False],
        "reasoning": [True, True, False, False],
    }
    np.testing.assert_array_equal(read_items(long).values, [[1, 0], [0, 0]])
    text = {**long, "correct": ["True", "FALSE", "", "false"]}
    np.testing.assert_array_equal(read_items(text).as_floats(), [[1, 0], [NAN, 0]])
    wide = {"item": [1, 2], "a": [True, False], "b": ["true", ""]}
    found = read_items(wide, score="accuracy")
    np.testing.assert_array_equal(found.as_floats(), [[1, 1], [0, NAN]])
    with pytest.raises(CellError, match="must hold numbers"):
        read_items({**long, "correct": ["true", "false", "maybe", "false"]})


def test_an_empty_cell_of_a_wide_table_is_an_item_that_is_not_there() -> None:
    wide = {"dataset": ["u", "u", "v"], "item": [1, 2, 3], "a": [1, NAN, 1], "b": [0, 1, 0]}
    table = read_scores(wide, score="accuracy")
    np.testing.assert_array_equal(table.means(), [[1, 0.5], [1, 0]])
    assert table.items is not None
    np.testing.assert_array_equal(table.items.as_floats(), [[1, 0], [NAN, 1], [1, 0]])


def test_so_is_one_of_a_long_table() -> None:
    long = {
        "dataset": list("uuuuvvvv"),
        "item": [1, 2] * 4,
        "algorithm": list("aabbaabb"),
        "error": [1, "None", 0, 1, 1, 0, "", None],
    }
    table = read_scores(long)
    np.testing.assert_array_equal(table.means(), [[1, 0.5], [0.5, NAN]])
    assert table.items is not None
    np.testing.assert_array_equal(table.items.as_floats()[:2], [[1, 0], [NAN, 1]])
    told = "No score is in 1 of 8 rows: items that an algorithm does not have. The means are over"
    assert any(note.startswith(told) for note in table.notes)


def test_a_word_in_a_long_table_of_items_is_a_failure() -> None:
    long = {
        "dataset": list("uuuuvvvv"),
        "item": [1, 2] * 4,
        "algorithm": list("aabbaabb"),
        "error": [1, "timeout", 0, 1, 1, 0, 1, 1],
    }
    np.testing.assert_array_equal(read_scores(long).means(), [[NAN, 0.5], [0.5, 1]])


def test_a_word_in_a_wide_table_is_a_failure() -> None:
    wide = {"dataset": ["u", "u", "v"], "item": [1, 2, 3], "a": [1, "timeout", 1], "b": [0, 1, 0]}
    table = read_scores(wide, score="accuracy")
    np.testing.assert_array_equal(table.means(), [[NAN, 0.5], [1, 0]])
    assert table.failed().tolist() == [[True, False], [False, False]]
    assert table.items is not None
    np.testing.assert_array_equal(table.items.as_floats(), [[1, 0], [NAN, 1], [1, 0]])


def test_a_wide_table_with_repeats_of_items() -> None:
    wide = {
        "dataset": ["u"] * 4,
        "item": [1, 1, 2, 2],
        "repeat": [1, 2, 1, 2],
        "a": [1, 0, NAN, 1],
        "b": [0.0, 0.5, 1, 1],
    }
    table = read_scores(wide, score="accuracy")
    assert table.items is not None
    assert table.items.repeats is not None
    assert table.items.repeats.counts.tolist() == [[2, 2], [1, 2]]
    np.testing.assert_array_equal(table.items.values, [[0.5, 0.25], [1, 1]])
    np.testing.assert_array_equal(table.means(), [[0.75, 0.625]])


def test_where_an_algorithm_has_no_item_it_was_not_tried() -> None:
    wide = {
        "dataset": list("uuvvww"),
        "item": [1, 2, 1, 2, 1, 2],
        "a": [1, 0, 1, 1, 0, 1],
        "b": [0.5, NAN, NAN, NAN, NAN, NAN],
    }
    table = read_scores(wide, score="accuracy")
    assert table.algorithms == ("a", "b")
    assert not table.failed().any()
    np.testing.assert_array_equal(table.means(), [[0.5, 0.5], [1, NAN], [0.5, NAN]])


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_without_a_column_of_data_sets_the_items_are_of_one(layout: str, tmp_path: Path) -> None:
    text = {
        "long": "question_id,model,accuracy\n1,a,1\n1,b,0\n2,a,0\n2,b,0\n3,a,1\n3,b,1\n",
        "wide": "question_id,a,b\n1,1,0\n2,0,0\n3,1,1\n",
    }
    path = tmp_path / "trivia.csv"
    path.write_text(text[layout])
    items = read_items(path, score="accuracy")
    assert items.datasets == ("trivia",)
    assert items.is_binary
    np.testing.assert_array_equal(items.values, [[1, 0], [0, 0], [1, 1]])
    assert "called by its file: trivia" in " ".join(items.notes)


def test_a_number_that_may_be_an_item_is_asked_about() -> None:
    numbered = {"id": [1, 1, 2, 2], "model": list("abab"), "correct": [1, 0, 1, 1]}
    with pytest.raises(
        ColumnError, match=r"which differ in 'id'\. Say what it is: dataset='id' or item='id'"
    ):
        read_items(numbered)
    assert read_items(numbered, item="id").n_items == 2


def test_a_frame_has_no_name_for_its_one_data_set() -> None:
    items = read_items({"item": [1, 2], "a": [1, 0], "b": [0, 0]}, score="accuracy")
    assert items.datasets == ("items",)


def test_a_folder_with_a_file_per_model(tmp_path: Path) -> None:
    (tmp_path / "run_a.csv").write_text("question_id,accuracy\n1,1\n2,0\n3,1\n")
    (tmp_path / "run_b.csv").write_text("question_id,accuracy\n1,0\n2,0\n")
    items = read_items(tmp_path)
    assert items.algorithms == ("a", "b")
    np.testing.assert_array_equal(items.as_floats(), [[1, 0], [0, 0], [1, NAN]])


def test_a_folder_with_a_file_per_task(tmp_path: Path) -> None:
    for task, right in (("u", 1), ("v", 0)):
        rows = "".join(f"{q},{m},{right if m == 'a' else 1}\n" for q in (1, 2) for m in "ab")
        (tmp_path / f"{task}.csv").write_text(f"question_id,model,accuracy\n{rows}")
    items = read_items(tmp_path)
    assert items.datasets == ("u", "v")
    np.testing.assert_array_equal(items.values, [[1, 1], [1, 1], [0, 1], [0, 1]])


def test_a_folder_with_a_wide_file_per_task(tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text("question_id,a,b\n1,1,0\n2,0,0\n")
    (tmp_path / "v.csv").write_text("question_id,a,b\n1,1,1\n")
    items = read_items(tmp_path, score="accuracy")
    assert items.datasets == ("u", "v")
    np.testing.assert_array_equal(items.values, [[1, 0], [0, 0], [1, 1]])


def test_lower_is_better() -> None:
    errors = {**LONG, "loss": LONG["accuracy"]}
    del errors["accuracy"]
    items = read_items(errors)
    assert not items.measure.higher_is_better
    np.testing.assert_array_equal(items.goodness(), -np.array(MATRIX))


def test_a_measure_of_its_own_on_each_data_set() -> None:
    mixed = {**LONG, "metric": ["accuracy"] * 4 + ["error"] * 4, "score": LONG["accuracy"]}
    del mixed["accuracy"]
    table = read_scores(mixed)
    assert table.items is not None
    np.testing.assert_array_equal(table.items.values, [*MATRIX[:2], [-0.25, -0.75], [-1, -0.5]])
    np.testing.assert_array_equal(table.items.to_scores().means(), table.means())
    one = table.select(["v"])
    assert one.items is not None
    assert one.items.measure == one.measure
    np.testing.assert_array_equal(one.items.values, MATRIX[2:])


def test_clusters_are_found_by_name() -> None:
    items = read_items({**LONG, "passage": ["p", "p", "p", "p", "p", "p", "q", "q"]})
    assert items.cluster_of is not None
    assert items.cluster_of.tolist() == [0, 0, 1, 2]
    assert dict(read_scores({**LONG, "passage": list("pppppppp")}).how_read.roles)["cluster"]


def test_documents_beside_questions_are_their_clusters() -> None:
    items = read_items({**LONG, "document_id": [1, 1, 1, 1, 2, 2, 3, 3]})
    assert items.n_clusters == 3


@pytest.mark.parametrize(
    "values",
    [
        ["p", "q"] * 4,  # differs by model
        ["1", "1", "2", "2", "3", "3", "4", "4"],  # one for each item
        ["p", "p", "p", "p", "", "", "q", "q"],  # not filled
    ],
)
def test_what_puts_no_items_together_is_no_cluster(values: list[str]) -> None:
    assert read_items({**LONG, "passage": values}).cluster_of is None


def test_a_group_is_a_cluster_when_it_is_named() -> None:
    grouped = {**LONG, "group": ["g", "g", "g", "g", "h", "h", "h", "h"]}
    assert read_items(grouped).cluster_of is None
    assert read_items(grouped, cluster="group").n_clusters == 2
    with pytest.raises(CellError, match="an item has one cluster"):
        read_items({**LONG, "group": ["g", "h"] * 4}, cluster="group")


@pytest.mark.parametrize("role", ["repeat", "epoch", "seed", "fold"])
def test_what_comes_again_is_a_repeat_of_its_item(role: str) -> None:
    twice = {name: values * 2 for name, values in LONG.items()}
    twice["accuracy"] = [*LONG["accuracy"], *(0.5 for _ in range(8))]
    twice[role] = [1] * 8 + [2] * 8
    items = read_items(twice)
    assert items.repeats is not None
    assert (items.repeats.counts == 2).all()
    np.testing.assert_allclose(items.values, (np.array(MATRIX) + 0.5) / 2)
    np.testing.assert_allclose(items.repeats.squares, (np.array(MATRIX) - 0.5) ** 2 / 2)
    np.testing.assert_allclose(items.to_scores().means(), read_scores(twice).means())


def test_missing_items_stay_missing() -> None:
    fewer = {name: values[:-1] for name, values in LONG.items()}
    items = read_items(fewer)
    np.testing.assert_array_equal(items.as_floats(), [*MATRIX[:3], [1, NAN]])
    assert not items.is_complete


def test_what_failed_is_missing() -> None:
    items = read_items({**LONG, "status": ["ok"] * 7 + ["timeout"]})
    assert np.isnan(items.as_floats()[3, 1])
    assert np.isnan(items.as_floats()).sum() == 1


def test_contradictions_are_settled_by_the_same_rule() -> None:
    twice = {name: [*values, values[0]] for name, values in LONG.items()}
    twice["accuracy"][-1] = 0.0
    with pytest.raises(CellError, match="and item may have one result"):
        read_items(twice)
    for rule, score in (("first", 1.0), ("last", 0.0), ("mean", 0.5)):
        assert read_items(twice, duplicates=rule).values[0, 0] == score


def test_the_measure_asked_about() -> None:
    two = {**LONG, "f1": [0.1] * 8}
    assert set(read_items(two, score="f1").values.ravel().tolist()) == {0.1}
    table = read_scores(two, score="f1")
    assert table.with_score("f1").items is not None
    assert table.with_score("accuracy").items is None


def test_only_what_is_chosen() -> None:
    three = {
        **LONG,
        "model": ["a", "b", "a", "c", "a", "b", "a", "b"],
    }
    items = read_items(three, datasets=["u"], exclude="b")
    assert (items.datasets, items.algorithms) == (("u",), ("a", "c"))
    np.testing.assert_array_equal(items.as_floats(), [[1, NAN], [0.5, 1]])


def test_scores_that_were_made_up_have_no_items() -> None:
    holes = {**LONG, "model": ["a", "b", "a", "b", "a", "b", "a", "c"]}
    table = read_scores(holes, missing="worst")
    assert table.items is None
    assert "The scores of items are left out" in " ".join(table.notes)
    dropped = read_scores(holes, missing="drop-algorithms")
    assert dropped.items is not None
    assert dropped.items.algorithms == dropped.algorithms


def test_without_items_the_error_says_what_to_do() -> None:
    with pytest.raises(ColumnError, match="item="):
        read_items({"dataset": ["u", "v"], "a": [1, 2], "b": [2, 3]}, score="error")


def test_predictions_become_items() -> None:
    found = read_items({"truth": [0, 1, 1], "tree": [0, 1, 0], "knn": [0, 1, 1]})
    np.testing.assert_array_equal(found.values, [[1, 1], [1, 1], [0, 1]])
    assert found.is_binary
    assert found.measure.name == "accuracy"


def test_predictions_of_repeats_and_folds() -> None:
    preds = palio.read_predictions(
        {
            "dataset": ["u"] * 8,
            "repeat": [1, 1, 1, 1, 2, 2, 2, 2],
            "fold": [1, 1, 2, 2, 1, 1, 2, 2],
            "instance": [1, 2, 3, 4, 3, 1, 2, 4],
            "truth": [0, 0, 1, 1, 1, 0, 0, 1],
            "a": [0, 0, 1, 1, 0, 0, 0, 1],
            "b": [1, 0, 1, 1, 1, 1, 0, 1],
        }
    )
    items = preds.to_items()
    assert items.labels == ("1", "2", "3", "4")
    np.testing.assert_array_equal(items.values, [[1, 0], [1, 1], [0.5, 1], [1, 1]])
    assert items.repeats is not None
    assert items.repeats.counts.tolist() == [[2, 2]] * 4
    assert any("come again in 2 repeats" in note for note in preds.notes)
    assert items.notes == (MODELS_STAY,)
    # Where each fold numbers its instances anew, they are told apart by the fold.
    anew = palio.read_predictions(
        {
            "fold": [1, 1, 2, 2],
            "instance": [1, 2, 1, 2],
            "truth": [0] * 4,
            "a": [0] * 4,
            "b": [1] * 4,
        }
    ).to_items()
    assert anew.labels == ("1/1", "1/2", "2/1", "2/2")
    assert anew.is_binary


def test_livebench() -> None:
    path = shared_file("results/livebench/livebench_13012025.parquet")
    items = read_items(path, duplicates="mean")
    assert (items.n_items, items.n_datasets, items.n_algorithms) == (1136, 18, 93)
    frame = __import__("pandas").read_parquet(path)
    one = frame[(frame.task == "math_comp") & (frame.model == "gpt-4o-2024-08-06")]
    means = one.groupby("question_id").score.mean()
    column = items.algorithms.index("gpt-4o-2024-08-06")
    block = items.block("math_comp")[:, column]
    labels = items.labels[items.slice_of("math_comp")]
    np.testing.assert_allclose(block, [means[label] for label in labels])


def test_how_many_items_a_mean_is_over_is_said() -> None:
    rows = {
        "task": ["x"] * 4 + ["y"] * 6,
        "item": ["1", "2", "1", "2", "3", "4", "5", "3", "4", "5"],
        "model": ["a", "a", "b", "b", "a", "a", "a", "b", "b", "b"],
        "accuracy": [1.0, 0, 0, 1, 1, 1, 0, 0, 0, 1],
    }
    table = palio.read_scores(rows)
    assert "Each score is the mean over 2 to 3 items of 5." in table.notes


def test_predictions_are_not_taken_for_scores() -> None:
    rows = {
        "instance": [1, 1, 2, 2],
        "algorithm": ["a", "b", "a", "b"],
        "truth": ["cat", "cat", "dog", "dog"],
        "prediction": ["cat", "dog", "dog", "cat"],
    }
    with pytest.raises(ColumnError, match="holds predictions, not scores"):
        palio.read_scores(rows)


def test_a_seed_leaves_items_without_a_score_out() -> None:
    rows: dict[str, list[Any]] = {
        "task": ["x"] * 6,
        "item": ["1", "2", "3"] * 2,
        "model": ["a"] * 3 + ["b"] * 3,
        "accuracy": [1.0, None, 0.0, 1.0, 1.0, 0.0],
    }
    seeds = {name: values * 2 for name, values in rows.items()}
    seeds["accuracy"][6:] = [0.0, 1.0, 0.5, 1.0, 1.0, 0.0]
    by_seed = palio.read_scores({**seeds, "seed": [1] * 6 + [2] * 6})
    np.testing.assert_allclose(by_seed.seed_scores(), [[0.5, 0.5], [2 / 3, 2 / 3]])
