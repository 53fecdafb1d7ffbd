from __future__ import annotations

import math

import pytest

from palio.errors import ParameterError
from palio.measures import (
    Measure,
    cost_named,
    inner_cv_name,
    is_general_score,
    is_inner_cv,
    is_known_cost,
    is_known_score,
    is_speed,
    measure_named,
)

UP = (
    *(
        "score",
        "main_score",
        "test_score",
        "exact_match",
        "acc_norm",
        "pass@k",
        "pass@1",
        "Pass@10",
    ),
    *("resolved", "win_rate", "reward", "return", "elo"),
    *("pass_at_1", "maj@8", "ndcg@10", "ndcg_at_10", "recall@5", "MRR@10", "hits@1", "acc@1"),
    *("average_return", "overall_accuracy", "normalized_score", "mAP50-95", "chrF++", "psnr"),
    *(
        "accuracy",
        "balanced_accuracy",
        "auc",
        "roc_auc",
        "f1",
        "f1_macro",
        "precision",
        "recall",
        "sensitivity",
        "specificity",
        "r2",
    ),
    *("kappa", "mcc", "average_precision", "ndcg"),
    *(
        "neg_log_loss",
        "neg_mean_squared_error",
        "neg_root_mean_squared_error",
        "neg_brier_score",
        "neg_max_error",
    ),
    *(
        "test_neg_mean_absolute_error",
        "roc_auc_ovr_weighted",
        "precision_weighted",
        "explained_variance",
    ),
    *("matthews_corrcoef", "d2_absolute_error_score"),
)

DOWN = (
    *("metric_error", "perplexity", "wer", "time-to-solution"),
    *("ppl", "bits_per_character", "FID", "PAR10", "hallucination_rate", "ter", "overall_loss"),
    *(
        "error",
        "error_rate",
        "loss",
        "log_loss",
        "rmse",
        "mse",
        "mae",
        "brier",
        "mape",
        "brier_score",
        "hinge_loss",
    ),
    *(
        "mean_squared_error",
        "mean_absolute_error",
        "median_absolute_error",
        "negative_log_likelihood",
    ),
    *("neg_log_likelihood", "zero_one_loss"),
)

COSTS = (
    *(
        "train_time",
        "fit_time",
        "training_time",
        "predict_time",
        "test_time",
        "tune_time",
        "time",
        "space",
        "memory",
        "model_bytes",
    ),
    *(
        "model_size",
        "peak_memory",
        "n_parameters",
        "cost",
        "mean_fit_time",
        "score_time",
        "train_time_s",
        "memory_mb",
        "fit_cpu_time",
        "predict_time_per_1000",
        "tuning_time_per_combination",
        "tuning_cpu_time_per_combination",
        "capped",
    ),
)


@pytest.mark.parametrize("name", UP)
def test_names_that_go_up(name: str) -> None:
    assert measure_named(name).higher_is_better
    assert measure_named(name).kind == "score"
    assert is_known_score(name)
    assert not is_known_cost(name)


@pytest.mark.parametrize("name", DOWN)
def test_names_that_go_down(name: str) -> None:
    assert not measure_named(name).higher_is_better
    assert measure_named(name).kind == "score"
    assert is_known_score(name)


def test_names_that_say_little_have_no_scale_or_range() -> None:
    for name in ("score", "main_score", "reward", "elo", "metric_error"):
        measure = measure_named(name)
        assert (measure.scale, measure.lower, measure.upper) == ("difference", None, None)
        assert not measure.is_bounded
        assert is_general_score(name)
    assert not is_general_score("f1_score")


@pytest.mark.parametrize("name", COSTS)
def test_costs_go_down(name: str) -> None:
    assert is_known_cost(name)
    assert not is_known_score(name)
    assert measure_named(name).kind == "cost"
    assert not measure_named(name).higher_is_better


@pytest.mark.parametrize(
    "name",
    [
        *("Accuracy", "ACCURACY", "accuracy %", "Accuracy (%)", "test_accuracy", "val accuracy"),
        *("valid-accuracy", "cv.accuracy", "mean_accuracy", "avg_accuracy", "accuracy_mean"),
        *("accuracy_score", "accuracy_test", "mean_test_accuracy", "Test.Accuracy_Score"),
        *("F1", "F-1", "f1 macro", "R²", "R^2", "Balanced Accuracy", "ROC AUC", "roc-auc"),
    ],
)
def test_case_separators_and_affixes_do_not_matter(name: str) -> None:
    assert measure_named(name).higher_is_better
    assert measure_named(name).name == name


@pytest.mark.parametrize(
    "name", ["value", "accuracy_std", "std_error", "neg_accuracy", "test", "rank", "mean"]
)
def test_unknown_names_ask_for_the_direction(name: str) -> None:
    with pytest.raises(ParameterError, match=r"higher_is_better: .* give higher_is_better=True or"):
        measure_named(name)
    assert not is_known_score(name)


@pytest.mark.parametrize("name", [*UP, *DOWN, "r2", "mcc"])
def test_a_score_of_the_inner_cross_validation_is_like_the_score(name: str) -> None:
    inner, score = measure_named(inner_cv_name(name)), measure_named(name)
    assert inner.name == f"inner_cv_{name}"
    assert inner.higher_is_better == score.higher_is_better
    assert (inner.lower, inner.upper) == (score.lower, score.upper)
    assert is_known_score(inner.name)
    assert is_inner_cv(inner.name)
    assert not is_inner_cv(name)


def test_an_unknown_score_is_unknown_inside_too() -> None:
    assert not is_known_score("inner_cv_quality")
    assert is_inner_cv("Inner CV quality")


def test_the_direction_given_wins_over_the_name() -> None:
    assert not measure_named("accuracy", higher_is_better=False).higher_is_better
    assert measure_named("error", higher_is_better=True).higher_is_better
    turned = measure_named("train_time", higher_is_better=True)
    assert (turned.kind, turned.higher_is_better) == ("score", True)
    assert measure_named("train_time", higher_is_better=False).kind == "cost"


def test_ranges_are_known_where_they_are_certain() -> None:
    assert (measure_named("mcc").lower, measure_named("mcc").upper) == (-1.0, 1.0)
    assert (measure_named("r2").lower, measure_named("r2").upper) == (None, 1.0)
    assert (measure_named("accuracy").lower, measure_named("accuracy").upper) == (0.0, None)
    assert (measure_named("neg_log_loss").lower, measure_named("neg_log_loss").upper) == (None, 0.0)
    assert cost_named("train_time").lower == 0.0


@pytest.mark.parametrize(
    ("names", "scale", "bounded"),
    [
        (
            ["accuracy", "Test error %", "roc_auc", "mcc", "brier", "f1_macro", "wer"],
            "difference",
            True,
        ),
        (["rmse_test", "log-loss", "MAE", "perplexity", "mape", "inner_cv_rmse"], "ratio", False),
        (["neg_root_mean_squared_error", "train_time", "n_params"], "ratio", False),
        (["r2", "R²", "nll", "log_likelihood", "generalization_error"], "difference", False),
    ],
)
def test_scales_are_known_by_name(names: list[str], scale: str, bounded: bool) -> None:
    assert {measure_named(name).scale for name in names} == {scale}
    assert {measure_named(name).is_bounded for name in names} == {bounded}


def test_a_scale_is_given_or_not_known() -> None:
    assert measure_named("quality", higher_is_better=True).scale == "difference"
    assert Measure("quality", higher_is_better=True, scale="ratio").scale == "ratio"
    assert Measure("rmse", higher_is_better=False, scale="difference").scale == "difference"
    # Turned against its usual direction, a name means something else.
    assert measure_named("rmse", higher_is_better=True).scale == "difference"
    assert measure_named("train_time", higher_is_better=True).scale == "difference"
    assert not measure_named("accuracy", higher_is_better=False).is_bounded
    # Only who is better counts where the measure differs by data set.
    mixed = Measure("value", higher_is_better=True, is_mixed=True)
    assert (mixed.scale, mixed.is_ordinal) == ("order", True)
    assert not measure_named("rmse").is_ordinal


def test_units_are_not_guessed() -> None:
    assert cost_named("train_time").unit == ""
    assert cost_named("model_bytes").unit == "bytes"


def test_measures_are_values() -> None:
    measure = measure_named("rmse")
    assert measure == measure_named("rmse")
    assert hash(measure) == hash(measure_named("rmse"))
    assert str(measure) == "rmse (lower is better)"
    with pytest.raises(AttributeError):
        measure.name = "mae"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Measure("", higher_is_better=True), "name: .* text; got ''"),
        (lambda: Measure("a", higher_is_better=True, kind="gain"), "kind: .* got 'gain'"),  # type: ignore[arg-type]
        (lambda: Measure("a", higher_is_better=1), "higher_is_better: .* got 1"),  # type: ignore[arg-type]
        (lambda: Measure("a", higher_is_better=True, kind="cost"), "'a' is a cost"),
        (lambda: Measure("a", higher_is_better=True, scale="log"), "scale: .*'log' was given"),  # type: ignore[arg-type]
        (lambda: measure_named(3), "score: .* must be text; got 3"),  # type: ignore[arg-type]
        (lambda: measure_named(" "), "score: .* must be text"),
        (lambda: measure_named("accuracy", higher_is_better="yes"), "True or False.* got 'yes'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_measure(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("name", ["attack_success_rate", "refusal_rate", "rank", "em", "coverage"])
def test_names_that_can_mean_either_direction_are_not_known(name: str) -> None:
    assert not is_known_score(name)


@pytest.mark.parametrize(
    ("name", "possible"),
    [
        ("pass@1", (0, 100)),
        ("failure_rate", (0, 100)),
        ("spearman", (-100, 100)),
        ("neg_brier_score", (-100, 0)),
        ("neg_rmse", (-math.inf, 0)),
        ("resolved", (-math.inf, math.inf)),
        ("elo", (-math.inf, math.inf)),
        ("train_time", (0, math.inf)),
    ],
)
def test_what_a_measure_can_be(name: str, possible: tuple[float, float]) -> None:
    assert measure_named(name).possible == possible


def test_what_a_measure_can_be_is_known_in_its_own_direction_only() -> None:
    turned = measure_named("accuracy", higher_is_better=False)
    assert turned.possible == (-math.inf, math.inf)
    given = Measure("quality", higher_is_better=True, lower=0, upper=10)
    assert given.possible == (0, 10)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("accuracy top5_acc ap map50_95 bleu", (True, "difference", 0, None, True)),
        ("kappa mcc gini ari silhouette", (True, "difference", -1, 1, True)),
        ("ami", (True, "difference", None, 1, True)),
        ("r2 d2_brier explained_variance", (True, "difference", None, 1, False)),
        ("log_likelihood elo reward sdr", (True, "difference", None, None, False)),
        ("likelihood cider hypervolume n_solved", (True, "difference", 0, None, False)),
        ("dcg calinski_harabasz mutual_info", (True, "ratio", 0, None, False)),
        ("error fnr wer ece brier toxicity", (False, "difference", 0, None, True)),
        ("nll regret optimality_gap metric_error", (False, "difference", None, None, False)),
        ("prediction_error", (False, "difference", 0, None, False)),
        ("loss rmse crps fid igd par10 bits_per_dim", (False, "ratio", 0, None, False)),
        ("fit_time ram params tokens co2 n_capped", (False, "ratio", 0, None, False)),
        ("throughput RTFx qps tokens/s", (True, "ratio", 0, None, False)),
        ("Genauigkeit Acurácia 准确率 VUS-PR mIoU NMI HR@10", (True, "difference", 0, None, True)),
        ("Fehlerrate taux_d'erreur 错误率 PER", (False, "difference", 0, None, True)),
        ("Laufzeit Temps 参数 latency RTF price", (False, "ratio", 0, None, False)),
        ("MASE WQL IGD+ GD LPIPS ASSD", (False, "ratio", 0, None, False)),
        ("gap KID minDCF", (False, "difference", None, None, False)),
    ],
)
def test_what_is_known_of_well_known_names(names: str, expected: tuple[object, ...]) -> None:
    for name in names.split():
        found = measure_named(name)
        facts = (found.higher_is_better, found.scale, found.lower, found.upper, found.is_bounded)
        assert facts == expected, name


def test_names_that_are_other_words_in_small_letters_need_capitals() -> None:
    assert is_known_score("PER")
    assert not any(map(is_known_score, ("per", "is", "ep", "gd", "Kid", "las", "votes", "epsilon")))


def test_a_rate_of_work_is_no_cost() -> None:
    assert is_known_cost("tokens")
    assert not is_known_cost("tokens/s")
    assert is_speed("tokens/s")
    assert not is_speed("tokens")
