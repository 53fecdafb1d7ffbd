"""The pages that people wrote, apart from those that are written from the code."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_MADE = (DOCS / "examples", DOCS / "reference" / "api", DOCS / "reference" / "methods")
PAGES = [
    ROOT / "README.md",
    *(path for path in sorted(DOCS.rglob("*.md")) if not {*path.parents} & {*_MADE}),
]
