"""Learning vector quantisation: a codebook of labelled prototypes that instances pull and push."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import Classifier, Floats, Indices, at_least
from palio.errors import require


class LVQClassifier(Classifier):
    """Learning vector quantisation.

    Which prototype is nearest, when prototypes have been drawn to their own class?

    The codebook begins as instances that their ``n_neighbors`` nearest neighbours classify rightly,
    from each class in proportion to its frequency and one at least. Then instances drawn at random
    move their nearest prototype w by LVQ1: w + α(x − w) if the class is right, w − α(x − w) if it
    is wrong. OLVQ1 gives each prototype a learning rate of its own, α/(1 ± α) after every move.

    Parameters
    ----------
    codebook_size : int or None, default None
        ``None``: 0.4 K (K − 1 + D/2) for K classes and D features, as in R. Never more than there
        are instances.
    optimised : bool, default True
        OLVQ1 rather than LVQ1, whose learning rate falls linearly to 0.
    learning_rate : float or None, default None
        The first α. ``None``: 0.3 for OLVQ1, 0.03 for LVQ1.
    n_steps : int or None, default None
        How many instances are drawn. ``None``: for each prototype 40 (OLVQ1) or 100 (LVQ1).
    n_neighbors : int, default 5
    random_state : int, RandomState or None
        For the first codebook and the instances drawn.

    Attributes
    ----------
    centroids_ : ndarray of shape (prototypes, features)
        The codebook.
    labels_ : ndarray of shape (prototypes,)
        The prototypes' classes, as places in ``classes_``.

    References
    ----------
    Kohonen (1995), Self-organizing maps; defaults as in the R package class, which wainer2016 §2.3
    uses.

    Examples
    --------
    >>> X, y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], list("aaabbb")
    >>> model = LVQClassifier(2, n_neighbors=1, random_state=0).fit(X, y)
    >>> model.predict([[1.0], [4.0]])
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        codebook_size: int | None = None,
        *,
        optimised: bool = True,
        learning_rate: float | None = None,
        n_steps: int | None = None,
        n_neighbors: int = 5,
        random_state: Any = None,
    ) -> None:
        self.codebook_size = codebook_size
        self.optimised = optimised
        self.learning_rate = learning_rate
        self.n_steps = n_steps
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the first codebook and move it."""
        X, codes = self._begin(X, y)
        rate = (
            (0.3 if self.optimised else 0.03)
            if self.learning_rate is None
            else (self.learning_rate)
        )
        require(0 < rate < 1, "learning_rate", "it is between 0 and 1", rate)
        size = _default_size(len(self.classes_), X.shape[1])
        size = size if self.codebook_size is None else self.codebook_size
        at_least("codebook_size", size, 1)
        at_least("n_neighbors", self.n_neighbors, 1)
        rng = check_random_state(self.random_state)
        chosen = _first_codebook(X, codes, size, self.n_neighbors, rng)
        steps = (40 if self.optimised else 100) * len(chosen)
        steps = steps if self.n_steps is None else self.n_steps
        drawn = rng.randint(len(X), size=steps)
        train = _olvq1 if self.optimised else _lvq1
        self.labels_ = codes[chosen]
        self.centroids_ = train(X[chosen], self.labels_, X[drawn], codes[drawn], rate)
        return self

    def _scores(self, X: Any) -> Floats:
        from sklearn.metrics import pairwise_distances  # type: ignore[import-untyped]

        distances = pairwise_distances(self._rows(X), self.centroids_)
        return np.column_stack(
            [-distances[:, self.labels_ == k].min(axis=1) for k in range(len(self.classes_))]
        )


def _default_size(n_classes: int, n_features: int) -> int:
    return round(0.4 * n_classes * (n_classes - 1 + n_features / 2))


def _first_codebook(X: Floats, codes: Indices, size: int, k: int, rng: Any) -> Indices:
    """Choose instances, by preference such as lie among their own class."""
    inside = _right_by_neighbours(X, codes, k)
    chosen: list[int] = []
    for label, count in enumerate(np.bincount(codes)):
        own = rng.permutation(np.flatnonzero(codes == label))
        own = own[np.argsort(~inside[own], kind="stable")]
        chosen += own[: max(1, round(size * count / len(codes)))].tolist()
    return np.array(chosen, dtype=np.intp)


def _right_by_neighbours(X: Floats, codes: Indices, k: int) -> NDArray[np.bool_]:
    """Tell which instances their nearest neighbours, themselves left out, classify rightly."""
    from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]

    k = min(k, len(X) - 1)
    if k < 1:
        return np.ones(len(X), dtype=np.bool_)
    model = KNeighborsClassifier(k).fit(X, codes)
    neighbours = codes[model.kneighbors(return_distance=False)]
    votes = np.stack([(neighbours == label).sum(axis=1) for label in range(codes.max() + 1)])
    right: NDArray[np.bool_] = votes.argmax(axis=0) == codes
    return right


def _moved(prototype: Floats, x: Floats, right: bool, rate: float) -> Floats:
    """LVQ1's step: towards an instance of the same class, away from one of another."""
    moved: Floats = prototype + (rate if right else -rate) * (x - prototype)
    return moved


def _nearest(prototypes: Floats, x: Floats) -> int:
    return int(((prototypes - x) ** 2).sum(axis=1).argmin())


def _lvq1(prototypes: Floats, labels: Indices, rows: Floats, codes: Indices, rate: float) -> Floats:
    prototypes = prototypes.copy()
    for step, (x, code) in enumerate(zip(rows, codes, strict=True)):
        near = _nearest(prototypes, x)
        falling = rate * (1 - step / len(rows))
        prototypes[near] = _moved(prototypes[near], x, labels[near] == code, falling)
    return prototypes


def _olvq1(
    prototypes: Floats, labels: Indices, rows: Floats, codes: Indices, rate: float
) -> Floats:
    prototypes = prototypes.copy()
    rates = np.full(len(prototypes), rate)
    for x, code in zip(rows, codes, strict=True):
        near = _nearest(prototypes, x)
        right = bool(labels[near] == code)
        prototypes[near] = _moved(prototypes[near], x, right, rates[near])
        # A rate grows when its prototype errs, but never above where it began.
        rates[near] = min(rate, rates[near] / (1 + (rates[near] if right else -rates[near])))
    return prototypes
