"""Tests on the predictions for the same test instances, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.corrections import Correction, Family, check_alpha, correction_named
from palio.comparison.pairs import TestResult
from palio.comparison.prediction_results import (
    Discordance,
    PredictionComparison,
    RocAnalysis,
    Selected,
)
from palio.comparison.roc_analysis import analyse_roc
from palio.errors import DesignError, ParameterError
from palio.predictions import Predictions, as_predictions
from palio.registry import Registry
from palio.stats import predictions as tests
from palio.stats.outcome import Outcome
from palio.stats.roc import roc_convex_hull
from palio.stats.selection import SELECTION_EXACT_LIMIT, multinomial_selection
from palio.types import BoolArray
from palio.words import quoted

if TYPE_CHECKING:
    from palio.scores.sources import TableSource


@dataclass(frozen=True)
class Terms:
    """The terms of a comparison of predictions: correction, level, and which class is positive."""

    correction: Correction
    alpha: float
    positive: str | None


@dataclass(frozen=True)
class Answer:
    """What a test says, of pairs, of all together, or by hull."""

    discordances: tuple[Discordance, ...] = ()
    test: TestResult | None = None
    selection: tuple[Selected, ...] = ()
    roc: RocAnalysis | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PredictionTest:
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties`` are promises that the property tests verify for every entry:
    ``reorder-instances`` and ``reorder-algorithms`` (neither order matters), ``rename-classes``
    (nor what the classes are called), ``identical`` (identical algorithms are never separated).
    """

    name: str
    title: str
    reference: str
    run: Callable[[Predictions, Terms], Answer]
    notes: tuple[str, ...] = ()
    pairwise: bool = False
    properties: frozenset[str] = field(
        default=frozenset(
            {"reorder-instances", "reorder-algorithms", "rename-classes", "identical"}
        )
    )
    aliases: tuple[str, ...] = ()


# --- pairs ---------------------------------------------------------------------------------


@wraps(tests.mcnemar)
def _mcnemar(predictions: Predictions, terms: Terms) -> Answer:
    names = predictions.algorithms
    first, second = np.triu_indices(len(names), 1)
    only = tests.discordant_matrix(predictions.correct)
    only_a, only_b = only[first, second], only[second, first]
    outcome = tests.mcnemar_counts(only_a, only_b)
    adjusted = terms.correction.adjusted(Family(outcome.p_value, len(names)))
    exact = outcome.n <= tests.MCNEMAR_EXACT_LIMIT
    rows = zip(
        ((names[i], names[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)),
        outcome.statistic.tolist(),
        outcome.p_value.tolist(),
        adjusted.tolist(),
        only_a.tolist(),
        only_b.tolist(),
        exact.tolist(),
        strict=True,
    )
    return Answer(
        discordances=tuple(
            Discordance(
                a,
                b,
                t,
                p,
                p_adjusted,
                p_adjusted <= terms.alpha,
                _ahead(a, b, n, m),
                only_a=n,
                only_b=m,
                exact=is_exact,
            )
            for (a, b), t, p, p_adjusted, n, m, is_exact in rows
        ),
        notes=(_null_note(exact), *_correction_notes(terms.correction)),
    )


def _ahead(a: str, b: str, only_a: int, only_b: int) -> str | None:
    return None if only_a == only_b else a if only_a > only_b else b


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


def _correction_notes(correction: Correction) -> tuple[str, ...]:
    if correction.controls == "nothing":
        return ("without a correction the chance of any false finding grows with the pairs",)
    return (f"p-values of all pairs adjusted together: {correction.title}", *correction.notes)


# --- all at once ---------------------------------------------------------------------------

_EQUAL = "all algorithms have the same accuracy"


@wraps(tests.cochran_q)
def _cochran(predictions: Predictions, _question: Terms) -> Answer:
    outcome = tests.cochran_q(predictions.correct)
    null = (
        "exact p-value, given how many algorithms are right on each instance"
        if outcome.null == "exact"
        else "chi-square approximation"
    )
    return Answer(test=_named("cochran", _EQUAL, outcome), notes=(null, *_unanimous(outcome)))


@wraps(tests.looney_f)
def _looney(predictions: Predictions, _question: Terms) -> Answer:
    outcome = tests.looney_f(_several(predictions, "looney"))
    return Answer(test=_named("looney", _EQUAL, outcome), notes=_no_interaction(outcome))


@wraps(tests.looney_f_adjusted)
def _looney_adjusted(predictions: Predictions, _question: Terms) -> Answer:
    correct = _several(predictions, "looney-adjusted")
    outcome = tests.looney_f_adjusted(correct)
    epsilon = float(tests.greenhouse_geisser(correct))
    df = tuple(epsilon * value for value in outcome.df)
    note = (
        f"both degrees of freedom multiplied by ε = {epsilon:.4g}, estimated after Greenhouse and "
        "Geisser 1959; yildiz2006 does not say which estimate Looney's F⁺ takes"
    )
    return Answer(
        test=_named("looney-adjusted", _EQUAL, outcome, df),
        notes=(note, *_no_interaction(outcome)),
    )


def _named(
    method: str, hypothesis: str, outcome: Outcome, df: tuple[float, ...] | None = None
) -> TestResult:
    return TestResult(
        method=method,
        hypothesis=hypothesis,
        statistic=float(outcome.statistic),
        df=outcome.df if df is None else df,
        p_value=float(outcome.p_value),
        n=int(outcome.n),
        exact=outcome.null == "exact",
    )


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
def _multinomial_selection(predictions: Predictions, _question: Terms) -> Answer:
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
    return Answer(
        test=_named("multinomial-selection", "all algorithms win equally often", outcome),
        selection=tuple(Selected(*row) for row in rows),
        notes=(ties, null),
    )


@wraps(roc_convex_hull)
def _roc_hull(predictions: Predictions, terms: Terms) -> Answer:
    analysis, notes = analyse_roc(predictions, terms.positive)
    return Answer(roc=analysis, notes=notes)


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
    return PredictionComparison(
        method=entry.name,
        alpha=alpha,
        n=predictions.n,
        accuracies=predictions.accuracies,
        correction=correct.name if entry.pairwise else None,
        discordances=answer.discordances,
        test=answer.test,
        selection=answer.selection,
        roc=answer.roc,
        notes=(
            *predictions.notes,
            f"{entry.title} ({entry.reference})" + ("" if answer.roc else f", α = {alpha:g}"),
            *entry.notes,
            *answer.notes,
        ),
    )
