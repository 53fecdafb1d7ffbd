"""All models of a training scored at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]

from palio.experiment.free.trainings import Trained
from palio.words import one_line

__all__ = ["CAPPED", "Scorers", "accuracy", "is_accuracy", "score_name", "training_scorer"]

Scorers = Mapping[str, Any]

CAPPED = "capped"  # told beside the scores: how many models of a training were stopped by a cap


def accuracy(model: Any, X: Any, y: Any) -> float:
    """Return the share of rows that a model is right about.

    The same number as scikit-learn's scorer, without its checks, which take longer than a few
    hundred rows do, and are the same for every model of a training.
    """
    return float(np.mean(model.predict(X) == np.asarray(y)))


def is_accuracy(scoring: Any, estimator: Any) -> bool:
    """Whether a ``scoring`` means plain accuracy: by name, or as what a classifier's score is.

    >>> is_accuracy("accuracy", None), is_accuracy(None, KNeighborsClassifier())
    (True, True)
    >>> is_accuracy("roc_auc", KNeighborsClassifier())
    False
    """
    if scoring is None:
        score = getattr(type(estimator), "score", None)
        return score in (ClassifierMixin.score, KNeighborsClassifier.score)
    return isinstance(scoring, str) and scoring == "accuracy"


def score_name(scorer: int, value: int) -> str:
    """Name the score that the model of one value has from one scorer.

    >>> score_name(0, 3)
    '0.3'
    """
    return f"{scorer}.{value}"


def training_scorer(scorers: Scorers, most: int, error_score: Any) -> Callable[..., Any]:
    """Make one scorer, as `GridSearchCV` takes it, of all models that a training gives.

    Parameters
    ----------
    scorers : mapping of str to scorer
    most : int
        The most values that any training of the search has: all must tell as many scores, and
        those that a training has no model for are zero.
    error_score : "raise" or float
        As in `GridSearchCV`.
    """
    weighted = {name for name, scorer in scorers.items() if _takes_weights(scorer)}

    def scored(trained: Trained, X: Any, *y: Any, sample_weight: Any = None) -> dict[str, float]:
        given = {} if sample_weight is None else {"sample_weight": sample_weight}

        def score(name: str, model: Any) -> float:
            return float(scorers[name](model, X, *y, **(given if name in weighted else {})))

        return _scores(scorers, trained, X, most, _Guarded(score, error_score))

    def scored_plainly(trained: Trained, X: Any, *y: Any) -> dict[str, float]:
        return scored(trained, X, *y)

    # By the names of the arguments the search knows whether to hand on weights.
    return scored if weighted else scored_plainly


def _scores(
    scorers: Scorers, trained: Trained, X: Any, most: int, score: _Guarded
) -> dict[str, float]:
    failed = score.told_instead
    found = {
        score_name(i, j): failed if j < len(trained.values) else 0.0
        for i in range(len(scorers))
        for j in range(most)
    }
    found[CAPPED] = 0.0
    try:
        for j, model in enumerate(trained.models_(X)):
            found[CAPPED] += bool(getattr(model, "capped_", False))
            for i, name in enumerate(scorers):
                found[score_name(i, j)] = score(name, model)
    except Exception as error:
        score.fail(error)
    return found


class _Guarded:
    """A score, or what is told instead where scoring fails."""

    def __init__(self, score: Callable[[str, Any], float], error_score: Any) -> None:
        self.score = score
        self.error_score = error_score

    @property
    def told_instead(self) -> float:
        return 0.0 if self.error_score == "raise" else float(self.error_score)

    def __call__(self, name: str, model: Any) -> float:
        try:
            return self.score(name, model)
        except Exception as error:
            self.fail(error)
            return self.told_instead

    def fail(self, error: Exception) -> None:
        if self.error_score == "raise":
            raise error
        warnings.warn(
            f"scoring failed, {self.error_score} is told instead: {one_line(error)}",
            UserWarning,
            stacklevel=2,
        )


def _takes_weights(scorer: Any) -> bool:
    # Versions of scikit-learn whose scorers cannot tell hand no weights on.
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return bool(accepts()) if callable(accepts) else False
