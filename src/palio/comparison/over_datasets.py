"""Who differs from whom: over many data sets, or on one of them by its folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from palio.comparison.board import board_costs
from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.missing import missing_of
from palio.comparison.omnibus import OMNIBUS_TESTS, OmnibusTest, run_omnibus
from palio.comparison.on_folds import compare_on_folds
from palio.comparison.over_items import compare_over_items, read_over
from palio.comparison.pair_tests import PAIR_TESTS, PairTest
from palio.comparison.procedure import Asked, Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample, Scores, shared, which_met
from palio.errors import MissingCellsError, Option, ParameterError
from palio.measures import Measure
from palio.registry import Registry, one_dataset
from palio.scores import Tabular, as_table, reading_in
from palio.scores.items import ReadOver
from palio.types import BoolArray
from palio.words import count, joined

USUAL_TEST = "wilcoxon"
"""Over data sets, unless another is asked for (benavoli2016 §5)."""
# Of scores without a common unit only the side counts.
USUAL_ON_SIDES = "sign"


def usual_test(measure: Measure) -> str:
    """Return the test over data sets that is taken unless one is asked for.

    >>> from palio.measures import measure_named
    >>> usual_test(measure_named("accuracy"))
    'wilcoxon'
    """
    return USUAL_ON_SIDES if measure.scale == "order" else USUAL_TEST


def suits(entry: PairTest | OmnibusTest, measure: Measure) -> bool:
    """Return whether a test asks for no sizes that the measure does not have.

    A run that did not end is an extreme: the ranks of differences are known, their sizes are not.
    """
    by_ranks = "monotone" in entry.properties or (measure.is_censored and entry.name == USUAL_TEST)
    return by_ranks or not measure.is_ordinal


def check_unit(
    registry: Registry[PairTest] | Registry[OmnibusTest], name: str, measure: Measure
) -> None:
    """Refuse a test that weighs sizes where the measure differs by data set."""
    entry = registry[name]
    if not suits(entry, measure):
        fit = [each.name for each in registry.values() if suits(each, measure)]
        ways = [str(Option(registry.kind, each)) for each in fit]
        other = ", or choose the data sets of one measure" if measure.is_mixed else ""
        raise ParameterError(
            registry.kind,
            f"'{entry.name}' weighs differences of {measure.name}, which have no unit in common",
            measure.why_ordinal,
            f"give {joined(ways, 'or')}{other}",
        )


def compare(
    table: Tabular,
    *,
    over: ReadOver | None = None,
    dataset: str | None = None,
    test: str | None = None,
    correction: str | None = "holm",
    alpha: float = 0.05,
    control: str | None = None,
    omnibus: str | None = None,
    cost: str | Iterable[str] | None = None,
    scale: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare algorithms: say who differs from whom.

    Over many data sets each counts once, with the mean over its folds. The default, Wilcoxon's
    test on every pair with Holm's correction, is what benavoli2016 recommends: its verdict on two
    algorithms does not depend on which others are compared. On one data set the folds are
    compared, by a test that their design allows.

    Where there is a score on each item (a question, a test instance), other items of these data
    sets may be asked about instead of other data sets: each pair on the items that both have.

    Parameters
    ----------
    table
        Scores on data sets, on the folds of one, or on items: a table, or whatever
        `palio.read_scores` reads, such as a path or a frame.
    over
        What the verdict generalises to: ``"datasets"`` (other data sets like these) or ``"items"``
        (these data sets, other items). With item scores on fewer than six data sets it is items
        unless given.
    dataset
        Compare on the folds of this data set; may be left out when there is only one.
    test
        Over data sets ``"wilcoxon"`` (unless another is asked for; ``"sign"`` where the measure
        differs by data set), ``"sign"``, ``"paired-t"``,
        ``"permutation"``, ``"bayes"``; or on ranks of all algorithms together ``"mean-ranks"``,
        ``"conover"``, ``"quade"``, ``"aligned-ranks"``. On one data set ``"5x2cv-f"`` for 5×2 cv,
        ``"corrected-t"`` for other designs, ``"5x2cv-t"``, ``"kfold-t"``, ``"bayes"``, …. Over
        items ``"item-t"``, ``"cluster-flips"`` (clusters), ``"sign-flips"``, ``"mcnemar"`` (0/1),
        ``"permutation"``.
    correction
        For many pairs at once: ``"holm"``, ``"shaffer"`` and ``"bergmann-hommel"`` (for tests of
        means or mean ranks), ``"nemenyi"`` (with ``"mean-ranks"``), ``"bh"``, …; ``None`` for none.
        ``"bayes"`` takes none.
    alpha
        Significance level.
    control
        Compare every other algorithm with this one alone.
    omnibus
        The test of all algorithms at once: ``"friedman"``, or where scores are missing
        ``"skillings-mack"``, unless another is asked for: ``"iman-davenport"``,
        ``"aligned-ranks"``, ``"quade"``. It never hides the pairs.
    cost
        Costs to be shown beside the scores; they decide nothing.
    scale
        What means the same on every data set: ``"difference"``, ``"ratio"`` or ``"order"``; the
        measure's own unless given, as :func:`palio.read_scores` has it.
    **options
        What the test takes besides: ``zero_method`` for ``"wilcoxon"``, ``ties`` for ``"sign"``,
        ``n_resamples`` and ``seed`` for ``"permutation"``, ``rope``, ``draws`` and ``seed`` for
        ``"bayes"``; on folds ``test_fraction``, ``rope``; over items ``average`` (``"datasets"``
        or ``"items"``: what counts the same), ``n_resamples`` and ``seed``, and ``unpaired=True``
        where two share no items. And options of :func:`palio.read_scores`, such as ``score``,
        where the table is yet to be read.

    Returns
    -------
    Comparison
        ``leader`` and ``sureness`` are the answer in two words, ``claims`` and ``verdict`` in
        sentences; ``pairs``, ``rank_sets`` and ``unbeaten`` have it in numbers.

    See Also
    --------
    palio.order : the same pairs, sorted by what the algorithms cost.
    palio.audit : which of the verdicts depend on a choice, a data set or the pool.
    palio.bayes.anova : how probable a difference that matters is.

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

    Options of reading may be given at once:

    >>> wide = {"dataset": ["iris", "wine"], "tree": [0.94, 0.91], "knn": [0.96, 0.73]}
    >>> palio.compare(wide, score="accuracy").measure.name
    'accuracy'
    """
    table = as_table(table, reading_in(options), compare, over=over, scale=scale)
    asked = Asked(test, correction, alpha, control, options)
    if read_over(table, over, dataset=dataset, test=test) == "items":
        if omnibus is not None:
            raise ParameterError(
                "omnibus",
                "a test of all algorithms at once is over data sets",
                "this is over items",
                f"leave it out, or give {Option('over', 'datasets')}",
            )
        return compare_over_items(table, asked, dataset=dataset)
    if dataset is not None and table.measures:
        table = table.select(datasets=[one_dataset(table.datasets, dataset)])
    if dataset is not None or table.n_datasets == 1:
        name = one_dataset(table.datasets, dataset)
        found = compare_on_folds(table, asked, dataset=name)
        return replace(found, costs=board_costs(table.select(datasets=[name]), cost))
    usual = usual_test(table.measure)
    procedure = Procedure.asked(test or usual, *asked[1:])
    scores = Scores(
        table.means(),
        table.algorithms,
        table.datasets,
        table.measure,
        failed=table.failed(),
        imputed=table.imputed_cells(),
        splits=table.splits(),
        table=table,
        scaled=table.scaled(),
    )
    found = compare_scores(scores, procedure, omnibus=omnibus, notes=table.notes)
    return replace(
        found,
        missing=missing_of(table, found, procedure),
        costs=board_costs(table, cost),
        is_default=procedure.is_default(usual),
    )


def compare_scores(
    scores: Scores,
    procedure: Procedure,
    *,
    omnibus: str | None = None,
    notes: tuple[str, ...] = (),
    of_scores: bool = True,
) -> Comparison:
    """Compare columns of scores, or of places in orders; ``compare`` with the table left behind."""
    entry = PAIR_TESTS[procedure.method]
    check_unit(PAIR_TESTS, entry.name, scores.measure)
    if omnibus is not None:  # an unknown name is better said before the work than after
        check_unit(OMNIBUS_TESTS, omnibus, scores.measure)
    if len(scores.algorithms) == 2:  # one hypothesis implies no other
        procedure = replace(procedure, transitive=True)
    goodness = scores.goodness
    complete = np.asarray(~np.isnan(goodness).any(axis=1))
    first, second = pairs_of(scores.algorithms, procedure.control)
    if entry.on_ranks:
        if complete.sum() < 2:
            raise MissingCellsError(
                "missing",
                f"{complete.sum()} of {complete.size} data sets have a score of every algorithm",
                "a test on the ranks of all algorithms together needs two",
                "use a test of each pair by itself, such as 'wilcoxon', or leave out the "
                "algorithms with gaps",
            )
        sample = Sample(goodness[complete], first, second)
    else:
        floored = scores.scaled.floored if scores.scaled.floored.any() else None
        met = shared(goodness, first, second) > 0  # the others cannot be compared
        if not met.any():
            raise nobody_met(*goodness.shape)
        sample = Sample(goodness, first[met], second[met], floored)
    found = comparison_from(
        procedure.run(sample),
        scores,
        sample,
        procedure,
        run_omnibus(omnibus, sample),
        notes=(
            *notes,
            *_gap_notes(complete, entry),
            f"pairs: {entry.title}, {procedure.level}",
            *entry.notes,
            *procedure.notes,
        ),
        of_scores=of_scores,
        estimand=entry.estimand,
    )
    if found.n_different or entry.on_ranks:
        return found
    # There may be too few data sets for any verdict, whatever the scores.
    pairs, k = (sample.first, sample.second), len(found.algorithms)
    least = procedure.least(shared(goodness, *pairs), k, which_met(*pairs, k))
    return found if least <= procedure.alpha else replace(found, least_p=least)


def nobody_met(datasets: int, algorithms: int) -> MissingCellsError:
    """Return the error for a table in which no two algorithms share a data set."""
    return MissingCellsError(
        "missing",
        "no two algorithms have a score on the same data set",
        f"there are {count(algorithms, 'algorithm')} and {count(datasets, 'data set')}",
        "add results, so that algorithms share data sets",
    )


def _gap_notes(complete: BoolArray, entry: PairTest) -> tuple[str, ...]:
    gaps = int((~complete).sum())
    if gaps == 0:
        return ()
    if entry.on_ranks:
        return (f"{gaps} data sets with missing scores left out",)
    return (
        "each pair on the data sets where both have a score; mean ranks allow for whom each has "
        "met: least squares, additive in algorithm and data set, of a rank among m as rank/(m + 1)",
    )
