"""What several views share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palio.report.blocks import Column, Items, Table
from palio.report.numbers import p_value

__all__ = ["Summary", "measure_in_words", "notes", "pairs_table"]

Summary = Mapping[str, Any]


def measure_in_words(summary: Summary) -> str:
    """Name the measure and its direction."""
    measure = summary["measure"]
    direction = "higher is better" if measure["higher_is_better"] else "lower is better"
    return f"{measure['name']} ({direction})"


def notes(summary: Summary) -> Items:
    """List the conventions that a result used."""
    return Items("Notes", tuple(("-", note) for note in summary["notes"]), quiet=True)


def pairs_table(pairs: Sequence[Summary], *between: tuple[str, Callable[[Summary], str]]) -> Table:
    """Lay pairs out with their p-values, and what a test counted in columns before these."""
    return Table(
        (
            Column("a"),
            Column("b"),
            *(Column(heading, numeric=True) for heading, _ in between),
            Column("p", numeric=True),
            Column("adjusted p", numeric=True),
            Column("better"),
        ),
        tuple(
            (
                pair["a"],
                pair["b"],
                *(cell(pair) for _, cell in between),
                p_value(pair["p_value"]),
                p_value(pair["p_adjusted"]),
                (pair["better"] or "") if pair["significant"] else "",
            )
            for pair in pairs
        ),
    )
