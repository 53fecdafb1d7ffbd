"""The search for a support vector machine's parameters, as the rerun of ulas2008 does it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
from sklearn.metrics import check_scoring  # type: ignore[import-untyped]
from sklearn.metrics.pairwise import pairwise_kernels  # type: ignore[import-untyped]
from sklearn.model_selection import ParameterGrid, StratifiedKFold  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]

from palio.experiment.tuning import FreeSearchCV

Floats = NDArray[np.float64]

# The largest training half has 4,320 rows; so many are enough to choose a power of ten.
TUNED_ON = 500
FOLDS = 3
MAX_ITER = 100_000


class MachineSearchCV(FreeSearchCV):
    """Search for the C and γ of an `SVMClassifier` by accuracy, with one kernel matrix for each γ.

    The scores are those of a grid search, with two shortcuts. Where no weight of a machine reaches
    C, a larger C gives the same machine, and it is not trained again. Where a machine stops at the
    cap on iterations, larger C, which take longer, are not tried. Probabilities take five more
    trainings and change no prediction, so that only the machine chosen is fitted with them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> search = machine_search("svr").fit(*load_iris(return_X_y=True))
    >>> len(search.cv_results_["params"]), search.n_capped_
    (77, 0)
    >>> search.estimator.probability, search.best_estimator_.probability
    (False, True)
    """

    def _search(
        self,
        X: Any,
        y: Any,
        groups: Any,  # noqa: ARG002 - the machines know neither groups
        fit_params: Mapping[str, Any],  # noqa: ARG002 - nor anything else to fit with
    ) -> None:
        """Score every combination, and choose."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.n_tuning_rows_ = len(X)
        splits = list(self.cv.split(X, y))
        combinations = list(ParameterGrid(self.param_grid))
        prices = self.param_grid["C"]
        scores = np.full((len(combinations), len(splits)), np.nan)
        self.n_capped_ = 0
        for gamma in self.param_grid.get("gamma", [self.estimator.gamma]):
            kernel = self._kernel(X, gamma)
            rows = [i for i, each in enumerate(combinations) if each.get("gamma", gamma) == gamma]
            for number, (train, test) in enumerate(splits):
                path = _path(
                    kernel[np.ix_(train, train)],
                    kernel[np.ix_(test, train)],
                    y[train],
                    y[test],
                    prices,
                    self.estimator.max_iter,
                )
                for row, (score, capped) in zip(rows, path, strict=False):
                    scores[row, number] = score
                    self.n_capped_ += capped
        self._tell(combinations, scores)

    def _kernel(self, X: Floats, gamma: float | str) -> Floats:
        machine = self.estimator
        width = 1 / X.shape[1] if gamma == "auto" else gamma
        options = {
            "linear": {},
            "poly": {"gamma": width, "degree": machine.degree, "coef0": machine.coef0},
            "rbf": {"gamma": width},
        }
        kernel: Floats = pairwise_kernels(X, metric=machine.kernel, **options[machine.kernel])
        return kernel

    def _tell(self, combinations: list[dict[str, Any]], scores: Floats) -> None:
        """Set what `GridSearchCV` sets; what was not tried on every fold is not chosen."""
        means = scores.mean(axis=1)
        self.n_splits_ = scores.shape[1]
        self.n_trained_ = len(combinations)
        self.multimetric_ = False
        self.scorer_ = check_scoring(self.estimator, self.scoring)
        self.cv_results_ = {"params": combinations, "mean_test_score": means}
        self.best_index_ = int(np.nanargmax(means))
        self.best_params_ = combinations[self.best_index_]
        self.best_score_ = float(means[self.best_index_])

    def _refit(self, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        self.best_params_ = {**self.best_params_, "probability": True}
        super()._refit(X, y, fit_params)


def _path(
    kernel: Floats,
    to_test: Floats,
    y: NDArray[Any],
    truth: NDArray[Any],
    prices: Sequence[float],
    max_iter: int,
) -> Iterator[tuple[float, bool]]:
    """Yield accuracy, and whether the cap was hit, for each C from the lowest; end at the cap."""
    score, same = np.nan, False
    for price in prices:
        if not same:
            machine = SVC(kernel="precomputed", C=price, max_iter=max_iter)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit(kernel, y)
            score = float((machine.predict(to_test) == truth).mean())
            if machine.n_iter_.max() >= max_iter:
                yield score, True
                return
            same = bool(np.abs(machine.dual_coef_).max() < price)
        yield score, False


def machine_search(name: str) -> MachineSearchCV:
    """Make the search over the paper's ranges for svl, sv2 or svr."""
    from palio.algorithms.catalogue import LEARNERS

    learner = LEARNERS[name]
    # Shuffled: many files are sorted, and folds of neighbouring rows choose badly.
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    machine = learner.estimator(probability=False, max_iter=MAX_ITER)
    return MachineSearchCV(machine, learner.grid, cv=folds, max_rows=TUNED_ON)
