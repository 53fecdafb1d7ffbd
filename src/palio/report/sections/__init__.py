"""The sections of the page: each takes a report's draft and returns a piece of HTML.

A section that has nothing to say is empty, and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palio.registry import Registry
from palio.report.elements import Html
from palio.report.sections import answers, evidence, trust
from palio.report.sections.parts import Draft, prepare

__all__ = ["SECTIONS", "Draft", "SectionKind", "prepare"]


@dataclass(frozen=True)
class SectionKind:
    """A section: its name, which is its id, its heading, and what writes it."""

    name: str
    title: str
    render: Callable[[Draft], Html]


SECTIONS: Registry[SectionKind] = Registry.of(
    "section",
    SectionKind("verdict", "Verdict", answers.verdict),
    SectionKind("order", "Order", answers.order),
    SectionKind("ranks", "Ranks", evidence.ranks),
    SectionKind("graph", "How the order was made", evidence.graph),
    SectionKind("comparison", "Comparison", evidence.comparison),
    SectionKind("grid", "On each data set", evidence.grid),
    SectionKind("front", "Cost and score", evidence.front),
    SectionKind("posterior", "Probabilities", evidence.posterior),
    SectionKind("audit", "Audit", trust.audit),
    SectionKind("experiment", "Experiment", trust.experiment),
    SectionKind("methods", "Methods", trust.methods),
    SectionKind("references", "References", trust.references),
)
