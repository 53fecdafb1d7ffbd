"""Palio: which learning algorithm is best, in what order, at what cost, and how sure.

Start with :func:`read_scores` or :func:`load_study`, then ask: :func:`compare` says who differs
from whom, :func:`order` puts them in order.

Examples
--------
>>> import palio
>>> palio.compare(palio.load_study("ulas2008")).verdict.best
'svr leads 8 algorithms over 38 data sets; svl may be as good; shared: svr stays unbeaten in all 42
checks.'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palio import bayes as bayes
    from palio import testing as testing
    from palio.bayes.posterior import Posterior as Posterior
    from palio.comparison import Audit as Audit
    from palio.comparison import Comparison as Comparison
    from palio.comparison import compare as compare
    from palio.comparison import compare_folds as compare_folds
    from palio.comparison import compare_predictions as compare_predictions
    from palio.comparison.aggregates import Aggregates as Aggregates
    from palio.comparison.aggregates import aggregate as aggregate
    from palio.comparison.audit import audit as audit
    from palio.comparison.power import power as power
    from palio.comparison.variance import Variance as Variance
    from palio.comparison.variance import variance as variance
    from palio.experiment.data.datasets import Dataset as Dataset
    from palio.experiment.merging import merge_stores as merge_stores
    from palio.experiment.runner import run as run
    from palio.experiment.store.reading import read_stored_predictions as read_stored_predictions
    from palio.experiment.tuning import FreeSearchCV as FreeSearchCV
    from palio.experiment.tuning import tuned as tuned
    from palio.measures import Measure as Measure
    from palio.ordering import Ordering as Ordering
    from palio.ordering import evaluate_rankings as evaluate_rankings
    from palio.ordering import find_best as find_best
    from palio.ordering import multi2test as multi2test
    from palio.ordering import multitest as multitest
    from palio.ordering import multitest_batch as multitest_batch
    from palio.ordering import order as order
    from palio.ordering import rank as rank
    from palio.ordering import rank_stability as rank_stability
    from palio.predictions import Predictions as Predictions
    from palio.predictions import read_predictions as read_predictions
    from palio.recommending import Recommendation as Recommendation
    from palio.recommending import evaluate_recommendation as evaluate_recommendation
    from palio.recommending import recommend as recommend
    from palio.recommending import try_in_order as try_in_order
    from palio.report.analysis import Report as Report
    from palio.report.analysis import analyse as analyse
    from palio.report.figures import draw as draw
    from palio.report.question import Question as Question
    from palio.report.schema import report_schema as report_schema
    from palio.scores import ItemScores as ItemScores
    from palio.scores import ScoreTable as ScoreTable
    from palio.scores import read_items as read_items
    from palio.scores import read_scores as read_scores
    from palio.studies import Reproduction as Reproduction
    from palio.studies import load_study as load_study
    from palio.studies import reproduce as reproduce

__version__ = "0.2.0"

# Loaded when first asked for, so that `import palio` stays quick.
_HOME = {
    "Aggregates": "palio.comparison.aggregates",
    "Audit": "palio.comparison",
    "Comparison": "palio.comparison",
    "Dataset": "palio.experiment.data.datasets",
    "FreeSearchCV": "palio.experiment.tuning",
    "Variance": "palio.comparison.variance",
    "aggregate": "palio.comparison.aggregates",
    "analyse": "palio.report.analysis",
    "audit": "palio.comparison.audit",
    "bayes": "palio.bayes",
    "ItemScores": "palio.scores",
    "Measure": "palio.measures",
    "Ordering": "palio.ordering",
    "Posterior": "palio.bayes.posterior",
    "Predictions": "palio.predictions",
    "Question": "palio.report.question",
    "ReadSpec": "palio.scores",
    "Recommendation": "palio.recommending",
    "Report": "palio.report.analysis",
    "Reproduction": "palio.studies",
    "ScoreTable": "palio.scores",
    "compare": "palio.comparison",
    "compare_folds": "palio.comparison",
    "compare_predictions": "palio.comparison",
    "draw": "palio.report.figures",
    "errors": "palio.errors",
    "evaluate_rankings": "palio.ordering",
    "evaluate_recommendation": "palio.recommending",
    "find_best": "palio.ordering",
    "load_study": "palio.studies",
    "merge_stores": "palio.experiment.merging",
    "multi2test": "palio.ordering",
    "multitest": "palio.ordering",
    "order": "palio.ordering",
    "multitest_batch": "palio.ordering",
    "power": "palio.comparison.power",
    "rank": "palio.ordering",
    "rank_stability": "palio.ordering",
    "read_items": "palio.scores",
    "read_predictions": "palio.predictions",
    "read_scores": "palio.scores",
    "read_stored_predictions": "palio.experiment.store.reading",
    "recommend": "palio.recommending",
    "report_schema": "palio.report.schema",
    "reproduce": "palio.studies",
    "testing": "palio.testing",
    "run": "palio.experiment.runner",
    "try_in_order": "palio.recommending",
    "tuned": "palio.experiment.tuning",
    "variance": "palio.comparison.variance",
}

_MODULES = ("bayes", "errors", "testing")

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'palio' has no attribute {name!r}")
    try:
        module = importlib.import_module(_HOME[name])
    except ModuleNotFoundError as error:
        from palio.extras import missing_extra

        raise missing_extra(error, name) or error from None
    return module if name in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
