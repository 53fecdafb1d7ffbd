"""The order of a report is a leaderboard: complete rows, steps, parts, the first few, a focus."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.numbers import cost
from palio.report.question import Question
from palio.scores import ScoreTable

_CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>")


def table_of(k: int, n: int, *, measure: str = "accuracy", missing: float = 0.0) -> ScoreTable:
    rng = np.random.default_rng(k)
    values = np.linspace(0.3, 0.8, k) + rng.normal(0, 0.05, (n, 1)) + rng.normal(0, 0.06, (n, k))
    values = np.clip(values, 0.01, 0.99)
    values = values if measure == "accuracy" else 1 - values
    values[rng.random(values.shape) < missing] = np.nan
    return ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"m{j}" if k < 10 else f"vendor/model-{j:03d}-instruct" for j in range(k)],
        measure=measure,
        costs={"seconds": rng.lognormal(2, 1, (n, k))},
    )


def rows_of(html: str) -> list[list[str]]:
    """Return the cells of the tables of the order, without markup and pins."""
    order = html[html.index('<section id="order">') : html.index('<div class="panel"')]
    found = [_CELL.findall(row) for row in re.findall(r"<tr.*?</tr>", order)]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row[1:]] for row in found]


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_a_row_is_complete_on_every_face(measure: str) -> None:
    table = table_of(5, 20, measure=measure, missing=0.05)
    report = palio.analyse(table, cost="seconds", checks=[])
    head, *rows = rows_of(report.to_html())
    assert head == [
        "place", "algorithm", "ranks", "mean rank", f"mean {measure}", "group", "beats",
        "mean seconds", "ranks taken", "missing",
    ]  # fmt: skip
    assert [row[1] for row in rows] == list(report.ordering.order)
    text = [line.split() for line in str(report).splitlines()]
    compared = palio.compare(table)
    lacking = np.isnan(table.means()).sum(axis=0)
    for row in rows:
        place, name, ranks, mean_rank, mean, group, beats, seconds, _plot, missing = row
        # The same cells in the terminal, which has the order's cost besides.
        shown = next(line for line in text if line[:2] == [place, name])
        assert "±" not in mean  # an adjusted mean has no interval of its own
        assert shown[2:6] == [ranks, mean_rank, mean, group]
        assert (shown[6], shown[-1]) == (beats, missing)
        assert beats == str(len(compared.standings[name].beats))
        assert missing == str(lacking[table.algorithms.index(name)])
        assert seconds == cost(table.mean_costs()["seconds"][name], "seconds")
    real = sum(
        compared.pair(a, b).significant
        for a, b in zip(report.ordering.order, report.ordering.order[1:], strict=False)
    )
    verb = "is" if real == 1 else "are"
    assert f"{real} of 4 steps down the board {verb} significant." in report.to_html()


def test_without_a_cost_there_is_no_column_of_it() -> None:
    head, *rows = rows_of(palio.analyse(table_of(4, 20), checks=[]).to_html())
    assert not {"cost", "mean seconds", "missing"} & set(head)
    assert all("±" in row[head.index("mean accuracy")] for row in rows)


def test_the_first_few_and_one_in_focus() -> None:
    table = table_of(40, 20)
    order = palio.order(table).order
    report = palio.analyse(table, checks=[], top=7, focus=order[4])
    html = report.to_html()
    _, *rows = rows_of(html)
    assert [row[1] for row in rows] == list(order[:7])
    assert "The first 7 of 40 algorithms" in html
    said = f"{order[4]} stands at 5 of 40; the pairs leave open the ranks"
    assert said in html
    assert said in " ".join(str(report).split())
    # Its details are open.
    assert re.findall(r'<article id="([^"]*)" class="detail first"', html) == [
        f"algorithm-{order[4].replace('/', '-')}"
    ]
    assert report.comparison is not None
    assert report.comparison.focus is not None
    assert report.comparison.focus.above == order[3]
    with pytest.raises(UnknownNameError, match="focus: 'nobody' is not known"):
        palio.analyse(table, checks=[], focus="nobody")
    with pytest.raises(ParameterError, match="top: it is 1 or more"):
        palio.analyse(table, checks=[], top=0)


def test_the_link_holds_them() -> None:
    question = Question(focus="a b", top=12)
    assert question.to_query() == "focus=a+b&top=12"
    assert Question.from_query("focus=a+b&top=12") == question
    with pytest.raises(ParameterError, match="top: it is a whole number"):
        Question.from_query("top=1.5")


def test_parts_have_boards_of_their_own() -> None:
    values = np.full((24, 5), np.nan)
    rng = np.random.default_rng(0)
    values[:14, :2] = [0.9, 0.4] + rng.normal(0, 0.01, (14, 2))
    values[14:, 2:] = [0.2, 0.7, 0.5] + rng.normal(0, 0.01, (10, 3))
    table = ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(24)], algorithms=list("abcde"), measure="accuracy"
    )
    report = palio.analyse(table, checks=[])
    assert [[row.algorithm for row in part] for part in report.boards] == [
        ["d", "e", "c"], ["a", "b"],
    ]  # fmt: skip
    assert [[row.place for row in part] for part in report.boards] == [[1, 2, 3], [1, 2]]
    html = report.to_html()
    assert ">Board 2</caption>" in html
    assert "No data set joins 2 parts, of 3 and 2 algorithms" in html
    # Mean ranks allow for whom each has met, and are within the part.
    head, *rows = rows_of(html)
    assert "strength" not in head
    found = [float(row[head.index("mean rank")]) for row in rows if row != head]
    assert found[:3] == sorted(found[:3])
    assert found[3:] == sorted(found[3:])


def test_folds_give_no_interval() -> None:
    report = palio.analyse(palio.load_study("ulas2008"), datasets=["optdigits"], cost="space")
    head, *rows = rows_of(report.to_html())
    assert head[3] == "mean accuracy"
    assert "±" not in rows[0][3]
    assert "mean rank" not in head
    # There the cost is as measured, and stands there once.
    assert "cost" not in head
    assert "mean space" in head


@pytest.mark.slow
def test_a_hundred_and_fifty_are_a_page_of_less_than_two_megabytes() -> None:
    report = palio.analyse(table_of(150, 40, missing=0.02), cost="seconds", checks=[])
    html = report.to_html()
    assert len(html.encode()) < 2_000_000
    assert len(rows_of(html)) == 151
