"""The Bayesian half of wainer2016: simulated tables, and the published ones by each other."""

import csv
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats

import palio
from palio.studies import STUDIES, wainer2016_bayes, wainer2016_simulation
from palio.studies.reproduction import Cell
from palio.studies.wainer2016_simulation import DELTA, Seen, check_calibration, check_coverage

SIX = ["rf", "svmRadial", "gbm", "nnet", "rknn", "svmPoly"]


def printed(number: str) -> dict[Cell, float]:
    path = files("palio.studies") / "data" / "wainer2016" / f"table_{number}.csv"
    with path.open(encoding="utf-8") as lines:
        return {(row["a"], row["b"]): float(row["value"]) for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def steps() -> list[str]:
    return []


@pytest.fixture(scope="module")
def tiny(steps: list[str]) -> palio.Reproduction:
    return wainer2016_bayes.reproduce(n_tables=3, n_robust=1, progress=steps.append)


def test_every_step_is_told(tiny: palio.Reproduction, steps: list[str]) -> None:
    assert len(steps) == 3 + 1 + 1
    assert STUDIES["wainer2016-bayes"].steps == 80 + 4 + 1
    assert steps[0] == "normal table 1 of 3"
    assert steps[-1] == "the published tables"


def test_what_is_compared(tiny: palio.Reproduction) -> None:
    assert [check.table for check in tiny.checks] == [
        "coverage", "calibration", "threshold", "3", "7",
    ]  # fmt: skip


def test_table_7_follows_from_table_3(tiny: palio.Reproduction) -> None:
    """Table 3 determines the means and their spread; Table 7 then has no freedom left."""
    fitted, foretold = tiny.only("3").checks[0], tiny.only("7").checks[0]
    assert (fitted.agree, fitted.cells) == (91, 91)
    assert (foretold.agree, foretold.cells) == (15, 15)
    assert foretold.words == ("published", "foretold")


def test_the_means_behind_table_3_by_hand() -> None:
    """Two pairs that Tables 3 and 7 have in common: 0.83 and 0.51, and 0.72 and 0.40."""
    cells = printed("3")
    names = list(dict.fromkeys(name for cell in cells for name in reversed(cell)))
    means, spread = wainer2016_bayes._means_behind(cells, names)
    for pair, wide, narrow in ((("rf", "svmRadial"), 0.83, 0.51), (("svmPoly", "gbm"), 0.72, 0.4)):
        gap = means[names.index(pair[0])] - means[names.index(pair[1])]
        law = stats.norm(gap, spread)
        assert law.cdf(DELTA) - law.cdf(-DELTA) == pytest.approx(wide, abs=0.01)
        assert law.cdf(DELTA / 2) - law.cdf(-DELTA / 2) == pytest.approx(narrow, abs=0.01)


def test_a_misprint_in_table_7_would_be_seen() -> None:
    published = {number: printed(number) for number in ("3", "7", "12")}
    published["7"]["rknn", "nnet"] = 0.13
    check = wainer2016_bayes._from_means(published)[1]
    assert [difference.key for difference in check.differences] == [("rknn", "nnet")]


def test_table_8_is_a_part_of_table_12() -> None:
    eight, twelve = printed("8"), printed("12")
    assert eight == {cell: twelve[cell] for cell in twelve if set(cell) <= set(SIX)}
    assert len(twelve) == len(printed("3")) == 91


def test_one_table_is_shown(tiny: palio.Reproduction) -> None:
    text = str(tiny.only("3"))
    assert "Each cell: published|fitted." in text
    assert "0.83|0.83" in text
    with pytest.raises(palio.errors.UnknownNameError, match="There are: coverage, calibration"):
        tiny.only("4")


def test_eighty_columns(tiny: palio.Reproduction) -> None:
    for text in (str(tiny), *(str(tiny.only(number)) for number in ("3", "7", "calibration"))):
        assert max(map(len, text.splitlines())) <= 80


def test_frame_and_dictionary_have_every_cell(tiny: palio.Reproduction) -> None:
    assert len(tiny.to_frame()) == tiny.cells
    summary = tiny.to_dict()
    assert sum(len(check["values"]) for check in summary["checks"]) == summary["cells"]


def test_there_is_nothing_to_load() -> None:
    with pytest.raises(palio.errors.MissingCellsError, match="does not print its error rates"):
        palio.load_study("wainer2016-bayes")


# --- the simulation -------------------------------------------------------------------------------


def test_simulated_tables_have_the_size_and_the_spreads_of_the_study() -> None:
    rng = np.random.default_rng(0)
    gaps, residuals = [], []
    for _ in range(20):
        table, effects = wainer2016_simulation.simulate(rng)
        assert (table.n_datasets, table.n_algorithms) == (115, 14)
        assert (table.design().repeats, table.design().folds) == (1, 2)
        means = table.means()
        rest = means - means.mean(axis=0) - means.mean(axis=1, keepdims=True) + means.mean()
        residuals.append(np.sum(rest**2) / (114 * 13))
        halves = np.concatenate([table.fold_scores(name)[:, 0] for name in table.datasets])
        gaps.append(np.median(np.abs(halves[:, 0] - halves[:, 1])))
        # The columns differ as the true effects do, up to errors of 0.06/√115.
        noise = (means.mean(axis=0) - effects) * np.sqrt(115) / 0.06
        assert np.abs(noise - noise.mean()).max() < 4.5
    assert np.sqrt(np.mean(residuals)) == pytest.approx(0.06, rel=0.02)
    assert np.mean(gaps) == pytest.approx(0.0112, rel=0.02)


def test_shares_are_judged_by_three_binomial_errors() -> None:
    """Of 100 pairs 95 ± 3·2.18 may be inside: 89 agree, 88 do not."""
    for count, agree in ((89, 1), (88, 0), (100, 1)):
        inside = np.arange(100) < count
        seen = Seen(inside, np.full(100, 0.5), inside, np.array([0.01]))
        check = check_coverage({"normal": seen})
        assert check.agree == agree
        assert check.recomputed[("normal",)] == count / 100
    assert check.words == ("expected", "observed")


def test_stated_probabilities_are_judged_bin_by_bin() -> None:
    """Overconfident in the upper bin: said 0.9, true for half of 60; the lower is right."""
    stated = np.repeat([0.1, 0.9], [60, 60])
    equal = np.concatenate([np.arange(60) < 6, np.arange(60) < 30])
    check = check_calibration({"normal": Seen(equal, stated, equal, np.array([0.01]))})
    assert check.published == {
        ("normal, said 0 to 0.2",): 0.1,
        ("normal, said 0.8 to 1",): 0.9,
    }
    assert [d.key for d in check.differences] == [("normal, said 0.8 to 1",)]
    assert check.differences[0].reason == "60 pairs; more than 3 binomial standard errors away"


@pytest.mark.slow
def test_coverage_and_calibration() -> None:
    reproduction = wainer2016_bayes.reproduce(n_tables=400, n_robust=12, seed=1)
    checks = {check.table: check for check in reproduction.checks}
    for table in ("coverage", "calibration", "threshold"):
        assert not checks[table].differences, checks[table].differences


@pytest.mark.slow
def test_the_default_size_agrees() -> None:
    reproduction = palio.reproduce("wainer2016-bayes")
    assert reproduction.agree == reproduction.cells == 115
