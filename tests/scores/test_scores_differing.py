"""A measure that differs by data set: directions, what is refused, and what is left of means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.bayes import run_model
from palio.errors import CellError, ParameterError, UndecidedError, UnknownNameError
from palio.scores import read_scores
from palio.scores.selection import Choice
from tests.shared import shared_file

# a is better everywhere but on d3; by raw RMSE the means would say nothing else counts.
AUC = {"d1": (0.9, 0.8), "d2": (0.7, 0.6)}
RMSE = {"d3": (900.0, 100.0), "d4": (1.0, 2.0), "d5": (5.0, 6.0)}


def long(**more: list[Any]) -> dict[str, list[Any]]:
    rows = [(d, name, *ab) for name, of in (("auc", AUC), ("rmse", RMSE)) for d, ab in of.items()]
    return {
        "dataset": [row[0] for row in rows for _ in "ab"],
        "metric": [row[1] for row in rows for _ in "ab"],
        "algorithm": ["a", "b"] * len(rows),
        "value": [value for row in rows for value in row[2:]],
        **more,
    }


def wide() -> dict[str, list[Any]]:
    cells = long()
    return {
        "dataset": cells["dataset"][::2],
        "metric": cells["metric"][::2],
        "a": cells["value"][::2],
        "b": cells["value"][1::2],
    }


TURNED: list[list[float]] = [[0.9, 0.8], [0.7, 0.6], [-900, -100], [-1, -2], [-5, -6]]


@pytest.mark.parametrize("columns", [long(), wide()], ids=["long", "wide"])
def test_each_data_set_has_its_own_direction(columns: dict[str, list[Any]]) -> None:
    table = read_scores(columns)
    assert table.goodness().tolist() == TURNED
    assert table.measure.is_mixed
    assert [table.measures[name].name for name in table.datasets] == ["auc"] * 2 + ["rmse"] * 3
    assert any(
        "auc (higher is better) on 2, rmse (lower is better) on 3" in note for note in table.notes
    )
    assert all(np.isnan(mean) for mean in table.mean_scores().values())
    assert table.by_mean_score() == ("a", "b")
    found = table.understood().to_dict()
    assert found["measures"]["d3"] == {"name": "rmse", "higher_is_better": False}


def test_the_raw_scores_are_written_out_and_read_back() -> None:
    table = read_scores(long())
    frame = table.to_frame()
    assert frame["value"].tolist() == long()["value"]
    assert read_scores(frame).goodness().tolist() == TURNED


def test_data_sets_of_one_measure_are_of_that_measure() -> None:
    for table in (
        read_scores(long(), datasets=["d3", "d4"]),
        read_scores(long()).select(["d3", "d4"]),
        Choice(datasets="d3,d4").of_table(read_scores(long())),
        read_scores(long(), where="dataset=d3"),
    ):
        assert not table.measure.is_mixed
        assert (table.measure.name, table.measure.higher_is_better) == ("rmse", False)
        assert table.measure.scale == "ratio"
        assert table.means()[0].tolist() == [900.0, 100.0]
        assert not any("differs" in note for note in table.notes)
    part = read_scores(long()).select(["d1", "d3", "d4"])
    assert any("auc (higher is better) on 1, rmse (lower is better) on 2" in n for n in part.notes)


def test_a_score_may_be_asked_for_by_its_metric() -> None:
    table = read_scores(long(), score="rmse")
    assert table.datasets == ("d3", "d4", "d5")
    assert table.means()[0].tolist() == [900.0, 100.0]
    assert not table.measure.higher_is_better
    assert any("Only rows where metric is rmse: 6 of 10" in note for note in table.notes)


def test_of_several_measures_on_a_data_set_the_main_one_is_read() -> None:
    both = {
        "dataset": ["x"] * 4,
        "algorithm": ["a", "b"] * 2,
        "metric": ["accuracy", "accuracy", "log_loss", "log_loss"],
        "value": [0.9, 0.8, 0.3, 0.4],
    }
    table = read_scores(both)
    assert table.means().tolist() == [[0.9, 0.8]]
    assert table.notes[0] == (
        "The measure is accuracy, by the column 'metric'; others: --score log_loss."
    )
    loss = read_scores(both, score="log_loss")
    assert loss.means().tolist() == [[0.3, 0.4]]
    first, second = loss.goodness()[0].tolist()
    assert first - second == pytest.approx(np.log(0.4 / 0.3))  # a ratio, and lower is better
    assert read_scores(both, where="metric=accuracy", higher_is_better=True).n_datasets == 1


def test_unknown_measures_are_asked_about() -> None:
    columns = long(metric=["gain"] * 4 + ["rmse"] * 6)
    with pytest.raises(UndecidedError, match="direction='gain=higher' or direction='gain=lower'"):
        read_scores(columns)
    for way in ("gain=higher", ["gain=higher"], {"gain": True}, {"gain": "higher"}):
        assert read_scores(columns, direction=way).goodness().tolist() == TURNED
    with pytest.raises(ParameterError, match="NAME=higher or NAME=lower"):
        read_scores(columns, direction="gain")
    with pytest.raises(UnknownNameError, match=r"'gian' is not known\. Did you mean 'gain'"):
        read_scores(columns, direction=["gain=higher", "gian=lower"])


def test_a_loss_that_is_turned_already_is_asked_about() -> None:
    columns = long(value=[abs(v) for row in TURNED[:2] for v in row] + [
        v for row in TURNED[2:] for v in row
    ])  # fmt: skip
    with pytest.raises(CellError, match=r"rmse is never negative.*direction='rmse=higher'"):
        read_scores(columns)
    table = read_scores(columns, direction="rmse=higher")
    assert table.goodness().tolist() == TURNED
    assert table.measures["d3"].name == "neg_rmse"


def test_an_error_of_a_metric_is_an_error_whatever_the_metric() -> None:
    columns = long()
    columns["metric_error"] = columns.pop("value")
    table = read_scores(columns)
    assert (table.goodness() < 0).all()
    assert table.measure.to_dict() == {"name": "metric_error", "higher_is_better": False}
    assert table.measure.is_mixed
    assert table.by_mean_score() == ("b", "a")  # 1 won of 5 by a, as all are errors
    assert table.select(["d3", "d4"]).means()[0].tolist() == [900.0, 100.0]
    assert table.to_frame()["metric_error"].tolist() == columns["metric_error"]
    assert not any("turned" in note for note in table.notes)


def test_a_score_that_says_what_it_is_needs_no_metric() -> None:
    columns = long()
    columns["accuracy"] = columns.pop("value")
    table = read_scores(columns, allow_out_of_range=True)
    assert table.measure.name == "accuracy"
    assert not table.measure.is_mixed


def test_one_metric_everywhere_tells_the_direction() -> None:
    table = read_scores(long(metric=["rmse"] * 10))
    assert (table.measure.name, table.measure.higher_is_better) == ("rmse", False)
    columns = long(metric=["our own"] * 10)
    columns["score"] = columns.pop("value")
    assert read_scores(columns).measure.higher_is_better  # a score is better when higher


# --- what may be asked ----------------------------------------------------------------------


def test_only_wins_and_ranks_are_compared() -> None:
    found = palio.compare(read_scores(long()))
    assert found.method == "sign"
    pair = found.pairs[0]
    assert (pair.wins, pair.ties, pair.losses) == (4, 0, 1)
    assert found.mean_ranks == {"a": 1.2, "b": 1.8}
    plain = found.to_dict()
    assert plain["mean_scores"] == {"a": None, "b": None}
    sizes = ("difference", "median_difference", "rank_biserial", "cliffs_delta", "vargha_delaney")
    assert [plain["pairs"][0][name] for name in sizes] == [None] * 5
    assert plain["pairs"][0]["interval"] == [None, None]
    assert "mean value" not in str(found)


@pytest.mark.parametrize("test", ["wilcoxon", "paired-t", "permutation", "bayes", "quade"])
def test_what_weighs_differences_is_refused(test: str) -> None:
    with pytest.raises(
        ParameterError,
        match=r"no unit in common, and the measure differs by data set; give test='sign'",
    ):
        palio.compare(read_scores(long()), test=test, correction=None)


def test_other_questions_answer_or_say_why_not() -> None:
    table = read_scores(long(train_time=[1.0, 2.0] * 5))
    assert palio.order(table, cost="train_time").order == ("a", "b")
    assert palio.order(table, cost="train_time").test == "sign"
    assert palio.rank(table).order == ("a", "b")
    assert palio.audit(table).comparison.method == "sign"
    assert palio.power(table, a="a", b="b", trials=5, n_datasets=[5]).better == "a"
    assert run_model(None, table, draws=200).model == "plackett-luce"
    sign = run_model("sign", table, draws=200)
    assert sign.pairs.difference.tolist() == pytest.approx([3 / 5])  # 4 won, 1 lost
    for ask, why in (
        (lambda: palio.rank(table, method="mean-score"), "averages value"),
        (lambda: palio.rank(table, method="success-rate-ratios"), "is none"),
        (lambda: palio.power(table, a="a", b="b", difference=1.0), "no unit"),
        (lambda: palio.compare(table, omnibus="quade"), "omnibus='friedman'"),
        (lambda: run_model("anova", table), "differs by data set"),
        (lambda: run_model("anova", table, scale="difference"), "differs by data set"),
        (lambda: run_model("sign", table, rope=0.1), "unit of the score"),
        (lambda: table.with_score("value", higher_is_better=False), "its own direction"),
    ):
        with pytest.raises(ParameterError, match=why):
            ask()


def test_on_one_data_set_its_own_measure_is_compared() -> None:
    columns: dict[str, list[Any]] = {name: [] for name in ("dataset", "metric", "algorithm")}
    columns |= {"fold": [], "value": []}
    for dataset, metric, a, b in (("x", "auc", 0.9, 0.8), ("y", "rmse", 1.0, 2.0)):
        for fold in (1, 2, 3):
            for name, value in (("a", a + fold / 100), ("b", b + fold**2 / 100)):
                for column, cell in zip(columns, (dataset, metric, name, fold, value), strict=True):
                    columns[column].append(cell)
    table = read_scores(columns)
    on_y = palio.compare(table, dataset="y")
    assert on_y.measure.direction == "lower is better"
    assert on_y.pairs[0].difference < 0
    assert on_y.pairs[0].better == "a"
    posterior = run_model("correlated-t", table, dataset="y", rope=0)
    assert posterior.probabilities()["p_a_better"][0] > 0.9
    assert posterior.probabilities()["difference"][0] < 0


def test_the_automl_benchmark_mixes_auc_and_log_loss() -> None:
    table = read_scores(shared_file("results/amlb/all_results_1h.csv"), missing="pairwise")
    assert table.measure.is_mixed
    kinds = [each.name for each in table.measures.values()]
    assert (kinds.count("auc"), kinds.count("neg_logloss")) == (20, 15)
    binary = read_scores(
        shared_file("results/amlb/all_results_1h.csv"), where="type=binary", missing="pairwise"
    )
    assert not binary.measure.is_mixed
    assert not np.isnan(list(binary.mean_scores().values())).any()


def test_ranges_are_those_of_each_measure() -> None:
    columns = long()
    columns["value"][0] = 140.0
    with pytest.raises(CellError, match=r"auc is between 0 and 100.*140 for 'a' on 'd1'; row 0"):
        read_scores(columns)
    assert read_scores(columns, allow_out_of_range=True).measure.is_mixed
