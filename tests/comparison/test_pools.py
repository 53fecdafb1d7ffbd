"""Which mean-ranks verdicts hang on the pool, by losses and by ranking every pool anew."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import palio
from palio.comparison import pools
from palio.comparison.pools import (
    PoolCount,
    Pools,
    bonferroni_difference,
    loss_matrix,
    pool_shares,
    pool_verdict,
)
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.scores import ScoreTable
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import average_ranks


def nemenyi(table: ScoreTable, names: list[str], alpha: float) -> set[tuple[str, str]]:
    chosen = table.select(algorithms=names)
    found = palio.compare(chosen, test="mean-ranks", correction="nemenyi", alpha=alpha)
    return {(pair.a, pair.b) for pair in found.pairs if pair.significant}


def test_losses_give_the_ranks_of_every_pool() -> None:
    """A mean rank in a pool is one plus the losses there, ties half: checked by ranking anew."""
    rng = np.random.default_rng(0)
    goodness = rng.integers(0, 4, (11, 5)).astype(float)
    losses = loss_matrix(goodness)
    for size in range(2, 6):
        for pool in itertools.combinations(range(5), size):
            ranks = average_ranks(-goodness[:, pool]).mean(axis=0)
            for place, i in enumerate(pool):
                others = [j for j in pool if j != i]
                assert 1 + losses[i, others].sum() == pytest.approx(ranks[place])


@pytest.mark.parametrize("critical", [critical_difference, bonferroni_difference])
def test_pool_counts_by_ranking_every_pool_anew(critical: Callable[..., float]) -> None:
    rng = np.random.default_rng(1)
    goodness = rng.normal(size=(20, 6)) + np.linspace(0, 2, 6)
    names = list("abcdef")
    found_counts = pool_shares(goodness, alpha=0.05, critical=critical).counts(names)
    counts = {(c.a, c.b, c.others): c for c in found_counts}
    for a, b in itertools.combinations(range(6), 2):
        rest = [j for j in range(6) if j not in (a, b)]
        for size in range(5):
            found = 0
            pools = list(itertools.combinations(rest, size))
            for others in pools:
                columns = [a, b, *others]
                ranks = average_ranks(-goodness[:, columns]).mean(axis=0)
                found += abs(ranks[0] - ranks[1]) >= critical(len(columns), 20, 0.05)
            count = counts[names[a], names[b], size]
            assert (count.significant, count.subsets) == (found, len(pools))


def test_many_algorithms_are_sampled() -> None:
    rng = np.random.default_rng(2)
    shares = pool_shares(rng.normal(size=(10, 15)), alpha=0.05)
    counts = shares.counts([f"a{i}" for i in range(15)])
    middle = next(c for c in counts if c.others == 6)
    assert not middle.exhaustive
    assert 0 < middle.subsets <= 1000
    assert next(c for c in counts if c.others == 1).exhaustive


def test_a_sample_agrees_with_all_sub_pools_within_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten algorithms: all 2⁸ sub-pools of a pair, and forty drawn of each size, twenty times."""
    goodness = np.random.default_rng(5).normal(size=(20, 10)) + np.linspace(0, 1.5, 10)
    names = [f"a{i}" for i in range(10)]
    exact = pool_shares(goodness, alpha=0.05).counts(names)
    assert all(count.exhaustive and count.error == 0 for count in exact)
    monkeypatch.setattr(pools, "EXHAUSTIVE_LIMIT", 2)
    monkeypatch.setattr(pools, "_SAMPLED", 40)
    monkeypatch.setattr(pools, "_LEAST_SAMPLED", 40)
    off: list[float] = []
    for seed in range(20):
        drawn = pool_shares(goodness, alpha=0.05, seed=seed).counts(names)
        assert {one.others for one in drawn if not one.exhaustive} == {3, 4, 5}
        for one, all_ in zip(drawn, exact, strict=True):
            assert (one.a, one.b, one.others) == (all_.a, all_.b, all_.others)
            if one.exhaustive:
                assert (one.significant, one.subsets) == (all_.significant, all_.subsets)
                continue
            gap = abs(one.significant / one.subsets - all_.significant / all_.subsets)
            assert gap < 5 * one.error
            off += [gap / one.error] if all_.depends else []
    # Where a verdict depends on the pool, the error is neither hidden nor made up.
    assert 0.85 < np.sqrt(np.mean(np.square(off))) < 1.15


def test_an_example_is_a_pool_that_says_so() -> None:
    goodness = np.random.default_rng(6).normal(size=(15, 34)) + np.linspace(0, 1.5, 34)
    names = [f"a{i:02d}" for i in range(34)]
    judge = Pools(loss_matrix(goodness), 15, 0.05)
    found = pool_shares(goodness, alpha=0.05)
    some = np.arange(0, 33, 4), np.full(9, 33)
    counts = found.counts(names, some)
    assert not all(count.exhaustive for count in counts)
    sizes = {count.others for count in counts}
    assert {0, 1, 8, 16, 31, 32} <= sizes
    for count in counts:
        pair = names.index(count.a), names.index(count.b)
        for pool, verdict in ((count.example, True), (count.counterexample, False)):
            if pool is not None:
                assert len(pool) == count.others
                members = [*pair, *map(names.index, pool)]
                assert (pair in judge.different(members)) is verdict
    assert any(count.depends for count in counts)


def test_nemenyi_by_losses_is_nemenyi_by_ranks() -> None:
    rng = np.random.default_rng(3)
    goodness = np.round(rng.normal(size=(20, 6)) + np.linspace(0, 1, 6), 1)  # with ties
    names = [f"a{i}" for i in range(6)]
    scores = ScoreTable.from_arrays(
        goodness, datasets=[str(s) for s in range(20)], algorithms=names, measure="accuracy"
    )
    judge = Pools(loss_matrix(goodness), 20, 0.05)
    for size in (2, 3, 5, 6):
        for pool in itertools.combinations(range(6), size):
            said = {(names[a], names[b]) for a, b in judge.different(pool)}
            assert said == nemenyi(scores, [names[i] for i in pool], 0.05)


@pytest.mark.parametrize("study", ["benavoli2016", "replication2026", "ulas2008"])
def test_audit_and_verdict_agree(study: str) -> None:
    """One convention: what the page says of a pool, the audit and the comparison say too."""
    table = palio.load_study(study)
    names = list(table.algorithms)
    found = pool_verdict(table)
    report = palio.audit(table, test="mean-ranks", correction="nemenyi", only=["pools"])["pools"]
    rows = [row for row in report.rows if isinstance(row, PoolCount)]
    whole = {(row.a, row.b) for row in rows if row.others == len(names) - 2 and row.significant}
    assert set(found.different) == whole == nemenyi(table, names, 0.05)
    # With one algorithm less: as many sub-pools call a pair different as the steps say.
    less = {(row.a, row.b): row for row in rows if row.others == len(names) - 3}
    for pair, row in less.items():
        flips = sum((*pair, pair not in whole) in step.flips for step in found.steps)
        assert row.significant == (row.subsets - flips if pair in whole else flips)


@pytest.mark.parametrize("inside", [None, ["c45", "mdt", "mlp", "lnp", "svl", "sv2"]])
def test_what_one_algorithm_changes(inside: list[str] | None) -> None:
    table = palio.load_study("ulas2008")
    found = pool_verdict(table, inside, alpha=0.1)
    pool = inside or list(table.algorithms)
    now = nemenyi(table, pool, 0.1)
    expected = {}
    for one in table.algorithms:
        other = [name for name in table.algorithms if (name in pool) != (name == one)]
        then = nemenyi(table, other, 0.1)
        for a, b in itertools.combinations([n for n in table.algorithms if n in pool], 2):
            if one not in (a, b) and ((a, b) in then) != ((a, b) in now):
                expected[one, a, b] = (a, b) in then
    assert found.pool == tuple(pool)
    said = {(step.algorithm, a, b): now for step in found.steps for a, b, now in step.flips}
    assert said == expected != {}
    assert all(step.inside == (step.algorithm in pool) for step in found.steps)
    sizes = [len(step.flips) for step in found.steps]
    assert sizes == sorted(sizes, reverse=True)
    changing = len({key[1:] for key in expected})
    pairs = len(pool) * (len(pool) - 1) // 2
    assert f"{len(now)} of {pairs} pairs differ" in found.sentence
    assert f"{changing} of them change" in found.sentence
    assert "α = 0.1, 38 data sets" in found.note


def test_lower_is_better_and_gaps() -> None:
    """Turned errors say the same, and a data set with a gap counts for nobody."""
    scores = np.round(np.random.default_rng(8).normal(size=(30, 5)) + np.arange(5) * 0.5, 2)
    gaps = np.vstack([scores, [[100.0, np.nan, 0, 0, 0]] * 9])

    def table(values: np.ndarray, measure: str) -> ScoreTable:
        return ScoreTable.from_arrays(
            values,
            datasets=[f"d{i}" for i in range(len(values))],
            algorithms=list("abcde"),
            measure=measure,
            missing="pairwise",
        )

    found = pool_verdict(table(scores, "accuracy"))
    assert found.different
    assert pool_verdict(table(-scores, "error")) == found
    assert pool_verdict(table(gaps, "accuracy")) == found
    with pytest.raises(MissingCellsError, match="there is one"):
        pool_verdict(table(gaps[29:], "accuracy"))
    with pytest.raises(MissingCellsError, match="there is none"):
        pool_verdict(table(np.vstack([gaps[30:], [[np.nan, 1, 0, 0, 0]]]), "accuracy"))
    with pytest.raises(ParameterError, match="two or more"):
        pool_verdict(table(scores, "accuracy"), ["a"])
    with pytest.raises(UnknownNameError, match="'f'"):
        pool_verdict(table(scores, "accuracy"), ["a", "f"])
    # Of two none can be left out.
    steps = pool_verdict(table(scores, "accuracy"), ["a", "b"]).steps
    assert not any(step.inside for step in steps)


def test_nothing_hangs_on_one() -> None:
    goodness = np.column_stack([np.zeros(40), np.ones(40)])
    table = ScoreTable.from_arrays(
        goodness, datasets=[str(i) for i in range(40)], algorithms=["a", "b"], measure="accuracy"
    )
    found = pool_verdict(table)
    assert found.different == (("a", "b"),)
    assert found.steps == ()
    assert found.sentence.endswith(
        "None of these verdicts changes with one algorithm more or less."
    )


def test_the_differences_that_benavoli_2016_asks_for() -> None:
    """z* is 2.807 among five algorithms and 2.64 among four (examples 1 and 3)."""
    assert bonferroni_difference(5, 20, 0.05) == pytest.approx(2.807 * (30 / 120) ** 0.5, abs=1e-3)
    assert bonferroni_difference(4, 54, 0.05) == pytest.approx(2.64 * (20 / 324) ** 0.5, abs=1e-3)
    for m in (3, 5, 9):
        assert critical_difference(m, 20, 0.05) < bonferroni_difference(m, 20, 0.05)


def test_two_that_are_left_can_change() -> None:
    """With c between them a and b are two ranks apart, beyond 1.91; alone one, below 1.13."""
    judge = Pools(loss_matrix(np.tile([3.0, 1.0, 2.0], (3, 1))), n_datasets=3, alpha=0.05)
    assert judge.flips([0, 1, 2], 2) == {(0, 1): False}
    assert judge.flips([0, 1], 1) == {}
