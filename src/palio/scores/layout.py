"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, Option, ParameterError
from palio.measures import Measure, is_inner_cv, is_known_cost, is_known_score, measure_named
from palio.scores.columns import Coded, Numbers, Texts
from palio.scores.rows import Rows
from palio.words import listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns, Origin
    from palio.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The column names the caller gave; None means the usual name."""

    dataset: str | None = None
    algorithm: str | None = None
    repeat: str | None = None
    fold: str | None = None
    score: str | None = None
    costs: tuple[str, ...] = ()

    @property
    def keys(self) -> dict[str, str | None]:
        """The columns that say which result a row is, by their roles."""
        return {role: getattr(self, role) for role in ("dataset", "algorithm", "repeat", "fold")}


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Rows not yet validated, the measure asked about, and where each row came from."""

    rows: Rows
    measure: Measure
    origin: Origin
    notes: tuple[str, ...]


def arrange(columns: Columns, given: ColumnNames, higher_is_better: bool | None) -> Arranged:
    """Recognise the layout: long if there is a column of algorithms, wide otherwise."""
    keys = columns.roles(given.keys)
    arranged = _arrange_long if "algorithm" in keys else _arrange_wide
    return arranged(columns, keys, given, higher_is_better)


def _folds(columns: Columns, keys: Mapping[str, str], role: str) -> Coded:
    if role in keys:
        return columns.labels(keys[role])
    return Coded(np.zeros(len(columns), dtype=np.intp), ("1",))


# --- long ----------------------------------------------------------------------------------


def _arrange_long(
    columns: Columns, keys: dict[str, str], given: ColumnNames, higher_is_better: bool | None
) -> Arranged:
    if "dataset" not in keys:
        raise columns.lacking("dataset", "names the data sets")
    status = columns.find("status", taken=keys.values())
    if status is not None:
        keys["status"] = status
    _refuse_keys(columns, keys, given)
    values = _choose_values(columns, keys.values(), given)
    measure = measure_named(values.score, higher_is_better=higher_is_better)
    dataset, algorithm = (columns.coded(keys[role]) for role in ("dataset", "algorithm"))
    repeat, fold = (_folds(columns, keys, role) for role in ("repeat", "fold"))
    statuses, status_codes = _statuses(columns, status)
    rows = Rows.of(
        dataset,
        algorithm,
        repeat,
        fold,
        scores=values.scores,
        costs=values.costs,
        statuses=statuses,
        status=status_codes,
    )
    return Arranged(rows, measure, columns.origin, (*columns.notes, *values.notes))


def _refuse_keys(columns: Columns, keys: Mapping[str, str], given: ColumnNames) -> None:
    """Raise if a column that was given for numbers is a key."""
    role_of = {column: role for role, column in keys.items()}
    asked = [("costs", name) for name in given.costs]
    if given.score is not None:
        asked.insert(0, ("score", given.score))
    for parameter, name in asked:
        role = role_of.get(columns.existing(parameter, name))
        if role is not None:
            raise ParameterError(
                parameter,
                f"{name!r} is the {role} column already",
                remedy="Give a column of numbers",
            )


def _statuses(columns: Columns, name: str | None) -> tuple[tuple[str, ...], IntArray | None]:
    if name is None:
        return (), None
    column = columns.values[name]
    codes, found = (column if isinstance(column, Texts) else column.fillna("")).factorize()
    return tuple(str(status).strip() for status in found), np.asarray(codes, dtype=np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """The columns of numbers of a long table, sorted out; ``score`` is the one asked about."""

    score: str
    scores: Mapping[str, FloatArray]
    costs: Mapping[str, FloatArray]
    notes: tuple[str, ...]


def _choose_values(columns: Columns, keys: Collection[str], given: ColumnNames) -> _Values:
    """Sort out the columns that are not keys; the names given exist and are not keys."""
    score = None if given.score is None else given.score.strip()
    asked = [name.strip() for name in given.costs]
    if score in asked:
        raise ParameterError(
            "costs", f"{score!r} is the score already", remedy="it cannot also be a cost"
        )
    numbers = {name: columns.numbers(name) for name in columns.names if name and name not in keys}
    known = [
        name
        for name, column in numbers.items()
        if name not in (score, *asked) and is_known_cost(name) and column.is_meant_numeric
    ]
    others = {name: each for name, each in numbers.items() if name not in (*asked, *known)}
    chosen = score if score is not None else _pick(others, [*asked, *known], columns)
    scores = {
        name: each.checked() for name, each in others.items() if name == chosen or each.is_numeric
    }
    left = [each for name, each in others.items() if name not in scores]
    return _Values(
        score=chosen,
        scores=scores,
        costs={name: numbers[name].checked() for name in (*asked, *known)},
        notes=(
            *_notes_on_chosen(chosen, scores, known, given=score is not None),
            *_notes_on_unused(left, unnamed="" in columns.names),
        ),
    )


def _pick(others: Mapping[str, Numbers], costs: list[str], columns: Columns) -> str:
    """Return the one column that can only be the score."""
    candidates = [
        name
        for name, column in others.items()
        if column.is_meant_numeric or (is_known_score(name) and not column.is_empty)
    ]
    if len(candidates) == 1:
        return candidates[0]
    # What chose the hyper-parameters stands beside the score, never for it.
    well_known = [name for name in candidates if is_known_score(name) and not is_inner_cv(name)]
    if len(well_known) == 1:
        return well_known[0]
    origin = columns.origin.name
    if candidates:
        raise ColumnError(
            "score",
            f"several columns of {origin} could be the score: {quoted(candidates, limit=20)}",
            remedy=f"Say which with {Option('score')}",
        )
    but = f" ({quoted(costs)} {'is a cost' if len(costs) == 1 else 'are costs'})" if costs else ""
    raise ColumnError(
        "score",
        f"{origin} has no column of numbers for the score{but}",
        remedy=f"Its columns are {quoted(columns.names, limit=20)}. Add one, or say which with "
        f"{Option('score')}",
    )


def _notes_on_chosen(
    chosen: str, scores: Collection[str], costs: list[str], *, given: bool
) -> list[str]:
    notes = [f"Recognised as costs by name: {listed(costs, limit=20)}."] if costs else []
    rest = [name for name in scores if name != chosen]
    if rest:
        why = "" if given else ", the only column with a well-known name"
        notes.append(f"The score is {chosen}{why}; the table also has {listed(rest, limit=20)}.")
    return notes


def _notes_on_unused(left: list[Numbers], *, unnamed: bool) -> list[str]:
    notes = []
    for why, names in (
        ("hold text", [column.name for column in left if not column.is_empty]),
        ("are empty", [column.name for column in left if column.is_empty]),
    ):
        if names:
            notes.append(f"Columns not used because they {why}: {listed(names, limit=20)}.")
    return [*notes, _UNNAMED] if unnamed else notes


_UNNAMED = "A column without a name is not used."


# --- wide ----------------------------------------------------------------------------------


def _arrange_wide(
    columns: Columns, keys: dict[str, str], given: ColumnNames, higher_is_better: bool | None
) -> Arranged:
    notes = list(columns.notes)
    if "dataset" not in keys:
        keys["dataset"] = _first_column(columns, keys.values())
        notes.append(f"The first column, {keys['dataset']!r}, names the data sets.")
    if "" in columns.names:
        notes.append(_UNNAMED)
    algorithms = tuple(name for name in columns.names if name and name not in keys.values())
    numbers = [_wide_column(columns, name) for name in algorithms]
    measure = _wide_measure(columns, given, higher_is_better)
    dataset = columns.coded(keys["dataset"])
    repeat, fold = (_folds(columns, keys, role) for role in ("repeat", "fold"))
    height, width = len(columns), len(algorithms)
    matrix = np.empty((height, width))
    for position, column in enumerate(numbers):
        matrix[:, position] = column.checked()
    row = np.repeat(np.arange(height), width)
    rows = Rows.of(
        dataset.take(row),
        Coded(np.tile(np.arange(width), height), algorithms),
        repeat.take(row),
        fold.take(row),
        scores={measure.name: matrix.reshape(-1)},
    )
    return Arranged(rows, measure, columns.origin.take(row), tuple(notes))


def _first_column(columns: Columns, taken: Collection[str]) -> str:
    origin = columns.origin.name
    name = next((name for name in columns.names if name not in taken), None)
    if name is None:
        raise ColumnError(
            "dataset",
            f"{origin} has only the columns {quoted(columns.names)}",
            remedy="it needs one that names the data sets and one for each algorithm",
        )
    if columns.numbers(name).has_decimals:
        raise ColumnError(
            "dataset",
            f"{origin} has no column named 'dataset'",
            f"its first column, {name!r}, holds decimal numbers, not names",
            f"Say with {Option('dataset')} which column names the data sets",
        )
    return name


def _wide_column(columns: Columns, name: str) -> Numbers:
    numbers = columns.numbers(name)
    without = f"{columns.origin.name} has no 'algorithm' column, so each column is an algorithm"
    if numbers.bad.any() and not numbers.is_meant_numeric:
        text = numbers.text(int(np.argmax(numbers.bad)))
        raise ColumnError(
            f"column {name!r}",
            without,
            f"it holds text ({text!r}, …), not scores",
            f"if it names the algorithms, give {Option('algorithm', name)}; otherwise remove it",
        )
    if is_known_cost(name):
        raise ColumnError(
            f"column {name!r}",
            without,
            "it looks like a cost",
            f"say with {Option('algorithm')} which column names the algorithms, or put the costs "
            f"in a table of their own ({Option('costs')}), or rename it",
        )
    return numbers


def _wide_measure(columns: Columns, given: ColumnNames, higher_is_better: bool | None) -> Measure:
    name = columns.origin.name
    if given.costs:
        raise ColumnError(
            "costs",
            f"{name} has no 'algorithm' column, so it cannot hold the costs {quoted(given.costs)}",
            remedy="Give them in a second table: dataset, algorithm, one column per cost",
        )
    if given.score is not None and given.score in columns.values:
        raise ColumnError(
            "score",
            f"{given.score!r} is a column of {name}, but no column is named 'algorithm'",
            remedy=f"Say with {Option('algorithm')} which column names the algorithms",
        )
    if given.score is None and higher_is_better is None:
        raise ParameterError(
            "score",
            f"{name} has one column per algorithm and does not say what they measure",
            remedy=f"Give {Option('score', 'accuracy')} or another well-known measure, or any name "
            f"with {Option('higher_is_better', 'True')} or {Option('higher_is_better', 'False')}",
        )
    return measure_named(
        "score" if given.score is None else given.score, higher_is_better=higher_is_better
    )
