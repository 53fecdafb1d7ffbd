"""The MultiTest graph shows the summary, and nothing that the summary denies."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.text import Text

from palio.report.figures import style
from tests.report.figures.summaries import (
    artists,
    corners,
    in_inches,
    names,
    optdigits,
    ordering,
    some_edges,
)
from tests.report.made import draw


def test_optdigits_is_the_papers_figure() -> None:
    summary = optdigits()
    figure = draw(summary)
    nodes = artists(figure, Circle, "node:")
    across = sorted(summary["prior"], key=lambda name: in_inches(nodes[f"{name}:whole"])[0])
    assert across == ["5nn", "c45", "lnp", "mlp", "svr", "svl", "sv2", "mdt"]
    titles = artists(figure, Text, "title:step")
    shown = [titles[str(i)].get_text() for i in range(1, 9)]
    order = ["svr", "svl", "sv2", "5nn", "mlp", "lnp", "mdt", "c45"]
    assert shown == [f"{i}. {name}" for i, name in enumerate(order, 1)]
    taken = to_rgba(style.ORANGE)
    shaded = {gid for gid, node in nodes.items() if node.get_facecolor() == taken}
    assert shaded == {f"{name}:step{i}" for i, name in enumerate(order, 1)}


def test_candidates_have_a_thick_outline_and_the_taken_are_gone() -> None:
    summary = optdigits()
    figure = draw(summary)
    nodes = artists(figure, Circle, "node:")
    gone = artists(figure, Circle, "gone:")
    before: set[str] = set()
    for step in summary["steps"]:
        here = f":step{step['place']}"
        panel = {gid.removesuffix(here): nodes[gid] for gid in nodes if gid.endswith(here)}
        assert set(panel) == set(summary["prior"]) - before
        assert {gid.removesuffix(here) for gid in gone if gid.endswith(here)} == before
        thick = {name for name, node in panel.items() if node.get_linewidth() > 1.5}
        assert thick == set(step["candidates"])
        before.add(step["taken"])


def test_an_arc_for_each_edge_that_is_left() -> None:
    summary = optdigits()
    figure = draw(summary)
    arcs = artists(figure, PathPatch, "arc:")
    assert {gid for gid in arcs if ":step" not in gid} == {f"{a}->{b}" for a, b in summary["edges"]}
    left = list(summary["prior"])
    for step in summary["steps"]:
        here = f":step{step['place']}"
        expected = {f"{a}->{b}{here}" for a, b in summary["edges"] if a in left and b in left}
        assert {gid for gid in arcs if gid.endswith(here)} == expected
        left.remove(step["taken"])
    assert artists(figure, Polygon, "head:").keys() == arcs.keys()


def test_arcs_rise_and_their_heads_touch_the_costlier() -> None:
    summary = optdigits()
    figure = draw(summary, steps=False)
    nodes = artists(figure, Circle, "node:")
    heads = artists(figure, Polygon, "head:")
    arcs = artists(figure, PathPatch, "arc:")
    for a, b in summary["edges"]:
        x, y, radius = in_inches(nodes[f"{b}:whole"])
        tip = heads[f"{a}->{b}"].get_xy()[0]
        assert math.dist(tip, (x, y)) == pytest.approx(radius)
        start = arcs[f"{a}->{b}"].get_path().vertices[0]
        x, y, radius = in_inches(nodes[f"{a}:whole"])
        assert math.dist(start, (x, y)) == pytest.approx(radius)
        assert arcs[f"{a}->{b}"].get_path().vertices[:, 1].min() > y


def test_complete_graph_of_twenty_has_190_arcs_on_the_page() -> None:
    prior = names(20, "short")
    figure = draw(ordering(prior, list(combinations(prior, 2))), steps=False)
    arcs = artists(figure, PathPatch, "arc:")
    assert len(arcs) == 190
    assert all(arc.get_path().get_extents().y1 < 0 for arc in arcs.values())


def test_arcs_stay_below_the_title() -> None:
    summary = optdigits()
    figure = draw(summary)
    canvas = FigureCanvasAgg(figure)
    titles = artists(figure, Text, "title:")
    for gid, arc in artists(figure, PathPatch, "arc:").items():
        panel = gid.rsplit(":", 1)[1] if ":" in gid else "whole"
        assert arc.get_window_extent().y1 < corners(titles[panel], canvas)[:, 1].min()


def test_without_steps_only_the_whole_graph() -> None:
    figure = draw(optdigits(), steps=False)
    assert len(artists(figure, Circle, "node:")) == 8
    assert list(artists(figure, Text, "title:")) == ["whole"]


def test_short_names_stand_beneath_the_nodes_of_every_step() -> None:
    figure = draw(optdigits())
    assert "mdt:step7" in artists(figure, Text, "name:")
    assert not artists(figure, Text, "number:")
    assert {text.get_rotation() for text in artists(figure, Text, "name:").values()} == {0}


def test_long_names_are_listed_once_and_numbered() -> None:
    prior = names(20, "long")
    figure = draw(ordering(prior, some_edges(prior)))
    assert set(artists(figure, Text, "name:")) == {f"{name}:whole" for name in prior}
    nodes = artists(figure, Circle, "node:")
    numbers = artists(figure, Text, "number:")
    assert nodes.keys() == numbers.keys()
    figure.set_dpi(style.DPI)
    canvas = FigureCanvasAgg(figure)
    for gid, number in numbers.items():
        assert number.get_text() == str(prior.index(gid.rsplit(":", 1)[0]) + 1)
        assert np.ptp(corners(number, canvas)[:, 0]) < 2 * nodes[gid].get_radius() * style.DPI


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "left to right by train_time"),
        ({"cost": {"train_time": 0.5, "space": 2.0}}, "by 0.5 × train_time + 2 × space"),
        ({"cost": None}, "the given prior order"),
        ({"cost": None}, "Arrows lead to a less preferred algorithm that is significantly better"),
        ({"posthoc": "nemenyi"}, "(nemenyi, α\u00a0=\u00a00.05)"),
        ({"edges": []}, "No arrows"),
    ],
)
def test_caption_says_what_is_shown(changes: dict[str, Any], said: str) -> None:
    figure = draw({**optdigits(), **changes}, steps=False)
    lines = [text for text in figure.findobj(Text) if text.get_gid() == "caption"]
    assert said in " ".join(line.get_text() for line in lines)


def test_title_names_the_method_and_the_data() -> None:
    def title(summary: dict[str, Any]) -> str:
        found = artists(draw(summary, steps=False), Text, "title:")
        return str(found["whole"].get_text())

    assert title(optdigits()) == "MultiTest on optdigits, accuracy"
    across = {"method": "multi2test", "dataset": None, "n_datasets": 38}
    assert title({**optdigits(), **across}) == "Multi²Test over 38 data sets, accuracy"
