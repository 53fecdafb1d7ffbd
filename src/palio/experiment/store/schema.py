"""The tables of a store. A store of another schema is refused, and nothing in it is changed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from palio.errors import InputError, UnreadableError
from palio.experiment.store.rows import CHECKSUM, signed
from palio.words import one_line

if TYPE_CHECKING:
    import sqlalchemy as sa

SCHEMA_VERSION = 1

# Whoever creates the tables of a PostgreSQL store, or saves a plan in it, holds this lock.
_LOCK = 0x70616C696F  # "palio"


class Tables(NamedTuple):
    """What there is in a store."""

    meta: sa.Table
    plans: sa.Table
    jobs: sa.Table
    results: sa.Table
    machines: sa.Table
    predictions: sa.Table
    finals: sa.Table
    begun: sa.Table


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Describe the tables."""
    import sqlalchemy as sa

    metadata = sa.MetaData()

    def table(name: str, *columns: sa.Column[object]) -> sa.Table:
        checksum: sa.Column[object] = sa.Column(CHECKSUM, sa.BigInteger, nullable=True)
        return sa.Table(f"palio_{name}", metadata, *columns, checksum)

    def key(*, primary: bool = True) -> sa.Column[object]:
        return sa.Column(
            "key", sa.String(64), primary_key=primary, nullable=False, index=not primary
        )

    def text(name: str, *, primary: bool = False) -> sa.Column[object]:
        return sa.Column(name, sa.Text, primary_key=primary, nullable=False)

    def number(name: str, *, primary: bool = False) -> sa.Column[object]:
        return sa.Column(name, sa.Integer, primary_key=primary, nullable=False, autoincrement=False)

    def real(name: str) -> sa.Column[object]:
        return sa.Column(name, sa.Double, nullable=False)

    def content(name: str, *, optional: bool = False) -> sa.Column[object]:
        return sa.Column(name, sa.LargeBinary, nullable=optional)

    return Tables(
        meta=table("meta", text("name", primary=True), text("value")),
        # `content` is a digest of the rows of `jobs` that are here; `whole` and `total` are the
        # digest and the number of all jobs, of which a store may have only a `part`.
        plans=table(
            "plans",
            text("name", primary=True),
            real("saved"),
            text("content"),
            text("whole"),
            number("total"),
            text("part"),
        ),
        jobs=table(
            "jobs",
            text("plan", primary=True),
            number("position", primary=True),
            text("dataset"),
            text("algorithm"),
            number("repeat"),
            number("seed"),  # which of several random states, from 1
            key(primary=False),
        ),
        # All folds of a job are one block (`rows.pack_folds`), which has a checksum of its own: so
        # that a million folds are read as a few arrays, and a status reads none.
        results=table(
            "results",
            key(),
            text("status"),
            text("stage"),
            text("error"),
            text("traceback"),
            real("seconds"),
            real("finished"),
            text("machine"),
            content("folds"),
        ),
        # Many jobs run on one machine: they have its digest.
        machines=table("machines", text("digest", primary=True), text("content")),
        predictions=table("predictions", key(), number("fold", primary=True), content("content")),
        finals=table(
            "finals",
            text("plan", primary=True),
            text("dataset", primary=True),
            text("algorithm", primary=True),
            text("scores"),
            text("costs"),
            real("finished"),
            text("machine"),
        ),
        # Folds of jobs that have no row yet.
        begun=table(
            "begun",
            key(),
            number("fold", primary=True),
            text("scores"),
            text("costs"),
            text("machine"),
            content("predictions", optional=True),
        ),
    )


def prepare(engine: sa.Engine, place: str) -> None:
    """Create the tables where there are none yet; refuse a store of another schema.

    In one transaction that no one else is in, so that two processes may start at once.
    """
    with engine.connect() as connection:
        if _is_ready(connection, place):
            return  # nothing to write, so that a store may be read where it cannot be written
    with engine.connect() as free:
        connection = free.execution_options(palio_begin="BEGIN IMMEDIATE")
        with connection.begin():
            lock(connection)
            if not _is_ready(connection, place):  # another may have been quicker
                from palio import __version__

                meta = tables().meta
                meta.metadata.create_all(connection)
                known = {"schema": str(SCHEMA_VERSION), "palio": __version__}
                rows = [signed(meta, {"name": k, "value": v}) for k, v in known.items()]
                connection.execute(meta.insert(), rows)


def lock(connection: sa.Connection) -> None:
    """Let no one else do what several must not do at once, until the transaction ends."""
    import sqlalchemy as sa

    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))


def _is_ready(connection: sa.Connection, place: str) -> bool:
    """Whether the tables are there."""
    import sqlalchemy as sa

    meta = tables().meta
    inspector = sa.inspect(connection)
    if not inspector.has_table(meta.name):
        return False
    query = sa.select(meta.c.name, meta.c.value).where(meta.c.name.in_(["schema", "palio"]))
    known = dict(map(tuple, connection.execute(query)))
    found = known.get("schema")
    if found is None and not inspector.has_table(tables().results.name):
        return False
    if re.fullmatch(r"[1-9]\d{0,5}", str(found), re.ASCII) is None:
        raise UnreadableError(
            "store", f"'{place}' is damaged: {one_line(repr(found))} stands for its version"
        )
    # Schemas had numbers before there was a first release, when no store named its version.
    if int(str(found)) != SCHEMA_VERSION or "palio" not in known:
        raise _another_schema(connection, place, str(found), known.get("palio"))
    return True


def _another_schema(
    connection: sa.Connection, place: str, schema: str, version: str | None
) -> InputError:
    """Name the command that writes the results to a file, with the version that wrote them."""
    import sqlalchemy as sa

    if version is None and sa.inspect(connection).has_table(tables().results.name):
        machines = sa.text("SELECT machine FROM palio_results WHERE status = 'ok' LIMIT 1")
        found = re.search(r'"palio": "([\w.+]+)"', str(connection.execute(machines).scalar()))
        version = None if found is None else found[1]
    return InputError(
        "store",
        f"'{place}' was written by {f'Palio {version}' if version else 'another version of Palio'} "
        f"(schema {schema}, this version has {SCHEMA_VERSION})",
        remedy="write its results to a file with that version: "
        f"uvx --from 'palio[run]=={version or 'VERSION'}' palio export '{place}' results.csv",
    )
