"""What a study carries besides tables: its figures, and its entry in the registry."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import palio
from palio.errors import ParameterError, UnknownNameError, UnreadableError
from palio.registry import Later
from palio.studies import STUDIES, Study
from palio.studies.reproduction import Drawing, Reproduction, check_cells

RANKS = palio.compare(palio.load_study("ulas2008"))


@pytest.fixture
def reproduction() -> Reproduction:
    return Reproduction(
        study="toy2000",
        reference="A. Nobody (2000)",
        checks=(check_cells("1", "ranks", {("a",): 1.0}, {("a",): 1.0}),),
        drawings=(Drawing("Figure 2", "mean ranks", "critical-difference", RANKS),),
    )


def test_figures_are_written_twice(reproduction: Reproduction, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "figures"
    names = [path.name for path in reproduction.draw(folder)]
    assert names == ["toy2000-figure-2.svg", "toy2000-figure-2.png"]
    assert (folder / names[0]).read_bytes().startswith(b"<?xml")
    assert (folder / names[1]).read_bytes().startswith(b"\x89PNG")


def test_figures_are_told(reproduction: Reproduction) -> None:
    assert "Figure 2 mean ranks" in str(reproduction)
    (told,) = reproduction.to_dict()["drawings"]
    assert told == {
        "number": "Figure 2",
        "title": "mean ranks",
        "figure": "critical-difference",
        "summary": RANKS.to_dict(),
        "options": {},
    }


def test_one_of_tables_and_figures(reproduction: Reproduction) -> None:
    assert reproduction.only("1").drawings == ()
    assert reproduction.only("Figure 2").checks == ()
    with pytest.raises(UnknownNameError, match="There are: 1, Figure 2"):
        reproduction.only("Figure 3")


def test_what_cannot_be_written(reproduction: Reproduction, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnreadableError, match=r"folder: '.*' cannot be made"):
        reproduction.draw(tmp_path / "file" / "figures")


def test_a_figure_that_its_summary_does_not_allow(tmp_path: Path) -> None:
    wrong = Drawing("Figure 1", "a graph", "multitest-graph", RANKS)
    with pytest.raises(ParameterError, match="drawn from an ordering"):
        Reproduction("toy2000", "", (), drawings=(wrong,)).draw(tmp_path)


LOADED = """
import sys
import palio
palio.load_study({name!r})
print(*sorted(m for m in sys.modules if m.startswith("palio.studies.")))
"""


def test_a_study_loads_no_other_study() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(name="benavoli2016")],
        capture_output=True,
        text=True,
        check=True,
    )
    others = {"benavoli2016", "reproduction", "rerunning"}
    assert {module.removeprefix("palio.studies.") for module in done.stdout.split()} == others


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_an_entry_is_what_its_module_has(study: Study) -> None:
    module = importlib.import_module(study.home)
    assert study.reference == module.REFERENCE
    assert study.steps == getattr(module, "STEPS", 0)
    for each in (study.load, study.reproduce, study.rerun):
        assert each is None or (isinstance(each, Later) and callable(each.load()))
