"""LaTeX that compiles: everything escaped, every brace and environment closed."""

from __future__ import annotations

import re
from typing import Any

import pytest

import palio
from palio.report.latex import escape_latex
from tests.report.figures.comparisons import whole_comparison
from tests.report.made import render_latex

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
]

# Everything that an escaped text may hold: a letter, or one of these.
TOKEN = re.compile(
    r"\\[%&#$_{}]|\\(?:textbackslash|textasciitilde|textasciicircum|textasciigrave|ldots)\{\}"
    r"|\{[\[\]*]\}|\{\}|\$(?:\\[A-Za-z]+(?:\{\d\}\{\d\})?|[\^_]\d|[-<>|])\$|~|[^\\%&#$_{}~^\"<>|\[\]*`]"
    r"|``"
)


def is_escaped(text: str) -> bool:
    return TOKEN.sub("", text) == ""


@pytest.mark.parametrize("text", WEIRD)
def test_nothing_is_a_command(text: str) -> None:
    escaped = escape_latex(text)
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
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    assert escape_latex(text) == escaped


def without_comments(latex: str) -> str:
    return "\n".join(line for line in latex.splitlines() if not line.startswith("%"))


def check_latex(latex: str) -> None:
    """Braces and environments are balanced, rows as wide as their tables, mathematics closed."""
    body = without_comments(latex)
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
    for layout, rows in re.findall(
        r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}(.*?)\\end", body, re.DOTALL
    ):
        for row in re.findall(r"^ +(.*) \\\\$", rows, re.MULTILINE):
            assert len(re.findall(r"(?<!\\)&", row)) == len(layout) - 1, row
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    # booktabs has the three rules; the rest is LaTeX itself.
    assert commands <= KNOWN, commands - KNOWN


COMMANDS = """
begin end caption centering footnotesize toprule midrule bottomrule textbf item noindent paragraph
clearpage times ldots textbackslash textasciitilde textasciicircum textasciigrave alpha mu lambda
delta chi rho le ge ne approx pm cdot infty frac rightarrow
"""
KNOWN = set(COMMANDS.split())


def cells(latex: str, table: int) -> list[list[str]]:
    body = re.findall(r"\\midrule\n(.*?) +\\bottomrule", latex, re.DOTALL)[table]
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


def test_long_tables_go_on_in_the_next_float() -> None:
    summary = whole_comparison([f"a{i}" for i in range(50)])
    latex = render_latex(summary)
    check_latex(latex)
    floats = latex.count(r"\begin{table}")
    assert floats == 2 + 31
    assert "(continued, 31 of 31)" in latex
    # LaTeX holds 18 floats before it must place them.
    assert max(part.count(r"\begin{table}") for part in latex.split(r"\clearpage")) < 18


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
