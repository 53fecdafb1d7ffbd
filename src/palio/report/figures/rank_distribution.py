"""How often, or how probably, each algorithm takes each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palio.numbers import hundredths, probability, share
from palio.registry import unknown_name
from palio.report.figures import style
from palio.report.figures.extent import Extent, extent_of, sorted_by, standing_texts
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import Grid, Page, Side, Wording
from palio.report.figures.kinds import comparison_of
from palio.report.figures.scales import sequential

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.evaluation import MethodStability, RankStability
    from palio.ordering.result import Ordering

# With more ranks than this, only 1, 5, 10 … are written.
MOST_RANKS = 24


def draw_rank_distribution(result: Comparison | Ordering) -> Figure:
    """Draw on how many data sets each algorithm takes each rank.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``mean-rank:svr``, ``name:svr``, ``cell:svr|1``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "rank-distribution")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|1"], texts["cell:svr|2"]
    ('33', '5')
    """
    comparison = comparison_of(result)
    extent = extent_of(comparison)
    names, counts = extent.names, comparison.rank_counts[_rows(comparison, extent)]
    n = len(comparison.complete.datasets)
    mean_ranks = [comparison.mean_ranks[name] for name in names]
    highest = float(counts.max())
    labels = ((0.0, "0"), (1.0, f"{share(highest)} of {style.count_datasets(n)}"))
    taken = np.where(counts > 0, counts, np.nan)  # what never happens has no cell
    figure, axes, page = draw_grid(
        Grid(
            rows=tuple(style.clean(name) for name in names),
            columns=rank_names(counts.shape[1]),
            values=taken,
            scale=sequential("data sets on which the row takes the rank", labels, high=highest),
            wordings=(Wording.of(taken, share),),
            marked=np.zeros(counts.shape, dtype=np.bool_),
            caption=extent.caption(_caption(comparison, n)),
            side=Side(*standing_texts(comparison, names)),
            columns_title="rank",
        )
    )
    _draw_mean_ranks(axes, page, mean_ranks)
    return figure


def rank_names(k: int) -> tuple[str, ...]:
    """Return what stands above the columns of k ranks; of many only some have a number."""
    shown = range(1, k + 1) if k <= MOST_RANKS else (1, *range(5, k + 1, 5))
    return tuple(str(i) if i in shown else "" for i in range(1, k + 1))


def _caption(comparison: Comparison, n: int) -> str:
    measure = style.clean(comparison.measure.name)
    of = style.some_datasets(n, comparison.n_datasets)
    return (
        f"How often each algorithm takes each rank by {measure} over {of}; 1 is best. "
        f"A tie counts evenly for the ranks it covers. Sorted by {sorted_by(comparison)}, the "
        "orange mark."
    )


def _rows(comparison: Comparison, extent: Extent) -> list[int]:
    """Return where the algorithms that are shown stand among all."""
    place = {name: i for i, name in enumerate(comparison.complete.algorithms)}
    return [place[name] for name in extent.names]


def _draw_mean_ranks(axes: Axes, page: Page, mean_ranks: list[float]) -> None:
    """Draw a line where each mean rank is, below the numbers; rank 1 is the middle of column 1."""
    upper = 0.76 if page.fit.wording else 0.06
    look: dict[str, Any] = {"color": style.ORANGE, "solid_capstyle": "butt", "zorder": 2}
    look["lw"] = 3.4 if page.fit.wording else 2.0
    for i, (name, value) in enumerate(zip(page.grid.rows, mean_ranks, strict=True)):
        ends = page.y(i + upper), page.y(i + 0.98)
        style.draw_line(axes, [page.x(value - 0.5)] * 2, ends, gid=f"mean-rank:{name}", **look)


# A place is all but certain when it is more probable than this.
SURE = 0.95


def draw_rank_stability(result: RankStability, *, method: str | None = None) -> Figure:
    """Draw the probability of each place (column) for each algorithm (row) as a heat map.

    Parameters
    ----------
    result : RankStability
        Of one method or several.
    method : str, optional
        Which ranking method; the first one unless given.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``name:svr``, ``side:svr``, ``cell:svr|1``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> found = palio.rank_stability(table, ["average-ranks"], n_resamples=50)
    >>> figure = draw(found, "rank-stability")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|1"], texts["side:c45"]
    ('1', '2')
    """
    found = _chosen(result, method)
    order = found.order
    places = np.array([found.places[name] for name in order], dtype=np.float64)
    possible = np.where(places > 0, places, np.nan)
    highest = float(places.max())
    labels = ((0.0, "0"), (1.0, probability(highest)))
    figure, _, _ = draw_grid(
        Grid(
            rows=tuple(style.clean(name) for name in order),
            columns=rank_names(len(order)),
            values=places,
            scale=sequential("probability that the row takes the place", labels, high=highest),
            wordings=tuple(Wording.of(possible, write) for write in (probability, hundredths)),
            marked=np.asarray(places > SURE),
            caption=_about_draws(result, found.method),
            side=Side("rank", tuple(share(found.ranks[name]) for name in order)),
            columns_title="place",
        )
    )
    return figure


def _chosen(result: RankStability, method: str | None) -> MethodStability:
    if method is None:
        return result.methods[0]
    if method not in result.by_method:
        raise unknown_name("method", method, result.by_method)
    return result.by_method[method]


def _about_draws(result: RankStability, method: str) -> str:
    others = [each.method for each in result.methods if each.method != method]
    besides = f" Not shown: {', '.join(others)}." if others else ""
    return (
        f"How probable each place is by {method} on {style.clean(result.measure.name)}: "
        f"{result.n_resamples} draws of {style.count_datasets(result.n_datasets)} with "
        "replacement. A tie counts evenly for the places it covers. Sorted by the rank on the "
        "whole table. As far as there is room, probabilities, in per cent if they are whole; bold "
        f"or marked: above {SURE:g}.{besides}"
    )
