"""Best first: MultiTest on one data set, Multi²Test over many, MultiTest's rivals, rankings."""

from typing import TYPE_CHECKING

from palio.registry import exported

if TYPE_CHECKING:
    from palio.ordering.arrays import multitest_batch as multitest_batch
    from palio.ordering.baselines import FINDERS as FINDERS
    from palio.ordering.baselines import find_best as find_best
    from palio.ordering.baselines import find_best_batch as find_best_batch
    from palio.ordering.evaluation import RankingEvaluation as RankingEvaluation
    from palio.ordering.evaluation import RankStability as RankStability
    from palio.ordering.evaluation import evaluate_rankings as evaluate_rankings
    from palio.ordering.evaluation import rank_stability as rank_stability
    from palio.ordering.methods import ORDERINGS as ORDERINGS
    from palio.ordering.methods import multi2test as multi2test
    from palio.ordering.methods import multitest as multitest
    from palio.ordering.methods import order as order
    from palio.ordering.rankings import RANKINGS as RANKINGS
    from palio.ordering.rankings import Ranking as Ranking
    from palio.ordering.rankings import rank as rank
    from palio.ordering.result import Ordering as Ordering

# Loaded when first asked for: who orders need not load what ranks.
_HOMES = {
    "FINDERS": "palio.ordering.baselines",
    "ORDERINGS": "palio.ordering.methods",
    "Ordering": "palio.ordering.result",
    "RANKINGS": "palio.ordering.rankings",
    "RankStability": "palio.ordering.evaluation",
    "Ranking": "palio.ordering.rankings",
    "RankingEvaluation": "palio.ordering.evaluation",
    "evaluate_rankings": "palio.ordering.evaluation",
    "find_best": "palio.ordering.baselines",
    "find_best_batch": "palio.ordering.baselines",
    "multi2test": "palio.ordering.methods",
    "multitest": "palio.ordering.methods",
    "multitest_batch": "palio.ordering.arrays",
    "order": "palio.ordering.methods",
    "rank": "palio.ordering.rankings",
    "rank_stability": "palio.ordering.evaluation",
}

__all__ = list(_HOMES)

__getattr__ = exported(__name__, _HOMES)
