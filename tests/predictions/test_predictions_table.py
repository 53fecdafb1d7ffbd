"""What predictions can tell: of a class, of some algorithms, of one data set; and their faces."""

from __future__ import annotations

import numpy as np
import pytest

from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.predictions import Predictions, read_predictions


def two_datasets() -> Predictions:
    """Data set v has a class that u has not, and c only in its probabilities."""
    return read_predictions(
        {
            "dataset": ["u", "u", "u", "u", "v", "v", "v", "v"],
            "instance": [1, 1, 2, 2, 1, 1, 2, 2],
            "algorithm": ["tree", "knn"] * 4,
            "truth": ["a", "a", "b", "b", "d", "d", "b", "b"],
            "prediction": ["a", "b", "b", "b", "d", "b", "d", "b"],
            "p_a": [0.9, None, 0.2, None, 0.0, None, 0.0, None],
            "p_b": [0.1, None, 0.8, None, 0.3, None, 0.4, None],
            "p_c": [0.0, None, 0.0, None, 0.1, None, 0.0, None],
            "p_d": [0.0, None, 0.0, None, 0.6, None, 0.6, None],
        }
    )


def test_one_data_set_keeps_its_instances_and_the_classes_it_has() -> None:
    both = two_datasets()
    assert both.accuracies == {"tree": 0.75, "knn": 0.5}
    first, second = both.on("u"), both.on("v")
    assert first.classes == ("a", "b")
    assert first.accuracies == {"tree": 1.0, "knn": 0.5}
    assert first.keys == {"dataset": ("u", "u"), "instance": ("1", "2")}
    assert second.classes == ("b", "c", "d")  # c has a probability there
    assert second.accuracies == {"tree": 0.5, "knn": 0.5}
    assert [second.classes[code] for code in second.truth] == ["d", "b"]
    assert second.probability_of_truth()[:, 0].tolist() == [0.6, 0.4]


def test_a_data_set_must_be_there() -> None:
    with pytest.raises(UnknownNameError, match=r"dataset: 'w' .*There are: u, v\."):
        two_datasets().on("w")
    without = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
    with pytest.raises(ParameterError, match="no data set column"):
        without.on("u")


def test_scores_of_a_class_are_probabilities_or_else_the_predictions() -> None:
    scores = two_datasets().scores_of("b")
    assert scores[:, 0].tolist() == [0.1, 0.8, 0.3, 0.4]
    assert scores[:, 1].tolist() == [1.0, 1.0, 1.0, 1.0]  # knn gives none, and says b throughout
    hard = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
    assert hard.scores_of("0").tolist() == [[1.0, 0.0], [0.0, 0.0]]
    with pytest.raises(UnknownNameError, match="positive: 'z'"):
        hard.scores_of("z")


def test_who_gives_no_probabilities() -> None:
    assert two_datasets().without_probabilities == ("knn",)
    assert np.isnan(two_datasets().probability_of_truth()[:, 1]).all()
    hard = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
    assert hard.without_probabilities == ("a", "b")
    assert np.isnan(hard.probability_of_truth()).all()
    assert hard.probability_of_truth().shape == (2, 2)


def test_some_algorithms_in_the_order_given() -> None:
    chosen = two_datasets().select(["knn", "tree"])
    assert chosen.accuracies == {"knn": 0.5, "tree": 0.75}
    assert chosen.without_probabilities == ("knn",)
    assert chosen.correct[:, 0].tolist() == two_datasets().correct[:, 1].tolist()
    for wrong in ("tree", ["tree"], ["tree", "tree"], ["tree", "knn", "tree"]):
        with pytest.raises(ParameterError, match=r"different names are needed|given once"):
            two_datasets().select(wrong)
    with pytest.raises(UnknownNameError, match="algorithm: 'oak'"):
        two_datasets().select(["tree", "oak"])


def test_faces() -> None:
    both = two_datasets()
    assert repr(both) == (
        "<Predictions: 2 algorithms on 4 instances, 4 classes, 1 without probabilities>"
    )
    assert str(both).splitlines()[1:3] == ["classes: a, b, c, d", "algorithms: tree, knn"]
    again = read_predictions(both.to_frame())
    assert again.accuracies == both.accuracies
    np.testing.assert_array_equal(again.probabilities, both.probabilities)


def test_an_instance_is_named_with_the_data_set_it_is_of() -> None:
    frame = two_datasets().to_frame().drop(columns=["p_a", "p_b", "p_c", "p_d"])
    lacks = "1 is missing: 'knn' on dataset 'v', instance '1'"
    with pytest.raises(MissingCellsError, match=lacks):
        read_predictions(frame.drop(index=5))
