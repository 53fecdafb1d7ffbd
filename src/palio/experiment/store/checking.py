"""Every row of a store, looked at: which are damaged, and what is still good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from palio.errors import UnreadableError
from palio.experiment.store.checksums import Place, place_of, refuse_damaged
from palio.experiment.store.database import LOST
from palio.experiment.store.queries import Queries
from palio.words import count, quoted

if TYPE_CHECKING:
    import sqlalchemy as sa

Row = dict[str, Any]


@dataclass(frozen=True)
class Checked:
    """That all rows of a store are good, which only checksums can tell for certain."""

    rows: int
    checksums: Annotated[bool, "Older stores have none until they are written to."]


class Checking(Queries):
    """The questions of a store about itself."""

    def damaged(self, keys: Iterable[str]) -> set[str]:
        """Return the keys of jobs whose rows, folds or predictions are not as they were written."""
        with self._reading() as connection:
            looked_at = self._of_jobs(connection, set(keys))
            return {row["key"] for row, good in looked_at if not good}

    def check(self) -> Checked:
        """Look at every row, and say how many there are.

        Raises
        ------
        UnreadableError
            If some are damaged: it names them, and says how many are good.
        """
        if fault := self._broken_page():
            raise self._broken(fault)
        rows, damaged = 0, dict[str, None]()
        # At one moment: others may be writing.
        with self._reading() as connection:
            for name, good in self._every_row(connection):
                rows += 1
                if not good:
                    damaged[name] = None
        refuse_damaged(self.shown, damaged, rows)
        return Checked(rows, self._summed)

    def _every_row(self, connection: sa.Connection) -> Iterator[tuple[str, bool]]:
        """Yield what each row is, and whether it is good."""
        all_, rows = self._tables, partial(self._some, connection)
        names, planned = dict[str, Place](), Counter[str]()
        for row in rows(all_.jobs):
            place = place_of(row)
            names.setdefault(row["key"], place)
            planned[row["plan"]] += 1
            yield f"plan of {place}", self._is_good(all_.jobs, row)
        for row in rows(all_.plans):
            yield f"plan {row['name']!r}", self._is_good(all_.plans, row, planned[row["name"]])
        for row, good in self._of_jobs(connection):
            yield _named(row, names), good
        for row in rows(all_.finals):
            what = f"final result of {row['dataset']}, {row['algorithm']}"
            yield what, self._is_good(all_.finals, row)
        for row in rows(all_.meta):
            if row["name"] != "schema":  # looked at before anything else
                yield f"text {row['name']!r}", self._is_good(all_.meta, row)

    def _of_jobs(
        self, connection: sa.Connection, keys: Collection[str] | None = None
    ) -> Iterator[tuple[Row, bool]]:
        """Yield the rows of jobs, of their folds and predictions, and whether each is good."""
        n_folds, rows = Counter[str](), partial(self._some, connection)
        for row in rows(self._tables.folds, keys):
            n_folds[row["key"]] += 1
            yield row, self._is_good(self._tables.folds, row)
        for row in rows(self._tables.predictions, keys):
            yield row, self._is_good(self._tables.predictions, row)
        for row in rows(self._tables.results, keys):
            yield row, self._is_good(self._tables.results, row, n_folds[row["key"]])

    # --- pages of a file ---------------------------------------------------------------------

    def _broken_page(self) -> str:
        """Return what SQLite finds wrong with its own file, in its words."""
        if self.shared:
            return ""
        with self._reading() as connection:
            found = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
        return "" if found == "ok" else found.splitlines()[-1].rstrip(".")

    def _broken(self, fault: str) -> UnreadableError:
        """Say which jobs can be read in a file that is broken, by asking for them one by one."""
        try:
            names = {row["key"]: place_of(row) for row in self._rows(self._tables.jobs)}
        except UnreadableError:
            names = {}
        lost = [place for key, place in names.items() if not self._can_be_read(key)]
        good = len(names) - len(lost)
        said = f"{good} of {count(len(names), 'job')} can be read" if names else "no plan is left"
        return UnreadableError(
            "store",
            f"'{self.shown}' is damaged: {fault}; {said}"
            f"{f', not those of {quoted(lost)}' if lost and good else ''}",
            remedy=LOST,
        )

    def _can_be_read(self, key: str) -> bool:
        try:
            return not self.damaged([key])
        except UnreadableError:
            return False


def _named(row: Row, names: Mapping[str, Place]) -> str:
    """Name the job of a row, and its fold; one that no plan has any more, by its key."""
    place = names.get(row["key"])
    if place is None:
        return f"job {str(row['key'])[:12]} of no plan"
    return str(replace(place, fold=row.get("fold")))
