"""Named columns and where they came from: each can be asked for its names, labels or numbers.

Bad cells are pointed at, by the line of the file or the row of the frame.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from palio.errors import CellError, ColumnError, Option, UnreadableError, require
from palio.scores import limits
from palio.scores.values import PLAIN, Written, doubt_error, file_mark, read_texts
from palio.words import count, did_you_mean, listed, quoted, without_control

if TYPE_CHECKING:
    import pandas as pd

    from palio.types import BoolArray, FloatArray, IntArray

    Column: TypeAlias = pd.Series[Any] | "Texts"

# 85,2 and 85.2 ± a bit and 85.2 (rank 3) are meant as numbers; 5nn is not.
_NEARLY_NUMBER = re.compile(  # one way only to match many digits: two would take quadratic time
    r"[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?\s*(%|±.*|\+/-.*|\(.*\))?"
)


_TRUTHS = {"true": 1.0, "false": 0.0, "": np.nan}


class Coded(NamedTuple):
    """A column of names: the place of each cell's name in the tuple of names."""

    codes: IntArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> Coded:
        """Return names by their places among the different ones, in order of first appearance."""
        codes, found = Texts(names).factorize()
        return cls(codes, tuple(found))

    def take(self, rows: IntArray) -> Coded:
        """Return some of the rows, with all names."""
        return Coded(self.codes[rows], self.names)

    def name(self, row: int) -> str:
        """Return the name in a row."""
        return self.names[int(self.codes[row])]


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where rows came from, so that messages can point at them.

    Files of text are counted in lines, as an editor shows them, sheets as Excel does; everything
    else in rows from 0, as frames do.
    """

    name: str
    unit: str
    numbers: IntArray

    @classmethod
    def of_rows(cls, name: str, size: int) -> Origin:
        """Return the origin of all rows of a frame."""
        return cls(name, "row", np.arange(size))

    def at(self, positions: IntArray | BoolArray) -> str:
        """Return ``lines 3, 5`` or ``row 3, counted from 0`` for these rows."""
        numbers = self.numbers[positions]
        plural = "" if numbers.size == 1 else "s"
        counted = ", counted from 0" if self.unit == "row" else ""
        return f"{self.unit}{plural} {listed(numbers[:6], total=numbers.size)}{counted}"

    def take(self, positions: IntArray | BoolArray) -> Origin:
        """Return the origin of some of the rows."""
        return Origin(self.name, self.unit, self.numbers[positions])


class Texts:
    """A column of a file of text, none of whose cells is missing: for it pandas is not loaded."""

    def __init__(self, cells: Sequence[str]) -> None:
        self._cells = cells

    @property
    def cells(self) -> Sequence[str]:
        """The text of each row."""
        return self._cells

    def __len__(self) -> int:
        return len(self.cells)

    def factorize(self) -> tuple[IntArray, Sequence[str]]:
        """Return each cell's place among the different ones, as pandas does.

        >>> Texts(["b", "a", "b"]).factorize()
        (array([0, 1, 0]), ['b', 'a'])
        """
        found = list(dict.fromkeys(self.cells))
        place = {cell: number for number, cell in enumerate(found)}
        codes = map(place.__getitem__, self.cells)
        return np.fromiter(codes, dtype=np.intp, count=len(self.cells)), found

    def plain_numbers(self) -> FloatArray | None:
        """Return the numbers, if every cell is one; each different text is read once."""
        codes, texts = self.factorize()
        numbers = _floats(texts)
        return None if numbers is None else numbers[codes]

    def take(self, places: IntArray) -> Texts:
        """Return some of the rows."""
        return Texts([self.cells[place] for place in places.tolist()])


class CodedTexts(Texts):
    """A column of text that repeats itself: places among its different texts.

    These are in order of first appearance.

    >>> CodedTexts(np.array([0, 1, 0]), ["b", "a"]).take(np.array([1, 2])).factorize()
    (array([0, 1]), ['a', 'b'])
    """

    def __init__(self, codes: IntArray, texts: Sequence[str]) -> None:
        self.codes, self.texts = codes, texts

    @property
    def cells(self) -> Sequence[str]:
        """The text of each row, spelled out."""
        return [self.texts[code] for code in self.codes.tolist()]

    def __len__(self) -> int:
        return int(self.codes.size)

    def factorize(self) -> tuple[IntArray, Sequence[str]]:
        """Return the places and the texts."""
        return self.codes, self.texts

    def take(self, places: IntArray) -> Texts:
        """Return some of the rows."""
        codes = self.codes[places]
        number = numbered(codes)
        texts = [self.texts[code] for code in codes[first_places(number)].tolist()]
        return CodedTexts(number, texts)


INDEX = "index"  # what names rows and has no name itself, as of a pandas frame
UNNAMED = re.compile(r"column \d+")  # what a column without a heading is called


@dataclass(frozen=True, slots=True)
class Known:
    """What a source knows of its columns that their names do not tell.

    ``source`` is its name, ``score`` the column asked about unless another one is, ``directions``
    say of scores whether higher is better, and ``costs`` are columns of costs. ``told`` is a note
    on that score.
    """

    source: str = ""
    score: str | None = None
    directions: Mapping[str, bool] = field(default_factory=dict)
    costs: tuple[str, ...] = ()
    told: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Words around a table, which may name its measure or a data set.

    ``file`` is the stem of the file's name, ``heading`` the nearest heading above or a sheet's
    name, ``caption`` a caption, a title or the line that introduces the table, ``text`` the
    sentences close by, and ``prose`` all of the document outside its tables and code, with
    headings as lines that begin with #.
    """

    file: str = ""
    heading: str = ""
    caption: str = ""
    text: str = ""
    prose: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Named columns of equal length, and where they came from.

    ``decimal`` is the decimal mark, where the caller says which it is. ``items`` are columns of
    their own: the results on items behind these, where a source keeps both. ``whereabouts`` are
    those that tell in which folder and file a row was, where nothing else says what it is.
    ``context`` holds the words around the table.
    """

    values: Mapping[str, Column]
    origin: Origin
    notes: tuple[str, ...] = ()
    known: Known = Known()
    decimal: str | None = None
    items: Columns | None = None
    whereabouts: tuple[str, ...] = ()
    context: Context = Context()
    # What was found out about columns, which stays true where they go on into others (`replace`).
    _found: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return int(self.origin.numbers.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.values)

    @property
    def nested(self) -> tuple[str, ...]:
        """The columns that hold lists or records, as JSON may."""
        return tuple(name for name, column in self.values.items() if _is_nested(column))

    # --- which column is what --------------------------------------------------------------

    def roles(
        self, given: Mapping[str, str | None], *, settled: Collection[str] = ()
    ) -> dict[str, str]:
        """Return the column of each role that has one: the one given, or of the usual name.

        Of roles that are ``settled`` only the one given.
        """
        taken = [name for name in given.values() if isinstance(name, str)]
        found: dict[str, str] = {}
        for role, name in given.items():
            is_asked = name is not None or role not in settled
            column = self.find(role, name, taken=taken) if is_asked else None
            rule = f"column {column!r} cannot be the {role} column and another one at once"
            require(column not in found.values(), role, rule, column)
            found |= {} if column is None else {role: column}
        return found

    def find(self, role: str, given: str | None = None, taken: Collection[str] = ()) -> str | None:
        """Return the column that plays a role: the one given, or the one with the usual name."""
        if given is not None:
            return self.existing(role, given)
        alike = [name for name in self.names if squeezed(name) == role and name not in taken]
        if role in alike:
            return role
        if len(alike) > 1:
            rule = f"{quoted(alike)} of {self.origin.name} could all be the {role} column"
            raise ColumnError(role, rule, remedy=f"Say which with {Option(role)}")
        return alike[0] if alike else None

    def existing(self, parameter: str, name: str) -> str:
        """Return the name of a column that there is, or say which there are."""
        require(isinstance(name, str), parameter, "must be the name of a column", name)
        if name.strip() in self.values:
            return name.strip()
        if name.strip() == INDEX and "" in self.values:
            return ""
        rule = f"{self.origin.name} has no column {name!r}.{did_you_mean(name, self.names)} "
        rule += f"Its columns are {quoted(self.names, limit=20)}"
        if parameter == "costs":
            rule += f". Costs may also be a table of their own: {Option('costs')}"
        raise ColumnError(parameter, rule)

    def take(self, positions: IntArray | BoolArray) -> Columns:
        """Return some of the rows, without the items: these may be those of others."""
        places = np.arange(len(self))[positions]
        values: dict[str, Column] = {name: each.take(places) for name, each in self.values.items()}
        frames = {x: each for x, each in values.items() if not isinstance(each, Texts)}
        values |= {x: each.reset_index(drop=True) for x, each in frames.items()}
        origin = self.origin.take(positions)
        return replace(self, values=values, origin=origin, items=None, _found={})

    def noted(self, *notes: str, **changes: Any) -> Columns:
        """Return the columns with further notes, and other changes."""
        return replace(self, notes=(*self.notes, *notes), **changes)

    def without(self, names: Collection[str]) -> Columns:
        """Return the columns but for some."""
        rest = {name: each for name, each in self.values.items() if name not in names}
        return replace(self, values=rest)

    def with_score(self, asked: str | None) -> Columns:
        """Return the columns with the note on the score, or, if another is asked about, without it.

        What a source has put together for a score goes with it.
        """
        if asked == self.known.score or not self.known.told:
            return self.noted(*filter(None, [self.known.told]))
        return self.without([str(self.known.score), "metric"])

    def have_twins(self, names: Sequence[str]) -> bool:
        """Return whether two rows have the same in all of these columns."""
        # Of fewer possible keys than rows some come twice, whatever the rows are.
        possible = math.prod(len(self.distinct(name)[1]) + 1 for name in names)
        return possible < len(self) or self.n_distinct(names) < len(self)

    def n_distinct(self, names: Iterable[str]) -> int:
        """Return in how many ways rows differ in these columns."""
        return int(self.places(self._largest_first(names)).max(initial=-1)) + 1

    def _largest_first(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return columns by the number of their texts: so keys stay small, and are met again."""
        return tuple(sorted({*names}, key=lambda name: (-len(self.distinct(name)[1]), name)))

    def places(self, names: Iterable[str]) -> IntArray:
        """Return a number for each row, the same where all of these columns are the same.

        The numbers count from 0, and none is left out.
        """
        names = tuple(names)
        if not names:
            return np.zeros(len(self), dtype=np.intp)
        more = self.distinct(names[-1])[0]
        if len(names) == 1 and int(more.min(initial=0)) >= 0:
            return more
        key = "places", *(id(self.values[name]) for name in names)
        if key not in self._found:
            self._found[key] = with_key(self.places(names[:-1]), more)
        place: IntArray = self._found[key]
        return place

    def pairs(self, first: Sequence[str], second: Sequence[str]) -> Any:
        """Return the different pairs of the places by some columns and by others: (2, n)."""
        own, others = (self.places(self._largest_first(each)) for each in (first, second))
        rows = first_places(self.places(self._largest_first((*first, *second))))
        return (own, others) if rows.size == len(self) else (own[rows], others[rows])

    # --- what a column holds ---------------------------------------------------------------

    def distinct(self, name: str) -> tuple[IntArray, Any]:
        """Return the place of each cell among the different ones, -1 if missing, and these."""
        found: tuple[IntArray, Any] = self.once("distinct", name, _factorised)
        return found

    def once(self, what: str, name: str, compute: Callable[[Column], Any]) -> Any:
        """Return something about a column that is computed once."""
        column = self.values[name]
        key = what, id(column)
        if key not in self._found:
            # With the column itself, for the id of one that is gone may come again.
            self._found[key] = compute(column), column
        return self._found[key][0]

    def coded(self, name: str) -> Coded:
        """Read a column of names; they are in order of first appearance."""
        codes, found = self.distinct(name)
        names = self._names(name, found)
        self._refuse_blanks(name, codes, names, "hold a name in every row")
        if len(set(names)) < len(names):
            twin = min(each for each, times in Counter(names).items() if times > 1)
            rule = f"{twin!r} is there with spaces around it or as another type"
            remedy = "Write it the same way everywhere"
            raise CellError(f"column {name!r} of {self.origin.name}", rule, remedy=remedy)
        return Coded(codes, tuple(names))

    def labels(self, name: str) -> Coded:
        """Read a column of labels, of folds or classes; they are sorted, as numbers where so."""
        codes, found = self.distinct(name)
        labels = [plain_number(each) for each in self._names(name, found)]
        self._refuse_blanks(name, codes, labels, f"say which {name} each row is")
        ordered = sorted_labels(dict.fromkeys(labels))
        position = {each: place for place, each in enumerate(ordered)}
        renumber = np.array([position[each] for each in labels], dtype=np.intp)
        return Coded(renumber[codes], tuple(ordered))

    def labels_or_blank(self, name: str) -> Coded:
        """Read a column of labels; what is missing has an empty one."""
        codes, found = self.distinct(name)
        labels = (*self._names(name, found), "")
        return Coded(np.where(codes < 0, len(found), codes), labels)

    def _names(self, name: str, found: Iterable[object]) -> list[str]:
        """Return what stands in a column of names: not too long, and harmless in a terminal."""
        names = [str(each).strip() for each in found]
        if not "".join(names).isprintable():
            names = [without_control(each) for each in names]
        refuse_long(names, f"column {name!r} of {self.origin.name}")
        return names

    def _refuse_blanks(self, name: str, codes: IntArray, found: list[str], must: str) -> None:
        if "" in found or int(codes.min(initial=0)) < 0:
            # One more entry than names, so that the code -1 of a missing cell finds it at the end.
            empty = np.array([*(not each for each in found), True])[codes]
            where = f"column {name!r} of {self.origin.name}"
            received = f"{count(int(empty.sum()), 'cell is', 'cells are')} empty"
            received += f": {self.origin.at(empty)}"
            raise CellError(where, f"must {must}", received, "fill in the column")

    def numbers(self, name: str) -> Numbers:
        """Read a column as numbers, as people write them; see `palio.scores.values`."""
        read = self.once(f"numbers {self.decimal}", name, lambda _: self._read_numbers(name))
        values, bad, written = read
        return Numbers(name, values, bad, written, self)

    def _read_numbers(self, name: str) -> tuple[FloatArray, BoolArray, Written]:
        """Return numbers, what is text among them, and how the rest is written."""
        # 1.234 is no plain number where a comma is the decimal mark.
        plain = _plain_numbers(self.values[name], read_texts=self.decimal != ",")
        if plain is not None:
            return plain, np.zeros(plain.shape, dtype=bool), PLAIN
        codes, found = self.distinct(name)
        texts = [str(text).strip() for text in found]
        parsed, missing, written = read_texts(texts, codes, self.decimal, self._decimal_mark)
        parsed[missing] = np.nan
        # One more entry than texts, so that the code -1 of a missing cell finds it at the end.
        bad = np.append(np.isnan(parsed) & ~missing, False)[codes]
        if np.isnan(parsed).all():  # as in most columns of names
            return np.broadcast_to(np.nan, codes.shape), bad, written
        return np.append(_finite_or_not(parsed), np.nan)[codes], bad, written

    def _decimal_mark(self) -> str:
        """Return the decimal mark that all columns together show."""
        return file_mark(
            map(str, self.distinct(name)[1])
            for name, column in self.values.items()
            if isinstance(column, Texts) or column.dtype in (object, "string", "category")
        )


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column read as numbers: NaN where the cell is missing or, if ``bad``, text.

    ``written`` says how the cells that are no plain numbers were read.
    """

    name: str
    values: FloatArray
    bad: BoolArray
    written: Written
    columns: Columns

    def with_truths(self) -> Numbers:
        """Return the column with true as 1 and false as 0, where it holds nothing else."""
        if not self.bad.any():
            return self
        codes, found = self.columns.distinct(self.name)
        words = [str(each).strip().lower() for each in found]
        if not set(words) <= _TRUTHS.keys():
            return self
        # One more entry than words, so that the code -1 of a missing cell finds it at the end.
        values = np.array([*(_TRUTHS[word] for word in words), np.nan])[codes]
        return replace(self, values=values, bad=np.zeros_like(self.bad))

    @property
    def is_numeric(self) -> bool:
        """Whether every cell that is there is a number, and at least one is there."""
        return not self.bad.any() and not bool(np.isnan(self.values).all())

    @property
    def is_empty(self) -> bool:
        """Whether no cell is there, not even a reason for its being missing."""
        reasons = self.written.status is not None
        return not (self.bad.any() or reasons) and bool(np.isnan(self.values).all())

    @property
    def has_text(self) -> bool:
        """Whether a cell is text, be it a word for what is missing."""
        return bool(self.bad.any()) or bool(self.written.words)

    @property
    def is_meant_numeric(self) -> bool:
        """Whether the cells are numbers, but for some or for the way they are written."""
        if int((~np.isnan(self.values)).sum()) > int(self.bad.sum()):
            return True
        near = self.columns.once("nearly number", self.name, lambda _: self._is_nearly_number())
        return bool(near)

    def _is_nearly_number(self) -> bool:
        codes, found = self.columns.distinct(self.name)
        texts = np.asarray(found, dtype=object)  # to take single items of an index is slow
        if not self.bad.all():
            texts = texts[np.unique(codes[self.bad])]
        return any(_NEARLY_NUMBER.fullmatch(str(text).strip()) for text in texts)

    @property
    def has_decimals(self) -> bool:
        """Whether a number is not whole, so that the column holds neither names nor classes."""
        return bool((self.values[np.isfinite(self.values)] % 1 != 0).any())

    def text(self, place: int) -> str:
        """Return what stands in a row."""
        codes, found = self.columns.distinct(self.name)
        return "nan" if codes[place] < 0 else str(found[codes[place]])

    def shown(self, place: int) -> str:
        """Say what stands in a row, and where that is."""
        return f"{self.text(place)!r} ({self.columns.origin.at(np.array([place]))})"

    def checked(self) -> FloatArray:
        """Return the values, or raise because of the text among them."""
        if not self.bad.any():
            return self.values
        what, places = f"column {self.name!r} of {self.columns.origin.name}", self.bad.nonzero()[0]
        if self.written.doubt:
            rule, remedy = doubt_error(self.written.doubt)
            raise CellError(what, rule, remedy=remedy)
        cells = listed(map(self.shown, places[:3]), limit=3, total=places.size)
        received = f"{count(places.size, 'cell is', 'cells are')} text: {cells}"
        remedy = "write plain numbers with a decimal point, such as 0.85, and leave a cell empty "
        raise CellError(what, "must hold numbers", received, f"{remedy}if its value is missing")


def _finite_or_not(values: FloatArray) -> FloatArray:
    """Return the values; those that are too large to be computed with are infinite."""
    beyond = np.abs(values) > limits.LARGEST
    return np.where(beyond, np.copysign(np.inf, values), values) if beyond.any() else values


def _plain_numbers(column: Column, *, read_texts: bool) -> FloatArray | None:
    """Return the numbers of a column, or nothing if some cell is none, or a text to be read."""
    values = None
    if isinstance(column, Texts):
        values = column.plain_numbers() if read_texts else None
    else:
        from pandas.api import types

        kind = column.dtype
        if types.is_numeric_dtype(kind) and not types.is_bool_dtype(kind):
            values = np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
        elif read_texts and types.is_string_dtype(kind) and kind != "category":
            values = _floats(column.to_numpy(dtype=object))
    return None if values is None else _finite_or_not(values)


def _floats(cells: Any) -> FloatArray | None:
    """Return cells as numbers, if every one is a plain number."""
    try:
        # NumPy asks Python's float(), which is exact; pandas' parser may be one bit off.
        return np.asarray(cells, dtype=object).astype(np.float64)
    except (ValueError, TypeError, OverflowError):  # the last of whole numbers beyond any float
        return None


_MAX_ROOM = 4  # times as many possible keys as rows, for which there is a mark for each


def dense(key: IntArray) -> IntArray:
    """Return the places of keys, which are not negative, among the different ones, by size.

    >>> dense(np.array([7, 2, 7, 5]))
    array([2, 0, 2, 1])
    """
    size = int(key.max(initial=-1)) + 1
    if size > _MAX_ROOM * key.size:
        return np.unique(key, return_inverse=True)[1]
    there = np.zeros(size, dtype=bool)  # a pass over the rows, while sorting takes many
    there[key] = True
    return key if there.all() else (np.cumsum(there, dtype=np.int32) - 1)[key].astype(np.intp)


def with_key(place: IntArray, key: IntArray) -> IntArray:
    """Return the places of rows that have places, none left out, by a further key from -1 on too.

    >>> with_key(np.array([0, 1, 0, 1]), np.array([5, 7, -1, 7]))
    array([1, 2, 0, 2])
    """
    if int(place.max(initial=-1)) + 1 == place.size:  # all rows differ already
        return place
    together = place * (int(key.max(initial=0)) + 2)
    together += key
    together += 1
    return dense(together)


def joint_places(keys: Iterable[IntArray]) -> IntArray:
    """Return the places of rows by several keys, sorted by the first, then by the second, ….

    >>> joint_places([np.array([0, 1, 0]), np.array([9, 9, 5])])
    array([1, 2, 0])
    """
    first, *others = keys
    return reduce(with_key, others, dense(first))


def distinct_pairs(first: IntArray, second: IntArray) -> IntArray:
    """Return the different pairs of two keys, sorted: (2, n).

    >>> distinct_pairs(np.array([1, 0, 1]), np.array([0, 2, 0]))
    array([[0, 1],
           [2, 0]])
    """
    rows = first_places(joint_places([first, second]))
    return np.stack([first[rows], second[rows]])


def numbered(key: IntArray) -> IntArray:
    """Return the number of each key among the different ones, in order of appearance.

    >>> numbered(np.array([7, 2, 7, 5]))
    array([0, 1, 0, 2])
    """
    place = dense(key)
    return np.argsort(np.argsort(first_places(place)))[place]


def first_places(place: IntArray) -> IntArray:
    """Return where each place, of which none is left out, comes first.

    >>> first_places(np.array([1, 0, 1, 0]))
    array([1, 0])
    """
    first = np.empty(int(place.max(initial=-1)) + 1, dtype=np.intp)
    # The last writer wins, so that going backwards leaves the first.
    first[place[::-1]] = np.arange(place.size)[::-1]
    return first


def _factorised(column: Column) -> tuple[IntArray, Any]:
    if isinstance(column, Texts):
        return column.factorize()
    try:
        codes, found = column.factorize()
    except TypeError:  # lists or dictionaries, as JSON may hold
        codes, found = column.astype(str).factorize()
    return np.asarray(codes, dtype=np.intp), found


def plain_number(label: str) -> str:
    """Return a label as it was: a column of whole numbers with a gap is often 1.0, 2.0, ….

    >>> plain_number("2.0"), plain_number("2.5")
    ('2', '2.5')
    """
    # More digits than these are a name, and no float holds them all.
    if label[:1].isalpha():  # as most are, which takes no time to see
        return label
    return str(int(float(label))) if re.fullmatch(r"[+-]?\d{1,15}(\.0*)?", label) else label


def squeezed(name: str) -> str:
    """Return a name without its case and separators.

    >>> squeezed("Data set"), squeezed("Key_Dataset")
    ('dataset', 'keydataset')
    """
    return re.sub(r"[\s_-]+", "", name.lower())


def names_of(text: str) -> frozenset[str]:
    """Return the names in a text, without their case and separators.

    >>> sorted(names_of("Task data_set"))
    ['dataset', 'task']
    """
    return frozenset(squeezed(word) for word in text.split())


_MAX_DIGITS = 16  # that a float holds exactly


def sorted_labels(labels: Collection[str]) -> list[str]:
    """Return labels by their `label_order`.

    >>> sorted_labels({"q10", "q9"})
    ['q9', 'q10']
    """
    # Many labels are mostly one word with a number behind.
    word = os.path.commonprefix(list(labels)).rstrip("0123456789")  # noqa: RUF071
    numbers = [label[len(word) :] for label in labels]
    if all(each.isascii() and each.isdecimal() and len(each) < _MAX_DIGITS for each in numbers):
        by_number = dict(zip(map(int, numbers), labels, strict=True))
        if len(by_number) == len(labels):  # not q7 beside q07
            return [by_number[number] for number in sorted(by_number)]
    return sorted(labels, key=label_order)


def label_order(label: str) -> tuple[bool, float, tuple[tuple[bool, float, str], ...]]:
    """Sort key: numbers by value, then text with the numbers in it by value.

    >>> sorted(["fold10", "10", "fold2", "2"], key=label_order)
    ['2', '10', 'fold2', 'fold10']
    """
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", label):
        return False, float(label), ()
    parts = re.findall(r"\d+|\D+", label)
    natural = ((False, float(part), "") if part.isdecimal() else (True, 0, part) for part in parts)
    return True, 0.0, tuple(natural)


def _is_empty(column: Column) -> bool:
    if isinstance(column, Texts):
        return not any(column.cells)
    return bool(((column == "") | column.isna()).all())


def _is_nested(column: Column) -> bool:
    if isinstance(column, Texts) or column.dtype != object:
        return False
    kinds = {*map(type, column)}
    return any(issubclass(kind, list | tuple | Mapping | np.ndarray) for kind in kinds)


def named_columns(header: Sequence[str], columns: Sequence[Column], name: str) -> dict[str, Column]:
    """Put header and columns together; empty columns without a name are what Excel leaves."""
    called = [without_control(label).strip() for label in header]
    pairs = [(x, each) for x, each in zip(called, columns, strict=True) if x or not _is_empty(each)]
    if not pairs:
        remedy = "Give a table with a header and rows"
        raise UnreadableError("columns", f"{name} has none", remedy=remedy)
    limits.check("columns", len(pairs))
    refuse_duplicates([label for label, _ in pairs], name)
    return dict(pairs)


def refuse_long(names: Iterable[str], where: str) -> None:
    """Raise if a name is longer than any."""
    longest, most = max(map(len, names), default=0), limits.now().letters
    if longest > most:
        rule = f"a name in {where} has {longest} letters, and the limit is {most}"
        raise UnreadableError("columns", rule, remedy=limits.REMEDY)


def refuse_duplicates(header: Sequence[str], name: str) -> None:
    """Raise if two columns have the same name."""
    counts = Counter(label.strip() for label in header)
    if (unnamed := counts.pop("", 0)) > 1:
        rule = f"{count(unnamed, 'column')} of {name} have no name"
        raise ColumnError("columns", rule, remedy="Name them")
    if twice := [label for label, times in counts.items() if times > 1]:
        rule = f"the names must differ, but {name} has {quoted(twice)} more than once"
        raise ColumnError("columns", rule, remedy="Rename or remove the extra columns")
