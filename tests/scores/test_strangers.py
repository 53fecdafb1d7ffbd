"""Tables that strangers brought: each is read as its README says, at once or after one answer.

Counts and cells are copied by hand from the files, so that nothing of Palio's own reading is on
both sides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from palio import read_scores
from palio.errors import ColumnError, UndecidedError
from tests.shared import shared_file

if TYPE_CHECKING:
    from collections.abc import Mapping

FIVE = ("Random Forest", "SVM (RBF)", "k-NN", "Naive Bayes", "XGBoost")
IRIS = {("XGBoost", "iris"): 0.625, ("Naive Bayes", "segment"): 0.861}
PERCENT = {("XGBoost", "iris"): 62.5, ("Naive Bayes", "segment"): 86.1}
FOLDS = {("Random Forest", "iris"): 0.6071531518684263}  # the mean of five
EXACT = {("Random Forest", "iris"): 0.6134993845072232}


@dataclass(frozen=True)
class ByHand:
    """What a file holds; ``open`` says that the direction is asked, and ``up`` answers it."""

    file: str
    shape: tuple[int, int]
    measure: str
    cells: Mapping[tuple[str, str], float]
    up: bool = True
    costs: tuple[str, ...] = ()
    open: bool = False
    algorithms: tuple[str, ...] = ()
    decimals: int = 12
    not_datasets: tuple[str, ...] = field(default=())


def wide(file: str, measure: str = "score", cells: Any = None, **more: Any) -> ByHand:
    """Return one of the small tables of five learners on twelve data sets."""
    known = {"algorithms": FIVE, **more}
    return ByHand(f"hand/{file}", (5, 12), measure, IRIS if cells is None else cells, **known)


FILES = [
    ByHand(
        "moabb_lr.csv",
        (19, 10),
        "score",
        {("ACM+TS+SVM", "BNCI2014_001"): 91.71, ("CSP+SVM", "Zhou2016"): 92.96},
        open=True,
    ),
    ByHand(
        "musiclisten.csv",
        (5, 4),
        "score",
        {
            ("Random chance / —", "timbre"): 50.0,
            ("PLACEHOLDER closed model B / zero-shot", "melody"): 66.4,
        },
        costs=("params_b",),
        open=True,
        not_datasets=("overall", "benchmark_version"),
    ),
    ByHand(
        "chronos_tidy.csv",
        (7, 27),
        "MASE",
        {("amazon/chronos-bolt-tiny", "ETTh"): 0.7941225847155844},
        up=False,
    ),
    ByHand(
        "chronos",
        (7, 27),
        "MASE",
        {("amazon/chronos-bolt-base", "ETTm"): 0.6334357237512225},
        up=False,
    ),
    ByHand(
        "dl4tsc_ucr128.csv",
        (8, 128),
        "accuracy",
        {("resnet", "Adiac"): 0.833248},
        costs=("duration",),
        decimals=6,
    ),
    ByHand(
        "dl4tsc_avgstd.csv",
        (9, 85),
        "score",
        {("MLP", "50words"): 68.4, ("TWIESN", "ArrowHead"): 65.9},
    ),
    ByHand(
        "multirocket_128.csv",
        (48, 128),
        "score",
        {("PPV_periodogram_10k", "ACSF1"): 0.75, ("PPV_2nd_10k", "ACSF1"): 0.91},
        open=True,
    ),
    ByHand(
        "lmarena_text.csv",
        (266, 1),
        "arena_score",
        {("Gemini-2.5-Pro", "lmarena_text"): 1470.0},
        algorithms=("Yi-34B-Chat", "Yi-34B-Chat (2)"),
    ),
    ByHand(
        "evalplus.json",
        (125, 4),
        "pass@1",
        {("Artigenz-Coder-DS-6.7B", "pass@1.mbpp+"): 69.6},
        costs=("size",),
    ),
    ByHand(
        "aider_polyglot.yml",
        (69, 1),
        "pass_rate_2",
        {("Gemini 2.0 Pro exp-02-05 / whole", "aider_polyglot"): 35.6},
        costs=("total_cost", "prompt_tokens", "completion_tokens"),
    ),
    ByHand(
        "catboost_README.md",
        (8, 9),
        "Logloss",
        {("Default CatBoost", "Adult"): 0.272978, ("Tuned CatBoost", "Amazon"): 0.13772},
        up=False,
    ),
    ByHand(
        "asr_en.csv",
        (87, 8),
        "WER",
        {("CohereLabs/cohere-transcribe-03-2026", "AMI WER"): 8.13},
        up=False,
        costs=("Model size (B)",),
        not_datasets=("Avg. WER", "RTFx"),
    ),
    ByHand("emj_cv.csv", (4, 3), "CV_Accuracy", {("RF", "Bank"): 0.4806694086546737}),
    ByHand(
        "alie_bench.csv",
        (4, 3),
        "score",
        {("XGBoost", "california"): 0.6754, ("MLP", "bank_marketing"): 0.7743},
        costs=("time_s",),
    ),
    ByHand(
        "timm_imagenet.csv",
        (1556, 1),
        "top1",
        {("eva02_large_patch14_448.mim_m38m_ft_in22k_in1k", "timm_imagenet"): 90.056},
        costs=("param_count",),
    ),
    wide("accuracy.csv", "accuracy"),
    wide("t_acc.csv", "acc"),
    wide("error_rates.csv", "error_rates", {("SVM (RBF)", "segment"): 0.011}, up=False),
    wide("european.csv", cells={("k-NN", "iris"): 59.13}, open=True),
    wide("francais.csv", "Exactitude", {("XGBoost", "segment"): 0.9933}, costs=("Temps (s)",)),
    wide("excel_merged.xlsx", "Accuracy", {("k-NN", "iris"): 0.5913}),
    wide("excel_title.xlsx", "Accuracy", {("XGBoost", "wine"): 70.5}),
    wide("list_of_dicts.json", "acc", FOLDS),
    wide("cross_validate.csv", "test_score", FOLDS, costs=("fit_time", "score_time", "n_params")),
    *(wide(f"long_{kind}.csv", "accuracy", EXACT) for kind in ("metric", "one", "score")),
    wide("nested.json", cells=EXACT, open=True),
    wide("paper.txt", cells=PERCENT),
    *(wide(f"t{end}", open=True) for end in (".html", ".tex", "_space.txt")),
]


@pytest.mark.parametrize("hand", FILES, ids=lambda hand: hand.file)
def test_a_table_is_read_as_its_owner_means_it(hand: ByHand) -> None:
    path = shared_file(f"results/strangers/{hand.file}")
    answer: dict[str, Any] = {}
    if hand.open:
        with pytest.raises(UndecidedError) as asked:
            read_scores(path)
        ways = {str(way.value) for way in asked.value.options}
        assert ways == {"True", "False"}
        answer = {"higher_is_better": hand.up}
    table = read_scores(path, **answer)
    assert (table.n_algorithms, table.n_datasets) == hand.shape
    assert (table.measure.name, table.measure.higher_is_better) == (hand.measure, hand.up)
    assert table.cost_names == hand.costs
    assert {*hand.algorithms} <= {*table.algorithms}
    assert not {*hand.not_datasets} & {*table.datasets}
    means = table.means()
    for (algorithm, dataset), value in hand.cells.items():
        found = means[table.datasets.index(dataset), table.algorithms.index(algorithm)]
        np.testing.assert_almost_equal(found, value, hand.decimals)


def test_elo_beside_percentages_is_only_ranked() -> None:
    path = shared_file("results/strangers/alpaca_benchmarks.csv")
    table = read_scores(path, higher_is_better=True, missing="pairwise")
    assert (table.n_algorithms, table.n_datasets) == (55, 19)
    assert table.measure.is_ordinal
    means = table.means()[:, table.algorithms.index("gpt-4-turbo-2024-04-09")]
    assert sorted(means[~np.isnan(means)]) == [55.0, 1260.0]


def test_resamples_of_one_algorithm_are_nothing_to_compare() -> None:
    path = shared_file("results/strangers/minirocket_resamples.csv")
    with pytest.raises(ColumnError, match="at least two algorithms are needed, and found 1"):
        read_scores(path, higher_is_better=True)


def test_candidates_of_a_search_are_the_algorithms() -> None:
    for file, n_candidates, first in (
        ("cv_results.csv", 12, "C=0.1, gamma=scale, kernel=rbf"),
        ("cv_results_single.csv", 6, "C=0.1, kernel=rbf"),
    ):
        table = read_scores(shared_file(f"results/strangers/hand/{file}"))
        assert (table.n_algorithms, table.algorithms[0]) == (n_candidates, first)
        assert table.cost_names == ("fit_time", "score_time")


AT_ONCE = """
multi_mergedTable_VUS-PR.csv openclip_results.csv results-InceptionTime-85.csv pyod_time.csv
jmetal_Median-HV.csv jmetal_MeanStd-IGD+.tex d3rlpy_atari_table.csv picovoice_README.md
fs_percentage_score_errors_by_dataset.json simple_evals_README.md cleanrl_atari_returns.md
surprise_README.md longbench_README.md mljar_automl_comparison_README.md clue_README.md
uncertainty_uci_README.md pfllib_benchmark.html
"""


@pytest.mark.parametrize("file", AT_ONCE.split())
def test_a_file_of_the_corpus_is_read_at_once(file: str) -> None:
    """Also who has the best mean rank is as worked out by hand, and nothing else is a score."""
    listed = json.loads(shared_file("results/corpus/truth.json").read_text(encoding="utf-8"))
    truth = next(each for each in listed if each["file"] == file)
    table = read_scores(shared_file(f"results/corpus/files/{file}"), missing="pairwise")
    for n_found, n_true in (
        (table.n_algorithms, truth["algorithms"]),
        (table.n_datasets, truth["datasets"]),
    ):
        assert abs(n_found - n_true) <= round(0.02 * n_true)
    assert table.measure.higher_is_better == truth["higher_is_better"]
    assert not {*truth["not_scores"]} & {*table.datasets}
    signed = table.means() * (1 if truth["higher_is_better"] else -1)
    above = (signed[:, np.newaxis] > signed[:, :, np.newaxis]).sum(axis=2)
    ties = (signed[:, np.newaxis] == signed[:, :, np.newaxis]).sum(axis=2)
    ranks = np.where(np.isnan(signed), np.nan, above + (ties + 1) / 2)
    first = table.algorithms[int(np.nanargmin(np.nanmean(ranks, axis=0)))]
    assert first in (truth["best"], *truth.get("best_accept", ()))
