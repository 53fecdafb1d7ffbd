"""The heat map of adjusted p-values, in the classes that people quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from palio.report.figures.grid import Grid, draw_grid
from palio.report.figures.pairs import read_matrix, verdict
from palio.report.figures.scales import p_scale
from palio.report.numbers import p_bound

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_p_values"]


def draw_p_values(summary: Mapping[str, Any]) -> Figure:
    """Draw the adjusted p-value of each pair, algorithms sorted by mean rank.

    Parameters
    ----------
    summary : mapping
        A comparison's ``to_dict()``, or an ordering's that holds one.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``alpha``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> pair = {"a": "svr", "b": "c45", "p_adjusted": 0.003, "significant": True}
    >>> figure = draw_p_values({
    ...     "kind": "comparison", "mean_ranks": {"svr": 1.2, "c45": 1.8}, "pairs": [pair],
    ...     "alpha": 0.05,
    ... })
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"], texts["alpha-label"]
    ('0.003', 'α = 0.05')
    """
    matrix = read_matrix(summary)
    comparison = matrix.comparison
    figure, _, _ = draw_grid(
        Grid(
            rows=matrix.row_names,
            columns=matrix.column_names,
            values=matrix.values(lambda cell: cell.p_adjusted),
            scale=p_scale("adjusted p-value", comparison["alpha"]),
            wordings=(matrix.words(lambda cell: p_bound(cell.p_adjusted)),),
            marked=matrix.marked,
            caption=(
                "Adjusted p-values, algorithms sorted by mean rank. "
                f"Bold or marked: {verdict(comparison)}."
            ),
            side=matrix.mean_ranks(),
        )
    )
    return figure
