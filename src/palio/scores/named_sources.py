"""Tables that are no files: the store of an experiment, and what is shipped as study:NAME.

They are named where a file would be, and have columns and costs of their own. A new kind is an
entry in `TABLE_SOURCES`; who reads it stands above this folder, and is loaded when one is asked
for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError
from palio.registry import Later, Registry
from palio.scores.importers import recognised
from palio.scores.summary import HowRead

if TYPE_CHECKING:
    from palio.scores.items import ItemScores
    from palio.scores.spec import ReadSpec
    from palio.scores.table import ScoreTable

# Options that are for whatever was read.
_OF_ANY_TABLE = ("algorithms", "exclude", "datasets", "scale", "alone", "limits")
_OPTIONS = frozenset({"score", "higher_is_better", "missing", "keep_failing"})
_SQLITE = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True)
class NamedSource:
    """What may stand in the place of a file.

    ``description`` says in messages what it is, ``matches`` whether a place names one. ``load``
    takes the place and those of the ``options`` of `read_scores` that were given; ``items``, where
    scores on items are kept beside the table, the place and a plan.
    """

    name: str
    description: str
    matches: Callable[[str], bool]
    load: Callable[..., ScoreTable]
    options: frozenset[str] = _OPTIONS
    items: Callable[..., ItemScores] | None = None

    def read(self, place: str, spec: ReadSpec) -> ScoreTable:
        """Return the table; refuse what is about the columns of a file.

        Costs that are only named must be there.
        """
        given = {name: value for name, value in spec.given().items() if name not in _OF_ANY_TABLE}
        costs = given.pop("costs") if isinstance(spec.costs, str | list | tuple) else ()
        for option in (name for name in given if name not in self.options):
            rule = f"{self.description} has columns and costs of its own"
            raise ParameterError(option, rule, remedy="leave it out, or give a file")
        table = self.load(place, **given)
        for name in [costs] if isinstance(costs, str) else costs:
            if name not in table.cost_names:
                table.cost_matrix(name)  # says what there is
        return replace(table, how_read=HowRead(self.name))


def _names_store(place: str) -> bool:
    """Say whether a place names a store, and not a database that another tool has written."""
    is_file = is_store(place) and not is_server(place)
    return recognised(Path(place).expanduser()) is None if is_file else is_store(place)


def _load_study(place: str, **given: Any) -> ScoreTable:
    load: Later[[str], ScoreTable] = Later("palio.studies:load_study")
    table = load(study_in(place) or "")
    score, up = given.pop("score", None), given.pop("higher_is_better", None)
    if "missing" in given:
        table = table.from_rows(table.rows, table.measure, notes=table.notes, **given)
    asked = score is not None or up is not None
    return table.with_score(score or table.measure.name, up) if asked else table


TABLE_SOURCES: Registry[NamedSource] = Registry.of(
    "table source",
    NamedSource(
        "store",
        "a store",
        _names_store,
        Later("palio.experiment.store.reading:read_store"),
        _OPTIONS | {"plan"},
        Later("palio.experiment.store.reading:read_stored_items"),
    ),
    NamedSource("study", "a study", lambda place: study_in(place) is not None, _load_study),
)


def named_source(source: object) -> NamedSource | None:
    """Return what reads the store or study that a source names, if it does.

    >>> named_source("study:ulas2008").name, named_source("results.csv")
    ('study', None)
    """
    if not isinstance(source, str | os.PathLike):
        return None
    try:
        return next((kind for kind in TABLE_SOURCES.values() if kind.matches(str(source))), None)
    except OSError:  # a name that no file can have, of which reading tells
        return None


def study_in(source: str | os.PathLike[str]) -> str | None:
    """Return the name of the study that stands in the place of a file, if one does.

    >>> study_in("study:ulas2008"), study_in("results.csv")
    ('ulas2008', None)
    """
    prefix, colon, name = str(source).partition(":")
    return name if colon and prefix == "study" else None


def is_store(place: str | os.PathLike[str]) -> bool:
    """Say whether a path or URL names a store.

    >>> is_store("experiment.db"), is_store("postgresql://host/db"), is_store("results.csv")
    (True, True, False)
    """
    # Behind a prefix, as in mlflow:runs.db, it is another's.
    named = re.match(r"[a-z-]{2,}:(?!//)", str(place)) is not None
    return is_server(place) or (Path(place).suffix.lower() in _SQLITE and not named)


def is_server(place: str | os.PathLike[str]) -> bool:
    """Say whether a store is on a PostgreSQL server, where several may write at once.

    >>> is_server("postgresql://host/db"), is_server("postgresql.db")
    (True, False)
    """
    return re.match(r"postgres(ql)?(\+\w+)?:", str(place), re.IGNORECASE) is not None
