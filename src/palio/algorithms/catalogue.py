"""`LEARNERS`: the papers' learning algorithms by their short names.

Entries know where their estimators are, and import them when one is made, so that reading the
catalogue loads neither scikit-learn nor a compiler. Those of wainer2016, with the ranges that it
searches, are in a file of their own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from palio.algorithms.learner import Grid, Learner, made
from palio.algorithms.wainer2016 import WAINER2016
from palio.extras import needing
from palio.registry import Registry

__all__ = ["LEARNERS", "Learner"]

# --- yildiz2006 ----------------------------------------------------------------------------------

# Four of the five learners of §4.1, simplest first; c45 is among the trees.
YILDIZ2006: tuple[Learner, ...] = (
    Learner(
        "max",
        "the most frequent class",
        "baseline",
        "yildiz2006",
        made("sklearn.dummy:DummyClassifier", strategy="prior"),
    ),
    Learner(
        "nmc",
        "nearest class mean",
        "linear",
        "yildiz2006",
        made("palio.algorithms.nmc:NearestMeanClassifier"),
        notes="Modes of nominal attributes; the paper does not say it, and its errors show it.",
    ),
    Learner(
        "lgc",
        "linear logistic discrimination",
        "linear",
        "yildiz2006",
        made("palio.algorithms.logistic:GradientDescentLogisticClassifier"),
        notes="By gradient descent; the paper leaves its steps and their number open.",
    ),
    Learner(
        "nn",
        "nearest neighbour",
        "neighbours",
        "yildiz2006",
        made("sklearn.neighbors:KNeighborsClassifier", 1),
    ),
)

# --- ulas2008 ------------------------------------------------------------------------------------

_C = tuple(10.0**power for power in range(-5, 6))
_WIDTHS = tuple(10.0**power for power in range(-3, 4))
_RATE = (
    'The paper decreases the learning rate "by 0.95 at every epoch", here as a factor. That leaves '
    "mlp far below some of its accuracies (iris, glass), and both below on tictactoe (lnp 80 % "
    "against 97 %, and 93 % with decay=1); what is meant is not known."
)
_SEARCHED = (
    "The paper searches on the validation set; search inside the training part instead. It gives "
    "the ranges and not the steps: powers of ten here. Probabilities as LIBSVM's."
)
_SVM = "palio.algorithms.svm:SVMClassifier"

# The eight learners of §4.1.2 and A.2; c45, one of the trees, is of yildiz2006 as well.
TREES: tuple[Learner, ...] = (
    Learner(
        "c45",
        "C4.5 decision tree",
        "tree",
        "yildiz2006, ulas2008",
        made("palio.algorithms.c45:C45Classifier"),
        notes="Pruned with a fifth of the training rows, as in yildiz2006; ulas2008 does not say.",
    ),
    Learner(
        "mdt",
        "multivariate tree of linear discriminants",
        "tree",
        "ulas2008",
        made("palio.algorithms.mdt:MDTClassifier"),
        notes="Pruned as c45; the paper does not say.",
    ),
)

ULAS2008: tuple[Learner, ...] = (
    Learner(
        "mlp",
        "multilayer perceptron with (D + K)/2 hidden units",
        "network",
        "ulas2008",
        made("palio.algorithms.mlp:OnlineMLPClassifier"),
        notes=f"{_RATE} The first weights are not told: uniform in (−0.5, 0.5) here, which among "
        "0.01, 0.1, 0.5 and 1 comes closest to its accuracies.",
    ),
    Learner(
        "lnp",
        "linear perceptron with softmax outputs",
        "linear",
        "ulas2008",
        made("palio.algorithms.mlp:LinearPerceptronClassifier"),
        notes=f"The paper tells the schedule of mlp, and lnp has the same here. {_RATE}",
    ),
    Learner(
        "svl",
        "support vector machine, linear kernel",
        "svm",
        "ulas2008",
        made(_SVM, "linear", degree=2, probability=True),
        {"C": _C},
        notes=_SEARCHED,
    ),
    Learner(
        "sv2",
        "support vector machine, quadratic kernel",
        "svm",
        "ulas2008",
        made(_SVM, "poly", degree=2, probability=True),
        {"C": _C},
        notes=f"{_SEARCHED} The kernel is LIBSVM's (u·v/D)², without lower powers: the paper's "
        "accuracy on twonorm, that of a coin, shows as much.",
    ),
    Learner(
        "svr",
        "support vector machine, Gaussian kernel",
        "svm",
        "ulas2008",
        made(_SVM, "rbf", degree=2, probability=True),
        {"C": _C, "gamma": _WIDTHS},
        notes=f"{_SEARCHED} The width is LIBSVM's γ.",
    ),
    Learner(
        "5nn",
        "5 nearest neighbours",
        "neighbours",
        "ulas2008",
        made("sklearn.neighbors:KNeighborsClassifier", 5),
    ),
)

# --- today ---------------------------------------------------------------------------------------


def _hgb_grid(n_rows: int, n_features: int) -> Grid:
    """Return the steps and rates of wainer2016's ``gbm``, leaves of ten rows, and larger trees."""
    gbm = next(entry for entry in WAINER2016 if entry.name == "gbm").grid_for(n_rows, n_features)
    return {
        "max_leaf_nodes": [4, 8, 16, 31],
        "learning_rate": gbm["learning_rate"],
        "min_samples_leaf": [10],
        "max_iter": gbm["n_estimators"],
    }


def _boosting(module: str, name: str, **options: Any) -> Any:
    """Make an estimator of the extra ``boosting``; it is given its classes as 0, 1, and so on."""
    with needing("boosting", "estimator", f"{module} is not installed"):
        made = getattr(import_module(module), name)
    from palio.algorithms.encoding import EncodedLabelsClassifier

    return EncodedLabelsClassifier(made(**options))


# Learners that came after the papers, or that they did not try: boosted and random trees.
TODAY: tuple[Learner, ...] = (
    Learner(
        "hgb",
        "histogram gradient boosting",
        "ensemble",
        "today",
        made("sklearn.ensemble:HistGradientBoostingClassifier"),
        _hgb_grid,
        ("max_iter",),
    ),
    Learner(
        "et", "extra trees", "ensemble", "today", made("sklearn.ensemble:ExtraTreesClassifier", 500)
    ),
    Learner(
        "lightgbm",
        "LightGBM",
        "ensemble",
        "today",
        lambda: _boosting("lightgbm", "LGBMClassifier", n_jobs=1, verbosity=-1),
        notes="Extra: boosting.",
    ),
    Learner(
        "xgboost",
        "XGBoost",
        "ensemble",
        "today",
        lambda: _boosting("xgboost", "XGBClassifier", n_jobs=1),
        notes="Extra: boosting.",
    ),
    Learner(
        "catboost",
        "CatBoost",
        "ensemble",
        "today",
        lambda: _boosting(
            "catboost",
            "CatBoostClassifier",
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        ),
        notes="Extra: boosting.",
    ),
)

LEARNERS: Registry[Learner] = Registry.of(
    "algorithm", *YILDIZ2006, *TREES, *ULAS2008, *WAINER2016, *TODAY, of_things=True
)
