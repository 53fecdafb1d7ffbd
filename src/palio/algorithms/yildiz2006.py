"""Four of the five learners of yildiz2006 §4.1, simplest first; c45 is among the trees."""

from __future__ import annotations

from typing import Any

from palio.algorithms.learner import Learner

__all__ = ["YILDIZ2006"]

_PAPER = "yildiz2006"


def _max() -> Any:
    from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]

    return DummyClassifier(strategy="prior")


def _nmc() -> Any:
    from palio.algorithms.nmc import NearestMeanClassifier

    return NearestMeanClassifier()


def _lgc() -> Any:
    from palio.algorithms.logistic import GradientDescentLogisticClassifier

    return GradientDescentLogisticClassifier()


def _nn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]

    return KNeighborsClassifier(1)


YILDIZ2006: tuple[Learner, ...] = (
    Learner("max", "the most frequent class", "baseline", _PAPER, _max),
    Learner(
        "nmc",
        "nearest class mean",
        "linear",
        _PAPER,
        _nmc,
        notes="Modes of nominal attributes; the paper does not say it, and its errors show it.",
    ),
    Learner(
        "lgc",
        "linear logistic discrimination",
        "linear",
        _PAPER,
        _lgc,
        notes="By gradient descent; the paper leaves its steps and their number open.",
    ),
    Learner("nn", "nearest neighbour", "neighbours", _PAPER, _nn),
)
