"""The standard preparation of mixed and missing data, to be fitted inside the fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palio.experiment.datasets import Dataset

__all__ = ["preprocessor"]


def preprocessor(dataset: Dataset) -> Any:
    """Return an unfitted scikit-learn transformer for the features of a data set.

    Numeric columns: missing cells become the median, then mean 0 and variance 1. Categorical
    columns: missing cells become the most frequent value, then 1-of-n; a value that the training
    part does not have is all zeros. The medians, means and categories are those of the rows it is
    fitted on, so fit it on the training part of each fold, and never on the whole set.

    Where nothing is missing there is nothing to fill in, and where nothing is categorical the
    columns need not be told apart: the transformer leaves those steps away, and the numbers are
    the same.

    Returns
    -------
    scikit-learn transformer
        It takes rows of ``dataset.X`` and returns a dense array of floats. A `ColumnTransformer`
        if there are categorical columns.

    Examples
    --------
    >>> from palio.experiment.datasets import load_datasets
    >>> (data,) = load_datasets("monks-1")
    >>> preprocessor(data).fit(data.X[:300]).transform(data.X[300:]).shape
    (132, 17)
    """
    categorical = list(dataset.categorical)
    numeric = [str(column) for column in dataset.X.columns if column not in dataset.categorical]
    incomplete = set(dataset.incomplete)
    scaled = _numeric(fill=not incomplete.isdisjoint(numeric))
    if not categorical:
        return scaled
    from sklearn.compose import ColumnTransformer  # type: ignore[import-untyped]

    coded = _categorical(fill=not incomplete.isdisjoint(categorical))
    parts = [("numeric", scaled, numeric), ("categorical", coded, categorical)]
    return ColumnTransformer(
        [part for part in parts if part[2]], sparse_threshold=0, verbose_feature_names_out=False
    )


def _numeric(*, fill: bool) -> Any:
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

    return _filled("median", StandardScaler()) if fill else StandardScaler()


def _categorical(*, fill: bool) -> Any:
    from sklearn.preprocessing import OneHotEncoder

    coder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return _filled("most_frequent", coder) if fill else coder


def _filled(strategy: str, then: Any) -> Any:
    from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

    # A column that is all missing in a training part stays, as one value: the width is the same.
    return make_pipeline(SimpleImputer(strategy=strategy, keep_empty_features=True), then)
