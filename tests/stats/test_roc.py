"""ROC curves and their convex hull, worked by hand and against scikit-learn's definitions."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.stats import mannwhitneyu

from palio.stats.roc import RocHull, roc_convex_hull, roc_curve
from palio.types import BoolArray, FloatArray


def some(n: int = 80, seed: int = 0, *, steps: int | None = None) -> tuple[BoolArray, FloatArray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    score = rng.normal(size=n) + truth
    return truth, score if steps is None else np.round(score * steps) / steps


def corners(hull: RocHull) -> list[tuple[float, float]]:
    return [(each.false_positive_rate, each.true_positive_rate) for each in hull.vertices]


def test_curve_by_hand() -> None:
    """Two positives at 0.9 and 0.4, three negatives at 0.6, 0.4 and 0.1: the tie is a slant."""
    curve = roc_curve([1, 0, 1, 0, 0], [0.9, 0.6, 0.4, 0.4, 0.1])
    assert curve.true_positives.tolist() == [0, 1, 1, 2, 2]
    assert curve.false_positives.tolist() == [0, 0, 1, 2, 3]
    assert curve.thresholds.tolist() == [np.inf, 0.9, 0.6, 0.4, 0.1]
    # Six pairs: 0.9 beats three, 0.4 beats 0.1 and ties once.
    assert curve.auc == pytest.approx((3 + 1 + 0.5) / 6)


@pytest.mark.parametrize("steps", [None, 2])
def test_area_is_that_of_mann_and_whitney(steps: int | None) -> None:
    truth, score = some(steps=steps)
    u = mannwhitneyu(score[truth], score[~truth]).statistic
    assert roc_curve(truth, score).auc == pytest.approx(u / truth.sum() / (~truth).sum())


def test_monotone_scores_make_the_same_curve() -> None:
    truth, score = some()
    one, other = roc_curve(truth, score), roc_curve(truth, np.exp(score))
    assert one.true_positives.tolist() == other.true_positives.tolist()


def test_reversed_scores_mirror_the_area() -> None:
    truth, score = some(steps=3)
    assert roc_curve(truth, -score).auc == pytest.approx(1 - roc_curve(truth, score).auc)


def test_corners_keep_the_area() -> None:
    curve = roc_curve(*some())
    fewer = curve.corners()
    assert fewer.auc == curve.auc
    assert fewer.thresholds.size < curve.thresholds.size


def test_hull_by_hand() -> None:
    """Two positives, four negatives. A reaches (0, 1/2), B (1/4, 1); C stays below.

    Slopes: infinite to A, 2 from A to B, 0 from B.
    """
    truth = [1, 1, 0, 0, 0, 0]
    a = roc_curve(truth, [0.9, 0.1, 0.5, 0.5, 0.5, 0.5])
    b = roc_curve(truth, [0.8, 0.8, 0.8, 0.1, 0.1, 0.1])
    c = roc_curve(truth, [0.9, 0.1, 0.9, 0.1, 0.1, 0.1])
    hull = roc_convex_hull([a, b, c])
    assert corners(hull) == [(0, 0), (0, 0.5), (0.25, 1), (1, 1)]
    assert [each.slopes for each in hull.vertices] == [
        (np.inf, np.inf), (2, np.inf), (0, 2), (0, 0),
    ]  # fmt: skip
    assert [dict(each.thresholds) for each in hull.vertices] == [{}, {0: 0.9}, {1: 0.8}, {}]
    assert (hull.ranges(0), hull.ranges(1), hull.ranges(2)) == (((2, np.inf),), ((0, 2),), ())
    assert hull.auc == pytest.approx(0.25 * 0.75 + 0.75)


def test_points_on_an_edge_are_no_corners() -> None:
    truth = [1, 1, 0, 0]
    middle = roc_curve(truth, [1, 0, 1, 0])  # (1/2, 1/2), on the diagonal
    assert corners(roc_convex_hull([middle])) == [(0, 0), (1, 1)]
    assert roc_convex_hull([middle]).ranges(0) == ()


def test_perfect_and_worse_than_chance() -> None:
    truth = [1, 1, 0, 0]
    perfect, worst = roc_curve(truth, truth), roc_curve(truth, [0, 0, 1, 1])
    hull = roc_convex_hull([perfect, worst])
    assert corners(hull) == [(0, 0), (0, 1), (1, 1)]
    assert hull.ranges(0) == ((0.0, np.inf),)
    assert hull.ranges(1) == ()
    assert hull.auc == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_hull_is_scipy_s(seed: int) -> None:
    truth, score = some(seed=seed)
    rng = np.random.default_rng(seed)
    curves = [roc_curve(truth, score + rng.normal(size=score.size)) for _ in range(3)]
    points = np.concatenate(
        [np.stack([c.false_positive_rate, c.true_positive_rate], axis=1) for c in curves]
        + [np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])]
    )
    upper = points[ConvexHull(points).vertices]
    expected = {(round(x, 9), round(y, 9)) for x, y in upper.tolist()} - {(1.0, 0.0)}
    found = corners(roc_convex_hull(curves))
    assert {(round(x, 9), round(y, 9)) for x, y in found} == expected


@pytest.mark.parametrize("slope", [0.05, 0.4, 1.0, 2.5, 30.0])
def test_the_range_says_who_is_optimal(slope: float) -> None:
    """Provost and Fawcett's reading: the best point for a slope maximises TPR - m FPR."""
    truth, score = some(200)
    rng = np.random.default_rng(5)
    curves = [roc_curve(truth, score + rng.normal(0, s, score.size)) for s in (0.1, 0.5, 1)]
    best = [(c.true_positive_rate - slope * c.false_positive_rate).max() for c in curves]
    hull = roc_convex_hull(curves)
    for j, value in enumerate(best):
        optimal = value >= max(best) - 1e-12 and value > max(0.0, 1 - slope) + 1e-12
        inside = any(low < slope < high for low, high in hull.ranges(j))
        assert inside == optimal


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="one kind only"):
        roc_curve([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="one value per instance"):
        roc_curve([1, 0], [0.1, 0.2, 0.3])
    one, other = roc_curve([1, 0], [0.1, 0.2]), roc_curve([1, 0, 0], [0.1, 0.2, 0.3])
    for curves in ([], [one, other]):
        with pytest.raises(ValueError, match="same positives"):
            roc_convex_hull(curves)
