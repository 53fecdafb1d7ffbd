"""What each column of a table looks like: the facts that hypotheses about its reading go by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.measures import is_known_score, is_spread
from palio.scores.vocabulary import SURE, heading_roles

if TYPE_CHECKING:
    from palio.scores.columns import Columns

Kind: TypeAlias = Literal[
    "empty", "number", "truth", "name", "link", "date", "version", "prose", "record"
]

MAX_NAME_LENGTH = 120  # letters; longer cells are prose
MAX_NAME_WORDS = 12  # or of more words
MAX_NAMES_LOOKED_AT = 2_000  # distinct cells, which is plenty to tell what they are
_MOST = 0.8  # share of cells that must agree for a column to be of a kind

_LINK = re.compile(r"(?i)(?:https?://|www\.|git@|doi:|10\.\d{4,9}/)\S*")
_DATE = re.compile(
    r"(?:19|20)\d\d(?:[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?(?:[T ][\d:.Z+]+)?)"
    r"|(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:19|20)?\d\d"
)
_VERSION = re.compile(
    r"v?\d{1,4}(?:\.\d{1,5}){2,4}\S{0,20}|[0-9a-f]{7,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


@dataclass(frozen=True, slots=True)
class Profile:
    """A column: what its cells are, how many differ, and what its heading suggests.

    ``roles`` has a weight for each role that the heading may mean; ``distinct`` the first different
    cells as text; ``low`` and ``high`` bound the numbers, ``is_whole`` says that all are whole.
    """

    name: str
    kind: Kind
    n_rows: int
    n_filled: int
    n_distinct: int
    distinct: tuple[str, ...] = ()
    roles: Mapping[str, float] = field(default_factory=dict)
    low: float = np.nan
    high: float = np.nan
    is_whole: bool = False

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers, but for some that are missing."""
        return self.kind == "number"

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same."""
        return self.n_distinct == self.n_filled == self.n_rows

    @property
    def is_infinite(self) -> bool:
        """Whether some of its numbers are infinite."""
        return bool(np.isinf(self.low) or np.isinf(self.high))

    @property
    def length(self) -> float:
        """How many letters a cell has, on average."""
        return sum(map(len, self.distinct)) / max(len(self.distinct), 1)

    def weight(self, *roles: str) -> float:
        """Return how surely its heading is that of one of these roles."""
        return max(self.roles.get(role, 0.0) for role in roles)

    def has(self, *roles: str) -> bool:
        """Say whether its heading is that of one of these roles, in all likelihood."""
        return self.weight(*roles) >= SURE

    @property
    def is_aside(self) -> bool:
        """Whether its heading says that it holds no results: a spread, a rank, a description."""
        return is_spread(self.name) or (self.has(*_ASIDE) and not is_known_score(self.name))

    @property
    def counts_runs(self) -> bool:
        """Whether its heading is, perhaps, that of runs or steps, such as iterations."""
        return self.weight("fold", "repeat", "seed", "step") > 0.5

    @property
    def counts_rows(self) -> bool:
        """Whether it numbers the rows, from 0 or 1."""
        in_order = self.low in (0.0, 1.0) and self.high - self.low == self.n_rows - 1
        return self.is_unique and self.is_whole and in_order


DESCRIPTIONS = ("dataset_description", "algorithm_description")
RUNS = ("fold", "repeat", "seed", "item", "cluster", "metric", "step", "turn", "part")
_COUNTED = RUNS[: RUNS.index("metric")]
_ASIDE = {*DESCRIPTIONS, *RUNS, "ignore", "timestamp", "status"} - {"metric"}


def profile_of(columns: Columns, name: str) -> Profile:
    """Look at a column.

    >>> from palio.scores.frames import from_mapping
    >>> table = from_mapping({"model": ["knn", "svm"], "acc": ["0.9", "n/a"]}, "the table")
    >>> [profile_of(table, name).kind for name in table.names]
    ['name', 'number']
    """
    what = f"profile {name} {columns.decimal}"
    found: Profile = columns.once(what, name, lambda _: _profile(columns, name))
    return found


def _profile(columns: Columns, name: str) -> Profile:
    codes, found = columns.distinct(name)
    texts = tuple(str(each).strip() for each in found[:MAX_NAMES_LOOKED_AT])
    filled = np.array([bool(text) for text in texts] + [True] * (len(found) - len(texts)))
    n_filled = int(((codes >= 0) if filled.all() else np.append(filled, False)[codes]).sum())
    kind: Kind = "record" if name in columns.nested else _kind(columns, name, texts)
    numbers = columns.numbers(name).values if kind == "number" else np.empty(0)
    finite = numbers[np.isfinite(numbers)]
    is_whole = bool(finite.size) and bool((finite == np.trunc(finite)).all())
    roles = heading_roles(name) or heading_roles(name.partition(" / ")[0])  # Method, above User ID
    if finite.size and not is_whole:  # run_a holds scores, and does not count runs
        roles = {role: roles[role] for role in roles if role not in _COUNTED or role == name}
    elif finite.size and "dataset" in roles and re.search(r"(?i)(?<![suio])(?<!serie)s$", name):
        roles = {DESCRIPTIONS[0]: 1.0}  # 4564 Queries
    return Profile(
        name,
        kind,
        len(columns),
        n_filled,
        int(filled.sum()),
        texts,
        roles,
        float(np.nanmin(numbers)) if finite.size else np.nan,
        float(np.nanmax(numbers)) if finite.size else np.nan,
        is_whole,
    )


def _kind(columns: Columns, name: str, texts: tuple[str, ...]) -> Kind:
    """Return what most of the different cells of a column are."""
    numbers = columns.numbers(name)
    if numbers.is_empty or not any(texts):
        return "empty"
    if not numbers.bad.any() and np.isnan(numbers.values).all():
        return "number"  # each with a reason for its being missing
    if numbers.with_truths().is_numeric and numbers.bad.any():
        return "truth"
    for kind, pattern in (("link", _LINK), ("date", _DATE), ("version", _VERSION)):
        if _share(texts, pattern) >= _MOST and not (kind == "version" and numbers.is_numeric):
            return kind  # type: ignore[return-value]  # one of the three
    if numbers.is_meant_numeric:
        return "number"
    long = sum(len(text) > MAX_NAME_LENGTH or text.count(" ") > MAX_NAME_WORDS for text in texts)
    return "prose" if 5 * long > len(texts) else "name"


def _share(texts: tuple[str, ...], pattern: re.Pattern[str]) -> float:
    """Return the share of the filled cells that a pattern is for."""
    filled = [text for text in texts if text]
    return sum(pattern.fullmatch(text) is not None for text in filled) / max(len(filled), 1)
