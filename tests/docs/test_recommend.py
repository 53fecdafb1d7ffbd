"""What the page on recommendations says of the shipped study is what its evaluation gives."""

from collections.abc import Callable

import pytest

from docs.pages.tables import BUDGETS, MARKS, evaluation, fitting
from palio.recommending.experience import experience_of
from tests.docs.written import DOCS, numbers_said

PAGE = (DOCS / "guide" / "recommend.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())


def _percent(relevant: int, *, three: bool = False) -> int:
    reach = evaluation().reached[relevant].reach
    share = (reach.three if three else reach.first) or reach.first
    return round(100 * share.count / share.n)


def _alone(name: str) -> int:
    (share,) = (each.reach.first for each in evaluation().alone if each.algorithm == name)
    return round(100 * share.count / share.n)


def _nearest() -> list[int]:
    found = [_percent(i) for i in range(1, len(evaluation().reached))]
    return [min(found), max(found)]


def _over() -> list[int]:
    return [max(_found.count for b in BUDGETS if (_found := evaluation(b).reached[0].reach.over))]


def _search_rows() -> list[int]:
    found = experience_of(None)
    assert found is not None
    assert found.search is not None
    return [found.search.rows]


# A piece of the text, {} for each number in it, and what recomputes these.
CLAIMS: dict[str, Callable[[], list[int]]] = {
    "both come within a point on {} % of the data sets": lambda: [_percent(0)],
    "To take rf for all comes within on {} %": lambda: [_alone("rf")],
    "another one is first more often, and within a point on {} to {} %": _nearest,
    "One of the first three is within a point on {} %": lambda: [_percent(0, three=True)],
    "cost more than the budget on as many as {} data sets": _over,
    "A search looks at {} rows at most": _search_rows,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_its_numbers_are_computed(claim: str) -> None:
    assert numbers_said(claim, TEXT) == CLAIMS[claim]()


def test_the_first_is_no_choice_and_the_nearest_lose_more() -> None:
    found = evaluation()
    everything, *nearest = found.reached
    assert everything.firsts == {"svmRadial": found.n_datasets}
    (alone,) = (each for each in found.alone if each.algorithm == "svmRadial")
    assert alone.reach.first == everything.reach.first
    assert found.alone[0].algorithm == "rf"
    assert all(len(each.firsts) > 1 for each in nearest)
    within = [each.reach.first.count for each in nearest]
    assert min(within) > everything.reach.first.count
    losses = {row.relevant: row.regret for row in found.choices}
    assert {count for count, loss in losses.items() if loss < losses["all"]} == {10}
    assert losses[10] == pytest.approx(losses["all"], rel=0.03)
    assert found.helpful == "all"


def test_a_budget_helps_sometimes_and_sometimes_not() -> None:
    ahead = [
        fitting(evaluation(budget).reached[0].reach).count
        - max(fitting(each.reach).count for each in evaluation(budget).alone)
        for budget in BUDGETS
    ]
    assert min(ahead) < 0 < max(ahead), "docs/guide/recommend.md says more and less often"


def test_what_is_printed_is_put_into_the_page() -> None:
    assert "<!-- palio: evaluation -->" in PAGE
    assert str(evaluation()) in MARKS["evaluation"]()
    assert MARKS["budgets"]().count("\n") == len(BUDGETS) + 1
