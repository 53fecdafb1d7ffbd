"""read_items: results on items become ItemScores; what is given becomes a table, or items."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from palio.errors import ColumnError, InputError, Option, ParameterError
from palio.scores.items import ItemScores
from palio.scores.limits import held
from palio.scores.reading import asking, read_scores
from palio.scores.selection import Choice
from palio.scores.sources import named_source, read_columns
from palio.scores.spec import ReadSpec, unknown_option
from palio.scores.table import ScoreTable

if TYPE_CHECKING:
    from palio.predictions import Predictions
    from palio.scores.sources import TableSource


Tabular: TypeAlias = "ScoreTable | ItemScores | Predictions | TableSource"
"""What a function that asks about a table takes: a table, or whatever one is read from."""


def read_items(
    source: TableSource,
    spec: ReadSpec | str | os.PathLike[str] | None = None,
    **given: Any,
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
    spec : ReadSpec or path, optional
        What is known about the table, or a TOML file that says it.
    **given
        Fields of a `ReadSpec`: ``item``, ``cluster`` (a passage with several questions, which go
        together), ``weight`` (how much an item counts within its data set), ``score``, …. Folds
        and seeds of an item count as its repeats.

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
    table = read_table(source, spec, {"keep_failing": True, **given}, over="items", columns={})
    if table.items is None:
        remedy = f"Say which does with {Option('item')}; a table of means over data sets is read "
        raise ColumnError("item", "no column tells items apart", remedy=f"{remedy}with read_scores")
    return replace(table.items, notes=table.notes)


def read_table(
    source: TableSource,
    spec: ReadSpec | str | os.PathLike[str] | None,
    given: Mapping[str, Any],
    *,
    over: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> ScoreTable:
    """Read scores, or else predictions, which are accuracies on items.

    ``columns`` are those of predictions that were named; None, that none are asked for.
    """
    said = ReadSpec.of(spec, **given)
    if not columns:
        try:
            table = read_scores(source, spec, **given)
        except InputError:
            if columns is None or not has_truth(source, said):
                raise
        else:
            is_asked = over == "items"
            return with_kept_items(table, source, said.plan, said.score) if is_asked else table
    choice = Choice(said.algorithms, said.exclude, said.datasets)
    said = replace(said, algorithms=None, exclude=None, datasets=None)
    return choice.of_table(read_predicted(source, said, columns).to_items().to_scores())


def read_predicted(source: TableSource, spec: ReadSpec, columns: Mapping[str, str]) -> Predictions:
    """Read predictions as a spec says, of these columns; what is of scores only is refused."""
    from palio.predictions import read_predictions

    roles = {role: name for role, name in spec.keys.items() if name is not None}
    for name in spec.given().keys() - roles.keys() - _OF_PREDICTIONS:
        raise ParameterError(name, "predictions are right or wrong", remedy="leave it out")
    roles |= columns
    return read_predictions(source, **roles, format=spec.format, limits=spec.limits)


_OF_PREDICTIONS = frozenset({"format", "limits", "keep_failing", "scale", "alone"})


def has_truth(source: TableSource, spec: ReadSpec) -> bool:
    """Say whether a table has a column of true classes.

    What flows can be read once, and is not looked at again.
    """
    flows = (isinstance(source, str) and source == "-") or hasattr(source, "read")
    if flows or named_source(source) is not None:
        return False
    with held(spec.limits), suppress(InputError):
        found = read_columns(source, parameter="source", asked=spec.format)
        return found.find("truth") is not None
    return False


# What functions that ask about a table take besides their own: options of `read_scores`. Of one
# algorithm alone nothing can be asked.
READING = frozenset({"spec", *(field.name for field in fields(ReadSpec))}) - {"alone"}
# What a table that is read already can change.
_CHANGEABLE = frozenset({"score", "higher_is_better", "scale"})


def reading_in(options: dict[str, Any], *own: str) -> dict[str, Any]:
    """Take the options of reading out of a function's further ones; those named are its ``own``.

    >>> options = {"score": "accuracy", "ties": "split"}
    >>> reading_in(options), options
    ({'score': 'accuracy'}, {'ties': 'split'})
    """
    names = READING.difference(own)
    for name in options.keys() - READING.union(own):
        if near := get_close_matches(name, names, n=1, cutoff=0.75):
            raise unknown_option(name, near)
    return {name: options.pop(name) for name in names.intersection(options)}


def as_table(
    source: Tabular,
    reading: Mapping[str, Any] | None = None,
    asker: Callable[..., object] | None = None,
    *,
    over: str | None = None,
    scale: str | None = None,
) -> ScoreTable:
    """Return a table, read by `read_scores` unless it is one, on the ``scale`` that is asked for.

    Whatever asks about a table begins with it. ``reading`` are options of `read_scores`; a table
    that is read already takes those that it can change. ``asker`` is the function that asks, whose
    own options are not reading's: an error that asks for one of these says where to give it.
    Predictions, which are right or wrong, are accuracies on items; those that a store keeps are
    read where the question is ``over`` items.

    >>> as_table("study:ulas2008").n_datasets
    38
    >>> as_table({"truth": [0, 1], "tree": [0, 0], "knn": [0, 1]}).means()
    array([[0.5, 1. ]])
    >>> as_table({"dataset": ["iris", "iris"], "algorithm": ["tree", "knn"], "zeal": [4, 3]})
    Traceback (most recent call last):
    ...
    palio.errors.UndecidedError: score: the table does not say whether a higher 'zeal' is better. \
    Say it: higher_is_better=True; or higher_is_better=False.
    """
    for name in (reading or {}).keys() - READING:
        raise unknown_option(name, READING | _own(asker))
    given = {name: value for name, value in (reading or {}).items() if value is not None}
    scale = given.pop("scale", scale)
    if hasattr(type(source), "to_items"):  # predictions, whose room is not loaded for scores
        source = cast("Predictions", source).to_items()
    if isinstance(source, ItemScores):
        source = source.to_scores()
    if isinstance(source, ScoreTable):
        return _changed(source, given).with_scale(scale)
    spec = given.pop("spec", None)
    if scale is not None:  # else it is what a spec says
        given["scale"] = scale
    try:
        table = read_table(cast("TableSource", source), spec, given, over=over, columns={})
    except InputError as error:
        asked = {each.parameter for option in error.options for each in option.all}
        raise (asking(error, "read_scores") if asked - (READING - _own(asker)) else error) from None
    return table.with_scale(scale)


def _own(asker: Callable[..., object] | None) -> frozenset[str]:
    return frozenset() if asker is None else frozenset(signature(asker).parameters)


def _changed(table: ScoreTable, given: Mapping[str, Any]) -> ScoreTable:
    """Return a table with another score or direction; the rest is decided when one is read."""
    for name in given.keys() - _CHANGEABLE:
        reader = f"palio.read_scores(…, {name}=…)"
        raise ParameterError(name, f"the table is read already: give it to {reader}")
    score, higher = given.get("score", table.measure.name), given.get("higher_is_better")
    if score == table.measure.name and higher in (None, table.measure.higher_is_better):
        return table
    return table.with_score(score, higher)


def with_kept_items(
    table: ScoreTable, source: object, plan: str | None = None, score: str | None = None
) -> ScoreTable:
    """Return the table of a store with the items whose predictions it keeps, right or wrong.

    Where its score is not the accuracy, the table is that of the items' accuracies.
    """
    named = named_source(source)
    if named is None or named.items is None:
        return table
    items = named.items(str(source), plan=plan)
    if score is not None and score != items.measure.name:
        remedy = f"leave it out, or give {Option('over', 'datasets')}"
        rule = "predictions are right or wrong"
        raise ParameterError("score", rule, f"{score!r} was asked for", remedy)
    items = items.select(
        [name for name in items.datasets if name in table.datasets],
        [name for name in items.algorithms if name in table.algorithms],
    )
    if table.measure.name == items.measure.name:
        return replace(table, items=items, notes=(*table.notes, *items.notes))
    return items.to_scores()
