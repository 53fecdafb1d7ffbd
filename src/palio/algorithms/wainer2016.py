"""The fourteen learners of wainer2016 (§2.3), and the grids of §2.4.

Where a value depends on the data, ndat is the number of training rows. A cap below the start of a
range leaves the start alone. Where the text and the list of §2.4 differ (mtry of ``rf``), the list
holds.
"""

from __future__ import annotations

import numpy as np

from palio.algorithms.learner import Grid, Learner, made

_PAPER = "wainer2016"
_C = tuple(2.0**power for power in (-5, 0, 5, 10, 15))
_GAMMA = tuple(2.0**power for power in (-15, -10.5, -6, -1.5, 3))


# --- ranges --------------------------------------------------------------------------------------


def _spaced(start: int, stop: int, most: int) -> list[int]:
    """Return integers equally spaced from start to stop, so many at most.

    >>> _spaced(2, 12, 3), _spaced(20, 10, 3)
    ([2, 7, 12], [20])
    """
    values: list[int] = np.unique(np.rint(np.linspace(start, max(start, stop), most))).tolist()
    return [int(value) for value in values]


def _stepped(start: int, stop: int, step: int, cap: float) -> list[int]:
    """Return integers from start to stop by steps, up to a cap.

    >>> _stepped(100, 3000, 200, 500), _stepped(100, 3000, 200, 50)
    ([100, 300, 500], [100])
    """
    return [value for value in range(start, stop + 1, step) if value <= cap] or [start]


def _neighbours(n_rows: int) -> list[int]:
    """Return 1 and at most 23 random values from 3 to ndat/4; the same for the same ndat."""
    values = np.arange(3, max(3, n_rows // 4) + 1)
    rng = np.random.default_rng(n_rows)
    drawn = rng.choice(values, size=min(23, len(values)), replace=False)
    return [1, *sorted(drawn.tolist())]


# --- learners ------------------------------------------------------------------------------------


def _bst_grid(n_rows: int, _n_features: int) -> Grid:
    return {"shrinkage": [0.05, 0.1], "n_boosts": _stepped(100, 3000, 200, n_rows)}


def _elm_grid(n_rows: int, _n_features: int) -> Grid:
    return {"n_hidden": _spaced(20, n_rows // 2, 24)}


def _gbm_grid(n_rows: int, _n_features: int) -> Grid:
    return {
        "max_leaf_nodes": [splits + 1 for splits in range(1, 6)],
        "learning_rate": [0.05, 0.1],
        "n_estimators": _stepped(50, 500, 20, n_rows),
    }


def _nnet_grid(_n_rows: int, n_features: int) -> Grid:
    # nnet adds decay · Σw² to the loss, scikit-learn alpha · Σw²/2.
    return {
        "hidden_layer_sizes": _spaced(3, n_features // 2, 8),
        "alpha": [2 * decay for decay in (0.0, 0.01, 0.1)],
    }


def _rf_grid(n_rows: int, n_features: int) -> Grid:
    wanted = [max(1, round(factor * n_features**0.5)) for factor in (0.5, 1, 2, 3, 4, 5)]
    mtry = sorted({value for value in wanted if value <= n_features / 2}) or wanted[:1]
    return {"max_features": mtry, "n_estimators": _stepped(500, 3000, 500, n_rows / 2)}


def _rknn_grid(n_rows: int, n_features: int) -> Grid:
    return {
        "max_features": _spaced(2, n_features - 2, 4),
        "n_neighbors": _neighbours(n_rows),
        "n_members": _stepped(5, 100, 20, 100),
    }


# --- entries -------------------------------------------------------------------------------------


def _knn_grid(n_rows: int, _n_features: int) -> Grid:
    return {"n_neighbors": _neighbours(n_rows)}


def _lvq_grid(_n_rows: int, n_features: int) -> Grid:
    return {"codebook_size": _spaced(2, 2 * n_features, 8)}


WAINER2016: tuple[Learner, ...] = (
    Learner(
        "bst",
        "boosting of linear classifiers",
        "linear",
        _PAPER,
        made("palio.algorithms.bst:LinearBoostClassifier"),
        _bst_grid,
        ("n_boosts",),
        "HingeBoost with one feature at a time; every step has an intercept, which R's has not.",
    ),
    Learner(
        "elm",
        "extreme learning machine",
        "network",
        _PAPER,
        made("palio.algorithms.elm:ELMClassifier"),
        _elm_grid,
        notes="Logistic units: the paper does not tell.",
    ),
    Learner(
        "gbm",
        "gradient boosting machine",
        "ensemble",
        _PAPER,
        # In R a tree of depth d has d splits, grown best first; half the rows, leaves of ten.
        made(
            "sklearn.ensemble:GradientBoostingClassifier",
            max_depth=None,
            max_leaf_nodes=2,
            min_samples_leaf=10,
            subsample=0.5,
        ),
        _gbm_grid,
        ("n_estimators",),
        "interaction-depth d is max_leaf_nodes = d + 1; the rest as R's gbm has it.",
    ),
    Learner(
        "glmnet",
        "elastic-net logistic regression",
        "linear",
        _PAPER,
        made("palio.algorithms.glmnet:ElasticNetPathClassifier"),
        {
            "l1_ratio": np.linspace(0, 1, 8).tolist(),
            "strength": np.geomspace(1e-5, 1e3, 20).tolist(),
        },
        ("strength",),
    ),
    Learner(
        "knn",
        "k nearest neighbours",
        "neighbours",
        _PAPER,
        made("sklearn.neighbors:KNeighborsClassifier", 1),
        _knn_grid,
        notes="The random values of k are drawn anew for each number of rows.",
    ),
    Learner(
        "lvq",
        "learning vector quantisation",
        "neighbours",
        _PAPER,
        made("palio.algorithms.lvq:LVQClassifier"),
        _lvq_grid,
        notes="OLVQ1 as in R; the paper does not tell which.",
    ),
    Learner(
        "nb",
        "naive Bayes",
        "bayes",
        _PAPER,
        made("palio.algorithms.nb:NaiveBayesClassifier"),
        {"use_kernel": [True, False], "laplace": [0.0, 0.1, 1.0, 2.0]},
        notes="fL (laplace) concerns nominal features alone, and 1-of-n coded there are none.",
    ),
    Learner(
        "nnet",
        "network with one hidden layer",
        "network",
        _PAPER,
        made(
            "sklearn.neural_network:MLPClassifier",
            3,
            activation="logistic",
            solver="lbfgs",
            alpha=0.0,
            max_iter=100,
        ),
        _nnet_grid,
        notes="decay d is alpha = 2d; biases do not decay, in R they do.",
    ),
    Learner(
        "rf",
        "random forest",
        "ensemble",
        _PAPER,
        made("sklearn.ensemble:RandomForestClassifier", 500),
        _rf_grid,
        ("n_estimators",),
        "mtry up to nfeat/2 as in the list of §2.4, whose text has nfeat − 1. Trees average their "
        "probabilities, in R they vote.",
    ),
    Learner(
        "rknn",
        "random k nearest neighbours",
        "neighbours",
        _PAPER,
        made("palio.algorithms.rknn:RandomKNNClassifier"),
        _rknn_grid,
        ("n_members",),
        "All instances for every member, as in R: only the features are drawn.",
    ),
    Learner(
        "sda",
        "sparse discriminant analysis",
        "linear",
        _PAPER,
        made("palio.algorithms.sda:SparseDiscriminantClassifier"),
        {"ridge": np.geomspace(1e-8, 1e3, 8).tolist()},
        notes="λ is the ridge weight of sparseLDA, whose default lets all features in.",
    ),
    Learner(
        "svmLinear",
        "support vector machine, linear kernel",
        "svm",
        _PAPER,
        made("palio.algorithms.svm:SVMClassifier", "linear"),
        {"C": _C},
    ),
    Learner(
        "svmPoly",
        "support vector machine, polynomial kernel",
        "svm",
        _PAPER,
        made("palio.algorithms.svm:SVMClassifier", "poly"),
        {"C": _C, "degree": [2, 3, 4, 5]},
        notes="The kernel is (u·v/nfeat)^degree, as by default in e1071.",
    ),
    Learner(
        "svmRadial",
        "support vector machine, Gaussian kernel",
        "svm",
        _PAPER,
        made("palio.algorithms.svm:SVMClassifier", "rbf"),
        {"C": _C, "gamma": _GAMMA},
    ),
)
