"""Significance levels."""

from __future__ import annotations

from palio.errors import ParameterError

__all__ = ["check_alpha"]


def check_alpha(alpha: float) -> None:
    """Refuse a significance level outside (0, 1)."""
    if not 0 < alpha < 1:
        raise ParameterError(
            "alpha",
            "a significance level lies between 0 and 1",
            f"{alpha!r} was given",
            "0.05 is usual",
        )
