"""Whether everyone can use the pages: axe-core on every page and state, and the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from palio.app.web.settings import Settings
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open, serving

pytestmark = pytest.mark.xdist_group("browser")

FOCUSED = """() => {
  const one = document.activeElement;
  return {text: one.textContent.trim(), id: one.id, outline: getComputedStyle(one).outlineStyle};
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(None) as address:
        yield address


def test_the_check_sees_what_is_wrong(open_page: Open) -> None:
    pale = "<p style='color: %23aaa'>pale</p><img src=''>"
    page = open_page(f"data:text/html,<html lang=en><title>x</title><main><h1>x</h1>{pale}")
    with pytest.raises(AssertionError) as found:
        expect_accessible(page)
    said = str(found.value).splitlines()
    wrong = ["light: color-contrast", "light: image-alt", "dark: color-contrast"]
    assert [": ".join(line.split(": ")[:2]) for line in said] == wrong


def stops(page: Page, text: str, most: int = 20) -> int:
    """Return how often Tab is pressed until what has the keyboard holds a text; it must be seen."""
    for n in range(1, most + 1):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert focused["outline"] == "solid", focused
        if text in focused["text"]:
            return n
    raise AssertionError(f"{text!r} was not reached by {most} Tabs")


# --- pages ------------------------------------------------------------------------------------


def test_the_start(open_page: Open, server: str) -> None:
    page = open_page(server)
    choose = page.get_by_role("button", name="Choose a file")
    expect(choose).to_be_visible()
    expect_accessible(page)
    assert stops(page, "Choose a file") <= 4
    assert choose.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    with page.expect_file_chooser():
        page.keyboard.press("Enter")


def test_the_token(open_page: Open) -> None:
    with serving(None, settings=Settings(workers=0, token="a token of enough letters")) as address:
        page = open_page(address)
        expect(page.get_by_label("Token")).to_be_focused()
        expect_accessible(page)
