"""What scores are set against each other by: differences, or ratios.

A difference of 0.01 in accuracy means the same on every data set. One in RMSE does not: the unit is
that of the data set's target. What is positive and has a unit is compared by ratios, that is by
differences of logarithms. Of other measures it is not known, and who averages sizes must say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from palio.bayes.models import MODELS
from palio.errors import CellError, Option, ParameterError
from palio.measures import MeasureScale
from palio.registry import unknown_name

if TYPE_CHECKING:
    from palio.bayes.models import Need
    from palio.measures import Measure
    from palio.scores import ScoreTable
    from palio.types import FloatArray

Comparing: TypeAlias = Literal["auto", "differences", "ratios"]
"""What means the same on every data set: as the measure has it, a difference, or a ratio."""

Kind: TypeAlias = Literal["differences", "ratios", "sides", "refused"]

# By what a model needs, and what the measure is. "sides": differences whose sizes nobody weighs.
_KINDS: dict[Need, dict[MeasureScale, Kind]] = {
    "common": {
        "bounded": "differences",
        "positive": "ratios",
        "other": "refused",
        "mixed": "refused",
    },
    "region": {"bounded": "differences", "positive": "ratios", "other": "sides", "mixed": "sides"},
    "one": dict.fromkeys(get_args(MeasureScale), "differences"),
}


@dataclass(frozen=True)
class Counting:
    """How the scores of a measure are set against each other.

    Parameters
    ----------
    measure : Measure
        Whose scores they are.
    kind : {"differences", "ratios", "sides"}
        Differences of the scores, of their logarithms, or of the scores where only the side
        counts.

    Examples
    --------
    >>> from palio.measures import measure_named
    >>> ratios = Counting(measure_named("rmse"), "ratios")
    >>> ratios.name, ratios.width(0.01).__round__(5)
    ('log rmse', 0.00995)
    """

    measure: Measure
    kind: Kind

    @property
    def ratios(self) -> bool:
        """Whether logarithms are taken."""
        return self.kind == "ratios"

    @property
    def name(self) -> str:
        """What differences are counted in."""
        return f"log {self.measure.name}" if self.ratios else self.measure.name

    @property
    def higher_is_better(self) -> bool:
        """The direction on this scale; the logarithm of a negated loss is that of the loss."""
        return self.measure.higher_is_better and not (self.ratios and self._negated)

    @property
    def _negated(self) -> bool:
        return self.measure.upper == 0

    def fits(self, scores: FloatArray) -> bool:
        """Whether all scores have a place on this scale: ratios need them all above 0."""
        return not self.ratios or not bool((self._sizes(scores) <= 0).any())

    def of(self, table: ScoreTable, scores: FloatArray) -> FloatArray:
        """Return the scores on this scale; ``table`` names one that has no place on it."""
        if not self.ratios:
            return scores
        if not self.fits(scores):
            raise self._no_ratio(table)
        return np.asarray(np.log(self._sizes(scores)))

    def tie_sizes(self, scores: FloatArray) -> FloatArray:
        """Return the sizes that ties are relative to: of ratios, 1."""
        return np.ones_like(scores) if self.ratios else np.abs(scores)

    def width(self, rope: float) -> float:
        """Return half the region on this scale: one of 0.01 is a hundredth, log 1.01."""
        return float(np.log1p(rope)) if self.ratios else rope

    def _sizes(self, scores: FloatArray) -> FloatArray:
        return -scores if self._negated else scores

    def _no_ratio(self, table: ScoreTable) -> CellError:
        row = int(np.flatnonzero(self._sizes(table.rows.scores[self.measure.name]) <= 0)[0])
        return CellError(
            "scale",
            f"{self.measure.name} is compared by ratios, which need scores above 0",
            f"that of {table.rows.describe(row)} is {table.rows.scores[self.measure.name][row]:g}",
            _choice(ratios=False),
        )


def counting(need: Need, table: ScoreTable, scale: Comparing = "auto") -> Counting:
    """Return how a table's scores are set against each other by a model with this need.

    Parameters
    ----------
    need : {"common", "region", "one"}
        What the model's entry in the registry says.
    table : ScoreTable
        Its measure is asked; on a single data set differences are always of one kind.
    scale : {"auto", "differences", "ratios"}
        As the user says.
    """
    if scale not in get_args(Comparing):
        raise unknown_name("scale", scale, get_args(Comparing))
    kind = _by_measure(need, table) if scale == "auto" else scale
    if table.measure.is_ordinal and kind != "sides":
        raise ParameterError(
            "scale",
            "sizes on different data sets are set against each other here",
            "the measure differs by data set",
            f"Ask {_without_scale()}, for which only who is better counts",
        )
    if kind == "refused":
        raise ParameterError(
            "scale",
            "sizes on different data sets are averaged here",
            f"it is not known what of {table.measure.name} means the same on each",
            _choice(ratios=True),
        )
    return Counting(table.measure, kind)


def has_common_scale(table: ScoreTable) -> bool:
    """Whether sizes on different data sets can be averaged, by what the measure is.

    >>> from palio.scores import ScoreTable
    >>> two = {"datasets": ["a", "b"], "algorithms": ["rf", "knn"]}
    >>> [
    ...     has_common_scale(ScoreTable.from_arrays([[0.1, 0.2], [0.3, low]], **two, measure=name))
    ...     for name, low in (("error", 0.0), ("rmse", 0.1), ("rmse", 0.0), ("r2", 0.1))
    ... ]
    [True, True, False, False]
    """
    kind = _by_measure("common", table)
    return kind != "refused" and Counting(table.measure, kind).fits(table.means())


def _by_measure(need: Need, table: ScoreTable) -> Kind:
    return _KINDS[need if table.n_datasets > 1 else "one"][table.measure.scale]


def _choice(*, ratios: bool) -> str:
    """Say what can be done instead: the options, and the models that need no scale."""
    options = [f"{Option('scale', 'differences')} if a difference means the same on every data set"]
    if ratios:
        options.append(f"{Option('scale', 'ratios')} if a ratio does")
    return (
        f"give {', '.join(options)}, or ask {_without_scale()}, for which only who is better counts"
    )


def _without_scale() -> str:
    needless = [name for name, model in MODELS.items() if model.scale == "none"]
    sided = [
        f"{name} without a region" for name, model in MODELS.items() if model.scale == "region"
    ]
    return f"{', '.join(needless)} or {', '.join(sided)}"
