"""Names on: which algorithms differ, on one data set or over many."""

from typing import TYPE_CHECKING

from palio.registry import exported

if TYPE_CHECKING:
    from palio.comparison.audit import AUDIT_CHECKS as AUDIT_CHECKS
    from palio.comparison.audit import Audit as Audit
    from palio.comparison.corrections import CORRECTIONS as CORRECTIONS
    from palio.comparison.fold_tests import FOLD_TESTS as FOLD_TESTS
    from palio.comparison.item_tests import ITEM_TESTS as ITEM_TESTS
    from palio.comparison.omnibus import OMNIBUS_TESTS as OMNIBUS_TESTS
    from palio.comparison.on_folds import GROUP_TESTS as GROUP_TESTS
    from palio.comparison.on_folds import FoldComparison as FoldComparison
    from palio.comparison.on_folds import compare_folds as compare_folds
    from palio.comparison.over_datasets import compare as compare
    from palio.comparison.pair_tests import PAIR_TESTS as PAIR_TESTS
    from palio.comparison.pairs import Pair as Pair
    from palio.comparison.pairs import TestResult as TestResult
    from palio.comparison.power import Power as Power
    from palio.comparison.prediction_tests import PREDICTION_TESTS as PREDICTION_TESTS
    from palio.comparison.prediction_tests import PredictionComparison as PredictionComparison
    from palio.comparison.prediction_tests import compare_predictions as compare_predictions
    from palio.comparison.rank_tests import POSTHOCS as POSTHOCS
    from palio.comparison.results import Comparison as Comparison

# Loaded when first asked for: who compares need not load the audit, or tests on predictions.
_HOMES = {
    "AUDIT_CHECKS": "palio.comparison.audit",
    "Audit": "palio.comparison.audit",
    "CORRECTIONS": "palio.comparison.corrections",
    "Comparison": "palio.comparison.results",
    "FOLD_TESTS": "palio.comparison.fold_tests",
    "FoldComparison": "palio.comparison.on_folds",
    "GROUP_TESTS": "palio.comparison.on_folds",
    "ITEM_TESTS": "palio.comparison.item_tests",
    "OMNIBUS_TESTS": "palio.comparison.omnibus",
    "PAIR_TESTS": "palio.comparison.pair_tests",
    "POSTHOCS": "palio.comparison.rank_tests",
    "PREDICTION_TESTS": "palio.comparison.prediction_tests",
    "Pair": "palio.comparison.pairs",
    "Power": "palio.comparison.power",
    "PredictionComparison": "palio.comparison.prediction_tests",
    "TestResult": "palio.comparison.pairs",
    "compare": "palio.comparison.over_datasets",
    "compare_folds": "palio.comparison.on_folds",
    "compare_predictions": "palio.comparison.prediction_tests",
}

__all__ = list(_HOMES)

__getattr__ = exported(__name__, _HOMES)
