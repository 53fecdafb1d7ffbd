"""Finished jobs, one row each, whatever their end."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from palio.experiment.outcome import Begun, JobOutcome
from palio.experiment.store.database import delete, insert, located, select, upsert
from palio.experiment.store.locks import Claims, OneWriter, Running, SeveralWriters, run_at
from palio.experiment.store.queries import Mark, Queries, SavedPlan, write_plan
from palio.experiment.store.rows import (
    begun_row,
    digest_of,
    machine_row,
    machine_text,
    pack_folds,
    predictions_row,
    refuse_damaged,
    result_row,
    unpack_folds,
)
from palio.experiment.store.schema import SCHEMA_VERSION, tables

if TYPE_CHECKING:
    from palio.experiment.plan import Plan

__all__ = ["SCHEMA_VERSION", "Mark", "Store"]


class Store(Queries):
    """Results of jobs by content key, and the plans that asked for them.

    SQLite in one file by default, PostgreSQL by URL, with the same code. One process writes at a
    time to a SQLite store, and others may read meanwhile; to a PostgreSQL store several may write.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        self._claims: Claims | None = None
        super().__init__(place, create=create)

    def close(self) -> None:
        """Let go of the file or the connections, and of what was claimed."""
        self._let_go()
        super().close()

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

    def tell_under_way(self, keys: Iterable[str]) -> None:
        """Let those who look at the store know which jobs are under way."""
        self._claiming().tell(keys)

    def running(self) -> Running:
        """Say whether a run writes to the store, and which jobs it has under way."""
        return Running(None) if self.shared else run_at(str(located(self.place)))

    def _claiming(self) -> Claims:
        if self._claims is None:
            self._claims = (
                SeveralWriters(self._engine, self.place)
                if self.shared
                else OneWriter(str(located(self.place)))
            )
        return self._claims

    def _let_go(self) -> None:
        if self._claims is not None:
            self._claims.close()
            self._claims = None

    # --- writing -----------------------------------------------------------------------------

    def save_plan(
        self,
        plan: Plan,
        *,
        name: str = "experiment",
        only: Collection[str] | None = None,
        part: str = "",
    ) -> None:
        """Remember what was asked for, names and their keys, in the place of the plan so named.

        Of a part only the jobs with these keys, beside those of other parts that are here already.
        """
        jobs = [
            (place, job.dataset.name, job.algorithm, job.repeat, job.draw, job.key)
            for place, job in enumerate(plan.jobs)
        ]
        saved = SavedPlan(name, time.time(), "", digest_of(jobs), len(jobs), part)
        ours = jobs if only is None or not part else [job for job in jobs if job[-1] in only]
        with self.changing() as connection:
            write_plan(connection, saved, ours)

    def remember(self, name: str, value: str) -> None:
        """Keep a text beside the results, such as the experiment file they came from."""
        with self.changing() as connection:
            upsert(connection, tables().meta, [{"name": name, "value": value}])

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write finished jobs, each whole or not at all; a job done anew replaces its row.

        Also when two do so at once: the last one's row stays, with its predictions.
        """
        latest = {outcome.key: outcome for outcome in outcomes}
        if not latest:
            return
        all_ = tables()
        # Everyone in the same order, so that no two wait for each other.
        ordered = [latest[key] for key in sorted(latest)]
        machines = {row["digest"]: row for row in (machine_row(o.machine) for o in ordered)}
        with self.changing() as connection:
            upsert(connection, all_.machines, [machines[digest] for digest in sorted(machines)])
            # From here on the rows are ours until the end of the transaction.
            upsert(connection, all_.results, list(map(result_row, ordered)))
            for table in (all_.predictions, all_.begun):
                delete(connection, table, latest)
            said = (
                predictions_row(outcome.key, fold.fold, fold.predictions)
                for outcome in ordered
                for fold in outcome.folds
                if fold.predictions is not None
            )
            insert(connection, all_.predictions, said)

    def save_begun(self, begun: Begun) -> None:
        """Write folds of jobs that are not at their end; the rows of these take their place."""
        rows = [begun_row(key, done) for key in sorted(begun) for done in begun[key]]
        if rows:
            with self.changing() as connection:
                upsert(connection, tables().begun, rows)

    def save_costs(self, outcomes: Sequence[JobOutcome]) -> None:
        """Replace the costs of jobs, and the machine they were measured on; nothing else."""
        measured = {outcome.key: outcome for outcome in outcomes}
        if not measured:
            return
        all_ = tables()
        if damaged := self.damaged(measured):  # new checksums would vouch for it
            refuse_damaged(
                self.shown, [key[:12] for key in sorted(damaged)], len(measured), what="job"
            )
        with self.changing() as connection:
            rows = []
            for found in select(connection, list(all_.results.c), measured):
                row, outcome = found._asdict(), measured[found.key]
                costs = {fold.fold: fold.costs for fold in outcome.folds}
                folds = [
                    replace(fold, costs=costs.get(fold.fold, fold.costs))
                    for fold in unpack_folds(row["folds"])
                ]
                row["folds"] = pack_folds(found.key, folds)
                row["machine"] = machine_row(outcome.machine)["digest"]
                rows.append(row)
            upsert(connection, all_.machines, [machine_row(o.machine) for o in outcomes])
            upsert(connection, all_.results, rows)

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
        with self.changing() as connection:
            upsert(connection, tables().finals, [row])
