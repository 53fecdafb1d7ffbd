"""Four of the five learners of yildiz2006 §4.1, simplest first; c45 is among the trees."""

from __future__ import annotations

from palio.algorithms.learner import Learner, made

_PAPER = "yildiz2006"


YILDIZ2006: tuple[Learner, ...] = (
    Learner(
        "max",
        "the most frequent class",
        "baseline",
        _PAPER,
        made("sklearn.dummy:DummyClassifier", strategy="prior"),
    ),
    Learner(
        "nmc",
        "nearest class mean",
        "linear",
        _PAPER,
        made("palio.algorithms.nmc:NearestMeanClassifier"),
        notes="Modes of nominal attributes; the paper does not say it, and its errors show it.",
    ),
    Learner(
        "lgc",
        "linear logistic discrimination",
        "linear",
        _PAPER,
        made("palio.algorithms.logistic:GradientDescentLogisticClassifier"),
        notes="By gradient descent; the paper leaves its steps and their number open.",
    ),
    Learner(
        "nn",
        "nearest neighbour",
        "neighbours",
        _PAPER,
        made("sklearn.neighbors:KNeighborsClassifier", 1),
    ),
)
