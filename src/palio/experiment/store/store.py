"""Finished jobs, one row each, whatever their end."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from palio.experiment.identity import digest
from palio.experiment.outcome import Begun, DoneFold, FoldPredictions, JobOutcome
from palio.experiment.store.database import (
    clear_errors,
    connect,
    shown,
    upsert,
)
from palio.experiment.store.locks import Claims, OneWriter, SeveralWriters
from palio.experiment.store.rows import (
    begun_row,
    chunks,
    decoded,
    done_fold,
    fold_row,
    insert,
    machine_text,
    restricted,
    result_row,
)
from palio.experiment.store.schema import (
    SCHEMA_VERSION,
    has_begun,
    has_seeds,
    make_begun,
    make_seeds,
    prepare,
    tables,
)
from palio.registry import unknown_name
from palio.scores.kept import is_server

if TYPE_CHECKING:
    import sqlalchemy as sa

    from palio.experiment.plan import Plan

__all__ = ["SCHEMA_VERSION", "Mark", "Store"]


class Mark(NamedTuple):
    """How and when a job ended, and on which machine (JSON): it changes when the row does."""

    status: str
    finished: float
    machine: str


class Store:
    """Results of jobs by content key, and the plans that asked for them.

    SQLite in one file by default, PostgreSQL by URL, with the same code. One process writes at a
    time to a SQLite store, and others may read meanwhile; to a PostgreSQL store several may write.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        self.place = str(place)
        self._claims: Claims | None = None
        self._engine = connect(self.place, create=create)
        self._tables = tables()
        try:
            with self._clear_errors():
                prepare(self._engine, self.shown)
        except BaseException:
            self._engine.dispose()
            raise

    # --- opening and closing -----------------------------------------------------------------

    @property
    def shared(self) -> bool:
        """Whether others may be running jobs of the same store."""
        return is_server(self.place)

    @property
    def shown(self) -> str:
        """The place as it may be shown, without a password."""
        return shown(self.place)

    def close(self) -> None:
        """Let go of the file or the connections, and of what was claimed."""
        self._let_go()
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _clear_errors(self) -> contextlib.AbstractContextManager[None]:
        return clear_errors(self.place)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._clear_errors(), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        with self._clear_errors(), self._engine.begin() as connection:
            yield connection

    # --- who runs what -----------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Be one that runs; a second run on the same SQLite store is told so at once."""
        self._claiming()
        try:
            yield
        finally:
            self._let_go()

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are ours to run, until released or this process ends."""
        return self._claiming().claim(keys)

    def release(self, keys: Iterable[str]) -> None:
        """Let others run what was claimed."""
        self._claiming().release(keys)

    def _claiming(self) -> Claims:
        if self._claims is None:
            self._claims = (
                SeveralWriters(self._engine, self.place) if self.shared else OneWriter(self.place)
            )
        return self._claims

    def _let_go(self) -> None:
        if self._claims is not None:
            self._claims.close()
            self._claims = None

    # --- plans -------------------------------------------------------------------------------

    def save_plan(self, plan: Plan, *, name: str = "experiment") -> None:
        """Remember what was asked for, names and their keys, in the place of the plan so named.

        The same plan again is only noted to be the newest: resuming a large one should be quick.
        """
        import sqlalchemy as sa

        plans, jobs, seeds = self._tables.plans, self._tables.jobs, self._tables.seeds
        rows = [
            {
                "plan": name,
                "position": i,
                "dataset": job.dataset.name,
                "algorithm": job.algorithm,
                "repeat": job.repeat,
                "key": job.key,
                "scoring": json.dumps(list(job.scoring)),
            }
            for i, job in enumerate(plan.jobs)
        ]
        drawn = [
            {"plan": name, "position": i, "seed": job.draw}
            for i, job in enumerate(plan.jobs)
            if job.draw > 1
        ]
        content, now = digest([list(row.values()) for row in rows]), time.time()
        with self._changing() as connection:
            # Two that save a plan of this name wait for each other here, or at the upsert.
            connection.execute(plans.update().where(plans.c.name == name).values(saved=now))
            known = connection.execute(sa.select(plans.c.content).where(plans.c.name == name))
            if known.scalar() == content:
                return
            upsert(connection, plans, [{"name": name, "saved": now, "content": content}])
            if drawn:
                make_seeds(connection)
            kept = [jobs, seeds] if has_seeds(connection) else [jobs]
            for table in kept:
                connection.execute(table.delete().where(table.c.plan == name))
            insert(connection, jobs, rows)
            insert(connection, seeds, drawn)

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

    def remember(self, name: str, value: str) -> None:
        """Keep a text beside the results, such as the experiment file they came from."""
        with self._changing() as connection:
            upsert(connection, self._tables.meta, [{"name": name, "value": value}])

    def recall(self, name: str) -> str | None:
        """Return a text that was kept, if it was."""
        import sqlalchemy as sa

        meta = self._tables.meta
        with self._reading() as connection:
            found: str | None = connection.execute(
                sa.select(meta.c.value).where(meta.c.name == name)
            ).scalar()
        return found

    # --- writing -----------------------------------------------------------------------------

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write finished jobs, each whole or not at all; a job done anew replaces its row.

        Also when two do so at once: the last one's row stays, with its folds.
        """
        latest = {outcome.key: outcome for outcome in outcomes}
        if not latest:
            return
        # Everyone in the same order, so that no two wait for each other.
        ordered = [latest[key] for key in sorted(latest)]
        folds = [(o.key, fold) for o in ordered for fold in o.folds]
        with self._changing() as connection:
            # From here on the rows are ours until the end of the transaction, and so their folds.
            upsert(connection, self._tables.results, [result_row(o) for o in ordered])
            replaced = [self._tables.folds, self._tables.predictions]
            for table in (*replaced, self._tables.begun) if has_begun(connection) else replaced:
                for keys in chunks(list(latest)):
                    connection.execute(table.delete().where(table.c.key.in_(keys)))
            insert(connection, self._tables.folds, [fold_row(*each) for each in folds])
            insert(
                connection,
                self._tables.predictions,
                [
                    {"key": key, "fold": fold.fold, "content": fold.predictions.to_bytes()}
                    for key, fold in folds
                    if fold.predictions is not None
                ],
            )

    def save_begun(self, begun: Begun) -> None:
        """Write folds of jobs that are not at their end; the rows of these take their place."""
        rows = [begun_row(key, done) for key in sorted(begun) for done in begun[key]]
        if rows:
            with self._changing() as connection:
                make_begun(connection)
                upsert(connection, self._tables.begun, rows)

    def begun(self, keys: Iterable[str]) -> dict[str, list[DoneFold]]:
        """Return the folds that are done of jobs that were interrupted, by key."""
        import sqlalchemy as sa

        table, found = self._tables.begun, dict[str, list[DoneFold]]()
        with self._reading() as connection:
            if not has_begun(connection):
                return {}
            for each in restricted(sa.select(table), table.c.key, keys):
                for row in connection.execute(each).mappings():
                    found.setdefault(row["key"], []).append(done_fold(row))
        return found

    def save_costs(self, outcomes: Sequence[JobOutcome]) -> None:
        """Replace the costs of jobs, and the machine they were measured on; nothing else."""
        import sqlalchemy as sa

        results, folds = self._tables.results, self._tables.folds
        ordered = sorted(outcomes, key=lambda outcome: outcome.key)
        if not ordered:
            return
        with self._changing() as connection:
            connection.execute(
                results.update()
                .where(results.c.key == sa.bindparam("of"))
                .values(machine=sa.bindparam("measured")),
                [{"of": o.key, "measured": machine_text(o.machine)} for o in ordered],
            )
            connection.execute(
                folds.update()
                .where(folds.c.key == sa.bindparam("of"), folds.c.fold == sa.bindparam("number"))
                .values(costs=sa.bindparam("measured")),
                [
                    {"of": o.key, "number": fold.fold, "measured": json.dumps(dict(fold.costs))}
                    for o in ordered
                    for fold in o.folds
                ],
            )

    def save_final(
        self,
        plan: str,
        dataset: str,
        algorithm: str,
        *,
        scores: Mapping[str, float],
        costs: Mapping[str, float],
        machine: Mapping[str, str],
    ) -> None:
        """Keep the result of an algorithm on the data set aside for the end."""
        row = {
            "plan": plan,
            "dataset": dataset,
            "algorithm": algorithm,
            "scores": json.dumps(dict(scores)),
            "costs": json.dumps(dict(costs)),
            "finished": time.time(),
            "machine": machine_text(machine),
        }
        with self._changing() as connection:
            upsert(connection, self._tables.finals, [row])

    # --- reading -----------------------------------------------------------------------------

    def marks(self, keys: Iterable[str] | None = None) -> dict[str, Mark]:
        """Return how and when each job ended, of those keys or of all there are."""
        import sqlalchemy as sa

        results = self._tables.results
        query = sa.select(results.c.key, results.c.status, results.c.finished, results.c.machine)
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

        jobs, results = self._tables.jobs, self._tables.results
        query = sa.select(
            *(jobs.c[name] for name in ("position", "dataset", "algorithm", "repeat", "key")),
            *(
                results.c[name]
                for name in ("status", "stage", "error", "traceback", "seconds", "machine")
            ),
        ).select_from(jobs.outerjoin(results, jobs.c.key == results.c.key))
        with self._reading() as connection:
            name = self._plan(connection, plan)
            query = query.where(jobs.c.plan == name).order_by(jobs.c.position)
            return self._with_seeds(connection, name, connection.execute(query).mappings())

    def _with_seeds(
        self, connection: sa.Connection, plan: str, rows: Iterable[sa.RowMapping]
    ) -> list[dict[str, Any]]:
        """Say which random state the job of each row has, in the place of its position."""
        import sqlalchemy as sa

        seeds, drawn = self._tables.seeds, dict[int, int]()
        if has_seeds(connection):
            query = sa.select(seeds.c.position, seeds.c.seed).where(seeds.c.plan == plan)
            drawn = {row.position: row.seed for row in connection.execute(query)}
        found = [dict(row) for row in rows]
        return [{**row, "seed": drawn.get(row.pop("position"), 1)} for row in found]

    def folds(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return one row per fold of the jobs of a plan that ended well."""
        import sqlalchemy as sa

        jobs, folds = self._tables.jobs, self._tables.folds
        query = (
            sa.select(
                jobs.c.position,
                jobs.c.dataset,
                jobs.c.algorithm,
                jobs.c.repeat,
                folds.c.fold,
                folds.c.scores,
                folds.c.costs,
            )
            .select_from(jobs.join(folds, jobs.c.key == folds.c.key))
            .order_by(jobs.c.position, folds.c.fold)
        )
        with self._reading() as connection:
            name = self._plan(connection, plan)
            rows = connection.execute(query.where(jobs.c.plan == name)).mappings()
            return [decoded(row) for row in self._with_seeds(connection, name, rows)]

    def scores(self, keys: Iterable[str]) -> dict[str, dict[int, dict[str, float]]]:
        """Return the scores of jobs, by key and fold."""
        import sqlalchemy as sa

        folds = self._tables.folds
        found: dict[str, dict[int, dict[str, float]]] = {}
        query = sa.select(folds.c.key, folds.c.fold, folds.c.scores)
        with self._reading() as connection:
            for each in restricted(query, folds.c.key, keys):
                for key, fold, scores in connection.execute(each):
                    found.setdefault(key, {})[fold] = json.loads(scores)
        return found

    def predictions(self, dataset: str, plan: str | None = None) -> list[dict[str, Any]]:
        """Return one row per job and fold of a data set whose predictions are kept.

        The column ``predictions`` holds a `FoldPredictions`.
        """
        import sqlalchemy as sa

        jobs, kept = self._tables.jobs, self._tables.predictions
        query = (
            sa.select(jobs.c.position, jobs.c.algorithm, jobs.c.repeat, kept.c.fold, kept.c.content)
            .select_from(jobs.join(kept, jobs.c.key == kept.c.key))
            .order_by(jobs.c.position, kept.c.fold)
        )
        with self._reading() as connection:
            name = self._plan(connection, plan)
            rows = connection.execute(query.where(jobs.c.plan == name, jobs.c.dataset == dataset))
            return [
                {**row, "predictions": FoldPredictions.from_bytes(row.pop("content"))}
                for row in self._with_seeds(connection, name, rows.mappings())
            ]

    def finals(self, plan: str | None = None) -> list[dict[str, Any]]:
        """Return the final results of a plan, the newest without one."""
        import sqlalchemy as sa

        finals = self._tables.finals
        with self._reading() as connection:
            rows = connection.execute(
                sa.select(finals)
                .where(finals.c.plan == self._plan(connection, plan))
                .order_by(finals.c.dataset, finals.c.algorithm)
            )
            return [
                {**decoded(dict(row)), "machine": json.loads(row["machine"])}
                for row in rows.mappings()
            ]
