"""How often each algorithm takes each rank, as in Figure 1 of Wainer (2016)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection

from palio.report.figures import style
from palio.report.figures.grid import Grid, Page, Side, Words, draw_grid
from palio.report.figures.needs import comparison_of
from palio.report.figures.pairs import by_mean_rank
from palio.report.figures.scales import sequential
from palio.report.figures.score_table import complete_scores, rank_shares
from palio.report.numbers import rank, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_rank_distribution", "rank_names"]

# With more ranks than this, only 1, 5, 10 … are written.
MOST_RANKS = 24


def draw_rank_distribution(summary: Mapping[str, Any]) -> Figure:
    """Draw on how many data sets each algorithm takes each rank.

    Parameters
    ----------
    summary : mapping
        A comparison's ``to_dict()`` with scores, or an ordering's that holds one.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``mean-ranks``, ``name:svr``, ``cell:svr|1``.

    Examples
    --------
    >>> figure = draw_rank_distribution({
    ...     "kind": "comparison", "mean_ranks": {"svr": 1.25, "c45": 1.75},
    ...     "measure": {"name": "accuracy", "higher_is_better": True},
    ...     "scores": {"svr": [0.9, 0.8], "c45": [0.7, 0.8]},
    ... })
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|1"], texts["cell:svr|2"]
    ('1.5', '0.5')
    """
    comparison = comparison_of(summary) or {}
    names = by_mean_rank(comparison)
    scores = complete_scores(comparison, names)
    shares = rank_shares(scores, higher_is_better=comparison["measure"]["higher_is_better"])
    mean_ranks = [float(comparison["mean_ranks"][name]) for name in names]
    highest = float(shares.max())
    labels = ((0.0, "0"), (1.0, f"{share(highest)} of {style.count_datasets(scores.shape[1])}"))
    figure, axes, page = draw_grid(
        Grid(
            rows=tuple(style.clean(name) for name in names),
            columns=rank_names(len(names)),
            values=shares,
            scale=sequential("data sets on which the row takes the rank", labels, high=highest),
            wordings=(_words(shares),),
            marked=np.zeros(shares.shape, dtype=np.bool_),
            caption=_caption(comparison, scores.shape[1]),
            side=Side("mean\nrank", tuple(rank(value) for value in mean_ranks)),
            columns_title="rank",
        )
    )
    _draw_mean_ranks(axes, page, mean_ranks)
    return figure


def rank_names(k: int) -> tuple[str, ...]:
    """Return what stands above the columns of k ranks; of many only some have a number."""
    shown = range(1, k + 1) if k <= MOST_RANKS else (1, *range(5, k + 1, 5))
    return tuple(str(i) if i in shown else "" for i in range(1, k + 1))


def _words(shares: np.ndarray) -> Words:
    """Write the counts; a zero is what an empty cell says already."""
    return tuple(tuple(share(value) if value else "" for value in row) for row in shares.tolist())


def _caption(comparison: Mapping[str, Any], n: int) -> str:
    measure = style.clean(comparison["measure"]["name"])
    whole = comparison.get("n_datasets") or n
    of = f"{n} of {style.count_datasets(whole)}" if n < whole else style.count_datasets(n)
    return (
        f"How often each algorithm takes each rank by {measure} over {of}; 1 is best. "
        "A tie counts evenly for the ranks it covers. Sorted by mean rank, the orange mark."
    )


def _draw_mean_ranks(axes: Axes, page: Page, mean_ranks: list[float]) -> None:
    """Draw a line where each mean rank is, below the numbers; rank 1 is the middle of column 1."""
    upper = 0.76 if page.fit.words else 0.06
    lines = [
        [(page.x(value - 0.5), page.y(i + upper)), (page.x(value - 0.5), page.y(i + 0.98))]
        for i, value in enumerate(mean_ranks)
    ]
    width = 3.4 if page.fit.words else 2.0
    look: dict[str, Any] = {"colors": style.ORANGE, "linewidths": width, "zorder": 2}
    axes.add_collection(LineCollection(lines, gid="mean-ranks", **look), autolim=False)
