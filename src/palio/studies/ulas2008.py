"""Ulaş, Yıldız and Alpaydın (2008): eight learners on 38 data sets, every fold printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files

import numpy as np

from palio.comparison.over_datasets import compare
from palio.comparison.results import Comparison
from palio.ordering import Ordering, multi2test, multitest
from palio.report.references import REFERENCES
from palio.scores import ScoreTable, read_scores
from palio.stats.across import sign_test_counts
from palio.stats.ranks import average_ranks
from palio.studies.reproduction import (
    UNEXPLAINED,
    Cell,
    Check,
    Drawing,
    Explain,
    Reproduction,
    cells_of,
    check_cells,
    check_pairs,
    places_of,
    read_published,
    unexplained,
)

REFERENCE = REFERENCES["ulas2008"].removesuffix(".")
NINE = (
    "breast", "car", "nursery", "optdigits", "pendigits", "ringnorm", "spambase", "tictactoe",
    "titanic",
)  # fmt: skip
COSTS = {"train_time": "training time", "space": "space"}
NUMBERS = {"4.4": "train_time", "4.5": "space"}

# In the text: the average ranks of Tables 4.2, 4.4 and 4.5 and the orders of the second pass.
_NAMES = ("c45", "mdt", "mlp", "lnp", "svl", "sv2", "svr", "5nn")
AVERAGE_RANKS = {
    "accuracy": (5.37, 5.45, 4.57, 4.87, 3.05, 5.07, 2.45, 5.18),
    "train_time": (3.66, 5.21, 4.53, 3.39, 5.05, 5.95, 5.00, 3.21),
    "space": (3.34, 3.32, 3.29, 3.71, 5.18, 5.87, 4.55, 6.74),
}
ORDERS = {
    "train_time": ("5nn", "c45", "lnp", "mlp", "mdt", "svl", "sv2", "svr"),
    "space": ("c45", "mdt", "mlp", "lnp", "svl", "svr", "sv2", "5nn"),
}
# Tables 4.2(c), 4.4(c) and 4.5(c): the pairs that Nemenyi's test calls different.
DIFFERENT = {
    "accuracy": "c45-svl c45-svr mdt-svl mdt-svr mlp-svr lnp-svl lnp-svr svl-sv2 svl-5nn sv2-svr "
    "svr-5nn",
    "train_time": "c45-sv2 mdt-lnp mdt-5nn lnp-sv2 svl-5nn sv2-5nn svr-5nn",
    "space": "c45-svl c45-sv2 c45-5nn mdt-svl mdt-sv2 mdt-5nn mlp-svl mlp-sv2 mlp-5nn lnp-sv2 "
    "lnp-5nn svr-5nn",
}
# Bold face in Tables 4.1 and 4.3: the row beats the column by the sign test over the data sets.
BOLD = {
    "4.1": "mlp-mdt svl-c45 svl-mdt svl-mlp svl-lnp svl-sv2 svl-5nn svr-c45 svr-mdt svr-mlp "
    "svr-lnp svr-sv2 svr-5nn",
    "4.3": "mlp-mdt svl-mdt svl-lnp svl-5nn svr-c45 svr-mdt svr-lnp svr-sv2 svr-5nn",
}


def load() -> ScoreTable:
    """Return the accuracies of Tables A.1–A.8 and the costs of Tables A.9–A.10."""
    folder = files("palio.studies") / "data" / "ulas2008"
    with as_file(folder / "accuracy.csv") as scores, as_file(folder / "costs.csv") as costs:
        return read_scores(scores, costs=costs)


def reproduce() -> Reproduction:
    """Recompute every published table that the published data allow."""
    table = load()
    ranks = average_ranks(-table.goodness())
    by_accuracy = _published_ranks("A.11", "accuracy ranks", table, ranks, _explain_rank(table))
    moved = _moved(by_accuracy)
    orderings = {cost: multi2test(table, cost=cost) for cost in COSTS}
    optdigits = multitest(table, dataset="optdigits", cost="train_time")
    by_rank = compare(table, test="mean-ranks", correction="nemenyi")
    worked = _worked_example()
    return Reproduction(
        study="ulas2008",
        reference=REFERENCE,
        checks=(
            _optdigits(optdigits),
            *_worked(worked),
            *_wins_by_mean(table, ranks, moved),
            _average_ranks("4.2(a)", "accuracy", by_rank, _follows(moved)),
            _nemenyi_pairs("4.2(c)", "accuracy", by_rank),
            *_wins_by_test(table),
            *(check for cost in COSTS for check in _second_pass(cost, orderings[cost])),
            _nine_data_sets(table),
            *_margins(table),
            by_accuracy,
            *(
                _published_ranks(
                    number,
                    f"MultiTest by {COSTS[cost]}",
                    table,
                    orderings[cost].first_pass.arrays.ranks,
                )
                for number, cost in (("A.12", "train_time"), ("A.13", "space"))
            ),
        ),
        notes=(
            "5×2 cv F test at α = 0.05 without correction; Nemenyi with infinite degrees of "
            "freedom; sign tests two-sided at 0.05, ties dropped",
            "the paper's Tables A.1–A.8 carry iris and ionosphere under each other's name; the "
            "data shipped here have them put right",
            "§4.5.1 says that mdt differs from c45, where Table 4.4(c) has 5nn; the table is "
            "what comes out",
        ),
        drawings=_drawings(optdigits, worked, by_rank, orderings),
    )


def _drawings(
    optdigits: Ordering,
    worked: Ordering,
    by_rank: Comparison,
    orderings: Mapping[str, Ordering],
) -> tuple[Drawing, ...]:
    """Draw Figures 3.1 to 3.3, and what Tables 4.2, 4.4 and 4.5 have drawn in them."""
    graph, ranks, alone = "multitest-graph", "critical-difference", {"steps": False}
    second = [
        drawing
        for number, cost in NUMBERS.items()
        for drawing in (
            Drawing(f"{number}(b)", f"Nemenyi, {COSTS[cost]}", ranks, orderings[cost]),
            Drawing(f"{number}(d)", f"second pass, {COSTS[cost]}", graph, orderings[cost], alone),
        )
    ]
    return (
        Drawing("Figure 3.1", "MultiTest's graph on optdigits", graph, optdigits, alone),
        Drawing("Figure 3.2", "its topological sort, step by step", graph, optdigits),
        Drawing("Figure 3.3", "the worked example of the second pass", graph, worked, alone),
        Drawing("4.2(b)", "Nemenyi, accuracy", ranks, by_rank),
        *second,
    )


def _margins(table: ScoreTable) -> list[Check]:
    """Check what Tables A.1 to A.10 print at their margins, from the cells that they print.

    Cells rounded to 0.01 leave a mean, and a standard deviation of ten, up to 0.005 off, and what
    is printed of these is rounded again.
    """
    means, sds, averages = (
        read_published("ulas2008", f"table_a_{name}") for name in ("means", "sds", "averages")
    )
    folds = {dataset: table.fold_scores(dataset) for dataset in table.datasets}
    tables: dict[str, dict[Cell, tuple[float, float]]] = {
        f"A.{_NAMES.index(name) + 1}": {
            (dataset, what): (printed[dataset, name], float(value))
            for dataset, each in folds.items()
            for what, printed, value in (
                ("mean", means, each[j].mean()),
                ("sd", sds, each[j].std(ddof=1)),
            )
        }
        for j, name in enumerate(table.algorithms)
    }
    for number, cost in (("A.9", "train_time"), ("A.10", "space")):
        values = dict(zip(table.algorithms, table.cost_matrix(cost).mean(axis=0), strict=True))
        tables[number] = {
            (name,): (averages[cost, name], float(value)) for name, value in values.items()
        }
    return [
        check_pairs(number, "margins: means, standard deviations", tables[number], tolerance=0.01)
        for number in sorted(tables, key=lambda number: int(number[2:]))
    ]


def _optdigits(ordering: Ordering) -> Check:
    winners = {(p.winner, p.b if p.winner == p.a else p.a) for p in ordering.pairs if p.winner}
    return check_cells(
        "3.1",
        "optdigits, pairs by 5×2 cv F",
        _off_diagonal(read_published("ulas2008", "table_3_1")),
        {(a, b): float((a, b) in winners) for a, b in _pairs(sorted(ordering.order))},
    )


def _wins_by_mean(
    table: ScoreTable, ranks: np.ndarray, moved: Mapping[str, set[str]]
) -> list[Check]:
    wins: dict[Cell, float] = {
        (a, b): float((ranks[:, i] < ranks[:, j]).sum())
        for i, a in enumerate(table.algorithms)
        for j, b in enumerate(table.algorithms)
        if a != b
    }
    published = _off_diagonal(read_published("ulas2008", "table_4_1"))
    return [
        check_cells("4.1", "wins by mean accuracy", published, wins, explain=_follows(moved)),
        _bold("4.1", wins),
    ]


def _wins_by_test(table: ScoreTable) -> list[Check]:
    # The verdicts on pairs do not depend on the cost; an order is needed only to ask for them.
    winners = [
        pair.winner and (pair.winner, pair.b if pair.winner == pair.a else pair.a)
        for dataset in table.datasets
        for pair in multitest(table, dataset=dataset, cost="train_time").pairs
    ]
    wins: dict[Cell, float] = {
        pair: float(winners.count(pair)) for pair in _pairs(table.algorithms)
    }
    published = _off_diagonal(read_published("ulas2008", "table_4_3"))
    return [
        check_cells("4.3", "wins by 5×2 cv F", published, wins),
        _bold("4.3", wins),
    ]


def _bold(number: str, wins: Mapping[Cell, float]) -> Check:
    bold = set(BOLD[number].split())
    recomputed: dict[Cell, float] = {
        (a, b): float(
            count > wins[b, a] and sign_test_counts(int(count), int(wins[b, a])).p_value <= 0.05
        )
        for (a, b), count in wins.items()
    }
    published: dict[Cell, float] = {(a, b): float(f"{a}-{b}" in bold) for a, b in wins}
    return check_cells(f"{number} bold", "of these significant by sign test", published, recomputed)


def _second_pass(cost: str, ordering: Ordering) -> list[Check]:
    number = next(number for number, of in NUMBERS.items() if of == cost)
    comparison = ordering.comparison
    if comparison is None:
        raise TypeError("Multi²Test always has a comparison")
    return [
        _average_ranks(f"{number}(a)", cost, comparison),
        _nemenyi_pairs(f"{number}(c)", cost, comparison),
        check_cells(
            f"{number} order",
            f"second pass by {COSTS[cost]}",
            *places_of(ORDERS[cost], ordering.order),
        ),
    ]


def _average_ranks(
    number: str,
    key: str,
    comparison: Comparison,
    explain: Explain = unexplained,
) -> Check:
    return check_cells(
        number,
        f"average ranks, {COSTS.get(key, key)}",
        {(name,): value for name, value in zip(_NAMES, AVERAGE_RANKS[key], strict=True)},
        {(name,): round(value, 4) for name, value in comparison.mean_ranks.items()},
        tolerance=0.005,
        explain=explain,
    )


def _nemenyi_pairs(number: str, key: str, comparison: Comparison) -> Check:
    different = set(DIFFERENT[key].split())
    difference = comparison.critical_difference
    pairs: dict[Cell, tuple[float, float]] = {
        (p.a, p.b): (float(f"{p.a}-{p.b}" in different), float(p.significant))
        for p in comparison.pairs
    }
    return check_pairs(
        number,
        "Nemenyi, pairs that differ, and CD",
        {("CD",): (1.703, float("nan") if difference is None else difference), **pairs},
        tolerance=0.0005,
    )


def _nine_data_sets(table: ScoreTable) -> Check:
    some = table.select(datasets=NINE, algorithms=["c45", "mdt", "svr"])
    ordering = multi2test(some, cost="train_time")
    return check_cells(
        "§4.5.2",
        "c45, mdt, svr on nine data sets",
        *places_of(("svr", "c45", "mdt"), ordering.order),
    )


def _published_ranks(
    number: str,
    title: str,
    table: ScoreTable,
    ranks: np.ndarray,
    explain: Explain = unexplained,
) -> Check:
    published = read_published("ulas2008", f"table_{number.lower().replace('.', '_')}")
    recomputed = cells_of(table.datasets, table.algorithms, ranks)
    cells = {cell: value for cell, value in published.items() if cell[0] != "Avg"}
    return check_cells(number, title, cells, recomputed, explain=explain)


def _worked_example() -> Ordering:
    """Order A, B, C and D of §3.2 by Multi²Test, on folds made up so that Table 3.3 comes out."""
    noise = np.random.default_rng(0).normal(size=(10, 4, 5, 2))
    errors = np.array([10.0, 20.0, 30.0, 40.0])[:, np.newaxis, np.newaxis] + noise
    names = [f"data set {i}" for i in range(1, 11)]
    table = ScoreTable.from_arrays(errors, datasets=names, algorithms="ABCD", measure="error")
    return multi2test(table, prior="CADB")


def _worked(ordering: Ordering) -> list[Check]:
    pairs: dict[Cell, tuple[float, float]] = {
        (p.a, p.b): (float(p.a + p.b in ("AC", "AD", "BD")), float(p.significant))
        for p in ordering.pairs
    }
    return [
        check_pairs("3.3", "worked example, pairs that differ", pairs),
        check_cells("§3.2", "worked example, order", *places_of("ACBD", ordering.order)),
    ]


def _explain_rank(table: ScoreTable) -> Explain:
    """Say between which algorithms the rounding of the printed folds hides who is ahead.

    A mean of folds rounded to 0.01 is off by up to 0.005, so two of them differ by up to 0.01.
    """
    means = table.means()

    def explain(cell: Cell) -> str:
        row, own = table.datasets.index(cell[0]), table.algorithms.index(cell[1])
        near = np.flatnonzero(np.abs(means[row] - means[row, own]) < 0.01).tolist()
        others = [table.algorithms[j] for j in near if j != own]
        if not others:
            return UNEXPLAINED
        return (
            f"too close to {', '.join(others)} for folds printed with two decimals; the paper "
            "ranked unrounded means"
        )

    return explain


def _moved(by_accuracy: Check) -> dict[str, set[str]]:
    """Name for each algorithm the data sets on which its rank in Table A.11 differs."""
    moved: dict[str, set[str]] = {}
    for difference in by_accuracy.differences:
        dataset, algorithm = difference.key
        moved.setdefault(algorithm, set()).add(dataset)
    return moved


def _follows(moved: Mapping[str, set[str]]) -> Explain:
    """Say that a cell differs because the ranks of Table A.11 behind it do."""

    def explain(cell: Cell) -> str:
        where = set.intersection(*(moved.get(name, set()) for name in cell))
        if not where:
            return UNEXPLAINED
        return f"follows from Table A.11, {', '.join(sorted(where))}"

    return explain


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(a, b) for a in names for b in names if a != b]


def _off_diagonal(cells: Mapping[Cell, float]) -> dict[Cell, float]:
    return {cell: value for cell, value in cells.items() if cell[0] != cell[1]}
