"""A tag is released if it is the package's version and the changelog tells of it.

``python -m tools.release v1.2.3 notes.md`` checks both and writes the changelog's part.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def version(source: str) -> str:
    """Return the version that a package's ``__init__.py`` states.

    Examples
    --------
    >>> version('__version__ = "1.2.3"')
    '1.2.3'
    """
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise SystemExit('There is no line __version__ = "…" in src/palio/__init__.py.')
    return found[1]


def notes(changelog: str, version: str) -> str:
    r"""Return what the changelog says under the heading of a version.

    Examples
    --------
    >>> notes("## 1.1.0 (2027-01-02)\n\nNew.\n\n## 1.0.0\n\nOld.", "1.1.0")
    'New.'
    """
    parts = re.split(r"^## +(\S+).*$", changelog, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True)).get(version, "").strip()
    if not found:
        raise SystemExit(f"CHANGELOG.md says nothing of {version}: make changelog RELEASE=yes")
    return found


def main(tag: str, path: str) -> None:
    """Check a tag and write its notes."""
    stated = version((ROOT / "src/palio/__init__.py").read_text("utf-8"))
    if tag != f"v{stated}":
        raise SystemExit(f"The tag is {tag!r}, but the package is {stated}: tag it v{stated}.")
    text = notes((ROOT / "CHANGELOG.md").read_text("utf-8"), stated)
    Path(path).write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
