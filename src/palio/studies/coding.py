"""Ways to code a data set as a study did: which columns are names, and which are numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

__all__ = ["Code", "Source", "first_rows", "nominal", "numeric", "without"]

Code: TypeAlias = "Callable[[Dataset], Dataset]"


@dataclass(frozen=True)
class Source:
    """Which file a data set of a paper is, how it is coded, and what speaks for it."""

    file: str
    code: Code | None = None
    why: str = ""

    def coded(self, dataset: Dataset) -> Dataset:
        """Return the data set of the file as the paper had it."""
        return self.code(dataset) if self.code else dataset


def nominal(*, but: Collection[str] = ()) -> Code:
    """Take the values of all columns for mere names, but for the numbers of those that are named.

    >>> import pandas as pd
    >>> from palio.experiment.data.datasets import make_dataset
    >>> data = make_dataset("toy", pd.DataFrame({"a": [1, 2], "b": [3, 4], "y": [0, 1]}))
    >>> nominal(but=["b"])(data).categorical
    ('a',)
    """

    def code(dataset: Dataset) -> Dataset:
        from palio.experiment.data.columns import clean_column

        columns = {
            name: clean_column(dataset.X[name], dataset.name, categorical=name not in but)
            for name in map(str, dataset.X.columns)
        }
        return replace(
            dataset,
            X=dataset.X.assign(**{name: values for name, (values, _) in columns.items()}),
            categorical=tuple(name for name, (_, is_text) in columns.items() if is_text),
        )

    return code


def numeric(dataset: Dataset) -> Dataset:
    """Take names for numbers, in their sorted order."""
    import pandas as pd

    columns = {}
    for name in dataset.categorical:
        codes = pd.factorize(dataset.X[name], sort=True)[0]
        columns[name] = np.where(codes < 0, np.nan, codes)
    return replace(dataset, X=dataset.X.assign(**columns), categorical=())


def without(*names: str) -> Code:
    """Leave columns out."""

    def code(dataset: Dataset) -> Dataset:
        features = dataset.X.drop(columns=list(names), errors="ignore")
        left = tuple(name for name in dataset.categorical if name not in names)
        return replace(dataset, X=features, categorical=left)

    return code


def first_rows(rows: int) -> Code:
    """Take so many rows from the top, such as a training file that a test file follows."""
    return lambda dataset: dataset.take(np.arange(min(rows, dataset.n_rows)))
