"""What can go wrong, as one tree.

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
    └── MissingExtraError       an optional dependency is not installed

Every message names the parameter or the cells, the rule, what was received, and the next step.
The command line prints it as one line and exits with status 2.
"""

__all__ = [
    "CellError",
    "ColumnError",
    "DesignError",
    "InputError",
    "MissingCellsError",
    "MissingExtraError",
    "PalioError",
    "ParameterError",
    "UnknownNameError",
    "UnpairedFoldsError",
    "UnreadableError",
]


class PalioError(Exception):
    """The root: catch it to catch everything Palio raises on purpose."""


class InputError(PalioError, ValueError):
    """Something given to Palio is not usable."""


class UnreadableError(InputError):
    """A file cannot be opened or parsed."""


class ColumnError(InputError):
    """A column is absent, ambiguous or of the wrong type."""


class CellError(InputError):
    """Cells hold what they must not: duplicates, text, infinite values."""


class MissingCellsError(CellError):
    """Scores or costs are not there."""


class DesignError(InputError):
    """The resampling design does not fit the test."""


class UnpairedFoldsError(DesignError):
    """Algorithms do not share the folds of a data set."""


class ParameterError(InputError):
    """An option is outside its range, or options contradict each other."""


class UnknownNameError(InputError):
    """A name that is in no registry, data set or algorithm list."""


class MissingExtraError(PalioError, ImportError):
    """An optional dependency is not installed."""
