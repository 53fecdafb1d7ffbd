"""Support vector machines by LIBSVM, with a cap on iterations and LIBSVM's probabilities."""

from __future__ import annotations

import copy
import warnings
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]
from sklearn.utils import check_random_state  # type: ignore[import-untyped]
from sklearn.utils.metaestimators import available_if  # type: ignore[import-untyped]

from palio.algorithms._classifier import Classifier, Floats, Indices, at_least
from palio.errors import require

_FOLDS = 5  # of the decision values that the sigmoids are fitted to, as in LIBSVM
_NEAREST = 1e-7  # pairwise probabilities come no nearer to 0 or 1, as in LIBSVM


class SVMClassifier(Classifier):
    r"""Support vector machine.

    How well does a maximum margin do, in the space of a kernel?

    LIBSVM's machine for every pair of classes, and the majority of the pairs decides. With a large
    ``C`` training can take forever, hence a cap; ``capped_`` tells whether it was hit.

    With ``probability`` the decision values of each pair, from five-fold cross-validation, are
    turned to probabilities by a sigmoid, and these coupled to one probability per class. It takes
    six times as long.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf"}, default "linear"
    C : float, default 1
        Price of an error.
    gamma : float or "auto", default "auto"
        ``"auto"``: one divided by the number of features.
    degree : int, default 2
    coef0 : float, default 0
    probability : bool, default False
        Whether ``predict_proba`` will be wanted.
    max_iter : int, default 1_000_000
        Iterations of the solver for each pair at most; −1 for no cap.
    random_state : int, RandomState or None
        For the folds behind the probabilities.

    Attributes
    ----------
    capped_ : bool
        Whether any machine stopped at ``max_iter``, before its optimum.
    n_iter_ : int
        Iterations of the machine that took the most.
    support_vectors_, dual_coef_, intercept_ : ndarray
        As in scikit-learn's SVC.
    sigmoids_ : ndarray of shape (pairs, 2)
        A and B of each pair's sigmoid; only with ``probability``.

    Notes
    -----
    The kernels are LIBSVM's; with γ, c and d for ``gamma``, ``coef0`` and ``degree``:

    .. math::

        u \cdot v, \qquad (\gamma\, u \cdot v + c)^d, \qquad e^{-\gamma \|u - v\|^2}

    Of a decision value f the sigmoid is :math:`1 / (1 + e^{A f + B})`. With :math:`r_{ij}` the
    probability of class i against j that it gives, the probabilities p of the classes minimise

    .. math::

        \sum_{i < j} (r_{ji}\, p_i - r_{ij}\, p_j)^2

    References
    ----------
    Chang & Lin (2011), LIBSVM; Lin, Lin & Weng (2007), A note on Platt's probabilistic outputs;
    Wu, Lin & Weng (2004), Probability estimates for multi-class classification by pairwise
    coupling.

    Examples
    --------
    >>> X, y = [[0.0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    >>> SVMClassifier("rbf", C=100, gamma=1.0).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    # Switched off where a search looks at predictions alone: they do not change by it.
    only_for_probabilities = ("probability",)

    def __init__(
        self,
        kernel: str = "linear",
        *,
        C: float = 1.0,  # noqa: N803 - as scikit-learn has it
        gamma: float | str = "auto",
        degree: int = 2,
        coef0: float = 0.0,
        probability: bool = False,
        max_iter: int = 1_000_000,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.probability = probability
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the machines, and with ``probability`` the sigmoids."""
        X, codes = self._begin(X, y)
        known = self.kernel in ("linear", "poly", "rbf")
        require(known, "kernel", "there are linear, poly and rbf", self.kernel)
        at_least("C", self.C, 0)
        self.svc_, self.capped_ = self._machine(X, codes)
        self.support_vectors_ = self.svc_.support_vectors_
        self.dual_coef_, self.intercept_ = self.svc_.dual_coef_, self.svc_.intercept_
        self.n_iter_ = int(np.max(self.svc_.n_iter_))
        if self.probability:
            rng = check_random_state(self.random_state)
            pairs = combinations(range(len(self.classes_)), 2)
            self.sigmoids_ = np.array([self._pair_sigmoid(X, codes, *pair, rng) for pair in pairs])
        return self

    def _machine(self, X: Floats, codes: Indices) -> tuple[Any, bool]:
        machine = SVC(
            kernel=self.kernel, C=self.C, gamma=self.gamma, degree=self.degree, coef0=self.coef0,
            max_iter=self.max_iter,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # capped_ says it
            machine.fit(X, codes)
        return machine, bool(np.max(machine.n_iter_) >= self.max_iter > 0)

    def _pair_sigmoid(
        self, X: Floats, codes: Indices, first: int, second: int, rng: Any
    ) -> tuple[float, float]:
        """Fit a pair's sigmoid to decision values of machines that have not seen the instances."""
        rows = rng.permutation(np.flatnonzero((codes == first) | (codes == second)))
        folds = np.array_split(rows, min(_FOLDS, len(rows)))
        values = [self._unseen(X, codes, np.setdiff1d(rows, fold), fold, first) for fold in folds]
        return _sigmoid(np.concatenate(values), np.concatenate([codes[f] == first for f in folds]))

    def _unseen(
        self, X: Floats, codes: Indices, train: Indices, test: Indices, first: int
    ) -> Floats:
        """Return decision values, positive for the first class; ±1 where only one is seen."""
        seen = np.unique(codes[train])
        if len(seen) < 2:
            return np.full(len(test), 1.0 if seen.tolist() == [first] else -1.0)
        machine, capped = self._machine(X[train], codes[train])
        self.capped_ = self.capped_ or capped
        values: Floats = -machine.decision_function(X[test])
        return values

    def _scores(self, X: Any) -> Floats:
        rows = self._rows(X)
        values: Floats = self.svc_.decision_function(rows)
        return np.column_stack([-values, values]) / 2 if values.ndim == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most pairs vote for, as LIBSVM counts."""
        rows = self._rows(X)
        said: NDArray[Any] = self.classes_[self.svc_.predict(rows)]
        return said

    @available_if(lambda self: self.probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the coupled probabilities of the pairs."""
        rows = self._rows(X)
        n_classes = len(self.classes_)
        slopes, shifts = self.sigmoids_.T
        pairwise = np.clip(expit(-(slopes * self._pairs(rows) + shifts)), _NEAREST, 1 - _NEAREST)
        if n_classes == 2:
            return np.hstack([pairwise, 1 - pairwise])
        r = np.zeros((len(rows), n_classes, n_classes))
        for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
            r[:, i, j], r[:, j, i] = pairwise[:, column], 1 - pairwise[:, column]
        return _coupled(r)

    def _pairs(self, rows: Floats) -> Floats:
        """Return every pair's decision value, positive for the class that comes first."""
        machine = copy.copy(self.svc_).set_params(decision_function_shape="ovo")
        values: Floats = machine.decision_function(rows)
        return -values[:, None] if values.ndim == 1 else values


def _sigmoid(values: Floats, positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Fit A and B of P(positive) = 1/(1 + exp(Af + B)) by Newton's method with backtracking.

    Targets are (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), as if each class had one instance more.
    """
    n_positive, n_negative = positive.sum(), (~positive).sum()
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    inputs = np.column_stack([values, np.ones_like(values)])
    point = np.array([0.0, np.log((n_negative + 1) / (n_positive + 1))])
    loss = _sigmoid_loss(point, inputs, targets)
    for _ in range(100):
        p = expit(-inputs @ point)
        gradient = inputs.T @ (targets - p)
        if np.abs(gradient).max() < 1e-5:
            break
        hessian = (inputs * (p * (1 - p))[:, None]).T @ inputs + 1e-12 * np.eye(2)
        direction = -np.linalg.solve(hessian, gradient)
        step = 1.0
        while step >= 1e-10:
            moved = point + step * direction
            new = _sigmoid_loss(moved, inputs, targets)
            if new < loss + 1e-4 * step * (gradient @ direction):
                break
            step /= 2
        else:
            break
        point, loss = moved, new
    return float(point[0]), float(point[1])


def _sigmoid_loss(point: Floats, inputs: Floats, targets: Floats) -> float:
    """Return the cross-entropy −Σ t log p + (1 − t) log(1 − p), for p = 1/(1 + exp(Af + B))."""
    exponents = inputs @ point
    return float((targets * exponents + np.logaddexp(0, -exponents)).sum())


def _coupled(r: Floats) -> Floats:
    """Couple r_ij ≈ P(i | i or j) to probabilities (Wu, Lin & Weng 2004, their second method).

    >>> p = np.array([0.5, 0.3, 0.2])
    >>> r = p[:, None] / (p[:, None] + p)
    >>> np.fill_diagonal(r, 0)
    >>> _coupled(r[None])
    array([[0.5, 0.3, 0.2]])
    """
    n_rows, n_classes, _ = r.shape
    system = np.zeros((n_rows, n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = -r * r.transpose(0, 2, 1)
    each = np.arange(n_classes)
    system[:, each, each] = (r**2).sum(axis=1)
    system[:, n_classes, :n_classes] = system[:, :n_classes, n_classes] = 1
    right = np.zeros((n_rows, n_classes + 1, 1))
    right[:, n_classes] = 1
    solved = np.clip(np.linalg.solve(system, right)[:, :n_classes, 0], 0, None)
    shares: Floats = solved / solved.sum(axis=1, keepdims=True)
    return shares
