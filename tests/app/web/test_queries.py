"""Every query is read by one model, and whatever it holds, the server makes no mistake."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import fields

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from palio.app.web.query import READING, Query, read_query
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.errors import InputError, ParameterError
from palio.report.question import READERS, Question
from palio.scores.spec import ReadSpec
from tests.app.web import fuzzed


def test_the_model_knows_every_part_of_a_question_and_of_reading() -> None:
    assert list(Query.model_fields) == ["table", "reading", *READERS]
    known = {each.name for each in fields(ReadSpec)}
    # What a page must not lift, and what it has other words for.
    assert known - {*READING, *READERS} == {"plan", "alone", "limits"}


def test_a_link_says_how_a_table_is_read() -> None:
    query = "algorithm=Model&costs=time&costs=size&transpose=false&where=a%3D1&keep_failing=true"
    assert read_query(query).reading == {
        "algorithm": "Model",
        "costs": ("time", "size"),
        "transpose": False,
        "where": ("a=1",),
        "keep_failing": True,
    }


@pytest.mark.parametrize(
    "question",
    [
        Question(),
        Question(cost={"train_time": 0.7, "a=b": 1.0}, alpha=0.01, higher_is_better=False),
        Question(prior=["b", "a"], method="multi2test", posthoc="nemenyi", fold_test="kfold-t"),
        Question(rope="auto", model="anova", checks=[], algorithms=["a", "é & ü"], datasets=["x"]),
        Question(rope=0.01, focus="a", top=3, over="items", control="b", test_fraction=0.1),
    ],
)
def test_a_link_is_read_as_it_was_written(question: Question) -> None:
    assert read_query(question.to_query()).question == question


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("alhpa=0.1", "question: 'alhpa' is not known. Did you mean 'alpha'?"),
        ("test=wilcoxn", "test: 'wilcoxn' is not known. Did you mean 'wilcoxon'?"),
        ("correction=holmm", "correction: 'holmm' is not known. Did you mean 'holm'?"),
        ("transpose=maybe", "transpose: it is true or false, and 'maybe' was given"),
        ("alpha=nan", "alpha: input should be a finite number"),
        ("rope=inf", "rope: input should be a finite number"),
        ("test_fraction=7", "test_fraction: input should be less than 1"),
        (f"top={'9' * 5000}", "top: it is a whole number"),
        (f"score={'a' * 30_000}", "score: string should have at most 20000 characters"),
        (f"test={'wilcoxon' * 2000}", "test: string should have at most 100 characters"),
        ("&".join(["datasets=a"] * 30_000), "datasets: tuple should have at most 20000 items"),
    ],
)
def test_what_is_wrong_is_said(query: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        _ = read_query(query).question
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("path", "query", "parameter", "said"),
    [
        ("pools", "algorithms=c45&algorithms=mmlp", "algorithm", "Did you mean 'mlp'?"),
        ("pools", "algorithms=c45&algorithms=c45", "algorithms", "each name may be given once"),
        ("pools", "algorithms=", "algorithms", "at least one name is needed"),
        ("answer", "datasets=autralian", "dataset", "Did you mean 'australian'?"),
        ("answer", "control=mmlp", "control", "Did you mean 'mlp'?"),
        ("focus", "focus=mmlp", "focus", "Did you mean 'mlp'?"),
        ("focus", "", "focus", "name the algorithm"),
        ("figures/critical-diference.svg", "", "panel", "Did you mean 'critical-difference'?"),
        ("downloads/ordr.csv", "", "file", "Did you mean 'order.csv'?"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(
    client: TestClient, path: str, query: str, parameter: str, said: str
) -> None:
    found = client.get(f"/api/{path}?table=study-ulas2008&{query}")
    assert found.status_code == 422, found.text
    assert found.json()["parameter"] == parameter
    assert said in found.json()["message"]


def fuzz(n: int, seed: int) -> Counter[tuple[str, int]]:
    """Ask so many drawn questions, and count the answers by route and status."""
    app = application(Settings(workers=0))
    assert set(fuzzed.ROUTES) == set(app.openapi()["paths"])
    try:
        tables = [uploaded(app, text) for text in fuzzed.tables()]
        return Counter(
            answered(app, *request) for request in fuzzed.Fuzzer(tables, seed).requests(n)
        )
    finally:
        app.state.server.close()


def uploaded(app: FastAPI, text: str) -> str:
    status, said = fuzzed.ask(app, "POST", "/api/tables", b"name=a.csv", text.encode())
    assert status == 200, said
    found = str(json.loads(said)["id"])
    status, said = fuzzed.ask(app, "GET", "/api/answer", f"table={found}".encode())
    assert status == 200, said
    return found


def answered(app: FastAPI, method: str, path: str, query: bytes) -> tuple[str, int]:
    """Ask a question; what is refused is refused as an object of ours."""
    status, body = fuzzed.ask(app, method, path, query, b"x")
    assert status != 500, (method, path, query)
    if status != 200:
        assert set(json.loads(body)) == {"parameter", "message", "options"}
        assert "Traceback" not in json.loads(body)["message"]
    return path.split("/")[2], status


def as_table(counted: Counter[tuple[str, int]]) -> str:
    statuses = sorted({status for _, status in counted} | {500})
    rows = [["route", *map(str, statuses)]]
    for route in sorted({route for route, _ in counted}):
        rows.append([route, *(str(counted[route, status]) for status in statuses)])
    return "\n".join("".join(cell.rjust(10) for cell in row) for row in rows)


def test_two_hundred_fuzzed_queries_are_answered_or_refused() -> None:
    counted = fuzz(200, seed=22)
    assert {200, 404, 405, 422} <= {status for _, status in counted}


@pytest.mark.slow
def test_two_thousand_fuzzed_queries_are_answered_or_refused(
    record_property: Callable[[str, object], None],
) -> None:
    counted = fuzz(2000, seed=1919)
    record_property("table", as_table(counted))
    assert counted.total() == 2000


def test_a_link_without_a_table_says_so(client: TestClient) -> None:
    found = client.get("/api/answer?alpha=0.1")
    assert (found.status_code, found.json()["parameter"]) == (422, "table")


def test_refusals_are_errors_of_ours() -> None:
    with pytest.raises(ParameterError, match="alpha"):
        _ = read_query("alpha=-3").question
