"""From a summary to what a person reads: one view per kind of result."""

from __future__ import annotations

from collections.abc import Callable

from palio.registry import Registry
from palio.report.blocks import Block
from palio.report.views import (
    algorithms,
    audits,
    comparisons,
    experiments,
    orderings,
    posteriors,
    predictions,
    rankings,
    recommendations,
    reports,
    studies,
)
from palio.report.views.common import Summary

__all__ = ["VIEWS", "view"]

VIEWS: Registry[Callable[[Summary], list[Block]]] = Registry(
    "kind",
    {
        "algorithms": algorithms.algorithms,
        "audit": audits.audit,
        "best": orderings.best,
        "comparison": comparisons.comparison,
        "final": experiments.final,
        "fold-comparison": comparisons.fold_comparison,
        "ordering": orderings.ordering,
        "plan": experiments.plan,
        "posterior": posteriors.posterior,
        "power": audits.power,
        "prediction-comparison": predictions.prediction_comparison,
        "rank-stability": rankings.rank_stability,
        "ranking": rankings.ranking,
        "ranking-evaluation": rankings.ranking_evaluation,
        "recommendation": recommendations.recommendation,
        "recommendation-evaluation": recommendations.recommendation_evaluation,
        "report": reports.report,
        "reproduction": studies.reproduction,
        "rope": posteriors.rope,
        "score-table": reports.score_table,
        "status": experiments.status,
        "test": comparisons.test,
        "trials": recommendations.trials,
    },
)


def view(summary: Summary) -> list[Block]:
    """Lay a summary out as blocks."""
    return VIEWS[summary["kind"]](summary)
