"""The tables of a store, and how those of an earlier version become these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from palio.errors import InputError

if TYPE_CHECKING:
    import sqlalchemy as sa

SCHEMA_VERSION = 2

# A store becomes one of this version with its first plan of several seeds: who does not know them
# would take them for results that stand twice. All others stay what they are, so that they need
# not be writable.
_WITH_SEEDS = 3

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

    return Tables(
        meta=table("meta", text("name", primary=True), text("value")),
        plans=table("plans", text("name", primary=True), moment("saved"), text("content")),
        jobs=table(
            "jobs",
            text("plan", primary=True),
            number("position", primary=True),
            text("dataset"),
            text("algorithm"),
            number("repeat"),
            key(primary=False),
            text("scoring"),
        ),
        results=table(
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
        folds=table("folds", key(), number("fold", primary=True), text("scores"), text("costs")),
        predictions=table(
            "predictions",
            key(),
            number("fold", primary=True),
            sa.Column("content", sa.LargeBinary, nullable=False),
        ),
        finals=table(
            "finals",
            text("plan", primary=True),
            text("dataset", primary=True),
            text("algorithm", primary=True),
            text("scores"),
            text("costs"),
            moment("finished"),
            text("machine"),
        ),
        # Folds of jobs that have no row yet. No step brings it: who does not know it misses
        # nothing, and a store without it, which may not be writable, is read as it is.
        begun=table(
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


def make_seeds(connection: sa.Connection) -> None:
    """Create the table of seeds, and tell versions that do not know it."""
    _lock_schema(connection)
    new = tables()
    new.seeds.create(connection, checkfirst=True)
    connection.execute(
        new.meta.update().where(new.meta.c.name == "schema").values(value=str(_WITH_SEEDS))
    )


def has_seeds(connection: sa.Connection) -> bool:
    """Whether the table is there."""
    import sqlalchemy as sa

    return sa.inspect(connection).has_table(tables().seeds.name)


def make_begun(connection: sa.Connection) -> None:
    """Create the table of begun jobs, in a store of a version that had none."""
    _lock_schema(connection)
    tables().begun.create(connection, checkfirst=True)


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


# Version → what makes the next one of it.
MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {1: _name_the_plan}


def prepare(engine: sa.Engine, place: str) -> None:
    """Create the tables, or bring them up to date; refuse what a later version wrote.

    All in one transaction that no one else is in, so two processes may start at once.
    """
    with engine.connect() as connection:
        version = _version(connection)
    _refuse_later(version, place)
    if version in (SCHEMA_VERSION, _WITH_SEEDS):
        return  # nothing to write, so that a store may be read where it cannot be written
    with engine.connect() as free:
        connection = free.execution_options(palio_begin="BEGIN IMMEDIATE")
        with connection.begin():
            _lock_schema(connection)
            version = _version(connection)  # another may have been quicker
            _refuse_later(version, place)
            _bring_up(connection, version)


def _bring_up(connection: sa.Connection, version: int | None) -> None:
    meta = tables().meta
    if version is None:
        meta.metadata.create_all(connection)
        connection.execute(meta.insert().values(name="schema", value=str(SCHEMA_VERSION)))
        return
    for step in range(version, SCHEMA_VERSION):
        MIGRATIONS[step](connection)
        connection.execute(meta.update().where(meta.c.name == "schema").values(value=str(step + 1)))


def _version(connection: sa.Connection) -> int | None:
    import sqlalchemy as sa

    meta = tables().meta
    if not sa.inspect(connection).has_table(meta.name):
        return None
    found = connection.execute(sa.select(meta.c.value).where(meta.c.name == "schema")).scalar()
    return None if found is None else int(found)


def _refuse_later(version: int | None, place: str) -> None:
    if version is not None and version > _WITH_SEEDS:
        raise InputError(
            "store",
            f"'{place}' was written by a later version of Palio (schema {version}, this one knows "
            f"{_WITH_SEEDS})",
            remedy="update Palio",
        )


def _lock_schema(connection: sa.Connection) -> None:
    import sqlalchemy as sa

    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
