"""A batch of jobs on its way to a worker: pickled by value; what many share is laid out once."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import struct
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from palio.experiment.data.datasets import Dataset
from palio.experiment.identity import lasting_name
from palio.experiment.plan import Job

_ALIGNED = 64  # bytes, where arrays begin

# Estimators defined in a script or a notebook arrive too. What an engine sends in another way, a
# data set first of all, is left out and stands there as a name.


def pack(jobs: Sequence[Job], name: Callable[[Any], str | None]) -> bytes:
    """Pickle jobs; what ``name`` has a name for is left out."""
    for job in jobs:
        _ = job.key  # computed here once, and carried along
    buffer = io.BytesIO()
    _pickler()(buffer, name).dump(list(jobs))
    return buffer.getvalue()


def unpack(payload: bytes, fetch: Callable[[str], Any]) -> list[Job]:
    """Put jobs together again with what ``fetch`` has under those names."""

    class WithNamed(pickle.Unpickler):
        def persistent_load(self, name: Any) -> Any:
            return fetch(name)

    jobs: list[Job] = WithNamed(io.BytesIO(payload)).load()
    return jobs


@cache
def _pickler() -> Any:
    import cloudpickle  # type: ignore[import-untyped]

    class WithoutNamed(cloudpickle.CloudPickler):  # type: ignore[misc]
        def __init__(self, file: Any, name: Callable[[Any], str | None]) -> None:
            super().__init__(file)
            self.name = name

        def persistent_id(self, thing: Any) -> str | None:
            return self.name(thing)

    return WithoutNamed


def data_name(dataset: Dataset) -> str:
    """Return the name under which a data set is laid out."""
    return f"data-{dataset.content}"


def flattened(thing: object) -> list[bytes | memoryview]:
    """Return a thing as pieces of a file whose arrays can be mapped into memory (`mapped`).

    Pickle hands out the arrays (PEP 574): numeric columns, the codes of categories, the parts of a
    sparse matrix. What has no such buffer, as a column of Python objects, stays in the pickle.
    """
    import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    pickled = cloudpickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    parts: list[bytes | memoryview] = [pickled, *(buffer.raw() for buffer in buffers)]
    sizes = struct.pack(f"<{len(parts) + 1}q", len(parts), *(len(part) for part in parts))
    pieces: list[bytes | memoryview] = []
    for part in (sizes, *parts):
        pieces += [part, bytes(-len(part) % _ALIGNED)]
    return pieces


def mapped(file: Path) -> Any:
    """Return what was flattened into a file; its arrays are in memory once for all who map it.

    They cannot be written to; the parts of a data set that learners are given are copies.
    """
    with file.open("rb") as opened:
        content = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    (n_parts,) = struct.unpack_from("<q", content)
    parts, start = [], 0
    for size in (8 * (n_parts + 1), *struct.unpack_from(f"<{n_parts}q", content, 8)):
        parts.append(content[start : start + size])
        start += size + -size % _ALIGNED
    return pickle.loads(parts[1], buffers=parts[2:])


def lay(folder: Path, name: str, content: Iterable[bytes | memoryview]) -> None:
    """Write a file whole or not at all: a worker may look for it meanwhile."""
    # What cleans temporary folders may have taken ours; a run can last for days.
    folder.mkdir(mode=0o700, exist_ok=True)
    half = folder / f"half-{os.getpid()}-{threading.get_ident()}-{name}"
    with half.open("wb") as file:
        file.writelines(content)
    try:
        half.replace(folder / name)
    except PermissionError:  # on Windows, where another laid it there and someone reads it
        half.unlink()
        if not (folder / name).exists():
            raise


class Depot:
    """A folder where workers find what many jobs share, each thing laid there once.

    That is data sets, and the classes and functions that no worker could import.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # By id, each with the thing itself, which keeps the id from being given to another.
        self._laid: dict[int, tuple[object, str]] = {}

    def name(self, thing: Any) -> str | None:
        """Return the name under which a thing lies there; ``None`` if it goes with the job."""
        if isinstance(thing, Dataset):
            name = data_name(thing)
        elif isinstance(thing, type | FunctionType) and lasting_name(thing) is None:
            name = self._laid.setdefault(id(thing), (thing, f"code-{len(self._laid)}"))[1]
        else:
            return None
        if not (self.folder / name).exists():
            # What classes and functions hold may be written to, and is each worker's own.
            import cloudpickle

            is_data = isinstance(thing, Dataset)
            lay(self.folder, name, flattened(thing) if is_data else [cloudpickle.dumps(thing)])
        return name
