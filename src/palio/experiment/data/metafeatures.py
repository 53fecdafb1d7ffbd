"""What a data set is like, in a few numbers that cost little: its meta-features.

They are for telling which of the data sets already seen resemble a new one (brazdil2000 §1, the
first of its two phases). pymfe has hundreds of them; these few need nothing but scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.experiment.data.datasets import Dataset
from palio.experiment.resampling import make_splits, proportional_rows
from palio.extras import need
from palio.registry import Registry, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANDMARK_ROWS = 1000
"""Landmarks, correlations and skewness look at so many rows at most, drawn in proportion."""

_FOLDS = "5-fold"
_BOTH = frozenset({"classification", "regression"})


@dataclass(frozen=True)
class Subject:
    """A data set that is being described; what several meta-features look at is made once."""

    dataset: Dataset

    @cached_property
    def sample(self) -> Dataset:
        """At most `LANDMARK_ROWS` rows, always the same ones."""
        data = self.dataset
        few = data.n_rows <= LANDMARK_ROWS
        taken = data if few else data.take(proportional_rows(data, LANDMARK_ROWS))
        return replace(taken, X=taken.plain)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numeric columns of the sample that vary, (rows, columns)."""
        data = self.sample
        columns = [name for name in data.X.columns if name not in data.categorical]
        values = data.X[columns].to_numpy(dtype=np.float64)
        seen = ~np.isnan(values)
        low = np.where(seen, values, np.inf).min(axis=0, initial=np.inf)
        high = np.where(seen, values, -np.inf).max(axis=0, initial=-np.inf)
        varying: NDArray[np.float64] = values[:, low < high]
        return varying

    @cached_property
    def class_shares(self) -> NDArray[np.float64]:
        """How large a part of the rows each class has."""
        counts = np.unique(self.dataset.y, return_counts=True)[1]
        return np.asarray(counts / counts.sum())

    @cached_property
    def folds(self) -> list[tuple[Any, ...]]:
        """The prepared features and the target of each fold: training, then test."""
        from palio.experiment.data.preprocessing import preprocessor

        data = self.sample
        parts = []
        for split in make_splits(data, _FOLDS, seed=0):
            prepare = preprocessor(data).fit(data.X.iloc[split.train])
            parts.append(
                (
                    prepare.transform(data.X.iloc[split.train]),
                    data.y[split.train],
                    prepare.transform(data.X.iloc[split.test]),
                    data.y[split.test],
                )
            )
        return parts


@dataclass(frozen=True)
class MetaFeature:
    """An entry of the registry: what it says, of which tasks, and whether it looks at the target.

    ``value`` returns NaN where there is nothing to say, such as a correlation of one column.
    """

    name: str
    title: str
    value: Callable[[Subject], float]
    needs_target: bool = False
    tasks: frozenset[str] = _BOTH


def describe(
    dataset: Dataset, *, features: Iterable[str] | None = None, target: bool = True
) -> dict[str, float]:
    """Return the meta-features of a data set, to the question what it is like.

    Landmarks are the scores of four quick learners by five-fold cross-validation, accuracy or r2;
    everything that looks at values uses `LANDMARK_ROWS` rows at most, so that describing takes
    a second or less. The same data give the same numbers.

    Parameters
    ----------
    dataset : Dataset
        What is described.
    features : iterable of str, optional
        Names in `METAFEATURES`; all that suit the task unless given.
    target : bool
        Whether the target is known; without it, what looks at it is left out.

    Returns
    -------
    dict
        By name; what does not apply to the task is left out, and NaN is what cannot be told.

    References
    ----------
    B. Pfahringer, H. Bensusan and C. Giraud-Carrier (2000), Meta-learning by landmarking various
    learning algorithms, ICML 2000.

    Examples
    --------
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> found = describe(iris)
    >>> round(found["log_rows"], 3), round(found["class_entropy"], 3), found["missing_share"]
    (5.011, 1.0, 0.0)
    >>> found["landmark_lda"] > found["landmark_stump"]
    True
    """
    need("run", "data set", "what it is like is measured by scikit-learn")
    names = METAFEATURES if features is None else list(features)
    chosen = [METAFEATURES[name] for name in names]
    subject = Subject(dataset)
    return {
        each.name: float(each.value(subject))
        for each in chosen
        if dataset.task in each.tasks and (target or not each.needs_target)
    }


# --- the target ----------------------------------------------------------------------------------


def _class_entropy(subject: Subject) -> float:
    """Return the entropy of the classes as a share of its largest value, log of their number."""
    shares = subject.class_shares
    if shares.size < 2:
        return 0.0
    return float(-(shares * np.log(shares)).sum() / np.log(shares.size))


# --- values --------------------------------------------------------------------------------------


def _skewness(values: NDArray[np.float64]) -> float:
    """Return the mean over columns of log(1 + |skewness|); a few wild columns shall not rule."""
    if not values.shape[1]:
        return float("nan")
    centred = values - np.nanmean(values, axis=0)
    spread = np.sqrt(np.nanmean(centred**2, axis=0))
    varying = spread > 0
    if not varying.any():
        return 0.0
    skewness = np.nanmean((centred[:, varying] / spread[varying]) ** 3, axis=0)
    return float(np.log1p(np.abs(skewness)).mean())


def _mean_correlation(subject: Subject) -> float:
    """Return the mean absolute correlation of two numeric columns; missing cells are the mean."""
    values = subject.numbers
    if values.shape[1] < 2:
        return float("nan")
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    # Columns that hold one number but for rounding have no correlation to speak of.
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.abs(np.corrcoef(filled, rowvar=False))
    pairs = found[np.triu_indices(len(found), 1)]
    known = pairs[np.isfinite(pairs)]
    return float(known.mean()) if known.size else float("nan")


# --- landmarks -----------------------------------------------------------------------------------


def _landmark(classifier: str, regressor: str = "", **options: Any) -> Callable[[Subject], float]:
    """Return what a quick learner reaches by cross-validation; NaN where it cannot be fitted."""

    def value(subject: Subject) -> float:
        classifies = subject.dataset.task == "classification"
        learner = load(f"sklearn.{classifier if classifies else regressor}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # collinear columns, classes of one row
            try:
                scores = [
                    learner(**options).fit(X, y).score(test_X, test_y)
                    for X, y, test_X, test_y in subject.folds
                ]
            except ValueError:  # fewer rows than folds, one class in a training part
                return float("nan")
        # r2 has no lower end, and one bad fold is no measure of distance.
        return float(np.clip(scores, -1.0, 1.0).mean())

    return value


_NEIGHBOUR = _landmark(
    "neighbors:KNeighborsClassifier", "neighbors:KNeighborsRegressor", n_neighbors=1
)
_STUMP = _landmark(
    "tree:DecisionTreeClassifier", "tree:DecisionTreeRegressor", max_depth=1, random_state=0
)
# 1-of-n columns of one value have no variance.
_NAIVE_BAYES = _landmark("naive_bayes:GaussianNB", var_smoothing=1e-3)
_LINEAR = _landmark("discriminant_analysis:LinearDiscriminantAnalysis", "linear_model:Ridge")

_CLASSES = frozenset({"classification"})

METAFEATURES: Registry[MetaFeature] = Registry.of(
    "meta-feature",
    MetaFeature("log_rows", "log of the rows", lambda s: np.log(s.dataset.n_rows)),
    MetaFeature("log_features", "log of the features", lambda s: np.log(s.dataset.n_features)),
    MetaFeature("categorical_share", "share of features that are categories",
                lambda s: len(s.dataset.categorical) / s.dataset.n_features),
    MetaFeature("missing_share", "share of cells that are missing",
                lambda s: s.dataset.plain.isna().to_numpy().mean()),
    MetaFeature("mean_correlation", "mean absolute correlation of columns", _mean_correlation),
    MetaFeature("mean_skewness", "mean log(1 + |skewness|) of columns",
                lambda s: _skewness(s.numbers)),
    MetaFeature(
        "log_classes", "log of the classes", lambda s: np.log(s.class_shares.size), True, _CLASSES
    ),
    MetaFeature("class_entropy", "entropy of the classes, 1 if even", _class_entropy, True,
                _CLASSES),
    MetaFeature("majority_share", "share of the largest class", lambda s: s.class_shares.max(),
                True, _CLASSES),
    MetaFeature("target_skewness", "log(1 + |skewness|) of the target",
                lambda s: _skewness(s.dataset.y.astype(np.float64)[:, np.newaxis]), True,
                frozenset({"regression"})),
    MetaFeature("landmark_1nn", "the nearest neighbour", _NEIGHBOUR, True),
    MetaFeature("landmark_stump", "a tree of one split", _STUMP, True),
    MetaFeature("landmark_nb", "naive Bayes", _NAIVE_BAYES, True, _CLASSES),
    MetaFeature("landmark_lda", "a linear discriminant, or ridge regression", _LINEAR, True),
    of_things=True,
)  # fmt: skip
