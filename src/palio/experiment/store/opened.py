"""An open store: where it is, its tables, and whether it is still there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from palio.errors import UnreadableError
from palio.experiment.store.database import clear_errors, connect, located
from palio.experiment.store.schema import prepare, tables
from palio.scores.sources import is_server
from palio.words import masked

if TYPE_CHECKING:
    from typing import Self

    import sqlalchemy as sa


class Opened:
    """The connections of a store, for reading and for changing it."""

    def __init__(self, place: str | os.PathLike[str], *, create: bool = True) -> None:
        self.place = str(place)
        self._engine = connect(self.place, create=create)
        self._tables = tables()
        try:
            with self._clear_errors():
                # Whether rows have checksums: in an older store, from the first change on.
                self._summed = prepare(self._engine, self.shown)
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
        """Have what is asked answered as of one moment, whatever others write meanwhile."""
        self._refuse_gone()
        with self._clear_errors(), self._engine.connect() as connection:
            if self.shared:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        self._refuse_gone()
        with self._clear_errors():
            if not self._summed:
                self._summed = prepare(self._engine, self.shown, to_write=True)
            with self._engine.connect() as free:
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
            raise UnreadableError(
                "store",
                f"'{self.shown}' was {what} while it was open, so that nothing more is written",
                remedy="put it back and run again",
            )
