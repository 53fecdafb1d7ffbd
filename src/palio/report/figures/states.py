"""Cells without a score of their own: made up by a rule, failed, never run.

Each has its own sign, so that no two of them differ by colour alone: a cell cut in half was
imputed, a cross failed, and what was never run is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

State = Literal["imputed", "failed", "never run"]
Box = tuple[float, float, float, float]

# Inches.
SAMPLE, SAMPLE_GAP, BETWEEN = (0.16, 0.11), 0.05, 0.22
LARGEST_CROSS, LARGEST_CORNER = 0.12, 0.075

# The share of a cell that its sign takes.
REACH = 0.62


def draw_state(
    axes: Axes, state: State, boxes: Sequence[Box], *, colour: str, written: bool
) -> None:
    """Draw the sign of a state on cells, given as left, right, bottom and top, in inches.

    Where numbers are ``written`` in the cells, an imputed one has its corner cut off, not a half.
    """
    if not boxes:
        return
    look: dict[str, Any] = {"zorder": 3, "gid": f"{state}:{colour}".replace(" ", "-")}
    if state == "imputed":
        shapes = [_corner(box) if written else _half(box) for box in boxes]
        style.draw_shapes(axes, shapes, facecolors=colour, lw=0, **look)
    elif state == "failed":
        strokes = [line for box in boxes for line in _cross(box)]
        width = 0.5 if _smaller_side(boxes[0]) < 0.06 else 0.9
        style.draw_lines(axes, strokes, colors=style.VERMILLION, linewidths=width, **look)


def _smaller_side(box: Box) -> float:
    left, right, bottom, top = box
    return min(right - left, top - bottom)


def _half(box: Box) -> list[tuple[float, float]]:
    left, right, bottom, top = box
    return [(left, top), (right, top), (right, bottom)]


def _corner(box: Box) -> list[tuple[float, float]]:
    _, right, _, top = box
    side = min(LARGEST_CORNER, 0.4 * _smaller_side(box))
    return [(right - side, top), (right, top), (right, top - side)]


def _cross(box: Box) -> list[list[tuple[float, float]]]:
    left, right, bottom, top = box
    x, y = (left + right) / 2, (bottom + top) / 2
    dx, dy = (min(LARGEST_CROSS, REACH * side) / 2 for side in (right - left, top - bottom))
    return [[(x - dx, y - dy), (x + dx, y + dy)], [(x - dx, y + dy), (x + dx, y - dy)]]


# The key to the signs, in one line.


def key_width(states: Sequence[State]) -> float:
    """Return the width of the key to some states, in inches."""
    each = (SAMPLE[0] + SAMPLE_GAP + style.widest([state], size=style.SMALL) for state in states)
    return sum(each) + BETWEEN * max(0, len(states) - 1)


def key_height(states: Sequence[State]) -> float:
    """Return the height of the key to some states, in inches; of none it is 0."""
    return max(SAMPLE[1], style.text_height(style.SMALL)) if states else 0.0


def draw_key(
    axes: Axes, states: Sequence[State], left: float, top: float, *, fills: Any, written: bool
) -> None:
    """Draw a sample of each state, and what it is called; ``fills`` gives colours of scores."""
    fill, sign = (fills(0.25), style.INK) if written else (fills(0.75), style.PAPER)
    middle = top - key_height(states) / 2
    for state in states:
        box = (left, left + SAMPLE[0], middle - SAMPLE[1] / 2, middle + SAMPLE[1] / 2)
        made_up = state == "imputed"
        look: dict[str, Any] = {"facecolors": [fill] if made_up else style.PAPER}
        look.update(edgecolors=style.FAINT, lw=0.5, zorder=1, gid=f"key:{state}")
        style.draw_shapes(axes, [style.box(*box)], **look)
        draw_state(axes, state, [box], colour=sign, written=written)
        x = box[1] + SAMPLE_GAP
        style.write_small(axes, x, middle, state, ha="left", gid=f"key-label:{state}")
        left = x + style.widest([state], size=style.SMALL) + BETWEEN
