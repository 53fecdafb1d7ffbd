"""Which algorithms the marks of a figure stand for: from matplotlib's ids to attributes.

A mark of one algorithm has ``data-a``, its number; of a pair ``data-a`` and ``data-b``; a bar over
a group has ``data-group``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from palio.report.figures.style import Area, clean

# What stands for one algorithm, by the kind that its id begins with; in a graph a panel follows.
_ALONE = frozenset({
    "name", "rank", "mean-rank", "leader", "at", "differs", "same", "control", "interval", "point",
    "side", "column", "node", "number", "gone", "p_best", "p_as_good",
})  # fmt: skip
_PAIRS = frozenset({"arc", "head"})
_GROUPS = frozenset({"bar", "pieces-of-bar"})
_PANEL = re.compile(r":(?:whole|step\d+)$")

Attributes = dict[str, str]


class Marks:
    """The numbers of the algorithms, by their names as figures write them.

    Examples
    --------
    >>> marks = Marks(["svr", "c45", "a|b", "a"])
    >>> marks.of("name:svr"), marks.of("arc:c45->svr:step2"), marks.of("bar:svr|a|b")
    ({'data-a': '0'}, {'data-a': '1', 'data-b': '0'}, {'data-group': '0 2'})
    >>> marks.of("tick:svr"), marks.of("name:iris"), marks.of("text_1")
    ({}, {}, {})
    """

    def __init__(self, algorithms: Sequence[str] = ()) -> None:
        self._numbers = {clean(name): str(i) for i, name in enumerate(algorithms)}

    def of(self, gid: str) -> Attributes:
        """Return what is written on the mark with an id; nothing where it stands for nobody."""
        kind, _, named = gid.partition(":")
        if kind in _ALONE:
            return self._numbered([named] if named in self._numbers else [_PANEL.sub("", named)])
        if kind in _PAIRS:
            return self._numbered(self._parted(_PANEL.sub("", named), "->"))
        if kind in _GROUPS:
            members = [self._numbers[name] for name in self._parted(named, "|")]
            return {"data-group": " ".join(members)} if members else {}
        return {}

    def on(self, area: Area) -> Attributes:
        """Return what is written on an area."""
        return self._numbered(area.names)

    def _numbered(self, names: Iterable[str]) -> Attributes:
        numbers = [self._numbers.get(clean(name)) for name in names]
        if None in numbers:
            return {}
        return {f"data-{key}": str(number) for key, number in zip("ab", numbers, strict=False)}

    def _parted(self, named: str, between: str) -> list[str]:
        """Return the names that a text joins, which may hold what joins them; else nothing."""
        return self._joined(named.split(between), between) or []

    def _joined(self, parts: list[str], between: str) -> list[str] | None:
        if not parts:
            return []
        for size in range(1, len(parts) + 1):
            name = between.join(parts[:size])
            if name in self._numbers:
                others = self._joined(parts[size:], between)
                if others is not None:
                    return [name, *others]
        return None
