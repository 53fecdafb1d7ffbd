"""Families of p-values along the last axis: checked, sorted, stepped through and put back.

And the critical values of Rom's procedure, with the level at which a p-value meets one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py

from palio.types import FloatArray, IntArray


def probabilities(p: ArrayLike) -> FloatArray:
    """Return ``p`` as floats, all between 0 and 1."""
    raw = np.asarray(p, dtype=np.float64)
    bad = ~((raw >= 0.0) & (raw <= 1.0))
    if bad.any():
        raise ValueError(f"p must lie between 0 and 1; got {float(raw[bad][0])!r}.")
    return raw


def sorted_family(p: ArrayLike) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return p, p ascending, the order that sorts it, and the places 1 … m."""
    raw = probabilities(p)
    family = np.atleast_1d(raw)
    order = np.argsort(family, axis=-1, kind="stable")
    ordered = np.take_along_axis(family, order, axis=-1)
    return raw, ordered, order, np.arange(1, family.shape[-1] + 1)


def step_down(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    """Let no value fall below one before it, and put them back where ``raw`` had them."""
    return _restored(raw, np.maximum.accumulate(stepped, axis=-1), order)


def step_up(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    """Let no value rise above one after it, and put them back where ``raw`` had them."""
    return _restored(raw, np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1], order)


def _restored(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    adjusted = np.empty_like(stepped)
    np.put_along_axis(adjusted, order, np.minimum(1.0, stepped), axis=-1)
    # m p / m may round to just below p.
    return np.maximum(raw, adjusted.reshape(raw.shape))


# --- Rom's procedure -----------------------------------------------------------------------------

_CELLS = 1 << 21
_NEGLIGIBLE = 1e-18


def rom_critical_values(alpha: float, m: int) -> FloatArray:
    """Return c₁ … cₘ: the largest p-value is held against c₁, the next against c₂, and so on.

    Examples
    --------
    >>> rom_critical_values(0.05, 4).round(5).tolist()
    [0.05, 0.025, 0.01688, 0.01271]
    """
    places = np.arange(1, m + 1)
    return _recursion(np.full(m, float(alpha)), places)[0]


def rom_level(ordered: FloatArray) -> FloatArray:
    """Return, for ascending p-values along the last axis, the level at which each is reached.

    That is the smallest α with c(α) ≥ p, c the critical value of its place, or 1 if there is none.
    Where that can be told to exceed the level of a larger p-value, so that no step-up procedure
    uses it, an upper bound stands instead.
    """
    place = np.arange(ordered.shape[-1], 0, -1)
    # Šidák's critical value is above Rom's and Hochberg's α / r below, so the level lies between.
    low = -np.expm1(xlog1py(place, -ordered))
    high = np.minimum(1.0, place * ordered)
    lowest = np.minimum.accumulate(high[..., ::-1], axis=-1)[..., ::-1]
    wanted = low < high  # not so at places 1, for p = 0, and where both round to 1
    wanted[..., :-1] &= low[..., :-1] < lowest[..., 1:]
    level = high.copy()
    places = np.broadcast_to(place, ordered.shape)[wanted]
    found, p, low, high = high[wanted], ordered[wanted], low[wanted], high[wanted]
    rows = max(_CELLS // max(place.size, 1), 1)
    for start in range(0, p.size, rows):
        part = slice(start, start + rows)
        found[part] = _solve(p[part], places[part], low[part], high[part])
    level[wanted] = found
    return level


def _solve(p: FloatArray, place: IntArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Find the root of c(α) = p between ``low``, where c ≤ p, and ``high``."""
    # c is convex in α: Newton's first step from the lower end passes the root, the others fall
    # towards it until rounding stops them. For many hypotheses Šidák's level is close already.
    level = low.copy()
    active = np.arange(p.size)
    for turn in range(100):
        if active.size == 0:
            break
        value, slope = _recursion(level[active], place[active])
        moved = level[active] - (value - p[active]) / slope
        moved = np.clip(moved, low[active], high[active])
        falls = moved < (1.0 - 1e-15) * level[active]
        level[active] = moved
        active = active[falls] if turn else active
    return level


def _recursion(alpha: FloatArray, place: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return c and dc/dα at each place, each for its own α > 0.

    n uniform p-values are all accepted with chance 1 - α, for every n. Counting by the number j of
    them that are accepted before the first that is not, this gives Rom's recursion,
    n cₙ = Σ_{j=1}^{n-1} αʲ - Σ_{j=1}^{n-2} C(n, j) cⱼ₊₁ⁿ⁻ʲ.
    """
    m = int(place.max(initial=1))
    value, slope = alpha.copy(), np.ones_like(alpha)
    critical = np.empty((m + 1, alpha.size))
    relative = np.empty_like(critical)  # (dc/dα) / c
    terms = np.empty_like(critical)  # C(n, j) cⱼ₊₁ⁿ⁻ʲ at row j, for the current n
    power, powers, powers_slope = np.ones_like(alpha), np.zeros_like(alpha), np.zeros_like(alpha)
    first = 1
    for n in range(2, m + 1):
        powers_slope += (n - 1) * power
        power = power * alpha
        powers += power
        j = np.arange(first, n - 1)[:, None]
        now = terms[first : n - 1]
        now *= n / (n - j) * critical[first + 1 : n]
        c = (powers - now.sum(axis=0)) / n
        c_slope = (powers_slope - ((n - j) * now * relative[first + 1 : n]).sum(axis=0)) / n
        critical[n], relative[n], terms[n - 1] = c, c_slope / c, n * c
        here = place == n
        value[here], slope[here] = c[here], c_slope[here]
        # Old terms have high powers; once without weight, they stay so.
        while first < n - 1 and (terms[first] <= _NEGLIGIBLE * powers).all():
            first += 1
    return value, slope
