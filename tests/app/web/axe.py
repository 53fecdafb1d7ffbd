"""axe-core in a page: what stands in the way of who reads it by ear, by keyboard or in the dark."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

RUN = """
options => axe.run(document, {...options, resultTypes: ["violations"]}).then(({violations}) =>
  violations.flatMap(({id, nodes}) => nodes.map(({target, any, all, none}) => {
    const why = [...any, ...all, ...none].map(({message}) => message);
    return `${id}: ${target.flat().join(" ")}: ${why.join("; ")}`;
  })))
"""


def expect_accessible(page: Page) -> None:
    """Demand that axe-core finds nothing in a page as it stands, in light and in dark.

    What is asked: WCAG 2.2, A and AA, and what axe-core calls best practices.
    """
    page.evaluate(AXE_SCRIPT)
    found = _violations(page, "light", {"type": "tag", "values": TAGS})
    # In the dark only the colours are others.
    found += _violations(page, "dark", {"type": "rule", "values": ["color-contrast"]})
    if found:
        raise AssertionError("\n".join(found))


def _violations(page: Page, scheme: Literal["light", "dark"], rules: dict[str, Any]) -> list[str]:
    # A colour that is on its way to another is neither.
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    return [f"{scheme}: {line}" for line in page.evaluate(RUN, {"runOnly": rules})]
