"""Pairwise tests on the folds of one data set, by name, with the designs they demand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from palio.errors import DesignError, Option, ParameterError, require
from palio.registry import Later, Method, Registry
from palio.scores import Design
from palio.stats import folds
from palio.stats.outcome import Outcome
from palio.types import Alternative, FloatArray, Options

Allowed = tuple[str, ...] | type
"""The values that an option may have: some names, ``int`` or ``float``, not negative, or any."""


@dataclass(frozen=True)
class PairwiseTest(Method):
    """What the entries have that test pairs, over data sets, on folds or over items.

    ``options`` are what the test takes besides, each with the values that it may have.
    ``bayesian``: in the place of p is the probability of being wrong, which is not corrected.
    ``transitive``: if a equals b and b equals c, then a equals c, as equal means and mean ranks do,
    but not zero medians of differences.
    """

    options: Mapping[str, Allowed] = field(default_factory=dict, kw_only=True)
    bayesian: bool = field(default=False, kw_only=True)
    transitive: bool = field(default=True, kw_only=True)

    @property
    def on_ranks(self) -> bool:
        """Whether all algorithms are ranked together, so that every row must be complete."""
        return False

    @property
    def takes(self) -> Mapping[str, Allowed]:
        """All the options that may be given."""
        return self.options

    def checked(self, options: Options) -> dict[str, Any]:
        """Refuse options that the test does not take, or values that they do not."""
        for name, value in options.items():
            if name not in self.takes:
                known = ", ".join(sorted(self.takes)) or "no options"
                raise ParameterError(
                    name, f"test '{self.name}' does not take it (it takes {known})"
                )
            allowed, rule = self.takes[name], ""
            if isinstance(allowed, tuple) and value not in allowed:
                rule = f"it is one of {', '.join(allowed)}"
            elif allowed is int and not (isinstance(value, int) and value >= 0):
                rule = "it is a whole number, not negative"
            elif allowed is float and not (isinstance(value, int | float) and 0 <= value < inf):
                rule = "it is a number, not negative and finite"
            require(not rule, name, rule, value)
        return dict(options)


@dataclass(frozen=True)
class FoldTest(PairwiseTest):
    """An entry of the registry: what the test is, when it is valid, and what holds for it.

    The page of a test is the docstring of ``run``; ``arguments`` are what it is given besides the
    scores, by the design and the options.
    ``properties`` are promises that the property tests verify for every entry:
    ``mirror`` (swapping the two mirrors the result), ``negation`` (negating the scores with the
    direction flipped changes nothing), ``shift`` and ``scale`` (so does adding a constant to both,
    or multiplying both by one), ``relabel-folds`` (the names of repeats and folds do not matter),
    ``identical`` (identical algorithms are never separated).
    ``posthoc`` is Multi²Test's second pass in its company, unless another is asked for.
    ``without_variance`` says what p is where the folds' differences have no variance.
    """

    run: Callable[..., Outcome]
    arguments: Callable[[Design, Options], dict[str, Any]] = lambda _design, _options: {}
    five_by_two: bool = False
    one_sided: bool = True
    posthoc: str = "nemenyi"
    without_variance: str = "p is that of the mean difference by its sign flips"
    properties: frozenset[str] = frozenset(
        {"mirror", "negation", "shift", "scale", "relabel-folds", "identical"}
    )

    @property
    def needs(self) -> str:
        """What it needs of a design."""
        return "5 repeats of 2 folds" if self.five_by_two else "at least 2 folds"

    def accepts(self, design: Design) -> bool:
        """Say whether a design has that."""
        if self.five_by_two:
            return design.kind == "5x2"
        return design.kind not in {"none", "irregular", "mixed"}


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


def _test_fraction(design: Design, options: Options) -> dict[str, float]:
    fraction = design.tested_share(options.get("test_fraction"), by="test: 'corrected-t'")
    return {"test_fraction": fraction}


def _degrees_of_freedom(design: Design, options: Options) -> dict[str, float]:
    if "test_df" in options:
        df = options["test_df"]
        require(0 < df < inf, "test_df", "calibrated degrees of freedom are positive", df)
    elif (design.repeats, design.folds) == (10, 10):
        df = 10.0
    else:
        raise DesignError(
            "test",
            "'calibrated-t' is calibrated for 10×10-fold cv (10 degrees of freedom)",
            f"the data have {design}",
            f"give {Option('test_df')} from a calibration of your design, or use 'corrected-t'",
        )
    return {"df": df}


FOLD_TESTS: Registry[FoldTest] = Registry.of(
    "test",
    FoldTest(
        "5x2cv-f",
        "combined 5×2 cv F test",
        "Alpaydın 1999; ulas2008 A.1",
        folds.cv52_f,
        five_by_two=True,
        one_sided=False,
        aliases=("5x2-f", "5x2cv-f-test", "combined-5x2cv-f", "combined-ftest-5x2cv", "alpaydin"),
    ),
    FoldTest(
        "5x2cv-t",
        "5×2 cv t test",
        "Dietterich 1998; yildiz2006 eq. 7",
        folds.cv52_t,
        five_by_two=True,
        # Its numerator is one fold's difference, so the folds' labels matter.
        properties=frozenset({"mirror", "negation", "shift", "scale", "identical"}),
        aliases=("5x2-t", "5x2cv-t-test", "paired-ttest-5x2cv", "dietterich"),
    ),
    FoldTest(
        "kfold-t",
        "k-fold cv paired t test",
        "yildiz2006 eq. 4–5",
        folds.kfold_t,
        aliases=("kfold-t-test", "paired-ttest-kfold-cv"),
    ),
    FoldTest(
        "corrected-t",
        "corrected resampled t test",
        "Nadeau and Bengio 2003",
        folds.corrected_t,
        _test_fraction,
        options={"test_fraction": object},
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
        folds.calibrated_t,
        _degrees_of_freedom,
        options={"test_df": object},
        aliases=("bouckaert",),
    ),
    FoldTest(
        "bayes",
        "Bayesian correlated t, 1 − P(better beyond the region) in the place of p",
        "Corani and Benavoli 2015",
        Later[..., Outcome]("palio.comparison.bayes_tests:correlated_t_errors"),
        Later[..., dict[str, Any]]("palio.comparison.bayes_tests:correlated_t_arguments"),
        options={"rope": object, "test_fraction": object},
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
    given = test.checked(options or {})
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
    return BoundTest(test, functools.partial(test.run, **test.arguments(design, given)))
