"""What a figure needs of a comparison, said in one line where it is missing.

Nothing is drawn here, so that asking which figures there are does not load matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["comparison_of", "needs_pairs", "needs_part", "needs_scores"]

Summary = Mapping[str, Any]


def comparison_of(summary: Summary) -> Summary | None:
    """Return the comparison, be it the summary itself or inside an ordering.

    Examples
    --------
    >>> comparison_of({"kind": "ordering", "comparison": None}) is None
    True
    """
    if summary.get("kind") == "comparison":
        return summary
    inner: Summary | None = summary.get("comparison")
    return inner


def needs_pairs(figure: str, key: str, what: str) -> Callable[[Summary], str | None]:
    """Return a check for pairs that all have a key.

    Examples
    --------
    >>> check = needs_pairs("win-matrix", "wins", "wins, ties and losses")
    >>> check({"kind": "comparison", "pairs": [{"a": "x", "b": "y", "wins": 3}]})
    >>> check({"kind": "comparison", "pairs": []})
    "figure: 'win-matrix' needs the pairs of a comparison with wins, ties and losses: run compare."
    """

    def lacks(summary: Summary) -> str | None:
        comparison = comparison_of(summary)
        pairs = comparison.get("pairs") if comparison else None
        if pairs and all(pair.get(key) is not None for pair in pairs):
            return None
        return f"figure: {figure!r} needs the pairs of a comparison with {what}: run compare."

    return lacks


def needs_scores(figure: str, *, direction: bool) -> Callable[[Summary], str | None]:
    """Return a check for the scores of each algorithm, and for which direction is better.

    Examples
    --------
    >>> check = needs_scores("scores", direction=False)
    >>> check({"kind": "comparison", "scores": {"x": [0.5, 0.7]}})
    >>> check({"kind": "comparison", "scores": None})
    "figure: 'scores' needs the scores on each data set, which this comparison does not have."
    """

    def lacks(summary: Summary) -> str | None:
        comparison = comparison_of(summary) or {}
        if not any(_complete(comparison.get("scores") or {})):
            return (
                f"figure: {figure!r} needs the scores on each data set, which this "
                f"{summary['kind']} does not have."
            )
        if direction and not comparison.get("measure"):
            return f"figure: {figure!r} needs a measure that says whether higher is better."
        return None

    return lacks


def needs_part(path: str, complaint: str) -> Callable[[Summary], str | None]:
    """Return a check for a part of the summary; ``path`` goes down into it by its dots.

    Examples
    --------
    >>> check = needs_part("checks.chi2", "figure: no")
    >>> check({"checks": {"chi2": {"p_value": 0.4}}})
    >>> check({"checks": {}}), check({"checks": None})
    ('figure: no', 'figure: no')
    """

    def lacks(summary: Summary) -> str | None:
        part: Any = summary
        for key in path.split("."):
            part = part.get(key) if part else None
        return None if part else complaint

    return lacks


def _complete(scores: Mapping[str, Any]) -> list[bool]:
    """Say of each data set whether every algorithm has a score on it."""
    return [all(map(_is_number, row)) for row in zip(*scores.values(), strict=True)]


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
