"""Draw the paper's figure: an order at a cost, the ranks it leaves open, how firm each pair is.

``python paper/figure.py`` writes ``paper/figure.png``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import palio
from palio.report.figures.style import BLUE, FAINT, INK, MUTED, ORANGE, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison import Audit
    from palio.ordering import Ordering

STUDY, COST = "replication2026", "fit_cpu_time"
CHECKS = ("leave-one-out", "conventions", "symmetry")

State: TypeAlias = Literal["sound", "doubted", "might", "level"]
LABELS: dict[State, str] = {
    "sound": "differ, whatever is asked",
    "doubted": "differ, but not by every check",
    "might": "not told apart, but by some check",
    "level": "not told apart",
}
COLOURS: dict[State, str] = {"sound": BLUE, "doubted": ORANGE, "might": PAPER, "level": FAINT}


@dataclass(frozen=True)
class Study:
    """What the figure shows and the paper tells of one study."""

    ordering: Ordering
    audit: Audit

    @classmethod
    def load(cls) -> Study:
        """Order the study's learners at their cost, and audit the pairs behind the order."""
        table = palio.load_study(STUDY)
        return cls(palio.order(table, cost=COST), palio.audit(table, only=CHECKS))

    def state(self, a: str, b: str) -> State:
        """Say how firm the verdict on a pair is."""
        doubted = frozenset((a, b)) in self.audit.doubted
        if frozenset((a, b)) in {frozenset(pair) for pair in self.audit.significant}:
            return "doubted" if doubted else "sound"
        return "might" if doubted else "level"


def draw(study: Study) -> Figure:
    """Draw three panels that share their rows, an algorithm each, best first."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.7), dpi=300, layout="constrained")
    ranks, costs, pairs = figure.subplots(1, 3, width_ratios=(3.0, 1.5, 3.5))
    order = study.ordering.order
    _ranks(ranks, study.ordering)
    _costs(costs, study.ordering)
    _pairs(pairs, study)
    for axes in (ranks, costs, pairs):
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.tick_params(length=0, labelsize=7, colors=INK)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(FAINT)
    for axes in (costs, pairs):
        axes.set_yticks([])
    ranks.set_yticks(range(len(order)), order)
    return figure


def _ranks(axes: Axes, ordering: Ordering) -> None:
    sets, k = ordering.rank_sets, len(ordering.order)
    by_rank = sorted(ordering.order, key=ordering.mean_ranks.__getitem__)
    assert sets is not None  # Holm's correction gives them
    for row, name in enumerate(ordering.order):
        low, high = sets[name]
        axes.plot((low, high), (row, row), color=FAINT, linewidth=6, solid_capstyle="round")
        axes.plot(by_rank.index(name) + 1, row, "o", color=BLUE, markersize=4)
    axes.set_xticks((1, 5, 10, k))
    axes.set_title("ranks left open, place by mean rank", fontsize=8, color=INK)


def _costs(axes: Axes, ordering: Ordering) -> None:
    costs = ordering.costs
    assert costs is not None  # one was named
    for row, name in enumerate(ordering.order):
        axes.plot(costs[name], row, "o", color=MUTED, markersize=4)
        axes.axhline(row, color=FAINT, linewidth=0.4, zorder=0)
    axes.set_xscale("log")
    axes.set_xlim(0.05, 25)
    axes.set_xticks((0.1, 1, 10), ("0.1", "1", "10"))
    axes.minorticks_off()
    axes.set_title("CPU seconds", fontsize=8, color=INK)


def _pairs(axes: Axes, study: Study) -> None:
    from matplotlib.patches import Rectangle

    order = study.ordering.order
    for row, a in enumerate(order):
        for column, b in enumerate(order[:row]):
            state = study.state(a, b)
            edge = ORANGE if state == "might" else COLOURS[state]
            axes.add_patch(
                Rectangle((column - 0.4, row - 0.4), 0.8, 0.8, facecolor=COLOURS[state],
                          edgecolor=edge, linewidth=1.1)
            )  # fmt: skip
    axes.set_xlim(-0.6, len(order) - 1.4)
    axes.set_xticks(range(len(order) - 1), order[:-1], rotation=90)
    axes.set_title("how firm each verdict is", fontsize=8, color=INK)
    handles = [
        Rectangle((0, 0), 1, 1, facecolor=COLOURS[state], linewidth=1.1,
                  edgecolor=ORANGE if state == "might" else COLOURS[state])
        for state in LABELS
    ]  # fmt: skip
    axes.legend(handles, LABELS.values(), loc="upper right", fontsize=6.5, frameon=False)


if __name__ == "__main__":
    draw(Study.load()).savefig(Path(__file__).with_name("figure.png"))
