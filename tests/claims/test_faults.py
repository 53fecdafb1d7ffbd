"""Small tables on which something false was said once: each test failed before it was mended."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.app.cli import main
from palio.claims import Evidence, FewClusters, Leader, TooFew, Value


def frame(scores: dict[str, list[float]], measure: str, **costs: dict[str, list[float]]) -> Any:
    """Make a long table of columns of scores, NaN where there is none, and of costs."""
    n = len(next(iter(scores.values())))
    rows = [
        {
            "dataset": f"d{i:02}",
            "algorithm": name,
            measure: column[i],
            **{cost: own[name][i] for cost, own in costs.items()},
        }
        for i in range(n)
        for name, column in scores.items()
        if not np.isnan(column[i])
    ]
    return pd.DataFrame(rows)


def rmse_in_units(units: np.ndarray) -> Any:
    """Draw two algorithms in units of their data sets: A has smaller errors on most."""
    rng = np.random.default_rng(7)
    ratio = np.exp(rng.normal(0.05, 0.06, units.size))
    base = rng.uniform(1, 2, units.size) * units
    return frame({"A": base.tolist(), "B": (base * ratio).tolist()}, "rmse")


@pytest.mark.parametrize(
    "verb", [palio.compare, palio.order, palio.rank, lambda t: palio.audit(t, progress=False)]
)
def test_a_change_of_unit_changes_nothing(verb: Callable[[Any], Any]) -> None:
    one = rmse_in_units(np.ones(14))
    other = rmse_in_units(np.where(np.arange(14) < 3, 1000.0, 1.0))
    first, second = verb(one), verb(other)
    assert (first.leader, first.sureness) == (second.leader, second.sureness)
    assert first.claims.headline == second.claims.headline


def test_one_scale_for_tests_and_models() -> None:
    table = rmse_in_units(10.0 ** np.arange(-7, 7))
    found, posterior = palio.compare(table), palio.bayes.anova(table, draws=2000).to_dict()
    assert found.measure.scale == "ratio"
    assert found.pair("A", "B").ratio == pytest.approx(
        np.exp(posterior["pairs"][0]["difference"]), rel=0.05
    )
    assert posterior["leader"] == found.leader


def holes_cost() -> Any:
    """Tree 1 s on twenty data sets; forest 2 s and svm 100 s on ten of them."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.6, 0.9, 20)
    scores = {name: base + rng.normal(0, 0.01, 20) for name in ("tree", "forest", "svm")}
    for name in ("forest", "svm"):
        scores[name][10:] = np.nan
    seconds = {"tree": [1.0] * 20, "forest": [2.0] * 20, "svm": [100.0] * 20}
    return frame({k: v.tolist() for k, v in scores.items()}, "accuracy", train_time=seconds)


def test_one_that_is_costlier_everywhere_is_never_called_cheaper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = palio.read_scores(holes_cost())
    order = palio.order(table, cost="train_time")
    assert order.order.index("tree") < order.order.index("forest")
    assert order.why("tree", "forest").startswith("tree is before forest: it is cheaper")
    path = tmp_path / "holes.csv"
    holes_cost().to_csv(path, index=False)
    assert main(["bayes", str(path), "--cost", "train_time", "--rope", "0.05", "--json"]) == 0
    assert '"algorithm": "tree"' in capsys.readouterr().out.split('"cheapest"')[1]


def test_means_over_different_data_sets_are_never_compared() -> None:
    """Deep beats tree wherever both were run; tree lacks the hard ones: its raw mean is best."""
    rng = np.random.default_rng(1)
    base = np.concatenate([np.full(12, 0.88), np.full(12, 0.58)])
    deep = base + 0.03 + rng.normal(0, 0.005, 24)
    boost = base + 0.02 + rng.normal(0, 0.005, 24)
    tree = base + rng.normal(0, 0.005, 24)
    tree[14:] = np.nan
    seconds = {"deep": [50.0] * 24, "boost": [20.0] * 24, "tree": [1.0] * 24}
    scores = {"deep": deep.tolist(), "boost": boost.tolist(), "tree": tree.tolist()}
    table = palio.read_scores(frame(scores, "accuracy", train_time=seconds))
    assert np.nanmean(tree) > deep.mean()
    report = palio.analyse(table, cost="train_time", progress=False)
    assert report.leader == "deep"
    assert report.front is not None
    assert report.comparison is not None
    assert set(report.front.members) == {"deep", "boost", "tree"}
    means = {row.algorithm: row.mean_score for row in report.comparison.board}
    assert means["deep"] > means["boost"] > means["tree"]
    rows = [line.split("&") for line in report.comparison.to_latex().splitlines()]
    bold = {row[0].strip() for row in rows if "textbf" in "".join(row[1:3])}
    assert bold == {"deep"}


def test_six_data_sets_are_too_few_to_check() -> None:
    table = frame(
        {"a": (0.8 + 0.01 * np.arange(6)).tolist(), "b": [0.7, 0.72, 0.74, 0.75, 0.73, 0.71]},
        "accuracy",
    )
    for found in (
        palio.compare(table),
        palio.audit(table, progress=False),
        palio.analyse(table, progress=False),
    ):
        assert (found.leader, found.sureness) == ("a", "fragile")
        assert "6 data sets are too few to check" in found.claims.headline


def small_on_the_easy_half() -> Any:
    """Make a table of items: small answered only the easy half; on it, big is ahead."""
    rng = np.random.default_rng(0)
    big = np.concatenate([rng.random(100) < 0.95, rng.random(100) < 0.35])
    small = big[:100].copy()
    small[np.flatnonzero(small)[:4]] = False
    tiny = np.concatenate([rng.random(100) < 0.2, rng.random(100) < 0.2])
    rows = [
        {"task": "gsm", "item": f"q{i}", "model": name, "correct": int(answers[i])}
        for name, answers in (("big", big), ("small", small), ("tiny", tiny))
        for i in range(len(answers))
    ]
    return pd.DataFrame(rows)


def test_algorithms_are_compared_on_the_items_that_they_share() -> None:
    found = palio.compare(small_on_the_easy_half())
    assert found.leader == "big"
    assert found.mean_scores["big"] > found.mean_scores["small"]
    evidence = found.claims.of(Evidence)
    assert evidence is not None
    assert evidence.on == "100 to 200 items"


def test_only_pairs_that_met_count_for_what_could_be_significant() -> None:
    rng = np.random.default_rng(2)
    scores = {name: rng.uniform(0.6, 0.8, 9) for name in "abcde"}
    for name in "abcd":
        scores[name][8] = np.nan
    scores["e"][:8] = np.nan
    found = palio.compare(frame({k: v.tolist() for k, v in scores.items()}, "accuracy"))
    # Eight wins of eight, times the six pairs that met: 6 · 2/2⁸ = 0.047, which is possible.
    assert found.least_p is None
    assert found.claims.of(TooFew) is None


def test_unequal_clusters_do_not_make_a_difference() -> None:
    """Seven clusters, one of which has nearly all items, and no true difference."""
    rng = np.random.default_rng(5)
    rows = []
    for cluster, size in enumerate((60, 4, 4, 4, 4, 4, 4)):
        shift = 0.1 if cluster == 0 else rng.normal(0, 0.05)
        for item in range(size):
            base = rng.uniform(0.4, 0.6)
            for model, more in (("a", shift), ("b", 0.0)):
                score = base + more + rng.normal(0, 0.02)
                rows.append(
                    {"task": "t", "cluster": f"c{cluster}", "item": f"q{cluster}_{item}",
                     "model": model, "accuracy": score}
                )  # fmt: skip
    found = palio.compare(pd.DataFrame(rows))
    assert found.n_different == 0
    assert found.claims.of(FewClusters) is not None
    assert "clusters" in found.claims.headline or "level" in found.claims.headline


def test_two_do_not_depend_on_a_third() -> None:
    rng = np.random.default_rng(4)
    base = rng.uniform(0.6, 0.85, 12)
    scores = {name: (base + rng.normal(0, 0.01, 12)).tolist() for name in "ABC"}
    costs = {"A": [1.0] * 6 + [3.5] * 6, "B": [2.0] * 12, "C": [100.0] * 6 + [4.0] * 6}
    whole = frame(scores, "accuracy", train_time=costs)
    both = whole[whole.algorithm != "C"]
    prior = [palio.order(each, cost="train_time").prior for each in (whole, both)]
    assert [name for name in prior[0] if name != "C"] == list(prior[1])


def test_a_ratio_says_which_ratio_it_is() -> None:
    """A is cheaper on most data sets, and dearer in total."""
    base = np.random.default_rng(6).uniform(0.6, 0.85, 12)
    scores = {"A": (base - 0.001).tolist(), "B": base.tolist()}
    scores["A"][:5] = (base[:5] + 0.002).tolist()
    costs = {"A": [1.0] * 11 + [36_000.0], "B": [10.0] * 11 + [600.0]}
    order = palio.order(frame(scores, "accuracy", train_time=costs), cost="train_time")
    claim = order.claims.of(Value)
    assert claim is not None
    assert (claim.algorithm, claim.against) == ("A", "B")
    assert claim.ratio == pytest.approx((10**11 * 600 / 36_000) ** (1 / 12))
    assert claim.totals == (36_011.0, 710.0)
    assert claim.text.endswith(
        "on the 12 data sets they share, though costlier in total, 36,000 against 710."
    )


def test_totals_are_left_out_where_they_agree_with_the_ratio() -> None:
    base = np.random.default_rng(6).uniform(0.6, 0.85, 12)
    scores = {"A": (base - 0.001).tolist(), "B": base.tolist()}
    scores["A"][:5] = (base[:5] + 0.002).tolist()
    costs = {"A": [1.0] * 12, "B": [10.0] * 12}
    order = palio.order(frame(scores, "accuracy", train_time=costs), cost="train_time")
    claim = order.claims.of(Value)
    assert claim is not None
    assert claim.text.endswith("on the 12 data sets they share.")


def test_a_sparse_table_says_where_its_leader_was_seen() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(60, 12)) + np.linspace(0, 2, 12)
    values[rng.random(values.shape) < 0.6] = np.nan
    scores = {f"m{i:02}": (0.5 + 0.05 * values[:, i]).tolist() for i in range(12)}
    found = palio.compare(frame(scores, "accuracy"))
    leader = found.claims.of(Leader)
    assert leader is not None
    assert leader.n_datasets < 60
    assert f"seen on {leader.n_datasets} of them" in found.claims.headline


def test_the_first_screen_is_three_sentences(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "holes.csv"
    holes_cost().to_csv(path, index=False)
    assert main([str(path), "--cost", "train_time"]) == 0
    screen = io.StringIO(capsys.readouterr().out).read().split("place", 1)[0]
    assert screen.count("\n\n") <= 4
    assert len(screen.split()) <= 60


def test_who_shares_a_mean_rank_is_not_said_to_be_behind() -> None:
    scores = {"A": [0.9, 0.6, 0.7] * 4, "B": [0.8, 0.9, 0.6] * 4, "C": [0.7, 0.8, 0.8] * 4}
    table = frame(scores, "accuracy")
    leads = palio.compare(table).claims.of(Leader)
    assert leads is not None
    assert leads.shares == ("A", "B", "C")
    (first, *_) = palio.rank(table).claims
    assert first.text == "By average ranks A, B and C share the first place."
    probable = palio.bayes.anova(table, draws=200).to_dict()["claims"][0]
    assert probable["kind"] == "most_probable"
    assert "by ranks" not in probable["text"]


def test_over_items_a_ranking_goes_by_the_items_that_all_have() -> None:
    ranking = palio.rank(small_on_the_easy_half())
    assert ranking.order[0] == "big"
    assert ranking.claims[0].text == "By average ranks big is first."


def test_over_items_the_leader_of_a_ranking_stands_by_its_mean() -> None:
    right = {"a": (12, 12, 1), "b": (11, 11, 19)}  # of 20 items in each of three tasks
    rows = [
        {"task": f"t{task}", "item": item, "model": model, "correct": int(item < n)}
        for model, each in right.items()
        for task, n in enumerate(each)
        for item in range(20)
    ]
    first = palio.rank(pd.DataFrame(rows), over="items").claims[0]
    assert first.text == (
        "By average ranks a is first; of those that nobody significantly beats b has the best "
        "mean correct."
    )


def test_who_met_nobody_has_no_mean_and_no_letter_beside_the_others() -> None:
    """The fifth was run alone, on a data set of its own."""
    base = np.random.default_rng(3).uniform(0.6, 0.8, 9)
    scores = {name: [*(base[:8] - 0.01 * i), np.nan] for i, name in enumerate("abcd")}
    table = palio.read_scores(frame({**scores, "e": [np.nan] * 8 + [0.99]}, "accuracy"))
    rows = [line.split() for line in str(palio.order(table)).splitlines()]
    alone = next(row for row in rows if row[1:2] == ["e"])
    assert alone == ["5", "e", "1–5", "–", "–", "–", "8"]
    assert palio.compare(table).to_dict()["rank_sets"]["e"] == [1, 5]


def test_over_items_those_who_never_met_the_leader_are_counted_in_the_headline() -> None:
    """Two pairs of models, each on a task of its own."""
    rows = [
        {"model": model, "task": task, "item": i, "correct": int((i + 3 * j) % 7 > j)}
        for task, models in (("one", "ab"), ("two", "cd"), ("three", "ef"))
        for j, model in enumerate(models)
        for i in range(20)
    ]
    found = palio.compare(palio.read_items(pd.DataFrame(rows)), over="items")
    assert found.leader is not None
    assert "; 4 others cannot be compared with it; " in found.claims.headline


def test_parts_that_never_met_are_told_also_where_no_test_could_decide() -> None:
    hole = [np.nan] * 4
    scores = {
        "a": [0.9, 0.8, 0.7, 0.8, *hole],
        "b": [0.8, 0.7, 0.6, 0.7, *hole],
        "c": [*hole, 0.9, 0.8, 0.7, 0.8],
        "d": [*hole, 0.8, 0.7, 0.6, 0.7],
    }
    found = palio.compare(frame(scores, "accuracy"))
    assert found.least_p is not None
    assert list(found.not_comparable) == ["c", "d"]
    assert "a has the best comparable mean rank" in found.claims.headline
    assert "c and d cannot be compared with it" in found.claims.headline


def test_a_board_of_one_data_set_shows_the_values_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "speeds.csv"
    path.write_text("model,qps\na,3000\nb,0\nc,60\nd,55\n", encoding="utf-8")
    table = palio.read_scores(path)
    assert table.measure.scale == "ratio"
    assert table.mean_scores() == {"a": 3000.0, "b": 0.0, "c": 60.0, "d": 55.0}
    assert main([str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("a has the best qps, 3000, of 4 algorithms")
    assert "52.17" not in shown  # 3000 in units of the median


def test_a_mean_over_folds_is_in_the_unit_of_the_one_data_set() -> None:
    folds = {"x": [10.0, 30.0], "y": [100.0, 300.0]}
    rows = [
        {"dataset": "d", "algorithm": name, "fold": fold, "rmse": value}
        for name, values in folds.items()
        for fold, value in enumerate(values)
    ]
    assert palio.read_scores(pd.DataFrame(rows)).mean_scores() == {"x": 20.0, "y": 200.0}


# --- cost against score ---------------------------------------------------------------------------


def test_one_that_waits_is_cheaper_than_the_one_it_is_compared_with() -> None:
    """Cheap is beaten by best alone, and dear is beaten by nobody: cheap waits for best."""
    base = np.random.default_rng(1).uniform(0.6, 0.8, 14)
    noise = np.random.default_rng(2).normal(0, 0.05, 14)
    scores = {"cheap": base, "middle": base + noise, "best": base + 0.01}
    seconds = {"cheap": [1.0] * 14, "middle": [2.0] * 14, "best": [9.0] * 14}
    table = frame({k: v.tolist() for k, v in scores.items()}, "accuracy", train_time=seconds)
    order = palio.order(table, cost="train_time")
    assert order.order == ("middle", "best", "cheap")
    assert order.why("middle", "cheap") == (
        "middle is before cheap: cheap is cheaper, but has to wait for best, significantly better "
        "than cheap."
    )


def contradicting_costs() -> Any:
    """By the model a is cheaper than b; on the two data sets that both have it is costlier."""
    base = np.random.default_rng(5).uniform(0.6, 0.8, 20)
    hole = np.nan
    scores = {name: base.copy() for name in "abc"}
    scores["a"][2:10], scores["b"][10:] = hole, hole
    seconds = {"a": [2.0] * 20, "b": [1.0] * 2 + [80.0] * 18, "c": [10.0] * 20}
    return frame({k: v.tolist() for k, v in scores.items()}, "accuracy", train_time=seconds)


def test_where_costs_contradict_a_pair_nobody_is_simply_the_cheapest() -> None:
    order = palio.order(contradicting_costs(), cost="train_time")
    assert order.order == ("a", "c", "b")
    assert order.why("a", "b").startswith(
        "a is before b: it is preferred by cost overall, though costlier on the 2 data sets of both"
    )
    assert order.steps[0].reason.startswith("the overall cheapest of those")
    assert order.preferred_by == "cost"


def value_of(table: Any) -> Value:
    claim = palio.order(table, cost="train_time").claims.of(Value)
    assert claim is not None
    return claim


def test_the_range_is_of_the_ratio_that_is_said() -> None:
    claim = Value(
        "a", "b", "train_time", 0.1, (0.05, 0.2), None, 8, 8, 0.01, None, "accuracy",
        is_time=True, beaten_by=(),
    )  # fmt: skip
    assert claim.text.startswith("Best value by train_time: a, 10 times as slow as b (5.0 to 20)")


def test_costs_known_on_fewer_data_sets_say_on_how_many() -> None:
    base = np.random.default_rng(6).uniform(0.6, 0.85, 12)
    scores = {"A": (base - 0.001).tolist(), "B": base.tolist()}
    scores["A"][:5] = (base[:5] + 0.002).tolist()
    costs = {"A": [1.0] * 3 + [np.nan] * 9, "B": [10.0] * 12}
    claim = value_of(frame(scores, "accuracy", train_time=costs))
    assert (claim.n_costs, claim.n_shared) == (3, 12)
    assert "10 times as fast as B on 3 data sets with both costs and " in claim.text
    assert claim.text.endswith(" in accuracy on the 12 data sets they share.")


def test_who_is_better_by_more_than_the_tolerance_is_not_within_it() -> None:
    """By ranks b leads; by the mean a is ahead by far, thanks to one data set."""
    scores = {"a": [0.70, 0.70, 0.70, 0.99], "b": [0.71, 0.71, 0.71, 0.70]}
    seconds = {"a": [1.0] * 4, "b": [5.0] * 4}
    claim = value_of(frame(scores, "accuracy", train_time=seconds))
    assert (claim.algorithm, claim.against) == ("a", "b")
    assert claim.text.endswith("; better by more than 0.01 in mean accuracy.")


def test_one_shared_data_set_of_several_is_told() -> None:
    hole = np.nan
    scores = {"a": [0.7, 0.8, hole, hole], "b": [hole, 0.81, 0.9, 0.6], "c": [0.71, 0.7, 0.8, 0.5]}
    seconds = {name: [size] * 4 for name, size in (("a", 1.0), ("b", 5.0), ("c", 9.0))}
    claim = value_of(frame(scores, "accuracy", train_time=seconds))
    assert (claim.algorithm, claim.against) == ("a", "b")
    assert "on the one data set they share" in claim.text


def test_ratios_of_explained_shares_are_said_to_be_of_what_is_left_unexplained() -> None:
    rng = np.random.default_rng(1)
    rows = [
        {
            "dataset": f"d{i:02}", "algorithm": name, "fold": fold, "train_time": seconds,
            "r2": 1 - float(np.exp(rng.normal(-1, 0.2) + worse * (1 if i % 3 else -1.2))),
        }
        for i in range(14)
        for name, seconds, worse in (("fast", 1.0, 0.3), ("slow", 9.0, 0.0))
        for fold in range(5)
    ]  # fmt: skip
    table = palio.read_scores(pd.DataFrame(rows))
    claim = value_of(table)
    assert claim.score_ratio is not None
    assert claim.score_ratio > 1
    assert "1 − r2 " in claim.text
    assert claim.text.endswith(" times as large on the 14 data sets they share.")
    assert palio.compare(table).mean_of == "1 − r2 ratio"


def test_a_reason_names_three_of_many() -> None:
    base = np.random.default_rng(1).uniform(0.6, 0.8, 40)
    scores = {f"m{i:02}": (base + 0.01 * i).tolist() for i in range(12)}
    seconds = {name: [float(i + 1)] * 40 for i, name in enumerate(scores)}
    order = palio.order(frame(scores, "accuracy", train_time=seconds), cost="train_time")
    assert order.steps[0].reason.endswith(
        "and 8 others are cheaper, but m11 is significantly better"
    )
