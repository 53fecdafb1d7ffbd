"""Multi²Test's second pass: post-hoc tests on ranks and on contests of two, by hand."""

import numpy as np
import pytest
from scipy import stats

from palio.comparison import POSTHOCS
from palio.comparison.bayes_tests import preferred
from palio.comparison.rank_tests import Contest
from palio.stats.posthoc import critical_difference


def contest() -> Contest:
    """Twelve data sets: a is always first, b and c take turns; alone, b is preferred to c on 11."""
    ranks = np.array([[1, 2, 3], [1, 3, 2]] * 6, dtype=float)
    wins = np.array([[0, 12, 10], [0, 0, 11], [2, 1, 0]])
    return Contest(("a", "b", "c"), tuple(f"d{i}" for i in range(12)), ranks, wins)


def test_nemenyi() -> None:
    found = POSTHOCS["nemenyi"].run(contest(), 0.05)
    assert found.mean_ranks == {"a": 1, "b": 2.5, "c": 2.5}
    assert found.critical_difference == critical_difference(3, 12, 0.05)
    assert [(pair.a, pair.b, pair.winner) for pair in found.pairs] == [
        ("a", "b", "a"),
        ("a", "c", "a"),
        ("b", "c", None),
    ]
    assert found.pair("b", "c").better is None
    assert found.measure.name == "rank"
    assert not found.measure.higher_is_better
    assert found.datasets[0] == "d0"
    assert "pool" in found.notes[0]


@pytest.mark.parametrize(("name", "method"), [("wilcoxon-holm", "wilcoxon"), ("sign-holm", "sign")])
def test_pairs_of_ranks(name: str, method: str) -> None:
    """a is ahead of both on all twelve: p = 2/2¹², times three and two."""
    found = POSTHOCS[name].run(contest(), 0.05)
    assert (found.method, found.correction) == (method, "holm")
    assert found.pair("a", "b").p_value == 2 / 2**12
    assert found.pair("a", "b").p_adjusted == pytest.approx(6 / 2**12)
    assert found.pair("b", "c").p_value == 1
    assert found.pair("a", "c").winner == "a"


def test_contests_of_two_by_signs() -> None:
    """12 : 0, 10 : 2 and 11 : 1 by the binomial, Holm over the three."""
    found = POSTHOCS["pairwise-sign"].run(contest(), 0.04)
    raw = [stats.binomtest(wins, 12).pvalue for wins in (12, 10, 11)]
    assert [pair.p_value for pair in found.pairs] == pytest.approx(raw)
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(
        [3 * raw[0], raw[1], 2 * raw[2]]
    )
    assert [pair.winner for pair in found.pairs] == ["a", "a", "b"]
    assert [pair.statistic for pair in found.pairs] == [12, 10, 11]
    assert found.mean_ranks == {"a": 1, "b": 2.5, "c": 2.5}
    assert "α = 0.04" in found.notes[0]


def test_contests_of_two_by_posteriors() -> None:
    found = POSTHOCS["bayes"].run(contest(), 0.05)
    below = [float(stats.beta.cdf(0.5, n + 0.5, 12.5 - n)) for n in (12, 10, 11)]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(below)
    assert [pair.statistic for pair in found.pairs] == pytest.approx([1 - each for each in below])
    assert found.correction == "none"
    assert [pair.winner for pair in found.pairs] == ["a", "a", "b"]


def test_preferred_mirrors() -> None:
    share, wrong = preferred(np.array([9, 1, 4]), np.array([1, 9, 4]))
    assert share[0] == pytest.approx(1 - share[1])
    assert wrong[0] == pytest.approx(wrong[1])
    assert (share[2], wrong[2]) == pytest.approx((0.5, 0.5))


def test_promises() -> None:
    assert [name for name, entry in POSTHOCS.items() if entry.pool_free] == [
        "pairwise-sign",
        "bayes",
    ]
    assert [name for name, entry in POSTHOCS.items() if not entry.family_wise] == ["bayes"]


@pytest.mark.parametrize("name", ["sign-holm", "wilcoxon-holm"])
def test_the_level_is_the_one_asked_for(name: str) -> None:
    """a's adjusted p-values are 6/2¹², above 0.001."""
    found = POSTHOCS[name].run(contest(), 0.001)
    assert found.alpha == 0.001
    assert not any(pair.significant for pair in found.pairs)
