"""What to try first: hand-worked neighbours, scores, costs and budgets."""

import numpy as np
import pytest

import palio
from palio.errors import MissingCellsError, ParameterError
from palio.recommending import Described
from palio.types import FloatArray

ALGORITHMS = ["a", "b", "c"]
NAMES = ["s1", "s2", "s3", "t1", "t2", "t3"]
ROWS = [100, 200, 300, 1000, 2000, 3000]
SCORES = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.5],
          [0.5, 0.9, 0.6], [0.5, 0.8, 0.6], [0.5, 0.7, 0.6]]  # fmt: skip


def table(costs: bool = True) -> palio.ScoreTable:
    """``a`` wins on small sets and ``b`` on large ones; ``b`` costs a hundredth per row."""
    rows = np.array(ROWS, dtype=float)
    matrix = np.column_stack([np.full(6, 2.0), rows / 100, np.full(6, 0.5)])
    return palio.ScoreTable.from_arrays(
        SCORES,
        datasets=NAMES,
        algorithms=ALGORITHMS,
        measure="accuracy",
        costs={"fit_time": matrix} if costs else None,
    )


def known() -> list[Described]:
    return [
        Described(name, rows, {"log_rows": float(np.log(rows))})
        for name, rows in zip(NAMES, ROWS, strict=True)
    ]


def new(rows: int) -> Described:
    return Described("new", rows, {"log_rows": float(np.log(rows))})


def test_the_nearest_decide() -> None:
    small = palio.recommend(table(), new=new(150), data=known(), relevant=2)
    assert tuple(small.neighbours) == ("s2", "s1")  # log 200/150 < log 150/100
    assert small.order == ("a", "b", "c")
    large = palio.recommend(table(), new=new(2500), data=known(), relevant=2)
    assert tuple(large.neighbours) == ("t3", "t2")
    assert large.order[0] == "b"
    first = large.suggestions[0]
    assert first.score == pytest.approx(0.75)
    assert [first.low, first.high] == pytest.approx([0.71, 0.79])  # the middle 80 %
    assert (first.p_first, first.p_place) == (1.0, 1.0)  # b leads on both


def test_distances_are_told() -> None:
    found = palio.recommend(table(), new=new(100), data=known(), relevant=3)
    apart = np.log(np.array([1.0, 2.0, 3.0])) / np.log(30)  # the range is from 100 to 3000
    assert list(found.neighbours.values()) == pytest.approx(apart)


def test_all_data_sets_need_no_data() -> None:
    found = palio.recommend(table())
    ranking = palio.rank(table())
    assert found.order == ranking.order
    assert len(found.neighbours) == 6
    assert found.new is None
    stability = palio.rank_stability(table(), ["average-ranks"])
    for each in found.suggestions:
        assert each.p_first == stability.probability(each.algorithm, 1)
        assert each.p_place == stability.probability(each.algorithm, each.place)


def test_costs_are_medians_scaled_by_rows_where_they_grow() -> None:
    plain = {each.algorithm: each for each in palio.recommend(table(), folds=4).suggestions}
    assert plain["b"].cost == pytest.approx(4 * 6.5)  # the median of 1, 2, 3, 10, 20, 30
    scaled = {
        each.algorithm: each
        for each in palio.recommend(table(), new=new(6000), data=known(), folds=4).suggestions
    }
    # One value per data set, so the costs are of all rows; a trial trains on three quarters.
    assert scaled["b"].power == pytest.approx(1.0)
    assert scaled["b"].cost == pytest.approx(4 * 0.75 * 60)
    assert scaled["a"].power == 0
    # Beyond the 3000 rows of the table no cost stays what it is.
    assert scaled["a"].cost == pytest.approx(8.0 * 1.5)


def test_folds_train_on_a_part_of_the_rows() -> None:
    folded = palio.ScoreTable.from_arrays(
        np.repeat(np.array(SCORES)[:, :, None, None], 10, axis=2).reshape(6, 3, 5, 2),
        datasets=NAMES,
        algorithms=ALGORITHMS,
        measure="accuracy",
        costs={"fit_time": np.repeat(np.array(ROWS, dtype=float)[:, None] / 100, 3, axis=1)},
    )
    found = palio.recommend(folded, new=new(1000), data=known(), folds=5)
    # On half of 1000 rows a fold took 10, so on four fifths it takes 16, and five of them 80.
    assert [each.cost for each in found.suggestions] == pytest.approx([80.0] * 3)


def test_the_budget_cuts_by_cost_in_the_order_of_the_ranking() -> None:
    found = palio.recommend(table(), new=new(6000), data=known(), folds=4, budget="16s")
    costs = {each.algorithm: each.cost for each in found.suggestions}
    assert costs == {"a": pytest.approx(12.0), "b": pytest.approx(180.0), "c": pytest.approx(3.0)}
    assert found.within == tuple(n for n in found.order if n != "b")
    assert found.suggestions[-1].spent == pytest.approx(15.0)
    # Something is always tried, here what is expected to take longer.
    dear = palio.recommend(table(), budget=0.1)
    assert dear.within == ("c",)
    assert "c is tried first, and counted first" in str(dear)
    assert "it may take longer than the budget" in " ".join(dear.notes)


def test_of_tied_ones_the_cheaper_is_tried_first() -> None:
    tied = palio.ScoreTable.from_arrays(
        [[0.8, 0.8], [0.7, 0.7]],
        datasets=["d", "e"],
        algorithms=["dear", "cheap"],
        measure="accuracy",
        costs={"fit_time": [[5.0, 1.0], [5.0, 1.0]]},
    )
    assert palio.recommend(tied).order == ("cheap", "dear")


def test_lower_is_better() -> None:
    errors = palio.ScoreTable.from_arrays(
        1 - np.array(SCORES), datasets=NAMES, algorithms=ALGORITHMS, measure="error"
    )
    found = palio.recommend(errors, new=new(2500), data=known(), relevant=2)
    assert found.order[0] == "b"
    assert found.suggestions[0].score == pytest.approx(0.25)


def along_rows(scores: FloatArray) -> tuple[palio.ScoreTable, list[Described]]:
    """Twenty data sets from 100 to 10,000 rows."""
    names = [f"d{i}" for i in range(20)]
    made = palio.ScoreTable.from_arrays(
        scores, datasets=names, algorithms=list("abcd"), measure="accuracy"
    )
    described = [
        Described(name, int(rows), {"log_rows": float(np.log(rows))})
        for name, rows in zip(names, np.geomspace(100, 10_000, 20), strict=True)
    ]
    return made, described


BASE = np.array([[0.9, 0.8, 0.7, 0.6]]) * np.ones((20, 1))


def test_auto_takes_the_nearest_where_they_foretell_better() -> None:
    turned = np.concatenate([BASE[:10], BASE[10:, ::-1]])
    made, described = along_rows(turned)
    found = palio.recommend(made, new=new(150), data=described, relevant="auto")
    assert len(found.neighbours) < 20
    assert found.order == ("a", "b", "c", "d")
    assert any("nearest are taken" in note for note in found.notes)


def test_auto_takes_all_where_nearness_tells_nothing() -> None:
    noise = np.random.default_rng(0).normal(0, 0.2, BASE.shape)
    made, described = along_rows(BASE + noise)
    found = palio.recommend(made, new=new(150), data=described, relevant="auto")
    assert len(found.neighbours) == 20
    assert any("all data sets are taken" in note for note in found.notes)


def test_auto_needs_ten_data_sets() -> None:
    found = palio.recommend(table(), new=new(150), data=known(), relevant="auto")
    assert len(found.neighbours) == 6
    assert any("there must be 10" in note for note in found.notes)


def test_costs_reach_the_methods_that_weigh_them() -> None:
    found = palio.recommend(table(), ranking="adjusted-ratios")
    assert any("time: fit_time" in note for note in found.notes)


def test_a_data_set_of_the_table_is_pointed_out() -> None:
    found = palio.recommend(table(), new=Described("s1", 100))
    assert any("nothing is foretold" in note for note in found.notes)


def test_one_nearest_has_no_bootstrap() -> None:
    found = palio.recommend(table(), new=new(150), data=known(), relevant=1)
    assert found.stability is None
    assert found.suggestions[0].p_first is None
    assert "P(first)" not in str(found)


def test_faces_agree() -> None:
    found = palio.recommend(table(), new=new(150), data=known(), relevant=3, budget="1min")
    summary = found.to_dict()
    assert summary["kind"] == "recommendation"
    assert found.to_frame()["algorithm"].tolist() == summary["order"] == list(found.order)
    text = str(found)
    assert text.startswith("Try a first on new")
    assert "the 3 nearest of 6 data sets" in text
    assert max(map(len, text.splitlines())) <= 80
    assert repr(found).endswith("on 3 of 6 data sets: a > b > c>")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"relevant": 7}, "a number from 1 to the 6 data sets"),
        ({"relevant": "some"}, "'all', 'auto' or a number"),
        ({"relevant": 2}, "give new="),
        ({"relevant": 2, "new": new(9)}, "give data="),
        ({"relevant": 4, "new": new(9), "data": known()[:3]}, "the data of 3 are there"),
        ({"folds": 1}, "two folds or more"),
        ({"budget": "long"}, "60s, 5min or 2h"),
        ({"ranking": "average"}, "Did you mean 'average-ranks'"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], says: str) -> None:
    with pytest.raises(palio.errors.InputError, match=says):
        palio.recommend(table(), **options)  # type: ignore[arg-type]


def test_a_budget_needs_times_and_a_ranking_all_scores() -> None:
    with pytest.raises(ParameterError, match="the table has no time to hold against it"):
        palio.recommend(table(costs=False), budget="60s")
    gaps = palio.ScoreTable.from_arrays(
        [[0.9, np.nan], [0.8, 0.7]],
        datasets=["d", "e"],
        algorithms=["a", "b"],
        measure="accuracy",
        missing="pairwise",
    )
    with pytest.raises(MissingCellsError, match="drop-datasets"):
        palio.recommend(gaps)


def test_costs_that_are_named_are_those_added_up() -> None:
    times = {"fit_time": [[1.0, 2.0, 3.0]] * 6, "energy": [[10.0, 20.0, 30.0]] * 6}
    both = palio.ScoreTable.from_arrays(
        SCORES, datasets=NAMES, algorithms=ALGORITHMS, measure="accuracy", costs=times
    )
    for cost, fold in ((None, 1.0), ("energy", 10.0), (["energy", "fit_time", "energy"], 11.0)):
        found = palio.recommend(both, cost=cost, folds=3, n_resamples=20)
        expected = {name: 3 * fold * (j + 1) for j, name in enumerate(ALGORITHMS)}
        assert {each.algorithm: each.cost for each in found.suggestions} == pytest.approx(expected)
    assert palio.recommend(both, cost="energy", n_resamples=20).costs == ("energy",)
    assert found.costs == ("energy", "fit_time")


def test_what_is_not_compared_is_told() -> None:
    """The new one lacks what looks at a target, and the data of two of the table are not there."""
    data = [
        Described(each.name, each.rows, {**each.features, "landmark": 0.1 * i})
        for i, each in enumerate(known()[:4])
    ]
    found = palio.recommend(table(), new=new(100), data=data, relevant=2)
    assert tuple(found.neighbours) == ("s1", "s2")
    assert "not compared, for new has no target: landmark" in found.notes
    assert any(note.endswith("data are not there: 't2', 't3'") for note in found.notes)
    whole = palio.recommend(table(), new=new(100), data=known(), relevant=2)
    assert not any("not compared" in note or "not there" in note for note in whole.notes)


@pytest.mark.parametrize("relevant", ["all", 2])
def test_errors_are_recommended_as_accuracies_are(relevant: int | str) -> None:
    accuracies = palio.recommend(table(), new=new(150), data=known(), relevant=relevant)  # type: ignore[arg-type]
    errors = palio.ScoreTable.from_arrays(
        1 - np.array(SCORES), datasets=NAMES, algorithms=ALGORITHMS, measure="error",
        costs={"fit_time": table().cost_matrix("fit_time")},
    )  # fmt: skip
    found = palio.recommend(errors, new=new(150), data=known(), relevant=relevant)  # type: ignore[arg-type]
    assert found.order == accuracies.order
    for each, other in zip(found.suggestions, accuracies.suggestions, strict=True):
        assert (each.rank, each.p_first, each.p_place, each.cost) == pytest.approx(
            (other.rank, other.p_first, other.p_place, other.cost)
        )
        assert each.score == pytest.approx(1 - other.score)
        assert (each.low, each.high) == pytest.approx((1 - other.high, 1 - other.low))
