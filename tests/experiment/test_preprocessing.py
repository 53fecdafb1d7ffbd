"""The standard preparation, fitted inside the fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.algorithms.c45 import C45Classifier
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.data.preprocessing import preprocessor, takes_raw
from tests.experiment.toy import make_dataset


def _mixed() -> Dataset:
    frame = pd.DataFrame(
        {
            "size": [1.0, 3.0, None, 5.0, 100.0, None],
            "hue": ["red", "blue", "red", None, "green", None],
            "label": ["a", "b", "a", "b", "a", "b"],
        }
    )
    return make_dataset("mixed", frame)


def test_by_hand() -> None:
    data = _mixed()
    train, test = data.X[:4], data.X[4:]
    fitted = preprocessor(data).fit(train)
    # The median of 1, 3, 5 is 3, so the training column is 1, 3, 3, 5: mean 3, variance 2.
    # The most frequent hue is red, so the coded columns are blue and red.
    root = np.sqrt(2)
    np.testing.assert_allclose(
        fitted.transform(train),
        [[-2 / root, 0, 1], [0, 1, 0], [0, 0, 1], [2 / root, 0, 1]],
    )
    # 100 is scaled by the training part alone, green is unknown there, and gaps are filled.
    np.testing.assert_allclose(fitted.transform(test), [[97 / root, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize("spec", ["sklearn:iris", "monks-1", "balance-scale"])
def test_the_result_is_dense_finite_floats(spec: str) -> None:
    (data,) = load_datasets(spec)
    made = preprocessor(data).fit_transform(data.X)
    assert isinstance(made, np.ndarray)
    assert made.dtype == np.float64
    assert np.isfinite(made).all()


def test_complete_numeric_data_are_scaled() -> None:
    (data,) = load_datasets("sklearn:wine")
    made = preprocessor(data).fit_transform(data.X)
    np.testing.assert_allclose(made.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(made.std(axis=0), 1)


def test_leaving_steps_away_changes_no_number() -> None:
    (data,) = load_datasets("sklearn:iris")
    whole = make_dataset("more", data.X.assign(gap=np.nan, word="w", y=data.y))
    plain = preprocessor(data).fit_transform(data.X)
    full = preprocessor(whole).fit_transform(whole.X)
    np.testing.assert_array_equal(full[:, : plain.shape[1]], plain)


def test_a_column_that_is_empty_in_the_training_part_stays() -> None:
    frame = pd.DataFrame(
        {
            "number": [None, None, 1.0, 2.0],
            "word": [None, None, "x", "y"],
            "other": [1.0, 2.0, 3.0, 4.0],
            "label": ["a", "b", "a", "b"],
        }
    )
    data = make_dataset("gaps", frame)
    fitted = preprocessor(data).fit(data.X[:2])
    made = fitted.transform(data.X)
    assert made.shape == (4, 3)
    assert np.isfinite(made).all()


def test_constant_columns_and_text_only() -> None:
    data = make_dataset("toy", pd.DataFrame({"c": [7, 7, 7], "t": list("xyx"), "y": [0, 1, 0]}))
    np.testing.assert_array_equal(
        preprocessor(data).fit_transform(data.X), [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    )
    words = make_dataset("words", pd.DataFrame({"t": list("xyx"), "y": [0, 1, 0]}))
    assert preprocessor(words).fit_transform(words.X).shape == (3, 2)


def test_raw_columns_are_filled_and_no_more() -> None:
    data = _mixed()
    train, test = data.X[:4], data.X[4:]
    fitted = preprocessor(data, raw=True).fit(train)
    found = fitted.transform(train)
    assert found["size"].tolist() == [1, 3, 3, 5]
    assert found["hue"].tolist() == ["red", "blue", "red", "red"]
    assert isinstance(found["hue"].dtype, pd.CategoricalDtype)
    found = fitted.transform(test)
    assert found["size"].tolist() == [100, 3]
    # A value that the training part lacks is still a value.
    assert found["hue"].tolist() == ["green", "red"]
    # A column that is all missing there becomes one value.
    gaps = preprocessor(data, raw=True).fit_transform(data.X.iloc[[3, 5]])
    assert gaps["hue"].tolist() == [0, 0]


def test_raw_and_complete_columns_are_as_they_were() -> None:
    (data,) = load_datasets("monks-1")
    found = preprocessor(data, raw=True).fit_transform(data.X)
    pd.testing.assert_frame_equal(found, data.X, check_dtype=False, check_categorical=False)
    assert {str(kind) for kind in found.dtypes} == {"category"}


def test_who_takes_raw_columns() -> None:
    assert takes_raw(C45Classifier())
    assert takes_raw(GridSearchCV(C45Classifier(), {"max_depth": [1]}))
    assert not takes_raw(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}))
    assert not takes_raw(BaggingClassifier(C45Classifier()))  # it makes an array of a frame
