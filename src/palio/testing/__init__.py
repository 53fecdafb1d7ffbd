"""For people who write tests, ranking methods or learners: checks that these keep their promises.

The checks are those that Palio's own methods go through. They raise `AssertionError` and need no
test framework, so that one line in a test of pytest's or unittest's is enough.

Examples
--------
>>> import palio
>>> table = palio.testing.make_scores(30, ["first", "second", "third"])
>>> palio.order(table).order
('first', 'second', 'third')
"""

from palio.testing.answers import assert_same_answer
from palio.testing.learners import check_learner
from palio.testing.pairs import check_pair_test
from palio.testing.rankings import check_ranking_method
from palio.testing.tables import make_scores

__all__ = [
    "assert_same_answer",
    "check_learner",
    "check_pair_test",
    "check_ranking_method",
    "make_scores",
]
