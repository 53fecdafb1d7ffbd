"""The first answer about a table: how sure it is where that is quick, and what to ask next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import palio
from palio.report import overview as module
from palio.report.overview import NextQuestion, overview
from palio.types import FloatArray


def test_how_sure_has_what_the_audit_says() -> None:
    table = palio.load_study("ulas2008")
    found = overview(table, cost="train_time")
    best, value, sure, _ = palio.order(table, cost="train_time").verdict
    assert found.verdict[:2] == (best, value)
    checks = ["leave-one-out", "conventions", "symmetry"]
    assert found.verdict.sure == f"{sure} {palio.audit(table, only=checks).sentence}"
    assert found.notes == found.ordering.notes


def test_the_audit_has_the_level_that_was_asked_for() -> None:
    table = palio.load_study("replication2026")
    strict = palio.audit(table, alpha=1e-4, only=["leave-one-out", "conventions", "symmetry"])
    assert overview(table, alpha=1e-4).audited == strict.sentence
    assert overview(table).audited != strict.sentence


def test_what_takes_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    table = palio.load_study("ulas2008")
    monkeypatch.setattr(module, "_LEFT_OUT", 38 * 38 * 28 - 1)
    assert "without any one data set" not in str(overview(table).audited)
    monkeypatch.setattr(module, "_TESTED_AGAIN", 38 * 28 - 1)
    assert overview(table).audited is None
    assert overview(table).verdict == palio.order(table).verdict


def test_with_gaps_less_is_left_out() -> None:
    """A table of 60 × 14 is audited wholly, but not where one score is missing."""
    scores = np.random.default_rng(0).random((60, 14))
    assert "any one data set" in str(overview(_table(scores)).audited)
    scores[3, 4] = np.nan
    assert "any one data set" not in str(overview(_table(scores)).audited)


def _table(scores: FloatArray) -> palio.ScoreTable:
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=list("abcdefghijklmn"),
        measure="error",
        missing="pairwise",
    )


@pytest.mark.parametrize("datasets", [["zoo"], ["zoo", "car"]])
def test_on_one_or_two_data_sets_there_is_no_audit(datasets: list[str]) -> None:
    table = palio.load_study("ulas2008").select(datasets=datasets)
    assert overview(table).audited is None


def test_a_command_is_never_broken() -> None:
    found = overview(palio.load_study("ulas2008"))
    short = NextQuestion("who differs", "palio compare a.csv")
    long = NextQuestion("what it hangs on", "palio audit " + "very " * 30 + "long.csv")
    assert "\n  who differs  palio compare a.csv" in str(replace(found, next=(short,)))
    shown = str(replace(found, next=(short, long)))
    assert "\n  who differs:\n    palio compare a.csv" in shown
    assert f"\n    {long.command}" in shown
