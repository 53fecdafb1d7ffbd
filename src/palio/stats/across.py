"""Across data sets: one value per algorithm and data set, mostly the mean over its folds.

Two algorithms, (..., n) each: `sign_test`, `wilcoxon`, `paired_t`, `permutation_test`. Several,
(..., n, k): `friedman`, `iman_davenport`, `friedman_aligned`, `quade`, and what follows from them.
The sign test, Friedman's and Iman–Davenport's use nothing but the order within a data set; all
others assume that differences on different data sets can be compared in size.
"""

from __future__ import annotations

from palio.stats.exact import (
    few_orders,
    friedman_exact,
    friedman_exact_from_ranks,
    friedman_exact_possible,
)
from palio.stats.omnibus import (
    FriedmanOutcome,
    friedman,
    friedman_aligned,
    friedman_from_ranks,
    iman_davenport,
    iman_davenport_from_ranks,
    kendall_w,
    quade,
)
from palio.stats.paired import (
    PERMUTATION_EXACT_LIMIT,
    SignTies,
    least_by_flips,
    paired_t,
    permutation_test,
    sign_test,
    sign_test_counts,
)
from palio.stats.wilcoxon import EXACT_LIMIT, ZeroMethod, wilcoxon, wilcoxon_pairs

__all__ = [
    "EXACT_LIMIT",
    "PERMUTATION_EXACT_LIMIT",
    "FriedmanOutcome",
    "SignTies",
    "ZeroMethod",
    "few_orders",
    "friedman",
    "friedman_aligned",
    "friedman_exact",
    "friedman_exact_from_ranks",
    "friedman_exact_possible",
    "friedman_from_ranks",
    "iman_davenport",
    "iman_davenport_from_ranks",
    "kendall_w",
    "least_by_flips",
    "paired_t",
    "permutation_test",
    "quade",
    "sign_test",
    "sign_test_counts",
    "wilcoxon",
    "wilcoxon_pairs",
]
