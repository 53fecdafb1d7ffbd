"""Cases of one test, few of which are worth their time whenever something changes."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def mostly_slow(cases: Iterable[Any], fast: int | Collection[Any]) -> list[Any]:
    """Return the cases, slow but for the first so many of them, or for those that are named."""
    named = [] if isinstance(fast, int) else fast
    return [
        case
        if (i < fast if isinstance(fast, int) else case in named)
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for i, case in enumerate(cases)
    ]


def a_third_of_the_examples() -> settings:
    """Return how often a property is asked that is dear: with the profile it becomes more."""
    return settings(max_examples=settings().max_examples // 3)
