"""Which algorithms to try first on a data set never seen, and the trying of them."""

from palio.recommending.evaluated import RecommendationEvaluation
from palio.recommending.evaluation import evaluate_recommendation
from palio.recommending.recommendation import recommend
from palio.recommending.relevance import Described
from palio.recommending.result import Recommendation, Suggestion, Trial, Trials
from palio.recommending.trials import try_in_order

__all__ = [
    "Described",
    "Recommendation",
    "RecommendationEvaluation",
    "Suggestion",
    "Trial",
    "Trials",
    "evaluate_recommendation",
    "recommend",
    "try_in_order",
]
