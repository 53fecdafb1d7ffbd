"""What can go wrong, as one tree, and what an error says, as data.

::

    PalioError
    ├── InputError              something given to Palio is not usable
    │   ├── UnreadableError         a file that cannot be opened or parsed
    │   ├── ColumnError             a column that is absent, ambiguous or of the wrong type
    │   ├── CellError               duplicate keys, text, infinite values
    │   │   └── MissingCellsError       scores or costs that are not there
    │   ├── DesignError             the resampling design does not fit the test
    │   │   └── UnpairedFoldsError      algorithms that do not share the folds
    │   ├── ParameterError          an option outside its range, or options that contradict
    │   └── UnknownNameError        a name that is in no registry, data set or algorithm list
    ├── MissingExtraError       an optional dependency is not installed
    └── EngineError             what runs jobs is gone or broken; what is finished is kept

    LeftOutWarning (UserWarning)    algorithms or data sets that are not in a table

Every error names the parameter or the cells, the rule, what was received, and the next step, each
in a field of its own. An option that a text names is an `Option`, which each face
spells its own way: Python ``missing='worst'``, the command line ``--missing worst``, the page a
button. The command line prints an error as one line and exits with status 2.

Examples
--------
>>> import palio
>>> try:
...     palio.compare(palio.load_study("ulas2008"), alpha=2)
... except palio.errors.PalioError as error:
...     print(error.parameter, "|", error.rule, "|", error.received, "|", error.remedy)
alpha | a significance level lies between 0 and 1 | 2 was given | 0.05 is usual
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from palio.words import harmless, joined

_WHOLE = ">"  # no parameter begins so
_AND = "\x01"  # between options that are set together


@dataclass(frozen=True)
class Option:
    r"""An option that an error tells to set, perhaps to a value.

    In a text it is a mark that no name or value can be taken for, and that every face replaces.

    >>> f"give {Option('missing', 'worst')}"
    'give \x00missing=worst\x00'
    """

    parameter: str
    value: str | None = None
    whole: bool = False
    """Whether it makes a reading of its own: a terminal then shows the whole command with it."""
    more: tuple[Option, ...] = ()
    """Options that are set together with it."""

    def __str__(self) -> str:
        marks = [each._mark for each in (self, *self.more)]
        return f"\0{_WHOLE if self.whole else ''}{_AND.join(marks)}\0"

    @property
    def _mark(self) -> str:
        return self.parameter if self.value is None else f"{self.parameter}={self.value}"

    @property
    def all(self) -> tuple[Option, ...]:
        """It and those that are set together with it, each by itself."""
        return (replace(self, more=()), *self.more)

    @classmethod
    def read(cls, mark: str) -> Option:
        """Read what stands between two marks."""
        whole, (first, *more) = mark.startswith(_WHOLE), mark.removeprefix(_WHOLE).split(_AND)
        parameter, equals, value = first.partition("=")
        return cls(parameter, value if equals else None, whole, tuple(map(cls.read, more)))

    @classmethod
    def together(cls, options: Sequence[Option]) -> Option:
        """Return options as one that sets them all, those that are flags last."""
        first, *more = sorted(options, key=lambda option: option.value in ("True", "False"))
        return replace(first, more=tuple(more))

    @property
    def python_value(self) -> object:
        """Its value, as a function takes it."""
        return {"True": True, "False": False}.get(str(self.value), self.value)

    def in_python(self) -> str:
        """Write the option as an argument, or several as arguments.

        >>> Option("missing", "worst").in_python(), Option("score").in_python()
        ("missing='worst'", 'score=')
        >>> Option("again", "True").in_python()
        'again=True'
        """
        value = self.value if self.value in (None, "True", "False") else repr(self.value)
        own = f"{self.parameter}={value or ''}"
        return ", ".join([own, *(each.in_python() for each in self.more)])


def either(options: Sequence[Option]) -> str:
    r"""Name options of which each gives a reading of its own.

    >>> either([Option("score", "f1"), Option("score", "auc")])
    '\x00>score=f1\x00 or \x00>score=auc\x00'
    """
    texts = [str(replace(option, whole=True)) for option in options]
    # A command may end in a flag, and an "or" behind it would look like a value.
    flags = any(option.more or option.value in ("True", "False") for option in options)
    return "; or ".join(texts) if flags else joined(texts, "or")


def options_in(text: str) -> list[Option]:
    """Return the options that a text names, in their order."""
    return [Option.read(mark) for mark in text.split("\0")[1::2]]


def spelled(text: str, spell: Callable[[Option], str]) -> str:
    """Return a text with its options spelled."""
    pieces = text.split("\0")
    pieces[1::2] = [spell(Option.read(mark)) for mark in pieces[1::2]]
    return "".join(pieces)


class PalioError(Exception):
    """The root: catch it to catch everything Palio raises on purpose.

    Parameters
    ----------
    parameter : str
        What the error is about: an option, a file, a column.
    rule : str
        What is asked of it.
    received : str
        What was given instead, as the end of "…, and …".
    remedy : str
        What to do next; its options are `options`.

    Examples
    --------
    >>> error = PalioError("alpha", "it lies between 0 and 1", "2 was given", "take 0.05")
    >>> str(error)
    'alpha: it lies between 0 and 1, and 2 was given; take 0.05.'
    """

    def __init__(
        self, parameter: str, rule: str = "", received: str = "", remedy: str = ""
    ) -> None:
        super().__init__(parameter, rule, received, remedy)
        self.parameter, self.rule = parameter, rule
        self.received, self.remedy = received, remedy

    def __str__(self) -> str:
        return self.spelled(Option.in_python)

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the lines of whoever called Palio, and the sentence."""
        import traceback

        loaded = (sys.modules.get(name) for name in ("palio", "IPython"))
        others = [str(Path(str(each.__file__)).parent) for each in loaded if each is not None]
        lines = [
            line
            for line in traceback.extract_tb(self.__traceback__)
            if not any(Path(line.filename).is_relative_to(each) for each in others)
        ]
        return [*traceback.format_list(lines), f"{type(self).__qualname__}: {self}"]

    def spelled(self, spell: Callable[[Option], str]) -> str:
        """Return the error as one sentence, its options spelled by a face.

        What it quotes may be of any length and hold anything: it is cut at `palio.words.LONGEST`
        letters, its control characters are spelled out, and its passwords masked.
        """
        return harmless(spelled(self.marked, spell))

    @property
    def marked(self) -> str:
        """The sentence as it is, with the marks of its options: for the text of another error."""
        if not self.rule:  # a sentence by itself
            return self.parameter
        received = self.received and f", and {self.received}"
        # A remedy with a capital is a sentence of its own.
        mark = "." if self.remedy[:1].isupper() else ";"
        remedy = self.remedy and f"{mark} {self.remedy}"
        text = f"{self.parameter}: {self.rule}{received}{remedy}"
        return text if text.endswith((".", "?")) else f"{text}."

    @property
    def options(self) -> list[Option]:
        """The options that would help: those that the remedy names."""
        return options_in(self.remedy if self.rule else self.parameter)


class InputError(PalioError, ValueError):
    """Something given to Palio is not usable.

    It is a `ValueError`, too; what exactly is wrong is said by the errors below it.

    >>> import palio
    >>> try:
    ...     palio.read_scores("nowhere.csv")
    ... except InputError as error:
    ...     print(type(error).__name__, isinstance(error, ValueError))
    UnreadableError True
    """

    def offer(self, options: Sequence[Option]) -> None:
        """Name these ways instead of those that it named."""
        self.remedy = f"{self.remedy.partition(chr(0))[0]}{either(options)}"


class UnreadableError(InputError):
    """A file cannot be opened or parsed.

    >>> import palio
    >>> palio.read_scores("nowhere.csv")
    Traceback (most recent call last):
    ...
    palio.errors.UnreadableError: source: there is no file 'nowhere.csv'. Give the path of an
    existing file, or a frame.
    """


class ColumnError(InputError):
    """A column is absent, ambiguous or of the wrong type.

    >>> import palio
    >>> scores = {"dataset": ["iris"] * 2, "algorithm": ["rf", "knn"], "accuracy": [0.9, 0.8]}
    >>> palio.read_scores(scores, score="auc")
    Traceback (most recent call last):
    ...
    palio.errors.ColumnError: score: the table has no column 'auc'. Its columns are 'dataset',
    'algorithm', 'accuracy'.
    """


class UndecidedError(ColumnError):
    """A table can be read in several ways; `options` are these, each a whole reading.

    ``why`` are lines on the evidence for these.

    Examples
    --------
    >>> import palio
    >>> scores = {"dataset": ["iris"] * 2, "algorithm": ["rf", "knn"], "zeal": [9, 7]}
    >>> palio.read_scores(scores)
    Traceback (most recent call last):
    ...
    palio.errors.UndecidedError: score: the table does not say whether a higher 'zeal' is better. \
    Say it: higher_is_better=True; or higher_is_better=False.
    """

    why: tuple[str, ...] = ()


class CellError(InputError):
    """Cells hold what they must not: duplicates, text, infinite values.

    >>> import palio
    >>> scores = {"dataset": ["iris"] * 2, "algorithm": ["rf", "knn"], "accuracy": [0.9, "good"]}
    >>> palio.read_scores(scores)
    Traceback (most recent call last):
    ...
    palio.errors.CellError: column 'accuracy' of the table: must hold numbers, and 1 cell is text:
    'good' (row 1, counted from 0); write plain numbers with a decimal point, such as 0.85, and
    leave a cell empty if its value is missing.
    """


class MissingCellsError(CellError):
    """Scores or costs are not there.

    >>> import palio
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.9, 0.8], [0.7, float("nan")]], measure="accuracy",
    ...     datasets=["iris", "wine"], algorithms=["rf", "knn"],
    ... )
    >>> palio.rank(table, method="median-ranks")
    Traceback (most recent call last):
    ...
    palio.errors.MissingCellsError: missing: this ranking needs all scores, and 1 of 4 scores are
    missing; read the table with missing='drop-datasets'; 'average-ranks', 'mean-score',
    'bradley-terry', 'elo' and 'copeland' do without.
    """


class DesignError(InputError):
    """The resampling design does not fit the test.

    >>> import palio
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.9, 0.8]], datasets=["iris"], algorithms=["rf", "knn"], measure="accuracy"
    ... )
    >>> palio.multitest(table, prior=["knn", "rf"])
    Traceback (most recent call last):
    ...
    palio.errors.DesignError: test: '5x2cv-f' needs 5 repeats of 2 folds, and data set 'iris' has
    one value per data set; no test on folds fits: give one row per fold (columns repeat and fold).
    """


class UnpairedFoldsError(DesignError):
    """Algorithms do not share the folds of a data set.

    >>> import palio
    >>> scores = {
    ...     "dataset": ["iris"] * 4, "algorithm": ["rf", "rf", "knn", "knn"],
    ...     "fold": [1, 2, 1, 3], "accuracy": [0.9, 0.8, 0.7, 0.9],
    ... }
    >>> palio.multitest(scores, prior=["knn", "rf"], test="kfold-t")
    Traceback (most recent call last):
    ...
    palio.errors.UnpairedFoldsError: dataset: tests by folds need a full grid that all algorithms
    share, but of the folds of 'iris', 'rf' lacks fold 3, 'knn' lacks fold 2. Add those results, or
    leave out the algorithms, repeats or folds concerned.
    """


class ParameterError(InputError):
    """An option is outside its range, or options contradict each other.

    >>> import palio
    >>> palio.compare(palio.load_study("ulas2008"), alpha=2)
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: alpha: a significance level lies between 0 and 1, and 2 was given;
    0.05 is usual.
    """


class UnknownNameError(InputError):
    """A name that is in no registry, data set or algorithm list.

    >>> import palio
    >>> palio.compare(palio.load_study("ulas2008"), test="wilcoxn")
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: test: 'wilcoxn' is not known. Did you mean 'wilcoxon'? ...
    """


class MissingExtraError(PalioError, ImportError):
    """An optional dependency is not installed.

    >>> str(MissingExtraError("store", "experiments need SQLAlchemy", extra="run"))
    "store: experiments need SQLAlchemy; install it with: pip install 'palio[run]'."
    """

    def __init__(
        self, parameter: str, rule: str, received: str = "", remedy: str = "", *, extra: str = ""
    ) -> None:
        remedy = remedy or f"install it with: pip install 'palio[{extra}]'"
        super().__init__(parameter, rule, received, remedy)


class EngineError(PalioError, RuntimeError):
    """What runs jobs is gone or broken; what is finished is kept, the rest is not run.

    It is a `RuntimeError`, too.

    >>> error = EngineError("engine", "'local' can run nothing: no space is left")
    >>> str(error), isinstance(error, RuntimeError)
    ("engine: 'local' can run nothing: no space is left.", True)
    """


def require(holds: object, parameter: str, rule: str, given: object, remedy: str = "") -> None:
    """Refuse what was given for a parameter, unless its rule holds.

    >>> require(0 < 2 < 1, "alpha", "it lies between 0 and 1", 2)
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: alpha: it lies between 0 and 1, and 2 was given.
    """
    if not holds:
        raise ParameterError(parameter, rule, f"{given!r} was given", remedy)


class TerminatedError(SystemExit, KeyboardInterrupt):
    """SIGTERM came: it interrupts as Ctrl-C does, and ends a program with the usual status, 143."""

    def __init__(self) -> None:
        super().__init__(128 + 15)


# --- warnings ------------------------------------------------------------------------------------


class LeftOutWarning(UserWarning):
    """Algorithms or data sets of an experiment that are not in its table, and why.

    Examples
    --------
    >>> with warnings.catch_warnings():  # where a table without them will do
    ...     warnings.simplefilter("ignore", LeftOutWarning)
    """


_PACKAGE = str(Path(__file__).parent)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line outside this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
