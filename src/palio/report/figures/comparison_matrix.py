"""The comparison matrix: every algorithm against every other, in one square.

The idea, mean differences with wins, ties, losses and a p-value in each cell, is the
multiple-comparison matrix of Ismail-Fawaz et al. (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.report.figures import style
from palio.report.figures.grid import Grid, Side, draw_grid
from palio.report.figures.pairs import Matrix, Versus, by_mean_rank, read_matrix, verdict
from palio.report.figures.scales import Scale, two_sided
from palio.report.numbers import number, p_bound, record, signed_alike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_comparison_matrix"]

Summary = Mapping[str, Any]


def draw_comparison_matrix(summary: Summary) -> Figure:
    """Draw the mean difference of each pair, with wins, ties, losses and the adjusted p-value.

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
    ...         "difference": 1.5, "wins": 30, "ties": 1, "losses": 7}
    >>> figure = draw_comparison_matrix({
    ...     "kind": "comparison", "mean_ranks": {"svr": 1.2, "c45": 1.8}, "pairs": [pair],
    ...     "measure": {"name": "accuracy", "higher_is_better": True}, "alpha": 0.05,
    ... })
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"].splitlines()
    ['−1.50', '7/1/30', 'p 0.003']
    """
    matrix = read_matrix(summary, _best_first)
    differences = matrix.values(lambda cell: cell.difference)
    written = _written(matrix)

    def full(cell: Versus) -> list[str]:
        return [written[cell.difference], *_evidence(cell)]

    figure, _, _ = draw_grid(
        Grid(
            rows=matrix.row_names,
            columns=matrix.column_names,
            values=_on_root_scale(differences, _direction(matrix.comparison)),
            scale=_scale(matrix.comparison, differences),
            wordings=tuple(
                matrix.words(wording)
                for wording in (
                    # Against a control alone there is room for a line, but not for three.
                    *([lambda cell: "   ".join(full(cell))] if len(matrix.columns) == 1 else []),
                    lambda cell: "\n".join(full(cell)),
                    lambda cell: f"{written[cell.difference]}\n{p_bound(cell.p_adjusted)}",
                    lambda cell: written[cell.difference],
                )
            ),
            marked=matrix.marked,
            caption=_caption(matrix.comparison),
            side=_side(matrix),
        )
    )
    return figure


def _evidence(cell: Versus) -> list[str]:
    p = f"p {p_bound(cell.p_adjusted)}"
    counted = cell.wins + cell.ties + cell.losses > 0
    return [record(cell.wins, cell.ties, cell.losses), p] if counted else [p]


def _written(matrix: Matrix) -> dict[float, str]:
    """Write every difference with the same number of decimals."""
    differences = sorted({cell.difference for cell in matrix.cells.values()})
    return dict(zip(differences, signed_alike(differences), strict=True))


def _direction(comparison: Summary) -> int:
    """Return 1 if higher is better or nobody says, else -1."""
    measure = comparison.get("measure")
    return -1 if measure and not measure["higher_is_better"] else 1


def _has_scores(comparison: Summary) -> bool:
    return bool(comparison.get("mean_scores") and comparison.get("measure"))


def _best_first(comparison: Summary) -> list[str]:
    if not _has_scores(comparison):
        return by_mean_rank(comparison)
    scores, direction = comparison["mean_scores"], _direction(comparison)
    return sorted(by_mean_rank(comparison), key=lambda name: -direction * scores[name])


def _side(matrix: Matrix) -> Side:
    if not _has_scores(matrix.comparison):
        return matrix.mean_ranks()
    scores = matrix.comparison["mean_scores"]
    return Side("mean\nscore", tuple(number(scores[name]) for name in matrix.rows))


def _on_root_scale(differences: np.ndarray, direction: int) -> np.ndarray:
    """Scale to -1 … 1, positive where the row is better.

    By the square root: one hopeless algorithm would bleach all other differences.
    """
    largest = _largest(differences)
    scaled: np.ndarray = direction * np.sign(differences) * np.sqrt(np.abs(differences) / largest)
    return scaled


def _largest(differences: np.ndarray) -> float:
    return float(np.nanmax(np.abs(differences))) or 1.0


def _scale(comparison: Summary, differences: np.ndarray) -> Scale:
    direction, largest = _direction(comparison), _largest(differences)
    places = (0.0, 0.25, 0.5, 0.75, 1.0)
    shown = [direction * share * largest for share in (-1, -0.25, 0, 0.25, 1)]
    labels = tuple(zip(places, signed_alike(shown), strict=True))
    measure = comparison.get("measure")
    title = "mean difference, row minus column"
    if measure:
        title = f"mean difference in {style.clean(measure['name'])}; blue: the row is better"
    return two_sided(title, labels, low=-1, high=1)


def _caption(comparison: Summary) -> str:
    measure = comparison.get("measure")
    of = f" in {style.clean(measure['name'])}" if measure else ""
    return (
        f"Mean difference{of}, row minus column, with the wins/ties/losses of the row and the "
        "adjusted p-value as far as there is room; colours follow the square root of the "
        f"difference. Bold or marked: {verdict(comparison)}."
    )
