"""read_scores: any table of results becomes a ScoreTable, or one clear error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from palio.errors import ColumnError, ParameterError
from palio.scores.columns import Columns
from palio.scores.costs import pair_costs
from palio.scores.layout import ColumnNames, arrange
from palio.scores.missing import MissingChoice, check_choice
from palio.scores.rows import Rows
from palio.scores.sources import read_columns
from palio.scores.table import ScoreTable
from palio.words import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from palio.scores.sources import TableSource

__all__ = ["read_scores"]


def read_scores(
    source: TableSource,
    *,
    dataset: str | None = None,
    algorithm: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    costs: Sequence[str] | TableSource | None = None,
    missing: MissingChoice = "error",
) -> ScoreTable:
    """Read a table of results.

    A long table has one row per data set, algorithm, repeat and fold. A wide table has one row
    per data set (and repeat and fold) and one column per algorithm; it is recognised by having
    no algorithm column.

    Parameters
    ----------
    source : path or frame
        A file (.csv, .tsv, .txt, .json, each also with .gz behind; .parquet), a frame (pandas,
        polars, pyarrow, …) or a dictionary of columns.
    dataset, algorithm, repeat, fold : str, optional
        The names of the key columns; by default ``dataset``, ``algorithm``, ``repeat`` and
        ``fold`` in any case. A wide table without a dataset column has it first.
    score : str, optional
        Long: the score column asked about. Wide: the name of what is measured.
    higher_is_better : bool, optional
        The direction of the score, if its name does not tell.
    costs : list of str, path or frame, optional
        Cost columns of the same table, or a second table: dataset, algorithm, one column per
        cost. Columns of a long table with well-known names (``train_time``, ``space``, …) are
        costs without being named.
    missing : {"error", "drop-datasets", "worst", "pairwise"}, default "error"
        What to do about missing scores: refuse; leave out the data sets that have them; take the
        worst score that any algorithm has there; or keep them missing.

    Returns
    -------
    ScoreTable

    Raises
    ------
    InputError
        If the table cannot be used; the message says which cells, why, and what to do.

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
    check_choice(missing)
    columns = read_columns(source, parameter="source")
    given = ColumnNames(dataset, algorithm, repeat, fold, score)
    cost_table: Columns | None = None
    if costs is not None:
        names, cost_table = _sort_out_costs(costs, columns)
        given = replace(given, costs=names)
    arranged = arrange(columns, given, higher_is_better)
    rows, notes = arranged.rows, arranged.notes
    if cost_table is not None:
        rows, more = _with_cost_table(rows, cost_table, given)
        notes = (*notes, *more)
    return ScoreTable.from_rows(
        rows, arranged.measure, missing=missing, notes=notes, origin=arranged.origin
    )


def _sort_out_costs(costs: object, columns: Columns) -> tuple[tuple[str, ...], Columns | None]:
    """Return the cost columns of the table itself, or a second table."""
    if isinstance(costs, str):
        if costs.strip() in columns.values:
            return (costs,), None
        if not Path(costs).suffix and not Path(costs).exists():
            raise ColumnError(
                "costs",
                f"{costs!r} is neither a column of {columns.origin.name} nor a file."
                f"{did_you_mean(costs, columns.names)} Its columns are "
                f"{quoted(columns.names, limit=20)}",
            )
    if isinstance(costs, list | tuple):
        wrong = [name for name in costs if not isinstance(name, str)]
        if wrong:
            raise ParameterError(
                "costs",
                "must be a list of column names, the path of a table or a frame",
                remedy=f"got a list with {type(wrong[0]).__name__}",
            )
        return tuple(dict.fromkeys(costs)), None
    return (), read_columns(costs, parameter="costs")


def _with_cost_table(
    rows: Rows, cost_table: Columns, given: ColumnNames
) -> tuple[Rows, tuple[str, ...]]:
    found = pair_costs(cost_table, rows, given)
    notes = found.notes
    twice = [name for name in rows.costs if name in found.matrices]
    if twice:
        notes = (*notes, f"The second table's {listed(twice)} replaces the scores table's own.")
    kept = {name: values for name, values in rows.costs.items() if name not in twice}
    return replace(rows, costs=kept, pair_costs=found.matrices), notes
