"""Aggregates on the command line."""

import json
from pathlib import Path

import palio
from tests.app.conftest import Run


def test_aggregate(run: Run) -> None:
    text = run("aggregate", "results.csv", "--normalise", "min-max")
    assert text.startswith("svr has the highest interquartile mean")
    assert max(map(len, text.splitlines())) <= 80
    assert "data sets are drawn anew" in text


def test_json_is_the_result(run: Run, files: Path) -> None:
    how = ["--normalise", "baseline=c45", "--level", "0.9", "--n-resamples", "50", "--seed", "3"]
    printed = json.loads(run("aggregate", "results.csv", *how, "--target", "1.5", "--json"))
    result = palio.aggregate(
        files / "results.csv", normalise="baseline=c45", level=0.9, n_resamples=50, seed=3,
        target=1.5,
    )  # fmt: skip
    assert printed == json.loads(json.dumps(result.to_dict()))
    assert set(printed["aggregates"][0]["iqm"]) == {"value", "low", "high"}
    assert {"a", "b", "probability", "low", "high"} == set(printed["pairs"][0])


def test_options_and_figures(run: Run, fail: Run, files: Path) -> None:
    drawn = ["--figure", "all.svg", "--figure", "performance-profile=profile.svg"]
    run("aggregate", "results.csv", "--over", "runs", "--top", "2", *drawn)
    assert (files / "all.svg").exists()
    assert (files / "profile.svg").exists()
    error = fail("aggregate", "results.csv", "--normalise", "human=c45")
    assert "two anchors are needed" in error
    assert "--normalise human=NAME,random=0" in error
    assert "it is datasets or runs" in fail("aggregate", "results.csv", "--over", "folds")
