"""What the page is told is what Palio says elsewhere."""

import asyncio
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from starlette.testclient import TestClient

import palio
from palio.app.options import Reading
from palio.app.web.cache import Answers, Memory
from palio.app.web.panels import PANELS
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.bayes.models import MODELS, run_model
from palio.claims import MostProbable, PairByModel
from palio.comparison.sample import Effects
from palio.numbers import probability
from palio.ordering.result import Ordering
from palio.report.question import Question
from palio.report.tiles import tiles

Ask = Callable[..., Any]


QUESTIONS = [
    Question(),
    Question(cost={"train_time": 0.7, "space": 0.3}, alpha=0.01),
    Question(test="mean-ranks", correction="nemenyi", cost=()),
    Question(algorithms=["svr", "c45", "lnp"], control="svr", correction="bonferroni"),
    Question(datasets=["breast", "car", "zoo"], fold_test="kfold-t", posthoc="sign-holm"),
    Question(datasets=["zoo"]),
    Question(datasets=["optdigits"], cost="train_time"),
    Question(method="multi2test", cost="space", test="sign"),
]


@pytest.fixture(scope="module")
def table() -> palio.ScoreTable:
    return palio.load_study("ulas2008")


def test_the_quick_answer_asks_for_nothing_dear(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    def dear(_self: object) -> None:
        raise AssertionError("effects and orders by data set are not on the page")

    monkeypatch.setattr(Effects, "sizes", property(dear))
    monkeypatch.setattr(Ordering, "per_dataset", property(dear))
    query = Question(alpha=0.02).to_query()  # nobody has asked this before
    assert ask("answer", query)["pairs"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_the_reports(ask: Ask, table: palio.ScoreTable, question: Question) -> None:
    answer = ask("answer", question.to_query())
    made = palio.analyse(table, question)
    report = made.to_dict()
    rows = report["order"]["rows"]
    assert [row["algorithm"] for row in answer["order"]["rows"]] == [r["algorithm"] for r in rows]
    places = {row["algorithm"]: row["place"] for row in rows}
    for shown, row in zip(answer["order"]["rows"], rows, strict=True):
        assert shown["place"] == row["place"]
        about = ask("focus", f"{question.to_query()}&focus={row['algorithm']}")
        text = plain_text(about["html"])
        assert row["reason"] in text
        for key in ("overrides", "waits_for", "beats", "beaten_by", "level_with"):
            assert ", ".join(sorted(row[key] or [], key=places.__getitem__)) in text
    assert f"{answer['verdict']['headline']}." == made.claims.headline
    assert said_in(answer["verdict"]["claims"]) == said_in(report["claims"])
    assert answer["best"] == report["leader"]
    # How sure it is, is there at once, and the same as with the audit.
    (sure,) = (each for each in answer["verdict"]["claims"] if each["kind"] == "sureness")
    assert sure["level"] == report["sureness"]
    audited = [each["key"] for each in answer["panels"] if each["key"] == "audit"]
    assert bool(audited) == (made.audit is not None)
    if made.audit is not None:
        assert ask("audit", question.to_query())["headline"] == made.audit.claims.headline
        assert made.audit.sureness == sure["level"]
    assert answer["query"] == question.to_query()


def said_in(claims: list[dict[str, Any]]) -> list[tuple[str, tuple[str, ...], str]]:
    """Return kind, fields and text of claims; numbers of a file may differ in the last digit."""
    return [(each["kind"], tuple(each), each["text"]) for each in claims]


def plain_text(html: str) -> str:
    """Return the text of a piece of the page."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def test_the_order_is_a_board(ask: Ask, table: palio.ScoreTable) -> None:
    answer = ask("answer", "cost=train_time")
    headings = re.findall(r'class="sort"[^>]*>(.*?)</button>', answer["board"])
    assert [plain_text(each) for each in headings] == [
        "place", "algorithm", "ranks", "mean rank", "mean accuracy", "group", "beats",
        "mean train_time", "ranks taken",
    ]  # fmt: skip
    board = {row.algorithm: row for row in palio.compare(table, cost="train_time").board}
    rows = re.findall(r'<tr data-a="(\d+)"[^>]*>(.*?)</tr>', answer["board"])
    names = [answer["algorithms"][int(number)] for number, _ in rows]
    assert names == [row["algorithm"] for row in answer["order"]["rows"]]
    for name, (_, cells) in zip(names, rows, strict=True):
        values = re.findall(r'data-v="([^"]*)"', cells)
        assert values[5:7] == [board[name].group, str(board[name].beats)]
        assert float(values[7]) == pytest.approx(board[name].costs["train_time"], rel=1e-12)
        assert float(values[4]) == board[name].mean_score
    assert "1 of 7 steps down the board is significant." in answer["board"]


def test_the_tiles_answer_first(ask: Ask, table: palio.ScoreTable) -> None:
    report = palio.analyse(table, cost="train_time")
    said = ask("answer", "cost=train_time")["tiles"]
    made = tiles(report)
    assert [tile.title for tile in made] == ["Leader", "Best value by train_time", "How sure"]
    for tile in made:
        assert f'<h3 id="tile-{tile.about}">{tile.title}</h3>' in said
        assert f">{tile.answer}</p>" in said
        assert not tile.text or f"<p>{tile.text}</p>" in said
    assert "<p></p>" not in said
    # With the audit it is as sure as without.
    assert made == tiles(replace(report, audit=None))
    assert "No cost chosen" in ask("answer")["tiles"]


def test_a_focus(ask: Ask) -> None:
    text = plain_text(ask("focus", "focus=c45")["html"])
    assert "c45 stands at 7 of 8; the pairs leave open the ranks 3–8." in text
    assert "To be told from 5nn, the next one up, about 247 data sets like these" in text
    assert "than svr, svl" in text.replace("than", "than ")
    # The rest of the answer does not depend on it, and the report that is taken away has it.
    assert ask("answer", "focus=c45") == ask("answer")


def test_a_focus_that_is_not_there(client: TestClient, ask: Ask) -> None:
    table = client.get("/api/start").json()["opened"]["id"]
    found = client.get(f"/api/focus?table={table}&focus=c46")
    assert found.status_code == 422
    assert found.json()["parameter"] == "focus"
    page = client.get(f"/api/downloads/report.html?table={table}&checks=&focus=c45").text
    assert "c45 stands at 7 of 8" in page


def many(k: int) -> str:
    """A table of k algorithms on eight data sets, two of which no data set joins to the others."""
    rng = np.random.default_rng(k)
    rows = [
        f"d{i},model-{j:04d},{0.3 + 0.4 * j / k + 0.02 * rng.normal():.4f}"
        for i in range(8)
        for j in range(k - 2)
    ]
    rows += [f"e{i},apart-{j},{0.5 + 0.1 * j:.4f}" for i in range(8) for j in range(2)]
    return "dataset,algorithm,accuracy\n" + "\n".join(rows)


def test_hundreds_are_a_light_answer(empty: TestClient, put: Callable[..., str]) -> None:
    found = empty.get(f"/api/answer?table={put(many(300), 'many.csv')}&checks=")
    assert found.status_code == 200, found.text
    answer = found.json()
    places = [
        [int(place) for place in re.findall(r'class="number" data-v="(\d+)">\1</td><th', board)]
        for board in answer["board"].split("</table>")[:-1]
    ]
    assert places == [[*range(1, 299)], [1, 2]]
    (missing,) = (each for each in answer["verdict"]["claims"] if each["kind"] == "missing")
    assert "No data set joins 2 parts" in missing["text"]
    # A row says little, and the pairs are counted, so that it grows with the rows.
    assert answer["pairs"] == []
    assert answer["different"] >= 0
    assert len(answer["board"]) < 300 * 1400


def test_the_pairs_are_those_of_compare(ask: Ask, table: palio.ScoreTable) -> None:
    answer = ask("answer", "test=sign&correction=none")
    names = answer["algorithms"]
    said = {
        (names[i], names[j]): None if not significant else names[better]
        for i, j, significant, better in answer["pairs"]
    }
    compared = palio.compare(table, test="sign", correction="none")
    assert said == {(pair.a, pair.b): pair.winner for pair in compared.pairs}


def test_a_change_of_level_flips_verdicts(ask: Ask) -> None:
    def different(alpha: float) -> int:
        return sum(pair[2] for pair in ask("answer", f"alpha={alpha}")["pairs"])

    assert different(0.001) < different(0.05) < different(0.5)


def test_intervals_say_what_they_are_of(ask: Ask) -> None:
    verdict = "at the level of the verdict"
    found = ask("facts")
    assert (found["between"], found["level"]) == ("−", "")
    assert found["of"] == f"median difference, by Hodges and Lehmann, {verdict}"
    plain = ask("facts", "correction=none&alpha=0.1")
    assert (plain["of"], plain["level"]) == (found["of"], "90 %")
    ranks = ask("facts", "test=mean-ranks&correction=nemenyi")
    assert (ranks["of"], ranks["level"]) == ("mean difference, unadjusted", "95 %")


def test_ratios_are_shown_as_ratios(empty: TestClient, put: Callable[..., str]) -> None:
    """A measure with a unit of its own on each data set: means and pairs are ratios."""
    rng = np.random.default_rng(0)
    scores = np.exp(rng.normal(0, 5, (12, 1)) + rng.normal([0.0, 0.7], 0.1, (12, 2)))
    rows = [f"d{i},{name},{x!r}" for i, row in enumerate(scores.tolist())
            for name, x in zip(("a", "b"), row, strict=True)]  # fmt: skip
    table = put("\n".join(["dataset,algorithm,rmse", *rows]))
    found = empty.get(f"/api/facts?table={table}").json()
    assert found["between"] == "/"
    assert found["of"] == "median ratio, by Hodges and Lehmann, at the level of the verdict"
    logs = np.log(scores[:, 0] / scores[:, 1])
    walsh = [(x + y) / 2 for i, x in enumerate(logs) for y in logs[i:]]
    (pair,) = found["pairs"]
    assert pair[:3] == [0, 1, f"×{np.exp(np.median(walsh)):.3f}"]
    answer = empty.get(f"/api/answer?table={table}").json()
    headings = re.findall(r'class="sort"[^>]*>(.*?)</button>', answer["board"])
    assert "mean rmse ratio" in map(plain_text, headings)
    said = "Mean rmse ratio: lower is better; the geometric mean, as a ratio to that of a."
    assert said in answer["board"]
    means = re.findall(r'data-v="([^"]*)"', answer["board"].partition("<tbody>")[2])
    assert pytest.approx(np.exp(-logs.mean())) in [
        float(each) for each in means if each not in ("a", "b", "ab")
    ]


# --- the pool ------------------------------------------------------------------------------------


def nemenyi(table: palio.ScoreTable, names: list[str], alpha: float) -> set[frozenset[str]]:
    chosen = table.select(algorithms=names)
    found = palio.compare(chosen, test="mean-ranks", correction="nemenyi", alpha=alpha)
    return {frozenset((pair.a, pair.b)) for pair in found.pairs if pair.significant}


@pytest.mark.parametrize("inside", [None, ["c45", "mdt", "mlp", "lnp", "svl", "sv2"]])
def test_verdicts_that_hang_on_the_pool(
    ask: Ask, table: palio.ScoreTable, inside: list[str] | None
) -> None:
    query = urlencode([("algorithms", name) for name in inside or []] + [("alpha", 0.1)])
    said = ask("pools", query)
    pool = inside or list(table.algorithms)
    now = nemenyi(table, pool, 0.1)
    assert said["pool"] == pool
    assert {frozenset(pair) for pair in said["different"]} == now
    flips: dict[tuple[str, frozenset[str]], bool] = {}
    for one in table.algorithms:
        other = [name for name in pool if name != one] if one in pool else [*pool, one]
        then = nemenyi(table, other, 0.1)
        for pair in map(frozenset, combinations([n for n in pool if n in other], 2)):
            if (pair in then) != (pair in now):
                flips[one, pair] = pair in then
    assert flips == {
        (step["algorithm"], frozenset((a, b))): differ
        for step in said["steps"]
        for a, b, differ in step["flips"]
    }
    assert flips  # there are some in this study, or nothing was tested
    # The piece of the page names them by the numbers of their marks.
    first = said["steps"][0]
    a, b, differ = first["flips"][0]
    marks = [f'data-a="{pool.index(name)}">{name}</span>' for name in (a, b)]
    told = "would differ" if differ else "would no longer differ"
    assert f'{marks[0]} – <span class="name" {marks[1]} {told}' in said["html"]
    assert all(step["inside"] == (step["algorithm"] in pool) for step in said["steps"])


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("panel", [p for p in PANELS.values() if p.part not in (None, "posterior")])
def test_figures(client: TestClient, ask: Ask, panel: Any) -> None:
    about = ask("answer", "cost=train_time")
    query = f"table={about['table']}&cost=train_time"
    assert panel.name in {each["key"] for each in about["panels"]}
    piece = client.get(f"/api/figures/{panel.name}.html?{query}")
    assert piece.text.startswith(f'<figure id="figure-{panel.name}" data-figure="{panel.name}">')
    label = re.search('<svg role="img" aria-label="([^"]*)"', piece.text)
    assert label is not None
    assert len(label[1]) > 10
    assert piece.headers["cache-control"] == "no-store"
    svg = client.get(f"/api/figures/{panel.name}.svg?{query}")
    assert ET.fromstring(svg.content).tag.endswith("svg")
    assert svg.headers["content-type"] == "image/svg+xml"
    assert "max-age" in svg.headers["cache-control"]


@pytest.mark.parametrize(("format_", "magic"), [("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")])
def test_other_formats(client: TestClient, ask: Ask, format_: str, magic: bytes) -> None:
    id_ = ask("answer")["table"]
    found = client.get(f"/api/figures/critical-difference.{format_}?table={id_}")
    assert found.content.startswith(magic)


def test_tables_to_take_away(client: TestClient, ask: Ask, table: palio.ScoreTable) -> None:
    id_ = ask("answer")["table"]

    def get(name: str) -> str:
        found = client.get(f"/api/downloads/{name}?table={id_}&checks=symmetry")
        assert found.status_code == 200, found.text
        assert found.headers["content-disposition"] == f'attachment; filename="{name}"'
        return found.text

    report = palio.analyse(table, checks=["symmetry"]).to_dict()
    order = list(csv.DictReader(io.StringIO(get("order.csv"))))
    for row, expected in zip(order, report["order"]["rows"], strict=True):
        assert row["algorithm"] == expected["algorithm"]
        assert float(row["mean_rank"]) == pytest.approx(expected["mean_rank"])
        assert float(row["space"]) == pytest.approx(expected["costs"]["space"])
    pairs = list(csv.DictReader(io.StringIO(get("pairs.csv"))))
    for row, pair in zip(pairs, report["comparison"]["pairs"], strict=True):
        assert (row["a"], row["b"]) == (pair["a"], pair["b"])
        assert float(row["p_adjusted"]) == pytest.approx(pair["p_adjusted"])
        assert float(row["cliffs_delta"]) == pytest.approx(
            pair["cliffs_delta"]
        )  # no placeholder of the page's
    assert json.loads(get("order.json"))["rows"][0]["algorithm"] == order[0]["algorithm"]
    assert len(json.loads(get("pairs.json"))["pairs"]) == len(pairs)
    assert json.loads(get("report.json"))["audit"]["checks"][0]["name"] == "symmetry"
    for name in ("order.tex", "pairs.tex"):
        assert f"\\label{{tab:{name.removesuffix('.tex')}}}" in get(name)
    assert get("report.html").startswith("<!doctype html>")


def test_the_audit_is_the_piece_that_the_report_has(ask: Ask, table: palio.ScoreTable) -> None:
    audit = ask("audit", "checks=leave-one-out")
    report = palio.analyse(table, checks=["leave-one-out"])
    assert f'<section id="audit"><h2>Audit</h2>{audit["html"]}</section>' in report.to_html()
    assert report.audit is not None
    assert audit["headline"] == report.audit.claims.headline == report.claims.headline


def test_the_posterior_is_that_of_the_report(ask: Ask, table: palio.ScoreTable) -> None:
    piece = ask("posterior", "model=sign&rope=1")["html"]
    report = palio.analyse(table, model="sign", rope=1.0, checks=[])
    (said,) = (each for each in report.claims if isinstance(each, MostProbable | PairByModel))
    claim, _, rest = piece.partition("</p>")
    assert claim == f"<p>{said.text}"
    assert "<table>" in rest
    assert rest in report.to_html()
    keys = [each["key"] for each in ask("answer", "model=sign&rope=1")["panels"]]
    assert {"posterior", "posterior-matrix"} <= set(keys)
    assert "posterior" not in [each["key"] for each in ask("answer")["panels"]]


def test_a_model_on_the_folds_of_one_data_set(ask: Ask, table: palio.ScoreTable) -> None:
    chosen = "datasets=zoo&algorithms=svr&algorithms=c45"
    piece = ask("posterior", f"model=correlated-t&rope=1&{chosen}")["html"]
    two = table.select(datasets=["zoo"], algorithms=["svr", "c45"])
    pair = run_model("correlated-t", two, rope=1.0).to_dict()["pairs"][0]
    chance = probability(pair["p_a_better"])
    assert f"svr is better than c45 with probability {chance}" in piece


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("model=correlated-t", "one data set, and 38 are chosen; choose one of them"),
        ("model=hierarchical", "8 algorithms have 28; choose at most 6 algorithms here"),
    ],
)
def test_a_model_that_cannot_be_asked_spoils_nothing_else(
    client: TestClient, ask: Ask, query: str, said: str
) -> None:
    assert ask("answer", query)["order"]["rows"]
    for path in ("posterior", "figures/posterior-matrix.svg", "downloads/report.html"):
        found = client.get(f"/api/{path}?table={ask('table')['id']}&{query}")
        assert (found.status_code, found.json()["parameter"]) == (422, "model")
        assert said in found.json()["message"]


def test_whatever_shows_a_posterior_the_model_is_asked_once(
    client: TestClient, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(model: str, *args: Any, **options: Any) -> Any:
        asked.append(model)
        return run_model(model, *args, draws=64, **options)  # few, to be quick

    monkeypatch.setattr("palio.bayes.models.run_model", counted)
    query = "model=hierarchical&rope=2&algorithms=svr&algorithms=c45&datasets=zoo&datasets=car"
    first = ask("posterior", query)
    assert "<p>Bayesian hierarchical model by accuracy" in first["html"]
    figure = client.get(f"/api/figures/posterior-matrix.svg?table={ask('table')['id']}&{query}")
    assert figure.status_code == 200
    # The level and the cost are not the model's.
    assert ask("posterior", f"{query}&alpha=0.01&cost=space") == first
    assert asked == ["hierarchical"]


# --- what is wrong is said -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "status", "parameter"),
    [
        ("alpha=2", 422, "alpha"),
        ("alpha=nan", 422, "alpha"),
        ("alpha=x", 422, "alpha"),
        ("test=wilcoxin", 422, "test"),
        ("correction=nemenyi", 422, "correction"),
        ("cost=train_time%3Dinf", 422, "cost"),
        ("cost=beauty", 422, "cost"),
        ("algorithms=svr", 422, "algorithms"),
        ("algorithms=svr&algorithms=svr", 422, "algorithms"),
        ("algorithms=%3Cb%3E", 422, "algorithm"),
        ("datasets=nowhere", 422, "dataset"),
        ("score=beauty", 422, "score"),
        ("missing=whatever", 422, "missing"),
        ("rope=-1", 422, "rope"),
        ("model=oracle", 422, "model"),
        ("colour=blue", 422, "question"),
        ("datasets=zoo&fold_test=corrected-t&test_fraction=7", 422, "test_fraction"),
    ],
)
def test_errors_name_the_parameter(
    client: TestClient, ask: Ask, query: str, status: int, parameter: str
) -> None:
    found = client.get(f"/api/answer?table={ask('table')['id']}&{query}")
    assert found.status_code == status, found.text
    assert found.json()["parameter"] == parameter
    assert found.json()["message"]


@pytest.mark.parametrize(
    ("path", "status", "parameter"),
    [
        ("answer", 422, "table"),
        ("answer?table=0000", 404, "table"),
        ("answer?table=store-123", 404, "table"),
        ("answer?table=../../etc/passwd", 404, "table"),
        ("figures/nothing.svg?table=", 404, "table"),
        ("figures/critical-difference.exe?table=", 422, "format"),
        ("downloads/../../server.py?table=", 404, None),
        ("downloads/secrets.txt?table=", 422, "file"),
        ("progress", 422, "table"),
        ("tables", 405, None),
    ],
)
def test_errors_of_addresses(
    client: TestClient, path: str, status: int, parameter: str | None
) -> None:
    found = client.get(f"/api/{path}")
    assert found.status_code == status, found.text
    assert found.json()["parameter"] == parameter


def test_a_text_is_no_figure(client: TestClient, ask: Ask) -> None:
    id_ = ask("table")["id"]
    assert client.get(f"/api/figures/audit.svg?table={id_}").json()["parameter"] == "figure"
    one = client.get(f"/api/figures/critical-difference.svg?table={id_}&datasets=zoo")
    assert "needs mean ranks over several data sets" in one.json()["message"]


# --- what there is to choose from ----------------------------------------------------------------


def test_every_choice_that_is_offered_can_be_made(client: TestClient, ask: Ask) -> None:
    start = client.get("/api/start").json()
    about = ask("table")
    for test in start["methods"]["tests"]:
        for correction in start["methods"]["corrections"][test["name"]]["all"]:
            Question(test=test["name"], correction=correction)
        for correction in start["methods"]["corrections"][test["name"]]["control"]:
            Question(test=test["name"], correction=correction, control="svr")
    assert [each["name"] for each in start["methods"]["models"]] == list(MODELS)
    assert about["models"] == [name for name, model in MODELS.items() if not model.on_items]
    assert about["fold_tests"][0] == "5x2cv-f"
    for name in about["fold_tests"]:
        if name != "calibrated-t":  # it is calibrated for another design, and says so
            ask("answer", f"fold_test={name}&datasets=zoo&datasets=car")


def test_models_on_folds_are_not_offered_without_folds(
    empty: TestClient, put: Callable[..., str]
) -> None:
    rows = "iris,rf,0.9\niris,nb,0.8\nwine,rf,0.7\nwine,nb,0.9\n"
    name = put(f"dataset,algorithm,accuracy\n{rows}")
    offered = set(empty.get(f"/api/table?table={name}").json()["models"])
    assert set(MODELS) - offered == {
        "correlated-t",
        "hierarchical",
        "outcomes",
        "hierarchical-items",
    }


def test_a_file_that_changes_has_another_name(tmp_path: Path) -> None:

    path = tmp_path / "r.csv"
    path.write_text("dataset,algorithm,error\n" + "".join(
        f"{s},{a},{v}\n" for s in "xyz" for a, v in (("p", 0.1), ("q", 0.2))
    ))  # fmt: skip
    with TestClient(
        application(Settings(workers=0), opened=str(path)), base_url="http://127.0.0.1:8000"
    ) as client:
        first = client.get("/api/start").json()["opened"]["id"]
        path.write_text(path.read_text().replace("0.1", "0.3"))
        second = client.get("/api/start").json()["opened"]["id"]
        assert first != second
        assert client.get(f"/api/answer?table={first}").status_code == 404
        answer = client.get(f"/api/answer?table={second}").json()
        assert answer["order"]["rows"][0]["algorithm"] == "q"


# --- once ----------------------------------------------------------------------------------------


def test_what_many_ask_is_worked_out_once() -> None:
    calls = 0

    async def work() -> bytes:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.01)
        return b"found"

    async def many() -> list[bytes]:
        answers = Answers(Memory(most_bytes=100))
        first = await asyncio.gather(*(answers.get("q", work) for _ in range(20)))
        return [*first, await answers.get("q", work)]

    assert asyncio.run(many()) == [b"found"] * 21
    assert calls == 1


def test_an_error_is_not_kept_and_whoever_leaves_takes_nothing_along() -> None:
    outcomes: Iterator[bytes | ValueError] = iter([ValueError("once"), b"found", b"never"])

    async def work() -> bytes:
        await asyncio.sleep(0.01)
        outcome = next(outcomes)
        if isinstance(outcome, ValueError):
            raise outcome
        return outcome

    async def scene() -> bytes:
        answers = Answers(Memory(most_bytes=100))
        with pytest.raises(ValueError, match="once"):
            await answers.get("q", work)
        leaving = asyncio.ensure_future(answers.get("q", work))
        staying = asyncio.ensure_future(answers.get("q", work))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(scene()) == b"found"


# --- studies -------------------------------------------------------------------------------------


def test_every_server_has_the_studies(empty: TestClient, ask: Ask) -> None:
    found = empty.get("/api/answer?table=study-ulas2008&cost=train_time").json()
    assert found["verdict"] == ask("answer", "cost=train_time")["verdict"]
    refused = empty.get("/api/answer?table=study-ulas2009")
    assert refused.status_code == 422
    assert "Did you mean 'ulas2008'" in refused.json()["message"]


def test_a_server_opened_with_a_study() -> None:
    app = application(Settings(workers=0), opened="study:ulas2008")
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        opened = client.get("/api/start").json()["opened"]
        assert opened == {"id": "study-ulas2008", "name": "ulas2008", "is_store": False}
        table = client.get(f"/api/table?table={opened['id']}").json()
        assert table["sentence"] == "8 algorithms on 38 data sets, 5×2 cv"


def test_what_is_left_out_is_noted_and_known_to_the_page(results: Path, ask: Ask) -> None:
    assert ask("table")["chosen"] == {}
    notes = ask("answer", "algorithms=svr&algorithms=svl&algorithms=c45")["notes"]
    said = next(note for note in notes if note.startswith("Chosen: 3 of 8 algorithms, without "))
    assert "5nn" in said
    assert "c45" not in said
    reading = Reading(exclude=["5nn"], datasets=["b*"])
    made = application(Settings(workers=0), opened=str(results), reading=reading)
    with TestClient(made, base_url="http://127.0.0.1:8000") as client:
        table = client.get("/api/start").json()["opened"]["id"]
        about = client.get(f"/api/table?table={table}").json()
    assert list(about["chosen"]) == ["algorithms", "datasets"]
    assert "5nn" not in about["algorithms"]
    assert all(name.startswith("b") for name in about["datasets"])


@pytest.mark.parametrize(("tasks", "usual"), [(3, "items"), (7, "datasets")])
def test_of_items_the_page_asks_what_would_be_drawn_anew(
    tasks: int, usual: str, empty: TestClient, put: Callable[..., str]
) -> None:
    rng = np.random.default_rng(0)
    rows = ["task,item,model,accuracy"] + [
        f"t{t},{t}-{i},{name},{int(rng.random() < chance)}"
        for t in range(tasks)
        for i in range(30)
        for name, chance in (("a", 0.9), ("b", 0.5), ("c", 0.5))
    ]
    table = put("\n".join(rows))
    start = empty.get("/api/start").json()["methods"]
    assert start["enough_datasets"] == 6
    assert start["item_tests"][0]["name"] == "item-t"
    assert "nemenyi" not in start["item_corrections"]["all"]
    assert empty.get(f"/api/table?table={table}").json()["has_items"] is True
    for query in ("", "&over=items", "&over=datasets", "&item_test=mcnemar"):
        answer = empty.get(f"/api/answer?table={table}{query}").json()
        over = "items" if "items" in query or "item_test" in query else "datasets"
        over = over if query else usual
        drawn = "These tasks, other items" if over == "items" else "Other tasks like these"
        first = answer["verdict"]["claims"][0]
        assert (first["kind"], first["over"]) == ("leader", over)
        assert first["text"].startswith(drawn)
        if "item_test" not in query:  # another test names itself before the default's answer
            assert answer["verdict"]["headline"].startswith(drawn)
        panels = {panel["key"] for panel in answer["panels"]}
        assert "forest" in panels
        # What is about mean ranks is not shown beside mean scores.
        ranks = {"critical-difference", "pools", "rank-distribution"}
        assert "audit" in panels
        assert panels.isdisjoint(ranks) if over == "items" else ranks & panels
        if "over" in query:
            assert query.removeprefix("&") in answer["query"]


def test_a_table_without_items_is_not_asked_about_them(ask: Ask) -> None:
    assert ask("table")["has_items"] is False


def test_the_test_that_is_taken_unless_one_is_asked_for_is_the_tables(
    ask: Ask, empty: TestClient, put: Callable[..., str]
) -> None:
    assert ask("table")["usual_test"] == "wilcoxon"
    rows = [
        f"d{i},{'auc' if i % 2 else 'logloss'},{name},{0.5 + 0.1 * place}"
        for i in range(8)
        for place, name in enumerate(("a", "b"))
    ]
    table = put("\n".join(["dataset,metric,algorithm,value", *rows]))
    # Where the measure differs by data set, sizes of differences cannot be weighed.
    assert empty.get(f"/api/table?table={table}").json()["usual_test"] == "sign"
