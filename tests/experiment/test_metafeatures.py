"""Meta-features: worked by hand on a few rows, and landmarks against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import (  # type: ignore[import-untyped]
    LinearDiscriminantAnalysis,
)
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

from palio.errors import UnknownNameError
from palio.experiment.data import metafeatures
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.data.metafeatures import METAFEATURES, describe
from palio.experiment.data.preprocessing import preprocessor
from palio.experiment.resampling import make_splits
from tests.experiment.toy import make_dataset


def toy() -> Dataset:
    """Four rows; the skewed column has mean 1, variance 3 and third moment 6."""
    return make_dataset(
        "toy",
        pd.DataFrame(
            {
                "a": [1.0, 2.0, 3.0, 4.0],
                "b": [-2.0, -4.0, -6.0, -8.0],
                "hue": ["red", "blue", None, "red"],
                "same": [7.0, 7.0, 7.0, 7.0],
                "y": ["p", "p", "p", "q"],
            }
        ),
        task="classification",
    )


def test_shape_and_classes_by_hand() -> None:
    names = ["log_rows", "log_features", "categorical_share", "missing_share", "log_classes",
             "class_entropy", "majority_share", "mean_correlation"]  # fmt: skip
    found = describe(toy(), features=names)
    assert found["log_rows"] == pytest.approx(np.log(4))
    assert found["log_features"] == pytest.approx(np.log(4))
    assert found["categorical_share"] == 0.25
    assert found["missing_share"] == 1 / 16
    assert found["log_classes"] == pytest.approx(np.log(2))
    assert found["class_entropy"] == pytest.approx(0.811278, abs=1e-6)  # bits of 3:1
    assert found["majority_share"] == 0.75
    assert found["mean_correlation"] == pytest.approx(1.0)  # b = −2a; the constant has none


def test_skewness_by_hand() -> None:
    frame = pd.DataFrame({"x": [0.0, 0, 0, 4], "far": [9.0, 5, 9, 9], "y": [0.0, 0, 0, 4]})
    data = make_dataset("skew", frame, task="regression")
    found = describe(data, features=["mean_skewness", "target_skewness"])
    expected = np.log1p(6 / 3**1.5)
    assert found["mean_skewness"] == pytest.approx(expected)
    assert found["target_skewness"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("landmark_1nn", KNeighborsClassifier(n_neighbors=1)),
        ("landmark_lda", LinearDiscriminantAnalysis()),
    ],
)
def test_landmarks_are_cross_validated_scores(name: str, learner: object) -> None:
    (wine,) = load_datasets("sklearn:wine")
    folds = [(split.train, split.test) for split in make_splits(wine, "5-fold", seed=0)]
    model = make_pipeline(preprocessor(wine), learner)
    expected = cross_val_score(model, wine.X, wine.y, cv=folds).mean()
    assert describe(wine, features=[name])[name] == pytest.approx(expected)


def test_a_landmark_is_scored_on_rows_it_has_not_seen() -> None:
    """Guessing the commonest class of four rows in five: right on 50 of iris' 150, on its own."""
    (iris,) = load_datasets("sklearn:iris")
    guess = metafeatures._landmark("dummy:DummyClassifier", "dummy:DummyRegressor")
    assert guess(metafeatures.Subject(iris)) == pytest.approx(1 / 3)
    (diabetes,) = load_datasets("sklearn:diabetes")
    assert -0.1 < guess(metafeatures.Subject(diabetes)) < 0  # the mean of the others


def test_large_sets_are_sampled_and_small_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    (iris,) = load_datasets("sklearn:iris")
    whole = describe(iris, features=["landmark_1nn", "log_rows"])
    monkeypatch.setattr(metafeatures, "LANDMARK_ROWS", 30)
    part = describe(iris, features=["landmark_1nn", "log_rows"])
    assert part["log_rows"] == whole["log_rows"]  # the size is that of the data, not the sample
    assert part["landmark_1nn"] != whole["landmark_1nn"]
    assert part == describe(iris, features=["landmark_1nn", "log_rows"])


def test_what_applies_depends_on_the_task_and_the_target() -> None:
    (diabetes,) = load_datasets("sklearn:diabetes")
    found = describe(diabetes)
    assert "target_skewness" in found
    assert not {"log_classes", "landmark_nb"} & found.keys()
    assert all(np.isfinite(list(found.values())))
    blind = describe(diabetes, target=False)
    assert blind.keys() == {n for n, each in METAFEATURES.items() if not each.needs_target}


def test_what_cannot_be_told_is_nan() -> None:
    found = describe(toy(), features=["landmark_lda", "mean_correlation"])
    assert np.isnan(found["landmark_lda"])  # four rows cannot be five folds
    (monks,) = load_datasets("monks-1")
    assert np.isnan(describe(monks, features=["mean_correlation"])["mean_correlation"])


def test_unknown_names_are_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'landmark_lda'"):
        describe(toy(), features=["landmark_ldaa"])
