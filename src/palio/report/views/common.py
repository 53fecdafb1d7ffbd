"""What several views share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from palio.claims import Evidence, Missing, MostProbable, OnFront, PairByModel, Unfinished, Value
from palio.numbers import number, p_said, p_value
from palio.report.blocks import Block, Items, Paragraph, Table, Title
from palio.words import Worded, strung

if TYPE_CHECKING:
    from palio.claims import Answer
    from palio.comparison.pairs import Pair, TestResult

AnyPair = TypeVar("AnyPair", bound="Pair")


class _HasNotes(Protocol):
    """What tells the conventions that it used."""

    @property
    def notes(self) -> Sequence[str]: ...


def notes(result: _HasNotes) -> Items:
    """List the conventions that a result used."""
    return Items.dashed("Notes", result.notes, quiet=True)


def capital(sentence: str) -> str:
    """Begin with a capital, and leave the names in it as they are."""
    return sentence[:1].upper() + sentence[1:]


def statistic_said(test: TestResult) -> str:
    """Write a statistic, with the degrees of freedom where its p-value is from them."""
    df = "" if test.exact else ", ".join(f"{value:.4g}" for value in test.df)
    return f"statistic {unbounded(test.statistic)}{f', df {df}' if df else ''}"


def p_of(test: TestResult) -> str:
    """Write a test's p-value, and that it is exact where it is."""
    return f"{'exact ' if test.exact else ''}{p_said(test.p_value)}"


def unbounded(value: float) -> str:
    """Write a number that may be infinite."""
    return "∞" if math.isinf(value) else number(value)


def mean_said(value: float, *, imputed: bool) -> str:
    """Write a mean score, with a mark where scores that a rule made up count in it.

    >>> mean_said(0.5, imputed=False), mean_said(0.5, imputed=True)
    ('0.5000', '0.5000*')
    """
    return f"{number(value)}*" if imputed and not math.isnan(value) else number(value)


def mark_said(marked: Collection[str] | None) -> list[Paragraph]:
    """Say what the mark of a mean score is, where there is one."""
    return [Paragraph(IMPUTED)] if marked else []


IMPUTED = "* Imputed scores count in this mean."


# Of more rows than these so many are shown, unless the reader says how many.
_LONG, _ROWS_SHOWN = 60, 30


def rows_shown(k: int, asked: int | None) -> int:
    """Return how many of k rows of a long table a person is shown.

    >>> rows_shown(40, None), rows_shown(652, None), rows_shown(652, 100)
    (40, 30, 100)
    """
    if asked is not None:
        return min(asked, k)
    return k if k <= _LONG else _ROWS_SHOWN


TOP = Worded(": --top N")


def whole(asked: int | None) -> str:
    """Say how a whole list is had; the command line always says how many rows are asked for."""
    return Worded(": .whole()" if asked is None else ": --all")


def left_out(n: int, rest: str, of: str = "") -> list[str]:
    """Say how many rows of a list are left out, and how they are had; nothing where none are.

    >>> left_out(57, whole(30)), left_out(2, whole(None), of="pairs"), left_out(0, TOP)
    (['and 57 more: --all'], ['and 2 more pairs: .whole()'], [])
    """
    return [strung([f"and {n} more{of and ' '}{of}", rest])] if n > 0 else []


def shortened(table: Table, asked: int | None = None, *, rest: str = TOP) -> list[Block]:
    """Return the first rows of a long table, and how many more there are."""
    k = len(table.rows)
    shown = rows_shown(k, asked)
    first = replace(table, rows=table.rows[:shown])
    return [first, *map(Paragraph, left_out(k - shown, rest))]


def verdict(answer: Answer) -> list[Block]:
    """Lay the sentences of an answer out, before anything else is said."""
    best, *more = verdict_texts(answer)
    return [Title(best.removesuffix(".")), *map(Paragraph, more)]


def verdict_texts(answer: Answer) -> list[str]:
    """Return the sentences of an answer: who leads, the best value, and what that rests on."""
    more = (Value, Evidence, Missing, OnFront, MostProbable, PairByModel, Unfinished)
    return [answer.verdict.best, *answer.texts(*more)]


def pairs_table(pairs: Sequence[AnyPair], *between: tuple[str, Callable[[AnyPair], str]]) -> Table:
    """Lay pairs out with their p-values, and what a test counted in columns before these."""
    columns = {
        "a": [pair.a for pair in pairs],
        "b": [pair.b for pair in pairs],
        **{heading: list(map(cell, pairs)) for heading, cell in between},
        "p": [p_value(pair.p_value) for pair in pairs],
        "adjusted p": [p_value(pair.p_adjusted) for pair in pairs],
        "better": [pair.winner or "" for pair in pairs],
    }
    return Table.of(columns, "a", "b", "better")


# What a terminal's line holds, what lies between two columns, and how much of a line names may
# take: longer ones stand above their rows.
_WIDTH, _GAP, _MAX_NAME_WIDTH = 80, 3, 20


def squares(cells: Mapping[tuple[str, str], str], title: str = "") -> list[Table]:
    """Put cells in rows and columns; a table too broad for a line goes on below.

    A part has the rows that have something in it.

    >>> [part.rows for part in squares({("x", "a"): "1", ("y", "b"): "2"})]
    [(('x', '1', ''), ('y', '', '2'))]
    """
    names = list(dict.fromkeys(row for row, _ in cells))
    widths = {column: len(column) for _, column in cells}
    for (_, column), text in cells.items():
        widths[column] = max(widths[column], len(text))
    parts: list[list[str]] = [[]]
    room = left = _WIDTH - min(max(map(len, names)), _MAX_NAME_WIDTH)
    for column, width in widths.items():
        left -= width + _GAP
        if left < 0 and parts[-1]:
            parts.append([])
            left = room - width - _GAP
        parts[-1].append(column)
    found = []
    for part in parts:
        rows = [name for name in names if any(cells.get((name, column)) for column in part)]
        columns = {column: [cells.get((name, column), "") for name in rows] for column in part}
        found.append(Table.of({"": rows} | columns, "", title=title))
    return found
