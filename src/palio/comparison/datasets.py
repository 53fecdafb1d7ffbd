"""Which data set, where a method takes one."""

from __future__ import annotations

from palio.errors import ParameterError
from palio.registry import unknown_name
from palio.scores import ScoreTable

__all__ = ["one_dataset"]


def one_dataset(table: ScoreTable, dataset: str | None) -> str:
    """Return the data set asked for, or the only one."""
    if dataset is None and table.n_datasets == 1:
        return table.datasets[0]
    if dataset is None:
        raise ParameterError(
            f"dataset: this is about one data set, and the table has {table.n_datasets}; name "
            "one, or use Multi²Test to order over all of them."
        )
    if dataset not in table.datasets:
        raise unknown_name("dataset", dataset, table.datasets)
    return dataset
