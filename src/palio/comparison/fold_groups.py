"""Several algorithms at once on the folds of one data set: whether any differ, and which do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.corrections import check_alpha
from palio.comparison.on_folds import check_splits, with_every_fold
from palio.errors import DesignError
from palio.measures import Measure
from palio.registry import Registry, one_dataset
from palio.results import Result
from palio.scores import Tabular, as_table
from palio.stats import several
from palio.stats.outcome import Outcome
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

Underlines = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Verdict:
    """What a test on several algorithms says: a p-value, or underlines, by places best first."""

    statistic: float | None = None
    df: tuple[float, ...] = ()
    p_value: float | None = None
    underlines: Underlines | None = None
    degenerate: bool = False


@dataclass(frozen=True)
class GroupTest:
    """An entry of the registry; ``run`` takes scores (algorithms, folds), best mean first.

    The page of a test is the docstring of ``run``, or of what it ``wraps``.
    ``properties`` are promises that the property tests verify for every entry: ``relabel-folds``,
    ``shift`` and ``scale`` as for pairs, ``reorder`` (the order of the algorithms does not
    matter), ``identical`` (identical algorithms are never separated).
    """

    name: str
    title: str
    reference: str
    run: Callable[[FloatArray, float], Verdict]
    notes: tuple[str, ...]
    properties: frozenset[str] = field(
        default=frozenset({"relabel-folds", "shift", "scale", "reorder", "identical"})
    )
    aliases: tuple[str, ...] = ()


def _omnibus(test: Callable[[FloatArray], Outcome]) -> Callable[[FloatArray, float], Verdict]:
    @wraps(test)
    def run(scores: FloatArray, _alpha: float) -> Verdict:
        outcome = test(scores)
        return Verdict(
            statistic=float(outcome.statistic),
            df=outcome.df,
            p_value=float(outcome.p_value),
            degenerate=bool(outcome.degenerate),
        )

    return run


def _ranges(
    test: Callable[..., several.RangeTest],
) -> Callable[[FloatArray, float], Verdict]:
    @wraps(test)
    def run(scores: FloatArray, alpha: float) -> Verdict:
        result = test(scores, alpha=alpha)
        return Verdict(
            df=(float(result.df),),
            underlines=tuple(result.underlines()),
            degenerate=bool(result.degenerate),
        )

    return run


_INDEPENDENT = "folds are taken as independent, which those of one data set are not quite"

GROUP_TESTS: Registry[GroupTest] = Registry.of(
    "test",
    GroupTest(
        "anova",
        "one-way analysis of variance",
        "yildiz2006 eq. 8–11",
        _omnibus(several.anova),
        (_INDEPENDENT,),
        aliases=("one-way-anova", "f-oneway"),
    ),
    GroupTest(
        "kruskal-wallis",
        "Kruskal–Wallis test",
        "Kruskal and Wallis 1952; yildiz2006 §2.5",
        _omnibus(several.kruskal_wallis),
        (_INDEPENDENT, "chi-square approximation, corrected for ties"),
        aliases=("kruskal",),
    ),
    GroupTest(
        "newman-keuls",
        "Newman–Keuls range test",
        "yildiz2006 eq. 12",
        _ranges(several.newman_keuls),
        (_INDEPENDENT, "α for each range; over all pairs it may be exceeded"),
        aliases=("student-newman-keuls", "snk"),
    ),
    GroupTest(
        "tukey",
        "Tukey's honestly significant difference",
        "Tukey 1953",
        _ranges(several.tukey),
        (_INDEPENDENT, "α for all pairs together"),
        aliases=("tukey-hsd", "hsd"),
    ),
    GroupTest(
        "duncan",
        "Duncan's new multiple range test",
        "Duncan 1955",
        _ranges(several.duncan),
        (_INDEPENDENT, "α for two means, 1 − (1 − α)^(P−1) for P: it grows with P"),
    ),
)


@dataclass(frozen=True, repr=False)
class FoldComparison(Result):
    """Several algorithms compared on the folds of one data set.

    ``underlines`` (range tests only) are the largest sets of neighbours without a difference
    found, as a range test's result is printed; ``p_value`` (the others) is for "all are the same".
    """

    kind = "fold-comparison"
    parts = (
        "method", "dataset", "measure", "alpha", "means", "statistic", "df", "p_value",
        "underlines", "notes",
    )  # fmt: skip

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, best first; a column for each underline."""
        import pandas as pd

        frame = pd.DataFrame({"algorithm": list(self.means), "mean": list(self.means.values())})
        for i, line in enumerate(self.underlines or ()):
            frame[f"underline_{i + 1}"] = frame["algorithm"].isin(line)
        return frame


def compare_folds(
    table: Tabular,
    *,
    dataset: str | None = None,
    test: str = "newman-keuls",
    alpha: float = 0.05,
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
    table = as_table(table)
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
    verdict = entry.run(badness[order], alpha)
    names = [table.algorithms[i] for i in order.tolist()]
    means = folds.mean(axis=-1)[order].tolist()
    return FoldComparison(
        method=entry.name,
        dataset=name,
        measure=table.measure,
        alpha=alpha,
        means=dict(zip(names, means, strict=True)),
        statistic=verdict.statistic,
        df=verdict.df,
        p_value=verdict.p_value,
        underlines=None
        if verdict.underlines is None
        else tuple(tuple(names[i : j + 1]) for i, j in verdict.underlines),
        notes=(
            *table.notes,
            *without,
            f"{entry.title} ({entry.reference}), α = {alpha:g}",
            *entry.notes,
            *(("no variance between folds",) if verdict.degenerate else ()),
        ),
    )
