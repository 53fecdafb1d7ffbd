"""Text, page, report, LaTeX and JSON name the same leader, in the same sentences."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from palio.app.cli import main
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.report.latex import running_latex
from tests.app.web.conftest import HERE
from tests.slow import mostly_slow

NAMES = ["a<b>", "x & y", "50%_of", "d", "é"]


def drawn(
    seed: int,
    *,
    measure: str = "accuracy",
    datasets: int = 12,
    folds: int = 1,
    spread: float = 0.02,
    holes: int = 0,
) -> pd.DataFrame:
    """Five algorithms whose means lie ``spread`` apart, with a cost that is no help to the best."""
    rng = np.random.default_rng(seed)
    better = np.linspace(0, 4 * spread, 5)[rng.permutation(5)]
    sign = -1 if measure == "error" else 1
    rows = [
        {
            "dataset": f"set {d}",
            "algorithm": name,
            "fold": fold,
            measure: 0.5 + 0.02 * d / datasets + sign * better[i] + rng.normal(0, 0.01),
            "train_time": (1 + better[i]) ** 9 * rng.uniform(0.9, 1.1),
        }
        for d in range(datasets)
        for i, name in enumerate(NAMES)
        for fold in range(folds)
    ]
    gone = rng.choice(len(rows), holes, replace=False).tolist()
    frame = pd.DataFrame([row for i, row in enumerate(rows) if i not in gone])
    return frame if folds > 1 else frame.drop(columns="fold")


TABLES: dict[str, tuple[pd.DataFrame, dict[str, str]]] = {
    "clear": (drawn(1, spread=0.02), {}),
    "close, by cost": (drawn(2, spread=0.003), {"cost": "train_time"}),
    "error, by cost": (drawn(3, measure="error"), {"cost": "train_time"}),
    "nobody differs": (drawn(4, spread=0.0), {"cost": "train_time"}),
    "too few": (drawn(5, datasets=4), {}),
    "holes": (drawn(6, measure="error", spread=0.006, holes=7), {"missing": "pairwise"}),
    "one data set": (drawn(7, datasets=1, folds=10, spread=0.006), {"cost": "train_time"}),
    "one hold-out": (drawn(8, datasets=1, measure="error"), {}),
    "other options": (
        drawn(9, spread=0.006),
        {"test": "sign", "correction": "bh", "alpha": "0.1", "cost": "train_time"},
    ),
    "the paper's": (
        drawn(10, folds=10, spread=0.003),
        {"method": "multi2test", "cost": "train_time", "test": "sign"},
    ),
}
STUDIES: dict[str, dict[str, str]] = {
    "ulas2008": {"cost": "train_time"},
    "benavoli2016": {},
    "replication2026": {"cost": "fit_time"},
}


# Of these each has what no other has: a cost, gaps, one data set, other tests, the paper's method.
FAST = ("error, by cost", "holes", "one data set", "other options", "the paper's", "too few")


@pytest.fixture(params=mostly_slow([*TABLES, *STUDIES], FAST))
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, dict[str, str]]:
    """A table as a person has it, and a question about it."""
    name = request.param
    if name in STUDIES:
        return f"study:{name}", STUDIES[name]
    frame, options = TABLES[name]
    frame.to_csv(tmp_path / "results.csv", index=False)
    return str(tmp_path / "results.csv"), options


def flat(text: str) -> str:
    return " ".join(text.split())


def test_every_face_says_the_same(
    asked: tuple[str, dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, options = asked
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    folder, html = tmp_path / "paper", tmp_path / "report.html"

    def said(*command: str) -> str:
        assert main([command[0], source, *given, *command[1:]]) == 0
        return capsys.readouterr().out

    found = json.loads(said("report", "--json", "-o", str(html), "--latex", str(folder)))
    verdict, claims = found["verdict"], {each["kind"]: each for each in found["claims"]}
    assert (verdict["value"] is not None) == ("cost" in options)
    assert claims["leader"]["algorithm"] == found["leader"]
    assert claims["sureness"]["level"] == found["sureness"]
    assert verdict["sure"].startswith(claims["sureness"]["text"])

    page = html.read_text(encoding="utf-8")
    headline, title = (
        unescape(re.findall(rf"<{tag}>(.*?)</{tag}>", page)[0]) for tag in ("h1", "title")
    )
    assert title == headline
    assert verdict["best"].startswith(f"{headline}.")
    if claims["leader"]["any_differ"] and "first" not in claims:
        assert headline.startswith(f"{found['leader']} leads ")
        assert headline.endswith(claims["sureness"]["reason"])

    text = flat(said("report"))
    assert text.startswith(verdict["best"].removesuffix("."))
    evidence = claims.get("evidence", {}).get("text")
    more = [each for each in (verdict["value"], evidence) if each is not None]
    assert all(sentence in text for sentence in more)

    told = re.findall(r'<p class="claim">(.*?)</p>', page, flags=re.DOTALL)
    three = [verdict["best"], *more]
    assert [unescape(re.sub("<[^>]*>", "", each)) for each in told][: len(three)] == three

    article = (folder / "report.tex").read_text(encoding="utf-8")
    assert f"\\title{{{running_latex(headline)}}}" in article
    written = (folder / "verdict.tex").read_text(encoding="utf-8")
    items = re.findall(r"^  \\item (.*)$", written, re.MULTILINE)
    assert items[: len(three)] == list(map(running_latex, three))

    if "method" not in options:  # there the test of order is on folds, and no part of the verdict
        _check_order(json.loads(said("order", "--json")), found)
    _check_workbench(source, options, found, headline)


def _check_order(ordering: dict[str, Any], found: dict[str, Any]) -> None:
    """Check that ``palio order`` says the same."""
    assert ordering["order"] == found["ordering"]["order"]
    for key in ("leader", "sureness", "verdict"):
        assert ordering[key] == found[key]


def _check_workbench(
    source: str, options: dict[str, str], found: dict[str, Any], headline: str
) -> None:
    with TestClient(application(Settings(workers=0), opened=source), base_url=HERE) as client:
        id_ = client.get("/api/start").json()["opened"]["id"]
        query = urlencode({"table": id_, **options})
        answer = client.get(f"/api/answer?{query}").json()
        panels = {panel["key"] for panel in answer["panels"]}
        if "audit" in panels and "first" not in {each["kind"] for each in found["claims"]}:
            assert client.get(f"/api/audit?{query}").json()["headline"] == f"{headline}."
    assert answer["verdict"]["headline"] == headline
    assert answer["best"] == found["leader"]
    assert [row["algorithm"] for row in answer["order"]["rows"]] == found["ordering"]["order"]
    # Of a claim the page has all that JSON has.
    assert answer["verdict"]["claims"] == found["claims"]
