"""Cells of separated text that a spreadsheet would take for a formula, and run.

Where one begins so, an apostrophe is written in front, as spreadsheets themselves do for "this is
text"; reading takes it away again, so that a name is the same afterwards. Whoever writes separated
text guards its cells here.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"('*)[=+\-@\t\r]")


def guarded(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> guarded("=SUM(A1)"), guarded("'=x"), guarded("svr"), guarded(-1.5)
    ("'=SUM(A1)", "''=x", 'svr', -1.5)
    """
    if not isinstance(value, str) or (found := _FORMULA.match(value)) is None:
        return value
    if not value.endswith("'"):
        return f"'{value}"
    # Words in quotation marks are taken as they are when they are read; no others end so.
    return value if len(found[1]) == 1 else f"''{value}"


def unguarded(cell: str) -> str:
    """Return a cell as it was before it was guarded.

    >>> unguarded("'=SUM(A1)"), unguarded("''=x"), unguarded("'-C 0.25'"), unguarded("'svr")
    ('=SUM(A1)', "'=x", "'-C 0.25'", "'svr")
    """
    if not cell.startswith("'") or (found := _FORMULA.match(cell)) is None:
        return cell
    if not cell.endswith("'"):
        return cell[1:]
    return cell if len(found[1]) == 1 else cell[2:]


def may_be_guarded(text: str) -> bool:
    """Return whether any cell of a text may be."""
    return _GUARDED.search(text) is not None


_GUARDED = re.compile(r"'[=+\-@\t\r]")
