"""Whether the size of data sets explains who is good at them, against SciPy."""

from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

import palio
from palio.scores import ScoreTable
from palio.studies import replication2026
from palio.studies.wainer2016_findings import worst_there
from palio.studies.wainer2016_size import Slope, least_squares, size_layout, size_note, slopes
from palio.studies.wainer2016_tables import papers_ranks

SIZES = {"a": 120, "b": 150, "c": 290, "d": 310, "e": 700, "f": 1000, "g": 2400, "h": 5000}
NAMES = ("rf", "gbm", "knn", "nb")


def made(*, higher_is_better: bool) -> ScoreTable:
    """rf gains by rows and nb loses, with some noise; scores are accuracies or errors."""
    rng = np.random.default_rng(3)
    x = np.log2(list(SIZES.values()))
    x = (x - x.mean()) / x.std()
    errors = 0.3 + np.outer(x, [-0.08, 0.0, 0.0, 0.08]) + rng.normal(scale=0.03, size=(8, 4))
    errors[2, 1] = errors[2, 2]  # a tie
    return ScoreTable.from_arrays(
        1 - errors if higher_is_better else errors,
        datasets=list(SIZES),
        algorithms=NAMES,
        measure="accuracy" if higher_is_better else "error",
    )


def expected(table: ScoreTable, rows: Mapping[str, int]) -> dict[str, tuple[float, ...]]:
    """Each learner's slope, half its interval and p, by SciPy's regression of SciPy's ranks."""
    signs = -1 if table.measure.higher_is_better else 1
    ranks = stats.rankdata(np.round(signs * table.means(), 12), axis=1)
    x = np.log2([rows[name] for name in table.datasets])
    found: dict[str, tuple[float, ...]] = {}
    for name, y in zip(table.algorithms, ranks.T, strict=True):
        fit = stats.linregress(x, y)
        found[name] = (fit.slope, stats.t.ppf(0.975, len(x) - 2) * fit.stderr, fit.pvalue)
    return found


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_slopes_are_scipys_whichever_is_better(higher_is_better: bool) -> None:
    table = made(higher_is_better=higher_is_better)
    found = slopes(table, SIZES)
    wanted = expected(table, SIZES)
    assert [each.algorithm for each in found] == sorted(wanted, key=lambda name: wanted[name][0])
    for each in found:
        slope, half, p = wanted[each.algorithm]
        assert (each.slope, each.p_value) == pytest.approx((slope, p))
        assert (each.low, each.high) == pytest.approx((slope - half, slope + half))
    assert found[0].algorithm == "rf"
    assert found[0].slope < 0 < found[-1].slope
    assert found[-1].algorithm == "nb"


def test_slopes_of_the_replication_are_scipys() -> None:
    table = worst_there(palio.load_study("replication2026"))
    rows = {name: each.rows for name, each in replication2026.data_sets().items()}
    wanted = expected(table, rows)
    found = slopes(table, rows)
    for each in found:
        assert (each.slope, (each.high - each.low) / 2, each.p_value) == pytest.approx(
            wanted[each.algorithm]
        )
    # Holm: the smallest times K, the next times K − 1, none below one before it.
    by_p = sorted(found, key=lambda each: each.p_value)
    raised = [min(1.0, (len(by_p) - i) * each.p_value) for i, each in enumerate(by_p)]
    assert [each.p_adjusted for each in by_p] == pytest.approx(np.maximum.accumulate(raised))


def test_a_line_without_scatter_is_sure_and_a_flat_one_is_not() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    slope, half, p = least_squares(x, np.column_stack([2 * x, np.ones(4)]))
    assert slope.tolist() == [2.0, 0.0]
    assert half == pytest.approx([0.0, 0.0])
    assert p == pytest.approx([0.0, 1.0])


def test_too_few_sizes_have_no_slope() -> None:
    table = made(higher_is_better=False)
    assert slopes(table.select(datasets=["a", "b"]), SIZES) == ()
    assert slopes(table, dict.fromkeys(SIZES, 200)) == ()


def test_mean_ranks_by_size_and_how_they_go_with_the_papers() -> None:
    table = made(higher_is_better=False)
    cells = size_layout(table, SIZES).recomputed
    ranks = stats.rankdata(np.round(table.means(), 12), axis=1)
    printed = [papers_ranks("1", "mean_rank")[name] for name in NAMES]
    for column, some in {
        "100–300": slice(0, 3),
        "301–1000": slice(3, 6),
        "1001–5000": slice(6, 8),
    }.items():
        mean = ranks[some].mean(axis=0)
        assert cells["data sets", column] == str(len(ranks[some]))
        assert [cells[name, column] for name in NAMES] == [f"{value:.2f}" for value in mean]
        rho = stats.spearmanr(mean, printed).statistic
        assert float(str(cells["ρ, paper", column])) == pytest.approx(rho, abs=0.006)
    small = size_layout(table.select(datasets=["a", "b", "c"]), SIZES).recomputed
    assert {column for _, column in small} == {"paper", "100–300", "slope ± 95 %", "p"}


def test_who_clearly_gains_and_loses_is_named() -> None:
    def slope(name: str, b: float, p: float) -> Slope:
        return Slope(name, b, b - 1, b + 1, p, p)

    found = (slope("rf", -0.5, 0.001), slope("gbm", -0.4, 0.06), slope("nb", 0.4, 0.05))
    assert size_note(found) == (
        "ranks with twice the rows: clearly better rf (-0.50), clearly worse nb (+0.40)"
    )
    assert size_note(found[1:2]).endswith("clearly better none, clearly worse none")
