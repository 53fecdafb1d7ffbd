"""Pairwise tests on the folds of one data set, by name, with the designs they demand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from palio.errors import DesignError, Option, ParameterError
from palio.registry import Later, Registry
from palio.scores import Design
from palio.stats import folds
from palio.stats.folds import Options, PairFunction, SidedPairFunction
from palio.stats.outcome import Outcome
from palio.types import Alternative, FloatArray


@dataclass(frozen=True)
class FoldTest:
    """An entry of the registry: what the test is, when it is valid, and what holds for it.

    The page of a test is the docstring of ``bind``, or of what it ``wraps``.
    ``properties`` are promises that the property tests verify for every entry:
    ``mirror`` (swapping the two mirrors the result), ``negation`` (negating the scores with the
    direction flipped changes nothing), ``shift`` and ``scale`` (so does adding a constant to both,
    or multiplying both by one), ``relabel-folds`` (the names of repeats and folds do not matter),
    ``identical`` (identical algorithms are never separated).
    ``posthoc`` is Multi²Test's second pass in its company, unless another is asked for.
    ``without_variance`` says what p is where the folds' differences have no variance. ``bayesian``:
    in the place of p is the probability of being wrong, which is not corrected.
    """

    name: str
    title: str
    reference: str
    accepts: Callable[[Design], bool]
    needs: str
    bind: Callable[[Design, Options], PairFunction | SidedPairFunction]
    one_sided: bool = True
    options: frozenset[str] = frozenset()
    posthoc: str = "nemenyi"
    bayesian: bool = False
    without_variance: str = "p is that of the mean difference by its sign flips"
    properties: frozenset[str] = field(
        default=frozenset({"mirror", "negation", "shift", "scale", "relabel-folds", "identical"})
    )
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class BoundTest:
    """A fold test made ready for one design."""

    test: FoldTest
    function: Callable[..., Outcome]

    def __call__(self, a: FloatArray, b: FloatArray, *, alternative: Alternative) -> Outcome:
        """Test a against b; a test without a one-sided form takes only ``two-sided``."""
        if self.test.one_sided:
            return self.function(a, b, alternative=alternative)
        return self.function(a, b)


def _several_folds(design: Design) -> bool:
    return design.kind not in {"none", "irregular", "mixed"}


def _five_by_two(design: Design) -> bool:
    return design.kind == "5x2"


def _as_it_is(
    function: PairFunction | SidedPairFunction,
) -> Callable[[Design, Options], PairFunction | SidedPairFunction]:
    """Bind a test that takes nothing from the design."""

    @functools.wraps(function)
    def bind(_design: Design, _options: Options) -> PairFunction | SidedPairFunction:
        return function

    return bind


@functools.wraps(folds.corrected_t)
def _bind_corrected_t(design: Design, options: Options) -> SidedPairFunction:
    fraction = design.tested_share(options.get("test_fraction"), by="test: 'corrected-t'")
    return functools.partial(folds.corrected_t, test_fraction=fraction)


@functools.wraps(folds.calibrated_t)
def _bind_calibrated_t(design: Design, options: Options) -> SidedPairFunction:
    if "test_df" in options:
        df = options["test_df"]
        if not 0 < df < float("inf"):
            raise ParameterError(
                "test_df", "calibrated degrees of freedom are positive", f"{df!r} was given"
            )
    elif (design.repeats, design.folds) == (10, 10):
        df = 10.0
    else:
        raise DesignError(
            "test",
            "'calibrated-t' is calibrated for 10×10-fold cv (10 degrees of freedom)",
            f"the data have {design}",
            f"give {Option('test_df')} from a calibration of your design, or use 'corrected-t'",
        )
    return functools.partial(folds.calibrated_t, df=df)


FOLD_TESTS: Registry[FoldTest] = Registry.of(
    "test",
    FoldTest(
        "5x2cv-f",
        "combined 5×2 cv F test",
        "Alpaydın 1999; ulas2008 A.1",
        _five_by_two,
        "5 repeats of 2 folds",
        _as_it_is(folds.cv52_f),
        one_sided=False,
        aliases=("5x2-f", "5x2cv-f-test", "combined-5x2cv-f", "combined-ftest-5x2cv", "alpaydin"),
    ),
    FoldTest(
        "5x2cv-t",
        "5×2 cv t test",
        "Dietterich 1998; yildiz2006 eq. 7",
        _five_by_two,
        "5 repeats of 2 folds",
        _as_it_is(folds.cv52_t),
        # Its numerator is one fold's difference, so the folds' labels matter.
        properties=frozenset({"mirror", "negation", "shift", "scale", "identical"}),
        aliases=("5x2-t", "5x2cv-t-test", "paired-ttest-5x2cv", "dietterich"),
    ),
    FoldTest(
        "kfold-t",
        "k-fold cv paired t test",
        "yildiz2006 eq. 4–5",
        _several_folds,
        "at least 2 folds",
        _as_it_is(folds.kfold_t),
        aliases=("kfold-t-test", "paired-ttest-kfold-cv"),
    ),
    FoldTest(
        "corrected-t",
        "corrected resampled t test",
        "Nadeau and Bengio 2003",
        _several_folds,
        "at least 2 folds",
        _bind_corrected_t,
        options=frozenset({"test_fraction"}),
        aliases=(
            "nadeau-bengio",
            "corrected-t-test",
            "corrected-resampled-t",
            "corrected-resampled-t-test",
        ),
    ),
    FoldTest(
        "calibrated-t",
        "t test with calibrated degrees of freedom",
        "Bouckaert 2003",
        _several_folds,
        "at least 2 folds",
        _bind_calibrated_t,
        options=frozenset({"test_df"}),
        aliases=("bouckaert",),
    ),
    FoldTest(
        "bayes",
        "Bayesian correlated t, 1 − P(better beyond the region) in the place of p",
        "Corani and Benavoli 2015",
        _several_folds,
        "at least 2 folds",
        Later[..., Any]("palio.comparison.bayes_tests:bind_bayes"),
        options=frozenset({"rope", "test_fraction"}),
        posthoc="bayes",
        bayesian=True,
        without_variance="what they show is taken as certain",
        aliases=("bayesian", "correlated-t", "bayesian-correlated-t"),
    ),
)


def tests_for(design: Design) -> list[str]:
    """Name the tests that a design allows.

    >>> tests_for(Design(kind="k-fold", repeats=1, folds=10))
    ['kfold-t', 'corrected-t', 'calibrated-t', 'bayes']
    """
    return [name for name, test in FOLD_TESTS.items() if test.accepts(design)]


# The tests that are taken where none is asked for, the first that fits.
_USUAL = ("5x2cv-f", "corrected-t")


def usual_test(designs: Iterable[Design]) -> str | None:
    """Name the test to take on data sets of these designs unless another is asked for.

    >>> usual_test([Design(kind="k-fold", repeats=1, folds=10)])
    'corrected-t'
    """
    allowed = [set(tests_for(design)) for design in set(designs)]
    return next((name for name in _USUAL if all(name in each for each in allowed)), None)


def bind_fold_test(
    name: str, design: Design, options: Options | None = None, *, dataset: str = ""
) -> BoundTest:
    """Make a test ready for a design, or say which tests the design allows."""
    test = FOLD_TESTS[name]
    given = dict(options or {})
    for option in given:
        if option not in test.options:
            takes = ", ".join(sorted(test.options)) or "no options"
            raise ParameterError(option, f"test '{test.name}' does not take it (it takes {takes})")
    if not test.accepts(design):
        where = f"data set '{dataset}' has" if dataset else "the data have"
        fitting = tests_for(design)
        advice = (
            f"tests that fit: {', '.join(fitting)}"
            if fitting
            else "no test on folds fits: give one row per fold (columns repeat and fold)"
        )
        raise DesignError(
            "test", f"'{test.name}' needs {test.needs}", f"{where} {design}; {advice}"
        )
    return BoundTest(test, test.bind(design, given))
