"""read_scores: any table of results becomes a ScoreTable, or one clear error.

The way of a table: `sources` (what holds it) and `formats` (of files) make `columns` of it,
`layout` finds which column is what and makes rows, and `ScoreTable.from_rows` checks these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from palio.errors import InputError, ParameterError
from palio.scores.arranged import ColumnNames
from palio.scores.choosing import Choice, where_rows, with_joined
from palio.scores.copies import notes_on_copies
from palio.scores.costs import sort_out_costs, with_cost_table
from palio.scores.differing import Directions, by_metric, directions_in
from palio.scores.duplicates import DuplicatesChoice, check_duplicates
from palio.scores.importers import IMPORTERS
from palio.scores.kept import kept_at
from palio.scores.layout import LEADERBOARD, arrange
from palio.scores.limits import held
from palio.scores.missing import USUAL, rule_of
from palio.scores.plausible import implausible, implausible_items, let_through
from palio.scores.sources import read_columns
from palio.scores.table import ScoreTable
from palio.scores.values import check_decimal

if TYPE_CHECKING:
    from palio.measures import MeasureScale
    from palio.scores.choosing import Names, Where
    from palio.scores.sources import TableSource


def read_scores(
    source: TableSource,
    *,
    dataset: str | Sequence[str] | None = None,
    algorithm: str | Sequence[str] | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    direction: Directions | None = None,
    scale: str | None = None,
    costs: Sequence[str] | TableSource | None = None,
    missing: str = USUAL,
    keep_failing: bool = False,
    duplicates: DuplicatesChoice = "error",
    transpose: bool | None = None,
    algorithms: Names | None = None,
    exclude: Names | None = None,
    datasets: Names | None = None,
    where: Where | None = None,
    plan: str | None = None,
    decimal: str | None = None,
    allow_out_of_range: bool = False,
    alone: bool = False,
    limits: bool = True,
    format: str | None = None,  # noqa: A002 (what a user calls it)
) -> ScoreTable:
    """Read a table of results.

    A long table has one row per data set, algorithm, repeat and fold. A wide table has one row
    per data set (and repeat and fold) and one column per algorithm; it is recognised by having
    no algorithm column. A leaderboard has one row per algorithm and one column per data set; it is
    recognised by naming algorithms, once each, and no data sets. Rows and columns that are means,
    sums or ranks of the others are left out, once computing them agrees; the notes say so. Results
    of several seeds or items are averaged; the table keeps the scores of the items.

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
        whatever it looks like. Or what Palio keeps (`KEPT`): ``"study:NAME"``, the store of an
        experiment (``"experiment.db"``, finished or not), which have columns of their own.
    dataset, algorithm, repeat, fold : str, optional
        The names of the key columns; by default ``dataset``, ``algorithm``, ``repeat`` and
        ``fold`` in any case, or what people call them (`palio.scores.roles.ROLES`): model, task,
        split, …. A wide table without a dataset column has it first. Several columns make one
        name: ``algorithm="framework+version"``, or a list. ``folder`` and ``file`` are where tables
        are that name neither, ``index`` a first column without a name.
    item, cluster, weight : str, optional
        The columns of items (questions, instances), of what puts these together (a passage with
        several questions) and of how much each counts. Items and clusters are looked for by their
        names (`ROLES`), weights are not.
    score : str, optional
        Long: the score column asked about, or a value of the column that names the measures.
        Wide: the name of what is measured.
    higher_is_better : bool, optional
        The direction of the score, if its name does not tell.
    direction : mapping, or str or list of str, optional
        Directions of measures by their names, where a column (``metric``, ``measure``, …) says
        what is measured on each data set: ``{"gain": "higher"}`` or ``"gain=higher"``.
    scale : {"auto", "difference", "ratio", "order"}, optional
        What means the same on every data set: a difference (accuracy), a ratio (RMSE, loss, time,
        which have a unit of their own on each) or only who is better. Read from well-known names
        unless given; of others a difference, and a note says so.
    costs : list of str, path or frame, optional
        Cost columns of the same table, or a second table: dataset, algorithm, one column per
        cost. Columns of a long table with well-known names (``train_time``, ``space``, …) are
        costs without being named.
    missing : str, default "pairwise"
        What to do about missing scores, by a rule of `MISSING`: compare each pair where both have
        one; ``"error"``; leave out what has gaps (``"drop-datasets"``, ``"drop-algorithms"``); or
        fill them in: ``"worst"`` (that any algorithm has there), ``"baseline=NAME"`` (what that
        algorithm has there), ``"value=X"``, ``"par10"`` (run times: ten times the cut-off).
    keep_failing : bool, default False
        Whether to keep algorithms that failed on most of the data sets they were tried on.
    duplicates : {"error", "mean", "first", "last"}, default "error"
        What to do about rows of one data set, algorithm, repeat and fold that contradict: refuse,
        or take their mean, the first or the last. Rows that agree are copies, of which one is kept.
    transpose : bool, optional
        Whether a wide table has algorithms in rows and data sets in columns; recognised unless
        given.
    algorithms, exclude, datasets : str or list of str, optional
        Only these algorithms, not these, only these data sets; ``*`` stands for anything.
    where : mapping, or str or list of str, optional
        Only rows with these values in these columns: ``{"constraint": "4h8c"}`` or
        ``"constraint=4h8c"``; several values of one column are alternatives.
    plan : str, optional
        Of a store: which of its plans; the one saved last unless given.
    decimal : {".", ","}, optional
        The decimal mark, where the numbers do not tell: ``1,234`` may be 1234 or 1.234.
    allow_out_of_range : bool, default False
        Take values as they are that cannot be, or not all at once: outside the range of the
        measure, percent beside fractions, ranks under the name of a share; otherwise an error.
    alone : bool, default False
        Whether results of one algorithm will do, to look at them or to put them beside others.
    limits : bool, default True
        Whether to refuse files beyond what any table of results has (`palio.scores.limits`), which
        may be there to fill the memory.
    format : str, optional
        The format of the file (`FORMATS`) or who wrote it (`IMPORTERS`), where its ending does not
        tell; ``"xlsx:Sheet 2"`` names a sheet.

    Returns
    -------
    ScoreTable

    Raises
    ------
    InputError
        If the table cannot be used; the message says which cells, why, and what to do.

    See Also
    --------
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
    _ = rule_of(missing)
    check_duplicates(duplicates)
    check_decimal(decimal)
    choice = Choice(algorithms, exclude, datasets)
    dataset, algorithm = _as_one(dataset), _as_one(algorithm)
    kept = None if format in IMPORTERS else kept_at(source)
    if kept is not None:
        table = kept.read(
            dataset=dataset, algorithm=algorithm, repeat=repeat, fold=fold, item=item,
            cluster=cluster, weight=weight, score=score,
            higher_is_better=higher_is_better, costs=costs, transpose=transpose,
            duplicates=None if duplicates == "error" else duplicates, direction=direction or None,
            where=where or None, plan=plan, missing=None if missing == USUAL else missing,
            decimal=decimal, allow_out_of_range=allow_out_of_range or None, format=format,
            keep_failing=keep_failing or None,
        )  # fmt: skip
        return choice.of_table(table).with_scale(scale)
    if plan is not None:
        raise ParameterError("plan", "a plan is in a store", "this is none", "leave it out")
    with held(limits):
        columns = replace(read_columns(source, parameter="source", asked=format), decimal=decimal)
        named = (dataset, algorithm, repeat, fold, item, cluster, weight, score)
        columns = where_rows(columns, where, named)
        columns = with_joined(columns, (dataset, algorithm, repeat, item))
        columns, score = by_metric(columns, score)
        cost_columns, cost_table = sort_out_costs(costs, columns)
        if cost_table is not None:
            cost_table = replace(cost_table, decimal=decimal)
        known = columns.known
        asked = known.score if score is None else score
        columns = columns.with_score(asked)
        if higher_is_better is None and asked is not None:
            higher_is_better = known.directions.get(asked)
        more_costs = [name for name in known.costs if name not in (asked, *cost_columns)]
        given = ColumnNames(
            dataset,
            algorithm,
            repeat,
            fold,
            item,
            cluster,
            weight,
            asked,
            (*cost_columns, *more_costs),
            transpose,
            directions_in(direction),
            duplicates,
        )
        arranged = arrange(columns, given, higher_is_better)
        if cost_table is not None:
            rows, more = with_cost_table(arranged.rows, cost_table, given)
            arranged = replace(arranged, rows=rows, notes=(*arranged.notes, *more))
        arranged = arranged.chosen(choice)
        single = implausible_items(arranged)
        arranged = arranged.settled(duplicates).where_measured().measured()
        items, told = arranged.items, tuple[str, ...]()
        if columns.items is not None:
            from palio.scores.samples import items_behind

            items, told = items_behind(columns.items, arranged, given)
        board = arranged.how.source == LEADERBOARD
        odd = [
            single,
            *(
                implausible(part.rows, part.measure, part.origin, board=board)
                for part in arranged.by_measure()
            ),
        ]
        errors = [*arranged.doubts, *(error for each in odd for error in each.errors)]
        doubts = let_through(errors, allow=allow_out_of_range)
        return ScoreTable.from_rows(
            arranged.rows,
            arranged.measure,
            missing=missing,
            keep_failing=keep_failing,
            notes=(
                *arranged.notes,
                *told,
                *(note for each in odd for note in each.notes),
                *doubts,
                *notes_on_copies(arranged.rows, arranged.measure.name),
            ),
            origin=arranged.origin,
            how_read=arranged.how._replace(source=known.source or arranged.how.source),
            measures=arranged.measures,
            alone=alone,
            items=items,
            scale=None if scale == "auto" else cast("MeasureScale | None", scale),
        )


def asking(error: InputError, reader: str) -> InputError:
    """Return an error of reading; where it asks for an option, it says who takes that."""
    if not error.options:
        return error
    option = error.options[0]
    call = f"palio.{reader}(…, {option.in_python()}{'' if option.value else '…'})"
    remedy = f"{error.remedy.rstrip('.')}. Such options go to {call}"
    return type(error)(error.parameter, error.rule, error.received, remedy)


def _as_one(names: str | Sequence[str] | None) -> str | None:
    """Return the name of the column that several columns make."""
    return names if names is None or isinstance(names, str) else "+".join(names)
