"""read_items: results on items become ItemScores; what is given becomes a table, or items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from palio.errors import ColumnError, InputError, Option, ParameterError
from palio.scores.items import ItemScores
from palio.scores.kept import kept_at
from palio.scores.limits import held
from palio.scores.reading import asking, read_scores
from palio.scores.sources import read_columns
from palio.scores.table import ScoreTable

if TYPE_CHECKING:
    from palio.predictions import Predictions
    from palio.scores.sources import TableSource


Tabular: TypeAlias = "ScoreTable | ItemScores | Predictions | TableSource"
"""What a function that asks about a table takes: a table, or whatever one is read from."""


def read_items(
    source: TableSource,
    *,
    dataset: str | Sequence[str] | None = None,
    item: str | None = None,
    algorithm: str | Sequence[str] | None = None,
    score: str | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    repeat: str | None = None,
    higher_is_better: bool | None = None,
    **reading: Any,
) -> ItemScores:
    """Read scores on items: questions, test cases, instances.

    A long table has one row per data set, item, algorithm and repeat; a wide table one row per item
    and a column per algorithm. Without a column of data sets the items are of one. Samples that
    lm-evaluation-harness, Inspect and others keep beside their results are read too, and
    predictions with a column of true classes, as right or wrong; so are those that the store of an
    experiment keeps (``predictions=True``), of all its data sets.

    Parameters
    ----------
    source : path or frame
        What `read_scores` takes.
    dataset, item, algorithm, cluster, repeat : str, optional
        The names of the columns, where they are not called as people call them
        (`palio.scores.roles.ROLES`). Items of one cluster (a passage with several questions) go
        together; folds and seeds of an item count as its repeats.
    score : str, optional
        The score asked about; in a wide table, the name of what is measured.
    weight : str, optional
        The column that says how much each item counts within its data set.
    higher_is_better : bool, optional
        The direction of the score, if its name does not tell.
    **reading
        The other options of `read_scores`: ``duplicates``, ``where``, ``algorithms``, ….

    Returns
    -------
    ItemScores

    Raises
    ------
    InputError
        If the table cannot be used, or has no items.

    Examples
    --------
    >>> read_items({
    ...     "question_id": [1, 1, 2, 2], "model": ["a", "b", "a", "b"], "accuracy": [1, 0, 1, 1],
    ... })
    <ItemScores: 2 items of 1 data set × 2 algorithms, accuracy (higher is better), 0 or 1>
    """
    try:
        table = read_scores(
            source,
            dataset=dataset,
            algorithm=algorithm,
            repeat=repeat,
            item=item,
            cluster=cluster,
            weight=weight,
            score=score,
            higher_is_better=higher_is_better,
            **{"keep_failing": True, **reading},
        )
    except InputError:
        with held(reading.get("limits", True)):
            found = items_predicted(source, reading.get("format")) if score is None else None
        if found is None:
            raise
        return found
    table = with_kept_items(table, source, plan=reading.get("plan"), score=score)
    if table.items is None:
        raise ColumnError(
            "item",
            "no column tells items apart",
            remedy=f"Say which does with {Option('item')}; a table of means over data sets is read "
            "with read_scores",
        )
    return replace(table.items, notes=table.notes)


@runtime_checkable
class _OfItems(Protocol):
    """What predictions are, whose room is not loaded for scores."""

    def to_items(self) -> ItemScores: ...


def as_table(source: Tabular, *, over: str | None = None, scale: str | None = None) -> ScoreTable:
    """Return a table, read by `read_scores` unless it is one, on the ``scale`` that is asked for.

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
        return source.with_scale(scale)
    if isinstance(source, _OfItems):
        source = source.to_items()
    if isinstance(source, ItemScores):
        return source.to_scores().with_scale(scale)
    try:
        table = read_scores(source, scale=scale)
    except InputError as error:
        if (items := items_predicted(source)) is not None:
            return items.to_scores()
        raise asking(error, "read_scores") from None
    return with_kept_items(table, source) if over == "items" else table


def as_items(source: ItemScores | ScoreTable | Predictions | TableSource) -> ItemScores:
    """Return item scores: those that a table or predictions hold, or else what `read_items` reads.

    >>> as_items({"item": [1, 2], "tree": [1, 0], "knn": [1, 1]})
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: score: the table has one column per algorithm and does not say \
    what they measure. Give score='accuracy' or another well-known measure, or any name with \
    higher_is_better=True or higher_is_better=False. Such options go to \
    palio.read_items(…, score='accuracy').
    """
    from palio.predictions import Predictions

    if isinstance(source, ItemScores):
        return source
    if isinstance(source, Predictions):
        return source.to_items()
    if isinstance(source, ScoreTable):
        if source.items is None:
            raise ColumnError(
                "table",
                "the table has no scores of items",
                remedy="Read one with a column of items: palio.read_items",
            )
        return source.items
    try:
        return read_items(source)
    except InputError as error:
        raise asking(error, "read_items") from None


def items_predicted(source: TableSource, asked: str | None = None) -> ItemScores | None:
    """Return the items of a table of predictions, right or wrong; None where it is no such table.

    ``asked`` is the format of the file.
    """
    from palio.predictions import read_predictions

    if not _has_truth(source, asked):
        return None
    return read_predictions(source, format=asked).to_items()


def with_kept_items(
    table: ScoreTable, source: object, *, plan: str | None = None, score: str | None = None
) -> ScoreTable:
    """Return the table of a store with the items whose predictions it keeps, right or wrong.

    Where its score is not the accuracy, the table is that of the items' accuracies.
    """
    kept = kept_at(source)
    if kept is None or kept.kind.items is None:
        return table
    items = kept.kind.items(kept.place, plan=plan)
    if score is not None and score != items.measure.name:
        raise ParameterError(
            "score",
            "predictions are right or wrong",
            f"{score!r} was asked for",
            f"leave it out, or give {Option('over', 'datasets')}",
        )
    items = items.select(
        [name for name in items.datasets if name in table.datasets],
        [name for name in items.algorithms if name in table.algorithms],
    )
    if table.measure.name == items.measure.name:
        return replace(table, items=items, notes=(*table.notes, *items.notes))
    return items.to_scores()


def _has_truth(source: TableSource, asked: str | None) -> bool:
    if isinstance(source, str) and source == "-":  # what flows can be read once
        return False
    if hasattr(source, "read") or kept_at(source) is not None:
        return False
    try:
        return read_columns(source, parameter="source", asked=asked).find("truth") is not None
    except InputError:
        return False
