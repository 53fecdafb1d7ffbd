"""Stores put together: what was run on several machines, or on several days, in one.

Jobs are told apart by their content, so that it does not matter who ran them. What differs where
nothing should is an error, and then nothing is taken over.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from palio.errors import InputError, Option
from palio.experiment.store.checking import Checking
from palio.experiment.store.checksums import columns_of, place_of, signed
from palio.experiment.store.database import upsert
from palio.experiment.store.planned import read_plan, write_plan
from palio.experiment.store.rows import chunks, insert
from palio.experiment.store.schema import has_begun
from palio.words import count, listed

if TYPE_CHECKING:
    import sqlalchemy as sa

Row = dict[str, Any]

# Texts that tell something of each data set of a plan, by its name.
OF_DATASETS = ("targets of ", "sizes of ", "preparation of ", "units of ")


@dataclass(frozen=True)
class Taken:
    """What was taken over from one store."""

    store: str
    jobs: Annotated[int, "Jobs that were not there yet."]
    mended: Annotated[int, "Jobs that had not ended well, and had in this store."]
    same: Annotated[int, "Jobs that both had, with the same scores, or without any."]
    differing: Annotated[int, "Jobs that came out otherwise; those that were there are kept."]


class Merging(Checking):
    """What a store takes over from others."""

    def merge(self, others: Iterable[Merging], *, keep_first: bool = False) -> tuple[Taken, ...]:
        """Take over the jobs, plans and final results of other stores: of all, or of none.

        A job that both have keeps the scores, the costs and the machine that it has here, unless
        only the other ended well. With ``keep_first`` also where the scores differ, which is an
        error without it.
        """
        with self._changing() as connection:
            return tuple(self._take(connection, other, keep_first) for other in others)

    def _take(self, connection: sa.Connection, other: Merging, keep_first: bool) -> Taken:
        other.check()
        for plan in reversed(other.plans()):
            self._unite_plan(connection, other, plan)
        ours, theirs = self._statuses(connection), other.statuses()
        well = {key for key in ours.keys() & theirs.keys() if theirs[key] == "ok"}
        mended = {key for key in well if ours[key] != "ok"}
        new = theirs.keys() - ours.keys()
        differing = self._differing(connection, other, well - mended)
        if differing and not keep_first:
            raise _otherwise(self, other, differing, len(well - mended))
        self._copy_jobs(connection, other, new | mended)
        self._copy_predictions(connection, other, well - mended - differing.keys())
        self._copy_begun(connection, other, done=ours.keys() | theirs.keys())
        self._copy_finals(connection, other, keep_first)
        self._copy_texts(connection, other)
        return Taken(
            store=other.shown,
            jobs=len(new),
            mended=len(mended),
            same=len(theirs) - len(new) - len(mended) - len(differing),
            differing=len(differing),
        )

    # --- plans -------------------------------------------------------------------------------

    def _unite_plan(self, connection: sa.Connection, other: Merging, name: str) -> None:
        """Put the jobs of a plan after those that a plan of the same name has here."""
        ours, saved = read_plan(connection, name)
        with other._reading() as reading:
            theirs, saved_there = read_plan(reading, name)
        known = {_asked(row): row["key"] for row in ours}
        others = [row for row in theirs if known.get(_asked(row), row["key"]) != row["key"]]
        if others:
            raise InputError(
                "store",
                f"plan {name!r} of '{other.shown}' has other jobs than '{self.shown}' by the same "
                f"names: {count(len(others), 'job')} with other data, parameters, folds or seeds",
                str(place_of(others[0])) + " is one",
                f"call one of the plans otherwise: {Option('name')} of run",
            )
        jobs = [*ours, *(row for row in theirs if _asked(row) not in known)]
        if len(jobs) > len(ours) or not saved:
            write_plan(connection, name, jobs, saved=max(saved, saved_there))

    # --- jobs --------------------------------------------------------------------------------

    def _statuses(self, connection: sa.Connection) -> dict[str, str]:
        return {row["key"]: row["status"] for row in self._some(connection, self._tables.results)}

    def _differing(
        self, connection: sa.Connection, other: Merging, keys: Collection[str]
    ) -> dict[str, str]:
        """Return the jobs whose scores differ, and in words the first that do."""
        folds = self._tables.folds
        ours = _scores(self._some(connection, folds, keys))
        theirs = _scores(other._rows(folds, keys))
        return {
            key: f"fold {fold}, {ours[key].get(fold)} and {theirs[key].get(fold)}"
            for key in sorted(keys)
            for fold in [
                n
                for n in sorted(ours[key].keys() | theirs[key].keys())
                if ours[key].get(n) != theirs[key].get(n)
            ][:1]
        }

    def _copy_jobs(self, connection: sa.Connection, other: Merging, keys: Collection[str]) -> None:
        """Write the rows of jobs as they are there, with their machine and their costs."""
        all_ = self._tables
        folds = [_bare(all_.folds, row) for row in other._rows(all_.folds, keys)]
        n_folds = Counter(row["key"] for row in folds)
        upsert(
            connection,
            all_.results,
            [
                signed(all_.results, _bare(all_.results, row), n_folds[row["key"]])
                for row in other._rows(all_.results, keys)
            ],
        )
        for table in (all_.folds, all_.predictions, all_.begun):
            for some in chunks(sorted(keys)):
                connection.execute(table.delete().where(table.c.key.in_(some)))
        insert(connection, all_.folds, [signed(all_.folds, row) for row in folds])
        self._copy(connection, other, all_.predictions, keys)

    def _copy_predictions(
        self, connection: sa.Connection, other: Merging, keys: Collection[str]
    ) -> None:
        """Take the predictions of jobs that have none here."""
        kept = self._tables.predictions
        has = {row["key"] for row in self._some(connection, kept, keys)}
        self._copy(connection, other, kept, set(keys) - has)

    def _copy_begun(self, connection: sa.Connection, other: Merging, done: Collection[str]) -> None:
        """Take the folds of jobs that neither has done."""
        table = self._tables.begun
        with other._reading() as reading:
            if not has_begun(reading):
                return
        ours = {(row["key"], row["fold"]) for row in self._some(connection, table)}
        rows = [_bare(table, row) for row in other._rows(table) if row["key"] not in done]
        new = [row for row in rows if (row["key"], row["fold"]) not in ours]
        insert(connection, table, [signed(table, row) for row in new])

    def _copy(
        self, connection: sa.Connection, other: Merging, table: sa.Table, keys: Collection[str]
    ) -> None:
        rows = [signed(table, _bare(table, row)) for row in other._rows(table, keys)]
        insert(connection, table, rows)

    # --- what else there is ------------------------------------------------------------------

    def _copy_finals(self, connection: sa.Connection, other: Merging, keep_first: bool) -> None:
        table = self._tables.finals
        asked = [column.name for column in table.primary_key]

        def by_name(rows: Iterable[Row]) -> dict[tuple[str, ...], Row]:
            return {tuple(row[name] for name in asked): _bare(table, row) for row in rows}

        ours, theirs = by_name(self._some(connection, table)), by_name(other._rows(table))
        for name in ours.keys() & theirs.keys():
            if not keep_first and _same(ours[name]["scores"]) != _same(theirs[name]["scores"]):
                raise _otherwise(self, other, {", ".join(name[1:]): "final result"}, len(theirs))
        new = [signed(table, row) for key, row in theirs.items() if key not in ours]
        insert(connection, table, new)

    def _copy_texts(self, connection: sa.Connection, other: Merging) -> None:
        """Take the texts that are not here, such as experiment files; add what data sets have."""
        table = self._tables.meta
        ours = {row["name"]: row["value"] for row in self._some(connection, table)}
        for each in other._rows(table):
            row, known = _bare(table, each), ours.get(each["name"])
            if known is not None and row["name"].startswith(OF_DATASETS):
                told = {**json.loads(row["value"]), **json.loads(known)}
                upsert(connection, table, [signed(table, {**row, "value": json.dumps(told)})])
            elif known is None:
                insert(connection, table, [signed(table, row)])


def _asked(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a job is called in its plan."""
    return row["dataset"], row["algorithm"], row["repeat"], row["seed"]


def _bare(table: sa.Table, row: Mapping[str, Any]) -> Row:
    """Return a row without its checksum."""
    return {name: row[name] for name in columns_of(table)}


def _same(scores: str) -> str:
    """Write scores so that the same are the same text."""
    return json.dumps(json.loads(scores), sort_keys=True)


def _scores(rows: Iterator[Row]) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for row in rows:
        found.setdefault(row["key"], {})[row["fold"]] = _same(row["scores"])
    return found


def _otherwise(
    ours: Merging, theirs: Merging, differing: Mapping[str, str], both: int
) -> InputError:
    """Say which jobs came out otherwise."""
    names: dict[str, object] = {}
    for store in (theirs, ours):
        names |= {row["key"]: place_of(row) for row in store._rows(store._tables.jobs)}
    told: Sequence[str] = [f"{names.get(key, key[:12])}: {how}" for key, how in differing.items()]
    return InputError(
        "store",
        f"'{theirs.shown}' has other scores than '{ours.shown}' for {len(differing)} of "
        f"{count(both, 'job')} that both have ({listed(told, limit=3)})",
        remedy="leave one of the stores out, or take what the first of them has: "
        f"{Option('keep_first', 'True')}",
    )
