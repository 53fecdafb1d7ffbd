"""One column of cells becomes codes and names, or floats; bad cells are pointed at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import CellError
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.columns import Origin
    from palio.types import BoolArray, FloatArray, IntArray

__all__ = ["Numbers", "codes_of_folds", "codes_of_names", "fold_order", "numbers_of"]

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "?"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
# 85,2 and 85.2% and 85.2 ± 1.3 and 85.2 (1.3) are meant as numbers; 5nn is not.
_NEARLY_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+([eE][+-]?\d+)?\s*(%|±.*|\+/-.*|\(.*\))?")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column read as numbers: NaN where the cell is missing or, if ``bad``, text."""

    values: FloatArray
    bad: BoolArray
    texts: pd.Series[Any]

    @property
    def is_numeric(self) -> bool:
        """Whether every cell that is there is a number, and at least one is there."""
        return not self.bad.any() and not bool(np.isnan(self.values).all())

    @property
    def is_empty(self) -> bool:
        """Whether no cell is there."""
        return not self.bad.any() and bool(np.isnan(self.values).all())

    @property
    def is_meant_numeric(self) -> bool:
        """Whether the cells are numbers but for some, or for the way they are written."""
        good = int((~np.isnan(self.values)).sum())
        return good > int(self.bad.sum()) or self._any_bad_like(_NEARLY_NUMBER)

    def _any_bad_like(self, pattern: re.Pattern[str]) -> bool:
        texts = self.texts[self.bad].astype(str).str.strip()
        return bool(texts.str.fullmatch(pattern).any())

    def checked(self, column: str, origin: Origin) -> FloatArray:
        """Return the values, or raise because of the text among them."""
        if not self.bad.any():
            return self.values
        positions = np.flatnonzero(self.bad)
        shown = [
            f"{str(self.texts.iloc[position])!r} ({origin.at(np.array([position]))})"
            for position in positions[:3]
        ]
        comma = ", not a comma" if self._any_bad_like(_DECIMAL_COMMA) else ""
        raise CellError(
            f"column {column!r} of {origin.name} must hold numbers, but"
            f" {count(len(positions), 'cell is', 'cells are')} text:"
            f" {listed(shown, limit=3, total=len(positions))}. Write plain"
            f" numbers with a decimal point{comma}, such as 0.85, and leave a cell empty if its"
            " value is missing."
        )


def numbers_of(column: pd.Series[Any]) -> Numbers:
    """Read a column as numbers; empty, NA, NaN, null, None and ? are missing."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        values = np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return Numbers(values, np.zeros(len(values), dtype=bool), column)
    if pd.api.types.is_string_dtype(column.dtype):
        try:
            # NumPy asks Python's float(), which is exact; pandas' own parser may be one bit off.
            values = column.to_numpy(dtype=object).astype(np.float64)
            return Numbers(values, np.zeros(len(values), dtype=bool), column)
        except (ValueError, TypeError):
            pass
    return _numbers_among_text(column)


def _numbers_among_text(column: pd.Series[Any]) -> Numbers:
    codes, found = column.astype(str).factorize()
    texts = [str(text).strip() for text in found]
    # One more entry than texts, so that the code -1 of a missing cell finds it at the end.
    parsed = np.array([*(_float_or_nan(text) for text in texts), np.nan])
    missing = np.array([*(text.lower() in _MISSING for text in texts), True])
    gone = missing[codes] | np.asarray(column.isna(), dtype=bool)
    values = np.where(gone, np.nan, parsed[codes])
    return Numbers(values, np.isnan(values) & ~gone, column)


def _float_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _factorised(column: pd.Series[Any]) -> tuple[IntArray, Any]:
    try:
        codes, found = column.factorize()
    except TypeError:  # lists or dictionaries, as JSON may hold
        codes, found = column.astype(str).factorize()
    return np.asarray(codes, dtype=np.intp), found


def codes_of_names(
    column: pd.Series[Any], label: str, origin: Origin
) -> tuple[IntArray, tuple[str, ...]]:
    """Return codes and the names they stand for, in order of first appearance."""
    codes, found = _factorised(column)
    names = [str(name).strip() for name in found]
    empty = codes == -1
    if "" in names:
        empty |= codes == names.index("")
    if empty.any():
        raise CellError(
            f"column {label!r} of {origin.name} must hold a name in every row, but"
            f" {count(int(empty.sum()), 'row has', 'rows have')} none: {origin.at(empty)}."
            " Fill in the names."
        )
    if len(set(names)) < len(names):
        twins = sorted({name for name in names if names.count(name) > 1})
        written = [str(name) for name in found if str(name).strip() == twins[0]]
        raise CellError(
            f"column {label!r} of {origin.name}: {quoted(written)} differ only by the spaces around"
            f" them or by their type. Write {twins[0]!r} the same way everywhere."
        )
    return codes, tuple(names)


def codes_of_folds(
    column: pd.Series[Any], label: str, origin: Origin
) -> tuple[IntArray, tuple[str, ...]]:
    """Return codes and the labels they stand for, sorted as numbers where they are numbers."""
    codes, found = _factorised(column)
    labels = [_plain_number(str(each).strip()) for each in found]
    empty = codes == -1
    if "" in labels:
        empty |= codes == labels.index("")
    if empty.any():
        raise CellError(
            f"column {label!r} of {origin.name} must say which {label} each row is, but"
            f" {count(int(empty.sum()), 'row has', 'rows have')} no value: {origin.at(empty)}."
            " Fill in the column."
        )
    ordered = sorted(set(labels), key=fold_order)
    position = {each: place for place, each in enumerate(ordered)}
    renumber = np.array([position[each] for each in labels], dtype=np.intp)
    return renumber[codes], tuple(ordered)


def _plain_number(label: str) -> str:
    # A column of whole numbers with a gap becomes 1.0, 2.0, … in many tools.
    return str(int(float(label))) if re.fullmatch(r"[+-]?\d+(\.0*)?", label) else label


def fold_order(label: str) -> tuple[int, float, tuple[tuple[int, int, str], ...]]:
    """Sort key: numbers by value, then text with the numbers in it by value.

    >>> sorted(["fold10", "10", "fold2", "2"], key=fold_order)
    ['2', '10', 'fold2', 'fold10']
    """
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", label):
        return 0, float(label), ()
    parts = re.findall(r"\d+|\D+", label)
    natural = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
    return 1, 0.0, natural
