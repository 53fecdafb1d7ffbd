"""Several algorithms on the folds of one data set, worked by hand."""

import numpy as np
import pytest

import palio
from palio.comparison import GROUP_TESTS
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.scores import ScoreTable

# ±0.1 on ten folds: MSE = 10/9 · 0.01, standard error of a mean 0.0333.
WIGGLE = np.tile([0.1, -0.1], (5, 1))


def table_of(means: dict[str, float], measure: str = "accuracy") -> ScoreTable:
    folds = np.array(list(means.values()))[:, np.newaxis, np.newaxis] + WIGGLE
    return ScoreTable.from_arrays(
        folds[np.newaxis], datasets=["d"], algorithms=list(means), measure=measure
    )


def test_best_first_whichever_way_is_better() -> None:
    means = {"a": 0.5, "b": 0.9, "c": 0.7}
    up = palio.compare_folds(table_of(means))
    down = palio.compare_folds(table_of(means, "error"))
    assert list(up.means) == ["b", "c", "a"]
    assert list(down.means) == ["a", "c", "b"]
    assert up.means["b"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("test", "underlines"),
    [
        # Three means, 27 df: two are accepted up to 2.90 · 0.0333 = 0.097 by Newman–Keuls and
        # Duncan, up to 3.51 · 0.0333 = 0.117 by Tukey, who asks the range of three of any two.
        ("newman-keuls", (("c", "b"),)),
        ("duncan", (("c", "b"),)),
        ("tukey", (("c", "b"), ("b", "a"))),
    ],
)
def test_underlines(test: str, underlines: tuple[tuple[str, ...], ...]) -> None:
    table = table_of({"a": 0.50, "b": 0.61, "c": 0.69})
    assert palio.compare_folds(table, test=test).underlines == underlines


def test_anova_by_hand() -> None:
    """Means 0.5, 0.6, 0.7: MST = 10 · 0.01 = 0.1, MSE = 0.1/9, f = 9 on 2 and 27 df."""
    result = palio.compare_folds(table_of({"a": 0.5, "b": 0.6, "c": 0.7}), test="anova")
    assert result.statistic == pytest.approx(9)
    assert result.df == (2.0, 27.0)
    assert result.p_value == pytest.approx(0.001, abs=5e-5)
    assert "some differ, p = " in str(result)
    assert "(anova on d)" in str(result)


def test_bars_stand_beside_the_algorithms_they_join() -> None:
    text = str(palio.compare_folds(table_of({"a": 0.50, "b": 0.61, "c": 0.69}), test="tukey"))
    lines = {line.split()[0]: line for line in text.splitlines() if line[:1] in "abc" and line}
    assert [lines[name].count("│") for name in "cba"] == [1, 2, 1]


def test_frame_and_repr() -> None:
    result = palio.compare_folds(table_of({"a": 0.5, "b": 0.61, "c": 0.69}))
    assert result.to_frame()["underline_1"].tolist() == [True, True, False]
    assert repr(result) == "<FoldComparison: newman-keuls on d, underlined: c b>"
    alone = palio.compare_folds(table_of({"a": 0.1, "b": 0.9}))
    assert repr(alone) == "<FoldComparison: newman-keuls on d, underlined: none>"
    assert "all differ" in str(alone)


@pytest.mark.parametrize("test", list(GROUP_TESTS))
def test_no_variance_is_noted(test: str) -> None:
    flat = np.array([0.1, 0.2])[np.newaxis, :, np.newaxis, np.newaxis] * np.ones((1, 2, 5, 2))
    table = ScoreTable.from_arrays(flat, datasets=["d"], algorithms=["a", "b"], measure="error")
    result = palio.compare_folds(table, test=test)
    if test != "kruskal-wallis":  # ranks always vary
        assert "no variance between folds" in result.notes
        assert result.underlines == () or result.p_value == 0


def test_bad_questions() -> None:
    table = table_of({"a": 0.5, "b": 0.6})
    with pytest.raises(UnknownNameError, match="Did you mean 'tukey'"):
        palio.compare_folds(table, test="tuckey")
    with pytest.raises(ParameterError, match="alpha"):
        palio.compare_folds(table, alpha=0)
    single = ScoreTable.from_arrays(
        [[0.1, 0.2]], datasets=["d"], algorithms=["a", "b"], measure="error"
    )
    with pytest.raises(DesignError, match="needs at least 2 folds, and data set 'd' has one value"):
        palio.compare_folds(single)
