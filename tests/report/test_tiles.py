"""The three answers at a glance, in every state that a table can be in."""

from dataclasses import replace

import numpy as np
import pytest

import palio
from palio.comparison.audit.report import CheckReport, Otherwise
from palio.report.tiles import Tile, tiles


def table(
    skills: dict[str, float], *, n: int = 12, seed: int = 0, measure: str = "accuracy"
) -> palio.ScoreTable:
    """Scores around a skill each, with a cost that falls from one to the next."""
    rng = np.random.default_rng(seed)
    scores = np.array([*skills.values()]) + 0.004 * rng.normal(size=(n, len(skills)))
    costs = np.tile(np.arange(len(skills), 0, -1.0), (n, 1))
    return palio.ScoreTable.from_arrays(
        scores[..., np.newaxis, np.newaxis],
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[*skills],
        measure=measure,
        costs={"train_time": costs},
    )


def said(data: palio.ScoreTable, **asked: object) -> tuple[Tile, Tile, Tile]:
    return tiles(palio.analyse(data, **asked))  # type: ignore[arg-type]


def test_the_best_and_who_is_as_good() -> None:
    best, value, sure = said(table({"a": 0.9, "b": 0.8995, "c": 0.7, "d": 0.6}))
    assert {best.answer, *best.level} == {"a", "b"}
    assert best.algorithm == best.answer
    assert best.said == "2 others are significantly beaten by one of these."
    assert (value.answer, value.offers, value.is_open) == ("No cost chosen", ("train_time",), True)
    assert sure.said.startswith(
        f"With 95 % confidence the best is {best.answer} or {best.level[0]}."
    )
    assert any("Wilcoxon" in each for each in sure.how)


def test_lower_is_better_and_the_cheaper_of_two() -> None:
    data = table({"a": 0.1, "b": 0.1005, "c": 0.3}, measure="error")
    best, value, _ = said(data, cost="train_time", checks=[])
    assert {best.answer, *best.level} == {"a", "b"}
    assert (value.title, value.answer) == ("Best value by train_time", "b")
    assert best.answer == "a"
    assert value.said.startswith("1.5 times cheaper than a, mean error +0.000")


def test_one_that_beats_all() -> None:
    best, _, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}))
    assert (best.answer, best.level, best.said) == (
        "a", (), "Significantly better than every other.",
    )  # fmt: skip
    assert sure.answer == "Firm"


def test_nobody_stands_out() -> None:
    best, _, sure = said(table(dict.fromkeys("abcd", 0.8), seed=3))
    assert (best.answer, best.algorithm, best.is_open) == ("Nobody stands out", None, True)
    assert "ahead by mean rank, but any of them may be the best" in best.said
    assert sure.answer == "No difference shown"


def test_all_tied() -> None:
    data = palio.read_scores(
        {"dataset": [*"uvwxyz"], "a": [0.8] * 6, "b": [0.8] * 6}, score="accuracy"
    )
    best, value, _ = said(data)
    assert (best.answer, best.said) == ("Nobody stands out", "All have the same mean rank.")
    assert (value.answer, value.offers) == ("No costs given", ())


def test_too_few_data_sets_name_nobody() -> None:
    best, value, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}, n=4), cost="train_time")
    assert best.answer == "Too few data sets to tell"
    assert (value.answer, value.algorithm) == ("Cannot be told", None)
    assert "so few data sets cannot tell whether it is as good" in value.said
    assert sure.answer == "No verdict possible"


def test_without_a_test() -> None:
    best, _, sure = said(table({"a": 0.9, "b": 0.8}, n=1))
    assert (best.title, best.answer) == ("Ahead", "a")
    assert sure.answer == "No test is possible"


def test_against_a_control() -> None:
    best, _, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}), control="b", correction="holm")
    assert (best.title, best.answer) == ("Against the control", "b")
    assert best.said.startswith("Significantly better than 1, worse than 1 of 2 others")
    assert sure.answer == "3 of 3 pairs differ"


def test_nobody_is_unbeaten() -> None:
    """Each beats the next on most data sets, and the last the first."""
    scores = np.array([[3, 2, 1], [1, 3, 2], [2, 1, 3]] * 12, dtype=float)
    scores += np.random.default_rng(0).normal(scale=1e-3, size=scores.shape)
    data = palio.ScoreTable.from_arrays(
        scores[..., np.newaxis, np.newaxis],
        datasets=[f"d{i}" for i in range(36)],
        algorithms=["a", "b", "c"],
        measure="accuracy",
    )
    best, *_ = said(data, test="sign", correction="none", alpha=0.1)
    assert best.answer == "Nobody is unbeaten"


@pytest.mark.parametrize("checks", [[], ["leave-one-out"]])
def test_how_sure_with_and_without_an_audit(checks: list[str]) -> None:
    *_, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}), checks=checks)
    assert sure.answer == ("Firm" if checks else "95 % confidence")
    assert sure.said.startswith("With 95 % confidence the best is a.")


@pytest.mark.parametrize(
    ("beaten", "answer", "said_"),
    [
        ({"b", "c"}, "Firm", "The same are unbeaten without any one data set."),
        ({"c"}, "The best is firm", "a stays unbeaten in every check; b may be as good too."),
        ({"a", "b", "c"}, "Fragile", "a would be beaten without d1."),
    ],
)
def test_what_the_best_hangs_on(beaten: set[str], answer: str, said_: str) -> None:
    report = palio.analyse(table({"a": 0.9, "b": 0.8, "c": 0.7}), checks=["leave-one-out"])
    assert report.audit is not None
    check = CheckReport(
        "leave-one-out",
        "which verdicts hang on one data set?",
        (),
        whatever="without any one data set",
        otherwise=(Otherwise("without d1", frozenset(beaten)),),
    )
    *_, sure = tiles(replace(report, audit=replace(report.audit, checks=(check,))))
    assert (sure.answer, sure.said) == (answer, f"With 95 % confidence the best is a. {said_}")
