"""Corrections for testing many pairs at once, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palio.registry import Registry
from palio.stats import adjust
from palio.stats._types import FloatArray

__all__ = ["CORRECTIONS", "Correction", "correction_named"]


@dataclass(frozen=True)
class Correction:
    """A way to adjust the p-values of a family of tests (along the last axis)."""

    name: str
    title: str
    adjust: Callable[[FloatArray], FloatArray]


CORRECTIONS: Registry[Correction] = Registry.of(
    "correction",
    Correction("none", "no correction", adjust.none),
    Correction("bonferroni", "Bonferroni", adjust.bonferroni),
    Correction("holm", "Holm", adjust.holm),
)


def correction_named(name: str | None) -> Correction:
    """Look a correction up; ``None`` is none.

    >>> correction_named(None).title
    'no correction'
    """
    return CORRECTIONS["none" if name is None else name]
