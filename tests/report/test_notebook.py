"""What a notebook shows: the sentence, the table and the figure, in a style of their own."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import PalioError
from palio.report.notebook import notebook_html
from palio.report.text import render_text


def made(k: int, n: int = 20) -> palio.ScoreTable:
    """Make a table of k algorithms, each better than the last."""
    rng = np.random.default_rng(k)
    scores = np.linspace(0.4, 0.7, k) + 0.05 * rng.standard_normal((n, k))
    return palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"set {i}" for i in range(n)],
        algorithms=[f"algorithm {i}" for i in range(k)],
        measure="accuracy",
        costs={"train_time": rng.random((n, k))},
    )


@pytest.fixture(scope="module")
def table() -> palio.ScoreTable:
    return palio.load_study("ulas2008")


def figures(html: str) -> int:
    return html.count('<svg role="img"')


def test_the_sentence_comes_first_and_the_figure_beside_the_table(table: palio.ScoreTable) -> None:
    found = palio.compare(table)
    html = found._repr_html_()
    said, beside = html.index(str(found.verdict.best).rstrip(".")), html.index('class="beside"')
    assert html.index("</style>") < said < beside < html.index("<table>") < html.index("<svg")
    assert figures(html) == 1
    assert "<summary>All pairs</summary>" in html


def test_whatever_has_a_figure_has_it_here(table: palio.ScoreTable) -> None:
    with_one = [
        palio.order(table, cost="train_time"),
        palio.order(table),
        palio.aggregate(table, n_resamples=50),
        palio.variance(table),
        palio.rank_stability(table, n_resamples=20),
        palio.bayes.anova(table.select(algorithms=["svr", "c45", "mlp"]), draws=500),
    ]
    assert [figures(each._repr_html_()) for each in with_one] == [1] * len(with_one)
    assert figures(table._repr_html_()) == figures(palio.rank(table)._repr_html_()) == 0


def test_an_order_by_mean_rank_alone_has_no_graph(table: palio.ScoreTable) -> None:
    graph, ranks = "Where the test overrode", "Mean ranks, and between which"
    by_cost, by_rank = palio.order(table, cost="train_time"), palio.order(table)
    assert graph in by_cost._repr_html_()
    assert graph not in by_rank._repr_html_()
    assert ranks in by_rank._repr_html_()


def test_an_audit_is_the_table_of_the_page(table: palio.ScoreTable) -> None:
    html = palio.audit(table, only=["leave-one-out"])._repr_html_()
    assert 'class="audit-grid"' in html
    assert ".audit-grid" in html


def test_nothing_reaches_what_is_around(table: palio.ScoreTable) -> None:
    html = palio.audit(table, only=["leave-one-out"])._repr_html_()
    (sheet,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert sheet.startswith(".palio.palio {")
    # One block that ends where the sheet does.
    depth = np.cumsum([{"{": 1, "}": -1}.get(letter, 0) for letter in sheet])
    assert (depth[15:-1] > 0).all()
    assert depth[-1] == 0
    assert not re.search(r":root|prefers-color-scheme|\d+rem\b|@import|url\(", sheet)
    assert not re.search(r'(src|href)="(?!#)', html)


@pytest.mark.parametrize("k", [14, 150])
def test_a_result_is_not_large(k: int) -> None:
    data = made(k, 8)
    for result in (palio.order(data, cost="train_time"), palio.compare(data)):
        assert len(result._repr_html_().encode()) < 150_000
    assert figures(palio.order(made(14), cost="train_time")._repr_html_()) == 1


def test_a_figure_that_would_be_too_large_is_left_out(
    table: palio.ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palio.report.notebook._MOST_LETTERS", 100)
    html = palio.compare(table)._repr_html_()
    assert figures(html) == 0
    assert html.count("<table>") == 2


def test_two_results_have_no_id_in_common_that_means_two_things(table: palio.ScoreTable) -> None:
    one = palio.aggregate(table, n_resamples=50)._repr_html_()
    other = palio.aggregate(made(5), n_resamples=50)._repr_html_()
    ids = [set(re.findall(r'\bid="([^"]+)"', html)) for html in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert one == palio.aggregate(table, n_resamples=50)._repr_html_()


def test_any_name_can_be_shown() -> None:
    names = ["<script>alert(1)</script>", "a\x00b", "long " * 30]
    data = palio.ScoreTable.from_arrays(
        made(3).means(), datasets=[f"d{i}" for i in range(20)], algorithms=names, measure="error"
    )
    html = palio.compare(data)._repr_html_()
    assert figures(html) == 1
    assert html.count("<script>") == 1
    assert ("long " * 30).strip() in html


def test_the_text_is_the_one_of_a_terminal(table: palio.ScoreTable) -> None:
    items = palio.ItemScores.from_arrays(
        [[1.0, 0.0], [1.0, 1.0]], algorithms=["a", "b"], measure="accuracy"
    )
    for each in (palio.compare(table), table, items):
        assert each._repr_mimebundle_(include=None, exclude=None) == {"text/plain": str(each)}
    assert render_text(palio.compare(table)) == str(palio.compare(table))
    assert "1 data set × 2 algorithms" in items._repr_html_()
    assert notebook_html(table.understood()) == table._repr_html_()


def test_an_error_is_the_line_that_was_written_and_a_sentence(table: palio.ScoreTable) -> None:
    with pytest.raises(PalioError) as caught:
        palio.compare(table, test="boxes")
    *lines, said = caught.value._render_traceback_()
    assert said == f"UnknownNameError: {caught.value}"
    (own,) = (line for line in lines if str(Path(__file__)) in line)
    assert 'palio.compare(table, test="boxes")' in own
    assert not any(str(Path(palio.__file__).parent) in line for line in lines)


# --- in IPython -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shell() -> Any:
    """A shell as a notebook's kernel has it, in this process."""
    return pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()


def test_three_lines_show_the_answer(shell: Any, tmp_path: Path) -> None:
    data = made(4)
    path = tmp_path / "file.csv"
    data.to_frame().to_csv(path, index=False)
    shell.run_cell("import palio")
    shell.run_cell(f"table = palio.read_scores({str(path)!r}, score='accuracy')")
    ran = shell.run_cell("palio.order(table)")
    bundle, _ = shell.display_formatter.format(ran.result)
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/plain"] == str(ran.result)
    assert bundle["text/html"] == ran.result._repr_html_()


def test_a_shell_in_a_terminal_draws_nothing(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell.display_formatter, "active_types", ["text/plain"])
    monkeypatch.setattr("palio.report.notebook.notebook_html", lambda _: sys.exit("drawn"))
    bundle, _ = shell.display_formatter.format(palio.compare(made(3)))
    assert list(bundle) == ["text/plain"]
