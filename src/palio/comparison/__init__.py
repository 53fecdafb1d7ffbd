"""Names on: which algorithms differ, on one data set or over many."""

from palio.comparison.audit import AUDIT_CHECKS, Audit, audit
from palio.comparison.corrections import CORRECTIONS
from palio.comparison.effects import Effect
from palio.comparison.fold_groups import GROUP_TESTS, FoldComparison, compare_folds
from palio.comparison.fold_tests import FOLD_TESTS
from palio.comparison.omnibus import OMNIBUS_TESTS
from palio.comparison.over_datasets import compare
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.power import Power, power
from palio.comparison.prediction_results import PredictionComparison
from palio.comparison.prediction_tests import PREDICTION_TESTS, compare_predictions
from palio.comparison.rank_tests import POSTHOCS
from palio.comparison.results import Comparison, Pair, TestResult

__all__ = [
    "AUDIT_CHECKS",
    "CORRECTIONS",
    "FOLD_TESTS",
    "GROUP_TESTS",
    "OMNIBUS_TESTS",
    "PAIR_TESTS",
    "POSTHOCS",
    "PREDICTION_TESTS",
    "Audit",
    "Comparison",
    "Effect",
    "FoldComparison",
    "Pair",
    "Power",
    "PredictionComparison",
    "TestResult",
    "audit",
    "compare",
    "compare_folds",
    "compare_predictions",
    "power",
]
