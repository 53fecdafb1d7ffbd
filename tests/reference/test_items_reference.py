"""Mean differences over items against statsmodels, and exact McNemar against SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel

from palio.stats.item_tests import mcnemar_pairs
from palio.stats.items import Items, paired_means, unpaired_means

# statsmodels 0.15.0, OLS (WLS with weights) of the differences on a constant, cov_type="cluster"
# with its correction G/(G - 1) · (n - 1)/(n - k), which is G/(G - 1) here, and use_t=True: t with
# G - 1 degrees of freedom. Without clusters each item is a group.
# What: clusters, weights; a, b; mean, standard error, p-value, the ends of the interval.
STATSMODELS = [
    ("items", 0, 1, -0.017132867132867144, 0.09214789673320684, 0.8542855203147636,
     -0.20876490894178057, 0.1744991746760463),
    ("items", 0, 2, 0.036645962732919264, 0.07714466655633856, 0.6394482407774835,
     -0.12334228357070764, 0.19663420903654616),
    ("items", 1, 2, 0.1020408163265306, 0.07781180134915176, 0.20458592836307515,
     -0.06027175705371261, 0.2643533897067738),
    ("clusters", 0, 1, -0.017132867132867144, 0.10701412029312002, 0.8773249724610306,
     -0.27018105124084624, 0.23591531697511192),
    ("clusters", 0, 2, 0.036645962732919264, 0.052349482465991554, 0.5065026843668133,
     -0.08714089306449557, 0.16043281853033411),
    ("clusters", 1, 2, 0.1020408163265306, 0.0858800202818481, 0.27350787440048013,
     -0.10103316235920758, 0.3051147950122688),
    ("weights", 0, 1, -0.05472027972027972, 0.09908223514296043, 0.5865929127577427,
     -0.26077306769014363, 0.15133250824958422),
    ("weights", 0, 2, 0.007763975155279543, 0.08704419270774551, 0.9297333442765231,
     -0.17275463181876183, 0.18828258212932092),
    ("weights", 1, 2, 0.11250654107796962, 0.09538039514525848, 0.2520181493659218,
     -0.08645347678081403, 0.31146655893675324),
    ("both", 0, 1, -0.05472027972027972, 0.11296687735900644, 0.6428956653394841,
     -0.32184449755009414, 0.21240393810953473),
    ("both", 0, 2, 0.007763975155279543, 0.07275757935984911, 0.9180127570533098,
     -0.16428036148620626, 0.17980831179676535),
    ("both", 1, 2, 0.11250654107796962, 0.09614336902445646, 0.2802159335866407,
     -0.11483640094709457, 0.3398494831030338),
]  # fmt: skip


def _items(what: str) -> Items:
    i = np.arange(24)
    x = np.stack(
        [(7 * i + 3) % 11 / 10, (5 * i * i + 1) % 13 / 13, (3 * i + i // 4) % 7 / 7], axis=1
    )
    x[[2, 9], 1] = x[13, 2] = np.nan
    return Items(
        x,
        np.zeros(24, dtype=np.intp),
        i // 3 * 5 % 8 if what in ("clusters", "both") else None,
        (i % 3 + 1).astype(np.float64) if what in ("weights", "both") else None,
    )


@pytest.mark.parametrize("row", STATSMODELS, ids=lambda row: "-".join(map(str, row[:3])))
def test_cluster_robust_means_are_those_of_statsmodels(
    row: tuple[str, int, int, float, float, float, float, float],
) -> None:
    what, a, b, *expected = row
    found = paired_means(_items(what), np.array([a]), np.array([b]))
    low, high = found.interval(0.95)
    p = found.t_test().p_value
    numbers = [float(each[0]) for each in (found.estimate, found.standard_error, p, low, high)]
    assert numbers == pytest.approx(expected, rel=1e-10)


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
