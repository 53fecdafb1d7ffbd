"""Every verb that states a winner, a cost or how sure says the same of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats
from starlette.testclient import TestClient

import palio
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.results import Result
from palio.scores import ScoreTable
from tests.slow import mostly_slow

Table = Callable[[np.random.Generator], ScoreTable]


def _rows(scores: np.ndarray, name: str, **more: np.ndarray) -> ScoreTable:
    """Read a table with data sets in rows, algorithms in columns, and a cost beside."""
    n, k = scores.shape
    rows = {
        "dataset": np.repeat([f"d{i:02}" for i in range(n)], k).tolist(),
        "algorithm": [f"a{i}" for i in range(k)] * n,
        name: scores.ravel().tolist(),
        **{key: value.ravel().tolist() for key, value in more.items()},
    }
    return palio.read_scores(rows, score=name)


def _drawn(rng: np.random.Generator, n: int = 14, k: int = 4, spread: float = 0.02) -> np.ndarray:
    noise = 0.02 * rng.normal(size=(n, k)) + rng.uniform(0.6, 0.8, (n, 1))
    return np.asarray(noise + spread * rng.permutation(k))


def _costs(rng: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(rng.normal(size=scores.shape) + rng.normal(size=scores.shape[1])))


def _complete(rng: np.random.Generator) -> ScoreTable:
    scores = _drawn(rng)
    return _rows(scores, "accuracy", train_time=_costs(rng, scores))


def _lower(rng: np.random.Generator) -> ScoreTable:
    scores = 1 - _drawn(rng)
    return _rows(scores, "error", train_time=_costs(rng, scores))


def _ratio_with_holes(rng: np.random.Generator) -> ScoreTable:
    scores = np.exp(5 * _drawn(rng)) * 10 ** rng.uniform(-3, 3, (14, 1))
    scores[rng.random(scores.shape) < 0.15] = np.nan
    return _rows(scores, "rmse", train_time=_costs(rng, scores))


def _two(rng: np.random.Generator) -> ScoreTable:
    scores = _drawn(rng, k=2)
    return _rows(scores, "accuracy", train_time=_costs(rng, scores))


def _copies(rng: np.random.Generator) -> ScoreTable:
    """The last two algorithms are the same."""
    scores = _drawn(rng)
    scores[:, 3] = scores[:, 2]
    costs = _costs(rng, scores)
    costs[:, 3] = costs[:, 2]
    return _rows(scores, "accuracy", train_time=costs)


def _one_dataset(rng: np.random.Generator) -> ScoreTable:
    scores = _drawn(rng, n=1)[:, :, None, None] + 0.01 * rng.normal(size=(1, 4, 1, 10))
    names = [f"a{i}" for i in range(4)]
    return ScoreTable.from_arrays(
        scores, datasets=["d"], algorithms=names, measure="accuracy",
        costs={"train_time": np.exp(rng.normal(size=(1, 4)))},
    )  # fmt: skip


def _items(rng: np.random.Generator, *, holes: float = 0.0) -> ScoreTable:
    right = rng.random((200, 4)) < 0.4 + 0.1 * rng.permutation(4)
    kept = rng.random(right.shape) >= holes
    places = np.argwhere(kept).tolist()
    return palio.read_scores(
        {
            "task": ["gsm"] * len(places),
            "model": [f"a{model}" for _, model in places],
            "item": [f"q{item}" for item, _ in places],
            "correct": [int(right[item, model]) for item, model in places],
        }
    )


def _items_with_holes(rng: np.random.Generator) -> ScoreTable:
    return _items(rng, holes=0.2)


TABLES: dict[str, Table] = {
    "complete": _complete,
    "lower is better": _lower,
    "ratio scale with holes": _ratio_with_holes,
    "two algorithms": _two,
    "copies": _copies,
    "one data set": _one_dataset,
    "items": _items,
    "items with holes": _items_with_holes,
}


def _verbs(table: ScoreTable) -> dict[str, Callable[[], Result]]:
    """Return what can be asked of a table."""
    verbs: dict[str, Callable[[], Result]] = {
        "compare": lambda: palio.compare(table),
        "order": lambda: palio.order(table),
        "rank": lambda: palio.rank(table),
        "rank by mean": lambda: palio.rank(table, method="mean-score"),
        "report": lambda: palio.analyse(table, progress=False),
    }
    if table.n_datasets > 1:
        verbs["bayes"] = lambda: palio.bayes.anova(table, draws=300)
        verbs["sign test"] = lambda: palio.compare(table, test="sign")
    if table.n_datasets > 1 or table.items is not None:
        verbs["audit"] = lambda: palio.audit(table, progress=False)
    if "train_time" in table.cost_names:
        verbs["order by cost"] = lambda: palio.order(table, cost="train_time")
        verbs["report by cost"] = lambda: palio.analyse(table, cost="train_time", progress=False)
    return verbs


# What each verb may claim of its own: who comes first by its method, or against a control.
_OF_THE_TABLE = ("leader", "sureness")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("seed", mostly_slow([1, 2, 3], 1))
def test_no_two_verbs_contradict(kind: str, seed: int) -> None:
    table = TABLES[kind](np.random.default_rng([seed, list(TABLES).index(kind)]))
    answers = {name: ask().to_dict() for name, ask in _verbs(table).items()}
    expected = answers["compare"]
    for name, found in answers.items():
        assert (found["leader"], found["sureness"]) == (
            expected["leader"],
            expected["sureness"],
        ), name
        for each in found["claims"]:
            _check(each, expected, name)
    costs = [found for name, found in answers.items() if name.endswith("by cost")]
    assert len({_value(found) for found in costs}) <= 1


def _check(claim: dict[str, Any], expected: dict[str, Any], verb: str) -> None:
    """See that a claim is the one that the default comparison makes, or says why it is not."""
    same = {each["kind"]: each for each in expected["claims"]}
    if claim["kind"] in _OF_THE_TABLE:
        assert claim == same[claim["kind"]], verb
    elif claim["kind"] == "unbeaten" and verb != "sign test":
        assert claim["algorithms"] == same["unbeaten"]["algorithms"], verb
    elif claim["kind"] in ("most_probable", "ranked_first"):
        shares = (claim["algorithm"], *claim["shares"])
        if expected["leader"] not in shares:
            assert expected["leader"] in claim["text"], verb


def _value(found: dict[str, Any]) -> str:
    return next(str(each["text"]) for each in found["claims"] if each["kind"] == "value")


@pytest.mark.parametrize("seed", mostly_slow(range(5), 1))
def test_copies_stand_alike(seed: int) -> None:
    table = _copies(np.random.default_rng(seed))
    for name, ask in _verbs(table).items():
        found = ask().to_dict()
        unbeaten = next(each for each in found["claims"] if each["kind"] == "unbeaten")
        assert ("a2" in unbeaten["algorithms"]) == ("a3" in unbeaten["algorithms"]), name
        for pair in found.get("pairs") or ():
            if {pair["a"], pair["b"]} == {"a2", "a3"}:
                assert not pair.get("significant"), name


# --- the page, recommendations and aggregates -----------------------------------------------------


@pytest.fixture(scope="module")
def page() -> Iterator[TestClient]:
    with TestClient(application(Settings(workers=0)), base_url="http://127.0.0.1:8000") as made:
        yield made


@pytest.mark.parametrize("kind", TABLES)
def test_the_page_claims_what_the_report_claims(kind: str, page: TestClient) -> None:
    table = TABLES[kind](np.random.default_rng([7, list(TABLES).index(kind)]))
    frame = (table.items or table).to_frame()
    sent = page.post("/api/tables?name=results.csv", content=frame.to_csv(index=False).encode())
    asked = {"table": sent.json()["id"]}
    if "train_time" in table.cost_names:
        asked["cost"] = "train_time"
    found = page.get("/api/answer", params=asked).json()
    report = palio.analyse(palio.read_scores(frame), cost=asked.get("cost", ()), progress=False)
    assert found["verdict"]["headline"] == report.claims.headline.removesuffix(".")
    told = [(each["kind"], each["text"]) for each in found["verdict"]["claims"]]
    assert told == [(each["kind"], each["text"]) for each in report.to_dict()["claims"]]
    assert found["best"] == report.leader


# Tables with a mean to take, and with several data sets to recommend from.
_SEVERAL_DATASETS = ("complete", "lower is better", "ratio scale with holes", "two algorithms")


@pytest.mark.parametrize("kind", _SEVERAL_DATASETS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_who_is_recommended_first_has_the_best_average_rank(kind: str, seed: int) -> None:
    table = TABLES[kind](np.random.default_rng([seed, list(TABLES).index(kind)]))
    if not table.is_complete:
        table = palio.read_scores(table.to_frame(), missing="drop-datasets")
    signed = table.means() * (1 if table.measure.higher_is_better else -1)
    ranks = stats.rankdata(-signed, axis=1).mean(axis=0)
    found = palio.recommend(table, n_resamples=20).suggestions[0].algorithm
    assert found in {table.algorithms[i] for i in np.flatnonzero(ranks <= ranks.min() + 1e-9)}


@pytest.mark.parametrize("kind", ["complete", "lower is better", "two algorithms"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_who_is_said_to_have_the_best_aggregate_has_it(kind: str, seed: int) -> None:
    table = TABLES[kind](np.random.default_rng([seed, list(TABLES).index(kind)]))
    middle = stats.trim_mean(table.means(), 0.25, axis=0)
    up = table.measure.higher_is_better
    best = table.algorithms[int(middle.argmax() if up else middle.argmin())]
    sentence = palio.aggregate(table, n_resamples=50).to_dict()["sentences"][0]
    extreme = "highest" if up else "lowest"
    assert sentence.startswith(f"{best} has the {extreme} interquartile mean")
