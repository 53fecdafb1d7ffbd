"""Scores on many scales brought to one, by anchors that are declared: `NORMALISATIONS`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
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
Anchors: TypeAlias = Mapping[str, Anchor]
Normalisation: TypeAlias = str | Anchors | None


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
    """Runs (S, K, R) on one scale, higher is better, on the data sets that can be put on it.

    ``unit`` says what they are; ``ratios`` are logarithms of these; ``turned`` scores are shown
    with the sign changed, lower being better.
    """

    runs: FloatArray
    datasets: tuple[str, ...]
    said: str
    unit: str
    target: float = float("nan")
    ratios: bool = False
    turned: bool = False
    notes: tuple[str, ...] = ()

    def shown(self, values: FloatArray) -> FloatArray:
        """Return values for display: ratios themselves, scores in their own sense."""
        return self.shown_between(-values if self.turned else values)

    def hidden(self, value: float) -> float:
        """Return the value that is shown as this one."""
        sense = math.log(value) if self.ratios else value
        return -sense if self.turned else sense

    def shown_between(self, values: FloatArray) -> FloatArray:
        """Return differences of such values for display."""
        return np.exp(values) if self.ratios else values


def normalised(scores: Raw, how: Normalisation) -> Scaled:
    """Bring scores to one scale, or leave them as they are where one measure has them all.

    Examples
    --------
    >>> means = np.array([[2.0, 4.0, 3.0], [10.0, 0.0, 5.0]])
    >>> scores = Raw(
    ...     means, means[..., np.newaxis], np.ones(2), ("a", "b"), ("x", "y", "z"),
    ...     Measure("reward", higher_is_better=True),
    ... )
    >>> normalised(scores, "min-max").runs[..., 0].tolist()
    [[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]]
    >>> normalised(scores, {"human": 5, "random": "z"}).runs[0, :, 0].tolist()
    [-0.5, 0.5, 0.0]
    """
    name, anchors = asked_for(how)
    return NORMALISATIONS[name](scores, anchors)


def asked_for(how: Normalisation) -> tuple[str, Anchors]:
    """Return the entry that is asked for, and its anchors by their labels."""
    if how is None:
        return "none", {}
    anchors = dict(how) if isinstance(how, Mapping) else _anchors_in(how)
    if isinstance(how, str) and not anchors:
        name = NORMALISATIONS.name_of(how)
        if name in ("none", "min-max"):
            return name, {}
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


def _as_they_are(scores: Raw, _anchors: Anchors) -> Scaled:
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
        scores.on_scale(scores.runs), scores.datasets,
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
    """Scale what lies between two ends, turned, to 0 … 1, on the data sets where these differ."""
    runs, kept = between_ends(scores.measure.turned(scores.runs), low, high)
    if not kept.any():
        raise CellError("normalise", f"both ends of '{said}' are the same on every data set")
    datasets = np.array(scores.datasets, dtype=object)
    if not kept.all():
        gone = datasets[~kept].tolist()
        notes = (
            *notes,
            f"left out {count(len(gone), 'data set')} on which both ends are the same: "
            f"{quoted(gone)}",
        )
    return Scaled(runs, tuple(datasets[kept].tolist()), said, "normalised score", 1.0, notes=notes)


def between_ends(
    runs: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Scale runs (S, K, R) so that each data set's ends are 0 and 1; and where these differ.

    The runs are those of the data sets where they do.
    """
    kept = np.abs(high - low) > TIE_TOLERANCE * np.maximum(np.abs(low), np.abs(high))
    start, end = (each[kept, np.newaxis, np.newaxis] for each in (low, high))
    return (runs[kept] - start) / (end - start), kept


def _min_max(scores: Raw, _anchors: Anchors) -> Scaled:
    turned = scores.measure.turned(scores.means)
    note = (
        "min-max: on each data set the worst mean of the pool is 0 and the best is 1, so that a "
        "score depends on who else is compared"
    )
    return _between(scores, turned.min(axis=1), turned.max(axis=1), "min-max", (note,))


def _by_anchors(scores: Raw, anchors: Anchors) -> Scaled:
    (top, at_one), (bottom, at_zero) = anchors.items()
    high, low = (scores.measure.turned(_values_of(end, scores)) for end in (at_one, at_zero))
    wrong = high < low
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


def _to_baseline(scores: Raw, anchors: Anchors) -> Scaled:
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
    start = scores.on_scale(scores.column(name))
    found = replace(own, runs=own.runs - start[:, np.newaxis, np.newaxis], turned=False)
    if not own.ratios:
        said, unit = f"difference from {name}", f"{measure.name} better than {name}"
        return replace(found, said=said, unit=unit, target=float("nan"))
    unit = f"times better than {name}"
    return replace(found, said=f"ratio to {name}", unit=unit, target=0.0)


NORMALISATIONS: Registry[Callable[[Raw, Anchors], Scaled]] = Registry(
    "normalise",
    {
        "none": _as_they_are,
        "min-max": _min_max,
        "baseline": _to_baseline,
        "anchors": _by_anchors,
    },
)
