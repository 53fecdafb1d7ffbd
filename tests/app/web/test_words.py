"""A page has neither a command line nor Python: nothing on it speaks of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import palio
from palio.app.verbs import VERBS
from palio.app.web.panels import PANELS
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.words import Worded, on_page
from tests.app.web.conftest import HERE
from tests.shared import shared_file
from tests.slow import mostly_slow

TYPED = re.compile(
    r"(?:^|[\s(`;:])--[a-z][\w-]*|\b\w+='|\b\w+=(?:True|False)\b|\.to_\w+\(\)|"
    rf"\bpalio (?:{'|'.join(VERBS)})\b"
)

# Attributes that are read, or read aloud.
READ = ("alt", "aria-label", "title", "placeholder")


class Visible(HTMLParser):
    """The texts of a page that people see or hear."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._unseen = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in ("script", "style")
        self.texts += [value for name, value in attrs if name in READ and value]

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.texts.append(data)


def texts_in(answer: Any) -> Iterator[str]:
    """Give every text of an answer; pieces of the page without their markup."""
    if isinstance(answer, str):
        yield from Visible(answer).texts if answer.lstrip().startswith("<") else [answer]
    elif isinstance(answer, dict):
        for key, value in answer.items():
            if key not in ("query", "facts"):  # a link; what tooltips say is a text in it
                yield from texts_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from texts_in(value)


def typed(texts: Iterator[str] | list[str]) -> list[str]:
    return [text for text in texts if TYPED.search(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Left out: a. --keep-failing keeps it.", True),
        ("see (--cost)", True),
        ("by missing='worst'", True),
        ("robust=True allows for outliers", True),
        ("palio report has them", True),
        ("Made with Palio 1.0", False),
        ("a – b: now different", False),
        ("p = 0.03, α = 0.05", False),
    ],
)
def test_the_search_finds_what_it_looks_for(text: str, found: bool) -> None:
    assert bool(typed([text])) == found


def test_a_text_in_other_words_on_a_page() -> None:
    said = Worded("a --b", page="a")
    assert json.dumps([said]) == '["a --b"]'
    assert said == "a --b"
    assert on_page(said) == "a"


# --- every answer --------------------------------------------------------------------------------

QUESTIONS = {
    "as it is": "",
    "mean ranks": "test=mean-ranks&correction=nemenyi",
    "the papers": "method=multi2test",
    "worst": "missing=worst",
    "drop": "missing=drop-datasets",
    "a control": "control={first}",
    "one": "datasets={dataset}",
    "a model": "model=sign&rope=auto",
    "anova": "model=anova",
    "no level": "alpha=7",
    "no test": "test=wilcoxn",
    "no score": "score=nothing",
    "no data set": "datasets=nowhere",
    "two": "datasets={dataset}&datasets={other}",
}
# Of every table; the others are of all tables in the slow tests, and here of a small one.
FEW = {what: QUESTIONS[what] for what in ("as it is", "worst", "a model", "two")}
PATHS = ("table", "answer", "pools", "audit", "posterior", "focus")


def said_by(path: Path, questions: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Ask everything about a file, and give what each answer says as people type it."""
    with TestClient(application(Settings(workers=0), opened=str(path)), base_url=HERE) as client:
        start = client.get("/api/start").json()
        yield "start", typed(texts_in(start))
        about = client.get(f"/api/table?table={start['opened']['id']}").json()
        yield "table", typed(texts_in(about))
        names, sets = about.get("algorithms", [""]), about.get("datasets", [""])
        for what, query in questions.items():
            query = query.format(first=names[0], dataset=sets[0], other=sets[-1])
            base = f"table={start['opened']['id']}&{query}"
            for each in PATHS:
                more = f"&focus={names[-1]}" if each == "focus" else ""
                found = client.get(f"/api/{each}?{base}{more}")
                assert found.status_code in (200, 422), (each, query, found.text)
                yield f"{each}, {what}", typed(texts_in(found.json()))
            for name in PANELS if what in ("as it is", "worst") else ():
                found = client.get(f"/api/figures/{name}.html?{base}")
                yield f"{name}, {what}", typed(Visible(found.text).texts)
            whole = what in ("as it is", "mean ranks", "worst", "anova", "top")
            page = client.get(f"/api/downloads/report.html?{base}") if whole else None
            if page is not None and page.status_code == 200:
                yield f"report, {what}", typed(Visible(page.text).texts)


@pytest.fixture(params=mostly_slow([FEW, QUESTIONS], 1), ids=["few", "all"])
def questions(request: pytest.FixtureRequest) -> dict[str, str]:
    found: dict[str, str] = request.param
    return found


def check(path: Path, questions: dict[str, str] = QUESTIONS) -> None:
    wrong = {where: texts for where, texts in said_by(path, questions) if texts}
    assert not wrong


def written(table: palio.ScoreTable, path: Path) -> Path:
    table.to_frame().to_csv(path, index=False)
    return path


def test_a_table_with_folds_and_costs(results: Path, questions: dict[str, str]) -> None:
    check(results, questions)


def test_a_table_with_holes_and_failures(tmp_path: Path, questions: dict[str, str]) -> None:
    rng = np.random.default_rng(0)
    lines = ["dataset,algorithm,fold,accuracy,train_time,status"]
    for i in range(12):
        for j in range(5):
            # The last one failed on most, the others here and there.
            failed = rng.random() < (0.7 if j == 4 else 0.1)
            score = "" if failed else f"{0.7 + 0.02 * j + 0.05 * rng.random():.4f}"
            status = "timeout" if failed else "ok"
            lines += [f"d{i},m{j},{fold},{score},{rng.random():.3f},{status}" for fold in (1, 2)]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(lines))
    check(path, questions)


def test_one_data_set_of_one_value_each(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("dataset,algorithm,accuracy\nd,a,0.9\nd,b,0.8\nd,c,0.7\n")
    check(path)


def test_models_in_rows_and_rows_that_disagree(tmp_path: Path, questions: dict[str, str]) -> None:
    path = tmp_path / "rows.csv"
    rows = "\n".join(f"model-{j},{0.5 + j / 50},{0.4 + j / 40},{0.3 + j / 30}" for j in range(9))
    path.write_text(f"model,GSM8K,MMLU,ARC\n{rows}\n")
    check(path, questions)
    twice = tmp_path / "twice.csv"
    again = "\n".join(f"d{i},m{j},{0.5 + j / 9 + i / 99}" for i in range(5) for j in range(3))
    twice.write_text(f"dataset,algorithm,accuracy\n{again}\nd0,m0,0.1\n")
    check(twice)


def test_very_many_algorithms(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = palio.ScoreTable.from_arrays(
        rng.random(65) / 9 + rng.random((9, 65)),
        datasets=[f"d{i}" for i in range(9)],
        algorithms=[f"m{j}" for j in range(65)],
        measure="accuracy",
    )
    check(written(table, tmp_path / "many.csv"), {"as it is": "", "top": "top=5"})


def test_two_parts_that_no_data_set_joins(tmp_path: Path, questions: dict[str, str]) -> None:
    path = tmp_path / "parts.csv"
    one = [f"d{i},m{j},{0.5 + j / 9 + i / 99}" for i in range(6) for j in range(3)]
    other = [f"e{i},n{j},{0.5 + j / 9 + i / 99}" for i in range(6) for j in range(3)]
    path.write_text("\n".join(["dataset,algorithm,accuracy", *one, *other]))
    check(path, questions)


def test_items(tmp_path: Path, questions: dict[str, str]) -> None:
    rng = np.random.default_rng(1)
    lines = ["dataset,item,algorithm,accuracy"]
    for i in range(3):
        for item in range(20):
            for j in range(4):
                if j < 3 or item > 10:  # the last has answered some
                    lines.append(f"d{i},{item},m{j},{int(rng.random() < 0.5 + j / 10)}")
    path = tmp_path / "items.csv"
    path.write_text("\n".join(lines))
    check(path, questions)
    strangers = tmp_path / "strangers.csv"
    apart = [f"d,{10 * j + item},m{j},{item % 2}" for j in range(3) for item in range(10)]
    strangers.write_text("\n".join(["dataset,item,algorithm,accuracy", *apart]))
    check(strangers, {"as it is": ""})


@pytest.mark.parametrize(
    "name",
    [
        "lm_eval",
        "inspect",
        "mcm/results_example.csv",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in (
                "cd_diagram/example.csv",
                "amlb/all_results_1h.csv",
                "amlb/results_medium-8c1h.csv",
                "tsml",
                "mteb/board.csv",
                "mteb/results",
                "helm",
                "every_eval_ever",
                "livebench/livebench_13012025.parquet",
                "srbench/blackbox_results.csv",
            )
        ),
    ],
)
def test_results_as_others_publish_them(name: str) -> None:
    check(shared_file(f"results/{name}"), {"as it is": "", "worst": "missing=worst"})


# --- what stands in the page itself --------------------------------------------------------------


def test_the_pages_own_texts() -> None:
    static = Path(application.__code__.co_filename).parent / "static"
    for page in static.glob("*.html"):
        assert typed(Visible(page.read_text(encoding="utf-8")).texts) == []
    for script in static.glob("*.js"):
        strings = re.findall(r'"([^"\n]*)"|`([^`]*)`', script.read_text(encoding="utf-8"))
        assert typed([a or b for a, b in strings]) == [], script.name
