"""What a table says at first sight: the verdict, the order, and what to ask next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from palio.claims import Answer, Answered
from palio.ordering.methods import order
from palio.ordering.result import Ordering
from palio.results import Result
from palio.scores import Tabular


class NextQuestion(NamedTuple):
    """What may be asked next."""

    question: Annotated[str, "In a few words."]
    command: Annotated[str, "As it is typed."]


@dataclass(frozen=True, repr=False, eq=False)
class Overview(Answered, Result):
    """The first answer about a table: an order by the pairs of a comparison, and how sure it is.

    ``next`` are the questions that the table can answer besides.
    """

    kind = "overview"
    parts = ("verdict", "leader", "sureness", "claims", "ordering", "next", "notes")

    ordering: Ordering
    next: tuple[NextQuestion, ...] = ()

    @property
    def claims(self) -> Answer:
        """What is claimed, each claim with its numbers."""
        return self.ordering.claims

    @property
    def notes(self) -> tuple[str, ...]:
        """The conventions that were used."""
        return self.ordering.notes

    def __repr__(self) -> str:
        return f"<Overview: {self.claims.headline}>"

    def _frame(self) -> Any:
        """Give one row per algorithm, best first."""
        return self.ordering.to_frame()


def overview(table: Tabular, **asked: Any) -> Overview:
    """Order the algorithms of a table as `order` does, and say how sure it is who leads."""
    return Overview(order(table, **asked))
