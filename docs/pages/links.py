"""Whether every link within the built site leads somewhere, anchors too: for ``make docs``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Page", "broken", "complaint", "fetched"]


class Page(HTMLParser):
    """What a page has that links can lead to, where its own lead, and what it loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names, where it leads and what it loads."""
        has = {name: value for name, value in attrs if value is not None}
        self.ids |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.add(has["href"])
        elif "src" in has or (
            "href" in has and has.get("rel") not in ("canonical", "next", "prev")
        ):
            self.loads.add(has.get("src") or has["href"])


def fetched(site: Path) -> Iterator[str]:
    """Yield what pages load from other hosts."""
    for path, page in _pages(site).items():
        for address in page.loads:
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site)} loads {address}"


def broken(site: Path) -> Iterator[str]:
    """Yield the links that lead nowhere."""
    pages = _pages(site)
    for path, page in pages.items():
        for link in page.links | page.loads:
            place = urlsplit(link)
            if place.scheme or place.netloc:
                continue
            target = (path.parent / unquote(place.path)).resolve() if place.path else path
            there = target.exists() and (
                not place.fragment
                or target not in pages
                or unquote(place.fragment) in pages[target].ids
            )
            if not there:
                yield f"{path.relative_to(site)} links to {link}"


def _pages(site: Path) -> dict[Path, Page]:
    site = site.resolve()
    pages = (path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts)
    return {path: Page(path.read_text(encoding="utf-8")) for path in pages}


def complaint(site: Path) -> str | None:
    """Return what is wrong, a line each; nothing if all is well, which ends a process well."""
    site = site.resolve()
    return "\n".join((*broken(site), *fetched(site))) or None


if __name__ == "__main__":
    sys.exit(complaint(Path(sys.argv[1])))
