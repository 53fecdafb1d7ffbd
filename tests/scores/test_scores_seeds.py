"""Several random states on the same split: means in the table, and what each gave beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import DesignError, ParameterError

SEEDS = (7, 8, 9)


def columns(**more: list[Any]) -> dict[str, list[Any]]:
    """Return two algorithms on two data sets, two folds, three seeds: score 100 d + 10 a + …"""
    keys = [
        (d, a, fold, seed) for d in range(2) for a in range(2) for fold in (1, 2) for seed in SEEDS
    ]
    return {
        "dataset": [f"d{d}" for d, _, _, _ in keys],
        "algorithm": ["ab"[a] for _, a, _, _ in keys],
        "fold": [fold for _, _, fold, _ in keys],
        "seed": [seed for *_, seed in keys],
        "rmse": [100.0 * d + 10 * a + fold + seed / 100 for d, a, fold, seed in keys],
        **more,
    }


def test_scores_are_means_over_seeds_and_each_seed_is_kept() -> None:
    table = palio.read_scores(columns())
    assert table.n_seeds == 3
    assert table.rows.seeds == ("7", "8", "9")
    assert table.means().tolist() == pytest.approx(
        np.array([[1.58, 11.58], [101.58, 111.58]]), abs=1e-12
    )
    first = table.seed_scores()[0]
    assert first.tolist() == [1.07, 1.08, 1.09]
    assert np.allclose(table.seed_scores().mean(axis=1), table.rows.scores["rmse"])
    assert str(table.design()) == "2-fold cv"


def test_without_seeds_there_is_one() -> None:
    table = palio.load_study("ulas2008")
    assert table.n_seeds == 1
    assert table.seed_scores().shape == (len(table.rows), 1)


def test_a_choice_keeps_the_seeds_of_what_it_keeps() -> None:
    table = palio.read_scores(columns()).select(["d1"], ["b", "a"])
    assert table.seed_scores()[:, 0].tolist() == [111.07, 112.07, 101.07, 102.07]


def test_a_seed_that_is_missing_makes_its_mean_missing_and_no_other() -> None:
    scores: list[Any] = columns()["rmse"]
    scores[1] = None
    table = palio.read_scores(columns(rmse=scores))
    assert np.isnan(table.means()).tolist() == [[True, False], [False, False]]
    assert np.isnan(table.seed_scores()).sum() == 1
    filled = palio.read_scores(columns(rmse=scores), missing="worst")
    frame = filled.to_frame()
    assert frame[frame["imputed"]]["rmse"].tolist() == [filled.rows.scores["rmse"][0]] * 3


def test_what_was_never_run_has_no_seeds() -> None:
    given = {name: values[:-6] for name, values in columns().items()}
    table = palio.read_scores(given)
    rows = table.rows
    gone = (rows.dataset == 1) & (rows.algorithm == 1)
    assert gone.sum() == 0 or np.isnan(table.seed_scores()[gone]).all()
    assert np.isnan(table.means()).sum() == 1


def test_turned_scores_are_turned_by_seed_too() -> None:
    given = columns()
    measure = ["accuracy" if d == "d0" else "rmse" for d in given["dataset"]]
    scores = [
        s / 200 if m == "accuracy" else s for s, m in zip(given["rmse"], measure, strict=True)
    ]
    given = {**{k: v for k, v in given.items() if k != "rmse"}, "score": scores, "metric": measure}
    table = palio.read_scores(given)
    assert table.measure.is_mixed
    assert np.allclose(table.seed_scores().mean(axis=1), table.rows.scores["score"])


def test_a_table_written_and_read_again_has_its_seeds(tmp_path: Path) -> None:
    table = palio.read_scores(columns())
    table.to_frame().to_csv(tmp_path / "again.csv", index=False)
    again = palio.read_scores(tmp_path / "again.csv")
    assert again.rows.seeds == table.rows.seeds
    assert np.array_equal(again.seed_scores(), table.seed_scores())


def test_seeds_are_no_data_sets() -> None:
    given = {name: values for name, values in columns().items() if name != "dataset"}
    with pytest.raises(ParameterError, match="random states, and these are no data sets"):
        palio.read_scores(given, dataset="seed")


def test_seeds_are_no_folds() -> None:
    given = columns()
    one = {name: values[:12:2] for name, values in given.items() if name != "fold"}
    one["dataset"], one["seed"] = ["d0"] * 6, [1, 2, 3] * 2
    one["algorithm"] = ["a"] * 3 + ["b"] * 3
    with pytest.raises(DesignError, match="mean over 3 seeds, which are no folds"):
        palio.compare(palio.read_scores(one))
