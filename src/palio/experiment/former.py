"""Public names about experiments that have another name now."""

from __future__ import annotations

import os

from palio.deprecation import deprecated
from palio.experiment.store.reading import read_store as _read_store
from palio.experiment.store.store import Store
from palio.scores import ScoreTable


@deprecated(since="0.2.0", gone="0.4.0", instead="palio.read_scores, with the same options")
def read_store(
    store: Store | str | os.PathLike[str],
    *,
    plan: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | None = None,
    keep_failing: bool = False,
) -> ScoreTable:
    """Read the scores of an experiment, finished or not.

    .. deprecated:: 0.2.0
        :func:`palio.read_scores` reads stores, as all that takes a table does. This name goes with
        0.4.0.

    Parameters
    ----------
    store
        A file, a PostgreSQL URL, or an open store.
    plan, score, higher_is_better, missing, keep_failing
        As in :func:`palio.read_scores`.

    Examples
    --------
    What it was for, today:

    >>> import tempfile, pathlib, palio
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = pathlib.Path(folder) / "experiment.db"
    ...     _ = palio.run(
    ...         ["sklearn:iris"], {"nb": GaussianNB(), "tree": DecisionTreeClassifier()},
    ...         store=store, engine="inline",
    ...     )
    ...     palio.read_scores(store).algorithms
    ('nb', 'tree')
    """
    return _read_store(
        store,
        plan=plan,
        score=score,
        higher_is_better=higher_is_better,
        missing=missing,
        keep_failing=keep_failing,
    )
