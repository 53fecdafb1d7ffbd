"""Published tables: every verb names the same leader, as sure of it, and says what it claims."""

from __future__ import annotations

from typing import Any

import pytest

import palio
from palio.claims import Leader, Sureness
from palio.scores import ScoreTable
from palio.studies import STUDIES
from tests.shared import shared_file
from tests.slow import mostly_slow

# Files beside the repository, and what is needed to read them.
FILES: dict[str, dict[str, object]] = {
    "results/amlb/all_results_1h.csv": {"score": "score", "higher_is_better": True},
    "results/amlb/result_summary_1h.csv": {"score": "auc"},
    "results/mteb/board.csv": {"score": "accuracy"},
    "results/cd_diagram/example.csv": {},
    "results/mcm/results_example.csv": {"score": "accuracy"},
    "results/srbench/blackbox_results.csv": {"score": "r2_test"},
    "results/srbench/blackbox_results.csv#rmse": {"score": "rmse_test"},
    "results/tsml": {},
    "results/livebench": {},
    "results/truth/rmse.csv": {},
    "results/truth/u1.csv": {},
    "results/truth/holes_cost.csv": {},
    "results/truth/holes_value.csv": {},
    "results/truth/six.csv": {},
    "results/truth/least.csv": {},
    "results/truth/items_holes2.csv": {},
    "results/truth/clus2.csv": {},
    "results/truth/pool_True.csv": {},
    "results/truth/total.csv": {},
}


# Each a second or more: hundreds of data sets or of algorithms.
LARGE = {
    "results/srbench/blackbox_results.csv",
    "results/srbench/blackbox_results.csv#rmse",
    "results/tsml",
    "results/livebench",
    "study:replication2026",
    "study:yildiz2006",
}


def _tables() -> list[Any]:
    loaded = [name for name in STUDIES if not name.startswith("wainer2016")]  # no scores printed
    every = [f"study:{name}" for name in loaded] + list(FILES)
    return mostly_slow(every, set(every) - LARGE)


def _read(place: str) -> ScoreTable:
    if place.startswith("study:"):
        return palio.load_study(place.removeprefix("study:"))
    return palio.read_scores(shared_file(place.partition("#")[0]), **FILES[place])  # type: ignore[arg-type]


@pytest.mark.parametrize("place", _tables())
def test_one_leader_as_sure_everywhere(place: str) -> None:
    table = _read(place)
    order = palio.order(table)
    expected = (order.leader, order.sureness)
    leader, sure = order.claims.of(Leader), order.claims.of(Sureness)
    assert leader is not None
    assert sure is not None
    assert order.first == leader.algorithm or leader.algorithm is None
    report = palio.analyse(table, checks=[], progress=False)
    found = report.to_dict()
    assert (found["leader"], found["sureness"]) == expected
    assert report.claims.headline == order.claims.headline
    if order.judged is None:
        return
    for other in (palio.compare(table), palio.rank(table), palio.rank(table, method="copeland")):
        assert (other.leader, other.sureness) == expected
    for cost in table.cost_names[:1]:
        priced = palio.order(table, cost=cost)
        assert (priced.leader, priced.sureness) == expected
