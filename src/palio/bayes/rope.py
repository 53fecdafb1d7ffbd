"""The region of practical equivalence: as given, or as the table suggests (wainer2016 §3.3).

It lies on the scale of the table's measure: on a ratio scale models see differences of logarithms,
and a region of 0.01 is 1 %; on an order scale there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.answer import Scale
from palio.bayes.models import MODELS
from palio.errors import (
    DesignError,
    InputError,
    MissingCellsError,
    Option,
    ParameterError,
    UnpairedFoldsError,
    either,
)
from palio.measures import Measure
from palio.results import Result
from palio.scores import Tabular, as_table
from palio.scores.scale import on_scale, settle_scale
from palio.stats.ranks import paired_difference

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray

# How many algorithms of each data set count as good ones (wainer2016 §3.3).
_BEST = 3

_YOURSELF = f"choose one yourself: {Option('rope', '0.01')} of bayes, for example"
_WHY_NOT = ", whose folds share most of their training data"


@dataclass(frozen=True)
class Rope:
    """A region of practical equivalence: differences within ``±value`` do not matter.

    Parameters
    ----------
    value : float
        Half the width, not negative; in the unit of the score unless the model says otherwise. 0
        is no region: every difference counts, however small.
    source : str
        Where it comes from, in words.

    Examples
    --------
    The models take the number itself, or a region that says whose choice it was.

    >>> import palio
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> region = Rope(1.0, source="a hundredth, as agreed beforehand")
    >>> palio.bayes.sign(table, rope=region, draws=2000).rope.source
    'a hundredth, as agreed beforehand'
    """

    value: float
    source: str = "given"


def check_rope(rope: float | Rope, *, at_most: float | None = None) -> Rope:
    """Accept a number or a region, and refuse what is none.

    >>> check_rope(0.01)
    Rope(value=0.01, source='given')
    """
    found = rope if isinstance(rope, Rope) else None
    try:
        value = float(rope.value if isinstance(rope, Rope) else rope)
    except (TypeError, ValueError):
        raise ParameterError("rope", "it is a number, or 'auto'", f"{rope!r} was given") from None
    if not 0 <= value < float("inf"):
        raise ParameterError("rope", "it is not negative and finite", f"{value!r} was given")
    if at_most is not None and value >= at_most:
        raise ParameterError("rope", f"it is below {at_most:g} here", f"{value!r} was given")
    return found or Rope(value)


# --- a table as a model sees it ------------------------------------------------------------------


def with_own_scale(table: ScoreTable, model: str) -> ScoreTable:
    """Return a table on the scale on which a model compares it, or refuse.

    On one data set a difference is a difference, whatever the measure. A model that weighs sizes
    has no answer where only who is better counts.
    """
    measure = table.measure
    if table.n_datasets == 1:
        return table.with_scale("difference")
    if MODELS[model].weighs_sizes and (measure.is_ordinal or measure.is_mixed):
        raise ParameterError(
            "scale",
            f"'{model}' weighs by how much algorithms differ",
            f"for {measure.name} only who is better counts: {measure.why_ordinal}",
            f"ask {either([Option('model', 'plackett-luce'), Option('model', 'sign')])}",
        )
    return table


@dataclass(frozen=True)
class Region:
    """A region of practical equivalence on the scale of a table's measure.

    Parameters
    ----------
    rope : Rope
        As it was given or suggested.
    scale : Scale
        What differences are counted in, and half the region on that scale.
    notes : tuple of str
        What a reader must know of both.

    Examples
    --------
    >>> from palio.scores import ScoreTable
    >>> table = ScoreTable.from_arrays(
    ...     [[1.0, 2.0], [10.0, 30.0]], datasets=["a", "b"], algorithms=["x", "y"], measure="rmse"
    ... )
    >>> Region.of(table, 0.01).scale
    Scale(name='log rmse', rope=0.00995..., higher_is_better=False, ratios=True)
    """

    rope: Rope
    scale: Scale
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: ScoreTable, rope: float | str | Rope) -> Region:
        """Return the region that is given; "auto" takes what the table suggests, or none."""
        measure = table.measure
        given = None if rope == "auto" else check_rope(rope)  # type: ignore[arg-type]
        if measure.is_ordinal and given and given.value:
            raise ParameterError(
                "rope",
                "a region is in the unit of the score",
                f"for {measure.name} only who is better on each data set counts",
                f"give {Option('rope', '0')}, or leave it out",
            )
        found, why = _suggested(table) if given is None else (given, ())
        return cls(found, _scale_of(measure, found.value), (*_scale_notes(table), *why))


def _scale_of(measure: Measure, rope: float) -> Scale:
    if measure.is_ordinal:
        return Scale("share of data sets won", rope, higher_is_better=True)
    up = measure.goodness_sign > 0
    if measure.scale != "ratio":
        return Scale(measure.name, rope, up)
    size = measure.size_name
    name = f"log ({size})" if measure.is_explained_share else f"log {size}"
    return Scale(name, float(np.log1p(rope)), up, ratios=True)


def _suggested(table: ScoreTable) -> tuple[Rope, tuple[str, ...]]:
    """Return the region that the table suggests, or none and why there is none."""
    none = Rope(0.0, "none given, and the table suggests none")
    if table.measure.is_ordinal:
        return none, ()
    try:
        return suggest_rope(table).rope, ()
    except InputError as error:
        return none, (f"no region of practical equivalence: {error.rule}, and {error.received}",)


def _scale_notes(table: ScoreTable) -> tuple[str, ...]:
    measure = table.measure
    if measure.is_ordinal:
        return (f"for {measure.name} only who is better on each data set counts",)
    if measure.scale == "ratio":
        return (
            *settle_scale(measure, table.rows, measure.scale)[1],
            "differences and effects are natural logarithms of ratios; a region of 0.01 is 1 %",
        )
    return ()


def fold_values(table: ScoreTable, dataset: str) -> FloatArray:
    """Return the scores on a data set's folds, on their scale: (K, repeats, folds).

    Only differences of them mean something. NaN where a score is at the floor of a ratio scale: no
    mean has it.
    """
    scores = table.fold_scores(dataset)
    units = np.array([table.units.get(dataset, 1.0)])
    scaled = on_scale(scores[np.newaxis], table.measure, units)
    return np.asarray(table.measure.goodness_sign * scaled.for_means[0])


# --- what a table suggests -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class SuggestedRope(Result):
    """How much the score of a good algorithm changes by chance alone.

    It is what :func:`palio.bayes.suggest_rope` returns.

    Attributes
    ----------
    measure : Measure
        The score asked about.
    design : str
        How the table was resampled, in words.
    ratios : bool
        Whether changes are ratios: 0.01 where the larger score is a hundredth above the smaller.
    delta : float
        The median change between the two halves of the same data (eq. 3).
    delta_cv : float, optional
        The median change between what the inner cross-validation promised and the test (eq. 4).
    changes, changes_cv : array
        The values whose medians these are.
    notes : tuple of str
        The conventions that were used.

    Examples
    --------
    >>> import palio
    >>> suggested = palio.bayes.suggest_rope(palio.load_study("ulas2008"))
    >>> suggested
    <SuggestedRope: ±1.54 of accuracy>
    >>> suggested.n_changes, [round(end, 2) for end in suggested.quartiles]
    (575, [0.49, 3.55])
    """

    kind = "rope"
    parts = (
        "measure", "design", "rope", "ratios", "delta", "delta_cv", "n_changes", "n_changes_cv",
        "quartiles", "notes",
    )  # fmt: skip

    measure: Measure
    design: str
    delta: float
    delta_cv: float | None
    changes: FloatArray
    changes_cv: FloatArray | None
    notes: tuple[str, ...] = ()
    ratios: bool = False

    @property
    def value(self) -> float:
        """The threshold: the smaller of the two."""
        return self.delta if self.delta_cv is None else min(self.delta, self.delta_cv)

    @property
    def rope(self) -> Rope:
        """The region to give to a model."""
        which = "δ^cv" if self.delta_cv is not None and self.delta_cv < self.delta else "δ"
        return Rope(self.value, f"suggested by the table itself ({which} of wainer2016 §3.3)")

    def __repr__(self) -> str:
        return f"<SuggestedRope: ±{self.value:.3g} of {self.measure.name}>"

    @property
    def n_changes(self) -> int:
        """How many changes ``delta`` is the median of."""
        return int(self.changes.size)

    @property
    def n_changes_cv(self) -> int | None:
        """How many changes ``delta_cv`` is the median of."""
        return None if self.changes_cv is None else int(self.changes_cv.size)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Half of the changes lie between these."""
        low, high = np.quantile(self.changes, [0.25, 0.75]).tolist()
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; ``rope`` is the number, which is ``value`` here."""
        return {**super().to_dict(), "rope": self.value}

    def to_frame(self) -> pd.DataFrame:
        """Return every change that was counted."""
        import pandas as pd

        parts = [("delta", self.changes)]
        if self.changes_cv is not None:
            parts.append(("delta_cv", self.changes_cv))
        return pd.concat(
            [pd.DataFrame({"kind": kind, "change": values}) for kind, values in parts],
            ignore_index=True,
        )


def suggest_rope(table: Tabular, *, scale: str | None = None, **reading: Any) -> SuggestedRope:
    r"""Suggest which differences are irrelevant, from the table's own folds.

    A good algorithm, one of the three best on a data set, changes its score when it is trained on
    one half of the data and tested on the other, and the other way round. Half of these changes
    are smaller than the median: a difference between algorithms below it could come from the
    sample alone.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two folds in every repeat (two halves, or 5×2 cv). A further score ``inner_cv_<measure>``,
        as tuned experiments have, gives the second threshold.
    scale : {"difference", "ratio", "auto"}, optional
        Whether a change is a difference or a ratio; as the table has it unless given. On one data
        set it is a difference.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    SuggestedRope

    Notes
    -----
    With :math:`\epsilon_1` and :math:`\epsilon_2` the scores of algorithm a on the two halves of
    data set i, and :math:`\epsilon^{\mathrm{cv}}` what the inner cross-validation promised for one
    (eq. 3 and 4):

    .. math::

        \delta_{ai} = \left|\epsilon_2 - \epsilon_1\right|, \qquad
        \delta^{\mathrm{cv}}_{ai} = \left|\epsilon_2 - \epsilon^{\mathrm{cv}}_1\right|

    The threshold is the smaller of their medians, over all data sets and the three best algorithms
    of each.

    References
    ----------
    Wainer (2016), Comparison of 14 different families of classification algorithms on 115 binary
    datasets, §3.3, eq. 3 and 4.

    Examples
    --------
    >>> from palio.scores import ScoreTable
    >>> halves = [[[[0.10, 0.12]], [[0.20, 0.26]]], [[[0.30, 0.31]], [[0.40, 0.40]]]]
    >>> table = ScoreTable.from_arrays(
    ...     halves, datasets=["a", "b"], algorithms=["rf", "knn"], measure="error"
    ... )
    >>> round(suggest_rope(table).value, 3)
    0.015
    """
    table = as_table(table, reading, suggest_rope, scale=scale)
    _check_design(table)
    if table.n_datasets == 1:
        table = table.with_scale("difference")
    if table.measure.is_ordinal:
        raise ParameterError(
            "rope",
            "a region is in the unit of the score",
            f"for {table.measure.name} only who is better on each data set counts",
        )
    good = _best_cells(table.goodness())
    inner = _inner(table)
    changes, changes_cv = [], []
    for chosen, dataset in zip(good, table.datasets, strict=True):
        scores = fold_values(table, dataset)[chosen]
        changes.append(_change(table.measure, scores[:, :, 0], scores[:, :, 1]))
        if inner is not None:
            promised = fold_values(inner, dataset)[chosen]
            changes_cv.append(_change(table.measure, scores, promised))
    delta = np.concatenate(changes)
    delta_cv = np.concatenate(changes_cv) if changes_cv else None
    if not delta.size:
        raise ParameterError("rope", "ratios are of scores above 0", "there are none", _YOURSELF)
    return SuggestedRope(
        table.measure,
        str(table.design()),
        float(np.median(delta)),
        None if delta_cv is None else float(np.median(delta_cv)),
        delta,
        delta_cv,
        _notes(table, inner),
        table.measure.scale == "ratio",
    )


def _change(measure: Measure, one: FloatArray, other: FloatArray) -> FloatArray:
    """Return how far apart two scores are: their difference, or the larger's share above."""
    apart = np.abs(one - other).ravel()
    apart = apart[~np.isnan(apart)]
    return np.asarray(np.expm1(apart)) if measure.scale == "ratio" else apart


def _check_design(table: ScoreTable) -> None:
    designs = {dataset: table.design(dataset) for dataset in table.datasets}
    for dataset, design in designs.items():
        if design.folds != 2:
            raise DesignError(
                "rope",
                "a region is suggested from two halves of the same data (two halves or 5×2 cv)",
                f"{dataset!r} has {design}{_WHY_NOT if design.folds > 2 else ''}",
                _YOURSELF,
            )
    if not table.is_complete:
        raise MissingCellsError(
            "rope",
            "a region is suggested from every score",
            "some scores are missing",
            f"leave incomplete data sets out with {Option('missing', 'drop-datasets')}, or "
            f"{_YOURSELF}",
        )
    for dataset, design in designs.items():
        if design.kind == "irregular":
            raise UnpairedFoldsError(
                "rope",
                "a region is suggested from the two folds of each repeat",
                f"on {dataset!r} the folds are not the same for all algorithms",
                _YOURSELF,
            )


def _best_cells(goodness: FloatArray) -> BoolArray:
    """Return which algorithms are among the three best of each data set, and ties with them."""
    third = -np.sort(-goodness, axis=1)[:, min(_BEST, goodness.shape[1]) - 1]
    good: BoolArray = paired_difference(goodness, third[:, None]) >= 0
    return good


def _inner(table: ScoreTable) -> ScoreTable | None:
    """Return the table of what the inner cross-validation promised, if all rows have it."""
    name, measure = f"inner_cv_{table.measure.name}", table.measure
    if name not in table.score_names or np.isnan(table.rows.scores[name]).any():
        return None
    promised = table.with_score(name, higher_is_better=measure.higher_is_better)
    return replace(promised, measure=replace(measure, name=name), units=table.units)


def _notes(table: ScoreTable, inner: ScoreTable | None) -> tuple[str, ...]:
    notes = ["medians over all values of the three best algorithms of each data set together"]
    if table.measure.scale == "ratio":
        notes.append(
            f"{table.measure.size_name} has a unit on each data set, so changes are ratios: 0.01 "
            "is 1 %"
        )
    if inner is None:
        notes.append(
            "δ^cv needs the score of the inner cross-validation in a column "
            f"inner_cv_{table.measure.name}, which this table does not have for every row"
        )
    if table.n_algorithms <= _BEST:
        notes.append(f"the table has {table.n_algorithms} algorithms: all count as the best")
    return tuple(notes)
