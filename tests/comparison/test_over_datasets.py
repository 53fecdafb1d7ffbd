"""Comparisons over many data sets, worked by hand."""

import numpy as np
import pytest

import palio
from palio.comparison import CORRECTIONS, OMNIBUS_TESTS, PAIR_TESTS
from palio.errors import DesignError, MissingCellsError, ParameterError, UnknownNameError
from palio.scores import ScoreTable


def table_of(scores: np.ndarray, measure: str = "accuracy") -> ScoreTable:
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j}" for j in range(k)],
        measure=measure,
    )


@pytest.fixture
def three() -> ScoreTable:
    """Eight data sets: a0 beats a1 on all by 1 to 8 points, a2 goes up and down around a1."""
    base = 50.0 + 5 * np.arange(8)
    steps = np.arange(1.0, 9)
    wiggle = np.array([1.0, -2, 3, -4, 5, -6, 7, -4])
    return table_of(np.column_stack([base + steps, base, base + wiggle]))


def test_wilcoxon_by_hand(three: ScoreTable) -> None:
    """a0 − a1 is 1, …, 8, all positive: W+ = 36, p = 2/2⁸; Holm makes it three times that."""
    comparison = palio.compare(three)
    pair = comparison.pair("a0", "a1")
    assert (pair.statistic, pair.p_value) == (36, 2 / 2**8)
    assert pair.p_adjusted == pytest.approx(6 / 2**8)
    assert pair.significant
    assert pair.better == "a0"
    # a1 − a2: 1, 3, 5 and 7 against it (ranks 1, 3, 6, 8: 18), 2, 4, 6 and 4 for it (2, 4.5, 7,
    # 4.5: 18): W+ = 18 of 36, as level as can be.
    level = comparison.pair("a1", "a2")
    assert (level.statistic, level.p_value, level.better) == (18, 1, None)


def test_mean_ranks_and_friedman_by_hand(three: ScoreTable) -> None:
    """a0 is first on 6 of 8 data sets and ties or follows a2 on the rest."""
    comparison = palio.compare(three)
    ranks = comparison.mean_ranks
    assert sum(ranks.values()) == pytest.approx(6)
    assert comparison.omnibus.method == "friedman"
    assert comparison.omnibus.n == 8


def test_sign_test_by_hand(three: ScoreTable) -> None:
    """Eight of eight: 2/2⁸."""
    assert palio.compare(three, test="sign").pair("a0", "a1").p_value == 2 / 2**8


def test_paired_t_by_hand(three: ScoreTable) -> None:
    """Differences 1 … 8: mean 4.5, variance 6, t = 4.5 √8 / √6 on 7 df."""
    pair = palio.compare(three, test="paired-t").pair("a0", "a1")
    assert pair.statistic == pytest.approx(4.5 * np.sqrt(8 / 6))


def test_permutation_by_hand(three: ScoreTable) -> None:
    """Of 256 sign patterns two have a mean as large."""
    assert palio.compare(three, test="permutation").pair("a0", "a1").p_value == pytest.approx(
        2 / 256
    )


def test_effects(three: ScoreTable) -> None:
    comparison = palio.compare(three)
    effect = comparison.pairs[0]
    assert (effect.wins, effect.ties, effect.losses, effect.n) == (8, 0, 0, 8)
    assert effect.difference == pytest.approx(4.5)
    assert effect.median_difference == pytest.approx(4.5)
    assert effect.rank_biserial == 1
    # Holm decides it at 0.05 / 3: W⁺ ≤ 1 has 2 · 2/2⁸ = 0.0156, so that one Walsh average of 36,
    # 1, 1½, 2 …, is left out at either end.
    pair = comparison.pair("a0", "a1")
    assert (
        pair.interval_of == "median difference, by Hodges and Lehmann, at the level of the verdict"
    )
    assert (effect.estimate, effect.interval) == (4.5, (1.5, 7.5))
    t = palio.compare(three, test="paired-t", correction=None).pairs[0]
    assert t.estimate == pytest.approx(4.5)
    assert t.interval[0] == pytest.approx(4.5 - 2.364624 * np.sqrt(6 / 8), abs=1e-5)


def test_effects_follow_the_direction(three: ScoreTable) -> None:
    errors = table_of(three.means(), "error")
    effect = palio.compare(errors).pairs[0]
    assert (effect.wins, effect.losses) == (0, 8)  # more error is worse
    assert effect.difference == pytest.approx(4.5)  # and the difference keeps its sign
    assert effect.rank_biserial == -1


def test_control(three: ScoreTable) -> None:
    comparison = palio.compare(three, control="a1")
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("a1", "a0"), ("a1", "a2")]
    assert comparison.pair("a0", "a1").p_adjusted == pytest.approx(2 * 2 / 2**8)  # two tests, not 3
    assert comparison.pair("a0", "a1").better == "a0"
    assert comparison.groups == (("a2", "a1"),) or comparison.groups == (("a1", "a2"),)
    assert comparison.claims.headline == (
        "The control a1, of 3 algorithms over 8 data sets, is significantly worse than a0 and not "
        "shown to differ from a2."
    )
    assert comparison.verdict.best == (
        f"{comparison.claims.headline} By the default comparison a0 leads; shared: a0 stays "
        "unbeaten in all 12 checks."
    )


def test_critical_differences() -> None:
    """Demšar 2006 Table 5: k = 4: 2.569 for Nemenyi, 2.394 for Bonferroni–Dunn."""
    table = table_of(np.random.default_rng(0).random((24, 4)))
    error = np.sqrt(4 * 5 / (6 * 24))
    nemenyi = palio.compare(table, test="mean-ranks", correction="nemenyi")
    assert nemenyi.critical_difference == pytest.approx(2.569 * error, abs=1e-3)
    dunn = palio.compare(table, test="mean-ranks", correction="bonferroni", control="a0")
    assert dunn.critical_difference == pytest.approx(2.394 * error, abs=1e-3)
    assert palio.compare(table).critical_difference is None
    # Over all pairs Bonferroni–Dunn's would be too small, and Holm has one for each step.
    for correction, control in (("bonferroni", None), ("holm", "a0")):
        found = palio.compare(table, test="mean-ranks", correction=correction, control=control)
        assert found.critical_difference is None


@pytest.mark.parametrize("test", list(PAIR_TESTS))
@pytest.mark.parametrize("control", [None, "a2"])
@pytest.mark.parametrize("correction", list(CORRECTIONS))
def test_every_combination_answers_or_says_why_not(
    test: str, correction: str, control: str | None
) -> None:
    rng = np.random.default_rng(7)
    table = table_of(rng.normal(size=(12, 4)) + [0, 0.5, 1, 3])
    entry = CORRECTIONS[correction]
    undefined = (
        (entry.test is not None and entry.test != test)
        or (entry.family == "pairs" and control is not None)
        or (entry.family == "control" and control is None)
        or (PAIR_TESTS[test].bayesian and correction not in ("none", "holm"))
    )
    if undefined:
        with pytest.raises(ParameterError, match=f"correction: '{correction}'"):
            palio.compare(table, test=test, correction=correction, control=control)
        return
    comparison = palio.compare(table, test=test, correction=correction, control=control)
    for pair in comparison.pairs:
        assert 0 <= pair.p_value <= 1
        assert 0 <= pair.p_adjusted <= 1
        assert pair.significant == (pair.p_adjusted <= 0.05)
    assert any(pair.significant for pair in comparison.pairs)


@pytest.mark.parametrize("omnibus", list(OMNIBUS_TESTS))
def test_omnibus(omnibus: str) -> None:
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(15, 4))
    assert palio.compare(table_of(scores), omnibus=omnibus).omnibus.p_value > 0.01
    far = palio.compare(table_of(scores + [0, 0, 0, 9]), omnibus=omnibus).omnibus
    assert far.p_value < 0.001
    assert far.method == omnibus


@pytest.mark.parametrize("omnibus", list(OMNIBUS_TESTS))
def test_agreement_of_the_data_sets(omnibus: str) -> None:
    """All in one order: W = 1."""
    scores = np.tile([3.0, 2, 1], (6, 1)) + np.arange(6)[:, np.newaxis]
    assert palio.compare(table_of(scores), omnibus=omnibus).kendall_w == pytest.approx(1)


def test_groups_that_are_no_neighbours_are_told() -> None:
    """By mean rank a0, a1, a2; a0 and a2 do not differ, a1 differs from a0."""
    from palio.comparison.building import _broken_bars

    names, differ = ["a0", "a1", "a2"], np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    assert _broken_bars([("a0", "a1"), ("a1", "a2")], names, differ) == ()
    told = _broken_bars([("a0", "a2"), ("a1", "a2")], names, differ)
    assert told == ("the groups overlap, so a single bar cannot show them: a0, a2",)


def test_pairs_are_never_hidden_by_the_omnibus(three: ScoreTable) -> None:
    table = table_of(np.random.default_rng(9).random((8, 3)))
    comparison = palio.compare(table)
    assert len(comparison.pairs) == 3
    assert any("did not reject" in note for note in comparison.notes)


def test_missing_scores_by_pairs() -> None:
    rng = np.random.default_rng(10)
    scores = rng.random((12, 3)) + [0.5, 0, 0]
    scores[3, 2] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(12)],
        algorithms=["a", "b", "c"],
        measure="accuracy",
        missing="pairwise",
    )
    for test in ("wilcoxon", "sign", "paired-t", "permutation"):
        comparison = palio.compare(table, test=test)
        whole = palio.compare(table.select(algorithms=["a", "b"]), test=test, correction=None)
        assert comparison.pair("a", "b").p_value == pytest.approx(whole.pairs[0].p_value)
        assert comparison.pairs[1].n == 11
        assert any("each pair on the data sets where both" in note for note in comparison.notes)
    ranked = palio.compare(table, test="mean-ranks")
    assert ranked.omnibus.n == 11
    assert np.isnan(comparison.scores["c"][3])
    assert comparison.to_dict()["scores"]["c"][3] is None


def test_too_many_gaps() -> None:
    scores = np.array([[0.1, np.nan], [np.nan, 0.2], [0.3, 0.4]])
    table = ScoreTable.from_arrays(
        scores, datasets=list("xyz"), algorithms=["a", "b"], measure="accuracy", missing="pairwise"
    )
    found = palio.compare(table)
    assert (found.pairs[0].n, found.omnibus.method, found.omnibus.n) == (1, "skillings-mack", 1)
    assert found.least_p == 1.0
    with pytest.raises(MissingCellsError, match="1 of 3 data sets have a score of every algorithm"):
        palio.compare(table, test="mean-ranks")
    with pytest.raises(MissingCellsError, match="'friedman' needs two data sets where every"):
        palio.compare(table, omnibus="friedman")
    apart = ScoreTable.from_arrays(
        scores[:2], datasets=list("xy"), algorithms=["a", "b"], measure="accuracy"
    )
    with pytest.raises(MissingCellsError, match="no two algorithms have a score on the same"):
        palio.compare(apart)


def test_letters_and_groups(three: ScoreTable) -> None:
    comparison = palio.compare(three, alpha=0.1)
    for pair in comparison.pairs:
        shared = set(comparison.letters[pair.a]) & set(comparison.letters[pair.b])
        assert bool(shared) is not pair.significant


def test_contract(three: ScoreTable) -> None:
    summary = palio.compare(three, test="mean-ranks", correction="nemenyi").to_dict()
    assert {"algorithms", "n_datasets", "mean_ranks", "omnibus", "critical_difference", "pairs",
            "groups", "notes"} <= set(summary)  # fmt: skip
    assert {"method", "statistic", "df", "p_value"} <= set(summary["omnibus"])
    assert {"a", "b", "statistic", "p_value", "p_adjusted", "significant", "better"} <= set(
        summary["pairs"][0]
    )


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"test": "wilcoxn"}, UnknownNameError, "Did you mean 'wilcoxon'"),
        ({"test": "5x2cv-f"}, ParameterError, "compares on the folds of one data set"),
        ({"correction": "hollm"}, UnknownNameError, "Did you mean 'holm'"),
        ({"omnibus": "fried"}, UnknownNameError, "omnibus: 'fried'"),
        ({"control": "a9"}, UnknownNameError, "control: 'a9' is not known"),
        ({"alpha": 0}, ParameterError, "alpha"),
        ({"zero_method": "no"}, ParameterError, "zero_method: it is one of wilcox, pratt, zsplit"),
        ({"ties": "drop"}, ParameterError, "ties: test 'wilcoxon' does not take it"),
        (
            {"test": "permutation", "n_resamples": -1},
            ParameterError,
            "n_resamples: .* whole number",
        ),
        ({"correction": "nemenyi"}, ParameterError, "belongs to test 'mean-ranks'"),
    ],
)
def test_bad_questions(
    three: ScoreTable, arguments: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        palio.compare(three, **arguments)  # type: ignore[arg-type]


def test_one_data_set(three: ScoreTable) -> None:
    with pytest.raises(DesignError, match="by the folds that they share, and 'd0' has one value"):
        palio.compare(three.select(datasets=["d0"]))


def test_many_groups_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from palio.comparison import building, results

    for module in (building, results):
        monkeypatch.setattr(module, "GROUP_LIMIT", 1)
    table = table_of(np.random.default_rng(3).normal(size=(20, 6)) + np.arange(6))
    comparison = palio.compare(table)
    assert comparison.groups == ()
    assert any("more than 1 groups" in note for note in comparison.notes)


def test_a_p_value_at_the_level_is_significant() -> None:
    """Six wins of six have p = 2/64, and that is what α may be."""
    table = table_of(np.column_stack([np.arange(6) + 1.0, np.arange(6)]))
    at, below = 2 / 64, float(np.nextafter(2 / 64, 0))
    for alpha, different in ((at, True), (below, False)):
        comparison = palio.compare(table, test="sign", correction=None, alpha=alpha)
        pair = comparison.pair("a0", "a1")
        assert (pair.p_adjusted, pair.significant) == (at, different)
        assert pair.winner == ("a0" if different else None)
        assert comparison.n_different == different
        assert len(comparison.groups) == 1 + different


@pytest.mark.parametrize(
    ("n", "k", "least"),
    [(3, 2, 0.25), (5, 2, 2 / 32), (6, 2, None), (7, 4, 6 * 2 / 128), (8, 4, None)],
)
@pytest.mark.parametrize("test", ["wilcoxon", "sign", "permutation"])
def test_where_no_verdict_is_possible(test: str, n: int, k: int, least: float | None) -> None:
    """Who wins everywhere has p = 2/2ⁿ, and Holm multiplies by the pairs."""
    level = table_of(np.random.default_rng(n * k).normal(size=(n, k)))
    found = palio.compare(level, test=test)
    assert found.n_different == 0
    assert found.least_p == (None if least is None else pytest.approx(least))
    text = str(found)
    said = " ".join(text.split())
    few = "no adjusted p can be below"
    assert (f"open: {few}" in said) == (least is not None)
    assert ("No difference found:" in text) == (least is None)
    assert (" group" in text.split("won/tied/lost")[0]) == (least is None)
    assert found.sureness == "open"
    if least is None:
        assert "open: no difference was found between any two" in said


def test_no_verdict_is_said_with_its_p_value() -> None:
    three = table_of(np.array([[3.0, 2, 1], [5, 4, 1], [8, 6, 1]]))
    few = "no adjusted p can be below {}"
    found = palio.compare(three)
    assert found.verdict.best == (
        "a0 has the best mean rank, 1.00, of 3 algorithms over 3 data sets; "
        f"open: {few.format('0.7500')}."
    )
    assert found.verdict.best == found.claims.headline
    assert found.claims.how_many_differ == ("with 3 data sets no adjusted p can be below 0.7500")
    # Fewer pairs with a control; a t test may always say something.
    against = palio.compare(three, control="a0").verdict.best
    assert against == (
        "The control a0, of 3 algorithms over 3 data sets, is not shown to differ from a1 and a2; "
        f"with 3 data sets {few.format('0.5000')}. By the default comparison the answer is open: "
        f"{few.format('0.7500')}."
    )
    assert palio.compare(three, correction=None, alpha=0.3).least_p is None
    assert palio.compare(three, test="paired-t").least_p is None
    # What all differ in is decided by gaps, too: two by two on seven data sets, not on eight.
    seven = np.column_stack([np.arange(8.0), np.arange(8) + 5.0, np.arange(8) + 9.0])
    seven[0, 0] = seven[1, 1] = seven[2, 2] = np.nan
    gaps = ScoreTable.from_arrays(
        seven,
        datasets=[f"d{i}" for i in range(8)],
        algorithms=["A", "B", "C"],
        measure="accuracy",
        missing="pairwise",
    )
    assert palio.compare(gaps).least_p == pytest.approx(3 * 2 / 64)


def test_the_lines_say_on_how_many_data_sets() -> None:
    """Each pair is of the data sets that both have; all together of those with two or more."""
    scores = np.random.default_rng(3).normal(size=(12, 3)) + 10
    scores[0, 0] = scores[1, 1] = scores[2, 2] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(12)],
        algorithms=["A", "B", "C"],
        measure="rmse",
        missing="pairwise",
    )
    found = palio.compare(table)
    assert (found.n_datasets, found.n_complete) == (12, 9)
    assert found.verdict.missing == (
        "3 of 36 scores are missing (never run, as far as the table tells): of A 1, B 1 and C 1. "
        "Each pair rests on the data sets that both have, 10 of them."
    )
    assert (found.omnibus.method, found.omnibus.n) == ("skillings-mack", 12)
    assert "all together, skillings-mack on 12 data sets: " in " ".join(str(found).split())
    ranked = palio.compare(table, test="mean-ranks").verdict.missing
    assert ranked is not None
    assert ranked.endswith("Only the 9 data sets count where all have one.")
    whole = palio.compare(table_of(np.nan_to_num(scores, nan=9.0)))
    assert whole.verdict.missing is None
    assert "all together, friedman on 12 data sets: " in " ".join(str(whole).split())


@pytest.fixture
def hardly() -> ScoreTable:
    """Twelve data sets: a0 beats a1, and a1 beats a2, on all; a3 wins on one, with a1 alone."""
    scores = 50.0 + np.arange(12)[:, np.newaxis] + np.array([4.0, 2.0, 0.0, 9.0])
    scores += np.random.default_rng(1).uniform(-0.5, 0.5, scores.shape)
    scores[:, 3] = np.nan
    one = np.array([[np.nan, 60.0, np.nan, 70.0]])
    return table_of(np.concatenate([scores, one]))


@pytest.mark.parametrize("lower", [False, True])
def test_who_was_hardly_compared_stands_last_and_the_best_first(
    hardly: ScoreTable, *, lower: bool
) -> None:
    table = table_of(100 - hardly.means(), "error") if lower else hardly
    found = palio.compare(table)
    # First of two, 1/3, is as much before a1 as that is worse than the rest of its data set; over
    # all the data sets' effects are 12 times 1/2 and once 2/3. K + 1 is 5.
    assert found.mean_ranks["a3"] == pytest.approx(5 * ((12 / 2 + 2 / 3) / 13 - 1 / 3))
    assert found.not_comparable == {"a3": 0}
    assert [row.algorithm for row in found.board] == ["a0", "a1", "a2", "a3"]
    assert found.by_standing[0] == found.leading == found.leader == "a0"
    assert palio.order(table).order == ("a0", "a1", "a2", "a3")


def test_two_that_never_met_share_a_letter(hardly: ScoreTable) -> None:
    letters = palio.compare(hardly).letters
    assert not set(letters["a0"]) & set(letters["a1"])
    for other in ("a0", "a1", "a2"):
        assert set(letters["a3"]) & set(letters[other])


def test_why_says_that_two_never_met(hardly: ScoreTable) -> None:
    order = palio.order(hardly)
    assert order.why("a3", "a0").endswith("and a3 too little; the two never met.")
    assert order.why("a3", "a1").endswith("and a3 too little; the two share 1 data set.")


def test_parts_that_never_met_keep_their_own_order() -> None:
    scores = np.full((20, 4), np.nan)
    scores[:10, :2] = [[2.0, 1.0]]
    scores[10:, 2:] = [[4.0, 3.0]]
    scores += np.random.default_rng(2).uniform(0, 0.1, scores.shape)
    found = palio.compare(table_of(scores))
    assert found.components == (("a0", "a1"), ("a2", "a3"))
    letters = found.letters
    assert len(set(letters.values())) == 4
