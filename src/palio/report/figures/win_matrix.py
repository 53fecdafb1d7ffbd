"""Who beats whom, and how often: wins, ties and losses of the row over the column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from palio.report.figures.grid import Grid, draw_grid
from palio.report.figures.pairs import Versus, read_matrix, verdict
from palio.report.figures.scales import two_sided
from palio.report.numbers import record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_win_matrix"]

LABELS = ((0.0, "loses all"), (0.25, "1/4"), (0.5, "half"), (0.75, "3/4"), (1.0, "wins all"))


def draw_win_matrix(summary: Mapping[str, Any]) -> Figure:
    """Draw on how many data sets each algorithm beats each other.

    Parameters
    ----------
    summary : mapping
        A comparison's ``to_dict()``, or an ordering's that holds one.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> pair = {"a": "svr", "b": "c45", "p_adjusted": 0.003, "significant": True,
    ...         "wins": 30, "ties": 1, "losses": 7}
    >>> figure = draw_win_matrix({
    ...     "kind": "comparison", "mean_ranks": {"svr": 1.2, "c45": 1.8}, "pairs": [pair],
    ... })
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|c45"], texts["cell:c45|svr"]
    ('30/1/7', '7/1/30')
    """
    matrix = read_matrix(summary)
    figure, _, _ = draw_grid(
        Grid(
            rows=matrix.row_names,
            columns=matrix.column_names,
            values=matrix.values(_share_won),
            scale=two_sided(
                "share of data sets on which the row wins, ties half", LABELS, low=0, high=1
            ),
            wordings=(
                matrix.words(lambda cell: record(cell.wins, cell.ties, cell.losses)),
                matrix.words(lambda cell: str(cell.wins)),
            ),
            marked=matrix.marked,
            caption=(
                "Wins/ties/losses of the row against the column, or its wins alone where there "
                "is less room; algorithms sorted by mean rank. Bold or marked: the pair's "
                f"difference is {verdict(matrix.comparison)}."
            ),
            side=matrix.mean_ranks(),
        )
    )
    return figure


def _share_won(cell: Versus) -> float:
    played = cell.wins + cell.ties + cell.losses
    return (cell.wins + cell.ties / 2) / played if played else 0.5
