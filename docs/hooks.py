"""What mkdocs asks while it builds the site: pages and figures that are written from the code.

Run as ``python -m mkdocs`` from the folder above, so that the package ``docs`` is found.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from docs.pages import commands, gallery, importers, learners, methods, studies
from palio.scores.formats import endings
from palio.scores.limits import stated

__all__ = ["MARKS", "fill", "on_config", "on_files", "on_page_markdown"]


@cache
def _drawn() -> list[gallery.Drawn]:
    return list(gallery.drawings())


MARKS: dict[str, Callable[[], str]] = {
    "commands": commands.commands,
    "formats": endings,
    "limits": lambda: "\n".join(f"- {each}" for each in stated()),
    "gallery": lambda: gallery.gallery(_drawn()),
    "importers": importers.importers,
    "learners": learners.learners,
    "studies": studies.studies,
    "verbs": commands.table,
}
"""What ``<!-- palio: NAME -->`` in a page stands for."""


def fill(markdown: str) -> str:
    """Put what is written from the code in the place of its mark."""
    for name, write in MARKS.items():
        mark = f"<!-- palio: {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, write())
    return markdown


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put all pages of the methods and the studies below their headings."""
    made = {"Methods": methods.nav, "Studies": studies.nav}
    config.nav = [
        {name: made[name]()}
        if isinstance(entry, dict) and (name := next(iter(entry))) in made
        else entry
        for entry in config.nav or []
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the methods, and the figures."""
    for path, markdown in methods.pages():
        files.append(File.generated(config, path, content=markdown))
    for figure in _drawn():
        files.append(File.generated(config, figure.path, content=figure.svg))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the marks of a page."""
    return fill(markdown)
