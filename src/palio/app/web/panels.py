"""The panels beside the order: which there are for a question, and what draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from palio.registry import Registry
from palio.report.sections.evidence import MOST_IN_MATRIX

if TYPE_CHECKING:
    from palio.report.analysis import Report
    from palio.results import Result

Part = Literal["report", "ordering", "comparison", "posterior"]


@dataclass(frozen=True)
class Panel:
    """A figure, drawn from a part of the report, or a text of its own (``part`` is ``None``)."""

    name: str
    part: Part | None
    title: str


PANELS: Registry[Panel] = Registry.of(
    "panel",
    Panel("critical-difference", "comparison", "Mean ranks"),
    Panel("pools", None, "Does the pool decide?"),
    Panel("pareto", "report", "Cost against score"),
    Panel("comparison-matrix", "comparison", "Every pair"),
    Panel("multitest-graph", "ordering", "How the order was found"),
    Panel("rank-distribution", "comparison", "Ranks over the data sets"),
    Panel("scores-grid", "comparison", "On each data set"),
    Panel("forest", "comparison", "Differences on each data set"),
    Panel("posterior", None, "How sure, and does it matter?"),
    Panel("posterior-matrix", "posterior", "Probabilities of every pair"),
    Panel("audit", None, "How firm are the verdicts?"),
)


# Figures that can still be read with more algorithms than a matrix can show.
_ANY_NUMBER = ("critical-difference", "pareto", "multitest-graph", "scores-grid", "forest")


def panels(report: Report) -> list[dict[str, object]]:
    """Return the panels that a question has, in the order in which they are worth reading."""
    drawable = _drawable(report)
    return [
        {
            "key": panel.name,
            "kind": "figure" if panel.part else "text",
            "title": panel.title,
            "needed": panel.name == "pools",  # read above, too: what moved
        }
        for panel in PANELS.values()
        if _is_there(panel, report, drawable)
    ]


def too_many(algorithms: int) -> bool:
    """Say whether a matrix of so many algorithms is still worth drawing."""
    return algorithms > MOST_IN_MATRIX


def _drawable(report: Report) -> set[tuple[Part, str]]:
    """Return the parts of a report and the figures that each allows."""
    from palio.report.figures import available

    parts: dict[Part, Result | None] = {
        "report": report, "ordering": report.ordering, "comparison": report.comparison,
    }  # fmt: skip
    return {
        (part, name)
        for part, found in parts.items()
        if found is not None
        for name in available(found)
    }


def _is_there(panel: Panel, report: Report, drawable: set[tuple[Part, str]]) -> bool:
    question = report.question
    if "posterior" in (panel.name, panel.part):
        return question.asked_model is not None
    if panel.part == "ordering" and report.ordering.by_mean_rank_alone:
        return False
    if panel.name == "forest" and report.table.n_datasets < 2:
        return False
    if panel.part is not None:
        readable = panel.name in _ANY_NUMBER or not too_many(report.table.n_algorithms)
        return readable and (panel.part, panel.name) in drawable
    if report.comparison is not None and report.comparison.over == "items":
        # The pool decides by mean ranks, which there are none of.
        return panel.name == "audit" and question.control is None
    least = 2 if panel.name == "pools" else 3
    asked = panel.name == "pools" or question.control is None
    return asked and report.table.n_datasets >= least
