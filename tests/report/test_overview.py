"""The first answer about a table: who leads, how sure that is, and what to ask next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import palio
from palio.claims import Sureness
from palio.report.overview import NextQuestion, overview
from palio.types import FloatArray


def test_it_says_what_the_order_says() -> None:
    table = palio.load_study("ulas2008")
    found, ordering = overview(table, cost="train_time"), palio.order(table, cost="train_time")
    assert found.verdict == ordering.verdict
    assert list(found.claims) == list(ordering.claims)
    assert (found.leader, found.sureness) == ("svr", "shared")
    assert repr(found) == f"<Overview: {found.claims.headline}>"
    assert found.notes == found.ordering.notes


def test_how_sure_it_is_counts_the_checks_of_an_audit() -> None:
    table = palio.load_study("ulas2008")
    audit = palio.audit(table, only=["leave-one-out", "conventions", "missing"])
    n = sum(len(check.otherwise) for check in audit.checks)
    claim = overview(table).claims.of(Sureness)
    assert claim is not None
    assert (claim.level, claim.n_checks) == ("shared", n)


def test_the_level_is_the_one_that_was_asked_for() -> None:
    table = palio.load_study("replication2026")
    strict = overview(table, alpha=1e-4)
    assert strict.verdict == palio.order(table, alpha=1e-4).verdict
    assert strict.verdict != overview(table).verdict
    assert strict.verdict.sure.endswith("α = 0.0001.")


def test_the_first_screen_is_short() -> None:
    """The headline, two sentences at the most, the order, and what it rests on."""
    table = palio.load_study("ulas2008")
    text = str(overview(table, cost="train_time"))
    first, second, *_ = text.split("\n\n")
    assert " ".join(first.split()).startswith(
        "svr leads 8 algorithms over 38 data sets; svl may be"
    )
    assert second.startswith("Best value by train_time: svl, ")
    assert text.count("\n\n10 of 28 pairs differ significantly on 38 data sets") == 1


def test_what_is_missing_is_said_in_short() -> None:
    scores = np.random.default_rng(0).random((60, 14))
    scores[3, 4] = np.nan
    text = str(overview(_table(scores)))
    assert "\n\n1 of 840 scores is missing." in text
    assert "missing" not in str(overview(_table(np.random.default_rng(0).random((60, 14)))))


def _table(scores: FloatArray) -> palio.ScoreTable:
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=list("abcdefghijklmn"),
        measure="error",
        missing="pairwise",
    )


@pytest.mark.parametrize(
    ("datasets", "sureness"),
    [(["zoo"], "one data set"), (["zoo", "car"], "no adjusted p can be below")],
)
def test_on_one_or_two_data_sets_nothing_is_checked(datasets: list[str], sureness: str) -> None:
    table = palio.load_study("ulas2008").select(datasets=datasets)
    found = overview(table).claims.of(Sureness)
    assert found is not None
    assert found.n_checks == 0
    assert found.reason.startswith((sureness, "no difference"))


def test_a_command_is_never_broken() -> None:
    found = overview(palio.load_study("ulas2008"))
    short = NextQuestion("who differs", "palio compare a.csv")
    long = NextQuestion("how robust it is", "palio audit " + "very " * 30 + "long.csv")
    assert "\n  who differs  palio compare a.csv" in str(replace(found, next=(short,)))
    shown = str(replace(found, next=(short, long)))
    assert "\n  who differs:\n    palio compare a.csv" in shown
    assert f"\n    {long.command}" in shown
