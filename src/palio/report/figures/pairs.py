"""The outcomes of a pair of a posterior: three things can be true of it.

Blue is for the first algorithm, grey for practically equal, vermillion for the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palio.numbers import probability
from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from palio.bayes.answer import Detail, PosteriorAnswer


COLOURS = (style.BLUE, "#8A9098", style.VERMILLION)
# Light enough for dark texts.
TINTS = ("#8FC3E4", "#E6E8EB", "#F4B184")

# Inches.
SWATCH, GAP = 0.09, 0.05


@dataclass(frozen=True)
class Outcome:
    """A region: its id (a, equal or b), its name in words, its probability and its colour."""

    key: str
    words: str
    probability: str
    colour: str


def outcomes(detail: Detail) -> tuple[Outcome, Outcome, Outcome]:
    """Return the outcomes of a pair: the first better, practically equal, the second better."""
    a, b = style.clean(detail.a), style.clean(detail.b)
    return (
        Outcome("a", f"{a} better", probability(detail.p_a_better), COLOURS[0]),
        Outcome("equal", "practically equal", probability(detail.p_rope), COLOURS[1]),
        Outcome("b", f"{b} better", probability(detail.p_b_better), COLOURS[2]),
    )


def label_width(outcome: Outcome) -> float:
    """Return the width of what `write_label` writes, in inches."""
    share = style.text_extent(outcome.probability, size=style.TITLE, bold=True).width
    words = style.text_extent(outcome.words, size=_size(outcome)).width
    return SWATCH + GAP + share + GAP + words


def _size(outcome: Outcome) -> float:
    """Return the size of the words: long names are smaller where there is little room."""
    room = style.column_width() - SWATCH - 2 * GAP - style.text_extent("<0.999", bold=True).width
    sizes = (style.SMALL, style.TINY) if style.is_narrow() else (style.SMALL,)
    fit = (size for size in sizes if style.text_extent(outcome.words, size=size).width <= room)
    return next(fit, sizes[-1])


def label_height() -> float:
    """Return the height of what `write_label` writes, in inches."""
    return style.text_height(style.TITLE)


def write_label(axes: Axes, outcome: Outcome, left: float, middle: float) -> None:
    """Write a swatch, the probability in bold, and the outcome in words on one line."""
    swatch = style.box(left, left + SWATCH, middle - SWATCH / 2, middle + SWATCH / 2)
    gid = f"swatch:{outcome.key}"
    style.draw_shapes(axes, [swatch], facecolors=outcome.colour, lw=0, gid=gid)
    x = left + SWATCH + GAP
    share, gid = outcome.probability, f"probability:{outcome.key}"
    style.write(axes, x, middle, share, size=style.TITLE, bold=True, gid=gid)
    x += style.text_extent(share, size=style.TITLE, bold=True).width + GAP
    gid = f"outcome:{outcome.key}"
    style.write_small(axes, x, middle, outcome.words, size=_size(outcome), gid=gid)


def where_from(result: PosteriorAnswer) -> str:
    """Say which model saw which scores."""
    measure = style.clean(result.measure.name)
    return f"{result.title} by {measure} on {style.count_datasets(result.n_datasets)}"
