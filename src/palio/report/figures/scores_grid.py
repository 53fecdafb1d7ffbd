"""Every algorithm on every data set: its place there or its score, and what is no score of its own.

Places can be compared where scores cannot: data sets differ in difficulty, and some tables in what
was measured on each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.errors import ParameterError
from palio.numbers import brief, number, share
from palio.report.figures import style
from palio.report.figures.extent import (
    MOST_COLUMNS,
    Extent,
    columns_of,
    extent_of,
    sorted_by,
    standing_texts,
)
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import MOST_WRITTEN, Grid, Side, Wording
from palio.report.figures.kinds import comparison_of
from palio.report.figures.scales import SHADES, Scale, worst_to_best
from palio.words import joined, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.report.figures.states import State
    from palio.types import BoolArray, FloatArray, IntArray

WAYS = ("place", "score")


# On a phone more could not be told apart.
FEW_COLUMNS = 60

# Few far-off scores would leave one colour for all the others.
OUTER = (0.02, 0.98)


def draw_scores_grid(result: Comparison | Ordering, *, by: str = "place") -> Figure:
    """Draw the place or the score of each algorithm on each data set, the best algorithm first.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.
    by : {"place", "score"}
        What the colours follow: the place among all that have a score on the data set, or the
        score, where it is the same measure on every data set.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``name:svr``, ``heading:iris``, ``cell:svr|iris``, and
        ``imputed:…``, ``failed:…`` for cells that have no score of their own.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> scores = {"dataset": ["iris", "wine"], "svr": [0.9, 0.7], "c45": [0.8, None]}
    >>> figure = draw(palio.compare(palio.read_scores(scores, score="accuracy")), "scores-grid")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|iris"], texts["cell:c45|iris"], texts["key-label:never run"]
    ('1', '2', 'never run')
    """
    comparison = comparison_of(result)
    _check(by, comparison)
    shown = extent_of(comparison)
    at = np.array([comparison.algorithms.index(name) for name in shown.names])
    columns = columns_of(comparison, at, FEW_COLUMNS if style.is_narrow() else MOST_COLUMNS)
    cells = _Cells.of(comparison, at, columns)
    heading, standings = standing_texts(comparison, shown.names)
    values, scale, wordings = _by_place(cells) if by == "place" else _by_score(cells, comparison)
    figure, _, _ = draw_grid(
        Grid(
            rows=tuple(map(style.clean, shown.names)),
            columns=tuple(style.clean(comparison.compared.datasets[i]) for i in columns),
            values=values,
            scale=scale,
            wordings=wordings,
            marked=np.zeros(values.shape, dtype=np.bool_),
            caption=_caption(comparison, cells, shown, by),
            side=Side(heading, standings),
            narrow=True,
            states=cells.states,
            breaks=shown.breaks,
        )
    )
    return figure


def _check(by: str, comparison: Comparison) -> None:
    if by not in WAYS:
        raise ParameterError("by", f"must be {joined(list(map(repr, WAYS)), 'or')}", repr(by))
    if by == "score" and comparison.measure.is_ordinal:
        raise ParameterError(
            "by",
            f"{comparison.measure.why_ordinal}, so that one scale of colours cannot show all "
            "scores",
            "'score'",
            "'place' shows the place on each data set",
        )


class _Cells(NamedTuple):
    """What is shown of a comparison, a row for each algorithm and a column for each data set."""

    scores: FloatArray
    places: FloatArray
    among: IntArray
    states: dict[State, BoolArray]

    @classmethod
    def of(cls, comparison: Comparison, rows: IntArray, columns: IntArray) -> _Cells:
        """Take some of the algorithms and data sets; places are those among all algorithms."""
        compared = comparison.compared
        places, among = compared.places
        gone = np.isnan(compared.values)
        none = np.zeros_like(gone)
        failed = none if compared.failed is None else compared.failed & gone
        imputed = none if compared.imputed is None else compared.imputed

        def some(cells: Any) -> Any:
            return cells[np.ix_(columns, rows)].T

        states: dict[State, BoolArray] = {
            "imputed": some(imputed),
            "failed": some(failed),
            "never run": some(gone & ~failed),
        }
        return cls(some(compared.values), some(places), among[columns], states)

    @property
    def alone(self) -> bool:
        """Whether somebody has the only score on a data set."""
        return bool(((self.among == 1) & ~np.isnan(self.places)).any())


def _by_place(cells: _Cells) -> tuple[FloatArray, Scale, tuple[Wording, ...]]:
    """Colour from the last place, 0, to the first, 1, whatever the number of scores."""
    last = np.where(cells.among > 1, cells.among - 1.0, np.nan)
    values = 1.0 - (cells.places - 1.0) / last
    values = np.where(np.isnan(values) & ~np.isnan(cells.places), 0.5, values)
    labels = ((0.0, "last"), (0.5, "middle"), (1.0, "first"))
    scale = worst_to_best("place on the data set", labels)
    says = "In each cell the place on the data set; of equals the mean of theirs."
    return _shaded(values), scale, (Wording.of(cells.places, share, says),)


def _by_score(
    cells: _Cells, comparison: Comparison
) -> tuple[FloatArray, Scale, tuple[Wording, ...]]:
    """Colour by score, the best darkest; the few that lie far off have the colours of the ends."""
    measure = comparison.measure
    turned = measure.turned(cells.scores)
    there = turned[~np.isnan(turned)]
    low, high = _limits(there)
    sign = 1 if measure.higher_is_better else -1
    ends = [brief(sign * end) for end in (low, high)]
    beyond = (there.min() < low, there.max() > high)
    labels = (
        (0.0, f"{ends[0]} or worse" if beyond[0] else ends[0]),
        (1.0, f"{ends[1]} or better" if beyond[1] else ends[1]),
    )
    title = f"{style.clean(measure.name)}, {measure.direction}"
    scale = worst_to_best(title, labels)
    values = np.clip((turned - low) / (high - low), 0, 1) if high > low else 0 * turned + 0.5
    says = "In each cell the score."
    wordings = tuple(Wording.of(cells.scores, write, says) for write in (number, brief))
    return _shaded(values), scale, wordings


def _limits(scores: FloatArray) -> tuple[float, float]:
    """Return the ends of the scale, without the few scores that would take most of it."""
    lowest, low, high, highest = np.quantile(scores, (0.0, *OUTER, 1.0)).tolist()
    far = highest - lowest > 2 * (high - low)
    return (low, high) if far and high > low else (lowest, highest)


def _shaded(values: FloatArray) -> FloatArray:
    """Round to shades where there are many cells."""
    if values.size <= MOST_WRITTEN:
        return values
    return np.asarray(np.round(values * (SHADES - 1)) / (SHADES - 1))


def _caption(comparison: Comparison, cells: _Cells, shown: Extent, by: str) -> str:
    n, whole = cells.scores.shape[1], comparison.n_datasets
    said = [f"{style.count_datasets(n)}, algorithms sorted by {sorted_by(comparison)}."]
    if n < whole:
        said = [
            f"The {n} of {whole} data sets where most of these have a score; algorithms sorted by "
            f"{sorted_by(comparison)} over all."
        ]
    if by == "place":
        said.append("Places are among all that have a score on the data set.")
        if cells.alone:
            said.append("Who is alone there is in the middle.")
    if comparison.missing is not None and comparison.missing.left_out:
        left = [each.algorithm for each in comparison.missing.left_out]
        said.append(f"Left out, as they failed on most: {listed(left, limit=6)}.")
    return shown.caption(*said)
