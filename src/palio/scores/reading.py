"""The door for data: whatever is given becomes a ScoreTable, or ItemScores, or one clear error.

The way of a table: `sources` (what holds it) and `formats` (of files) make `columns` of it,
`layout` finds which column is what and makes rows, and `ScoreTable.from_rows` checks these.
Predictions, which are right or wrong, become accuracies on items.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from palio.errors import CellError, ColumnError, InputError, Option, ParameterError
from palio.measures import is_known_score
from palio.scores.documents import tidied
from palio.scores.doubts import implausible, let_through, without_minus_ones
from palio.scores.importers import IMPORTERS
from palio.scores.inference import infer
from palio.scores.items import ItemScores
from palio.scores.layout import LEADERBOARD, arrange
from palio.scores.limits import held, is_small_text
from palio.scores.metrics import by_metric
from palio.scores.missing import censor
from palio.scores.selection import Choice, where_rows, with_joined
from palio.scores.sources import named_source, read_columns
from palio.scores.spec import KEYS, OF_PREDICTIONS, ReadSpec, spec_beside, unknown_option
from palio.scores.streaming import streamed
from palio.scores.table import ScoreTable
from palio.scores.vocabulary import heading_roles
from palio.words import listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure, MeasureScale
    from palio.predictions import Predictions
    from palio.scores.columns import Columns
    from palio.scores.long_table import LongTable
    from palio.scores.sources import NamedSource, TableSource

Tabular: TypeAlias = "ScoreTable | ItemScores | Predictions | TableSource"
"""What a function that asks about a table takes: a table, or whatever one is read from."""


def read_scores(
    source: TableSource,
    spec: ReadSpec | str | os.PathLike[str] | None = None,
    **given: Any,
) -> ScoreTable:
    """Read a table of results.

    A long table has one row per data set, algorithm, repeat and fold. A wide table has one row
    per data set (and repeat and fold) and one column per algorithm, or the other way round. What a
    table is, is found out by evidence (`palio.scores.readings`); where that is not clear, an error
    names the ways to read it. Rows and columns that are means, sums or ranks of the others are left
    out, once computing them agrees; the notes say so. Results of several seeds or items are
    averaged; the table keeps the scores of the items.

    Cells may be written as people do (``86.9%``, ``0.85 ± 0.02``, ``85,2``, ``1,234.5``,
    ``**0.91**``, ``0.91*``); the number is kept as it stands there. ``-``, ``n/a`` and the like are
    missing, and words such as timeout, OOM or failed are missing with that status; the notes say
    so.

    Parameters
    ----------
    source : path or frame
        A file of one of the `FORMATS` (CSV, JSON, Parquet, Excel, …), also packed (.gz, .zip, …),
        ``"-"`` for standard input, a frame (pandas, polars, pyarrow, …), a series, an array with
        named fields, a dictionary of columns or a list of rows. Or a folder, a pattern
        (``"runs/*.csv"``) or a list of files: one table in several files, where the name of a file
        may be its algorithm, data set or run; or what another tool wrote (`IMPORTERS`), which is
        recognised, or named by a prefix: ``"lm-eval:runs/"``; ``"table:results.csv"`` is a table
        whatever it looks like. Or what is no file (`TABLE_SOURCES`): ``"study:NAME"``, the store
        of an experiment (``"experiment.db"``, finished or not), with columns of their own.
    spec : ReadSpec or path, optional
        What is known about the table, or a TOML file that says it; by default that beside the file,
        ``results.csv.palio.toml``, if there is one.
    **given
        Fields of a `ReadSpec`, such as ``score="f1"`` or ``dataset="task"``; they come before what
        the spec says.

    Returns
    -------
    ScoreTable

    Raises
    ------
    InputError
        If the table cannot be used; the message says which cells, why, and what to do.

    See Also
    --------
    palio.ReadSpec : all that can be said.
    palio.read_items : scores on single items.
    palio.read_predictions : what each algorithm said of each instance.
    palio.load_study : published scores, to try things on.

    Examples
    --------
    >>> table = read_scores({
    ...     "dataset": ["iris", "iris", "wine", "wine"],
    ...     "algorithm": ["tree", "knn", "tree", "knn"],
    ...     "accuracy": [0.94, 0.96, 0.91, 0.73],
    ...     "train_time": [0.2, 0.1, 0.3, 0.1],
    ... })
    >>> table
    <ScoreTable: 2 data sets × 2 algorithms, one value per data set, accuracy (higher is better),
    costs: train_time>

    The same scores in a wide table do not say what they measure:

    >>> wide = {"dataset": ["iris", "wine"], "tree": [0.94, 0.91], "knn": [0.96, 0.73]}
    >>> read_scores(wide, score="accuracy").means()
    array([[0.94, 0.96],
           [0.91, 0.73]])
    """
    return read_table(source, spec, given, predicted=False)


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
    table = read_table(source, spec, {"keep_failing": True, **given}, over="items")
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
    predicted: bool = True,
) -> ScoreTable:
    """Read scores or, unless these are not asked for, predictions, which are accuracies on items.

    Where the question is ``over`` items, those that a store keeps are read, too.
    """
    beside = spec_beside(source) if spec is None else None
    if beside is not None:  # whoever wrote the file may have written this, too
        given = {"limits": True, **given}
    said = ReadSpec.of(beside if spec is None else spec, **given)
    choice = Choice(said.algorithms, said.exclude, said.datasets)
    named = None if said.format in IMPORTERS else named_source(source)
    if named is not None:
        table = choice.of_table(named.read(str(source), said)).with_scale(said.scale)
        return _with_kept(table, named, str(source), said) if over == "items" else table
    if said.plan is not None:
        raise ParameterError("plan", "a plan is in a store", "this is none", "leave it out")
    with held(said.limits):
        columns = _columns_of(source, said)
        if beside is not None:
            columns = replace(columns, notes=(f"Read by {beside.name}.", *columns.notes))
        if any(getattr(said, role) is not None for role in OF_PREDICTIONS):
            return _accuracies(columns, said, choice)
        try:
            return _table(columns, said, choice)
        except InputError as error:
            if predicted and columns.find("truth") is not None:
                return _accuracies(columns, said, choice)
            if len(columns) <= _MAX_ROWS_TRIED and any(each.whole for each in error.options):
                _offer_what_works(error, columns, said)
            raise


def _columns_of(source: TableSource, spec: ReadSpec) -> Columns:
    """Return the columns of a source; of rows that are too many to be held their means."""
    columns = None if is_small_text(source) else streamed(source, spec)
    if columns is None:
        columns = read_columns(source, parameter="source", asked=spec.format)
    return replace(columns, decimal=spec.decimal)


def _accuracies(columns: Columns, spec: ReadSpec, choice: Choice) -> ScoreTable:
    from palio.predictions import predictions_in

    said = replace(spec, algorithms=None, exclude=None, datasets=None)
    return choice.of_table(predictions_in(columns, said).to_items().to_scores())


def has_truth(source: TableSource, spec: ReadSpec) -> bool:
    """Say whether a table has a column of true classes.

    What flows can be read once, and is not looked at again.
    """
    flows = (isinstance(source, str) and source == "-") or hasattr(source, "read")
    if flows or named_source(source) is not None:
        return False
    with held(spec.limits), suppress(InputError):
        found = read_columns(source, parameter="source", asked=spec.format)
        return found.find("truth", spec.truth) is not None
    return False


def _with_kept(table: ScoreTable, source: NamedSource, place: str, spec: ReadSpec) -> ScoreTable:
    """Return the table of a store with the items whose predictions it keeps, right or wrong.

    Where its score is not the accuracy, the table is that of the items' accuracies.
    """
    if source.items is None:
        return table
    items = source.items(place, plan=spec.plan)
    if spec.score is not None and spec.score != items.measure.name:
        remedy = f"leave it out, or give {Option('over', 'datasets')}"
        rule = "predictions are right or wrong"
        raise ParameterError("score", rule, f"{spec.score!r} was asked for", remedy)
    items = items.select(
        [name for name in items.datasets if name in table.datasets],
        [name for name in items.algorithms if name in table.algorithms],
    )
    if table.measure.name == items.measure.name:
        return replace(table, items=items, notes=(*table.notes, *items.notes))
    return items.to_scores()


# --- from columns to a table ---------------------------------------------------------------


_MAX_ROWS_TRIED = 100_000  # beyond, trying each way that is offered would take too long


def _offer_what_works(error: InputError, columns: Columns, spec: ReadSpec) -> None:
    """Change an error so that each command it offers gives a table.

    What a command leaves open is settled in it too, where the next error says how. Where none gives
    a table, what the first ends in is the error.
    """
    offered = [way for way in error.options if way.whole]
    working = [each for way in offered for each in _working(way, columns, spec)]
    if not working:
        _ = _table(columns, ReadSpec.of(spec, **_said(offered[0])), Choice())
    elif working != offered:  # else its own words say what each is for
        error.offer(working)


def _said(option: Option) -> dict[str, Any]:
    """Return the fields that an option gives."""
    values: dict[str, list[object]] = {}
    for each in option.all:  # several directions go together
        values.setdefault(each.parameter, []).append(each.python_value)
    return {x: each if len(each) > 1 else each[0] for x, each in values.items()}


def _working(option: Option, columns: Columns, spec: ReadSpec, *, depth: int = 2) -> list[Option]:
    """Return an option if a table can be read by it; else with what else must be said."""
    given = _said(option)
    try:
        # What names algorithms or data sets may leave one to look at; a direction may not.
        alone = spec.alone or not given.keys().isdisjoint(("algorithm", "dataset"))
        _ = _table(columns, ReadSpec.of(spec, **given | {"alone": alone}), Choice())
    except InputError as error:
        more = [x for x in error.options if x.value and given.keys().isdisjoint(_said(x))]
        ways = [Option.together([*option.all, *each.all]) for each in more[: 2 if depth else 0]]
        return [found for way in ways for found in _working(way, columns, spec, depth=depth - 1)]
    return [option]


def prepared(columns: Columns, spec: ReadSpec) -> tuple[Columns, ReadSpec, Columns | None]:
    """Return the rows and columns that are asked about, what is known of them, and the costs.

    The last are a second table, if they are one.
    """
    columns = where_rows(columns, spec.where, (*spec.keys.values(), spec.score))
    columns = with_joined(columns, (spec.dataset, spec.algorithm, spec.repeat, spec.item))
    columns, score = by_metric(columns, spec.score)
    costs, cost_table = _sort_out_costs(spec, columns)
    known = columns.known
    asked = known.score if score is None else score
    columns = columns.with_score(asked)
    up = spec.higher_is_better
    if up is None and asked is not None:
        up = known.directions.get(asked)
    costs = (*costs, *(name for name in known.costs if name not in (asked, *costs)))
    return columns, replace(spec, score=asked, higher_is_better=up, costs=costs), cost_table


def _table(columns: Columns, spec: ReadSpec, choice: Choice) -> ScoreTable:
    """Make a table of columns, by what is known of them and what is inferred."""
    columns, given, cost_table = prepared(tidied(columns), spec)
    found = infer(columns, given)
    columns, table = found.columns, arrange(found.columns, found.spec)
    if cost_table is not None:
        table = _with_cost_table(table, cost_table, found.spec)
    table = table.chosen(choice)
    table = replace(table, rows=censor(table.rows, table.measure, spec.missing))
    allow, board = spec.allow_out_of_range, table.how.source == LEADERBOARD
    if not allow:
        table = without_minus_ones(table)
    doubts = [*table.doubts, *(implausible(table, of_items=True) if table.averaged else ())]
    table = table.settled(spec.duplicates).where_measured().measured().with_items(columns.items)
    doubts += [doubt for part in table.by_measure() for doubt in implausible(part)]
    rows, measure = table.rows, table.measure
    odd = let_through(doubts, measure, allow=allow, board=board)
    checked = ScoreTable.from_rows(
        rows,
        measure,
        missing=spec.missing,
        keep_failing=spec.keep_failing,
        notes=(*table.notes, *odd),
        origin=table.origin,
        how_read=table.how._replace(
            source=columns.known.source or table.how.source,
            why=found.why,
            spec=_to_save(spec, found.spec, measure),
        ),
        measures=table.measures,
        alone=spec.alone,
        items=table.items,
        scale=None if spec.scale == "auto" else cast("MeasureScale | None", spec.scale),
    )
    return replace(checked, intervals=table.intervals) if table.intervals else checked


def _to_save(asked: ReadSpec, found: ReadSpec, measure: Measure) -> ReadSpec:
    """Return a spec that reads the table again as it was read: what was asked, and what was found.

    The columns of results are found again, as there may be more next time.
    """
    up = None if measure.is_mixed else measure.higher_is_better
    keys = {role: name for role in ("dataset", "algorithm") if (name := getattr(found, role))}
    score = asked.score or found.score
    named = replace(asked, **keys, score=score, higher_is_better=up, transpose=None)
    return replace(named, layout=found.layout)


# --- costs ---------------------------------------------------------------------------------


def _sort_out_costs(spec: ReadSpec, columns: Columns) -> tuple[tuple[str, ...], Columns | None]:
    """Return the cost columns of the table itself, or a second table."""
    costs = spec.costs
    if isinstance(costs, str):
        is_file = bool(Path(costs).suffix or Path(costs).exists())
        if not is_file or costs.strip() in columns.values:
            return (columns.existing("costs", costs),), None
    if costs is None or isinstance(costs, list | tuple):
        return tuple(dict.fromkeys(map(str, costs or ()))), None
    return (), replace(read_columns(costs, parameter="costs"), decimal=spec.decimal)


def _with_cost_table(table: LongTable, columns: Columns, given: ReadSpec) -> LongTable:
    """Return the table with the costs of a second one, NaN where it has no row."""
    name, own = columns.origin.name, table.rows
    dataset, algorithm = (_key(columns, role, getattr(given, role)) for role in KEYS[:2])
    costs = _cost_columns(columns, (dataset, algorithm))
    read = ReadSpec(dataset=dataset, algorithm=algorithm, layout="long", score=costs[0])
    read = replace(read, costs=costs[1:], higher_is_better=False)
    second = arrange(columns, read).settled("error")
    rows, found = second.rows, {**second.rows.scores, **second.rows.costs}
    places = [
        [names.index(each) if each in names else len(names) for each in wanted]
        for names, wanted in ((rows.datasets, own.datasets), (rows.algorithms, own.algorithms))
    ]
    there = np.pad(rows.cell_counts > 0, (0, 1))
    at, notes = np.ix_(*places), list(second.notes)
    if not there[at].any():
        rule = f"no row of {name} has a data set and an algorithm of the scores"
        its, scores = (f"{quoted(x.algorithms)} on {quoted(x.datasets)}" for x in (rows, own))
        raise CellError("costs", rule, remedy=f"It has {its}; the scores have {scores}")
    there[at] = False
    if unused := [f"{rows.algorithms[a]!r} on {rows.datasets[d]!r}" for d, a in np.argwhere(there)]:
        notes.append(f"Costs of {name} not used, as the scores lack them: {listed(unused)}.")
    if twice := [cost for cost in own.costs if cost in costs]:
        notes.append(f"The second table's {listed(twice)} replaces the scores table's own.")
    spread = {}
    for cost in costs:
        means = np.pad(rows.cell_means(found[cost]), (0, 1), constant_values=np.nan)
        spread[cost] = means[at].reshape(-1)[own.cell]
    return table.noted(*notes, rows=replace(own, costs={**own.costs, **spread}))


def _key(columns: Columns, role: str, given: str | None) -> str:
    """Return the key column: called as in the scores, or as such columns are."""
    if given is not None and given in columns.values:
        return given
    found = max(columns.names, key=lambda name: heading_roles(name).get(role, 0.0))
    if heading_roles(found).get(role, 0.0) < 0.5:
        raise _lacking(columns, f"column named {role!r}")
    return found


def _lacking(columns: Columns, what: str) -> ColumnError:
    remedy = "A table of costs has the columns dataset, algorithm and one per cost"
    its = f"its columns are {quoted(columns.names, limit=20)}. {remedy}"
    return ColumnError("costs", f"{columns.origin.name} has no {what}", remedy=its)


def _cost_columns(columns: Columns, keys: Collection[str]) -> list[str]:
    taken = {"", *keys, columns.find("repeat"), columns.find("fold")}
    others = [name for name in columns.names if name not in taken and not is_known_score(name)]
    costs = [name for name in others if columns.numbers(name).is_meant_numeric]
    if not costs:
        raise _lacking(columns, "column of costs")
    return costs


# --- whatever is given ---------------------------------------------------------------------

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
        table = read_table(cast("TableSource", source), spec, given, over=over)
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


def asking(error: InputError, reader: str) -> InputError:
    """Return an error of reading; where it asks for an option, it says who takes that."""
    if not error.options:
        return error
    option = error.options[0]
    call = f"palio.{reader}(…, {option.in_python()}{'' if option.value else '…'})"
    remedy = f"{error.remedy.rstrip('.')}. Such options go to {call}"
    return type(error)(error.parameter, error.rule, error.received, remedy)
