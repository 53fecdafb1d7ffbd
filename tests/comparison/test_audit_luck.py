"""The audit's checks of luck: of the first place, and of unequal numbers of splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.comparison.audit.report import FewerSplits, WinnersLuck
from palio.scores import ScoreTable


def table(scores: Any, measure: Any = "accuracy", **more: Any) -> ScoreTable:
    array = np.asarray(scores, dtype=float)
    return ScoreTable.from_arrays(
        array,
        datasets=[f"d{i}" for i in range(len(array))],
        algorithms=[f"m{i}" for i in range(array.shape[1])],
        measure=measure,
        **more,
    )


def row_of(source: Any, **more: Any) -> WinnersLuck:
    row = palio.audit(source, only=["luck"], **more)["luck"].rows[0]
    assert isinstance(row, WinnersLuck)
    return row


NOISE = np.random.default_rng(0).normal(0.7, 0.05, (20, 30))


def test_the_best_of_equals_is_lucky() -> None:
    found = palio.audit(table(NOISE), only=["luck"])
    report, row = found["luck"], row_of(table(NOISE))
    means = NOISE.mean(axis=0)
    assert row.best == f"m{means.argmax()}"
    assert row.mean == pytest.approx(means.max())
    assert row.lead == pytest.approx(means.max() - np.sort(means)[-2])
    # All are the same: the largest of 30 is expected 2.04 standard errors too high. From one table
    # that is known roughly; the calibration has many.
    assert 0.3 < row.drop / (2.04 * 0.05 / 20**0.5) < 2
    assert 0 < row.standard_error < 0.05 * row.drop
    assert row.among == 30
    assert f"{row.best} has the best mean accuracy of 30" in report.findings[0]
    assert "2000 bootstrap samples" in report.sampling
    assert report.affected == frozenset()
    assert found.doubted == frozenset()


def test_it_is_the_same_for_errors() -> None:
    up, down = row_of(table(NOISE)), row_of(table(1 - NOISE, "error"))
    assert (up.best, up.chosen) == (down.best, down.chosen)
    assert up.drop == pytest.approx(down.drop)
    assert down.mean == pytest.approx(1 - up.mean)


def test_who_is_clearly_first_is_no_finding() -> None:
    scores = NOISE + np.eye(30)[4] * 0.2
    found = palio.audit(table(scores), only=["luck"])["luck"]
    assert found.findings == ()
    assert row_of(table(scores)).chosen == 1.0
    nearly = table(NOISE + np.eye(30)[4] * 0.05)
    row = row_of(nearly)
    assert 2 * row.standard_error < row.drop < 0.1 * row.lead
    assert palio.audit(nearly, only=["luck"])["luck"].findings == ()


def test_ratios_where_these_are_compared() -> None:
    scores = np.exp(NOISE * 10)
    row, scaled = row_of(table(scores, "rmse")), row_of(table(1000 * scores, "rmse"))
    assert row.unit == "ratio"
    units = np.median(scores, axis=1, keepdims=True)
    assert row.mean == pytest.approx(np.exp(np.log(scores / units).mean(axis=0).min()))
    assert row.drop == pytest.approx(scaled.drop)
    assert "%" in palio.audit(table(scores, "rmse"), only=["luck"])["luck"].findings[0]


def test_ranks_where_the_measure_differs() -> None:
    rows = [
        {"dataset": f"d{i}", "algorithm": f"m{j}", "metric": "auc" if i % 2 else "rmse",
         "value": NOISE[i, j] * (1 if i % 2 else 100)}
        for i in range(20)
        for j in range(6)
    ]  # fmt: skip
    row = row_of(pd.DataFrame(rows))
    assert row.unit == "rank"
    assert 1 < row.mean < 3.5
    assert 0 < row.drop < 2


def test_where_none_is_complete_the_largest_part_is_looked_at() -> None:
    scores = NOISE[:, :5].copy()
    scores[:10, 4] = scores[10:, 3] = np.nan
    found = palio.audit(table(scores), only=["luck"])["luck"]
    assert row_of(table(scores)).among == 3
    assert "3 algorithms on the 20 data sets" in found.notes[0]
    apart = np.full((9, 3), np.nan)
    for i in range(9):
        apart[i, [i % 3, (i + 1) % 3]] = [0.5 + i / 100, 0.6]
    assert row_of(table(apart)).among == 2
    sparse = np.full((4, 4), np.nan)
    for i in range(4):
        sparse[i, [i, (i + 1) % 4]] = [0.5, 0.6 + i / 100]
    report = palio.audit(table(sparse), only=["luck"])["luck"]
    assert (report.findings, report.rows) == ((), ())
    assert "not asked" in report.notes[0]


def test_the_same_seed_gives_the_same() -> None:
    assert row_of(table(NOISE), seed=3) == row_of(table(NOISE), seed=3)
    assert row_of(table(NOISE), seed=3) != row_of(table(NOISE), seed=4)


def long(few: int, name: str = "b") -> pd.DataFrame:
    """Return ten folds of each, but of one algorithm fewer on the first two data sets."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        [
            {"dataset": f"d{d}", "algorithm": each, "fold": fold, "accuracy": rng.uniform(0.5, 0.9)}
            for d in range(5)
            for each in "abc"
            for fold in range(few if each == name and d < 2 else 10)
        ]
    )


def test_fewer_splits_are_found() -> None:
    report = palio.audit(long(3), only=["splits"])["splits"]
    assert report.rows == (FewerSplits("b", 2, 3, 10),)
    assert report.findings == (
        "b has fewer than others on 2 of 5 data sets, down to 3 of 10: its means scatter more "
        "there, and owe more to luck",
    )
    assert report.affected == frozenset()
    assert palio.audit(long(10), only=["splits"])["splits"].findings == ()


def test_what_is_missing_is_not_fewer() -> None:
    assert palio.audit(long(0), only=["splits"])["splits"].findings == ()


def test_seeds_count_and_one_that_is_gone_is_seen() -> None:
    data = long(10)
    both = pd.concat([data.assign(seed=1), data.assign(seed=2)])
    assert palio.audit(both, only=["splits"])["splits"].findings == ()
    gone = (both["seed"] == 2) & (both["algorithm"] == "c") & (both["dataset"] == "d0")
    report = palio.audit(both[~gone], only=["splits"])["splits"]
    assert report.rows == (FewerSplits("c", 1, 10, 20),)
