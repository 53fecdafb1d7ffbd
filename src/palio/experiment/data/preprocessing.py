"""The standard preparation of mixed and missing data, to be fitted inside the fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.data.datasets import Dataset


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
    categorical = list(dataset.categorical)
    numeric = [str(column) for column in dataset.X.columns if column not in dataset.categorical]
    incomplete = set(dataset.incomplete)
    if raw:
        return _raw(dataset, numeric, categorical)
    scaled = _numeric(fill=not incomplete.isdisjoint(numeric))
    if not categorical:
        return scaled
    from sklearn.compose import ColumnTransformer  # type: ignore[import-untyped]

    coded = _categorical(fill=not incomplete.isdisjoint(categorical))
    parts = [("numeric", scaled, numeric), ("categorical", coded, categorical)]
    return ColumnTransformer(
        [part for part in parts if part[2]], sparse_threshold=0, verbose_feature_names_out=False
    )


def _raw(dataset: Dataset, numeric: list[str], categorical: list[str]) -> Any:
    from sklearn.preprocessing import FunctionTransformer  # type: ignore[import-untyped]

    cast = FunctionTransformer(
        _as_categories, kw_args={"values": {name: _values(dataset, name) for name in categorical}}
    )
    if not dataset.incomplete:
        return cast
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

    parts = [
        (SimpleImputer(strategy=strategy, keep_empty_features=True), columns)
        for strategy, columns in (("median", numeric), ("most_frequent", categorical))
        if columns
    ]
    fill = make_column_transformer(*parts, verbose_feature_names_out=False)
    return make_pipeline(fill.set_output(transform="pandas"), cast)


def _values(dataset: Dataset, name: str) -> list[object]:
    """Return all that a categorical column can be, whether a training part has it or not."""
    values: list[object] = sorted(dataset.X[name].dropna().unique())
    # What a column that is all missing in a training part is filled with.
    return [*values, 0] if name in dataset.incomplete else values


def _as_categories(frame: pd.DataFrame, values: Mapping[str, list[object]]) -> pd.DataFrame:
    import pandas as pd

    return frame.astype({name: pd.CategoricalDtype(known) for name, known in values.items()})


def _numeric(*, fill: bool) -> Any:
    from sklearn.preprocessing import StandardScaler

    return _filled("median", StandardScaler()) if fill else StandardScaler()


def _categorical(*, fill: bool) -> Any:
    from sklearn.preprocessing import OneHotEncoder

    coder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return _filled("most_frequent", coder) if fill else coder


def _filled(strategy: str, then: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    # A column that is all missing in a training part stays, as one value: the width is the same.
    return make_pipeline(SimpleImputer(strategy=strategy, keep_empty_features=True), then)
