"""Jobs on their way to a worker, several together and without what many of them share.

Jobs are pickled by value, so that estimators defined in a script or a notebook arrive too. What an
engine sends in another way, a data set first of all, is left out and stands there as a name.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from palio.experiment.plan import Job

__all__ = ["pack", "unpack"]


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
