"""Tests on the predictions for the same test instances, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from palio.comparison.corrections import Correction, Family, check_alpha, correction_named
from palio.comparison.pairs import Pair, TestResult, named_pairs
from palio.errors import DesignError, ParameterError, require
from palio.predictions import Predictions, as_predictions
from palio.registry import Method, Registry
from palio.results import Paired, Result, Topped
from palio.stats import predictions as tests
from palio.stats import roc
from palio.stats.outcome import Outcome
from palio.stats.selection import SELECTION_EXACT_LIMIT, multinomial_selection
from palio.types import BoolArray
from palio.words import quoted

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.sources import TableSource


# --- what tests say ------------------------------------------------------------------------------

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Discordance(Pair):
    """A pair, the instances that only one of the two classifies correctly, and the test used."""

    only_a: int
    only_b: int
    exact: bool


class Selected(NamedTuple):
    """An algorithm's wins, and its chance of the most wins on as many fresh instances."""

    algorithm: str
    wins: float
    chance: float


@dataclass(frozen=True)
class RocLine:
    """The ROC curve of an algorithm, its area, and the slopes for which it is on the hull."""

    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]
    auc: float
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class HullCorner:
    """A corner of the hull: who is there at which threshold, and when it is optimal.

    ``slopes`` are those of the iso-performance lines, ``cost_ratios`` the costs of a false positive
    over those of a false negative at the share of positives among the instances; a range without
    end is infinite.
    """

    false_positive_rate: float
    true_positive_rate: float
    slopes: Range
    cost_ratios: Range
    thresholds: Mapping[str, float]


@dataclass(frozen=True)
class RocAnalysis:
    """The curves of all algorithms, and the convex hull over them from (0, 0) to (1, 1)."""

    parts: ClassVar[tuple[str, ...]] = (
        "positive", "positives", "negatives", "curves", "on_hull", "hull", "hull_auc",
    )  # fmt: skip

    positive: str
    positives: int
    negatives: int
    curves: Mapping[str, RocLine]
    hull: tuple[HullCorner, ...]
    hull_auc: float

    @property
    def on_hull(self) -> tuple[str, ...]:
        """The algorithms that are optimal for some class distribution and costs."""
        return tuple(name for name, line in self.curves.items() if line.ranges)

    @property
    def by_area(self) -> tuple[str, ...]:
        """The algorithms, the largest area under the curve first."""
        return tuple(sorted(self.curves, key=lambda name: -self.curves[name].auc))

    @property
    def optimal_corners(self) -> tuple[HullCorner, ...]:
        """The corners that are optimal for something: not one that the hull leaves at once."""
        return tuple(corner for corner in self.hull if corner.slopes[0] != corner.slopes[1])


@dataclass(frozen=True, kw_only=True)
class PredictionAnswer:
    """What a test says.

    ``pairs`` (McNemar's test), ``test`` (tests of all at once), ``selection`` with ``test`` (the
    multinomial selection procedure) or ``roc`` hold the answer; the others are empty.
    """

    pairs: tuple[Discordance, ...] = ()
    test: TestResult | None = None
    selection: tuple[Selected, ...] = ()
    roc: RocAnalysis | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False, kw_only=True)
class PredictionComparison(Paired, PredictionAnswer, Topped, Result):
    """Several algorithms compared on the same test instances."""

    kind = "prediction-comparison"
    parts = (
        "method", "correction", "alpha", "n", "algorithms", "accuracies", "pairs", "test",
        "selection", "roc", "notes",
    )  # fmt: skip

    method: str
    alpha: float
    n: int
    accuracies: Mapping[str, float]
    correction: str | None = None

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return tuple(self.accuracies)

    @property
    def n_different(self) -> int:
        """The number of pairs that differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def most_wins(self) -> tuple[str, ...]:
        """Those with the most wins; several where they are level."""
        most = max((each.wins for each in self.selection), default=0.0)
        return tuple(each.algorithm for each in self.selection if most - each.wins < 1e-9)

    @property
    def best_first(self) -> tuple[str, ...]:
        """The algorithms, most accurate first; by wins or area where these are the answer."""
        if self.roc is not None:
            return self.roc.by_area
        value = {**self.accuracies, **{each.algorithm: each.wins for each in self.selection}}
        return tuple(sorted(value, key=lambda name: -value[name]))

    def pair(self, a: str, b: str) -> Discordance:
        """Return what is said of two algorithms, in whichever order they are named."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})

    def __repr__(self) -> str:
        return f"<PredictionComparison: {self.method} on {self.n} instances, {self._verdict()}>"

    def _verdict(self) -> str:
        if self.roc is not None:
            return f"on the hull: {', '.join(self.roc.on_hull) or 'none'}"
        if self.test is not None:
            return f"p = {self.test.p_value:.3g}"
        return f"{self.n_different} of {len(self.pairs)} pairs differ"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, or per algorithm where the test is not one of pairs."""
        import pandas as pd

        if self.pairs:
            return pd.DataFrame([asdict(each) for each in self.pairs])
        frame = pd.DataFrame(
            {"algorithm": self.algorithms, "accuracy": list(self.accuracies.values())}
        )
        if self.selection:
            return frame.merge(pd.DataFrame(self.selection), on="algorithm")
        if self.roc is not None:
            lines = self.roc.curves.values()
            frame["auc"] = [line.auc for line in lines]
            frame["on_hull"] = [bool(line.ranges) for line in lines]
        return frame


# --- what a test is ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Terms:
    """The terms of a comparison of predictions: correction, level, and which class is positive."""

    correction: Correction
    alpha: float
    positive: str | None


@dataclass(frozen=True)
class PredictionTest(Method):
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties`` are promises that the property tests verify for every entry:
    ``reorder-instances`` and ``reorder-algorithms`` (neither order matters), ``rename-classes``
    (nor what the classes are called), ``identical`` (identical algorithms are never separated).
    """

    run: Callable[[Predictions, Terms], PredictionAnswer]
    notes: tuple[str, ...] = ()
    pairwise: bool = False
    properties: frozenset[str] = frozenset(
        {"reorder-instances", "reorder-algorithms", "rename-classes", "identical"}
    )


# --- pairs ---------------------------------------------------------------------------------


@wraps(tests.mcnemar)
def _mcnemar(predictions: Predictions, terms: Terms) -> PredictionAnswer:
    names = predictions.algorithms
    first, second = np.triu_indices(len(names), 1)
    only = tests.discordant_matrix(predictions.correct)
    only_a, only_b = only[first, second], only[second, first]
    outcome = tests.mcnemar_counts(only_a, only_b)
    correction = terms.correction
    together = f"p-values of all pairs adjusted together: {correction.title}"
    adjusted = correction.adjusted(Family(outcome.p_value, len(names)))
    exact = outcome.n <= tests.MCNEMAR_EXACT_LIMIT
    rows = named_pairs(
        names,
        first,
        second,
        outcome.statistic,
        outcome.p_value,
        adjusted,
        adjusted <= terms.alpha,
        only_a - only_b,
    )
    counts = zip(only_a.tolist(), only_b.tolist(), exact.tolist(), strict=True)
    return PredictionAnswer(
        pairs=tuple(Discordance(*row, *own) for row, own in zip(rows, counts, strict=True)),
        notes=(_null_note(exact), *(correction.warning or (together, *correction.notes))),
    )


def _null_note(exact: BoolArray) -> str:
    limit = tests.MCNEMAR_EXACT_LIMIT
    chi2 = "chi-square with a correction for continuity (yildiz2006 eq. 13)"
    if exact.all():
        return f"exact binomial p-values: no pair has more than {limit} discordant instances"
    if not exact.any():
        return f"{chi2}: every pair has more than {limit} discordant instances"
    return (
        f"exact binomial p-values for the {int(exact.sum())} of {exact.size} pairs with at most "
        f"{limit} discordant instances, {chi2} for the others"
    )


# --- all at once ---------------------------------------------------------------------------

_EQUAL = "all algorithms have the same accuracy"


@wraps(tests.cochran_q)
def _cochran(predictions: Predictions, _question: Terms) -> PredictionAnswer:
    outcome = tests.cochran_q(predictions.correct)
    null = (
        "exact p-value, given how many algorithms are right on each instance"
        if outcome.null == "exact"
        else "chi-square approximation"
    )
    return PredictionAnswer(
        test=TestResult.of(outcome, "cochran", _EQUAL), notes=(null, *_unanimous(outcome))
    )


@wraps(tests.looney_f)
def _looney(predictions: Predictions, _question: Terms) -> PredictionAnswer:
    outcome = tests.looney_f(_several(predictions, "looney"))
    return PredictionAnswer(
        test=TestResult.of(outcome, "looney", _EQUAL), notes=_no_interaction(outcome)
    )


@wraps(tests.looney_f_adjusted)
def _looney_adjusted(predictions: Predictions, _question: Terms) -> PredictionAnswer:
    correct = _several(predictions, "looney-adjusted")
    outcome = tests.looney_f_adjusted(correct)
    epsilon = float(tests.greenhouse_geisser(correct))
    df = tuple(epsilon * value for value in outcome.df)
    test = replace(TestResult.of(outcome, "looney-adjusted", _EQUAL), df=df)
    note = (
        f"both degrees of freedom multiplied by ε = {epsilon:.4g}, estimated after Greenhouse and "
        "Geisser 1959; yildiz2006 does not say which estimate Looney's F⁺ takes"
    )
    return PredictionAnswer(test=test, notes=(note, *_no_interaction(outcome)))


def _several(predictions: Predictions, test: str) -> BoolArray:
    if predictions.n < 2:
        raise DesignError("test", f"{test!r} needs at least 2 instances", "there is one")
    return predictions.correct


def _unanimous(outcome: Outcome) -> tuple[str, ...]:
    told = "on every instance all algorithms are right or all are wrong: p = 1 by definition"
    return (told,) if bool(outcome.degenerate) else ()


def _no_interaction(outcome: Outcome) -> tuple[str, ...]:
    if bool(outcome.degenerate) and float(outcome.statistic) > 0:
        return ("every instance divides the algorithms in the same way: p = 0 by definition",)
    return _unanimous(outcome)


# --- by probabilities ----------------------------------------------------------------------


@wraps(multinomial_selection)
def _multinomial_selection(predictions: Predictions, _question: Terms) -> PredictionAnswer:
    without = predictions.without_probabilities
    if without:
        raise DesignError(
            "test",
            "'multinomial-selection' needs the class probabilities of every algorithm",
            f"{quoted(without)} {'gives' if len(without) == 1 else 'give'} none",
            "add columns p_<class> to a long table, or leave out the algorithms",
        )
    selection = multinomial_selection(predictions.probability_of_truth())
    outcome = selection.outcome
    rows = zip(
        predictions.algorithms, selection.wins.tolist(), selection.chance.tolist(), strict=True
    )
    ties = "no instance is tied"
    if selection.tied:
        ties = f"{selection.tied} of {predictions.n} instances tied; their wins are split evenly"
    null = (
        "exact multinomial p-value"
        if outcome.null == "exact"
        else "chi-square approximation, corrected for ties"
        if selection.tied
        else f"chi-square approximation beyond {SELECTION_EXACT_LIMIT} instances"
    )
    return PredictionAnswer(
        test=TestResult.of(outcome, "multinomial-selection", "all algorithms win equally often"),
        selection=tuple(Selected(*row) for row in rows),
        notes=(ties, null),
    )


@wraps(roc.roc_convex_hull)
def _roc_hull(predictions: Predictions, terms: Terms) -> PredictionAnswer:
    chosen = _positive(predictions, terms.positive)
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
    notes = (
        f"class {chosen!r} is positive: {positives} instances, {negatives} are not",
        *((f"no probabilities, so a single point: {', '.join(hard)}",) if hard else ()),
    )
    return PredictionAnswer(roc=analysis, notes=notes)


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
    known = given is None or given in classes
    require(known, "positive", f"the classes are {quoted(classes)}", given)
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


# --- the registry --------------------------------------------------------------------------

_DISCORDANT = "instances that all algorithms get right, or all get wrong, do not count"
_ONE_TRAINING_SET = "one training set each: how accuracies vary with it is not seen"

PREDICTION_TESTS: Registry[PredictionTest] = Registry.of(
    "test",
    PredictionTest(
        "mcnemar",
        "McNemar's test of pairs, two-sided",
        "McNemar 1947; yildiz2006 eq. 13",
        _mcnemar,
        ("instances that both get right, or both get wrong, do not count", _ONE_TRAINING_SET),
        pairwise=True,
        aliases=("mcnemar-test",),
    ),
    PredictionTest(
        "cochran",
        "Cochran's Q test",
        "Cochran 1950",
        _cochran,
        (_DISCORDANT, _ONE_TRAINING_SET),
        aliases=("cochran-q", "cochrans-q"),
    ),
    PredictionTest(
        "looney",
        "Looney's F test",
        "Looney 1988; yildiz2006 eq. 14–16",
        _looney,
        ("the F distribution takes all pairs to agree alike", _ONE_TRAINING_SET),
    ),
    PredictionTest(
        "looney-adjusted",
        "Looney's F⁺ test",
        "Looney 1988; yildiz2006 §2.5",
        _looney_adjusted,
        (_ONE_TRAINING_SET,),
    ),
    PredictionTest(
        "multinomial-selection",
        "multinomial selection procedure",
        "Alsing, Bauer and Miller 2002; yildiz2006 §2.5",
        _multinomial_selection,
        (
            "a win: the largest probability for the true class",
            "chance: of the most wins on as many fresh instances, if the wins are right about how "
            "often each wins; the best one's is optimistic",
            _ONE_TRAINING_SET,
        ),
    ),
    PredictionTest(
        "roc-hull",
        "ROC convex hull",
        "Provost and Fawcett 2001; yildiz2006 §2.5",
        _roc_hull,
        (
            "slope: p(negative) c(false positive) / (p(positive) c(false negative)), optimal "
            "between those of the hull's edges; cost ratio: the same at the instances' own share "
            "of positives",
            "no test: the hull of few instances is uncertain",
        ),
        # Which of two classes is positive goes by their names, unless it is given.
        properties=frozenset({"reorder-instances", "reorder-algorithms", "identical"}),
        aliases=("roc-convex-hull", "rocch"),
    ),
)


def compare_predictions(
    predictions: Predictions | TableSource,
    *,
    test: str = "mcnemar",
    correction: str | None = "holm",
    alpha: float = 0.05,
    positive: str | None = None,
) -> PredictionComparison:
    """Compare algorithms by their predictions for the same test instances.

    Parameters
    ----------
    predictions : Predictions, path or frame
        What `read_predictions` returned, or reads.
    test : str
        ``"mcnemar"`` tests all pairs; ``"cochran"``, ``"looney"`` and ``"looney-adjusted"`` ask
        whether any accuracies differ; ``"multinomial-selection"`` counts who trusts the true class
        most; ``"roc-hull"`` finds who is optimal for which costs, on two classes.
    correction : str, optional
        A name in `CORRECTIONS`, for the pairs.
    alpha : float
        The significance level.
    positive : str, optional
        The positive class of ``"roc-hull"``; the last one in order unless given.

    Returns
    -------
    PredictionComparison

    Examples
    --------
    >>> import palio
    >>> predictions = palio.read_predictions({
    ...     "truth": [1] * 10, "tree": [1] * 10, "knn": [1] * 2 + [0] * 8, "zero": [0] * 10,
    ... })
    >>> compare_predictions(predictions)
    <PredictionComparison: mcnemar on 10 instances, 2 of 3 pairs differ>
    >>> compare_predictions(predictions, test="cochran").test.p_value < 0.001
    True
    """
    predictions = as_predictions(predictions)
    check_alpha(alpha)
    entry, correct = PREDICTION_TESTS[test], correction_named(correction)
    if entry.pairwise:
        correct.check(test=entry.name, control=None)
    if positive is not None and entry.name != "roc-hull":
        raise ParameterError(
            "positive", f"test {entry.name!r} does not take it", remedy="'roc-hull' does"
        )
    answer = entry.run(predictions, Terms(correct, alpha, positive))
    notes = (
        *predictions.notes,
        f"{entry.title} ({entry.reference})" + ("" if answer.roc else f", α = {alpha:g}"),
        *entry.notes,
        *answer.notes,
    )
    return PredictionComparison(
        method=entry.name,
        alpha=alpha,
        n=predictions.n,
        accuracies=predictions.accuracies,
        correction=correct.name if entry.pairwise else None,
        **{**vars(answer), "notes": notes},
    )
