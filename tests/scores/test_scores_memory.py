"""Tables that are in memory, as people hold them: each is the table, or one clear line."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from palio.errors import ColumnError, InputError, ParameterError
from palio.scores import read_scores

pl = pytest.importorskip("polars", reason="polars is not made for every Python")

DATASETS, ALGORITHMS = ("iris", "wine", "glass"), ("knn", "tree")
SCORES = np.array([[0.9, 0.8], [0.7, 0.75], [0.6, 0.5]])
WIDE = pd.DataFrame(SCORES, index=pd.Index(DATASETS, name="dataset"), columns=list(ALGORITHMS))
LONG = WIDE.reset_index().melt("dataset", var_name="algorithm", value_name="accuracy")
FOLDS = pd.concat([LONG.assign(fold=fold) for fold in (1, 2)])
NESTED: dict[Any, dict[Any, float]] = WIDE.to_dict()
FIELDS = [("dataset", "U9"), ("algorithm", "U9"), ("accuracy", float)]

SAY_WHAT_IT_IS: dict[str, Any] = {
    "long": LONG,
    "polars, lazy": pl.from_pandas(LONG).lazy(),
    "pyarrow": pa.table(LONG),
    "a batch of pyarrow": pa.RecordBatch.from_pydict(LONG.to_dict(orient="list")),
    "records": LONG.to_dict(orient="records"),
    "structured": np.array([tuple(row) for row in LONG.itertuples(index=False)], dtype=FIELDS),
    "a grouped mean": FOLDS.groupby(["dataset", "algorithm"], sort=False)["accuracy"].mean(),
    "a pivot table of measures": LONG.pivot_table(
        index="dataset", columns="algorithm", values=["accuracy"]
    ),
    "a pivot table turned": LONG.pivot_table(
        index="dataset", columns="algorithm", values=["accuracy"]
    ).swaplevel(axis=1),
    "a pivot with costs": LONG.assign(train_time=1.0).pivot(index="dataset", columns="algorithm"),
    "an open file": io.StringIO(LONG.to_csv(index=False)),
}
DO_NOT: dict[str, Any] = {
    "wide, named": WIDE,
    "wide, without a name": WIDE.rename_axis(None),
    "a leaderboard": WIDE.T.rename_axis("model"),
    "a pivot": LONG.pivot(index="dataset", columns="algorithm", values="accuracy"),
    "folds in rows": FOLDS.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy"),
    "folds in columns": FOLDS.pivot(
        index="dataset", columns=["algorithm", "fold"], values="accuracy"
    ),
    "stacked": WIDE.rename_axis(columns="algorithm").stack(),
    "stacked, without names": WIDE.rename_axis(None).stack(),
    "nested": NESTED,
    "nested, with folds": {
        name: {each: [score, score] for each, score in scores.items()}
        for name, scores in NESTED.items()
    },
    "series by name": {name: WIDE[name] for name in ALGORITHMS},
    "a dictionary of columns": {"dataset": list(DATASETS), **WIDE.to_dict(orient="list")},
}


def check(table: Any) -> None:
    assert set(table.datasets) == set(DATASETS)
    assert set(table.algorithms) == set(ALGORITHMS)
    rows = [table.datasets.index(name) for name in DATASETS]
    columns = [table.algorithms.index(name) for name in ALGORITHMS]
    np.testing.assert_array_equal(table.means()[np.ix_(rows, columns)], SCORES)


@pytest.mark.parametrize("name", SAY_WHAT_IT_IS)
def test_what_names_its_measure_is_read_as_it_is(name: str) -> None:
    check(read_scores(SAY_WHAT_IT_IS[name]))


@pytest.mark.parametrize("name", DO_NOT)
def test_what_does_not_is_read_with_the_measure(name: str) -> None:
    table = read_scores(DO_NOT[name], score="accuracy")
    check(table)
    assert ("fold" in str(table.design())) == ("folds" in name)


def test_gaps_in_nested_dictionaries_are_missing_cells() -> None:
    short = {"knn": {"iris": [0.9, 0.8], "wine": 0.7}, "tree": {"wine": [0.5, 0.6]}}
    frame = read_scores(short, score="accuracy", missing="pairwise").to_frame()
    found = frame.set_index(["dataset", "algorithm", "fold"])["accuracy"].dropna().to_dict()
    assert found == {
        ("iris", "knn", 1): 0.9,
        ("iris", "knn", 2): 0.8,
        ("wine", "knn", 1): 0.7,
        ("wine", "tree", 1): 0.5,
        ("wine", "tree", 2): 0.6,
    }


@pytest.mark.parametrize(
    ("source", "options", "error", "says"),
    [
        (SCORES, {}, ParameterError, "from_arrays"),
        (SCORES.tolist(), {}, ParameterError, "got list"),
        ({1, 2}, {}, ParameterError, "got set"),
        ({"knn": 0.9, "tree": 0.8}, {}, ColumnError, "'knn' of the table: must be a list"),
        ({"knn": LONG, "tree": LONG}, {}, ColumnError, "'knn' of the table: must be a list"),
        ({"knn": WIDE["knn"], "tree": [1]}, {}, ColumnError, "is no table: array length 1"),
        (pd.Series([1.0, 2.0]), {"score": "acc"}, ColumnError, "no column .* name algorithms"),
        (pd.concat([WIDE.stack()] * 2), {}, ColumnError, "is no table: .*duplicate"),
        (LONG.assign(accuracy=1j), {}, ColumnError, "'accuracy' of the table: it holds complex"),
        (FOLDS.groupby("dataset").agg({"accuracy": ["mean"]}), {}, ColumnError, "2 levels"),
        (LONG, {"format": "csv"}, ParameterError, "it is for files, and 'DataFrame' was given"),
    ],
)
def test_what_is_no_table_is_one_line(
    source: Any, options: dict[str, Any], error: type[InputError], says: str
) -> None:
    with pytest.raises(error, match=says) as raised:
        read_scores(source, **options)
    assert "\n" not in str(raised.value)
