"""The threshold of irrelevance, worked by hand (wainer2016 §3.3, eq. 3 and 4)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest

import palio
from palio.bayes.rope import Rope, SuggestedRope, check_rope, suggest_rope
from palio.errors import (
    DesignError,
    MissingCellsError,
    ParameterError,
    UnpairedFoldsError,
)
from palio.scores import ScoreTable
from tests.bayes.tables import means_table

# Two halves of two data sets, by algorithm. On d0 knn (mean 0.40) is the worst of four, on d1 svm.
HALVES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "d0": {"rf": (0.10, 0.12), "gbm": (0.20, 0.21), "svm": (0.15, 0.19), "knn": (0.10, 0.70)},
    "d1": {"rf": (0.30, 0.37), "gbm": (0.31, 0.31), "svm": (0.50, 0.90), "knn": (0.40, 0.45)},
}
# |first − second| of the three best of each.
CHANGES = [0.02, 0.01, 0.04, 0.07, 0.00, 0.05]
EVEN = {"rf": (0.1, 0.2), "gbm": (0.1, 0.2)}


def frame(
    halves: Mapping[str, Mapping[str, Sequence[float]]], score: str = "error"
) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dataset": dataset, "algorithm": name, "repeat": 1, "fold": fold, score: value}
            for dataset, by_name in halves.items()
            for name, values in by_name.items()
            for fold, value in enumerate(values, start=1)
        ]
    )


def table_of(scores: pd.DataFrame, **options: object) -> ScoreTable:
    return palio.read_scores(scores, **{"score": "error", **options})  # type: ignore[arg-type]


def halves_of(scores: object, measure: str = "error") -> ScoreTable:
    values = np.asarray(scores, dtype=np.float64)
    return ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(values.shape[0])],
        algorithms=[f"a{j}" for j in range(values.shape[1])],
        measure=measure,
    )


def test_delta_by_hand() -> None:
    found = suggest_rope(table_of(frame(HALVES)))
    assert sorted(found.changes) == pytest.approx(sorted(CHANGES))
    assert found.delta == pytest.approx(0.03)  # between 0.02 and 0.04
    assert found.delta_cv is None
    assert found.value == found.delta
    assert found.rope.value == found.delta
    assert "(δ of wainer2016 §3.3)" in found.rope.source
    assert any("inner_cv_error" in note for note in found.notes)


# What inner cross-validation promised: off by 0.01 everywhere but on the worst, by 0.03 for gbm.
def promised(by: float) -> pd.DataFrame:
    scores = frame(HALVES)
    scores["inner_cv_error"] = scores["error"] - by
    scores.loc[scores.algorithm == "gbm", "inner_cv_error"] += 3 * by
    scores.loc[scores.error > 0.45, "inner_cv_error"] = 0.0
    return scores


def test_delta_cv_by_hand() -> None:
    """Of the three best on each data set eight values are off by 0.01, the four of gbm by 0.02."""
    found = suggest_rope(table_of(promised(0.01)))
    assert found.delta == pytest.approx(0.03)
    assert found.changes_cv is not None
    assert sorted(found.changes_cv) == pytest.approx([0.01] * 8 + [0.02] * 4)
    assert found.delta_cv == pytest.approx(0.01)
    assert found.value == found.delta_cv  # the smaller of the two
    assert "(δ^cv of wainer2016 §3.3)" in found.rope.source


def test_the_smaller_of_the_two() -> None:
    found = suggest_rope(table_of(promised(0.05)))
    assert found.delta_cv == pytest.approx(0.05)
    assert found.value == found.delta == pytest.approx(0.03)
    assert "(δ of" in found.rope.source


def test_a_promise_that_some_rows_lack_is_not_used() -> None:
    scores = promised(0.01)
    scores.loc[3, "inner_cv_error"] = np.nan
    found = suggest_rope(table_of(scores))
    assert found.delta_cv is None
    assert any("for every row" in note for note in found.notes)


def test_ties_at_the_third_place_all_count() -> None:
    """Means 0.1, 0.2, 0.3, 0.3, 0.4: four are among the best three, the fifth is not."""
    middle = np.array([0.1, 0.2, 0.3, 0.3, 0.4])
    change = np.array([0.01, 0.02, 0.03, 0.08, 0.5])
    scores = middle[:, None] + np.stack([-change, change], axis=1) / 2
    found = suggest_rope(halves_of(scores[None, :, None, :]))
    assert sorted(found.changes) == pytest.approx([0.01, 0.02, 0.03, 0.08])
    assert found.value == pytest.approx(0.025)


def test_a_tie_in_all_but_the_last_bit_is_a_tie() -> None:
    """The same ten scores in another order: their means differ by rounding alone."""
    third = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.15, 0.33])
    fourth = np.array([0.33, 0.1, 0.6, 0.3, 0.8, 0.5, 0.7, 0.4, 0.2, 0.15])
    assert third.mean() < fourth.mean()
    ten = np.ones(10)
    scores = np.stack([0.01 * ten, 0.02 * ten, third, fourth, 0.9 * ten]).reshape(1, 5, 5, 2)
    assert suggest_rope(halves_of(scores)).changes.size == 4 * 5


@pytest.mark.parametrize(("measure", "best"), [("error", [0, 1, 2]), ("accuracy", [1, 2, 3])])
def test_direction(measure: str, best: list[int]) -> None:
    """The best have the lowest errors, or the highest accuracies."""
    change = np.array([0.01, 0.02, 0.04, 0.08])
    scores = np.array([0.2, 0.4, 0.6, 0.8])[:, None] + np.stack([change, -change], axis=1) / 2
    found = suggest_rope(halves_of(scores[None, :, None, :], measure))
    assert sorted(found.changes) == pytest.approx(change[best])
    assert found.value == pytest.approx(change[best][1])


def test_five_by_two() -> None:
    """Each repeat gives a change; the three best are by the mean over all ten folds."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0.2, 0.05, (6, 5, 5, 2))
    expected = []
    for one in scores:
        for k in np.argsort(one.mean(axis=(1, 2)))[:3]:
            expected += [abs(repeat[0] - repeat[1]) for repeat in one[k]]
    found = suggest_rope(halves_of(scores))
    assert found.changes.size == 6 * 3 * 5
    assert found.value == pytest.approx(float(np.median(expected)))
    assert found.design == "5×2 cv"


@pytest.mark.parametrize("k", [2, 3])
def test_of_three_algorithms_all_count(k: int) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0.2, 0.05, (4, k, 1, 2))
    found = suggest_rope(halves_of(scores))
    expected = np.median(np.abs(scores[:, :, 0, 0] - scores[:, :, 0, 1]))
    assert found.value == pytest.approx(float(expected))
    assert any(f"{k} algorithms: all count" in note for note in found.notes)


def test_units_follow_the_score() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(0.2, 0.05, (4, 4, 1, 2))
    one, hundred = suggest_rope(halves_of(scores)), suggest_rope(halves_of(100 * scores))
    assert hundred.value == pytest.approx(100 * one.value)


@pytest.mark.parametrize(
    ("table", "error", "says"),
    [
        (
            halves_of(np.random.default_rng(0).random((2, 3, 1, 10))),
            DesignError,
            "'d0' has 10-fold cv, whose folds share most of their training data; choose one",
        ),
        (means_table([[0.1, 0.2]]), DesignError, "'d0' has one value per data set"),
        (halves_of(np.random.default_rng(0).random((2, 3, 10, 1))), DesignError, "10 hold-outs"),
        (
            table_of(frame({"d0": EVEN, "d1": {"rf": (0.1, 0.2), "gbm": (0.1,)}})),
            UnpairedFoldsError,
            "on 'd1' the folds are not the same for all algorithms",
        ),
        (
            table_of(
                frame({"d0": {"rf": (0.1, float("nan")), "gbm": (0.1, 0.2)}}), missing="pairwise"
            ),
            MissingCellsError,
            "from every score, and some scores are missing; leave incomplete data sets out",
        ),
    ],
    ids=["10-fold", "one-value", "hold-outs", "irregular", "missing"],
)
def test_refusals_say_why(table: ScoreTable, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match="rope: a region is suggested from") as caught:
        suggest_rope(table)
    assert says in str(caught.value)
    assert "rope='0.01'" in str(caught.value)


def test_the_second_data_set_may_be_the_one_refused() -> None:
    scores = pd.concat(
        [
            frame({"d0": EVEN}),
            frame({"d1": {"rf": (0.1, 0.2, 0.3), "gbm": (0.1, 0.2, 0.3)}}),
        ]
    )
    with pytest.raises(DesignError, match="'d1' has 3-fold cv"):
        suggest_rope(table_of(scores))


@pytest.mark.parametrize(
    ("rope", "says"),
    [
        ("wide", "it is a number, or 'auto', and 'wide'"),
        (None, "None was given"),
        (-0.1, "not negative and finite, and -0.1 was given"),
        (float("nan"), "nan was given"),
        (float("inf"), "inf was given"),
        (Rope(-1.0), "-1.0 was given"),
    ],
)
def test_what_is_no_region(rope: object, says: str) -> None:
    with pytest.raises(ParameterError, match="rope: ") as caught:
        check_rope(rope)  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_changes_of_what_has_a_unit_are_ratios() -> None:
    """RMSE in metres on d0, in millimetres on d1: 10 % on both, whatever the unit."""
    scores = np.array([[[[1.0, 1.1]], [[2.0, 2.2]]], [[[3000.0, 3300.0]], [[5000.0, 5500.0]]]])
    found = suggest_rope(halves_of(scores, "rmse"))
    assert found.ratios
    assert found.value == pytest.approx(0.1)
    assert "within ±10.00 %" in str(found)
    assert suggest_rope(halves_of(scores, "rmse"), scale="difference").value == pytest.approx(150.1)
    # On one data set there is one unit.
    alone = suggest_rope(halves_of(scores[:1], "rmse"))
    assert not alone.ratios
    assert alone.value == pytest.approx(0.15)


def test_a_score_of_zero_has_no_ratio_and_is_left_out() -> None:
    scores = np.array([[[[1.0, 1.1]], [[2.0, 0.0]]], [[[3.0, 3.3]], [[5.0, 5.5]]]])
    found = suggest_rope(halves_of(scores, "rmse"))
    assert found.changes.tolist() == pytest.approx([0.1, 0.1, 0.1])
    with pytest.raises(ParameterError, match="ratios are of scores above 0, and there are none"):
        suggest_rope(halves_of(0 * scores, "rmse"))


def test_changes_of_explained_variance_are_ratios_of_what_is_left() -> None:
    left = np.array([[[[0.10, 0.11]], [[0.20, 0.22]]], [[[0.30, 0.33]], [[0.50, 0.55]]]])
    found = suggest_rope(halves_of(1 - left, "r2"))
    assert found.value == pytest.approx(0.1)
    assert "differences in 1 − r2 within ±10.00 %" in str(found)


def test_where_only_who_is_better_counts_no_region_is_suggested() -> None:
    scores = np.array([[[[1.0, 1.1]], [[2.0, 2.2]]], [[[3.0, 3.3]], [[5.0, 5.5]]]])
    with pytest.raises(ParameterError, match="for rmse only who is better on each data set counts"):
        suggest_rope(halves_of(scores, "rmse"), scale="order")


def test_a_region_may_be_bounded() -> None:
    with pytest.raises(ParameterError, match=r"below 0\.5 here, and 0\.5 was given"):
        check_rope(0.5, at_most=0.5)


@pytest.fixture
def both() -> SuggestedRope:
    return suggest_rope(table_of(promised(0.01)))


def test_plain_data(both: SuggestedRope) -> None:
    summary = both.to_dict()
    assert summary["rope"] == pytest.approx(0.01)
    assert summary["delta"] == pytest.approx(0.03)
    assert summary["delta_cv"] == pytest.approx(0.01)
    assert (summary["n_changes"], summary["n_changes_cv"]) == (6, 12)
    assert summary["quartiles"] == pytest.approx([0.0125, 0.0475])


def test_every_change_is_in_the_frame(both: SuggestedRope) -> None:
    found = both.to_frame()
    assert found.groupby("kind").size().to_dict() == {"delta": 6, "delta_cv": 12}
    assert found[found.kind == "delta"].change.median() == pytest.approx(both.delta)


def test_text(both: SuggestedRope) -> None:
    text = str(both)
    assert text.startswith("differences in error within ±0.01000 are irrelevant here")
    assert "between the inner cross-validation and the test" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
