"""Runs of solvers that did not end: slower than all that did, whatever the cut-off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import palio
from palio.bayes.models import default_model, run_model
from palio.errors import InputError
from palio.scores import ScoreTable, read_scores
from palio.types import FloatArray
from tests.properties.test_scale import differing
from tests.shared import shared_file

RNG = np.random.default_rng(5)
EASY = np.exp(RNG.normal(3, 1, size=20))
CUTOFF = 5000
# The hare is three times as fast where it ends at all, on 8 of 20; "mid" ran out of memory once.
TIMES = np.stack([3 * EASY, EASY, 4 * EASY + RNG.random(20)], axis=1)
SOLVERS = ("tortoise", "hare", "mid")
ENDED = np.ones((20, 3), dtype=bool)
ENDED[8:, 1] = ENDED[19, 2] = False


def long(
    times: FloatArray = TIMES, ended: Any = ENDED, why: str = "timeout", cutoff: float = CUTOFF
) -> dict[str, list[Any]]:
    n, k = times.shape
    return {
        "instance": np.repeat([f"i{i}" for i in range(n)], k).tolist(),
        "solver": list(SOLVERS[:k]) * n,
        "runtime": np.where(ended, times, cutoff).ravel().tolist(),
        "status": np.where(ended, "ok", why).ravel().tolist(),
    }


def without(columns: dict[str, list[Any]], name: str = "status") -> dict[str, list[Any]]:
    return {each: values for each, values in columns.items() if each != name}


def by_cell(table: ScoreTable) -> dict[str, float]:
    return {f"{p.a} {p.b}": p.p_value for p in palio.compare(table).pairs}


# --- against others' numbers --------------------------------------------------------------------


def p_by_scipy(a: FloatArray, b: FloatArray, a_ended: Any, b_ended: Any) -> float:
    """Rank the log ratios of those that both solved; what one solved is beyond all, and tied."""
    ended = a_ended & b_ended
    with np.errstate(invalid="ignore"):
        ratios = np.where(ended, np.round(np.log(b) - np.log(a), 9), 0.0)
    extreme = np.abs(ratios).max() + 1
    ratios = np.where(a_ended & ~b_ended, extreme, np.where(~a_ended & b_ended, -extreme, ratios))
    kept = ratios[ratios != 0]
    if len(kept) < 50:  # all flips, by their distribution over sums of the (doubled) ranks
        ranks = np.rint(2 * stats.rankdata(np.abs(kept))).astype(int)
        ways = np.zeros(ranks.sum() + 1)
        ways[0] = 1
        for rank in ranks.tolist():
            ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
        ways /= ways.sum()
        at = int(ranks[kept > 0].sum())
        return float(min(1.0, 2 * min(ways[: at + 1].sum(), ways[at:].sum())))
    found = stats.wilcoxon(kept, correction=False, method="approx")
    return float(found.pvalue)


def test_wilcoxon_has_one_sided_time_outs_as_extremes() -> None:
    found = palio.compare(read_scores(long()))
    assert found.method == "wilcoxon"
    for pair in found.pairs:
        i, j = SOLVERS.index(pair.a), SOLVERS.index(pair.b)
        expected = p_by_scipy(TIMES[:, i], TIMES[:, j], ENDED[:, i], ENDED[:, j])
        assert pair.p_value == pytest.approx(expected, rel=1e-9)
    assert found.pair("tortoise", "hare").wins == 12
    assert found.pair("hare", "mid").ties == 1  # on the last instance neither ended


def test_sat_competition_by_hand() -> None:
    path = shared_file("results/aslib/SAT20-MAIN.algorithm_runs.arff.gz")
    table = read_scores(path)
    assert table.n_algorithms == 67
    raw = pd.read_csv(
        path, skiprows=9, header=None, names=["instance", "run", "solver", "time", "status"]
    )
    ok = raw.assign(ended=raw["status"] == "ok")
    times = ok.pivot_table(index="instance", columns="solver", values="time")
    ended = ok.pivot_table(index="instance", columns="solver", values="ended") == 1
    assert (times.shape, int(ended.sum().sum())) == ((400, 67), 12955)
    assert sum(table.unended_runs().values()) == 26800 - 12955
    # PAR10 of the competition's own cut-off, which runs passed by up to 3 seconds.
    par10 = times.where(ended, 50_000).mean()
    for name, mean in table.mean_scores().items():
        assert mean == pytest.approx(par10[name], rel=1e-3)
    found = palio.compare(table)
    assert found.leading == "Kissat-sc2020-sat+default" == par10.idxmin()
    assert found.leading == found.by_mean_rank[0]
    for name in ("CTSat+default", "cadical-trail+default", "ParaFROST_ALL+default"):
        pair = found.pair("Kissat-sc2020-sat+default", name)
        expected = p_by_scipy(
            *(times[each].to_numpy() for each in (pair.a, pair.b)),
            *(ended[each].to_numpy() for each in (pair.a, pair.b)),
        )
        assert pair.p_value == pytest.approx(expected, rel=1e-6)


# --- who tells, and that the cut-off's number does not matter -----------------------------------

TOLD: dict[str, dict[str, Any]] = {
    "a status": long(),
    "a status without times": {
        **long(),
        "runtime": [
            t if s == "ok" else None for t, s in zip(*list(long().values())[2:], strict=True)
        ],
    },
    "the largest value": without(long()),
    "a column of cut-offs": {**without(long()), "cutoff": [CUTOFF] * 60},
    "cut-offs that differ": {
        **without(long(cutoff=0)),
        "runtime": [t or 5000 + i // 3 for i, t in enumerate(without(long(cutoff=0))["runtime"])],
        "cutoff": [5000 + i // 3 for i in range(60)],
    },
    "infinity": {
        **without(long()),
        "runtime": [np.inf if t == CUTOFF else t for t in long()["runtime"]],
    },
    "true and false": {
        **without(long()),
        "timeout": [each != "ok" for each in long()["status"]],
    },
    "an outcome": {
        **long(),
        "status": ["UNSAT" if each == "ok" else "UNKNOWN" for each in long()["status"]],
    },
    "words in a wide table": {
        "instance": [f"i{i}" for i in range(20)],
        **{
            name: [
                str(t) if ok else "memout" for t, ok in zip(TIMES[:, j], ENDED[:, j], strict=True)
            ]
            for j, name in enumerate(SOLVERS)
        },
    },
}


@pytest.mark.parametrize("how", TOLD)
def test_however_it_is_told_the_answer_is_the_same(how: str) -> None:
    table = read_scores(TOLD[how], score="runtime")
    assert table.measure.is_censored
    assert table.is_complete
    assert sum(table.unended_runs().values()) == 13
    found, expected = palio.compare(table), palio.compare(read_scores(long()))
    assert (found.leading, found.unbeaten) == ("tortoise", ("tortoise",))
    assert by_cell(table) == pytest.approx(by_cell(read_scores(long())))
    assert found.mean_ranks == pytest.approx(expected.mean_ranks)
    assert found.sureness == expected.sureness


ASK: dict[str, Callable[[ScoreTable], Any]] = {
    "compare": palio.compare,
    "sign": lambda t: palio.compare(t, test="sign"),
    "order": palio.order,
    "audit": palio.audit,
    "power": lambda t: palio.power(t, trials=50, n_datasets=[10], progress=False),
    "rank": palio.rank,
    "copeland": lambda t: palio.rank(t, method="copeland"),
    "elo": lambda t: palio.rank(t, method="elo"),
    "bradley-terry": lambda t: palio.rank(t, method="bradley-terry"),
    "stability": lambda t: palio.rank_stability(t, n_resamples=50),
    "evaluate": palio.evaluate_rankings,
    "recommend": lambda t: palio.recommend(t, n_resamples=50),
    "bayes": lambda t: run_model(default_model(t), t),
    "bayes by sign": lambda t: run_model("sign", t),
}
# Scores as they were measured, and PAR10.
RAW = (".scores", ".mean_scores", ".mean_score", ".suggestions.score")


@pytest.mark.parametrize("verb", ASK)
def test_the_number_and_the_unit_of_a_cutoff_change_nothing(verb: str) -> None:
    one = ASK[verb](read_scores(long())).to_dict()
    later = ASK[verb](read_scores(long(cutoff=123_456))).to_dict()
    units = np.repeat(10 ** RNG.uniform(-3, 3, size=20), 3)
    other = long()
    other["runtime"] = (np.array(other["runtime"]) * units).tolist()
    assert differing(one, later, RAW) == []
    assert differing(one, ASK[verb](read_scores(other)).to_dict(), RAW) == []


def test_all_verbs_name_the_same_leader() -> None:
    table = read_scores(long())
    assert palio.compare(table).leading == "tortoise"
    assert palio.order(table).order[0] == "tortoise"
    assert palio.rank(table).order[0] == "tortoise"
    report = palio.analyse(table)
    assert report.comparison is not None
    assert report.comparison.leading == "tortoise"
    assert table.by_mean_score()[0] == "tortoise"
    posterior = run_model(default_model(table), table)
    assert posterior.best().sort_values("p_best").algorithm.iloc[-1] == "tortoise"


# --- tables that would make a statement false ---------------------------------------------------


def test_who_fails_on_hard_instances_does_not_lead_by_those_it_solves() -> None:
    two = read_scores(long(TIMES[:, :2], ENDED[:, :2]))
    assert (two.n_algorithms, two.left_out) == (2, ())
    assert palio.compare(two).unbeaten == ("tortoise",)


def test_a_solver_that_never_ends_is_last() -> None:
    ended = np.ones((20, 3), dtype=bool)
    ended[:, 1] = False
    found = palio.compare(read_scores(long(ended=ended)))
    assert found.by_standing[-1] == "hare"
    assert set(found.standings["hare"].beaten_by) == {"tortoise", "mid"}
    assert found.mean_scores["hare"] == 10 * CUTOFF


def test_instances_that_nobody_solves_say_nothing() -> None:
    nobody = ENDED.copy()
    nobody[10:14] = False
    kept = np.delete(np.arange(20), range(10, 14))
    whole = by_cell(read_scores(long(ended=nobody)))
    assert whole == pytest.approx(by_cell(read_scores(long(TIMES[kept], ENDED[kept]))))


def test_where_nothing_ended_nobody_differs() -> None:
    found = palio.compare(read_scores(long(ended=np.zeros((20, 3), dtype=bool))))
    assert found.n_different == 0
    assert set(found.mean_ranks.values()) == {2.0}


def test_a_never_run_instance_is_still_missing() -> None:
    columns = long()
    columns["status"][0], columns["runtime"][0] = "not run", np.nan
    table = read_scores(columns)
    assert int(np.isnan(table.means()).sum()) == 1
    assert np.isnan(table.goodness()[0, 0])
    told = palio.compare(table).verdict.missing or ""
    assert told.startswith("13 of 59 runs did not end (13 timeout): such a run counts as slower")
    assert "1 of 60 scores is missing" in told


def test_one_instance_has_no_answer() -> None:
    with pytest.raises(InputError, match="by the folds that they share"):
        palio.compare(read_scores(long(TIMES[:1], np.array([[True, False, True]]))))


def test_ties_at_the_floor_and_at_the_cutoff() -> None:
    """A time of 0 is the best there is, and no extreme hides it."""
    times = TIMES.copy()
    times[:3, 0] = 0.0
    table = read_scores(long(times))
    assert not table.scaled().floored.any()
    assert (np.argmax(table.goodness()[:3], axis=1) == 0).all()


# --- several runs of each -----------------------------------------------------------------------


@pytest.mark.parametrize("role", ["seed", "repeat", "fold"])
def test_the_share_that_did_not_end_comes_first(role: str) -> None:
    columns: dict[str, list[Any]] = {
        "instance": ["x"] * 8 + ["y"] * 8,
        "solver": (["a"] * 4 + ["b"] * 4) * 2,
        role: list(range(4)) * 4,
        # On x, a is fast but 3 of 4 do not end, and of b one: b is better. On y both have one.
        "runtime": [1, 9, 9, 9, 5, 5, 5, 9] + [1, 1, 1, 9, 5, 5, 5, 9],
        "status": ["ok", "timeout", "timeout", "timeout", "ok", "ok", "ok", "crash"]
        + ["ok", "ok", "ok", "timeout"] * 2,
    }
    table = read_scores(columns)
    assert table.measure.is_censored
    goodness = table.goodness()
    assert goodness[0, 0] < goodness[0, 1]
    assert goodness[1, 0] == goodness[1, 1]
    np.testing.assert_allclose(table.means(), [[(1 + 270) / 4, 105 / 4], [93 / 4, 105 / 4]])
    assert table.unended_runs() == {"timeout": 5, "crash": 1}
    assert "the share that did not end counts" in table.notes[-1]
    again = read_scores(table.to_frame(), score="runtime")
    np.testing.assert_array_equal(again.goodness(), goodness)


def test_runs_over_items_keep_no_item_scores() -> None:
    columns = long()
    columns["family"] = [f"f{int(name[1:]) % 5}" for name in columns["instance"]]
    table = read_scores(columns, dataset="family", item="instance")
    assert table.items is None
    assert table.unended_runs() == {"timeout": 13}
    assert palio.compare(table).leading == "tortoise"


# --- what is refused, and what may be chosen ----------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: palio.compare(t, test="paired-t"),
        lambda t: palio.compare(t, test="permutation"),
        lambda t: palio.compare(t, test="bayes"),
        lambda t: palio.compare(t, test="quade"),
        lambda t: palio.compare(t, scale="ratio"),
        lambda t: palio.compare(t, scale="difference"),
        lambda t: run_model("anova", t),
        lambda t: run_model("signed-rank", t),
        lambda t: palio.rank(t, method="mean-score"),
        palio.aggregate,
        palio.variance,
    ],
)
def test_what_weighs_sizes_is_refused(ask: Any) -> None:
    with pytest.raises(InputError, match=r"did not end|only who is better") as caught:
        ask(read_scores(long()))
    assert "differs by data set" not in str(caught.value)


def test_par10_may_be_chosen() -> None:
    table = read_scores(long(), missing="par10=5000")
    assert (table.measure.scale, table.rows.censored) == ("ratio", None)
    shown = read_scores(long())
    np.testing.assert_allclose(table.means(), shown.means())
    assert palio.aggregate(table).aggregates[0].algorithm == "tortoise"


def test_a_cutoff_may_be_given() -> None:
    columns = {**without(long(cutoff=5000.0)), "runtime": long()["runtime"]}
    columns["runtime"] = [
        t + 0.01 * i if t == CUTOFF else t for i, t in enumerate(columns["runtime"])
    ]
    assert not read_scores(columns).measure.is_censored
    table = read_scores(columns, missing="censored=5000")
    assert by_cell(table) == pytest.approx(by_cell(read_scores(long())))
    assert table.mean_scores()["hare"] == pytest.approx(read_scores(long()).mean_scores()["hare"])


def test_a_cutoff_of_what_goes_up_is_refused() -> None:
    columns = {**long(), "accuracy": long()["runtime"]}
    with pytest.raises(InputError, match="'censored' is for run times"):
        read_scores(without(columns, "runtime"), score="accuracy", missing="censored")


def test_scores_that_are_no_times_are_left_out_as_before() -> None:
    columns = {**without(long(), "runtime"), "accuracy": RNG.random(60).tolist()}
    table = read_scores(columns, keep_failing=True)
    assert table.rows.censored is None
    assert int(np.isnan(table.means()).sum()) == 13


def test_the_other_score_of_the_same_runs() -> None:
    """Of a run that did not end there is no accuracy, but it is still slower than the others."""
    table = read_scores({**long(), "accuracy": RNG.random(60).tolist()}, score="runtime")
    other = table.with_score("accuracy")
    assert other.measure.scale == "difference"
    assert other.left_out[0].algorithm == "hare"
    back = table.with_score("accuracy").with_score("runtime")
    assert (back.measure.scale, back.algorithms) == ("censored", ("tortoise", "mid"))
    np.testing.assert_array_equal(table.with_score("runtime").goodness(), table.goodness())


@pytest.mark.parametrize(
    "times",
    [
        [[1.0, 2.0], [2.0, 3.0], [3.0, 3.0]],  # nothing but coarse
        [[0.25, 0.5], [0.5, 0.5], [0.125, 0.5]],  # a cut-off is a whole number
        [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]],
        [[55.0, 60.0], [55.0, 60.0], [55.0, 60.0]],
    ],
)
def test_a_largest_value_alone_is_no_cutoff(times: Any) -> None:
    table = ScoreTable.from_arrays(
        times, datasets=list("xyz"), algorithms=["a", "b"], measure="runtime"
    )
    assert not table.measure.is_censored


def test_sureness_and_audit_see_no_holes() -> None:
    found = palio.compare(read_scores(long()))
    assert found.missing is not None
    assert (found.missing.cells, found.missing.failed, found.missing.unended) == (
        0,
        0,
        {"timeout": 13},
    )
    assert found.missing.shared is None
    audit = palio.audit(read_scores(long()))
    assert all("worst" not in line for line in audit.verdict.best)


def test_intervals_and_effects_have_no_extreme() -> None:
    text = str(palio.compare(read_scores(long())).to_dict())
    assert "e+30" not in text
    assert "e+29" not in text


def test_a_solver_that_fails_fast_does_not_lead() -> None:
    """Whether a solution was found is true or false; residuals of failures are infinite."""
    rows = [
        {
            "problem": f"p{i:02}",
            "solver": solver,
            "runtime": seconds * (1 + 0.01 * i),
            "found": solver == "careful" or i % 3 == 0,
            "duality_gap": 1e-9 * (i + 1) if solver == "careful" or i % 3 == 0 else np.inf,
        }
        for i in range(12)
        for solver, seconds in (("careful", 1.0), ("hasty", 0.01))
    ]
    table = read_scores(pd.DataFrame(rows))
    assert (table.measure.name, table.measure.is_censored) == ("runtime", True)
    assert palio.compare(table).leader == "careful"
    assert not any("found" in note and "not used" in note for note in table.notes)
