"""The pages that are written from the code, and what the others cite and link to."""

import doctest
import inspect
import re

import pytest

import palio
from docs.pages import api, bibliography, methods, tables
from docs.pages.docstrings import with_imports
from docs.pages.families import FAMILIES, Family
from palio import comparison, ordering
from palio.algorithms.catalogue import LEARNERS
from palio.app.cli import app
from palio.app.verbs import VERBS
from palio.bayes.models import MODELS
from palio.registry import Registry
from palio.report.figures import FIGURES
from palio.report.references import DOIS, REFERENCES
from palio.scores.importers import IMPORTERS
from palio.studies import STUDIES
from tests.docs.written import DOCS, PAGES, ROOT

METHODS = [(family, name) for family in FAMILIES for name in family]
MADE = dict([*methods.pages(lambda _setup, _expression: "…"), *api.pages()])


def _doc(family: Family, name: str) -> str:
    return inspect.getdoc(family.function(name)) or ""


def _each_method(test: object) -> object:
    return pytest.mark.parametrize(
        ("family", "name"), METHODS, ids=[f"{family.slug}/{name}" for family, name in METHODS]
    )(test)


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
    assert not missing, "these registries have no Family in docs/pages/families.py"
    pages = [path for path in MADE if path.startswith(methods.FOLDER) and "index" not in path]
    assert len(pages) == len(documented)


@_each_method
def test_a_method_says_what_how_whence_and_shows_it(family: Family, name: str) -> None:
    doc, page = _doc(family, name), MADE[f"{methods.FOLDER}/{family.slug}/{name}.md"]
    said = doc.partition("Notes\n---")[0]
    assert len(said.partition("Parameters\n---")[0]) > 100, "say what it answers, when it holds"
    assert ">>>" in doc or "```python" in page, "its docstring needs Examples"
    named = getattr(family.registry[name], "reference", "")
    whence = "References\n---" in doc or "{cite:" in page or not named
    assert whence, f"its docstring needs References, or references.toml the paper of {named!r}"
    assert "autofunction" in page


@_each_method
def test_the_example_of_a_docstring_runs_as_it_is_shown(family: Family, name: str) -> None:
    """On its page nobody sees in which module it was written."""
    shown = with_imports(_doc(family, name).splitlines(), inspect.getmodule(family.function(name)))
    example = doctest.DocTestParser().get_doctest("\n".join(shown), {}, name, name, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.DocTestRunner(verbose=False, optionflags=flags).run(example).failed == 0


def test_every_public_name_has_a_page() -> None:
    listed = [name for group in api.names().values() for name in group]
    own = {f"palio.{name}" for name in palio.__all__ if name != "__version__"}
    modules = {name for name in own if inspect.ismodule(getattr(palio, name.partition(".")[2]))}
    assert own - modules == {name for name in listed if name.count(".") == 1}
    assert modules <= {name.rpartition(".")[0] for name in listed}
    assert not [name for name in listed if f"{api.FOLDER}/{name}.rst" not in MADE]


def test_every_verb_has_its_help() -> None:
    page = tables.MARKS["commands"]()
    assert set(VERBS) == {name for name in app if not name.startswith("-")}
    for verb in VERBS:
        assert f"### palio {verb}\n" in page
        assert f"Usage: palio {verb}" in page
    assert max(map(len, page.splitlines())) <= 80


def test_every_verb_is_on_the_page_of_commands_and_every_importer_on_that_of_tables() -> None:
    commands, read = (
        tables.fill((DOCS / page).read_text(encoding="utf-8"))
        for page in ("reference/cli.md", "guide/tables.md")
    )
    assert not [verb for verb in VERBS if f"[`{verb}`](#palio-{verb})" not in commands]
    assert not [name for name in IMPORTERS if f"| `{name}:` |" not in read]


def test_every_learner_study_and_figure_is_named() -> None:
    assert not [name for name in LEARNERS if f"| `{name}` |" not in tables.MARKS["learners"]()]
    assert not [name for name in STUDIES if name not in tables.MARKS["studies"]()]
    assert not [name for name in FIGURES if name not in tables.MARKS["figures"]()]


def test_marks_are_known_and_filled() -> None:
    marks = {
        mark
        for path in PAGES
        for mark in re.findall(r"<!-- palio: (\w+) -->", path.read_text(encoding="utf-8"))
    }
    assert marks == set(tables.MARKS)


def test_every_citation_is_of_a_paper_that_is_listed() -> None:
    keys = [bibliography.key(short) for short in REFERENCES]
    assert len(set(keys)) == len(keys)
    assert set(DOIS) <= set(REFERENCES)
    texts = {str(path): path.read_text(encoding="utf-8") for path in PAGES} | MADE
    texts |= {str(path): path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*.py")}
    cited = {
        f"{path}: {one.strip()}"
        for path, text in texts.items()
        for many in re.findall(r"(?:\{cite:\w+\}|:cite:\w+:)`([^`]+)`", text)
        for one in many.split(",")
        if one.strip() not in keys
    }
    assert not cited


def test_the_bibliography_has_every_paper_with_authors_and_year() -> None:
    entries = bibliography.bibtex().strip().split("\n\n")
    assert len(entries) == len(REFERENCES)
    holm = next(entry for entry in entries if "{alpaydin1999" in entry)
    assert "author = {E. Alpaydın}" in holm
    assert "doi = {10.1162/089976699300016007}" in holm
    several = next(entry for entry in entries if "{mogstad2024" in entry)
    assert "author = {M. Mogstad and J. P. Romano and A. M. Shaikh and D. Wilhelm}" in several


def test_links_lead_somewhere() -> None:
    """Also those of the README; Sphinx looks at the others when it builds, and at their anchors."""
    written = {path: path.read_text(encoding="utf-8") for path in PAGES}
    made = {DOCS / path: page for path, page in MADE.items()}
    gallery = {DOCS / "examples" / f"{path.stem}.rst" for path in tables.EXAMPLES}
    known = {*written, *made, *gallery, DOCS / "examples" / "index.rst"}
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path, page in {**written, **made}.items()
        for target in re.findall(r"\]\(([^)#\s]+?\.(?:md|rst))(?:#[^)]*)?\)", tables.fill(page))
        if (path.parent / target).resolve() not in known
        and ":" not in target
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
