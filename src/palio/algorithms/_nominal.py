"""Which columns of a frame are nominal, and their values as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palio.errors import ColumnError


def categories(X: Any) -> dict[str, Any]:
    """Return the text and category columns of a frame, and the values they have."""
    if not hasattr(X, "iloc"):
        return {}
    return {
        name: X[name].astype("category").cat.categories
        for name in X.columns
        if X[name].dtype.kind == "O"
    }


def coded(X: Any, known: Mapping[str, Any], *, unknown: float = -1.0) -> Any:
    """Write the text and category columns of a frame as numbers."""
    if not known or not hasattr(X, "iloc"):
        return X
    found = {}
    for name, values in known.items():
        if name in X.columns:
            codes = values.get_indexer(X[name].astype(object))
            found[name] = np.where(codes < 0, unknown, codes)
    return X.assign(**found)


def places(features: Sequence[int | str], estimator: Any) -> list[int]:
    """Return the numbers of columns, some of which may be named."""
    names = list(getattr(estimator, "feature_names_in_", ()))
    n_columns = estimator.n_features_in_
    found = []
    for feature in features:
        if isinstance(feature, str):
            if feature not in names:
                raise ColumnError(
                    "nominal_features",
                    f"{feature!r} is not a column of X",
                    remedy=(
                        f"there are: {', '.join(map(str, names)) or 'no names, so give numbers'}"
                    ),
                )
            found.append(names.index(feature))
        elif 0 <= feature < n_columns:
            found.append(int(feature))
        else:
            raise ColumnError(
                "nominal_features", f"X has columns 0 to {n_columns - 1}", f"{feature} was given"
            )
    return found
