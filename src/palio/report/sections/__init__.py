"""The sections of the page: each takes a report's draft and returns a piece of HTML.

A section that has nothing to say is empty, and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palio.registry import Registry
from palio.report.elements import Html
from palio.report.sections import answers, evidence
from palio.report.sections.parts import Draft, prepare

__all__ = ["SECTIONS", "Draft", "SectionKind", "prepare"]


@dataclass(frozen=True)
class SectionKind:
    """A section: its name, which is its id, its heading, what writes it, and of what.

    The ``part`` is an attribute of a report; where that has none, the section is left out.
    """

    name: str
    title: str
    write: Callable[[Draft, Any], Html]
    part: str = "claims"

    def render(self, draft: Draft) -> Html:
        """Return the section, or nothing where there is nothing to say."""
        found = getattr(draft.report, self.part)
        return self.write(draft, found) if found else Html("")


SECTIONS: Registry[SectionKind] = Registry.of(
    "section",
    SectionKind("verdict", "Verdict", lambda draft, _: answers.verdict(draft)),
    SectionKind("order", "Order", lambda draft, _: answers.order(draft)),
    SectionKind("ranks", "Ranks", evidence.ranks, "comparison"),
    SectionKind("graph", "How the order was made", evidence.graph, "ordering"),
    SectionKind("comparison", "Comparison", evidence.comparison, "comparison"),
    SectionKind("grid", "On each data set", evidence.grid, "comparison"),
    SectionKind("front", "Cost and score", evidence.front, "front"),
    SectionKind("posterior", "Probabilities", evidence.posterior, "posterior_answer"),
    SectionKind(
        "audit", "Audit", lambda draft, found: evidence.audit_html(found, draft.numbers), "audit"
    ),
    SectionKind("experiment", "Experiment", evidence.experiment, "experiment"),
    SectionKind("methods", "Methods", lambda draft, _: evidence.methods(draft.report)),
    SectionKind("references", "References", evidence.references, "references"),
)
