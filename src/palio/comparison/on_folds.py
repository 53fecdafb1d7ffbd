"""Who differs from whom on one data set, by the folds that the algorithms share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.corrections import check_alpha, correction_for
from palio.comparison.fold_tests import FOLD_TESTS, BoundTest, bind_fold_test, usual_test
from palio.comparison.pair_tests import BAYESIAN, PAIR_TESTS, PairVerdicts
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample, Scores
from palio.errors import DesignError, MissingCellsError, Option, ParameterError
from palio.registry import one_dataset
from palio.scores import Design, ScoreTable
from palio.stats.ranks import paired_difference
from palio.types import FloatArray, IntArray
from palio.words import listed


def compare_on_folds(
    table: ScoreTable,
    *,
    dataset: str | None,
    test: str | None,
    correction: str | None,
    alpha: float,
    control: str | None = None,
    options: dict[str, Any] | None = None,
) -> Comparison:
    """Compare all pairs, or all with a control, on the folds of one data set, two-sided."""
    check_alpha(alpha)
    name = one_dataset(table.datasets, dataset)
    table, without = with_every_fold(table, name)
    design = table.design(name)
    check_splits(table, name)
    chosen = fold_test_named(test, design, name, table.n_seeds)
    entry = FOLD_TESTS[chosen]
    correct = correction_for(correction, bayesian=entry.bayesian)
    correct.check(test=chosen, control=control)
    bound = bind_fold_test(chosen, design, options or {}, dataset=name)
    procedure = Procedure(
        chosen, correct, alpha, control, title=entry.title, bayesian=entry.bayesian
    )
    folds = table.fold_scores(name)
    goodness = table.measure.turned(folds)
    first, second = pairs_of(table.algorithms, control)
    rows = folds.reshape(len(folds), -1).T
    found = comparison_from(
        _verdicts(goodness, first, second, bound),
        Scores(
            rows,
            table.algorithms,
            _labels(design),
            table.measure.on_one_dataset,
            folds_of=name,
            table=table,
        ),
        Sample(goodness.mean(axis=(-2, -1))[np.newaxis], first, second),
        procedure,
        omnibus=None,
        notes=(
            *table.notes,
            *without,
            f"pairs: {entry.title} on the folds of {name} ({design}), {procedure.level}",
            *(BAYESIAN if entry.bayesian else ()),
            "of this data set alone: what holds on others is not known from it",
            *correct.notes,
        ),
    )
    usual = chosen == usual_test([design]) and correction == "holm"
    return replace(found, is_default=usual and control is None and not options)


def check_splits(table: ScoreTable, dataset: str) -> None:
    """Refuse repeats of the same items: they are no splits of the data."""
    items, design = table.items, table.design(dataset)
    if items is None or dataset not in items.datasets or design.kind != "hold-outs":
        return
    repeats = items.on(dataset).repeats
    counts = 0 if repeats is None else int(repeats.counts[repeats.counts > 0].min())
    if counts < design.repeats:  # each tests on other items
        return
    raise DesignError(
        "test",
        "on folds, tests are of splits of the data",
        f"'{dataset}' has {design.repeats} repeats of the same items",
        f"these are compared with {Option('over', 'items')}",
    )


def with_every_fold(table: ScoreTable, dataset: str) -> tuple[ScoreTable, tuple[str, ...]]:
    """Return a data set with the algorithms that have all its scores, and a note on the others."""
    one = table.select(datasets=[dataset])
    lacking = np.isnan(one.means()[0])
    names = [name for name, gone in zip(one.algorithms, lacking, strict=True) if not gone]
    if len(names) == len(one.algorithms):
        return one, ()
    if len(names) < 2:
        raise MissingCellsError(
            "dataset",
            f"tests by folds need two algorithms with every score on {dataset!r}",
            f"there {'is one' if names else 'is none'}",
            "name another data set",
        )
    gone = [name for name in one.algorithms if name not in names]
    return one.select(algorithms=names), (
        f"left out, for scores missing on {dataset}: {listed(gone, limit=10)}",
    )


def fold_test_named(test: str | None, design: Design, dataset: str, seeds: int = 1) -> str:
    """Return the test asked for, or the usual one of the design; say where there is none."""
    if test is None:
        usual = usual_test([design])
        if usual is None:
            raise DesignError(
                "dataset",
                "on one data set algorithms are compared by the folds that they share",
                f"'{dataset}' has {design}"
                + (f", the mean over {seeds} seeds, which are no folds" if seeds > 1 else ""),
                "give one row per fold (columns repeat and fold), or several data sets",
            )
        return usual
    if test in PAIR_TESTS and test not in FOLD_TESTS:
        fitting = ", ".join(entry.name for entry in FOLD_TESTS.values() if entry.accepts(design))
        raise ParameterError(
            "test",
            f"'{test}' compares over many data sets",
            f"'{dataset}' is one",
            f"on its folds use one of {fitting}" if fitting else "",
        )
    return FOLD_TESTS[test].name


def _verdicts(
    goodness: FloatArray, first: IntArray, second: IntArray, test: BoundTest
) -> PairVerdicts:
    """Test the pairs two-sided; who is ahead is for the test to say where it has sides."""
    a, b = goodness[first], goodness[second]
    outcome = test(a, b, alternative="two-sided")
    if test.test.one_sided:
        # The 5×2 cv t test looks at one fold, so its side need not be that of the means.
        lead = test(a, b, alternative="less").p_value - test(a, b, alternative="greater").p_value
    else:
        lead = paired_difference(a.mean(axis=(-2, -1)), b.mean(axis=(-2, -1)))
    return PairVerdicts(outcome.statistic, outcome.p_value, np.asarray(lead))


def _labels(design: Design) -> tuple[str, ...]:
    return tuple(
        f"{repeat}.{fold}"
        for repeat in range(1, design.repeats + 1)
        for fold in range(1, design.folds + 1)
    )
