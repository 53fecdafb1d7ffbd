"""Summaries to draw, and ways to look at what was drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.text import Text

from palio.report.figures import style

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


def one_line(error: BaseException) -> str:
    assert "\n" not in str(error)
    return str(error)
