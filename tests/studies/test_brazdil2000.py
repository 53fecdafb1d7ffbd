"""The figures of brazdil2000 come out as far as it prints them, and its experiment runs again."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import palio
from palio.errors import ParameterError
from palio.stats.ranks import average_ranks
from palio.studies import brazdil2000_rerun
from palio.studies.brazdil2000_learners import (
    MixedNaiveBayesClassifier,
    SymbolicNeighbourClassifier,
    gain_ratio,
)
from palio.studies.brazdil2000_tables import METHODS, changes, permuted_agreement
from palio.studies.reproduction import UNEXPLAINED, Layout, read_published


@pytest.fixture(scope="module")
def reproduction() -> palio.Reproduction:
    return palio.reproduce("brazdil2000")


@pytest.fixture(scope="module")
def table() -> palio.ScoreTable:
    return palio.load_study("brazdil2000")


def layout(reproduction: palio.Reproduction, number: str) -> Layout:
    (found,) = (each for each in reproduction.layouts if each.table == number)
    return found


# --- the published figures ------------------------------------------------------------------------

# How many cells agree, of how many.
EXPECTED = {
    "1": (18, 18),
    "1 sums": (9, 9),
    "§2.2": (1, 1),
    "2": (32, 32),
    "3": (5, 6),
    "3 cells": (48, 48),
    "4": (15, 15),
    "4 tests": (4, 4),
    "§4": (3, 4),
    "§4 Dunn": (3, 6),
    "§5": (1, 3),
}


def test_agreement(reproduction: palio.Reproduction) -> None:
    assert {c.table: (c.agree, c.cells) for c in reproduction.checks} == EXPECTED


def test_what_does_not_come_out_is_known_and_has_a_reason(
    reproduction: palio.Reproduction,
) -> None:
    differences = {
        (check.table, *d.key): (d.published, d.recomputed)
        for check in reproduction.checks
        for d in check.differences
    }
    assert differences == {
        ("3", "mean", "AR"): (0.426, pytest.approx(0.4234, abs=5e-5)),
        ("§4", "z"): (1.731, 1.7317),
        ("§4 Dunn", "|T| of SRR and SW"): (1.76, pytest.approx(2.74, abs=0.005)),
        ("§4 Dunn", "|T| of AR and SW"): (3.19, pytest.approx(2.04, abs=0.005)),
        ("§4 Dunn", "|T| of SRR and AR"): (1.42, pytest.approx(0.70, abs=0.005)),
        ("§5", "SRR and SW, 8 places"): ("possible", "at least 12"),
        ("§5", "SW and AR, 27 places"): ("possible", "at least 30"),
    }
    reasons = [d.reason for check in reproduction.checks for d in check.differences]
    assert UNEXPLAINED not in reasons


def test_the_printed_dunn_values_go_with_other_mean_ranks() -> None:
    """The reason given: T = 160 (R_i − R_j) / sqrt(320) with mean ranks 1.83, 1.99 and 2.18."""
    gaps = np.array([1.76, 3.19]) * np.sqrt(320) / 160
    sw = 2 + gaps.sum() / 3
    assert [sw - gaps[1], sw - gaps[0], sw] == pytest.approx([1.83, 1.99, 2.18], abs=0.006)


def test_figures_of_the_notes(reproduction: palio.Reproduction) -> None:
    """M = 8.09; with 55 ties of three and 33 of two, 55 % of 160, M* is 13.39 but for rounding."""
    m = 160 * np.square(np.array([1.950, 1.872, 2.178]) - 2).sum()
    assert m == pytest.approx(8.09, abs=0.005)
    assert (55 + 33) / 160 == 0.55
    assert m / (1 - (55 * 24 + 33 * 6) / (160 * 24)) == pytest.approx(13.39, abs=0.05)
    correlated = stats.spearmanr([4.5, 1, 6, 3, 4.5, 2], [1.5, 3, 5, 4, 6, 1.5]).statistic
    assert correlated == pytest.approx(0.485, abs=0.0005)
    notes = " ".join(reproduction.notes)
    assert all(figure in notes for figure in ("M = 8.09", "0.485", "55 and 33"))


def test_fold_1_of_glass_is_not_one_fold(reproduction: palio.Reproduction) -> None:
    shares = layout(reproduction, "2").recomputed
    first = {name: share for (name, fold), share in shares.items() if fold == "fold 1"}
    assert first == {
        "c5": "6/21", "ltree": "7/22", "timbl": "11/22", "discrim": "8/22", "nbayes": "13/22",
        "c5boost": "6/21",
    }  # fmt: skip


def test_it_is_shown(reproduction: palio.Reproduction) -> None:
    text = str(reproduction)
    assert "139 of 146 cells agree" in text
    assert "0.941|0.941" in str(reproduction.only("§2.2"))


# --- the table that is kept -----------------------------------------------------------------------


def test_the_kept_table_is_the_design_of_the_paper(table: palio.ScoreTable) -> None:
    assert (table.n_datasets, table.n_algorithms) == (16, 6)
    assert table.is_complete
    assert {str(table.design(name)) for name in table.datasets} == {"10-fold cv"}
    assert set(table.datasets) == set(brazdil2000_rerun.DATA)
    assert set(table.algorithms) == set(brazdil2000_rerun.LEARNERS.values())
    assert table.cost_names == ("fit_cpu_time",)


def test_it_is_kept_as_export_writes_it(table: palio.ScoreTable, tmp_path: Path) -> None:
    brazdil2000_rerun.export(table, tmp_path / "rerun.csv")
    kept = files("palio.studies") / "data" / "brazdil2000" / "rerun.csv"
    assert (tmp_path / "rerun.csv").read_bytes() == kept.read_bytes()


def test_significant_wins_by_scipy(table: palio.ScoreTable) -> None:
    """pw of 5 × 16 tests each, by another implementation of the paired t test."""
    wins = dict.fromkeys(table.algorithms, 0)
    for dataset in table.datasets:
        scores = dict(zip(table.algorithms, table.fold_scores(dataset)[:, 0], strict=True))
        for a, own in scores.items():
            for b, other in scores.items():
                if a != b and own.mean() > other.mean():
                    wins[a] += bool(stats.ttest_rel(own, other).pvalue <= 0.05)
    ranking = palio.rank(table, method="significant-wins")
    assert {name: count / 80 for name, count in wins.items()} == pytest.approx(ranking.scores)
    assert sum(wins.values()) == 138  # by accident as many as in the paper


def test_friedman_over_folds_by_scipy(
    table: palio.ScoreTable, reproduction: palio.Reproduction
) -> None:
    """Rankings from tables without the data set, correlations and the test by hand and SciPy."""
    points: dict[str, list[float]] = {name: [] for name in METHODS}
    for dataset in table.datasets:
        others = table.select(datasets=[each for each in table.datasets if each != dataset])
        ideal = stats.rankdata(-table.fold_scores(dataset)[:, 0], axis=0)
        for name, method in METHODS.items():
            ranks = palio.rank(others, method=method).ranks
            recommended = np.array([ranks[each] for each in table.algorithms])
            distance = np.square(recommended[:, np.newaxis] - ideal).sum(axis=0)
            points[name] += (1 - 6 * distance / (6**3 - 6)).round(9).tolist()
    found = layout(reproduction, "§4").recomputed
    expected = stats.friedmanchisquare(*points.values()).statistic
    assert found["Friedman's M*", "ours, folds"] == pytest.approx(expected)
    ranks = stats.rankdata(-np.array(list(points.values())), axis=0).mean(axis=1)
    for name, mean in zip(METHODS, ranks, strict=True):
        assert found[f"mean rank of {name}", "ours, folds"] == pytest.approx(mean)


def test_the_verdict_of_the_paper_is_not_ours(reproduction: palio.Reproduction) -> None:
    """What the documentation says of the rerun."""
    found = layout(reproduction, "§4").recomputed
    for points in ("folds", "data sets"):
        better = [found[f"{a} and {b}, better", f"ours, {points}"] for a, b in PAIRS]
        assert better == ["neither"] * 3
    assert [found[f"{a} and {b}, better", "paper"] for a, b in PAIRS] == ["SRR", "AR", "neither"]
    places = layout(reproduction, "§5").recomputed
    assert places["AR and SRR: places that differ", "paper"] == "33 of 96"
    assert places["AR and SRR: places that differ", "ours"] == "75 of 96"
    assert layout(reproduction, "3").recomputed["mean", "AR"] == "0.45|0.43"


PAIRS = [("SRR", "SW"), ("AR", "SW"), ("SRR", "AR")]


# --- §5 and §7 ------------------------------------------------------------------------------------


def test_changes_are_against_the_most_frequent_ranking() -> None:
    ranks = np.array([[2.0, 1, 3], [1, 2, 3], [1, 2, 3], [1, 3, 2]])
    assert changes(ranks).sum(axis=1).tolist() == [2, 0, 0, 2]


def test_agreement_by_chance() -> None:
    """All 4! orders: mean 0 and variance 1/(n − 1); one of them agrees fully."""
    ideal = np.array([[1.0, 2, 3, 4]])
    found = permuted_agreement(np.array([1.0, 3, 2, 4]), ideal)
    assert found[0] == pytest.approx(1 - 6 * 2 / 60)
    assert (found.size, found.max()) == (24, 1)
    assert (found.mean(), found.var()) == pytest.approx((0, 1 / 3))
    # Two folds that contradict each other: nothing can be said of either.
    both = permuted_agreement(np.array([1.0, 3, 2, 4]), np.concatenate([ideal, 5 - ideal]))
    assert both == pytest.approx(np.zeros(24))


def test_least_z_of_the_paper(reproduction: palio.Reproduction) -> None:
    """The sixteen cells of AR add up to 6.775; sd by chance at most sqrt(1/5)/4."""
    found = layout(reproduction, "§7").recomputed
    assert found["AR", "paper's z"] == pytest.approx(6.775 / 16 / (np.sqrt(0.2) / 4))


# --- the learners ---------------------------------------------------------------------------------


def test_gain_ratio_by_hand() -> None:
    """Values a a b c with classes 0 0 0 1: gain H(1/4) = 0.8113, the column itself 1.5 bits."""
    ratio = gain_ratio(np.array([1.0, 1, 2, 3]), np.array([0, 0, 0, 1]))
    assert ratio == pytest.approx(0.811278 / 1.5, abs=1e-6)
    assert gain_ratio(np.ones(4), np.array([0, 0, 1, 1])) == 0


def test_a_symbol_is_near_to_nothing_but_itself() -> None:
    """The first column decides; 1.1 is as far from 1 as 9 is, and then all that share y vote."""
    X = np.array([[1.0, 0], [1, 1], [2, 0], [2, 1], [2, 1]])
    model = SymbolicNeighbourClassifier().fit(X, list("aabbb"))
    assert model.weights_[0] > model.weights_[1] > 0
    assert model.predict([[1, 1], [2, 0]]).tolist() == ["a", "b"]
    assert model.predict_proba([[1.1, 1]]) == pytest.approx(model.predict_proba([[9, 1]]))
    assert model.predict_proba([[1.1, 1]])[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_nominal_columns_are_not_distances() -> None:
    import pandas as pd
    from sklearn.naive_bayes import CategoricalNB  # type: ignore[import-untyped]

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (60, 4))
    y = (codes[:, 0] == 1) ^ (rng.random(60) < 0.2)
    frame = pd.DataFrame(
        {f"x{j}": pd.Categorical(np.array(list("pqr"))[codes[:, j]]) for j in range(4)}
    )
    ours = MixedNaiveBayesClassifier().fit(frame, y)
    theirs = CategoricalNB(alpha=1.0).fit(codes, y)
    assert ours.predict_proba(frame) == pytest.approx(theirs.predict_proba(codes))
    symbols = SymbolicNeighbourClassifier().fit(frame, y)
    assert (
        symbols.predict(frame) == SymbolicNeighbourClassifier().fit(codes, y).predict(codes)
    ).all()


# --- the experiment -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Small files under the names of three data sets, one of which the paper names otherwise."""
    rng = np.random.default_rng(0)
    for file in ("iris", "wine", "pima"):
        X = rng.normal(size=(40, 3)).round(1)
        y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, "yes", "no")
        rows = [",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)]
        (tmp_path / f"{file}.csv").write_text("\n".join(["a,b,c,target", *rows]) + "\n")
    return tmp_path


@pytest.mark.slow
def test_rerun_and_go_on(folder: Path) -> None:
    told: list[object] = []

    def again() -> palio.Reproduction:
        return palio.reproduce(
            "brazdil2000",
            data=f"folder:{folder}",
            store=folder / "store.db",
            n_jobs=1,
            progress=told.append,
        )

    first = again()
    finished = len(told)
    second = again()
    # Told once at the start, and after each of 3 × 6 jobs; the second time nothing is left to run.
    assert (finished, len(told)) == (1 + 18, 1 + 18 + 1)
    assert first.to_dict() == second.to_dict()
    assert [each.table for each in first.layouts] == ["errors", "1", "3", "§4", "§5", "§7"]
    assert {name for name, _ in layout(first, "3").recomputed} == {
        "diabetes", "iris", "wine", "mean", "standard deviation",
    }  # fmt: skip
    assert first.notes[0].startswith("not in the folder: australian, balance, breast, german")


REFUSED: list[tuple[Callable[[Path], dict[str, object]], str]] = [
    (lambda path: {"data": f"folder:{path / 'none'}"}, "there is no folder"),
    (lambda path: {"data": f"folder:{path}"}, "none of the study's data sets"),
    (lambda path: {"data": str(path)}, "folder:DIR"),
    (lambda path: {"data": f"folder:{path}", "runs": 3}, "'brazdil2000' has no such choice"),
]


@pytest.mark.parametrize(("options", "says"), REFUSED)
def test_refused(options: Callable[[Path], dict[str, object]], says: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=says):
        palio.reproduce("brazdil2000", **options(tmp_path))  # type: ignore[arg-type]


def test_with_how_many_data_sets_the_verdict_would_come_out() -> None:
    """The page's simulation: data sets drawn from the rows of the printed Table 3, Dunn's test."""
    three = read_published("brazdil2000", "table_3")
    names = brazdil2000_rerun.DATA
    rows = [[three[name, short] for short in ("AR", "SRR", "SW")] for name in names]
    ranks = average_ranks(-np.array(rows))
    rng = np.random.default_rng(0)
    page = {16: (65, 8, 6), 32: (90, 23, 22), 64: (99, 51, 51)}
    page |= {100: (100, 79, 79), 150: (100, 94, 94)}
    for n, shares in page.items():
        ar, srr, sw = ranks[rng.integers(0, len(ranks), (4000, n))].sum(axis=1).T
        better = [(sw - other) / np.sqrt(2 * n) >= 1.731 for other in (ar, srr)]
        found = [100 * np.mean(each) for each in (*better, better[0] & better[1])]
        assert found == pytest.approx(shares, abs=2.5)
