"""The studies that `palio recommend` goes by where no table is given."""

from __future__ import annotations

from functools import partial
from typing import Any

from palio.recommending.costing import Search
from palio.recommending.experience import Experience
from palio.studies import classification2026, regression2026

# A search tunes on so many rows at most (§2.2), and fits what it chose on all.
_SEARCH_ROWS = 5000


def experience(task: str) -> Experience:
    """Return the study of a task as experience: costs, data sets and learners.

    Costs are CPU seconds: the studies ran beside other work, so that wall times are far longer.

    >>> len(experience("classification").makers), len(experience("regression").makers)
    (15, 8)
    """
    return _of_classes() if task == "classification" else _of_numbers()


def _of_classes() -> Experience:
    from palio.algorithms.wainer2016 import WAINER2016

    names = (*(entry.name for entry in WAINER2016), "hgb")
    return Experience(
        task="classification",
        study="classification2026",
        learners="tuned learners of scikit-learn and of this package",
        of=" of two classes",
        described=classification2026.described(),
        costs=("fit_cpu_time", "model_predict_cpu_time"),
        search=Search("fit_cpu_time", ("tuning_cpu_time",), _SEARCH_ROWS),
        makers={name: partial(_learner, name) for name in names},
        trial="a trial searches hyper-parameters in each of its folds",
        timed=("sklearn:breast_cancer", "wdbc", ("nb", "sda", "svmRadial")),
    )


def _of_numbers() -> Experience:
    return Experience(
        task="regression",
        study="regression2026",
        learners="learners of scikit-learn with its defaults",
        of=" with a target of numbers",
        described=regression2026.described(),
        costs=regression2026.COSTS,
        search=None,
        makers={name: partial(_regressor, name) for name in regression2026.learners()},
        trial="nothing is searched: learners are taken as they are",
        timed=("sklearn:diabetes", "diabetes", ("rf", "et", "svr")),
    )


def _learner(name: str) -> Any:
    return classification2026.learners()[name]


def _regressor(name: str) -> Any:
    return regression2026.learners()[name]
