"""Names as they are shown: long ones cut, no two alike, nothing that a page cannot hold."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from palio.report.elements import printable
from palio.words import Worded

if TYPE_CHECKING:
    from palio.scores import ScoreTable

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
        found[name] = _unique(short, taken, "{} ({})")
    return found


def _unique(name: str, taken: set[str], numbered: str) -> str:
    """Return a name that is not taken, with a number where it must, and take it."""
    others = (numbered.format(name, number) for number in itertools.count(2))
    found = next(each for each in itertools.chain([name], others) if each not in taken)
    taken.add(found)
    return found


def shown_in(table: ScoreTable) -> dict[str, str]:
    """Return how to show those names of a table that cannot be shown as they are."""
    return shown_names([*table.algorithms, *table.datasets])


def _cut(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


Thing = TypeVar("Thing")


def with_names(value: Thing, shown: Mapping[str, str]) -> Thing:
    """Return a result, or any part of one, with names as they are shown, also inside sentences.

    What it has worked out already goes with it, and what parts share they go on sharing.

    Examples
    --------
    >>> with_names({"long_name": ["long_name leads"]}, {"long_name": "long…"})
    {'long…': ['long… leads']}
    """
    if not shown:
        return value
    # The longest first: one name may be a part of another.
    pattern = re.compile("|".join(map(re.escape, sorted(shown, key=len, reverse=True))))
    renaming = _Renaming(lambda text: pattern.sub(lambda found: shown[found[0]], text))
    renamed: Thing = renaming.of(value)
    return renamed


class _Renaming:
    """Renames in a value and all its parts; thousands of pairs share their effects: once each."""

    def __init__(self, rename: Callable[[str], str]) -> None:
        self._rename = rename
        # With what was renamed, so that no other takes its id.
        self._done: dict[int, tuple[Any, Any]] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, Worded):
            return value.changed(self._rename)
        if isinstance(value, str):
            return self._rename(value)
        is_data = dataclasses.is_dataclass(value) and not isinstance(value, type)
        if not is_data and not isinstance(value, (Mapping, list, tuple, frozenset)):
            return value
        if id(value) not in self._done:
            if is_data:
                self._parts(value)
            else:
                self._done[id(value)] = value, self._items(value)
        return self._done[id(value)][1]

    def _items(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {self.of(key): self.of(item) for key, item in value.items()}
        items = [self.of(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def _parts(self, value: Any) -> None:
        """Copy a dataclass, and rename its fields and the properties that it has cached.

        The copy is known before its parts are: the default of a comparison may be itself.
        """
        found = copy.copy(value)
        self._done[id(value)] = value, found
        cached = getattr(value, "__dict__", {})
        for name in {*(field.name for field in dataclasses.fields(value)), *cached}:
            object.__setattr__(found, name, self.of(getattr(value, name)))


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
        found[name] = _unique(f"{prefix}-{slug}", taken, "{}-{}")
    return found
