"""The comparison matrix: every algorithm against every other, in one square.

The idea, mean differences with wins, ties, losses and a p-value in each cell, is the
multiple-comparison matrix of Ismail-Fawaz et al. (2023). There colours follow the mean difference,
which one data set can turn; here they say whom the test found better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.numbers import p_bound, record, signed_alike, signed_short, unled
from palio.report.figures import style
from palio.report.figures.extent import sorted_by
from palio.report.figures.grid_layout import Wording
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import Matrix, Versus, verdict
from palio.report.figures.scales import significance_class, significance_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering


def draw_comparison_matrix(result: Comparison | Ordering) -> Figure:
    """Draw who is significantly better, with the mean difference, wins and adjusted p-value.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``name:svr``, ``side:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "comparison-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"].splitlines()
    ['−6.04', '5/0/33', 'p <0.001']
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    # The colours say who is better: nothing is left to mark.
    return matrix.draw(
        lambda cell: _class(cell, comparison.alpha),
        *_wordings(matrix),
        scale=significance_scale(
            "adjusted p-value; blue: the row is significantly better, orange: the column",
            comparison.alpha,
        ),
        caption=(
            f"Coloured where the difference is {verdict(comparison)}; algorithms sorted by "
            f"{sorted_by(comparison)}."
        ),
        unwritten="Who is better than whom; so many cells have no room for numbers.",
        marks=False,
    )


def _class(cell: Versus, alpha: float) -> int:
    """Return how significant a pair is, positive where the row is better."""
    return cell.sign * significance_class(cell.pair.p_adjusted, alpha)


def _wordings(matrix: Matrix) -> tuple[Wording, ...]:
    """Return difference, wins and p-value, as long as there is room and then in short."""
    written = _written(matrix)
    # Where the measure differs by data set there is no mean difference to show.
    first = 1 if matrix.comparison.measure.is_ordinal else 0

    def full(cell: Versus) -> list[str]:
        return [written.get(cell.difference, ""), record(*cell.record), f"p {_p(cell)}"][first:]

    def shorter(cell: Versus) -> list[str]:
        return [signed_short(cell.difference), record(*cell.record), unled(_p(cell))][first:]

    def short(cell: Versus) -> list[str]:
        return [signed_short(cell.difference), str(cell.record[0]), unled(_p(cell))][first:]

    measure = style.clean(matrix.comparison.measure.name)
    difference = "" if first else f"the mean difference in {measure}, row minus column, "
    whole = f"In each cell {difference}the wins/ties/losses of the row, and the adjusted p-value."
    wins = (
        f"In each cell {difference}the wins of the row (its losses are the wins in the mirrored "
        "cell), and the adjusted p-value."
    )
    # Against a control alone there is room for a line, but not for three.
    line = [matrix.wording(lambda cell: "   ".join(full(cell)), whole)]
    return (
        *(line if len(matrix.columns) == 1 else []),
        matrix.wording(lambda cell: "\n".join(full(cell)), whole),
        matrix.wording(lambda cell: "\n".join(shorter(cell)), whole),
        matrix.wording(lambda cell: "\n".join(short(cell)), wins),
    )


def _p(cell: Versus) -> str:
    return p_bound(cell.pair.p_adjusted)


def _written(matrix: Matrix) -> dict[float, str]:
    """Write every difference with the same number of decimals."""
    differences = sorted({cell.difference for cell in matrix.cells.values()})
    return dict(zip(differences, signed_alike(differences), strict=True))
