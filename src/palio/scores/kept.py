"""Tables that Palio keeps itself: the store of an experiment, and what is shipped as study:NAME.

They are named where a file would be, and have columns and costs of their own. A new kind is an
entry in `KEPT`; who reads it stands above this folder, and is loaded when one is asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
_SQLITE = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True)
class Kept:
    """An entry of the registry.

    ``told`` says in messages what it is, ``takes`` whether a place names one. ``read`` makes the
    table of a place and of what was given of ``options``, which are named as in `read_scores`;
    ``items`` the scores on items that are kept beside it.
    """

    name: str
    told: str
    takes: Callable[[str], bool]
    read: Callable[..., ScoreTable]
    options: frozenset[str]
    items: Callable[..., ItemScores] | None = None


@dataclass(frozen=True)
class KeptTable:
    """A table of a kind that Palio keeps, and where it is."""

    kind: Kept
    place: str

    def read(self, spec: ReadSpec) -> ScoreTable:
        """Return the table; refuse what is about the columns of a file.

        Costs that are only named must be there.
        """
        given = {name: value for name, value in spec.given().items() if name not in _OF_ANY_TABLE}
        names: Sequence[str] = ()
        if isinstance(spec.costs, str | list | tuple):
            names = [spec.costs] if isinstance(spec.costs, str) else spec.costs
            given.pop("costs")
        for option in given:
            if option not in self.kind.options:
                raise ParameterError(
                    option,
                    f"{self.kind.told} has columns and costs of its own",
                    remedy="leave it out, or give a file",
                )
        table = self.kind.read(self.place, **given)
        for name in names:
            if name not in table.cost_names:
                table.cost_matrix(name)  # says what there is
        return replace(table, how_read=HowRead(self.kind.name))


def kept_at(source: object) -> KeptTable | None:
    """Return what is kept in a place, if that is what a source is.

    >>> kept_at("study:ulas2008").kind.name, kept_at("results.csv")
    ('study', None)
    """
    if not isinstance(source, str | os.PathLike):
        return None
    try:
        kind = next((kind for kind in KEPT.values() if kind.takes(str(source))), None)
    except OSError:  # a name that no file can have, of which reading tells
        kind = None
    return None if kind is None else KeptTable(kind, str(source))


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


def _is_own_store(place: str) -> bool:
    """Whether it is a store, and not a database that another tool is known to have written."""
    return is_store(place) and (is_server(place) or recognised(Path(place).expanduser()) is None)


def _read_study(
    place: str,
    score: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | None = None,
    keep_failing: bool = False,
) -> ScoreTable:
    load: Later[[str], ScoreTable] = Later("palio.studies:load_study")
    table = load(place.partition(":")[2])
    if missing is not None:
        table = table.from_rows(
            table.rows,
            table.measure,
            missing=missing,
            keep_failing=keep_failing,
            notes=table.notes,
        )
    if score is not None or higher_is_better is not None:
        return table.with_score(score or table.measure.name, higher_is_better)
    return table


KEPT: Registry[Kept] = Registry.of(
    "kept table",
    Kept(
        "store",
        "a store",
        _is_own_store,
        Later("palio.experiment.store.reading:read_store"),
        frozenset({"plan", "score", "higher_is_better", "missing", "keep_failing"}),
        Later("palio.experiment.store.reading:read_stored_items"),
    ),
    Kept(
        "study",
        "a study",
        lambda place: study_in(place) is not None,
        _read_study,
        frozenset({"score", "higher_is_better", "missing", "keep_failing"}),
    ),
)
