"""Where a key stands in a TOML file: the parser does not tell, and who is to mend it must know."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["Keys", "line_of"]

Keys = tuple[str | int, ...]

_BARE = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_PATH = rf"{_BARE}(?:\s*\.\s*{_BARE})*"
_TABLE = re.compile(rf"\s*\[\s*({_PATH})\s*\]\s*(?:#.*)?")
_ENTRY = re.compile(rf"\s*({_PATH})\s*=")


def line_of(keys: Keys, text: str) -> int | None:
    r"""Return the line of a key, or of the nearest table or entry around it.

    >>> line_of(("a", "b", "c"), "x = 1\n[a]\nb = { c = 2 }")
    3
    """
    wanted = tuple(map(str, keys))
    best, line = 0, None
    for number, path in _paths(text):
        shared = min(len(path), len(wanted))
        if shared > best and wanted[:shared] == path[:shared]:
            best, line = shared, number
    return line


def _paths(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Return every line that begins a table or an entry, with its keys."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TABLE.fullmatch(line):
            table = _split_path(header[1])
            yield number, table
        elif entry := _ENTRY.match(line):
            yield number, (*table, *_split_path(entry[1]))


def _split_path(path: str) -> tuple[str, ...]:
    return tuple(key.strip("\"'") for key in re.findall(_BARE, path))
