"""The hierarchical model of item scores: standard errors, readings, gaps, refusals, the default."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import palio
from palio.bayes import Posterior
from palio.bayes.models import default_model, run_model
from palio.bayes.models.hierarchical_items import (
    Measured,
    hierarchical_items,
    item_variance,
)
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.scores import ItemScores
from palio.types import FloatArray


def graded(
    means: tuple[float, ...] = (0.1, 0.05, 0.2, 0.0), n: int = 40, k: int = 2, **given: Any
) -> ItemScores:
    """Make scores of k algorithms; the first is ahead of all others by these means."""
    rng = np.random.default_rng(2)
    x = rng.normal(0.5, 0.2, (len(means) * n, k))
    x[:, 0] += np.repeat(means, n)
    names = [f"a{i}" for i in range(k)]
    of = [f"d{i // n}" for i in range(len(x))]
    return ItemScores.from_arrays(
        x, **{"algorithms": names, "measure": "score", "dataset": of, **given}
    )


def differences(items: ItemScores) -> list[FloatArray]:
    return [items.block(d)[:, 0] - items.block(d)[:, 1] for d in items.datasets]


# --- standard errors ------------------------------------------------------------------------------


def test_standard_errors_by_hand() -> None:
    """Variances of means 0.04 on 5 items and none on 20: σ² = 0.04 / (1/5 + 1/20), 4 degrees."""
    found, freedom = item_variance(
        np.array([[0.04, 0.0]]), np.array([[4.0, 19.0]]), np.array([[5, 20]]), binary=False
    )
    assert (found.tolist(), freedom.tolist()) == ([pytest.approx(0.16)], [pytest.approx(4)])
    # One that shares a single item does not count.
    again = item_variance(
        np.array([[0.04, 0.0, 0.0]]),
        np.array([[4.0, 19.0, 1.0]]),
        np.array([[5, 20, 1]]),
        binary=False,
    )
    assert [each.tolist() for each in again] == [found.tolist(), freedom.tolist()]
    x = np.zeros((25, 2))
    x[:5, 0] = np.array([-1, -1, 0, 1, 1]) * np.sqrt(0.2)  # S² = 0.2
    of = ["d0"] * 5 + ["d1"] * 20
    items = ItemScores.from_arrays(x, algorithms=["a", "b"], measure="score", dataset=of)
    wider = student.ppf(0.975, 4) / norm.ppf(0.975)
    np.testing.assert_allclose(
        Measured.of(items).error[0], wider * np.sqrt([0.16 / 5, 0.16 / 20]), rtol=1e-9
    )


def test_on_one_data_set_the_interval_is_students() -> None:
    items = graded((0.1,), n=6)
    found = hierarchical_items(items, rope=0)
    (d,) = differences(items)
    interval = student.interval(0.95, 5, d.mean(), d.std(ddof=1) / np.sqrt(6))
    np.testing.assert_allclose(found.pairs.hdi[0], interval, rtol=1e-3)
    assert found.checks.next_dataset is None


@pytest.mark.parametrize("n", [(10, 10, 10), (5, 20, 60)])
def test_where_nothing_is_pooled_the_average_is_that_of_the_test(n: tuple[int, ...]) -> None:
    """Data sets far apart: difference and interval of 'item-t', by construction."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(sum(n), 2)) * np.repeat([1.0, 2.0, 0.5], n)[:, None]
    x[:, 0] += np.repeat([0.0, 50.0, -49.0], n)
    of = np.repeat(["d0", "d1", "d2"], n).tolist()
    items = ItemScores.from_arrays(x, algorithms=["a", "b"], measure="score", dataset=of)
    found = hierarchical_items(items, rope=0, prior_spread=1e4)
    (pair,) = palio.compare(items, over="items").pairs
    assert found.pairs.difference[0] == pytest.approx(pair.difference, abs=0.005)
    np.testing.assert_allclose(found.pairs.hdi[0], pair.interval, atol=0.01)


def test_what_is_measured() -> None:
    items = graded(n=3000)
    found = Measured.of(items)
    each = differences(items)
    error = np.sqrt(np.mean([d.var(ddof=1) for d in each]) / 3000)
    np.testing.assert_allclose(found.error[0], error, rtol=1e-3)
    np.testing.assert_allclose(found.difference[0], [d.mean() for d in each])
    assert found.size[0] == pytest.approx(np.sqrt(np.mean([(d**2).mean() for d in each])), rel=1e-3)


def test_the_prior_goes_by_the_pair_and_single_items_do_not_count() -> None:
    items = graded(k=3, n=12)
    half = float(Measured.of(items).size[1]) / 2
    usual, given = (
        hierarchical_items(items, rope=0, pair=("a0", "a2"), over="datasets", prior_spread=scale)
        for scale in (None, half)
    )
    np.testing.assert_allclose(usual.pairs.hdi, given.pairs.hdi)
    x = items.as_floats().copy()
    x[1:12, 2] = np.nan  # one item of d0 is left
    single = ItemScores.from_arrays(
        x, algorithms=items.algorithms, measure="score",
        dataset=np.repeat(items.datasets, 12).tolist(),
    )  # fmt: skip
    found = Measured.of(single)
    assert found.datasets.tolist() == [4, 3, 3]
    assert found.items.tolist() == [48, 36, 36]
    squares = [(d**2).mean() for d in (x[12:, 0] - x[12:, 2]).reshape(3, 12)]
    assert found.size[1] == pytest.approx(np.sqrt(np.mean(squares)))


def test_clusters_count() -> None:
    """Four copies of each item, as clusters: as sure as one."""
    base = graded(n=10)
    x, of = base.as_floats(), np.repeat(base.datasets, 10).tolist()
    names: dict[str, Any] = {"algorithms": ["a0", "a1"], "measure": "score"}
    again = np.repeat(np.arange(len(x)), 4).tolist()
    copies = ItemScores.from_arrays(
        x[again], **names, dataset=[of[i] for i in again], cluster=again
    )
    alone, together = (hierarchical_items(each, rope=0.05) for each in (base, copies))
    np.testing.assert_allclose(together.pairs.hdi, alone.pairs.hdi, atol=1e-9)


# --- right and wrong ------------------------------------------------------------------------------


def answers(*counts: tuple[int, int, int], measure: str = "accuracy") -> ItemScores:
    """Make items: only a right, only b, both; a data set each."""
    rows, of = [], []
    for code, (a, b, both) in enumerate(counts):
        rows += [[1, 0]] * a + [[0, 1]] * b + [[1, 1]] * both
        of += [f"d{code}"] * (a + b + both)
    scores = np.array(rows, dtype=float)
    scores = 1 - scores if measure == "error" else scores
    return ItemScores.from_arrays(scores, algorithms=["a", "b"], measure=measure, dataset=of)


def test_agreement_on_few_items_is_not_certainty() -> None:
    never = hierarchical_items(answers((0, 0, 10), (0, 0, 10)), rope=0.01)
    assert never.pairs.difference[0] == pytest.approx(0, abs=1e-12)
    low, high = never.pairs.hdi[0]
    # σ² = 2/20 of 18 + 2 degrees of freedom, on twenty items.
    error = student.ppf(0.975, 20) / norm.ppf(0.975) * np.sqrt(0.1 / 20)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.05)
    assert 0.05 < never.pairs.probabilities[0, 1] < 0.5
    always = hierarchical_items(answers((10, 0, 0), (10, 0, 0)), rope=0.01)
    assert always.pairs.hdi[0, 0] < 0.97


def test_graded_scores_without_spread() -> None:
    """They never differ: equal. They always differ by as much: nearly that."""
    x = np.random.default_rng(0).uniform(size=(12, 1))
    of = ["d0"] * 6 + ["d1"] * 6
    given: dict[str, Any] = {"algorithms": ["a", "b"], "measure": "score", "dataset": of}
    equal = hierarchical_items(ItemScores.from_arrays(np.hstack([x, x]), **given))
    assert equal.pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]
    assert equal.pairs.hdi.tolist() == [[0.0, 0.0]]
    assert "1 pair without a difference on any item: equal" in equal.notes
    assert equal.checks.shrunken is not None
    assert equal.checks.shrunken[0].datasets[0].hdi == (0.0, 0.0)
    apart = hierarchical_items(ItemScores.from_arrays(np.hstack([x + 0.5, x]), **given))
    np.testing.assert_allclose(apart.pairs.hdi, 0.5, atol=0.01)


def test_the_four_outcomes_agree_where_items_are_many() -> None:
    items = answers((60, 30, 200), (40, 30, 200), (80, 40, 100))
    found = hierarchical_items(items, rope=0.05, prior_spread=10.0)
    other = palio.bayes.outcomes(items, rope=0.05)
    np.testing.assert_allclose(found.pairs.hdi, other.pairs.hdi, atol=0.01)
    np.testing.assert_allclose(found.pairs.probabilities, other.pairs.probabilities, atol=0.04)


# --- what is asked --------------------------------------------------------------------------------


def test_two_readings_of_one_posterior() -> None:
    items = graded()
    these = hierarchical_items(items, over="items", rope=0.02)
    new = hierarchical_items(items, over="datasets", rope=0.02)
    assert (these.over, new.over) == ("items", "datasets")
    (following,), (average,) = these.checks["next_dataset"], new.checks["these_datasets"]
    assert [following.p_a_better, following.p_rope, following.p_b_better] == pytest.approx(
        new.pairs.probabilities[0].tolist()
    )
    assert [average.p_a_better, average.p_rope, average.p_b_better] == pytest.approx(
        these.pairs.probabilities[0].tolist()
    )
    assert "these_datasets" not in these.checks
    assert np.diff(new.pairs.hdi[0]) > 3 * np.diff(these.pairs.hdi[0])
    assert new.answer().to_dict()["over"] == "datasets"
    assert any("4 data sets are few" in warning for warning in new.warnings())
    assert not these.warnings()


def test_each_data_set_is_drawn_towards_the_others() -> None:
    items = graded(n=12)
    rows = hierarchical_items(items, rope=0).checks["shrunken"][0].datasets
    measured = np.array([row.measured for row in rows])
    means = np.array([row.mean for row in rows])
    np.testing.assert_allclose(measured, [d.mean() for d in differences(items)])
    assert np.ptp(means) < np.ptp(measured)
    assert (np.sign(means - measured) == -np.sign(measured - measured.mean()))[[0, 2, 3]].all()
    assert all(row.hdi[0] < row.mean < row.hdi[1] for row in rows)
    tight = hierarchical_items(items, rope=0, prior_spread=0.0).checks["shrunken"][0].datasets
    assert np.ptp([row.mean for row in tight]) < 1e-9


def test_lower_is_better_turns_who_is_better() -> None:
    counts = (20, 5, 20), (12, 10, 30), (9, 3, 9)
    for over in ("items", "datasets"):
        up, down = (
            hierarchical_items(answers(*counts, measure=name), rope=0.05, over=over)
            for name in ("accuracy", "error")
        )
        np.testing.assert_allclose(down.pairs.probabilities, up.pairs.probabilities)
        np.testing.assert_allclose(down.pairs.difference, -up.pairs.difference)
        key = "next_dataset" if over == "items" else "these_datasets"
        assert up.checks[key][0].p_a_better == pytest.approx(down.checks[key][0].p_a_better)
        assert up.pairs.probabilities[0, 0] > 0.6


def test_each_pair_is_on_the_items_that_both_have() -> None:
    items = graded(k=3, n=20)
    x = items.as_floats().copy()
    x[:20, 2] = np.nan  # a2 has nothing on d0, and half of d1
    x[20:30, 2] = np.nan
    of = np.repeat(items.datasets, 20).tolist()
    given: dict[str, Any] = {"algorithms": items.algorithms, "measure": "score"}
    gaps = ItemScores.from_arrays(x, **given, dataset=of)
    found = hierarchical_items(gaps, rope=0.01)
    both = hierarchical_items(
        ItemScores.from_arrays(x[30:, [0, 2]], algorithms=["a0", "a2"], measure="score",
                               dataset=of[30:]), rope=0.01,
    )  # fmt: skip
    np.testing.assert_allclose(found.pairs.probabilities[1], both.pairs.probabilities[0])
    assert [row.dataset for row in found.checks["shrunken"][1].datasets] == ["d1", "d2", "d3"]
    assert any("2 pairs on fewer than 4 data sets" in note for note in found.notes)
    assert any("30 of 240 scores on items are missing" in note for note in found.notes)
    x[:40, 2], x[40:, 1] = np.nan, np.nan
    apart = hierarchical_items(ItemScores.from_arrays(x, **given, dataset=of), rope=0.01)
    assert (apart.pairs.first.tolist(), apart.pairs.second.tolist()) == ([0, 0], [1, 2])
    assert any("1 pair not compared" in note for note in apart.notes)
    assert str(apart)


def test_of_many_pairs_the_two_that_lead_are_told_by_data_set() -> None:
    items = graded((0.2, 0.3), k=11)
    found = hierarchical_items(items)
    (told,), detail = found.checks["shrunken"], found.answer().detail
    assert detail is not None
    assert {told.a, told.b} == {detail.a, detail.b}
    assert "a0" in (told.a, told.b)
    assert len(found.checks["next_dataset"]) == 55
    one = hierarchical_items(items, pair=("a3", "a0"))
    assert one.algorithms == ("a3", "a0")
    assert one.pairs.difference[0] == pytest.approx(-found.pairs.difference[2])


def test_a_pair_does_not_depend_on_the_pool() -> None:
    items = graded(k=4)
    whole, alone = hierarchical_items(items, rope=0.01), hierarchical_items(
        items, rope=0.01, pair=("a0", "a3")
    )  # fmt: skip
    np.testing.assert_allclose(whole.pairs.hdi[2], alone.pairs.hdi[0])
    other = hierarchical_items(items, rope=0.01, pair=("a3", "a0"))
    np.testing.assert_allclose(other.pairs.hdi[0], -alone.pairs.hdi[0, ::-1], atol=1e-9)
    np.testing.assert_allclose(
        other.pairs.probabilities[0], alone.pairs.probabilities[0, ::-1], atol=1e-9
    )


def test_draws_serve_figures() -> None:
    found = hierarchical_items(graded(), draws=50_000, over="datasets")
    drawn = found.draws.values["difference"]
    assert drawn.mean() == pytest.approx(found.pairs.difference[0], abs=0.005)
    assert found.plot("posterior", pair=("a0", "a1")) is not None
    assert hierarchical_items(graded(), draws=7).draws.n_draws == 7


# --- the default, and refusals --------------------------------------------------------------------


def test_the_model_that_suits_items() -> None:
    few, many = graded().to_scores(), graded((0.1,) * 6).to_scores()
    right = answers((3, 2, 9), (1, 2, 9)).to_scores()
    assert [default_model(each) for each in (few, right)] == ["hierarchical-items"] * 2
    assert default_model(many, over="items") == "hierarchical-items"
    assert default_model(many) == default_model(many, over="datasets") == "anova"
    assert default_model(few, over="datasets") == "anova"
    assert default_model(right, dataset="d1") == "outcomes"
    assert default_model(few, dataset="d1") == "hierarchical-items"
    assert run_model(None, right).over == "items"
    assert run_model("hierarchical-items", many).over == "datasets"
    assert run_model("hierarchical-items", many, dataset="d1").over == "items"
    assert run_model("anova", right, over="datasets", draws=100).model == "anova"


def asked(over: str, model: str | None = None, **given: Any) -> Posterior:
    return run_model(model, graded(**given).to_scores(), over=over)


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"'anova' compares over data sets.*outcomes or hier"):
        asked("items", "anova")
    with pytest.raises(ParameterError, match="items or datasets"):
        asked("tasks")
    with pytest.raises(DesignError, match="this is about one"):
        hierarchical_items(graded((0.1,)), over="datasets")
    with pytest.raises(DesignError, match="this table has none"):
        hierarchical_items(palio.load_study("ulas2008"))
    with pytest.raises(DesignError, match="this table has none"):
        run_model(None, palio.load_study("ulas2008"), over="items")
    with pytest.raises(ParameterError, match="prior_spread"):
        hierarchical_items(graded(), prior_spread=-1.0)
    with pytest.raises(UnknownNameError, match="a9"):
        hierarchical_items(graded(), pair=("a0", "a9"))
    x = np.array([[1.0, np.nan], [0.5, np.nan], [np.nan, 1.0], [np.nan, 0.2]])
    never = ItemScores.from_arrays(x, algorithms=["a", "b"], measure="score")
    with pytest.raises(DesignError, match="share two items"):
        hierarchical_items(never)
