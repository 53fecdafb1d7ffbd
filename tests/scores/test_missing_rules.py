"""What is done about missing scores: each rule on a table one can work by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.scores.missing import MISSING, rule_of

NAN = np.nan
# Lower is better; b failed on y, c was never run on z.
ROWS: dict[str, list[Any]] = {
    "dataset": ["x", "x", "x", "y", "y", "y", "z", "z"],
    "algorithm": ["a", "b", "c", "a", "b", "c", "a", "b"],
    "error": [0.1, 0.2, 0.3, 0.4, NAN, 0.2, 0.5, 0.6],
    "status": ["ok", "ok", "ok", "ok", "timeout", "ok", "ok", "ok"],
}


def means(missing: str, **more: Any) -> dict[str, list[float]]:
    table = palio.read_scores(ROWS, missing=missing, **more)
    values = np.where(np.isnan(table.means()), -1, table.means())
    return dict(zip(table.datasets, values.tolist(), strict=True))


def test_the_default_keeps_gaps_apart_by_reason() -> None:
    table = palio.read_scores(ROWS)
    assert table.missing == "pairwise"
    assert means("pairwise") == {"x": [0.1, 0.2, 0.3], "y": [0.4, -1, 0.2], "z": [0.5, 0.6, -1]}
    assert table.failed().tolist() == [[False] * 3, [False, True, False], [False] * 3]
    assert table.reasons(table.failed()) == ["timeout"]
    assert not table.imputed_cells().any()


@pytest.mark.parametrize(
    ("missing", "y", "z"),
    [
        ("worst", [0.4, 0.4, 0.2], [0.5, 0.6, 0.6]),
        ("baseline=a", [0.4, 0.4, 0.2], [0.5, 0.6, 0.5]),
        ("value=1", [0.4, 1.0, 0.2], [0.5, 0.6, 1.0]),
        ("par10", [0.4, 6.0, 0.2], [0.5, 0.6, 6.0]),
        ("par10=2", [0.4, 20.0, 0.2], [0.5, 0.6, 20.0]),
    ],
)
def test_rules_that_fill_in(missing: str, y: list[float], z: list[float]) -> None:
    assert means(missing) == {"x": [0.1, 0.2, 0.3], "y": y, "z": z}
    assert MISSING[missing.partition("=")[0]].fills
    table = palio.read_scores(ROWS, missing=missing)
    assert table.imputed_cells().sum() == 2
    frame = table.to_frame()
    assert frame.imputed.sum() == 2
    assert set(frame[frame.imputed].algorithm) == {"b", "c"}


def test_rules_that_leave_out() -> None:
    assert means("drop-datasets") == {"x": [0.1, 0.2, 0.3]}
    with pytest.raises(MissingCellsError, match="every algorithm that has gaps fewer than 2"):
        means("drop-algorithms")
    wide = {"dataset": list("xy"), "a": [1, 2], "b": [3, 4], "c": [5, NAN]}
    table = palio.read_scores(wide, score="error", missing="drop-algorithms")
    assert table.algorithms == ("a", "b")
    assert "left out 1 algorithm: c" in " ".join(table.notes)


def test_refusing() -> None:
    with pytest.raises(MissingCellsError, match=r"2 scores .* missing='worst'"):
        means("error")


def test_worst_where_nobody_has_a_score() -> None:
    wide = {"dataset": list("xyz"), "a": [0.9, 0.4, NAN], "b": [0.8, 0.7, NAN]}
    table = palio.read_scores(wide, score="accuracy", missing="worst")
    assert table.means()[2].tolist() == [0.4, 0.4]
    assert "or in the table where nobody has one" in " ".join(table.notes)


def test_a_baseline_of_the_same_fold() -> None:
    rows = {
        "dataset": ["x"] * 6,
        "algorithm": list("aabbcc"),
        "fold": [1, 2] * 3,
        "accuracy": [0.5, 0.7, 0.9, NAN, 0.8, 0.8],
    }
    table = palio.read_scores(rows, missing="baseline=a")
    assert table.fold_scores("x")[1].tolist() == [[0.9, 0.7]]


@pytest.mark.parametrize(
    ("missing", "error", "says"),
    [
        ("baseline", ParameterError, "takes the name of an algorithm"),
        ("baseline=d", UnknownNameError, "'d' is not known"),
        ("value=much", ParameterError, "takes a finite number"),
        ("worst=3", ParameterError, "takes no value"),
        ("wrost", UnknownNameError, "Did you mean 'worst'"),
    ],
)
def test_wrong_rules(missing: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        means(missing)


def test_par10_is_for_times() -> None:
    with pytest.raises(ParameterError, match="'par10' is for run times"):
        palio.read_scores(
            {"dataset": list("xy"), "a": [1, 2], "b": [3, NAN]}, score="accuracy", missing="par10"
        )


def test_a_rule_and_its_value() -> None:
    assert [rule_of(text)[1] for text in ("value= 3", "par10", "baseline=a=b")] == [
        "3",
        "",
        "a=b",
    ]


def test_a_failure_covers_all_folds_of_its_data_set() -> None:
    rows: dict[str, list[Any]] = {
        "dataset": ["x"] * 7,
        "algorithm": list("aabbcca"),
        "fold": [1, 2, 1, 2, 1, 2, 3],
        "accuracy": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3],
        "status": ["ok"] * 7,
    }
    rows["dataset"] += ["y"] * 5
    rows["algorithm"] += list("aabbc")
    rows["fold"] += [1, 2, 1, 2, 1]
    rows["accuracy"] += [0.9, 0.8, 0.7, 0.6, NAN]
    rows["status"] += ["ok"] * 4 + ["memory"]
    table = palio.read_scores(rows)
    assert table.failed().tolist() == [[False] * 3, [False, False, True]]
    frame = table.to_frame()
    failed = frame[(frame.dataset == "y") & (frame.algorithm == "c")]
    assert failed.fold.tolist() == [1, 2]
    assert set(failed.status) == {"memory"}
    filled = palio.read_scores(rows, missing="worst")
    assert filled.fold_scores("y")[2].tolist() == [[0.7, 0.6]]


def failing(n_failed: int, n: int = 6) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {
        name: [] for name in ("dataset", "algorithm", "accuracy", "status")
    }
    for dataset in range(n):
        for algorithm, score in (("a", 0.9), ("b", 0.8), ("bad", 0.7)):
            failed = algorithm == "bad" and dataset < n_failed
            cells = (
                f"d{dataset}",
                algorithm,
                NAN if failed else score,
                "timeout" if failed else "ok",
            )
            for name, value in zip(rows, cells, strict=True):
                rows[name].append(value)
    return rows


def test_who_fails_on_most_data_sets_is_left_out() -> None:
    table = palio.read_scores(failing(4))
    assert table.algorithms == ("a", "b")
    assert table.left_out == (("bad", "failed on 4 of 6 data sets (4 timeout)"),)
    for asked in ({"keep_failing": True}, {"missing": "worst"}):
        kept = palio.read_scores(failing(4), **asked)
        assert kept.algorithms == ("a", "b", "bad")
    assert palio.read_scores(failing(3)).left_out == ()


def test_who_was_hardly_run_is_kept() -> None:
    rows = failing(0)
    keep = [i for i, name in enumerate(rows["algorithm"]) if name != "bad" or i == 2]
    table = palio.read_scores({name: [values[i] for i in keep] for name, values in rows.items()})
    assert table.algorithms == ("a", "b", "bad")


def test_nobody_is_left_out_if_fewer_than_two_remain() -> None:
    rows = failing(4)
    rows["status"] = ["timeout" if name != "a" else "ok" for name in rows["algorithm"]]
    rows["accuracy"] = [0.9 if name == "a" else NAN for name in rows["algorithm"]]
    table = palio.read_scores(rows)
    assert table.algorithms == ("a", "b", "bad")
    assert table.left_out == ()
