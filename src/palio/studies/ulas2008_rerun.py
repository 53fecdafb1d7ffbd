"""The experiment of ulas2008 run again, beside what the paper printed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from palio.comparison.over_datasets import compare
from palio.comparison.results import Comparison
from palio.errors import ParameterError
from palio.ordering import Ordering, multi2test
from palio.ordering.evaluation import spearman
from palio.scores import ScoreTable, read_scores
from palio.stats.ranks import average_ranks
from palio.studies import ulas2008, ulas2008_experiment
from palio.studies.reproduction import (
    UNEXPLAINED,
    Cell,
    Check,
    Explain,
    Layout,
    Reproduction,
    cells_of,
    check_cells,
    read_shipped,
)
from palio.studies.rerunning import Setting, absent, write_kept
from palio.studies.ulas2008_experiment import ALGORITHMS, DATA, UNLIKE
from palio.types import FloatArray

REFERENCE, COSTS = ulas2008.REFERENCE, ulas2008.COSTS
_KEPT = [*COSTS, "search_time"]
_TABLES = {"accuracy": ("4.2", "A.11"), "train_time": ("4.4", "A.12"), "space": ("4.5", "A.13")}
_WORDS = ("paper", "ours")
# How much a mean moves when the third kept aside and the halves are drawn anew, as a share of the
# standard deviation of its ten folds: 5nn, c45 and lnp on 12 data sets, 12 draws each.
SPREAD = 0.5

NOTES = (
    "the design is the paper's: a third of every data set kept aside, the rest in stratified "
    "halves five times; its folds have the sizes that this gives, class by class",
    "data: " + "; ".join(f"{name}: {each.why}" for name, each in DATA.items() if each.why),
    "svl, sv2 and svr: the paper searches C and the width on the validation fold that it reports; "
    "here by stratified 3-fold cv inside the training half, on 500 rows of it at most, all powers "
    "of ten of the paper's ranges, at most 100,000 iterations a machine, and no larger C than the "
    "first that takes so many; the last fit has LIBSVM's probabilities, as the paper's machines do",
    "ecoli: in the paper all three machines are right 21 percentage points less often on first "
    "folds, when the training half lacks two classes; labels seem to have been mixed up there",
    "mlp and lnp: the learning rate stays at 0.01, because as a factor the paper's 0.95 leaves mlp "
    "far below some of its accuracies, and both on tictactoe; first weights of mlp uniform in "
    "(−0.5, 0.5), which is not told. Both were chosen by looking at the paper's accuracies",
    "time: CPU seconds of preparing the rows and of the last training; the search is not counted, "
    "nor is it in Table A.9, where 77 combinations take hardly longer than 11",
    "space: numbers that the model holds. The paper does not say what it counts, but Table A.10 "
    "can be read back: 2n(D + 1) for 5nn, 2s(D' + 1) for s support vectors, (D' + 1)K for lnp, and "
    "for mlp its output layer alone, so that mlp seems smaller than lnp",
    "accuracies agree if they differ by no more than two standard deviations of such a difference, "
    f"each mean's being {SPREAD:g} of its folds'; ranks on a data set if by no more than one "
    "place; average ranks if the mean of the differences over the data sets is within two of its "
    "standard errors; orders and verdicts if they are the same",
)


def load() -> ScoreTable:
    """Return the folds of our run that the package keeps: accuracy in percent, time and space."""
    return read_shipped("ulas2008", "rerun", score="accuracy", costs=_KEPT)


def reproduce() -> Reproduction:
    """Lay our run beside the paper's tables."""
    return _beside(load(), "ulas2008-rerun")


def rerun(setting: Setting) -> Reproduction:
    """Run the experiment again, and lay it beside the paper's tables."""
    table, missing = ulas2008_experiment.run(setting)
    return _beside(_as_the_paper_counts(table), "ulas2008", (*absent(missing), *table.notes))


# --- from the store to the table that is kept -----------------------------------------------------


def export(table: ScoreTable, path: str | os.PathLike[str]) -> None:
    """Write the folds of a run as the package keeps them.

    Parameters
    ----------
    table : ScoreTable
        As `ulas2008_experiment.run` returns it.
    path : path
        Where to.
    """
    write_kept(_as_the_paper_counts(table).to_frame(), path, _KEPT)


def _as_the_paper_counts(table: ScoreTable) -> ScoreTable:
    """Return accuracies in percent, the time of the last training, and the size of the model."""
    frame = table.to_frame()
    searched = frame.get("tuning_cpu_time", 0.0 * frame["fit_cpu_time"]).fillna(0.0)
    told = frame[["dataset", "algorithm", "repeat", "fold"]].assign(
        accuracy=100 * frame["accuracy"],
        train_time=frame["fit_cpu_time"] - searched,
        space=frame["n_parameters"],
        search_time=searched,
    )
    ordered = told.sort_values(["dataset", "algorithm", "repeat", "fold"], kind="stable")
    return read_scores(ordered, score="accuracy", costs=_KEPT)


# --- both side by side ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """The paper's experiment or ours, and what MultiTest makes of it."""

    table: ScoreTable

    @cached_property
    def means(self) -> FloatArray:
        """Mean accuracies, by data set and algorithm."""
        return self.table.means()

    @cached_property
    def spreads(self) -> FloatArray:
        """Standard deviations of the folds, by data set and algorithm."""
        folds = [self.table.fold_scores(name) for name in self.table.datasets]
        return np.array([each.reshape(len(ALGORITHMS), -1).std(axis=1, ddof=1) for each in folds])

    @cached_property
    def orderings(self) -> Mapping[str, Ordering]:
        """Multi²Test by each cost."""
        return {cost: multi2test(self.table, cost=cost) for cost in COSTS}

    def ranks(self, key: str) -> FloatArray:
        """Ranks on each data set: by mean accuracy, or by MultiTest and a cost."""
        if key == "accuracy":
            return average_ranks(-self.table.goodness())
        found: FloatArray = self.orderings[key].first_pass.arrays.ranks.astype(np.float64)
        return found

    def comparison(self, key: str) -> Comparison:
        """Nemenyi's test on these ranks."""
        if key == "accuracy":
            return compare(self.table, test="mean-ranks", correction="nemenyi")
        found = self.orderings[key].comparison
        if found is None:
            raise TypeError("Multi²Test always has a comparison")
        return found

    def average_costs(self, cost: str) -> FloatArray:
        """Average costs as the paper normalises them: 100 c / (max − min) on each data set."""
        costs = self.table.cost_matrix(cost)
        normalised = 100 * costs / np.ptp(costs, axis=1, keepdims=True)
        found: FloatArray = normalised.mean(axis=0)
        return found


def _beside(ours: ScoreTable, study: str, notes: tuple[str, ...] = ()) -> Reproduction:
    published = ulas2008.load()
    common = [name for name in published.datasets if name in ours.datasets]
    if len(common) < 2:
        raise ParameterError(
            "data",
            "two data sets of the study are needed that all learners have been run on",
            f"{len(common)} are there",
            "give it more files, or run it on",
        )
    paper, own = (_Run(each.select(common, ALGORITHMS)) for each in (published, ours))
    accuracies = _accuracies(paper, own)
    lacking = [name for name in published.datasets if name not in common]
    only = (f"on {len(common)} of 38 data sets, without {', '.join(lacking)}",) if lacking else ()
    return Reproduction(
        study=study,
        reference=ulas2008.REFERENCE,
        checks=(
            accuracies,
            *(_ranks(key, paper, own, accuracies) for key in _TABLES),
            *(_average_ranks(key, paper, own) for key in _TABLES),
            *(_verdicts(key, paper, own) for key in _TABLES),
            *(_order(cost, paper, own) for cost in COSTS),
        ),
        notes=(*only, *notes, *NOTES),
        layouts=(*(_costs(cost, paper, own) for cost in COSTS), _agreement(paper, own)),
    )


def _cells(table: ScoreTable, values: FloatArray) -> dict[Cell, float]:
    return cells_of(table.datasets, table.algorithms, values)


def _accuracies(paper: _Run, own: _Run) -> Check:
    deviation = SPREAD * np.hypot(paper.spreads, own.spreads)
    return check_cells(
        "A.1–A.8",
        "mean accuracies, within two standard deviations",
        _cells(paper.table, paper.means),
        _cells(own.table, own.means.round(2)),
        tolerances=_cells(own.table, 2 * deviation + 0.01),
        explain=_explain_accuracy,
        words=_WORDS,
    )


def _ranks(key: str, paper: _Run, own: _Run, accuracies: Check) -> Check:
    by = f"MultiTest by {COSTS[key]}" if key in COSTS else "accuracy ranks"
    return check_cells(
        _TABLES[key][1],
        f"{by}, within one place",
        _cells(paper.table, paper.ranks(key)),
        _cells(own.table, own.ranks(key)),
        tolerance=1.0,
        explain=_explain_rank(accuracies, key),
        words=_WORDS,
    )


def _average_ranks(key: str, paper: _Run, own: _Run) -> Check:
    theirs, here = paper.ranks(key), own.ranks(key)
    error = (here - theirs).std(axis=0) / np.sqrt(max(len(here) - 1, 1))
    names: list[Cell] = [(name,) for name in ALGORITHMS]
    return check_cells(
        f"{_TABLES[key][0]}(a)",
        f"average ranks, {COSTS.get(key, key)}",
        dict(zip(names, theirs.mean(axis=0).round(4).tolist(), strict=True)),
        dict(zip(names, here.mean(axis=0).round(4).tolist(), strict=True)),
        tolerances=dict(zip(names, (2 * error).tolist(), strict=True)),
        explain=lambda _: f"follows from Table {_TABLES[key][1]}",
        words=_WORDS,
    )


def _verdicts(key: str, paper: _Run, own: _Run) -> Check:
    def said(run: _Run) -> dict[Cell, float]:
        return {(pair.a, pair.b): float(pair.significant) for pair in run.comparison(key).pairs}

    return check_cells(
        f"{_TABLES[key][0]}(c)",
        f"Nemenyi, pairs that differ, {COSTS.get(key, key)}",
        said(paper),
        said(own),
        explain=lambda _: f"follows from the average ranks, {_TABLES[key][0]}(a)",
        words=_WORDS,
    )


def _order(cost: str, paper: _Run, own: _Run) -> Check:
    return check_cells(
        f"{_TABLES[cost][0]} order",
        f"second pass by {COSTS[cost]}",
        {(str(place),): name for place, name in enumerate(paper.orderings[cost].order, start=1)},
        {(str(place),): name for place, name in enumerate(own.orderings[cost].order, start=1)},
        explain=lambda _: (
            f"follows from {_TABLES[cost][0]}(c) and average costs; {_OTHER_COSTS[cost]}"
        ),
        words=_WORDS,
    )


def _costs(cost: str, paper: _Run, own: _Run) -> Layout:
    return Layout(
        {"train_time": "A.9", "space": "A.10"}[cost],
        f"average {COSTS[cost]}, normalised as the paper does",
        {
            (name, word): round(float(value), 2)
            for word, run in zip(_WORDS, (paper, own), strict=True)
            for name, value in zip(ALGORITHMS, run.average_costs(cost), strict=True)
        },
    )


def _agreement(paper: _Run, own: _Run) -> Layout:
    """Correlate the paper's order of the eight with ours, by rank and by cost."""
    pairs = {
        f"average ranks, {COSTS.get(key, key)}": [r.ranks(key).mean(axis=0) for r in (paper, own)]
        for key in _TABLES
    } | {
        f"average {title}": [run.average_costs(cost) for run in (paper, own)]
        for cost, title in COSTS.items()
    }
    return Layout(
        "Spearman",
        "how well the orders of the eight agree",
        {
            (name, "r"): round(float(spearman(*(average_ranks(each) for each in both))), 3)
            for name, both in pairs.items()
        },
    )


# --- why they differ ------------------------------------------------------------------------------

_OTHER_COSTS = {
    "train_time": "other times: in ours is preparing the rows, which counts on small data sets",
    "space": "other sizes: mlp's hidden layer counts here, and 5nn keeps coded inputs",
}


# Chosen on the fold that is reported, the best of the grid agrees here, too.
_FLATTERED = {
    ("breast", "svr"), ("heart", "sv2"), ("ionosphere", "svl"), ("ionosphere", "svr"),
    ("pima", "svl"), ("pima", "sv2"),
}  # fmt: skip


def _explain_accuracy(cell: Cell) -> str:
    dataset, algorithm = cell
    if dataset in UNLIKE:
        return UNLIKE[dataset]
    if cell == ("titanic", "5nn"):
        return "14 distinct rows: which of many equally near rows are asked is chance"
    if cell in _FLATTERED:
        return "the paper chose C and the width on the fold that it reports; so chosen, ours agrees"
    if algorithm in ("mlp", "lnp"):
        return f"{UNEXPLAINED}; the paper's schedule and first weights are not fully known"
    return UNEXPLAINED


def _explain_rank(accuracies: Check, key: str) -> Explain:
    """Say which accuracies behind the ranks on a data set differ."""
    moved: dict[str, list[str]] = {}
    for difference in accuracies.differences:
        moved.setdefault(difference.key[0], []).append(difference.key[1])

    def explain(cell: Cell) -> str:
        behind = moved.get(cell[0])
        if behind:
            return f"follows from the accuracies of {', '.join(behind)}"
        if key == "accuracy":
            return "the accuracies agree, and are too close for an order"
        return f"the accuracies agree; {_OTHER_COSTS[key]}"

    return explain
