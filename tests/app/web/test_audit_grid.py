"""The audit in a browser: what a cell opens, by mouse and by keyboard, and how long it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import palio
from palio.comparison.audit.report import LeftOut
from palio.report.sections.audit_grid import MOST_WAYS, ROWS_IN_VIEW
from tests.app.web.chromium import Open, expect_no_overflow, serving

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving("study:replication2026") as url:
        yield url


def audit_of(page: Page) -> Locator:
    found = page.locator(".audit")
    # On the workbench it is worked out when it is looked at.
    page.locator("[data-panel=audit], #audit").first.scroll_into_view_if_needed()
    expect(found).to_be_attached()
    found.scroll_into_view_if_needed()
    return found


def pairs(audit: Locator) -> Locator:
    return audit.locator("tr[data-a]:visible")


def test_a_cell_opens_what_would_change_the_verdict(open_page: Open, server: str) -> None:
    page = open_page(server)
    audit = audit_of(page)
    expect(pairs(audit)).to_have_count(ROWS_IN_VIEW)
    found = palio.audit(palio.load_study("replication2026"), only=["leave-one-out"])
    cell = audit.locator(".audit-cell[data-check=leave-one-out]:visible").first
    row = cell.locator("xpath=ancestor::tr")
    names = [found.algorithms[int(row.get_attribute(key) or "")] for key in ("data-a", "data-b")]
    why = audit.locator(".audit-why:visible")
    expect(why).to_have_count(0)
    cell.click()
    expect(cell).to_have_attribute("aria-expanded", "true")
    expect(why).to_have_count(1)
    (flips,) = (
        each.flips_without
        for each in found["leave-one-out"].rows
        if isinstance(each, LeftOut) and {each.a, each.b} == {*names}
    )
    more = len(flips) - MOST_WAYS
    said = [*flips[:MOST_WAYS], *([f"and {more} more"] if more > 0 else [])]
    assert why.locator("li:visible").all_inner_texts() == said
    # Another cell takes its place; the same again closes it.
    other = row.locator(".audit-cell:not([data-check=leave-one-out])").first
    other.click()
    expect(cell).to_have_attribute("aria-expanded", "false")
    expect(why).to_have_count(1)
    other.click()
    expect(why).to_have_count(0)


def tab_to(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Go on by keyboard: between are the frame of the table, which may scroll, and its menu."""
    for _ in range(4):
        page.keyboard.press(key)
        if wanted.evaluate("each => each === document.activeElement"):
            return
    expect(wanted).to_be_focused(timeout=1)


def test_the_grid_is_one_stop_of_the_keyboard(open_page: Open, server: str) -> None:
    page = open_page(server)
    audit = audit_of(page)
    audit.locator(".audit-filter").focus()
    cells = audit.locator(".audit-cell:visible")
    tab_to(page, cells.first)
    page.keyboard.press("Enter")
    expect(cells.first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(cells.first).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    expect(cells.nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    # The next one of the same check, wherever that is.
    same = audit.locator(f".audit-cell[data-check={cells.first.get_attribute('data-check')}]")
    expect(same.nth(1)).to_be_focused()
    tab_to(page, audit.locator(".audit-all"))
    tab_to(page, same.nth(1), key="Shift+Tab")


def test_all_pairs_and_those_of_one_algorithm(open_page: Open, server: str) -> None:
    page = open_page(server)
    audit = audit_of(page)
    whole = audit.locator("tr[data-a]").count()
    assert whole > ROWS_IN_VIEW
    audit.get_by_role("button", name=f"Show all {whole} pairs").click()
    expect(pairs(audit)).to_have_count(whole)
    expect(audit.locator(".audit-cell:focus")).to_have_count(1)  # the button is gone
    audit.get_by_label("Pairs of").select_option(label="svmRadial")
    number = audit.get_by_label("Pairs of").input_value()
    rows = pairs(audit)
    expect(rows).not_to_have_count(whole)
    assert rows.count() > 0
    for i in range(rows.count()):
        assert number in (rows.nth(i).get_attribute("data-a"), rows.nth(i).get_attribute("data-b"))
        expect(rows.nth(i)).to_contain_text("svmRadial")
    # A reader of the keyboard still gets in.
    assert audit.locator(".audit-cell:visible:not([tabindex='-1'])").count() == 1


@pytest.mark.parametrize("size", [14, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_audit_is_about_a_screen(
    open_page: Open, tmp_path: Path, size: int, dark: bool
) -> None:
    """In a report of many pairs: a screen where there is room, two on a telephone."""
    rng = np.random.default_rng(size)
    table = palio.ScoreTable.from_arrays(
        0.8 + 0.03 * rng.normal(size=size) + 0.03 * rng.normal(size=(20, size)),
        datasets=[f"data-set-{i}" for i in range(20)],
        algorithms=[f"learner-number-{j}" for j in range(size)],
        measure="accuracy",
    )
    checks = ["leave-one-out", "conventions", "in-use", "pools"]
    path = tmp_path / "report.html"
    path.write_text(palio.analyse(table, checks=checks).to_html(), encoding="utf-8")
    page = open_page(path.as_uri(), dark=dark)
    audit = page.locator(".audit")
    assert audit.locator("tr[data-a]").count() > ROWS_IN_VIEW
    for width, most in ((1440, 900), (1024, 900), (390, 1500)):
        page.set_viewport_size({"width": width, "height": 900})
        box = audit.bounding_box()
        assert box is not None
        assert box["height"] <= most
        expect_no_overflow(page)
        grid = audit.locator(".scroll")
        assert grid.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    audit.locator(".audit-cell:visible").first.press("Enter")
    expect(audit.locator(".audit-why:visible")).to_have_count(1)
