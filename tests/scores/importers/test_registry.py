"""The contract of every importer: what loads it, and that its entry leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from palio.registry import Later
from palio.scores.importers import IMPORTERS, Importer, asked_for


def loaded_by(code: str) -> set[str]:
    code += ";import sys; print(*(m for m in sys.modules if 'scores.importers.' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.rpartition(".")[2] for name in done.stdout.split()}


def test_an_ordinary_table_loads_no_importer(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("dataset,algorithm,error\na,x,1\na,y,2\n", encoding="utf-8")
    assert loaded_by(f"import palio; palio.read_scores({str(path)!r})") == set()


def test_a_folder_loads_its_own_importer(tmp_path: Path) -> None:
    for name in "AB":
        (tmp_path / f"{name}_accuracy.csv").write_text("Resamples:,0\na,1\n", encoding="utf-8")
    loaded = loaded_by(f"import palio; palio.read_scores({str(tmp_path)!r})")
    assert loaded == {"tables"}


@pytest.mark.parametrize("importer", IMPORTERS.values(), ids=list(IMPORTERS))
def test_an_entry_leads_to_a_function_and_its_name_is_a_prefix(importer: Importer) -> None:
    assert isinstance(importer.read, Later)
    assert callable(importer.read.load())
    assert importer.read.load().__doc__
    assert importer.signatures
    asked = asked_for(f"{importer.name}:~/runs")
    assert asked is not None
    assert asked[0] is importer
    assert asked[1] == Path.home() / "runs"
