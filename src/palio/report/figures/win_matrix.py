"""Who beats whom, and how often: wins, ties and losses of the row over the column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.numbers import record
from palio.report.figures.extent import sorted_by
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import Matrix, verdict
from palio.report.figures.scales import two_sided

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering

LABELS = ((0.0, "loses all"), (0.25, "1/4"), (0.5, "half"), (0.75, "3/4"), (1.0, "wins all"))


def draw_win_matrix(result: Comparison | Ordering) -> Figure:
    """Draw on how many data sets each algorithm beats each other.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "win-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|c45"], texts["cell:c45|svr"]
    ('33/0/5', '5/0/33')
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    return matrix.draw(
        lambda cell: cell.share_won,
        matrix.wording(lambda cell: record(*cell.record)),
        matrix.wording(lambda cell: str(cell.record[0])),
        scale=two_sided(
            "share of data sets on which the row wins, ties half", LABELS, low=0, high=1
        ),
        caption=(
            "Wins/ties/losses of the row against the column, or its wins alone where there "
            f"is less room; algorithms sorted by {sorted_by(comparison)}. Bold or marked: the "
            "pair's "
            f"difference is {verdict(comparison)}."
        ),
    )
