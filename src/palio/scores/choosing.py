"""Which data set, where a method takes one."""

from __future__ import annotations

from collections.abc import Sequence

from palio.errors import ParameterError
from palio.registry import unknown_name
from palio.words import quoted


def one_dataset(known: Sequence[str], dataset: str | None, *, instead: str = "") -> str:
    """Return the data set asked for, or the only one; ``instead`` says what to do for all.

    >>> one_dataset(["iris"], None)
    'iris'
    """
    if dataset is None and len(known) == 1:
        return known[0]
    if dataset is None:
        raise ParameterError(
            "dataset",
            "this is about one data set",
            f"there are {len(known)}: {quoted(known, limit=20)}",
            f"Name one{f', or {instead}' if instead else ''}",
        )
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    return dataset
