"""Tables with holes, as a stranger asks about them: every verb answers, and all say the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]
from starlette.testclient import TestClient

import palio
from palio.app.cli import main
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.claims import NotComparable, Unbeaten
from palio.errors import LeftOutWarning
from tests.experiment import estimators as bad
from tests.shared import shared_file

ALL = ("overview", "compare", "order", "rank", "audit", "report", "bayes")
QUICK = ALL[:-1]
LARGE = {
    "amlb/results_medium-8c1h.csv": ALL,
    "amlb/all_results_1h.csv": ALL,  # seven frameworks; the measure differs by data set
    "amlb/result_summary_1h.csv": ALL,
    "tsml": ALL,
    "livebench/livebench_13012025.parquet": QUICK,
    "aslib/SAT20-MAIN.algorithm_runs.arff.gz": ("overview", "compare", "order", "rank"),
    "mteb/cells.csv.gz": ("compare", "order"),
}
Verbs = Callable[..., dict[str, Any]]


@pytest.fixture
def answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Verbs:
    """Ask every verb, for a text and for JSON; each must answer."""
    monkeypatch.setenv("COLUMNS", "80")

    def asked(*command: str) -> str:
        status = main(command)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return captured.out

    def answers(*source: str, verbs: tuple[str, ...]) -> dict[str, Any]:
        found = {}
        for verb in verbs:
            page = ("-o", str(tmp_path / "report.html")) if verb == "report" else ()
            details = ("--details",) if verb == "audit" else ()
            command = (*((verb,) if verb != "overview" else ()), *source, *page, *details)
            found[verb] = json.loads(asked(*command, "--json"))
            found[f"{verb} in words"] = asked(*command)
        return found

    return answers


def check(found: dict[str, Any], verbs: tuple[str, ...]) -> None:
    """All verbs say first what is missing, and name the same leader, as sure as that is."""
    compared = found["compare"]
    missing, said = compared["missing"], compared["verdict"]["missing"]
    assert missing["cells"] or missing["left_out"] or missing["unended"]
    for verb in verbs:
        first = _first_lines(found[f"{verb} in words"])
        assert max(map(len, first)) <= 80
        # What depends on it is said where pairs are judged; what is missing everywhere, in few
        # words on the first screen.
        start = _in_few_words(compared) if verb == "overview" else said.split(" Each pair rests")[0]
        assert start in " ".join(first)
        assert found[verb]["leader"] == compared["leader"]
        assert found[verb]["sureness"] == compared["sureness"]
    for verb in {"order", "overview"} & set(verbs):
        assert found[verb]["verdict"]["missing"] == said
        assert found[verb]["verdict"]["best"] == compared["verdict"]["best"]
    for verb in {"rank", "audit", "bayes"} & set(verbs):
        counted = {key: missing[key] for key in ("cells", "of", "failed", "lacking", "left_out")}
        assert {key: found[verb]["missing"][key] for key in counted} == counted
    if "order" in verbs:
        assert found["order"]["unbeaten"] == compared["unbeaten"]
    if "report" in verbs:
        verdict = found["report"]["verdict"]
        assert (verdict["missing"], verdict["best"]) == (said, compared["verdict"]["best"])
    _who_cannot_be_compared_is_not_as_good(compared)


def _in_few_words(compared: dict[str, Any]) -> str:
    missing = compared["missing"]
    if missing["unended"]:
        return str(compared["verdict"]["missing"])
    verb = "is" if missing["cells"] == 1 else "are"
    failed = f", {missing['failed']:,} failed" if missing["failed"] else ""
    if missing["failed"] == missing["cells"] > 1:
        failed = ", all of them failed"
    return f"{missing['cells']:,} of {missing['of']:,} scores {verb} missing{failed}"


def _who_cannot_be_compared_is_not_as_good(compared: dict[str, Any]) -> None:
    claims = {each["kind"]: each for each in compared["claims"]}
    apart = compared["missing"]["not_comparable"]
    assert set(apart) <= set(compared["unbeaten"]) - {compared["leader"]}
    assert claims["unbeaten"]["algorithms"] == compared["unbeaten"]
    others = set(compared["unbeaten"]) - set(apart) - {compared["leader"]}
    assert set(claims["unbeaten"]["others"]) == others
    if apart:
        assert claims["not_comparable"]["algorithms"] == list(apart)
        few = " and ".join(apart) if len(apart) < 3 else f"{len(apart)} others"
        assert f"; {few} cannot be compared with it; " in compared["verdict"]["best"]
    else:
        assert "not_comparable" not in claims


def _first_lines(text: str) -> list[str]:
    """Return the lines above the first table and its headings."""
    lines = text.splitlines()
    rule = next((i for i, line in enumerate(lines) if line.startswith("──")), len(lines))
    return lines[: max(i for i in range(rule) if not lines[i])]


def test_over_items_too_what_is_missing_comes_first(answers: Verbs) -> None:
    """Six models, of which two have met, on five tasks: a folder of logs, compared over items."""
    verbs = ("compare", "order", "overview")
    found = answers(str(shared_file("results/inspect")), verbs=verbs)
    said = found["compare"]["verdict"]["missing"]
    assert said.startswith("41 of 55 scores on items are missing; ")
    assert "No data set joins 4 parts" in said
    for verb in verbs:
        few = "41 of 55 scores are missing." if verb == "overview" else said
        assert few in " ".join(_first_lines(found[f"{verb} in words"]))


@pytest.mark.slow
@pytest.mark.parametrize(("source", "verbs"), LARGE.items())
def test_every_verb_answers_on_larger_tables(
    answers: Verbs, source: str, verbs: tuple[str, ...]
) -> None:
    path, *options = source.split()
    check(answers(str(shared_file(f"results/{path}")), *options, verbs=verbs), verbs)


def test_who_has_one_score_of_eighteen_is_not_as_good_as_the_best() -> None:
    table = palio.read_scores(shared_file("results/livebench/livebench_13012025.parquet"))
    found = palio.compare(table)
    name = "claude-3-5-sonnet-20240620_failsafe"
    assert found.by_standing.index(name) >= len(found.algorithms) - len(found.not_comparable)
    assert found.by_standing[0] == found.leader == found.board[0].algorithm
    assert name in (found.unbeaten or ())
    assert found.not_comparable[name] == 1
    unbeaten, apart = found.claims.of(Unbeaten), found.claims.of(NotComparable)
    assert unbeaten is not None
    assert apart is not None
    assert name in apart.algorithms
    assert name not in unbeaten.others
    assert "23 others may be as good; 6 others cannot be compared with it" in found.verdict.best


class FailsWhereWide(DecisionTreeClassifier):  # type: ignore[misc]
    """A tree that takes no more than ten columns."""

    def fit(self, X: Any, y: Any) -> FailsWhereWide:
        if X.shape[1] > 10:
            raise ValueError("too many columns")
        super().fit(X, y)
        return self


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two that work, one that always fails, one that fails on half of eight data sets."""
    folder = tmp_path_factory.mktemp("experiment")
    rng = np.random.default_rng(5)
    for number in range(8):
        wide = 12 if number % 2 else 4
        values = rng.normal(size=(60, wide))
        labels = (values[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
        header = ",".join([*(f"x{i}" for i in range(wide)), "class"])
        rows = np.column_stack([values, labels])
        np.savetxt(folder / f"d{number}.csv", rows, "%.5g", ",", header=header, comments="")
    learners = {
        "nb": GaussianNB(),
        "knn": KNeighborsClassifier(),
        "half": FailsWhereWide(),
        "never": bad.Raises(),
    }
    places = [f"csv:{path}" for path in sorted(folder.glob("*.csv"))]
    with pytest.warns(LeftOutWarning, match="'never' \\(40 of 40 jobs failed"):
        palio.run(places, learners, store=folder / "e.db", engine="inline")
    return folder / "e.db"


def test_every_verb_answers_on_a_store_with_failures(answers: Verbs, store: Path) -> None:
    found = answers(str(store), verbs=QUICK)
    check(found, QUICK)
    missing = found["compare"]["missing"]
    assert missing["left_out"] == [{"algorithm": "never", "reason": "failed on 8 of 8 data sets"}]
    assert (missing["cells"], missing["reasons"]) == (4, {"failed": 4})
    said = found["compare"]["verdict"]["missing"]
    assert said.startswith(
        "Left out: never, which failed on 8 of 8 data sets. --keep-failing (keep_failing=True) "
        "keeps it. 4 of 24 scores are missing (4 failed): of half 4."
    )
    assert "If failures counted as worst, " in said
    first = " ".join(_first_lines(found["overview in words"]))
    assert "4 of 24 scores are missing, all of them failed; left out for failing: never." in first


def on_the_page(source: Path) -> dict[str, str]:
    """Open a page about a source, and return the sentences of its answer."""
    made = application(Settings(workers=0), opened=str(source))
    with TestClient(made, base_url="http://127.0.0.1:8000") as client:
        table = client.get("/api/start").json()["opened"]["id"]
        found = client.get(f"/api/answer?table={table}&checks=").json()
    return {each["kind"]: each["text"] for each in found["verdict"]["claims"]}


def test_the_page_answers_on_a_store_with_failures(store: Path) -> None:
    said = on_the_page(store)["missing"]
    assert said.startswith(
        "Left out: never, which failed on 8 of 8 data sets. 4 of 24 scores are missing (4 failed)"
    )
    assert "keep_failing" not in said


def test_the_page_answers_on_a_folder_of_results() -> None:
    said = on_the_page(shared_file("results/inspect"))
    assert said["missing"].startswith("41 of 55 scores on items are missing; ")
