"""What several views share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from palio.claims import Evidence
from palio.numbers import number, p_said, p_value
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
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


def shortened(
    table: Table, asked: int | None = None, *, rest: str = Worded("; --top N shows more")
) -> list[Block]:
    """Return the first rows of a long table, and how many there are."""
    k = len(table.rows)
    shown = rows_shown(k, asked)
    if shown == k:
        return [table]
    first = replace(table, rows=table.rows[:shown])
    return [first, Paragraph(strung([f"The first {shown} of {k} algorithms", rest, "."]))]


def verdict(answer: Answer) -> list[Block]:
    """Lay the sentences of an answer out, before anything else is said."""
    evidence, found = answer.of(Evidence), answer.verdict
    texts = (found.value, None if evidence is None else evidence.text, found.missing)
    return [
        Title(found.best.removesuffix(".")),
        *(Paragraph(text) for text in texts if text is not None),
    ]


def pairs_table(pairs: Sequence[AnyPair], *between: tuple[str, Callable[[AnyPair], str]]) -> Table:
    """Lay pairs out with their p-values, and what a test counted in columns before these."""
    return Table(
        (
            *Column.texts("a", "b"),
            *Column.numbers(*(heading for heading, _ in between), "p", "adjusted p"),
            *Column.texts("better"),
        ),
        tuple(
            (
                pair.a,
                pair.b,
                *(cell(pair) for _, cell in between),
                p_value(pair.p_value),
                p_value(pair.p_adjusted),
                pair.winner or "",
            )
            for pair in pairs
        ),
    )
