"""``palio merge``: what several machines, or several days, have run, in one store."""

from __future__ import annotations

from typing import Annotated

from palio.app.options import JsonFlag, flag, show


def merge(
    target: str,
    /,
    *stores: str,
    keep_first: Annotated[
        bool, flag("Where a job has other scores in another store, keep the first's.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Put the stores of several machines or days together.

    Jobs are known by their content, and keep their costs and their machine. What differs where
    nothing should is an error that names it, and then nothing is written.

    Example: palio merge all.db monday.db tuesday.db

    Parameters
    ----------
    target
        The store to put it into, a file or a URL; what it has already comes first.
    stores
        The stores to take from, which stay as they are.
    """
    from palio.experiment.merging import merge_stores

    show(merge_stores(target, stores, keep_first=keep_first), json=json)
