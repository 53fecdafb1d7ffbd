"""The study that `palio recommend` goes by where no table is given."""

from __future__ import annotations

from functools import partial
from typing import Any

from palio.recommending.costing import Search
from palio.recommending.experience import Experience
from palio.studies import replication2026

# A search tunes on so many rows at most (§2.2), and fits what it chose on all.
_SEARCH_ROWS = 5000


def experience() -> Experience:
    """Return `replication2026` as experience: costs, data sets and learners.

    Costs are CPU seconds: it ran beside other work, so that its wall times are up to ten times as
    long.

    >>> len(experience().makers), experience().describe.__name__
    (14, 'describe')
    """
    from palio.algorithms.wainer2016 import WAINER2016

    return Experience(
        study="replication2026",
        learners="tuned learners of scikit-learn and of this package",
        described=replication2026.described(),
        costs=("tuning_cpu_time", "refit_cpu_time", "model_predict_cpu_time"),
        search=Search(("tuning_cpu_time",), _SEARCH_ROWS),
        makers={entry.name: partial(_learner, entry.name) for entry in WAINER2016},
    )


def _learner(name: str) -> Any:
    from palio.studies.wainer2016_experiment import learners

    return learners()[name]
