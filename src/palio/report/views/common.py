"""What several views share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from palio.report.blocks import Column, Items, Table
from palio.report.numbers import p_value

if TYPE_CHECKING:
    from palio.comparison.results import Pair

AnyPair = TypeVar("AnyPair", bound="Pair")


class _HasNotes(Protocol):
    """What tells the conventions that it used."""

    @property
    def notes(self) -> Sequence[str]: ...


def notes(result: _HasNotes) -> Items:
    """List the conventions that a result used."""
    return Items.dashed("Notes", result.notes, quiet=True)


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
