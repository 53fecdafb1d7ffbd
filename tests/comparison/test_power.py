"""How many data sets: against closed forms."""

import numpy as np
import pytest
from scipy.stats import binom, norm

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.scores import ScoreTable

FIVE = {"A": 0.0, "B": 1.5, "C": 5.0, "D": 6.0, "E": 7.0}


def test_sign_test_against_the_binomial() -> None:
    """B beats A with chance Φ(1.5/√2); of 20 data sets 15 wins are needed: 0.94 (benavoli2016)."""
    chance = norm.cdf(1.5 / np.sqrt(2))
    expected = binom.sf(14, 20, chance)
    assert expected == pytest.approx(0.94, abs=0.005)
    found = palio.power(
        FIVE, a="A", b="B", test="sign", correction=None, n_datasets=[20], trials=4000
    )
    assert found.chances[20] == pytest.approx(expected, abs=0.015)
    assert found.better == "B"


def test_mean_ranks_see_little_among_others() -> None:
    """Only 20 wins of 20 suffice: Φ(1.5/√2)²⁰ = 0.044; the paper's simulation gave 0.046."""
    found = palio.power(
        FIVE, a="A", b="B", test="mean-ranks", correction=None, n_datasets=[20], trials=4000
    )
    assert found.chances[20] == pytest.approx(0.045, abs=0.012)


def test_power_grows_until_the_target() -> None:
    found = palio.power({"a": 0, "b": 0.5}, a="a", b="b", test="paired-t", trials=300)
    sizes, chances = zip(*found.chances.items(), strict=True)
    assert found.needed == sizes[-1]
    assert chances[-1] >= 0.8 > chances[-2]
    assert "data sets are enough to tell a and b apart" in str(found)


def test_never_enough() -> None:
    found = palio.power({"a": 0, "b": 0.01}, a="a", b="b", n_datasets=[5, 6], trials=50)
    assert found.needed is None
    assert "6 data sets are not enough" in str(found)
    assert "more than 6" in repr(found)


def table() -> ScoreTable:
    rng = np.random.default_rng(0)
    return ScoreTable.from_arrays(
        rng.normal(0, 1, (30, 2)) + [0.4, 0],
        datasets=[f"d{i}" for i in range(30)],
        algorithms=["a", "b"],
        measure="accuracy",
    )


def test_from_a_table_and_with_a_shift() -> None:
    own = palio.power(table(), a="a", b="b", n_datasets=[30], trials=200)
    larger = palio.power(table(), a="a", b="b", difference=2.0, n_datasets=[30], trials=200)
    other_way = palio.power(table(), a="a", b="b", difference=-2.0, n_datasets=[30], trials=200)
    assert larger.chances[30] > own.chances[30]
    assert (larger.better, other_way.better) == ("a", "b")
    assert other_way.chances[30] > 0.9


def test_swapping_the_two_changes_nothing() -> None:
    one = palio.power(table(), a="a", b="b", n_datasets=[20], trials=200)
    two = palio.power(table(), a="b", b="a", n_datasets=[20], trials=200)
    assert one.curve == two.curve
    assert one.better == two.better


def test_a_correction_costs_power() -> None:
    how = {"a": "A", "b": "B", "n_datasets": [12], "trials": 300}
    free = palio.power(FIVE, correction=None, **how)  # type: ignore[arg-type]
    holm = palio.power(FIVE, correction="holm", **how)  # type: ignore[arg-type]
    assert holm.chances[12] < free.chances[12]


def test_summary_and_frame() -> None:
    found = palio.power({"a": 0, "b": 1}, a="a", b="b", n_datasets=[5, 10], trials=100)
    summary = found.to_dict()
    assert [row["n_datasets"] for row in summary["curve"]] == [5, 10]
    assert found.to_frame()["power"].tolist() == list(found.chances.values())


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"a": "x"}, UnknownNameError, "algorithm: 'x' is not known"),
        ({"a": "b"}, ParameterError, "given twice"),
        ({"target": 2}, ParameterError, "target"),
        ({"trials": 0}, ParameterError, "trials"),
        ({"sd": 0}, ParameterError, "sd"),
        ({"n_datasets": [1]}, ParameterError, "n_datasets"),
        ({"difference": 1}, ParameterError, "difference: it shifts a table"),
        ({"source": {"a": 0, "b": 0}}, ParameterError, "the same mean"),
    ],
)
def test_bad_questions(changes: dict[str, object], error: type[Exception], says: str) -> None:
    arguments = {"source": {"a": 0, "b": 1}, "a": "a", "b": "b", **changes}
    source = arguments.pop("source")
    with pytest.raises(error, match=says):
        palio.power(source, **arguments)  # type: ignore[arg-type]
