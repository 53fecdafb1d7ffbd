"""The trees of yildiz2006 §4.1 and ulas2008 §4.1.2."""

from __future__ import annotations

from typing import Any

from palio.algorithms.learner import Learner

__all__ = ["TREES"]


def _c45() -> Any:
    from palio.algorithms.c45 import C45Classifier

    return C45Classifier()


def _mdt() -> Any:
    from palio.algorithms.mdt import MDTClassifier

    return MDTClassifier()


TREES: tuple[Learner, ...] = (
    Learner(
        "c45",
        "C4.5 decision tree",
        "tree",
        "yildiz2006, ulas2008",
        _c45,
        notes="Pruned with a fifth of the training rows, as in yildiz2006; ulas2008 does not say.",
    ),
    Learner(
        "mdt",
        "multivariate tree of linear discriminants",
        "tree",
        "ulas2008",
        _mdt,
        notes="Pruned as c45; the paper does not say.",
    ),
)
