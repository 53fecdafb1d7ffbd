"""Audits of comparisons small enough to know the answer."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import palio
from palio.comparison import AUDIT_CHECKS, PAIR_TESTS
from palio.comparison.audit import _context, assumptions, audit_of, checks, report
from palio.comparison.audit.checks import only_in_use, recommended, recommended_corrections
from palio.comparison.audit.report import (
    MAX_NAMED,
    ByConvention,
    ErrorRate,
    LeftOut,
    NearCopy,
    Skewness,
)
from palio.comparison.pools import PoolCount
from palio.comparison.procedure import Procedure
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.scores import ScoreTable
from palio.stats.adjust import holm


def table_of(scores: np.ndarray, names: str = "abcdefgh", missing: str = "error") -> ScoreTable:
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=list(names[:k]),
        measure="accuracy",
        missing=missing,
    )


def example_1() -> ScoreTable:
    """benavoli2016, example 1: A and B level, made different by C, D and E."""
    halves = np.array([[50, 80], [80, 50], [55, 45], [60, 85], [65, 90]], dtype=float)
    return table_of(np.repeat(halves, 10, axis=1).T, "ABCDE")


def test_example_1_is_found_out() -> None:
    audit = palio.audit(example_1(), test="mean-ranks", correction="nemenyi", only=["pools"])
    sentence = next(s for s in audit["pools"].findings if s.startswith("A and B"))
    assert "A and B differ by mean ranks in the whole pool, but not alone" in sentence
    assert frozenset("AB") in audit["pools"].affected
    # Wilcoxon is not touched by the pool, so nothing is cast in doubt there.
    assert palio.audit(example_1(), only=["pools"])["pools"].affected == frozenset()


def test_a_verdict_that_hangs_on_one_data_set() -> None:
    """Six wins of six: p = 2/64 = 0.031; of five: 0.0625, and not significant."""
    scores = np.column_stack([np.arange(6) + 1.0 + 0.1 * np.arange(6), np.arange(6)])
    audit = palio.audit(table_of(scores), only=["leave-one-out"])
    report = audit["leave-one-out"]
    assert report.findings == ("a and b differ, but not without d0, d1, d2, d3 or 2 others",)
    assert report.rows == (LeftOut("a", "b", True, tuple(f"d{i}" for i in range(6))),)
    assert audit.sound == ()


def test_a_verdict_that_hangs_on_none() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(20, 2)) + [10, 0]
    audit = palio.audit(table_of(scores))
    assert audit.sound == (("a", "b"),)
    assert audit["leave-one-out"].findings == ()
    assert audit.changes == ()
    assert (audit.leader, audit.sureness) == ("a", "firm")
    assert str(audit) == (
        "a leads 2 algorithms over 20 data sets; it is significantly better than the\n"
        "rest; firm: a stays alone in all 24 checks\n\n"
        "Nothing that was asked would change who is unbeaten.\n\n"
        "The one significant pair is not in doubt. --details (in_detail=True) has what\n"
        "each check found."
    )
    assert "beyond doubt" not in str(audit) + repr(audit)


def test_where_all_would_take_minutes_some_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of twenty data sets, drawn by the seed; what they say is what leaving all out says."""
    table = example_1()
    whole = palio.audit(table, only=["leave-one-out"])["leave-one-out"]
    assert whole.sampling == ""
    monkeypatch.setattr(report, "_QUICK", 0)
    comparison = palio.compare(table)
    audit = replace(audit_of(comparison, only=["leave-one-out"], work=10), in_detail=True)
    some = audit["leave-one-out"]
    assert some.sampling == (
        "4 of 20 data sets, drawn at random, are left out one by one; one on which a verdict "
        "hangs is among them with probability 0.20"
    )
    assert "sampled: 4 of 20 data sets" in " ".join(str(audit).split())
    assert len(some.otherwise) == 4
    assert set(some.otherwise) <= set(whole.otherwise)
    assert some.affected <= whole.affected
    assert audit.to_dict()["checks"][0]["sampling"] == some.sampling


def won_a_lot_lost_little() -> ScoreTable:
    """Eight wins by a lot and three losses by little: Wilcoxon sees it, the sign test does not."""
    difference = np.array([5.0, 6, 7, 8, 9, 10, 11, 12, -0.1, -0.2, -0.3])
    return table_of(np.column_stack([50 + difference, np.full(11, 50.0)]))


def won_everywhere_once_by_far() -> ScoreTable:
    """Thirty wins, one of them a thousand times the others: the t test sees nothing."""
    difference = np.array([1000.0] + [1 + 0.01 * i for i in range(29)])
    return table_of(np.column_stack([difference, np.zeros(30)]))


def test_conventions_disagree() -> None:
    report = palio.audit(won_a_lot_lost_little(), only=["conventions"])["conventions"]
    (row,) = report.rows
    assert isinstance(row, ByConvention)
    by = row.by
    assert row.significant == sum(by.values())
    assert row.conventions == len(by)
    assert by["wilcoxon wilcox holm"]
    assert not by["sign drop holm"]
    assert len(report.findings) == 1
    assert report.findings[0].startswith("a and b differ by ")
    assert report.affected == {frozenset("ab")}


def test_doubt_is_counted_from_what_we_recommend_alone() -> None:
    """p = 2e-9 by Wilcoxon and by signs; that the t test does not see it casts no doubt."""
    audit = palio.audit(won_everywhere_once_by_far(), only=["conventions", "in-use"])
    (row,) = audit["in-use"].rows
    assert isinstance(row, ByConvention)
    assert not row.by["paired-t holm"]
    assert audit["in-use"].findings[0].startswith("a and b differ by ")
    assert "paired-t holm" in audit["in-use"].findings[0]
    assert audit["in-use"].affected == frozenset()
    assert audit["conventions"].findings == ()
    assert audit.sound == (("a", "b"),)
    text = str(replace(audit, in_detail=True))
    assert "in-use" not in str(audit)
    apart = "In use, but not what we recommend; no doubt is counted from these:"
    assert text.index("conventions: ") < text.index(apart) < text.index("in-use: ")


def test_an_audited_procedure_is_judged_by_what_we_recommend() -> None:
    """Two by the t test alone: every recommended convention says otherwise, so it is in doubt."""
    difference = np.array([3.0, 2.9, 2.8, 3.1, 2.7])  # p = 2/32 at best by signs and ranks
    table = table_of(np.column_stack([50 + difference, np.full(5, 50.0)]))
    audit = palio.audit(table, test="paired-t", only=["conventions"])
    assert audit.significant == (("a", "b"),)
    assert audit["conventions"].findings == ("a and b differ by none of 5 choices",)
    assert audit.sound == ()
    assert audit.changes == (
        "by the Wilcoxon signed-rank test with Holm, as in 1 other check, b would be unbeaten",
    )
    assert "\n\nThe one significant pair is in doubt. " in str(audit)


def test_which_conventions_are_recommended() -> None:
    """As docs/guide/which.md has it; each entry says why not."""
    assert [name for name, test in PAIR_TESTS.items() if test.recommended] == ["wilcoxon", "sign"]
    of_means = recommended_corrections(9, transitive=True)
    assert [each.name for each in of_means] == ["holm", "shaffer", "bergmann-hommel"]
    for k in (2, 3, 9, 10):
        assert [each.name for each in recommended(k)] == [
            "wilcoxon wilcox holm",
            "wilcoxon pratt holm",
            "wilcoxon zsplit holm",
            "sign drop holm",
            "sign split holm",
        ]
        others = {(each.test.name, each.correction.name) for each in only_in_use(k)}
        assert others.isdisjoint({("wilcoxon", "holm"), ("sign", "holm")})
        assert ("mean-ranks", "nemenyi") in others
        assert ("paired-t", "holm") in others
        # Of one pair all corrections are the same.
        assert (("sign", "shaffer") in others) == (k > 2)
    assert ("wilcoxon", "bergmann-hommel") not in others  # it takes too long with ten


def apart_from(best: float, n: int = 12) -> ScoreTable:
    """a, then b and c right behind a or not, then d far behind, on everything."""
    rng = np.random.default_rng(1)
    noise = rng.normal(scale=0.1, size=(n, 4))
    return table_of(noise + [best, 0, 0, -5])


CAREFUL = ("leave-one-out", "conventions", "symmetry")


def test_how_sure_where_nothing_changes() -> None:
    audit = palio.audit(apart_from(3, n=30), only=CAREFUL)
    assert audit.changes == ()
    assert (audit.leader, audit.sureness) == ("a", "firm")
    assert audit.claims.headline == (
        "a leads 4 algorithms over 30 data sets; it is significantly better than the rest; "
        "firm: a stays alone in all 34 checks."
    )
    summary = audit.to_dict()
    assert (summary["leader"], summary["sureness"], summary["changes"]) == ("a", "firm", [])
    for in_detail in (False, True):
        told = " ".join(str(replace(audit, in_detail=in_detail)).split())
        assert audit.claims.headline.removesuffix(".") in told
        assert "Nothing that was asked would change who is unbeaten." in told
    # How sure it is does not depend on which checks are shown.
    assert palio.audit(apart_from(3, n=30), only=["pools", "in-use"]).claims == audit.claims
    level = palio.audit(apart_from(0, n=30), only=["leave-one-out"])
    assert level.changes == ()
    assert level.claims.headline == (
        "b leads 4 algorithms over 30 data sets; c and a may be as good; shared: b stays unbeaten "
        "in all 34 checks."
    )


def test_in_detail_is_an_option() -> None:
    """As the last line of the short text says."""
    short = palio.audit(example_1(), only=["symmetry"])
    long = palio.audit(example_1(), only=["symmetry"], in_detail=True)
    assert "--details (in_detail=True) has what each check found." in " ".join(str(short).split())
    assert "symmetry: " in str(long)
    assert "symmetry: " not in str(short)
    assert "in_detail" not in str(long)


def test_how_sure_where_one_data_set_decides() -> None:
    """Six wins of six at p = 2/64: without any one of them nobody is beaten."""
    scores = np.column_stack([np.arange(6) + 1.0 + 0.1 * np.arange(6), np.arange(6)])
    audit = palio.audit(table_of(scores), only=["leave-one-out"])
    assert audit.changes == ("without d0, as in 5 other checks, b would be unbeaten",)
    assert audit.sureness == "fragile"
    assert audit.claims.headline.endswith("; fragile: 6 data sets are too few to check.")
    lower = ScoreTable.from_arrays(
        10 - scores, datasets=[*"uvwxyz"], algorithms=[*"ab"], measure="error"
    )
    assert palio.audit(lower, only=["leave-one-out"]).changes == (
        "without u, as in 5 other checks, b would be unbeaten",
    )


def test_how_sure_where_a_convention_decides() -> None:
    audit = palio.audit(won_a_lot_lost_little(), only=["conventions"])
    assert audit.changes == ("by the sign test with Holm b would be unbeaten",)
    assert audit.sureness == "fragile"
    told = " ".join(str(audit).split())
    assert "What would change the answer: - by the sign test with Holm b would be unbeaten" in told


def test_a_doubt_that_changes_nobody_s_place_among_the_best() -> None:
    """c45 and svl are told apart by one data set, but svr beats c45 whatever is left out."""
    audit = palio.audit(palio.load_study("ulas2008"), only=["leave-one-out"])
    assert audit["leave-one-out"].affected == {frozenset(("c45", "svl"))}
    assert audit.comparison.unbeaten == ("svr", "svl")
    assert audit.changes == ()
    assert audit.sureness == "shared"


def test_how_sure_of_mean_ranks() -> None:
    table = palio.load_study("benavoli2016")
    audit = palio.audit(table, test="mean-ranks", correction="nemenyi", only=["pools"])
    assert audit.changes == ("in another pool rf would be beaten",)
    assert not audit["pools"].apart
    by_wilcoxon = palio.audit(table, only=["pools"])
    assert by_wilcoxon["pools"].apart
    assert by_wilcoxon.changes == ()
    # Who leads, and how sure that is, is said by the default comparison.
    assert (audit.leader, audit.sureness) == (by_wilcoxon.leader, by_wilcoxon.sureness)


def test_no_verdict_on_three_data_sets() -> None:
    audit = palio.audit(table_of(np.array([[3.0, 2], [5, 4], [8, 6]])), only=["leave-one-out"])
    assert audit.sureness == "open"
    assert audit.changes == ()
    few = "no adjusted p can be below 0.2500."
    assert f"With 3 data sets {few}" in " ".join(str(audit).split())


def test_gaps_are_left_out_pair_by_pair() -> None:
    """What c lacks costs a and b nothing: 2/1024 × 3 on ten, 2/512 × 3 on nine.

    On the seven data sets that are complete it would be 2/128 × 3, and on six no longer enough.
    """
    scores = np.column_stack([np.arange(10) + 5.0, np.arange(10), np.arange(10) + 0.5])
    scores[:3, 2] = np.nan
    table = table_of(scores, missing="pairwise")
    comparison = palio.compare(table)
    audit = palio.audit(table, only=["leave-one-out", "conventions", "symmetry", "in-use"])
    rows = [row for row in audit["leave-one-out"].rows if isinstance(row, LeftOut)]
    assert {(row.a, row.b): row.flips_without for row in rows} == {
        ("a", "c"): tuple(f"d{i}" for i in range(3, 10)),
        ("b", "c"): tuple(f"d{i}" for i in range(3, 10)),
    }
    assert ("a", "b") in audit.sound
    by = [row for row in audit["conventions"].rows if isinstance(row, ByConvention)]
    assert [row.by["wilcoxon wilcox holm"] for row in by] == [
        pair.significant for pair in comparison.pairs
    ]


def test_error_rate_of_mean_ranks_beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """benavoli2016 §4.4 is about the equal ones beside others; Wilcoxon with Holm holds."""
    monkeypatch.setattr(assumptions, "TRIALS", 300)
    rng = np.random.default_rng(4)
    report = palio.audit(table_of(rng.normal(size=(15, 4))), only=["error-rate"])["error-rate"]
    rows = [row for row in report.rows if isinstance(row, ErrorRate)]
    rates = {(row.test, row.situation): row.error for row in rows}
    assert rates["wilcoxon", "all are equal"] < 0.1
    assert rates["wilcoxon", "one is far worse than the rest"] < 0.1
    assert {row.test for row in rows} == {"wilcoxon", "mean-ranks"}
    # §4.1: weak variants of one of two equals, and mean ranks see a difference between these.
    variants = "the others are weak variants of one of two equals"
    assert rates["mean-ranks", variants] > 0.2
    assert rates["wilcoxon", variants] < 0.1
    error = 100 * rates["mean-ranks", variants]
    told = f"mean-ranks with nemenyi errs in {error:.1f} % of tables when {variants}, not 5 %"
    assert told in report.findings


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "shaffer", "bh", "none"])
@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_what_wins_rule_out_is_ruled_out(test: str, correction: str) -> None:
    """A simulated table that is not looked at whole has no false difference."""
    procedure, rng = Procedure.asked(test, correction, 0.05), np.random.default_rng(5)
    skipped = 0
    for situation in assumptions.situations(6) * 40:
        scores = situation.draw(rng, 9)
        first, second = np.triu_indices(6, 1)
        asked = second < situation.equal
        wrong = bool(procedure.different(scores)[asked].any())
        assert assumptions._by_pairs(scores, situation.equal, procedure) == wrong
        skipped += not procedure.may_differ(scores, first, second, asked)
    assert skipped > 40  # or nothing is gained


def test_situations_have_their_equals() -> None:
    found = {k: assumptions.situations(k) for k in (2, 3, 4, 5)}
    assert [len(each) for each in found.values()] == [1, 3, 4, 4]
    assert [each.equal for each in found[5]] == [5, 4, 2, 2]
    rng = np.random.default_rng(0)
    draws = [each.draw(rng, 400) for each in found[5]]
    assert all(draw.shape == (400, 5) for draw in draws)
    level, worse, variants, better = (draw.mean(axis=0) for draw in draws)
    assert np.abs(level).max() < 0.3
    assert worse.round(0).tolist() == [0, 0, 0, 0, -50]
    assert better.round(0).tolist() == [0, 0, 100, 150, 200]
    # The variants stand right behind the first, each a little further.
    assert np.abs(variants).max() < 0.3
    behind = draws[2][:, :1] - draws[2][:, 2:]
    np.testing.assert_allclose(behind, np.tile([1e-6, 2e-6, 3e-6], (400, 1)), rtol=1e-6)


def test_symmetry_by_hand() -> None:
    """z = √n (mean − median) / (s √(π/2 − 1)), Holm over three pairs."""
    rng = np.random.default_rng(8)
    scores = np.column_stack([rng.exponential(size=60), rng.normal(size=60), np.zeros(60)])
    report = palio.audit(table_of(scores), only=["symmetry"])["symmetry"]
    rows = [row for row in report.rows if isinstance(row, Skewness)]
    expected = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        d = scores[:, i] - scores[:, j]
        z = np.sqrt(60) * (d.mean() - np.median(d)) / (d.std(ddof=1) * np.sqrt(np.pi / 2 - 1))
        expected.append(float(2 * ndtr(-abs(z))))
    assert [row.p_value for row in rows] == pytest.approx(expected)
    assert [(row.a, row.b) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    adjusted = holm(np.array(expected))
    assert [row.skewed for row in rows] == (adjusted <= 0.05).tolist()
    assert len(report.findings) == (adjusted <= 0.05).sum() > 0
    level = np.column_stack([np.arange(5.0), np.arange(5.0) + 1])
    (row,) = palio.audit(table_of(level), only=["symmetry"])["symmetry"].rows
    assert isinstance(row, Skewness)
    assert (row.p_value, row.skewed) == (1, False)


def test_the_audited_options_are_kept() -> None:
    """Six wins and four ties: dropped, p = 2/64 and no win can be spared; split, 8 : 2 is not."""
    difference = np.array([1.0] * 6 + [0.0] * 4)
    table = table_of(np.column_stack([50 + difference, np.full(10, 50.0)]))

    def rows(ties: str) -> tuple[object, ...]:
        return palio.audit(table, test="sign", ties=ties, only=["leave-one-out"])[
            "leave-one-out"
        ].rows

    assert rows("drop") == (LeftOut("a", "b", True, tuple(f"d{i}" for i in range(6))),)
    assert rows("split") == ()


def test_skewed_differences_are_found() -> None:
    rng = np.random.default_rng(5)
    skewed = rng.exponential(size=200) ** 2
    scores = np.column_stack([50 + skewed, np.full(200, 50.0), 50 + rng.normal(size=200)])
    report = palio.audit(table_of(scores), only=["symmetry"])["symmetry"]
    assert any(s.startswith("the differences of a and b are skewed") for s in report.findings)
    assert not any("of b and c" in s for s in report.findings)


def test_near_copies_are_found() -> None:
    """b, b′ and b″ are copies; each time a loses to b it loses three places."""
    rng = np.random.default_rng(6)
    n = 30
    b = rng.normal(size=n)
    a = b + np.where(np.arange(n) < 13, -1.0, 1.0)
    copies = [b - 1e-6 * i for i in range(1, 4)]
    audit = palio.audit(table_of(np.column_stack([a, b, *copies])), only=["variants"])
    copies_found = [row for row in audit["variants"].rows if isinstance(row, NearCopy)]
    assert {row.copy for row in copies_found} >= {"c", "d", "e"}


@pytest.mark.parametrize(("between", "copies"), [(1, 1), (2, 0)])
def test_a_near_copy_has_nobody_between_on_nine_of_ten(between: int, copies: int) -> None:
    """b is right behind a, but for so many of ten data sets on which c comes between."""
    a = np.full(10, 50.0)
    b = a - 1
    c = np.where(np.arange(10) < between, a - 0.5, a - 5 + 10 * (np.arange(10) % 2))
    d = np.where(np.arange(10) % 2, 30.0, 70.0)
    e = np.where(np.arange(10) % 2, 80.0, 20.0)
    scores = table_of(np.column_stack([a, b, c, d, e]))
    rows = palio.audit(scores, only=["variants"])["variants"].rows
    of_a = [row for row in rows if isinstance(row, NearCopy) and {row.copy, row.of} == {"a", "b"}]
    assert len(of_a) == copies
    assert [(row.copy, row.of, row.neighbours) for row in of_a] == [("b", "a", 0.9)] * copies


def test_three_algorithms_have_no_near_copies() -> None:
    a = np.arange(10.0)
    scores = table_of(np.column_stack([a, a - 0.1, a + 5 * (-1.0) ** a]))
    assert palio.audit(scores, only=["variants"])["variants"].rows == ()


def test_progress_is_told() -> None:
    told: list[str] = []
    palio.audit(example_1(), only=["pools", "symmetry"], progress=told.append)
    assert told == ["pools", "symmetry"]


def test_every_check_runs_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assumptions, "TRIALS", 20)
    audit = palio.audit(palio.load_study("ulas2008"))
    assert [check.name for check in audit.checks] == list(AUDIT_CHECKS)
    summary = audit.to_dict()
    assert summary["kind"] == "audit"
    assert len(audit.to_frame()) == sum(len(c.findings) for c in audit.checks)
    assert set(audit.sound) <= {tuple(pair) for pair in summary["significant"]}


def test_unknown_checks() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'pools'"):
        palio.audit(example_1(), only=["pool"])
    with pytest.raises(UnknownNameError, match="check: 'x'"):
        palio.audit(example_1(), only=["pools"])["x"]


def test_probabilities_are_not_audited() -> None:
    with pytest.raises(ParameterError, match="test: an audit asks tests with p-values again"):
        palio.audit(example_1(), test="bayes")


def test_too_few_data_sets() -> None:
    with pytest.raises(MissingCellsError, match="three data sets"):
        palio.audit(table_of(np.array([[1.0, 2], [2, 1]])))


def test_a_neighbour_by_rank_is_not_called_a_copy() -> None:
    """b, c, d and e are next to each other by rank everywhere, and ten points apart by score."""
    b = np.random.default_rng(6).normal(size=30)
    a = b + np.where(np.arange(30) < 13, -100.0, 1.0)
    table = table_of(np.column_stack([a, b, b - 10, b - 20, b - 30]) + 200)
    report = palio.audit(table, test="mean-ranks", correction="nemenyi", only=["variants"])
    assert report["variants"].findings[0] == (
        "without c, next to b by rank on 100 % of the data sets, or 2 other neighbours, mean "
        "ranks judge a and b differently"
    )
    assert "copy" not in str(report) + " ".join(report["variants"].notes)


def said_of(hits: np.ndarray) -> str:
    names = [f"n{i}" for i in range(len(hits))]
    return ByConvention.of("a", "b", True, dict(zip(names, hits.tolist(), strict=True))).sentence


def test_sentences_name_the_smaller_side() -> None:
    few = np.array([True] * 2 + [False] * 10)
    assert said_of(few) == "a and b differ by 2 of 12 choices (only by n0, n1)"
    assert said_of(~few) == "a and b differ by 10 of 12 choices (not by n0, n1)"
    half = np.array([True] * 6 + [False] * 6)
    assert said_of(half).endswith("(only by n0, n1, n2, n3 and 2 more)")


def test_sentences_shorten_many_sizes() -> None:
    rows = [PoolCount("a", "b", n, 1, 3, True, ("x",), ()) for n in range(6)]
    assert checks._pool_sentence(("a", "b"), rows) == (
        "a and b differ by mean ranks in the whole pool, but not alone (significant in 1/3 with 0 "
        "others, 1/3 with 1 other, …, 1/3 with 5 others)"
    )
    assert "…" not in checks._pool_sentence(("a", "b"), rows[:4])


def test_a_choice_of_the_audited_test_says_what_is_done_with_zeros() -> None:
    """Of the other conventions only those by the same test differ in nothing but the zeros."""
    table = palio.load_study("ulas2008")
    (check,) = palio.audit(table, only=["conventions"], alpha=0.01).checks
    said = {way.how for way in check.otherwise}
    assert "by the Wilcoxon signed-rank test with Holm, zeros by pratt" in said
    assert "by the sign test with Holm" in said


def test_choices_are_named_up_to_a_few_and_the_rest_counted() -> None:
    """Where one more than a few is left out, it is counted too."""
    for extra in (0, 1):
        few = np.arange(2 * (MAX_NAMED + 1)) < MAX_NAMED + extra
        assert said_of(few).endswith(" and 1 more)" if extra else f"n{MAX_NAMED - 1})")


def test_zeros_are_treated_as_the_convention_says() -> None:
    """Six zeros, losses of 1 and 2, wins of 3 to 8: dropped zeros give p = 0.039, ranked 0.078."""
    a = np.array([*[0.0] * 6, -1, -2, 3, 4, 5, 6, 7, 8])
    table = table_of(np.stack([a, np.zeros(14)], axis=1))
    row = palio.audit(table, only=["conventions"])["conventions"].rows[0]
    assert isinstance(row, ByConvention)
    assert row.by["wilcoxon wilcox holm"]
    assert not row.by["wilcoxon pratt holm"]


def test_a_pair_that_differs_in_every_pool_is_not_fragile() -> None:
    """a is best everywhere, so that no pool says otherwise of a and c."""
    base = np.arange(20.0)
    table = table_of(np.stack([base + 9, base + 5, base], axis=1))
    pools = palio.audit(table, test="mean-ranks", correction="nemenyi", only=["pools"])["pools"]
    assert not any("a and c" in finding for finding in pools.findings)


def forty(seed: int = 11, n: int = 20) -> ScoreTable:
    rng = np.random.default_rng(seed)
    return ScoreTable.from_arrays(
        np.round(rng.normal(size=(n, 40)) + 0.08 * rng.permutation(40), 2),
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j:02d}" for j in range(40)],
        measure="accuracy",
    )


def test_of_many_algorithms_the_pairs_that_matter_are_told() -> None:
    """Findings are on neighbours, the first ten and the focus, best first; the rest is counted."""
    checks_ = ["leave-one-out", "conventions", "in-use"]
    whole = palio.audit(forty(), only=checks_)
    place = {name: i for i, name in enumerate(whole.comparison.by_mean_rank)}
    last = whole.comparison.by_mean_rank[-1]
    for focus in (None, last):
        audit = palio.audit(forty(), only=checks_, focus=focus)
        for check in audit.checks:
            places = []
            for finding, (a, b) in zip(check.findings, check.pairs, strict=True):
                assert f"{a} and {b}" in finding
                low, high = sorted((place[a], place[b]))
                assert high - low == 1 or high < 10 or focus in (a, b)
                places.append((high, low))
            assert places == sorted(places)
            assert check.unlisted > 0
        conventions_ = audit["conventions"]
        assert len(conventions_.affected) == len(conventions_.findings) + conventions_.unlisted
        assert conventions_.affected == whole["conventions"].affected
        told = " ".join(str(replace(audit, in_detail=True)).split())
        assert "of neither the first nor neighbours" in told
    assert any(last in finding for finding in audit["conventions"].findings)
    with pytest.raises(UnknownNameError, match="focus"):
        palio.audit(forty(), only=["symmetry"], focus="a99")


def test_sound_pairs_of_many_are_counted() -> None:
    audit = palio.audit(forty(n=40), only=["leave-one-out"], in_detail=True)
    named = audit.sound_that_matter
    assert set(named) < set(audit.sound)
    others = len(audit.sound) - len(named)
    assert f"and {others} other pairs." in " ".join(str(audit).split())


def test_fewer_tables_and_algorithms_are_simulated_where_all_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert assumptions._size(20, 5) == (1000, 5)
    trials, k = assumptions._size(200, 1300)
    assert trials < 100
    assert k < 1300
    monkeypatch.setattr(assumptions, "_WORK", 60 * 20 * 20 * 20)
    report = palio.audit(forty(), only=["error-rate"])["error-rate"]
    assert report.sampling == (
        "60 tables are simulated of 20 algorithms, not 40; the standard error of the share is "
        "2.8 % where the level is held"
    )
    assert {(row.trials, row.algorithms) for row in report.rows if isinstance(row, ErrorRate)} == {
        (60, 20)
    }


def test_what_one_verdict_more_or_less_would_change() -> None:
    """As asking the whole question again with one verdict turned says, pair by pair."""
    table = palio.load_study("ulas2008")
    comparison = palio.compare(table)
    context = _context(comparison, seed=0, work=None)
    for i in range(len(comparison.pairs)):
        sided = context.sided.copy()
        sided[i] = 0 if sided[i] else np.sign(context.verdicts(context.procedure).lead[i])
        changed = context.beaten(sided) ^ context.beaten(context.sided)
        found = context.one_by_one([i], "so")
        assert len(changed) <= 1
        assert [each.beaten ^ context.beaten(context.sided) for each in found] == (
            [changed] if changed else []
        )
