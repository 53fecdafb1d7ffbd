"""Names on their way out: they work, and say what to use and when they go.

What is public, and how long such a name lives, is in docs/policy.md.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def deprecated(
    *, since: str, gone: str, instead: str
) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Mark a public function that will go: who calls it is told, at their own line.

    The warning is one that Python shows to everyone, once for each place that calls. Its text is
    also the function's ``__deprecated__``, as PEP 702 has it, by which the tests find what must be
    marked in the documentation (``.. deprecated::``) and what is overdue.

    Parameters
    ----------
    since, gone : str
        The version that deprecates it, and the one that will not have it.
    instead : str
        What to use.

    Examples
    --------
    >>> @deprecated(since="0.2.0", gone="0.4.0", instead="palio.order")
    ... def sort_out() -> int:
    ...     return 1
    >>> sort_out.__deprecated__
    'palio.sort_out is deprecated since 0.2.0 and goes with 0.4.0: use palio.order'
    """

    def mark(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        said = (
            f"palio.{function.__name__} is deprecated since {since} and goes with {gone}: "
            f"use {instead}"
        )

        @functools.wraps(function)
        def told(*args: Given.args, **options: Given.kwargs) -> Answer:
            warnings.warn(said, FutureWarning, stacklevel=2)
            return function(*args, **options)

        told.__deprecated__ = said  # type: ignore[attr-defined]
        return told

    return mark
