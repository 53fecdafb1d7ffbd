"""Which mean-ranks verdicts hang on the pool, as a piece of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from palio.report.elements import Html, joined, tag
from palio.report.sections.parts import paragraph, scrolled

if TYPE_CHECKING:
    from palio.comparison.pools import PoolStep, PoolVerdict

# Of more pairs the first are named, and the rest counted.
_NAMED = 6


def pools_html(found: PoolVerdict, numbers: Mapping[str, int]) -> Html:
    """Say what one algorithm more or less changes; names in ``numbers`` are marks of the page."""
    steps = [tag("li", *_step(step, numbers)) for step in found.steps]
    label = "Algorithms and the verdicts that hang on them"
    listed = [scrolled(tag("ul", *steps), label, kind="scroll tall")] if steps else []
    return joined([paragraph(found.sentence), *listed, paragraph(found.note, class_="quiet")])


def _step(step: PoolStep, numbers: Mapping[str, int]) -> list[object]:
    def name(algorithm: str) -> Html:
        return tag("span", algorithm, class_="name", data_a=numbers.get(algorithm))

    said = [
        joined([name(a), " – ", name(b), " would differ" if differ else " would no longer differ"])
        for a, b, differ in step.flips[:_NAMED]
    ]
    more = len(step.flips) - _NAMED
    return [
        tag("strong", "Without " if step.inside else "With ", name(step.algorithm)),
        ": ",
        joined(said, "; "),
        f" and {more} more pairs" if more > 0 else "",
    ]
