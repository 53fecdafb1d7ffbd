"""The figures: every label readable and on the page, and nothing drawn that the summary denies."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.text import Text

from palio.errors import PalioError, ParameterError, UnknownNameError
from palio.report.figures import FIGURES, available, check_path, draw, save, style

Edges = Sequence[tuple[str, str]]

# Ulaş (2008): training times on optdigits, and Table 3.1 as {better: worse}.
OPTDIGITS_TIME = {
    "c45": 0.46,
    "mdt": 100.02,
    "mlp": 4.01,
    "lnp": 0.97,
    "svl": 27.86,
    "sv2": 49.53,
    "svr": 14.65,
    "5nn": 0.02,
}
OPTDIGITS_BETTER = {
    "mdt": ["c45"],
    "mlp": ["c45", "mdt", "lnp"],
    "lnp": ["c45"],
    "svl": ["c45", "mdt", "mlp", "lnp", "5nn"],
    "sv2": ["c45", "mdt", "mlp", "lnp", "5nn"],
    "svr": ["c45", "mdt", "mlp", "lnp", "5nn"],
    "5nn": ["c45", "mdt", "lnp"],
}


# Summaries, written as an ordering and a comparison would.


def ordering(prior: Sequence[str], edges: Edges, **changes: Any) -> dict[str, Any]:
    left, steps = list(prior), list[dict[str, Any]]()
    while left:
        out = {a for a, b in edges if b in left}
        candidates = [name for name in left if name not in out]
        taken = candidates[0]
        steps.append({"place": len(steps) + 1, "taken": taken, "candidates": candidates})
        left.remove(taken)
    order = [step["taken"] for step in steps]
    return {
        "kind": "ordering",
        "method": "multitest",
        "measure": {"name": "accuracy", "higher_is_better": True},
        "dataset": "optdigits",
        "n_datasets": 1,
        "cost": {"train_time": 1.0},
        "test": "5x2cv-f",
        "posthoc": None,
        "alpha": 0.05,
        "order": order,
        "prior": list(prior),
        "edges": [list(edge) for edge in edges],
        "steps": steps,
        "comparison": None,
        "notes": [],
        **changes,
    }


def optdigits() -> dict[str, Any]:
    prior = sorted(OPTDIGITS_TIME, key=lambda name: OPTDIGITS_TIME[name])
    edges = [
        (worse, better)
        for worse, better in combinations(prior, 2)
        if worse in OPTDIGITS_BETTER.get(better, [])
    ]
    return ordering(prior, edges)


def comparison(
    ranks: dict[str, float], groups: Sequence[Sequence[str]], cd: float | None = None
) -> dict[str, Any]:
    return {
        "kind": "comparison",
        "algorithms": list(ranks),
        "n_datasets": 38,
        "mean_ranks": ranks,
        "critical_difference": cd,
        "groups": [list(group) for group in groups],
        "pairs": [],
        "notes": [],
    }


def names(n: int, length: str) -> list[str]:
    if length == "short":
        return [f"a{i + 1}" for i in range(n)]
    return [f"gradient boosted trees {i + 1:02d}" for i in range(n)]


def some_edges(prior: Sequence[str], seed: int = 0) -> Edges:
    random = Random(seed)
    quality = {name: random.random() for name in prior}
    return [(a, b) for a, b in combinations(prior, 2) if quality[b] - quality[a] > 0.4]


def some_comparison(algorithms: Sequence[str], seed: int = 0) -> dict[str, Any]:
    random, n = Random(seed), len(algorithms)
    ranks = {name: random.uniform(1, n) for name in algorithms}
    order = sorted(ranks, key=lambda name: ranks[name])
    cd = 0.25 * n
    near = [[b for b in order[i:] if ranks[b] - ranks[a] < cd] for i, a in enumerate(order)]
    maximal = [g for g in near if not any(set(g) < set(other) for other in near)]
    return comparison(ranks, maximal, cd)


# Looking at what was drawn.


def artists(figure: Figure, kind: type, prefix: str) -> dict[str, Any]:
    found = {}
    for artist in figure.findobj(kind):
        gid = artist.get_gid() or ""
        if gid.startswith(prefix):
            assert gid not in found
            found[gid.removeprefix(prefix)] = artist
    return found


def corners(text: Text, canvas: FigureCanvasAgg) -> np.ndarray:
    """Return the four corners of a text in pixels, turned as the text is."""
    renderer: Any = canvas.get_renderer()  # type: ignore[no-untyped-call]
    angle = math.radians(text.get_rotation())
    if angle in (0, math.pi / 2):
        return np.asarray(text.get_window_extent(renderer).corners())[[0, 1, 3, 2]]
    anchor = text.get_transform().transform(text.get_position())
    text.set_rotation(0)
    flat = np.asarray(text.get_window_extent(renderer).corners())[[0, 1, 3, 2]] - anchor
    text.set_rotation(math.degrees(angle))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return np.asarray(flat @ turn.T + anchor)


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two rectangles meet: no side of either separates them."""
    for box in (a, b):
        for side in (box[1] - box[0], box[2] - box[1]):
            p, q = a @ side, b @ side
            if p.max() <= q.min() + 1e-6 or q.max() <= p.min() + 1e-6:
                return False
    return True


def check_texts(figure: Figure, dpi: float = style.DPI) -> None:
    """Every text lies on the page, and no two overlap."""
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    boxes = [corners(text, canvas) for text in texts]
    page = figure.bbox
    for text, box in zip(texts, boxes, strict=True):
        inside = box.min() >= 0 and box[:, 0].max() <= page.width and box[:, 1].max() <= page.height
        assert inside, f"{text.get_text()!r} leaves the page"
    low, high = np.array([b.min(axis=0) for b in boxes]), np.array([b.max(axis=0) for b in boxes])
    near = (low[:, None] < high[None]).all(axis=2) & (low[None] < high[:, None]).all(axis=2)
    for i, j in zip(*np.nonzero(np.triu(near, 1)), strict=True):
        both = f"{texts[i].get_text()!r} and {texts[j].get_text()!r}"
        assert not overlap(boxes[i], boxes[j]), f"{both} overlap"


def in_inches(circle: Circle) -> tuple[float, float, float]:
    x, y = np.asarray(circle.get_center())
    return float(x), float(y), circle.get_radius()


# Both figures.


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("n", range(2, 21))
def test_labels_of_the_graph_do_not_overlap(n: int, length: str) -> None:
    prior = names(n, length)
    check_texts(draw(ordering(prior, some_edges(prior, n))))


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("n", [*range(2, 21), 50])
def test_labels_of_the_line_do_not_overlap(n: int, length: str) -> None:
    check_texts(draw(some_comparison(names(n, length), n), "critical-difference"))


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("n", [8, 12, 20])
@pytest.mark.parametrize("dpi", [100, 1200])
def test_labels_do_not_overlap_on_a_screen_or_in_vectors(dpi: float, n: int, length: str) -> None:
    prior = names(n, length)
    check_texts(draw(ordering(prior, some_edges(prior))), dpi)
    check_texts(draw(some_comparison(prior), "critical-difference"), dpi)


@pytest.mark.parametrize("edges", ["none", "all"])
@pytest.mark.parametrize("n", [2, 8])
def test_labels_of_empty_and_complete_graphs(n: int, edges: str) -> None:
    prior = [f"method {'x' * i}" for i in range(n)]
    check_texts(draw(ordering(prior, list(combinations(prior, 2)) if edges == "all" else [])))


@pytest.mark.parametrize("figure", list(FIGURES))
def test_twenty_algorithms_fit_a_page(figure: str) -> None:
    prior = names(20, "long")
    summary = ordering(prior, some_edges(prior), comparison=some_comparison(prior))
    width, height = draw(summary, figure).get_size_inches()
    assert width <= 7.5
    assert height <= 11


def test_one_algorithm_is_no_reason_to_fail() -> None:
    check_texts(draw(ordering(["alone"], [])))
    check_texts(draw(comparison({"alone": 1.0}, [["alone"]]), "critical-difference"))


def test_names_are_not_mathematics_and_not_markup(tmp_path: Path) -> None:
    odd = ["$a_1$", "<b>&\"c'", "λ → µ", "two\nlines"]
    summary = ordering(odd, [(odd[0], odd[1])], cost={"$": 0.5, "time": 0.5})
    figure = draw(summary)
    check_texts(figure)
    shown = {text.get_text() for text in figure.findobj(Text)}
    assert {"$a_1$", "<b>&\"c'", "two lines"} <= shown
    assert save(figure, tmp_path / "odd.svg").stat().st_size > 0


# The graph.


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


# The line.


def x_of(figure: Figure) -> dict[str, float]:
    leaders = artists(figure, Line2D, "leader:")
    return {name: float(np.asarray(line.get_xdata())[0]) for name, line in leaders.items()}


def check_bars(figure: Figure, groups: Iterable[Sequence[str]]) -> None:
    """The bars are these groups, and each covers its members' leaders and no others."""
    bars = artists(figure, Line2D, "bar:")
    assert {frozenset(gid.split("|")) for gid in bars} == {frozenset(group) for group in groups}
    x = x_of(figure)
    spans = []
    for gid, bar in bars.items():
        left, right = np.asarray(bar.get_xdata())
        assert {name for name in x if left <= x[name] <= right} == set(gid.split("|"))
        spans.append((float(np.asarray(bar.get_ydata())[0]), left, right))
    for (y, left, right), (other_y, other_left, other_right) in combinations(spans, 2):
        assert y != other_y or right < other_left or other_right < left


def test_bars_over_groups() -> None:
    ranks = {"a": 1.4, "b": 2.0, "c": 3.1, "d": 3.5}
    groups = [["a", "b"], ["b", "c"], ["c", "d"]]
    check_bars(draw(comparison(ranks, groups, 1.2), "critical-difference"), groups)


@pytest.mark.parametrize("n", [5, 12, 20, 50])
def test_bars_over_random_groups(n: int) -> None:
    summary = some_comparison(names(n, "short"), n)
    groups = [group for group in summary["groups"] if len(group) > 1]
    check_bars(draw(summary, "critical-difference"), groups)


def test_no_bar_over_a_stranger() -> None:
    ranks = {"a": 1.2, "b": 2.1, "c": 2.9, "d": 3.8}
    figure = draw(comparison(ranks, [["a", "c"], ["c", "d"], ["b"]]), "critical-difference")
    check_bars(figure, [["c", "d"]])
    lines = [text.get_text() for text in figure.findobj(Text) if text.get_gid() == "caption"]
    assert "Not different, but not neighbours: a, c." in " ".join(lines)


def test_no_bar_over_a_stranger_with_the_same_mean_rank() -> None:
    ranks = {"a": 1.5, "b": 2.5, "c": 2.5, "d": 3.5}
    figure = draw(comparison(ranks, [["a", "b"], ["c", "d"]]), "critical-difference")
    check_bars(figure, [])


def test_a_near_stranger_is_not_touched() -> None:
    ranks = {"a": 1.0, "b": 2.499, "c": 2.5, "d": 4.0}
    figure = draw(comparison(ranks, [["a", "b"], ["c", "d"]]), "critical-difference")
    check_bars(figure, [["a", "b"], ["c", "d"]])


def segments(line: Line2D) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    points = [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]
    return list(pairwise(points))


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_leaders_do_not_cross(n: int) -> None:
    figure = draw(some_comparison(names(n, "short"), n), "critical-difference")
    leaders = artists(figure, Line2D, "leader:").values()
    for one, other in combinations(leaders, 2):
        for a, b in ((one, other), (other, one)):
            (down, _), (_, across) = segments(a), segments(b)
            (x, top), (_, bottom) = down
            left, right = sorted((across[0][0], across[1][0]))
            assert not (left < x < right and bottom < across[0][1] < top)


def test_equal_mean_ranks_have_their_own_labels() -> None:
    figure = draw(comparison(dict.fromkeys("abcd", 2.5), ["abcd"], 1.0), "critical-difference")
    check_texts(figure)
    check_bars(figure, ["abcd"])
    assert len(artists(figure, Text, "name:")) == 4
    assert {text.get_text() for text in artists(figure, Text, "rank:").values()} == {"2.50"}


def test_critical_difference_is_drawn_to_scale() -> None:
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    figure = draw(comparison(ranks, [], 1.25), "critical-difference")
    bar = artists(figure, Line2D, "critical-difference")[""]
    x = x_of(figure)
    assert np.ptp(bar.get_xdata()) == pytest.approx(1.25 * (x["b"] - x["a"]))
    assert artists(figure, Text, "critical-difference-label")[""].get_text() == "CD = 1.250"


def test_no_critical_difference_no_bar_for_it() -> None:
    figure = draw(comparison({"a": 1.0, "b": 2.0}, []), "critical-difference")
    assert not artists(figure, Line2D, "critical-difference")


def test_critical_difference_longer_than_the_axis() -> None:
    figure = draw(comparison({"a": 1.0, "b": 2.0}, [["a", "b"]], 5.0), "critical-difference")
    check_texts(figure)
    bar = artists(figure, Line2D, "critical-difference")[""]
    assert np.max(bar.get_xdata()) < figure.get_size_inches()[0]


def test_best_is_left_and_on_top() -> None:
    figure = draw(comparison({"b": 2.2, "a": 1.1, "c": 2.7}, [], 0.5), "critical-difference")
    x = x_of(figure)
    assert x["a"] < x["b"] < x["c"]
    label = artists(figure, Text, "name:")
    assert label["a"].get_position()[1] > label["b"].get_position()[1]
    assert label["a"].get_position()[0] < x["a"] < x["c"] < label["c"].get_position()[0]


def test_ordering_draws_its_comparison() -> None:
    inner = comparison({"a": 1.2, "b": 1.8}, [["a"], ["b"]], 0.3)
    figure = draw(ordering(["a", "b"], [], comparison=inner), "critical-difference")
    assert set(artists(figure, Text, "name:")) == {"a", "b"}


# What cannot be drawn.


def one_line(error: BaseException) -> str:
    assert "\n" not in str(error)
    return str(error)


def test_ordering_without_a_comparison_has_no_line() -> None:
    with pytest.raises(ParameterError, match="Multi²Test over several data sets") as caught:
        draw(optdigits(), "critical-difference")
    one_line(caught.value)
    assert available(optdigits()) == ["multitest-graph"]


def test_comparison_has_no_graph() -> None:
    summary = comparison({"a": 1.0, "b": 2.0}, [])
    with pytest.raises(ParameterError, match="drawn from an ordering") as caught:
        draw(summary)
    one_line(caught.value)
    assert available(summary) == ["critical-difference"]


def test_ordering_without_a_prior_has_no_graph() -> None:
    with pytest.raises(ParameterError, match="needs a prior order"):
        draw({"kind": "ordering", "method": "average-ranks", "order": ["a"]})


def test_unknown_figure_lists_the_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'multitest-graph'"):
        draw(optdigits(), "multitest-grpah")


def test_unknown_option() -> None:
    with pytest.raises(ParameterError, match="'multitest-graph', whose options are: steps"):
        draw(optdigits(), step=False)


def test_every_entry_goes_by_its_name() -> None:
    assert all(name == entry.name and entry.title for name, entry in FIGURES.items())


# Files.

MAGIC = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}


@pytest.fixture(scope="module")
def figure() -> Figure:
    return draw(optdigits())


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg", ".SVG"])
def test_saved_in_the_format_of_the_suffix(figure: Figure, suffix: str, tmp_path: Path) -> None:
    path = save(figure, tmp_path / f"graph{suffix}")
    content = path.read_bytes()
    assert content.startswith(MAGIC[suffix.lower()])
    assert len(content) > 5000
    assert [each.name for each in tmp_path.iterdir()] == [f"graph{suffix}"]


def test_bitmap_has_200_dots_per_inch(figure: Figure, tmp_path: Path) -> None:
    header = save(figure, tmp_path / "graph.png").read_bytes()[16:24]
    size = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")
    assert size == pytest.approx(tuple(200 * figure.get_size_inches()), abs=1)


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_the_same_figure_is_the_same_file(suffix: str, tmp_path: Path) -> None:
    one = save(draw(optdigits()), tmp_path / f"one{suffix}")
    two = save(draw(optdigits()), str(tmp_path / f"two{suffix}"))
    assert one.read_bytes() == two.read_bytes()
    assert b"<dc:date>" not in one.read_bytes()
    assert b"CreationDate" not in one.read_bytes()


def test_ids_are_in_the_svg(figure: Figure, tmp_path: Path) -> None:
    text = save(figure, tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert 'id="node:svr:step1"' in text
    assert 'id="arc:c45-&gt;svr"' in text


@pytest.mark.parametrize("name", ["graph.jpg", "graph", ".svg"])
def test_other_suffixes(figure: Figure, name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"must end in \.svg, \.png or \.pdf") as caught:
        save(figure, tmp_path / name)
    one_line(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["missing/graph.svg", "folder.svg", "file/graph.svg"])
def test_path_that_cannot_be_written(figure: Figure, name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").write_text("here")
    for attempt in (lambda path: save(figure, path), check_path):
        with pytest.raises(PalioError, match=r"cannot be written: .* a folder") as caught:
            attempt(tmp_path / name)
        one_line(caught.value)
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["file", "folder.svg"]


def test_an_interrupted_write_leaves_the_old_file(
    figure: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.svg"
    path.write_text("old")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PalioError, match="No space left on device"):
        save(figure, path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["graph.svg"]


def test_matplotlib_is_loaded_late_and_pyplot_never() -> None:
    script = (
        "import sys; import palio.report.figures as f; assert 'matplotlib' not in sys.modules\n"
        "f.draw({'kind': 'comparison', 'mean_ranks': {'a': 1, 'b': 2}}, 'critical-difference')\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
