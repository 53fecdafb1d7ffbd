"""A connection that nobody can keep open by saying nothing, or by saying it very slowly.

uvicorn closes a connection that is idle between two requests, and waits without end for the rest
of a head, the rest of a body, and for a reader that does not read. Here each has its time.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from palio.app.web.settings import Patience


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, within the server's patience."""

    patience = Patience()

    @classmethod
    def within(cls, patience: Patience) -> type[Connection]:
        """Return such connections with another patience; uvicorn makes them by their class."""
        return type("Connection", (cls,), {"patience": patience})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waits_for: str | None = None
        self._until: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._came = 0  # bytes of this body
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come, and see what is still to come."""
        self._came += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next head, and for this answer to be taken."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        for timer in (self._until, self._unread):
            if timer is not None:
                timer.cancel()
        self._waits_for = self._until = self._unread = None
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for a reader that does not keep up."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.patience.reader, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it has read."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        """Close what is idle; what nobody takes in the meantime is dropped."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.patience.reader, self.transport.abort)

    # --- the clock -------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Start, leave or stop the clock, by what the other side still owes."""
        owed = _OWED.get(self.conn.their_state)
        if owed == self._waits_for:
            return
        if self._until is not None:
            self._until.cancel()
            self._until = None
        self._waits_for, self._since, self._came = owed, self.loop.time(), 0
        if owed is not None:
            self._until = self.loop.call_later(getattr(self.patience, owed), self._late)

    def _late(self) -> None:
        """Close the connection, unless a body has come fast enough to be given more time."""
        more = 0.0
        if self._waits_for == "body":
            allowed = self.patience.body + self._came / self.patience.rate
            more = self._since + allowed - self.loop.time()
        if more > 0:
            self._until = self.loop.call_later(more, self._late)
        else:
            self.transport.abort()


# What is to come in each state of the other side: in the others it has said all, or is gone.
_OWED = {h11.IDLE: "head", h11.SEND_BODY: "body"}
