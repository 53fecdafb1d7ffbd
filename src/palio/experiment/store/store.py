"""Finished jobs, one row each, whatever their end."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palio.experiment.outcome import Begun, JobOutcome
from palio.experiment.store.checksums import refuse_damaged, signed
from palio.experiment.store.database import located, upsert
from palio.experiment.store.locks import Claims, OneWriter, Running, SeveralWriters, run_at
from palio.experiment.store.merging import Merging
from palio.experiment.store.planned import write_plan
from palio.experiment.store.queries import Mark
from palio.experiment.store.rows import (
    begun_row,
    chunks,
    fold_row,
    insert,
    machine_text,
    predictions_row,
    result_row,
)
from palio.experiment.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from palio.experiment.plan import Plan

__all__ = ["SCHEMA_VERSION", "Mark", "Store"]


class Store(Merging):
    """Results of jobs by content key, and the plans that asked for them.

    SQLite in one file by default, PostgreSQL by URL, with the same code. One process writes at a
    time to a SQLite store, and others may read meanwhile; to a PostgreSQL store several may write.
    What is asked of it stands in the classes below: `Queries`, `Checking` for its soundness, and
    `Merging` for what it takes over from others.
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

    def save_plan(self, plan: Plan, *, name: str = "experiment") -> None:
        """Remember what was asked for, names and their keys, in the place of the plan so named.

        The same plan again is only noted to be the newest: resuming a large one should be quick.
        """
        rows: list[dict[str, Any]] = [
            {
                "dataset": job.dataset.name,
                "algorithm": job.algorithm,
                "repeat": job.repeat,
                "key": job.key,
                "scoring": json.dumps(list(job.scoring)),
                "seed": job.draw,
            }
            for job in plan.jobs
        ]
        with self._changing() as connection:
            write_plan(connection, name, rows, saved=time.time())

    def remember(self, name: str, value: str) -> None:
        """Keep a text beside the results, such as the experiment file they came from."""
        meta = self._tables.meta
        with self._changing() as connection:
            upsert(connection, meta, [signed(meta, {"name": name, "value": value})])

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write finished jobs, each whole or not at all; a job done anew replaces its row.

        Also when two do so at once: the last one's row stays, with its folds.
        """
        latest = {outcome.key: outcome for outcome in outcomes}
        if not latest:
            return
        results, folds, predictions = (
            self._tables.results,
            self._tables.folds,
            self._tables.predictions,
        )
        # Everyone in the same order, so that no two wait for each other.
        ordered = [latest[key] for key in sorted(latest)]
        done = [(o.key, fold) for o in ordered for fold in o.folds]
        with self._changing() as connection:
            # From here on the rows are ours until the end of the transaction, and so their folds.
            upsert(
                connection, results, [signed(results, result_row(o), len(o.folds)) for o in ordered]
            )
            for table in (folds, predictions, self._tables.begun):
                for keys in chunks(list(latest)):
                    connection.execute(table.delete().where(table.c.key.in_(keys)))
            insert(connection, folds, [signed(folds, fold_row(*each)) for each in done])
            insert(
                connection,
                predictions,
                [
                    signed(predictions, predictions_row(key, fold.fold, fold.predictions))
                    for key, fold in done
                    if fold.predictions is not None
                ],
            )

    def save_begun(self, begun: Begun) -> None:
        """Write folds of jobs that are not at their end; the rows of these take their place."""
        table = self._tables.begun
        rows = [signed(table, begun_row(key, done)) for key in sorted(begun) for done in begun[key]]
        if rows:
            with self._changing() as connection:
                upsert(connection, table, rows)

    def save_costs(self, outcomes: Sequence[JobOutcome]) -> None:
        """Replace the costs of jobs, and the machine they were measured on; nothing else."""
        measured = {outcome.key: outcome for outcome in outcomes}
        if not measured:
            return
        results, folds = self._tables.results, self._tables.folds
        costs = {(o.key, fold.fold): fold.costs for o in outcomes for fold in o.folds}
        if damaged := self.damaged(measured):  # new checksums would vouch for it
            refuse_damaged(
                self.shown, [key[:12] for key in sorted(damaged)], len(measured), what="job"
            )
        with self._changing() as connection:
            n_folds, new = Counter[str](), []
            for row in self._some(connection, folds, measured):
                n_folds[row["key"]] += 1
                if (known := costs.get((row["key"], row["fold"]))) is not None:
                    new.append(signed(folds, {**row, "costs": json.dumps(dict(known))}))
            rows = [
                signed(
                    results,
                    {**row, "machine": machine_text(measured[row["key"]].machine)},
                    n_folds[row["key"]],
                )
                for row in self._some(connection, results, measured)
            ]
            upsert(connection, results, rows)
            upsert(connection, folds, new)

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
        finals = self._tables.finals
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
            upsert(connection, finals, [signed(finals, row)])
