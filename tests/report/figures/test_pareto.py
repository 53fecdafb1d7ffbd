"""Cost against score: who is named, where the points are, and what the line says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from palio.errors import ParameterError
from palio.measures import measure_named
from palio.ordering.tradeoff import dominance
from palio.stats.additive import log_costs
from palio.types import BoolArray, FloatArray
from tests.report.figures.summaries import one_line
from tests.report.made import available, draw


def pareto_front(goodness: FloatArray, cost: FloatArray) -> BoolArray:
    return np.asarray(~dominance(goodness[None], log_costs(cost[None])).any(axis=0))


def report(costs: list[float], scores: list[float], *, up: bool = True) -> dict[str, Any]:
    goodness = np.array(scores) if up else -np.array(scores)
    front = pareto_front(goodness, np.array(costs))
    return {
        "kind": "report",
        "front": {
            "cost": {"train_time": 1.0},
            "unit": "as measured",
            "measure": {"name": "accuracy", "higher_is_better": up},
            "points": [
                {"algorithm": f"a{i}", "cost": cost, "score": score, "on_front": bool(leads)}
                for i, (cost, score, leads) in enumerate(zip(costs, scores, front, strict=True))
            ],
        },
    }


def places(figure: Figure, kind: str) -> dict[str, tuple[float, float]]:
    found = {}
    artists: list[Any] = [*figure.axes[0].collections, *figure.axes[0].texts]
    for artist in artists:
        gid = artist.get_gid() or ""
        if not gid.startswith(f"{kind}:"):
            continue
        where = artist.get_offsets()[0] if kind == "point" else artist.get_position()
        found[gid.partition(":")[2]] = (float(where[0]), float(where[1]))
    return found


def test_dominance_by_hand() -> None:
    goodness, cost = np.array([3.0, 2.0, 2.0, 3.0]), np.array([5.0, 1.0, 2.0, 5.0])
    assert np.argwhere(dominance(goodness[None], log_costs(cost[None]))).tolist() == [[1, 2]]
    # Two that are equal in both leave each other on the front.
    assert pareto_front(goodness, cost).tolist() == [True, True, False, True]
    # Rounding is no difference.
    assert pareto_front(np.array([0.1 + 0.2, 0.3]), np.array([1.0, 1.0])).tolist() == [True, True]
    # Nor is a hundredth of a cost.
    assert pareto_front(np.array([0.4, 0.4]), np.array([1.0, 1.009])).tolist() == [True, True]
    assert pareto_front(np.array([0.4, 0.4]), np.array([1.0, 1.011])).tolist() == [True, False]


def test_dominance_goes_by_the_data_sets_that_both_have() -> None:
    # a is better than b wherever both are; over all it has the lower mean, as it alone has the
    # hard data set. c shares no data set with b.
    goodness = np.array([[0.9, 0.8, np.nan], [0.9, 0.8, np.nan], [0.1, np.nan, 0.05]])
    same = np.where(np.isnan(goodness), np.nan, 0.0)
    assert np.argwhere(dominance(goodness, same)).tolist() == [[0, 1], [0, 2]]


def test_front_against_every_pair() -> None:
    rng = np.random.default_rng(3)
    goodness, cost = rng.integers(0, 6, 40).astype(float), rng.integers(1, 6, 40).astype(float)
    for i, leads in enumerate(pareto_front(goodness, cost).tolist()):
        beaten = any(
            g >= goodness[i] and c <= cost[i] and (g > goodness[i] or c < cost[i])
            for g, c in zip(goodness, cost, strict=True)
        )
        assert leads != beaten


@pytest.mark.parametrize("costs", [[1.0, 2.0, 3.0], [0.001, 0.1, 1.0]])
def test_cheaper_is_left_and_higher_is_up(costs: list[float]) -> None:
    points = places(draw(report(costs, [0.7, 0.9, 0.8]), "pareto"), "point")
    assert points["a0"][0] < points["a1"][0] < points["a2"][0]
    assert points["a0"][1] < points["a2"][1] < points["a1"][1]
    if costs[0] == 0.001:  # logarithmic: two tens lie twice as far apart as one
        gap = points["a2"][0] - points["a1"][0]
        assert points["a1"][0] - points["a0"][0] == pytest.approx(2 * gap)


def test_the_front_is_always_named_and_names_do_not_touch() -> None:
    rng = np.random.default_rng(0)
    summary = report(np.exp(rng.normal(0, 2, 50)).tolist(), rng.normal(0.8, 0.05, 50).tolist())
    figure = draw(summary, "pareto")
    named = places(figure, "name")
    leaders = {p["algorithm"] for p in summary["front"]["points"] if p["on_front"]}
    assert leaders <= set(named)
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    boxes = [
        text.get_window_extent(renderer).shrunk(0.98, 0.9)
        for text in figure.axes[0].texts
        if (text.get_gid() or "").startswith("name:")
    ]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    missing = 50 - len(named)
    said = " ".join(t.get_text() for t in figure.axes[0].texts if t.get_gid() == "caption")
    assert (f"{missing} names have no room" in said) == (missing > 0)


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("costs", [[1.0, 1.0], [0.0, 5.0], [2.0, 2.0]])
def test_degenerate_planes(costs: list[float], up: bool) -> None:
    figure = draw(report(costs, [0.5, 0.5], up=up), "pareto")
    assert set(places(figure, "point")) == {"a0", "a1"}


def test_without_costs_there_is_no_front() -> None:
    assert available({"kind": "report", "front": None}) == []
    with pytest.raises(ParameterError, match="needs a cost of every algorithm") as caught:
        draw({"kind": "report", "front": None}, "pareto")
    one_line(caught.value)


def test_on_a_ratio_scale_the_axis_says_what_is_averaged() -> None:
    for measure, label, up in (
        (measure_named("accuracy"), "mean accuracy (higher is better)", True),
        (
            measure_named("rmse"),
            "geometric mean of rmse over each data set's median (lower is better)",
            False,
        ),
        (
            replace(measure_named("r2"), scale="ratio"),
            "geometric mean of 1 − r2 over each data set's median (lower is better)",
            False,
        ),
    ):
        found = report([1.0, 2.0], [1.0, 0.8])
        found["front"]["measure"] = measure
        found["front"]["points"] = [
            {**point, "on_front": True} for point in found["front"]["points"]
        ]
        figure = draw(found, "pareto")
        labels = [t.get_text() for t in figure.axes[0].texts if t.get_gid() == "score-label"]
        assert labels == [label]
        # The line starts at the worse end of the axis.
        line: Any = next(each for each in figure.axes[0].lines if each.get_gid() == "front")
        ys = line.get_ydata()
        assert (ys[0] < ys[1]) == up


@pytest.mark.parametrize("up", [True, False])
def test_the_line_never_turns_back(up: bool) -> None:
    """With holes one of the front may have the worse mean, judged where both have scores."""
    found = report([1.0, 2.0, 3.0], [0.7, 0.6, 0.9] if up else [0.3, 0.4, 0.1], up=up)
    assert "Filled points there" not in captions(draw(found, "pareto"))
    for point in found["front"]["points"]:
        point["on_front"] = True
    figure = draw(found, "pareto")
    line: Any = next(each for each in figure.axes[0].lines if each.get_gid() == "front")
    steps = np.diff(line.get_ydata())
    assert (steps >= 0).all() if up else (steps <= 0).all()
    assert "Filled points there are not, where both have scores." in captions(figure)


def captions(figure: Figure) -> str:
    return " ".join(t.get_text() for t in figure.axes[0].texts if t.get_gid() == "caption")
