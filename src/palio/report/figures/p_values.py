"""The heat map of adjusted p-values, in the classes that people quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.numbers import p_bound
from palio.report.figures.extent import sorted_by
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import Matrix, verdict
from palio.report.figures.scales import p_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering


def draw_p_values(result: Comparison | Ordering) -> Figure:
    """Draw the adjusted p-value of each pair, best algorithm first.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``alpha``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "p-values")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"], texts["alpha-label"]
    ('<0.001', 'α = 0.05')
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    return matrix.draw(
        lambda cell: cell.pair.p_adjusted,
        matrix.wording(lambda cell: p_bound(cell.pair.p_adjusted)),
        scale=p_scale("adjusted p-value", comparison.alpha),
        caption=(
            f"Adjusted p-values, algorithms sorted by {sorted_by(comparison)}. "
            f"Bold or marked: {verdict(comparison)}."
        ),
    )
