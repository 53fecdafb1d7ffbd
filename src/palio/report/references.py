"""The literature behind the methods: what the registries cite in short, in full."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

_WRITTEN = tomllib.loads(
    (resources.files("palio.report") / "assets" / "references.toml").read_text(encoding="utf-8")
)
DOIS: dict[str, str] = _WRITTEN.pop("doi")
"""Where a paper is to be had, of those that have a DOI."""
REFERENCES: dict[str, str] = _WRITTEN


def cited(texts: Iterable[str]) -> list[str]:
    """Return the references that short citations name, in the order of `REFERENCES`.

    >>> cited(["Alpaydın 1999; ulas2008 A.1", "Benavoli and others 2014, 2017"])
    ['Alpaydın 1999', 'Benavoli and others 2014', 'Benavoli and others 2017', 'ulas2008']
    """
    named = {short for text in texts for short in _named_in(text)}
    return [short for short in REFERENCES if short in named]


@cache  # every answer asks about the same few texts
def _named_in(text: str) -> tuple[str, ...]:
    return tuple(short for short in REFERENCES if _is_in(short, text))


def _is_in(short: str, said: str) -> bool:
    """Look for the authors and the year, which several works by the same authors share out."""
    authors, _, year = short.rpartition(" ")
    return any(
        all(re.search(rf"\b{re.escape(word)}\b", part) for word in (authors, year) if word)
        for part in said.split(";")
    )
