"""Figures on a dark screen: every colour has one that stands for it, and texts can be read."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from palio.report.figures import scales, style
from palio.report.figures.pairs import TINTS
from palio.report.figures.scales import contrast, readable_on
from palio.report.page import asset
from tests.report.figures import dark
from tests.report.figures.test_marks import DRAWN, inline
from tests.slow import mostly_slow

VARIABLE = re.compile(r"--(\w+): (#\w+);")
RULE = re.compile(r'\.drawing \[(fill|stroke)="(#\w+)"\] \{ \1: (.+?); \}')


def dark_page() -> dict[str, str]:
    """Return the page's own colours in a dark scheme."""
    block = asset("colours.css").split("prefers-color-scheme: dark")[1].split("@media")[0]
    return dict(VARIABLE.findall(block))


def turned() -> dict[tuple[str, str], str]:
    """Return what each colour becomes, by the style sheet."""
    page = dark_page()
    found = {}
    for part, colour, shown in RULE.findall(asset("figures.css")):
        variable = re.fullmatch(r"var\(--(\w+)\)", shown)
        found[part, colour] = page[variable[1]] if variable else shown
    return found


def test_the_style_sheet_has_the_rules_of_the_palette() -> None:
    assert dark.dark_rules() in asset("figures.css"), dark.dark_rules()
    # Paper is always light.
    before = asset("figures.css").split(dark.dark_rules())[0]
    assert before.rstrip().endswith("@media screen and (prefers-color-scheme: dark) {")


def test_ink_and_card_are_those_of_the_page() -> None:
    page = dark_page()
    assert (page["ink"], page["card"]) == (dark.INK, dark.CARD)


@pytest.mark.parametrize("k", mostly_slow([14, 30], 1))
@pytest.mark.parametrize("name", DRAWN)
def test_every_colour_of_a_figure_has_one_in_the_dark(name: str, k: int) -> None:
    known = turned()
    for node in inline(name, k).iter():
        for part in ("fill", "stroke"):
            colour = node.attrib.get(part, "none")
            assert colour == "none" or (part, colour) in known, (node.tag, part, colour)


def effective_fill(svg: ET.Element) -> list[tuple[str, str | None]]:
    """Return each text with the colour that it has, its own or that of a group around it."""
    found: list[tuple[str, str | None]] = []

    def walk(node: ET.Element, fill: str | None) -> None:
        fill = node.attrib.get("fill", fill)
        if node.tag == "text":
            found.append((node.text or "", fill))
        for child in node:
            walk(child, fill)

    walk(svg, None)
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_is_black_for_want_of_a_colour(name: str) -> None:
    assert [text for text, fill in effective_fill(inline(name, 14)) if fill is None] == []


def shown(colour: str) -> str:
    return turned()["fill", colour.lower()]


@pytest.mark.parametrize(
    "fill",
    [*scales.COUNTS, *scales.PLACES, *scales.WINS, *scales.LOSSES, scales.NEITHER, style.PAPER],
)
def test_texts_in_cells_can_be_read_in_both_schemes(fill: str) -> None:
    text = readable_on(np.array(to_rgb(fill)))
    assert contrast(text, fill) >= 4.5
    assert contrast(shown(text), shown(fill)) >= 4.5


def test_ink_can_be_read_on_what_is_never_asked() -> None:
    for fill in (*TINTS, style.ORANGE):
        assert contrast(style.INK, fill) >= 4.5
        assert contrast(shown(style.INK), shown(fill)) >= 4.4
    for text in (style.INK, style.MUTED):
        assert contrast(shown(text), shown(style.PAPER)) >= 4.5


def test_lines_can_be_seen_and_shades_told_apart() -> None:
    for colour in (style.BLUE, style.VERMILLION, style.ORANGE):
        assert contrast(shown(colour), dark_page()["card"]) >= 3.0
    for shades in (scales.COUNTS, scales.PLACES):
        assert len(set(map(shown, shades))) == len(shades)
        # The best is the lightest, the worst the darkest.
        light = [scales.luminance(to_rgb(shown(shade))) for shade in shades]
        assert light[0] < light[4] < light[12] < light[-1]
