"""How a job ended; every job ends as one of these."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.errors import UnreadableError
from palio.words import harmless, one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

Status: TypeAlias = Literal["ok", "failed", "timeout", "memory", "killed"]


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """What a classifier said of each test instance of one fold.

    Parameters
    ----------
    instances : array of int, (n,)
        The rows of the data set.
    truth, predicted : array of str, (n,)
        Their classes, and those that the classifier said.
    classes : tuple of str
        All C classes of the data set.
    probabilities : array of float, (n, C), optional
        In the order of ``classes``; 0 for a class that was not there to be trained on.

    Examples
    --------
    >>> said = FoldPredictions(np.array([3, 5]), np.array(["a", "b"]), np.array(["a", "a"]),
    ...                        ("a", "b"))
    >>> again = FoldPredictions.from_bytes(said.to_bytes())
    >>> again.instances, again.predicted.tolist(), again.classes, again.probabilities
    (array([3, 5]), ['a', 'a'], ('a', 'b'), None)
    """

    instances: NDArray[np.int64]
    truth: NDArray[np.str_]
    predicted: NDArray[np.str_]
    classes: tuple[str, ...]
    probabilities: NDArray[np.float64] | None = None

    def to_bytes(self) -> bytes:
        """Return it as NumPy's compressed format, which needs no pickle."""
        absent = np.empty((len(self.instances), 0))
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            instances=self.instances,
            truth=np.asarray(self.truth, dtype=np.str_),
            predicted=np.asarray(self.predicted, dtype=np.str_),
            classes=np.asarray(self.classes, dtype=np.str_),
            probabilities=absent if self.probabilities is None else self.probabilities,
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FoldPredictions:
        """Read what `to_bytes` wrote; what anyone else wrote is refused, and never unpickled."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                probabilities = arrays["probabilities"]
                return cls(
                    instances=arrays["instances"],
                    truth=arrays["truth"],
                    predicted=arrays["predicted"],
                    classes=tuple(arrays["classes"].tolist()),
                    probabilities=probabilities if probabilities.shape[1] else None,
                )
        except Exception as error:  # NumPy and zip have many ways to complain
            rule = f"predictions in it are none that Palio wrote: {one_line(str(error))}"
            raise UnreadableError("store", rule) from error


@dataclass(frozen=True)
class FoldOutcome:
    """The scores and costs of one fold, and the predictions where they were asked for."""

    fold: int
    scores: Mapping[str, float]
    costs: Mapping[str, float]
    predictions: FoldPredictions | None = None


@dataclass(frozen=True)
class DoneFold:
    """A fold of a job that is not at its end, and the machine that it was measured on."""

    outcome: FoldOutcome
    machine: Mapping[str, str]


Begun: TypeAlias = Mapping[str, Sequence[DoneFold]]
"""By key: the folds of jobs that were interrupted."""


_LONGEST_TRACEBACK = 20_000  # letters


@dataclass(frozen=True)
class JobOutcome:
    """The end of a job: its folds, or what went wrong and at which stage."""

    key: str
    status: Status
    folds: tuple[FoldOutcome, ...] = ()
    stage: str = ""
    error: str = ""
    traceback: str = ""
    seconds: float = 0.0
    machine: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What a fit raises may be of any length, and travels, is stored and is shown.
        object.__setattr__(self, "error", harmless(self.error))
        object.__setattr__(self, "traceback", harmless(self.traceback, _LONGEST_TRACEBACK))
