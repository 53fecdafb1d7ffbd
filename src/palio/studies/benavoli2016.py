"""Benavoli, Corani and Mangili (2016): why mean-ranks tests mislead, in three examples."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from palio.comparison.over_datasets import compare
from palio.comparison.pools import PoolCount, bonferroni_difference, pool_shares
from palio.comparison.power import power
from palio.report.references import REFERENCES
from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from palio.studies.reproduction import (
    UNEXPLAINED,
    Cell,
    CellGrid,
    Check,
    Drawing,
    Reproduction,
    check_cells,
    check_pairs,
    read_rows,
    read_shipped,
    yes,
)
from palio.types import FloatArray

REFERENCE = REFERENCES["benavoli2016"].removesuffix(".")
# The row zoo is legible only for rf in the text we have. The published mean ranks and Table 1 all
# come out if its order is this one, worst first; how far apart the accuracies are is not known.
ZOO = ({"j48", "j48graft"}, {"nb"}, {"aode", "rf"}, {"lwnb"}, {"hnb"})
# Example 1, accuracies on the first ten data sets and on the other ten.
EXAMPLE_1 = {"A": (50, 80), "B": (80, 50), "C": (55, 45), "D": (60, 85), "E": (65, 90)}


def load() -> ScoreTable:
    """Return Table 2 without the row zoo: 53 data sets, seven classifiers."""
    return read_shipped("benavoli2016", "accuracy", score="accuracy", missing="drop-datasets")


def reproduce() -> Reproduction:
    """Recompute the three examples and Table 1."""
    table = load()
    with_zoo = _with_zoo(table)
    shares = pool_shares(with_zoo, alpha=0.05, critical=bonferroni_difference)
    counts = shares.counts(table.algorithms)
    found = {(count.a, count.b) for count in counts if count.significant}
    return Reproduction(
        study="benavoli2016",
        reference=REFERENCE,
        checks=(
            _example_1(),
            _example_2(),
            _example_3(table, with_zoo),
            _table_1(table, counts),
        ),
        notes=(
            "the paper ranks the best highest; its mean ranks are turned round here by m + 1 − R",
            "the row zoo of Table 2 is legible only for one classifier: where ranks suffice its "
            "order is the one with which all published ranks come out, where differences count "
            "it is left out (Wilcoxon's exact p is 0.0002 all the same; its normal approximation "
            "would be 0.0003)",
            "§5 compares a two-sided p with α/m(m − 1), twice too strict; the verdict is the same",
        ),
        drawings=(
            Drawing(
                "Pools",
                "how often each verdict turns with the pool; ours, as the paper has no figure",
                "cell-grid",
                CellGrid(
                    "1",
                    "share of the pools in which the pair differs",
                    {
                        (f"{count.a}, {count.b}", str(count.others)): (
                            count.significant / count.subsets
                        )
                        for count in counts
                        if (count.a, count.b) in found
                    },
                    "Palio's figure, of Table 1: in what share of the pools with so many other "
                    "classifiers the mean-ranks test calls a pair different. Between 0 and 1 the "
                    "verdict on the pair depends on the others, not on its own accuracies. Other "
                    "pairs differ in no pool.",
                    "other classifiers in the pool",
                ),
            ),
        ),
    )


def _example_1() -> Check:
    scores = np.repeat(np.array(list(EXAMPLE_1.values()), dtype=np.float64), 10, axis=1)
    table = ScoreTable.from_arrays(
        scores.T,
        datasets=[f"d{i}" for i in range(20)],
        algorithms=list(EXAMPLE_1),
        measure="accuracy",
    )
    alone = table.select(algorithms=["A", "B"])
    pool = compare(table, test="mean-ranks", correction="bonferroni")
    apart = abs(pool.mean_ranks["A"] - pool.mean_ranks["B"])
    return check_pairs(
        "Example 1",
        "A and B alone, and with C, D, E",
        {
            ("alone, t test, p",): (1.0, _p(alone, "paired-t")),
            ("alone, Wilcoxon, p",): (1.0, _p(alone, "wilcoxon")),
            ("alone, sign test, p",): (1.0, _p(alone, "sign")),
            ("alone, mean ranks, p",): (1.0, _p(alone, "mean-ranks")),
            ("difference of mean ranks",): (1.5, apart),
            ("z*",): (2.807, round(_upper(5), 4)),
            ("A and B differ",): ("yes", yes(pool.pair("A", "B").significant)),
            ("log10 of Friedman's p",): (-10.0, float(round(np.log10(pool.omnibus.p_value)))),
        },
        tolerance=0.0005,
        explain=lambda cell: (
            "the printed ranks give a statistic of 48 on 4 degrees of freedom, p = 9.4e-10"
            if "Friedman" in cell[0]
            else UNEXPLAINED
        ),
    )


def _p(table: ScoreTable, test: str) -> float:
    return compare(table, test=test, correction=None).pairs[0].p_value


def _upper(m: int) -> float:
    """Return z*, the upper α/m(m − 1) quantile of the normal distribution."""
    return float(-ndtri(0.05 / (m * (m - 1))))


def _example_2() -> Check:
    means = {"A": 0.0, "B": 1.5, "C": 5.0, "D": 6.0, "E": 7.0}
    found = {
        test: power(
            means, a="A", b="B", test=test, correction=None, n_datasets=[20], trials=20_000
        ).chances[20]
        for test in ("sign", "mean-ranks")
    }
    return check_pairs(
        "Example 2",
        "power on 20 data sets, uncorrected",
        {
            ("sign test",): (0.94, round(found["sign"], 4)),
            ("mean ranks",): (0.046, round(found["mean-ranks"], 4)),
        },
        # Half the last digit of 0.94, and the noise of two simulations.
        tolerance=0.007,
    )


def _example_3(table: ScoreTable, goodness: FloatArray) -> Check:
    pairs: dict[Cell, tuple[float, float]] = {}
    for pool, ranks, z in (
        (("j48", "hnb", "aode", "nb"), (2.518, 2.676, 2.888, 1.917), 3.06),
        (("j48", "hnb", "nb", "j48graft"), (2.528, 2.713, 2.102, 2.657), 2.46),
    ):
        found = _pool_ranks(goodness, table.algorithms, pool)
        label = "+".join(pool)
        for name, rank in zip(pool, ranks, strict=True):
            pairs[label, name] = rank, round(found[name], 4)
        gap = abs(found["hnb"] - found["nb"]) / np.sqrt(4 * 5 / (6 * len(goodness)))
        pairs[label, "z of hnb and nb"] = z, round(gap, 4)
    pairs["z*",] = 2.64, round(_upper(4), 4)
    pairs["Wilcoxon, hnb and nb, p",] = 0.0002, _wilcoxon_p(table)
    return check_pairs(
        "Example 3",
        "the verdict on hnb and nb in two pools",
        pairs,
        tolerance=0.005,
        tolerances={("Wilcoxon, hnb and nb, p",): 0.00005},
    )


def _wilcoxon_p(table: ScoreTable) -> float:
    pair = compare(table, test="wilcoxon", correction=None).pair("hnb", "nb")
    return round(pair.p_value, 6)


def _pool_ranks(
    goodness: FloatArray, names: Sequence[str], pool: Sequence[str]
) -> dict[str, float]:
    """Return mean ranks in a pool as the paper has them, the best highest."""
    columns = [names.index(name) for name in pool]
    return dict(zip(pool, average_ranks(goodness[:, columns]).mean(axis=0).tolist(), strict=True))


def _table_1(table: ScoreTable, counts: Sequence[PoolCount]) -> Check:
    printed = {
        (row["a"], row["b"], row["others"]): f"{row['significant']}/{row['subsets']}"
        for row in read_rows("benavoli2016", "table_1")
    }
    published: dict[Cell, float | str] = {}
    recomputed: dict[Cell, float | str] = {}
    sizes = ("2", "3", "4")
    for a, b in itertools.combinations(table.algorithms, 2):
        for size in sizes:
            published[f"{a} vs. {b}", size] = printed.get((a, b, size), "-")
    for count in counts:
        if str(count.others) in sizes:
            share = f"{count.significant}/{count.subsets}" if count.depends else "-"
            recomputed[f"{count.a} vs. {count.b}", str(count.others)] = share
    return check_cells("1", "pairs whose verdict depends on the pool", published, recomputed)


def _with_zoo(table: ScoreTable) -> FloatArray:
    """Add the row zoo by its order alone: good for ranks, not for differences."""
    places = {name: float(place) for place, names in enumerate(ZOO) for name in names}
    return np.vstack([table.means(), [places[name] for name in table.algorithms]])
