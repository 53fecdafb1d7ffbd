"""What runs on a server can be run at home; versions and bounds agree with each other."""

import importlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from palio import __version__
from tools import publish, release

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="a source distribution has no workflows")


def read(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = importlib.import_module("yaml").safe_load(path.read_text("utf-8"))
    return found


def jobs() -> list[Any]:
    return [
        pytest.param(job, id=f"{path.stem}: {name}")
        for path in WORKFLOWS
        for name, job in read(path)["jobs"].items()
    ]


def choices(job: dict[str, Any]) -> list[dict[str, str]]:
    """Return what a job is run with: every entry of each list of its matrix."""
    matrix: dict[str, list[Any]] = job.get("strategy", {}).get("matrix", {})
    lists = [{name: value} for name, values in matrix.items() for value in values]
    return [entry for entry in lists if "include" not in entry] + matrix.get("include", [])


def targets(job: dict[str, Any]) -> set[str]:
    """Return the targets of the Makefile that a job makes; other commands are an error."""
    found = set()
    for command in (step["run"] for step in job["steps"] if "run" in step):
        made = re.fullmatch(r"make (\S+|\S*\$\{\{ matrix\.(\w+) \}\}\S*)( PYTHON=python)?", command)
        assert made, f"not a target of the Makefile: {command}"
        target, name = made[1], made[2]
        values = [entry[name] for entry in choices(job) if name in entry] if name else [""]
        assert values, f"nothing is called {name} in the matrix"
        found |= {re.sub(r"\$\{\{.*\}\}", value, target) for value in values}
    return found


@pytest.mark.parametrize("job", jobs())
def test_a_job_makes_what_the_makefile_has(job: dict[str, Any]) -> None:
    there = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert not targets(job) - set(there)


@pytest.mark.parametrize("job", jobs())
def test_a_job_ends_and_may_do_only_what_it_needs(job: dict[str, Any]) -> None:
    assert 0 < job["timeout-minutes"] < 360
    assert "permissions" in job
    pushes = "docs-publish" in targets(job)
    for step in job["steps"]:
        if step.get("uses", "").startswith("actions/checkout"):
            assert step.get("with", {}).get("persist-credentials", True) is pushes


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_gives_no_rights_and_says_when_it_is_stopped(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    assert "group" in workflow["concurrency"]


def test_actions_of_others_are_named_by_commit() -> None:
    used = {
        step["uses"]
        for path in WORKFLOWS
        for job in read(path)["jobs"].values()
        for step in job["steps"]
        if "uses" in step
    }
    loose = {name for name in used if not re.search(r"@[0-9a-f]{40}$", name)}
    assert loose == {"pypa/gh-action-pypi-publish@release/v1"}


# Versions


def test_the_pythons_that_are_promised_are_the_ones_that_are_tested() -> None:
    promised = [
        name.removeprefix("Programming Language :: Python :: ")
        for name in PROJECT["classifiers"]
        if name.startswith("Programming Language :: Python :: 3.")
    ]
    matrix = read(ROOT / ".github/workflows/test.yml")["jobs"]["python"]["strategy"]["matrix"]
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_oldest_versions_are_the_bounds() -> None:
    """As many digits as a bound has; the higher one where extras differ, on all systems."""
    text = (ROOT / "constraints-oldest.txt").read_text("utf-8")
    oldest = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    everything = re.findall(r"\w+", extras["all"][0].removeprefix("palio"))
    listed = [*PROJECT["dependencies"], *(line for name in everything for line in extras[name])]
    bounds: dict[str, tuple[int, ...]] = {}
    for line in listed:
        if "sys_platform ==" in line:  # a bound of one system alone
            continue
        if found := re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)(?:;.*)?", line):
            bound = tuple(map(int, found[2].split(".")))
            bounds[found[1]] = max(bounds.get(found[1], ()), bound)
    assert bounds.keys() >= {"numpy", "scikit-learn", "fastapi"}
    for name, bound in bounds.items():
        numbers = tuple(map(int, oldest[name].split(".")))
        assert numbers[: len(bound)] == bound, f"{name} is tested from {oldest[name]} on"


# Releases and pages


def test_a_tag_is_the_version_and_has_its_notes(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(release, "notes", lambda changelog, version: f"New in {version}.")
    release.main(f"v{__version__}", str(tmp_path / "notes.md"))
    assert (tmp_path / "notes.md").read_text("utf-8") == f"New in {__version__}.\n"
    with pytest.raises(SystemExit, match=f"The tag is 'v0.0.0', but the package is {__version__}"):
        release.main("v0.0.0", str(tmp_path / "notes.md"))


def test_a_version_that_the_changelog_leaves_out_is_not_released() -> None:
    with pytest.raises(SystemExit, match=r"says nothing of 1\.0\.0"):
        release.notes("# Changelog\n\n## 1.0.0\n\n## 0.9.0\n\n- Old.\n", "1.0.0")
    with pytest.raises(SystemExit, match="no line __version__"):
        release.version("version = 1")


def test_pages_lie_in_a_folder_per_version(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    root = tmp_path / "pages"
    root.mkdir()
    for version, text in (("dev", "new"), ("0.9", "a"), ("0.10", "b"), ("dev", "newer")):
        (site / "index.html").write_text(text, "utf-8")
        publish.lay_out(root, site, version, "https://example.org/palio")
    assert (root / "dev/index.html").read_text("utf-8") == "newer"
    assert (root / "0.9/index.html").read_text("utf-8") == "a"
    listed = json.loads((root / "switcher.json").read_text("utf-8"))
    assert [entry["version"] for entry in listed] == ["0.10", "0.9", "dev"]
    assert [entry["preferred"] for entry in listed] == [True, False, False]
    assert "url=0.10/" in (root / "index.html").read_text("utf-8")
