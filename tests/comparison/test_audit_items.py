"""An audit over items: the same question again, and which checks have no meaning there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import palio
from palio.comparison.audit import AUDIT_CHECKS
from palio.comparison.audit.report import LeftOut, WinnersLuck
from palio.comparison.corrections import CORRECTIONS
from palio.scores import ItemScores
from palio.types import FloatArray

NAMES = ["a", "b", "c"]


def scores_of(
    values: FloatArray, *, measure: str = "f1", sizes: tuple[int, ...] = (40, 30, 20)
) -> ItemScores:
    names = [f"task{i}" for i, n in enumerate(sizes) for _ in range(n)]
    return ItemScores.from_arrays(
        values, algorithms=NAMES, measure=measure, dataset=names, item=range(len(names))
    )


def graded(seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    hard = rng.uniform(0.3, 0.5, (90, 1))
    return np.asarray(np.clip(hard + rng.normal([0.0, 0.12, 0.1], 0.15, (90, 3)), 0, 1))


def test_every_check_is_made_or_said_to_have_no_meaning() -> None:
    found = palio.audit(scores_of(graded()).to_scores())
    assert found.over == "items"
    assert [check.name for check in found.checks] == list(AUDIT_CHECKS)
    asked = {check.name for check in found.checks if not check.why_not}
    assert asked == {"leave-one-out", "conventions", "missing", "luck"}
    text = str(found)
    assert text.startswith("These tasks, other items: ")
    in_detail = str(replace(found, in_detail=True))
    assert in_detail.startswith("These tasks, other items: ")
    assert "pools and variants: no verdict is by mean ranks" in in_detail
    assert found.to_dict()["over"] == "items"


def test_over_data_sets_it_is_what_it_was() -> None:
    table = scores_of(graded()).to_scores()
    found = palio.audit(table, over="datasets", only=["leave-one-out"])
    assert found.over == "datasets"
    assert str(found).startswith("Other tasks like these: ")
    assert palio.audit(table, test="wilcoxon", only=["luck"]).over == "datasets"


@pytest.mark.parametrize("lower", [False, True])
def test_one_data_set_less_is_asked_as_the_comparison_would_answer(lower: bool) -> None:
    values = graded(1)
    values[:40, 1] += 0.1
    values[40:, 1] = values[40:, 0] + np.random.default_rng(2).normal(0.01, 0.1, 50)
    values = 1 - values if lower else values
    table = scores_of(values, measure="loss" if lower else "f1").to_scores()
    found = palio.audit(table, only=["leave-one-out"])["leave-one-out"]
    whole = palio.compare(table)
    expected: dict[tuple[str, str], list[str]] = {}
    for left in table.datasets:
        rest = palio.compare(table.select([d for d in table.datasets if d != left]), over="items")
        for pair in whole.pairs:
            if rest.pair(pair.a, pair.b).significant != pair.significant:
                expected.setdefault((pair.a, pair.b), []).append(left)
        beaten = {name for name in NAMES if rest.standings[name].beaten_by}
        told = next(each for each in found.otherwise if each.how == f"without {left}")
        assert told.beaten == beaten
    assert expected
    rows = [row for row in found.rows if isinstance(row, LeftOut)]
    assert {(row.a, row.b): list(row.flips_without) for row in rows} == expected


def test_one_data_set_is_not_left_out() -> None:
    table = scores_of(graded(), sizes=(90,)).to_scores()
    found = palio.audit(table)
    assert found["leave-one-out"].why_not == "there is one data set"
    assert not found["luck"].why_not


def test_conventions_are_those_that_the_items_allow() -> None:
    binary = (graded(3) > 0.5).astype(float)
    for values, more in ((binary, ["mcnemar per item"]), (graded(3), [])):
        found = palio.audit(scores_of(values).to_scores(), only=["conventions"])["conventions"]
        choices = found.notes[0].removeprefix("choices: ").split("; ")
        tests = [each for each in choices if each.split()[-1] not in CORRECTIONS]
        flips = ["sign-flips", "sign-flips per item"]
        assert tests == ["item-t", "item-t per item", *flips, *more]
        assert len(choices) > len(tests)
    alone = palio.audit(scores_of(binary, sizes=(90,)).to_scores(), only=["conventions"])
    assert "per item" not in alone["conventions"].notes[0]


def test_a_verdict_that_hangs_on_what_counts_the_same_is_found() -> None:
    # On the large data set b is ahead, on two small ones behind: per item it is better.
    rng = np.random.default_rng(4)
    values = np.repeat(rng.uniform(0.4, 0.6, (120, 1)), 3, axis=1)
    values[:100, 1] += 0.1 + rng.normal(0, 0.03, 100)
    values[100:, 1] -= 0.05 + rng.normal(0, 0.1, 20)
    values[:, 2] += rng.normal(0, 0.1, 120)
    table = scores_of(values, sizes=(100, 10, 10)).to_scores()
    found = palio.audit(table, only=["conventions"])["conventions"]
    assert frozenset({"a", "b"}) in found.affected
    assert any("per item" in line for line in found.findings)


def test_luck_is_of_the_mean_that_was_compared() -> None:
    values = graded(5)
    for average in ("datasets", "items"):
        table = scores_of(1 - values, measure="loss").to_scores()
        found = palio.audit(table, only=["luck"], average=average)["luck"]
        (row,) = found.rows
        assert isinstance(row, WinnersLuck)
        compared = palio.compare(table, average=average)
        assert row.best == compared.by_standing[0]
        assert row.mean == pytest.approx(compared.mean_scores[row.best], rel=1e-12)
        second = compared.mean_scores[compared.by_standing[1]]
        assert row.lead == pytest.approx(second - row.mean, rel=1e-9)
        assert 0 < row.drop < 0.05
        assert row.among == 3


def test_luck_is_of_who_share_enough_items() -> None:
    values = graded(6)
    values[2:, 0] = np.nan
    table = scores_of(values).to_scores()
    (row,) = palio.audit(table, only=["luck"])["luck"].rows
    assert isinstance(row, WinnersLuck)
    assert row.among == 2
    values[:, 1] = np.where(np.arange(90) % 2, np.nan, values[:, 1])
    values[:, 2] = np.where(np.arange(90) % 2, values[:, 2], np.nan)
    values[2:5] = 0.5
    apart = palio.audit(scores_of(values).to_scores(), only=["luck"])["luck"]
    assert "no two algorithms share" in apart.why_not


def test_clusters_are_drawn_whole() -> None:
    """Copies of items that come in clusters tell nothing new; taken one by one they would."""
    values = graded(7)[:30]
    drops = {}
    for name, times in (("once", 1), ("copied", 4)):
        items = ItemScores.from_arrays(
            np.repeat(values, times, axis=0),
            algorithms=NAMES,
            measure="f1",
            cluster=np.repeat(np.arange(30), times).tolist(),
        )
        (row,) = palio.audit(items.to_scores(), only=["luck"])["luck"].rows
        assert isinstance(row, WinnersLuck)
        drops[name] = row.drop
    assert drops["once"] == pytest.approx(drops["copied"], rel=1e-9)


def test_the_items_that_all_have() -> None:
    values = graded(8)
    values[:60, 0] = np.nan
    values[:60, 2] = np.clip(values[:60, 1] - 0.2, 0, 1)
    found = palio.audit(scores_of(values, sizes=(90,)).to_scores(), only=["missing"])["missing"]
    rest = palio.compare(scores_of(values[60:], sizes=(30,)).to_scores())
    (told,) = found.otherwise
    assert told.how == "on the 30 items that all have"
    assert told.beaten == {name for name in NAMES if rest.standings[name].beaten_by}
    assert palio.audit(scores_of(graded()).to_scores(), only=["missing"])["missing"].notes == (
        "no score is missing",
    )
