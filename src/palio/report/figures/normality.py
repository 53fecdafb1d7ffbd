"""Whether the scores are about normal, as the analysis of variance takes them to be.

wainer2016 figures 2 and 3: the scores of each algorithm over the data sets, and of some data sets
over the algorithms, with the normal curves that fit best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.numbers import number, signed_alike
from palio.report.figures import style
from palio.report.figures.kinds import present
from palio.report.figures.pairs import where_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Binned, Histogram, Histograms, PosteriorAnswer

BARS = "#A9D0EA"

# Inches.
PAGE, PLOT, GAP, COLUMN_GAP, BLOCK_GAP = 7.0, 0.6, 0.05, 0.16, 0.16
# A panel, and one on a crowded page.
PANEL, NARROW_PANEL, CROWD = 1.2, 0.82, 40

# Of a normal curve.
POINTS = 301


def draw_normality(result: PosteriorAnswer) -> Figure:
    """Draw the scores as histograms under normal curves, a panel each.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``checks`` have histograms.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``heading:algorithms``, ``name:algorithms:svr``,
        ``bars:algorithms:svr``, ``curve:algorithms:svr``, and likewise for ``datasets``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "normality")
    >>> names = [text.get_gid() for text in figure.axes[0].texts if "name:" in text.get_gid()]
    >>> names[:3]
    ['name:algorithms:svr', 'name:algorithms:c45', 'name:datasets:australian']
    """
    page = _lay_out(result)
    figure, axes = page.canvas()
    top = -style.MARGIN
    for section in page.sections:
        _write_heading(axes, section, top)
        top -= style.text_height(style.BODY) + GAP
        for i, panel in enumerate(section.panels):
            row, column = divmod(i, page.columns)
            left = style.MARGIN + column * (page.panel + COLUMN_GAP)
            _draw_panel(axes, section, panel, (left, top - row * page.row(section)), page.panel)
        top -= page.rows(section) * page.row(section) + BLOCK_GAP
    return page.captioned(figure)


@dataclass(frozen=True)
class Panel:
    """A histogram, and its name in lines."""

    name: str
    lines: tuple[str, ...]
    histogram: Histogram


@dataclass(frozen=True)
class Section:
    """Panels of one kind."""

    key: str
    heading: str
    panels: tuple[Panel, ...]

    @property
    def title(self) -> float:
        """The height of the names above the panels, in inches."""
        lines = max(len(panel.lines) for panel in self.panels)
        return lines * style.LEADING * style.text_height(style.SMALL)


@dataclass(frozen=True)
class Page(style.Page):
    """Sections of panels in rows and columns."""

    sections: tuple[Section, ...]
    panel: float
    columns: int

    def rows(self, section: Section) -> int:
        """Return how many rows the panels of a section take."""
        return math.ceil(len(section.panels) / self.columns)

    def row(self, section: Section) -> float:
        """Return the height of such a row."""
        return section.title + PLOT + 2 * GAP

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        heading = style.text_height(style.BODY) + GAP + BLOCK_GAP
        above = sum(heading + self.rows(each) * self.row(each) for each in self.sections)
        return -style.MARGIN - above


def _lay_out(result: PosteriorAnswer) -> Page:
    found = present(result.checks.histograms)
    groups = (found.by_algorithm.names, found.by_dataset.names)
    wanted = PANEL if sum(map(len, groups)) <= CROWD else NARROW_PANEL
    words = {word for names in groups for name in names for word in style.clean(name).split()}
    # A name breaks at its spaces and nowhere else.
    wanted = max(wanted, style.widest(words, size=style.SMALL))
    inner = max(PAGE - 2 * style.MARGIN, wanted)
    columns = int((inner + COLUMN_GAP) / (wanted + COLUMN_GAP))
    panel = (inner + COLUMN_GAP) / columns - COLUMN_GAP
    sections = _sections(result, found, panel)
    return Page(_caption(result, found), inner, sections, panel, columns)


def _sections(
    result: PosteriorAnswer, found: Histograms, width: float
) -> tuple[Section, Section, Section]:
    some = style.some_datasets(len(found.by_dataset.names), result.n_datasets)
    algorithms, datasets = (
        _group(group, found.edges, width) for group in (found.by_algorithm, found.by_dataset)
    )
    model = (
        _rest(found.residuals, "residuals", width),
        _rest(found.dataset_effects, "effects of data sets", width),
    )
    return (
        Section("algorithms", "each algorithm, over the data sets", algorithms),
        Section("datasets", f"{some}, over the algorithms", datasets),
        Section("model", "in the model", model),
    )


def _group(group: Binned, edges: list[float], width: float) -> tuple[Panel, ...]:
    return tuple(
        Panel(style.clean(name), _lines(name, width), histogram)
        for name, histogram in group.by_name(edges).items()
    )


def _rest(found: Histogram, name: str, width: float) -> Panel:
    """Return a panel with an axis of its own, whose ends its name tells."""
    low, high = signed_alike([found.edges[0], found.edges[-1]])
    return Panel(name, _lines(f"{name}, {low} … {high}", width), found)


def _lines(name: str, width: float) -> tuple[str, ...]:
    return tuple(style.wrap(style.clean(name), width, size=style.SMALL))


def _caption(result: PosteriorAnswer, found: Histograms) -> str:
    low, high = number(found.edges[0]), number(found.edges[-1])
    return (
        f"{where_from(result)}. All axes of scores go from {low} to {high}. Lines: how normal "
        "distributions with the same means and standard deviations would fill the bars."
    )


def _write_heading(axes: Axes, section: Section, top: float) -> None:
    place: dict[str, Any] = {"ha": "left", "va": "top", "gid": f"heading:{section.key}"}
    style.write(axes, style.MARGIN, top, section.heading, bold=True, **place)


def _draw_panel(
    axes: Axes, section: Section, panel: Panel, corner: tuple[float, float], width: float
) -> None:
    left, top = corner
    tag = f"{section.key}:{panel.name}"
    small: dict[str, Any] = {"size": style.SMALL, "color": style.INK, "ha": "left", "va": "bottom"}
    name = "\n".join(panel.lines)
    base = top - section.title - GAP - PLOT
    style.write(axes, left, base + PLOT + GAP / 2, name, gid=f"name:{tag}", **small)
    edges, counts = np.asarray(panel.histogram.edges, dtype=np.float64), panel.histogram.counts
    xs = left + width * (edges - edges[0]) / (edges[-1] - edges[0])
    curve = panel.histogram.if_normal(POINTS)
    unit = PLOT / max(*counts, *curve, 1)
    boxes = [
        style.box(a, b, base, base + unit * count)
        for a, b, count in zip(xs.tolist(), xs[1:].tolist(), counts, strict=False)
        if count
    ]
    look: dict[str, Any] = {"facecolors": BARS, "edgecolors": style.PAPER, "lw": 0.3, "zorder": 1}
    style.draw_shapes(axes, boxes, gid=f"bars:{tag}", **look)
    ends = (left, left + width)
    style.draw_line(axes, ends, (base, base), color=style.MUTED, lw=0.7, zorder=2)
    if curve:
        places = np.linspace(*ends, POINTS)
        ys = [base + unit * height for height in curve]
        line: dict[str, Any] = {"color": style.VERMILLION, "lw": 1.0, "zorder": 3}
        style.draw_line(axes, places, ys, gid=f"curve:{tag}", **line)
