"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, ParameterError
from palio.measures import Measure, is_known_cost, measure_named
from palio.scores.cells import Numbers, codes_of_folds, codes_of_names, numbers_of
from palio.scores.rows import Rows
from palio.scores.values import choose_values
from palio.words import did_you_mean, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns, Origin
    from palio.types import IntArray

__all__ = ["Arranged", "ColumnNames", "arrange", "find_column"]


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
    def taken(self) -> frozenset[str]:
        """The key columns that were given, so that no other key may claim them."""
        keys = (self.dataset, self.algorithm, self.repeat, self.fold)
        return frozenset(name for name in keys if isinstance(name, str))


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Rows not yet validated, the measure asked about, and where each row came from."""

    rows: Rows
    measure: Measure
    origin: Origin
    notes: tuple[str, ...]


def arrange(columns: Columns, given: ColumnNames, higher_is_better: bool | None) -> Arranged:
    """Recognise the layout: long if there is a column of algorithms, wide otherwise."""
    keys: dict[str, str] = {}
    for role in ("dataset", "algorithm", "repeat", "fold"):
        found = find_column(columns, role, getattr(given, role), taken=given.taken)
        if found in keys.values():
            raise ParameterError(
                role,
                f"column {found!r} cannot be the {role} column and another one at once",
                remedy="Give dataset=, algorithm=, repeat= and fold= different columns",
            )
        if found is not None:
            keys[role] = found
    if "algorithm" in keys:
        return _arrange_long(columns, keys, given, higher_is_better)
    return _arrange_wide(columns, keys, given, higher_is_better)


def find_column(
    columns: Columns, role: str, given: str | None = None, *, taken: frozenset[str] = frozenset()
) -> str | None:
    """Return the column that plays a role: the one given, or the one with the usual name."""
    if given is not None:
        return _existing(columns, role, given)
    exact = [name for name in columns.names if name == role and name not in taken]
    alike = exact or [n for n in columns.names if _squeezed(n) == role and n not in taken]
    if len(alike) > 1:
        raise ColumnError(
            role,
            f"{quoted(alike)} of {columns.origin.name} could all be the {role} column",
            remedy=f"Say which with {role}=",
        )
    return alike[0] if alike else None


def _squeezed(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.lower())


def _existing(columns: Columns, parameter: str, name: str) -> str:
    if not isinstance(name, str):
        raise ParameterError(parameter, "must be the name of a column", remedy=f"got {name!r}")
    if name.strip() in columns.values:
        return name.strip()
    elsewhere = " Costs may also be a table of their own: costs=." if parameter == "costs" else ""
    raise ColumnError(
        f"{parameter}: {columns.origin.name} has no column {name!r}."
        f"{did_you_mean(name, columns.names)} Its columns are {quoted(columns.names, limit=20)}."
        f"{elsewhere}"
    )


def _fold_codes(
    columns: Columns, keys: Mapping[str, str], role: str
) -> tuple[IntArray, tuple[str, ...]]:
    if role in keys:
        return codes_of_folds(columns.values[keys[role]], keys[role], columns.origin)
    return np.zeros(columns.origin.numbers.size, dtype=np.intp), ("1",)


# --- long ----------------------------------------------------------------------------------


def _arrange_long(
    columns: Columns, keys: dict[str, str], given: ColumnNames, higher_is_better: bool | None
) -> Arranged:
    origin = columns.origin
    if "dataset" not in keys:
        raise ColumnError(
            "dataset",
            f"{origin.name} has no column named 'dataset'",
            remedy=(
                "Say with dataset= which column names the data sets: "
                f"{quoted(columns.names, limit=20)}"
            ),
        )
    status = find_column(columns, "status", taken=given.taken | frozenset(keys.values()))
    if status is not None:
        keys["status"] = status
    for parameter, names in (("score", (given.score,)), ("costs", given.costs)):
        for name in names:
            if name is not None and _existing(columns, parameter, name) in keys.values():
                raise ParameterError(
                    parameter,
                    f"{name!r} is the {_role_of(keys, name)} column already",
                    remedy="Give a column of numbers",
                )
    values = choose_values(columns, set(keys.values()), given.score, given.costs)
    measure = measure_named(values.score, higher_is_better=higher_is_better)
    dataset, datasets = codes_of_names(columns.values[keys["dataset"]], keys["dataset"], origin)
    algorithm, algorithms = codes_of_names(
        columns.values[keys["algorithm"]], keys["algorithm"], origin
    )
    repeat, repeats = _fold_codes(columns, keys, "repeat")
    fold, folds = _fold_codes(columns, keys, "fold")
    statuses, status_codes = _statuses(columns, status)
    rows = Rows(
        datasets=datasets,
        algorithms=algorithms,
        repeats=repeats,
        folds=folds,
        dataset=dataset,
        algorithm=algorithm,
        repeat=repeat,
        fold=fold,
        scores=values.scores,
        costs=values.costs,
        statuses=statuses,
        status=status_codes,
    )
    return Arranged(rows, measure, origin, (*columns.notes, *values.notes))


def _role_of(keys: Mapping[str, str], name: str) -> str:
    return next(role for role, column in keys.items() if column == name.strip())


def _statuses(columns: Columns, name: str | None) -> tuple[tuple[str, ...], IntArray | None]:
    if name is None:
        return (), None
    codes, found = columns.values[name].fillna("").factorize()
    return tuple(str(status).strip() for status in found), np.asarray(codes, dtype=np.intp)


# --- wide ----------------------------------------------------------------------------------


def _arrange_wide(
    columns: Columns, keys: dict[str, str], given: ColumnNames, higher_is_better: bool | None
) -> Arranged:
    notes = list(columns.notes)
    if "dataset" not in keys:
        keys["dataset"] = _first_column(columns, set(keys.values()))
        notes.append(f"The first column, {keys['dataset']!r}, names the data sets.")
    algorithms = tuple(name for name in columns.names if name not in keys.values())
    if "" in algorithms:
        algorithms = tuple(name for name in algorithms if name)
        notes.append("A column without a name is not used.")
    numbers = [_wide_column(columns, name) for name in algorithms]
    measure = _wide_measure(columns, given, higher_is_better)
    origin = columns.origin
    dataset, datasets = codes_of_names(columns.values[keys["dataset"]], keys["dataset"], origin)
    repeat, repeats = _fold_codes(columns, keys, "repeat")
    fold, folds = _fold_codes(columns, keys, "fold")
    n_rows, width = origin.numbers.size, len(algorithms)
    source_row = np.repeat(np.arange(n_rows), width)
    matrix = np.empty((n_rows, width))
    for position, (name, column) in enumerate(zip(algorithms, numbers, strict=True)):
        matrix[:, position] = column.checked(name, origin)
    rows = Rows(
        datasets=datasets,
        algorithms=algorithms,
        repeats=repeats,
        folds=folds,
        dataset=dataset[source_row],
        algorithm=np.tile(np.arange(width), n_rows),
        repeat=repeat[source_row],
        fold=fold[source_row],
        scores={measure.name: matrix.reshape(-1)},
    )
    return Arranged(rows, measure, origin.take(source_row), tuple(notes))


def _first_column(columns: Columns, taken: set[str]) -> str:
    name = next((name for name in columns.names if name not in taken), None)
    if name is None:
        raise ColumnError(
            "dataset",
            f"{columns.origin.name} has only the columns {quoted(columns.names)}",
            remedy="it needs one that names the data sets and one for each algorithm",
        )
    values = numbers_of(columns.values[name]).values
    if bool((values[np.isfinite(values)] % 1 != 0).any()):
        raise ColumnError(
            "dataset",
            f"{columns.origin.name} has no column named 'dataset'",
            f"its first column, {name!r}, holds decimal numbers, not names",
            "Say with dataset= which column names the data sets",
        )
    return name


def _wide_column(columns: Columns, name: str) -> Numbers:
    numbers = numbers_of(columns.values[name])
    without = f"{columns.origin.name} has no 'algorithm' column, so each column is an algorithm"
    if numbers.bad.any() and not numbers.is_meant_numeric:
        text = str(columns.values[name].iloc[int(np.argmax(numbers.bad))])
        raise ColumnError(
            f"column {name!r} holds text ({text!r}, …), not scores: {without}. If {name!r} names"
            f" the algorithms, give algorithm={name!r}; otherwise remove the column."
        )
    if is_known_cost(name):
        raise ColumnError(
            f"column {name!r} looks like a cost: {without}. Say with algorithm= which column names"
            " the algorithms, or put the costs in a table of their own (costs=), or rename it."
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
            remedy="Say with algorithm= which column names the algorithms",
        )
    if given.score is None and higher_is_better is None:
        raise ParameterError(
            "score",
            f"{name} has one column per algorithm and does not say what they measure",
            remedy=(
                "Give score='accuracy' or another well-known measure, or any name with "
                "higher_is_better=True or False"
            ),
        )
    return measure_named(
        "score" if given.score is None else given.score, higher_is_better=higher_is_better
    )
