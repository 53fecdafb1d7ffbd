"""What is told of an experiment while it runs, to all who listen.

One watcher looks at the store for as long as someone listens, however many they are; each listener
is told when something has changed, and that all has ended.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from palio.app.web.answers import encode
from palio.app.web.settings import OverloadError
from palio.errors import PalioError

# So many may listen at once; the others ask again later.
MOST_LISTENERS = 100

# So often, in seconds, it is looked, and a silent listener is told that nothing has happened, by
# which a connection that is gone is noticed.
LOOK, SILENCE = 1.0, 15.0

Look = Callable[[], Awaitable[bytes]]


class Watcher:
    """Looks at a store while someone listens; used from one event loop only."""

    def __init__(self, look: Look, *, most: int = MOST_LISTENERS) -> None:
        self._look = look
        self._most = most
        self._listeners: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None
        self._last: bytes | None = None
        self._over = self._closed = False
        self._version = 0

    @property
    def listeners(self) -> int:
        """How many listen at the moment."""
        return len(self._listeners)

    def admit(self) -> None:
        """Refuse one more than there is room for."""
        if len(self._listeners) >= self._most:
            raise OverloadError(
                "the experiment",
                f"{self._most} people watch it, and more cannot",
                remedy="ask again later",
            )

    async def listen(self) -> AsyncIterator[bytes]:
        """Yield server-sent events: how it stands, at first and after every change."""
        changed = asyncio.Event()
        self._listeners.add(changed)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        seen = -1
        try:
            while not self._closed:
                if self._last is not None and seen != self._version:
                    seen = self._version
                    yield b"data: " + self._last + b"\n\n"
                    if self._over:
                        return
                changed.clear()
                try:
                    await asyncio.wait_for(changed.wait(), SILENCE)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._listeners.discard(changed)

    def close(self) -> None:
        """Let all listeners go, as the server does when it ends."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        for each in self._listeners:
            each.set()

    async def _watch(self) -> None:
        """Look until nobody listens."""
        while self._listeners:
            try:
                found = await self._look()
            except PalioError as error:
                found = encode({"error": str(error)})
            if found != self._last:
                self._last = found
                self._over = bool(json.loads(found).get("finished"))
                self._version += 1
                self._wake()
            await asyncio.sleep(LOOK)
        self._last = None
