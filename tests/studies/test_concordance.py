"""Every table and figure of the five papers has a row in the concordance, which says what is so."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import pytest

import palio
from docs.pages.replication import found as reproduced
from palio.app.cli import main
from palio.studies.concordance import PAPERS, Concordance, concordance

NUMBERED: dict[str, dict[str, Iterable[object]]] = {
    "yildiz2006": {"Table": range(1, 4), "Figure": range(1, 5)},
    "ulas2008": {
        "Table": [
            "3.1",
            "3.2",
            "3.3",
            *(f"4.{i}" for i in range(1, 6)),
            *(f"A.{i}" for i in range(1, 14)),
        ],
        "Figure": ["3.1", "3.2", "3.3"],
    },
    "benavoli2016": {"Table": range(1, 3)},
    "wainer2016": {"Table": range(1, 13), "Figure": range(1, 5)},
    "brazdil2000": {"Table": range(1, 5)},
}


@pytest.fixture(scope="module")
def found() -> Concordance:
    return concordance({name: reproduced(name) for name in PAPERS})


def test_every_numbered_table_and_figure_has_a_row(found: Concordance) -> None:
    numbered = {
        (paper, f"{kind} {number}")
        for paper, kinds in NUMBERED.items()
        for kind, numbers in kinds.items()
        for number in numbers
    }
    rows = [(each.paper, each.element) for each in found.elements]
    assert len(rows) == len(set(rows))
    assert numbered <= set(rows)
    assert {row for row in rows if row[1].startswith(("Table", "Figure"))} == numbered


def test_every_row_says_how_far_it_agrees_or_why_not(found: Concordance) -> None:
    for each in found.elements:
        assert each.agrees
        assert bool(each.command) == each.call.startswith("palio.reproduce(")
        if each.call and not each.command:
            assert callable(reduce(getattr, each.call.split(".")[1:], _imported(each.call)))
    counted = [each.agrees for each in found.elements if " of " in each.agrees]
    agree, cells = (sum(int(re.findall(r"\d+", text)[i]) for text in counted) for i in (0, 1))
    every = [reproduced(name) for name in PAPERS if name != "wainer2016-bayes"]
    # Table 7 of wainer2016 is foretold, in the study beside it.
    assert (agree, cells) == (sum(r.agree for r in every) + 15, sum(r.cells for r in every) + 15)


def _imported(call: str) -> object:
    __import__(call.rpartition(".")[0])
    return palio


def test_it_is_short(found: Concordance) -> None:
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 100
    assert len(found.to_frame()) == len(found.elements) == len(found.to_dict()["elements"])


@pytest.mark.slow
def test_no_row_fails_its_command(
    found: Concordance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each study is worked out once for all its rows."""
    monkeypatch.setattr("palio.studies.reproduce", reproduced)
    for each in found.elements:
        if each.command:
            words = shlex.split(each.command.replace("--figures .", f"--figures {tmp_path}"))
            assert main(words[1:]) == 0, each.command
