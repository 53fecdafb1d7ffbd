"""Finished jobs, one row each, whatever their end."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from palio.errors import InputError, MissingExtraError, UnreadableError
from palio.experiment.outcome import FoldOutcome, JobOutcome

if TYPE_CHECKING:
    import sqlalchemy as sa

    from palio.experiment.plan import Plan

__all__ = ["SCHEMA_VERSION", "Store", "is_store"]

SCHEMA_VERSION = 1
_SQLITE = (".db", ".sqlite", ".sqlite3")


def is_store(place: str | os.PathLike[str]) -> bool:
    """Say whether a path or URL names a store.

    >>> is_store("experiment.db"), is_store("postgresql://host/db"), is_store("results.csv")
    (True, True, False)
    """
    text = str(place)
    return text.startswith("postgresql") or Path(text).suffix.lower() in _SQLITE


class Store:
    """Results of jobs by content key, and the plans that asked for them.

    SQLite in one file by default, PostgreSQL by URL, with the same code. One process writes at a
    time to a SQLite store; others may read meanwhile.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        self.place = str(place)
        self._tables = _tables()
        self._engine = self._connected(create)
        self._lock: int | None = None

    # --- opening and closing -----------------------------------------------------------------

    def _connected(self, create: bool) -> sa.Engine:
        try:
            import sqlalchemy as sa
        except ImportError as error:
            raise MissingExtraError(
                "store: experiments need SQLAlchemy; install it with: pip install 'palio[run]'"
            ) from error
        if self.place.startswith("postgresql"):
            engine = sa.create_engine(self.place)
        else:
            self._check_path(create)
            engine = sa.create_engine(f"sqlite:///{Path(self.place).absolute()}")
            sa.event.listen(engine, "connect", _set_up_sqlite)
        with _clear_errors(self.place):
            self._migrate(engine)
        return engine

    def _check_path(self, create: bool) -> None:
        path = Path(self.place)
        if not create and not path.exists():
            raise UnreadableError(f"store: there is no file '{path}'; run an experiment first.")
        if not path.absolute().parent.is_dir():
            raise UnreadableError(f"store: there is no folder '{path.parent}'; make it first.")

    def _migrate(self, engine: sa.Engine) -> None:
        """Create what is not there; refuse what a later version wrote."""
        import sqlalchemy as sa

        meta = self._tables["meta"]
        self._tables["results"].metadata.create_all(engine, checkfirst=True)
        with engine.begin() as connection:
            found = connection.execute(sa.select(meta.c.value).where(meta.c.name == "schema"))
            version = found.scalar()
            if version is None:
                connection.execute(meta.insert().values(name="schema", value=str(SCHEMA_VERSION)))
            elif int(version) > SCHEMA_VERSION:
                raise InputError(
                    f"store: '{self.place}' was written by a later version of Palio (schema "
                    f"{version}, this one knows {SCHEMA_VERSION}); update Palio."
                )

    def close(self) -> None:
        """Let go of the file or the connection."""
        self._unlock()
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

    # --- one writer --------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one that runs; a second run on the same SQLite store is told so at once."""
        if not self.place.startswith("postgresql"):
            self._take_lock()
        try:
            yield
        finally:
            self._unlock()

    def _take_lock(self) -> None:
        import fcntl

        path = Path(f"{self.place}.lock")
        with _clear_errors(self.place):
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise InputError(
                f"store: another run is writing to '{self.place}'; wait for it, or give this one "
                "a store of its own."
            ) from None

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)  # closing lets go of the lock; so does dying
            self._lock = None

    # --- writing -----------------------------------------------------------------------------

    def save_plan(self, plan: Plan) -> None:
        """Remember what was asked for: names and their keys; the last plan is the experiment."""
        table = self._tables["plan"]
        rows = [
            {
                "position": i,
                "dataset": job.dataset.name,
                "algorithm": job.algorithm,
                "repeat": job.repeat,
                "key": job.key,
                "scoring": json.dumps(list(job.scoring)),
            }
            for i, job in enumerate(plan.jobs)
        ]
        with _clear_errors(self.place), self._engine.begin() as connection:
            connection.execute(table.delete())
            if rows:
                connection.execute(table.insert(), rows)

    def remember(self, name: str, value: str) -> None:
        """Keep a text beside the results, such as the experiment file they came from."""
        meta = self._tables["meta"]
        with _clear_errors(self.place), self._engine.begin() as connection:
            connection.execute(meta.delete().where(meta.c.name == name))
            connection.execute(meta.insert().values(name=name, value=value))

    def recall(self, name: str) -> str | None:
        """Return a text that was kept, if it was."""
        import sqlalchemy as sa

        meta = self._tables["meta"]
        with _clear_errors(self.place), self._engine.connect() as connection:
            found: str | None = connection.execute(
                sa.select(meta.c.value).where(meta.c.name == name)
            ).scalar()
        return found

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write finished jobs, each whole or not at all; a job done anew replaces its row."""
        results, folds = self._tables["results"], self._tables["folds"]
        keys = [outcome.key for outcome in outcomes]
        if not keys:
            return
        with _clear_errors(self.place), self._engine.begin() as connection:
            connection.execute(folds.delete().where(folds.c.key.in_(keys)))
            connection.execute(results.delete().where(results.c.key.in_(keys)))
            connection.execute(results.insert(), [_result_row(outcome) for outcome in outcomes])
            rows = [_fold_row(o.key, fold) for o in outcomes for fold in o.folds]
            if rows:
                connection.execute(folds.insert(), rows)

    # --- reading -----------------------------------------------------------------------------

    def statuses(self) -> dict[str, str]:
        """Return how each finished job ended, by key."""
        import sqlalchemy as sa

        results = self._tables["results"]
        with _clear_errors(self.place), self._engine.connect() as connection:
            rows = connection.execute(sa.select(results.c.key, results.c.status))
            return {row.key: row.status for row in rows}

    def jobs(self) -> list[dict[str, Any]]:
        """Return the planned jobs, each with how it ended, if it has."""
        import sqlalchemy as sa

        plan, results = self._tables["plan"], self._tables["results"]
        query = (
            sa.select(
                plan.c.dataset,
                plan.c.algorithm,
                plan.c.repeat,
                plan.c.key,
                results.c.status,
                results.c.stage,
                results.c.error,
                results.c.traceback,
                results.c.seconds,
                results.c.machine,
            )
            .select_from(plan.outerjoin(results, plan.c.key == results.c.key))
            .order_by(plan.c.position)
        )
        with _clear_errors(self.place), self._engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def folds(self) -> list[dict[str, Any]]:
        """Return one row per fold of the planned jobs that ended well."""
        import sqlalchemy as sa

        plan, folds = self._tables["plan"], self._tables["folds"]
        query = (
            sa.select(
                plan.c.dataset,
                plan.c.algorithm,
                plan.c.repeat,
                folds.c.fold,
                folds.c.scores,
                folds.c.costs,
            )
            .select_from(plan.join(folds, plan.c.key == folds.c.key))
            .order_by(plan.c.position, folds.c.fold)
        )
        with _clear_errors(self.place), self._engine.connect() as connection:
            return [
                {**row._mapping, "scores": json.loads(row.scores), "costs": json.loads(row.costs)}
                for row in connection.execute(query)
            ]


def _tables() -> Mapping[str, sa.Table]:
    try:
        import sqlalchemy as sa
    except ImportError:
        return {}
    metadata = sa.MetaData()
    return {
        "meta": sa.Table(
            "palio_meta",
            metadata,
            sa.Column("name", sa.String, primary_key=True),
            sa.Column("value", sa.String, nullable=False),
        ),
        "plan": sa.Table(
            "palio_plan",
            metadata,
            sa.Column("position", sa.Integer, primary_key=True),
            sa.Column("dataset", sa.String, nullable=False),
            sa.Column("algorithm", sa.String, nullable=False),
            sa.Column("repeat", sa.Integer, nullable=False),
            sa.Column("key", sa.String(64), nullable=False, index=True),
            sa.Column("scoring", sa.String, nullable=False),
        ),
        "results": sa.Table(
            "palio_results",
            metadata,
            sa.Column("key", sa.String(64), primary_key=True),
            sa.Column("status", sa.String(16), nullable=False),
            sa.Column("stage", sa.String, nullable=False),
            sa.Column("error", sa.String, nullable=False),
            sa.Column("traceback", sa.Text, nullable=False),
            sa.Column("seconds", sa.Float, nullable=False),
            sa.Column("finished", sa.Float, nullable=False),
            sa.Column("machine", sa.Text, nullable=False),
        ),
        "folds": sa.Table(
            "palio_folds",
            metadata,
            sa.Column("key", sa.String(64), primary_key=True),
            sa.Column("fold", sa.Integer, primary_key=True),
            sa.Column("scores", sa.Text, nullable=False),
            sa.Column("costs", sa.Text, nullable=False),
        ),
    }


def _result_row(outcome: JobOutcome) -> dict[str, Any]:
    return {
        "key": outcome.key,
        "status": outcome.status,
        "stage": outcome.stage,
        "error": outcome.error,
        "traceback": outcome.traceback,
        "seconds": outcome.seconds,
        "finished": time.time(),
        "machine": json.dumps(dict(outcome.machine), sort_keys=True),
    }


def _fold_row(key: str, fold: FoldOutcome) -> dict[str, Any]:
    return {
        "key": key,
        "fold": fold.fold,
        "scores": json.dumps(dict(fold.scores)),
        "costs": json.dumps(dict(fold.costs)),
    }


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    """Let others read while one writes, and lose nothing that was committed."""
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
        with contextlib.suppress(Exception):  # a read-only file stays as it is
            cursor.execute(f"PRAGMA {line}")
    cursor.close()


@contextlib.contextmanager
def _clear_errors(place: str) -> Iterator[None]:
    """Say in one line what the database says in ten."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise UnreadableError(
            f"store: '{place}' cannot be used: {reason}; what was stored before is intact."
        ) from error
    except OSError as error:
        raise UnreadableError(f"store: '{place}' cannot be used: {error.strerror}.") from error
