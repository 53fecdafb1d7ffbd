"""What a model stands on: the scale of its scores, and the region on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palio.bayes.answer import Scale
from palio.bayes.models import MODELS
from palio.bayes.rope import Rope, check_rope, suggest_rope
from palio.bayes.scale import Counting, counting
from palio.errors import InputError, Option, ParameterError

if TYPE_CHECKING:
    from palio.bayes.scale import Comparing
    from palio.scores import ScoreTable
    from palio.types import FloatArray

NO_REGION = "none given, and the table suggests none"


@dataclass(frozen=True)
class Footing:
    """The scale on which a model sees the scores, and its region of practical equivalence.

    Parameters
    ----------
    counted : Counting
        Differences or ratios.
    rope : Rope
        The region as it was given or suggested.
    notes : tuple of str
        What a reader must know of both.
    """

    counted: Counting
    rope: Rope
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, model: str, table: ScoreTable, *, rope: float | str | Rope, scale: Comparing
    ) -> Footing:
        """Find what a model stands on, by what its entry says that it needs.

        Parameters
        ----------
        model : str
            Its name in the registry.
        table : ScoreTable
            The scores.
        rope : float, Rope or "auto"
            The region; "auto" takes what the table suggests, or none.
        scale : {"auto", "differences", "ratios"}
            What means the same on every data set.
        """
        given = None if rope == "auto" else check_rope(rope)  # type: ignore[arg-type]
        counted = counting(MODELS[model].scale, table, scale)
        if scale == "auto" and MODELS[model].scale == "region" and not (given and given.value):
            # Sides need no scale: a score of 0, of which there is no ratio, is no obstacle.
            counted = counted if counted.fits(table.means()) else Counting(table.measure, "sides")
        if table.measure.is_ordinal and given and given.value:
            raise ParameterError(
                "rope",
                "a region is in the unit of the score",
                "the measure differs by data set",
                f"give {Option('rope', '0')}, or leave it out",
            )
        found, why = _suggested(table, counted) if given is None else (given, ())
        return cls(counted, found, (*_scale_notes(counted), *why))

    @property
    def width(self) -> float:
        """Half the region on the scale."""
        return self.counted.width(self.rope.value)

    @property
    def higher_is_better(self) -> bool:
        """The direction of the scale."""
        return self.counted.higher_is_better

    @property
    def scale(self) -> Scale:
        """What differences are counted in."""
        counted = self.counted
        return Scale(counted.name, self.width, counted.higher_is_better, counted.ratios)

    def means(self, table: ScoreTable) -> FloatArray:
        """Return each data set's mean over its folds, on the scale: (S, K)."""
        return self.counted.of(table, table.means())

    def fold_scores(self, table: ScoreTable, dataset: str) -> FloatArray:
        """Return the scores on a data set's folds, on the scale: (K, repeats × folds)."""
        scores = table.fold_scores(dataset).reshape(table.n_algorithms, -1)
        return self.counted.of(table, scores)


def _suggested(table: ScoreTable, counted: Counting) -> tuple[Rope, tuple[str, ...]]:
    """Return the region that the table suggests, or none and why there is none."""
    if counted.kind == "sides":
        return Rope(0.0, NO_REGION), ()
    try:
        return suggest_rope(table, scale="ratios" if counted.ratios else "differences").rope, ()
    except InputError as error:
        why = f"no region of practical equivalence: {error.rule}, and {error.received}"
        return Rope(0.0, NO_REGION), (why,)


def _scale_notes(counted: Counting) -> tuple[str, ...]:
    name = counted.measure.name
    if counted.ratios:
        return (
            f"{name} is compared by ratios: differences and effects are of natural logarithms, "
            "and a region of 0.01 is 1 %",
        )
    if counted.measure.is_ordinal:
        return (f"the measure of {name} differs by data set: only who is better on each counts",)
    if counted.kind == "sides":
        return (
            f"it is not known what of {name} means the same on every data set: only who is better "
            "on each counts, and a mean difference says little",
        )
    return ()
