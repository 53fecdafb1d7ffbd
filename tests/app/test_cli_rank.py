"""Ranking on the command line."""

import json
from pathlib import Path

import pytest

import palio
from palio.comparison import FOLD_TESTS
from palio.ordering import RANKINGS
from tests.app.conftest import Run


def width(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_rank(run: Run) -> None:
    text = run("rank", "results.csv")
    assert text.startswith("svr is first of 4 algorithms over 4 data sets")
    assert "average ranks by accuracy (higher is better)" in text
    assert width(text) <= 80


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_rank_shows_a_board(run: Run, files: Path) -> None:
    text = run("rank", "results.csv", "--cost", "space")
    heading = next(line for line in lines(text) if line.startswith("place"))
    assert heading == "place algorithm ranks rank accuracy ± beats space"
    assert "0 of 3 steps down the board are significant." in text
    printed = json.loads(run("rank", "results.csv", "--cost", "space", "--json"))
    rows = printed["board"]
    assert [row["algorithm"] for row in rows] == printed["order"]
    assert [row["score"] for row in rows] == [printed["scores"][name] for name in printed["order"]]
    means = palio.read_scores(files / "results.csv").mean_costs()["space"]
    assert {row["algorithm"]: row["costs"] for row in rows} == {
        name: {"space": mean} for name, mean in means.items()
    }
    # A cost that nobody named is not shown.
    without = next(line for line in lines(run("rank", "results.csv")) if line.startswith("place"))
    assert without == "place algorithm ranks rank accuracy ± beats"


def test_top_and_focus(run: Run) -> None:
    order = json.loads(run("rank", "results.csv", "--json"))["order"]
    text = " ".join(run("rank", "results.csv", "--top", "2", "--focus", order[-1]).split())
    assert "and 2 more: --top N" in text
    assert f"{order[-1]} stands at 4 of 4, mean rank" in text
    assert "Not told from it:" in text
    printed = json.loads(run("rank", "results.csv", "--focus", order[-1], "--json"))
    assert printed["focus"]["above"] == order[-2]


@pytest.mark.parametrize("method", list(RANKINGS))
def test_every_method(run: Run, files: Path, method: str) -> None:
    needs_cost = "cost" in RANKINGS[method].options
    cost = ["--cost", "space"] if needs_cost else []
    printed = json.loads(run("rank", "results.csv", "--method", method, *cost, "--json"))
    assert {"method", "scores", "ranks", "order"} <= set(printed)
    table = palio.read_scores(files / "results.csv", costs=["space"] if needs_cost else None)
    result = palio.rank(table, method=method, cost="space" if needs_cost else None)
    assert printed == json.loads(json.dumps(result.to_dict()))
    text = run("rank", "results.csv", "--method", method, *cost)
    assert width(text) <= 80
    for name in printed["order"]:
        assert name in text


def test_options_reach_the_method(run: Run) -> None:
    strict = json.loads(
        run("rank", "results.csv", "--method=significant-wins", "--test=5x2cv-f", "--alpha=0.001",
            "--json")
    )  # fmt: skip
    assert any("combined 5×2 cv F test, two-sided at α = 0.001" in n for n in strict["notes"])
    adjusted = json.loads(
        run("rank", "results.csv", "--method=adjusted-ratios", "--cost=space", "--acc-d=0.1",
            "--json")
    )  # fmt: skip
    assert any("AccD = 0.1" in note for note in adjusted["notes"])
    prior = json.loads(
        run("rank", "results.csv", "--method=multi2test", "--prior=mdt,c45,svr,5nn", "--json")
    )
    assert prior["order"][0] == "mdt"


def test_evaluate(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "losses.svg"
    text = run("rank", "results.csv", "--evaluate", "--cost", "space", "--figure", str(figure))
    assert "foretells best" in text
    assert "all methods together, friedman" in text
    assert width(text) <= 80
    assert figure.read_bytes().startswith(b"<?xml")


def test_evaluate_json(run: Run, files: Path) -> None:
    methods = ["average-ranks", "significant-wins"]
    printed = json.loads(
        run("rank", "results.csv", "--evaluate", "--method", methods[0], "--method", methods[1],
            "--points=datasets", "--overall-alpha=0.25", "--top=2", "--json")
    )  # fmt: skip
    result = palio.evaluate_rankings(
        palio.read_scores(files / "results.csv"),
        methods,
        points="datasets",
        overall_alpha=0.25,
        top=2,
    )
    assert printed == json.loads(json.dumps(result.to_dict()))
    assert printed["n_points"] == 4
    assert set(printed["methods"][0]["regret"]) == {"1", "2"}


def test_stability(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "places.png"
    text = run(
        "rank", "results.csv", "--stability", "--method", "average-ranks", "--n-resamples", "200",
        "--seed", "3", "--figure", str(figure),
    )  # fmt: skip
    assert "is first with probability" in text
    assert "200 draws of 4 data sets" in text
    assert width(text) <= 80
    assert figure.read_bytes().startswith(b"\x89PNG")
    everything = run("rank", "results.csv", "--stability", "--cost", "space")
    assert "multi2test" in everything
    assert width(everything) <= 80


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "average"], "Did you mean 'average-ranks'"),
        (["--method", "elo", "--method", "copeland"], "by one method, and 2 were given"),
        (["--method", "copeland", "--prior", "mdt"], "'copeland' does not take it"),
        (["--cost", "spaces"], "no column 'spaces'"),
        (["--focus", "svm"], "focus: 'svm' is not known"),
        (["--top", "0"], "top: it is 1 or more"),
        (["--evaluate", "--focus", "svr"], "it is for comparisons of pairs, and rankings"),
        (["--method", "adjusted-ratios"], "one cost, and 0 are given"),
        (["--evaluate", "--stability"], "one at a time"),
        (["--points", "folds"], "it goes with --evaluate"),
        (["--seed", "1", "--evaluate"], "it goes with --stability"),
        (["--figure", "r.svg"], "a ranking alone has none"),
        (["--stability", "--figure", "loss-curves=r.svg"], "is drawn from a ranking-evaluation"),
        (["--evaluate", "--method", "elo", "--points", "fold"], "Did you mean 'folds'"),
        (["--evaluate", "--top", "9"], "between 1 and all 4 algorithms"),
        (["--stability", "--n-resamples", "0"], "at least one is needed"),
    ],
)
def test_bad_commands(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail("rank", "results.csv", *arguments)


def test_help_has_examples_and_names_every_method(run: Run) -> None:
    text = run("rank", "--help-all")
    assert "Example: palio rank" in text
    assert "--json" in text
    squeezed = "".join(text.split()).replace("│", "")
    assert all(name in squeezed for name in RANKINGS)
    assert any(name in squeezed for name in FOLD_TESTS)
