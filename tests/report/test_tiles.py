"""The three answers at a glance, in every state that a table can be in."""

import numpy as np
import pytest

import palio
from palio.claims import Answer, Level, Sureness
from palio.report.tiles import Tile, tiles
from palio.results import same_but


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
    assert (best.text, best.is_open) == ("", False)
    assert (value.answer, value.offers, value.is_open) == ("No cost chosen", ("train_time",), True)
    assert (sure.answer, sure.is_open) == ("Shared", False)
    assert sure.text.startswith(f"{best.answer} stays unbeaten in all ")
    assert any("Wilcoxon" in each for each in sure.how)


def test_lower_is_better_and_the_cheaper_of_two() -> None:
    data = table({"a": 0.1, "b": 0.1005, "c": 0.3}, measure="error")
    best, value, _ = said(data, cost="train_time", checks=[])
    assert {best.answer, *best.level} == {"a", "b"}
    assert (value.title, value.answer) == ("Best value by train_time", "b")
    assert best.answer == "a"
    # Of a loss the higher mean is the worse one.
    errors = data.mean_scores()
    lost = f"{errors['b'] - errors['a']:.6f}"
    assert value.text == (
        f"1.5 times as fast as a and {lost} worse in error on the 12 data sets they share."
    )


def test_one_that_beats_all() -> None:
    best, _, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}))
    assert (best.answer, best.level, best.text) == (
        "a", (), "It is significantly better than the rest.",
    )  # fmt: skip
    assert (sure.answer, sure.text[:18]) == ("Firm", "a stays alone in a")


def test_nobody_stands_out() -> None:
    best, _, sure = said(table(dict.fromkeys("abcd", 0.8), seed=3))
    assert (best.answer, best.algorithm, best.is_open) == ("No difference found", None, True)
    assert best.text == "b has the best mean rank, 2.17, of 4 algorithms over 12 data sets."
    assert (sure.answer, sure.text) == ("Open", "No difference was found between any two.")
    assert sure.is_open


def test_all_tied() -> None:
    data = palio.read_scores(
        {"dataset": [*"uvwxyz"], "a": [0.8] * 6, "b": [0.8] * 6}, score="accuracy"
    )
    best, value, _ = said(data)
    assert (best.answer, best.text) == (
        "No difference found", "The 2 algorithms over 6 data sets have the same mean rank.",
    )  # fmt: skip
    assert (value.answer, value.offers) == ("No costs given", ())


def test_too_few_data_sets_name_nobody() -> None:
    best, value, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}, n=4), cost="train_time")
    assert best.answer == "Too few data sets to tell"
    assert (best.algorithm, best.is_open) == (None, True)
    assert (value.answer, value.is_open) == ("a", True)
    assert "nobody is better than by more than 0.01" in value.text
    assert (sure.answer, sure.text) == (
        "Open", "No adjusted p can be below 0.3750.",
    )  # fmt: skip


def test_without_a_test() -> None:
    best, _, sure = said(table({"a": 0.9, "b": 0.8}, n=1))
    assert (best.title, best.answer, best.is_open) == ("Leader", "No test is possible", True)
    assert best.text == "a has the best accuracy, 0.9005, of 2 algorithms on d0."
    assert (sure.answer, sure.text) == ("Open", "One value per algorithm cannot be tested.")


def test_against_a_control() -> None:
    data = table({"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.8})
    best, _, sure = said(data, control="b", correction="holm")
    assert (best.title, best.answer) == ("Against the control", "b")
    assert best.text == (
        "The control b, of 4 algorithms over 12 data sets, is significantly better than c, "
        "significantly worse than a and not shown to differ from d."
    )
    best, _, sure = said(data.select(algorithms=["a", "b", "c"]), control="b")
    assert best.text.endswith(" is significantly better than c and significantly worse than a.")
    # How sure is about who leads, whatever the control is.
    assert sure.answer == "Firm"
    assert sure.how[0].startswith("2 of 2 pairs differ significantly on 12 data sets")


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
    assert (best.answer, best.algorithm) == ("No difference found", None)  # by the default test
    assert best.how == (
        "By sign test, no correction, α = 0.1 nobody leads 3 algorithms over 36 data sets. a is "
        "significantly better than b, b is significantly better than c and c is significantly "
        "better than a. By the default comparison the answer is open: no difference was found "
        "between any two.",
    )


def test_another_test_does_not_change_the_leader() -> None:
    data = table({"a": 0.9, "b": 0.8995, "c": 0.7})
    usual, _, sure = said(data, checks=[])
    best, _, asked = said(data, test="sign", correction="bonferroni", checks=[])
    assert (best.title, best.answer) == ("Leader", usual.answer)
    assert best.text.startswith("By sign test, Bonferroni, α = 0.05 ")
    assert (asked.answer, asked.text) == (sure.answer, sure.text)


@pytest.mark.parametrize("checks", [[], ["leave-one-out"]])
def test_how_sure_is_the_same_with_and_without_an_audit(checks: list[str]) -> None:
    *_, sure = said(table({"a": 0.9, "b": 0.8, "c": 0.7}), checks=checks)
    assert sure.answer == "Firm"
    assert sure.text.startswith("a stays alone in all ")


@pytest.mark.parametrize(
    ("level", "reason"),
    [
        ("firm", "a stays alone in all 3 checks"),
        ("shared", "a stays unbeaten in all 3 checks"),
        ("fragile", "without d1 a would be beaten"),
        ("open", "each may be the best"),
    ],
)
def test_how_sure_is_the_claim_of_it(level: Level, reason: str) -> None:
    report = palio.analyse(table({"a": 0.9, "b": 0.8, "c": 0.7}), checks=[])
    others = [each for each in report.claims if not isinstance(each, Sureness)]
    changed = same_but(report)
    object.__setattr__(changed, "claims", Answer((*others, Sureness(level, reason))))
    *_, sure = tiles(changed)
    # A sentence begins with a capital, a name as it is.
    written = reason if reason.startswith("a ") else reason[0].upper() + reason[1:]
    assert (sure.answer, sure.text) == (level.capitalize(), f"{written}.")
    assert sure.is_open == (level == "open")
