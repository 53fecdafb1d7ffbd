"""Tables in documents: Markdown, HTML, LaTeX, RST, YAML, aligned text, sheets, irregular CSV."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

from palio.errors import PalioError, UnreadableError
from palio.scores import read_scores
from palio.scores.columns import Columns, Texts
from palio.scores.formats import MalformedError, opened, read_content, read_tables

FRAME = pd.DataFrame(
    {"k NN": [0.9, 0.75], "svm": [0.8, -0.5]}, index=pd.Index(["iris", "wine"], name="data")
)


def tables(name: str, content: str | bytes, asked: str | None = None) -> list[Columns]:
    whole = content.encode() if isinstance(content, str) else content
    return list(read_tables(whole, name, "source", asked).values())


def only(name: str, content: str | bytes) -> Columns:
    (found,) = tables(name, content)
    return found


def cells(columns: Columns) -> list[list[str]]:
    every = [
        list(column.cells) if isinstance(column, Texts) else [str(cell) for cell in column]
        for column in columns.values.values()
    ]
    return [list(row) for row in zip(*every, strict=True)]


def same_as_frame(columns: Columns) -> None:
    assert columns.names == ("data", "k NN", "svm")
    assert columns.coded("data").names == ("iris", "wine")
    for name in FRAME:
        np.testing.assert_array_equal(columns.numbers(str(name)).values, FRAME[name])


def by_latex(frame: pd.DataFrame, rule: str) -> str:
    lines = [" & k NN & svm", "data & & ", *(f"{n} & {a} & {b}" for n, a, b in frame.itertuples())]
    body = " \\\\\n".join(lines) + " \\\\\n"
    return f"\\begin{{tabular}}{{lrr}}\n{rule}\n{body}\\end{{tabular}}\n"


WRITTEN: dict[str, tuple[str, str]] = {
    "to_string": ("t.txt", FRAME.to_string()),
    "to_string in CSV": ("t.csv", FRAME.to_string()),
    "to_html": ("t.html", FRAME.to_html()),
    "LaTeX": ("t.tex", by_latex(FRAME, "")),
    "LaTeX with rules": ("t.tex", by_latex(FRAME, "\\toprule")),
    "CSV below a title": ("t.csv", "Accuracy of two\n\n" + FRAME.to_csv()),
    "CSV below a title with commas": ("t.csv", "Accuracy,,\n" + FRAME.to_csv()),
    "PrettyTable": (
        "t.txt",
        "+------+------+------+\n| data | k NN | svm  |\n+------+------+------+\n"
        "| iris | 0.9  | 0.8  |\n| wine | 0.75 | -0.5 |\n+------+------+------+\n",
    ),
    "simple RST": (
        "t.rst",
        "====  ====  ====\ndata  k NN  svm\n====  ====  ====\niris  0.9   0.8\nwine  0.75  -0.5\n"
        "====  ====  ====\n",
    ),
    "list-table": (
        "t.rst",
        ".. list-table:: T\n   :header-rows: 1\n\n   * - data\n     - k NN\n     - svm\n"
        "   * - iris\n     - 0.9\n     - **0.8**\n   * - wine\n     - 0.75\n     - -0.5\n",
    ),
    "csv-table": (
        "t.rst",
        '.. csv-table:: T\n   :header: data, "k NN", svm\n\n   iris, 0.9, 0.8\n'
        "   wine, 0.75, -0.5\n",
    ),
    "YAML": (
        "t.yml",
        "- {data: iris, k NN: 0.9, svm: 0.8}\n- {data: wine, k NN: .75, svm: -5e-1}\n",
    ),
    "org": (
        "t.md",
        "| data | k NN | svm |\n|----+---+---|\n| iris | 0.9 | 0.8 |\n| wine | 0.75 | -0.5 |\n",
    ),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_one_table_written_in_many_ways(kind: str) -> None:
    same_as_frame(only(*WRITTEN[kind]))


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_document_cut_anywhere_is_read_or_refused(kind: str) -> None:
    name, content = WRITTEN[kind]
    told = []
    for end in range(len(content)):
        try:
            with opened(Path(name), "source"):
                tables(name, content[:end])
        except PalioError as error:
            told.append(str(error))
    assert told
    assert not [line for line in told if "\n" in line]


README = """
# A study

We measure **accuracy** (higher is
better). See [the paper](https://x.org/a_(b)).

## Results on small data

| Model[^1] | [iris](https://x.org) | wine<br>(10 folds) |
|:--|--:|--:|
| *old* | | |
| [knn](a.py)<sup>1</sup> | **0.9** | 0.8 |
| `svm` ![new](b.png) | 0.7 | __0.85__ |

### Costs
Seconds on a laptop:

| Model | time |
|--|--|
| knn | 1 \\| 2 |
| a_b_c | 2* |

<table><tr><th>Model</th><th>C<sup>3</sup></th></tr><tr><td>knn</td><td>1</td></tr></table>
"""


def test_all_tables_of_a_readme_with_what_is_around_them() -> None:
    first, second, third = tables("README.md", README)
    assert first.names == ("Model", "iris", "wine (10 folds)")
    assert cells(first) == [["knn", "0.9", "0.8"], ["svm new", "0.7", "0.85"]]
    assert first.origin.numbers.tolist() == [12, 13]
    assert first.context.file == "README"
    assert first.context.heading == "Results on small data"
    assert first.context.text == ""
    assert cells(second) == [["knn", "1 | 2"], ["a_b_c", "2*"]]
    assert second.context.heading == "Costs"
    assert second.context.caption == "Seconds on a laptop:"
    assert third.names == ("Model", "C3")
    assert third.context.heading == "Costs"
    assert read_content(README.encode(), "a.md", "source", "markdown:2").names == ("Model", "time")
    chosen = read_content(README.encode(), "a.md", "source")
    assert chosen.names == first.names
    assert chosen.notes[0].startswith("3 tables in the file; read: Results on small data.")
    with pytest.raises(MalformedError, match="has no table '4'; its tables are '1', '2', '3'"):
        read_content(README.encode(), "a.md", "source", "markdown:4")


def test_a_table_that_is_none_does_not_hide_others() -> None:
    bad = "| a | b |\n|--|--|\n| 1 | 2 | 3 |\n"
    good = only("t.md", f"{bad}\n| a | b |\n|--|--|\n| x | 2 |\n")
    assert cells(good) == [["x", "2"]]
    assert "2 columns were named, line 3 has 3" in " ".join(good.notes)
    with pytest.raises(MalformedError, match="2 columns were named"):
        tables("t.md", bad)


def test_a_table_without_rows_is_left_out_with_a_note() -> None:
    table = only(
        "t.md", "| a | b |\n|--|--|\n\nWords.\n\n| a | b |\n|--|--|\n| x | 2 |\n| y | 3 |\n"
    )
    assert cells(table) == [["x", "2"], ["y", "3"]]
    assert "t.md has no results in the tables 1 (table 1 has no rows)." in table.notes


def test_markup_in_names_of_csv() -> None:
    table = only("t.csv", "model,:class:`A`,:class:`~b.C`\n`x+y`_,1,2\n`z`_,3,4\n")
    assert table.names == ("model", "A", "C")
    assert [row[0] for row in cells(table)] == ["x+y", "z"]


# --- HTML ------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>x</title><style>td {color: red}</style></head><body>
<h1>Study</h1><h2>The <em>error</em> (%)</h2><p>Lower is better.</p>
<table class="x"><caption>Two settings</caption>
<thead><tr><th rowspan="2">Method</th><th colspan=2>Small</th><th colspan=2>Large</th></tr>
<tr><th>A</th><th>B</th><th>A</th><th>B</th></tr></thead>
<tbody><tr><td colspan="5">Old ones</td></tr>
<tr><td><a href="x">knn</a></td><td>1<br>± 2</td><td><b>2</b></td><td>3</td><td>4</td></tr>
<tr><td>svm<td>5<td>6<td rowspan=2>7<td>8
<tr><td>tree<td>5 &lt; 6<td>6<td>8</tbody></table><p>After ten runs.</p>
<script>var table = "<table><tr><td>no</td></tr></table>"</script>
"""


def test_spans_and_words_of_a_web_page() -> None:
    table = only("t.html", PAGE)
    assert table.names == ("Method", "Small / A", "Small / B", "Large / A", "Large / B")
    assert cells(table) == [
        ["knn", "1 ± 2", "2", "3", "4"],
        ["svm", "5", "6", "7", "8"],
        ["tree", "5 < 6", "6", "7", "8"],
    ]
    assert table.context.heading == "The error (%)"
    assert table.context.caption == "Two settings"
    assert table.context.text == "Lower is better."
    assert any("headings" in note for note in table.notes)


def test_a_web_page_is_told_by_its_content() -> None:
    table = only("t.csv", PAGE)
    assert "t.csv was read as html, by its content." in table.notes
    with pytest.raises(MalformedError, match="is a web page without a table"):
        tables("t.csv", "<html><p>Sign in</p></html>")


# --- LaTeX -----------------------------------------------------------------------------------

PAPER = r"""
\section{Experiments} % not this
\begin{table*}[t]
\caption{Error in \% (\emph{lower} is better).}
\resizebox{\textwidth}{!}{
\begin{tabular}{l|cc|cc} \toprule
\multirow{2}{*}{Method} & \multicolumn{2}{c|}{iris} & \multicolumn{2}{c}{wine} \\ \cmidrule(lr){2-3}
 & mean & rank & mean & rank \\ \midrule
\multicolumn{5}{l}{\textit{Old}} \\
k-NN~\cite{a,b} & $0.36_{0.02}$ & 1 & \textbf{0.5} $\pm$ 0.1 & 2 \\[2pt]
\ours{} & \cellcolor{gray!20}$1.2\times10^{-3}$ & 2 & {\bf 3} & --- \\
A\&B & \makecell{4 \\ 5} & \underline{6}$^{\dagger}$ & 7 & 8 \\ \bottomrule
\end{tabular}}
\end{table*}
"""


def test_a_table_of_a_paper() -> None:
    table = only("t.tex", PAPER)
    assert table.names == ("Method", "iris / mean", "iris / rank", "wine / mean", "wine / rank")
    assert cells(table) == [
        ["k-NN", "0.36 ± 0.02", "1", "0.5 ± 0.1", "2"],
        ["ours", "1.2×10^-3", "2", "3", "—"],
        ["A&B", "4 5", "6", "7", "8"],
    ]
    assert table.context.heading == "Experiments"
    assert table.context.caption == "Error in % (lower is better)."
    assert table.origin.numbers.tolist() == [10, 11, 12]


@pytest.mark.parametrize(
    "begin",
    [
        "{tabular}[t]{lcc}\n",
        "{tabularx}{\\textwidth} {l|cc} ",
        "{tabular*}{1cm}{@{\\hskip{1em}}lcc}",
    ],
)
def test_columns_of_an_environment_are_no_cells(begin: str) -> None:
    name = begin[1 : begin.index("}")]
    rows = r"{\bf A} & b & $c_{1}$ \\ x & $91.2^{\pm0.3}$ & $0.5^{ab}$ \\"
    table = only("t.tex", f"\\begin{begin}{rows}\n\\end{{{name}}}")
    assert table.names == ("A", "b", "c1")
    assert cells(table) == [["x", "91.2±0.3", "0.5"]]


# --- RST -------------------------------------------------------------------------------------

GRID = """
Results
=======

Accuracy of two:

+-------+-------------+------+
|       | iris        | wine |
| Model +------+------+------+
|       | a    | b    | a    |
+=======+======+======+======+
| knn   | 1    | **2**| 3    |
|       +------+------+------+
|       | 4    | 5    | 6    |
+-------+------+------+------+
| `svm`_| 7           | NDCG\\ :sub:`1` |
+-------+-------------+------+
"""


def test_a_grid_with_spans() -> None:
    table = only("t.rst", GRID.replace(r"NDCG\ :sub:`1` |", "8    |"))
    assert table.names == ("Model", "iris / a", "iris / b", "wine / a")
    assert cells(table) == [
        ["knn", "1", "2", "3"],
        ["knn", "4", "5", "6"],
        ["svm", "7", "7", "8"],
    ]
    assert (table.context.heading, table.context.caption) == ("Results", "Accuracy of two:")


def test_a_simple_table_with_a_heading_over_columns() -> None:
    text = """
.. table:: Seconds

   =====  =====  =====
   .      iris
   -----  ------------
   model  small  large
   =====  =====  =====
   knn    1      2
   svm    3      4 and
                 more
   =====  =====  =====
"""
    table = only("t.rst", text.replace("   .   ", "       "))
    assert table.names == ("model", "small", "large")
    assert table.context.caption == "Seconds iris"
    assert cells(table) == [["knn", "1", "2"], ["svm", "3", "4 and more"]]


# --- YAML and JSON ---------------------------------------------------------------------------


def test_yaml_is_read_as_it_is_written() -> None:
    text = (
        "- {model: no, at: 1:30, id: 007, date: 2024-05-01, acc: 0.5}\n- {model: on, acc: 1e-3}\n"
    )
    table = only("t.yaml", text)
    assert cells(table)[0] == ["no", "1:30", "007", "2024-05-01", "0.5"]
    assert table.numbers("acc").values.tolist() == [0.5, 0.001]
    with pytest.raises(MalformedError, match="'a' more than once"):
        tables("t.yaml", "a: 1\na: 2\n")
    with pytest.raises(UnreadableError, match="cannot be read"), opened(Path("t.yaml"), "source"):
        tables("t.yaml", "a: [1\nb: }")


NESTED: dict[str, tuple[Any, tuple[str, ...], list[str]]] = {
    "model, dataset": (
        {"knn": {"iris": 0.9, "wine": 0.8}, "svm": {"iris": 0.7}},
        ("", "knn", "svm"),
        ["iris", "0.9", "0.7"],
    ),
    "within a study": (
        {"date": "today", "results": {"knn": {"iris": 0.9}, "svm": {"iris": 0.7}}},
        ("", "knn", "svm"),
        ["iris", "0.9", "0.7"],
    ),
    "model, metric, dataset": (
        {"knn": {"acc": {"iris": 0.9, "wine": 0.8}}, "svm": {"acc": {"iris": 0.7}}},
        ("", "acc.iris", "acc.wine"),
        ["knn", "0.9", "0.8"],
    ),
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_objects_by_two_and_three_names(kind: str, ending: str) -> None:
    content, names, row = NESTED[kind]
    table = only(f"t.{ending}", json.dumps(content))  # which is YAML, too
    assert table.names == names
    assert cells(table)[0] == row


# --- separated text --------------------------------------------------------------------------


def test_text_without_a_header() -> None:
    table = only("t.csv", "knn,iris,0.9\nsvm,iris,0.8\n")
    assert table.names == ("column 1", "column 2", "column 3")
    assert len(table) == 2
    assert "t.csv: has no header: its columns are called column 1, column 2, …." in table.notes
    assert only("t.csv", ",,\nknn,iris,1\nsvm,iris,0\n").origin.numbers.tolist() == [2, 3]


def test_titles_above_text() -> None:
    table = only("t.tsv", "Error rates\nof 2026\n\ndata\tknn\tsvm\niris\t1\t2\nwine\t3\t4\n")
    assert table.context.caption == "Error rates of 2026"
    assert table.origin.numbers.tolist() == [5, 6]


def test_two_headers_of_pandas() -> None:
    columns = pd.MultiIndex.from_product([["knn", "svm"], ["acc", "f1"]])
    frame = pd.DataFrame([[1, 2, 3, 4.5]] * 2, index=pd.Index(["a", "b"], name="data"))
    table = only("t.csv", frame.set_axis(columns, axis=1).to_csv())
    assert table.names == ("data", "knn / acc", "knn / f1", "svm / acc", "svm / f1")
    assert len(table) == 2


def test_names_of_rows_that_r_writes_without_a_name() -> None:
    table = only("t.csv", "knn,svm\niris,1,2\nwine,3,4\n")
    assert table.names == ("", "knn", "svm")
    assert cells(table) == [["iris", "1", "2"], ["wine", "3", "4"]]


def test_numbers_with_a_minus_are_aligned_text() -> None:
    frame = pd.DataFrame({"a": [1, -22], "b": [-3.5, 4]}, index=["x y", "z"])
    table = only("t.txt", frame.to_string())
    assert table.names == ("", "a", "b")
    assert cells(table) == [["x y", "1", "-3.5"], ["z", "-22", "4.0"]]


# --- workbooks -------------------------------------------------------------------------------


def workbook(**sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if title == "merged":
            for area in ("A1:E1", "B2:C2", "D2:E2", "A4:A5"):
                sheet.merge_cells(area)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


ROWS: list[list[Any]] = [
    ["Error of two", None, None, None, None],
    [None, "iris", None, "wine", None],
    ["model", "a", "b", "a", "b"],
    ["knn", 0.1, 2, 3, True],
    [None, 5, 6, 7, 8],
]


def test_every_sheet_is_a_table() -> None:
    content = workbook(merged=ROWS, empty=[], plain=[["data", "knn"], ["iris", 0.5]])
    merged, plain = tables("t.xlsx", content)
    assert merged.names == ("model", "iris / a", "iris / b", "wine / a", "wine / b")
    assert cells(merged) == [["knn", "0.1", "2", "3", "True"], ["knn", "5", "6", "7", "8"]]
    assert (merged.context.heading, merged.context.caption) == ("merged", "Error of two")
    assert merged.origin.at(np.array([0])) == "sheet row 4"
    assert plain.names == ("data", "knn")
    assert read_content(content, "t.xlsx", "source", "xlsx:plain").names == ("data", "knn")
    chosen = read_content(content, "t.xlsx", "source")
    assert chosen.names == merged.names
    assert chosen.notes[0].startswith("2 tables in the file; read: merged.")
    with pytest.raises(MalformedError, match="has no sheet 'x'"):
        read_content(content, "t.xlsx", "source", "xlsx:x")


def test_formulas_of_one_sheet_do_not_hide_another() -> None:
    content = workbook(a=[["x", "y"], [1, "=A2"]], b=[["data", "knn"], ["iris", 0.5]])
    table = only("t.xlsx", content)
    assert table.names == ("data", "knn")
    assert any("formula in B2" in note for note in table.notes)
    with pytest.raises(MalformedError, match="formula in B2"):
        read_content(content, "t.xlsx", "source", "xlsx:a")


PROSE: dict[str, tuple[str, str]] = {
    "Markdown": (
        "t.md",
        "Study\n=====\nWe measure [WER](https://x.org), `not this`, of\nspeech.\n\n"
        "```\nnot this\n```\n### Results\n\n| data | k NN |\n|--|--|\n| not | 1 |\n\n"
        "<table>\n<tr><td>not</td></tr>\n</table>\nLower is **better**.\n",
    ),
    "HTML": (
        "t.html",
        "<title>not this</title><h1>Study</h1><p>We measure <a href=x>WER</a>, "
        "<code>not this</code>, of\nspeech.</p><pre>not this</pre><h3>Results</h3><table><tr>"
        "<th>data<th>k NN<tr><td>not<td>1</table><div>Lower is <b>better</b>.</div>",
    ),
    "RST": (
        "t.rst",
        "Study\n=====\nWe measure `WER <https://x.org>`_, ``not this``, of\nspeech.\n\n"
        ".. code:: text\n\n   not this\n\n.. _not: this\n\nResults\n-------\n\n"
        "====  ====\ndata  k NN\n====  ====\nnot   1\n====  ====\n\nLower is **better**.\n",
    ),
    "LaTeX": (
        "t.tex",
        "\\documentclass{not}\n\\usepackage{not}\n\\begin{document}\n\\section{Study}\nWe measure "
        "\\href{x}{WER}, \\verb|not this|, of\nspeech. % not this\n\n\\subsection*{Results}\n"
        "\\begin{tabular}{lr}data & k NN \\\\ not & 1 \\\\ \\end{tabular}\n\nLower is "
        "\\textbf{better}.\n\\end{document}\n",
    ),
}


@pytest.mark.parametrize("kind", PROSE)
def test_a_document_tells_its_prose(kind: str) -> None:
    prose = tables(*PROSE[kind])[0].context.prose
    told = prose.replace(" ,", ",").replace(",,", ",").splitlines()
    assert told == ["# Study", "We measure WER, of speech.", "# Results", "Lower is better."]


def test_prose_is_cut() -> None:
    (table,) = tables("t.md", "Words.\n\n" * 10_000 + PROSE["Markdown"][1].split("<table>")[0])
    assert len(table.context.prose) == 20_000


ERRORS = """
## Results

The table has the **error rate** on each data set.

Rows are sorted, and the score of effort is to come.

|  |  |  |
|--|--|--|
|  | **knn** | **svm** |
| iris | 0.04 | 0.02 |
| wine | 0.10 | 0.05 |
| yeast | 0.40 | / |
| Best | 0 | 3 |
"""


def test_all_paragraphs_above_a_table_tell_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(ERRORS)
    table = read_scores(tmp_path / "a.md")
    assert (table.algorithms, table.datasets) == (("knn", "svm"), ("iris", "wine", "yeast"))
    assert (table.measure.name, table.measure.higher_is_better) == ("error rate", False)
    assert "Left out by their names, as no data sets: Best." in table.notes


def test_a_note_is_prose_without_its_mark() -> None:
    begin = "Gaps\n====\n\n.. note::\n\n   Lower is better.\n\n.. code::\n\n   not this\n\n"
    table = only("t.rst", f"{begin}====  ====\ndata  k NN\n====  ====\niris  1\n====  ====\n")
    assert table.context.prose == "# Gaps\nLower is better."
    assert table.context.caption == "Lower is better."


def test_what_stands_above_another_table_is_not_said_of_the_next() -> None:
    table = "| data | knn |\n|--|--|\n| iris | 1 |\n"
    first, second, third = tables("t.md", f"Accuracy.\n\n{table}\nSeconds.\n\n{table}\n{table}")
    told = [each.context.text for each in (first, second, third)]
    assert told == ["Accuracy.", "Seconds.", "Seconds."]
