"""Names on: which algorithms differ, on one data set or over many."""

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_groups import GROUP_TESTS, FoldComparison, compare_folds
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.comparison.results import Comparison, Pair, TestResult

__all__ = [
    "CORRECTIONS",
    "FOLD_TESTS",
    "GROUP_TESTS",
    "POSTHOCS",
    "Comparison",
    "FoldComparison",
    "Pair",
    "TestResult",
    "compare_folds",
]
