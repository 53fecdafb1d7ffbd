"""Names on: which algorithms differ, on one data set or over many."""

from palio.comparison.corrections import CORRECTIONS
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.rank_tests import POSTHOCS
from palio.comparison.results import Comparison, Pair, TestResult

__all__ = ["CORRECTIONS", "FOLD_TESTS", "POSTHOCS", "Comparison", "Pair", "TestResult"]
