"""How a job ended; every job ends as one of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["FoldOutcome", "JobOutcome", "Status"]

Status: TypeAlias = Literal["ok", "failed", "timeout", "memory", "killed"]


@dataclass(frozen=True)
class FoldOutcome:
    """The scores and costs of one fold."""

    fold: int
    scores: Mapping[str, float]
    costs: Mapping[str, float]


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
