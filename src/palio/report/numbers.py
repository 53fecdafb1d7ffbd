"""How numbers are written: here and nowhere else."""

from __future__ import annotations

__all__ = ["number", "p_value", "percent", "rank"]


def number(value: float | None) -> str:
    """Write a score, a cost or a statistic with four significant digits.

    >>> number(85.2213), number(93.3), number(0.000123456), number(None)
    ('85.22', '93.30', '0.0001235', '–')
    """
    if value is None:
        return "–"
    return f"{value:#.4g}"


def rank(value: float) -> str:
    """Write a mean rank with two decimals.

    >>> rank(3.6578)
    '3.66'
    """
    return f"{value:.2f}"


def p_value(value: float | None) -> str:
    """Write a p-value: three decimals, or its magnitude where that would be 0.000.

    >>> p_value(0.0312), p_value(1.5e-8), p_value(0)
    ('0.031', '1.5e-08', '0')
    """
    if value is None:
        return "–"
    if value == 0:
        return "0"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def percent(part: int, whole: int) -> str:
    """Write a share; never 100 % unless all of it.

    >>> percent(303, 304), percent(304, 304)
    ('99.7 %', '100 %')
    """
    if part == whole:
        return "100 %"
    return f"{min(99.9, 100 * part / whole):.1f} %"
