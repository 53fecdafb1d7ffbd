"""What one process has found out and another may need: tables that were read, reports made.

The server keeps it, as far as its memory goes, and knows nothing of it but its name and its size;
a process asks for it, or hands it over, through its pipe (see `processes`). Where the server works
alone there is nothing to share.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from palio.app.web.settings import MEGABYTE

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from palio.app.web.cache import Memory

# What is larger each process finds out for itself: the server's memory is for many.
LARGEST = 50 * MEGABYTE

# What a process says: here is the answer; who has this; keep this.
Said = tuple[Literal["answer", "ask", "keep"], Hashable, bytes]


def heard(pipe: Connection, memory: Memory) -> bytes:
    """Return the answer of a process; until it comes, fetch and keep what the process says."""
    while True:
        said: Said = pipe.recv()
        kind, key, content = said
        if kind == "answer":
            return content
        if kind == "ask":
            pipe.send_bytes(memory.get(key) or b"")
        else:
            memory.put(key, content, size=len(content))


# --- inside a process -----------------------------------------------------------------------------

_server: list[Connection] = []


def connect(pipe: Connection) -> None:
    """Say where the server is."""
    _server[:] = [pipe]


def ask(key: Hashable) -> bytes | None:
    """Return what another process has found out, or nothing."""
    for pipe in _server:
        pipe.send(("ask", key, b""))
        return pipe.recv_bytes() or None
    return None


def keep(key: Hashable, content: Callable[[], bytes]) -> None:
    """Hand over what others may need; it is not even written where there are none."""
    for pipe in _server:
        try:
            written = content()
        except (pickle.PicklingError, TypeError, AttributeError):
            return  # what cannot be written each finds out for itself
        if len(written) <= LARGEST:
            pipe.send(("keep", key, written))


def packed(value: object, known: Mapping[str, object]) -> bytes:
    """Write a value, but for those of its parts that whoever reads it knows."""
    file = BytesIO()
    _Packer(file, known).dump(value)
    return file.getvalue()


def unpacked(content: bytes, known: Mapping[str, object]) -> Any:
    """Read a value that `packed` wrote."""
    return _Unpacker(BytesIO(content), known).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: BytesIO, known: Mapping[str, object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = {id(part): name for name, part in known.items() if part is not None}

    def persistent_id(self, obj: object) -> str | None:
        return self._names.get(id(obj))


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, known: Mapping[str, object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, pid: str) -> object:
        return self._known[pid]
