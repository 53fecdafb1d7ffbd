"""What stands beside the code: citation, forms, hooks, and the pieces of the changelog."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import palio

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / ".github").is_dir():  # a source distribution has no forms
    pytest.skip("these files are of the repository", allow_module_level=True)

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_is_of_this_version_and_these_authors() -> None:
    citation = read(ROOT / "CITATION.cff")
    project = PROJECT["project"]
    assert str(citation["version"]) == palio.__version__
    assert citation["authors"] == project["authors"]
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]
    assert citation["abstract"].strip() == project["description"]
    assert {"cff-version", "message", "title"} <= set(citation)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_ask_what_is_needed(path: Path) -> None:
    form = read(path)
    if path.stem == "config":
        assert set(form) == {"blank_issues_enabled"}
        return
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    for field in form["body"]:
        assert field["type"] in {"textarea", "input", "checkboxes"}
        assert field["attributes"]["label"]
    assert any(field.get("validations", {}).get("required") for field in form["body"])
    if path.stem != "method":
        asked = next(field for field in form["body"] if field["id"] == "version")
        assert "`palio --version`" in asked["attributes"]["label"]


def test_there_is_a_form_for_each_need() -> None:
    assert {path.stem for path in FORMS} == {"bug", "config", "file", "method", "number"}


def test_hooks_are_our_own_tools() -> None:
    """Nothing is fetched, and what `make lint` runs is what a commit is judged by."""
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    tools = [hook["entry"].split()[1] for hook in repository["hooks"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    linted = re.search(r"^lint:.*\n((?:\t.+\n)+)", makefile, re.M)
    assert linted is not None
    assert tools == re.findall(r"\$\(BIN\)/([\w-]+)", linted[1])
    for hook in repository["hooks"]:
        assert (ROOT / hook["entry"].split()[0]).is_file()
        assert hook["language"] == "system"


def test_every_piece_of_the_changelog_is_of_a_kind() -> None:
    kinds = [kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]]
    told = re.findall(r"^\| `(\w+)` \|", (ROOT / "changes" / "README.md").read_text("utf-8"), re.M)
    assert told == kinds
    for path in (ROOT / "changes").iterdir():
        if path.name == "README.md":
            continue
        named = re.fullmatch(r"(\d+|\+[\w-]+)\.(\w+)\.md", path.name)
        assert named is not None, f"changes/{path.name}: NUMBER.KIND.md or +WORDS.KIND.md"
        assert named[2] in kinds, f"changes/{path.name}: kinds are {', '.join(kinds)}"
        text = path.read_text(encoding="utf-8").strip()
        assert text.endswith("."), f"changes/{path.name}: whole sentences"
        assert len(text) < 600, f"changes/{path.name}: one to three sentences"


def test_the_changelog_has_a_place_for_the_next_release() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith(f"# Changelog\n\n{PROJECT['tool']['towncrier']['start_string']}")
    releases = re.findall(r"^## (\S+)", text, re.M)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", release) for release in releases)
    in_order = sorted(releases, key=lambda r: [int(n) for n in r.split(".")], reverse=True)
    assert releases == in_order


def test_files_that_are_named_are_there() -> None:
    for name in ("CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "changes/README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (ROOT / name).parent.joinpath(link).exists(), f"{name} links to {link}"


def test_what_contributing_names_is_there() -> None:
    """Files, registries and targets that a newcomer is sent to."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in re.findall(r"\b(?:src|tests|docs)/[\w/.-]*\w", text):
        assert (ROOT / path).exists(), path
    for target in re.findall(r"(?m)(?:`|^)make ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.M), f"make {target}"
    within = (
        r"`((?:stats|ordering|comparison|algorithms|scores|report|experiment|studies)/[\w/.]*)`"
    )
    for path in re.findall(within, text):
        if "NAME" not in path:
            assert (ROOT / "src" / "palio" / path).exists(), path
