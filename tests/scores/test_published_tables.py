"""Tables that others published, beside the checkout, against what pandas makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from palio.scores import read_scores
from tests.shared import shared_file


def test_a_leaderboard_of_embeddings() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(shared_file("results/mteb/board.csv"), index_col="model")
    table = read_scores(shared_file("results/mteb/board.csv"), score="main_score")
    assert (table.n_algorithms, table.n_datasets) == (20, 24)
    assert np.array_equal(table.means(), frame.drop(columns="Average").T.to_numpy())
    assert table.algorithms == tuple(frame.index)


def test_an_example_of_critical_differences() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(shared_file("results/cd_diagram/example.csv"))
    wide = frame.pivot(index="dataset_name", columns="classifier_name", values="accuracy")
    table = read_scores(shared_file("results/cd_diagram/example.csv"))
    expected = wide.loc[list(table.datasets), list(table.algorithms)].to_numpy()
    assert np.array_equal(table.means(), expected)
    assert expected.shape == (15, 5)


def test_rows_without_names() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(shared_file("results/mcm/results_example.csv"))
    table = read_scores(shared_file("results/mcm/results_example.csv"), score="accuracy")
    assert table.means() == pytest.approx(frame.to_numpy())
    assert table.datasets == tuple(str(number) for number in range(1, 129))


def test_regression_problems_by_one_of_their_measures() -> None:
    pd = pytest.importorskip("pandas")
    path = shared_file("results/srbench/blackbox_results.csv")
    frame = pd.read_csv(path)
    table = read_scores(path, score="rmse_test", missing="pairwise")
    wide = frame.pivot(index="dataset", columns="algorithm", values="rmse_test")
    expected = wide.loc[list(table.datasets), list(table.algorithms)].to_numpy()
    assert (table.n_algorithms, table.n_datasets) == (21, 122)
    assert table.means() == pytest.approx(expected, nan_ok=True)
    assert not table.measure.higher_is_better
