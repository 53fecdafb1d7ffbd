"""The studies that Palio recomputes, and their pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from palio.studies import STUDIES

__all__ = ["nav", "studies"]

FOLDER = Path(__file__).resolve().parents[1] / "studies"


def _pages() -> list[str]:
    """Return the names of the pages there are: the registry's first, in its order."""
    there = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
    known = [name for name in STUDIES if name in there]
    return known + [name for name in there if name not in known]


def nav() -> list[Any]:
    """Return the part of the navigation that these pages are."""
    return ["studies/index.md", *({name: f"studies/{name}.md"} for name in _pages())]


def studies() -> str:
    """Return a table of all studies, each with a link to its page if it has one."""
    pages = _pages()
    rows = [
        f"| {f'[{name}]({name}.md)' if name in pages else name} | {study.title} | "
        f"{study.reference} | {'yes' if study.rerun else 'no'} |"
        for name, study in STUDIES.items()
    ]
    return "\n".join(
        ["| study | what it is | paper | can be run again |", "|---|---|---|---|", *rows]
    )
