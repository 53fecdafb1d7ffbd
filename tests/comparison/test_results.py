"""What a comparison says of pairs and algorithms, over the conditions that turn things round."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.comparison import OMNIBUS_TESTS, Comparison
from palio.comparison.results import letters, maximal_groups
from palio.comparison.sample import Sample
from palio.errors import ParameterError
from palio.scores import ScoreTable
from palio.stats import omnibus as omnibus_tests
from palio.stats.incomplete import skillings_mack
from palio.stats.ranks import average_ranks
from palio.types import FloatArray

NAMES = ("a", "b", "c", "d")


def goodness() -> np.ndarray:
    """Fourteen data sets, d best, then b; c and a behind. Higher is better."""
    rng = np.random.default_rng(12)
    return np.round(rng.normal(size=(14, 4)) + [0, 1.5, 0.2, 4], 2)


def table_of(values: np.ndarray, measure: str) -> ScoreTable:
    return ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(len(values))],
        algorithms=list(NAMES),
        measure=measure,
        missing="pairwise",
    )


def mixed_designs(values: np.ndarray) -> ScoreTable:
    """The same cell means, with two folds on half of the data sets, four on others, or none."""
    rows: list[dict[str, Any]] = []
    for i, j in itertools.product(range(len(values)), range(4)):
        spread = {0: [0.0], 1: [-0.5, 0.5], 2: [-1, 0.25, 0.25, 0.5]}[i % 3]
        rows += [
            {
                "dataset": f"d{i}",
                "algorithm": NAMES[j],
                "repeat": 1,
                "fold": fold,
                "score": values[i, j] + step,
            }
            for fold, step in enumerate(spread, start=1)
        ]
    return palio.read_scores(pd.DataFrame(rows), score="score")


def turned(condition: str) -> tuple[ScoreTable, np.ndarray]:
    """Return a table, and the goodness that it should be understood to have."""
    values = goodness()
    if condition == "lower is better":
        return table_of(-values, "error"), values
    if condition == "missing cells":
        values[[0, 5, 9], [0, 1, 0]] = np.nan
        return table_of(values, "accuracy"), values
    if condition == "missing errors":
        values[[0, 5, 9], [0, 1, 0]] = np.nan
        return table_of(-values, "error"), values
    if condition == "mixed designs":
        return mixed_designs(values), values
    return table_of(values, "accuracy"), values


CONDITIONS = [
    "plain", "lower is better", "missing cells", "missing errors", "mixed designs",
]  # fmt: skip
PROCEDURES: list[dict[str, Any]] = [
    {},
    {"zero_method": "pratt", "correction": "shaffer", "alpha": 0.01},
    {"test": "sign", "ties": "split", "correction": None, "omnibus": "quade"},
    {"test": "paired-t", "correction": "bh", "omnibus": "iman-davenport"},
    {"test": "mean-ranks", "correction": "nemenyi", "omnibus": "aligned-ranks"},
    {"test": "conover", "correction": "holm", "alpha": 0.2},
    {"control": "c", "correction": "finner"},
]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("how", PROCEDURES, ids=lambda how: "-".join(map(str, how.values())))
def test_every_condition_is_understood(condition: str, how: dict[str, Any]) -> None:
    table, good = turned(condition)
    found = palio.compare(table, **how)
    sign = 1 if table.measure.higher_is_better else -1
    complete = good[~np.isnan(good).any(axis=1)]
    ranked = how.get("test") in {"mean-ranks", "conover"}
    # On ranks of all together the complete data sets count, else all, allowing for who is there.
    ranks = (good.shape[1] + 1) * _adjusted(
        np.array([_scaled(row) for row in (complete if ranked else good)])
    )
    assert list(found.mean_ranks.values()) == pytest.approx(ranks.tolist())
    whole = ranked or "omnibus" in how
    assert found.omnibus.n == (len(complete) if whole else len(good))
    assert found.by_mean_rank == tuple(NAMES[j] for j in np.argsort(ranks))
    assert list(found.mean_scores.values()) == pytest.approx((sign * _adjusted(good)).tolist())
    for pair in found.pairs:
        i, j = NAMES.index(pair.a), NAMES.index(pair.b)
        ahead = complete[:, i] - complete[:, j]
        both = good[:, i] - good[:, j]
        both = both[~np.isnan(both)]
        assert (pair.wins, pair.losses) == ((both > 0).sum(), (both < 0).sum())
        assert pair.difference == pytest.approx(sign * both.mean())
        assert pair.significant == (pair.p_adjusted <= found.alpha)
        lead = {"sign": np.sign(both).sum(), "paired-t": both.mean()}.get(
            found.method, np.sign(ahead).sum()
        )
        if pair.significant:
            assert pair.winner == pair.better == (pair.a if lead > 0 else pair.b)
    assert found.pair("d", "c").better == "d"
    assert found.pair("c", "d").significant
    _groups_are_right(found)
    _standings_are_right(found)
    said = "data sets with missing scores left out" if ranked else "each pair on the data sets"
    assert sum(said in note for note in found.notes) == ("missing" in condition)


def _scaled(row: FloatArray) -> FloatArray:
    """Rank those that are there: a rank among m counts as rank / (m + 1)."""
    there = ~np.isnan(row)
    ranks = np.full(row.size, np.nan)
    ranks[there] = average_ranks(-row[there]) / (there.sum() + 1)
    return ranks


def _adjusted(values: FloatArray) -> FloatArray:
    """Fit effects of rows and columns by least squares; what each column's mean would be."""
    n, k = values.shape
    row, column = np.nonzero(~np.isnan(values))
    design = np.zeros((row.size, n + k))
    design[np.arange(row.size), row] = design[np.arange(row.size), n + column] = 1.0
    fitted = np.linalg.lstsq(design, values[row, column], rcond=None)[0]
    return np.asarray(fitted[:n].mean() + fitted[n:])


def _groups_are_right(found: Comparison) -> None:
    different = {frozenset((pair.a, pair.b)) for pair in found.pairs if pair.significant}
    if found.control is not None:
        same = [
            n
            for n in found.by_mean_rank
            if n == found.control or {n, found.control} not in different
        ]
        assert found.groups == (tuple(same),)
        return
    for group in found.groups:
        assert not any(frozenset(pair) in different for pair in itertools.combinations(group, 2))
        places = [found.by_mean_rank.index(name) for name in group]
        assert places == sorted(places)
    for pair in found.pairs:
        shared = set(found.letters[pair.a]) & set(found.letters[pair.b])
        assert bool(shared) != pair.significant


def _standings_are_right(found: Comparison) -> None:
    for name, standing in found.standings.items():
        for pair in found.pairs_of(name):
            other = pair.b if pair.a == name else pair.a
            assert pair == found.pair(name, other)
            assert (other in standing.beats) == (pair.winner == name)
            assert (other in standing.beaten_by) == (pair.winner == other)
            assert (other in standing.level_with) == (pair.winner is None)


def test_rows_have_the_effects_of_their_own_pair() -> None:
    found = palio.compare(table_of(goodness(), "accuracy"))
    effects = found.tested.effects
    for place, pair in enumerate(found.pairs):
        row = {name: getattr(pair, name) for name in pair.parts}
        sizes = ("median_difference", "rank_biserial", "cliffs_delta", "vargha_delaney")
        assert tuple(row[name] for name in sizes) == effects.sizes[place]
        record = tuple(row[name] for name in ("n", "wins", "ties", "losses"))
        assert record == effects.records[place]
        assert (row["estimate"], *row["interval"]) == effects.intervals[place]
        assert pair.verdict.to_dict() == {key: row[key] for key in pair.verdict.to_dict()}
    frame = found.to_frame()
    assert frame["a"].tolist() == [pair.a for pair in found.pairs]
    assert frame["wins"].tolist() == [pair.wins for pair in found.pairs]
    assert found.scores["b"] == goodness()[:, 1].tolist()
    assert found.datasets[13] == "d13"
    assert "4 algorithms on 14 data sets" in repr(found)
    assert found.omnibus.to_frame()["p_value"].tolist() == [found.omnibus.p_value]


# --- groups and letters ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_groups_are_all_maximal_sets(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    different = np.triu(rng.random((size, size)) < 0.1 * seed, 1)
    different |= different.T
    names = [f"n{i}" for i in range(size)]
    level = [
        set(some)
        for length in range(1, size + 1)
        for some in itertools.combinations(range(size), length)
        if not different[np.ix_(some, some)].any()
    ]
    largest = [some for some in level if not any(some < other for other in level)]
    found = maximal_groups(different, names)
    assert found == tuple(
        tuple(names[i] for i in sorted(some)) for some in sorted(map(sorted, largest))
    )


def test_the_thirtieth_letter() -> None:
    groups = [("x",)] * 60
    assert letters(groups, ["x"])["x"].startswith("abc")
    assert letters([(str(i),) for i in range(60)], ["25", "26", "53"]) == {
        "25": "z",
        "26": "a1",
        "53": "b2",
    }


# --- all at once -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(OMNIBUS_TESTS))
def test_the_omnibus_is_the_function_of_its_name(name: str) -> None:
    values = goodness()
    function = {
        "friedman": omnibus_tests.friedman,
        "iman-davenport": omnibus_tests.iman_davenport,
        "aligned-ranks": omnibus_tests.friedman_aligned,
        "quade": omnibus_tests.quade,
        "skillings-mack": skillings_mack,
    }[name]
    expected = function(-values)
    found = palio.compare(table_of(values, "accuracy"), omnibus=name)
    assert found.omnibus.statistic == pytest.approx(float(expected.statistic))
    assert found.omnibus.p_value == pytest.approx(float(expected.p_value))
    assert found.omnibus.df == expected.df
    assert found.omnibus.n == 14
    friedman = float(omnibus_tests.friedman(-values).statistic)
    assert found.kendall_w == pytest.approx(friedman / (14 * 3))


def test_friedman_is_exact_on_few_data_sets() -> None:
    values = np.random.default_rng(0).normal(size=(11, 3))
    sample = Sample(values, *np.triu_indices(3, 1))
    assert OMNIBUS_TESTS["friedman"].run(sample).null == "chi2"
    few = Sample(values[:10], *np.triu_indices(3, 1))
    assert OMNIBUS_TESTS["friedman"].run(few).null == "exact"
    many = np.random.default_rng(0).normal(size=(8, 8))  # too many rankings to count
    assert OMNIBUS_TESTS["friedman"].run(Sample(many, *np.triu_indices(8, 1))).null == "chi2"


@pytest.mark.parametrize(("measure", "by_score"), [("accuracy", {"a", "b"}), ("error", {"c"})])
def test_who_is_best_by_means(measure: str, by_score: set[str]) -> None:
    scores = np.array([[0.9, 0.8, 0.1], [0.8, 0.9, 0.1]])
    table = ScoreTable.from_arrays(
        scores, datasets=["x", "y"], algorithms=["a", "b", "c"], measure=measure
    )
    found = palio.compare(table)
    assert found.best_mean_rank == by_score
    assert found.best_mean_score == by_score


def test_groups_of_thousands_are_no_deeper_than_a_list() -> None:
    """One group of all, and two of all but one: as deep as recursion cannot go."""
    names = [f"a{i}" for i in range(1500)]
    different = np.zeros((1500, 1500), dtype=np.bool_)
    assert maximal_groups(different, names) == (tuple(names),)
    different[0, 1499] = different[1499, 0] = True
    assert maximal_groups(different, names) == (tuple(names[:-1]), tuple(names[1:]))


def test_who_stands_where_follows_from_the_pairs() -> None:
    comparison = palio.compare(palio.load_study("ulas2008"))
    for name, (beats, beaten_by, level_with) in comparison.standings.items():
        pairs = [pair for pair in comparison.pairs if name in (pair.a, pair.b)]
        others = [pair.b if pair.a == name else pair.a for pair in pairs]
        winners = dict(zip(others, (pair.winner for pair in pairs), strict=True))
        assert beats == tuple(other for other in others if winners[other] == name)
        assert beaten_by == tuple(other for other in others if winners[other] == other)
        assert level_with == tuple(other for other in others if winners[other] is None)
    for pair in comparison.pairs:
        assert comparison.pair(pair.a, pair.b) is comparison.pair(pair.b, pair.a) is pair
    with pytest.raises(ParameterError, match="were not compared"):
        comparison.pair("svr", "svr")
    control = palio.compare(palio.load_study("ulas2008"), control="svr")
    assert control.pair("mlp", "svr").a == "svr"
    with pytest.raises(ParameterError, match="were not compared"):
        control.pair("mlp", "c45")
