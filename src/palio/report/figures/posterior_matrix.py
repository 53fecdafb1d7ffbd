"""All pairs of a posterior in one square: a cell is filled by what is probable of its pair.

Blue grows from the left with the probability that the row is better, vermillion from the right
with that of the column; what is left between them is practically equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.colors import Normalize as Norm
from numpy.typing import NDArray

from palio.numbers import hundredths, probability, region
from palio.report.figures import style
from palio.report.figures.grid import draw_grid, draw_tiles
from palio.report.figures.grid_layout import Grid, Page, Side, Wording, Words
from palio.report.figures.pairs import TINTS, where_from
from palio.report.figures.scales import NOTHING, Legend, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import PosteriorAnswer, PosteriorPair

Shares = NDArray[np.float64]

# A pair is decided when one of the three is more probable than this.
SURE = 0.95


def draw_posterior_matrix(result: PosteriorAnswer) -> Figure:
    """Draw the three probabilities of every pair, rows against columns, best first.

    Parameters
    ----------
    result : PosteriorAnswer
        Any.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``bars:0`` (row better), ``bars:1`` (equal), ``bars:2``,
        ``marks``, ``name:svr``, ``side:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "posterior-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|c45"].splitlines(), texts["cell:c45|svr"].splitlines()
    (['>0.999', '= <0.001'], ['<0.001', '= <0.001'])
    """
    names = result.order
    shares = _shares(result.pairs, names)
    written = tuple(style.clean(name) for name in names)
    figure, axes, page = draw_grid(
        Grid(
            rows=written,
            columns=written,
            values=shares[:, :, 0],
            scale=_scale(),
            wordings=_wordings(shares),
            marked=np.asarray(np.nan_to_num(shares).max(axis=-1) > SURE),
            caption=_caption(result),
            side=_side(result),
            pairs=True,
        )
    )
    _draw_bars(axes, page, shares)
    return figure


def _shares(pairs: Sequence[PosteriorPair], names: Sequence[str]) -> Shares:
    """Return the probabilities (K, K, 3) as the row sees them, NaN where there is no pair."""
    at = {name: i for i, name in enumerate(names)}
    shares = np.full((len(names), len(names), 3), np.nan)
    for pair in pairs:
        i, j = at[pair.a], at[pair.b]
        shares[i, j], shares[j, i] = pair.shares, pair.shares[::-1]
    return shares


def _wordings(shares: Shares) -> tuple[Wording, ...]:
    better = "the probability that the row is better"
    equal = "and after = that both are practically equal"
    return (
        Wording(
            _words(shares, lambda row, same: f"{probability(row)}\n= {probability(same)}"),
            f"In each cell {better}, {equal}.",
        ),
        Wording(
            _words(shares, lambda row, same: f"{hundredths(row)}\n= {hundredths(same)}"),
            f"In each cell {better}, {equal}, in per cent.",
        ),
        Wording(
            _words(shares, lambda row, _: hundredths(row)), f"In each cell {better}, in per cent."
        ),
    )


def _words(shares: Shares, write: Callable[[float, float], str]) -> Words:
    return tuple(
        tuple("" if np.isnan(row) else write(row, equal) for row, equal, _ in line)
        for line in shares.tolist()
    )


def _scale() -> Scale:
    """Return a scale for texts and marks, and the legend; bars will cover its one colour."""
    labels = ("row better", "practically equal", "column better")
    places = tuple(((i + 0.5) / 3, text) for i, text in enumerate(labels))
    blank = ListedColormap([TINTS[1]]).with_extremes(bad=NOTHING)
    return Scale(blank, Norm(0, 1), Legend("how a cell is filled", TINTS, places))


def _side(result: PosteriorAnswer) -> Side | None:
    best = {row.algorithm: probability(row.p_best) for row in result.best}
    return Side("P(best)", tuple(best[name] for name in result.order)) if best else None


def _caption(result: PosteriorAnswer) -> str:
    return (
        f"{where_from(result)}, {region(result.rope, ratios=result.scale.ratios)}. Cells are "
        f"filled by the three probabilities. Bold or marked: one of the three is above {SURE:g}."
    )


def _draw_bars(axes: Axes, page: Page, shares: Shares) -> None:
    """Fill each cell from left to right, a little inside its rules."""
    rule = 0.006
    boxes: tuple[list[Any], ...] = ([], [], [])
    for i, j in zip(*map(np.ndarray.tolist, np.nonzero(~np.isnan(shares[:, :, 0]))), strict=True):
        left, top, bottom = page.x(j) + rule, page.y(i) - rule, page.y(i + 1) + rule
        ends = left + (page.fit.width - 2 * rule) * np.cumsum(shares[i, j])
        for one, right in zip(boxes, ends.tolist(), strict=True):
            one.append(style.box(left, right, bottom, top))
            left = right
    for which, (one, colour) in enumerate(zip(boxes, TINTS, strict=True)):
        draw_tiles(axes, one, gid=f"bars:{which}", facecolors=colour, lw=0, zorder=2)
