"""One look for every figure, and the tape measure that layouts are computed with.

Figures are laid out in inches: one axes covers the page and its data units are inches, so the
extent of a text, measured here, can be added to a distance without a change of units.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from palio.errors import require
from palio.report.figures.fonts import families
from palio.words import joined

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours: apart for colour-blind readers, and apart in grey.
BLUE = "#0072B2"
ORANGE = "#E69F00"
VERMILLION = "#D55E00"
INK = "#1A1A1A"
MUTED = "#5F6368"
FAINT = "#C9CCD1"
PAPER = "#FFFFFF"

# The colours of lines without the yellow, which white paper swallows; then the same, dashed.
LINES = (BLUE, VERMILLION, "#009E73", "#CC79A7", ORANGE, "#56B4E9")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.4, 1.2)), (0, (5, 1.4, 1.2, 1.4)))

# Points. A figure printed at its own size stays above the six points that journals ask for,
# but for the numbers inside the nodes of large graphs.
TITLE = 9.0
BODY = 8.5
SMALL = 7.0
TINY = 6.0

# Inches of white around everything.
MARGIN = 0.12

# Inches of white below what has a gap below it already.
LAST = 0.03

# From one line of a paragraph to the next, as a multiple of a line's height.
LEADING = 1.2

# The resolution of the saved bitmap.
DPI = 200

# A screen, the saved bitmap, and one so fine that letters are spaced as in SVG and PDF: hinting
# makes the same text up to a tenth wider or narrower. A text is as large as the largest.
RESOLUTIONS = (100, DPI, 1200)
_NEARLY = 0.66  # (0.9 / 1.1)², and a little less

# What the saved file depends on, whatever the user's matplotlibrc says.
# (Any, for the releases of matplotlib type these keys differently.)
FILE_SETTINGS: Any = {
    "svg.hashsalt": "palio",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "savefig.pad_inches": 0.0,
    "savefig.transparent": False,
    "text.usetex": False,
    "path.simplify": True,
}


@dataclass(frozen=True)
class Medium:
    """Where a figure is looked at: how wide it may be, in inches, and whether it has a caption."""

    width: float
    captioned: bool


# A page writes the caption itself, at the size of its text; a panel is one of two beside each
# other, and narrow is the screen of a phone.
MEDIA = {
    "file": Medium(7.0, True),
    "page": Medium(7.0, False),
    "panel": Medium(5.4, False),
    "narrow": Medium(3.5, False),
}

_medium: ContextVar[Medium] = ContextVar("medium", default=MEDIA["file"])


@contextmanager
def drawn_for(medium: str) -> Iterator[None]:
    """Lay out what is drawn meanwhile for one of `MEDIA`."""
    require(medium in MEDIA, "medium", f"it is {joined(list(MEDIA), 'or')}", medium)
    token = _medium.set(MEDIA[medium])
    try:
        yield
    finally:
        _medium.reset(token)


def page_width() -> float:
    """Return how wide a figure may be, in inches."""
    return _medium.get().width


def is_narrow() -> bool:
    """Whether there is only the width of a phone."""
    return _medium.get() is MEDIA["narrow"]


def is_paper() -> bool:
    """Whether a figure may be wider than others where it has much to show."""
    return _medium.get().width >= MEDIA["file"].width


def column_width() -> float:
    """Return how wide what stands between the margins may be, in inches."""
    return page_width() - 2 * MARGIN


@dataclass(frozen=True)
class Extent:
    """The size of a text, in inches."""

    width: float
    height: float


@lru_cache(maxsize=len(RESOLUTIONS))
def _ruler(dpi: int) -> tuple[Figure, RendererAgg]:
    figure = Figure(figsize=(1, 1), dpi=dpi)
    untyped: Any = FigureCanvasAgg(figure)
    return figure, untyped.get_renderer()


def clean(name: object) -> str:
    r"""Return a name as one line: figures have no room for tabs and line breaks.

    Examples
    --------
    >>> clean("random\n forest")
    'random forest'
    """
    return " ".join(str(name).split())


def count_datasets(n: int) -> str:
    """Return a number of data sets in words.

    Examples
    --------
    >>> count_datasets(38), count_datasets(1)
    ('38 data sets', '1 data set')
    """
    return f"{n} data set" if n == 1 else f"{n} data sets"


def some_datasets(n: int, whole: int) -> str:
    """Return so many of all data sets in words.

    Examples
    --------
    >>> some_datasets(36, 38), some_datasets(38, 38)
    ('36 of 38 data sets', '38 data sets')
    """
    return f"{n} of {count_datasets(whole)}" if n < whole else count_datasets(n)


@lru_cache(maxsize=4096)
def text_extent(text: str, *, size: float = BODY, bold: bool = False) -> Extent:
    """Measure a horizontal line of text as the Agg renderer draws it.

    Parameters
    ----------
    text : str
        One line.
    size : float
        The font size in points.
    bold : bool
        Whether the text is bold.

    Returns
    -------
    Extent
        Width and height in inches. The height is that of a line with ascenders and descenders.

    Examples
    --------
    >>> text_extent("mmm").width > text_extent("iii").width
    True
    >>> abs(text_extent("a").height - text_extent("g").height) < 0.01
    True
    """
    sizes = [_measure(text, size, bold, dpi) for dpi in RESOLUTIONS]
    return Extent(max(width for width, _ in sizes), max(height for _, height in sizes))


@lru_cache(maxsize=8192)
def _measure(text: str, size: float, bold: bool, dpi: int) -> tuple[float, float]:
    figure, renderer = _ruler(dpi)
    # The text is not added to the figure, so that two threads may measure at once.
    probe = Text(0, 0, text, **_font(text, size, bold))
    probe.set_figure(figure)
    box = probe.get_window_extent(renderer)
    return float(box.width) / dpi, float(box.height) / dpi


def text_height(size: float) -> float:
    """Return the height of one line of text, in inches."""
    return text_extent("lp", size=size).height


def widest(texts: Iterable[str], *, size: float = BODY, bold: bool = False) -> float:
    """Return the width of the widest of some texts, in inches; of none it is 0."""
    # By a tenth up or down at each resolution: what is far behind at one is behind at all.
    about = {text: _measure(text, size, bold, RESOLUTIONS[0])[0] for text in texts}
    least = _NEARLY * max(about.values(), default=0.0)
    near = [text for text, width in about.items() if width >= least]
    return max((text_extent(text, size=size, bold=bold).width for text in near), default=0.0)


def largest_within(room: float) -> float:
    """Return the largest font whose lines are no higher than ``room``, in inches."""
    sizes = (BODY, SMALL, TINY)
    return next((size for size in sizes if text_height(size) <= room), TINY)


def wrap(text: str, width: float, *, size: float = SMALL) -> list[str]:
    """Break a text into lines no wider than ``width`` inches, at spaces.

    No-break spaces do not break. A single word wider than that keeps a line of its own: a name
    is never cut.

    Examples
    --------
    >>> wrap("one two", 10)
    ['one two']
    >>> wrap("one two", 0.1)
    ['one', 'two']
    """
    lines: list[str] = []
    space = text_extent("a b", size=size).width - text_extent("ab", size=size).width
    reached = 0.0  # about; a line is measured as a whole only where it may be too long
    for word in text.split(" "):
        more = text_extent(word, size=size).width
        longer = f"{lines[-1]} {word}" if lines else word
        fits = 1.02 * (reached + space + more) <= width
        if lines and (fits or text_extent(longer, size=size).width <= width):
            lines[-1] = longer
            reached += space + more
        else:
            lines.append(word)
            reached = more
    return lines


def fold(
    name: str, width: float, *, size: float, bold: bool = False, anywhere: bool = False
) -> list[str]:
    """Break a name into few lines of about one length, after spaces, hyphens and the like.

    A word that is wider keeps a line of its own, unless it may be broken ``anywhere``.

    Examples
    --------
    >>> fold("sentence-transformers__all MiniLM", 1.2, size=7.0)
    ['sentence-', 'transformers__', 'all MiniLM']
    """
    wide = partial(_width, size=size, bold=bold)
    fewest = _fold(name, width, wide)
    narrower = (_fold(name, share * width, wide) for share in (0.5, 0.6, 0.7, 0.8, 0.9))
    lines = next((lines for lines in narrower if len(lines) == len(fewest)), fewest)
    if not anywhere:
        return lines
    return [piece for line in lines for piece in _pieces(line, width, wide)]


def _width(text: str, *, size: float, bold: bool) -> float:
    return text_extent(text, size=size, bold=bold).width


def _pieces(line: str, width: float, wide: Callable[[str], float]) -> Iterator[str]:
    while (whole := wide(line)) > width and len(line) > 1:
        end = max(1, int(len(line) * width / whole))
        while end > 1 and wide(line[:end]) > width:
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line


def _fold(name: str, width: float, wide: Callable[[str], float]) -> list[str]:
    """Break a name into lines no wider than ``width`` inches, but for a word that is wider."""
    lines = [""]
    for part in re.split(r"(?<=[-_/. ])(?=[^-_/. ])", name):
        longer = lines[-1] + part
        if not lines[-1] or wide(longer.rstrip()) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return [line.rstrip() for line in lines]


Box = tuple[float, float, float, float]


class Area(NamedTuple):
    """A part of a figure that stands for an algorithm, or two: left, right, bottom and top."""

    names: tuple[str, ...]
    box: Box


class Drawn(Figure):
    """A figure that a notebook shows, with or without pyplot, which it does not belong to.

    It keeps its caption, be it drawn or not, and the areas that a page can point at.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.caption = ""
        self.areas: list[Area] = []

    def _repr_png_(self) -> bytes:
        from palio.report.files import rendered

        return rendered(self, ".png")


def mark(figure: Figure, box: Box, *names: str) -> None:
    """Let a part of a figure, in inches, stand for an algorithm, or for a pair."""
    if isinstance(figure, Drawn):
        figure.areas.append(Area(names, box))


def canvas(width: float, height: float) -> tuple[Drawn, Axes]:
    """Return a white figure of this size whose one axes is measured in inches.

    The origin is the upper left corner and heights below it are negative: layouts are computed
    from the top down, and end where they end.

    Examples
    --------
    >>> figure, axes = canvas(3.5, 2)
    >>> [float(x) for x in (*axes.get_xlim(), *axes.get_ylim())]
    [0.0, 3.5, -2.0, 0.0]
    """
    figure = Drawn(figsize=(width, height), dpi=100, facecolor=PAPER)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(-height, 0))
    axes.set_axis_off()
    return figure, axes


def _font(text: str, size: float, bold: bool) -> dict[str, Any]:
    """Return the text properties; a dollar sign in a name is a dollar sign, not mathematics."""
    weight = "bold" if bold else "normal"
    return {
        "fontsize": size,
        "fontweight": weight,
        "fontfamily": families(text),
        "parse_math": False,
        "usetex": False,
    }


def write(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float = BODY,
    bold: bool = False,
    color: str = INK,
    va: str | None = None,
    **placing: Any,
) -> Text:
    """Put a text at a point in inches; ``placing`` is matplotlib's ``ha`` and the like."""
    if va is None:  # the baseline of several lines would be that of the first
        va = "center" if "\n" in text else "center_baseline"
    return axes.text(x, y, text, color=color, va=va, **_font(text, size, bold), **placing)


write_small = partial(write, size=SMALL, color=MUTED)


def line_look(i: int) -> dict[str, Any]:
    """Return how to tell the line with a number from those of all others."""
    return {"color": LINES[i % len(LINES)], "linestyle": DASHES[i // len(LINES) % len(DASHES)]}


def draw_line(axes: Axes, xs: Any, ys: Any, **look: Any) -> None:
    """Draw one line through points in inches."""
    axes.add_line(Line2D(xs, ys, **look))


def draw_lines(axes: Axes, lines: Sequence[Any], **look: Any) -> None:
    """Draw lines as one artist."""
    axes.add_collection(LineCollection(lines, **look), autolim=False)


def draw_shapes(axes: Axes, shapes: Sequence[Any], **look: Any) -> None:
    """Draw filled shapes as one artist."""
    axes.add_collection(PolyCollection(shapes, **look), autolim=False)


def box(left: float, right: float, bottom: float, top: float) -> list[tuple[float, float]]:
    """Return the corners of a rectangle."""
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def paragraph(axes: Axes, x: float, top: float, lines: list[str], *, gid: str) -> None:
    """Write muted small lines downwards from ``top``."""
    for i, line in enumerate(lines):
        y = top - i * LEADING * text_height(SMALL)
        write_small(axes, x, y, line, gid=gid, ha="left", va="top")


def paragraph_height(lines: list[str]) -> float:
    """Return the height of the lines that `paragraph` writes, in inches."""
    return (1 + LEADING * (len(lines) - 1)) * text_height(SMALL) if lines else 0.0


@dataclass(frozen=True)
class Page:
    """The measures of a figure in inches; heights are negative, from the top down.

    ``inner`` is the width between the margins, and ``text`` stands below everything else.
    """

    text: str
    inner: float

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins, a gap below everything else."""
        raise NotImplementedError

    @property
    def width(self) -> float:
        """The width of the page."""
        return self.inner + 2 * MARGIN

    @property
    def height(self) -> float:
        """The height of the page."""
        if not self.caption:  # the gap before a caption will do
            return LAST - self.caption_top
        return paragraph_height(self.caption) + MARGIN - self.caption_top

    @cached_property
    def caption(self) -> list[str]:
        """The lines of the caption that are drawn."""
        return wrap(self.text, self.inner) if _medium.get().captioned else []

    def canvas(self) -> tuple[Drawn, Axes]:
        """Return a figure of this size, and what it is drawn on."""
        figure, axes = canvas(self.width, self.height)
        figure.caption = self.text
        return figure, axes

    def captioned(self, figure: Figure) -> Figure:
        """Write the caption, which is the last to be read."""
        paragraph(figure.axes[0], MARGIN, self.caption_top, self.caption, gid="caption")
        return figure
