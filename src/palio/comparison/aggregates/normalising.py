"""Scores on many scales brought to one, by anchors that are declared: `NORMALISATIONS`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from palio.errors import CellError, Option, ParameterError
from palio.measures import Measure
from palio.registry import Registry, unknown_name
from palio.scores.scale import in_own_sense, on_scale
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import BoolArray, FloatArray
from palio.words import count, quoted

_DECIMALS = 12

Anchor: TypeAlias = str | float
Normalisation: TypeAlias = str | Mapping[str, Anchor] | None


@dataclass(frozen=True, eq=False)
class Raw:
    """What is normalised: the means (S, K) and the runs (S, K, R), NaN where there is none.

    ``units`` (S,) are those of the data sets on a ratio scale, else 1.
    """

    means: FloatArray
    runs: FloatArray
    units: FloatArray
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    measure: Measure

    def column(self, name: str) -> FloatArray:
        """Return the means of an algorithm."""
        if name not in self.algorithms:
            raise unknown_name("algorithm", name, self.algorithms)
        return self.means[:, self.algorithms.index(name)]

    def on_scale(self, values: FloatArray) -> FloatArray:
        """Return means or runs on the scale of the measure, higher is better; ratios as logarithms.

        NaN where a value is at the floor of a ratio scale.
        """
        goodness = on_scale(values, self.measure, self.units).for_means
        if self.measure.scale != "ratio":
            return goodness
        # Rounded, for the last bits of a ratio depend on the unit.
        logs = in_own_sense(goodness, self.measure)
        return np.round(self.measure.goodness_sign * logs, _DECIMALS)


@dataclass(frozen=True, eq=False)
class Scaled:
    """Scores on one scale, higher is better, on the data sets that are ``kept``.

    ``unit`` says what they are; ``ratios`` are logarithms of these; ``turned`` scores are shown
    with the sign changed, lower being better.
    """

    means: FloatArray
    runs: FloatArray
    kept: BoolArray
    said: str
    unit: str
    target: float = float("nan")
    ratios: bool = False
    turned: bool = False
    notes: tuple[str, ...] = ()

    def shown(self, values: FloatArray) -> FloatArray:
        """Return values for display: ratios themselves, scores in their own sense."""
        sense = -values if self.turned else values
        return np.exp(sense) if self.ratios else sense

    def hidden(self, value: float) -> float:
        """Return the value that is shown as this one."""
        sense = math.log(value) if self.ratios else value
        return -sense if self.turned else sense

    def shown_between(self, values: FloatArray) -> FloatArray:
        """Return differences of such values for display."""
        return np.exp(values) if self.ratios else values


@dataclass(frozen=True)
class Normaliser:
    """An entry of the registry: what it is called, what it does, and what anchors it takes."""

    name: str
    title: str
    run: Callable[[Raw, Mapping[str, Anchor]], Scaled]


def normalised(scores: Raw, how: Normalisation) -> Scaled:
    """Bring scores to one scale, or leave them as they are where one measure has them all.

    Examples
    --------
    >>> means = np.array([[2.0, 4.0, 3.0], [10.0, 0.0, 5.0]])
    >>> scores = Raw(
    ...     means, means[..., np.newaxis], np.ones(2), ("a", "b"), ("x", "y", "z"),
    ...     Measure("reward", higher_is_better=True),
    ... )
    >>> normalised(scores, "min-max").means.tolist()
    [[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]]
    >>> normalised(scores, {"human": 5, "random": "z"}).means[0].tolist()
    [-0.5, 0.5, 0.0]
    """
    name, anchors = _asked(how)
    return NORMALISATIONS[name].run(scores, anchors)


def goes_by_scale(how: Normalisation) -> bool:
    """Whether scores stay on the scale of their measure, ratios as logarithms."""
    return _asked(how)[0] in ("none", "baseline")


def anchoring(how: Normalisation, algorithms: Sequence[str]) -> tuple[str, ...]:
    """Return the algorithms that are the two ends of the scale, by definition 1 and 0.

    They compete with nobody; unless fewer than two others are left, which then compete with them.

    >>> anchoring("human=h,random=r", ("h", "r", "x", "y")), anchoring("top=h,low=0", ("h", "x"))
    (('h', 'r'), ())
    """
    name, anchors = _asked(how)
    ends = tuple(each for each in algorithms if each in anchors.values())
    return ends if name == "anchors" and len(algorithms) - len(ends) > 1 else ()


def _asked(how: Normalisation) -> tuple[str, Mapping[str, Anchor]]:
    """Return the entry that is asked for, and its anchors by their labels."""
    if how is None:
        return "none", {}
    anchors = dict(how) if isinstance(how, Mapping) else _anchors_in(how)
    if isinstance(how, str) and not anchors:
        return NORMALISATIONS.name_of(how), {}
    if list(anchors) == ["baseline"]:
        return "baseline", anchors
    if len(anchors) != 2:
        raise ParameterError(
            "normalise",
            "two anchors are needed, what is 1 and what is 0",
            f"{how!r} was given",
            f"write {Option('normalise', 'human=NAME,random=0')}: names of algorithms, or numbers",
        )
    return "anchors", anchors


def _anchors_in(text: str) -> dict[str, Anchor]:
    """Read ``label=anchor,label=anchor``; the name of an algorithm may have commas in it.

    >>> _anchors_in("human=svm, C=1,random=-0.5"), _anchors_in("baseline=rf")
    ({'human': 'svm, C=1', 'random': -0.5}, {'baseline': 'rf'})
    """
    label, equals, rest = (part.strip() for part in text.partition("="))
    if not equals:
        return {}
    two = re.fullmatch(r"(.+),([^,=]+)=(.+)", rest)
    if label == "baseline" or two is None:
        return {label: rest if label == "baseline" else _number_or_name(rest)}
    first, other, second = (part.strip() for part in two.groups())
    return {label: _number_or_name(first), other: _number_or_name(second)}


def _number_or_name(text: str) -> Anchor:
    try:
        return float(text)
    except ValueError:
        return text


# --- the entries ----------------------------------------------------------------------------------


def _as_they_are(scores: Raw, _anchors: Mapping[str, Anchor]) -> Scaled:
    measure = scores.measure
    if measure.is_ordinal:
        raise ParameterError(
            "normalise",
            f"{measure.name} differs by data set, so that its scores have no unit in common and "
            "no mean",
            remedy=f"give {Option('normalise', 'min-max')}, or two algorithms as anchors: "
            f"{Option('normalise', 'top=NAME,bottom=NAME')}; or choose the data sets of one "
            "measure",
        )
    ratios = measure.scale == "ratio"
    size = f"1 − {measure.name}" if ratios and measure.is_explained_share else measure.name
    return Scaled(
        scores.on_scale(scores.means), scores.on_scale(scores.runs),
        np.ones(len(scores.means), dtype=np.bool_),
        "in units of the data sets' medians" if ratios else "not normalised", size,
        _best_possible(scores), ratios=ratios, turned=measure.goodness_sign < 0,
        notes=("aggregates are made of logarithms, the mean is geometric",) if ratios else (),
    )  # fmt: skip


def _best_possible(scores: Raw) -> float:
    """Return the best value that the measure can have, turned; NaN where there is none."""
    measure = scores.measure
    if measure.scale != "difference" or not measure.is_bounded:
        return float("nan")
    if not measure.higher_is_better:
        return 0.0 if measure.lower == 0 else float("nan")
    low, high = measure.possible
    if high != 100.0 or low > 0:
        return float("nan")
    # Fractions, unless one of them is none.
    return 1.0 if np.nanmax(scores.means) <= 1 else 100.0


def _between(
    scores: Raw, low: FloatArray, high: FloatArray, said: str, notes: tuple[str, ...] = ()
) -> Scaled:
    """Scale what lies between two ends to 0 … 1; without data sets where these are the same."""
    turned = scores.measure.turned
    size = TIE_TOLERANCE * np.maximum(np.abs(low), np.abs(high))
    kept = np.asarray(np.abs(high - low) > size)
    if not kept.any():
        raise CellError("normalise", f"both ends of '{said}' are the same on every data set")
    if not kept.all():
        gone = [scores.datasets[i] for i in np.flatnonzero(~kept).tolist()]
        notes = (
            *notes,
            f"left out {count(len(gone), 'data set')} on which both ends are the same: "
            f"{quoted(gone)}",
        )
    span = np.where(kept, turned(high) - turned(low), np.nan)[:, np.newaxis]
    start = turned(low)[:, np.newaxis]
    return Scaled(
        (turned(scores.means) - start) / span,
        (turned(scores.runs) - start[..., np.newaxis]) / span[..., np.newaxis],
        kept, said, "normalised score", 1.0, notes=notes,
    )  # fmt: skip


def _min_max(scores: Raw, _anchors: Mapping[str, Anchor]) -> Scaled:
    turned = scores.measure.turned(scores.means)
    ends = (np.nanmin(turned, axis=1), np.nanmax(turned, axis=1))
    low, high = (scores.measure.turned(end) for end in ends)
    note = (
        "min-max: on each data set the worst mean of the pool is 0 and the best is 1, so that a "
        "score depends on who else is compared"
    )
    return _between(scores, low, high, "min-max", (note,))


def _by_anchors(scores: Raw, anchors: Mapping[str, Anchor]) -> Scaled:
    (top, at_one), (bottom, at_zero) = anchors.items()
    high, low = (_values_of(each, scores) for each in (at_one, at_zero))
    wrong = scores.measure.turned(high) < scores.measure.turned(low)
    if wrong.any():
        names = [scores.datasets[i] for i in np.flatnonzero(wrong).tolist()]
        raise ParameterError(
            "normalise",
            f"the first anchor is 1 and the second is 0, so {top} must be better than {bottom}",
            f"it is worse on {count(len(names), 'data set')}: {quoted(names)}",
            "change their order, give others, or leave those data sets out",
        )
    said = f"1 is {top} ({at_one}), 0 is {bottom} ({at_zero})"
    return _between(scores, low, high, said)


def _values_of(anchor: Anchor, scores: Raw) -> FloatArray:
    """Return what an anchor is on each data set."""
    if isinstance(anchor, str):
        return scores.column(anchor)
    if scores.measure.is_ordinal:
        raise ParameterError(
            "normalise",
            f"{scores.measure.name} differs by data set, and a number has one unit",
            f"{anchor:g} was given",
            "give the name of an algorithm as anchor",
        )
    return np.full(len(scores.means), float(anchor))


def _to_baseline(scores: Raw, anchors: Mapping[str, Anchor]) -> Scaled:
    name, measure = anchors["baseline"], scores.measure
    if not isinstance(name, str):
        raise ParameterError("normalise", "a baseline is an algorithm", f"{name:g} was given")
    scores.column(name)  # which says who there is instead
    if measure.is_ordinal:
        raise ParameterError(
            "normalise",
            f"{measure.name} differs by data set, so that differences from {name} have no unit",
            remedy=f"give {Option('normalise', 'min-max')}",
        )
    own = _as_they_are(scores, {})
    start = own.means[:, [scores.algorithms.index(name)]]
    found = replace(
        own, means=own.means - start, runs=own.runs - start[..., np.newaxis], turned=False
    )
    if not own.ratios:
        said, unit = f"difference from {name}", f"{measure.name} better than {name}"
        return replace(found, said=said, unit=unit, target=float("nan"))
    unit = f"times better than {name}"
    return replace(found, said=f"ratio to {name}", unit=unit, target=0.0)


NORMALISATIONS: Registry[Normaliser] = Registry.of(
    "normalise",
    Normaliser("none", "scores as they are", _as_they_are),
    Normaliser("min-max", "0 is the worst of the pool, 1 the best", _min_max),
    Normaliser("baseline", "differences from an algorithm, or ratios to it", _to_baseline),
    Normaliser("anchors", "1 and 0 are two algorithms or numbers", _by_anchors),
)
