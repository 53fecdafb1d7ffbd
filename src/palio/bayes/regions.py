"""The region of practical equivalence, as every model takes it."""

from __future__ import annotations

from dataclasses import dataclass

from palio.errors import ParameterError

__all__ = ["Rope", "check_rope"]


@dataclass(frozen=True)
class Rope:
    """A region of practical equivalence: differences within ``±value`` do not matter.

    Parameters
    ----------
    value : float
        Half the width, not negative; in the unit of the score unless the model says otherwise.
    source : str
        Where it comes from, in words.
    """

    value: float
    source: str = "given"


def check_rope(rope: float | Rope, *, at_most: float | None = None) -> Rope:
    """Accept a number or a region, and refuse what is none.

    >>> check_rope(0.01)
    Rope(value=0.01, source='given')
    """
    found = rope if isinstance(rope, Rope) else None
    try:
        value = float(rope.value if isinstance(rope, Rope) else rope)
    except (TypeError, ValueError):
        raise ParameterError(
            "rope", "it is a number, or 'auto' where the table has folds", f"{rope!r} was given"
        ) from None
    if not 0 <= value < float("inf"):
        raise ParameterError("rope", "it is not negative and finite", f"{value!r} was given")
    if at_most is not None and value >= at_most:
        raise ParameterError("rope", f"it is below {at_most:g} here", f"{value!r} was given")
    return found or Rope(value)
