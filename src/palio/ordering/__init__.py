"""Best first: MultiTest on one data set, Multi²Test over many, and MultiTest's rivals."""

from palio.ordering.arrays import MultiTestArrays, multitest_batch
from palio.ordering.baselines import FINDERS, Best, find_best, find_best_batch
from palio.ordering.methods import ORDERINGS
from palio.ordering.multi2test import multi2test
from palio.ordering.multitest import multitest
from palio.ordering.result import Ordering
from palio.ordering.steps import Step

__all__ = [
    "FINDERS",
    "ORDERINGS",
    "Best",
    "MultiTestArrays",
    "Ordering",
    "Step",
    "find_best",
    "find_best_batch",
    "multi2test",
    "multitest",
    "multitest_batch",
]
