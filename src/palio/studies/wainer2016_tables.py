"""The tables of Wainer (2016) from any errors and costs of two halves, beside the paper's.

Verdicts are compared, not p-values, for these depend on how many data sets there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.comparison.over_datasets import compare
from palio.comparison.results import Comparison
from palio.measures import Measure
from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from palio.studies.reproduction import Cell, Check, Layout, check_cells, read_published
from palio.studies.wainer2016_bayes import papers_pairs
from palio.types import FloatArray

ALPHA = 0.05
WORDS = ("the paper", "the replication")
NEITHER = "neither"
SIX_BEST = ("rf", "svmRadial", "gbm", "nnet", "rknn", "svmPoly")

# What the two times of §3.4 are made of, and what Table 4 calls them.
COSTS = ("refit_cpu_time", "model_predict_cpu_time", "tuning_cpu_time_per_combination")
TIMES = {"one_train_test": "1-t-t", "per_hyperparameter": "p/h"}

Pairs = Mapping[frozenset[str], float]


# --- the paper's -------------------------------------------------------------------------------


def papers_ranks(table: str, column: str) -> dict[str, float]:
    """Return a column of a printed table: ``mean_rank`` or ``first`` of 1, a time's of 4."""
    cells = read_published("wainer2016", f"table_{table}")
    return {row: value for (row, name), value in cells.items() if name == column}


def triangle(table: str, title: str, ours: Pairs, names: Sequence[str]) -> Layout:
    """Lay a number of every pair out below the diagonal, each beside the paper's."""
    papers = {frozenset(cell): value for cell, value in papers_pairs(table).items()}
    values: dict[Cell, str] = {}
    for i, row in enumerate(names):
        for column in names[:i]:
            pair = frozenset((row, column))
            beside = f"{papers[pair]:.2f}" if pair in papers else "–"
            values[row, column] = f"{ours[pair]:.2f}|{beside}"
    return Layout(table, f"{title}, here|in the paper, best mean rank first", values)


def correlation(ours: Mapping[Any, float], papers: Mapping[Any, float]) -> tuple[float, int]:
    """Return Spearman's correlation of what both have, ties at mid-ranks, and of how many.

    >>> correlation({"a": 1.0, "b": 2.0, "c": 4.0}, {"a": 0.1, "b": 0.3, "c": 0.2})
    (0.5, 3)
    """
    both = [key for key in ours if key in papers]
    one, other = (average_ranks([each[key] for key in both]) for each in (ours, papers))
    return round(float(np.corrcoef(one, other)[0, 1]), 4), len(both)


# --- errors ------------------------------------------------------------------------------------


def dense_ranks(errors: FloatArray) -> FloatArray:
    """Rank each row's errors, rounded to three decimals, without gaps after ties (§4.1).

    >>> dense_ranks(np.array([[0.1004, 0.2, 0.0996, 0.3]])).tolist()
    [[1.0, 2.0, 1.0, 3.0]]
    """
    rounded = np.round(errors, 3)
    return np.array([np.unique(row, return_inverse=True)[1] + 1.0 for row in rounded])


def error_ranks(table: ScoreTable, first: ScoreTable | None = None) -> Layout:
    """Lay Table 1 out beside the paper's, and beside that of the first data sets."""
    ranks = dense_ranks(table.means())
    mean = mean_ranks(table)
    of_first = {} if first is None else mean_ranks(first)
    places = dict(zip(table.algorithms, (ranks == 1).sum(axis=0).tolist(), strict=True))
    printed, printed_first = papers_ranks("1", "mean_rank"), papers_ranks("1", "first")
    values: dict[Cell, float | str] = {}
    for name in sorted(mean, key=mean.__getitem__):
        values[name, "mean rank"] = mean[name]
        if first is not None:
            values[name, f"on {first.n_datasets}"] = of_first[name]
        values[name, "paper's"] = printed.get(name, "")
        values[name, "first"] = str(places[name])
        values[name, "paper's first"] = f"{printed_first.get(name, '')}".removesuffix(".0")
    beside = "" if first is None else f" (on the first {first.n_datasets} beside it)"
    return Layout(
        "1",
        f"dense mean ranks and first places on {table.n_datasets} data sets{beside}, the paper's "
        "on 115",
        values,
    )


def error_ends(table: ScoreTable) -> Check:
    """Compare who is at the ends of Table 1."""
    mean, printed = mean_ranks(table), papers_ranks("1", "mean_rank")
    known = [name for name in mean if name in printed]
    return check_cells(
        "1",
        "who is best and worst by mean rank of the error",
        _ends(printed, known),
        _ends(mean, known),
        explain=lambda cell: _shown(cell[0], printed, mean, known),
        words=WORDS,
    )


def mean_ranks(table: ScoreTable) -> dict[str, float]:
    """Return the dense mean rank of each learner."""
    ranks = dense_ranks(table.means()).mean(axis=0).tolist()
    return dict(zip(table.algorithms, ranks, strict=True))


_ENDS = {"best": slice(0, 1), "three best": slice(0, 3), "three worst": slice(-3, None)}


def _ends(ranks: Mapping[str, float], names: Collection[str]) -> dict[Cell, str]:
    ordered = sorted(names, key=ranks.__getitem__)
    return {(end,): ", ".join(sorted(ordered[part])) for end, part in _ENDS.items()}


def _shown(
    end: str, papers: Mapping[str, float], ours: Mapping[str, float], names: Collection[str]
) -> str:
    """Name the ranks here of who is at an end in the paper or here."""
    there, here = (set(_ends(ranks, names)[end,].split(", ")) for ranks in (papers, ours))
    shown = sorted(there ^ here, key=ours.__getitem__)
    return f"mean ranks here: {', '.join(f'{name} {ours[name]:.2f}' for name in shown)}"


# --- verdicts on pairs -------------------------------------------------------------------------


def nemenyi(
    values: FloatArray, blocks: Sequence[str], names: Sequence[str], measure: str
) -> Comparison:
    """Compare columns, where less is better, by the Demšar procedure (§3.1)."""
    table = ScoreTable.from_arrays(
        values, datasets=blocks, algorithms=names, measure=Measure(measure, higher_is_better=False)
    )
    return compare(table, test="mean-ranks", correction="nemenyi", alpha=ALPHA)


@dataclass(frozen=True)
class Verdicts:
    """Who of each pair is significantly better: in a printed table of p-values, and here.

    Parameters
    ----------
    table
        The number of the printed table.
    ours
        The comparison here.
    ranks
        The paper's mean ranks, which say who is ahead.
    """

    table: str
    ours: Comparison
    ranks: Mapping[str, float]

    @property
    def papers(self) -> dict[Cell, str]:
        """The paper's; without the p-values printed as 0.05, which may be on either side."""
        return {
            cell: min(cell, key=self.ranks.__getitem__) if p < ALPHA else NEITHER
            for cell, p in papers_pairs(self.table).items()
            if p != ALPHA and set(cell) <= set(self.ours.algorithms)
        }

    def here(self, cell: Cell) -> str:
        """Ours."""
        return self.ours.pair(*cell).winner or NEITHER

    def counts(self) -> dict[str, int]:
        """Count the verdicts that are the same, that only one has, and that are opposite."""
        found = Counter(_kind(theirs, self.here(cell)) for cell, theirs in self.papers.items())
        return {kind: found[kind] for kind in ("same", "only paper", "only here", "opposite")}

    def check(self, title: str, *, number: str, among: Collection[str] | None = None) -> Check:
        """Compare the verdicts, on pairs of some algorithms or of all."""
        published = {
            cell: theirs
            for cell, theirs in self.papers.items()
            if among is None or set(cell) <= set(among)
        }
        return check_cells(
            number,
            f"{title}: who is better by Nemenyi at 0.05",
            published,
            {cell: self.here(cell) for cell in published},
            explain=self._why,
            words=WORDS,
        )

    def _why(self, cell: Cell) -> str:
        pair, theirs = self.ours.pair(*cell), self.papers[cell]
        ranks = " and ".join(f"{self.ours.mean_ranks[name]:.2f}" for name in cell)
        ahead = "" if theirs in (NEITHER, pair.better) else "the other way, "
        return f"{ahead}mean ranks {ranks}, p = {pair.p_adjusted:.2g}"


def _kind(theirs: str, here: str) -> str:
    if theirs == here:
        return "same"
    if here == NEITHER:
        return "only paper"
    return "only here" if theirs == NEITHER else "opposite"


# --- times -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Times:
    """CPU seconds by data set, algorithm and half: (S, K, 2) for each of the two costs of §3.4."""

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    seconds: Mapping[str, FloatArray]

    @classmethod
    def of(cls, table: ScoreTable) -> Times:
        """Take them from a table: train and test once, and search divided by combinations."""
        shape = (table.n_datasets, table.n_algorithms, 2)
        train, test, search = (table.rows.costs[name].reshape(shape) for name in COSTS)
        return cls(
            table.datasets,
            table.algorithms,
            {"one_train_test": train + test, "per_hyperparameter": search},
        )

    def by_datasets(self, time: str) -> Comparison:
        """Compare with data sets as blocks, the mean of both halves."""
        values = self.seconds[time].mean(axis=2)
        return nemenyi(values, self.datasets, self.algorithms, "CPU seconds")

    def by_halves(self, time: str) -> Comparison:
        """Compare with halves as blocks, as §3.4 says that it was done."""
        values = np.moveaxis(self.seconds[time], 2, 1).reshape(-1, len(self.algorithms))
        blocks = [f"{name}, half {half}" for name in self.datasets for half in (1, 2)]
        return nemenyi(values, blocks, self.algorithms, "CPU seconds")


def time_ranks(whole: Mapping[str, Comparison], halves: Mapping[str, Comparison]) -> Layout:
    """Lay Table 4 out beside the paper's, by data sets and by halves."""
    values: dict[Cell, float | str] = {}
    quickest_first = whole["one_train_test"].mean_ranks
    for name in sorted(quickest_first, key=quickest_first.__getitem__):
        for time, short in TIMES.items():
            values[name, short] = whole[time].mean_ranks[name]
            values[name, f"{short} halves"] = halves[time].mean_ranks[name]
            values[name, f"{short} paper"] = papers_ranks("4", time).get(name, "")
    title = "mean ranks of CPU seconds, 1-train-test and per hyper-parameter; the paper's are of R"
    return Layout("4", title, values)
