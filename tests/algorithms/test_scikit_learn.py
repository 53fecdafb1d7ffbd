"""scikit-learn's own checks of an estimator, of every learner that is written here."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import (  # type: ignore[import-untyped]
    check_estimator,
)

from palio.algorithms.bst import LinearBoostClassifier
from palio.algorithms.c45 import C45Classifier
from palio.algorithms.catalogue import YILDIZ2006
from palio.algorithms.elm import ELMClassifier
from palio.algorithms.encoding import EncodedLabelsClassifier
from palio.algorithms.glmnet import ElasticNetPathClassifier
from palio.algorithms.lvq import LVQClassifier
from palio.algorithms.mdt import MDTClassifier
from palio.algorithms.mlp import LinearPerceptronClassifier, OnlineMLPClassifier
from palio.algorithms.nb import NaiveBayesClassifier
from palio.algorithms.rknn import RandomKNNClassifier
from palio.algorithms.sda import SparseDiscriminantClassifier
from palio.algorithms.svm import SVMClassifier

ESTIMATORS = [
    LinearBoostClassifier(),
    C45Classifier(),
    C45Classifier(pruning_fraction=0, max_depth=3),
    ELMClassifier(),
    EncodedLabelsClassifier(LogisticRegression()),
    ElasticNetPathClassifier(),
    LVQClassifier(),
    LVQClassifier(optimised=False),
    MDTClassifier(),
    MDTClassifier(min_fraction=0.05, pruning_fraction=0),
    OnlineMLPClassifier(),
    LinearPerceptronClassifier(),
    NaiveBayesClassifier(),
    NaiveBayesClassifier(use_kernel=True),
    RandomKNNClassifier(n_members=10),
    SparseDiscriminantClassifier(),
    SparseDiscriminantClassifier(n_variables=1),
    SVMClassifier(),
    SVMClassifier("rbf", probability=True),
    *(learner.make() for learner in YILDIZ2006),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_scikit_learn_accepts_it(estimator: Any) -> None:
    check_estimator(estimator, on_skip=None)
