"""LaTeX that compiles: everything escaped, every brace and environment closed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import palio
from palio.report.blocks import Column, Table
from palio.report.latex import SCRIPTS, escape_latex, running_latex, table_latex, with_needs
from palio.report.paper import pages, pairs_page
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
    for escaped in (escape_latex(text), running_latex(text)):
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
        r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}(.*?)\\end\{",
        plain_layouts,
        re.DOTALL,
    )
    assert len(tables) == len(re.findall(r"\\begin\{tabular\}", body))
    # Whatever is in a table, it is made no wider than its line.
    fitted = r"\\begin\{adjustbox\}\{max width=\\linewidth\}\n *\\begin\{tabular\}"
    assert len(tables) == len(re.findall(fitted, body))
    for layout, rows in tables:
        for row in re.findall(r"^ +(.* & .*) \\\\$", rows, re.MULTILINE):
            assert len(re.findall(r"(?<!\\)&", row)) == len(layout) - 1, row
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    assert commands <= KNOWN, commands - KNOWN
    named = re.match(r"% Needs \\usepackage\{([\w,-]+)\}", latex)
    needs = set(named[1].split(",")) if named else set()
    for package, its in PACKAGES.items():
        assert (package in needs) == bool(its & commands), package


PACKAGES = {
    "array": {"arraybackslash"},
    "booktabs": {"toprule", "midrule", "bottomrule"},
    "capt-of": {"captionof"},
}

COMMANDS = """
begin end caption centering footnotesize textbf item noindent paragraph allowbreak label
setlength raggedright linewidth medskip palioscript
abovecaptionskip belowcaptionskip times ldots textbackslash textasciitilde textasciicircum
textasciigrave alpha mu lambda
delta chi rho le ge ne approx pm cdot infty frac rightarrow
"""
KNOWN = set(COMMANDS.split()).union(*PACKAGES.values())


def cells(latex: str, table: int) -> list[list[str]]:
    """Return the rows of a table, or of a part of one."""
    body = re.findall(r"\\midrule\n(.*?) *\\bottomrule\n", latex, re.DOTALL)[table]
    return [row.strip().removesuffix(r" \\").split(" & ") for row in body.strip().splitlines()]


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
    parts = [cells(latex, i) for i in range(1, 11)]
    assert sum(map(len, parts)) == 30 * 29 // 2
    assert max(map(len, parts)) == 45
    # No floats, of which LaTeX keeps but some waiting.
    assert latex.count(r"\captionof{table}") == latex.count(r"\begin{minipage}") == 10
    assert "(continued, 10 of 10)" in latex


def test_what_is_needed_is_said_first() -> None:
    short = render_latex(whole_comparison("ab"))
    assert short.startswith("% Needs \\usepackage{adjustbox,booktabs}.\n")
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

LONG = [f"meta-llama/Llama-3.1-{i}B-Instruct_with_thought" for i in range(6)]
WORDS = [f"A name with {i} words, and more of them" for i in range(6)]
SOLID = [letter * 40 for letter in "abWxyz"]
CHINESE = [f"支持向量机（径向基函数核）与自动调优{i}" for i in range(6)]
FEW = ["svm", "knn", "c45"]
MANY = [f"HistGradientBoosting-{i}" for i in range(25)]


def sheets(names: Sequence[str]) -> Iterator[Table]:
    found = typed(whole_comparison(names))
    yield from (each for each in [*pages(found), *pairs_page(found)] if isinstance(each, Table))
    numbers = [Column(f"mean tuning_cpu_time_{i}", numeric=True) for i in range(14)]
    rows = tuple((name, *["1234.5"] * 14) for name in names)
    yield Table((Column("algorithm"), *numbers), rows, bold=frozenset({(0, 0)}))
    yield Table((Column("what", breaks=True),), tuple((" ".join([name] * 9),) for name in names))


@pytest.mark.parametrize("names", [FEW, MANY, LONG, WORDS, SOLID, CHINESE])
def test_tables_are_no_wider_than_a_line(names: Sequence[str]) -> None:
    for sheet in sheets(names):
        latex = with_needs(table_latex(sheet, "x"))
        check_latex(latex)
        parts = latex.count(r"\begin{tabular}")
        rows = [row for i in range(parts) for row in cells(latex, i)]
        assert len(rows) == len(sheet.rows)
        assert {len(row) for row in rows} == {len(sheet.columns)}


def test_running_words_break_and_names_do_not() -> None:
    (row,) = cells(
        table_latex(
            Table((Column("a"), Column("b", breaks=True)), ((LONG[0], LONG[0]),)),
            "x",
        ),
        0,
    )
    assert row == [escape_latex(LONG[0]), running_latex(LONG[0])]
    assert row[1].replace(r"\allowbreak{}", "") == row[0]
    assert row[1].count(r"\allowbreak{}") > 3


@pytest.mark.parametrize("word", [*SOLID, *CHINESE, LONG[0]])
def test_no_piece_of_a_long_word_is_long(word: str) -> None:
    pieces = re.sub(r"\\palioscript\{(.+?)\}\{[^}]*\}", r"\1", running_latex(word))
    assert max(map(len, pieces.split(r"\allowbreak{}"))) <= 14
