"""Who differs from whom on one data set, by the folds that the algorithms share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from palio.comparison.building import comparison_from, pairs_of
from palio.comparison.corrections import check_alpha
from palio.comparison.fold_tests import (
    FOLD_TESTS,
    BoundTest,
    FoldTest,
    bind_fold_test,
    tests_for,
    usual_test,
)
from palio.comparison.pair_tests import BAYESIAN, PAIR_TESTS, PairVerdicts
from palio.comparison.procedure import Asked, Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample, Scores
from palio.errors import DesignError, MissingCellsError, Option, ParameterError
from palio.measures import Measure
from palio.registry import Method, Registry, one_dataset
from palio.results import Result, Topped
from palio.scores import Design, ScoreTable, Tabular, as_table
from palio.stats import several
from palio.stats.outcome import Outcome
from palio.stats.ranks import paired_difference
from palio.types import FloatArray, IntArray
from palio.words import listed


def compare_on_folds(table: ScoreTable, asked: Asked, *, dataset: str) -> Comparison:
    """Compare all pairs, or all with a control, on the folds of one data set, two-sided."""
    table, without = with_every_fold(table, dataset)
    design = table.design(dataset)
    check_splits(table, dataset)
    entry = fold_test_named(asked.test, design, dataset, table.n_seeds)
    procedure = Procedure.asked(entry, *asked[1:])
    bound = bind_fold_test(entry.name, design, asked.options, dataset=dataset)
    folds = table.fold_scores(dataset)
    goodness = table.measure.turned(folds)
    first, second = pairs_of(table.algorithms, asked.control)
    rows = folds.reshape(len(folds), -1).T
    return comparison_from(
        _verdicts(goodness, first, second, bound),
        Scores(
            rows,
            table.algorithms,
            tuple(f"{i + 1}.{j + 1}" for i, j in np.ndindex(design.repeats, design.folds)),
            table.measure.on_one_dataset,
            folds_of=dataset,
            table=table,
        ),
        Sample(goodness.mean(axis=(-2, -1))[np.newaxis], first, second),
        procedure,
        omnibus=None,
        notes=(
            *table.notes,
            *without,
            f"pairs: {entry.title} on the folds of {dataset} ({design}), {procedure.level}",
            *(BAYESIAN if entry.bayesian else ()),
            "of this data set alone: what holds on others is not known from it",
            *procedure.correction.notes,
        ),
        is_default=procedure.is_default(usual_test([design])),
    )


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
    gone = [name for name, lacks in zip(one.algorithms, lacking, strict=True) if lacks]
    if not gone:
        return one, ()
    names = [name for name in one.algorithms if name not in gone]
    if len(names) < 2:
        raise MissingCellsError(
            "dataset",
            f"tests by folds need two algorithms with every score on {dataset!r}",
            f"there {'is one' if names else 'is none'}",
            "name another data set",
        )
    return one.select(algorithms=names), (
        f"left out, for scores missing on {dataset}: {listed(gone, limit=10)}",
    )


def fold_test_named(test: str | None, design: Design, dataset: str, seeds: int = 1) -> FoldTest:
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
        return FOLD_TESTS[usual]
    if test in PAIR_TESTS and test not in FOLD_TESTS:
        fitting = ", ".join(tests_for(design))
        raise ParameterError(
            "test",
            f"'{test}' compares over many data sets",
            f"'{dataset}' is one",
            f"on its folds use one of {fitting}" if fitting else "",
        )
    return FOLD_TESTS[test]


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


# --- several algorithms at once -------------------------------------------------------------------


@dataclass(frozen=True)
class GroupTest(Method):
    """An entry of the registry; ``run`` takes scores (algorithms, folds), best mean first.

    The page of a test is the docstring of ``run``. ``underlines``: it is a range test, which takes
    the level; the others have a p-value.
    ``properties`` are promises that the property tests verify for every entry: ``relabel-folds``,
    ``shift`` and ``scale`` as for pairs, ``reorder`` (the order of the algorithms does not
    matter), ``identical`` (identical algorithms are never separated).
    """

    run: Callable[..., Outcome | several.RangeTest]
    notes: tuple[str, ...]
    underlines: bool = False
    properties: frozenset[str] = frozenset(
        {"relabel-folds", "shift", "scale", "reorder", "identical"}
    )


_INDEPENDENT = "folds are taken as independent, which those of one data set are not quite"
_range_test = partial(GroupTest, underlines=True)

GROUP_TESTS: Registry[GroupTest] = Registry.of(
    "test",
    GroupTest(
        "anova",
        "one-way analysis of variance",
        "yildiz2006 eq. 8–11",
        several.anova,
        (_INDEPENDENT,),
        aliases=("one-way-anova", "f-oneway"),
    ),
    GroupTest(
        "kruskal-wallis",
        "Kruskal–Wallis test",
        "Kruskal and Wallis 1952; yildiz2006 §2.5",
        several.kruskal_wallis,
        (_INDEPENDENT, "chi-square approximation, corrected for ties"),
        aliases=("kruskal",),
    ),
    _range_test(
        "newman-keuls",
        "Newman–Keuls range test",
        "yildiz2006 eq. 12",
        several.newman_keuls,
        (_INDEPENDENT, "α for each range; over all pairs it may be exceeded"),
        aliases=("student-newman-keuls", "snk"),
    ),
    _range_test(
        "tukey",
        "Tukey's honestly significant difference",
        "Tukey 1953",
        several.tukey,
        (_INDEPENDENT, "α for all pairs together"),
        aliases=("tukey-hsd", "hsd"),
    ),
    _range_test(
        "duncan",
        "Duncan's new multiple range test",
        "Duncan 1955",
        several.duncan,
        (_INDEPENDENT, "α for two means, 1 − (1 − α)^(P−1) for P: it grows with P"),
    ),
)


@dataclass(frozen=True, repr=False)
class FoldComparison(Topped, Result):
    """Several algorithms compared on the folds of one data set.

    ``underlines`` (range tests only) are the largest sets of neighbours without a difference
    found, as a range test's result is printed; ``p_value`` (the others) is for "all are the same".
    """

    kind = "fold-comparison"

    method: str
    dataset: str
    measure: Measure
    alpha: float
    means: Mapping[str, float]
    statistic: float | None
    df: tuple[float, ...]
    p_value: float | None
    underlines: tuple[tuple[str, ...], ...] | None
    notes: tuple[str, ...]

    @property
    def significant(self) -> bool | None:
        """Whether the test says that some differ; ``None`` where it has underlines instead."""
        return None if self.p_value is None else self.p_value <= self.alpha

    def __repr__(self) -> str:
        if self.underlines is None:
            return f"<FoldComparison: {self.method} on {self.dataset}, p = {self.p_value:.3g}>"
        lines = "; ".join(" ".join(line) for line in self.underlines) or "none"
        return f"<FoldComparison: {self.method} on {self.dataset}, underlined: {lines}>"

    def _frame(self) -> Any:
        """Give one row per algorithm, best first; a column for each underline."""
        lines = {
            f"underline_{i}": [name in line for name in self.means]
            for i, line in enumerate(self.underlines or (), start=1)
        }
        return {"algorithm": list(self.means), "mean": list(self.means.values()), **lines}


def compare_folds(
    table: Tabular,
    *,
    dataset: str | None = None,
    test: str = "newman-keuls",
    alpha: float = 0.05,
    **reading: Any,
) -> FoldComparison:
    """Compare all algorithms on the folds of one data set.

    ``"anova"`` and ``"kruskal-wallis"`` ask whether any differ; ``"newman-keuls"``, ``"tukey"``
    and ``"duncan"`` underline those that do not. All take the folds as independent samples: where
    algorithms share folds, as they should, tests on pairs see more.

    Parameters
    ----------
    table
        Scores with folds, or what :func:`palio.read_scores` takes.
    dataset
        Which data set; may be left out when there is only one.
    test
        A test of several algorithms: ``"newman-keuls"``, ``"tukey"``, ``"duncan"``, ``"anova"`` or
        ``"kruskal-wallis"``.
    alpha
        The level.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    FoldComparison
        ``underlines`` are the largest sets of neighbours without a difference found;
        ``p_value`` is for "all are the same", of tests that underline none.

    See Also
    --------
    palio.multitest : tests on pairs of algorithms that share folds.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "svl", "mdt", "c45"])
    >>> compare_folds(table, dataset="optdigits")
    <FoldComparison: newman-keuls on optdigits, underlined: svr svl>
    >>> compare_folds(table, dataset="optdigits", test="kruskal-wallis").p_value < 0.001
    True
    """
    table = as_table(table, reading, compare_folds)
    check_alpha(alpha)
    entry = GROUP_TESTS[test]
    name = one_dataset(table.datasets, dataset)
    table, without = with_every_fold(table, name)
    check_splits(table, name)
    scores = table.fold_scores(name)
    folds = scores.reshape(len(scores), -1)
    if folds.shape[1] < 2:
        raise DesignError(
            "test",
            f"'{entry.name}' needs at least 2 folds",
            f"data set '{name}' has {table.design(name)}",
            "give one row per fold (columns repeat and fold)",
        )
    # Range tests sort upwards, so errors stay as they are and scores are negated: best first.
    badness = -folds if table.measure.higher_is_better else folds
    order = np.argsort(badness.mean(axis=-1), kind="stable")
    found = entry.run(badness[order], **({"alpha": alpha} if entry.underlines else {}))
    names = [table.algorithms[i] for i in order.tolist()]
    means = folds.mean(axis=-1)[order].tolist()
    return FoldComparison(
        method=entry.name,
        dataset=name,
        measure=table.measure,
        alpha=alpha,
        means=dict(zip(names, means, strict=True)),
        statistic=float(found.statistic) if isinstance(found, Outcome) else None,
        df=found.df if isinstance(found, Outcome) else (float(found.df),),
        p_value=float(found.p_value) if isinstance(found, Outcome) else None,
        underlines=None
        if isinstance(found, Outcome)
        else tuple(tuple(names[i : j + 1]) for i, j in found.underlines()),
        notes=(
            *table.notes,
            *without,
            f"{entry.title} ({entry.reference}), α = {alpha:g}",
            *entry.notes,
            *(("no variance between folds",) if found.degenerate else ()),
        ),
    )
