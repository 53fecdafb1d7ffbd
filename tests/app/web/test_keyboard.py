"""The workbench by keyboard: near, seen, and never lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.web.chromium import Open, headline, put, serving, settle
from tests.app.web.test_looks import table

# What has the keyboard, whether that can be seen, and whether it lies open or under something.
FOCUSED = """() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, Math.max(box.top, 0) + Math.min(box.height, 20) / 2];
  const top = document.elementFromPoint(x, y);
  return {
    text: one.textContent.trim().slice(0, 60) || one.id || one.tagName,
    key: one.dataset.key ?? one.id,
    body: one === document.body,
    ringed: style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2,
    open: Boolean(top && (one.contains(top) || top.contains(one))),
  };
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(None) as address:
        yield address


def focused(page: Page) -> Any:
    return page.evaluate(FOCUSED)


def walk(page: Page, most: int) -> Iterator[Any]:
    """Press Tab until the page ends, and yield what has the keyboard."""
    for _ in range(most):
        page.keyboard.press("Tab")
        found = focused(page)
        if found["body"]:
            return
        yield found


@pytest.mark.parametrize("size", [14, pytest.param(60, marks=pytest.mark.slow)])
def test_the_order_is_near(open_page: Open, server: str, size: int) -> None:
    page = open_page(put(server, table(size).to_frame().to_csv(index=False)))
    expect(headline(page)).to_be_visible()
    stops = [each["text"] for each in walk(page, most=4)]
    page = open_page(page.url)
    expect(headline(page)).to_be_visible()
    for _ in range(1 + stops.index("Skip to the order")):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    first = page.locator("#order tbody tr").first.locator(".algorithm")
    expect(first).to_be_focused()
    # From row to row: a name and its pin.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#order tbody tr").nth(1).locator(".algorithm")).to_be_focused()


def test_every_stop_is_seen(open_page: Open, server: str) -> None:
    page = open_page(put(server, table(3).to_frame().to_csv(index=False)))
    settle(page)
    stops = list(walk(page, most=200))
    assert 20 < len(stops) < 200
    assert [each["text"] for each in stops if not each["ringed"]] == []
    assert [each["text"] for each in stops if not each["open"]] == []


def test_the_keyboard_stays_where_it_is_when_the_answer_changes(
    open_page: Open, server: str
) -> None:
    page = open_page(f"{server}/?table=study-ulas2008")
    unfold(page)
    keys = page.locator("#controls :is(select, input:not([type=search]))").evaluate_all(
        """all => all.filter(one => one.checkVisibility() && one.options?.length !== 1)
            .map(one => one.dataset.key)"""
    )
    assert len(keys) >= 8
    for key in keys:
        page.goto(f"{server}/?table=study-ulas2008")
        unfold(page)
        control = page.locator(f'#controls [data-key="{key}"]')
        control.focus()
        change(page, control.evaluate("one => one.type"))
        expect(page.locator("#work")).to_have_attribute("aria-busy", "false")
        assert focused(page)["key"] == key


def unfold(page: Page) -> None:
    """Open every part of the question."""
    expect(headline(page)).to_be_visible()
    page.locator("#controls details").evaluate_all("all => all.forEach(one => one.open = true)")


def change(page: Page, kind: str) -> None:
    """Change what has the keyboard, by keyboard."""
    before = page.url
    if kind == "checkbox":
        page.keyboard.press("Space")
    elif kind == "select-one":
        page.keyboard.press("ArrowDown")
    else:
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type("0.01")
        page.keyboard.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
