"""A paper's method speaks in its own terms, and a preset is its whole procedure."""

from __future__ import annotations

from pathlib import Path

import pytest

import palio
from palio.app.cli import main
from palio.claims import DefaultMethod, Evidence
from palio.errors import DesignError, ParameterError
from palio.ordering.presets import PRESETS
from palio.report.figures import caption_of, draw


@pytest.fixture(scope="module")
def table() -> palio.ScoreTable:
    return palio.load_study("ulas2008")


@pytest.fixture(scope="module")
def found(table: palio.ScoreTable) -> palio.Ordering:
    return palio.order(table, cost="train_time", preset="ulas2008")


def test_counts_are_those_of_the_method(found: palio.Ordering) -> None:
    """Table 4.4(c) has seven pairs that differ; Wilcoxon's test, which the default takes, ten."""
    evidence = found.claims.of(Evidence)
    assert evidence is not None
    assert (evidence.n_different, evidence.n_pairs) == (7, 28)
    assert "place in MultiTest's order" in evidence.text
    text = " ".join(str(found).split())
    assert text.startswith("By Multi²Test and train_time 5nn leads 8 algorithms over 38 data sets.")
    assert "10 of 28" not in text
    assert found.notes[0].startswith("as ulas2008 §3.2")


def test_what_the_default_finds_against_it_is_said(found: palio.Ordering) -> None:
    against = found.claims.of(DefaultMethod)
    default = palio.compare(found.table)
    assert against is not None
    assert set(against.against) == {
        (a, b)
        for a in found.order
        for b in default.standings[a].beaten_by
        if found.ranks[a] < found.ranks[b]
    }
    assert f"it finds {against.against[0][1]} significantly better" in found.verdict.best


def test_one_data_set_by_its_folds(table: palio.ScoreTable) -> None:
    one = palio.order(table, dataset="optdigits", prior=table.algorithms, preset="yildiz2006")
    evidence = one.claims.of(Evidence)
    assert evidence is not None
    assert "5×2 cv t test, one-sided, Bonferroni" in evidence.text
    assert evidence.n_different == len(one.overridden)


def test_figures_say_what_they_show(found: palio.Ordering) -> None:
    caption = caption_of(draw(found, "critical-difference", medium="page"))
    assert "places in MultiTest's order on each data set, by 5x2cv-f and train_time" in caption


def test_a_preset_is_its_options(table: palio.ScoreTable, found: palio.Ordering) -> None:
    assert found.order == palio.multi2test(table, cost="train_time").order
    paper = palio.order(table, preset="benavoli2016")
    assert (paper.test, paper.order) == ("wilcoxon", palio.order(table).order)
    assert {each.verb for each in PRESETS.values()} == {"order", "rank"}


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"preset": "wainer2016"}, DesignError, "needs 2-fold cv of every algorithm, and the"),
        ({"preset": "ulas2008"}, ParameterError, "name a cost"),
        ({"preset": "ulas2008", "test": "5x2cv-t"}, ParameterError, "'ulas2008' has '5x2cv-f'"),
        ({"preset": "ulas2008", "method": "pairwise"}, ParameterError, "has 'multi2test'"),
        ({"preset": "brazdil2000"}, ParameterError, "a procedure of palio rank"),
    ],
)
def test_what_a_table_or_an_option_does_not_allow(
    table: palio.ScoreTable, options: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        palio.order(table, **options)  # type: ignore[arg-type]


def test_from_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["rank", "study:brazdil2000", "--as", "brazdil2000"]) == 0
    assert "as brazdil2000 §3 and §4" in capsys.readouterr().out
    path = tmp_path / "order.tex"
    words = ["--as", "ulas2008", "--cost", "space", "--latex", str(path)]
    assert main(["order", "study:ulas2008", *words]) == 0
    text = path.read_text(encoding="utf-8")
    assert "\\cite{ulas2008}" in text
    assert "\\toprule" in text
    assert "\\includegraphics{order.pdf}" in text
    assert "\\bibitem{ulas2008}" in text
    assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
