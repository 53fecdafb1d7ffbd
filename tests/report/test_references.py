"""The literature: every work in full, and the same wherever it is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import palio
from palio.comparison import CORRECTIONS, FOLD_TESTS, OMNIBUS_TESTS, PAIR_TESTS, POSTHOCS
from palio.comparison.on_folds import GROUP_TESTS
from palio.comparison.prediction_tests import PREDICTION_TESTS
from palio.ordering.rankings import RANKINGS
from palio.report.references import REFERENCES, cited
from palio.studies import STUDIES

SOURCES = Path(palio.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"

REGISTRIES: tuple[Any, ...] = (
    FOLD_TESTS, GROUP_TESTS, PAIR_TESTS, OMNIBUS_TESTS, CORRECTIONS, POSTHOCS, PREDICTION_TESTS,
    RANKINGS,
)  # fmt: skip

# E. Alpaydın (1999), Combined …, Neural Computation 11(8), 1885–1892.
WORK = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4})\), (?P<title>.+?\??), (?P<venue>.+)\.$")
# Of books, theses and reports there are no volume and pages.
BOUND = (
    "Wiley", "Oliver and Boyd", "Academic Press", "CRC Press", "Arco", "Princeton University",
    "University of Michigan", "arXiv:", "FBE/CMPE-",
)  # fmt: skip
INITIALS = r"(?:\b[A-Z]\. )+"


class Work(NamedTuple):
    """Its title up to the first comma, and the volume of its journal."""

    surnames: str
    year: str
    title: str
    volume: str | None


def parsed(full: str) -> Work:
    found = WORK.match(full)
    assert found is not None, f"not of the form 'A. Author (2001), Title, Where 1(2), 3–4.': {full}"
    volume = re.search(r" (\d+)(?:\([\d/–]+\))?, \d+–\d+$", found["venue"])
    surnames = re.sub(INITIALS, "", found["authors"])
    return Work(surnames, found["year"], found["title"], volume[1] if volume else None)


@pytest.mark.parametrize("short", REFERENCES)
def test_a_reference_is_complete(short: str) -> None:
    full = REFERENCES[short]
    work = parsed(full)
    assert work.year in short
    first = re.split(r", | and ", work.surnames)[0]
    plain = first.translate(str.maketrans("ışŞ", "isS"))
    assert short.lower().startswith((first.lower(), plain.lower())), "cited by its first author"
    assert work.title[0].isupper()
    assert re.search(r"\d–\d+\.$", full) or any(place in full for place in BOUND), "no pages"
    assert work.surnames == "Student" or re.match(INITIALS, full), "no initials"


def test_the_references_stand_in_the_order_of_the_alphabet() -> None:
    def spelled(short: str) -> str:
        return short.lower().translate(str.maketrans("ıšíáş,", "isias ")).replace("  ", " ")

    there = [*REFERENCES]
    for one, other in pairwise(there):
        assert spelled(one) <= spelled(other), f"references.toml: '{other}' stands after '{one}'"


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_what_a_method_cites_is_there_in_full(registry: Any) -> None:
    for entry in registry.values():
        for part in filter(None, entry.reference.split(";")):
            assert cited([part]) or part == "Palio", (
                f"'{entry.name}' cites '{part}', which has no line in report/assets/references.toml"
            )


def test_studies_are_named_by_the_same_references() -> None:
    for study in STUDIES.values():
        ours = study.name in ("replication2026", "classification2026", "regression2026")
        assert f"{study.reference}." in REFERENCES.values() or ours


# --- docstrings and pages ------------------------------------------------------------------------


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the references of every docstring, and where it stands."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                continue
            _, _, after = (ast.get_docstring(node) or "").partition("References\n----------\n")
            if after:
                name = getattr(node, "name", "module")
                yield f"{path.relative_to(SOURCES)} {name}", after.partition("\n\n")[0]


def pages() -> Iterator[tuple[str, str]]:
    for path in sorted(DOCS.rglob("*.md")):
        yield str(path.relative_to(DOCS)), path.read_text(encoding="utf-8")


def mentions(text: str, work: Work) -> Iterator[str]:
    """Yield what follows the authors and the year of a work, each time they are named."""
    flat = re.sub(INITIALS, "", " ".join(text.replace("*", "").split())).replace(" & ", " and ")
    first, several = re.split(r", | and ", work.surnames)[0], " and " in work.surnames
    short = rf"|{re.escape(first)} (?:and others|et al\.)" if several else ""
    named = rf"(?<! and )(?<!, )\b(?:{re.escape(work.surnames)}{short}) \({work.year}\), "
    for found in re.finditer(named, flat):
        yield flat[found.end() :]


@pytest.mark.parametrize("where", [docstrings, pages])
def test_a_work_has_the_same_title_and_volume_everywhere(where: Any) -> None:
    works = [parsed(full) for full in REFERENCES.values()]
    compared = 0
    for place, text in where():
        named = [(work, said) for work in works for said in mentions(text, work)]
        for work, said in named:
            wrong = f"{place}: {work.surnames} ({work.year}), {said[:80]}"
            known = (work.title.lower(), work.title.lower().partition(":")[0])
            title = next((each for each in known if said.lower().startswith(each)), "")
            # Beside its full reference a work may be named by its journal or a section alone.
            assert title or re.match(r"§|[A-Z][\w ]+ \d", said), wrong
            volume = re.match(r"[.,?]* ?[A-Z][A-Za-z ]* (\d+)\b", said[len(title) :])
            if volume and work.volume:
                assert volume[1] == work.volume, wrong
                compared += 1
    assert compared >= 2  # or nothing was read
