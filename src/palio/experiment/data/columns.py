"""What the columns of a table mean: which cells are missing, what is learnt, and the task.

The rules for files:

- a cell that is empty, ``NA``, ``NaN`` or ``?`` is missing;
- columns are as pandas reads them; those that are named as categorical are categories;
- in plain form, which the standard preparation begins with and the fingerprint is of, a column of
  numbers, or of true and false, is floats; any other is text, and whole numbers among categories
  are written without a point;
- the target is the last column, unless that is one of several that it might be;
- a target sets a classification task if it is text, true or false, categorical, or whole numbers
  of at most 20 different values, and otherwise a regression task.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from palio.errors import CellError, ColumnError, Option
from palio.words import count, joined, listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

MISSING = ("", "NA", "NaN", "nan", "?")
MOST_CLASSES = 20


class _Hash(Protocol):
    """What `hashlib` makes."""

    def update(self, data: bytes, /) -> None: ...


# What targets are called, without regard to case and punctuation: surely, and perhaps.
_SURELY = frozenset({"class", "classes", "classlabel", "label", "labels", "target", "targets", "y"})
_PERHAPS = frozenset({"dependent", "outcome", "outcomes", "output", "response", "ytrue"})


def usual_target(header: Sequence[str], table: str) -> str:
    """Return the last column, or refuse to choose between it and one that is called a target.

    >>> usual_target(["colour", "size", "kind"], "toy"), usual_target(["x", "y", "class"], "toy")
    ('kind', 'class')
    >>> usual_target(["class", "colour", "size"], "toy")
    Traceback (most recent call last):
    ...
    palio.errors.ColumnError: target: toy might be there to learn 'class', by name, or 'size', ...
    """
    plain = ["".join(filter(str.isalnum, name.lower())) for name in header]
    # Beside an x, a y is a place, unless it comes last.
    surely = _SURELY - {"y"} if "x" in plain and plain[-1] != "y" else _SURELY
    for names in (surely, _PERHAPS):
        named = [name for name, word in zip(header, plain, strict=True) if word in names]
        if named and named != [header[-1]]:
            raise _unclear(table, named, header[-1])
        if named:
            break
    return header[-1]


def _unclear(table: str, named: Sequence[str], last: str) -> ColumnError:
    by_name = f"{joined([repr(name) for name in named], 'or')}, by name"
    by_place = "" if last in named else f", or {last!r}, the last column"
    options = [str(Option("target", name)) for name in dict.fromkeys((*named, last))]
    rule = f"{table} might be there to learn {by_name}{by_place}"
    return ColumnError("target", rule, remedy=f"Say which: {joined(options, 'or')}")


def guess_task(target: pd.Series[Any], *, categorical: bool = False) -> str:
    """Return the task that a target sets.

    >>> import pandas as pd
    >>> guess_task(pd.Series([1.0, 2.0, 1.0])), guess_task(pd.Series([1.5, 2.0, 1.0]))
    ('classification', 'regression')
    """
    import pandas as pd

    values = plain(target)
    if categorical or pd.api.types.is_bool_dtype(target) or _is_text(values):
        return "classification"
    distinct = np.unique(values[~np.isnan(values)])
    whole = bool((distinct == np.round(distinct)).all())
    return "classification" if whole and distinct.size <= MOST_CLASSES else "regression"


def clean_column(
    column: pd.Series[Any], table: str, *, categorical: bool = False
) -> pd.Series[Any]:
    """Return a feature of a file as pandas has read it, but for marks of missing cells.

    >>> import pandas as pd
    >>> clean_column(pd.Series(["a", "?", " b"]), "toy").tolist()
    ['a', nan, 'b']
    >>> clean_column(pd.Series([1, 2, 1]), "toy", categorical=True).dtype.categories.tolist()
    ['1', '2']
    """
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        marks = [each for each in kind.categories if str(each).strip() in MISSING]
        return column.cat.remove_categories(marks)
    if is_time(column):
        return column
    values = plain(column, names=categorical)
    if categorical:
        return pd.Series(pd.Categorical(values))
    if _is_text(values):
        return pd.Series(values, dtype=kind if isinstance(kind, pd.StringDtype) else object)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise CellError(
            f"column {str(column.name)!r} of {table}",
            "must be finite or missing",
            f"it is infinite in {_rows(infinite)}",
            "put a number there or leave the cell empty",
        )
    return pd.Series(values) if kind.kind == "O" else column


def is_time(column: pd.Series[Any]) -> bool:
    """Whether a column holds dates or durations."""
    return column.dtype.kind in "mM"


def clean_target(column: pd.Series[Any], name: str, table: str, task: str) -> NDArray[Any]:
    """Return a target as integers or text (classification) or as floats (regression)."""
    if is_time(column):
        rule = f"column {name!r} of {table} holds dates"
        remedy = "Turn them into numbers, such as days, or name another target"
        raise ColumnError("target", rule, remedy=remedy)
    values = plain(column)
    text = _is_text(values)
    missing = np.array([cell is np.nan for cell in values]) if text else np.isnan(values)
    if missing.any():
        what = f"has {count(int(missing.sum()), 'missing value')}: {_rows(np.flatnonzero(missing))}"
        remedy = "Fill them in, delete the rows, or name another target"
        raise CellError("target", f"column {name!r} of {table} {what}", remedy=remedy)
    return _labels(values, name, table) if task == "classification" else _reals(values, name, table)


def fold_in_text(content: _Hash, name: str, values: NDArray[Any]) -> None:
    """Add a column of text to a hash: its distinct values, and which one each row has."""
    import pandas as pd

    codes, distinct = pd.factorize(values, sort=True)
    content.update(json.dumps([name, "text", [str(value) for value in distinct]]).encode())
    content.update(codes.astype("<i8").tobytes())


def fold_in_numbers(content: _Hash, name: str, values: NDArray[np.float64]) -> None:
    """Add a column of numbers to a hash; −0 is 0, and there is one NaN."""
    content.update(json.dumps([name, "numbers"]).encode())
    one_nan = np.where(np.isnan(values), np.nan, values + 0.0)
    content.update(one_nan.astype("<f8").tobytes())


def plain(column: pd.Series[Any], *, names: bool = False) -> NDArray[Any]:
    """Return floats, or objects that are all text or NaN, as they are if they are ``names``.

    >>> import pandas as pd
    >>> plain(pd.Series([True, None])), plain(pd.Series([1.0, 2.5]), names=True)
    (array([ 1., nan]), array(['1', '2.5'], dtype=object))
    """
    import pandas as pd

    kind = column.dtype
    if names or isinstance(kind, pd.CategoricalDtype):
        return _tidy_text(column.astype(object))
    if kind == np.float64:
        return column.to_numpy()
    size = getattr(kind, "itemsize", 8)
    if pd.api.types.is_float_dtype(kind) and size < 8:
        # 0.1 in 32 bits was written as 0.1, not as 0.10000000149.
        narrow = column.to_numpy(dtype=np.dtype(f"f{size}"), na_value=np.nan)
        return narrow.astype(np.str_).astype(np.float64)
    if pd.api.types.is_numeric_dtype(column.dtype):  # which true and false are, too
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    cells = column.astype(object)
    present = cells[~cells.isna()]
    if all(isinstance(cell, Real | Decimal | np.bool_) for cell in present):
        return cells.where(~cells.isna(), np.nan).to_numpy(dtype=np.float64)
    return _tidy_text(cells)


def _name(cell: Any) -> str:
    """Return a category's name; a whole number is written as people do: 1, not 1.0."""
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()


def _tidy_text(cells: Any) -> NDArray[Any]:
    """Return the names of cells, missing ones as NaN."""
    import pandas as pd

    codes, distinct = pd.factorize(np.asarray(cells))  # few values, many rows
    names = [_name(value) for value in distinct]
    known = [np.nan if name in MISSING else name for name in names]
    # A missing cell has code −1, which picks the last.
    return np.array([*known, np.nan], dtype=object)[codes]


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype == object


def _labels(values: NDArray[Any], name: str, table: str) -> NDArray[Any]:
    """Return class labels: integers where every one is a whole number, else text."""
    labels = np.array((values if _is_text(values) else _tidy_text(values)).tolist(), dtype=np.str_)
    distinct = np.unique(labels)
    if distinct.size < 2:
        rule = f"column {name!r} of {table} must have at least two classes"
        remedy = f"it has {quoted(distinct)} only. Name another target, or give all rows"
        raise CellError("target", rule, remedy=remedy)
    if all(_is_whole(label) for label in distinct):
        return labels.astype(np.int64)
    return labels


def _is_whole(label: str) -> bool:
    digits = label.removeprefix("-")
    return digits.isdecimal() and len(digits) < 18 and str(int(label)) == label


def _reals(values: NDArray[Any], name: str, table: str) -> NDArray[np.float64]:
    if _is_text(values):
        what = f"column {name!r} of {table} holds text such as {str(values[0])!r}"
        remedy = f"Give {Option('task', 'classification')}, or name another target"
        raise ColumnError("target", f"regression needs numbers, but {what}", remedy=remedy)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        remedy = f"infinite in {_rows(infinite)}. Put numbers there, or delete the rows"
        raise CellError("target", f"column {name!r} of {table} must be finite", remedy=remedy)
    return values


def _rows(positions: NDArray[np.intp]) -> str:
    return "rows " + listed(positions[:5] + 1, total=positions.size)
