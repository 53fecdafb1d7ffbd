"""How often what is named first is good enough: by hand, and by asking for each data set."""

import numpy as np
import pytest

import palio
from palio.errors import MissingCellsError, ParameterError
from palio.recommending import Described, evaluate_recommendation
from palio.recommending.costing import FoldCosts
from palio.recommending.counting import Reach, Share, first_fitting, own_costs, within_margin
from palio.types import FloatArray

LEARNERS = ["svmRadial", "rf", "glmnet", "sda", "nb"]


def part(n: int = 14) -> tuple[palio.ScoreTable, list[Described]]:
    """Some of a study, with features that order the data sets by their names."""
    table = palio.read_scores("study:replication2026", algorithms=LEARNERS, missing="drop-datasets")
    table = table.select(datasets=table.datasets[: 3 * n : 3])
    return table, [
        Described(name, 100 + 50 * i, {"x": float(len(name)), "y": float(ord(name[0]))})
        for i, name in enumerate(table.datasets)
    ]


def by_loops(
    table: palio.ScoreTable,
    known: list[Described],
    relevant: int | str,
    within: float,
    budget: float,
    folds: int,
) -> tuple[int, int, int, int, int]:
    """Ask for a recommendation of each data set by the others, and count in plain loops."""
    first = three = fitting = fits = over = 0
    times = table.cost_matrix("fit_cpu_time")
    for i, new in enumerate(known):
        others = [name for name in table.datasets if name != new.name]
        advice = palio.recommend(
            table.select(datasets=others),
            new=new,
            data=[each for each in known if each is not new],
            relevant=relevant,  # type: ignore[arg-type]
            cost="fit_cpu_time",
            budget=budget,
            folds=folds,
            n_resamples=2,
        )
        scores = dict(zip(table.algorithms, table.goodness()[i].tolist(), strict=True))
        good = [a for a in scores if scores[a] >= max(scores.values()) - within - 1e-9]
        first += advice.order[0] in good
        three += any(name in good for name in advice.order[:3])
        alone = [each.algorithm for each in advice.suggestions if (each.cost or 0.0) <= budget]
        if alone:  # the first that fits by itself
            fits += 1
            fitting += alone[0] in good
            # Two folds are those of the table, so what was measured needs no carrying over.
            over += folds * times[i, table.algorithms.index(alone[0])] > budget
    return first, three, fitting, fits, over


@pytest.mark.parametrize("budget", [0.05, 0.6, 6.0])
def test_counts_are_those_of_asking_for_each_data_set(budget: float) -> None:
    table, known = part()
    found = evaluate_recommendation(
        table, known, nearest=[1, 4], within=0.02, budget=budget, cost="fit_cpu_time", folds=2
    )
    assert [row.relevant for row in found.reached] == ["all", 1, 4]
    for row in found.reached:
        reach = row.reach
        assert reach.three is not None
        assert reach.fitting is not None
        assert reach.over is not None
        counted = (reach.first, reach.three, reach.fitting)
        assert {each.n for each in counted} == {14}
        assert (*(each.count for each in counted), reach.over.n, reach.over.count) == by_loops(
            table, known, row.relevant, 0.02, budget, 2
        )


def test_one_for_all_by_hand() -> None:
    table, known = part()
    found = evaluate_recommendation(table, known, nearest=[2], within=0.02)
    errors = table.means()
    for each in found.alone:
        own = errors[:, table.algorithms.index(each.algorithm)]
        assert each.reach.first.count == sum(
            error <= row.min() + 0.02 + 1e-9 for error, row in zip(own, errors, strict=True)
        )
        assert each.regret == pytest.approx((own - errors.min(axis=1)).mean())
        assert each.reach.three is None
    counts = [each.reach.first.count for each in found.alone]
    assert counts == sorted(counts, reverse=True)


def counts(scores: FloatArray, measure: str, **options: object) -> list[list[int | None]]:
    names = [f"d{i}" for i in range(len(scores))]
    table = palio.ScoreTable.from_arrays(
        scores, datasets=names, algorithms=["a", "b", "c", "d"], measure=measure
    )
    known = [Described(name, 100, {"x": float(i)}) for i, name in enumerate(names)]
    found = evaluate_recommendation(table, known, nearest=[2], **options)  # type: ignore[arg-type]
    reaches = [*(row.reach for row in found.reached), *(row.reach for row in found.alone)]
    return [[r.first.count, None if r.three is None else r.three.count] for r in reaches]


def test_lower_is_better_percent_and_margin() -> None:
    rng = np.random.default_rng(3)
    accuracy = rng.integers(70, 100, size=(12, 4)) / 100
    expected = counts(accuracy, "accuracy")
    assert counts(1 - accuracy, "error") == expected
    assert counts(100 * accuracy, "accuracy") == expected
    assert counts(100 * (1 - accuracy), "error") == expected
    assert counts(accuracy, "accuracy", within=0.01) == expected
    assert counts(accuracy, "accuracy", within=0.03) != expected
    assert counts(accuracy, "accuracy", within=1.0) == [[12, 12]] * 2 + [[12, None]] * 4
    with pytest.raises(ParameterError, match="0 or more"):
        counts(accuracy, "accuracy", within=-1)


def test_a_hundredth_is_the_point_of_ratios() -> None:
    rmse = np.array([[3.0, 3.029, 4, 5], [2, 2, 4, 5], [1, 1.011, 4, 5]])
    expected = [[3, None], [2, None], [0, None], [0, None]]
    assert counts(rmse, "rmse")[2:] == expected
    assert counts(rmse * [[1e3], [1], [1e-3]], "rmse")[2:] == expected
    assert counts(rmse, "rmse", within=0.02)[3] == [3, None]


def test_the_point_of_a_measure_without_an_end_is_a_hundredth_of_its_spread() -> None:
    regret = -np.array([[3.0, 3.001, 4, 5], [2, 2, 4, 5], [1, 1.0001, 4, 5]])
    assert counts(regret, "log_likelihood")[2:] == [[3, None], [3, None], [0, None], [0, None]]
    assert counts(regret, "log_likelihood", within=0.0)[3] == [1, None]


def test_a_point_is_not_lost_to_rounding() -> None:
    assert within_margin(np.array([[0.93, 0.92, 0.9199]]), 0.01).tolist() == [[True, True, False]]
    assert within_margin(np.array([[-0.07, -0.08]]), 0.01).all()


def test_of_tied_ones_the_cheaper_is_first() -> None:
    names = [f"d{i}" for i in range(6)]
    scores = np.array([[0.9, 0.9]] * 5 + [[0.5, 0.9]])
    table = palio.ScoreTable.from_arrays(
        scores, datasets=names, algorithms=["a", "b"], measure="accuracy",
        costs={"fit_time": np.array([[1.0, 2.0]] * 6)},
    )  # fmt: skip
    apart = [0.0, 1.0, 2.0, 3.0, 4.0, 4.5]
    known = [Described(name, 100, {"x": x}) for name, x in zip(names, apart, strict=True)]
    found = evaluate_recommendation(table, known, nearest=[1])
    assert found.reached[0].firsts == {"b": 5, "a": 1}  # without d5 the two are tied
    assert found.reached[1].firsts == {"a": 5, "b": 1}  # d5 alone says b, to d4
    assert found.reached[0].reach.first == Share(5, 6)


def test_missing_cells_are_refused_or_the_worst() -> None:
    table, known = part()
    frame = table.to_frame()
    gone = (frame["dataset"] == table.datasets[2]) & (frame["algorithm"] == "rf")
    frame.loc[gone, "error"] = np.nan
    with pytest.raises(MissingCellsError):
        evaluate_recommendation(palio.read_scores(frame, score="error"), known)
    filled = palio.read_scores(frame, score="error", missing="worst")
    near = within_margin(filled.goodness(), 0.01)
    assert not near[2, filled.algorithms.index("rf")]
    found = evaluate_recommendation(filled, known, nearest=[2])
    (rf,) = [each for each in found.alone if each.algorithm == "rf"]
    assert rf.reach.first.count == near[:, filled.algorithms.index("rf")].sum()


def test_budgets_where_nothing_fits_or_costs_more() -> None:
    order = np.array([[0, 1], [1, 0], [0, 1]])
    costs = np.array([[5.0, 1.0], [5.0, 4.0], [0.5, 9.0]])
    assert first_fitting(order, costs, 2.0).tolist() == [1, -1, 0]
    table, known = part()
    found = evaluate_recommendation(table, known, nearest=[2], budget=1e-9)
    assert found.reached[0].reach.fitting == Share(0, 14)
    assert found.reached[0].reach.over == Share(0, 0)
    assert found.reached[0].reach.over.share is None
    assert "0 (0 %)" in str(found)


def test_own_costs_are_carried_to_the_folds_of_a_trial() -> None:
    rows = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])
    half = FoldCosts((rows / 2)[:, None] ** 2, rows / 2)
    # Five folds train on four fifths.
    assert own_costs(half, 5, rows)[:, 0] == pytest.approx(5 * (0.8 * rows) ** 2)
    assert own_costs(half, 2, rows)[:, 0] == pytest.approx(2 * (0.5 * rows) ** 2)


def test_costs_that_were_not_measured_are_not_asked() -> None:
    rows = np.array([100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0])
    times = np.column_stack([rows, np.full(6, np.nan)])
    times[2, 0] = np.nan
    expected, powers = FoldCosts(times, rows).expected(range(6), 1000.0)
    assert expected[0] == pytest.approx(1000.0)
    assert np.isnan(expected[1])
    assert powers.tolist() == pytest.approx([1.0, 0.0])


def test_what_is_counted_is_in_json_and_text() -> None:
    table, known = part()
    found = evaluate_recommendation(table, known, nearest=[2], budget="1min", within=0.02)
    told = found.to_dict()
    assert (told["within"], told["budget"], told["folds"]) == (0.02, 60.0, 5)
    row = told["reached"][0]
    assert row["relevant"] == "all"
    assert sum(row["firsts"].values()) == 14
    first = row["reach"]["first"]
    assert first["share"] == pytest.approx(first["count"] / first["n"])
    frame = found.to_frame().set_index("algorithm")
    assert frame.loc["rf", "first_within"] == next(
        each["reach"]["first"]["count"] for each in told["alone"] if each["algorithm"] == "rf"
    )
    text = str(found)
    assert "the first is within 0.02 of the best" in text
    assert max(map(len, text.splitlines())) <= 80
    assert Reach(Share(1, 2)).fitting is None
