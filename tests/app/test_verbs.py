"""What holds for every verb, whoever adds one: an entry in `GROUPS` is all it takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from palio.app.cli import app, main
from palio.app.help_pages import COMMON
from palio.app.verbs import ALIASES, GROUPS, VERBS
from palio.registry import load
from tests.app.conftest import Run

# What a verb needs besides a file; and those that print no result, or read no file.
_BESIDES = {
    "power": ["--a", "x", "--b", "y"],
    "export": ["out.csv"],
    "merge": ["nowhere.db"],
    "submit": ["--slurm"],
}
_NO_JSON = {"export", "serve", "submit"}
_NO_FILE = {"demo"}


@pytest.mark.parametrize("verb", VERBS)
def test_help_tells_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    page = capsys.readouterr().out
    assert f"Example: palio {verb}" in page
    assert ("--json" in page) == (verb not in _NO_JSON)


_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def listed(page: str) -> set[str]:
    """Return the options that begin a row of a help page."""
    rows = [line.strip("│ ") for line in page.splitlines() if re.match("│ (  )?--", line)]
    return {name for row in rows for name in _OPTION.findall(row.partition("  ")[0])}


def options_of(verb: str) -> set[str]:
    found = app[verb].assemble_argument_collection()
    return {name for each in found for name in each.names if name.startswith("--")}


@pytest.mark.parametrize("verb", [*VERBS, "results.csv"])
def test_short_help_fits_a_screen_and_is_part_of_the_long_one(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([verb, "--help"]) == 0
    short = capsys.readouterr().out
    assert main([verb, "--help-all"]) == 0
    long = capsys.readouterr().out
    lines = short.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Usage: palio")
    assert sum(line.startswith("Example: palio") for line in lines) == 1
    assert lines[-1] == "All options: --help-all."
    assert "--help-all" not in long.splitlines()[-1]
    assert listed(short) <= listed(long)
    if verb in VERBS:
        assert listed(long) == options_of(verb)


def test_every_common_option_is_one_of_a_verb() -> None:
    assert set().union(*map(options_of, VERBS)) >= COMMON


@pytest.mark.parametrize("typed", [["-h"], ["x.csv", "--help"], ["--help", "--json"]])
def test_short_help_is_asked_for_anywhere(
    typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--help"]) == 0
    page = capsys.readouterr().out
    assert main(["compare", *typed]) == 0
    assert capsys.readouterr().out == page


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in _NO_FILE])
def test_a_file_that_is_not_there_is_one_line(verb: str, fail: Run) -> None:
    assert "nowhere" in fail(verb, "nowhere.csv", *_BESIDES.get(verb, []))


@pytest.mark.parametrize(
    ("verb", "registry"),
    [
        ("audit", "palio.comparison.audit:AUDIT_CHECKS"),
        ("bayes", "palio.bayes.models:MODELS"),
        ("best", "palio.ordering.baselines:FINDERS"),
        ("compare", "palio.comparison.corrections:CORRECTIONS"),
        ("compare", "palio.comparison.omnibus:OMNIBUS_TESTS"),
        ("compare", "palio.comparison.pair_tests:PAIR_TESTS"),
        ("compare", "palio.comparison.on_folds:GROUP_TESTS"),
        ("compare", "palio.comparison.fold_tests:FOLD_TESTS"),
        ("compare", "palio.comparison.prediction_tests:PREDICTION_TESTS"),
        ("order", "palio.comparison.fold_tests:FOLD_TESTS"),
        ("order", "palio.comparison.rank_tests:POSTHOCS"),
        ("order", "palio.comparison.pair_tests:PAIR_TESTS"),
        ("order", "palio.ordering:ORDERINGS"),
        ("rank", "palio.ordering.rankings:RANKINGS"),
        ("run", "palio.experiment.engines:ENGINES"),
    ],
)
def test_help_lists_the_registry(
    verb: str, registry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, "--help-all"]) == 0
    page = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert [name for name in load(registry) if name not in page] == []


def test_the_readme_tells_of_every_verb() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    head = "| verb | answers |\n|---|---|\n"
    rows = readme[readme.index(head) + len(head) :].partition("\n\n")[0].splitlines()
    told = [verb for row in rows for verb in re.findall(r"`(?:palio )?(\w+)`", row.split("|")[1])]
    assert sorted(told) == sorted(VERBS)


def test_help_lists_every_verb_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    page = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for home in VERBS.values():
        assert load(home).__doc__.split("\n")[0] in page


def test_help_has_the_groups_in_their_order_and_80_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    titles = [line.strip("╭─╮ ").lower() for line in page.splitlines() if line.startswith("╭")]
    assert titles == [*GROUPS, "help"]
    listed = [line.split()[1] for line in page.splitlines() if line[2:3].strip()[:1].isalpha()]
    assert [name for name in listed if name in VERBS] == list(VERBS)
    assert "palio results.csv" in page


@pytest.mark.parametrize("alias", ALIASES)
def test_other_names_of_verbs_are_not_listed(
    alias: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--help"]) == 0
    assert f" {alias} " not in capsys.readouterr().out
    assert main([alias, "--help"]) == 0
    assert "Example: palio compare" in capsys.readouterr().out


def loaded_by(*typed: str) -> set[str]:
    code = (
        "import sys; from palio.app.cli import main; main(sys.argv[1:]);"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *typed], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_help_loads_no_numpy() -> None:
    assert not {"numpy", "scipy", "pandas", "matplotlib"} & loaded_by("--help")


def test_a_verb_loads_its_own_module_and_no_other() -> None:
    verbs = {name for name in loaded_by("order", "--help") if name.startswith("palio.app.verbs.")}
    assert verbs == {"palio.app.verbs.order"}
