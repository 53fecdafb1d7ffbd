"""The grid says of every pair what the checks have said of it."""

import numpy as np
import pytest

import palio
from palio.comparison.audit import AUDIT_CHECKS, Audit
from palio.comparison.audit.grid import grid_of
from palio.scores import ScoreTable

QUICK = [name for name in AUDIT_CHECKS if name != "error-rate"]


def table_of(
    k: int, n: int, *, measure: str = "error", missing: float = 0.0, seed: int = 0
) -> ScoreTable:
    rng = np.random.default_rng(seed)
    scores = 0.5 + 0.02 * np.arange(k) + 0.05 * rng.standard_normal((n, k))
    scores[rng.random((n, k)) < missing] = np.nan
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"m{j:02}" for j in range(k)],
        measure=measure,
        missing="pairwise" if missing else "error",
    )


@pytest.fixture(
    scope="module",
    params=[
        (table_of(7, 14), {}),
        (table_of(7, 14, measure="accuracy"), {"test": "mean-ranks", "correction": "nemenyi"}),
        (table_of(8, 16, missing=0.1), {"test": "sign", "correction": "shaffer", "alpha": 0.1}),
    ],
    ids=["error", "mean-ranks", "missing"],
)
def audit(request: pytest.FixtureRequest) -> Audit:
    table, options = request.param
    return palio.audit(table, only=QUICK, **options)


def test_every_doubt_is_in_its_row_and_column(audit: Audit) -> None:
    grid = grid_of(audit, most=1000)
    assert {frozenset((row.a, row.b)) for row in grid.rows} == audit.doubted
    assert grid.rows
    for row in grid.rows:
        pair = frozenset((row.a, row.b))
        for cell, check in zip(row.cells, grid.checks, strict=True):
            assert (cell.state == "flips") == (pair in check.affected)
            told = any(frozenset(each) == pair for each in check.pairs)
            assert (cell.state != "firm") == told
            assert bool(cell.said) == told
            assert cell.state != "differs" or check.apart or check.name == "symmetry"


def test_every_pair_is_counted_once(audit: Audit) -> None:
    grid, compared = grid_of(audit, most=2), audit.comparison
    firm = sum(map(len, grid.firm.values()))
    assert len(grid.rows) == 2
    assert 2 + grid.unlisted + firm + grid.level == compared.n_pairs
    for winner, losers in grid.firm.items():
        for loser in losers:
            pair = compared.pair(winner, loser)
            assert pair.significant
            assert pair.better == winner
            assert frozenset((winner, loser)) not in audit.doubted


def test_the_best_placed_come_first_and_whoever_is_better_is_named(audit: Audit) -> None:
    grid, compared = grid_of(audit, most=1000), audit.comparison
    places = [tuple(map(compared.by_standing.index, (row.a, row.b))) for row in grid.rows]
    assert places == sorted(places)
    assert all(a < b for a, b in places)
    for row in grid.rows:
        pair = compared.pair(row.a, row.b)
        assert (row.significant, row.better) == (pair.significant, pair.better)


def test_what_is_named_would_change_the_verdict() -> None:
    """A data set that a cell names is left out, and the verdict is another."""
    table = table_of(7, 14)
    grid = grid_of(palio.audit(table, only=["leave-one-out"]), most=1000)
    named = [(row, each) for row in grid.rows for each in row.cells[0].ways]
    assert named
    for row, dataset in named[:20]:
        rest = table.select([each for each in table.datasets if each != dataset])
        assert palio.compare(rest).pair(row.a, row.b).significant != row.significant


def test_conventions_are_named_in_words() -> None:
    grid = grid_of(palio.audit(table_of(8, 16), only=["conventions"]), most=1000)
    ways = [way for row in grid.rows for way in row.cells[0].ways]
    assert ways
    assert all(way.startswith("by the ") for way in ways)
    assert all(len(row.cells[0].ways) == len(set(row.cells[0].ways)) for row in grid.rows)


def test_what_was_not_asked_is_no_column() -> None:
    grid = grid_of(palio.audit(table_of(5, 12), only=QUICK), most=1000)
    # No score is missing, and the others are not about pairs.
    assert {check.name for check in grid.others} == {"places", "missing", "luck", "splits"}
    # Of three data sets that all have, two checks have too few.
    few = table_of(5, 12, missing=0.5, seed=4)
    assert "pools" in {check.name for check in grid_of(palio.audit(few), most=9).left}


def test_of_many_algorithms_one_sentence_on_all_pairs_is_in_every_cell() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((15, 31)) + 40.0 * np.arange(31)
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(15)],
        algorithms=[f"m{j}" for j in range(31)],
        measure="accuracy",
    )
    audit = palio.audit(table, only=["leave-one-out"])
    assert "nobody would be beaten" in audit["leave-one-out"].findings[0]
    grid = grid_of(audit, most=50)
    assert len(grid.rows) == 50
    assert all(row.cells[0].said == audit["leave-one-out"].findings[0] for row in grid.rows)
