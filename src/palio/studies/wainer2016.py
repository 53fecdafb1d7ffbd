"""Wainer (2016): fourteen tuned learners on 115 data sets, by error, by relevance and by time.

The paper prints neither errors nor times. Its tables are compared with those of a replication: the
one kept in `replication2026`, or a rerun of one's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from palio.bayes.models.anova import anova
from palio.bayes.rope import SuggestedRope, suggest_rope
from palio.comparison.results import Comparison
from palio.errors import DesignError, MissingCellsError
from palio.scores import ScoreTable
from palio.studies import replication2026
from palio.studies.reproduction import (
    Cell,
    Check,
    Drawing,
    Layout,
    Reproduction,
    check_cells,
    yes,
)
from palio.studies.rerunning import Setting, run_again
from palio.studies.wainer2016_bayes import REFERENCE, equalities, nobody, papers_pairs
from palio.studies.wainer2016_experiment import FEWEST_ROWS, lay_out
from palio.studies.wainer2016_simulation import DELTA
from palio.studies.wainer2016_tables import (
    COSTS,
    SIX_BEST,
    TIMES,
    WORDS,
    Pairs,
    Times,
    Verdicts,
    correlation,
    dense_ranks,
    error_ranks,
    nemenyi,
    papers_ranks,
    time_ranks,
    triangle,
)

__all__ = ["REFERENCE", "STEPS", "load", "reproduce", "rerun"]

DELTA_CV = 0.0134  # §4.3
STEPS = 4
_DRAWS, _ROBUST_DRAWS = 10_000, 4_000
_SURE = 0.95  # an equality, or with what is left a difference, is sure from here on

Progress = Callable[[str], object]


def load() -> ScoreTable:
    """Refuse: the error rates of wainer2016 are not in the paper."""
    raise MissingCellsError(
        "study",
        "'wainer2016' has no scores to load, because the paper does not print its error rates",
        remedy="load the replication's, 'replication2026'",
    )


def rerun(setting: Setting, algorithms: Mapping[str, Any] | None = None) -> Reproduction:
    """Run the experiment of §2 on a folder's data sets, and compare with the paper.

    Parameters
    ----------
    setting
        Where the data and the store are; data sets of more than ``max_rows`` rows are left out,
        and of more than ``sample_rows`` sampled.
    algorithms
        Other searches than the paper's fourteen.
    """
    plan = lay_out(setting, algorithms)
    table = run_again(plan, setting, name="wainer2016")
    means = zip(table.datasets, table.means(), strict=True)
    complete = [name for name, row in means if np.isfinite(row).all()]
    if len(complete) < 2:
        raise MissingCellsError(
            "store",
            f"'{setting.store}' has {len(complete)} of {len(plan.datasets)} data sets on which all "
            "learners ended well, and two are needed to compare anything",
            remedy="run the other parts, and put them together: palio merge",
        )
    found = reproduce(replication2026.errors_of(table.select(datasets=complete)), name="the rerun")
    lost = [name for name in plan.datasets if name not in complete]
    if not lost:
        return found
    why = f"left out, not all jobs have ended well there: {', '.join(lost)}"
    return replace(found, notes=(*found.notes, why))


def reproduce(
    table: ScoreTable | None = None,
    *,
    name: str = "replication2026",
    progress: Progress | None = None,
) -> Reproduction:
    """Lay a table out as the paper does, and compare its verdicts with the paper's.

    Parameters
    ----------
    table, name
        Error rates of two halves with the costs of `replication2026.COSTS`, and what they are
        called; that replication by default.
    progress
        Told the name of every step as it begins.
    """
    tell = progress or nobody
    table = replication2026.load() if table is None else table
    _check(table)
    tell("errors")
    errors = nemenyi(table.means(), table.datasets, table.algorithms, "error")
    by_rank, rank_layout = error_ranks(table)
    suggested = suggest_rope(table)
    tell("the normal model")
    normal = equalities(anova(table, rope=DELTA, draws=_DRAWS))
    tell("the robust model")
    robust = equalities(anova(table, rope=DELTA, robust=True, draws=_ROBUST_DRAWS))
    tell("times")
    times = Times.of(table)
    whole = {time: times.by_datasets(time) for time in times.seconds}
    halves = {time: times.by_halves(time) for time in times.seconds}
    verdicts = _verdicts(errors, whole, halves)
    return Reproduction(
        study="wainer2016",
        reference=REFERENCE,
        checks=(
            by_rank,
            verdicts["2"].check("error", number="2"),
            _thresholds(suggested),
            _equality("3", "normal model", normal),
            _equality("8", "robust model", robust),
            _stronger(normal, robust),
            verdicts["10"].check("1-train-test time", number="5", among=SIX_BEST),
            verdicts["11"].check("time per hyper-parameter", number="6", among=SIX_BEST),
        ),
        notes=_notes(table, name, errors),
        layouts=(
            _agreement(table, normal, robust, whole),
            _counted(verdicts),
            rank_layout,
            triangle("2", "Nemenyi's p of the error", _p_values(errors), _best_first(errors)),
            _threshold_layout(suggested),
            triangle("3", f"P(equal within ±{DELTA})", normal, _best_first(errors)),
            triangle("12", f"P(equal within ±{DELTA}), robust", robust, _best_first(errors)),
            time_ranks(whole, halves),
            *(
                triangle(
                    number,
                    f"Nemenyi's p of the time, {TIMES[time]}",
                    _p_values(whole[time]),
                    _best_first(errors),
                )
                for number, time in zip(("10", "11"), whole, strict=True)
            ),
        ),
        drawings=(
            Drawing(
                "Figure 1",
                "how often each learner takes each rank; ties share ranks, in the paper they do "
                "not",
                "rank-distribution",
                errors,
            ),
        ),
    )


def _check(table: ScoreTable) -> None:
    lacks = [cost for cost in COSTS if cost not in table.cost_names]
    if lacks:
        raise MissingCellsError(
            "table",
            f"the paper's times need the costs {', '.join(COSTS)}",
            f"the table lacks {', '.join(lacks)}",
            "run it with `palio reproduce wainer2016 --data folder:DIR`",
        )
    if len(table.rows) != 2 * table.n_datasets * table.n_algorithms:
        raise DesignError(
            "table",
            "two halves of every data set are needed, each learnt from once",
            f"the table has {table.design()}",
        )


def _notes(table: ScoreTable, name: str, errors: Comparison) -> tuple[str, ...]:
    omnibus = errors.omnibus
    return (
        f"{name}: {table.n_datasets} data sets of {FEWEST_ROWS} rows at least, the paper has 115, "
        "up to 130,000 rows; other implementations and another machine; so verdicts are compared, "
        "and fewer data sets show less",
        f"Friedman on the errors: χ² = {omnibus.statistic:.1f}, p = {omnibus.p_value:.2g}; "
        f"Nemenyi's critical difference is {errors.critical_difference or np.nan:.2f} mean ranks "
        "here and 1.85 with 115 data sets",
        "Tables 2, 10 and 11 by ordinary ranks, ties shared: the paper's Table 2 does not follow "
        "from the dense ranks of its Table 1; of its rows sda, nb and bst the columns cannot be "
        "told; p-values printed as 0.05 are left out",
        "Tables 5 and 6 have the six best of Tables 10 and 11, Table 8 those of Table 12; times "
        "are CPU seconds of the learner alone, on rows that are prepared",
        "§3.4 says that halves are the blocks of the tests of times; Tables 10 and 11 fit data "
        "sets: both are given",
    )


# --- thresholds and equality -------------------------------------------------------------------


def _thresholds(suggested: SuggestedRope) -> Check:
    cell: Cell = ("δ is below δ^cv",)
    below = suggested.delta_cv is not None and suggested.delta < suggested.delta_cv
    return check_cells(
        "§4.3",
        "which threshold of irrelevance is the smaller",
        {cell: "yes"},
        {cell: yes(below)},
        explain=lambda _: f"δ = {suggested.delta:.4f}, δ^cv = {suggested.delta_cv or np.nan:.4f}",
        words=WORDS,
    )


def _threshold_layout(suggested: SuggestedRope) -> Layout:
    return Layout(
        "§4.3",
        "medians over the three best of each data set",
        {
            ("δ", "here"): f"{suggested.delta:.4f}",
            ("δ", "paper's"): f"{DELTA:.4f}",
            ("δ^cv", "here"): f"{suggested.delta_cv or np.nan:.4f}",
            ("δ^cv", "paper's"): f"{DELTA_CV:.4f}",
        },
    )


def _equality(number: str, which: str, found: Pairs) -> Check:
    """Compare which pairs of the six best are surely equal, or surely not, in the paper's region.

    Table 8 has them; Table 3 has all.
    """
    printed = {
        cell: p for cell, p in papers_pairs(number).items()
        if set(cell) <= set(SIX_BEST) and frozenset(cell) in found
    }  # fmt: skip
    return check_cells(
        number,
        f"within ±{DELTA}, {which}, six best: P(equal) ≥ {_SURE}, ≤ {1 - _SURE:.2f}, or between",
        {cell: _verdict(p) for cell, p in printed.items()},
        {cell: _verdict(found[frozenset(cell)]) for cell in printed},
        explain=lambda cell: f"P = {printed[cell]:.2f} and {found[frozenset(cell)]:.2f}",
        words=WORDS,
    )


def _verdict(p: float) -> str:
    if p >= _SURE:
        return "equal"
    return "different" if p <= 1 - _SURE + 1e-9 else "open"


def _stronger(normal: Pairs, robust: Pairs) -> Check:
    cell: Cell = ("mean P(equal) is larger",)
    larger = np.mean(list(robust.values())) > np.mean(list(normal.values()))
    return check_cells(
        "§5",
        "the robust model claims equality more strongly",
        {cell: "yes"},
        {cell: yes(larger)},
        words=WORDS,
    )


# --- in short ----------------------------------------------------------------------------------


def _best_first(comparison: Comparison) -> list[str]:
    return sorted(comparison.mean_ranks, key=comparison.mean_ranks.__getitem__)


def _p_values(comparison: Comparison) -> Pairs:
    return {frozenset((pair.a, pair.b)): pair.p_adjusted for pair in comparison.pairs}


def _verdicts(
    errors: Comparison, whole: Mapping[str, Comparison], halves: Mapping[str, Comparison]
) -> dict[str, Verdicts]:
    found = {"2": Verdicts("2", errors, papers_ranks("1", "mean_rank"))}
    for number, time in zip(("10", "11"), whole, strict=True):
        ranks = papers_ranks("4", time)
        found[number] = Verdicts(number, whole[time], ranks)
        found[f"{number}, by halves"] = Verdicts(number, halves[time], ranks)
    return found


def _counted(verdicts: Mapping[str, Verdicts]) -> Layout:
    return Layout(
        "verdicts",
        "pairs with the same verdict by Nemenyi at 0.05, with one in the paper alone, here alone, "
        "and with opposite ones",
        {
            (f"Table {number}", kind): str(count)
            for number, each in verdicts.items()
            for kind, count in each.counts().items()
        },
    )


def _agreement(
    table: ScoreTable, normal: Pairs, robust: Pairs, whole: Mapping[str, Comparison]
) -> Layout:
    """Say how far numbers that are not expected to agree go together."""
    ranks = dense_ranks(table.means()).mean(axis=0).tolist()
    mean_ranks = dict(zip(table.algorithms, ranks, strict=True))
    both: dict[str, tuple[Mapping[Any, float], Mapping[Any, float]]] = {
        "Table 1, mean ranks": (mean_ranks, papers_ranks("1", "mean_rank")),
        "Table 3, P(equal)": (normal, _unordered("3")),
        "Table 12, P(equal)": (robust, _unordered("12")),
        **{
            f"Table 4, mean ranks, {TIMES[time]}": (each.mean_ranks, papers_ranks("4", time))
            for time, each in whole.items()
        },
    }
    values: dict[Cell, float | str] = {}
    for name, (ours, papers) in both.items():
        rho, n = correlation(ours, papers)
        values[name, "ρ"], values[name, "of"] = rho, str(n)
    return Layout("agreement", "Spearman's correlation of the paper's numbers and ours", values)


def _unordered(table: str) -> Pairs:
    return {frozenset(cell): p for cell, p in papers_pairs(table).items()}
