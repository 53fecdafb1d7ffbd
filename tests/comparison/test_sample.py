"""How far algorithms are apart, against loops that anyone can check; and only when asked for."""

import numpy as np
import pytest
from scipy import stats

import palio
from palio.comparison import sample as module
from palio.comparison.sample import Effects, Matching, PairEffects, Sample, Scores, slabs
from palio.measures import measure_named
from palio.scores import ScoreTable
from palio.stats import effects


def scores_of(values: np.ndarray, measure: str) -> Scores:
    names = tuple(f"a{j}" for j in range(values.shape[1]))
    datasets = tuple(f"d{i}" for i in range(len(values)))
    return Scores(values, names, datasets, measure_named(measure))


def effects_of(values: np.ndarray, measure: str) -> PairEffects:
    """The effects of all pairs of columns, with intervals that are not those of a verdict."""
    first, second = np.triu_indices(values.shape[1], 1)
    nothing = Matching(None, np.full(first.size, 0.05), np.zeros(first.size, dtype=np.intp))
    return scores_of(values, measure).effects(first, second, nothing)


def board(*, gaps: bool) -> np.ndarray:
    rng = np.random.default_rng(4)
    values = np.round(rng.normal(size=(11, 4)) * 2 + [0.5, 0, 0.2, 1], 0)
    if gaps:
        values[[0, 4, 7, 7], [1, 2, 0, 3]] = np.nan
    return values


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("gaps", [False, True])
def test_effects_by_loops(measure: str, gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SLAB", 22)  # two pairs at a time
    values = board(gaps=gaps)
    first, second = np.triu_indices(4, 1)
    found = effects_of(values, measure)
    sign = 1 if measure == "accuracy" else -1
    assert len(found.sizes) == 6
    assert found.interval_of == "mean difference, unadjusted"
    for place, (i, j) in enumerate(zip(first, second, strict=True)):
        both = ~np.isnan(values[:, [i, j]]).any(axis=1)
        a, b = values[both, i], values[both, j]
        record, effect = found.records[place], found.sizes[place]
        assert record.n == both.sum()
        better = sign * (a - b)
        assert record[1:] == (
            (better > 0).sum(),
            (better == 0).sum(),
            (better < 0).sum(),
        )
        assert found.means[place] == pytest.approx(((a - b).mean(), stats.sem(a - b)))
        interval = stats.ttest_1samp(a - b, 0).confidence_interval()
        expected = ((a - b).mean(), interval.low, interval.high)
        assert found.intervals[place] == pytest.approx(expected)
        assert effect.median_difference == np.median(a - b)
        over = np.sign(sign * (a[:, None] - b)).mean()
        assert effect.cliffs_delta == pytest.approx(over)
        assert effect.vargha_delaney == pytest.approx((over + 1) / 2)
        nonzero = better[better != 0]
        ranks = stats.rankdata(np.abs(nonzero))
        biserial = (np.sign(nonzero) * ranks).sum() / ranks.sum()
        assert effect.rank_biserial == pytest.approx(biserial)


def test_effects_are_computed_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who differs, and by how much on average, is had without ranks and medians."""

    def never(*_args: object, **_options: object) -> None:
        raise AssertionError("dear effects were computed")

    for name in ("win_tie_loss", "cliffs_delta", "median_difference", "rank_biserial"):
        monkeypatch.setattr(effects, name, never)
    values = board(gaps=False)
    table = ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(11)],
        algorithms=["a", "b", "c", "d"],
        measure="accuracy",
    )
    comparison = palio.compare(table)
    assert comparison.groups
    assert comparison.mean_scores["a"] == pytest.approx(values[:, 0].mean())
    pair = comparison.pair("a", "b")
    assert pair.difference == pytest.approx((values[:, 0] - values[:, 1]).mean())
    assert pair.interval[0] < pair.difference < pair.interval[1]
    with pytest.raises(AssertionError, match="dear effects"):
        _ = pair.wins
    monkeypatch.setattr(effects, "mean_difference", never)
    assert palio.compare(table).n_different == comparison.n_different


def test_effects_are_computed_once() -> None:
    values = board(gaps=False)
    found = effects_of(values, "accuracy")
    assert isinstance(found, Effects)
    assert found.sizes is found.sizes
    assert found.intervals is found.intervals


def test_ranks_one_is_the_best() -> None:
    sample = Sample(np.array([[3.0, 1, 2], [5, 5, 1]]), *np.triu_indices(3, 1))
    assert sample.ranks.tolist() == [[1, 3, 2], [1.5, 1.5, 3]]
    assert sample.mean_ranks.tolist() == [1.25, 2.25, 2.5]


def test_goodness_is_turned() -> None:
    values = board(gaps=False)
    np.testing.assert_array_equal(scores_of(values, "accuracy").goodness, values)
    np.testing.assert_array_equal(scores_of(values, "error").goodness, -values)


def test_boxes_by_hand() -> None:
    scores = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0], [9.0, 5.0]])
    names = tuple("abcde")
    found = Scores(scores, ("x", "y"), names, measure_named("error")).boxes
    # The 9 is further than 1.5 × 2 from the box, which ends at 4.
    assert found.T.tolist() == [[1, 2, 3, 4, 4], [5, 5, 5, 5, 5]]


def test_slabs_hold_as_many_pairs_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = np.triu_indices(4, 1)
    values = board(gaps=False)
    for cells, sizes in ((22, [2, 2, 2]), (55, [5, 1]), (3, [1] * 6), (1000, [6])):
        monkeypatch.setattr(module, "_SLAB", cells)
        found = list(slabs(values, first, second))
        assert [len(a) for _, a, _ in found] == sizes
        for part, a, b in found:
            np.testing.assert_array_equal(a, values[:, first[part]].T)
            np.testing.assert_array_equal(b, values[:, second[part]].T)
    gaps = board(gaps=True)
    assert [a.shape for _, a, _ in slabs(gaps, first, second)] == [(5, 9), (1, 10)]


@pytest.mark.parametrize("slab", [1, 40, 1 << 19])
def test_pairs_that_share_as_many_rows_go_together(
    monkeypatch: pytest.MonkeyPatch, slab: int
) -> None:
    monkeypatch.setattr(module, "_SLAB", slab)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(10, 7))
    values[[0, 0, 3, 9], [1, 2, 2, 6]] = np.nan
    first, second = np.triu_indices(7, 1)
    values[:, 3], values[[1, 2], 3] = np.nan, 0.5  # shares two rows with all
    values[:, 4], values[5, 4] = np.nan, 0.5  # shares none with the last
    found: dict[int, tuple[list[float], list[float]]] = {}
    turns = 0
    for pairs, a, b in slabs(values, first, second):
        turns += 1
        for pair, *two in zip(pairs.tolist(), a.tolist(), b.tolist(), strict=True):
            assert pair not in found
            found[pair] = (two[0], two[1])
    expected = {}
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        both = ~np.isnan(values[:, i] + values[:, j])
        if both.any():
            expected[pair] = (values[both, i].tolist(), values[both, j].tolist())
    assert found == expected
    assert len(expected) == 20
    sizes = {len(a) for a, _ in expected.values()}
    assert {1: 20, 1 << 19: len(sizes)}.get(slab, turns) == turns


@pytest.mark.parametrize("gaps", [False, True])
def test_effects_of_one_pair_are_those_of_all(monkeypatch: pytest.MonkeyPatch, gaps: bool) -> None:
    """Some at a time, in any order, and nothing is worked out for the others."""
    monkeypatch.setattr(module, "_BLOCK", 4)
    all_, some = (effects_of(board(gaps=gaps), "rmse") for _ in range(2))
    for place in (5, 0, 3, 4):
        found, within = some.around(place)
        assert found.sizes[within] == all_.sizes[place]
        assert found.records[within] == all_.records[place]
        assert found.means[within] == all_.means[place]
        assert found.intervals[within] == all_.intervals[place]
    assert "sizes" not in some.__dict__
    assert "intervals" not in some.__dict__


def test_who_asks_about_many_pairs_asks_about_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """As JSON does: block after block the columns would be looked through thousands of times."""
    monkeypatch.setattr(module, "_BLOCK", 1)
    monkeypatch.setattr(module, "_BLOCKS", 2)
    all_, some = (effects_of(board(gaps=True), "rmse") for _ in range(2))
    for place in range(6):
        found, within = some.around(place)
        assert found.sizes[within] == all_.sizes[place]
        assert ("sizes" in some.__dict__) is (place > 1)
