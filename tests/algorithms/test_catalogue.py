"""The catalogue, and the verb that lists it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from sklearn.base import is_classifier  # type: ignore[import-untyped]

from palio.algorithms import LEARNERS
from palio.algorithms.catalogue import TODAY, TREES, ULAS2008, YILDIZ2006
from palio.algorithms.wainer2016 import WAINER2016
from palio.app.cli import main
from palio.errors import MissingExtraError, UnknownNameError
from palio.experiment.estimators import catalogue
from palio.report.text import render_text

PAPERS = (*YILDIZ2006, *TREES, *ULAS2008, *WAINER2016)
ALL = (*PAPERS, *TODAY)


def test_no_two_learners_share_a_name() -> None:
    assert [learner.name for learner in ALL] == list(LEARNERS)


def test_the_papers_learners_are_there() -> None:
    def of(paper: str) -> set[str]:
        return {learner.name for learner in ALL if paper in learner.paper.split(", ")}

    assert of("yildiz2006") == {"max", "nmc", "lgc", "c45", "nn"}
    assert of("ulas2008") == {"c45", "mdt", "mlp", "lnp", "svl", "sv2", "svr", "5nn"}
    assert len(of("wainer2016")) == 14


@pytest.mark.parametrize("name", [learner.name for learner in PAPERS])
def test_entries_make_classifiers_that_have_the_hyper_parameters(name: str) -> None:
    learner = LEARNERS[name]
    made = learner.make()
    assert is_classifier(made)
    assert made is not learner.make()
    grid = learner.grid_for(200, 10)
    assert set(grid) <= set(made.get_params())
    assert set(learner.free) <= set(grid)
    assert learner.grid_size(200, 10) >= 1
    for key, values in grid.items():
        assert len(set(values)) == len(values) > 0
        assert learner.estimator(**{key: values[0]}).get_params()[key] == values[0]


@pytest.mark.parametrize("name", [learner.name for learner in TODAY])
def test_what_is_not_installed_says_so(name: str) -> None:
    try:
        assert is_classifier(LEARNERS[name].make())
    except MissingExtraError as error:
        assert "pip install 'palio[" in str(error)  # noqa: PT017 - either end is right


def test_reading_the_catalogue_loads_no_library() -> None:
    code = (
        "import sys, palio.algorithms;"
        "print([name for name in ('sklearn', 'numba', 'scipy', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match=r"algorithm: 'c4.5' is not known\. Did you mean"):
        LEARNERS["c4.5"]


# palio algorithms


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["algorithms", *arguments]) == 0
    return capsys.readouterr().out


def test_the_list_is_narrow_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys)
    assert text.startswith(f"{len(LEARNERS)} learners have short names")
    first = {line.split(" ")[0] for line in text.splitlines() if line}
    assert set(LEARNERS) <= first
    narrow = render_text(
        catalogue(list(LEARNERS.values()), rows=100, features=10)
    )  # as a terminal has it; into a pipe a row is a line
    assert max(map(len, narrow.splitlines())) <= 80


def test_one_paper_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    told: dict[str, Any] = json.loads(printed(capsys, "--paper", "ulas2008", "--json"))
    entries = {entry["name"]: entry for entry in told["algorithms"]}
    assert list(entries) == ["c45", "mdt", "mlp", "lnp", "svl", "sv2", "svr", "5nn"]
    assert entries["svr"]["grid_size"] == 77
    assert entries["svr"]["grid"]["gamma"] == [10.0**k for k in range(-3, 4)]
    assert entries["c45"] == {
        "name": "c45",
        "title": "C4.5 decision tree",
        "family": "tree",
        "paper": "yildiz2006, ulas2008",
        "grid": {},
        "depends_on_data": False,
        "free": [],
        "grid_size": 1,
        "notes": LEARNERS["c45"].notes,
        "prepare": "standard",
    }


def test_one_learner(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "svr")
    assert text.startswith("svr: support vector machine, Gaussian kernel")
    assert "Hyper-parameters searched, 77 combinations:" in text
    assert "0.001, 0.01, 0.1, 1, 10, 100, 1000" in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["c54"], "algorithm: 'c54' is not known. Did you mean 'c45'"),
        (["--paper", "ulas08"], "paper: 'ulas08' is not known. Did you mean 'ulas2008'"),
        (["--rows", "0"], "rows, features: at least 1 of each, and 0 and 20 were given."),
    ],
)
def test_mistakes(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["algorithms", *arguments]) == 2
    assert says in capsys.readouterr().err
