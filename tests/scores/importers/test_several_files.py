"""Folders, patterns and lists of files: what a table does not say, the name of its file does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palio.errors import InputError, UndecidedError, UnreadableError
from palio.scores import read_scores
from tests.shared import shared_file

LONG = pd.DataFrame(
    {
        "dataset": ["a", "a", "b", "b"] * 2,
        "algorithm": ["knn", "tree"] * 4,
        "fold": [1] * 4 + [2] * 4,
        "error": [0.1, 0.2, 0.3, 0.4, 0.3, 0.4, 0.5, 0.8],
        "train_time": np.arange(1.0, 9.0),
    }
)
MEANS = [[0.2, 0.3], [0.4, 0.6]]


def split(folder: Path, column: str, name: str = "{}.csv") -> None:
    for value, part in LONG.groupby(column):
        path = folder / name.format(value)
        path.parent.mkdir(parents=True, exist_ok=True)
        part.drop(columns=column).to_csv(path, index=False)


@pytest.mark.parametrize("column", ["algorithm", "dataset"])
@pytest.mark.parametrize("name", ["{}.csv", "run_{}_results.csv", "{}/scores.csv", "{}.csv.gz"])
def test_a_folder_has_a_file_per_algorithm_or_per_data_set(
    column: str, name: str, tmp_path: Path
) -> None:
    split(tmp_path, column, name)
    table = read_scores(tmp_path)
    assert (table.datasets, table.algorithms) == (("a", "b"), ("knn", "tree"))
    np.testing.assert_allclose(table.means(), MEANS)
    assert not table.measure.higher_is_better
    assert table.cost_names == ("train_time",)
    called = {"algorithm": "algorithm", "dataset": "data set"}[column]
    assert any(f"2 files, each of one {called}: " in note for note in table.notes)


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    other = LONG.rename(columns={"dataset": "Task", "algorithm": "model"})
    for role, column in (("Task", "Task"), ("model", "model")):
        for value, part in other.groupby(role):
            (tmp_path / role).mkdir(exist_ok=True)
            part.drop(columns=column).to_csv(tmp_path / role / f"{value}.csv", index=False)
        np.testing.assert_allclose(read_scores(tmp_path / role).means(), MEANS)


def test_leaderboards_in_several_files_stay_leaderboards(tmp_path: Path) -> None:
    for name, scores in (("x", "0.5,0.6"), ("y", "0.7,0.8")):
        text = f"model,arc,gsm8k\n{name},{scores}\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    table = read_scores(tmp_path, score="accuracy")
    assert (table.datasets, table.algorithms) == (("arc", "gsm8k"), ("x", "y"))


def test_a_file_per_run_makes_repeats(tmp_path: Path) -> None:
    split(tmp_path, "fold", "seed{}.csv")
    table = read_scores(tmp_path)
    assert str(table.design()) == "2 hold-outs"
    np.testing.assert_allclose(table.means(), MEANS)


def test_wide_files_of_runs_make_repeats_and_of_other_data_sets_rows(tmp_path: Path) -> None:
    wide = "dataset,knn,tree\n{},0.5,0.6\n{},0.7,0.8\n"
    (tmp_path / "1.csv").write_text(wide.format("a", "b"), encoding="utf-8")
    (tmp_path / "2.csv").write_text(wide.format("c", "d"), encoding="utf-8")
    table = read_scores(tmp_path, score="accuracy")
    assert table.datasets == ("a", "b", "c", "d")
    (tmp_path / "2.csv").write_text(wide.format("a", "b"), encoding="utf-8")
    assert str(read_scores(tmp_path, score="accuracy").design()) == "2 hold-outs"


def test_a_pattern_and_a_list_are_the_files_they_name(tmp_path: Path) -> None:
    split(tmp_path, "algorithm")
    (tmp_path / "notes.csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("not a table", encoding="utf-8")
    by_pattern = read_scores(tmp_path / "[kt]*.csv")
    by_list = read_scores([str(tmp_path / "knn.csv"), tmp_path / "tree.csv"])
    for table in (by_pattern, by_list):
        assert table.algorithms == ("knn", "tree")
        np.testing.assert_allclose(table.means(), MEANS)


def test_whole_tables_of_several_formats_are_one(tmp_path: Path) -> None:
    LONG[:4].to_csv(tmp_path / "x.tsv", sep="\t", index=False)
    LONG[4:].to_parquet(tmp_path / "y.parquet", index=False)
    table = read_scores([tmp_path / "x.tsv", tmp_path / "y.parquet"])
    np.testing.assert_allclose(table.means(), MEANS)
    assert str(table.design()) == "2-fold cv"


def test_files_of_an_importer_may_be_named_one_by_one() -> None:
    folder = shared_file("results/tsml")
    chosen = [folder / "PF_accuracy.csv", folder / "TDE_accuracy.csv"]
    assert read_scores(chosen, missing="pairwise").algorithms == ("PF", "TDE")
    by_pattern = read_scores(str(folder / "T*_accuracy.csv"), missing="pairwise")
    assert by_pattern.algorithms == ("TDE", "TS-CHIEF", "TSFresh")


def test_one_file_in_a_list_or_folder_is_that_file(tmp_path: Path) -> None:
    LONG.to_csv(tmp_path / "results.csv", index=False)
    for source in (tmp_path, [tmp_path / "results.csv"]):
        np.testing.assert_allclose(read_scores(source).means(), MEANS)


def test_columns_that_not_all_files_have_are_missing_in_the_others(tmp_path: Path) -> None:
    knn = LONG["algorithm"] == "knn"
    LONG[knn].assign(commit="f00", n_params=3).to_csv(tmp_path / "knn.csv", index=False)
    LONG[~knn].to_csv(tmp_path / "others.csv", index=False)
    table = read_scores(tmp_path)
    np.testing.assert_allclose(table.means(), read_scores(LONG).means())
    told = "Not in all files, and missing where they lack it: commit, n_params."
    assert table.notes[1] == told


def test_tables_with_other_columns_are_not_mixed(tmp_path: Path) -> None:
    LONG.to_csv(tmp_path / "results.csv", index=False)
    LONG[["dataset", "algorithm", "train_time"]][:4].to_csv(tmp_path / "costs.csv", index=False)
    with pytest.raises(InputError, match=r"not of one kind: .* only one has 'error', 'fold'"):
        read_scores(tmp_path)


def test_a_folder_of_very_many_files_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split(tmp_path, "algorithm")
    monkeypatch.setattr("palio.scores.sources._MOST", 1)
    with pytest.raises(UnreadableError, match=r"holds more than 1 files.*a pattern"):
        read_scores(tmp_path)


def test_what_cannot_be_one_table_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="holds no table, nor files of tsml"):
        read_scores(tmp_path)
    for name in "xy":
        (tmp_path / f"{name}.csv").write_text("fold,error\n1,2\n", encoding="utf-8")
    ways = "algorithm='file', score='error'; or dataset='file', score='error'"
    with pytest.raises(UndecidedError, match=ways):
        read_scores(tmp_path)
    with pytest.raises(UnreadableError, match="there is no file"):
        read_scores([tmp_path / "x.csv", tmp_path / "z.csv"])
    with pytest.raises(InputError, match="must be the path of a file"):
        read_scores([])


def segments(folder: Path, names: dict[str, tuple[str, ...]]) -> None:
    """Write files of two segments each, with a mark of each system."""
    for place, (name, systems) in enumerate(names.items()):
        rows = [f"{s},{item},{place}.{item}" for s in systems for item in (1, 2)]
        text = "\n".join(["system,seg_id,quality", *rows])
        (folder / f"{name}.csv").write_text(f"{text}\n", encoding="utf-8")


def test_items_of_one_name_in_files_of_several_systems_are_others(tmp_path: Path) -> None:
    segments(tmp_path, {"ende": ("a", "b"), "zhen": ("a", "b", "c")})
    table = read_scores(tmp_path, higher_is_better=True)
    assert table.datasets == ("ende", "zhen")
    assert table.items is not None
    assert table.items.n_items == 4


def test_a_file_of_each_model_that_it_names_is_no_data_set(tmp_path: Path) -> None:
    segments(tmp_path, {"a": ("a",), "b": ("b",), "c": ("c",)})
    table = read_scores(tmp_path, higher_is_better=True)
    assert (table.n_datasets, table.algorithms) == (1, ("a", "b", "c"))
    assert table.items is not None
    assert table.items.n_items == 2


def test_a_file_of_a_model_and_a_task_is_of_the_task(tmp_path: Path) -> None:
    one, other = ("a",), ("b",)
    segments(tmp_path, {"a_ende": one, "b_ende": other, "a_zhen": one, "b_zhen": other})
    table = read_scores(tmp_path, higher_is_better=True)
    assert (table.datasets, table.algorithms) == (("ende", "zhen"), ("a", "b"))


def test_a_file_of_each_judge_that_it_names_is_no_data_set(tmp_path: Path) -> None:
    for judge in ("x", "y"):
        text = f"model,judge,question_id,score\na,{judge},1,8\nb,{judge},1,7\na,{judge},2,5\n"
        (tmp_path / f"{judge}.csv").write_text(text, encoding="utf-8")
    table = read_scores(tmp_path)
    assert table.n_datasets == 1
    assert table.items is not None
    assert table.items.repeats is not None


def test_folders_and_files_may_name_algorithms_and_data_sets(tmp_path: Path) -> None:
    for (algorithm, dataset), part in LONG.groupby(["algorithm", "dataset"]):
        folder = tmp_path / str(algorithm)
        folder.mkdir(exist_ok=True)
        part[["fold", "error"]].to_csv(folder / f"{dataset}.csv", index=False)
    read = read_scores(tmp_path)  # by the names, which look like algorithms
    assert (read.datasets, read.algorithms) == (("a", "b"), ("knn", "tree"))
    told = "Recognised: 'folder' names the algorithms and 'file' names the data sets."
    assert told in read.notes
    table = read_scores(tmp_path, algorithm="folder", dataset="file")
    assert (table.datasets, table.algorithms) == (("a", "b"), ("knn", "tree"))
    np.testing.assert_allclose(table.means(), MEANS)
    turned = read_scores(tmp_path, algorithm="file", dataset="folder")
    np.testing.assert_allclose(turned.means(), np.transpose(MEANS))
    np.testing.assert_allclose(read_scores(tmp_path, algorithm="folder").means(), MEANS)


def test_levels_of_folders_are_numbered_and_may_be_one_name(tmp_path: Path) -> None:
    for place in ("knn/v1/a", "knn/v2/a", "tree/v1/a", "tree/v2/a"):
        path = tmp_path / place / "test.json"
        path.parent.mkdir(parents=True)
        path.write_text('{"error": 0.25}', encoding="utf-8")
    table = read_scores(tmp_path, algorithm="folder1", dataset="folder2")
    assert (table.algorithms, table.datasets) == (("knn", "tree"), ("v1", "v2"))
    assert table.means().tolist() == [[0.25, 0.25]] * 2


def test_where_only_one_name_tells_files_apart_the_other_is_asked_for(tmp_path: Path) -> None:
    for name in ("knn-a", "tree-a"):
        (tmp_path / f"{name}.csv").write_text("error,fold\n0.5,1\n0.25,2\n", encoding="utf-8")
    table = read_scores(tmp_path)
    assert (table.algorithms, table.n_datasets) == (("knn-a", "tree-a"), 1)
    assert "Recognised: 'file' names the algorithms." in table.notes


def test_files_of_a_column_per_algorithm_are_named_by_their_files(tmp_path: Path) -> None:
    for name in "ab":
        path = tmp_path / f"{name}.json"
        path.write_text('{"knn": 0.5, "svm": 0.25}', encoding="utf-8")
    ways = "higher_is_better=True; or higher_is_better=False"
    with pytest.raises(UndecidedError, match=ways):
        read_scores(tmp_path)
    table = read_scores(tmp_path, dataset="file", score="error")
    assert (table.datasets, table.algorithms) == (("a", "b"), ("knn", "svm"))


def test_files_of_right_and_wrong_are_of_one_algorithm_each(tmp_path: Path) -> None:
    for name, answers in (("knn", [True, False]), ("svm", [True, True])):
        text = json.dumps(dict(zip(("q1", "q2"), answers, strict=True)))
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    table = read_scores([tmp_path / "knn.json", tmp_path / "svm.json"])
    assert (table.datasets, table.algorithms) == (("items",), ("knn", "svm"))
    assert table.means().tolist() == [[0.5, 1]]
    assert table.items is not None


def test_a_record_per_file_is_a_row(tmp_path: Path) -> None:
    for row in LONG.to_dict(orient="records"):
        own = {"depth": 3} if row["algorithm"] == "tree" else {"k": 1}
        record = {
            "dataset": row["dataset"],
            "algorithm": row["algorithm"],
            "config": {"seed": row["fold"], "model": own},
            "n_params": 7,
            "metrics": {"train": {"error": 0.0}, "test": {"error": row["error"]}},
        }
        path = tmp_path / "-".join(map(str, list(row.values())[:3])) / "stats.json"
        path.parent.mkdir()
        path.write_text(json.dumps(record), encoding="utf-8")
    table = read_scores(tmp_path, score="metrics.test.error")
    np.testing.assert_allclose(table.means(), MEANS)
    assert not table.measure.higher_is_better
    assert any("the mean over 2 seeds" in note for note in table.notes)
    told = next(note for note in table.notes if note.startswith("8 files, one table: "))
    assert "a-knn-1, a-knn-2" in told


def judged(folder: Path) -> None:
    """Write a file of each model against one, with what only some judges tell."""
    for name, score in (("m1", 1.5), ("m2", 1.25)):
        records = [
            {"instruction": f"Tell {n}", "dataset": "ab"[n % 2], "rival": "gpt", "who": name}
            | {"preference": score + n / 8, "answer": f"{name} " * 6000}
            | ({"price": 3.0, "raw": {"a": 1}} if name == "m1" else {})
            for n in range(4)
        ]
        (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def test_what_names_each_file_within_names_the_algorithms(tmp_path: Path) -> None:
    judged(tmp_path)
    table = read_scores(tmp_path, item="instruction", score="preference", higher_is_better=True)
    assert (table.datasets, table.algorithms) == (("a", "b"), ("m1", "m2"))
    assert table.means().tolist() == [[1.625, 1.375], [1.75, 1.5]]
    assert "Not in all files, and missing where they lack it: price, raw." in table.notes


def test_wide_files_may_each_have_an_algorithm_of_their_own(tmp_path: Path) -> None:
    for name, datasets in (("svm", "ab"), ("tree", "cd")):
        rows = "".join(f"{each},{fold},0.5,0.2{fold}\n" for each in datasets for fold in (1, 2))
        (tmp_path / f"{name}.csv").write_text(f"dataset,fold,knn,{name}\n{rows}", encoding="utf-8")
    table = read_scores(tmp_path, score="error")
    assert (table.datasets, table.algorithms) == (tuple("abcd"), ("knn", "svm", "tree"))
    own = np.array([[0.5, 0.215, np.nan]] * 2 + [[0.5, np.nan, 0.215]] * 2)
    np.testing.assert_allclose(table.means(), own)
    assert "Not in all files, and missing where they lack it: svm, tree." in table.notes


def timed(folder: Path, result: dict[str, list[object]]) -> None:
    """Write a record of each system with its times; one system tells more than the other."""
    for place, (system, times) in enumerate(result.items()):
        record = {"system": system, "tags": ["fast"] * (place + 1), "load_time": 3, "nodes": 1}
        record |= {"result": times} if place else {"comment": "warm", "qps": 2.5, "result": times}
        (folder / f"{system}.json").write_text(json.dumps(record), encoding="utf-8")


def test_lists_of_numbers_are_tasks_and_lists_within_repeats(tmp_path: Path) -> None:
    timed(tmp_path, {"x": [[0.5, 0.25], [1, 2]], "y": [[3, 4], [5, None]]})
    table = read_scores(tmp_path, higher_is_better=False, algorithm="system", transpose=True)
    assert (table.datasets, table.algorithms) == (("result.0", "result.1"), ("x", "y"))
    np.testing.assert_allclose(table.means(), [[0.375, 3.5], [1.5, np.nan]])
    assert table.cost_names == ("load_time",)
    told = "\n".join(table.notes)
    assert "taken as a task: result (from result.0 to result.1); the 2 numbers" in told
    assert "missing where they lack it: comment." in told
    assert "not of its tasks: nodes, qps." in told


def test_lists_of_different_lengths_are_no_tasks(tmp_path: Path) -> None:
    timed(tmp_path, {"x": [1, None, 2], "y": [3, 4, 5]})
    table = read_scores(tmp_path, higher_is_better=False, algorithm="system", transpose=True)
    np.testing.assert_allclose(table.means(), np.array([[1, 3], [np.nan, 4], [2, 5]]))
    timed(tmp_path, {"x": [1, 2], "y": [3, 4, 5]})
    with pytest.raises(InputError):
        read_scores(tmp_path, higher_is_better=False, algorithm="system", transpose=True)


def test_files_that_share_nothing_but_keys_are_not_mixed(tmp_path: Path) -> None:
    for name in ("error", "rank"):
        (tmp_path / f"{name}.csv").write_text(f"dataset,algorithm,{name}\na,x,1\n", "utf-8")
    with pytest.raises(InputError, match="not of one kind"):
        read_scores(tmp_path)
