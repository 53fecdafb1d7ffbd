"""Who differs from whom: over many data sets, or on one of them by its folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.omnibus import OMNIBUS_TESTS, OmnibusTest, run_omnibus
from palio.comparison.on_folds import compare_on_folds
from palio.comparison.pair_tests import BAYESIAN, PAIR_TESTS, PairTest, Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample, Scores
from palio.errors import MissingCellsError, Option, ParameterError
from palio.measures import Measure
from palio.registry import one_dataset
from palio.scores import Tabular, as_table
from palio.types import BoolArray
from palio.words import joined

USUAL_TEST = "wilcoxon"
# Of scores without a common unit only the side counts.
USUAL_ON_SIDES = "sign"


def usual_test(measure: Measure) -> str:
    """Return the test over data sets that is taken unless one is asked for.

    >>> from palio.measures import measure_named
    >>> usual_test(measure_named("accuracy"))
    'wilcoxon'
    """
    return USUAL_ON_SIDES if measure.is_mixed else USUAL_TEST


def check_unit(kind: str, entry: PairTest | OmnibusTest, measure: Measure) -> None:
    """Refuse a test that weighs sizes where the measure differs by data set."""
    if measure.is_mixed and "monotone" not in entry.properties:
        registry: Mapping[str, PairTest | OmnibusTest] = (
            PAIR_TESTS if kind == "test" else OMNIBUS_TESTS
        )
        ways = [
            str(Option(kind, n)) for n, each in registry.items() if "monotone" in each.properties
        ]
        raise ParameterError(
            kind,
            f"'{entry.name}' weighs differences of {measure.name}, and the measure differs by data "
            "set, so that these have no unit in common",
            remedy=f"give {joined(ways, 'or')}, or choose the data sets of one measure",
        )


"""Over data sets, unless another is asked for (benavoli2016 §5)."""


def compare(
    table: Tabular,
    *,
    dataset: str | None = None,
    test: str | None = None,
    correction: str | None = "holm",
    alpha: float = 0.05,
    control: str | None = None,
    omnibus: str = "friedman",
    **options: Any,
) -> Comparison:
    """Compare algorithms: say who differs from whom.

    Over many data sets each counts once, with the mean over its folds. The default, Wilcoxon's
    test on every pair with Holm's correction, is what benavoli2016 recommends: its verdict on two
    algorithms does not depend on which others are compared. On one data set the folds are
    compared, by a test that their design allows.

    Parameters
    ----------
    table
        Scores on data sets, or on the folds of one: a table, or whatever `palio.read_scores`
        reads, such as a path or a frame.
    dataset
        Compare on the folds of this data set; may be left out when there is only one.
    test
        Over data sets ``"wilcoxon"`` (unless another is asked for; ``"sign"`` where the measure
        differs by data set), ``"sign"``, ``"paired-t"``,
        ``"permutation"``, ``"bayes"``; or on ranks of all algorithms together ``"mean-ranks"``,
        ``"conover"``, ``"quade"``, ``"aligned-ranks"``. On one data set ``"5x2cv-f"`` for 5×2 cv,
        ``"corrected-t"`` for other designs, ``"5x2cv-t"``, ``"kfold-t"``, ``"bayes"``, ….
    correction
        For many pairs at once: ``"holm"``, ``"shaffer"``, ``"bergmann-hommel"``, ``"nemenyi"``
        (with ``"mean-ranks"``), ``"bh"``, …; ``None`` for none. ``"bayes"`` takes none.
    alpha
        Significance level.
    control
        Compare every other algorithm with this one alone.
    omnibus
        The test of all algorithms at once: ``"friedman"``, ``"iman-davenport"``,
        ``"aligned-ranks"`` or ``"quade"``. It never hides the pairs.
    **options
        What the test takes besides: ``zero_method`` for ``"wilcoxon"``, ``ties`` for ``"sign"``,
        ``n_resamples`` and ``seed`` for ``"permutation"``, ``rope``, ``draws`` and ``seed`` for
        ``"bayes"``; on folds ``test_fraction``, ``rope``.

    References
    ----------
    J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    A. Benavoli, G. Corani and F. Mangili (2016), Should we really use post-hoc tests based on
    mean-ranks?, JMLR 17.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> comparison = palio.compare(table)
    >>> comparison
    <Comparison: wilcoxon, holm, 8 algorithms on 38 data sets, 10 of 28 pairs differ>
    >>> comparison.pair("svr", "svl").significant
    False
    >>> comparison.unbeaten
    ('svr', 'svl')
    >>> palio.compare(table, dataset="optdigits").pair("svr", "c45").winner
    'svr'
    """
    table = as_table(table)
    if dataset is not None and table.measures:
        table = table.select(datasets=[one_dataset(table.datasets, dataset)])
    if dataset is not None or table.n_datasets == 1:
        return compare_on_folds(
            table,
            dataset=dataset,
            test=test,
            correction=correction,
            alpha=alpha,
            control=control,
            options=options,
        )
    return compare_scores(
        Scores(table.means(), table.algorithms, table.datasets, table.measure),
        test=test or usual_test(table.measure),
        correction=correction,
        alpha=alpha,
        control=control,
        omnibus=omnibus,
        notes=table.notes,
        options=options,
    )


def compare_scores(
    scores: Scores,
    *,
    test: str,
    correction: str | None,
    alpha: float,
    control: str | None = None,
    omnibus: str = "friedman",
    notes: tuple[str, ...] = (),
    options: dict[str, Any] | None = None,
    of_scores: bool = True,
) -> Comparison:
    """Compare columns of scores, or of places in orders; ``compare`` with the table left behind."""
    procedure = Procedure.asked(test, correction, alpha, control, options)
    entry = PAIR_TESTS[test]
    check_unit("test", entry, scores.measure)
    check_unit("omnibus", OMNIBUS_TESTS[omnibus], scores.measure)
    goodness = scores.goodness
    complete = np.asarray(~np.isnan(goodness).any(axis=1))
    pairs = pairs_of(scores.algorithms, control)
    _check_enough(complete)
    whole = Sample(goodness[complete], *pairs)
    sample = whole if entry.on_ranks or complete.all() else Sample(goodness, *pairs)
    found = comparison_from(
        procedure.run(sample),
        scores,
        whole,
        procedure,
        run_omnibus(omnibus, whole),
        notes=(*notes, *_gap_notes(complete, entry), *_test_notes(entry, procedure)),
        of_scores=of_scores,
    )
    if found.n_different or entry.on_ranks:
        return found
    return _if_none_can_differ(found, procedure, sample)


def _if_none_can_differ(found: Comparison, procedure: Procedure, sample: Sample) -> Comparison:
    """Mark it where there are too few data sets for any verdict, whatever the scores."""
    there = (~np.isnan(sample.values)).astype(np.float64)
    n = int((there.T @ there)[sample.first, sample.second].max())
    least = procedure.least(n, len(found.algorithms))
    return found if least <= procedure.alpha else replace(found, least_p=least)


def _check_enough(complete: BoolArray) -> None:
    if complete.sum() < 2:
        raise MissingCellsError(
            "missing",
            f"{int(complete.sum())} of {complete.size} data sets have a score of every algorithm",
            "a comparison needs two",
            "leave out the algorithms with gaps",
        )


def _gap_notes(complete: BoolArray, entry: PairTest) -> tuple[str, ...]:
    gaps = int((~complete).sum())
    if gaps == 0:
        return ()
    where = "" if entry.on_ranks else "mean ranks and the omnibus test: "
    rest = "" if entry.on_ranks else "; each pair on the data sets where both have a score"
    return (f"{where}{gaps} data sets with missing scores left out{rest}",)


def _test_notes(entry: PairTest, procedure: Procedure) -> tuple[str, ...]:
    correction = procedure.correction
    warning: tuple[str, ...] = ()
    if procedure.bayesian:
        warning = BAYESIAN
    elif correction.controls == "nothing":
        warning = ("without a correction the chance of any false finding grows with the pairs",)
    return (
        f"pairs: {entry.title}, {procedure.level}",
        *entry.notes,
        *correction.notes,
        *warning,
    )
