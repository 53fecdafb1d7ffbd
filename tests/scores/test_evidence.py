"""What little evidence decides and what it does not: then the reader asks, by commands that work.

Each table is small and made by hand; most have a twin that the same principle must not misread.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from pandas import DataFrame

from palio import rank
from palio.errors import InputError, Option
from palio.scores import read_scores

if TYPE_CHECKING:
    from pathlib import Path

SCORES = [[0.91, 0.88, 0.90, 0.84], [0.81, 0.78, 0.80, 0.74], [0.71, 0.68, 0.60, 0.64]]


def wide(first: str, rows: str, columns: str, **more: list[Any]) -> dict[str, list[Any]]:
    """Return a table with a row for each name and a column for each other one."""
    named = {name: [row[place] for row in SCORES] for place, name in enumerate(columns.split(","))}
    return {first: rows.split(","), **named, **more}


def grid(score: dict[str, list[Any]], **names: str) -> dict[str, list[Any]]:
    """Return a table with a row for each combination of names."""
    rows = product(*(each.split(",") for each in names.values()))
    return {**dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), **score}


def ways(table: Any, **given: Any) -> list[Option]:
    """Return what a table is asked about; each way gives a table."""
    with pytest.raises(InputError) as raised:
        read_scores(table, **given)
    found = raised.value.options
    for way in found:
        more: dict[str, Any] = {}
        for each in way.all:
            more.setdefault(each.parameter, []).append(each.python_value)
        more = {name: each if len(each) > 1 else each[0] for name, each in more.items()}
        assert read_scores(table, **{**given, **more}).n_algorithms > 1, way
    return found


OPAQUE = ("zab,zac,zad", "qaa,qab,qac,qad")


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"selection type": ["x", "y", "x"]},
        {"type": ["x", "y", "x"]},
        {"year": [2011, 2014, 2015]},
        {"params (M)": [11.5, 14.1, 2.5]},
        {"avg": [0.8825, 0.7825, 0.6575]},
    ],
)
def test_what_stands_beside_unknown_names_does_not_swap_them(beside: dict[str, list[Any]]) -> None:
    found = ways({**wide("thing", *OPAQUE), **beside}, higher_is_better=True)
    assert {"algorithm", "dataset"} == {each.parameter for each in found}


def test_names_decide() -> None:
    sized = wide("probe", "A4_HUMAN,B1_YEAST,C2_ECOLI", "Rita S,Rita XL,Pro2 Base,Pro2 L")
    assert read_scores({**sized, "kind": list("xyx")}, score="auc").n_datasets == 3
    counted = read_scores({**sized, "number of mutants": [2346, 120, 880]}, score="auc")
    assert counted.n_algorithms == 4
    assert "Left out, as they cannot be auc: number of mutants." in counted.notes
    cities = wide("thing", "svm,knn,c45", "iris,wine,glass,vowel", type=list("xyx"))
    assert read_scores(cities, score="auc").algorithms == ("svm", "knn", "c45")


def test_headings_of_anything_do_not_decide() -> None:
    names = {"group": "alpha,beta", "name": "one,two"}
    assert len(ways(grid({"accuracy": [0.8, 0.9, 0.7, 0.6]}, **names))) == 2
    plain = {"config": "alpha,beta", "problem": "one,two"}
    found = read_scores(grid({"accuracy": [0.8, 0.9, 0.7, 0.6]}, **plain))
    assert found.algorithms == ("alpha", "beta")


def test_benchmark_may_head_what_is_compared() -> None:
    names = {"Benchmark": "gson/databind,jackson/databind", "case": "small one,big one"}
    assert ways(grid({"score": [402.1, 812.1, 42.1, 81.1]}, **names))


MODELS = ["acme/foo-7b", "google/gemini-2", "qwen/qwen3-8b"]


def test_shares_of_a_whole_are_measures() -> None:
    columns = {
        "Model": MODELS,
        "Hallucination Rate": [1.8, 3.8, 4.9],
        "Factual Consistency Rate": [98.2, 96.2, 95.1],
        "Answer Rate": [99.5, 99.1, 98.8],
    }
    table = read_scores(columns)
    assert table.n_datasets == 1
    assert not table.measure.higher_is_better
    unknown = {"Refusal Rate": [1.8, 3.8, 4.9], "Leak Rate": [8.0, 6.0, 5.1]}
    assert {each.parameter for each in ways({"Model": MODELS, **unknown})} == {"higher_is_better"}
    errors = {f"{name} WER": [1.8, 3.8, 4.9 + place] for place, name in enumerate(("AMI", "LS"))}
    assert read_scores({"Model": MODELS, **errors}).n_datasets == 2


NAMES = {"dataset": "iris,wine", "model": "svm,knn"}
FOUR = [1.5, 2.5, 3.5, 4.5]


@pytest.mark.parametrize(
    ("columns", "score"),
    [
        (("train_time", "evaluation_time", "gpu_memory"), "train_time"),
        (("Best Development Score", "Best Test Score"), "Best Test Score"),
        (("train accuracy", "val accuracy", "test accuracy"), "test accuracy"),
        (("train_loss", "val_loss"), "val_loss"),
        (("pr", "f1_score", "auc_roc"), "auc_roc"),
        (("f1_score", "fit_seconds", "predict_peak_memory_mb"), "f1_score"),
        (("strain recall", "train recall"), "strain recall"),
        (("Errors", "Solved"), "Solved"),
        (("Time_A", "Time_B", "AUC_A", "AUC_B", "RAM_A", "RAM_B"), "AUC_A"),
    ],
)
def test_the_main_score(columns: tuple[str, ...], score: str) -> None:
    table = grid(
        {name: [each + place for each in FOUR] for place, name in enumerate(columns)}, **NAMES
    )
    assert read_scores(table, allow_out_of_range=True).measure.name == score


def test_a_table_of_costs_names_the_others() -> None:
    table = read_scores(grid({"train_time": FOUR, "gpu_memory": FOUR[::-1]}, **NAMES))
    assert any("--score gpu_memory" in note for note in table.notes)


def test_a_cost_is_no_candidate_beside_an_unknown_mean() -> None:
    numbers = {"system.memory.mb": [16384.0] * 4, "n": FOUR, "best.f.mean": FOUR, "best.f.sd": FOUR}
    with pytest.raises(InputError, match=r"'best\.f\.mean'"):
        read_scores(grid(numbers, **NAMES))


def test_a_measure_on_few_data_sets_is_not_the_main_one() -> None:
    names = {"dataset": "a,b,c,d", "model": "vit-b,vit-l"}
    columns = {"accuracy": [0.5, 0.6] + [None] * 6, "mrr": [None, None, *EIGHT[2:]]}
    table = read_scores(grid(columns, **names))
    assert (table.measure.name, table.datasets) == ("mrr", ("b", "c", "d"))
    assert any("nobody has mrr there: 1 data set of 4, a" in note for note in table.notes)


@pytest.mark.parametrize(
    ("unit", "up"), [("ms/op", False), ("ns", False), ("ops/s", True), ("points", True)]
)
def test_units_turn_a_score(unit: str, *, up: bool) -> None:
    table = read_scores(grid({"score": FOUR, "units": [unit] * 4}, **NAMES))
    assert table.measure.higher_is_better is up


@pytest.mark.parametrize("name", ["Not Solved", "survival time", "accuracy drop"])
def test_a_word_may_turn_a_measure(name: str) -> None:
    assert len(ways(grid({name: [3, 2, 4, 1]}, **NAMES))) == 2


def test_a_caption_is_not_said_of_one_of_several_columns(tmp_path: Path) -> None:
    rows = [f"| {name} | {place}.3 | {place}.5 |" for place, name in enumerate(MODELS)]
    head = ["# Zoo", "The table reports accuracy of models.", "", "| model | zork | blip |"]
    file = tmp_path / "README.md"
    file.write_text("\n".join([*head, "|---|---|---|", *rows]))
    with pytest.raises(InputError, match="score='zork', higher_is_better=False"):
        read_scores(file)


def test_prose_is_not_said_of_a_table_of_speeds(tmp_path: Path) -> None:
    rows = [f"| {name} | {place}.3 | {place}.5 |" for place, name in enumerate(MODELS)]
    text = ["# Zoo", "We evaluate accuracy on images.", "", "## {}", "", "| model | iris | wine |"]
    file = tmp_path / "README.md"
    file.write_text("\n".join([*text, "|---|---|---|", *rows]).format("Speed"))
    assert len(ways(file)) == 2
    file.write_text("\n".join([*text, "|---|---|---|", *rows]).format("Results"))
    assert read_scores(file).measure.name == "accuracy"


def test_decimals_number_no_runs() -> None:
    table = read_scores(wide("task", "3,31,37", "run_a,run_b,run_c"), score="accuracy")
    assert table.algorithms == ("run_a", "run_b", "run_c")


# --- rows that a number tells apart, and what is offered -----------------------------------------

GRID = {"algorithm": "knn,svm", "dataset": "iris,wine"}
EIGHT = [0.90, 0.91, 0.70, 0.71, 0.80, 0.81, 0.60, 0.61]


@pytest.mark.parametrize(("heading", "n_datasets"), [("k", None), ("size", None), ("n_train", 4)])
def test_a_number_that_is_the_same_for_all_is_part_of_a_name(
    heading: str, n_datasets: int | None
) -> None:
    table = grid({"accuracy": EIGHT}, **GRID, **{heading: "1,3"})
    if n_datasets is None:
        assert {str(way.all[1].value) for way in ways(table)} == {"dataset", f"dataset+{heading}"}
    else:
        assert read_scores(table).n_datasets == n_datasets


def test_all_that_is_offered_for_repeated_rows_works() -> None:
    twice = grid({"accuracy": EIGHT}, **GRID, copy="x,y")
    del twice["copy"]
    assert {each.parameter for each in ways(twice)} == {"duplicates"}
    told = ways({**twice, "stamp": ["2024-01-01", "2024-01-02"] * 4})
    assert "where" in {each.parameter for each in told}


@pytest.mark.parametrize("unknown", [["zork"], ["zork", "blip"]])
def test_unknown_measures_are_asked_about_together(unknown: list[str]) -> None:
    names = [*unknown, "entity F1", "accuracy"][:3]
    columns = {"model": ["svm", "knn"] * 3, "task": [x for x in "abc" for _ in "12"]}
    measured = {"metric": [x for x in names for _ in "12"], "value": [8, 7, 6, 5, 4, 3]}
    found = ways({**columns, **measured})
    assert [len(each.all) for each in found] == [len(unknown)] * 2


def test_numbers_that_cross_names_may_tell_what_was_tried(tmp_path: Path) -> None:
    """Each tool on each size of sample: the sizes are data sets."""
    cells = product(enumerate(("R", "H2O", "Spark")), enumerate((0.01, 0.1, 1, 10)))
    rows = [f"{tool},{n},{0.6 + 0.01 * i + 0.02 * j}" for (i, tool), (j, n) in cells]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["Tool,n,AUC", *rows]))
    table = read_scores(path)
    assert (table.algorithms, table.datasets) == (("R", "H2O", "Spark"), ("0.01", "0.1", "1", "10"))
    assert "Recognised: 'Tool' names the algorithms and 'n' names the data sets." in table.notes


def test_measures_behind_a_slash_are_of_what_stands_before_it(tmp_path: Path) -> None:
    """One column per task with a measure of its own: tasks are data sets, and a loss stays one."""
    path = tmp_path / "README.md"
    path.write_text(
        "| Model | NER/F1 | STS/Pearson | Tags/hamming_loss |\n|---|---|---|---|\n"
        "| bert-base | 0.80 | 0.82 | 0.11 |\n| roberta-large | 0.81 | 0.84 | 0.10 |\n"
    )
    table = read_scores(path)
    assert table.datasets == ("NER", "STS", "Tags")
    assert rank(table).order[0] == "roberta-large"
    assert table.measure.is_mixed


# --- what is no score ----------------------------------------------------------------------------


def test_rates_of_costs_are_costs() -> None:
    hashes = {"Hash function": ["crc32", "md5", "sha1"], "MiB/sec": [400.5, 300.5, 200.5]}
    table = read_scores({**hashes, "cycl./map": [90.5, 80.5, 99.5], "ms/op": [2.5, 1.5, 3.5]})
    assert (table.measure.name, table.measure.higher_is_better) == ("MiB/sec", True)
    assert table.cost_names == ("cycl./map", "ms/op")


def test_speeds_beside_scores_are_no_data_sets() -> None:
    models = wide("model", "ResNet-50,ViT-B/16,vgg16", "KITTI,NYUv2,Sintel,TUM")
    table = read_scores({**models, "FPS": [50, 20, 30]}, higher_is_better=True)
    assert table.n_datasets == 4
    assert "Left out, because they describe and are no results: FPS." in table.notes
    assert read_scores(wide("model", "svm,knn,c45", "FPS,tokens/s"), score="FPS").n_datasets == 1


def test_counts_that_never_change_and_sizes_alone_are_no_results() -> None:
    for beside in ({"runs": [5, 5, 5]}, {"Size": ["20.5KB", "63.6KB", "2.1MB"]}):
        with pytest.raises(InputError, match="no column"):
            read_scores({"File": ["twitter", "canada", "apache"], **beside})


def test_costs_without_a_number_are_left_out() -> None:
    cells = ["36.62±0.12 + 0.25±0.01", "22.60±0.27 + 7.00±0.44", "1.60±0.27 + 2.00±0.44"]
    table = read_scores({"model": ["svm", "knn", "c45"], "Time": [1.5, 2.5, 3.5], "Memory": cells})
    assert (table.measure.name, table.cost_names) == ("Time", ())


def test_the_main_measure_is_there_for_most() -> None:
    scores = {"model": list("abcdef"), "MAP": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    assert read_scores({**scores, "R2": [0.5, 0.6, 0.4, None, None, None]}).measure.name == "MAP"
    assert read_scores({**scores, "R2": [0.5, 0.6, 0.4, 0.1, 0.2, None]}).measure.name == "R2"


# --- boards --------------------------------------------------------------------------------------


def test_many_measures_make_a_board_whatever_they_are_also_taken_of() -> None:
    rows = grid({}, algorithm="svm,knn,c45", **{"run-id": "0,1"})
    measures = ["accuracy", "TPR", "MCC", "female accuracy", "male accuracy", "adult accuracy"]
    table = read_scores({**rows, **{name: [0.9, 0.8, 0.7, 0.6, 0.5, 0.4] for name in measures}})
    assert (table.n_algorithms, table.n_datasets, table.measure.name) == (3, 1, "accuracy")
    data_sets = wide("model", "svm,knn,c45", "AMI WER,LS WER,Ted WER")
    assert read_scores({**data_sets, "WER": [0.8, 0.7, 0.6]}).n_datasets >= 3


def test_groups_of_models_are_no_data_sets() -> None:
    models = ["ViT-B/32", "ViT-B/16", "ResNet-50", "ResNet-101", "ViT-B/16"]
    depth = {name: [0.1, 0.2, 0.3, 0.4, 0.5] for name in ("KITTI RMSE", "NYUv2", "Sintel", "TUM")}
    table = read_scores(
        {"group": ["small", "small", "large", "large", "large"], "model": models, **depth},
        higher_is_better=False,
    )
    assert (table.n_algorithms, table.n_datasets) == (5, 4)


def test_measures_in_headings_go_before_words_around(tmp_path: Path) -> None:
    rows = "".join(f"| m{n} | " + " | ".join(f"0.{n}{m}" for m in range(5)) + " |\n" for n in "567")
    head = "| Model | A1 RMSE | A2 RMSE | B1 MAE | B2 MAE | C1 |\n|---|---|---|---|---|---|\n"
    (tmp_path / "t.md").write_text(f"# Accuracy\n\n{head}{rows}")
    assert read_scores(tmp_path / "t.md").measure.higher_is_better is False


# --- directions that stay open -------------------------------------------------------------------


@pytest.mark.parametrize("datasets", ["CIFAR-10,CIFAR-100,SVHN,MNIST", "x_40,x_400,y_40,y_400"])
def test_data_sets_of_error_rates_tell_no_direction(datasets: str) -> None:
    found = ways(wide("model", "ResNet-18,VGG16,ViT-B", datasets))
    assert {each.parameter for each in found} == {"higher_is_better"}


def test_settings_have_names_of_measures() -> None:
    headings = "default,high_accuracy,mid_accuracy,low_accuracy"
    found = ways(wide("solver", "scs,osqp,piqp", headings))
    assert {each.parameter for each in found} == {"higher_is_better"}


def test_tables_of_settings_are_no_results() -> None:
    rows = wide("parameter", "eps_abs,eps_rel,max_iter", "default,fast,exact,large")
    with pytest.raises(InputError, match="no column"):
        read_scores(rows, higher_is_better=True)


# --- what names nothing ---------------------------------------------------------------------------


def test_numbers_that_are_the_same_everywhere_are_no_totals() -> None:
    board = {
        "Model": MODELS,
        "Mode": ["greedy"] * 3,
        "Acc": [95.9, 93.8, 87.0],
        "No answer": [1.3, 0.4, 0.1],
        "Total": [800] * 3,
        "Reason Lens": [504.2, 468.3, 760.7],
    }
    table = read_scores(board)
    assert (table.n_datasets, table.measure.name) == (1, "Acc")


def test_what_data_sets_are_called_is_no_part_of_names_of_algorithms() -> None:
    rows = grid({"D2_Best": [1.5, 2.5, 3.5], "D10_Best": [4.5, 5.5, 6.5]}, Algorithm="rao1,rao2")
    rows |= {"Function": ["F3", "F4", "F5"], "Algorithm": ["rao1"] * 3}
    with pytest.raises(InputError, match=r"at least two algorithms .*'rao1'"):
        read_scores(rows)


def test_sizes_of_data_on_which_most_were_tried_are_data_sets() -> None:
    rows = grid({"AUC": [68.2, 71.2, 73.4, 69.8, 72.5, 75.5]}, Tool="R,H2O", n="10K,100K,10M")
    table = read_scores({**rows, "Time (sec)": [50, 1200, 90, 15, 150, 600]})
    assert (table.algorithms, table.datasets) == (("R", "H2O"), ("10K", "100K", "10M"))
    assert table.cost_names == ("Time (sec)",)
    numbers = {"Tool": ["R", "R", "H2O", "H2O", "H2O"], "n": ["0.1", "1", "0.1", "1", "10"]}
    table = read_scores({**numbers, "AUC": [68.2, 71.2, 69.8, 72.5, 75.5]})
    assert (table.algorithms, table.datasets) == (("R", "H2O"), ("0.1", "1", "10"))


def test_an_algorithm_may_be_called_as_a_property_of_models_is() -> None:
    columns = wide("corpus", "scifact,fiqa,nfcorpus", "RRF,Interpolation,BM25")
    assert read_scores(columns, score="ndcg").algorithms == ("RRF", "Interpolation", "BM25")


def test_many_rows_of_a_name_are_not_kept_apart() -> None:
    rows = {"Agent": ["SAC"] * 3 + ["PPO"] * 3, "Value": [-44.9, 20.5, 96.2, 33.1, 88.4, 91.0]}
    with pytest.raises(InputError, match="4 results repeat an earlier one"):
        read_scores(rows, higher_is_better=True)
    steps = {**rows, "Iteration": [0, 10, 20] * 2}
    with pytest.raises(InputError, match="how far training"):
        read_scores(steps, higher_is_better=True)
    last = read_scores(steps, higher_is_better=True, duplicates="last")
    assert last.means().tolist() == [[96.2, 91.0]]


def test_counts_of_what_data_sets_have_are_no_results() -> None:
    counts = {f"n_{kind}_features": [3, 5 + len(kind), 9] for kind in ("binary", "nominal", "real")}
    with pytest.raises(InputError, match="no column"):
        read_scores({"dataset": ["iris", "wine", "glass"], **counts})
    beside = {"dataset": ["iris", "wine", "glass"], "imbalance_metric": [0.1, 0.2, 0.4], **counts}
    with pytest.raises(InputError, match="no column"):
        read_scores(beside)
    asked: dict[str, Any] = {"score": "n_real_features", "higher_is_better": True}
    with pytest.raises(InputError, match="at least two algorithms"):
        read_scores({"dataset": ["iris", "wine", "glass"], **counts}, **asked)


def test_train_and_valid_are_no_algorithms() -> None:
    parts = ["train", "train", "valid", "valid"]
    log = {"dataset": ["toy"] * 4, "model": ["complex"] * 4, "job": parts, "mrr": FOUR}
    with pytest.raises(InputError, match=r"at least two algorithms .*'complex'"):
        read_scores({**log, "epoch": [1, 2, 1, 2]}, where="job=valid", duplicates="last")


def test_what_is_left_out_is_empty_or_describes() -> None:
    board = wide("model", "bert,xlnet,gpt-2", "MMLU,GSM8K", ARC=[None] * 3, licence=list("xyx"))
    notes = read_scores(board).notes
    assert "Left out, because they are empty: ARC." in notes
    assert "Left out, because they describe and are no results: licence." in notes


def test_settings_that_tell_rows_apart_are_part_of_the_names() -> None:
    rows = [
        {"dataset": data, "model": model, "margin": margin, "trial": trial, "mrr": 0.1 * trial}
        for data in ("WN18RR", "FB15k237", "UMLS")
        for model, margins in (("marginal", (True, False)), ("inverse", ("",)))
        for margin in margins
        for trial in (1, 2, 3)
    ]
    table = read_scores(DataFrame(rows))
    assert table.algorithms == ("marginal / True", "marginal / False", "inverse")
    assert table.datasets == ("WN18RR", "FB15k237", "UMLS")


def test_run_times_of_solvers_come_before_what_they_find() -> None:
    rows = [
        {
            "benchmark": f"{name}-{size}",
            "size": size,
            "solver": solver,
            "solver version": version,
            "status": "TO" if size == "large" and version == "1.0" else "ok",
            "runtime (s)": 3600.0 if size == "large" and version == "1.0" else place + 1.0,
            "objective value": 217.0,
        }
        for place, name in enumerate(("grid", "fleet", "mesh", "plant"))
        for size in ("small", "large")
        for solver in ("highs", "scip")
        for version in ("1.0", "2.0")
    ]
    table = read_scores(DataFrame(rows))
    assert table.measure.name == "runtime (s)"
    assert not table.measure.higher_is_better
    assert table.measure.is_censored
    assert table.algorithms == ("highs / 1.0", "highs / 2.0", "scip / 1.0", "scip / 2.0")


@pytest.mark.parametrize("quality", ["Quality Score", "zork"])
def test_costs_of_parts_are_never_the_measure_beside_a_score(quality: str) -> None:
    costs: dict[str, list[Any]] = {
        "Warm-up Time": [1.5, 2, 3, 4, 5, 6],
        "Peak_Memory_MB": [10, 20, 31, 40, 50, 60],
    }
    scores: dict[str, list[Any]] = {
        "Sanity Score": [0.5, 1, 1, 1, 1, 1],
        quality: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    }
    table = grid({**costs, **scores}, generator="forest,copula", dataset="adult,news,child")
    found = read_scores(table)
    assert found.measure.name == (quality if "Score" in quality else "Sanity Score")
    assert found.measure.higher_is_better
    assert {*found.cost_names} == {*costs}


def test_what_the_authors_average_is_of_data_sets() -> None:
    """Parts of tasks are called by their measures, and their means and the mean of all go."""
    parts = {"qa_f1": [60, 50, 30], "qa_em": [50, 30, 20], "cap_rouge": [20, 30, 25]}
    table = {"model": ["gpt-4o", "llama-3-8b", "qwen-7b"], **parts, "nav": [70, 60, 10]}
    means = {"qa": [55, 40, 25], "overall": [50, 42.5, 21.25]}
    found = read_scores({**table, **means}, higher_is_better=True)
    assert found.datasets == ("qa_f1", "qa_em", "cap_rouge", "nav")
    told = "Left out, because it is computed: qa, the mean of its parts; overall, the mean of the "
    assert f"{told}others." in found.notes
    # What stands in front of others, and is not their mean, is a task of its own.
    assert (
        "qa"
        in read_scores(
            {**table, "qa": [55, 41, 29]}, algorithm="model", transpose=True, higher_is_better=True
        ).datasets
    )


def test_settings_are_asked_about_together_where_nobody_numbered_the_runs() -> None:
    names = {
        "model": "svm,knn",
        "encoding": "hot,bin",
        "bits": "8,16",
        "dataset": "iris,wine,glass",
    }
    table = grid({}, **names, run="1,2,3")
    del table["run"]
    table["accuracy"] = [0.5 + 0.001 * (place % 5) for place in range(len(table["model"]))]
    found = ways(table)
    assert [(each.parameter, each.value) for each in found[0].all] == [
        ("algorithm", "model+encoding+bits"),
        ("duplicates", "mean"),
    ]
    assert read_scores(table, algorithm="model+encoding+bits", duplicates="mean").n_algorithms == 8
    # Runs of which there are more here than there are not what the settings leave.
    fewer = {name: each[1:] for name, each in table.items()}
    assert "model+encoding+bits" not in {each.value for each in ways(fewer)}


def test_names_are_told_apart_by_what_differs() -> None:
    table = {
        "": [f"XGBoostTask('{name}_1.csv')" for name in ("iris", "wine", "glass", "ecoli")],
        "lib.GPTuner": [0.5, 0.6, 0.7, 0.8],
        "lib.tpe": [0.6, 0.6, 0.8, 0.9],
    }
    assert read_scores(table, higher_is_better=True).algorithms == ("lib.GPTuner", "lib.tpe")


def test_what_is_told_by_the_data_set_is_part_of_its_name() -> None:
    of = {
        "batlik": ("corona.csv", "cubus.csv", "x.csv"),
        "jump3r": ("beep.csv", "dual.csv", "x.csv"),
    }
    rows = [
        {"System": system, "Dataset": file, "learner": name, "MAE": 0.1 * place + 0.01 * len(file)}
        for system, files in of.items()
        for file in files
        for place, name in enumerate(("ANN", "random forest", "XGBoost"))
    ]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    found = read_scores(table)
    assert (found.n_algorithms, found.n_datasets) == (3, 6)


def test_numbers_between_results_and_like_them_are_results() -> None:
    kinds = ["ALG", "GEO", "LOG", "NUM", "SCI", "STA"]
    table: dict[str, list[Any]] = {"Model": ["GPT-4V", "LLaVA-13B", "Gemini Pro"]}
    table |= {kind: [40.1 + place, 30.2 + place, 50.3 - place] for place, kind in enumerate(kinds)}
    found = read_scores(table, score="accuracy")
    assert found.datasets == tuple(kinds)


def test_many_columns_of_one_size_are_of_one_measure() -> None:
    names = ["ALL", "FQA", "GPS", "MWP", "TQA", "VQA", "ALG", "ARI"]
    models = ["GPT-4V", "Gemini Pro", "LLaVA-13B"]
    rows = [
        {"Model": model, **{name: 40.3 + 9 * place + 0.7 * n for n, name in enumerate(names)}}
        for place, model in enumerate(models)
    ]
    table = read_scores(DataFrame(rows), higher_is_better=True)
    assert table.datasets == (*names[1:],)


@pytest.mark.parametrize(
    ("datasets", "column", "up"),
    [
        ("Breakout,Qbert,Seaquest", "mean", True),  # returns are published
        ("Ackley,Griewank,Rastrigin", "mean", False),  # and what test functions are minimised to
        ("eil51,kroA100,A-n32-k5.vrp", "best", False),
        ("Ackley,Griewank,Rastrigin", "accuracy", True),  # a name tells more
        ("Ackley,Griewank,Rastrigin", "zed", None),
        ("qaa,qab,qac", "mean", None),
    ],
)
def test_how_benchmarks_are_published(datasets: str, column: str, *, up: bool | None) -> None:
    table = grid({column: [0.1, 0.2, 0.3, 0.4, 0.6, 0.8]}, benchmark=datasets, algorithm="zab,zac")
    if up is None:
        assert len(ways(table)) == 2
    else:
        assert read_scores(table).measure.higher_is_better is up


@pytest.mark.parametrize(
    ("name", "above", "up"),
    [
        ("CMMLU_README", "Five-shot", True),
        ("zed", "The reported values represent the gap to the best-known solutions.", False),
        ("zed", "## Timing on a laptop", False),
        ("zed", "All numbers are in milliseconds.", False),
        ("zed", "Alle Werte in Sekunden.", False),
        ("MMLU_speed", "Five-shot", None),
    ],
)
def test_words_next_to_a_table(tmp_path: Path, name: str, above: str, *, up: bool | None) -> None:
    head = "| Model | qaa | qab | qac |\n|---|---|---|---|\n"
    rows = "".join(f"| {each} | 1.{n} | 2.{n} | 3.{n} |\n" for n, each in enumerate(["svm", "knn"]))
    file = tmp_path / f"{name}.md"
    file.write_text(f"{above}\n\n{head}{rows}", encoding="utf-8")
    if up is None:
        assert len(ways(file)) == 2
    else:
        assert read_scores(file).measure.higher_is_better is up


def test_the_likelier_direction_comes_first(tmp_path: Path) -> None:
    head = (
        "| Model | qaa | qab | qac |\n|---|---|---|---|\n| svm | 1 | 2 | 3 |\n| knn | 2 | 3 | 4 |\n"
    )
    file = tmp_path / "zed.md"
    file.write_text(f"# Zed\n\nIn training we minimised the MSE.\n\n## Zod\n\n{head}", "utf-8")
    assert ways(file)[0].python_value is False


def test_a_known_measure_of_some_data_sets_is_the_main_one() -> None:
    scores: dict[str, list[Any]] = {
        "val_samples": [3, 3, 4, 4, 5, 5, 6, 6],
        "accuracy": [0.5, 0.6, 0.7, 0.8] + [None] * 4,
        "rmse": [None] * 2 + [3, 4, 5, 6, 7, 8],
    }
    table = read_scores(grid(scores, dataset="a,b,c,d", model="vit-b,vit-l"))
    assert table.measure.name == "accuracy"


def test_the_unit_of_a_score_is_that_of_a_time() -> None:
    scores = {"score_us": [0.1, 0.2, 0.3, 0.4], "error_us": [0.01] * 4}
    table = read_scores(grid(scores, dataset="a,b", model="vit-b,vit-l"))
    assert (table.measure.name, table.measure.higher_is_better) == ("score_us", False)


def test_columns_of_very_different_sizes_are_hardly_data_sets() -> None:
    runs = range(3)
    table = {
        "algo": [name for name in ("DQN", "PPO", "REINFORCE") for _ in runs],
        "run_idx": [run for _ in range(3) for run in runs],
        "gamma": [0.91, 0.95, 0.99, 0.92, 0.96, 0.9, 0.93, 0.97, 0.98],
        "buffer": [50_500, 100_500, 200_000, 51_000, 52_500, 53_000, 70_000, 80_500, 90_000],
        "exploration_fraction": [0.11, 0.2, 0.21, 0.15, 0.16, 0.17, 0.3, 0.31, 0.32],
        "clip_range": [0.5, 0.75, 1.5, 2.5, 2.75, 3.25, 4.5, 4.75, 5.5],
        "mean_reward": [133.5, 165.25, 171, 90.5, 91, 99, 20, 23.5, 21],
    }
    found = read_scores(table)
    assert (found.measure.name, found.n_datasets, found.n_algorithms) == ("mean_reward", 1, 3)


def test_numbers_on_nearly_all_of_which_each_name_was_tried_are_data_sets() -> None:
    pairs = [(m, q) for m in ("ClusTCR", "GLIPH2", "iSMART", "TCRDist") for q in range(3)][:-1]
    table = {
        "method": [m for m, _ in pairs for _ in range(2)],
        "q": [q for _, q in pairs for _ in range(2)],
        "metrics": ["purity", "recall"] * len(pairs),
        "value": [0.25 + 0.01 * place for place in range(2 * len(pairs))],
    }
    assert read_scores(table).datasets == ("0", "1", "2")


def test_counts_of_queries_are_no_data_sets() -> None:
    rows = [("sscd", 0.87, 4564), ("dino", 0.86, 4494), ("clip", 0.8, 4564), ("net", 0.7, 4564)]
    table = read_scores(DataFrame(rows, columns=["Model", "Recall@1", "Queries"]))
    assert (table.n_algorithms, table.n_datasets) == (4, 1)


def test_a_type_between_results_and_like_them_is_a_result() -> None:
    rows = [("knn", 0.78, 0.7, 0.66), ("ELMo", 0.75, 0.63, 0.58), ("BERT", 0.9, 0.85, 0.78)]
    frame = DataFrame(rows, columns=["Model", "Relevance", "Type", "Categ."])
    table = read_scores(frame, layout="algorithms-in-rows", higher_is_better=True)
    assert "Type" in table.datasets


def test_a_type_with_its_settings_names_what_is_compared() -> None:
    rows = [
        {"model_type": kind, "model_dim": dim, "num_layers": n, "val_loss": 9 - n / 7 - dim / 99}
        for kind in ("transformer", "zoo")
        for dim in (32, 128, 512)
        for n in (1, 2, 4)
    ]
    table = read_scores(DataFrame(rows[:-1]))
    assert (table.n_algorithms, table.n_datasets) == (17, 1)
    assert "zoo / 128 / 2" in table.algorithms
