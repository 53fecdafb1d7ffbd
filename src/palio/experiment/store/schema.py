"""The tables of a store, and how those of an earlier version become these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from palio.errors import InputError, UnreadableError
from palio.experiment.store.checksums import CHECKSUM, is_readable, signed
from palio.experiment.store.rows import as_dicts
from palio.words import one_line

if TYPE_CHECKING:
    import sqlalchemy as sa

SCHEMA_VERSION = 4

# From here on a store is read as it is, so that it need not be writable; the first that writes to
# it brings it up to date.
_READABLE = 2

# Whoever creates or changes the tables of a PostgreSQL store holds this lock meanwhile.
_SCHEMA_LOCK = 0x70616C696F  # "palio"


class Tables(NamedTuple):
    """What there is in a store."""

    meta: sa.Table
    plans: sa.Table
    jobs: sa.Table
    results: sa.Table
    folds: sa.Table
    predictions: sa.Table
    finals: sa.Table
    begun: sa.Table
    seeds: sa.Table


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Describe the tables of the present version."""
    import sqlalchemy as sa

    metadata = sa.MetaData()

    def table(name: str, *columns: sa.Column[object]) -> sa.Table:
        return sa.Table(f"palio_{name}", metadata, *columns)

    def key(*, primary: bool = True) -> sa.Column[object]:
        return sa.Column(
            "key", sa.String(64), primary_key=primary, nullable=False, index=not primary
        )

    def text(name: str, *, primary: bool = False) -> sa.Column[object]:
        return sa.Column(name, sa.Text, primary_key=primary, nullable=False)

    def number(name: str, *, primary: bool = False) -> sa.Column[object]:
        return sa.Column(name, sa.Integer, primary_key=primary, nullable=False, autoincrement=False)

    def moment(name: str) -> sa.Column[object]:
        return sa.Column(name, sa.Double, nullable=False)

    def summed(name: str, *columns: sa.Column[object]) -> sa.Table:
        return table(name, *columns, sa.Column(CHECKSUM, sa.BigInteger, nullable=True))

    return Tables(
        meta=summed("meta", text("name", primary=True), text("value")),
        plans=summed("plans", text("name", primary=True), moment("saved"), text("content")),
        jobs=summed(
            "jobs",
            text("plan", primary=True),
            number("position", primary=True),
            text("dataset"),
            text("algorithm"),
            number("repeat"),
            key(primary=False),
            text("scoring"),
        ),
        results=summed(
            "results",
            key(),
            text("status"),
            text("stage"),
            text("error"),
            text("traceback"),
            moment("seconds"),
            moment("finished"),
            text("machine"),
        ),
        folds=summed("folds", key(), number("fold", primary=True), text("scores"), text("costs")),
        predictions=summed(
            "predictions",
            key(),
            number("fold", primary=True),
            sa.Column("content", sa.LargeBinary, nullable=False),
        ),
        finals=summed(
            "finals",
            text("plan", primary=True),
            text("dataset", primary=True),
            text("algorithm", primary=True),
            text("scores"),
            text("costs"),
            moment("finished"),
            text("machine"),
        ),
        # Folds of jobs that have no row yet.
        begun=summed(
            "begun",
            key(),
            number("fold", primary=True),
            text("scores"),
            text("costs"),
            text("machine"),
            sa.Column("predictions", sa.LargeBinary, nullable=True),
        ),
        # Which of several random states a job has; a job that is not here has the first.
        seeds=table(
            "seeds", text("plan", primary=True), number("position", primary=True), number("seed")
        ),
    )


def has_seeds(connection: sa.Connection) -> bool:
    """Whether the table is there."""
    import sqlalchemy as sa

    return sa.inspect(connection).has_table(tables().seeds.name)


def has_begun(connection: sa.Connection) -> bool:
    """Whether the table is there."""
    import sqlalchemy as sa

    return sa.inspect(connection).has_table(tables().begun.name)


def _name_the_plan(connection: sa.Connection) -> None:
    """From 1: the only plan gets a name, and there are predictions and final results."""
    import sqlalchemy as sa

    new = tables()
    new.meta.metadata.create_all(
        connection, tables=[new.plans, new.jobs, new.predictions, new.finals]
    )
    columns = "position, dataset, algorithm, repeat, key, scoring"
    for line in (
        f"INSERT INTO palio_jobs (plan, {columns}) SELECT 'experiment', {columns} FROM palio_plan",
        # Version 1 did not say when a plan was saved: before anything that will be.
        "INSERT INTO palio_plans (name, saved, content) "
        "SELECT 'experiment', 0, '' WHERE EXISTS (SELECT 1 FROM palio_plan)",
        "UPDATE palio_meta SET name = 'file of experiment' WHERE name = 'experiment'",
        "DROP TABLE palio_plan",
    ):
        connection.execute(sa.text(line))


def _make_seeds(connection: sa.Connection) -> None:
    """From 2: a job may have one of several random states."""
    tables().seeds.create(connection, checkfirst=True)


def _add_checksums(connection: sa.Connection) -> None:
    """From 3: every row has a checksum, of what it holds now; jobs may be begun."""
    import sqlalchemy as sa

    new = tables()
    new.begun.create(connection, checkfirst=True)
    inspector = sa.inspect(connection)
    summed = [table for table in new if CHECKSUM in table.c]
    for table in summed:
        if CHECKSUM not in [column["name"] for column in inspector.get_columns(table.name)]:
            connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {CHECKSUM} BIGINT"))
    folds = _counted(connection, new.folds.c.key)
    jobs = _counted(connection, new.jobs.c.plan)
    for table in summed:
        counts = {new.results: folds, new.plans: jobs}.get(table)
        _sum_up(connection, table, counts)


def _counted(connection: sa.Connection, column: sa.Column[object]) -> Mapping[object, int]:
    import sqlalchemy as sa

    return Counter(connection.execute(sa.select(column)).scalars())


def _sum_up(
    connection: sa.Connection, table: sa.Table, counts: Mapping[object, int] | None
) -> None:
    """Write the checksums of all rows; some are of how many rows belong to them, too.

    What cannot be read gets none: it counts as damaged.
    """
    import sqlalchemy as sa

    keys = [column.name for column in table.primary_key]
    changes = []
    for row in as_dicts(connection.execute(sa.select(table))):
        if not is_readable(row):
            continue
        more = () if counts is None else (counts.get(row[keys[0]], 0),)
        changes.append({
            "new_sum": signed(table, row, *more)[CHECKSUM],
            **{f"of_{name}": row[name] for name in keys},
        })  # fmt: skip
    same = [table.c[name] == sa.bindparam(f"of_{name}") for name in keys]
    if changes:
        connection.execute(
            table.update().where(*same).values({CHECKSUM: sa.bindparam("new_sum")}), changes
        )


# Version → what makes the next one of it.
MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {
    1: _name_the_plan,
    2: _make_seeds,
    3: _add_checksums,
}


def prepare(engine: sa.Engine, place: str, *, to_write: bool = False) -> bool:
    """Create the tables, or bring them up to date; refuse what a later version wrote.

    All in one transaction that no one else is in, so two processes may start at once. Returns
    whether they are of the present version: one that can be read is left as it is unless
    ``to_write``.
    """
    with engine.connect() as connection:
        version = _version(connection, place)
    if version == SCHEMA_VERSION:
        return True
    if version is not None and version >= _READABLE and not to_write:
        return False  # nothing to write, so that a store may be read where it cannot be written
    with engine.connect() as free:
        connection = free.execution_options(palio_begin="BEGIN IMMEDIATE")
        with connection.begin():
            _lock_schema(connection)
            # Another may have been quicker.
            _bring_up(connection, _version(connection, place))
    return True


def _bring_up(connection: sa.Connection, version: int | None) -> None:
    meta = tables().meta
    if version is None:
        meta.metadata.create_all(connection)
        connection.execute(meta.insert().values(name="schema", value=str(SCHEMA_VERSION)))
        return
    for step in range(version, SCHEMA_VERSION):
        MIGRATIONS[step](connection)
        connection.execute(meta.update().where(meta.c.name == "schema").values(value=str(step + 1)))


def _version(connection: sa.Connection, place: str) -> int | None:
    """Return the version that a store says it is of; ``None`` if it is none yet."""
    import sqlalchemy as sa

    meta = tables().meta
    inspector = sa.inspect(connection)
    if not inspector.has_table(meta.name):
        return None
    found = connection.execute(sa.select(meta.c.value).where(meta.c.name == "schema")).scalar()
    if found is None and not inspector.has_table(tables().results.name):
        return None
    if re.fullmatch(r"[1-9]\d{0,5}", str(found), re.ASCII) is None:
        raise UnreadableError(
            "store", f"'{place}' is damaged: {one_line(repr(found))} stands for its version"
        )
    version = int(str(found))
    if version > SCHEMA_VERSION:
        raise InputError(
            "store",
            f"'{place}' was written by a later version of Palio (schema {version}, this one knows "
            f"{SCHEMA_VERSION})",
            remedy="update Palio",
        )
    return version


def _lock_schema(connection: sa.Connection) -> None:
    import sqlalchemy as sa

    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
