"""One drawing of every kind of figure, from results on published data."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.pages.families import FAMILIES, TABLE
from palio.report.figures import FIGURES, FigureKind, available, draw, save
from palio.results import Result

__all__ = ["RESULTS", "Drawn", "drawings", "gallery"]

_PREDICTIONS = next(family.setup for family in FAMILIES if family.slug == "predictions")

RESULTS: tuple[tuple[str, str], ...] = (
    (TABLE, 'palio.multitest(table, dataset="optdigits", cost="train_time")'),
    (TABLE, "palio.compare(table)"),
    (TABLE, "palio.bayes.anova(table, rope=1.0)"),
    (TABLE, 'palio.bayes.signed_rank(table.select(algorithms=["svr", "svl"]), rope=1.0)'),
    (TABLE, 'palio.rank_stability(table, ["average-ranks"])'),
    (TABLE, "palio.evaluate_rankings(table)"),
    (TABLE, 'palio.aggregate(table, normalise="min-max")'),
    (TABLE, 'palio.analyse(table, cost="train_time", checks=[])'),
    (_PREDICTIONS, 'palio.compare_predictions(predictions, test="roc-hull")'),
)
"""What there is to draw from: set-up and expression; a figure takes the first that it can."""


@dataclass(frozen=True)
class Drawn:
    """A figure, what it was drawn from, and the drawing as SVG."""

    kind: FigureKind
    expression: str
    svg: str

    @property
    def path(self) -> str:
        """Where it is in the site."""
        return f"gallery/{self.kind.name}.svg"


def drawings() -> Iterator[Drawn]:
    """Draw every figure that one of the results can be drawn as."""
    results = [(expression, _result(setup, expression)) for setup, expression in RESULTS]
    for name, kind in FIGURES.items():
        for expression, result in results:
            if name in available(result):
                yield Drawn(kind, expression, _svg(result, name))
                break


def _result(setup: str, expression: str) -> Result:
    names: dict[str, Any] = {}
    exec(setup, names)
    result: Result = eval(expression, names)
    return result


def _svg(result: Result, name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return save(draw(result, name), Path(folder) / "figure.svg").read_text(encoding="utf-8")


def gallery(drawn: list[Drawn]) -> str:
    """Return a section for every figure; those that were not drawn are named at the end."""
    sections = [
        f"## {figure.kind.name}\n\n{figure.kind.title}.\n\n"
        f"![{figure.kind.title}]({figure.path})\n\n"
        f"```python\nresult = {figure.expression}\n"
        f'draw(result, "{figure.kind.name}")\n```'
        for figure in drawn
    ]
    there = {figure.kind.name for figure in drawn}
    others = [
        f"- `{name}`: {kind.title[0].lower()}{kind.title[1:]}."
        for name, kind in FIGURES.items()
        if name not in there
    ]
    if others:
        sections.append("## Not shown here\n\n" + "\n".join(others))
    return "\n\n".join(sections)
