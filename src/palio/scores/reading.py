"""read_scores: any table of results becomes a ScoreTable, or one clear error.

The way of a table: `sources` (what holds it) and `formats` (of files) make `columns` of it,
`layout` finds which column is what and makes rows, and `ScoreTable.from_rows` checks these.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from palio.errors import CellError, ColumnError, InputError, Option, ParameterError
from palio.measures import is_known_score
from palio.scores.documents import tidied
from palio.scores.doubts import implausible, let_through, notes_on_copies, without_minus_ones
from palio.scores.importers import IMPORTERS
from palio.scores.inference import infer
from palio.scores.layout import LEADERBOARD, arrange
from palio.scores.limits import held, is_small_text
from palio.scores.metrics import by_metric
from palio.scores.missing import censor
from palio.scores.selection import Choice, where_rows, with_joined
from palio.scores.sources import named_source, read_columns
from palio.scores.spec import ReadSpec, spec_beside
from palio.scores.table import ScoreTable
from palio.scores.values import notes_on
from palio.scores.vocabulary import heading_roles
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure, MeasureScale
    from palio.scores.columns import Columns
    from palio.scores.rows import Rows
    from palio.scores.sources import TableSource
    from palio.types import FloatArray


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
    beside = spec_beside(source) if spec is None else None
    if beside is not None:  # whoever wrote the file may have written this, too
        given.setdefault("limits", True)
    spec = ReadSpec.of(beside if spec is None else spec, **given)
    choice = Choice(spec.algorithms, spec.exclude, spec.datasets)
    named = None if spec.format in IMPORTERS else named_source(source)
    if named is not None:
        table = named.read(str(source), spec)
        return choice.of_table(table).with_scale(spec.scale)
    if spec.plan is not None:
        raise ParameterError("plan", "a plan is in a store", "this is none", "leave it out")
    with held(spec.limits):
        columns = None
        if not is_small_text(source):
            from palio.scores.streaming import streamed

            columns = streamed(source, spec)
        if columns is None:
            columns = read_columns(source, parameter="source", asked=spec.format)
        if beside is not None:
            columns = replace(columns, notes=(f"Read by {beside.name}.", *columns.notes))
        columns = replace(columns, decimal=spec.decimal)
        try:
            return _table(columns, spec, choice)
        except InputError as error:
            if len(columns) <= _MAX_ROWS_TRIED and any(each.whole for each in error.options):
                _offer_what_works(error, columns, spec)
            raise


_MAX_ROWS_TRIED = 100_000  # beyond, trying each way that is offered would take too long


def _offer_what_works(error: InputError, columns: Columns, spec: ReadSpec) -> None:
    """Change an error so that each command it offers gives a table.

    What a command leaves open is settled in it too, where the next error says how. Where none gives
    a table, what the first ends in is the error.
    """
    working = [each for way in error.options for each in _working(way, columns, spec)]
    if not working:
        _ = _table(columns, ReadSpec.of(spec, **_said(error.options[0])), Choice())
    elif working != error.options:  # else its own words say what each is for
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
    costs, cost_table = sort_out_costs(spec.costs, columns)
    if cost_table is not None:
        cost_table = replace(cost_table, decimal=spec.decimal)
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
        rows, more = with_cost_table(table.rows, cost_table, found.spec)
        table = table.noted(*more, rows=rows)
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
        notes=(*table.notes, *odd, *notes_on_copies(rows, measure.name)),
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


def asking(error: InputError, reader: str) -> InputError:
    """Return an error of reading; where it asks for an option, it says who takes that."""
    if not error.options:
        return error
    option = error.options[0]
    call = f"palio.{reader}(…, {option.in_python()}{'' if option.value else '…'})"
    remedy = f"{error.remedy.rstrip('.')}. Such options go to {call}"
    return type(error)(error.parameter, error.rule, error.received, remedy)


# --- costs ---------------------------------------------------------------------------------


def sort_out_costs(costs: object, columns: Columns) -> tuple[tuple[str, ...], Columns | None]:
    """Return the cost columns of the table itself, or a second table."""
    if costs is None:
        return (), None
    is_file = isinstance(costs, str) and bool(Path(costs).suffix or Path(costs).exists())
    if isinstance(costs, str) and (not is_file or costs.strip() in columns.values):
        return (columns.existing("costs", costs),), None
    if isinstance(costs, list | tuple):
        return tuple(dict.fromkeys(map(str, costs))), None
    return (), read_columns(costs, parameter="costs")


def with_cost_table(rows: Rows, columns: Columns, given: ReadSpec) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with the costs of a second table, NaN where it has no row; and notes."""
    name = columns.origin.name
    keys = [_key(columns, role, getattr(given, role)) for role in ("dataset", "algorithm")]
    values, notes = _cost_columns(columns, keys)
    datasets, algorithms = (columns.coded(key) for key in keys)
    cells = [(datasets.name(row), algorithms.name(row)) for row in range(len(columns))]
    row_of = {cell: row for row, cell in enumerate(cells)}
    if again := [row for row, cell in enumerate(cells) if row_of[cell] != row]:
        where = columns.origin.at(np.array(sorted({*again, *(row_of[cells[x]] for x in again)})))
        rule = f"each data set and algorithm may occur once in {name}, but there are several rows "
        remedy = "If these are folds, average them first, or put the costs beside the scores"
        raise CellError(
            "costs", f"{rule}of {_cells(cells[x] for x in again)} ({where})", "", remedy
        )
    wanted = [row_of.pop(cell, -1) for cell in product(rows.datasets, rows.algorithms)]
    if max(wanted) < 0:
        rule = f"no row of {name} has a data set and an algorithm of the scores"
        remedy = f"It has {_cells(cells)}; the scores have {quoted(rows.algorithms)} on "
        raise CellError("costs", rule, remedy=f"{remedy}{quoted(rows.datasets)}")
    if row_of:
        unused = f"{count(len(row_of), 'row')} of {name} not used, because the scores lack "
        notes.append(f"{unused}{'it' if len(row_of) == 1 else 'them'}: {_cells(row_of)}.")
    if twice := [cost for cost in rows.costs if cost in values]:
        notes.append(f"The second table's {listed(twice)} replaces the scores table's own.")
    row = np.array(wanted)[rows.cell]
    costs = {cost: np.where(row < 0, np.nan, column[row]) for cost, column in values.items()}
    return replace(rows, costs={**rows.costs, **costs}), (*columns.notes, *notes)


def _cells(cells: Iterable[tuple[str, str]]) -> str:
    return listed(f"{algorithm!r} on {dataset!r}" for dataset, algorithm in cells)


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


def _cost_columns(columns: Columns, keys: list[str]) -> tuple[dict[str, FloatArray], list[str]]:
    folds = [columns.find(role) for role in ("repeat", "fold")]
    others = [columns.numbers(name) for name in columns.names if name not in keys]
    costs = [
        each
        for each in others
        if each.name and each.name not in folds and each.is_meant_numeric
        if not is_known_score(each.name)
    ]
    if not costs:
        raise _lacking(columns, "column of costs")
    unused = [each.name for each in others if each not in costs]
    note = f"Columns of {columns.origin.name} that are not costs: {quoted(unused)}."
    notes = [*([note] if unused else []), *notes_on([each.written for each in costs])]
    return {each.name: each.checked() for each in costs}, notes
