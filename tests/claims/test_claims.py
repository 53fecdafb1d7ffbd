"""Claims are true by a recomputation from the raw table, and no two faces contradict each other."""

from __future__ import annotations

import re

import numpy as np
import pytest

import palio
from palio.claims import Leader, Missing, Sureness, Unbeaten, Value
from palio.measures import measure_named
from palio.scores import ScoreTable
from tests.claims import recomputed
from tests.claims.recomputed import Raw
from tests.slow import mostly_slow

KINDS = ("complete", "lower", "ratio", "two", "scattered", "blocks", "failures", "copies")


def raw_table(kind: str, seed: int) -> tuple[Raw, ScoreTable]:
    """Draw a table of a kind, as arrays and as Palio's."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    k = 2 if kind == "two" else int(rng.integers(3, 7))
    n = int(rng.integers(7, 30))
    better = rng.normal(0, rng.choice([0.0, 0.3, 1.0]), size=k)
    values = 0.02 * (rng.normal(size=(n, k)) + better) + rng.uniform(0.6, 0.8, (n, 1))
    if kind == "copies":
        values[:, 1] = values[:, 0] + 1e-3 * rng.normal(size=n)
    ratio, up = kind == "ratio", kind not in ("ratio", "lower")
    if ratio:
        values = np.exp(5 * values) * 10 ** rng.uniform(-3, 3, (n, 1))
    elif not up:
        values = 1 - values
    failed = None
    if kind == "scattered":
        values[rng.random((n, k)) < 0.2] = np.nan
    elif kind == "blocks":
        values[: n // 3, 0] = np.nan
        values[-(n // 3) :, 1] = np.nan
    elif kind == "failures":
        failed = rng.random((n, k)) < 0.1
        values[failed] = np.nan
    costs = np.exp(rng.normal(0, 1, (n, k)) + rng.normal(0, 1, k))
    names = tuple(f"a{i}" for i in range(k))
    raw = Raw(values, names, up, ratio, costs, failed)
    measure = measure_named("rmse" if ratio else "accuracy" if up else "error")
    rows = {
        "dataset": [f"d{i:02}" for i in range(n) for _ in range(k)],
        "algorithm": [name for _ in range(n) for name in names],
        measure.name: values.ravel().tolist(),
        "train_time": costs.ravel().tolist(),
    }
    if failed is not None:
        rows["status"] = ["failed" if gone else "ok" for gone in failed.ravel()]
    return raw, palio.read_scores(rows, score=measure.name, keep_failing=True)


def tables(kinds: tuple[str, ...], seeds: range) -> list[tuple[str, int]]:
    return [(kind, seed) for kind in kinds for seed in seeds]


def check(kind: str, seed: int) -> None:
    """Recompute what is claimed of one table, and ask all verbs."""
    raw, table = raw_table(kind, seed)
    found = palio.compare(table)
    names, goodness = raw.algorithms, raw.goodness
    main = recomputed.unbeaten(goodness)
    assert set(found.unbeaten or ()) == {names[i] for i in main}
    leader = _check_leader(raw, found, main)
    if leader is not None and not found.not_comparable:
        assert found.sureness == recomputed.level(raw, names.index(leader)), (kind, seed)
    _check_missing(raw, found)
    order = palio.order(table, cost="train_time")
    _check_value(raw, order, leader)
    for other in (
        order,
        palio.order(table),
        palio.rank(table),
        palio.rank(table, method="copeland"),
    ):
        assert (other.leader, other.sureness) == (found.leader, found.sureness)
    for again in (palio.compare(table, test="sign"), palio.compare(table, control=names[0])):
        assert (again.leader, again.sureness) == (found.leader, found.sureness)
    if len(table.datasets) >= 3:
        audit = palio.audit(table, only=["leave-one-out"], progress=False)
        assert (audit.leader, audit.sureness) == (found.leader, found.sureness)


def _check_leader(raw: Raw, found: palio.Comparison, main: set[int]) -> str | None:
    claim = found.claims.of(Leader)
    assert claim is not None
    if not main:
        assert claim.algorithm is None
        return None
    stands, part = recomputed.standing(raw.goodness), recomputed.largest_part(raw.goodness)
    apart = {raw.algorithms.index(name) for name in found.not_comparable}
    candidates = [i for i in main & part - apart if not np.isnan(stands[i])]
    best = min(stands[i] for i in candidates)
    assert claim.algorithm in {raw.algorithms[i] for i in candidates if stands[i] <= best + 1e-9}
    own = raw.scores[:, raw.algorithms.index(claim.algorithm)]
    assert claim.n_datasets == int((~np.isnan(own)).sum())
    return claim.algorithm


def _check_missing(raw: Raw, found: palio.Comparison) -> None:
    claim, gone = found.claims.of(Missing), int(np.isnan(raw.scores).sum())
    assert (0 if claim is None else claim.cells) == gone


def _check_value(raw: Raw, order: palio.Ordering, leader: str | None) -> None:
    claim = order.claims.of(Value)
    assert claim is not None
    assert claim.algorithm == order.order[0]
    if leader is None or claim.against is None:
        return
    a, b = (raw.algorithms.index(name) for name in (claim.algorithm, claim.against))
    both = ~np.isnan(raw.goodness[:, [a, b]]).any(axis=1)
    assert claim.n_shared == int(both.sum())
    assert raw.costs is not None
    measured = both if raw.failed is not None else np.ones_like(both)
    logs = np.log(raw.costs[measured][:, b] / raw.costs[measured][:, a])
    if raw.failed is None:
        assert claim.ratio == pytest.approx(np.exp(logs.mean()))
    gain = (raw.goodness[both, a] - raw.goodness[both, b]).mean()
    if raw.ratio:
        assert claim.score_difference is None
        assert np.log(claim.score_ratio or 0.0) == pytest.approx(-gain, abs=1e-9)
    else:
        assert claim.score_difference == pytest.approx(gain, abs=1e-12)
    if claim.ratio is not None and claim.ratio < 1 / 1.01:
        assert "as fast" not in claim.text
        assert "as cheap" not in claim.text


@pytest.mark.parametrize(("kind", "seed"), tables(KINDS, range(2)))
def test_claims_are_true(kind: str, seed: int) -> None:
    check(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), tables(KINDS, range(2, 42)))
def test_claims_are_true_of_many_tables(kind: str, seed: int) -> None:
    check(kind, seed)


# --- faces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", mostly_slow(KINDS, ("ratio", "two", "blocks", "failures")))
def test_every_face_shows_the_same_claims(kind: str) -> None:
    _, table = raw_table(kind, 1)
    report = palio.analyse(table, cost="train_time", progress=False)
    headline = report.claims.headline
    assert headline.removesuffix(".") in _flat(str(palio.order(table, cost="train_time")))
    assert headline.removesuffix(".") in _flat(str(palio.compare(table)))
    assert headline.removesuffix(".") in _flat(str(report))
    assert headline.removesuffix(".") in _flat(report.to_html())
    for claim in (report.claims.of(Unbeaten), report.claims.of(Sureness)):
        assert claim is not None
        assert claim.clause in headline
    found = report.to_dict()
    assert (found["leader"], found["sureness"]) == (report.leader, report.sureness)
    kinds = {each["kind"]: each for each in found["claims"]}
    assert kinds["leader"]["algorithm"] == report.leader
    assert kinds["sureness"]["level"] == report.sureness
    assert kinds["value"]["text"] == found["verdict"]["value"]


def _flat(text: str) -> str:
    return " ".join(re.sub(r"\s+", " ", text).split())


@pytest.mark.parametrize("name", mostly_slow(["ulas2008", "benavoli2016", "replication2026"], 2))
def test_the_verbs_name_one_leader_of_a_study(name: str) -> None:
    table = palio.load_study(name)
    found = palio.compare(table)
    for other in (palio.order(table), palio.rank(table), palio.audit(table, only=["luck"])):
        assert (other.leader, other.sureness) == (found.leader, found.sureness)
    posterior = palio.bayes.anova(table, draws=500).to_dict()
    assert (posterior["leader"], posterior["sureness"]) == (found.leader, found.sureness)
    assert posterior["claims"][0]["kind"] == "most_probable"


# --- what was false -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["complete", "ratio", "scattered", "blocks", "lower"])
def test_an_interval_excludes_zero_exactly_where_the_pair_differs(kind: str) -> None:
    for seed in range(5):
        _, table = raw_table(kind, seed)
        for test in ("wilcoxon", "sign", "paired-t"):
            for pair in palio.compare(table, test=test).pairs:
                low, high = pair.interval
                assert (low > 0 or high < 0) == pair.significant, (seed, test, pair)


def test_who_is_cheaper_of_two_does_not_depend_on_a_third() -> None:
    for seed in range(20):
        raw, table = raw_table("complete", seed)
        prior = palio.order(table, cost="train_time").prior
        for gone in raw.algorithms:
            left = [name for name in raw.algorithms if name != gone]
            part = palio.order(table.select(algorithms=left), cost="train_time").prior
            assert list(part) == [name for name in prior if name != gone]
