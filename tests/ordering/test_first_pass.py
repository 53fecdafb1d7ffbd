"""MultiTest on every data set at once: what stands beside which data set, and what two alone do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import palio
from palio.comparison.fold_tests import FOLD_TESTS
from palio.ordering.arrays import FirstPass, run_first_pass
from palio.ordering.prior import prior_from
from palio.scores import ScoreTable
from tests.ordering.tables import ALIKE, MIXED, NAMES, folds_table

OPTIONS: list[dict[str, Any]] = [
    {"test": "kfold-t"},
    {"test": "kfold-t", "correction": "holm", "alpha": 0.2},
    {"test": "corrected-t", "correction": "bonferroni", "options": {"test_fraction": 0.2}},
]


def first_pass(
    table: ScoreTable,
    *,
    test: str = "kfold-t",
    correction: str | None = None,
    alpha: float = 0.05,
    options: dict[str, float] | None = None,
) -> FirstPass:
    return run_first_pass(
        table,
        prior_from(table, cost="time", prior=None),
        test=FOLD_TESTS[test],
        correction=correction,
        alpha=alpha,
        options=options or {},
    )


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("designs", [MIXED, ALIKE], ids=["mixed", "alike"])
@pytest.mark.parametrize("asked", OPTIONS)
def test_each_data_set_has_its_own_result(
    designs: dict[str, tuple[int, int]], higher_is_better: bool, asked: dict[str, Any]
) -> None:
    table = folds_table(designs, higher_is_better=higher_is_better)
    whole = first_pass(table, **asked)
    orders = set()
    for row, name in enumerate(designs):
        alone = first_pass(table.select(datasets=[name]), **asked)
        assert whole.per_dataset[name] == alone.per_dataset[name]
        for part in ("prior", "order", "p_adjusted", "edges"):
            np.testing.assert_array_equal(
                getattr(whole.arrays, part)[row], getattr(alone.arrays, part)[0]
            )
        orders.add(whole.per_dataset[name].order)
    assert len(orders) > 1  # or else it could not be seen


def test_the_direction_only_turns_the_scores() -> None:
    up, down = (first_pass(folds_table(higher_is_better=higher)) for higher in (True, False))
    assert up.per_dataset == down.per_dataset
    assert any(found.edges for found in up.per_dataset.values())


def test_names_stand_on_the_edges() -> None:
    """b is the costlier and better on every fold; a is the cheaper."""
    rng = np.random.default_rng(0)
    table = ScoreTable.from_arrays(
        np.array([[[0.5], [0.9]]])[..., np.newaxis] + rng.normal(0, 0.01, (1, 2, 1, 10)),
        datasets=["d"], algorithms=["a", "b"], measure="accuracy", costs={"time": [[1, 2]]},
    )  # fmt: skip
    found = first_pass(table).per_dataset["d"]
    assert found.order == ("b", "a")
    assert found.edges == (("a", "b"),)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("correction", [None, "bonferroni"])
def test_alone_two_need_no_correction(correction: str | None, higher_is_better: bool) -> None:
    """Each pair's wins are counted by MultiTest on the two alone, which is one test."""
    table = folds_table(higher_is_better=higher_is_better, seed=3)
    found = first_pass(table, correction=correction)
    expected = np.zeros((len(NAMES), len(NAMES)), dtype=int)
    for (i, a), (j, b) in itertools.combinations(enumerate(NAMES), 2):
        two = table.select(algorithms=[a, b])
        for name in MIXED:
            alone = palio.multitest(two, dataset=name, cost="time", test="kfold-t")
            winner, loser = (i, j) if alone.first == a else (j, i)
            expected[winner, loser] += 1
    assert found.pair_wins.tolist() == expected.tolist()
    if correction is not None:  # what is corrected says another thing, so that it would be seen
        arrays = found.arrays
        raw, corrected = (arrays.overrides(p) for p in (arrays.p_value, arrays.p_adjusted))
        assert (raw & ~corrected).any()


def test_mean_places_are_those_of_the_orders() -> None:
    found = first_pass(folds_table())
    for name in NAMES:
        places = [each.order.index(name) + 1 for each in found.per_dataset.values()]
        assert found.mean_places[name] == pytest.approx(np.mean(places))


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("designs", [MIXED, ALIKE], ids=["mixed", "alike"])
def test_mean_ranks_are_those_of_compare(
    designs: dict[str, tuple[int, int]], higher_is_better: bool
) -> None:
    """By score alone, whatever the prior; the places are not."""
    table = folds_table(designs, higher_is_better=higher_is_better)
    found = palio.multi2test(table, cost="time", test="kfold-t")
    assert found.mean_ranks == palio.compare(table).mean_ranks
    assert found.mean_places == first_pass(table).mean_places != found.mean_ranks
    assert found.mean_scores == table.mean_scores()
    one = palio.multitest(table, dataset="d1", cost="time", test="kfold-t")
    scores = {name: one.mean_scores[name] for name in NAMES}
    by_score = sorted(scores, key=lambda name: scores[name], reverse=higher_is_better)
    assert one.mean_ranks == {name: float(by_score.index(name) + 1) for name in NAMES}
    assert one.mean_places == {name: float(place) for name, place in one.ranks.items()}
    frame = found.to_frame().set_index("algorithm")
    assert frame["mean_rank"].to_dict() == found.mean_ranks
    assert frame["mean_place"].to_dict() == found.mean_places


def test_one_pair_is_one_test() -> None:
    table = folds_table()
    two = first_pass(table.select(algorithms=["a", "b"]))
    assert two.notes[0].endswith("; no correction over 1 test")
    assert first_pass(table).notes[0].endswith("; no correction over 6 tests")
