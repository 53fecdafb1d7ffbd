"""A notebook from its first cell to its last: frames in, answers, figures and tables out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.errors import ParameterError, UndecidedError, UnknownNameError
from palio.report.figures import FIGURES, available, draw

MEANS = {"tree": 0.80, "knn": 0.70, "svm": 0.90}
N = 12


@pytest.fixture
def wide() -> pd.DataFrame:
    """A frame as pivot makes it: the data sets are its index."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({name: m + 0.01 * rng.standard_normal(N) for name, m in MEANS.items()})
    frame.index = pd.Index([f"set {i}" for i in range(N)], name="dataset")
    return frame


@pytest.fixture
def long(wide: pd.DataFrame) -> pd.DataFrame:
    """The same, one row per score."""
    return wide.reset_index().melt("dataset", var_name="algorithm", value_name="accuracy")


def test_a_session(long: pd.DataFrame) -> None:
    found = palio.compare(long)
    best, evidence = found.summary().splitlines()
    assert best == found.verdict.best
    assert best.startswith("svm leads 3 algorithms over 12 data sets; ")
    assert (found.leader, found.sureness) == ("svm", "firm")
    assert found.verdict.sure.endswith(evidence)
    assert evidence.startswith("3 of 3 pairs differ significantly on 12 data sets by accuracy")
    p: Any = found.p_values()
    assert list(p.index) == list(p.columns) == list(found.algorithms)
    assert p.loc["svm", "knn"] == p.loc["knn", "svm"] == found.pair("svm", "knn").p_adjusted
    assert np.diag(p).tolist() == [1.0, 1.0, 1.0]
    assert (p < 0.05).sum().sum() == 2 * found.n_different
    raw: Any = found.p_values(adjusted=False)
    assert raw.loc["svm", "knn"] == found.pair("svm", "knn").p_value < p.loc["svm", "knn"]
    assert {text.get_text() for text in found.plot().axes[0].texts} >= set(MEANS)
    assert found.plot("p-values").axes[0].texts
    assert r"\begin{table}" in found.to_latex()
    assert "| svm |" in found.to_markdown().replace("*", "")
    ordered = palio.order(long)
    assert ordered.summary().startswith(best)
    assert ordered.p_values().loc["svm", "tree"] == p.loc["svm", "tree"]


def test_every_make_of_frame_gives_the_same(long: pd.DataFrame, wide: pd.DataFrame) -> None:
    polars = pytest.importorskip("polars")
    expected = palio.compare(long).p_values()
    columns = {str(name): long[name].tolist() for name in long}
    frames: list[Any] = [polars.DataFrame(columns), polars.LazyFrame(columns), columns]
    for frame in frames:
        pd.testing.assert_frame_equal(palio.compare(frame).p_values(), expected)
    table = palio.read_scores(wide, score="accuracy")
    pd.testing.assert_frame_equal(palio.compare(table).p_values(), expected)
    assert table.datasets[:2] == ("set 0", "set 1")
    with pytest.raises(UndecidedError, match="higher_is_better=True; or higher_is_better=False"):
        palio.compare(wide)
    assert palio.compare(wide, score="accuracy").p_values().equals(expected)
    lower = palio.read_scores(1 - wide, score="error")
    pd.testing.assert_frame_equal(palio.compare(lower).p_values(), expected)


def test_a_frame_without_names_of_its_index_is_read_too(wide: pd.DataFrame) -> None:
    table = palio.read_scores(wide.rename_axis(None), score="accuracy")
    assert table.datasets == tuple(wide.index)


def test_with_a_control_other_pairs_are_missing(long: pd.DataFrame) -> None:
    p: Any = palio.compare(long, control="svm").p_values()
    assert p.isna().to_numpy().sum() == 2
    assert np.isnan(p.loc["tree", "knn"])
    assert not p.loc["svm"].isna().any()


def test_gaps_are_compared_pair_by_pair(long: pd.DataFrame) -> None:
    gappy = palio.read_scores(long[1:], missing="pairwise")
    p: Any = palio.compare(gappy).p_values()
    assert p.notna().to_numpy().all()
    assert p.loc["svm", "knn"] == palio.compare(gappy).pair("svm", "knn").p_adjusted


def test_results_without_tests_of_pairs_have_no_p_values(long: pd.DataFrame) -> None:
    assert not hasattr(palio.rank(long), "p_values")
    predictions = palio.read_predictions(
        {"instance": [1, 2, 3, 4] * 2, "algorithm": ["a"] * 4 + ["b"] * 4,
         "truth": list("xyxy") * 2, "prediction": list("xyyyxyxx")}
    )  # fmt: skip
    assert palio.compare_predictions(predictions).p_values().shape == (2, 2)
    with pytest.raises(ParameterError, match="no test of pairs"):
        palio.compare_predictions(predictions, test="cochran").p_values()


def test_figures_by_name_and_by_kind(long: pd.DataFrame) -> None:
    found = palio.compare(long)
    for name in available(found):
        assert found.plot(name).axes
    with pytest.raises(UnknownNameError, match="critical-difference"):
        found.plot("boxes")
    with pytest.raises(ParameterError, match="of this there are critical-difference, comparison-"):
        found.plot("variance-shares")
    with pytest.raises(ParameterError, match="none can be drawn from this ranking"):
        palio.rank(long).plot()
    assert palio.draw is draw
    assert FIGURES["multitest-graph"].name in available(palio.order(long))


def test_a_notebook_shows_a_figure_without_pyplot(long: pd.DataFrame) -> None:
    shown = palio.compare(long).plot()._repr_png_()  # type: ignore[attr-defined]
    assert shown.startswith(b"\x89PNG")


def test_summaries_begin_as_the_text_does(long: pd.DataFrame) -> None:
    for result in (palio.rank(long), palio.rank_stability(long, n_resamples=20)):
        title, how = result.summary().splitlines()
        assert " ".join(str(result).split()).startswith(f"{title} {how}")
    ordered = palio.order(long.assign(train_time=[1.0, 2.0, 3.0] * N), cost="train_time")
    assert len(ordered.summary().splitlines()) == 3
