"""Tables in Markdown, as leaderboards are pasted: ``| model | accuracy |`` above dashes."""

from __future__ import annotations

import re
from itertools import takewhile

import numpy as np

from palio.errors import Option
from palio.scores import limits
from palio.scores.columns import Columns, Origin, Texts, named_columns
from palio.scores.formats.kinds import MalformedError
from palio.words import count, listed

_DASHES = re.compile(r"(?m)^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
_BAR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]]{0,500})\]\([^)]{0,2000}\)")  # of any length it would take ages
_MARKED = re.compile(r"^(\*\*|__|`|\*|_|~~)(.+)\1$")


def holds_table(text: str) -> bool:
    r"""Return whether text begins with a table.

    >>> holds_table("| model | acc |\n|---|---|\n| knn | 0.9 |\n")
    True
    """
    first, _, rest = text.lstrip().partition("\n")
    return "|" in first and _DASHES.match(rest) is not None


def read_markdown(text: str, name: str, part: str = "") -> Columns:
    """Read the table in a text, or the one of several whose number is given."""
    limits.check_text(text, "|")
    lines = text.splitlines()
    # The header stands above the dashes.
    found = [n for n, line in enumerate(lines) if n and "|" in lines[n - 1] and _DASHES.match(line)]
    if not found:
        raise MalformedError("holds no table: a header with bars, and a line of dashes below")
    if part and not (part.isdecimal() and 1 <= int(part) <= len(found)):
        raise MalformedError(f"has no table {part!r}; it has {count(len(found), 'table')}")
    if len(found) > 1 and not part:
        raise MalformedError(
            f"holds {len(found)} tables, in lines {listed(found)}",
            f"Say which by its number: {Option('format', 'markdown:1')}",
        )
    dashes = found[int(part or 1) - 1]
    header = _cells(lines[dashes - 1])
    rows = [_cells(line) for line in takewhile(lambda line: "|" in line, lines[dashes + 1 :])]
    for n, row in enumerate(rows):
        if len(row) > len(header):
            raise MalformedError(
                f"is not a table: {len(header)} columns were named, line {dashes + n + 2} has "
                f"{len(row)}"
            )
        row += [""] * (len(header) - len(row))
    columns = [Texts([row[place] for row in rows]) for place in range(len(header))]
    origin = Origin(name, "line", np.arange(len(rows)) + dashes + 2)
    return Columns(named_columns(header, columns, name), origin)


def _cells(line: str) -> list[str]:
    r"""Split a line at its bars.

    >>> _cells(r"| [knn](https://x.org) | **0.9** | a\|b |")
    ['knn', '0.9', 'a|b']
    """
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [_plain(cell) for cell in _BAR.split(inner)]


def _plain(cell: str) -> str:
    """Return what a cell shows, without links and emphasis."""
    text = _LINK.sub(r"\1", cell.replace("\\|", "|")).strip()
    while marked := _MARKED.match(text):
        text = marked[2].strip()
    return text
