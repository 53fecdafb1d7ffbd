"""Paper: the report and the workbench as Chromium prints them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import palio
from tests.app.web.chromium import Open, serving
from tests.app.web.test_looks import table

# CSS pixels between the margins of A4.
INNER = 703

# What leaves the paper to the right, or is cut by a frame that would scroll.
LOST = """() => [...document.querySelectorAll("main *")].filter((each) => {
  const box = each.getBoundingClientRect();
  if (!box.width || !box.height || each.closest(".unseen, svg *")) return false;
  const hides = getComputedStyle(each).overflowY !== "visible";
  return box.right > innerWidth + 1 || (hides && each.scrollHeight > each.clientHeight + 2);
}).map((each) => `${each.tagName}.${each.getAttribute("class")}`)"""


def printed(page: Page) -> int:
    """Print on A4, and return how many pages it takes."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4")))


def look_as_printed(page: Page) -> None:
    page.set_viewport_size({"width": INNER, "height": 1000})
    page.emulate_media(media="print")


def expect_on_paper(page: Page) -> None:
    """Dark letters on white, nothing to click at, nothing lost."""
    assert page.evaluate(LOST) == []
    ink = page.evaluate("getComputedStyle(document.body).color")
    ground = page.evaluate("getComputedStyle(document.querySelector('.tile')).backgroundColor")
    assert (ink, ground) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    controls = page.locator("button, input, select, .pin, nav, .downloads a")
    for i in range(controls.count()):
        if not controls.nth(i).evaluate("each => Boolean(each.closest('th, .audit-grid'))"):
            expect(controls.nth(i)).to_be_hidden()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("print") / "report.html"
    made = palio.analyse(table(14), cost="train_time")
    path.write_text(made.to_html(), encoding="utf-8")
    return path.as_uri()


def test_a_report_of_fourteen_takes_seven_pages_at_most(open_page: Open, report: str) -> None:
    page = open_page(report, dark=True)
    assert 3 <= printed(page) <= 7  # each place has its reason


def test_a_report_on_paper(open_page: Open, report: str) -> None:
    page = open_page(report, dark=True)
    look_as_printed(page)
    expect_on_paper(page)
    tiles = page.locator(".tile")
    tops = {tiles.nth(i).evaluate("tile => tile.offsetTop") for i in range(3)}
    assert len(tops) == 1  # side by side
    expect(page.locator("table.board tbody tr").last).to_be_visible()
    expect(page.locator(".detail").first).to_be_hidden()
    assert page.locator("main svg[role=img]").count() >= 5


def test_what_is_unfolded_is_printed(open_page: Open, report: str) -> None:
    page = open_page(report)
    pairs = page.locator("#comparison details", has_text="in numbers")
    look_as_printed(page)
    expect(pairs).to_be_hidden()
    pairs.evaluate("each => { each.open = true; }")
    expect(pairs.locator("table")).to_be_visible()
    # How it was done is never left out.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#methods details", has_text="Conventions")).to_be_visible()


def test_the_workbench_on_paper(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    table(14).to_frame().to_csv(path, index=False)
    with serving(str(path)) as address:
        page = open_page(f"{address}/?cost=train_time&alpha=0.01", dark=True)
        expect(page.locator(".tile").first).to_be_visible()
        # What has not been looked at is drawn before the browser is asked to print.
        page.evaluate("void (window.print = () => document.body.classList.add('was-printed'))")
        page.get_by_role("button", name="Print").click()
        page.locator("body.was-printed").wait_for()
        panels = page.locator(".panel")
        assert panels.count() >= 7
        assert page.locator(".panel .waiting").count() == 0
        assert page.locator(".panel figure svg").count() >= 5
        assert printed(page) <= 7
        look_as_printed(page)
        expect_on_paper(page)
        expect(page.locator(".question")).to_be_hidden()
        asked = page.locator(".asked")
        expect(asked).to_be_visible()
        for said in ("accuracy (higher is better)", "Holm", "α = 0.01", "cost: train_time"):
            expect(asked).to_contain_text(said)
        assert asked.evaluate("each => each.getClientRects().length") == 1
        page.emulate_media(media="screen")
        expect(asked).to_be_hidden()
