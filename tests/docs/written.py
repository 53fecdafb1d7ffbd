"""The pages that people wrote, apart from those that are written from the code."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_MADE = (DOCS / "examples", DOCS / "reference" / "api", DOCS / "reference" / "methods")
PAGES = [
    ROOT / "README.md",
    *(path for path in sorted(DOCS.rglob("*.md")) if not {*path.parents} & {*_MADE}),
]


def numbers_said(claim: str, text: str) -> list[int]:
    """Return the numbers of a text where a claim, said once, has ``{}``."""
    said = re.findall(re.escape(claim).replace(r"\{\}", r"([\d,]+)"), text)
    assert len(said) == 1, f"said {len(said)} times, not once: {claim}"
    written = [said[0]] if isinstance(said[0], str) else said[0]
    return [int(each.replace(",", "")) for each in written]
