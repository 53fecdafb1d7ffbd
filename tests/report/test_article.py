"""A report for a paper: what is written, and that it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import palio
from palio.claims import Evidence
from palio.errors import UnreadableError
from palio.report.article import write_article
from palio.report.latex import running_latex
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
    inputs = re.findall(r"\\input\{([\w-]+)\}", document)
    assert len(set(inputs)) == len(inputs)
    # Every piece is taken in; the summary is a document of its own.
    pieces = {path.stem for path in folder.glob("*.tex")} - {"report", "summary"}
    assert set(inputs) == pieces
    assert {"verdict", "order", "pairs", "methods", "references", "pareto"} <= pieces
    for path in folder.glob("*.pdf"):
        piece = path.with_suffix(".tex").read_text(encoding="utf-8")
        assert f"{{{path.name}}}" in piece
        assert piece.count("\\caption{") == piece.count("\\label{") == 1
        # A piece stands in a figure, or in a part of one.
        assert "\\begin{figure}" not in piece
    assert "z" * 100 not in document


def test_results_stand_where_their_section_is(folder: Path) -> None:
    document = (folder / "report.tex").read_text(encoding="utf-8")
    assert re.findall(r"\\section\{(.*)\}", document) == [
        "Verdict", "Methods", "Order", "Ranks", "Comparison", "On each data set", "Cost and score",
    ]  # fmt: skip
    sections = document.split("\\section{")
    assert [s.split("}")[0] for s in sections if "\\input{pareto}" in s] == ["Cost and score"]
    # Floats stay there, in this document; in others they are placed as these do it.
    assert "\\floatplacement{table}{H}" in document
    assert "\\floatplacement{figure}{H}" in document
    order = (folder / "order.tex").read_text(encoding="utf-8")
    assert "\\begin{table}\n" in order
    assert "\\label{tab:order}" in order


def test_a_figure_is_no_wider_than_its_line(folder: Path) -> None:
    for path in folder.glob("*.pdf"):
        piece = path.with_suffix(".tex").read_text(encoding="utf-8")
        assert piece.startswith("% Needs \\usepackage{adjustbox,graphicx}; stands in a figure.\n")
        fitted = re.search(r"\\begin\{adjustbox\}\{max width=\\linewidth,(.*?)\\end", piece, re.S)
        assert fitted is not None
        assert f"\\includegraphics{{{path.name}}}" in fitted[1]


def test_many_pairs_are_left_to_their_piece(tmp_path: Path) -> None:
    report = palio.analyse(random_table([f"a{i}" for i in range(22)], 6), checks=[])
    write_article(report, tmp_path)
    document = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert "The 231 pairs are in \\texttt{pairs.tex}." in document
    assert "\n\\input{pairs}" not in document
    assert (tmp_path / "pairs.tex").read_text("utf-8").count(" \\\\\n") > 231
    summary = (tmp_path / "summary.tex").read_text(encoding="utf-8")
    assert "the first 15 of 22" in summary
    assert summary.count("\\textbf{") == 1


def test_the_verdict_stands_first(tmp_path: Path) -> None:
    table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    report = palio.analyse(table, checks=[], cost="train_time")
    write_article(report, tmp_path)
    document = (tmp_path / "report.tex").read_text(encoding="utf-8")
    headline = running_latex(report.claims.headline.removesuffix("."))
    assert f"\\title{{{headline}}}" in document
    said = (tmp_path / "verdict.tex").read_text(encoding="utf-8")
    items = re.findall(r"^  \\item (.*)$", said, re.MULTILINE)
    evidence = report.claims.of(Evidence)
    assert evidence is not None
    said_first = (report.verdict.best, report.verdict.value, evidence.text)
    assert items[:3] == [running_latex(str(sentence)) for sentence in said_first]
    ranks = document.split("\\section{Ranks}")[1].split("\\section{")[0]
    assert ranks.count("\\begin{figure}") == 2
    assert document.index("\\input{verdict}") < document.index("\\input{methods}")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    report = palio.analyse(random_table(["a", "b"], 3), checks=[])
    with pytest.raises(UnreadableError, match=r"latex: .* cannot be made"):
        write_article(report, tmp_path / "file" / "paper")


# --- compiled ------------------------------------------------------------------------------------

FAMILIES = (
    "HistGradientBoosting", "kNN", "LogisticRegression", "RandomForest", "SVM-rbf", "ELM", "LVQ",
    "MultilayerPerceptron", "GaussianNB", "DecisionTree", "ExtraTrees", "AdaBoost", "bagging",
    "LinearDiscriminant", "GradientBoosting",
)  # fmt: skip
NAMES = {
    "three": ["svm", "knn", "c45"],
    "fourteen": list(FAMILIES[:14]),
    "sixty": [f"{name}-{how}" for how in ("default", "tuned", "25", "wide") for name in FAMILIES],
    "long": [f"meta-llama/Llama-3.1-{i}0B_with_chain_of_thought_{'x' * i}" for i in range(9)]
    + ["z" * 60, "A very long name with words in it, and more"],
    "scripts": [
        "随机森林", "支持向量机（径向基函数核）", "勾配ブースティング決定木", "로지스틱 회귀",
        "Случайный лес", "梯度提升决策树与超参数自动调优集成方法第二版", "k近邻-调优", "forêt ★",
    ],
    "weird": WEIRD,
}  # fmt: skip


def compiled(engine: str, document: str, folder: Path) -> str:
    """Return what the engine says of a document that it can make a PDF of."""
    if shutil.which(engine) is None or (engine == "lualatex" and not has_luaotfload()):
        pytest.skip(f"{engine} is not installed; tests/report/test_latex.py looks without it")
    for _ in range(2):  # once more for the citations
        done = subprocess.run(
            [engine, "-interaction=nonstopmode", "-halt-on-error", f"{document}.tex"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / f"{document}.pdf").read_bytes().startswith(b"%PDF")
    return (folder / f"{document}.log").read_text(encoding="utf-8", errors="replace")


def has_luaotfload() -> bool:
    """Whether LuaLaTeX can load fonts, which comes in another package."""
    return (
        subprocess.run(["kpsewhich", "luaotfload.sty"], check=False, capture_output=True).returncode
        == 0
    )


def too_wide(log: str) -> list[str]:
    """Return the boxes that leave their line by a point or more."""
    found = re.findall(r"Overfull \\hbox \((\d+)\.\d+pt too wide\).*", log)
    return [width for width in found if int(width) >= 1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(
    ("names", "engine"),
    [
        ("three", "pdflatex"),
        ("fourteen", "pdflatex"),
        ("weird", "pdflatex"),
        ("scripts", "pdflatex"),
        *((names, "xelatex") for names in NAMES),
        ("scripts", "lualatex"),
    ],
)
def test_it_compiles_and_nothing_is_too_wide(names: str, engine: str, tmp_path: Path) -> None:
    table = random_table(NAMES[names], 8)
    write_article(palio.analyse(table, checks=["leave-one-out"], cost="time"), tmp_path)
    for document in ("report", "summary"):
        log = compiled(engine, document, tmp_path)
        assert "undefined" not in log
        assert "Missing character" not in log
        if (names, engine) != ("scripts", "pdflatex"):  # code points are wider than letters
            assert too_wide(log) == []
    assert "(1 page" in log  # the summary is one
