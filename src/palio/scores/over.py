"""What would be drawn anew: other items of these data sets, or other data sets like these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from palio.errors import DesignError, Option, ParameterError
from palio.words import joined

if TYPE_CHECKING:
    from palio.scores.items import ItemScores
    from palio.scores.table import ScoreTable

ReadOver = Literal["items", "datasets"]
"""What would be drawn anew: other items of these data sets, or other data sets like these."""

ENOUGH_DATASETS = 6
"""With item scores on fewer data sets than this, items are what is drawn anew unless said."""


def usual_over(table: ScoreTable, *, dataset: str | None = None) -> ReadOver:
    """Return the reading of a table, or of one of its data sets, where none is named."""
    n = 1 if dataset is not None else table.n_datasets
    mixed = table.measure.is_ordinal and n > 1
    few = table.items is not None and n < ENOUGH_DATASETS and not mixed
    return "items" if few else "datasets"


def check_over(over: str | None) -> None:
    """Refuse what is no reading."""
    ways = get_args(ReadOver)
    if over is not None and over not in ways:
        raise ParameterError("over", f"it is {joined(ways, 'or')}", f"{over!r} was given")


def items_of(table: ScoreTable) -> ItemScores:
    """Return the item scores of a table; refuse one without, as there is nothing to draw anew."""
    if table.items is None:
        raise DesignError(
            "over",
            "to compare over items there must be a score on each",
            "this table has none",
            f"give results with a column of items, or {Option('over', 'datasets')}",
        )
    return table.items
