"""Put the stores of several machines or days together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from palio.errors import ParameterError
from palio.experiment.store.database import located
from palio.experiment.store.merging import Taken
from palio.experiment.store.store import Store
from palio.results import Result
from palio.scores.sources import is_server

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Merged", "Taken", "merge_stores"]


@dataclass(frozen=True)
class Merged(Result):
    """What a store has taken over from others.

    Parameters
    ----------
    store : str
        Where all of it is.
    sources : tuple of Taken
        What came from each store: jobs that were not there, jobs that were mended, jobs that both
        had.
    plans : tuple of str
        The plans of the store, the newest first.
    jobs, left : int
        How many jobs these plans have, and how many of them have not ended.
    """

    store: str
    sources: tuple[Taken, ...]
    plans: tuple[str, ...]
    jobs: int
    left: int

    kind: ClassVar[str] = "merged"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per store."""
        import pandas as pd

        return pd.DataFrame(self.sources)


def merge_stores(
    target: str | os.PathLike[str],
    sources: Sequence[str | os.PathLike[str]],
    *,
    keep_first: bool = False,
) -> Merged:
    """Put what was run in several stores into one: of several machines, or of several days.

    Jobs are known by their content (data, folds, estimator and parameters, scorers, seed),
    wherever they were run. A job keeps the costs it was measured with, and the machine. One that
    several stores have is taken from the first of them in which it ended well. Plans of the same
    name become one.

    Parameters
    ----------
    target
        The store to put it into, a file or a PostgreSQL URL; what it has already comes first.
    sources
        The other stores, which stay as they are.
    keep_first
        Where the same job has other scores in another store, keep those of the first. Without it
        that is an error, which names the jobs, and nothing is taken over.

    Raises
    ------
    InputError
        If scores differ, or if plans of the same name have different jobs by the same names.

    See Also
    --------
    run : with ``part="1/2"`` it runs one of two parts of an experiment.

    Examples
    --------
    >>> import palio, pathlib, tempfile
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> learners = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> experiment = (["sklearn:iris", "sklearn:wine"], learners)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two, both = (pathlib.Path(folder) / name for name in ("1.db", "2.db", "all.db"))
    ...     for store, part in ((one, "1/2"), (two, "2/2")):
    ...         _ = palio.run(*experiment, store=store, part=part, engine="inline")
    ...     merged = palio.merge_stores(both, [one, two])
    ...     table = palio.read_scores(both)
    >>> [each.jobs for each in merged.sources], merged.left, table.datasets
    ([10, 10], 0, ('iris', 'wine'))
    """
    places = [str(place) for place in sources if not _is_same(str(place), str(target))]
    if not places:
        raise ParameterError(
            "sources", "at least one store besides the target is needed to take something over"
        )
    new = not is_server(str(target)) and not located(str(target)).exists()
    with ExitStack() as stack:
        others = [stack.enter_context(Store(place, create=False)) for place in places]
        try:
            with Store(target) as store, store.writing():
                taken = store.merge(others, keep_first=keep_first)
                plans = store.plans()
                jobs = [job for plan in plans for job in store.jobs(plan)]
                return Merged(
                    store=store.shown,
                    sources=taken,
                    plans=tuple(plans),
                    jobs=len(jobs),
                    left=sum(job["status"] is None for job in jobs),
                )
        except BaseException:
            if new:  # nothing was there, and nothing is
                for ending in ("", "-wal", "-shm", ".lock"):
                    Path(f"{located(str(target))}{ending}").unlink(missing_ok=True)
            raise


def _is_same(place: str, other: str) -> bool:
    if is_server(place) or is_server(other):
        return place == other
    return located(place) == located(other)
