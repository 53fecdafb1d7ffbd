"""Names as they are shown: long ones cut, no two alike, nothing that a page cannot hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from palio.report.elements import printable

__all__ = ["anchors", "shown_names", "with_names"]

# Longer names are cut in the middle: versions of one algorithm often differ at the end.
LONGEST = 40


def shown_names(names: Iterable[str], *, longest: int = LONGEST) -> dict[str, str]:
    """Return how to show the names that cannot be shown as they are.

    Examples
    --------
    >>> shown_names(["svr", "a" * 50, "a" * 60], longest=9)
    {'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 'aaaa…aaaa',
     'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 'aaaa…aaaa (2)'}
    """
    known = list(dict.fromkeys(names))
    taken = set(known)
    found: dict[str, str] = {}
    for name in known:
        short = _cut(" ".join(printable(name).split()), longest)
        if short == name:
            continue
        number, unique = 1, short
        while unique in taken:
            number += 1
            unique = f"{short} ({number})"
        taken.add(unique)
        found[name] = unique
    return found


def _cut(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def with_names(value: Any, shown: Mapping[str, str]) -> Any:
    """Return plain data with names as they are shown, also inside sentences.

    Examples
    --------
    >>> with_names({"long_name": ["long_name leads"]}, {"long_name": "long…"})
    {'long…': ['long… leads']}
    """
    if not shown:
        return value
    # The longest first: one name may be a part of another.
    pattern = re.compile("|".join(map(re.escape, sorted(shown, key=len, reverse=True))))
    return _renamed(value, lambda text: pattern.sub(lambda found: shown[found[0]], text))


def _renamed(value: Any, rename: Any) -> Any:
    if isinstance(value, str):
        return rename(value)
    if isinstance(value, Mapping):
        return {rename(key): _renamed(item, rename) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, rename) for item in value]
    return value


def anchors(names: Iterable[str], prefix: str) -> dict[str, str]:
    """Return an id for each name, for links into the page.

    Examples
    --------
    >>> anchors(["SVR (rbf)", "svr-rbf", "≈"], "algorithm")
    {'SVR (rbf)': 'algorithm-svr-rbf', 'svr-rbf': 'algorithm-svr-rbf-2', '≈': 'algorithm-x'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"
        number, unique = 1, f"{prefix}-{slug}"
        while unique in taken:
            number += 1
            unique = f"{prefix}-{slug}-{number}"
        taken.add(unique)
        found[name] = unique
    return found
