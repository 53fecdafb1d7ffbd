"""Figures in a dark scheme: the colours that they are drawn in, and what stands for each there.

Light and dark change places, and hues stay: lightness is mirrored in OKLab (Ottosson 2020), so that
what can be read on a colour can still be read. The rules stand in ``assets/figures.css``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from palio.report.figures import forest, pairs, posterior, scales, style

Triple = tuple[float, float, float]

# What has a role on the page has the page's colour; those of ink and paper in the dark.
ROLES = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--quiet)",
    style.FAINT: "var(--line)",
    style.PAPER: "var(--card)",
}
INK, CARD = "#ececec", "#1e2125"

# Texts are told from what they stand on by this, and lines and dots by that.
READABLE, VISIBLE = 4.5, 3.0

# What lines and shapes of the figures on pages are drawn in besides; and what fills cells alone.
STROKED = (*style.LINES, style.ORANGE, *pairs.COLOURS)
FILLED = (
    *pairs.TINTS, forest.SHADE, *posterior.PALE, *scales.WINS, *scales.LOSSES, scales.NEITHER,
    *scales.COUNTS, *scales.PLACES,
)  # fmt: skip

# Lightness of paper and ink: white becomes the dark card, ink nearly white.
_WHITE, _SLOPE = 1.13, 0.885


def dark_fill(colour: str) -> str:
    """Return what stands for a cell's colour in a dark scheme; its text can be read.

    Examples
    --------
    >>> dark_fill("#F0F1F3"), dark_fill("#0B5C94")
    ('#29292b', '#65ace9')
    """
    inked = scales.readable_on(np.array(to_rgb(colour))) == style.INK
    return _turned(colour, INK if inked else CARD, READABLE, -1 if inked else 1)


def dark_line(colour: str) -> str:
    """Return what stands for the colour of a line or a dot, which can be seen on a dark card.

    Examples
    --------
    >>> dark_line("#0072B2")
    '#3e99dc'
    """
    return _turned(colour, CARD, VISIBLE, 1)


def _turned(colour: str, beside: str, least: float, way: int) -> str:
    """Mirror the lightness, and go on to where the contrast is enough."""
    lightness, a, b = _oklab(to_rgb(colour))
    turned = _WHITE - _SLOPE * lightness
    while scales.contrast(found := _nearest((turned, a, b)), beside) < least:
        turned += way * 0.005
    return found


def _nearest(lab: Triple) -> str:
    """Return a colour with as much of its hue as a screen can show."""
    for share in range(20, -1, -1):
        rgb = _rgb((lab[0], lab[1] * share / 20, lab[2] * share / 20))
        if all(-1e-4 <= part <= 1 + 1e-4 for part in rgb):
            break
    red, green, blue = (min(max(part, 0.0), 1.0) for part in rgb)
    return to_hex((red, green, blue))


def dark_rules() -> str:
    """Return the rules of the style sheet, one for each colour and line."""
    return "\n".join(_rules())


def _rules() -> Iterator[str]:
    for colour, variable in ROLES.items():
        yield _rule(colour, variable, ("fill", "stroke"))
    for colour in _once(STROKED):
        yield _rule(colour, dark_line(colour), ("fill", "stroke"))
    for colour in _once(FILLED):
        if colour not in map(str.lower, (*STROKED, *ROLES)):
            yield _rule(colour, dark_fill(colour), ("fill",))


def _once(colours: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(colour.lower() for colour in colours))


def _rule(colour: str, shown: str, parts: Sequence[str]) -> str:
    rules = (f'.drawing [{part}="{colour.lower()}"] {{ {part}: {shown}; }}' for part in parts)
    return f"  {' '.join(rules)}"


# --- OKLab ----------------------------------------------------------------------------------------

_TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_LMS = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def _times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    x, y, z = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _oklab(rgb: Triple) -> Triple:
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    x, y, z = (part ** (1 / 3) for part in _times(_TO_LMS, (r, g, b)))
    return _times(_TO_LAB, (x, y, z))


def _rgb(lab: Triple) -> Triple:
    x, y, z = (part**3 for part in _times(_FROM_LAB, lab))
    r, g, b = (
        12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        for c in _times(_FROM_LMS, (x, y, z))
    )
    return r, g, b
