"""Text for terminals and files: names stay whole, and tables fit or are as wide as they need."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import palio
from palio.experiment.final import Final
from palio.experiment.parts import Outlook
from palio.experiment.status import AlgorithmTime, Failure, JobTime, Status
from palio.recommending import Described, Trial, Trials
from palio.report.blocks import Column, Table
from palio.report.overview import overview
from palio.report.text import Room, laid_out, print_to_terminal, render_text
from palio.report.views import VIEWS
from palio.results import Result
from palio.scores.table import ScoreTable
from tests.report.figures.posteriors import joint_posterior

NAMES = [
    f"sentence-transformers__paraphrase/multilingual-MiniLM{i}_L12-{'v' * length}"
    for i, length in enumerate((2, 2, 2, 6, 9, 2))
]
SETS = [f"commonsense:dataset=hellaswag{i},method=multiple_choice_joint" for i in range(10)]
PIECES = (
    "sentence-",
    "transf",
    "para",
    "lingual",
    "MiniL",
    "L12",
    "vv",
    "common",
    "swag",
    "_joint",
)
# They name neither algorithms nor data sets.
WITHOUT_NAMES = {
    "algorithms",
    "concordance",
    "merged",
    "power",
    "reading",
    "reproduction",
    "rope",
    "test",
    "variance",
}


def long_table() -> ScoreTable:
    generator = np.random.default_rng(1)
    better = np.linspace(0.3, 0.0, len(NAMES))[None, :, None, None]
    scores = 0.5 + better + 0.05 * generator.random((len(SETS), len(NAMES), 5, 2))
    return ScoreTable.from_arrays(
        scores,
        datasets=SETS,
        algorithms=NAMES,
        measure="accuracy",
        costs={"time": np.tile(np.arange(1.0, 1 + len(NAMES)), (len(SETS), 1))},
    )


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    table = long_table()
    ordering = palio.order(table, cost="time")
    advice = palio.recommend(table, budget=900, n_resamples=20)
    truth = list(range(2)) * 6
    found = [
        ordering,
        palio.compare(table),
        palio.compare_folds(table, dataset=SETS[0]),
        palio.audit(table, only=["leave-one-out"]),
        palio.aggregate(table, normalise="min-max", n_resamples=20),
        palio.find_best(table, dataset=SETS[0], cost="time"),
        palio.compare_predictions(
            palio.Predictions.from_arrays(truth, {NAMES[0]: truth, NAMES[1]: truth[::-1]})
        ),
        palio.rank(table),
        palio.evaluate_rankings(table, cost="time"),
        palio.rank_stability(table, n_resamples=20),
        joint_posterior(NAMES[:3]),
        palio.analyse(table, cost="time", checks=["leave-one-out"]),
        overview(table, cost="time"),
        advice,
        palio.evaluate_recommendation(table, [Described(s, 9, {"x": len(s)}) for s in SETS]),
        Trials(advice, SETS[0], "accuracy", (Trial(NAMES[0], "ok", 0.9, 3.2),), stopped="all",
               budget=900.0, store="r.db", chance=None),
        Final(NAMES[0], 1 / 3, {s: {"accuracy": 0.9} for s in SETS}, {s: {} for s in SETS}, {}),
        Outlook(9, 9, tuple(SETS), tuple(NAMES), "5x2", 1, 9, None, dict.fromkeys(SETS, NAMES[0]),
                dict.fromkeys(NAMES, "none"), {}),
        Status("e.db", "plan", 9, {"ok": 9}, True, (Failure("no", 1, (SETS[0],), (NAMES[0],)),),
               (), {}, ("plan",),
               (AlgorithmTime(NAMES[0], 9, 1.0, 1.0),),
               (JobTime(SETS[0], NAMES[0], 1, 1, 1.0),), {}),
    ]  # fmt: skip
    return {result.kind: result for result in found}


def torn(text: str) -> list[str]:
    """Return the lines that hold a part of a name, but not the whole."""
    whole = re.compile("|".join(map(re.escape, sorted([*NAMES, *SETS], key=len, reverse=True))))
    return [
        line for line in text.splitlines() if any(each in whole.sub("", line) for each in PIECES)
    ]


@pytest.mark.parametrize("kind", sorted(set(VIEWS) - WITHOUT_NAMES))
@pytest.mark.parametrize("room", [Room(), Room(table=None), Room(100, 100), Room(40, 40)], ids=str)
def test_no_name_is_torn(results: dict[str, Result], kind: str, room: Room) -> None:
    text = render_text(results[kind], room)
    assert not torn(text)
    assert any(name in text for name in (*NAMES, *SETS)) or kind in (
        "ranking-evaluation",
        "recommendation-evaluation",
    )
    assert "…\n" not in text


@pytest.mark.parametrize("kind", ["ordering", "comparison", "status", "final"])
def test_a_table_fits_eighty_columns_or_has_a_line_for_each_row(
    results: dict[str, Result], kind: str
) -> None:
    assert max(map(len, str(results[kind]).splitlines())) <= 80
    piped = render_text(results[kind], Room(table=None))
    numbers = [line for line in piped.splitlines() if re.search(r"\S {2,}\S*\d\.\d+", line)]
    assert numbers
    assert all(any(name in line for name in (*NAMES, *SETS)) for line in numbers)


def test_pairs_over_items_fit_eighty_columns() -> None:
    items = palio.ItemScores.from_arrays(
        np.random.default_rng(0).random((900, len(NAMES))) / [*range(1, len(NAMES) + 1)],
        algorithms=NAMES,
        measure="f1",
    )
    text = str(palio.compare(items))
    assert "won/tied/lost" in text
    assert max(map(len, text.splitlines())) <= 80
    table = palio.aggregate(long_table(), n_resamples=20)
    assert max(map(len, str(table).splitlines())) <= 80


def test_into_a_pipe_a_row_is_a_line(
    results: dict[str, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    monkeypatch.setattr("sys.stdout", written)
    monkeypatch.setenv("COLUMNS", "40")
    print_to_terminal(results["ordering"])
    assert written.getvalue() == render_text(results["ordering"], Room(table=None)) + "\n"


# --- the lines of a table ------------------------------------------------------------------------

cells = st.text("abc-/_ é", min_size=0, max_size=30).map(str.strip)


@given(
    st.lists(st.tuples(cells, cells, st.integers(0, 10**6).map(str)), min_size=1, max_size=5),
    st.integers(20, 90),
)
def test_every_cell_is_told_whole(rows: list[tuple[str, ...]], width: int) -> None:
    columns = (Column("one"), Column("two"), Column("mean score", numeric=True))
    _, wide = laid_out(Table(columns, tuple(rows)), None)
    assert len(wide) == len(rows)
    for line, row in zip(wide, rows, strict=True):
        assert re.split(r" {2,}", line.strip())[-1] == row[-1]
        assert all(cell in line for cell in row)
    _, lines = laid_out(Table(columns, tuple(rows)), width)
    assert max(map(len, lines)) <= max(width, 30)
    for row in rows:
        assert row[0] in "\n".join(lines)
        assert row[-1] in "\n".join(lines)


def test_a_row_by_hand() -> None:
    columns = (Column("a"), Column("b"), Column("p", numeric=True), Column("better"))
    rows = [
        ("forest/of/many/trees", "boosting/of/stumps", "0.01", "boosting/of/stumps"),
        ("forest/of/many/trees", "knn", "0.20", ""),
        ("short", "knn", "0.30", "short"),
    ]
    headings, lines = laid_out(Table(columns, tuple(rows)), 36)
    assert headings == ["a         b                p  better"]
    assert lines == [
        "forest/of/many/trees",
        "          boosting/of/stumps",
        "                        0.01  b",
        "          knn           0.20",
        "short     knn           0.30  a",
    ]
    _, lines = laid_out(Table(columns, tuple(rows)), None)
    assert lines[0].split() == list(rows[0])


def test_words_break_and_names_do_not() -> None:
    columns = (Column("name"), Column("what it is", breaks=True))
    rows = (("random-forest", "trees, bagging, random subspaces of features"),)
    assert laid_out(Table(columns, rows), 34)[1] == [
        "random-forest  trees, bagging,",
        "               random subspaces of",
        "               features",
    ]


def test_a_status_of_many_algorithms_shows_the_first(results: dict[str, Result]) -> None:
    status = results["status"]
    assert isinstance(status, Status)
    many = replace(status, algorithms=tuple(AlgorithmTime(f"d{n}", 9, 1.0, 1.0) for n in range(99)))
    text = render_text(many, Room())
    assert "and 69 more algorithms: --json" in text
    assert "d29" in text
    assert "d30" not in text
    assert len(many.to_dict()["algorithms"]) == 99
