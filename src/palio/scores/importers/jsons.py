"""JSON and JSON Lines as other tools write them: read whole, with one clear line where broken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from palio.scores import limits
from palio.scores.formats import MalformedError, opened, text_of
from palio.words import one_line


def load_json(path: Path) -> Any:
    """Return what a file of JSON holds."""
    with opened(path, "source"):
        return parsed(text_of(path))


def load_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects in a file of JSON Lines."""
    with opened(path, "source"):
        return [parsed(line) for line in text_of(path).splitlines() if line.strip()]


def parsed(text: str | bytes) -> Any:
    """Return what a text of JSON holds, or raise that it is none."""
    try:
        found = json.loads(text)
        limits.check_nested(found)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"is not JSON: {one_line(error)}") from error
    return found


def part(content: object, *keys: str) -> dict[str, Any]:
    """Return an object within another, empty where there is none.

    >>> part({"eval": {"config": {"epochs": 1}}}, "eval", "config")
    {'epochs': 1}
    >>> part({"eval": None}, "eval", "config")
    {}
    """
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return dict(content) if isinstance(content, Mapping) else {}


def number(value: object) -> float | None:
    """Return a number that is one, or is written as one; truth values count as 0 and 1.

    >>> number("2.5"), number(True), number("fast"), number(None)
    (2.5, 1.0, None, None)
    """
    if not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
