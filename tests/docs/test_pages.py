"""The pages that are written from the code, and the site that they make."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from mkdocs.config import load_config

from docs import hooks
from docs.pages import commands, docstrings, gallery, methods, studies
from docs.pages.families import FAMILIES
from palio import comparison, ordering
from palio.algorithms.catalogue import LEARNERS
from palio.app.cli import app
from palio.bayes.models import MODELS
from palio.registry import Registry
from palio.report.figures import FIGURES
from palio.scores.importers import IMPORTERS
from palio.studies import STUDIES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def _unrun(_setup: str, _expression: str) -> str:
    return "…"


PAGES = dict(methods.pages(_unrun))
METHODS = {path: page for path, page in PAGES.items() if not path.endswith("index.md")}


def test_every_entry_of_every_registry_has_a_page() -> None:
    registries = [
        value
        for module in (comparison, ordering)
        for value in vars(module).values()
        if isinstance(value, Registry)
    ]
    entries = [entry for registry in (*registries, MODELS) for entry in registry.values()]
    documented = [entry for family in FAMILIES for entry in family.registry.values()]
    missing = [entry for entry in entries if entry not in documented]
    assert not missing
    assert len(METHODS) == len(documented)


@pytest.mark.parametrize("path", METHODS)
def test_a_method_says_what_how_whence_and_shows_it(path: str) -> None:
    sections = dict(re.findall(r"^## (.+?)\n\n(.*?)(?=^## |\Z)", METHODS[path], re.M | re.S))
    assert len(sections["What it answers, and when it holds"]) > 100
    assert '<pre class="formula">' in sections["How it is computed"]
    assert "```" in sections["Examples"]
    assert sections["Papers"].strip()


@pytest.mark.parametrize("path", METHODS)
def test_the_example_of_a_docstring_runs_as_it_is_shown(path: str) -> None:
    """On its page nobody sees in which module it was written."""
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", METHODS[path], re.S))
    example = doctest.DocTestParser().get_doctest(code, {}, path, path, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(verbose=False, optionflags=flags).run(example).failed == 0


def test_links_between_functions_lead_to_the_one_that_is_meant() -> None:
    """Three functions are called anova, and two quade."""
    assert "[`anova`](../groups/anova.md)" in METHODS["methods/groups/newman-keuls.md"]
    assert "[`anova`](../groups/anova.md)" in METHODS["methods/best/anova.md"]
    assert "[`quade`](../omnibus/quade.md)" in METHODS["methods/pairs/quade.md"]
    assert "[`wilcoxon`](../pairs/wilcoxon.md)" in METHODS["methods/pairs/paired-t.md"]


def test_every_verb_has_its_help() -> None:
    page = commands.commands()
    assert set(commands.verbs()) == {name for name in app if not name.startswith("-")}
    for verb in commands.verbs():
        assert f"### palio {verb}\n" in page
        assert f"Usage: palio {verb}" in page
    assert max(map(len, page.splitlines())) <= 80


def test_every_verb_is_in_the_table_of_the_page() -> None:
    written = hooks.fill((DOCS / "cli.md").read_text(encoding="utf-8").partition("## ")[0])
    assert not [verb for verb in commands.verbs() if f"`{verb}`" not in written]


def test_every_importer_is_told_of() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    written = hooks.fill(page.partition("## What can be read")[2].partition("## ")[0])
    assert not [name for name in IMPORTERS if f"| `{name}:` |" not in written]


def test_every_learner_study_and_figure_is_named() -> None:
    assert not [name for name in LEARNERS if f"| `{name}` |" not in hooks.MARKS["learners"]()]
    assert not [name for name in STUDIES if name not in studies.studies()]
    assert not [name for name in FIGURES if name not in gallery.gallery([])]


def test_marks_are_known_and_filled() -> None:
    marks = {
        mark
        for path in DOCS.rglob("*.md")
        for mark in re.findall(r"<!-- palio: (\w+) -->", path.read_text(encoding="utf-8"))
    }
    assert marks == set(hooks.MARKS)
    assert "### palio order" in hooks.fill("<!-- palio: commands -->")


def test_docstrings_become_markdown() -> None:
    links = {"holm": "../corrections/holm.md"}
    text = "See `holm`, :func:`palio.compare` and ``k``: p_i * [1] < 2.\n\n>>> 1\n1"
    assert docstrings.to_markdown(text, links) == (
        "See [`holm`](../corrections/holm.md), `palio.compare` and `k`: p\\_i \\* \\[1\\] &lt; 2."
        "\n\n```pycon\n>>> 1\n1\n```"
    )


def test_navigation_names_every_page() -> None:
    config = hooks.on_config(load_config(str(ROOT / "mkdocs.yml")))
    named = set(re.findall(r"[\w/.-]+\.md", yaml.safe_dump(config.nav, width=10_000)))
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert named == written | set(PAGES)


def test_links_lead_somewhere() -> None:
    """Also those of the README; mkdocs looks at the others when it builds, and at their anchors."""
    written = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    made = {DOCS / path: page for path, page in PAGES.items()}
    readme = {ROOT / "README.md": (ROOT / "README.md").read_text(encoding="utf-8")}
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path, page in {**written, **made, **readme}.items()
        for target in re.findall(r"\]\(([^)#\s]+?\.md)(?:#[^)]*)?\)", page)
        if (path.parent / target).resolve() not in {*written, *made}
        and not (path.parent / target).exists()
    ]
    assert not broken


def test_no_address_of_a_package_registry_is_written_anywhere() -> None:
    """Where packages come from is for each machine to say."""
    hosts = ("py" + "pi.org", "python" + "hosted.org", "ana" + "conda.org", "opt/py" + "pi")
    kinds = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".cfg", ".css", ".js", ".html", ""}
    tops = ("src", "tests", "benchmarks", "docs", ".ci")
    files = [path for top in tops for path in (ROOT / top).rglob("*")] + list(ROOT.glob("*"))
    found = [
        str(path.relative_to(ROOT))
        for path in files
        if path.is_file()
        and path.suffix in kinds
        and any(host in path.read_text(encoding="utf-8", errors="ignore") for host in hosts)
    ]
    assert not found


@pytest.mark.slow
def test_the_site_builds_and_asks_nobody_else_for_anything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    assert len(pages) > len(PAGES)
    fetched = re.compile(r'(?:src|<link[^>]+href|@import|url\()\s*[=]?\s*["\']?(?:https?:)?//')
    assert not [str(path) for path, page in pages.items() if fetched.search(page)]
    assert (tmp_path / "gallery" / "critical-difference.svg").exists()
    assert "<Comparison: wilcoxon, holm" in (
        pages[tmp_path / "methods" / "pairs" / "wilcoxon.html"].replace("&lt;", "<")
    )
