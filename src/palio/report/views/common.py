"""What several views share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palio.report.blocks import Items

__all__ = ["Summary", "measure_in_words", "notes"]

Summary = Mapping[str, Any]


def measure_in_words(summary: Summary) -> str:
    """Name the measure and its direction."""
    measure = summary["measure"]
    direction = "higher is better" if measure["higher_is_better"] else "lower is better"
    return f"{measure['name']} ({direction})"


def notes(summary: Summary) -> Items:
    """List the conventions that a result used."""
    return Items("Notes", tuple(("-", note) for note in summary["notes"]), quiet=True)
