"""Tables of predictions: what is recognised, and what is refused in one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.errors import (
    CellError,
    ColumnError,
    InputError,
    MissingCellsError,
    ParameterError,
    UnknownNameError,
)
from palio.predictions import Predictions, read_predictions

pl = pytest.importorskip("polars", reason="polars is not made for every Python")

LONG: dict[str, list[Any]] = {
    "instance": [1, 1, 2, 2, 3, 3],
    "algorithm": ["tree", "knn"] * 3,
    "truth": ["no", "no", "yes", "yes", "yes", "yes"],
    "prediction": ["no", "yes", "yes", "yes", "no", "yes"],
    "p_no": [0.8, 0.4, 0.1, 0.2, 0.6, 0.3],
    "p_yes": [0.2, 0.6, 0.9, 0.8, 0.4, 0.7],
}
WIDE: dict[str, list[Any]] = {
    "instance": [1, 2, 3],
    "truth": ["no", "yes", "yes"],
    "tree": ["no", "yes", "no"],
    "knn": ["yes", "yes", "yes"],
}


def changed(table: dict[str, list[Any]], **columns: Any) -> dict[str, list[Any]]:
    """Return a table with other columns; ``None`` removes one."""
    both = {**table, **columns}
    return {name: values for name, values in both.items() if values is not None}


def same(one: Predictions, other: Predictions) -> bool:
    return (
        one.algorithms == other.algorithms
        and one.classes == other.classes
        and one.truth.tolist() == other.truth.tolist()
        and one.predicted.tolist() == other.predicted.tolist()
    )


def test_long() -> None:
    found = read_predictions(LONG)
    assert found.algorithms == ("tree", "knn")
    assert found.classes == ("no", "yes")
    assert found.truth.tolist() == [0, 1, 1]
    assert found.predicted.tolist() == [[0, 1], [1, 1], [0, 1]]
    assert found.accuracies == {"tree": pytest.approx(2 / 3), "knn": pytest.approx(2 / 3)}
    expected = np.array([[0.8, 0.4], [0.9, 0.8], [0.4, 0.7]])
    assert found.probability_of_truth().tolist() == expected.tolist()
    assert found.scores_of("no").tolist() == [[0.8, 0.4], [0.1, 0.2], [0.6, 0.3]]
    assert found.keys == {"instance": ("1", "2", "3")}


def test_wide_is_the_same() -> None:
    wide = read_predictions(WIDE)
    assert same(wide, read_predictions(LONG))
    assert wide.probabilities is None
    assert wide.without_probabilities == ("tree", "knn")
    assert wide.scores_of("yes").tolist() == [[0, 1], [1, 1], [0, 1]]
    assert np.isnan(wide.probability_of_truth()).all()


def test_rows_may_come_in_any_order() -> None:
    frame = pd.DataFrame(LONG)
    found = read_predictions(frame.iloc[[5, 0, 3, 1, 4, 2]])
    assert found.algorithms == ("knn", "tree")
    assert found.keys == {"instance": ("3", "1", "2")}
    assert found.select(["tree", "knn"]).predicted.tolist() == [[0, 1], [0, 1], [1, 1]]


def test_every_kind_of_source(tmp_path: Path) -> None:
    frame = pd.DataFrame(LONG)
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_json(tmp_path / "p.json", orient="records")
    reference = read_predictions(LONG)
    for source in (frame, pl.DataFrame(LONG), tmp_path / "p.csv", str(tmp_path / "p.json")):
        assert same(read_predictions(source), reference)


def test_there_and_back() -> None:
    found = read_predictions(LONG)
    again = read_predictions(found.to_frame())
    assert same(again, found)
    assert again.probabilities is not None
    assert found.probabilities is not None
    assert again.probabilities.tolist() == found.probabilities.tolist()


def test_other_names_for_columns_and_prefix() -> None:
    other = {
        "id": LONG["instance"],
        "model": LONG["algorithm"],
        "y_true": LONG["truth"],
        "y_pred": LONG["prediction"],
        "proba_no": LONG["p_no"],
        "proba_yes": LONG["p_yes"],
    }
    names: Any = {"instance": "id", "algorithm": "model", "truth": "y_true", "prediction": "y_pred"}
    found = read_predictions(other, **names)
    assert same(found, read_predictions(LONG))
    assert found.without_probabilities == ()


def test_an_instance_is_all_of_its_keys() -> None:
    table = changed(
        LONG,
        instance=[1, 1, 2, 2, 1, 1],
        fold=[1, 1, 1, 1, 2, 2],
        dataset=["d"] * 6,
        repeat=[1] * 6,
    )
    found = read_predictions(table)
    assert found.n == 3
    assert found.keys == {
        "dataset": ("d", "d", "d"),
        "repeat": ("1", "1", "1"),
        "fold": ("1", "1", "2"),
        "instance": ("1", "2", "1"),
    }
    assert found.notes == ()


def test_repeats_and_data_sets_are_noted() -> None:
    repeats = read_predictions(
        changed(LONG, instance=[1, 1, 1, 1, 2, 2], repeat=[1, 1, 2, 2, 1, 1])
    )
    assert any("not independent" in note for note in repeats.notes)
    sets = read_predictions(changed(LONG, dataset=["a", "a", "b", "b", "b", "b"]))
    assert any("2 data sets" in note for note in sets.notes)


def test_classes_are_the_same_however_written() -> None:
    found = read_predictions({"truth": [0, 1, 2], "a": [0.0, 1.0, 2.0], "b": ["0", "1", "10"]})
    assert found.classes == ("0", "1", "2", "10")
    assert found.accuracies == {"a": 1.0, "b": pytest.approx(2 / 3)}
    with_p = changed(
        LONG, truth=[0, 0, 1, 1, 1, 1], prediction=[0, 1, 1, 1, 0, 1], p_no=None, p_yes=None
    )
    found = read_predictions({**with_p, "p_0": LONG["p_no"], "P_1": LONG["p_yes"]})
    assert found.without_probabilities == ()


def test_rows_are_instances_without_a_column_of_them() -> None:
    found = read_predictions(changed(WIDE, instance=None))
    assert found.keys == {"instance": ("1", "2", "3")}
    assert any("each row is an instance" in note for note in found.notes)


def test_an_algorithm_may_give_no_probabilities() -> None:
    table = changed(
        LONG, p_no=[0.8, None, 0.1, None, 0.6, None], p_yes=[0.2, None, 0.9, None, 0.4, None]
    )
    found = read_predictions(table)
    assert found.without_probabilities == ("knn",)
    assert found.scores_of("yes")[:, 1].tolist() == [1, 1, 1]
    assert repr(found) == (
        "<Predictions: 2 algorithms on 3 instances, 2 classes, 1 without probabilities>"
    )


def test_from_arrays() -> None:
    found = Predictions.from_arrays(
        [0, 1, 1],
        {"truth": [0, 1, 0], "knn": np.array([1.0, 1.0, 1.0])},
        classes=[1, 0],
        probabilities={"knn": [[0.6, 0.4], [0.8, 0.2], [0.7, 0.3]]},
    )
    assert found.classes == ("0", "1")
    assert found.scores_of("1")[:, 1].tolist() == [0.6, 0.8, 0.7]
    assert found.accuracies == {"truth": pytest.approx(2 / 3), "knn": pytest.approx(2 / 3)}
    assert found.without_probabilities == ("truth",)
    assert palio.Predictions is Predictions


def test_frozen() -> None:
    found = read_predictions(LONG)
    with pytest.raises(ValueError, match="read-only"):
        found.truth[0] = 1
    with pytest.raises(AttributeError):
        found.classes = ()  # type: ignore[misc]
    assert "algorithms: tree, knn" in str(found)


@pytest.mark.parametrize(
    ("table", "error", "says"),
    [
        (changed(LONG, instance=[1, 1, 1, 2, 3, 3]), CellError, "'tree' on instance '1' (rows 0"),
        (
            {name: values[:-1] for name, values in LONG.items()},
            MissingCellsError,
            "of 6 predictions 1 is missing: 'knn' on instance '3'",
        ),
        (changed(LONG, truth=["no"] * 3 + ["yes"] * 3), CellError, "instance '2' has 'no', 'yes'"),
        (changed(LONG, algorithm=["tree"] * 6, instance=list(range(6))), ColumnError, "found 1"),
        (changed(WIDE, knn=None), ColumnError, "found 1 ('tree')"),
        (changed(WIDE, knn=None, tree=None), ColumnError, "found 0"),
        (changed(LONG, truth=None), ColumnError, "no column named 'truth'"),
        (changed(LONG, instance=None), ColumnError, "tells the test instances apart"),
        (changed(LONG, prediction=None), ColumnError, "holds the predicted classes"),
        (changed(LONG, algorithm=None), ColumnError, "names the algorithms"),
        (changed(LONG, prediction=["no", "", *["yes"] * 4]), CellError, "1 cell is empty"),
        (changed(LONG, truth=[None, *LONG["truth"][1:]]), CellError, "1 cell is empty"),
        (changed(LONG, algorithm=["", *LONG["algorithm"][1:]]), CellError, "1 cell is empty"),
        (changed(LONG, p_yes=[0.5, *LONG["p_yes"][1:]]), CellError, "sum to 1, but 1 row does not"),
        (changed(LONG, p_yes=[-0.2, *LONG["p_yes"][1:]]), CellError, "between 0 and 1"),
        (changed(LONG, p_yes=[None, *LONG["p_yes"][1:]]), MissingCellsError, "all of them or none"),
        (changed(LONG, p_yes=["good", *LONG["p_yes"][1:]]), CellError, "must hold numbers"),
        (changed(LONG, p_yes=None), ColumnError, "and none of 'yes'"),
        (changed(LONG, proba_no=LONG["p_no"]), ColumnError, "both hold the probability"),
        (
            changed(LONG, truth=[0.5, 0.5, 1.2, 1.2, 3, 3]),
            ColumnError,
            "by class, right or wrong, and it holds decimal numbers",
        ),
        (
            {"id": list(range(8)), "truth": list("abababab"), "x": ["b"] * 8, "y": ["a"] * 8},
            ColumnError,
            "give instance='id'",
        ),
        (
            {
                "truth": list("abab"), "x": list("aabb"), "y": ["a"] * 4,
                "p_a": [0.1, 0.2, 0.3, 0.4],
            },
            ColumnError,
            "read from a long table",
        ),
        (changed(WIDE, instance=[1, 1, 2]), CellError, "repeat an earlier one"),
        (pd.DataFrame(LONG).iloc[:0], CellError, "no rows"),
        ([1, 2], ParameterError, "must be the path of a file"),
        ("nowhere.csv", InputError, "there is no file"),
    ],
)  # fmt: skip
def test_refused(table: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        read_predictions(table)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_refused_columns() -> None:
    with pytest.raises(ColumnError, match="Did you mean 'truth'"):
        read_predictions(LONG, truth="trut")
    with pytest.raises(ParameterError, match="another one at once"):
        read_predictions(LONG, truth="truth", prediction="truth")
    with pytest.raises(UnknownNameError, match="Did you mean 'yes'"):
        read_predictions(LONG).scores_of("yess")
    with pytest.raises(UnknownNameError, match="Did you mean 'tree'"):
        read_predictions(LONG).select(["tre", "knn"])
    with pytest.raises(ParameterError, match="each name may be given once"):
        read_predictions(LONG).select(["tree", "tree"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"truth": [0, 1], "predictions": {"a": [0, 1], "b": [0]}}, "one class per instance"),
        ({"truth": [[0, 1]], "predictions": {"a": [0, 1]}}, "one class per instance"),
        (
            {
                "truth": [0, 1],
                "predictions": {"a": [0, 1], "b": [0, 1]},
                "probabilities": {"a": [[1, 0], [0, 1]]},
            },
            "classes: needed",
        ),
        (
            {
                "truth": [0, 1],
                "predictions": {"a": [0, 1], "b": [0, 1]},
                "probabilities": {"c": [[1, 0], [0, 1]]},
                "classes": [0, 1],
            },
            "of algorithms with predictions, and ['c'] was given",
        ),
        (
            {
                "truth": [0, 1],
                "predictions": {"a": [0, 1], "b": [0, 1]},
                "probabilities": {"a": [[1], [1]]},
                "classes": [0],
            },
            "and none of '1'",
        ),
        (
            {
                "truth": [0, 1],
                "predictions": {"a": [0, 1], "b": [0, 1]},
                "probabilities": {"a": [[1, 0]]},
                "classes": [0, 1],
            },
            "must have shape (2, 2)",
        ),
        ({"truth": [0, 1], "predictions": {"a": [0, 1]}}, "found 1 ('a')"),
    ],
)
def test_refused_arrays(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        Predictions.from_arrays(**arguments)
    assert says in str(caught.value)


def test_columns_of_predictions_are_never_passed_over() -> None:
    """Whoever names such a column reads predictions, also where scores are asked for."""
    renamed = {"id" if name == "instance" else name: cells for name, cells in LONG.items()}
    assert palio.read_scores(renamed, instance="id").means().tolist() == [[2 / 3, 2 / 3]]
    scores = {"dataset": ["u", "u"], "algorithm": ["a", "b"], "accuracy": [0.5, 0.6]}
    with pytest.raises(ColumnError, match="no column named 'truth'"):
        palio.read_scores(scores, instance="dataset")
