"""The critical-difference figure: mean ranks, and between whom no difference was found.

The line of Demšar (2006), as long as it can be read; else a list. Both show every group of a
comparison and nothing else: pairwise tests may give groups with a stranger among them in mean-rank
order, and a bar is dotted where it passes one. Against a control there are no groups: a full dot
marks an algorithm that differs from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from palio.comparison.pair_tests import PAIR_TESTS
from palio.report.figures import style
from palio.report.figures.extent import extent_of
from palio.report.figures.kinds import comparison_of
from palio.report.figures.mean_ranks import Ranks, unbroken
from palio.report.figures.rank_line import draw_line, lay_out_line
from palio.report.figures.rank_list import draw_list, drawable, lay_out_list

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering


def draw_critical_difference(result: Comparison | Ordering) -> Figure:
    """Draw the mean ranks of a comparison, or of the comparison inside an ordering.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``name:svr``, ``rank:svr``, ``bar:svr|svl``; ``leader:svr`` in a
        line, ``at:svr`` in a list; against a control ``differs:svr``, ``same:svl`` and
        ``control:c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008")
    >>> found = palio.compare(table, test="mean-ranks", correction="nemenyi")
    >>> figure = draw(found, "critical-difference")
    >>> [line.get_gid() for line in figure.axes[0].lines if line.get_gid().startswith("bar")]
    ['bar:svr|svl', 'bar:svl|mlp', 'bar:mlp|lnp|sv2|5nn|c45|mdt']
    """
    comparison = comparison_of(result)
    extent = extent_of(comparison)
    shown = Ranks.of(comparison, extent)
    said = [_of_ranks(comparison)]
    if shown.verdicts:
        control = shown.names[shown.verdicts.index("control")]
        said.append(f"A full dot marks what differs significantly from the control, {control}.")
    elif not drawable(shown) or not comparison.groups:
        shown = replace(shown, groups=())
        said.append("There are too many groups to draw. The comparison matrix shows every pair.")
    elif not shown.groups:
        said.append("Every two differ significantly.")
    bars = [_of_bars(shown)] if shown.groups else []
    # On a line, what stands between the ranks of another part would seem to be ordered with them.
    if len(comparison.components) == 1:
        line = lay_out_line(shown, extent.caption(*said, *bars))
        if line.legible:
            return draw_line(line)
    dots = [_DOTS] if shown.groups else []
    return draw_list(lay_out_list(shown, extent.caption(*said, *dots)))


def _of_ranks(comparison: Comparison) -> str:
    """Say what the numbers are."""
    n, whole = comparison.n_complete, comparison.n_datasets
    if n == whole or PAIR_TESTS[comparison.method].on_ranks:
        return f"Mean ranks over {style.some_datasets(n, whole)}; 1 is best."
    return (
        f"Mean ranks over {style.count_datasets(whole)}, adjusted for those that each lacks; 1 is "
        "best."
    )


_DOTS = "No significant difference was found between algorithms on the dots of one bar."


def _of_bars(shown: Ranks) -> str:
    """Say what the bars of a line mean."""
    if all(map(unbroken, shown.groups)):
        return "A bar joins algorithms between which no significant difference was found."
    return (
        "A bar joins algorithms between which no significant difference was found; one with dots "
        "joins only those on its dots."
    )
