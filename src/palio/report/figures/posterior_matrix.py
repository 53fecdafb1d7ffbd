"""All pairs of a posterior in one square: a cell is filled by what is probable of its pair.

Blue grows from the left with the probability that the row is better, vermillion from the right
with that of the column; what is left between them is practically equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.colors import Normalize as Norm
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.grid import Grid, Page, Side, Words, draw_grid
from palio.report.figures.outcomes import TINTS, where_from
from palio.report.figures.scales import Legend, Scale
from palio.report.numbers import hundredths, limit, probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_posterior_matrix"]

Summary = Mapping[str, Any]
Shares = NDArray[np.float64]

# A pair is decided when one of the three is more probable than this.
SURE = 0.95


def draw_posterior_matrix(summary: Summary) -> Figure:
    """Draw the three probabilities of every pair, rows against columns, best first.

    Parameters
    ----------
    summary : mapping
        The ``to_dict()`` of a posterior.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``bars:0`` (row better), ``bars:1`` (equal), ``bars:2``,
        ``marks``, ``name:svr``, ``side:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> pair = {"a": "svr", "b": "c45", "p_a_better": 0.7, "p_rope": 0.2, "p_b_better": 0.1}
    >>> figure = draw_posterior_matrix({
    ...     "kind": "posterior", "title": "Bayesian sign test", "n_datasets": 38, "rope": 0.01,
    ...     "measure": {"name": "accuracy", "higher_is_better": True},
    ...     "order": ["svr", "c45"], "pairs": [pair], "best": [],
    ... })
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|c45"].splitlines(), texts["cell:c45|svr"].splitlines()
    (['0.700', '= 0.200'], ['0.100', '= 0.200'])
    """
    names = summary["order"]
    shares = _shares(summary["pairs"], names)
    written = tuple(style.clean(name) for name in names)
    figure, axes, page = draw_grid(
        Grid(
            rows=written,
            columns=written,
            values=shares[:, :, 0],
            scale=_scale(),
            wordings=(
                _words(shares, lambda row, equal: f"{probability(row)}\n= {probability(equal)}"),
                _words(shares, lambda row, equal: f"{hundredths(row)}\n= {hundredths(equal)}"),
                _words(shares, lambda row, _: hundredths(row)),
            ),
            marked=_decided(shares),
            caption=_caption(summary),
            side=_side(summary),
        )
    )
    _draw_bars(axes, page, shares)
    return figure


def _shares(pairs: list[Summary], names: list[str]) -> Shares:
    """Return the probabilities (K, K, 3) as the row sees them, NaN where there is no pair."""
    at = {name: i for i, name in enumerate(names)}
    shares = np.full((len(names), len(names), 3), np.nan)
    for pair in pairs:
        i, j = at[pair["a"]], at[pair["b"]]
        three = [pair["p_a_better"], pair["p_rope"], pair["p_b_better"]]
        shares[i, j], shares[j, i] = three, three[::-1]
    return shares


def _words(shares: Shares, write: Callable[[float, float], str]) -> Words:
    return tuple(
        tuple("" if np.isnan(row) else write(row, equal) for row, equal, _ in line)
        for line in shares.tolist()
    )


def _decided(shares: Shares) -> NDArray[np.bool_]:
    return np.asarray(np.nan_to_num(shares).max(axis=-1) > SURE)


def _scale() -> Scale:
    """Return a scale for texts and marks, and the legend; bars will cover its one colour."""
    labels = ("row better", "practically equal", "column better")
    places = tuple(((i + 0.5) / 3, text) for i, text in enumerate(labels))
    blank = ListedColormap([TINTS[1]]).with_extremes(bad=style.PAPER)
    return Scale(blank, Norm(0, 1), Legend("how a cell is filled", TINTS, places))


def _side(summary: Summary) -> Side | None:
    best = {row["algorithm"]: probability(row["p_best"]) for row in summary["best"]}
    return Side("P(best)", tuple(best[name] for name in summary["order"])) if best else None


def _caption(summary: Summary) -> str:
    return (
        f"{where_from(summary)}, practically equal within ±{limit(summary['rope'])}. Cells are "
        "filled by the three probabilities. Numbers, as far as there is room: the probability "
        "that the row is better, in per cent where it has no point, and after = that both are "
        f"practically equal. Bold or marked: one of the three is above {SURE:g}."
    )


def _draw_bars(axes: Axes, page: Page, shares: Shares) -> None:
    """Fill each cell from left to right, a little inside its rules."""
    rule = 0.006
    boxes: tuple[list[Any], ...] = ([], [], [])
    for i, j in zip(*map(np.ndarray.tolist, np.nonzero(~np.isnan(shares[:, :, 0]))), strict=True):
        left, top, bottom = page.x(j) + rule, page.y(i) - rule, page.y(i + 1) + rule
        ends = left + (page.fit.width - 2 * rule) * np.cumsum(shares[i, j])
        for one, right in zip(boxes, ends.tolist(), strict=True):
            one.append([(left, bottom), (right, bottom), (right, top), (left, top)])
            left = right
    for which, (one, colour) in enumerate(zip(boxes, TINTS, strict=True)):
        look: dict[str, Any] = {"facecolors": colour, "lw": 0, "zorder": 2}
        bars = PolyCollection(one, gid=f"bars:{which}", **look)
        axes.add_collection(bars, autolim=False)
