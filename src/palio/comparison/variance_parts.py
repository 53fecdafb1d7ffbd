"""The components of variance with names on: what each takes in, and what cannot be told apart."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from palio.comparison.blocks import Blocked
from palio.numbers import number
from palio.stats.variance import (
    DATASETS,
    REPLICATES,
    UNITS,
    WITH_DATASETS,
    WITH_UNITS,
    Components,
    Strata,
)
from palio.types import FloatArray


class Component(NamedTuple):
    """A part of the variance of a single score.

    Parameters
    ----------
    name, says : str
        What varies, and what it takes in.
    variance, interval
        Its estimate and limits; where the estimate is not above 0 it is 0, and ``at_zero``.
    standard_deviation : float
        The root of the variance, in the unit of the score.
    share, share_interval
        Of the sum of all parts.
    """

    name: str
    says: str
    variance: float
    interval: tuple[float, float]
    standard_deviation: float
    share: float
    share_interval: tuple[float, float]
    at_zero: bool


def limits(draws: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the limits between which all but α of the draws lie."""
    low, high = np.quantile(draws, [alpha / 2, 1 - alpha / 2]).tolist()
    return low, high


def _names(blocked: Blocked) -> dict[int, str]:
    unit, replicate = blocked.unit or "split", blocked.replicate or "seed"
    return {
        DATASETS: "data set",
        WITH_DATASETS: "algorithm × data set",
        UNITS: unit,
        WITH_UNITS: f"algorithm × {unit}",
        REPLICATES: replicate,
    }


def _says(blocked: Blocked) -> dict[int, str]:
    """Say what each component takes in, which depends on what can be told apart."""
    unit = blocked.unit or "split"
    within = "" if blocked.replicate else ", with all that varies within: split, seed, items"
    alone = "" if blocked.replicate else f", with all that is left, such as {_left(unit)}"
    return {
        DATASETS: "some data sets are easier for all",
        WITH_DATASETS: "who is better differs by data set" + ("" if blocked.unit else within),
        UNITS: f"some {unit}s of a data set are easier for all",
        WITH_UNITS: f"who is better differs by {unit}{alone}",
        REPLICATES: f"another {blocked.replicate} gives another score",
    }


def _left(unit: str) -> str:
    return "the seed" if unit == "split" else "the answer's chance"


def model_of(score: str, strata: Strata, blocked: Blocked) -> str:
    """Write the model out."""
    names = _names(blocked)
    return f"{score} = algorithm + {' + '.join(names[s] for s in strata.which)}"


def parts_of(found: Components, blocked: Blocked, alpha: float) -> tuple[Component, ...]:
    """Put names on: the algorithms, which are fixed, and then the components."""
    names, says = _names(blocked), _says(blocked)
    shares, drawn_shares = found.shares()
    told = [("algorithm", "some of these algorithms are better")]
    told += [(names[s], says[s]) for s in found.which]
    values = [found.algorithms, *found.values.tolist()]
    draws = np.column_stack([found.algorithm_draws, found.draws])
    tiny = 1e-9 * max(sum(values), 1e-300)
    return tuple(
        Component(
            name,
            said,
            value,
            limits(draws[:, i], alpha),
            math.sqrt(value),
            float(shares[i]),
            limits(drawn_shares[:, i], alpha),
            value <= tiny,
        )
        for i, ((name, said), value) in enumerate(zip(told, values, strict=True))
    )


def notes_on(found: Components, blocked: Blocked) -> list[str]:
    """Say what cannot be told, and what the numbers rest on."""
    names = _names(blocked)
    notes = [
        f"The estimate for {names[s]} is {number(raw)}, which is shown as 0."
        for s, raw in zip(found.which, found.raw.tolist(), strict=True)
        if raw < 0
    ]
    if len(blocked.blocks) == 1:
        notes.append(
            "On one data set it cannot be told how much who is better differs by data set: nothing "
            "here is about other data sets."
        )
    if blocked.unit is None and blocked.replicate is None:
        notes.append(
            "With one value per data set and algorithm, splits, seeds and items cannot be told "
            "from algorithm × data set."
        )
    if blocked.unit == "split":
        part = ", which is part of algorithm × data set" if len(blocked.blocks) > 1 else ""
        notes.append(
            "Splits of the same data share training data, and more splits do not average out what "
            f"they share{part} (Nadeau and Bengio 2003)."
        )
        if blocked.replicate is None:
            notes.append("With one seed each, the seed cannot be told from algorithm × split.")
        if blocked.shared is None:
            notes.append(
                "For the standard error on these data sets the share of the data used for testing "
                "is needed (test_fraction)."
            )
    notes.append("Standard errors are those of an average pair of these algorithms.")
    return notes
