"""The ROC convex hull with names on: who is optimal for which costs, on two classes."""

from __future__ import annotations

import numpy as np

from palio.comparison.prediction_results import HullCorner, RocAnalysis, RocLine
from palio.errors import DesignError, ParameterError
from palio.predictions import Predictions
from palio.stats import roc
from palio.words import quoted


def analyse_roc(
    predictions: Predictions, positive: str | None = None
) -> tuple[RocAnalysis, tuple[str, ...]]:
    """Return the ROC curves and their hull, and notes on what was taken for what.

    Examples
    --------
    >>> table = Predictions.from_arrays([0, 1, 1], {"tree": [0, 1, 0], "zero": [0, 0, 0]})
    >>> analyse_roc(table)[0].on_hull
    ('tree',)
    """
    chosen = _positive(predictions, positive)
    truth = predictions.truth == predictions.classes.index(chosen)
    scores = predictions.scores_of(chosen)
    curves = [roc.roc_curve(truth, scores[:, j]) for j in range(scores.shape[1])]
    names, hull = predictions.algorithms, roc.roc_convex_hull(curves)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    hard = predictions.without_probabilities
    analysis = RocAnalysis(
        positive=chosen,
        positives=positives,
        negatives=negatives,
        curves={
            name: _line(curve, hull.ranges(j))
            for j, (name, curve) in enumerate(zip(names, curves, strict=True))
        },
        hull=tuple(_corner(each, names, positives / negatives) for each in hull.vertices),
        hull_auc=hull.auc,
    )
    return analysis, (
        f"class {chosen!r} is positive: {positives} instances, {negatives} are not",
        *((f"no probabilities, so a single point: {', '.join(hard)}",) if hard else ()),
    )


def _positive(predictions: Predictions, given: str | None) -> str:
    classes = predictions.classes
    if len(classes) != 2:
        raise DesignError(
            "test",
            "'roc-hull' needs two classes",
            f"there are {len(classes)} ({quoted(classes)})",
            "the other tests take any number",
        )
    present = np.unique(predictions.truth)
    if present.size < 2:
        raise DesignError(
            "test",
            "'roc-hull' needs instances of both classes",
            f"all are of class {classes[int(present[0])]!r}",
        )
    if given is not None and given not in classes:
        raise ParameterError(
            "positive", f"the classes are {quoted(classes)}", f"{given!r} was given"
        )
    return classes[-1] if given is None else given


def _line(curve: roc.RocCurve, ranges: tuple[tuple[float, float], ...]) -> RocLine:
    corners = curve.corners()
    return RocLine(
        tuple(corners.false_positive_rate.tolist()),
        tuple(corners.true_positive_rate.tolist()),
        curve.auc,
        ranges,
    )


def _corner(vertex: roc.HullVertex, names: tuple[str, ...], odds: float) -> HullCorner:
    low, high = vertex.slopes
    return HullCorner(
        vertex.false_positive_rate,
        vertex.true_positive_rate,
        slopes=(low, high),
        cost_ratios=(low * odds, high * odds),
        thresholds={names[j]: threshold for j, threshold in vertex.thresholds.items()},
    )
