"""What an installation without extras answers, and what it says of the rest."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from palio.errors import MissingExtraError
from palio.extras import EXTRAS, distribution, missing_extra, needing

ROOT = Path(__file__).parent.parent
FOR_PEOPLE = {"all"}
FOR_DEVELOPERS = {"bench", "dev", "docs", "mutants", "oracle", "test"}


def declared() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(project["optional-dependencies"])


def tried(*options: str) -> str:
    command = [sys.executable, str(Path(__file__).with_name("without_extras.py")), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout, done.stdout
    return done.stderr if done.returncode else ""


def test_without_any_extra_every_verb_and_name_answers_or_names_the_one_command() -> None:
    assert tried(*(word for extra in EXTRAS for word in ("--hide", extra))) == ""


def test_with_run_alone_what_needs_another_extra_names_that() -> None:
    others = [extra for extra in EXTRAS if extra != "run"]
    assert tried(*(word for each in others for word in ("--hide", each, "--only", each))) == ""


def test_extras_are_those_that_are_declared() -> None:
    assert {*EXTRAS} == {*declared()} - FOR_PEOPLE - FOR_DEVELOPERS


def name_of(requirement: str) -> str:
    """Return what is required, without its version: 'psycopg' of 'psycopg[binary]>=3.1'."""
    return requirement.partition(";")[0].split(">")[0].split("[")[0].strip().lower()


def test_modules_are_those_that_extras_bring() -> None:
    for extra, modules in EXTRAS.items():
        required = {name_of(each) for each in declared()[extra]} - {"palio"}
        assert {distribution(module) for module in modules} == required, extra


def test_all_is_all_that_people_use() -> None:
    (everything,) = declared()["all"]
    names = {*everything.removeprefix("palio[").removesuffix("]").split(",")}
    # Boosting libraries weigh hundreds of megabytes, and three short names need them.
    assert names == {*EXTRAS} - {"boosting"}


def test_what_is_there_and_does_not_load_is_told_in_its_own_words() -> None:
    with (
        pytest.raises(MissingExtraError, match=r"needs numba, and it cannot be loaded: too old"),
        needing("learners", "estimator", "C4.5 needs numba"),
    ):
        raise ImportError("too old")


def test_what_is_there_is_never_said_to_be_missing() -> None:
    assert missing_extra(ModuleNotFoundError(name="sklearn"), "run") is None
    assert missing_extra(ValueError("sklearn"), "run") is None
