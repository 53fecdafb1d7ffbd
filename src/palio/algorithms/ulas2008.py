"""The eight learners of ulas2008 (§4.1.2, A.2); c45, one of the trees, is of yildiz2006 as well."""

from __future__ import annotations

from palio.algorithms.learner import Learner, made

_PAPER = "ulas2008"
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
        _PAPER,
        made("palio.algorithms.mlp:OnlineMLPClassifier"),
        notes=f"{_RATE} The first weights are not told: uniform in (−0.5, 0.5) here, which among "
        "0.01, 0.1, 0.5 and 1 comes closest to its accuracies.",
    ),
    Learner(
        "lnp",
        "linear perceptron with softmax outputs",
        "linear",
        _PAPER,
        made("palio.algorithms.mlp:LinearPerceptronClassifier"),
        notes=f"The paper tells the schedule of mlp, and lnp has the same here. {_RATE}",
    ),
    Learner(
        "svl",
        "support vector machine, linear kernel",
        "svm",
        _PAPER,
        made(_SVM, "linear", degree=2, probability=True),
        {"C": _C},
        notes=_SEARCHED,
    ),
    Learner(
        "sv2",
        "support vector machine, quadratic kernel",
        "svm",
        _PAPER,
        made(_SVM, "poly", degree=2, probability=True),
        {"C": _C},
        notes=f"{_SEARCHED} The kernel is LIBSVM's (u·v/D)², without lower powers: the paper's "
        "accuracy on twonorm, that of a coin, shows as much.",
    ),
    Learner(
        "svr",
        "support vector machine, Gaussian kernel",
        "svm",
        _PAPER,
        made(_SVM, "rbf", degree=2, probability=True),
        {"C": _C, "gamma": _WIDTHS},
        notes=f"{_SEARCHED} The width is LIBSVM's γ.",
    ),
    Learner(
        "5nn",
        "5 nearest neighbours",
        "neighbours",
        _PAPER,
        made("sklearn.neighbors:KNeighborsClassifier", 5),
    ),
)
