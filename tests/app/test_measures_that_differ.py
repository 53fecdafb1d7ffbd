"""The command line on a table whose measure differs by data set."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """Twelve data sets by AUC, log-loss and RMSE: rf is best on all of them."""
    rng = random.Random(0)
    lines = ["dataset,metric,algorithm,value,train_time"]
    for number in range(12):
        metric, worst, step = [("auc", 0.6, 0.1), ("logloss", 0.9, -0.2), ("rmse", 900, -100)][
            number % 3
        ]
        for better, name in enumerate(("tree", "knn", "rf")):
            value = worst + step * (better + rng.random() / 2)
            lines.append(f"d{number},{metric},{name},{value},{better + 1}")
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (["compare"], "rf leads 3 algorithms over 12 data sets; it is"),
        (["order", "--cost", "train_time"], "rf leads 3 algorithms"),
        (["rank"], "rf is first of 3 algorithms"),
        (["audit", "--only", "leave-one-out,conventions,in-use", "--details"], "audit of sign"),
        (["audit", "--only", "conventions,symmetry"], "rf leads 3 algorithms over 12 data sets"),
        (["bayes", "--draws", "500"], "rf is the best with probability"),
        (["power", "--a", "tree", "--b", "rf", "--trials", "20"], "rf is the better one"),
        (["recommend"], "Try rf first"),
        (["read"], "value (differs by data set)"),
    ],
)
def test_verbs_answer_without_means(run: Run, mixed: str, verb: list[str], says: str) -> None:
    name, *options = verb
    said = run(name, mixed, *options)
    assert says in " ".join(said.split())
    assert "mean value" not in said
    found = json.loads(run(name, mixed, *options, "--json"), parse_constant=pytest.fail)
    assert not any(value is not None for value in found.get("mean_scores", {}).values())


def test_a_report_says_which_test_it_took(run: Run, mixed: str, tmp_path: Path) -> None:
    said = run("report", mixed, "-o", str(tmp_path / "r.html"), "--cost", "train_time")
    text = " ".join(said.split())
    assert "test over data sets: sign, as the measure differs by data set" in text
    assert "front: the measure differs by data set" in text
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "mean value" not in page
    assert ">nan" not in page.lower()


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (["compare", "--test", "wilcoxon"], "give --test sign"),
        (["rank", "--method", "mean-score"], "'average-ranks' needs nothing but the order"),
        (["bayes", "--model", "anova"], "mixed.csv --model plackett-luce or palio bayes "),
        (["bayes", "--model", "anova"], "the measure differs by data set; ask palio bayes "),
        (["power", "--a", "tree", "--b", "rf", "--test", "paired-t"], "give --test sign"),
        (["order", "--test", "permutation"], "give --test sign"),
    ],
)
def test_what_needs_a_unit_is_refused_in_one_line(
    fail: Run, mixed: str, verb: list[str], says: str
) -> None:
    assert says in fail(verb[0], mixed, *verb[1:])


def test_directions_are_typed(run: Run, fail: Run, mixed: str) -> None:
    path = Path(mixed)
    path.write_text(path.read_text(encoding="utf-8").replace(",auc,", ",gain,"), encoding="utf-8")
    told = fail("compare", mixed)
    for way in ("higher", "lower"):
        assert f"palio compare {mixed} --direction gain={way}" in told
    said = run("compare", mixed, "--direction", "gain=higher")
    assert "rf leads 3 algorithms" in said
