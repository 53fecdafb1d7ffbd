"""Wainer (2016): fourteen tuned learners on 115 data sets, by error, by relevance and by time.

The paper prints neither errors nor times. Its tables are compared with those of a replication: the
one kept in `replication2026`, or a rerun of one's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from palio.bayes.rope import SuggestedRope
from palio.comparison.results import Comparison
from palio.errors import DesignError, MissingCellsError, require
from palio.scores import ScoreTable
from palio.studies import replication2026
from palio.studies.reproduction import Cell, CellGrid, Drawing, Layout, Reproduction
from palio.studies.wainer2016_bayes import DELTA, REFERENCE, Progress, nobody
from palio.studies.wainer2016_experiment import FEWEST_ROWS
from palio.studies.wainer2016_findings import Findings, worst_there
from palio.studies.wainer2016_size import size_layout, size_note, slopes
from palio.studies.wainer2016_tables import (
    COSTS,
    TIMES,
    Pairs,
    dense_ranks,
    error_ranks,
    mean_ranks,
    time_ranks,
    triangle,
)
from palio.words import count, listed

__all__ = ["REFERENCE", "STEPS", "load", "reproduce"]

DELTA_CV = 0.0134  # §4.3
STEPS = 5
FIRST = "first48"
_ALL = "all"


def load() -> ScoreTable:
    """Refuse: the error rates of wainer2016 are not in the paper."""
    raise MissingCellsError(
        "study",
        "'wainer2016' has no scores to load, because the paper does not print its error rates",
        remedy="load the replication's, 'replication2026'",
    )


def reproduce(
    table: ScoreTable | None = None,
    *,
    name: str = "replication2026",
    datasets: str = _ALL,
    rows: Mapping[str, int] | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Lay a table out as the paper does, and compare its verdicts with the paper's.

    Parameters
    ----------
    table, name
        Error rates of two halves with the costs of `replication2026.COSTS`, and what they are
        called; that replication by default. A learner without results on a data set counts as the
        worst and the slowest there.
    datasets
        ``"all"`` of the table, or ``"first48"``: those with which the replication began, of up to
        1000 rows. With all of them, how much agrees on these stands beside it.
    rows
        How many rows of each data set were run; those of the replication by default.
    progress
        Told the name of every step as it begins.
    """
    tell = progress or nobody
    require(datasets in (_ALL, FIRST), "datasets", f"it is '{_ALL}' or '{FIRST}'", datasets)
    known = replication2026.data_sets()
    if table is None:
        table, rows = replication2026.load(), {each.name: each.rows for each in known.values()}
    first = [each.name for each in known.values() if each.first and each.name in table.datasets]
    if datasets == FIRST:
        table = table.select(datasets=first)
    _check(table)
    parts = _parts(table, first)
    found = Findings.of(parts[_ALL], tell)
    tell("parts of the data sets")
    others = {part: Findings.of(some) for part, some in parts.items() if part != _ALL}
    return Reproduction(
        study="wainer2016",
        reference=REFERENCE,
        checks=found.checks,
        notes=(*_missing(table), *_notes(found, name), *_size_notes(found.table, rows)),
        layouts=_layouts(found, others, rows),
        drawings=_drawings(found),
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


def _drawings(found: Findings) -> tuple[Drawing, ...]:
    """Draw the paper's four figures, of the data sets that were run here."""
    n, ranks = found.table.n_datasets, dense_ranks(found.table.means())
    mean = mean_ranks(found.table)
    counts = dict(zip(found.table.algorithms, ranks.T, strict=True))
    grid = CellGrid(
        "Figure 1",
        "data sets on which the learner takes the rank",
        {
            (name, str(rank)): float((counts[name] == rank).sum()) or np.nan
            for name in sorted(mean, key=mean.__getitem__)
            for rank in range(1, int(ranks.max()) + 1)
        },
        f"How often each learner takes each rank on {n} data sets, by errors rounded to three "
        "decimals. Ranks are dense, as in the paper: who ties shares a rank, and none is left out "
        "after it. Sorted by mean rank.",
        "dense rank",
    )
    return (
        Drawing("Figure 1", "the heat map of ranks, dense as in the paper", "cell-grid", grid),
        *(
            Drawing(f"Figure {number}", title, "normality", found.posterior, {"of": of})
            for number, of, title in (
                (2, "algorithms", "error rates of each learner, with normal curves"),
                (3, "datasets", "error rates on 20 of the data sets, with normal curves"),
            )
        ),
        Drawing(
            "Figure 4",
            "discrepancies of what was observed and of what the model replicates",
            "predictive-check",
            found.posterior,
        ),
    )


# --- which data sets, and what is missing ------------------------------------------------------


def _parts(table: ScoreTable, first: Collection[str]) -> dict[str, ScoreTable]:
    """Return the table, and what of it says whether the other data sets matter: all without gaps.

    The first data sets, where there are more; and those without gaps, where some have one.
    """
    whole = worst_there(table)
    parts = {_ALL: whole}
    if 1 < len(first) < table.n_datasets:
        parts[f"first {len(first)}"] = whole.select(datasets=list(first))
    complete = [table.datasets[i] for i in np.flatnonzero(~np.isnan(table.means()).any(axis=1))]
    if 1 < len(complete) < table.n_datasets:
        parts["no gaps"] = whole.select(datasets=complete)
    return parts


def _missing(table: ScoreTable) -> tuple[str, ...]:
    """Say which cells are missing, why, and how they count."""
    gaps = np.isnan(table.means())
    if not gaps.any():
        return ()
    cells = []
    for i, k in np.argwhere(gaps).tolist():
        one = np.zeros_like(gaps)
        one[i, k] = True
        why = "".join(f" ({reason})" for reason in table.reasons(one))
        cells.append(f"{table.algorithms[k]} on {table.datasets[i]}{why}")
    return (
        f"{count(len(cells), 'cell')} of {gaps.size} missing: {listed(cells, limit=20)}; each "
        "counts as the worst error and the longest time of its data set. The paper does not say "
        "how it ranks nb and sda, which did not run on 20 of its halves, only that this may "
        "explain some of their poor performance",
    )


def _notes(found: Findings, name: str) -> tuple[str, ...]:
    errors, table = found.errors, found.table
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


def _size_notes(table: ScoreTable, rows: Mapping[str, int] | None) -> tuple[str, ...]:
    found = () if rows is None else slopes(table, rows)
    return (size_note(found),) if found else ()


# --- the tables --------------------------------------------------------------------------------


def _layouts(
    found: Findings, others: Mapping[str, Findings], rows: Mapping[str, int] | None
) -> tuple[Layout, ...]:
    errors = found.errors
    names = sorted(errors.mean_ranks, key=errors.mean_ranks.__getitem__)
    first = next((each.table for part, each in others.items() if part.startswith("first")), None)
    return (
        *([_beside(found, others)] if others else []),
        _agreement(found, others),
        _counted(found),
        error_ranks(found.table, first),
        *([] if rows is None else [size_layout(found.table, rows)]),
        triangle("2", "Nemenyi's p of the error", _p_values(errors), names),
        _thresholds({_HERE: found.suggested, **{p: o.suggested for p, o in others.items()}}),
        triangle("3", f"P(equal within ±{DELTA})", found.normal, names),
        triangle("12", f"P(equal within ±{DELTA}), robust", found.robust, names),
        time_ranks(found.whole, found.halves),
        *(
            triangle(number, f"Nemenyi's p of the time, {TIMES[time]}", _p_values(each), names)
            for number, (time, each) in zip(("10", "11"), found.whole.items(), strict=True)
        ),
    )


_HERE = "here"


def _p_values(comparison: Comparison) -> Pairs:
    return {frozenset((pair.a, pair.b)): pair.p_adjusted for pair in comparison.pairs}


def _beside(found: Findings, others: Mapping[str, Findings]) -> Layout:
    """Count what agrees with the paper, on all data sets and on parts of them."""
    values: dict[Cell, str] = {}
    for part, each in {_ALL: found, **others}.items():
        values["data sets", part] = str(each.table.n_datasets)
        agree, cells = (sum(getattr(c, what) for c in each.checks) for what in ("agree", "cells"))
        values["cells that agree", part] = f"{agree}/{cells}"
        for check in each.checks:
            values[f"Table {check.table}".replace("Table §", "§"), part] = (
                f"{check.agree}/{check.cells}"
            )
        for number, verdicts in each.verdicts.items():
            counts = verdicts.counts()
            if "halves" not in number and number != "2":
                values[f"Table {number}", part] = f"{counts['same']}/{sum(counts.values())}"
    return Layout("parts", "what agrees with the paper, by data sets", values)


def _agreement(found: Findings, others: Mapping[str, Findings]) -> Layout:
    """Say how far numbers that are not expected to agree go together."""
    values: dict[Cell, float | str] = {}
    for name, (rho, n) in found.agreement.items():
        values[name, "ρ"] = rho
        values |= {(name, f"ρ, {part}"): each.agreement[name][0] for part, each in others.items()}
        values[name, "of"] = str(n)
    return Layout("agreement", "Spearman's correlation of the paper's numbers and ours", values)


def _counted(found: Findings) -> Layout:
    return Layout(
        "verdicts",
        "pairs with the same verdict by Nemenyi at 0.05, with one in the paper alone, here alone, "
        "and with opposite ones",
        {
            (f"Table {number}", kind): str(n)
            for number, each in found.verdicts.items()
            for kind, n in each.counts().items()
        },
    )


def _thresholds(suggested: Mapping[str, SuggestedRope]) -> Layout:
    values: dict[Cell, str] = {}
    for part, each in suggested.items():
        values["δ", part] = f"{each.delta:.4f}"
        values["δ^cv", part] = f"{each.delta_cv or np.nan:.4f}"
    values |= {("δ", "paper's"): f"{DELTA:.4f}", ("δ^cv", "paper's"): f"{DELTA_CV:.4f}"}
    return Layout("§4.3", "medians over the three best of each data set", values)
