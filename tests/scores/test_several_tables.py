"""Documents, sheets and nested files with several tables: joined, or named, never lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from palio.errors import CellError, InputError, UndecidedError
from palio.scores import read_scores
from palio.scores.formats import read_tables

SCORES = {"bert": 0.71, "roberta": 0.83, "xlnet": 0.76}


def section(title: str, *headings: str, shift: float = 0.0) -> str:
    """Write a section of Markdown with a table of all models; each heading is a column."""
    header = "| Model | " + " | ".join(headings) + " |\n" + "|---" * (len(headings) + 1) + "|\n"
    rows = [
        f"| {name} | " + " | ".join(f"{value + shift:.2f}" for _ in headings) + " |\n"
        for name, value in SCORES.items()
    ]
    return f"## {title}\n\n{header}{''.join(rows)}\n"


def read(folder: Path, text: str, name: str = "t.md", **given: Any) -> Any:
    """Read a table from a file of this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return read_scores(folder / name, **given)


def test_speeds_beside_scores_are_no_data_set_and_are_named(tmp_path: Path) -> None:
    text = section("Results", "Accuracy") + section("Speed", "Latency (ms)")
    table = read(tmp_path, text)
    assert (table.n_datasets, table.measure.name) == (1, "Accuracy")
    note = next(note for note in table.notes if "tables in the file" in note)
    assert "--format markdown:2 (Speed)" in note
    assert read_scores(tmp_path / "t.md", format="markdown:2").measure.name == "Latency (ms)"


def test_every_table_that_is_not_read_is_named(tmp_path: Path) -> None:
    words = "## Licences\n\n| Model | Licence |\n|---|---|\n| bert | MIT |\n| xlnet | BSD |\n"
    text = section("Main", "Accuracy", "F1") + words + section("Parsing", "Accuracy")
    note = next(n for n in read(tmp_path, text).notes if "tables in the file" in n)
    assert "Nothing to compare in: Licences." in note
    assert "markdown:2" not in note
    assert all(title in note for title in ("Main", "Parsing"))


def test_development_and_test_data_are_no_two_data_sets(tmp_path: Path) -> None:
    text = "".join(
        section(f"{name} ({part})", "F1", shift=shift)
        for shift, name in enumerate(["Names", "Places"])
        for part in ("dev", "test")
    )
    table = read(tmp_path, text)
    assert table.datasets == ("Names", "Places")
    assert any("read: Names (test), Places (test)." in note for note in table.notes)


def test_train_and_test_over_columns_are_no_data_sets(tmp_path: Path) -> None:
    rows = "".join(f"| {name} | 1 | .9 | {value} | .6 |\n" for name, value in SCORES.items())
    header = "| Model | train | | test | |\n|---|---|---|---|---|\n| | acc | f1 | acc | f1 |\n"
    table = read(tmp_path, header + rows)
    assert (table.n_datasets, table.measure.name) == (1, "test / acc")


def benchmarks(*titles: str) -> str:
    """Write what JMH prints, in sections."""
    header = "| Benchmark | Mode | Cnt | Score | Error | Units |\n|---|---|---|---|---|---|\n"
    rows = "".join(
        f"| {name}/x | avgt | 10 | {value} | 3 | us/op |\n"
        for name, value in (("gson", 5.2), ("moshi", 4.1), ("jodd", 7.5))
    )
    return "".join(f"# JMH: {title}\n\n{header}{rows}\n" for title in titles)


def test_sections_are_rather_data_sets_and_both_ways_are_asked(tmp_path: Path) -> None:
    with pytest.raises(UndecidedError) as asked:
        read(tmp_path, benchmarks("Reading - 1 KB", "Writing - 10 KB"))
    assert len(asked.value.options) == 2
    table = read_scores(tmp_path / "t.md", algorithm="Benchmark", dataset="section")
    assert table.datasets == ("Reading - 1 KB", "Writing - 10 KB")
    # Units say what a score is: a time, of which less is better.
    assert (table.measure.name, table.measure.higher_is_better) == ("time (us/op)", False)


def test_sections_of_methods_stay_algorithms(tmp_path: Path) -> None:
    header = "| Dataset | Accuracy |\n|---|---|\n"
    rows = "| iris | {0}1 |\n| wine | {0}2 |\n| glass | {0}3 |\n\n"
    text = "".join(
        f"## {title}\n\n{header}{rows.format(digit)}"
        for title, digit in (("Our method", "0.8"), ("Baseline", "0.7"))
    )
    assert read(tmp_path, text).algorithms == ("Our method", "Baseline")


def test_tables_below_each_other_in_a_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for place, size in enumerate(("10 rows", "20 rows")):
        book.active.append([f"Samples of {size}"])
        header = ["Algorithm", "execution time", "accuracy", "remark"]
        book.active.append(header if place == 0 else header[:3])
        for name, value in SCORES.items():
            book.active.append([name, f"{place + 1}.5 seconds", value - place / 10])
        book.active.append([])
    book.active["D3"] = "first"
    book.save(tmp_path / "t.xlsx")
    table = read_scores(tmp_path / "t.xlsx")
    assert table.datasets == ("Samples of 10 rows", "Samples of 20 rows")
    assert table.algorithms == tuple(SCORES)
    assert table.means()[1].tolist() == pytest.approx([value - 0.1 for value in SCORES.values()])
    assert table.cost_names == ("execution time",)


def test_tables_side_by_side_in_a_sheet_are_refused(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["model", "acc", None, "model", "acc"])
    book.active.append(["knn", 0.9, None, "svm", 0.8])
    book.active.append(["svm", 0.7, None, "knn", 0.6])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match="side by side"):
        read_scores(tmp_path / "t.xlsx", higher_is_better=True)
    text = "model,acc,model,acc\nknn,0.9,svm,0.8\nsvm,0.7,knn,0.6\n"
    with pytest.raises(InputError, match="side by side"):
        read(tmp_path, text, "t.csv")


def test_tables_without_numbers_are_not_offered(tmp_path: Path) -> None:
    text = "| Model | Note |\n|---|---|\n| knn | slow |\n| svm | fast |\n\n" * 2
    with pytest.raises(InputError, match="None has names with numbers beside them") as raised:
        read(tmp_path, text)
    assert not raised.value.options


# --- nested ----------------------------------------------------------------------------------

OF_MODELS = [
    {
        "model": {"name": name, "context_window": 512},
        "tags": [{"tag": "open"}],
        "results": [{"dataset": {"name": d}, "score": value + n} for n, d in enumerate("ab")],
    }
    for name, value in SCORES.items()
]


def test_scores_in_dictionaries_beside_times(tmp_path: Path) -> None:
    records = [
        {"model": m, "dataset": d, "seed": 1, "time": 2.5, "metrics": {"acc": v}}
        for m, v in SCORES.items()
        for d in "ab"
    ]
    table = read(tmp_path, json.dumps(records), "t.json")
    assert (table.measure.name, table.cost_names) == ("metrics.acc", ("time",))


def test_times_and_scores_of_data_sets_are_not_mixed(tmp_path: Path) -> None:
    content = {
        m: {"size": 7, "results": {d: {"accuracy": v, "time": 50.0} for d in ("iris", "wine")}}
        for m, v in SCORES.items()
    }
    table = read(tmp_path, json.dumps(content), "t.json")
    assert (table.n_datasets, table.measure.name) == (2, "accuracy")


# --- cells -----------------------------------------------------------------------------------


def test_symbols_behind_numbers_and_constants(tmp_path: Path) -> None:
    rows = "| a<sup>n</sup> | 0 | 0.9🔥 |\n| b | 0 | 0.8 |\n"
    table = read(tmp_path, f"| Model | Errors | Accuracy |\n|---|---|---|\n{rows}")
    assert table.measure.name == "Accuracy"
    assert table.means().tolist() == [[0.9, 0.8]]
    with pytest.raises(InputError, match=r"0\.9❌"):
        read(tmp_path, "| Model | Accuracy |\n|---|---|\n| a | 0.9❌ |\n| b | 0.8 |\n| c | 0.7 |\n")


def test_commands_in_notes_are_quoted(tmp_path: Path) -> None:
    header = "algorithm,dataset,accuracy,MSE[mean]\n"
    rows = "".join(f"{m},{d},{v},{v + 1}\n" for m, v in SCORES.items() for d in "ab")
    table = read(tmp_path, header + rows, "t.csv")
    assert any("--score 'MSE[mean]'" in note for note in table.notes)


def test_which_table_was_read_is_told_first(tmp_path: Path) -> None:
    text = section("Main", "Accuracy", "F1") + section("Parsing", "Accuracy")
    assert read(tmp_path, text).notes[0].startswith("2 tables in the file; read: Main.")


def test_a_note_between_colons_is_no_heading(tmp_path: Path) -> None:
    note = ":::{note}\nTuned as in the paper.\n:::\n\n"
    table = section("Robots", "Ant", "Hopper").replace("| Model |", f"{note}| Model |")
    heading = read(tmp_path, table + section("Games", "Pong", "Qbert"), higher_is_better=True)
    assert "read: Robots" in heading.notes[0]


def test_files_that_tell_about_others_are_no_tables(tmp_path: Path) -> None:
    for name, score in SCORES.items():
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "all.csv").write_text(
            f"dataset,model,MASE\niris,{name},{score}"
        )
        (tmp_path / "runs" / name / "config.json").write_text(json.dumps({"lr": 0.1, "org": "us"}))
    assert read_scores(tmp_path / "runs").algorithms == tuple(sorted(SCORES))


def test_measures_of_one_name_in_several_sections_are_joined(tmp_path: Path) -> None:
    """Two columns of one measure are no two data sets where the sections name these."""
    text = section("mnist to usps (5 runs)", "source acc", "target acc")
    text += section("svhn to mnist (5 runs)", "source acc", "target acc", shift=0.05)
    text += section("usps to mnist (5 runs)", "source acc", "target acc", shift=0.02)
    table = read(tmp_path, text)
    assert table.datasets == ("mnist to usps", "svhn to mnist", "usps to mnist")
    assert (table.algorithms, str(table.measure)) == (
        tuple(SCORES),
        "source acc (higher is better)",
    )


def test_files_of_learners_whose_tables_are_of_systems(tmp_path: Path) -> None:
    """What a heading calls a system is measured, where the files are called by learners."""
    for name, shift in (("random_forest", 0.0), ("xgboost", 0.1), ("linear_regression", 0.2)):
        rows = [f"{system},{load},{0.3 + shift}" for system in ("lrzip", "batlik") for load in "ab"]
        text = "\n".join(["System,Dataset,RMSE", *rows])
        (tmp_path / f"{name}.csv").write_text(f"{text}\n", encoding="utf-8")
    table = read_scores(tmp_path)
    assert set(table.algorithms) == {"random_forest", "xgboost", "linear_regression"}
    assert table.datasets == ("lrzip / a", "lrzip / b", "batlik / a", "batlik / b")


def test_years_are_no_scores(tmp_path: Path) -> None:
    text = "Solver,Solver Release Year,Benchmark,rate\n"
    text += "".join(
        f"{solver},{year},{name},{rate}\n"
        for solver, year, rate in (("glpk", 2020, 0.5), ("highs", 2024, 0.7))
        for name in ("a", "b", "c")
    )
    with pytest.raises(UndecidedError, match="'rate' is better"):
        read(tmp_path, text, "t.csv")


def test_the_first_of_tables_of_the_same_models_is_the_main_one(tmp_path: Path) -> None:
    text = section("Accuracy indoors", "wall", "door")
    text += section("Accuracy outdoors", "lane", "yard", "roof", "lawn", "pond")
    table = read(tmp_path, text)
    assert table.datasets == ("wall", "door")
    assert any("markdown:2 (Accuracy outdoors)" in note for note in table.notes)


def test_what_others_reported_is_no_data_set(tmp_path: Path) -> None:
    table = read(tmp_path, section("Accuracy", "Origin", "iris", "wine", "Avg"))
    assert table.datasets == ("iris", "wine")


def survey(title: str, data: str, *rows: str) -> str:
    header = f"| {data} | Paper | Published | Notes |\n{'|--' * 5}|\n"
    return f"## {title}\n\n{header}" + "".join(f"| {row} |\n" for row in rows)


def test_a_larger_table_of_the_same_kind_is_asked_about(tmp_path: Path) -> None:
    rows = ["3% | 5% | Deep nets | March 2015 | a", "4% | 6% | Trees | 2014, Rome | b"]
    more = ["2% | 4% | Deep nets | March 2015 | a", "5% | | Kernels | 2013 |"]
    text = survey("Phones", "WER quiet | WER loud", *rows, *more)
    text = f"{text}\n{survey('Rooms', 'WER AMI | WER Earnings22', *rows)}"
    with pytest.raises(UndecidedError, match="tables of the same kind") as error:
        read(tmp_path, text)
    assert [way.value for way in error.value.options] == ["markdown:1", "markdown:2"]
    table = read(tmp_path, text, format="markdown:1")
    assert table.algorithms[:2] == ("Deep nets", "Trees")
    assert (table.n_algorithms, table.measure.name) == (4, "WER")


def test_versions_name_what_is_compared_where_nothing_else_does(tmp_path: Path) -> None:
    rows = "".join(f"| 1 May 202{n} | 1.{n}.0 | 0.{n} | 0.3{n} |\n" for n in range(1, 5))
    table = read(tmp_path, f"Accuracy:\n\n| Date | Version | iris | wine |\n|--|--|--|--|\n{rows}")
    assert table.algorithms == ("1.1.0", "1.2.0", "1.3.0", "1.4.0")
    assert table.datasets == ("iris", "wine")


PRINTED = """RESULTS

=== NODES ===

Model Dataset Accuracy Training_Time
  gcn    cora    0.711          0.95
  gat    cora    0.754          1.41
  gcn  pubmed    0.662          6.36
  gat  pubmed    0.736          8.65

=== LINKS ===

Model Dataset AUC Training_Time
  gcn    cora 0.8          0.68
  gat    cora 0.9          1.22
"""


def test_frames_printed_below_each_other_are_tables_by_their_titles(tmp_path: Path) -> None:
    table = read(tmp_path, PRINTED, "t.txt")
    assert (table.datasets, table.measure.name) == (("cora", "pubmed"), "Accuracy")
    assert any("read: NODES. Others: --format txt:2 (LINKS)." in note for note in table.notes)
    assert read_scores(tmp_path / "t.txt", format="txt:2").measure.name == "AUC"
    assert read(tmp_path, PRINTED.replace("RESULTS", "The\nresults"), "t.txt").notes == table.notes


BETWEEN_WORDS = """
Done in 3 minutes, with 2 workers
=== Runs (50 of each) ===
Model                 Accuracy       Std
-----------------------------------------
naive bayes           0.711        0.390
svm                   0.754        0.549
svm linear            0.662        0.183
-----------------------------------------

Best avg              0.754
"""


def test_a_table_between_titles_rules_and_words_is_read(tmp_path: Path) -> None:
    table = read(tmp_path, BETWEEN_WORDS, "t.txt")
    assert table.algorithms == ("naive bayes", "svm", "svm linear")
    assert any("lines 11 are no rows" in note for note in table.notes)


def test_a_header_that_stands_otherwise_than_its_columns_is_above_the_nearest(
    tmp_path: Path,
) -> None:
    text = """Data: all
Model:        Measures:    Acc     F1  Time: s
==============================================
svm           string     0.511  0.400        1
knn           string     0.632  0.313        2
knn k         string     0.713  0.222        3
"""
    assert read(tmp_path, text, "t.txt", score="F1").algorithms == ("svm", "knn", "knn k")


@pytest.mark.parametrize(
    "text",
    [
        "knn: Accuracy=0.9, F1 score=0.8\nrandom forest: Accuracy=0.7, F1 score=0.6\n",
        "name=knn Accuracy=0.9 F1=0.8\nname='random forest' Accuracy=0.7 F1=0.6\n",
        "Results\n=======\nknn\nAccuracy: 0.9\nF1: 0.8\n\nrandom forest\nAccuracy: 0.7\nF1: 0.6\n",
    ],
)
def test_pairs_of_names_and_values_are_records(tmp_path: Path, text: str) -> None:
    table = read(tmp_path, text, "t.txt")
    assert (len(table.algorithms), table.measure.name) == (2, "Accuracy")
    assert table.algorithms[0] == "knn"


def test_a_group_is_named_once_above_the_same_names(tmp_path: Path) -> None:
    text = "model,set,accuracy\nknn,a,0.9\n,b,0.8\nsvm,a,0.7\n,b,0.6\n"
    table = read(tmp_path, text, "t.csv", algorithm="model", dataset="set")
    assert (table.algorithms, table.datasets) == (("knn", "svm"), ("a", "b"))


def test_classes_below_a_measure_are_no_data_sets(tmp_path: Path) -> None:
    text = "Model,Accuracy,F1,F1\n,,Class 0,Class 1\nknn,0.9,0.8,0.7\nsvm,0.7,0.6,0.5\n"
    table = read(tmp_path, text, "t.csv")
    assert (table.measure.name, len(table.datasets)) == ("Accuracy", 1)
    assert read(tmp_path, text, "t.csv", score="F1 (Class 1)").measure.name == "F1 (Class 1)"


def test_tabs_are_headings(tmp_path: Path) -> None:
    tab = "    .. tab:: {}\n\n        === ===\n        a   acc\n        === ===\n        knn {}\n"
    tab += "        svm 0.7\n        === ===\n\n"
    text = ".. tabs::\n\n" + tab.format("iris", 0.8) + tab.format("wine", 0.9)
    assert read(tmp_path, text, "t.rst").datasets == ("iris", "wine")


@pytest.mark.parametrize(
    "content",
    [
        {"Models": [{"name": n, "Results": [{"data": "a", "acc": 0.5}]} for n in ("knn", "svm")]},
        {"knn": {"acc": 0.9, "f1": 0.8}, "svm": {"acc": 0.7, "f1": 0.6, "best": {"C": 1}}},
        [{"set": "a", "by": [{"model": n, "acc": 0.5} for n in ("knn", "svm")]}],
        [{"model": n, "acc": [0.5, 0.6]} for n in ("knn", "svm")],
    ],
)
def test_results_within_json_are_records(tmp_path: Path, content: Any) -> None:
    table = read(tmp_path, json.dumps(content), "t.json")
    assert (table.algorithms, table.measure.name) == (("knn", "svm"), "acc")


def test_of_several_lists_that_with_scores_holds_the_results(tmp_path: Path) -> None:
    results = [{"model": name, "acc": 0.5} for name in ("knn", "svm")]
    content = {"about": [{"tool": "x"}], "results": results}
    assert read(tmp_path, json.dumps(content), "t.json").algorithms == ("knn", "svm")
    content = {"iris": results, "wine": results}
    assert read(tmp_path, json.dumps(content), "t.json").datasets == ("iris", "wine")


def test_tables_of_the_same_data_sets_stand_beside_each_other(tmp_path: Path) -> None:
    text = ""
    for place, models in enumerate(("whisper-small | whisper-tiny", "conformer", "citrinet")):
        rows = [
            f"| {name} | {' | '.join([f'0.{n}{place}'] * (models.count('|') + 1))} |\n"
            for n, name in enumerate(("fleurs", "librispeech", "voxpopuli"), start=1)
        ]
        rule = "|--" * (models.count("|") + 2)
        text += f"# WER: family {place}\n\n| dataset | {models} |\n{rule}|\n"
        text += "".join(rows[::-1] if place else rows) + "\n"
    table = read(tmp_path, text)
    assert table.algorithms == ("whisper-small", "whisper-tiny", "conformer", "citrinet")
    assert table.datasets == ("fleurs", "librispeech", "voxpopuli")
    of_what = read(tmp_path, text.replace("WER: ", ""), higher_is_better=False)
    assert of_what.algorithms == ("whisper-small", "whisper-tiny")  # perhaps not of one measure


def test_numbers_of_rows_that_touch_names_are_no_names(tmp_path: Path) -> None:
    text = (
        "COMPARISON\n\n                Model Accuracy Recall    F1\n"
        "1 Logistic Regression    0.809  0.812 0.824\n"
        "2       Decision Tree    0.743  0.703 0.751\n"
        "3                 SVM    0.798  0.832 0.820\n"
    )
    table = read(tmp_path, text, "t.txt")
    assert table.algorithms == ("Logistic Regression", "Decision Tree", "SVM")
    assert table.measure.name == "Accuracy"


@pytest.mark.parametrize("span", [r"\mc{2}{iris}", r"\mc{2}{c|}{iris}", r"\emc{2}{\sc{iris}}"])
def test_short_names_of_cells_that_span_columns(tmp_path: Path, span: str) -> None:
    text = (
        rf"\begin{{tabular}}{{lrrr}} Method & {span} & wine \\ & Accuracy & F1 & F1 \\ \hline "
        r"knn & 0.8 & 0.7 & 0.6 \\ svm & 0.9 & 0.8 & 0.7 \\ tree & 0.6 & 0.5 & 0.4 \\ \end{tabular}"
    )
    (found,) = read_tables(text.encode(), "t.tex", "source").values()
    assert found.names == ("Method", "iris / Accuracy", "iris / F1", "wine / F1")


def test_results_in_records_beside_sizes_of_models(tmp_path: Path) -> None:
    records = [
        {"name": name, "active_params": size, "results": {"ja": {"coding": acc, "stem": acc / 2}}}
        for name, size, acc in (("bert", 1, 0.61), ("roberta", 3, 0.72), ("xlnet", 9, 0.83))
    ]
    table = read(tmp_path, json.dumps(records), "t.json", higher_is_better=True)
    assert (table.n_algorithms, table.n_datasets) == (3, 2)


def test_one_impossible_value_is_let_through_by_a_command(tmp_path: Path) -> None:
    rows = "".join(f"| model{n} | 0.{n} |\n" for n in range(10, 40))
    text = f"| Model | Accuracy |\n|--|--|\n{rows}"
    with pytest.raises(CellError, match="or take them as they are") as slip:
        read(tmp_path, text.replace("0.25", "1820"))
    (way,) = (each for each in slip.value.options if each.whole)
    assert (way.parameter, way.value) == ("allow_out_of_range", "True")
    with pytest.raises(CellError, match="or give allow_out_of_range=True") as many:
        read(tmp_path, text.replace("0.2", "182"))
    assert not any(each.whole for each in many.value.options)


def test_curves_of_learning_are_no_runs(tmp_path: Path) -> None:
    curves = {"knn": [0.2, 0.4, 0.5, 0.45, 0.7, 0.8], "svm": [0.1, 0.3, 0.35, 0.6, 0.7, 0.72]}
    records = [{"model": name, "accuracy": each} for name, each in curves.items()]
    with pytest.raises(InputError, match="curve of learning"):
        read(tmp_path, json.dumps(records), "t.json")
    runs = [{**record, "accuracy": [0.8, 0.7, 0.9, 0.75, 0.85, 0.72]} for record in records]
    assert len(read(tmp_path, json.dumps(runs), "t.json").rows) == 12
