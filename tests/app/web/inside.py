"""What the tests have done inside a worker; it imports little, for each new worker loads it."""

import os
import signal
import time
from pathlib import Path

from palio.errors import ParameterError


def refuse(message: str) -> None:
    raise ParameterError(message)


def kill(path: str, times: int) -> str:
    """Die, the first so many times that this is asked."""
    done = len(list(Path(path).iterdir()))
    if done < times:
        (Path(path) / str(done)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def reserve(n: int) -> int:
    return len(bytearray(n))


def reserve_and_wait(n: int, seconds: float) -> int:
    taken = b"x" * n
    time.sleep(seconds)
    return len(taken)


class OddError(Exception):
    """An error that can be packed, but not unpacked."""

    def __init__(self, a: str, b: str) -> None:
        super().__init__(a + b)


def fail_oddly() -> None:
    raise OddError("a secret ", "of the worker")


# --- counting what a worker does ------------------------------------------------------------------

_done = {"read": 0, "analysed": 0}


def count() -> None:
    """Count from here on how many tables are read, and how many reports made."""
    from palio.app.web import worker

    def counting(name: str, kind: str) -> None:
        work = getattr(worker, name)

        def counted(*given: object) -> object:
            _done[kind] += 1
            return work(*given)

        setattr(worker, name, counted)

    counting("_read", "read")
    counting("_analysed", "analysed")


def counted() -> dict[str, int]:
    return _done
