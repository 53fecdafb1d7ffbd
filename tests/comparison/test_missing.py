"""What a comparison says of scores that are missing, and of what hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.comparison.procedure import Procedure
from palio.scores import ScoreTable
from palio.scores.summary import MissingSummary

N = 12
BASE = np.linspace(0.5, 0.8, N)


def rows(failed: int, status: str = "timeout", *, up: bool = True) -> ScoreTable:
    """a is better than b wherever both have a score; a fails on some data sets."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("dataset", "algorithm", "score", "status")
    }
    for i in range(N):
        for name, score in (("a", BASE[i] + 0.1), ("b", BASE[i]), ("c", BASE[i] - 0.2)):
            fails = name == "a" and i < failed
            cells = (f"d{i}", name, np.nan if fails else score if up else 2 - score)
            for column, value in zip(columns, (*cells, status if fails else "ok"), strict=True):
                columns[column].append(value)
    return palio.read_scores(columns, score="score", higher_is_better=up)


def missing_of(table: ScoreTable, **how: Any) -> MissingSummary:
    found = palio.compare(table, **how).missing
    assert found is not None
    return found


@pytest.mark.parametrize("up", [True, False])
def test_verdicts_that_hang_on_failures(up: bool) -> None:
    table = rows(4, up=up)
    found = palio.compare(table)
    assert found.pair("a", "b").winner == "a"
    missing = missing_of(table)
    assert missing.reasons == {"timeout": 4}
    assert (missing.cells, missing.of, missing.failed, missing.shared) == (4, 36, 4, (8, 12))
    assert missing.lacking == {"a": 4}
    # As the worst of its data set a loses to b there, and ties with c: eight wins of twelve.
    assert missing.changes == (("a", "b", "a", None),)
    assert missing.unbeaten == ("a", "b")
    assert missing.leader_then == "a"
    worst = palio.compare(
        ScoreTable.from_rows(table.rows, table.measure, missing="worst", notes=table.notes)
    )
    assert worst.pair("a", "b").winner is None
    assert worst.leader == "a"
    assert worst.pair("a", "c").winner == found.pair("a", "c").winner == "a"
    assert found.verdict.missing == (
        "4 of 36 scores are missing (4 timeout): of a 4. Each pair rests on the data sets that "
        "both have, 8 to 12 of them. If failures counted as worst, a would not be significantly "
        "better than b; unbeaten would be a and b; a would still lead."
    )


def test_failures_that_change_nothing() -> None:
    found = palio.compare(rows(1))
    assert found.verdict.missing is not None
    assert found.verdict.missing.endswith(
        " If failures counted as worst, no verdict would change; a would still lead."
    )


def test_what_was_never_run_is_not_counted_as_worst() -> None:
    missing = missing_of(rows(4, "not run"))
    assert (missing.cells, missing.failed, missing.changes) == (4, 0, ())


def test_who_is_left_out_is_said_first() -> None:
    said = palio.compare(rows(8)).verdict.missing
    assert said == (
        "Left out: a, which failed on 8 of 12 data sets (8 timeout). --keep-failing "
        "(keep_failing=True) keeps it."
    )


def test_what_is_filled_in_is_said() -> None:
    table = ScoreTable.from_rows(rows(4).rows, rows(4).measure, missing="worst")
    missing = missing_of(table)
    assert (missing.imputed, missing.cells, missing.changes) == (4, 4, ())
    said = palio.compare(table).verdict.missing
    assert said == (
        "4 of 36 scores are missing (4 timeout): of a 4. 4 are filled in, by missing='worst'."
    )


def test_nothing_is_said_where_nothing_is_missing() -> None:
    found = palio.compare(rows(0))
    assert found.missing is None
    assert found.verdict.missing is None
    assert found.to_dict()["missing"] is None


def sparse() -> ScoreTable:
    """x, y, z share data sets in a chain; u and v only with each other."""
    values = np.full((18, 5), np.nan)
    values[:6, 0], values[:6, 1] = 0.9, 0.8
    values[6:12, 1], values[6:12, 2] = 0.9, 0.8
    values[12:, 3], values[12:, 4] = 0.5, 0.7
    values += np.linspace(0, 0.01, 18)[:, None] * [1, 1.1, 1.2, 1.3, 1.4]
    return ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(18)], algorithms=list("xyzuv"), measure="accuracy"
    )


def test_pairs_that_never_met_are_not_compared() -> None:
    found = palio.compare(sparse(), alpha=0.2)
    assert {frozenset((pair.a, pair.b)) for pair in found.pairs} == {
        frozenset("xy"), frozenset("yz"), frozenset("uv"),
    }  # fmt: skip
    assert found.components == (("x", "y", "z"), ("v", "u"))
    # Holm corrects for the three pairs that were compared.
    assert found.pair("x", "y").p_adjusted == pytest.approx(3 * 2 / 2**6)
    assert found.omnibus.df == (3.0,)
    assert not any({"x", "z"} <= set(group) for group in found.groups)


@pytest.mark.parametrize("correction", ["shaffer", "bergmann-hommel"])
def test_corrections_of_related_pairs_count_the_others_as_not_rejected(correction: str) -> None:
    found = palio.compare(sparse(), correction=correction)
    assert len(found.pairs) == 3
    assert all(pair.p_adjusted >= pair.p_value for pair in found.pairs)
    # With ten hypotheses of which seven are never rejected the first step counts all ten.
    assert min(pair.p_adjusted for pair in found.pairs) == pytest.approx(10 * 2 / 2**6)


def test_the_text_says_which_parts_nothing_joins() -> None:
    said = " ".join(str(palio.compare(sparse())).split())
    assert "No data set joins 2 parts, of 3 and 2 algorithms" in said


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "paired-t", "permutation", "bayes"])
def test_pairs_that_share_one_data_set(test: str) -> None:
    values = np.full((7, 3), np.nan)
    values[:6, 0], values[:6, 1], values[0, 2] = 0.9, 0.5, 0.1
    values[:, :2] += np.linspace(0, 0.1, 7)[:, None] * [1, 1.5]
    table = ScoreTable.from_arrays(
        values, datasets=list("stuvwxy"), algorithms=list("abc"), measure="accuracy"
    )
    found = palio.compare(table, test=test, alpha=0.2)
    assert found.pair("a", "c").n == 1
    assert found.pair("a", "b").p_value < 0.1
    assert found.pair("a", "c").p_value > 0.1 or test == "bayes"


def test_an_audit_asks_by_other_rules() -> None:
    """a beats b where it does not fail; counted as worst it does not."""
    found = palio.audit(rows(4), only=["missing"])["missing"]
    assert found.notes == ("choices: failures as worst; the data sets that all have",)
    assert found.findings == (
        "a and b differ by 1 of 2 choices (only by the data sets that all have)",
    )
    assert found.affected == {frozenset("ab")}
    assert found.bears
    # Of a and b who is beaten is asked twice, and only failures as worst count for how sure it is.
    assert [(way.how, set(way.beaten), way.counts) for way in found.otherwise] == [
        ("with failures as worst", {"c"}, True),
        ("on the data sets that all have", {"b", "c"}, False),
    ]
    nothing = palio.audit(rows(0), only=["missing"])["missing"]
    assert (nothing.findings, nothing.notes) == ((), ("no score is missing",))


def test_an_audit_of_a_sparse_table_says_what_it_cannot_ask() -> None:
    found = palio.audit(sparse())
    assert "and there are 0" in found["pools"].notes[0]
    assert "and there are 0" in found["variants"].notes[0]
    assert len(found["leave-one-out"].otherwise) == 18
    assert "no other rule to ask by" in found["missing"].notes[0]
    assert "mean-ranks" not in found["in-use"].notes[0]


def hardly(better: str, *, up: bool = True) -> ScoreTable:
    """a beats b everywhere; c has one data set of twelve, on which it is first, or last."""
    values = np.full((N, 4), np.nan)
    steps = np.linspace(0, 0.01, N)
    values[:, 0], values[:, 1], values[:, 3] = BASE + 0.1 + steps, BASE, BASE + 0.1
    values[0, 2] = 0.99 if better == "c" else 0.01
    return ScoreTable.from_arrays(
        values if up else -values,
        datasets=[f"d{i}" for i in range(N)],
        algorithms=list("abcd"),
        measure=palio.Measure("quality", up, "score"),
    )


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("better", ["c", "a"])
def test_who_was_hardly_tried_is_not_called_best(better: str, up: bool) -> None:
    """One data set can tell nobody apart: c is unbeaten, but neither best nor as good as it."""
    found = palio.compare(hardly(better, up=up))
    assert set(found.unbeaten or ()) == {"a", "c"}
    assert found.by_standing == ("a", "d", "b", "c")
    assert (found.by_mean_rank[0] == "c") is (better == "c")
    assert found.missing is not None
    assert found.missing.not_comparable == {"c": 1}
    assert found.verdict.best == (
        "a leads 4 algorithms over 12 data sets; c cannot be compared with it; shared: a stays "
        "unbeaten in all 16 checks."
    )
    assert found.leader == "a"
    order = palio.order(hardly(better, up=up))
    assert order.order[0] == order.leader == "a"


def test_who_was_hardly_tried_beside_a_control() -> None:
    found = palio.compare(hardly("c"), control="a")
    assert found.verdict.best == (
        "The control a, of 4 algorithms over 12 data sets, is significantly better than b and d; "
        "c cannot be compared with it. By the default comparison a leads; shared: a stays unbeaten "
        "in all 16 checks."
    )


def test_a_standing_says_on_how_many_data_sets() -> None:
    values = np.stack([BASE + 0.1, BASE + 0.1 + 0.01 * (-1.0) ** np.arange(N), BASE], axis=1)
    values[0, 0] = np.nan
    table = ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(N)], algorithms=list("abc"), measure="accuracy"
    )
    assert palio.compare(table).verdict.best == (
        "a leads 3 algorithms over 12 data sets, seen on 11 of them; b may be as good; shared: a "
        "stays unbeaten in all 16 checks."
    )


def test_few_data_sets_are_enough_where_few_pairs_are_left() -> None:
    """Holm: with r of 6 pairs rejected the next needs 2/2ⁿ · (6 − r) ≤ 0.05."""
    procedure = Procedure.asked("wilcoxon", "holm", 0.05)
    none, four = np.array([0.5] * 5 + [0.9]), np.array([1e-6] * 4 + [0.5, 0.9])
    assert procedure.enough(none, 4, None, most=12) == 8
    assert procedure.enough(four, 4, None, most=12) == 7
    assert procedure.enough(four, 4, None, most=7) == 7
    assert procedure.enough(four, 4, None, most=6) is None


def test_an_order_with_one_that_met_nobody() -> None:
    """Who has no rank, because nobody else has a score there, stands last."""
    values = np.full((3, 3), np.nan)
    values[0, :2], values[1, 2], values[2, :2] = [0.9, 0.8], 0.5, [0.9, 0.7]
    table = ScoreTable.from_arrays(
        values, datasets=["d", "e", "f"], algorithms=["a", "b", "alone"], measure="accuracy"
    )
    assert palio.order(table).order == ("a", "b", "alone")
    assert "nan" not in str(palio.order(table))


def test_an_audit_says_once_that_one_data_set_fewer_allows_no_verdict() -> None:
    """Of 31 the 465 pairs need 2/2ⁿ · 465 ≤ 0.05: fifteen data sets do, and fourteen do not."""
    k, n = 31, 15
    ladder = np.arange(n)[:, None] - np.arange(k) * (1 + np.linspace(0, 0.1, n)[:, None])
    names = [f"a{i:02d}" for i in range(k)]
    for rows, said in (
        (n, "without any one data set nobody would be beaten, as 14 are too few to tell any of 31 "
            "algorithms apart"),
        (n + 1, ""),
    ):  # fmt: skip
        values = np.vstack([ladder, ladder[:1] - 1])[:rows]
        table = ScoreTable.from_arrays(
            values,
            datasets=[f"d{i}" for i in range(rows)],
            algorithms=names,
            measure=palio.Measure("quality", True, "score"),
        )
        found = palio.audit(table, only=["leave-one-out"])
        assert found["leave-one-out"].findings == ((said,) if said else ())
        assert found.changes == ()
        why = "15 data sets are too few to check" if said else "a00 stays alone in all 20 checks"
        assert (found.leader, found.sureness) == ("a00", "fragile" if said else "firm")
        assert found.claims.headline.endswith(f": {why}.")
        assert len(found.doubted) == (k * (k - 1) // 2 if said else 0)
