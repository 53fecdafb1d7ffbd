"""Tables of scores in every shape that a test may want."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palio.errors import require
from palio.measures import Measure
from palio.scores import ScoreTable


def make_scores(
    n_datasets: int = 20,
    algorithms: int | Sequence[str] = 4,
    *,
    gap: float = 0.02,
    noise: float = 0.02,
    resampling: tuple[int, int] | None = None,
    missing: float = 0.0,
    ties: bool = False,
    higher_is_better: bool = True,
    costs: Sequence[str] = (),
    seed: int = 0,
) -> ScoreTable:
    """Make a table of scores whose order is known: each algorithm is better than the one after it.

    Parameters
    ----------
    n_datasets : int, default 20
        The number of data sets.
    algorithms : int or sequence of str, default 4
        How many algorithms, or their names; the first is the best.
    gap, noise : float, default 0.02
        By how much each is better than the next on average, and how much that varies; a ``gap`` of
        0 makes them all alike.
    resampling : tuple of int, optional
        The numbers of repeats and folds; one score on each data set unless given.
    missing : float, default 0
        The share of (data set, algorithm) that has no score; everyone keeps two.
    ties : bool, default False
        Whether scores have two decimals, so that many are equal.
    higher_is_better : bool, default True
        Otherwise the scores are errors.
    costs : sequence of str
        Names of costs: the better an algorithm, the more it costs.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    ScoreTable

    Examples
    --------
    >>> import palio
    >>> table = make_scores(30, ["first", "second", "third"], higher_is_better=False)
    >>> table
    <ScoreTable: 30 data sets × 3 algorithms, one value per data set, error (lower is better)>
    >>> palio.order(table).order
    ('first', 'second', 'third')
    >>> make_scores(missing=0.2, resampling=(5, 2), costs=["train_time"]).is_complete
    False
    """
    names = (
        [f"algorithm {i + 1}" for i in range(algorithms)]
        if isinstance(algorithms, int)
        else list(algorithms)
    )
    require(n_datasets >= 1, "n_datasets", "it is 1 or more", n_datasets)
    require(0 <= missing < 1, "missing", "it is a share, 0 or more and below 1", missing)
    rng = np.random.default_rng(seed)
    n, k = n_datasets, len(names)
    each = resampling or (1, 1)
    hard = rng.uniform(0.4, 0.6, (n, 1, 1, 1))
    lead = gap * (k - 1 - np.arange(k))[:, None, None]
    scores = hard + lead + noise * rng.standard_normal((n, k, *each))
    scores = np.clip(scores, 0.0, 1.0)
    if ties:
        scores = scores.round(2)
    scores[_gaps(n, k, missing, rng)] = np.nan
    if not higher_is_better:
        scores = 1 - scores
    spent = np.exp(rng.normal(np.linspace(2, 0, k), 0.3, (n, k)))
    return ScoreTable.from_arrays(
        scores if resampling is not None else scores[:, :, 0, 0],
        datasets=[f"data set {i + 1}" for i in range(n)],
        algorithms=names,
        measure=Measure("accuracy", True) if higher_is_better else Measure("error", False),
        costs=dict.fromkeys(costs, spent),
    )


def _gaps(n: int, k: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Choose what has no score: (n, k)."""
    most = max(n - 2, 0) * k
    found = np.zeros((n, k), dtype=bool)
    # Of each algorithm the first two stay; which data sets these are is drawn.
    order = np.argsort(rng.random((n, k)), axis=0)
    cells = rng.permutation(most)[: round(share * n * k)]
    found[order[2 + cells // k, cells % k], cells % k] = True
    return found
