"""The Bayesian half of wainer2016: simulated tables, and the published ones by each other."""

import csv
from importlib.resources import files

import pytest
from scipy import stats

import palio
from palio.studies import wainer2016_bayes
from palio.studies.reproduction import Cell
from palio.studies.wainer2016_bayes import DELTA

SIX = ["rf", "svmRadial", "gbm", "nnet", "rknn", "svmPoly"]


def printed(number: str) -> dict[Cell, float]:
    path = files("palio.studies") / "data" / "wainer2016" / f"table_{number}.csv"
    with path.open(encoding="utf-8") as lines:
        return {(row["a"], row["b"]): float(row["value"]) for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def found() -> palio.Reproduction:
    return palio.reproduce("wainer2016-bayes")


def test_what_is_compared(found: palio.Reproduction) -> None:
    assert [check.table for check in found.checks] == ["3", "7"]


def test_table_7_follows_from_table_3(found: palio.Reproduction) -> None:
    """Table 3 determines the means and their spread; Table 7 then has no freedom left."""
    fitted, foretold = found.only("3").checks[0], found.only("7").checks[0]
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


def test_one_table_is_shown(found: palio.Reproduction) -> None:
    text = str(found.only("3"))
    assert "Each cell: published|fitted." in text
    assert "0.83|0.83" in text
    with pytest.raises(palio.errors.UnknownNameError, match="There are: 3, 7"):
        found.only("4")


def test_eighty_columns(found: palio.Reproduction) -> None:
    for text in (str(found), *(str(found.only(number)) for number in ("3", "7"))):
        assert max(map(len, text.splitlines())) <= 80


def test_frame_and_dictionary_have_every_cell(found: palio.Reproduction) -> None:
    assert len(found.to_frame()) == found.cells
    summary = found.to_dict()
    assert sum(len(check["values"]) for check in summary["checks"]) == summary["cells"]


def test_there_is_nothing_to_load() -> None:
    with pytest.raises(palio.errors.MissingCellsError, match="does not print its error rates"):
        palio.load_study("wainer2016-bayes")
