"""LaTeX that compiles: everything escaped, every brace and environment closed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from matplotlib import font_manager, ft2font

import palio
from palio.report import latex_tables
from palio.report.blocks import Column, Table
from palio.report.latex_tables import table_latex
from palio.report.latex_text import SCRIPTS, escape_latex, narrow_latex, running_latex, width
from palio.report.paper import Sheet, pages, pairs_page
from tests.report.figures.comparisons import whole_comparison
from tests.report.made import render_latex, typed

WEIRD = [
    r"a_b%c&d#e$f{g}h~i^j\k",
    "[opt]",
    "*star",
    "a--b---c",
    "<x|y>",
    'say "it"',
    "`tick`",
    "two\nlines",
    "α²≥½ µ × −1",
    "Ulaş–Alpaydın",
    "}{",
    "\\",
    "%",
    "随机森林 v2",
    "gradient_boosting_with_a_long_name_25",
]

# Everything that an escaped text may hold: a letter, or one of these.
TOKEN = re.compile(
    r"\\palioscript\{\w+\}\{[0-9A-F ]+\}|\\allowbreak\{\}"
    r"|\\[%&#$_{}]|\\(?:textbackslash|textasciitilde|textasciicircum|textasciigrave|ldots)\{\}"
    r"|\{[\[\]*]\}|\{\}|\$(?:\\[A-Za-z]+(?:\{\d\}\{\d\})?|[\^_]\d|[-<>|])\$|~|[^\\%&#$_{}~^\"<>|\[\]*`]"
    r"|``"
)


def is_escaped(text: str) -> bool:
    return TOKEN.sub("", text) == ""


@pytest.mark.parametrize("text", WEIRD)
def test_nothing_is_a_command(text: str) -> None:
    for escaped in (escape_latex(text), running_latex(text), narrow_latex(text, 3)):
        assert is_escaped(escaped), escaped
        assert "\n" not in escaped


@pytest.mark.parametrize("letter", [chr(i) for i in range(32, 127)])
def test_every_printable_letter_is_escaped_twice_over(letter: str) -> None:
    assert is_escaped(escape_latex(letter + letter))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b", r"a\_b"),
        ("100%", r"100\%"),
        ("R&D", r"R\&D"),
        ("#1", r"\#1"),
        ("$5", r"\$5"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
        ("a--b", "a-{}-b"),
        ("5–7", "5--7"),
        ("α = 0.05", r"$\alpha$ = 0.05"),
        ("no\u00a0break", "no~break"),
        ("bell\x07", "bell"),
        ("e\u0301ş", "éş"),
        ("算法 2", r"\palioscript{算法}{7B97 6CD5} 2"),
        ("Ħ-лес", r"\palioscript{Ħ}{0126}-\palioscript{лес}{043B 0435 0441}"),
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    assert escape_latex(text) == escaped


def without_comments(latex: str) -> str:
    return "\n".join(line for line in latex.splitlines() if not line.startswith("%"))


def check_latex(latex: str) -> None:
    """Braces and environments are balanced, rows as wide as their tables, mathematics closed."""
    body = without_comments(latex).replace(SCRIPTS[0], "")
    plain = re.sub(r"\\[\\%&#$_{}]", "", body)
    depth = 0
    for letter in plain:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert plain.count("$") % 2 == 0
    assert "%" not in plain
    assert "#" not in plain
    opened: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    plain_layouts = re.sub(r">\{[^}]*\}p\{[^}]*\}", "p", body)
    tables = re.findall(
        r"\\begin\{(?:tabular|longtable)\}\{@\{\}(\w+)@\{\}\}(.*?)\\end\{",
        plain_layouts,
        re.DOTALL,
    )
    assert len(tables) == len(re.findall(r"\\begin\{(?:tabular|longtable)\}", body))
    for layout, rows in tables:
        for row in re.findall(r"^ +(.* & .*) \\\\$", rows, re.MULTILINE):
            assert len(re.findall(r"(?<!\\)&", row)) == len(layout) - 1, row
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    assert commands <= KNOWN, commands - KNOWN
    named = re.match(r"% Needs \\usepackage\{([\w,]+)\}", latex)
    needs = set(named[1].split(",")) if named else set()
    for package, its in PACKAGES.items():
        assert (package in needs) == bool(its & commands), package


PACKAGES = {
    "array": {"arraybackslash"},
    "booktabs": {"toprule", "midrule", "bottomrule"},
    "longtable": {"endhead", "endfirsthead", "endfoot", "LTcapwidth"},
}

COMMANDS = """
begin end caption centering footnotesize scriptsize textbf item noindent paragraph allowbreak label
setlength tabcolsep raggedright hangindent dimexpr linewidth relax palioscript
abovecaptionskip belowcaptionskip times ldots textbackslash textasciitilde textasciicircum
textasciigrave alpha mu lambda
delta chi rho le ge ne approx pm cdot infty frac rightarrow
"""
KNOWN = set(COMMANDS.split()).union(*PACKAGES.values())


def cells(latex: str, table: int) -> list[list[str]]:
    """Return the rows of a table, whichever environment it is in."""
    body = re.findall(
        r"\\midrule\n((?:(?!\\midrule).)*?) *(?:\\bottomrule\n +\\end|\\end\{longtable)",
        latex.replace("\\endhead\n  \\bottomrule\n  \\endfoot\n", ""),
        re.DOTALL,
    )[table]
    plain = body.replace("\\allowbreak{}", "")
    return [row.strip().removesuffix(r" \\").split(" & ") for row in plain.strip().splitlines()]


def test_weird_names_give_a_whole_document() -> None:
    summary = whole_comparison(WEIRD, measure={"name": "50%_acc", "higher_is_better": True})
    latex = render_latex(summary)
    check_latex(latex)
    first = [row[0] for row in cells(latex, 0)]
    order = sorted(WEIRD, key=lambda name: summary["mean_ranks"][name])
    assert first == [escape_latex(name) for name in order]


def test_tables_say_what_the_summary_says() -> None:
    summary = whole_comparison(["a", "b", "c", "d"])
    latex = render_latex(summary)
    check_latex(latex)
    ranks = summary["mean_ranks"]
    order = sorted(ranks, key=lambda name: ranks[name])
    table = cells(latex, 0)
    assert [row[0] for row in table] == order
    assert [row[3] for row in table] == [summary["letters"][name] for name in order]
    assert table[0][1] == rf"\textbf{{{ranks[order[0]]:.2f}}}"
    assert sum(row[1].startswith(r"\textbf") for row in table) == 1
    pairs = cells(latex, 1)
    for row, pair in zip(pairs, summary["pairs"], strict=True):
        better = pair["better"]
        expected = [rf"\textbf{{{x}}}" if x == better else x for x in (pair["a"], pair["b"])]
        assert row[:2] == expected
        assert row[3] == f"{pair['wins']}/{pair['ties']}/{pair['losses']}"


def test_captions_state_the_test() -> None:
    captions = re.findall(
        r"\\caption\{(.*)\}$", render_latex(whole_comparison("abc")), re.MULTILINE
    )
    assert len(captions) == 2
    for caption in captions:
        for said in ("wilcoxon", "holm", r"$\alpha$ = 0.05", "38 data sets", "friedman", "43.21"):
            assert said in caption


def test_ties_for_the_best_are_all_bold() -> None:
    summary = whole_comparison("ab", mean_ranks={"a": 1.5, "b": 1.5})
    assert [row[1] for row in cells(render_latex(summary), 0)] == [r"\textbf{1.50}"] * 2


def test_against_a_control() -> None:
    summary = whole_comparison(["a", "b", "c"], control="b")
    latex = render_latex(summary)
    check_latex(latex)
    verdicts = {row[0]: row[3] for row in cells(latex, 0)}
    assert verdicts["b"] == "control"
    for pair in summary["pairs"]:
        other = pair["a"] if pair["b"] == "b" else pair["b"]
        assert verdicts[other] == ("yes" if pair["significant"] else "no")


def test_without_what_is_optional() -> None:
    summary = whole_comparison(["a", "b", "c"], letters={}, groups=[])
    latex = render_latex(summary)
    check_latex(latex)
    assert "group" not in latex


def test_a_long_table_goes_on_on_the_next_page() -> None:
    latex = render_latex(whole_comparison([f"a{i}" for i in range(30)]))
    check_latex(latex)
    assert latex.count(r"\begin{table}") == 1  # the algorithms: a page holds them
    assert latex.count(r"\begin{longtable}") == 1
    assert len(cells(latex, 1)) == 30 * 29 // 2
    assert "(continued)" in latex


def test_what_is_needed_is_said_first() -> None:
    short = render_latex(whole_comparison("ab"))
    assert short.startswith("% Needs \\usepackage{booktabs}, and lines of 345pt or more.\n")
    assert "palioscript" not in short
    other = render_latex(whole_comparison(["随机森林", "b"]))
    assert r"\providecommand{\palioscript}" in other.splitlines()[1]
    assert "XeLaTeX" in other.splitlines()[2]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    table = palio.load_study("ulas2008")
    return {
        "ordering": palio.multi2test(table, cost="train_time"),
        "multitest": palio.multitest(table, dataset="optdigits", cost="train_time"),
        "fold-comparison": palio.compare_folds(table, dataset="zoo"),
        "best": palio.find_best(table, dataset="zoo", cost="space"),
        "comparison": palio.multi2test(table, cost="space").comparison,
        "reproduction": palio.reproduce("ulas2008"),
    }


@pytest.mark.parametrize(
    "kind", ["ordering", "multitest", "fold-comparison", "best", "comparison", "reproduction"]
)
def test_every_kind_of_result(results: dict[str, Any], kind: str) -> None:
    check_latex(render_latex(results[kind].to_dict()))


def test_an_order_is_a_table_with_its_reasons(results: dict[str, Any]) -> None:
    ordering = results["ordering"]
    latex = render_latex(ordering.to_dict())
    table = cells(latex, 0)
    assert [row[1] for row in table] == [
        rf"\textbf{{{ordering.order[0]}}}",
        *ordering.order[1:],
    ]
    assert "Multi$^2$Test by accuracy" in latex
    assert r"\item[8.] svr: the last one left" in latex
    assert "% Notes:" in latex


# --- widths ---------------------------------------------------------------------------------------
#
# Without TeX, texts are measured in the Computer Modern that comes with matplotlib: at eight points
# TeX's is wider by 1.062, at seven by 1.139.


# Matplotlib before 3.10 has it by itself.
_NO_HINTING: Any = (
    ft2font.LoadFlags.NO_HINTING
    if hasattr(ft2font, "LoadFlags")
    else vars(ft2font)["LOAD_NO_HINTING"]
)


@cache
def computer_modern(*, bold: bool) -> ft2font.FT2Font:
    name = "cmb10" if bold else "cmr10"
    return ft2font.FT2Font(font_manager.findfont(name, fallback_to_default=False))


def measured(text: str, *, bold: bool = False) -> float:
    """Return the width of a text in ems of eight points."""
    font = computer_modern(bold=bold)
    font.set_size(100, 72)
    font.set_text(text, flags=_NO_HINTING)
    return font.get_width_height()[0] / 64 / 100 * (1.18 if bold else 1.062)


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "HistGradientBoosting-default",
        "won/tied/lost",
        "meta-llama/Llama-3.1",
        "0.1234",
        "WWMMmm",
        "illicit little",
        "p = 0.05 (higher)",
    ],
)
def test_widths_are_those_of_computer_modern(text: str, bold: bool) -> None:
    assert 0.97 * measured(text, bold=bold) <= width(text, bold=bold)
    assert width(text, bold=bold) <= 1.12 * measured(text, bold=bold)


# Points: what a line of ``article`` holds.
ARTICLE = 345.0

LONG = [f"meta-llama/Llama-3.1-{i}B-Instruct_with_thought" for i in range(6)]
WORDS = [f"A name with {i} words, and more of them" for i in range(6)]
SOLID = [letter * 40 for letter in "abWxyz"]
CHINESE = [f"支持向量机（径向基函数核）与自动调优{i}" for i in range(6)]
FEW = ["svm", "knn", "c45"]
MANY = [f"HistGradientBoosting-{i}" for i in range(25)]


def sheets(names: Sequence[str]) -> Iterator[Sheet]:
    found = typed(whole_comparison(names))
    yield from (each for each in [*pages(found), *pairs_page(found)] if isinstance(each, Sheet))
    texts, numbers = Column.texts("algorithm"), [f"mean tuning_cpu_time_{i}" for i in range(14)]
    rows = tuple((name, *["1234.5"] * 14) for name in names)
    yield Sheet(Table((*texts, *Column.numbers(*numbers)), rows), frozenset({(0, 0)}))
    yield Sheet(Table(Column.words("what"), tuple((" ".join([name] * 9),) for name in names)))


@pytest.mark.parametrize("names", [FEW, MANY, LONG, WORDS, SOLID, CHINESE])
def test_tables_are_no_wider_than_a_line(names: Sequence[str]) -> None:
    for sheet in sheets(names):
        columns = len(sheet.table.columns)
        for part, laid in latex_tables._parts(sheet):
            kept = [i for i in range(len(part.table.columns)) if i not in laid.broken]
            for i in kept:
                for j, row in enumerate(part.table.rows):
                    if row[i].isascii() and "e-" not in row[i]:
                        wide = measured(row[i], bold=(j, i) in part.bold)
                        assert wide * laid.form.em <= laid.widths[i] + 0.5
            assert (
                laid.fixed + (laid.room * len(laid.broken) if laid.broken else 0) <= ARTICLE + 0.01
            )
            if laid.broken:
                assert laid.room >= 50
                check_pieces(part, laid)
            columns -= len(kept) + len(laid.broken)
        assert columns <= 0  # every column is there, the names' in each part


def check_pieces(part: Sheet, laid: Any) -> None:
    """What stands between two places where a name may be broken fits its column."""
    latex = table_latex(part, "x")
    for piece in re.split(r"\\allowbreak\{\}| & | \\\\\n|\s|\\textbf\{", latex):
        if re.fullmatch(r"[A-Za-z0-9.]+", piece):
            kept = (wide for i, wide in enumerate(laid.widths) if i not in laid.broken)
            assert measured(piece) * laid.form.em <= max([laid.room, *kept])


def test_columns_that_do_not_fit_follow_below() -> None:
    *_, wide, _ = sheets(FEW)
    latex = table_latex(wide, "Costs.")
    check_latex("% Needs \\usepackage{booktabs}.\n" + latex)
    assert latex.count(r"\begin{tabular}") > 1
    assert "(continued, 2 of " in latex
    heads = re.findall(r"\\begin\{tabular\}.*?\\midrule", latex, re.DOTALL)
    assert all("algorithm" in head for head in heads)
    said = " ".join(re.sub(r"[&\\]", " ", head) for head in heads)
    assert [f"{i}" for i in range(14) if not re.search(rf"(?<!\d){i}(?!\d)", said)] == []


def test_a_broken_name_is_whole() -> None:
    latex = render_latex(whole_comparison(LONG))
    assert r"\linewidth" in latex
    assert {row[1].removeprefix(r"\textbf{").removesuffix("}") for row in cells(latex, 1)} <= {
        escape_latex(name) for name in LONG
    }
