"""Draws of three probabilities in a triangle: which outcome is the most probable in each draw.

After Benavoli, Corani, Demšar and Zaffalon (2017): a corner is certainty, and the lines part the
draws by their most probable outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palio.numbers import region
from palio.report.figures import style
from palio.report.figures.kinds import present
from palio.report.figures.pairs import (
    Outcome,
    label_height,
    label_width,
    outcomes,
    where_from,
    write_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Detail, PosteriorAnswer

PALE = ("#E7F1F8", "#F0F1F3", "#FBEADF")

# Inches; the triangle is equilateral.
SIDE, GAP, BLOCK_GAP, LABEL_GAP = 3.4, 0.08, 0.16, 0.25
TALL = SIDE * math.sqrt(0.75)


def draw_simplex(result: PosteriorAnswer) -> Figure:
    """Draw how probable the three outcomes of a pair are, a point for each draw.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``detail`` has points.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``regions``, ``borders``, ``points``, ``probability:a``,
        ``outcome:a`` and so on.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.sign(table, rope=1.0), "simplex")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["probability:a"], texts["outcome:equal"]
    ('0.996', 'practically equal')
    """
    detail = present(result.detail)
    points = np.asarray(present(detail.points), dtype=np.float64)
    page = _lay_out(detail, _caption(result, len(points)))
    figure, axes = page.canvas()
    _draw_triangle(axes, page)
    _draw_points(axes, page, points)
    _write_corners(axes, page)
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(style.Page):
    """A triangle, and a label at each of its corners."""

    corners: tuple[Outcome, Outcome, Outcome]

    @property
    def top(self) -> float:
        """The height of the upper corner."""
        return -style.MARGIN - label_height() - GAP

    @property
    def stacked(self) -> bool:
        """Whether the labels of the lower corners need a line each."""
        a, _, b = self.corners
        return label_width(a) + LABEL_GAP + label_width(b) > self.inner

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        lines = 2 if self.stacked else 1
        return self.top - TALL - lines * (GAP + label_height()) - BLOCK_GAP

    def at(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where probabilities (…, 3) stand: a to the left, b to the right, equal above."""
        left = (self.width - SIDE) / 2
        low = self.top - TALL
        corners = np.array(
            [(left, low), (left + SIDE / 2, self.top), (left + SIDE, low)], dtype=np.float64
        )
        # Not by BLAS, for three numbers.
        return np.asarray((shares[..., :, None] * corners).sum(axis=-2))


def _lay_out(detail: Detail, caption: str) -> Page:
    corners = outcomes(detail)
    inner = max(SIDE, *(label_width(corner) for corner in corners))
    both = label_width(corners[0]) + LABEL_GAP + label_width(corners[2])
    # A little wider, if the labels of the lower corners then share a line.
    inner = max(inner, both) if both <= 1.5 * SIDE else inner
    return Page(caption, inner, corners)


def _caption(result: PosteriorAnswer, drawn: int) -> str:
    draws = result.diagnostics.n_draws
    some = f"{drawn} of {draws}" if drawn < draws else str(drawn)
    return (
        f"{where_from(result)}: {some} draws of how probable each outcome is, "
        f"{region(result.rope, ratios=result.scale.ratios)}. A corner is certainty; the lines part "
        "the draws by their most probable outcome, and the probabilities are the shares of all "
        "draws."
    )


def _draw_triangle(axes: Axes, page: Page) -> None:
    corners = np.eye(3)
    centre = np.full(3, 1 / 3)
    middles = (1 - corners) / 2  # of the side across from each corner
    kites = [
        page.at(np.array([corners[i], middles[j], centre, middles[k]]))
        for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
    ]
    style.draw_shapes(axes, kites, facecolors=PALE, lw=0, zorder=0, gid="regions")
    borders = [page.at(np.array([centre, middle])) for middle in middles]
    line: dict[str, Any] = {"colors": style.MUTED, "linewidths": 0.8, "zorder": 1}
    style.draw_lines(axes, borders, gid="borders", **line)
    line = {"facecolors": "none", "edgecolors": style.INK, "lw": 0.9, "zorder": 2}
    style.draw_shapes(axes, [page.at(corners)], gid="triangle", **line)


def _draw_points(axes: Axes, page: Page, points: NDArray[np.float64]) -> None:
    places = page.at(points)
    colours = [page.corners[most].colour for most in points.argmax(axis=1).tolist()]
    look: dict[str, Any] = {"s": 5.0, "alpha": 0.6, "linewidths": 0, "zorder": 3, "gid": "points"}
    axes.scatter(places[:, 0], places[:, 1], c=colours, **look)


def _write_corners(axes: Axes, page: Page) -> None:
    a, equal, b = page.corners
    above = -style.MARGIN - label_height() / 2
    below = page.top - TALL - GAP - label_height() / 2
    write_label(axes, equal, (page.width - label_width(equal)) / 2, above)
    write_label(axes, a, style.MARGIN, below)
    if page.stacked:
        below -= GAP + label_height()
    write_label(axes, b, page.width - style.MARGIN - label_width(b), below)
