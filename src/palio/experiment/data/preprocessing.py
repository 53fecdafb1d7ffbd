"""What is done to the features before an estimator gets them, fitted inside the fold.

Nothing, unless an experiment says so: ``"standard"``, or any transformer of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from palio.errors import ParameterError
from palio.experiment.data.datasets import plain_frame
from palio.extras import needing
from palio.words import did_you_mean, one_line

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from palio.experiment.data.datasets import Dataset

with needing("run", "prepare", "data are prepared by scikit-learn"):
    from sklearn.base import (  # type: ignore[import-untyped]
        BaseEstimator,
        ClassifierMixin,
        clone,
        is_classifier,
    )

_NAMED = ("none", "standard")


def check_preparation(prepare: Any) -> Any:
    """Return ``"standard"``, a transformer, or ``None``, which ``"none"`` is too."""
    if prepare is None or (isinstance(prepare, str) and prepare in _NAMED):
        return None if prepare == "none" else prepare
    if not isinstance(prepare, str | type) and hasattr(prepare, "transform"):
        return prepare
    rule = "it is 'none', 'standard' or a transformer of scikit-learn, for all or by algorithm"
    given = f"{one_line(repr(prepare), limit=60)} was given."
    raise ParameterError("prepare", rule, f"{given}{did_you_mean(str(prepare), _NAMED)}")


def describe_preparation(prepare: Any) -> str:
    """Say in a few words what is done to the features.

    >>> describe_preparation(None), describe_preparation("standard")
    ('none', 'standard')
    """
    named = prepare is None or isinstance(prepare, str)
    return (prepare or "none") if named else one_line(repr(prepare), limit=80)


def preparation(dataset: Dataset, prepare: Any, model: Any) -> Any:
    """Return an unfitted transformer, or ``None`` where the model gets the features as they are."""
    if prepare == "standard":
        return preprocessor(dataset, raw=takes_raw(model))
    return None if prepare is None else clone(prepare)


def takes_raw(estimator: Any) -> bool:
    """Whether an estimator, or the one that it searches with, says ``palio_raw_inputs = True``.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> takes_raw(GaussianNB())
    False
    """
    searched = getattr(estimator, "estimator", None) if hasattr(estimator, "refit") else None
    return bool(getattr(estimator if searched is None else searched, "palio_raw_inputs", False))


def preprocessor(dataset: Dataset, *, raw: bool = False) -> Any:
    """Return an unfitted scikit-learn transformer for the features of a data set.

    Numeric columns: missing cells become the median, then mean 0 and variance 1. Categorical
    columns: missing cells become the most frequent value, then 1-of-n; a value that the training
    part does not have is all zeros. The medians, means and categories are those of the rows it is
    fitted on, so fit it on the training part of each fold, and never on the whole set.

    Where nothing is missing there is nothing to fill in, and where nothing is categorical the
    columns need not be told apart: the transformer leaves those steps away, and the numbers are
    the same.

    Parameters
    ----------
    dataset : Dataset
        Whose columns they are.
    raw : bool
        Only fill in what is missing: numbers stay on their scale, and categorical columns are
        columns of categories in a frame. For learners that take nominal attributes as they are;
        see `takes_raw`.

    Returns
    -------
    scikit-learn transformer
        It takes rows of ``dataset.X`` and returns a dense array of floats. A `ColumnTransformer`
        if there are categorical columns. If ``raw``, it returns a frame.

    Examples
    --------
    >>> from palio.experiment.data.datasets import load_datasets
    >>> (data,) = load_datasets("monks-1")
    >>> preprocessor(data).fit(data.X[:300]).transform(data.X[300:]).shape
    (132, 17)
    """
    from sklearn.compose import ColumnTransformer  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
    from sklearn.preprocessing import (  # type: ignore[import-untyped]
        FunctionTransformer,
        OneHotEncoder,
        StandardScaler,
    )

    if hasattr(dataset.X, "nnz"):
        rule = f"the standard preparation is for tables, and {dataset.name!r} is a sparse matrix"
        raise ParameterError("prepare", rule, remedy="give a transformer, such as MaxAbsScaler()")
    features = dataset.plain
    categorical = list(dataset.categorical)
    numeric = [column for column in features.columns if column not in dataset.categorical]
    incomplete = set(features.columns[features.isna().any(axis=0)])
    prepared = _filled("median", StandardScaler(), fill=not incomplete.isdisjoint(numeric))
    if raw:
        prepared = _raw(features, numeric, categorical, incomplete)
    elif categorical:
        coder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        coded = _filled("most_frequent", coder, fill=not incomplete.isdisjoint(categorical))
        parts = [("numeric", prepared, numeric), ("categorical", coded, categorical)]
        prepared = ColumnTransformer(
            [part for part in parts if part[2]], sparse_threshold=0, verbose_feature_names_out=False
        )
    if not categorical and all(kind == np.float64 for kind in dataset.frame.dtypes):
        return prepared
    return make_pipeline(
        FunctionTransformer(plain_frame, kw_args={"categorical": categorical}), prepared
    )


def _raw(
    features: pd.DataFrame, numeric: list[str], categorical: list[str], incomplete: set[str]
) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    # All that a column can be, whether a training part has it or not; and 0, with which a column
    # is filled that is all missing in a training part.
    values: dict[str, list[object]] = {
        name: [*sorted(features[name].dropna().unique()), *([0] if name in incomplete else [])]
        for name in categorical
    }
    cast = FunctionTransformer(_as_categories, kw_args={"values": values})
    if not incomplete:
        return cast
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline

    parts = [
        (SimpleImputer(strategy=strategy, keep_empty_features=True), columns)
        for strategy, columns in (("median", numeric), ("most_frequent", categorical))
        if columns
    ]
    fill = make_column_transformer(*parts, verbose_feature_names_out=False)
    return make_pipeline(fill.set_output(transform="pandas"), cast)


def _as_categories(frame: pd.DataFrame, values: Mapping[str, list[object]]) -> pd.DataFrame:
    import pandas as pd

    return frame.astype({name: pd.CategoricalDtype(known) for name, known in values.items()})


def _filled(strategy: str, then: Any, *, fill: bool) -> Any:
    if not fill:
        return then
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    # A column that is all missing in a training part stays, as one value: the width is the same.
    return make_pipeline(SimpleImputer(strategy=strategy, keep_empty_features=True), then)


# --- classes as numbers --------------------------------------------------------------------------

# Packages whose classifiers take the classes 0, 1, … and no others.
_TAKE_CODES = frozenset({"xgboost", "skorch"})


def needs_codes(estimator: Any) -> bool:
    """Whether an estimator, or a part of it, takes no classes but 0, 1, ….

    Those of some packages do, and whatever says ``palio_coded_labels = True``.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> needs_codes(GaussianNB())
    False
    """
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return any(
        getattr(part, "palio_coded_labels", False)
        or (
            not isinstance(part, type)
            and any(kind.__module__.split(".")[0] in _TAKE_CODES for kind in type(part).__mro__)
            and is_classifier(part)
        )
        for part in parts
    )


class CodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is told the classes of its training rows as whole numbers from 0.

    Its answers are the classes again; whatever else it can do, it does as it is.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> model = CodedLabels(KNeighborsClassifier(1)).fit([[0.0], [1.0]], ["a", "b"])
    >>> model.predict([[0.2]]), model.predict_proba([[0.2]])
    (array(['a'], dtype='<U1'), array([[1., 0.]]))
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the estimator on numbers."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, codes, **params)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes."""
        codes = np.asarray(self.estimator_.predict(X)).reshape(-1).astype(np.intp)
        return self.classes_[codes]

    def __getattr__(self, name: str) -> Any:
        # Before it is fitted, and while it is unpickled, there is nothing to ask.
        if name.startswith("_") or name in ("estimator", "estimator_", "classes_"):
            raise AttributeError(name)
        return getattr(vars(self).get("estimator_", vars(self).get("estimator")), name)
