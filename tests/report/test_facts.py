"""What a page says of whom it is pointed at: the numbers of the comparison, and nothing else."""

import json
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import palio
from palio.report.facts import MOST_WITH_ALL_PAIRS, Facts, facts_of, island
from palio.report.sections import prepare
from tests.shared import shared_file


class PairFacts(NamedTuple):
    """What is said of a pair, the one that is ahead first."""

    a: int
    b: int
    difference: str
    interval: str
    wins: int
    ties: int
    losses: int
    p: str
    significant: bool


def made(scores: Any, measure: str = "accuracy", names: str = "abc", **options: Any) -> Any:
    values = np.array(scores)
    table = palio.ScoreTable.from_arrays(
        values,
        datasets=[f"set {i}" for i in range(len(values))],
        algorithms=list(names),
        measure=measure,
    )
    return palio.analyse(table, checks=[], **options)


def facts(report: Any, also: Any = ()) -> Facts:
    return facts_of(prepare(report), also)


def pairs(found: Facts) -> dict[tuple[str, str], PairFacts]:
    every = [PairFacts(*pair) for pair in found.pairs]  # type: ignore[arg-type]
    return {(found.names[pair.a], found.names[pair.b]): pair for pair in every}


SCORES = [[0.5 + i / 1000, 0.7 + i / 990, 0.9 if i else 0.4] for i in range(10)]


def hodges_lehmann(differences: Any) -> float:
    """The median of the means of every two differences, each with itself too."""
    d = np.asarray(differences)
    i, j = np.triu_indices(len(d))
    return float(np.median((d[i] + d[j]) / 2))


def test_a_pair_worked_by_hand_is_seen_from_the_one_ahead() -> None:
    found = pairs(facts(made(SCORES)))
    # c is better than a on nine of ten, by 0.4 but for the hundredths, and worse by 0.1 on one.
    pair = found["c", "a"]
    assert (pair.wins, pair.ties, pair.losses) == (9, 0, 1)
    assert pair.difference == f"{hodges_lehmann([c - a for a, _, c in SCORES]):+.3f}"
    assert facts(made(SCORES)).of == (
        "median difference, by Hodges and Lehmann, at the level of the verdict"
    )
    assert ("a", "c") not in found
    assert found["b", "a"].significant


def test_lower_is_better_turns_who_is_ahead_and_not_the_numbers() -> None:
    up, down = pairs(facts(made(SCORES))), pairs(facts(made(SCORES, "error")))
    assert set(down) == {(b, a) for a, b in up}
    assert down["a", "c"].difference == "−" + up["c", "a"].difference[1:]
    assert (down["a", "c"].wins, down["a", "c"].losses) == (9, 1)
    low, high = re.findall(r"[−+]\d\.\d+", up["c", "a"].interval)
    assert down["a", "c"].interval == f"−{high[1:]} to −{low[1:]}"


def test_every_number_is_that_of_the_comparison() -> None:
    table = palio.load_study("ulas2008")
    comparison = palio.compare(table)
    found = pairs(facts(palio.analyse(table, checks=[])))
    assert len(found) == comparison.n_pairs
    for (ahead, behind), said in found.items():
        pair = comparison.pair(ahead, behind)
        assert pair.better in (ahead, None)
        assert (said.significant, said.ties) == (pair.significant, pair.ties)
        wins, losses = (pair.wins, pair.losses)
        assert (said.wins, said.losses) == ((wins, losses) if pair.a == ahead else (losses, wins))
        one, two = (table.means()[:, table.algorithms.index(name)] for name in (ahead, behind))
        gap = hodges_lehmann(one - two)
        assert float(said.difference.replace("−", "-")) == pytest.approx(gap, abs=0.006)
        low, high = (float(end.replace("−", "-")) for end in said.interval.split(" to "))
        assert low - 0.006 <= gap <= high + 0.006
        # At the level at which the pair was decided: it leaves 0 out where the two differ.
        assert (low > 0 or high < 0) == pair.significant or 0 in (low, high)


def test_what_is_missing_is_not_won() -> None:
    scores = [[0.5, 0.7, np.nan if i < 4 else 0.9] for i in range(10)]
    found = pairs(facts(made(scores)))
    assert (found["c", "a"].wins, found["c", "a"].losses) == (6, 0)
    assert found["b", "a"].wins == 10


def test_against_a_control() -> None:
    found = facts(made(SCORES, control="b"))
    assert [found.names[i] for i in found.against] == ["b"]
    assert {frozenset(pair) for pair in pairs(found)} == {frozenset("ab"), frozenset("bc")}


def test_the_correction_is_said() -> None:
    assert facts(made(SCORES)).p == "adjusted "
    assert facts(made(SCORES, correction="none")).p == ""


def test_on_the_folds_of_one_data_set_there_is_no_interval() -> None:
    report = palio.analyse(palio.load_study("ulas2008"), datasets=["zoo"], checks=[])
    found = facts(report)
    assert found.over == "folds"
    assert {pair.interval for pair in pairs(found).values()} == {""}
    assert "mean rank" not in " ".join(found.said[0])


def test_over_items() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"task": f"t{t}", "item": f"{t}-{i}", "model": name, "accuracy": int(rng.random() < p)}
        for t in range(3)
        for i in range(40)
        for name, p in (("a", 0.9), ("b", 0.5))
    ]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    report = palio.analyse(palio.read_scores(columns), alpha=0.1, checks=[])
    found = facts(report)
    # Holm decides each pair at a level of its own.
    assert (found.over, found.level) == ("items", "")
    assert found.of == "mean difference, at the level of the verdict"
    plain = palio.analyse(report.table, alpha=0.1, checks=[], correction="none")
    assert facts(plain).level == "90 %"
    pair = pairs(found)["a", "b"]
    assert pair.wins + pair.ties + pair.losses == 120


def test_of_one_value_each_only_the_place_is_said() -> None:
    found = facts(made([[0.5, 0.7, 0.9]]))
    assert found.pairs == ()
    assert found.said[2] == ("Place 1 of 3; ranks 1–3.", "Mean accuracy 0.9000.")


def test_a_cost_that_was_named_is_said_in_its_unit() -> None:
    values = np.array(SCORES)
    table = palio.ScoreTable.from_arrays(
        values, datasets=[str(i) for i in range(10)], algorithms=list("abc"), measure="accuracy",
        costs={"fit_seconds": np.tile([54000.0, 2.0, 1.0], (10, 1))},
    )  # fmt: skip
    assert "mean fit_seconds 15 h" in facts(palio.analyse(table, cost="fit_seconds")).said[0][1]
    assert "fit_seconds" not in " ".join(facts(palio.analyse(table)).said[0])


def test_of_many_there_are_the_pairs_with_the_best_and_those_asked_for() -> None:
    k = MOST_WITH_ALL_PAIRS + 1
    rng = np.random.default_rng(1)
    names = [f"n{i}" for i in range(k)]
    report = made(rng.random((8, k)), names=names)  # type: ignore[arg-type]
    few = facts(report)
    (best,) = few.against
    assert not few.whole
    assert len(few.pairs) == k - 1
    assert all(best in pair[:2] for pair in few.pairs)
    other = next(name for name in names if name != names[best])
    more = facts(report, [other, "nobody"])
    assert len(more.pairs) == 2 * (k - 1) - 1
    whole = facts(made(rng.random((8, k - 1)), names=names[:-1]))  # type: ignore[arg-type]
    assert whole.whole
    assert len(whole.pairs) == (k - 1) * (k - 2) // 2


def test_nothing_in_the_element_can_end_it() -> None:
    names = ["</script><b>", "<!--", "b & c"]
    piece = island(prepare(made(SCORES, names=names)))  # type: ignore[arg-type]
    inside = re.fullmatch(
        '<script type="application/json" id="facts">(.*)</script>', piece, flags=re.S
    )
    assert inside is not None
    assert "<" not in inside[1]
    assert json.loads(inside[1])["names"] == names


def test_one_without_items_has_no_place_in_an_order_over_items() -> None:
    report = palio.analyse(palio.read_scores(shared_file("results/inspect")), checks=[])
    (left,) = {*report.table.algorithms} - {*report.ordering.order}
    found = facts(report)
    assert found.said[found.names.index(left)] == ("It has no place in the order.",)
    assert report.to_html().startswith("<!doctype html>")
