"""Whatever a function that asks about a table is given becomes a ScoreTable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from palio.errors import InputError
from palio.scores.item_reading import items_predicted, with_kept_items
from palio.scores.items import ItemScores
from palio.scores.reading import asking, read_scores
from palio.scores.table import ScoreTable

if TYPE_CHECKING:
    from palio.predictions import Predictions
    from palio.scores.sources import TableSource

Tabular: TypeAlias = "ScoreTable | ItemScores | Predictions | TableSource"
"""What a function that asks about a table takes: a table, or whatever one is read from."""


@runtime_checkable
class _OfItems(Protocol):
    """What predictions are, whose room is not loaded for scores."""

    def to_items(self) -> ItemScores: ...


def as_table(source: Tabular, *, over: str | None = None) -> ScoreTable:
    """Return a table, read by `read_scores` unless it is one.

    Whatever asks about a table begins with it. An error that asks for an option of reading says
    where to give it. Predictions, which are right or wrong, are accuracies on items; those that a
    store keeps are read where the question is ``over`` items.

    >>> as_table("study:ulas2008").n_datasets
    38
    >>> as_table({"truth": [0, 1], "tree": [0, 0], "knn": [0, 1]}).means()
    array([[0.5, 1. ]])
    >>> as_table({"dataset": ["iris", "iris"], "algorithm": ["tree", "knn"], "quality": [4, 3]})
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: higher_is_better: 'quality' is not a well-known measure, so its \
    direction cannot be read from its name; give higher_is_better=True or \
    higher_is_better=False. Such options go to palio.read_scores(…, higher_is_better=True).
    """
    if isinstance(source, ScoreTable):
        return source
    if isinstance(source, _OfItems):
        source = source.to_items()
    if isinstance(source, ItemScores):
        return source.to_scores()
    try:
        table = read_scores(source)
    except InputError as error:
        if (items := items_predicted(source)) is not None:
            return items.to_scores()
        raise asking(error, "read_scores") from None
    return with_kept_items(table, source) if over == "items" else table
