"""What was worked out before, as far as the memory goes."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Bounded(Generic[Key, Value]):
    """A dictionary that forgets what was not used for longest once there is too much.

    Safe to use from several threads.

    Parameters
    ----------
    most_bytes, most
        The bytes and the number of things that are kept; the newest is kept whatever its size.
    forget
        Called with what is forgotten.

    Examples
    --------
    >>> kept = Bounded[str, str](most_bytes=10)
    >>> for name in ("a", "b", "c"):
    ...     kept.put(name, name.upper(), size=4)
    >>> kept.get("a"), kept.get("b"), len(kept)
    (None, 'B', 2)
    """

    def __init__(
        self,
        *,
        most_bytes: int,
        most: int | None = None,
        forget: Callable[[Value], object] | None = None,
    ) -> None:
        self._most_bytes, self._most, self._forget = most_bytes, most, forget
        self._things: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._things)

    def get(self, key: Key) -> Value | None:
        """Return a thing, which makes it the last to be forgotten."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: Key, value: Value, *, size: int) -> None:
        """Keep a thing, and forget others if need be."""
        with self._lock:
            if key in self._things:
                self.bytes -= self._things.pop(key)[1]
            self._things[key] = (value, size)
            self.bytes += size
            while len(self._things) > 1 and self._is_full():
                _, (gone, its_size) = self._things.popitem(last=False)
                self.bytes -= its_size
                if self._forget is not None:
                    self._forget(gone)

    def _is_full(self) -> bool:
        too_many = self._most is not None and len(self._things) > self._most
        return too_many or self.bytes > self._most_bytes


Memory = Bounded[Hashable, bytes]


class Answers:
    """Answers by question; who asks what is being worked out waits for it, and it is done once.

    Used from one event loop only, so that it needs no lock.
    """

    def __init__(self, memory: Memory) -> None:
        self._kept = memory
        self._under_way: dict[Hashable, asyncio.Future[bytes]] = {}

    async def get(self, key: Hashable, work: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return what is known, or what ``work`` finds out; errors are not kept."""
        known = self._kept.get(key)
        if known is not None:
            return known
        if key not in self._under_way:
            task = asyncio.ensure_future(self._find(key, work))
            self._under_way[key] = task
            task.add_done_callback(_seen)
        # Whoever leaves does not take the work along with them: others may be waiting for it.
        return await asyncio.shield(self._under_way[key])

    async def _find(self, key: Hashable, work: Callable[[], Awaitable[bytes]]) -> bytes:
        try:
            found = await work()
            self._kept.put(key, found, size=len(found))
        finally:
            del self._under_way[key]
        return found


def _seen(task: asyncio.Future[bytes]) -> None:
    """Take note of an error, also where everyone who waited for it has left."""
    if not task.cancelled():
        task.exception()
