"""One dictionary per result, from which every face is drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from palio.results import Result

__all__ = ["plain", "summarise", "to_json"]


def summarise(result: Result) -> dict[str, Any]:
    """Return the summary of a result: what ``--json`` prints and the other faces are drawn from.

    >>> from palio.comparison import TestResult
    >>> summarise(TestResult("sign", "equal", 3.0, (), 0.25, 3))["p_value"]
    0.25
    """
    summary: dict[str, Any] = plain(result.to_dict())
    return summary


def to_json(summary: Mapping[str, Any]) -> str:
    """Write a summary as JSON that every parser reads (infinite numbers become null)."""
    return json.dumps(plain(summary), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Reduce to what JSON has.

    >>> plain({"statistic": math.inf, "df": (10, 5)})
    {'statistic': None, 'df': [10, 5]}
    """
    kind = type(value)
    if kind is float:  # most values are: the quickest way out for them
        return value if math.isfinite(value) else None
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    return value
