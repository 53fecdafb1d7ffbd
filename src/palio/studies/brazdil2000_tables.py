"""A rerun of brazdil2000 laid out as the paper's tables are, beside its figures."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from palio.numbers import as_printed
from palio.ordering import RankingEvaluation, evaluate_rankings, rank
from palio.ordering.evaluation import spearman
from palio.ordering.rankers import RankingOptions
from palio.ordering.rankings import bind_rankings
from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from palio.studies.brazdil2000_rerun import LEARNERS
from palio.studies.reproduction import Cell, Layout, read_published
from palio.types import BoolArray, FloatArray

# The paper's methods by its short names.
METHODS = {"AR": "average-ranks", "SRR": "success-rate-ratios", "SW": "significant-wins"}
# In the text of §4: what came out on all 160 folds, and who is significantly better.
MEAN_RANKS = {"AR": 1.950, "SRR": 1.872, "SW": 2.178}
FRIEDMAN = 13.39
DUNN = {("SRR", "SW"): 1.76, ("AR", "SW"): 3.19, ("SRR", "AR"): 1.42}
BETTER = {("SRR", "SW"): "SRR", ("AR", "SW"): "AR", ("SRR", "AR"): "neither"}
# In the text of §5: in how many of 96 places two methods differ, and how many data sets change a
# method's ranking when they are left out.
DIFFERENT_PLACES = {("AR", "SRR"): 33, ("SRR", "SW"): 8, ("SW", "AR"): 27}
CHANGES = {"AR": 4, "SRR": 3, "SW": 5}

NOTES = (
    "§5: a ranking has changed if it is not the most frequent one of its method",
    "§7: p is the share of all orders of the recommended ranks that agree with the folds of a data "
    "set as well as the recommended order; z is of the mean over data sets, these taken as "
    "independent, by the variance over all orders, which for the paper's means is at most 1/5 of a "
    "data set: its z is a lower bound",
)


def laid_out(table: ScoreTable) -> tuple[Layout, ...]:
    """Lay a rerun out as Tables 1 and 3, §4, §5 and §7 are, with the paper's figures beside."""
    methods = list(METHODS.values())
    by_fold = evaluate_rankings(table, methods, points="folds", overall_alpha=0.25)
    by_dataset = evaluate_rankings(table, methods, points="datasets", overall_alpha=0.25)
    recommended = _recommended(table)
    return (
        _errors(table),
        _table_1(table),
        _table_3(by_fold),
        _section_4(by_fold, by_dataset),
        _section_5(recommended),
        _section_7(table, recommended),
    )


def column(table: Mapping[Cell, float], name: str) -> dict[str, float]:
    """Return one column of a published table, by row."""
    return {row: value for (row, each), value in table.items() if each == name}


def _published(table: str, name: str) -> dict[str, float]:
    return column(read_published("brazdil2000", table), name)


def _label(name: str) -> str:
    return f"{name} ({LEARNERS[name]})"


def _recommended(table: ScoreTable) -> dict[str, FloatArray]:
    """Return the ranks (data sets, algorithms) that each method gives without the data set."""
    bound = bind_rankings(table, METHODS.values(), RankingOptions())
    others = 1 - np.eye(table.n_datasets)
    return {name: bound.rankers[method].ranks(others) for name, method in METHODS.items()}


# --- Tables 1 to 3 -------------------------------------------------------------------------------


def _errors(table: ScoreTable) -> Layout:
    """Lay out the errors on the two data sets of which the paper prints any."""
    printed = {
        "glass": _published("table_2", "mean error"),
        "australian": {"timbl": 19.13, "discrim": 14.06},
    }
    errors = dict(zip(table.datasets, 100 * (1 - table.means()), strict=True))
    return Layout(
        "errors",
        "errors in per cent where the paper prints any, ours|the paper's",
        {
            (_label(name), dataset): _beside(
                errors[dataset][table.algorithms.index(ours)], by_name.get(name)
            )
            for dataset, by_name in printed.items()
            if dataset in errors
            for name, ours in LEARNERS.items()
        },
    )


def _table_1(table: ScoreTable) -> Layout:
    values: dict[Cell, float | str] = {}
    for short, method in METHODS.items():
        ranking, printed = rank(table, method=method), read_published("brazdil2000", "table_1")
        for name, ours in LEARNERS.items():
            places = f"{ranking.ranks[ours]:g}|{printed[name, f'{short} rank']:g}"
            values[_label(name), short] = _beside(ranking.scores[ours], printed[name, short])
            values[_label(name), f"{short} rank"] = places
    return Layout("1", "rankings from all data sets, ours|the paper's", values)


def _table_3(found: RankingEvaluation) -> Layout:
    values: dict[Cell, float | str] = {}
    for short, own in zip(METHODS, found.by_dataset, strict=True):
        summary = {"mean": own.mean(), "standard deviation": own.std(ddof=1)}
        ours = dict(zip(found.datasets, own, strict=True)) | summary
        printed = _published("table_3", short)
        for name, value in ours.items():
            values[name, short] = _beside(value, printed[name])
    return Layout("3", "average correlations, ours|the paper's", values)


def _beside(ours: float, paper: float | None) -> str:
    """Write our figure beside the paper's; not every one is printed.

    >>> _beside(0.4512, 0.426), _beside(15.507, None)
    ('0.45|0.43', '15.51|–')
    """
    return f"{as_printed(ours)}|{'–' if paper is None else as_printed(paper)}"


# --- §4 and §5 -----------------------------------------------------------------------------------


def _section_4(by_fold: RankingEvaluation, by_dataset: RankingEvaluation) -> Layout:
    paper: dict[str, float | str] = {f"mean rank of {name}": m for name, m in MEAN_RANKS.items()}
    paper["Friedman's M*"] = FRIEDMAN
    paper |= {f"|T| of {a} and {b}": t for (a, b), t in DUNN.items()}
    paper |= {f"{a} and {b}, better": who for (a, b), who in BETTER.items()}
    columns = {
        "paper": paper,
        "ours, folds": _tested(by_fold),
        "ours, data sets": _tested(by_dataset),
    }
    return Layout(
        "§4",
        "Friedman and Dunn, 25 % over three pairs; folds or data sets as points",
        {(row, name): values[row] for row in paper for name, values in columns.items()},
    )


def _tested(found: RankingEvaluation) -> dict[str, float | str]:
    comparison = found.comparison
    if comparison is None:
        raise TypeError("several methods always have a comparison")
    short = {method: name for name, method in METHODS.items()}
    values: dict[str, float | str] = {
        f"mean rank of {name}": comparison.mean_ranks[method] for name, method in METHODS.items()
    }
    values["Friedman's M*"] = comparison.omnibus.statistic
    for a, b in DUNN:
        pair = comparison.pair(METHODS[a], METHODS[b])
        values[f"|T| of {a} and {b}"] = abs(pair.statistic)
        values[f"{a} and {b}, better"] = short[pair.winner] if pair.winner else "neither"
    return values


def _section_5(recommended: Mapping[str, FloatArray]) -> Layout:
    values: dict[Cell, float | str] = {}
    for (a, b), printed in DIFFERENT_PLACES.items():
        differ = recommended[a] != recommended[b]
        row = f"{a} and {b}: places that differ"
        values[row, "paper"] = f"{printed} of 96"
        values[row, "ours"] = f"{int(differ.sum())} of {differ.size}"
    for name, printed in CHANGES.items():
        moved = changes(recommended[name])
        row = f"{name}: data sets that change the ranking"
        values[row, "paper"] = f"{printed} of 16"
        values[row, "ours"] = f"{int(moved.any(axis=1).sum())} of {len(moved)}"
    return Layout("§5", "how the rankings by leave-one-out differ", values)


def changes(ranks: FloatArray) -> BoolArray:
    """Say where rankings (rows) differ from the most frequent one, the first if there are several.

    >>> changes(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])).tolist()
    [[False, False], [True, True], [False, False]]
    """
    same = (ranks[:, np.newaxis] == ranks).all(axis=-1)
    return np.asarray(ranks != ranks[same.sum(axis=1).argmax()])


# --- §7 ------------------------------------------------------------------------------------------


def _section_7(table: ScoreTable, recommended: Mapping[str, FloatArray]) -> Layout:
    """Lay out whether the rankings agree with the folds more than they would by chance."""
    ideal = [_fold_ranks(table, dataset) for dataset in table.datasets]
    values: dict[Cell, float | str] = {}
    for name, ranks in recommended.items():
        # The first of all orders is the recommended one.
        orders = [permuted_agreement(own, folds) for own, folds in zip(ranks, ideal, strict=True)]
        p_values = np.array([(each >= each[0] - 1e-12).mean() for each in orders])
        surplus = sum(each[0] - each.mean() for each in orders)
        z = surplus / np.sqrt(sum(each.var() for each in orders))
        values[name, "p ≤ 0.05"] = f"{int((p_values <= 0.05).sum())} of {len(p_values)}"
        values[name, "z"] = float(z)
        values[name, "paper's z"] = _least_z(_published("table_3", name))
    return Layout("§7", "do the rankings agree with the folds more than by chance", values)


def _least_z(printed: Mapping[str, float]) -> float:
    """Return the mean correlation over its largest standard deviation by chance, n = 6 ranks.

    Spearman's correlation has variance 1/(n − 1) if all orders are alike, and a mean over folds
    of correlations with one and the same order no more.
    """
    cells = [value for name, value in printed.items() if name not in ("mean", "standard deviation")]
    return float(np.mean(cells) * np.sqrt(len(cells) * (len(LEARNERS) - 1)))


def _fold_ranks(table: ScoreTable, dataset: str) -> FloatArray:
    """Return the ranks of the algorithms on each fold: (folds, algorithms)."""
    scores = table.fold_scores(dataset)
    return average_ranks(-scores.reshape(len(scores), -1).T)


def permuted_agreement(recommended: FloatArray, ideal: FloatArray) -> FloatArray:
    """Return the average correlation with the folds for every order of the recommended ranks.

    Parameters
    ----------
    recommended : array (n,)
        The ranks; all n! orders of them are tried, these first.
    ideal : array (folds, n)
        The ranks on each fold.

    Examples
    --------
    >>> permuted_agreement(np.array([1.0, 2.0]), np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]))
    array([ 0.33333333, -0.33333333])
    """
    orders = np.array(list(itertools.permutations(recommended.tolist())))
    found: FloatArray = spearman(orders[:, np.newaxis], ideal).mean(axis=-1)
    return found
