"""A SQLite file or a PostgreSQL server: tables, connecting, transactions, and errors in one line.

A store of another schema is refused, and nothing in it is changed.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from palio.errors import InputError, UnreadableError
from palio.experiment.store.rows import CHECKSUM, Row, signed
from palio.extras import needing
from palio.words import is_server, masked, one_line

if TYPE_CHECKING:
    from typing import Self

    import sqlalchemy as sa

_MAX_KEYS = 1000  # parameters of one query
_MAX_ROWS = 10_000  # rows that are written or read at once


class Database:
    """The connections of a store, for reading and for changing it."""

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        self.place = str(place)
        self._engine = connect(self.place, create=create)
        try:
            with clear_errors(self.place):
                prepare(self._engine, self.shown)
            self._file = self._found_file()
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def shared(self) -> bool:
        """Whether others may be running jobs of the same store."""
        return is_server(self.place)

    @property
    def shown(self) -> str:
        """The place as it may be shown, without a password."""
        return masked(self.place)

    def close(self) -> None:
        """Let go of the file or the connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Have what is asked answered as of one moment, whatever others write meanwhile."""
        self._refuse_gone()
        with clear_errors(self.place), self._engine.connect() as connection:
            if self.shared:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextlib.contextmanager
    def changing(self) -> Iterator[sa.Connection]:
        """Have what is written be there as a whole, or not at all."""
        self._refuse_gone()
        with clear_errors(self.place), self._engine.connect() as free:
            # Who will write says so at once: two that have read would block each other.
            connection = free.execution_options(palio_begin="BEGIN IMMEDIATE")
            with connection.begin():
                yield connection

    # --- a file that was taken away ----------------------------------------------------------

    def _found_file(self) -> tuple[int, int] | None:
        """Return which file stands where the store is; ``None`` for none."""
        if self.shared:
            return None
        try:
            found = located(self.place).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _refuse_gone(self) -> None:
        """Refuse to go on with a file that no name leads to: it would be lost with the process."""
        now = self._found_file()
        if now != self._file:
            what = "removed or moved" if now is None else "replaced by another file"
            rule = f"'{self.shown}' was {what} while it was open, so that nothing more is written"
            raise UnreadableError("store", rule, remedy="put it back and run again")


# --- connecting ----------------------------------------------------------------------------------


def connect(place: str, *, create: bool) -> sa.Engine:
    """Make the engine of a store; ``create`` allows a file that is not there yet."""
    if is_server(place):
        return _connect_server(place)
    with needing("run", "store", "experiments need SQLAlchemy"):
        import sqlalchemy as sa
    path = located(place)
    _check_path(path, create)
    engine = sa.create_engine(_sqlite_url(path))
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def located(place: str) -> Path:
    """Return the file of a store, whatever links lead to it: one file has one lock."""
    if re.match(r"[a-z][a-z\d+.-]+://", place, re.IGNORECASE):
        rule = "it is a file, or the URL of a PostgreSQL server"
        raise UnreadableError("store", rule, f"'{masked(place)}' was given")
    try:
        return Path(place).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a null character, a loop
        rule = f"{masked(place)!r} is no name of a file: {one_line(error)}"
        raise UnreadableError("store", rule) from error


def _connect_server(place: str) -> sa.Engine:
    rule = f"'{masked(place)}' needs SQLAlchemy and psycopg"
    with needing("postgres", "store", rule):
        import sqlalchemy as sa

    # Without a driver in the URL it is psycopg 3, which SQLAlchemy would not take by itself.
    scheme, _, rest = place.partition(":")
    url = f"{re.sub('^postgres(ql)?$', 'postgresql+psycopg', scheme.lower())}:{rest}"
    patience = {} if "connect_timeout" in place else {"connect_timeout": 10}
    try:
        made = sa.make_url(url)
        # A connection that a firewall dropped during an hour's job is replaced before it is used.
        with needing("postgres", "store", rule):
            engine = sa.create_engine(made, pool_pre_ping=True, connect_args=patience)
    except (sa.exc.ArgumentError, ValueError):
        made = None
    if made is None or "@" in (made.host or ""):  # it would say what follows the @ of a password
        form = "postgresql://user@host:5432/database, and an @ in a password %40"
        raise UnreadableError("store", f"'{masked(place)}' cannot be used: a URL is written {form}")
    return engine


def _check_path(path: Path, create: bool) -> None:
    with clear_errors(str(path)):
        there, folder = path.exists(), path.parent.is_dir()
    if not create and not there:
        rule = f"there is no file '{one_line(path, limit=400)}'"  # Python 3.14 asks of any name
        raise UnreadableError("store", rule, remedy="run an experiment first")
    if not folder:
        rule = f"there is no folder '{path.parent}'"
        raise UnreadableError("store", rule, remedy="make it first")


def _sqlite_url(path: Path) -> sa.URL:
    """Make the URL of a file; one that may only be read is opened as one that does not change.

    Not of text, in which ?, # and % of a name would have a meaning.
    """
    import sqlalchemy as sa

    may_write = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    # Beside a file that someone is writing to there is a log, which has to be read too.
    if may_write or Path(f"{path}-wal").exists():
        return sa.URL.create("sqlite", database=str(path))
    only_read = {"mode": "ro", "immutable": "1", "uri": "true"}
    return sa.URL.create("sqlite", database=f"file:{quote(str(path))}", query=only_read)


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    """Let others read while one writes, and lose nothing that was committed."""
    # Transactions begin where SQLAlchemy says, not where Python's driver guesses: so that changes
    # of the schema are in them too.
    connection.isolation_level = None
    cursor = connection.cursor()
    for line in ("busy_timeout=10000", "journal_mode=WAL", "synchronous=NORMAL"):
        with contextlib.suppress(Exception):  # a read-only file stays as it is
            cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("palio_begin", "BEGIN"))


# --- the tables ----------------------------------------------------------------------------------

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

    def columns(*names: str, kind: Any, primary: bool = False) -> list[sa.Column[Any]]:
        options: dict[str, Any] = {"nullable": False, "primary_key": primary}
        return [sa.Column(name, kind, autoincrement=False, **options) for name in names]

    text, number = partial(columns, kind=sa.Text), partial(columns, kind=sa.Integer)
    real, content = partial(columns, kind=sa.Double), partial(columns, kind=sa.LargeBinary)
    key = partial(columns, "key", kind=sa.String(64), primary=True)

    def table(name: str, *groups: list[sa.Column[Any]]) -> sa.Table:
        checksum: sa.Column[Any] = sa.Column(CHECKSUM, sa.BigInteger, nullable=True)
        return sa.Table(f"palio_{name}", metadata, *chain(*groups), checksum)

    return Tables(
        meta=table("meta", text("name", primary=True), text("value")),
        # `content` is a digest of the rows of `jobs` that are here; `whole` and `total` are the
        # digest and the number of all jobs, of which a store may have only a `part`.
        plans=table(
            "plans",
            text("name", primary=True),
            real("saved"),
            text("content", "whole"),
            number("total"),
            text("part"),
        ),
        jobs=table(
            "jobs",
            text("plan", primary=True),
            number("position", primary=True),
            text("dataset", "algorithm"),
            number("repeat", "seed"),  # the latter: which of several random states, from 1
            [sa.Column("key", sa.String(64), nullable=False, index=True)],
        ),
        # All folds of a job are one block (`rows.pack_folds`), which has a checksum of its own: so
        # that a million folds are read as a few arrays, and a status reads none.
        results=table(
            "results",
            key(),
            text("status", "stage", "error", "traceback"),
            real("seconds", "finished"),
            text("machine"),
            content("folds"),
        ),
        # Many jobs run on one machine: they have its digest.
        machines=table("machines", text("digest", primary=True), text("content")),
        predictions=table("predictions", key(), number("fold", primary=True), content("content")),
        finals=table(
            "finals",
            text("plan", "dataset", "algorithm", primary=True),
            text("scores", "costs"),
            real("finished"),
            text("machine"),
        ),
        # Folds of jobs that have no row yet.
        begun=table(
            "begun",
            key(),
            number("fold", primary=True),
            text("scores", "costs", "machine"),
            [sa.Column("predictions", sa.LargeBinary, nullable=True)],
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
        rule = f"'{place}' is damaged: {one_line(repr(found))} stands for its version"
        raise UnreadableError("store", rule)
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
    by = f"Palio {version}" if version else "another version of Palio"
    schemas = f"(schema {schema}, this version has {SCHEMA_VERSION})"
    command = f"uvx --from 'palio[run]=={version or 'VERSION'}' palio export '{place}' results.csv"
    remedy = f"write its results to a file with that version: {command}"
    return InputError("store", f"'{place}' was written by {by} {schemas}", remedy=remedy)


# --- rows ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Leave the garbage collector out: it would look at a million new rows again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def select(
    connection: sa.Connection,
    columns: Sequence[sa.ColumnElement[Any]],
    keys: Collection[str] | None = None,
) -> Iterator[Any]:
    """Give the rows of a table; of some jobs only, if the first of the columns is their key."""
    import sqlalchemy as sa

    query = sa.select(*columns).execution_options(yield_per=_MAX_ROWS)
    if keys is None:
        yield from connection.execute(query)
    elif len(keys) > 10 * _MAX_KEYS:  # it is faster to look at all rows
        wanted = frozenset(keys)
        yield from (row for row in connection.execute(query) if row[0] in wanted)
    else:
        ordered = sorted(set(keys))
        for start in range(0, len(ordered), _MAX_KEYS):
            some = ordered[start : start + _MAX_KEYS]
            yield from connection.execute(query.where(columns[0].in_(some)))


def plain_rows(
    connection: sa.Connection, columns: Sequence[sa.ColumnElement[Any]], keys: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    """Give the rows of jobs as the driver does, without names, which takes half the time.

    Of many keys, the rows of others may be among them.
    """
    import sqlalchemy as sa

    if len(keys) <= 10 * _MAX_KEYS:
        return select(connection, columns, keys)
    cursor: Any = connection.execute(sa.select(*columns)).cursor
    return iter(cursor.fetchall())


def insert(connection: sa.Connection, table: sa.Table, rows: Iterable[Row]) -> None:
    """Insert rows, signed, if there are any."""
    waiting = iter(rows)
    while some := [signed(table, row) for row in islice(waiting, _MAX_ROWS)]:
        connection.execute(table.insert(), some)


def upsert(connection: sa.Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Insert rows, signed, or overwrite those with the same primary key, whoever wrote them."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    statement = insert(table)
    others = {c.name: statement.excluded[c.name] for c in table.columns if not c.primary_key}
    connection.execute(
        statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=others),
        [signed(table, row) for row in rows],
    )


def delete(connection: sa.Connection, table: sa.Table, keys: Collection[str]) -> None:
    """Delete the rows of jobs."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), _MAX_KEYS):
        some = ordered[start : start + _MAX_KEYS]
        connection.execute(table.delete().where(table.c.key.in_(some)))


# --- errors --------------------------------------------------------------------------------------


@contextlib.contextmanager
def clear_errors(place: str) -> Iterator[None]:
    """Say in one line what the database says in ten."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or error).strip().splitlines() or [repr(error)]
        told = _without_secrets(one_line(said[0], limit=500).rstrip("."), place)
        if _sqlite_code(error) == _CORRUPT:
            trouble, remedy = "is damaged", LOST
        else:
            trouble = "cannot be used"
            remedy = "what was stored before is intact" if _is_intact(error) else ""
        rule = f"'{masked(place)}' {trouble}: {told}"
        raise UnreadableError("store", rule, remedy=remedy) from error
    except UnicodeDecodeError as error:  # SQLite complains of a name in its bytes
        rule = f"'{masked(place)}' is damaged: a name in it is no text"
        raise UnreadableError("store", rule, remedy=LOST) from error
    except OSError as error:
        rule = f"'{masked(place)}' cannot be used: {error.strerror or one_line(error)}"
        raise UnreadableError("store", rule) from error


def _without_secrets(text: str, place: str) -> str:
    """Mask the passwords of a place in what a server says of it."""
    import sqlalchemy as sa

    if not is_server(place):
        return text
    url = sa.make_url(place)
    hidden = [url.password, *(v for k, v in url.query.items() if masked(f"{k}=x") != f"{k}=x")]
    for secret in filter(None, hidden):
        text = re.sub(rf"(?<!\w){re.escape(str(secret))}(?!\w)", "***", text)
    return text


# What SQLite's codes mean, without their extensions.
_BUSY, _LOCKED, _READ_ONLY, _CORRUPT, _FULL = 5, 6, 8, 11, 13


def _sqlite_code(error: Exception) -> int | None:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


# What is left to do about a file that is broken beyond its rows.
LOST = "put it back from a copy, or give the experiment a new store"


def _is_intact(error: Exception) -> bool:
    """Whether it is certain that only the last step was not done: no room, no turn, no line."""
    code = _sqlite_code(error)
    if code is not None:
        return code in (_BUSY, _LOCKED, _READ_ONLY, _FULL)
    state = getattr(getattr(error, "orig", None), "sqlstate", None) or ""
    return getattr(error, "connection_invalidated", False) or state[:2] in ("53", "55", "57")
