"""Estimators that misbehave."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]

from palio.experiment.engines import start_worker
from palio.systems import system


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts the first class; the base of the others."""

    def fit(self, X: Any, y: Any) -> "Constant":
        self.classes_ = np.unique(y)
        self.misbehave()
        return self

    def misbehave(self) -> None:
        """Do what the subclass is for."""

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


class Raises(Constant):
    def misbehave(self) -> None:
        raise ValueError("no good\nand a second line")


class Sleeps(Constant):
    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds = seconds

    def misbehave(self) -> None:
        time.sleep(self.seconds)


class TellsWhen(Constant):
    """Writes down when it began and ended, by a clock that all processes share."""

    def __init__(self, file: str = "", seconds: float = 0.1) -> None:
        self.file = file
        self.seconds = seconds

    def misbehave(self) -> None:
        began = time.monotonic()
        time.sleep(self.seconds)
        with Path(self.file).open("a", encoding="ascii") as file:
            file.write(f"{began} {time.monotonic()}\n")


class Interrupts(TellsWhen):
    """Writes down that it was fitted; the so-many-th time someone presses Ctrl-C."""

    def __init__(self, file: str = "", seconds: float = 0.0, at: int = 0) -> None:
        super().__init__(file, seconds)
        self.at = at

    def misbehave(self) -> None:
        super().misbehave()
        if len(Path(self.file).read_text(encoding="ascii").splitlines()) == self.at:
            os.kill(os.getpid(), signal.SIGINT)

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0].round().astype(int)  # so that folds differ


class Hoards(Constant):
    def misbehave(self) -> None:
        self.hoard_ = np.ones(4_000_000_000 // 8)


class Exits(Constant):
    def misbehave(self) -> None:
        os._exit(7)


class Shouts(Constant):
    def misbehave(self) -> None:
        sys.stdout.write("x" * 5_000_000)
        os.write(1, b"y" * 5_000_000)


class Unpicklable(Constant):
    def __init__(self, lock: Any = None) -> None:
        self.lock = lock if lock is not None else threading.Lock()


class PredictsNan(Constant):
    def predict(self, X: Any) -> Any:
        raise FloatingPointError("not a number")


class ExitsOnce(Constant):
    """Dies the first time, as if the machine had killed it."""

    def __init__(self, marker: str = "") -> None:
        self.marker = marker

    def misbehave(self) -> None:
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os._exit(9)


class RaisesOnce(Constant):
    """Fails the first time, as if something had been out of reach."""

    def __init__(self, marker: str = "") -> None:
        self.marker = marker

    def misbehave(self) -> None:
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        raise ConnectionError("out of reach")


class TellsWhere(Constant):
    """Fails with the number of the process it is in."""

    def misbehave(self) -> None:
        raise RuntimeError(str(os.getpid()))


class Strange(BaseException):
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class RaisesAnything(Constant):
    """Raises what is no ordinary exception, by its name."""

    def __init__(self, what: str = "SystemExit") -> None:
        self.what = what

    def misbehave(self) -> None:
        if self.what == "long":
            raise ValueError("x" * 20_000_000)
        raise {
            "SystemExit": SystemExit(3),
            "KeyboardInterrupt": KeyboardInterrupt(),
            "GeneratorExit": GeneratorExit(),
            "StopIteration": StopIteration(),
            "Strange": Strange(),
        }[self.what]


class TellsPid(TellsWhen):
    """Writes down in which process it was fitted, and takes its time."""

    def misbehave(self) -> None:
        with Path(self.file).open("a", encoding="ascii") as file:
            file.write(f"{os.getpid()} {os.getppid()}\n")
        time.sleep(self.seconds)

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0].round().astype(int)


class ExitsAndTells(TellsWhen):
    """Takes its worker along each time, and writes down when."""

    def misbehave(self) -> None:
        super().misbehave()
        os.kill(os.getpid(), signal.SIGKILL)


def dies(*_arguments: Any) -> None:
    """Stand for a worker that cannot start."""
    os._exit(1)


def is_not_known(*arguments: Any) -> None:
    """Be a worker on a system that does not say what a job could change."""
    refused = PermissionError("not told")
    with patch.object(type(system()), "process_state", side_effect=refused):
        start_worker(*arguments)


class Swallows(Constant):
    """Makes do with what there is when someone presses Ctrl-C, or another error of it."""

    def __init__(self, raises: bool = False) -> None:
        self.raises = raises

    def misbehave(self) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt as error:
            if self.raises:
                raise RuntimeError("broken off") from error


class Draws(Constant):
    """Draws its answers, so that whoever seeds it otherwise, or fits it twice, is found out."""

    def __init__(self, number: int = 0, seconds: float = 0.0, random_state: Any = None) -> None:
        self.number = number
        self.seconds = seconds
        self.random_state = random_state

    def misbehave(self) -> None:
        time.sleep(self.seconds)
        self.drawn_ = np.random.default_rng(self.random_state).random()

    def predict(self, X: Any) -> Any:
        first = np.asarray(X, dtype=float)[:, 0]
        return self.classes_[np.argsort(np.argsort(first * self.drawn_)) % len(self.classes_)]


class CpuElsewhere(Constant):
    """Fits another, and fails with the share of CPU time that other threads than its own took."""

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> "CpuElsewhere":
        whole, here = time.process_time(), time.thread_time()
        for _ in range(3):
            self.estimator.fit(X, y)
        whole, here = time.process_time() - whole, time.thread_time() - here
        raise RuntimeError(f"{(whole - here) / whole:.3f}")
