"""One pair of a posterior in detail: a histogram of its difference, and a few draws as points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.bayes.answer import BestRow, Detail, Histogram
from palio.errors import ParameterError
from palio.registry import unknown_name

if TYPE_CHECKING:
    from palio.bayes.draws import Pairs
    from palio.bayes.posterior import Posterior
    from palio.types import FloatArray

FEWEST_BINS, MOST_BINS = 10, 60
MOST_POINTS = 500

# Draws closer together than this, relative to their size, are one point.
_POINT = 1e-12


def detail_of(
    posterior: Posterior, pair: tuple[str, str] | None, best: Sequence[BestRow]
) -> Detail | None:
    """Return what the figures show of one pair; ``best`` are the rows of a joint model, or none."""
    pairs, names = posterior.pairs, posterior.algorithms
    if not pairs.first.size:
        return None
    a, b = leading_pair(pairs, len(names), best) if pair is None else _named(pair, names)
    p, turned = _place(pairs, a, b, names)
    better, equal, worse = pairs.probabilities[p, :: -1 if turned else 1].tolist()
    low, high = pairs.hdi[p].tolist()
    mean = float(pairs.difference[p])
    gaps, regions = _gaps(posterior, p), posterior.draws.values.get("regions")
    if regions is not None:
        regions = regions[:, :, p, ::-1] if turned else regions[:, :, p]
    return Detail(
        a=names[a],
        b=names[b],
        p_a_better=better,
        p_rope=equal,
        p_b_better=worse,
        mean=-mean if turned else mean,
        hdi=(-high, -low) if turned else (low, high),
        difference=None if gaps is None else histogram(-gaps if turned else gaps),
        points=None if regions is None else thinned(regions),
    )


def leading_pair(pairs: Pairs, k: int, best: Sequence[BestRow] = ()) -> tuple[int, int]:
    """Return the two that lead: by the probability to be best, or by the pairs they win."""
    if best:
        keys = [(-row.p_best, row.expected_loss) for row in best]
        first, second = sorted(range(k), key=keys.__getitem__)[:2]
        return first, second
    shares = win_shares(pairs, k)
    p = int(np.argmax(shares[pairs.first] + shares[pairs.second]))
    a, b = int(pairs.first[p]), int(pairs.second[p])
    return (a, b) if shares[a] >= shares[b] else (b, a)


def _named(pair: tuple[str, str], names: tuple[str, ...]) -> tuple[int, int]:
    if isinstance(pair, str) or len(pair) != 2:
        raise ParameterError("pair", "it is two algorithms", f"{pair!r} was given")
    for name in pair:
        if name not in names:
            raise unknown_name("pair", name, names)
    return names.index(pair[0]), names.index(pair[1])


def _place(pairs: Pairs, a: int, b: int, names: tuple[str, ...]) -> tuple[int, bool]:
    """Return where a pair is, and whether it stands there the other way round."""
    for one, other, turned in ((a, b, False), (b, a, True)):
        found = np.flatnonzero((pairs.first == one) & (pairs.second == other))
        if found.size:
            return int(found[0]), turned
    raise ParameterError("pair", f"{names[a]!r} and {names[b]!r} are not a pair that was compared")


def _gaps(posterior: Posterior, p: int) -> FloatArray | None:
    """Return the draws of the difference of a pair, if there are any."""
    values, pairs = posterior.draws.values, posterior.pairs
    if posterior.effects:
        effects = values[posterior.effects]
        gaps: FloatArray = effects[:, :, pairs.first[p]] - effects[:, :, pairs.second[p]]
        return gaps
    return values["difference"][:, :, p] if "difference" in values else None


def win_shares(pairs: Pairs, k: int) -> FloatArray:
    """Return how often each algorithm is expected to win its pairs; equal is half a win.

    >>> from palio.bayes.draws import Pairs
    >>> nothing = np.zeros(1)
    >>> three = np.array([[0.5, 0.2, 0.3]])
    >>> pair = Pairs(np.array([0]), np.array([1]), three, nothing, np.zeros((1, 2)), nothing)
    >>> win_shares(pair, 2)
    array([0.6, 0.4])
    """
    won, met = np.zeros(k), np.zeros(k)
    for side, better in ((pairs.first, 0), (pairs.second, 2)):
        np.add.at(won, side, pairs.probabilities[:, better] + pairs.probabilities[:, 1] / 2)
        np.add.at(met, side, 1.0)
    shares: FloatArray = won / np.maximum(met, 1.0)
    return shares


def histogram(draws: FloatArray) -> Histogram:
    """Count draws in bins: ``edges``, ``counts``, and how many lie ``beyond`` the outer edges.

    The ``mean`` and the ``sd`` of all are there too. Long tails are cut off where they would
    squeeze the rest into a few bins; of these there are 2 n^⅓ (Rice's rule), 10 to 60.

    >>> found = histogram(np.array([0.0, 1.0, 2.0, 2.0]))
    >>> found.counts, found.edges[-1], found.beyond, found.mean
    ([1, 0, 0, 0, 0, 1, 0, 0, 0, 2], 2.0, 0, 1.25)
    """
    values = draws.ravel()
    size = float(np.abs(values).max())
    if np.ptp(values) <= _POINT * size:
        return _spike(values, room=size / 20 or 1.0)
    bins = int(np.clip(np.ceil(2 * np.cbrt(values.size)), FEWEST_BINS, MOST_BINS))
    counts, edges = np.histogram(values, bins=bins, range=_range(values, size))
    return Histogram(
        edges=edges.tolist(),
        counts=counts.tolist(),
        beyond=int(values.size - counts.sum()),
        mean=float(values.mean()),
        sd=float(values.std(ddof=1)),
    )


def _spike(values: FloatArray, *, room: float) -> Histogram:
    middle = float(values[0])
    edges = [middle - room, middle - room / MOST_BINS, middle + room / MOST_BINS, middle + room]
    return Histogram(edges, [0, values.size, 0], beyond=0, mean=middle, sd=0.0)


def _range(values: FloatArray, size: float) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    inner_low, inner_high = np.quantile(values, [0.005, 0.995]).tolist()
    room = 0.5 * (inner_high - inner_low)
    # Of a normal distribution nothing is cut; a constant with a few strays keeps them.
    if room <= _POINT * size:
        return low, high
    return max(low, inner_low - room), min(high, inner_high + room)


def thinned(regions: FloatArray, *, most: int = MOST_POINTS) -> list[list[float]]:
    """Return at most so many draws of three probabilities (chains, draws, 3), evenly spaced."""
    flat = regions.reshape(-1, regions.shape[-1])
    rows = np.linspace(0, len(flat) - 1, min(most, len(flat))).astype(int)
    points: list[list[float]] = flat[rows].tolist()
    return points
