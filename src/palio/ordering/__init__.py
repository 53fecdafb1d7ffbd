"""Best first: MultiTest on one data set, Multi²Test over many, MultiTest's rivals, rankings."""

from palio.ordering.arrays import MultiTestArrays, multitest_batch
from palio.ordering.baselines import FINDERS, Best, find_best, find_best_batch
from palio.ordering.evaluation import RankingEvaluation, evaluate_rankings
from palio.ordering.methods import ORDERINGS
from palio.ordering.multi2test import multi2test
from palio.ordering.multitest import multitest
from palio.ordering.rankings import RANKINGS, Ranking, rank
from palio.ordering.result import Ordering
from palio.ordering.stability import RankStability, rank_stability
from palio.ordering.steps import Step

__all__ = [
    "FINDERS",
    "ORDERINGS",
    "RANKINGS",
    "Best",
    "MultiTestArrays",
    "Ordering",
    "RankStability",
    "Ranking",
    "RankingEvaluation",
    "Step",
    "evaluate_rankings",
    "find_best",
    "find_best_batch",
    "multi2test",
    "multitest",
    "multitest_batch",
    "rank",
    "rank_stability",
]
