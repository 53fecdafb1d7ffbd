"""On results as other people publish them the order and the comparison never disagree."""

from collections.abc import Callable

import pandas as pd
import pytest

import palio
from palio.ordering import Ordering
from palio.scores import ScoreTable
from tests.shared import shared_file


def _srbench() -> ScoreTable:
    frame = pd.read_csv(shared_file("results/srbench/blackbox_results.csv"))
    wide = frame.pivot_table(index="dataset", columns="algorithm", values="r2_test").dropna()
    return palio.read_scores(wide.reset_index(), score="r2")


def _amlb() -> ScoreTable:
    frame = pd.read_csv(shared_file("results/amlb/all_results_1h.csv"))
    wide = frame.pivot_table(index="task", columns="framework", values="imp_score").dropna()
    return palio.read_scores(
        wide.reset_index(names="dataset"), score="score", higher_is_better=True
    )


def _mteb() -> ScoreTable:
    board = pd.read_csv(shared_file("results/mteb/board.csv")).drop(columns="Average")
    wide = board.set_index("model").T.rename_axis("dataset").reset_index()
    return palio.read_scores(wide, score="main_score")


def _time_series() -> ScoreTable:
    folder = shared_file("results/tsml")
    means = {
        path.name.removesuffix("_accuracy.csv"): pd.read_csv(path, index_col=0).mean(axis=1)
        for path in sorted(folder.glob("*_accuracy.csv"))
    }
    wide = pd.DataFrame(means).dropna().rename_axis("dataset").reset_index()
    return palio.read_scores(wide, score="accuracy")


def _cd_diagram() -> ScoreTable:
    frame = pd.read_csv(shared_file("results/cd_diagram/example.csv"))
    return palio.read_scores(frame, algorithm="classifier_name", dataset="dataset_name")


def _mcm() -> ScoreTable:
    frame = pd.read_csv(shared_file("results/mcm/results_example.csv"))
    frame.insert(0, "dataset", [f"d{i}" for i in range(len(frame))])
    return palio.read_scores(frame, score="accuracy")


PUBLISHED = [_srbench, _amlb, _mteb, _time_series, _cd_diagram, _mcm]


def agree(ordering: Ordering, table: ScoreTable) -> None:
    """Check that nobody stands before one that is significantly better, and that all say so."""
    comparison = palio.compare(table)
    circles = {step.taken for step in ordering.steps if step.circle}
    for pair in comparison.pairs:
        if pair.winner is not None and pair.worse not in circles:
            assert ordering.ranks[pair.winner] < ordering.ranks[str(pair.worse)]
    unbeaten = comparison.unbeaten or ()
    assert ordering.unbeaten == unbeaten
    best = palio.analyse(table, checks=[]).verdict.best
    assert best == ordering.verdict.best == comparison.verdict.best
    assert comparison.leader == next(
        (name for name in unbeaten if name not in comparison.not_comparable), None
    )
    others = [name for name in unbeaten[1:] if name not in comparison.not_comparable]
    if others and comparison.n_different:
        few = " and ".join(others) if len(others) <= 2 else f"{len(others)} others"
        assert best.startswith(f"{comparison.leader} leads ")
        assert f"; {few} may be as good; " in best


@pytest.mark.parametrize("read", PUBLISHED, ids=lambda read: read.__name__.strip("_"))
def test_published_tables(read: Callable[[], ScoreTable]) -> None:
    table = read()
    agree(palio.order(table), table)


@pytest.mark.parametrize("study", ["ulas2008", "replication2026", "benavoli2016"])
def test_studies(study: str) -> None:
    table = palio.load_study(study)
    for cost in (None, *table.cost_names[:2]):
        agree(palio.order(table, cost=cost), table)


def test_tpot_is_better_than_autoweka() -> None:
    """31 wins to 4 by the AutoML benchmark's own scores, failures imputed by the constant."""
    ordering = palio.order(_amlb())
    assert ordering.ranks["tpot"] < ordering.ranks["autoweka"]
