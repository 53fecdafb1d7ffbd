"""Jobs on their way to a worker: the data set goes once, each job by itself.

A job is pickled by value, so that estimators defined in a script or a notebook arrive too; its
data set is left out and named by its fingerprint.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

from palio.experiment.datasets import Dataset
from palio.experiment.plan import Job

__all__ = ["pack", "unpack"]


def pack(job: Job) -> bytes:
    """Pickle a job without its data set."""
    import cloudpickle  # type: ignore[import-untyped]

    class WithoutData(cloudpickle.CloudPickler):  # type: ignore[misc]
        def persistent_id(self, thing: Any) -> str | None:
            return thing.fingerprint if isinstance(thing, Dataset) else None

    _ = job.key  # computed here once, and carried along
    buffer = io.BytesIO()
    WithoutData(buffer).dump(job)
    return buffer.getvalue()


def unpack(payload: bytes, dataset: Callable[[str], Dataset]) -> Job:
    """Put a job together again with the data set of that fingerprint."""

    class WithData(pickle.Unpickler):
        def persistent_load(self, fingerprint: Any) -> Dataset:
            return dataset(fingerprint)

    job: Job = WithData(io.BytesIO(payload)).load()
    return job
