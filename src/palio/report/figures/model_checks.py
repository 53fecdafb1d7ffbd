"""Whether a model would expect such scores, and whether they are about normal.

As in wainer2016 figures 2 to 4. Replicates against what was observed are after Gelman, Meng and
Stern (1996): a point for each draw, and the share of points above the diagonal is the posterior
predictive p-value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from palio.errors import require
from palio.numbers import number, probability, signed_alike
from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    AxisPage,
    draw_axis,
    draw_rules,
    limits_around,
    tick_texts,
    tick_values,
)
from palio.report.figures.kinds import present
from palio.report.figures.pairs import where_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Binned, Discrepancy, Histogram, Histograms, PosteriorAnswer

BARS = "#A9D0EA"

# Inches.
PAGE, PLOT, GAP, COLUMN_GAP, BLOCK_GAP = 7.0, 0.6, 0.05, 0.16, 0.16
# A panel, and one on a crowded page.
PANEL, NARROW_PANEL, CROWD = 1.2, 0.82, 40

# Of a normal curve.
POINTS = 301


def draw_normality(result: PosteriorAnswer, *, of: str | None = None) -> Figure:
    """Draw the scores as histograms under normal curves, a panel each.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``checks`` have histograms.
    of : {"algorithms", "datasets", "model"}, optional
        Only these panels.

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
    page = _lay_out(result, of)
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


def _lay_out(result: PosteriorAnswer, of: str | None) -> Page:
    found = present(result.checks.histograms)
    groups = (found.by_algorithm.names, found.by_dataset.names)
    wanted = PANEL if sum(map(len, groups)) <= CROWD else NARROW_PANEL
    words = {word for names in groups for name in names for word in style.clean(name).split()}
    # A name breaks at its spaces and nowhere else.
    wanted = max(wanted, style.widest(words, size=style.SMALL))
    inner = max(PAGE - 2 * style.MARGIN, wanted)
    columns = int((inner + COLUMN_GAP) / (wanted + COLUMN_GAP))
    panel = (inner + COLUMN_GAP) / columns - COLUMN_GAP
    sections = tuple(s for s in _sections(result, found, panel) if of in (None, s.key))
    require(len(sections) > 0, "of", "it is algorithms, datasets or model", of)
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


# Inches.
SIDE, TICK_GAP, TICK = 3.2, 0.06, 0.05


def draw_predictive_check(result: PosteriorAnswer) -> Figure:
    """Draw how far replicates are from the model, against how far what was observed is.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``checks`` have a discrepancy.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``points``, ``diagonal``, ``p-value``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "predictive-check")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "p-value"]
    ['p = 0.468']
    """
    check = present(result.checks.discrepancy)
    observed = np.asarray(check.observed, dtype=np.float64)
    replicated = np.asarray(check.replicated, dtype=np.float64)
    page = _lay_out_square(check, observed, replicated, _about_check(result, check))
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=page.top, bottom=page.bottom, page=page.width)
    _draw_upright(axes, page, check.name)
    ends = np.array(page.axis.limits)
    line: dict[str, Any] = {"color": style.INK, "lw": 1.0, "zorder": 3, "gid": "diagonal"}
    style.draw_line(axes, page.axis.at(ends), page.y(ends), **line)
    above = replicated > observed
    look: dict[str, Any] = {"s": 6.0, "alpha": 0.5, "linewidths": 0, "zorder": 2, "gid": "points"}
    colours = np.where(above, style.BLUE, style.VERMILLION)
    axes.scatter(page.axis.at(observed), page.y(replicated), c=colours.tolist(), **look)
    place: dict[str, Any] = {"ha": "left", "va": "top", "gid": "p-value"}
    text = f"p = {probability(check.p_value)}"
    style.write(axes, page.axis.ends[0], -style.MARGIN, text, size=style.TITLE, bold=True, **place)
    return page.captioned(figure)


@dataclass(frozen=True)
class SquarePage(AxisPage):
    """A square below the p-value."""

    gap: ClassVar[float] = 0.16

    @property
    def top(self) -> float:
        """The top of the square, below the p-value."""
        return -style.MARGIN - style.text_height(style.TITLE) - TICK_GAP

    @property
    def bottom(self) -> float:
        """The height of the axis below the square."""
        return self.top - SIDE

    def y(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights of values; both axes have the same limits."""
        return self.bottom + self.axis.at(values) - self.axis.ends[0]


def _lay_out_square(
    check: Discrepancy,
    observed: NDArray[np.float64],
    replicated: NDArray[np.float64],
    caption: str,
) -> SquarePage:
    limits = limits_around([observed, replicated], 0.04, least=1.0)
    ticks = tick_texts(tick_values(*limits))
    left = style.MARGIN + style.text_height(style.SMALL) + TICK_GAP + TICK + TICK_GAP
    left += style.widest(ticks, size=style.SMALL)
    axis = Axis(limits, (left, left + SIDE), f"{check.name}, observed")
    return SquarePage(caption, left + SIDE - style.MARGIN, axis)


def _about_check(result: PosteriorAnswer, check: Discrepancy) -> str:
    return (
        f"{where_from(result)}: how far what was observed, and what the model replicates, are "
        f"from the model, for {len(check.observed)} draws. p: the share of draws whose "
        "replicates are at least as far off, blue above the line; near 0 or 1 the model does not "
        "fit."
    )


def _draw_upright(axes: Axes, page: SquarePage, name: str) -> None:
    """Draw the ticks of the upright axis, their texts and the label."""
    ticks = tick_values(*page.axis.limits)
    left, right = page.axis.ends
    ys = page.y(np.array(ticks)).tolist()
    draw_rules(axes, [[(left - TICK, y), (right, y)] for y in ys], gid="upright-ticks")
    for y, text in zip(ys, tick_texts(ticks), strict=True):
        gid = f"upright-tick-label:{text}"
        style.write_small(axes, left - TICK - TICK_GAP / 2, y, text, ha="right", gid=gid)
    label = f"{name}, replicated"
    turned: dict[str, Any] = {"va": "center", "rotation": 90, "gid": "upright-label"}
    style.write_small(axes, style.MARGIN, page.top - SIDE / 2, label, **turned)
