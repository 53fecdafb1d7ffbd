"""Connecting: a SQLite file or a PostgreSQL server, and what they complain of in one line."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from palio.errors import MissingExtraError, UnreadableError
from palio.scores.kept import is_server

if TYPE_CHECKING:
    import sqlalchemy as sa


def shown(place: str) -> str:
    """Write a place as it may be shown: without the password.

    >>> shown("postgresql://me:secret@host/db")
    'postgresql://me:***@host/db'
    """
    if not is_server(place):
        return place
    return re.sub(r"(?<=[?&]password=)[^&]*", "***", re.sub(r"(://[^:/@]*):.*@", r"\1:***@", place))


def connect(place: str, *, create: bool) -> sa.Engine:
    """Make the engine of a store; ``create`` allows a file that is not there yet."""
    try:
        import sqlalchemy as sa
    except ImportError as error:
        raise MissingExtraError("store", "experiments need SQLAlchemy", extra="run") from error
    if is_server(place):
        return _connect_server(place)
    path = Path(place).absolute()
    _check_path(path, create)
    engine = sa.create_engine(_sqlite_url(path))
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _connect_server(place: str) -> sa.Engine:
    import sqlalchemy as sa

    # Without a driver in the URL it is psycopg 3, which SQLAlchemy would not take by itself.
    url = re.sub("^postgresql:", "postgresql+psycopg:", place)
    patience = {} if "connect_timeout" in place else {"connect_timeout": 10}
    try:
        # A connection that a firewall dropped during an hour's job is replaced before it is used.
        return sa.create_engine(url, pool_pre_ping=True, connect_args=patience)
    except ImportError as error:
        raise MissingExtraError(
            "store", f"'{shown(place)}' needs psycopg", extra="postgres"
        ) from error
    except (sa.exc.ArgumentError, ValueError) as error:
        raise UnreadableError(
            "store",
            f"'{shown(place)}' cannot be used: a URL is written "
            "postgresql://user@host:5432/database",
        ) from error


def _check_path(path: Path, create: bool) -> None:
    if not create and not path.exists():
        raise UnreadableError(
            "store", f"there is no file '{path}'", remedy="run an experiment first"
        )
    if not path.parent.is_dir():
        raise UnreadableError(
            "store", f"there is no folder '{path.parent}'", remedy="make it first"
        )


def _sqlite_url(path: Path) -> str:
    """Write the URL of a file; one that may only be read is opened as one that does not change."""
    may_write = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    # Beside a file that someone is writing to there is a log, which has to be read too.
    if may_write or Path(f"{path}-wal").exists():
        return f"sqlite:///{path}"
    return f"sqlite:///file:{quote(str(path))}?mode=ro&immutable=1&uri=true"


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


def upsert(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, or overwrite those with the same primary key, whoever wrote them."""
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    statement = insert(table)
    others = {c.name: statement.excluded[c.name] for c in table.columns if not c.primary_key}
    connection.execute(
        statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=others), rows
    )


@contextlib.contextmanager
def clear_errors(place: str) -> Iterator[None]:
    """Say in one line what the database says in ten."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0].rstrip(".")
        raise UnreadableError(
            "store",
            f"'{shown(place)}' cannot be used: {reason}",
            remedy="what was stored before is intact",
        ) from error
    except OSError as error:
        raise UnreadableError(
            "store", f"'{shown(place)}' cannot be used: {error.strerror}"
        ) from error
