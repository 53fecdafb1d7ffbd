"""Checks of what every model takes: how many draws, how much mass."""

from __future__ import annotations

import operator

from palio.errors import ParameterError

__all__ = ["check_draws", "check_mass"]


def check_draws(draws: int) -> int:
    """Refuse a number of draws that is none.

    >>> check_draws(1000)
    1000
    """
    try:
        count = operator.index(draws)
    except TypeError:
        raise ParameterError("draws", "it is a whole number", f"{draws!r} was given") from None
    if count < 1:
        raise ParameterError("draws", "at least one draw is needed", f"{count} was given")
    return count


def check_mass(mass: float) -> float:
    """Refuse a mass that is not strictly between 0 and 1.

    >>> check_mass(0.95)
    0.95
    """
    if not 0 < mass < 1:
        raise ParameterError(
            "mass", "what an interval holds lies between 0 and 1", f"{mass!r} was given"
        )
    return float(mass)
