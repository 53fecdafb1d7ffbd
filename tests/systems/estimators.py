"""Learners that take too much, and keep it."""

import time

import numpy as np

from tests.experiment.estimators import Constant, Sleeps

__all__ = ["Hoards", "Sleeps"]


class Hoards(Constant):
    def misbehave(self) -> None:
        self.hoard_ = np.ones(150_000_000 // 8)
        time.sleep(60)
