"""The first sentences of an answer, read."""

import numpy as np
import pytest

import palio
from palio.claims import Leader
from palio.comparison.answer import default_claims
from palio.measures import Measure
from palio.scores import ScoreTable

BASE = np.arange(10.0)
WIGGLE = np.tile([0.5, -0.5], 5)


def table_of(*columns: np.ndarray, higher: bool = True) -> ScoreTable:
    scores = np.stack(columns, axis=1)
    return ScoreTable.from_arrays(
        scores if higher else -scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=list("abcdefgh"[: len(columns)]),
        measure=Measure("quality", higher, "score"),
    )


def best(table: ScoreTable, **options: str) -> str:
    return palio.compare(table, **options).verdict.best  # type: ignore[arg-type]


@pytest.mark.parametrize("higher", [True, False])
def test_one_that_beats_all(higher: bool) -> None:
    table = table_of(BASE, BASE + 1, BASE + 0.1 * WIGGLE, higher=higher)
    assert best(table) == (
        "b leads 3 algorithms over 10 data sets; it is significantly better than the rest; "
        "firm: b stays alone in all 14 checks."
    )
    found = palio.compare(table)
    assert (found.leader, found.sureness) == ("b", "firm")


def test_one_unbeaten_that_does_not_beat_all_itself() -> None:
    """c beats b, b beats a, and a is too unsteady to be told from c."""
    steady, swing = BASE, 8 * np.array([1, -1, 1, -1, 1, -1, 1, -1, -0.9, 0.9])
    table = table_of(steady + swing - 1.3, steady + swing, steady + 0.5)
    found = palio.compare(table, correction="none")
    assert found.unbeaten == ("c", "b") or found.unbeaten == ("b", "c")
    first, second = found.unbeaten
    default = palio.compare(table)
    assert found.verdict.best.startswith(
        "By Wilcoxon signed-rank test, no correction, α = 0.05 "
        f"{first} leads 3 algorithms over 10 data sets; {second} may be as good. "
    )
    assert found.verdict.best.endswith(
        f" By the default comparison {default.leader} leads; {default.sureness_claim.clause}."
    )


def test_several_unbeaten() -> None:
    table = table_of(BASE, BASE + 1, BASE + 1 + 0.5 * WIGGLE)
    found = palio.compare(table)
    first, second = found.unbeaten or ("", "")
    assert (found.leader, found.sureness) == (first, "shared")
    assert best(table) == (
        f"{first} leads 3 algorithms over 10 data sets; {second} may be as good; shared: {first} "
        "stays unbeaten in all 14 checks."
    )


def test_nobody_differs() -> None:
    table = table_of(BASE, BASE + 0.1 * WIGGLE + 0.01 * (BASE > 8), BASE - 0.1 * (BASE == 3))
    found = palio.compare(table)
    first = found.by_mean_rank[0]
    assert best(table) == (
        f"{first} has the best mean rank, {found.mean_ranks[first]:.2f}, of 3 algorithms over 10 "
        "data sets; open: no difference was found between any two."
    )
    assert found.sureness == "open"


def test_all_are_tied() -> None:
    """Nobody has the best mean rank where all have the same."""
    table = table_of(BASE, BASE, BASE)
    none = "open: no difference was found between any two."
    assert best(table) == (f"All 3 algorithms over 10 data sets have the same mean rank; {none}")
    assert best(table_of(BASE, BASE)) == (
        f"The 2 algorithms over 10 data sets have the same mean rank; {none}"
    )


def test_two_share_the_best_mean_rank() -> None:
    ahead = BASE + np.where(BASE < 6, 0.1, -0.1)
    table = table_of(ahead, ahead, BASE)
    assert best(table).startswith("a and b share the best mean rank, ")


def test_another_has_the_best_mean_score() -> None:
    """a wins everywhere by little; b loses everywhere but once, where it wins by far."""
    lead = np.full(10, 0.1)
    outlier = np.zeros(10)
    outlier[3] = 50.0
    table = table_of(BASE + lead, BASE + outlier, BASE - 1)
    assert best(table, test="sign").startswith(
        "By sign test, Holm, α = 0.05 a leads 3 algorithms over 10 data sets; it is significantly "
        "better than the rest. By mean quality b is first, 9.500 to 4.600. By the default "
        "comparison a leads; shared: a stays unbeaten in all 14 checks"
    )


def test_a_control() -> None:
    table = table_of(BASE, BASE + 1, BASE - 1, BASE + 0.01 * WIGGLE)
    assert best(table, control="a") == (
        "The control a, of 4 algorithms over 10 data sets, is significantly better than c, "
        "significantly worse than b and not shown to differ from d. By the default comparison b "
        "leads; firm: b stays alone in all 14 checks."
    )


def test_how_sure_counts_what_is_missing() -> None:
    scores = np.stack([BASE, BASE + 1, BASE + 0.5], axis=1)
    scores[0, 1] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(10)],
        algorithms=list("abc"),
        measure="accuracy",
        missing="pairwise",
    )
    _, _, sure, missing = palio.compare(table).verdict
    assert missing == (
        "1 of 30 scores is missing (never run, as far as the table tells): of b 1. Each pair rests "
        "on the data sets that both have, 9 to 10 of them."
    )
    assert sure == (
        "Firm: b stays alone in all 14 checks. 3 of 3 pairs differ significantly on 9 to 10 data "
        "sets by accuracy (higher is better): Wilcoxon signed-rank test, Holm, α = 0.05."
    )


def test_the_sentences_stand_first_on_every_face() -> None:
    found = palio.compare(palio.load_study("ulas2008"))
    assert str(found).startswith(found.verdict.best.removesuffix(".")[:60])
    assert found.to_dict()["verdict"] == {
        "best": found.verdict.best, "value": None, "sure": found.verdict.sure,
        "missing": None,
    }  # fmt: skip


def test_too_few_data_sets_allow_no_verdict() -> None:
    """On three data sets even the best possible p is 0.25, and 0.75 for three pairs."""
    table = table_of(BASE[:3], BASE[:3] + 1, BASE[:3] + 2)
    assert best(table) == (
        "c has the best mean rank, 1.00, of 3 algorithms over 3 data sets; open: no "
        "adjusted p can be below 0.7500."
    )


def test_who_ties_without_a_test_shares_the_first_place() -> None:
    scores = {"algorithm": ["a", "b", "c"], "accuracy": [0.9, 0.9, 0.8]}
    leader = default_claims(palio.read_scores(scores)).of(Leader)
    assert leader is not None
    assert leader.shares == ("a", "b")
    assert leader.clause.startswith("a and b share the best accuracy")
    leader = default_claims(
        palio.read_scores({"algorithm": ["a", "b", "c"], "error_rate": [0.0, 0.0, 0.5]})
    ).of(Leader)
    assert leader is not None
    assert ", 0.000, of" in leader.clause
