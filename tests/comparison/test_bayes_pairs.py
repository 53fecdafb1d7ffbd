"""The Bayesian signed-rank test as a test of pairs, and what it does to rank sets and orders."""

from typing import Any

import numpy as np
import pytest

import palio
from palio.bayes.models.signed_rank import signed_rank_draws
from palio.comparison import CORRECTIONS, PAIR_TESTS, bayes_tests
from palio.comparison.sample import Sample
from palio.errors import ParameterError
from palio.measures import Measure
from palio.report.methods import methods
from palio.scores import ScoreTable


def table_of(scores: np.ndarray, *, higher: bool = True) -> ScoreTable:
    return ScoreTable.from_arrays(
        scores if higher else -scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=[f"a{j}" for j in range(scores.shape[1])],
        measure=Measure("quality", higher, "score"),
        missing="pairwise",
    )


@pytest.fixture
def scores() -> np.ndarray:
    """a0 is best, a1 and a2 are alike, a3 is last."""
    return np.asarray(np.random.default_rng(3).normal(size=(20, 4)) + [2.0, 1, 1, -2])


@pytest.mark.parametrize("rope", [0.0, 0.4])
@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("gaps", [False, True])
def test_it_is_the_model_of_palio_bayes(
    scores: np.ndarray, rope: float, higher: bool, gaps: bool
) -> None:
    if gaps:
        scores[:4, 0] = scores[3:8, 2] = np.nan
    table = table_of(scores, higher=higher)
    found = palio.compare(table, test="bayes", rope=rope)
    rows = palio.bayes.signed_rank(table, rope=rope).answer().pairs
    assert len(rows) == 6
    for pair, row in zip(found.pairs, rows, strict=True):
        better = max(row.p_a_better, row.p_b_better)
        # Two Monte-Carlo errors of 0.0022 at most, and no p below 1 in 50,000.
        assert pair.p_value == pytest.approx(1 - better, abs=0.013)
        assert pair.p_adjusted == pair.p_value
        assert pair.statistic == pytest.approx(1 - pair.p_value, abs=1e-4)
        if abs(row.p_a_better - row.p_b_better) > 0.02:
            assert pair.better == (row.a if row.p_a_better > row.p_b_better else row.b)


def test_a_pair_differs_where_it_is_sure_beyond_the_region(scores: np.ndarray) -> None:
    table = table_of(scores)
    found = palio.compare(table, test="bayes")
    assert found.pair("a0", "a3").winner == "a0"
    assert {frozenset((p.a, p.b)) for p in found.pairs if not p.significant} == {
        frozenset(("a1", "a2"))
    }
    wide = palio.compare(table, test="bayes", rope=2.0)
    assert {frozenset((p.a, p.b)) for p in wide.pairs if p.significant} == {
        frozenset(("a0", "a3")), frozenset(("a1", "a3")), frozenset(("a2", "a3")),
    }  # fmt: skip


@pytest.mark.parametrize("higher", [True, False])
def test_an_order_has_its_edges(scores: np.ndarray, higher: bool) -> None:
    table = table_of(scores, higher=higher)
    ordering = palio.order(table, test="bayes", prior=["a3", "a2", "a1", "a0"])
    assert ordering.order == ("a0", "a2", "a1", "a3")
    assert (ordering.test, ordering.correction) == ("bayes", "none")
    assert set(ordering.edges) == {
        ("a1", "a0"), ("a2", "a0"), ("a3", "a0"), ("a3", "a1"), ("a3", "a2"),
    }  # fmt: skip
    assert ordering.rank_sets is None
    assert ordering.unbeaten == ("a0",)


def test_pairs_say_nothing_of_all_algorithms(scores: np.ndarray) -> None:
    found = palio.compare(table_of(scores), test="bayes")
    assert found.rank_sets is None
    assert any("no rank sets: each pair is judged by itself" in note for note in found.notes)


def test_probabilities_are_not_corrected(scores: np.ndarray) -> None:
    table = table_of(scores)
    for correction in ("holm", "none", None):
        found = palio.compare(table, test="bayes", correction=correction)
        assert found.correction == "none"
        assert any("probabilities are not corrected" in note for note in found.notes)
        assert not any("without a correction" in note for note in found.notes)
    with pytest.raises(ParameterError, match="correction: 'shaffer' is for p-values"):
        palio.compare(table, test="bayes", correction="shaffer")


def test_nor_are_they_on_one_data_set() -> None:
    rng = np.random.default_rng(0)
    folds = rng.normal(size=(1, 3, 5, 2)) + np.reshape([0.0, 1, 5], (3, 1, 1))
    found = palio.compare(table_of(folds), test="bayes", rope=0.1)
    assert found.correction == "none"
    assert [pair.p_adjusted for pair in found.pairs] == [pair.p_value for pair in found.pairs]
    assert found.rank_sets is None
    assert any("no rank sets: each pair is judged by itself" in note for note in found.notes)
    ordering = palio.order(table_of(folds), test="bayes", rope=0.1)
    assert (ordering.correction, ordering.rank_sets) == ("none", None)
    assert ordering.edges
    multitest = palio.multitest(table_of(folds), test="bayes", prior=["a0", "a1", "a2"])
    assert multitest.judged is not None
    assert multitest.judged.correction == "none"
    with pytest.raises(ParameterError, match="'bonferroni' is for p-values"):
        palio.compare(table_of(folds), test="bayes", correction="bonferroni")


@pytest.mark.parametrize("test", [name for name, entry in PAIR_TESTS.items() if entry.on_ranks])
def test_tests_that_depend_on_the_pool_give_no_rank_sets(test: str, scores: np.ndarray) -> None:
    for correction in ("holm", *(c.name for c in CORRECTIONS.values() if c.test == test)):
        found = palio.compare(table_of(scores), test=test, correction=correction)
        assert found.rank_sets is None
        assert any("no rank sets: the verdict on a pair depends" in note for note in found.notes)


def test_algorithms_that_never_met_are_not_told_apart() -> None:
    scores = np.array([[0.9, np.nan, 0.1]] * 9 + [[np.nan, 0.5, 0.1]])
    first, second = np.triu_indices(3, 1)
    found = PAIR_TESTS["bayes"].run(Sample(scores, first, second), {"draws": 100})
    assert found.p_value[0] == 1.0
    assert found.lead[0] == 0.0
    assert found.p_value[1] == 1 / 200  # no p is below one in the number of draws


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rope": -1}, "rope: it is a number, not negative"),
        ({"rope": "auto"}, "rope: it is a number, not negative and finite, and 'auto'"),
        ({"draws": 0}, "draws: at least one"),
        ({"draws": -5}, "draws: it is a whole number"),
        ({"zero_method": "pratt"}, "'bayes' does not take it"),
    ],
)
def test_options_are_checked(scores: np.ndarray, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        palio.compare(table_of(scores), test="bayes", **options)


def test_few_data_sets_are_warned_of(scores: np.ndarray) -> None:
    few, more = (palio.compare(table_of(scores[:n]), test="bayes") for n in (3, 6))
    assert any(note.startswith("3 data sets are few") for note in few.notes)
    assert not any("are few" in note for note in more.notes)


def test_the_seed_moves_it_by_little(scores: np.ndarray) -> None:
    one, other = (palio.compare(table_of(scores), test="bayes", seed=s) for s in (0, 1))
    p, q = one.pair("a1", "a2").p_value, other.pair("a1", "a2").p_value
    assert p != q
    assert p == pytest.approx(q, abs=0.015)


def test_a_report_says_how_the_pairs_were_judged(scores: np.ndarray) -> None:
    report = palio.analyse(table_of(scores), test="bayes")
    said = " ".join(sentence.text for sentence in methods(report))
    assert (
        "All pairs were compared by the Bayesian signed-rank test on the means over folds, a pair "
        "differs where the probability of being wrong about it is α = 0.05 at most." in said
    )
    assert [why.part for why in report.not_done if "has none" in why.why] == ["audit"]


def test_another_level_or_cost_draws_nothing_anew(
    scores: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    draw = signed_rank_draws

    def counted(*given: Any, **options: Any) -> Any:
        calls.append(options)
        return draw(*given, **options)

    monkeypatch.setattr(bayes_tests, "signed_rank_draws", counted)
    table = table_of(scores + 0.5)
    asked: dict[str, Any] = {"test": "bayes", "draws": 1000}
    first = palio.compare(table, alpha=0.05, **asked)
    n = len(calls)
    assert n > 0
    again = palio.compare(table, alpha=0.2, **asked)
    assert len(calls) == n
    assert [pair.p_value for pair in again.pairs] == [pair.p_value for pair in first.pairs]
    # Whatever the draws depend on is another question.
    palio.compare(table, rope=0.1, **asked)
    palio.compare(table_of(scores + 0.25), **asked)
    assert len(calls) == 3 * n
    kept = PAIR_TESTS["bayes"].run(Sample(scores, *np.triu_indices(4, 1)), {"draws": 1000})
    with pytest.raises(ValueError, match="read-only"):
        kept.p_value[0] = 2.0
