"""Tests over many data sets: worked examples and tables as printed elsewhere."""

import csv
import itertools

import numpy as np
import pytest
from scipy.special import bdtrc, ndtr, ndtri

from palio.stats import across, posthoc
from palio.stats.ranks import average_ranks
from palio.types import FloatArray
from tests.reference.test_published_tables import (
    DEMSAR_AUC,
    DEMSAR_MEAN_RANKS,
    DEMSAR_VOTING_RANKS,
)
from tests.shared import shared_file

# R 4, help page of quade.test; Conover (1999), p. 375: sales of five brands in seven stores.
CONOVER_STORES = np.array(
    [
        [5, 4, 7, 10, 12],
        [1, 3, 1, 0, 2],
        [16, 12, 22, 22, 35],
        [5, 4, 3, 5, 4],
        [10, 9, 7, 13, 10],
        [19, 18, 28, 37, 58],
        [10, 7, 6, 8, 7],
    ],
    dtype=np.float64,
)

# R 4, help page of friedman.test; Hollander and Wolfe (1973), p. 140: times to round first base.
ROUNDING_TIMES = np.array(
    [
        [5.40, 5.50, 5.55],
        [5.85, 5.70, 5.75],
        [5.20, 5.60, 5.50],
        [5.55, 5.50, 5.40],
        [5.90, 5.85, 5.70],
        [5.45, 5.55, 5.60],
        [5.40, 5.40, 5.35],
        [5.45, 5.50, 5.35],
        [5.25, 5.15, 5.00],
        [5.85, 5.80, 5.70],
        [5.25, 5.20, 5.10],
        [5.65, 5.55, 5.45],
        [5.60, 5.35, 5.45],
        [5.05, 5.00, 4.95],
        [5.50, 5.50, 5.40],
        [5.45, 5.55, 5.50],
        [5.55, 5.55, 5.35],
        [5.45, 5.50, 5.55],
        [5.50, 5.45, 5.25],
        [5.65, 5.60, 5.40],
        [5.70, 5.65, 5.55],
        [6.30, 6.30, 6.25],
    ]
)

# Demšar (2006), table 5b: the two-tailed Bonferroni–Dunn test at .05, k = 2 … 10.
BONFERRONI_DUNN_05 = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]

# Friedman (1937), tables V and VI, as in Siegel (1956), table N: (k, n) -> χ² and its probability.
FRIEDMAN_EXACT = {
    (3, 2): {4.0: 0.167, 3.0: 0.500},
    (3, 3): {6.0: 0.028, 4.667: 0.194, 2.667: 0.361, 2.0: 0.528},
    (3, 4): {8.0: 0.0046, 6.5: 0.042, 6.0: 0.069, 4.5: 0.125},
    (3, 5): {10.0: 0.00077, 8.4: 0.0085, 7.6: 0.024, 6.4: 0.039, 5.2: 0.093},
    (4, 2): {6.0: 0.042, 5.4: 0.167},
    (4, 3): {9.0: 0.0017, 8.2: 0.017, 7.4: 0.033, 7.0: 0.054},
}


def test_r_quade() -> None:
    outcome = across.quade(CONOVER_STORES)
    assert round(float(outcome.statistic), 4) == 3.8293
    assert outcome.df == (4.0, 24.0)
    assert round(float(outcome.p_value), 5) == 0.01519


def test_r_friedman() -> None:
    outcome = across.friedman(ROUNDING_TIMES)
    assert round(float(outcome.statistic), 3) == 11.143
    assert outcome.df == (2.0,)
    assert round(float(outcome.p_value), 6) == 0.003805


@pytest.mark.parametrize(("k", "n"), FRIEDMAN_EXACT)
def test_friedmans_exact_tables(k: int, n: int) -> None:
    printed = dict(FRIEDMAN_EXACT[k, n])
    orders = list(itertools.permutations(range(1, k + 1)))
    found: dict[float, float] = {}
    for rest in itertools.product(orders, repeat=n - 1) if len(orders) ** (n - 1) < 2000 else ():
        outcome = across.friedman_exact_from_ranks([orders[0], *rest])
        found[round(float(outcome.statistic), 3)] = float(outcome.p_value)
    for chi2, probability in printed.items():
        digits = len(f"{probability:g}".split(".")[1])
        assert found[chi2] == pytest.approx(probability, abs=0.51 * 10.0**-digits)


def _demsar_ranks() -> FloatArray:
    ranks = average_ranks(-DEMSAR_AUC)
    ranks[12] = DEMSAR_VOTING_RANKS
    return ranks


def test_demsar_iman_davenport_example() -> None:
    # Section 3.2.2: F = 13 · 9.28 / (14 · 3 - 9.28) = 3.69, from χ² without correction for ties.
    # Ours is corrected, and so larger; the verdict, above the critical F(3, 39) = 2.85, is one.
    chi2 = float(across.friedman_from_ranks(_demsar_ranks()).statistic_uncorrected)
    assert 13 * chi2 / (14 * 3 - chi2) == pytest.approx(3.69, abs=0.005)
    outcome = across.iman_davenport_from_ranks(_demsar_ranks())
    assert outcome.df == (3.0, 39.0)
    assert 3.69 < float(outcome.statistic) < 4.3
    assert float(outcome.p_value) < 0.05


def test_demsar_mean_ranks_example() -> None:
    # Section 3.2.2, Holm's table: C4.5 against the others, SE 0.488.
    outcome = posthoc.mean_ranks_z(DEMSAR_MEAN_RANKS, 14)
    z, p = outcome.statistic[0, [3, 1, 2]], outcome.p_value[0, [3, 1, 2]]
    np.testing.assert_allclose(z, [2.416, 2.342, 0.512], atol=0.002)
    np.testing.assert_allclose(p, [0.016, 0.019, 0.607], atol=0.0015)


def test_demsar_bonferroni_dunn_table() -> None:
    got = [
        posthoc.bonferroni_dunn_critical_difference(k, 1) / np.sqrt(k * (k + 1) / 6)
        for k in range(2, 11)
    ]
    # A known disagreement: for nine classifiers the table has 2.724, a misprint of 2.734, which is
    # the normal quantile of .05 / 16.
    assert round(got[7], 3) == 2.734
    assert round(float(-ndtri(0.05 / 16)), 3) == 2.734
    del got[7]
    printed = BONFERRONI_DUNN_05[:7] + BONFERRONI_DUNN_05[8:]
    np.testing.assert_allclose(got, printed, atol=0.00051)


def test_demsar_bonferroni_dunn_example() -> None:
    # Section 3.2.2: CD = 2.394 · 0.488, printed as 1.16. C4.5+m+cf is beyond it from the control
    # C4.5, C4.5+m just below, C4.5+cf far below.
    limit = posthoc.bonferroni_dunn_critical_difference(4, 14)
    assert limit == pytest.approx(1.16, abs=0.01)
    control, *others = DEMSAR_MEAN_RANKS
    assert [control - other > limit for other in others] == [False, False, True]


def test_benavoli_example_1() -> None:
    # Section 4.1: five algorithms on 20 data sets; A and B are 2 and 3.5, 1.5 ≥ 2.807 · 0.5 ≈ 1.4.
    a, b = [50.0] * 10 + [80.0] * 10, [80.0] * 10 + [50.0] * 10
    others = [[55.0] * 10 + [45.0] * 10, [60.0] * 10 + [85.0] * 10, [65.0] * 10 + [90.0] * 10]
    values = np.array([a, b, *others]).T
    outcome = across.friedman(values)
    assert outcome.mean_ranks.tolist() == [2.0, 3.5, 1.5, 3.5, 4.5]
    # Printed p ≈ 1e-10; χ² = 48 on 4 degrees of freedom has 9.4e-10.
    assert float(outcome.statistic) == pytest.approx(48.0)
    assert float(outcome.p_value) == pytest.approx(9.4e-10, rel=0.01)
    pair = posthoc.mean_ranks_z(outcome.mean_ranks, 20)
    assert float(pair.statistic[1, 0]) == pytest.approx(3.0)
    assert float(pair.p_value[0, 1]) <= 0.05 / 10
    # Alone, nothing tells the two apart, whatever the test.
    assert float(across.sign_test(a, b).p_value) == 1.0
    assert float(across.wilcoxon(a, b).p_value) == 1.0
    assert float(across.paired_t(a, b).p_value) == 1.0
    assert float(across.permutation_test(a, b).p_value) == 1.0


def test_benavoli_example_2() -> None:
    # Section 4.2: A ~ N(0, 1), B ~ N(1.5, 1) on 20 data sets, below C, D and E. Printed power at
    # .05: 0.94 of the sign test, 0.046 of mean ranks. B wins with chance Φ(1.5/√2).
    chance = float(ndtr(1.5 / np.sqrt(2)))
    p_values = across.sign_test_counts(np.arange(21), 20 - np.arange(21)).p_value
    assert np.flatnonzero(p_values <= 0.05).tolist() == [*range(6), *range(15, 21)]
    assert float(bdtrc(14, 20, chance)) == pytest.approx(0.94, abs=0.005)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20_000, 20, 5)) + np.array([0.0, 1.5, 5.0, 6.0, 7.0])
    mean_ranks = average_ranks(values).mean(axis=-2)
    rejected = posthoc.mean_ranks_z(mean_ranks, 20).p_value[:, 0, 1] <= 0.05
    assert float(rejected.mean()) == pytest.approx(0.046, abs=0.006)


# The last row, zoo, is legible only for rf in the text we have. Its order follows from the
# published mean ranks, and only its order is used.
ZOO = {"j48": 1, "j48graft": 1, "nb": 2, "aode": 3, "rf": 3, "lwnb": 4, "hnb": 5}


def _benavoli_accuracy() -> tuple[list[str], FloatArray]:
    with shared_file("tables/benavoli2016_accuracy.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert rows.pop()[0] == "zoo"
    return header[1:], np.array([row[1:] for row in rows], dtype=np.float64)


def _benavoli_ranked() -> tuple[list[str], FloatArray]:
    names, accuracy = _benavoli_accuracy()
    return names, np.vstack([accuracy, [ZOO[name] for name in names]])


def test_benavoli_example_3() -> None:
    # Section 4.3: mean ranks and z of C2 (hnb) and C4 (nb) among two pools of four.
    names, accuracy = _benavoli_ranked()
    assert accuracy.shape == (54, 7)
    for pool, z in ((["j48", "hnb", "aode", "nb"], 3.06), (["hnb", "nb", "j48", "j48graft"], 2.46)):
        values = accuracy[:, [names.index(name) for name in pool]]
        mean_ranks = across.friedman(values).mean_ranks
        i, j = pool.index("hnb"), pool.index("nb")
        got = float(posthoc.mean_ranks_z(mean_ranks, 54).statistic[i, j])
        assert got == pytest.approx(z, abs=0.006)


def test_benavoli_wilcoxon_example() -> None:
    # Section 5: C2 against C4 has p = 0.0002, whatever the pool. Exact, without the row zoo; the
    # normal approximation would be 0.0003.
    names, accuracy = _benavoli_accuracy()
    outcome = across.wilcoxon_pairs(
        accuracy, first=[names.index("hnb")], second=[names.index("nb")]
    )
    assert float(outcome.p_value[0]) == pytest.approx(0.0002, abs=0.00005)


def test_benavoli_pool_dependence() -> None:
    # Table 1: of the pools with so many others, in how many is the pair significant?
    names, accuracy = _benavoli_ranked()
    with shared_file("tables/benavoli2016_pool_dependence.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            pair = [names.index(row["a"]), names.index(row["b"])]
            rest = [i for i in range(7) if i not in pair]
            pools = list(itertools.combinations(rest, int(row["others"])))
            assert len(pools) == int(row["subsets"])
            significant = 0
            for others in pools:
                m = len(others) + 2
                mean_ranks = across.friedman(accuracy[:, [*pair, *others]]).mean_ranks
                p = float(posthoc.mean_ranks_z(mean_ranks, 54).p_value[0, 1])
                significant += p * m * (m - 1) / 2 <= 0.05
            assert significant == int(row["significant"]), row


def test_brazdil_dunn_example() -> None:
    # Section 4, table 4: ranks of SW, SRR and AR on two points; M = 1, |T| = 0.5, 0.5 and 1.
    outcome = across.friedman_from_ranks([[2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])
    assert float(outcome.statistic) == pytest.approx(1.0)
    z = np.abs(posthoc.mean_ranks_z(outcome.mean_ranks, 2).statistic)
    np.testing.assert_allclose(np.sort(z[np.triu_indices(3, 1)]), [0.5, 0.5, 1.0])


def test_brazdil_dunn_result_does_not_follow_from_its_mean_ranks() -> None:
    # A known disagreement. Section 4 prints mean ranks AR 1.950, SRR 1.872, SW 2.178 of 160 points,
    # and |T| of SRR, SW 1.76, of AR, SW 3.19, of SRR, AR 1.42. Those mean ranks give other values.
    z = np.abs(posthoc.mean_ranks_z([1.950, 1.872, 2.178], 160).statistic)
    np.testing.assert_allclose([z[1, 2], z[0, 2], z[0, 1]], [2.737, 2.039, 0.698], atol=0.001)
