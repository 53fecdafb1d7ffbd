"""How numbers are written: here and nowhere else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping


def number(value: float | None) -> str:
    """Write a score or a statistic with four significant digits; none is a dash.

    >>> number(85.2213), number(93.3), number(0.000123456), number(6006), number(math.nan)
    ('85.22', '93.30', '0.0001235', '6006', '–')
    >>> number(52718.3), number(-1234567)
    ('52,720', '-1.235 million')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) >= _LONG:
        return _large(value, 4)
    return f"{value + 0.0:#.4g}".removesuffix(".")  # -0 is 0


# From here on digits are set apart by thousands.
_LONG = 9999.5

_THOUSANDS = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))


def _large(value: float, digits: int) -> str:
    """Write a large number as people say it.

    >>> _large(52718.3, 2), _large(999999, 3), _large(3.2e9, 3), _large(1e20, 3)
    ('53,000', '1 million', '3.2 billion', '1e+20')
    """
    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) >= 1e15:
        return f"{rounded:.{digits}g}"
    for scale, name in _THOUSANDS:
        if abs(rounded) >= scale:
            return f"{rounded / scale:.{digits}g}{name}"
    return f"{rounded:,.0f}"


# What a unit is in seconds or bytes; `palio.measures.cost_named` reads it from the name of a cost.
_SECONDS = {
    "nanoseconds": 1e-9,
    "microseconds": 1e-6,
    "milliseconds": 1e-3,
    "seconds": 1.0,
    "minutes": 60.0,
    "hours": 3600.0,
}
_BYTES = {
    "bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
}  # fmt: skip
_TIMES = (
    (172_800.0, 86_400.0, "d"), (5_400.0, 3_600.0, "h"), (90.0, 60.0, "min"), (1.0, 1.0, "s"),
    (1e-3, 1e-3, "ms"), (0.0, 1e-6, "µs"),
)  # fmt: skip
_SIZES = ((1e12, 1e12, "TB"), (1e9, 1e9, "GB"), (1e6, 1e6, "MB"), (1e3, 1e3, "kB"), (0.0, 1.0, "B"))


def cost(value: float | None, unit: str = "") -> str:
    """Write a cost as people say it: three digits, in the unit that is near; none is a dash.

    Parameters
    ----------
    value : float or None
        The cost, in its own unit.
    unit : str
        As `palio.measures.cost_named` has it; of an unknown one only the number is said.

    Examples
    --------
    >>> cost(54000.0, "seconds"), cost(0.0123, "seconds"), cost(45, "minutes"), cost(0, "seconds")
    ('15 h', '12.3 ms', '45 min', '0 s')
    >>> cost(3.2e9, "bytes"), cost(512, "MiB"), cost(12, "bytes")
    ('3.2 GB', '537 MB', '12 B')
    >>> cost(52718.3), cost(0.61), cost(6006), cost(1.2e-7), cost(None), cost(3.5, "kWh")
    ('52,700', '0.61', '6,010', '1.2e-07', '–', '3.5 kWh')
    """
    if value is None or not math.isfinite(value):
        return "–"
    for known, steps, zero in ((_SECONDS, _TIMES, "0 s"), (_BYTES, _SIZES, "0 B")):
        if unit in known:
            return _stepped(value * known[unit], steps) if value else zero
    return f"{_plain(value)} {unit}".rstrip()


def _stepped(value: float, steps: tuple[tuple[float, float, str], ...]) -> str:
    """Write in the largest unit whose least the value, as rounded, reaches."""
    rounded = float(f"{value:.3g}")
    _, scale, name = next(step for step in steps if abs(rounded) >= step[0])
    return f"{_plain(rounded / scale)} {name}"


def _plain(value: float) -> str:
    if abs(value) >= 999.5:
        return _large(value, 3)
    return minus(f"{value:.3g}")


def margin(interval: tuple[float, float]) -> str:
    """Write half the width of an interval: two digits are enough.

    >>> margin((0.62, 0.75)), margin((10.0, 70.0)), margin((-60.0, 2460.0)), margin((0.0, math.nan))
    ('0.065', '30', '1260', '–')
    """
    half = (interval[1] - interval[0]) / 2
    if not math.isfinite(half):
        return "–"
    return f"{half:.0f}" if 99.5 <= half < 1e5 else f"{half:#.2g}".removesuffix(".")


def limit(value: float) -> str:
    """Write a limit that someone chose: with as few digits as it has, four at most.

    >>> limit(0.01), limit(0.0112345), limit(5)
    ('0.01', '0.01123', '5')
    """
    return f"{value:.4g}"


def brief(value: float) -> str:
    """Write a score where there is little room: three digits, and no zero before the point.

    >>> brief(0.9123), brief(85.25), brief(0.9), brief(-123456)
    ('.912', '85.2', '.9', '−1.23e+05')
    """
    return minus(unled(f"{value:.3g}"))


def rank(value: float) -> str:
    """Write a mean rank with two decimals.

    >>> rank(3.6578), rank(math.nan)
    ('3.66', '–')
    """
    if math.isnan(value):
        return "–"
    # Adjusted for missing scores, one may stand before the first place there is.
    return "<1" if value < 0.995 else f"{value:.2f}"


def as_printed(value: float) -> str:
    """Write a cell as tables in papers have it, with two decimals.

    >>> as_printed(0.8302), as_printed(0.3)
    ('0.83', '0.30')
    """
    return f"{value:.2f}"


def correlation(value: float) -> str:
    """Write a correlation with three decimals.

    >>> correlation(0.35231), correlation(-0.0669)
    ('0.352', '−0.067')
    """
    return minus(f"{value:.3f}")


# Above, the exponential function has no number.
_LARGEST_LOG = 700

# Below, floating-point numbers end: a 0 there is no probability, but the end of the scale.
_SMALLEST_P = 1e-300


def p_value(value: float | None) -> str:
    """Write a p-value: three decimals, or its magnitude where that would be 0.000.

    >>> p_value(0.0312), p_value(1.5e-8), p_value(0)
    ('0.031', '1.5e-08', '<1e-300')
    """
    if value is None or math.isnan(value):
        return "–"
    if value < _SMALLEST_P:
        return f"<{_SMALLEST_P:.0e}"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def p_said(value: float | None) -> str:
    """Write a p-value in a sentence.

    >>> p_said(0.0312), p_said(0)
    ('p = 0.031', 'p < 1e-300')
    """
    written = p_value(value)
    return f"p < {written[1:]}" if written.startswith("<") else f"p = {written}"


def p_bound(value: float | None) -> str:
    """Write a p-value where there is little room: three decimals, or that it is below them.

    >>> p_bound(0.0312), p_bound(1.5e-8), p_bound(None)
    ('0.031', '<0.001', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def probability(value: float) -> str:
    """Write a probability with three decimals; 1 and 0 only where it is exactly that.

    >>> probability(0.8312), probability(0.99999), probability(1.0), probability(0.0001)
    ('0.831', '>0.999', '1', '<0.001')
    """
    if value in (0, 1):
        return f"{value:.0f}"
    return "<0.001" if value < 0.0005 else ">0.999" if value >= 0.9995 else f"{value:.3f}"


def hundredths(value: float) -> str:
    """Write a probability in per cent where there is little room; 100 and 0 only where exact.

    >>> hundredths(0.8312), hundredths(0.999), hundredths(1.0), hundredths(0.0001)
    ('83', '>99', '100', '<1')
    """
    if value in (0, 1):
        return f"{100 * value:.0f}"
    return "<1" if value <= 0.005 else ">99" if value >= 0.995 else f"{100 * value:.0f}"


def percent(part: float, whole: float) -> str:
    """Write a share; never 100 % unless all of it.

    >>> percent(303, 304), percent(304, 304)
    ('99.7 %', '100 %')
    """
    if part == whole:
        return "100 %"
    return f"{min(99.9, 100 * part / whole):.1f} %"


def part(count: int, whole: int) -> str:
    """Write a count with the part that it is, in whole per cent.

    >>> part(21, 48), part(0, 48)
    ('21 (44 %)', '0 (0 %)')
    """
    return f"{count} ({100 * count / whole:.0f} %)"


def relative(value: float) -> str:
    """Write a relative change in per cent, with four significant digits.

    >>> relative(0.1), relative(0.000312)
    ('10.00 %', '0.03120 %')
    """
    return f"{number(100 * value)} %"


def region(rope: float, *, ratios: bool = False) -> str:
    """Say within what two are practically equal; a region of ratios in per cent.

    >>> region(0.01), region(0.01, ratios=True), region(0)
    ('practically equal within ±0.01', 'practically equal within ±1 %', 'no region of practical
    equivalence')
    """
    if not rope:
        return "no region of practical equivalence"
    return f"practically equal within ±{f'{limit(100 * rope)} %' if ratios else limit(rope)}"


def ratio(log: float) -> str:
    """Write the ratio of two scores from its natural logarithm, with three significant digits.

    >>> ratio(0.0), ratio(-0.2), ratio(9.0)
    ('1.00', '0.819', '8,100')
    """
    value = math.exp(log) if log < _LARGEST_LOG else math.inf
    if value >= 999.5:
        return _large(value, 2)
    return f"{value:#.3g}" if value >= 1e-3 else f"{value:.1e}"


def signed_alike(values: Iterable[float]) -> list[str]:
    """Write differences that stand together with the same decimals, the largest with three digits.

    >>> signed_alike([12.34, -0.56, -0.01])
    ['+12.3', '−0.6', '0.0']
    >>> signed_alike([math.nan, 0.5])
    ['–', '+0.500']
    >>> signed_alike([0.000001])
    ['+1.0e-06']
    """
    numbers = list(values)
    if any(map(math.isnan, numbers)):
        written = iter(signed_alike(value for value in numbers if not math.isnan(value)))
        return ["–" if math.isnan(value) else next(written) for value in numbers]
    largest = max((abs(value) for value in numbers), default=0.0)
    if largest and not 1e-4 <= largest < 1e5:
        return [minus(f"{value:+.1e}") if value else "0" for value in numbers]
    decimals = max(0, 2 - math.floor(math.log10(largest))) if largest else 0
    least = 0.5 * 10**-decimals
    # What rounds to zero has no sign to show.
    return [
        minus(f"{value:+.{decimals}f}") if abs(value) >= least else f"{0:.{decimals}f}"
        for value in numbers
    ]


def differences(values: Iterable[float], *, ratios: bool) -> list[str]:
    """Write differences alike; those of logarithms as the ratios that they are.

    >>> differences([0.5, -0.25], ratios=False), differences([0.0953], ratios=True)
    (['+0.500', '−0.250'], ['×1.10'])
    """
    if not ratios:
        return signed_alike(values)
    return ["–" if math.isnan(value) else f"×{ratio(value)}" for value in values]


def signed_short(value: float) -> str:
    """Write a difference where there is little room: two digits, no more than three decimals.

    >>> [signed_short(value) for value in (12.34, -0.5612, 0.00412, 4.2e-5, 1234567, 0)]
    ['+12', '−.56', '+.004', '+4e-5', '+1e6', '0']
    """
    if not value or math.isnan(value):
        return "0" if value == 0 else "–"
    if not 0.0005 <= abs(value) < 999.5:
        digits, exponent = f"{value:+.0e}".split("e")
        return minus(f"{digits}e{int(exponent)}")
    decimals = min(max(0, 1 - math.floor(math.log10(abs(value)))), 3)
    return minus(unled(f"{value:+.{decimals}f}"))


def unled(text: str) -> str:
    """Leave out the zero before the point, as statistics journals do.

    >>> unled("<0.001"), unled("-0.5"), unled("10.5")
    ('<.001', '-.5', '10.5')
    """
    return re.sub(r"(?<!\d)0\.", ".", text)


def minus(text: str) -> str:
    """Lead with a true minus sign, as wide as the plus.

    >>> minus("-1.5")
    '−1.5'
    """
    return "−" + text[1:] if text.startswith("-") else text


def record(wins: int, ties: int, losses: int) -> str:
    """Write how often one algorithm won, tied and lost against another.

    >>> record(20, 1, 17)
    '20/1/17'
    """
    return f"{wins}/{ties}/{losses}"


def effect(value: float | None) -> str:
    """Write an effect size with two decimals.

    >>> effect(0.347), effect(-0.5), effect(-0.001), effect(math.nan)
    ('0.35', '−0.50', '0.00', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return minus(f"{value:.2f}") if abs(value) >= 0.005 else "0.00"


def share(value: float) -> str:
    """Write a count that ties may have split: no decimals if it is whole, else one.

    >>> share(12.0), share(2.5), share(1 / 3), share(0.0)
    ('12', '2.5', '0.3', '0')
    """
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.1f}"


def span(low: int, high: int) -> str:
    """Write a set of neighbouring ranks; one alone as it is.

    >>> span(1, 5), span(3, 3)
    ('1–5', '3')
    """
    return str(low) if low == high else f"{low}–{high}"


def times(ratio: float) -> str:
    """Write how many times more something is: two digits are enough.

    >>> times(1.234), times(99.5), times(52718), times(2.5e7)
    ('1.2', '100', '53,000', '25 million')
    """
    rounded = float(f"{ratio:.2g}")
    if rounded < 0.095:
        return f"{rounded:.1g}"
    if rounded >= 1000:
        return _large(rounded, 2)
    return f"{rounded:.1f}" if rounded < 10 else f"{rounded:.0f}"


def weighed(weights: Mapping[str, float]) -> str:
    """Write costs with their weights; one alone needs none.

    >>> weighed({"time": 1.0}), weighed({"time": 0.5, "space": 2.0})
    ('time', '0.5 × time + 2 × space')
    """
    if len(weights) == 1:
        return next(iter(weights))
    return " + ".join(f"{weight:g} × {name}" for name, weight in weights.items())


def duration(seconds: float) -> str:
    """Write a rough time in the unit that gives it one to three digits.

    >>> duration(0.2), duration(100), duration(170), duration(20_000), duration(3e5)
    ('1 s', '100 s', '3 min', '6 h', '3 days')
    """
    if seconds < 120:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 3 * 3600:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86400:.0f} days"


def time_left(seconds: float) -> str:
    """Write how long something will still take.

    >>> time_left(700), time_left(-3)
    ('about 12 min left', 'about 1 s left')
    """
    return f"about {duration(seconds)} left"
