"""What a store holds, asked for: plans, how jobs ended, folds, predictions; checked on the way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from palio.experiment.outcome import DoneFold, FoldPredictions
from palio.experiment.store.checksums import (
    CHECKSUM,
    checksum,
    columns_of,
    is_object,
    is_readable,
    place_of,
    refuse_damaged,
)
from palio.experiment.store.opened import Opened
from palio.experiment.store.planned import seeds_of
from palio.experiment.store.rows import as_dicts, decoded, done_fold, restricted
from palio.experiment.store.schema import has_begun
from palio.registry import unknown_name

if TYPE_CHECKING:
    import sqlalchemy as sa


class Mark(NamedTuple):
    """How and when a job ended, where (JSON), and what it took: it changes when the row does."""

    status: str
    finished: float
    machine: str
    seconds: float = 0.0


class Queries(Opened):
    """The questions that a store answers; what is damaged is an error that names the rows."""

    # --- plans and texts ---------------------------------------------------------------------

    def plans(self) -> list[str]:
        """Return the names of the plans, the newest first."""
        with self._reading() as connection:
            return self._plans(connection)

    def plan_name(self, name: str | None = None) -> str:
        """Check the name of a plan; without one, return the newest's, or none."""
        with self._reading() as connection:
            return self._plan(connection, name)

    def _plans(self, connection: sa.Connection) -> list[str]:
        import sqlalchemy as sa

        plans = self._tables.plans
        query = sa.select(plans.c.name).order_by(plans.c.saved.desc(), plans.c.name)
        return list(connection.execute(query).scalars())

    def _plan(self, connection: sa.Connection, name: str | None) -> str:
        names = self._plans(connection)
        if name is None:
            return names[0] if names else ""
        if name not in names:
            raise unknown_name("plan", name, names)
        return name

    def recall(self, name: str) -> str | None:
        """Return a text that was kept, if it was."""
        import sqlalchemy as sa

        meta = self._tables.meta
        with self._reading() as connection:
            query = sa.select(*self._columns(meta)).where(meta.c.name == name)
            row = next(as_dicts(connection.execute(query)), None)
        if row is None:
            return None
        # The version is looked at before there is anything else.
        if name != "schema" and not self._is_good(meta, row):
            refuse_damaged(self.shown, [repr(name)], 1, what="text")
        return str(row["value"])

    def recall_object(self, name: str) -> dict[str, Any]:
        """Return what was kept as JSON; nothing if it was not."""
        text = self.recall(name) or "{}"
        if not is_object(text):
            refuse_damaged(self.shown, [repr(name)], 1, what="text")
        found: dict[str, Any] = json.loads(text)
        return found

    # --- jobs --------------------------------------------------------------------------------

    def marks(self, keys: Iterable[str] | None = None) -> dict[str, Mark]:
        """Return how and when each job ended, of those keys or of all there are."""
        import sqlalchemy as sa

        results = self._tables.results
        query = sa.select(results.c.key, *(results.c[name] for name in Mark._fields))
        with self._reading() as connection:
            return {
                key: Mark(*mark)
                for each in restricted(query, results.c.key, keys)
                for key, *mark in connection.execute(each)
            }

    def statuses(self, keys: Iterable[str] | None = None) -> dict[str, str]:
        """Return how each finished job ended, by key."""
        return {key: mark.status for key, mark in self.marks(keys).items()}

    def predicted(self, keys: Iterable[str] | None = None) -> set[str]:
        """Return the keys of jobs whose predictions are kept."""
        import sqlalchemy as sa

        predictions = self._tables.predictions
        query = sa.select(predictions.c.key).distinct()
        with self._reading() as connection:
            return {
                key
                for each in restricted(query, predictions.c.key, keys)
                for key in connection.execute(each).scalars()
            }

    def jobs(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs of a plan, the newest without one, each with how it ended, if it has."""
        import sqlalchemy as sa

        jobs, results, folds = self._tables.jobs, self._tables.results, self._tables.folds
        n_folds = sa.select(sa.func.count()).where(folds.c.key == jobs.c.key).scalar_subquery()
        query = sa.select(
            *self._columns(jobs, "planned"),
            *(each for each in self._columns(results, "ended") if each.name != "key"),
            n_folds.label("n_folds"),
        ).select_from(jobs.outerjoin(results, jobs.c.key == results.c.key))
        with self._reading() as connection:
            name = self._plan(connection, plan)
            query = query.where(jobs.c.plan == name).order_by(jobs.c.position)
            rows = list(as_dicts(connection.execute(query)))
            self._refuse_incomplete(connection, name, len(rows))
            refuse_damaged(
                self.shown,
                [place_of(row) for row in rows if not self._is_good_job(row)],
                len(rows),
                what="job",
            )
            return self._with_seeds(connection, name, [_told(row, _JOB) for row in rows])

    def _is_good_job(self, row: Mapping[str, Any]) -> bool:
        """Whether what was planned is as it was written, and how it ended, if it has."""
        jobs, results = self._tables.jobs, self._tables.results
        return self._is_good(jobs, row, of="planned") and (
            row["status"] is None or self._is_good(results, row, row["n_folds"], of="ended")
        )

    def _refuse_incomplete(self, connection: sa.Connection, plan: str, n_jobs: int) -> None:
        """Refuse a plan some of whose jobs are gone."""
        import sqlalchemy as sa

        plans = self._tables.plans
        query = sa.select(*self._columns(plans)).where(plans.c.name == plan)
        row = next(as_dicts(connection.execute(query)), None)
        if row is not None and not self._is_good(plans, row, n_jobs):
            refuse_damaged(self.shown, [repr(plan)], 1, what="plan")

    def _with_seeds(
        self, connection: sa.Connection, plan: str, rows: Iterable[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Say which random state the job of each row has, in the place of its position."""
        drawn = seeds_of(connection, plan)
        return [{**row, "seed": drawn.get(row.pop("position"), 1)} for row in rows]

    # --- folds, predictions and final results ------------------------------------------------

    def folds(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return one row per fold of the jobs of a plan that ended well."""
        folds = self._tables.folds
        with self._reading() as connection:
            name = self._plan(connection, plan)
            rows = self._of_plan(connection, name, folds)
            self._refuse_damaged_folds(folds, rows)
            told = [decoded(_told(row, (*_FOLD, "scores", "costs"))) for row in rows]
            return self._with_seeds(connection, name, told)

    def predictions(self, dataset: str, plan: str | None = None) -> list[dict[str, Any]]:
        """Return one row per job and fold of a data set whose predictions are kept.

        The column ``predictions`` holds a `FoldPredictions`.
        """
        kept = self._tables.predictions
        with self._reading() as connection:
            name = self._plan(connection, plan)
            rows = self._of_plan(connection, name, kept, dataset)
            self._refuse_damaged_folds(kept, rows)
            told = [
                {**_told(row, _FOLD), "predictions": FoldPredictions.from_bytes(row["content"])}
                for row in rows
            ]
            return self._with_seeds(connection, name, told)

    def _of_plan(
        self, connection: sa.Connection, plan: str, table: sa.Table, dataset: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of folds that belong to the jobs of a plan, or of one data set of it."""
        import sqlalchemy as sa

        jobs = self._tables.jobs
        query = (
            sa.select(
                *(jobs.c[name] for name in ("position", "dataset", "algorithm", "repeat")),
                *self._columns(table),
            )
            .select_from(jobs.join(table, jobs.c.key == table.c.key))
            .where(jobs.c.plan == plan)
            .order_by(jobs.c.position, table.c.fold)
        )
        if dataset is not None:
            query = query.where(jobs.c.dataset == dataset)
        return list(as_dicts(connection.execute(query)))

    def _refuse_damaged_folds(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        damaged = [place_of(row) for row in rows if not self._is_good(table, row)]
        refuse_damaged(self.shown, damaged, len(rows), what="fold")

    def scores(self, keys: Iterable[str]) -> dict[str, dict[int, dict[str, float]]]:
        """Return the scores of jobs, by key and fold."""
        found: dict[str, dict[int, dict[str, float]]] = {}
        damaged = []
        for row in self._rows(self._tables.folds, keys):
            if self._is_good(self._tables.folds, row):
                found.setdefault(row["key"], {})[row["fold"]] = decoded(row)["scores"]
            else:
                damaged.append(row["key"][:8])
        refuse_damaged(self.shown, damaged, len(damaged) + len(found), what="job")
        return found

    def begun(self, keys: Iterable[str]) -> dict[str, list[DoneFold]]:
        """Return the folds that are done of jobs that were interrupted, by key.

        A damaged one is left out, and so done again.
        """
        table, found = self._tables.begun, dict[str, list[DoneFold]]()
        with self._reading() as connection:
            if not has_begun(connection):
                return {}
        for row in self._rows(table, keys):
            if self._is_good(table, row):
                found.setdefault(row["key"], []).append(done_fold(row))
        return found

    def finals(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return the final results of a plan, the newest without one."""
        import sqlalchemy as sa

        finals = self._tables.finals
        with self._reading() as connection:
            query = (
                sa.select(*self._columns(finals))
                .where(finals.c.plan == self._plan(connection, plan))
                .order_by(finals.c.dataset, finals.c.algorithm)
            )
            rows = list(as_dicts(connection.execute(query)))
        damaged = [
            f"{row['dataset']}, {row['algorithm']}"
            for row in rows
            if not self._is_good(finals, row)
        ]
        again = "look again: palio final"
        refuse_damaged(self.shown, damaged, len(rows), what="final result", remedy=again)
        return [_final(row) for row in rows]

    # --- rows and their checksums ------------------------------------------------------------

    def _columns(self, table: sa.Table, of: str = "") -> list[sa.ColumnElement[Any]]:
        """Return the columns of a table, and its checksums where there are any, as ``of``."""
        import sqlalchemy as sa

        found: list[sa.ColumnElement[Any]] = [table.c[name] for name in columns_of(table)]
        sums = table.c[CHECKSUM] if self._summed else sa.null()
        return [*found, sums.label(of or CHECKSUM)]

    def _rows(self, table: sa.Table, keys: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of jobs, or all there are."""
        with self._reading() as connection:
            yield from self._some(connection, table, keys)

    def _some(
        self, connection: sa.Connection, table: sa.Table, keys: Iterable[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        import sqlalchemy as sa

        query = sa.select(*self._columns(table)).execution_options(yield_per=1000)
        for each in [query] if keys is None else restricted(query, table.c.key, keys):
            yield from as_dicts(connection.execute(each))

    def _is_good(
        self, table: sa.Table, row: Mapping[str, Any], *more: object, of: str = CHECKSUM
    ) -> bool:
        """Whether a row fits its checksum; in an older store, whether it can be read."""
        if self._summed:
            found: bool = checksum([*(row[name] for name in columns_of(table)), *more]) == row[of]
            return found
        return is_readable({name: row[name] for name in columns_of(table)})


# What is told of a job, and of a fold.
_JOB = (
    *("position", "dataset", "algorithm", "repeat", "key"),
    *("status", "stage", "error", "traceback", "seconds", "machine"),
)
_FOLD = ("position", "dataset", "algorithm", "repeat", "fold")


def _told(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _final(row: Mapping[str, Any]) -> dict[str, Any]:
    told = decoded({name: value for name, value in row.items() if name != CHECKSUM})
    return {**told, "machine": json.loads(row["machine"])}
