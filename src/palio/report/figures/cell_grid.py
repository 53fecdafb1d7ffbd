"""A study's table as a heat map: a cell for each row and column, darker where it is more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palio.numbers import as_printed, share
from palio.report.figures import style
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import Grid, Wording
from palio.report.figures.scales import sequential

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.studies.reproduction import CellGrid


def draw_cell_grid(result: CellGrid) -> Figure:
    """Draw a table's numbers by row and column; what is not there has no cell.

    Parameters
    ----------
    result : CellGrid
        Of a study.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``name:svr``, ``cell:svr|1``.

    Examples
    --------
    >>> from palio.studies.reproduction import CellGrid
    >>> grid = CellGrid("1", "times", {("svr", "1"): 3.0, ("c45", "2"): 1.0}, "How often.")
    >>> [text.get_text() for text in draw_cell_grid(grid).axes[0].texts][:2]
    ['3', '1']
    """
    rows, columns = (tuple(dict.fromkeys(cell[i] for cell in result.recomputed)) for i in (0, 1))
    values = np.full((len(rows), len(columns)), np.nan)
    for (row, column), value in result.recomputed.items():
        values[rows.index(row), columns.index(column)] = value
    high = float(np.nanmax(values))
    write = share if high > 1 else as_printed  # counts, or numbers with decimals
    figure, _, _ = draw_grid(
        Grid(
            rows=tuple(map(style.clean, rows)),
            columns=tuple(map(style.clean, columns)),
            values=values,
            scale=sequential(result.title, ((0.0, "0"), (1.0, write(high))), high=high),
            wordings=(Wording.of(values, write),),
            marked=np.zeros(values.shape, dtype=np.bool_),
            caption=result.caption,
            columns_title=result.columns_title,
        )
    )
    return figure
