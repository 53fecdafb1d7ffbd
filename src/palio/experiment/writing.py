"""Writing what is finished while the next is running."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType

from palio.experiment.outcome import JobOutcome

__all__ = ["Writer"]

# What finished within so many seconds is written together; nothing waits longer.
_BATCH_SECONDS = 0.25


class Writer:
    """Hands outcomes to ``save``, several together where they come fast.

    In a thread of its own, so that a short job is not held back until the long one after it ends.
    An error is raised by the next `add`, or at the end.
    """

    def __init__(self, save: Callable[[Sequence[JobOutcome]], object]) -> None:
        self._save = save
        self._batch: list[JobOutcome] = []
        self._error: Exception | None = None
        self._change = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._write, name="palio-writer", daemon=True)

    def add(self, outcome: JobOutcome) -> None:
        """Have an outcome written soon."""
        with self._change:
            self._batch.append(outcome)
            if self._error is not None:
                raise self._error
            if len(self._batch) == 1:
                self._change.notify()

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the rest, also on Ctrl-C: what is finished is kept."""
        with self._change:
            self._over = True
            self._change.notify()
        self._thread.join()
        self._save(self._batch)  # what the thread could not write is tried once more

    def _write(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._batch or self._over)
                # More may come meanwhile; at the end there is nothing to wait for.
                self._change.wait_for(lambda: self._over, timeout=_BATCH_SECONDS)
                if self._over:
                    return
                batch = list(self._batch)
            try:
                self._save(batch)
            except Exception as error:
                self._error = error
                return
            with self._change:
                del self._batch[: len(batch)]
