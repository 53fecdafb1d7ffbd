"""A report for a paper: what is written, and that it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import palio
from palio.errors import UnreadableError
from palio.report.article import write_article
from palio.report.latex import escape_latex
from tests.report.test_page import random_table

WEIRD = ["50%_of {α}", "a&b\\c", "z" * 200]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("paper") / "new"
    report = palio.analyse(random_table(WEIRD, 4), checks=["leave-one-out"], cost="time")
    written = write_article(report, target)
    assert sorted(written) == sorted(target.iterdir())
    assert written[-1].name == "report.tex"
    return target


def test_everything_that_is_cited_is_listed(folder: Path) -> None:
    methods = (folder / "methods.tex").read_text(encoding="utf-8")
    listed = set(re.findall(r"\\bibitem\{(\w+)\}", (folder / "references.tex").read_text("utf-8")))
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", methods) for key in keys.split(",")}
    assert cited == listed
    assert {"yildiz2006", "wilcoxon1945", "holm1979", "benavoli2016"} <= cited


def test_the_document_takes_in_what_is_there(folder: Path) -> None:
    document = (folder / "report.tex").read_text(encoding="utf-8")
    inputs = re.findall(r"\\input\{(\w+)\}", document)
    assert {"order", "comparison", "methods", "references"} == set(inputs)
    figures = re.findall(r"\\includegraphics\[[^]]*\]\{([^}]*)\}", document)
    assert {"critical-difference.pdf", "pareto.pdf", "multitest-graph.pdf"} <= set(figures)
    for name in (*(f"{name}.tex" for name in inputs), *figures):
        assert (folder / name).is_file()
    assert "z" * 100 not in document


def test_the_verdict_stands_first(tmp_path: Path) -> None:
    table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    report = palio.analyse(table, checks=[], cost="train_time")
    write_article(report, tmp_path)
    document = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert f"\\title{{{report.verdict.headline}}}" in document
    items = re.findall(r"^  \\item (.*)$", document, re.MULTILINE)
    assert items[0] == report.verdict.best
    for item, sentence in zip(items[1:], (report.verdict.value, report.verdict.sure), strict=False):
        assert item.startswith(escape_latex(str(sentence)))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    report = palio.analyse(random_table(["a", "b"], 3), checks=[])
    with pytest.raises(UnreadableError, match=r"latex: .* cannot be made"):
        write_article(report, tmp_path / "file" / "paper")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdfLaTeX is not installed")
def test_it_compiles(folder: Path, tmp_path: Path) -> None:
    paper = shutil.copytree(folder, tmp_path / "paper")
    for _ in range(2):  # once more for the citations
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
            cwd=paper,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
    assert "undefined" not in done.stdout
    assert (paper / "report.pdf").read_bytes().startswith(b"%PDF")
