"""MultiTest's rivals on tables worked by hand (yildiz2006 §4.2)."""

from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import UnknownNameError
from palio.ordering import FINDERS, find_best, find_best_batch
from palio.ordering.baselines import NOT_FOUND
from palio.scores import ScoreTable
from palio.stats import folds
from palio.stats.several import newman_keuls

# The same spread on the folds of all algorithms, so that MSE = 10/9 · 0.1² and the means decide.
WIGGLE = np.tile([0.1, -0.1], (5, 1))


def table_of(errors: list[float], wiggle: float = 1.0) -> ScoreTable:
    """Algorithms "1", "2", … in increasing cost, with these mean errors."""
    k = len(errors)
    folds = np.asarray(errors)[:, np.newaxis, np.newaxis] + wiggle * WIGGLE
    return ScoreTable.from_arrays(
        folds[np.newaxis],
        datasets=["d"],
        algorithms=[str(i + 1) for i in range(k)],
        measure="error",
        costs={"time": [np.arange(1.0, k + 1)]},
    )


def found(errors: list[float], method: str) -> str | None:
    return find_best(table_of(errors), method=method, cost="time").best


def underlines(errors: list[float]) -> list[str]:
    """The range test's result as the paper prints it: names by error, joined where underlined."""
    folds = np.asarray(errors)[:, np.newaxis] + WIGGLE.ravel()
    result = newman_keuls(folds, alpha=0.05)
    names = [str(i + 1) for i in result.order.tolist()]
    return ["".join(names[i : j + 1]) for i, j in result.underlines()]


# L = 10, MSE = 0.0111: a range of P means is accepted up to q(.05; P, 45) · 0.0333 for K = 5:
# 0.095 for two, 0.114 for three, 0.126 for four, 0.134 for five.
@pytest.mark.parametrize(
    ("errors", "lines", "best"),
    [
        # "The first one is not underlined": 3 | 5 4 2 1
        ([0.45, 0.42, 0.10, 0.40, 0.38], ["5421"], "3"),
        # "A line under the first one that does not overlap with any other": 5 4 3 | 2 | 1
        ([0.90, 0.50, 0.18, 0.14, 0.10], ["543"], "3"),
        # "Overlaps, but the overlap does not include the first one": 2 4 5 with 5 3
        ([0.90, 0.10, 0.26, 0.14, 0.18], ["245", "53"], "2"),
        # "The overlap does not contain a simpler algorithm": 5 2 4 with 2 4 3
        ([0.90, 0.12, 0.232, 0.18, 0.10], ["524", "243"], "2"),
        # 5 4 2 with 2 1: the second underline holds 1, simpler than 2, so neither can be chosen
        ([0.26, 0.18, 0.90, 0.14, 0.10], ["542", "21"], None),
        # Everything underlined: the simplest
        ([0.11, 0.12, 0.13, 0.14, 0.10], ["51234"], "1"),
    ],
)
def test_newman_keuls(errors: list[float], lines: list[str], best: str | None) -> None:
    assert underlines(errors) == lines
    assert found(errors, "newman-keuls") == best


def test_anova_finds_the_simplest_only_where_nothing_differs() -> None:
    assert found([0.11, 0.12, 0.10], "anova") == "1"
    assert found([0.50, 0.12, 0.10], "anova") is None


def test_testfirst_must_beat_every_simpler_one() -> None:
    """With the same wiggle on all algorithms the differences do not vary: every test rejects."""
    assert found([0.3, 0.2, 0.1, 0.4], "testfirst") == "3"
    # First by mean is "2", and its difference to "1" goes up and down around a small mean.
    shaky = np.stack([np.full((5, 2), 0.2), 0.19 + WIGGLE])
    assert find_best_batch(shaky, [1, 2], higher_is_better=False, method="testfirst") == NOT_FOUND
    # When the simplest has the best mean, nothing has to be beaten.
    assert find_best_batch(shaky, [2, 1], higher_is_better=True, method="testfirst") == NOT_FOUND
    assert find_best_batch(shaky, [1, 2], higher_is_better=True, method="testfirst") == 0


def test_testfirst_shares_the_level_among_its_tests() -> None:
    """Against each of two simpler ones p is between α / 2 and α, which is not enough."""
    rng = np.random.default_rng(2)
    better = 0.5 - 0.05 * rng.random((5, 2)) - 0.05
    scores = np.stack([np.full((5, 2), 0.5), np.full((5, 2), 0.5), better])
    p = float(folds.kfold_t(scores[0], better, alternative="greater").p_value)
    for alpha, best in ((1.5 * p, NOT_FOUND), (3 * p, 2)):
        asked = {"method": "testfirst", "test": "kfold-t", "alpha": alpha}
        got = find_best_batch(scores, [1, 2, 3], higher_is_better=False, **asked)  # type: ignore[arg-type]
        assert got == best


def test_multitest_always_finds_one() -> None:
    rng = np.random.default_rng(0)
    batch = find_best_batch(rng.random((500, 4, 5, 2)), [1, 2, 3, 4], higher_is_better=False)
    assert (batch != NOT_FOUND).all()


@pytest.mark.parametrize("method", list(FINDERS))
def test_batch_equals_loop(method: str) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(0.2, 0.05, size=(40, 4, 5, 2)) + rng.normal(0, 0.08, size=(40, 4, 1, 1))
    costs = rng.random((40, 4))
    batch = find_best_batch(scores, costs, higher_is_better=True, method=method)
    for row in range(40):
        table = ScoreTable.from_arrays(
            scores[[row]],
            datasets=["d"],
            algorithms=list("abcd"),
            measure="accuracy",
            costs={"time": costs[[row]]},
        )
        paper = {"test": "5x2cv-t", "correction": "bonferroni"} if method == "multitest" else {}
        alone = find_best(table, method=method, cost="time", **paper).best  # type: ignore[arg-type]
        assert alone == (None if batch[row] == NOT_FOUND else "abcd"[batch[row]])


def test_find_best_says_what_it_assumed() -> None:
    result = find_best(table_of([0.3, 0.2]), method="testfirst", cost="time")
    assert any("α/(K − 1)" in note for note in result.notes)
    assert result.to_dict()["best"] == "2"
    assert "2 is best on d" in str(result)
    assert result.to_frame()["best"].tolist() == ["2"]
    none = find_best(table_of([0.9, 0.1, 0.1]), method="anova", cost="time")
    assert "no best found on d" in str(none)


@pytest.mark.parametrize("method", list(FINDERS))
@pytest.mark.parametrize("shape", [(5, 2), (1, 10), (10, 10)])
def test_any_folds_will_do_without_a_cost_or_a_test(method: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    means = np.array([0.9, 0.5, 0.1])[None, :, None, None]
    table = ScoreTable.from_arrays(
        means + rng.normal(scale=0.01, size=(1, 3, *shape)),
        datasets=["d"],
        algorithms=list("abc"),
        measure="error",
    )
    result = find_best(table, method=method)
    assert result.prior == ("c", "b", "a")
    assert result.best == ("c" if method != "anova" else None)
    assert "neither a cost nor a prior order was given" in " ".join(result.notes)
    own = "5x2cv-f" if method == "multitest" else "5x2cv-t"
    usual = own if shape == (5, 2) else "corrected-t"
    assert result.test == (usual if FINDERS[method].uses_test else None)


def test_unknown_method() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'anova'"):
        palio.find_best(table_of([0.3, 0.2]), method="anvoa", cost="time")


def test_the_best_by_multitest_is_the_first_of_its_order() -> None:
    table = palio.load_study("ulas2008")
    for options in ({}, {"test": "5x2cv-t", "correction": "bonferroni"}):
        asked: dict[str, Any] = {"dataset": "optdigits", "cost": "train_time", **options}
        best, order = find_best(table, **asked), palio.order(table, method="multitest", **asked)
        assert (best.best, best.prior, best.test) == (order.first, order.prior, order.test)
    with pytest.raises(palio.errors.ParameterError, match="correction: it is of MultiTest"):
        find_best(table, method="anova", dataset="zoo", cost="space", correction="holm")
