"""What in a figure on a page stands for an algorithm, and what is said below it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

import palio
from palio.app.web.panels import PANELS
from palio.report.analysis import Report
from palio.report.figures import FIGURES, available, caption_of, draw
from palio.report.svg import inline_svg
from palio.results import Result
from palio.scores import ScoreTable

DRAWN = [name for name in PANELS if name in FIGURES]
SIZES = (3, 14, 30)

# Those that show a pair, or one against few others.
SOME = ("forest", "posterior")


def algorithms(k: int) -> list[str]:
    """Names that ids could be mistaken for, and data sets' names."""
    odd = ["1", "data 0", "a|b", "a->b", "<x>", "b:c", "a", "c"]
    return [*odd, *(f"algorithm {i}" for i in range(k))][:k]


@cache
def table(k: int, *, lower: bool = False) -> ScoreTable:
    rng = np.random.default_rng(k)
    scores = rng.uniform(0.5, 0.6, (12, k)) + np.linspace(0, 0.3, k)
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"data {i}" for i in range(12)],
        algorithms=algorithms(k),
        measure="error" if lower else "accuracy",
        costs={"train_time": np.exp(rng.normal(size=(12, k)))},
    )


@cache
def report(k: int, *, lower: bool = False) -> Report:
    return palio.analyse(table(k, lower=lower), cost="train_time", checks=[])


@cache
def part(name: str, k: int, *, lower: bool = False) -> Result:
    """Return what the workbench draws a panel from."""
    made = report(k, lower=lower)
    if "posterior" in name:
        return palio.bayes.anova(table(k, lower=lower), rope=0.01).answer()
    parts: dict[str, Any] = {"report": made, "ordering": made.ordering}
    found = parts.get(str(PANELS[name].part), made.comparison)
    assert found is not None
    return found  # type: ignore[no-any-return]


@cache
def inline(name: str, k: int, *, medium: str = "page", lower: bool = False) -> ET.Element:
    drawn = draw(part(name, k, lower=lower), name, medium=medium)
    svg = inline_svg(drawn, prefix="x", label=name, algorithms=algorithms(k))
    return ET.fromstring(svg)


def marked(svg: ET.Element) -> set[int]:
    return {
        int(node.attrib[key])
        for node in svg.iter()
        for key in ("data-a", "data-b")
        if key in node.attrib
    }


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("name", DRAWN)
def test_every_algorithm_has_a_mark(name: str, k: int) -> None:
    svg = inline(name, k, lower=k == 3)
    found = marked(svg)
    assert found <= set(range(k))
    assert len(found) >= 2
    if name not in SOME:
        assert found == set(range(k))


@pytest.mark.parametrize("name", DRAWN)
def test_a_text_that_is_an_algorithms_name_says_whose_it_is(name: str) -> None:
    names = algorithms(14)
    svg = inline(name, 14)
    for node in svg.iter("text"):
        # Numbers may be a graph's, or ranks.
        if "data-a" in node.attrib and node.text in names[1:]:
            assert names[int(node.attrib["data-a"])] == node.text
    # What is no algorithm has no mark: places above columns, data sets beside rows.
    heads = [node for node in svg.iter("text") if node.text == "data 0"]
    if name in ("forest", "scores-grid"):
        assert any("data-a" not in node.attrib for node in heads)


def test_groups_are_those_of_the_comparison() -> None:
    found = report(14).comparison
    assert found is not None
    place = {name: i for i, name in enumerate(algorithms(14))}
    wanted = {frozenset(place[name] for name in group) for group in found.groups if len(group) > 1}
    svg = inline("critical-difference", 14)
    groups = {
        frozenset(map(int, node.attrib["data-group"].split()))
        for node in svg.iter()
        if "data-group" in node.attrib
    }
    assert groups == wanted
    assert wanted


def test_arcs_lead_from_the_first_to_the_second() -> None:
    ordering = report(14).ordering
    place = {name: i for i, name in enumerate(algorithms(14))}
    svg = inline("multitest-graph", 14)
    pairs = {
        (int(node.attrib["data-a"]), int(node.attrib["data-b"]))
        for node in svg.iter()
        if "data-b" in node.attrib
    }
    assert pairs == {(place[a], place[b]) for a, b in ordering.overridden}
    assert pairs


@pytest.mark.parametrize(("k", "cells"), [(14, True), (30, False)])
def test_cells_of_a_matrix_stand_for_pairs_and_of_many_rows_and_columns(
    k: int, cells: bool
) -> None:
    for name in ("comparison-matrix", "posterior-matrix"):
        svg = inline(name, k)
        areas = next(node for node in svg.iter("g") if node.attrib.get("class") == "areas")
        pairs = [node for node in areas if "data-b" in node.attrib]
        assert len(pairs) == (k * (k - 1) if cells else 0)
        assert len(areas) == (k * k if cells else 2 * k)


@pytest.mark.parametrize("name", FIGURES)
def test_a_page_has_the_caption_as_text(name: str) -> None:
    parts = [part(each, 14) for each in DRAWN] + [palio.aggregate(table(3), n_resamples=50)]
    found = next((each for each in parts if name in available(each)), None)
    if found is None:
        pytest.skip("drawn from something else, on the same page")
    alone, file = draw(found, name, medium="page"), draw(found, name)
    lines = [text.get_text() for text in file.findobj(Text) if text.get_gid() == "caption"]
    assert caption_of(alone) == caption_of(file) == " ".join(lines)
    assert lines
    assert "caption" not in [text.get_gid() for text in alone.findobj(Text)]
    assert alone.get_size_inches()[1] < file.get_size_inches()[1]


def test_cells_of_one_colour_written_as_one_are_as_many_as_there_are() -> None:
    found = palio.compare(table(30), test="mean-ranks", correction="nemenyi")
    drawn = draw(found, "comparison-matrix", medium="page")
    mesh: Any = next(shape for shape in drawn.axes[0].collections if shape.get_gid() == "cells")
    values: Any = np.ma.asarray(mesh.get_array())
    corners: Any = mesh.get_coordinates()
    cell = 72 * 72 * abs(np.prod(corners[1, 1] - corners[0, 0]))
    below = -72 * corners[:, :, 1].min() + 1
    svg = ET.fromstring(inline_svg(drawn, prefix="x", label="y"))
    areas: dict[str, float] = {}
    for node in svg.iter("path"):
        boxes = re.findall(r"M\S+ ([\d.]+)h(-?[\d.]+)v(-?[\d.]+)h", node.attrib["d"])
        for y, across, down in boxes:
            fill = node.attrib.get("fill", "")
            if float(y) <= below:  # not the legend
                areas[fill] = areas.get(fill, 0.0) + abs(float(across) * float(down))
    colours = {value: to_hex(mesh.to_rgba(value)) for value in np.unique(values.compressed())}
    assert len(colours) > 2
    for value, colour in colours.items():
        n = int((values == value).sum())
        assert areas[colour] == pytest.approx(n * cell, rel=0.01)
    # Far fewer strokes than cells.
    assert sum(node.attrib["d"].count("M") for node in svg.iter("path")) < 30 * 29
