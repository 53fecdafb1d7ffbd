"""The comparison matrix: every algorithm against every other, in one square.

The idea, mean differences with wins, ties, losses and a p-value in each cell, is the
multiple-comparison matrix of Ismail-Fawaz et al. (2023).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palio.report.figures import style
from palio.report.figures.grid import Grid, Side, draw_grid
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import Matrix, Versus, verdict
from palio.report.figures.scales import Scale, two_sided
from palio.report.numbers import number, p_bound, record, signed_alike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.measures import Measure
    from palio.ordering.result import Ordering


def draw_comparison_matrix(result: Comparison | Ordering) -> Figure:
    """Draw the mean difference of each pair, with wins, ties, losses and the adjusted p-value.

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
    >>> figure = draw(palio.compare(table), "comparison-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"].splitlines()
    ['−6.04', '5/0/33', 'p <0.001']
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison, comparison.by_mean_score)
    differences = matrix.values(lambda cell: cell.difference)
    written = _written(matrix)

    def full(cell: Versus) -> list[str]:
        return [written[cell.difference], *_evidence(cell)]

    rows, columns = matrix.names
    figure, _, _ = draw_grid(
        Grid(
            rows=rows,
            columns=columns,
            values=_on_root_scale(differences, comparison.measure),
            scale=_scale(comparison.measure, differences),
            wordings=tuple(
                matrix.words(wording)
                for wording in (
                    # Against a control alone there is room for a line, but not for three.
                    *([lambda cell: "   ".join(full(cell))] if len(columns) == 1 else []),
                    lambda cell: "\n".join(full(cell)),
                    lambda cell: f"{written[cell.difference]}\n{p_bound(cell.pair.p_adjusted)}",
                    lambda cell: written[cell.difference],
                )
            ),
            marked=matrix.marked,
            caption=_caption(comparison),
            side=Side("mean\nscore", tuple(number(comparison.mean_scores[n]) for n in matrix.rows)),
        )
    )
    return figure


def _evidence(cell: Versus) -> list[str]:
    return [record(*cell.record), f"p {p_bound(cell.pair.p_adjusted)}"]


def _written(matrix: Matrix) -> dict[float, str]:
    """Write every difference with the same number of decimals."""
    differences = sorted({cell.difference for cell in matrix.cells.values()})
    return dict(zip(differences, signed_alike(differences), strict=True))


def _better(measure: Measure) -> int:
    """Return the sign of a better difference."""
    return 1 if measure.higher_is_better else -1


def _on_root_scale(differences: np.ndarray, measure: Measure) -> np.ndarray:
    """Scale to -1 … 1, positive where the row is better.

    By the square root: one hopeless algorithm would bleach all other differences.
    """
    roots = np.sqrt(np.abs(differences) / _largest(differences))
    scaled: np.ndarray = _better(measure) * np.sign(differences) * roots
    return scaled


def _largest(differences: np.ndarray) -> float:
    return float(np.nanmax(np.abs(differences))) or 1.0


def _scale(measure: Measure, differences: np.ndarray) -> Scale:
    largest = _better(measure) * _largest(differences)
    places = (0.0, 0.25, 0.5, 0.75, 1.0)
    labels = signed_alike([share * largest for share in (-1, -0.25, 0, 0.25, 1)])
    title = f"mean difference in {style.clean(measure.name)}; blue: the row is better"
    return two_sided(title, tuple(zip(places, labels, strict=True)), low=-1, high=1)


def _caption(comparison: Comparison) -> str:
    return (
        f"Mean difference in {style.clean(comparison.measure.name)}, row minus column, with the "
        "wins/ties/losses of the row and the adjusted p-value as far as there is room; colours "
        f"follow the square root of the difference. Bold or marked: {verdict(comparison)}."
    )
