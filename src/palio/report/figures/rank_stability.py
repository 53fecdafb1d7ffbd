"""How probable each place is for each algorithm, had other data sets been drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palio.numbers import hundredths, probability, share
from palio.registry import unknown_name
from palio.report.figures import style
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import Grid, Side, Wording
from palio.report.figures.rank_distribution import rank_names
from palio.report.figures.scales import sequential

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.ordering.evaluation import MethodStability, RankStability

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
            caption=_caption(result, found.method),
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


def _caption(result: RankStability, method: str) -> str:
    others = [each.method for each in result.methods if each.method != method]
    besides = f" Not shown: {', '.join(others)}." if others else ""
    return (
        f"How probable each place is by {method} on {style.clean(result.measure.name)}: "
        f"{result.n_resamples} draws of {style.count_datasets(result.n_datasets)} with "
        "replacement. A tie counts evenly for the places it covers. Sorted by the rank on the "
        "whole table. As far as there is room, probabilities, in per cent if they are whole; bold "
        f"or marked: above {SURE:g}.{besides}"
    )
