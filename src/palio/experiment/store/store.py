"""What a store holds: plans, how jobs ended, folds, predictions; written, and checked when read."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from palio.errors import UnreadableError
from palio.experiment.outcome import Begun, DoneFold, FoldPredictions, JobOutcome
from palio.experiment.store.database import (
    LOST,
    Database,
    Tables,
    delete,
    insert,
    located,
    lock,
    plain_rows,
    select,
    tables,
    upsert,
    without_collections,
)
from palio.experiment.store.locks import Claims, OneWriter, Running, SeveralWriters, run_at
from palio.experiment.store.rows import (
    CHECKSUM,
    FoldColumns,
    Place,
    Row,
    begun_row,
    checksum,
    columns_of,
    digest_of,
    done_fold,
    fold_columns,
    is_whole,
    machine_row,
    machine_text,
    pack_folds,
    refuse_damaged,
    result_row,
    spoiled,
    unpack_folds,
)
from palio.registry import unknown_name
from palio.words import count, quoted

if TYPE_CHECKING:
    import sqlalchemy as sa

    from palio.experiment.plan import Plan

PLANNED = ("position", "dataset", "algorithm", "repeat", "seed", "key")
_ENDED = ("status", "stage", "error", "traceback", "seconds", "finished", "machine")
_NOT_RUN = (None,) * (len(_ENDED) + 3)  # a row of results

Scores: TypeAlias = dict[str, dict[int, dict[str, float]]]
"""By the key of a job and the number of a fold."""


class Mark(NamedTuple):
    """How and when a job ended, where (JSON), and what it took: it changes when the row does."""

    status: str
    finished: float
    machine: str
    seconds: float = 0.0


class SavedPlan(NamedTuple):
    """What a store says of a plan: of how many jobs it is, and which part of them is here."""

    name: str
    saved: float = 0.0
    content: str = ""
    whole: str = ""
    total: int = 0
    part: str = ""


@dataclass(frozen=True)
class JobColumns:
    """The jobs of a plan that a store has, in order, and how each ended; ``None`` if it has not."""

    plan: SavedPlan
    dataset: Sequence[str]
    algorithm: Sequence[str]
    repeat: Sequence[int]
    seed: Sequence[int]
    key: Sequence[str]
    status: Sequence[str | None]
    stage: Sequence[str | None]
    error: Sequence[str | None]
    traceback: Sequence[str | None]
    seconds: Sequence[float | None]
    finished: Sequence[float | None]
    machine: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.key)

    def rows(self) -> Iterator[Row]:
        """Give each job by itself."""
        names = (*PLANNED[1:], *_ENDED)
        for values in zip(*(getattr(self, name) for name in names), strict=True):
            yield dict(zip(names, values, strict=True))

    def joined(self, other: JobColumns) -> JobColumns:
        """Return these jobs and those of another part of the plan."""
        columns = [name for name in vars(self) if name != "plan"]
        both = {name: [*getattr(self, name), *getattr(other, name)] for name in columns}
        return JobColumns(self.plan._replace(part=""), **both)

    def place(self, job: int, fold: int | None = None) -> Place:
        """Say which job is at a place."""
        return Place(self.dataset[job], self.algorithm[job], self.repeat[job], fold)


@dataclass(frozen=True)
class Checked:
    """That all rows of a store are as they were written."""

    rows: int


class Store(Database):
    """Results of jobs by content key, and the plans that asked for them.

    SQLite in one file by default, PostgreSQL by URL, with the same code. One process writes at a
    time to a SQLite store, and others may read meanwhile; to a PostgreSQL store several may write.
    What is damaged is an error that names the rows.
    """

    _claims: Claims | None = None

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
                {"key": outcome.key, "fold": fold.fold, "content": fold.predictions.to_bytes()}
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
            bad = [key[:12] for key in sorted(damaged)]
            refuse_damaged(self.shown, bad, len(measured), what="job")
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

    # --- plans and texts ---------------------------------------------------------------------

    def plans(self) -> list[str]:
        """Return the names of the plans, the newest first."""
        with self.reading() as connection:
            return [plan.name for plan in plans_in(connection)]

    def plan_name(self, name: str | None = None) -> str:
        """Check the name of a plan; without one, return the newest's, or none."""
        with self.reading() as connection:
            return _plan(connection, name).name

    def recall(self, name: str) -> str | None:
        """Return a text that was kept, if it was."""
        meta = tables().meta
        with self.reading() as connection:
            rows = [row for row in select(connection, _columns(meta)) if row.name == name]
        bad = [repr(name) for row in rows if not is_good(meta, row)]
        refuse_damaged(self.shown, bad, 1, what="text")
        return str(rows[0].value) if rows else None

    def recall_object(self, name: str) -> dict[str, Any]:
        """Return what was kept as JSON; nothing if it was not."""
        found: dict[str, Any] = json.loads(self.recall(name) or "{}")
        return found

    # --- jobs --------------------------------------------------------------------------------

    def marks(self, keys: Collection[str] | None = None) -> dict[str, Mark]:
        """Return how and when each job ended, of those keys or of all there are."""
        results = tables().results
        columns = [results.c[name] for name in ("key", *Mark._fields)]
        with self.reading() as connection:
            machines = _machines(connection)
            return {
                key: Mark(status, finished, machines.get(machine, "{}"), seconds)
                for key, status, finished, machine, seconds in select(connection, columns, keys)
            }

    def statuses(self, keys: Collection[str] | None = None) -> dict[str, str]:
        """Return how each finished job ended, by key."""
        return {key: mark.status for key, mark in self.marks(keys).items()}

    def predicted(self, keys: Collection[str] | None = None) -> set[str]:
        """Return the keys of jobs whose predictions are kept."""
        with self.reading() as connection:
            return {key for (key,) in select(connection, [tables().predictions.c.key], keys)}

    def job_columns(self, plan: str | None = None) -> JobColumns:
        """Return the jobs of a plan, the newest without one, as columns."""
        with self.reading() as connection, without_collections():
            return self._jobs(connection, plan)[0]

    def jobs(self, plan: str | None = None) -> list[Row]:
        """Return the jobs of a plan, the newest without one, each with how it ended, if it has."""
        return list(self.job_columns(plan).rows())

    def _jobs(
        self, connection: sa.Connection, plan: str | None, *, folds: bool = False
    ) -> tuple[JobColumns, list[bytes]]:
        """Return the jobs of a plan, and the blocks of their folds if they are asked for."""
        found = _plan(connection, plan)
        planned = self._planned(connection, found)
        keys = [row[-1] for row in planned]
        results, machines = tables().results, _machines(connection)
        columns = [*_columns(results), *([results.c.folds] if folds else [])]
        ended = {row[0]: row for row in plain_rows(connection, columns, keys)}
        n = len(_ENDED)
        not_run = _NOT_RUN[: len(columns)]
        of_jobs = [ended.get(key, not_run) for key in keys]
        by_column = [*zip(*of_jobs, strict=True)] or [()] * (n + 1)
        where = [*map(machines.get, by_column[n])]
        bad = set(spoiled(results, (row for row in of_jobs if row is not not_run)))
        bad |= {
            key for key, found in zip(by_column[0], where, strict=True) if key and found is None
        }
        asked = [*zip(*planned, strict=True)] or [()] * len(PLANNED)
        columns_of_jobs: list[Any] = [*asked[1:], *by_column[1:n], where]
        jobs = JobColumns(found, *columns_of_jobs)
        damaged = [jobs.place(i) for i, key in enumerate(keys) if key in bad] if bad else []
        refuse_damaged(self.shown, damaged, len(keys), what="job")
        return jobs, [row[n + 2] or b"" for row in of_jobs] if folds else []

    def _planned(self, connection: sa.Connection, plan: SavedPlan) -> list[tuple[Any, ...]]:
        """Return the jobs of a plan; refuse a plan whose jobs are not as they were written."""
        rows = read_planned(connection, plan.name)
        if plan.name and digest_of(rows) != plan.content:
            jobs = tables().jobs
            of_plan = [row for row in select(connection, _columns(jobs)) if row.plan == plan.name]
            bad = [_place(row) for row in of_plan if not is_good(jobs, row)]
            refuse_damaged(self.shown, bad, len(of_plan), what="job")
            refuse_damaged(self.shown, [repr(plan.name)], 1, what="plan")
        return rows

    # --- folds, predictions and final results ------------------------------------------------

    def fold_columns(self, plan: str | None = None) -> tuple[JobColumns, FoldColumns]:
        """Return the jobs of a plan, and the folds of those that ended well, as columns."""
        with self.reading() as connection, without_collections():
            jobs, blocks = self._jobs(connection, plan, folds=True)
        damaged = [
            jobs.place(i)
            for i, (key, status) in enumerate(zip(jobs.key, jobs.status, strict=True))
            if status == "ok" and not is_whole(key, blocks[i])
        ]
        refuse_damaged(self.shown, damaged, len(jobs), what="job")
        return jobs, fold_columns(blocks)

    def predictions(self, dataset: str, plan: str | None = None) -> list[Row]:
        """Return one row per job and fold of a data set whose predictions are kept.

        The column ``predictions`` holds a `FoldPredictions`.
        """
        kept = tables().predictions
        with self.reading() as connection:
            found = _plan(connection, plan)
            jobs = [
                dict(zip(PLANNED, row, strict=True))
                for row in self._planned(connection, found)
                if row[1] == dataset
            ]
            rows: dict[str, list[Any]] = {}
            for row in select(connection, _columns(kept), {job["key"] for job in jobs}):
                rows.setdefault(row.key, []).append(row)
        said = [(job, row) for job in jobs for row in sorted(rows.get(job["key"], ()))]
        bad = [
            Place(job["dataset"], job["algorithm"], job["repeat"], row.fold)
            for job, row in said
            if not is_good(kept, row)
        ]
        refuse_damaged(self.shown, bad, len(said), what="fold")
        return [
            {
                **{name: job[name] for name in PLANNED[1:-1]},
                "fold": row.fold,
                "predictions": FoldPredictions.from_bytes(row.content),
            }
            for job, row in said
        ]

    def scores(self, keys: Iterable[str]) -> Scores:
        """Return the scores of jobs, by key and fold."""
        with self.reading() as connection:
            return scores_in(connection, set(keys), self.shown)

    def begun(self, keys: Iterable[str]) -> dict[str, list[DoneFold]]:
        """Return the folds that are done of jobs that were interrupted, by key.

        A damaged one is left out, and so done again.
        """
        table, found = tables().begun, dict[str, list[DoneFold]]()
        with self.reading() as connection:
            for row in select(connection, _columns(table), set(keys)):
                if is_good(table, row):
                    found.setdefault(row.key, []).append(done_fold(row._mapping))
        return found

    def finals(self, plan: str | None = None) -> list[Row]:
        """Return the final results of a plan, the newest without one."""
        table = tables().finals
        with self.reading() as connection:
            name = _plan(connection, plan).name
            rows = [row for row in select(connection, _columns(table)) if row.plan == name]
        bad = [f"{row.dataset}, {row.algorithm}" for row in rows if not is_good(table, row)]
        again = "look again: palio final"
        refuse_damaged(self.shown, bad, len(rows), what="final result", remedy=again)
        of_json = ("scores", "costs", "machine")
        return [
            {name: json.loads(row._mapping[name]) if name in of_json else row._mapping[name]
             for name in columns_of(table)}
            for row in sorted(rows, key=lambda row: (row.dataset, row.algorithm))
        ]  # fmt: skip

    # --- is all as it was written? -----------------------------------------------------------

    def damaged(self, keys: Collection[str]) -> set[str]:
        """Return the keys of jobs whose rows, folds or predictions are not as they were written."""
        with self.reading() as connection:
            return {key for key, _, good in _of_jobs(connection, keys) if not good}

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
        with self.reading() as connection:
            for name, good in _every_row(connection):
                rows += 1
                if not good:
                    damaged[name] = None
        refuse_damaged(self.shown, damaged, rows)
        return Checked(rows)

    def _broken_page(self) -> str:
        """Return what SQLite finds wrong with its own file, in its words."""
        if self.shared:
            return ""
        with self.reading() as connection:
            found = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
        return "" if found == "ok" else found.splitlines()[-1].rstrip(".")

    def _broken(self, fault: str) -> UnreadableError:
        """Say which jobs can be read in a file that is broken, by asking for them one by one."""
        try:
            with self.reading() as connection:
                planned = select(connection, _columns(tables().jobs))
                places = {row.key: _place(row) for row in planned}
        except UnreadableError:
            places = {}
        lost = [place for key, place in places.items() if not self._can_be_read(key)]
        good = len(places) - len(lost)
        said = f"{good} of {count(len(places), 'job')} can be read" if places else "no plan is left"
        but = f", not those of {quoted(lost)}" if lost and good else ""
        rule = f"'{self.shown}' is damaged: {fault}; {said}{but}"
        return UnreadableError("store", rule, remedy=LOST)

    def _can_be_read(self, key: str) -> bool:
        try:
            return not self.damaged([key])
        except UnreadableError:
            return False


# --- rows and their checksums --------------------------------------------------------------------


def _columns(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """Return the columns of a table that have a checksum, and the checksum at the end."""
    return [table.c[name] for name in (*columns_of(table), CHECKSUM)]


def is_good(table: sa.Table, row: Sequence[Any]) -> bool:
    """Whether a row, the columns of `_columns` first, fits its checksum."""
    n = len(columns_of(table))
    found: bool = checksum(row[:n]) == row[n]
    return found


def read_planned(connection: sa.Connection, plan: str) -> list[tuple[Any, ...]]:
    """Return the jobs of a plan that are here, unchecked."""
    import sqlalchemy as sa

    jobs = tables().jobs
    query = sa.select(*(jobs.c[name] for name in PLANNED)).where(jobs.c.plan == plan)
    cursor: Any = connection.execute(query.order_by(jobs.c.position)).cursor
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def plans_in(connection: sa.Connection) -> list[SavedPlan]:
    """Return the plans, the newest first."""
    plans = tables().plans
    rows = [SavedPlan(*row[:-1]) for row in select(connection, _columns(plans))]
    return sorted(rows, key=lambda plan: (-plan.saved, plan.name))


def scores_in(connection: sa.Connection, keys: Collection[str], shown: str = "") -> Scores:
    """Return the scores of jobs, by key and fold; refuse what is damaged in a store."""
    results = tables().results
    columns = [results.c.key, results.c.folds]
    blocks = {key: block for key, block in select(connection, columns, keys) if block}
    bad = [key[:8] for key, block in blocks.items() if not is_whole(key, block)]
    refuse_damaged(shown, bad, len(blocks), what="job")
    return {
        key: {fold.fold: dict(fold.scores) for fold in unpack_folds(block)}
        for key, block in blocks.items()
    }


def _plan(connection: sa.Connection, name: str | None) -> SavedPlan:
    plans = plans_in(connection)
    if name is None:
        return plans[0] if plans else SavedPlan("")
    found = next((plan for plan in plans if plan.name == name), None)
    if found is None:
        raise unknown_name("plan", name, [plan.name for plan in plans])
    return found


def _machines(connection: sa.Connection) -> dict[str, str]:
    """Return the machines by their digests, but for those that are not as they were written."""
    machines = tables().machines
    rows = select(connection, _columns(machines))
    return {row.digest: row.content for row in rows if is_good(machines, row)}


def _every_row(connection: sa.Connection) -> Iterator[tuple[str, bool]]:
    """Yield what each row is, and whether it is good."""
    all_: Tables = tables()
    names: dict[str, Place] = {}
    for row in select(connection, _columns(all_.jobs)):
        names.setdefault(row.key, _place(row))
        yield f"plan of {_place(row)}", is_good(all_.jobs, row)
    for row in select(connection, _columns(all_.plans)):
        whole = digest_of(read_planned(connection, row.name)) == row.content
        yield f"plan {row.name!r}", whole and is_good(all_.plans, row)
    for key, fold, good in _of_jobs(connection):
        yield _named(key, fold, names), good
    for row in select(connection, _columns(all_.machines)):
        yield f"machine {row.digest}", is_good(all_.machines, row)
    for row in select(connection, _columns(all_.finals)):
        what = f"final result of {row.dataset}, {row.algorithm}"
        yield what, is_good(all_.finals, row)
    for row in select(connection, _columns(all_.meta)):
        yield f"text {row.name!r}", is_good(all_.meta, row)


def _of_jobs(
    connection: sa.Connection, keys: Collection[str] | None = None
) -> Iterator[tuple[str, int | None, bool]]:
    """Yield the key of each row of a job or its predictions, the fold, and whether it is good."""
    results, predictions, machines = tables().results, tables().predictions, _machines(connection)
    for row in select(connection, [*_columns(results), results.c.folds], keys):
        whole = is_whole(row.key, row.folds) if row.folds else row.status != "ok"
        yield row.key, None, whole and row.machine in machines and is_good(results, row)
    for row in select(connection, _columns(predictions), keys):
        yield row.key, row.fold, is_good(predictions, row)


def _place(row: Any) -> Place:
    return Place(row.dataset, row.algorithm, row.repeat)


def _named(key: str, fold: int | None, names: Mapping[str, Place]) -> str:
    """Name the job of a row, and its fold; one that no plan has any more, by its key."""
    place = names.get(key)
    if place is None:
        return f"job {str(key)[:12]} of no plan"
    return str(place if fold is None else place._replace(fold=fold))


# --- plans ---------------------------------------------------------------------------------------


def write_plan(connection: sa.Connection, plan: SavedPlan, jobs: Sequence[tuple[Any, ...]]) -> None:
    """Write jobs of a plan beside those of the same plan that are here; another one is replaced."""
    lock(connection)  # two that save a plan of this name wait for each other
    all_ = tables()
    here = next((each for each in plans_in(connection) if each.name == plan.name), SavedPlan(""))
    known = read_planned(connection, plan.name)
    is_intact = digest_of(known) == here.content
    if here.whole != plan.whole:
        here, known = SavedPlan(plan.name), []
    elif not is_intact:
        known = _good_planned(connection, plan.name)
    united = sorted({job[0]: job for job in [*known, *jobs]}.values())
    parts = dict.fromkeys(part for each in (here, plan) for part in each.part.split(", ") if part)
    part = "" if len(united) >= plan.total else ", ".join(parts)
    saved = plan._replace(content=digest_of(united), part=part)
    upsert(connection, all_.plans, [saved._asdict()])
    if is_intact and saved.content == here.content:
        return
    connection.execute(all_.jobs.delete().where(all_.jobs.c.plan == plan.name))
    rows = ({"plan": plan.name, **dict(zip(PLANNED, job, strict=True))} for job in united)
    insert(connection, all_.jobs, rows)


def _good_planned(connection: sa.Connection, plan: str) -> list[tuple[Any, ...]]:
    jobs = tables().jobs
    rows = (row for row in select(connection, _columns(jobs)) if row.plan == plan)
    return [tuple(row)[1:-1] for row in rows if is_good(jobs, row)]
