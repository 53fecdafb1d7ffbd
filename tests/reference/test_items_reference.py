"""Mean differences over items against statsmodels, and exact McNemar against SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel

from palio.stats.item_tests import mcnemar_pairs
from palio.stats.items import Items, paired_means, unpaired_means

# statsmodels 0.15.0. In clusters of one size: OLS of the differences on a constant,
# cov_type="cluster", use_t=True, whose factor G/(G - 1) and G - 1 degrees of freedom are then those
# of CR2. What: a, b; mean, standard error, p-value, the ends of the interval.
CLUSTERS = [
    (0, 1, -0.02596153846153848, 0.0990414250893187, 0.8007690773611388,
     -0.2601572941400515, 0.20823421721697452),
    (0, 2, 0.06011904761904766, 0.05788868083070091, 0.33356066000896506,
     -0.07676593096594203, 0.19700402620403734),
    (1, 2, 0.08608058608058616, 0.07734243171269718, 0.30247117503717835,
     -0.09680520362441641, 0.26896637578558874),
]  # fmt: skip
# Where each item is a cluster CR2 is HC2, by WLS(...).fit().HC2_se. Weighted; a, b; mean, error.
ITEMS = [
    (False, 0, 1, -0.017132867132867144, 0.09214789673320685),
    (False, 0, 2, 0.036645962732919264, 0.0771446665563386),
    (False, 1, 2, 0.1020408163265306, 0.07781180134915179),
    (True, 0, 1, -0.05472027972027972, 0.09972781223468732),
    (True, 0, 2, 0.007763975155279543, 0.0876989307855711),
    (True, 1, 2, 0.11250654107796962, 0.09622178875091077),
]


def _items(*, weighted: bool = False, clustered: bool = False) -> Items:
    i = np.arange(24)
    x = np.stack(
        [(7 * i + 3) % 11 / 10, (5 * i * i + 1) % 13 / 13, (3 * i + i // 4) % 7 / 7], axis=1
    )
    if not clustered:
        x[[2, 9], 1] = x[13, 2] = np.nan
    return Items(
        x,
        np.zeros(24, dtype=np.intp),
        i // 3 * 5 % 8 if clustered else None,
        (i % 3 + 1).astype(np.float64) if weighted else None,
    )


@pytest.mark.parametrize("row", CLUSTERS)
def test_clusters_of_one_size_are_those_of_statsmodels(row: tuple[int, ...]) -> None:
    a, b, *expected = row
    found = paired_means(_items(clustered=True), np.array([a]), np.array([b]))
    low, high = found.interval(0.95)
    p = found.t_test().p_value
    numbers = [float(each[0]) for each in (found.estimate, found.standard_error, p, low, high)]
    assert numbers == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("weighted", "a", "b", "mean", "error"), ITEMS)
def test_items_one_by_one_are_those_of_statsmodels(
    weighted: bool, a: int, b: int, mean: float, error: float
) -> None:
    found = paired_means(_items(weighted=weighted), np.array([a]), np.array([b]))
    assert float(found.estimate[0]) == pytest.approx(mean, rel=1e-10)
    assert float(found.standard_error[0]) == pytest.approx(error, rel=1e-10)


def test_one_by_one_it_is_the_paired_t_and_unpaired_welch() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(15, 2)) + rng.normal(size=(15, 1))
    items, pair = Items(x, np.zeros(15, dtype=np.intp)), (np.array([0]), np.array([1]))
    paired, welch = ttest_rel(x[:, 0], x[:, 1]), ttest_ind(x[:, 0], x[:, 1], equal_var=False)
    for found, expected in ((paired_means, paired), (unpaired_means, welch)):
        outcome = found(items, *pair).t_test()
        assert float(outcome.statistic[0]) == pytest.approx(expected.statistic, rel=1e-10)
        assert float(outcome.p_value[0]) == pytest.approx(expected.pvalue, rel=1e-10)


def test_mcnemar_of_all_pairs_is_the_binomial_test_of_each() -> None:
    rng = np.random.default_rng(2)
    x = (rng.random((60, 6)) < np.linspace(0.3, 0.8, 6)).astype(np.uint8)
    x[rng.random(x.shape) < 0.1] = 255
    first, second = np.triu_indices(6, 1)
    p = mcnemar_pairs(Items(x, np.zeros(60, dtype=np.intp)), first, second).p_value
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        one = int(((x[:, a] == 1) & (x[:, b] == 0)).sum())
        other = int(((x[:, a] == 0) & (x[:, b] == 1)).sum())
        assert float(p[place]) == pytest.approx(binomtest(one, one + other).pvalue, rel=1e-12)
