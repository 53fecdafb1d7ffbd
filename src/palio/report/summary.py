"""One dictionary per result, from which every face is drawn."""

from __future__ import annotations

from typing import Any

from palio.results import Result, plain, to_json

__all__ = ["plain", "summarise", "to_json"]


def summarise(result: Result) -> dict[str, Any]:
    """Return the summary of a result: what ``--json`` prints and the other faces are drawn from.

    >>> from palio.comparison import TestResult
    >>> summarise(TestResult("sign", "equal", 3.0, (), 0.25, 3))["p_value"]
    0.25
    """
    summary: dict[str, Any] = plain(result.to_dict())
    return summary
