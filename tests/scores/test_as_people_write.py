"""Tables as people write them: what is no result is left out and said, what is open is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio import read_scores
from palio.errors import ColumnError, InputError, UndecidedError

WIDE = "Dataset\tRandom Forest\tSVM\tk-NN\niris\t90.1\t91.2\t88.0\nwine\t80.5\t82.5\t79.3\n"


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_counts_of_wins_are_left_out(tmp_path: Path) -> None:
    text = f"{WIDE}zoo\t70.5\t72.5\t75.3\nW/T/L\t0/0/3\t2/0/1\t1/0/2\n"
    table = read_scores(written(tmp_path, "t.txt", text), score="accuracy")
    assert table.datasets == ("iris", "wine", "zoo")
    assert "Left out, as counts of wins: W/T/L." in table.notes


def test_a_name_that_stands_twice_on_a_board_is_kept_apart() -> None:
    board = {"model": ["knn", "svm", "knn", "svm"], "accuracy": [0.5, 0.75, 0.625, 0.75]}
    table = read_scores(board)
    assert table.algorithms == ("knn", "svm", "knn (2)")
    assert table.means().tolist() == [[0.5, 0.75, 0.625]]
    assert "kept apart as NAME (2): knn." in " ".join(table.notes)
    assert read_scores(board, duplicates="mean").means().tolist() == [[0.5625, 0.75]]


def test_names_go_on_below() -> None:
    rows = {
        "Tool": ["knn", ".", "svm", "."],
        "n": ["10K", "1M", "10K", "1M"],
        "AUC": [0.5, 0.75, 0.625, 1.0],
    }
    table = read_scores(rows)
    assert (table.algorithms, table.datasets) == (("knn", "svm"), ("10K", "1M"))
    assert table.means().tolist() == [[0.5, 0.625], [0.75, 1.0]]
    assert "Empty cells and marks for the same as above are filled in: Tool." in table.notes


def test_rows_that_describe_the_columns_are_left_out() -> None:
    rows: dict[str, list[Any]] = {
        "Benchmark": ["Architecture", "MMLU", "GSM8K", "HumanEval", "DROP", "PIQA"],
        "GPT-4": ["MoE", 80, 90, 60, 70, 85],
        "Llama 3": ["Dense", 75, 85, 65, 72, 81],
    }
    table = read_scores(rows, score="accuracy")
    assert table.datasets == ("MMLU", "GSM8K", "HumanEval", "DROP", "PIQA")
    assert "Left out, as they describe the columns: Architecture." in table.notes
    # In between it may be of something that failed, and is pointed at.
    between = {name: [*cells[1:3], cells[0], *cells[3:]] for name, cells in rows.items()}
    with pytest.raises(InputError, match="must hold numbers"):
        read_scores(between, score="accuracy")


def test_a_heading_stands_for_what_a_table_lacks(tmp_path: Path) -> None:
    parts = [
        f"## Results of {name} (3 seeds)\n\n| task | reward | curve |\n|---|---|---|\n"
        f"| Pong | {first} | see |\n| Breakout | {second} | see |\n"
        for name, first, second in (("DQN", 20, 316.5), ("PPO", 21, 380.25), ("SAC", 19, 200.0))
    ]
    table = read_scores(written(tmp_path, "README.md", "\n".join(parts)))
    assert (table.algorithms, table.datasets) == (("DQN", "PPO", "SAC"), ("Pong", "Breakout"))
    assert table.means().tolist() == [[20, 21, 19], [316.5, 380.25, 200.0]]


def test_iterations_without_a_trend_are_repeats() -> None:
    generator = np.random.default_rng(8)
    frame = pd.DataFrame(
        [
            {"classifier": name, "dataset": f"d{d}", "iteration": run,
             "accuracy": 0.7 + 0.01 * d + 0.02 * generator.standard_normal()}
            for name in ("knn", "svm", "tree") for d in range(12) for run in range(5)
        ]
    )  # fmt: skip
    table = read_scores(frame)
    assert table.design().repeats == 5
    assert "'iteration' names the repeats" in " ".join(table.notes)
    trained = frame.assign(accuracy=frame["accuracy"] + 0.02 * frame["iteration"])
    with pytest.raises(InputError, match="tells how far training has come"):
        read_scores(trained)


def test_a_column_outside_the_range_of_the_measure_is_no_data_set() -> None:
    board = {
        "method": ["knn", "svm", "mlp"], "iris": [91.5, 92.25, 95.0], "wine": [85.0, 87.5, 80.25],
        "glass": [70.5, 71.25, 66.0], "RT": [9.5, 233.25, 812.0],
    }  # fmt: skip
    table = read_scores(board, score="dice")
    assert table.datasets == ("iris", "wine", "glass")
    assert "Left out, as they cannot be dice: RT." in table.notes


def test_columns_of_different_sizes_are_only_ranked() -> None:
    board = {
        "Model": ["gpt-4", "llama-3", "mistral-7b"], "Arena": [1250.5, 1105.0, 1010.25],
        "MMLU": [86.4, 68.4, 60.1], "GSM8K": [92.0, 79.6, 52.2], "ARC": [96.3, 80.5, 70.25],
    }  # fmt: skip
    table = read_scores(board, higher_is_better=True)
    assert table.measure.scale == "order"
    assert "Different measures by their sizes: Arena" in " ".join(table.notes)


def test_the_text_of_a_document_may_name_the_measure(tmp_path: Path) -> None:
    text = (
        "# Comparison\n\nSee [here](there).\n\n## Method\n\nThe logloss was used to assess the "
        "models (the lower the better).\n\n## Results\n\n| Dataset | knn | svm | mlp |\n"
        "|---|---|---|---|\n| iris | 0.51 | 0.42 | 0.33 |\n| wine | 0.25 | 0.15 | 0.35 |\n"
    )
    table = read_scores(written(tmp_path, "README.md", text))
    assert (table.measure.name, table.measure.higher_is_better) == ("logloss", False)


def test_every_way_that_is_offered_works() -> None:
    runs = {
        "column 1": ["knn", "knn", "svm", "svm"] * 2, "column 2": ["iris"] * 4 + ["wine"] * 4,
        "column 3": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2],
    }  # fmt: skip
    with pytest.raises(UndecidedError) as raised:
        read_scores(runs)
    assert len(raised.value.options) >= 2
    for option in raised.value.options:
        given: dict[str, Any] = {each.parameter: each.python_value for each in option.all}
        assert read_scores(runs, **given).n_algorithms == 2


def test_a_reading_with_more_against_it_than_for_it_is_none() -> None:
    search = {
        "mean_fit_time": [1.5, 2.5], "mean_test_score": [0.5, 0.75], "param_C": [1.0, 10.0],
        "rank_test_score": [2, 1],
    }  # fmt: skip
    with pytest.raises(InputError):
        read_scores(search)


def test_tables_with_the_same_columns_and_other_rows_are_one(tmp_path: Path) -> None:
    parts = [
        f"### {heading}\n\n| Task | knn | svm | mlp |\n|---|---|---|---|\n"
        + "".join(f"| {name} | {n}.5 | {n}.25 | / |\n" for n, name in enumerate(names))
        for heading, names in (("Games", ("pong", "qbert")), ("Mazes", ("small", "large")),
                               ("Best games", ("pong", "qbert")))
    ]  # fmt: skip
    table = read_scores(written(tmp_path, "README.md", "\n".join(parts)), higher_is_better=True)
    assert table.datasets == ("pong", "qbert", "small", "large")
    assert table.means()[:, 0].tolist() == [0.5, 1.5, 0.5, 1.5]
    assert np.isnan(table.means()).sum() in (0, 4)  # who has no score at all may be left out


def test_measures_in_a_second_row_of_headings(tmp_path: Path) -> None:
    text = (
        "Model,MARC,MARC,JSTS,JNLI\n,acc,f1,rmse,acc\nbert,0.5,0.25,1.5,0.75\n"
        "roberta,0.625,0.375,1.25,0.875\nxlm,0.125,0.625,1.75,0.25\n"
    )
    table = read_scores(written(tmp_path, "t.csv", text))
    assert table.algorithms == ("bert", "roberta", "xlm")
    assert set(table.datasets) == {"MARC", "JSTS", "JNLI"}
    assert table.measure.is_mixed
    assert {name: each.higher_is_better for name, each in table.measures.items()} == {
        "MARC": True, "JSTS": False, "JNLI": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("t.csv", "0.{}¹"),
        ("t.csv", "0.{}^a"),
        ("t.md", "0.{}<sup>1</sup>"),
        ("t.md", "0.{}<sub>0.02</sub>"),
        ("t.html", "0.{}<sup>1</sup>"),
        ("t.html", "0.{}<sub>±0.02</sub>"),
        ("t.tex", r"0.{}\textsuperscript{{1}}"),
        ("t.tex", r"0.{}\textsubscript{{0.02}}"),
    ],
)
def test_what_is_raised_or_lowered_is_no_digit(tmp_path: Path, name: str, cell: str) -> None:
    """Marks of footnotes and spreads; all cells of a column have one, also of one decimal."""
    named = enumerate(("iris", "wine", "zoo"))
    rows = [["data set", "knn", "svm"]]
    rows += [[data, cell.format(n), cell.format(5 + n)] for n, data in named]
    if name.endswith("html"):
        cells = ["".join(f"<td>{each}</td>" for each in row) for row in rows]
        text = f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    elif name.endswith("tex"):
        body = " \\\\\n".join(" & ".join(row) for row in rows)
        text = f"\\begin{{tabular}}{{lll}}\n{body} \\\\\n\\end{{tabular}}"
    elif name.endswith("md"):
        lines = [f"| {' | '.join(row)} |" for row in rows]
        text = "\n".join([lines[0], "|--|--|--|", *lines[1:]])
    else:
        text = "\n".join(",".join(row) for row in rows)
    table = read_scores(written(tmp_path, name, f"{text}\n"), score="accuracy")
    assert table.algorithms == ("knn", "svm")
    np.testing.assert_allclose(table.means(), [[0.0, 0.5], [0.1, 0.6], [0.2, 0.7]])


METRICS = {
    "model": ["svm", "svm", "knn", "knn", "xgboost", "xgboost"],
    "metric": ["accuracy", "rmse"] * 3,
    "iris": [0.9, 0.1, 0.8, 0.2, 0.7, 0.3],
    "wine": [0.8, 0.2, 0.7, 0.4, 0.6, 0.5],
}


@pytest.mark.parametrize(
    ("given", "measure", "means"),
    [
        ({}, "accuracy", [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]]),
        ({"score": "rmse"}, "rmse", [[0.1, 0.2, 0.3], [0.2, 0.4, 0.5]]),
        ({"where": "metric=rmse"}, "rmse", [[0.1, 0.2, 0.3], [0.2, 0.4, 0.5]]),
    ],
)
def test_measures_in_rows_and_data_sets_in_columns(
    given: dict[str, Any], measure: str, means: list[list[float]]
) -> None:
    """One measure is read, by its name; that a data set is well known says nothing about it."""
    table = read_scores(METRICS, **given)
    assert (table.measure.name, table.datasets) == (measure, ("iris", "wine"))
    assert table.measure.higher_is_better == (measure == "accuracy")
    assert table.means().tolist() == means


def test_minus_one_is_unknown_where_nothing_can_be_below_0() -> None:
    rows = {"dataset": ["iris", "wine", "zoo"], "knn": [0.5, -1, 0.7], "svm": [0.6, 0.7, -1]}
    table = read_scores(rows, score="accuracy")
    np.testing.assert_array_equal(table.means(), [[0.5, 0.6], [np.nan, 0.7], [0.7, np.nan]])
    assert "2 scores of -1, which accuracy cannot be, read as missing." in table.notes
    assert read_scores(rows, score="r2").means().min() == -1
    with pytest.raises(InputError, match="-2 for 'knn'"):
        read_scores({**rows, "knn": [0.5, -2, -1]}, score="accuracy")


def test_functions_by_number_are_data_sets_though_fid_is_a_measure(tmp_path: Path) -> None:
    rows = [
        f"{name},cec2022,{fid},{run},{fid * 100},{fid + run / 10 + place}"
        for place, name in enumerate(("JADE", "LSHADE", "PSO"))
        for fid in (1, 2, 3, 4)
        for run in (1, 2, 3)
    ]
    text = "alg,suite,fid,run,fbest,err\n" + "\n".join(rows)
    table = read_scores(written(tmp_path, "t.csv", text))
    assert (table.n_algorithms, table.datasets) == (3, ("1", "2", "3", "4"))
    assert table.measure.name == "err"
    assert table.means()[1].tolist() == pytest.approx([2.2, 3.2, 4.2])


def test_the_name_of_an_index_in_a_header_is_no_algorithm(tmp_path: Path) -> None:
    body = [rf"{n} & {n + 0.5} & {n + 0.25} & {n + 0.75} \\" for n in range(1, 8)]
    text = "\n".join(
        [r"\begin{table}\caption{Mean error}\begin{tabular}{llll}\toprule",
         r"alg & CMAES & PSO & JADE \\", r"fid & & & \\", r"\midrule", *body,
         r"\bottomrule\end{tabular}\end{table}"]
    )  # fmt: skip
    table = read_scores(written(tmp_path, "t.tex", text))
    assert table.algorithms == ("CMAES", "PSO", "JADE")
    assert table.means()[0].tolist() == [1.5, 1.25, 1.75]


def test_a_file_that_names_nothing_is_refused(tmp_path: Path) -> None:
    rows = [f"{18000 + n} {3600 + n / 7} {0.7 + n / 100}" for n in range(6)]
    with pytest.raises(ColumnError, match=r"no column of t\.txt can be seen to name"):
        read_scores(written(tmp_path, "t.txt", "\n".join(rows)))


def test_rows_without_a_value_are_no_data_sets(tmp_path: Path) -> None:
    text = "dataset,knn,svm\niris,0.9,0.8\nwine,0.7,0.6\nzoo,,\ncar,0.5,\n"
    path = written(tmp_path, "accuracy.csv", text)
    table = read_scores(path)
    assert table.datasets == ("iris", "wine", "car")
    assert any("1 row without a value" in note for note in table.notes)
    assert read_scores(path, missing="worst").n_datasets == 4


def test_a_second_row_of_headings_tells_merged_ones_apart(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    groups = ("Yearly", "Monthly", "Total")
    sheet.append(["Method", "sMAPE", None, None, "MASE", None, None])
    sheet.append(["User ID", *groups, *groups])
    for name, shift in (("Naive", 2.0), ("Theta", 1.0), ("118", 0.5)):
        sheet.append([name, *(10 + shift + n for n in range(3)), *(shift + n for n in range(3))])
    sheet.merge_cells("B1:D1")
    sheet.merge_cells("E1:G1")
    book.save(tmp_path / "ranks.xlsx")
    table = read_scores(tmp_path / "ranks.xlsx", score="sMAPE")
    assert (table.algorithms, table.datasets) == (("Naive", "Theta", "118"), ("Yearly", "Monthly"))
    assert table.means().tolist() == [[12.0, 11.0, 10.5], [13.0, 12.0, 11.5]]


def test_a_file_of_a_tool_without_its_algorithms_is_refused(tmp_path: Path) -> None:
    text = (
        "@RELATION runs\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
        "@ATTRIBUTE ##algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n"
        "@ATTRIBUTE runstatus {ok, timeout}\n@DATA\nx,1,'a, b',1.5,ok\nx,1,c,2.5,ok\n"
        "y,1,'a, b',9,timeout\ny,1,c,0.5,ok\n"
    )
    with pytest.raises(InputError):
        read_scores(written(tmp_path, "runs.arff", text))


def test_numbers_of_executions_are_repeats(tmp_path: Path) -> None:
    rows = [
        f"{name},{problem},{metric},{run},{0.1 * place + 0.01 * run}"
        for place, name in enumerate(("NSGAII", "SMPSO"), start=1)
        for problem in ("ZDT1", "DTLZ7", "ZDT6")
        for metric in ("EP", "HV", "SP")
        for run in range(4)
    ]
    text = "Algorithm,Instance,MetricName,ExecutionId,MetricValue\n" + "\n".join(rows)
    table = read_scores(written(tmp_path, "t.csv", text))
    assert (table.datasets, table.measure.name) == (("ZDT1", "DTLZ7", "ZDT6"), "HV")
    assert table.rows.n_splits == 4


def test_three_rows_of_headings_and_a_status_beside_each_time(tmp_path: Path) -> None:
    rows = [
        ["tool"] + ["cpa 1"] * 4 + ["cpa 2"] * 4,
        ["run set"] + ["value"] * 4 + ["predicate"] * 4,
        ["results/", *["status", "score", "cputime (s)", "memory"] * 2],
        ["a/one.c", "true", "", "2.5", "128", "false(reach)", "", "1.5", "133"],
        ["a/two.c", "unknown", "", "2.0", "129", "true", "", "2.2", "130"],
        ["a/six.c", "true", "", "1.8", "131", "TIMEOUT", "", "900", "127"],
    ]
    (tmp_path / "t.csv").write_text("".join("\t".join(row) + "\n" for row in rows))
    table = read_scores(tmp_path / "t.csv")
    assert table.algorithms == ("cpa 1 / value", "cpa 2 / predicate")
    assert table.datasets == ("a/one.c", "a/two.c", "a/six.c")
    assert table.measure.name == "cputime (s)"
    assert table.measure.is_censored
    assert table.means()[0].tolist() == [2.5, 1.5]  # a refuted property is an answer


def test_an_index_of_several_levels_is_refused(tmp_path: Path) -> None:
    rows = [f"\"('{name}', 0.5, {seed})\",0.{seed}1,0.{seed}2" for name in "xy" for seed in (1, 2)]
    with pytest.raises(ColumnError, match=r"holds tuples, such as \('x', 0.5, 1\)"):
        read_scores(written(tmp_path, "auc.csv", "\n".join([",IForest,OCSVM", *rows])))
