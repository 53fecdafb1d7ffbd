"""The papers, as BibTeX: written from the list that reports cite from, when the site is built."""

from __future__ import annotations

import re
import unicodedata

from palio.report.references import DOIS, REFERENCES, cited

__all__ = ["bibtex", "citations", "key"]


def key(short: str) -> str:
    """Return how a page cites a paper: ``{cite:p}`alpaydin1999```.

    >>> key("Alpaydın 1999"), key("Bergmann and Hommel 1988"), key("ulas2008")
    ('alpaydin1999', 'bergmann1988', 'ulas2008')
    """
    plain = unicodedata.normalize("NFKD", short.lower().replace("ı", "i"))
    first, year = re.fullmatch(
        r"(\w+).*?(\d{4})", plain.encode("ascii", "ignore").decode()
    ).groups()  # type: ignore[union-attr]
    return f"{first.removesuffix(year)}{year}"


def citations(*texts: str) -> str:
    """Return the papers that short citations name, as links to the bibliography.

    >>> citations("Holm 1979; ulas2008 A.1")
    '{cite:t}`holm1979,ulas2008`'
    """
    keys = ",".join(key(short) for short in cited(texts))
    return f"{{cite:t}}`{keys}`" if keys else ""


def bibtex() -> str:
    """Return an entry for every paper: its authors and year, and the rest as it is cited."""
    return "\n".join(_entry(short, full) for short, full in REFERENCES.items())


def _entry(short: str, full: str) -> str:
    authors, year, rest = re.fullmatch(r"(.+?) \((\d{4})\), (.+?)\.?", full).groups()  # type: ignore[union-attr]
    fields = {
        "author": " and ".join(re.split(r", (?:and )?| and ", authors)),
        "year": year,
        "title": rest,
        "doi": DOIS.get(short, ""),
    }
    written = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{{key(short)},\n{written}\n}}\n"
