"""What a file may hold: asked while it is read, not after; SECURITY.md states it.

A table of results is far below these numbers; what is above is a mistake, or was made to fill a
machine's memory. Who must can read without them: ``read_scores(…, limits=False)``, ``--no-limits``.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from palio.errors import Option


class MalformedError(Exception):
    """A file is not of its format, or beyond a limit; ``reason`` goes on after its name."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class Limits:
    """The most that a file may have of each; ``size`` is in bytes, unpacked."""

    size: int = 500_000_000
    times: int = 100
    rows: int = 10_000_000
    columns: int = 100_000
    cells: int = 50_000_000
    nesting: int = 100
    digits: int = 300
    letters: int = 10_000

    def unpacked(self, packed: int) -> int:
        """Return how many bytes may come out of so many: few may always."""
        return min(self.size, max(SMALL, self.times * packed))


LARGEST = 1e100
"""Of a score or a cost: sums of squares of larger ones are beyond what a number can hold."""

MEMORY = 6_000_000_000
"""In bytes, of what the command line reads at once; what is within the other limits takes less."""

SMALL = 50_000_000  # bytes that any packed file may unpack to
LIMITS = Limits()
NONE = Limits(**{field.name: sys.maxsize for field in fields(Limits)})
REMEDY = f"Leave out what is not needed; {Option('limits', 'False')} reads it all the same"

_current: ContextVar[Limits] = ContextVar("limits", default=LIMITS)


def now() -> Limits:
    """Return the limits that hold."""
    return _current.get()


@contextmanager
def held(on: bool) -> Iterator[None]:
    """Let the limits hold within, or none; those that do not hold already stay so."""
    token = _current.set(now() if on else NONE)
    try:
        yield
    finally:
        _current.reset(token)


_SMALL_TEXT = 10_000_000  # bytes of text that cannot fill the memory


def is_small_text(source: object) -> bool:
    """Return whether a source is a file of plain text that cannot fill the memory."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = os.fspath(source)
    is_text = path.endswith((".csv", ".tsv", ".txt", ".json", ".md"))
    # These never raise, though a name may be no path.
    return is_text and os.path.isfile(path) and os.path.getsize(path) <= _SMALL_TEXT  # noqa: PTH113, PTH202


def memory_held(source: object) -> AbstractContextManager[None]:
    """Let a source that is read within take no more than `MEMORY`, where the system sees to that.

    Nothing holds a file of text that is small, nor the source None.
    """
    if source is None or is_small_text(source):
        return nullcontext()
    from palio.systems import system

    return system().held_to(MEMORY)


def check(what: str, found: int) -> None:
    """Refuse a file that has more rows, columns or cells than may be."""
    most = getattr(now(), what)
    if found > most:
        raise MalformedError(f"has {found} {what}, and the limit is {most}", REMEDY)


def check_text(text: str, separator: str) -> None:
    """Refuse text with more rows or cells than may be, before any is made."""
    # Ends of lines and separators in quotation marks count, too; in a table they are few.
    lines = max(text.count("\n"), text.count("\r"))
    check("rows", lines - 1)  # below the header
    check("cells", lines + text.count(separator))


def check_size(size: int, *, packed: int | None = None, share: int = 1) -> None:
    """Refuse a file of too many bytes, or one of so many ``packed`` that unpacks to too many.

    What takes more room in memory than its bytes may only have a ``share`` of these.
    """
    most = (now().size if packed is None else now().unpacked(packed)) // share
    if size > most:
        told = f"{'has' if packed is None else 'unpacks to'} {size / 1e6:.0f} MB"
        raise MalformedError(f"{told}, and the limit is {most / 1e6:.4g} MB", REMEDY)


_FEW = 1_000_000  # cells that any document may have


def check_spanned(cells: int, size: int) -> None:
    """Refuse a table of many more cells than the document has letters, before they are made."""
    check("cells", cells)
    if now() is not NONE and cells > max(_FEW, size):
        told = f"has a table of {cells} cells, nearly all of them blank or spanned"
        raise MalformedError(told, REMEDY)


def check_nested(content: Any) -> None:
    """Refuse objects and lists that are nested too deep, and whole numbers that are too long."""
    longest = 10 ** now().digits if now().digits <= LIMITS.digits else math.inf
    # Level by level, because a function that calls itself would be too deep first.
    level, depth = [[content]], 0
    while level:
        check_nesting(depth)
        depth += 1
        below = []
        for each in level:
            for value in each.values() if isinstance(each, dict) else each:
                kind = type(value)
                if kind is dict or kind is list:
                    below.append(value)
                elif kind is int and not -longest < value < longest:
                    told = f"holds a number of more than {now().digits} digits, which is the limit"
                    raise MalformedError(told, REMEDY)
        level = below


def check_nesting(depth: int) -> None:
    """Refuse what is nested deeper than may be."""
    if depth > now().nesting:
        told = f"is nested more than {now().nesting} levels deep, which is the limit"
        raise MalformedError(told, REMEDY)
