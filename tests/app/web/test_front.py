"""The first screen: who is best, who is as good, the best value, how sure; and the leaderboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import palio
from palio.report.tiles import tiles
from tests.app.web.chromium import Open, headline, serving


@pytest.fixture(scope="module")
def server(results: Path) -> Iterator[str]:
    with serving(str(results)) as address:
        yield address


def names(page: Page) -> list[str]:
    return page.locator("table.board tbody tr:visible th").all_inner_texts()


def test_the_first_screen_answers(open_page: Open, server: str) -> None:
    """Without scrolling and without a click, at 1440 × 900."""
    page = open_page(f"{server}/?cost=train_time")
    report = palio.analyse(palio.load_study("ulas2008"), cost="train_time")
    for said in tiles(report):
        tile = page.locator(f'.tile[data-about="{said.about}"]')
        expect(tile.locator("h3")).to_have_text(said.title)
        expect(tile.locator(".answer")).to_have_text(said.answer)
        expect(tile).to_contain_text(said.text)
        for name in said.level:
            expect(tile.locator(".level")).to_contain_text(name)
    assert page.evaluate("scrollY") == 0
    seen = page.evaluate(
        "[...document.querySelectorAll('.tile .answer, .tile .level, table.board tbody tr')]"
        ".every((each) => each.getBoundingClientRect().bottom <= innerHeight)"
    )
    assert seen


def test_test_names_are_behind_how(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    expect(page.locator(".tiles")).not_to_contain_text("Wilcoxon", use_inner_text=True)
    page.locator('[data-about="sure"] summary').click()
    expect(page.locator(".tiles")).to_contain_text("Wilcoxon", use_inner_text=True)


def test_the_leaderboard_is_sorted_and_filtered(open_page: Open, server: str) -> None:
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    board = palio.compare(palio.load_study("ulas2008")).board
    by_place = [row.algorithm for row in board]
    assert names(page) == by_place
    heading = page.locator("table.board thead th", has_text="mean accuracy")
    heading.get_by_role("button").click()
    by_score = [row.algorithm for row in sorted(board, key=lambda row: row.mean_score)]
    assert names(page) == by_score
    expect(heading).to_have_attribute("aria-sort", "ascending")
    heading.get_by_role("button").click()
    assert names(page) == by_score[::-1]
    # A change of the question leaves it so.
    page.get_by_label("Significance level").fill("0.01")
    expect(page).to_have_url(re.compile("alpha=0.01"))
    expect(page.locator("#work")).to_have_attribute("aria-busy", "false")
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert names(page) == by_score[::-1]
    page.get_by_label("Find an algorithm in the table").fill("SV")
    assert sorted(names(page)) == ["sv2", "svl", "svr"]
    expect(page.locator(".finder .found")).to_have_text("3 found")


def test_the_report_has_the_same_board(open_page: Open, tmp_path: Path) -> None:
    table = palio.load_study("ulas2008")
    path = tmp_path / "report.html"
    path.write_text(palio.analyse(table, checks=[]).to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    page.locator("table.board thead th", has_text="place").get_by_role("button").click()
    page.locator("table.board thead th", has_text="place").get_by_role("button").click()
    assert names(page) == [row.algorithm for row in palio.compare(table).board][::-1]
    page.get_by_label("Find an algorithm in the table").fill("c45")
    assert names(page) == ["c45"]


def test_lower_is_better_and_gaps(open_page: Open, server: str, tmp_path: Path) -> None:
    lines = [
        f"d{s},{name},{0.1 + 0.1 * i + 0.001 * s}"
        for s in range(9)
        for i, name in enumerate(["low", "middle", "high"])
        if (s, name) not in ((0, "middle"), (1, "middle"))
    ]
    path = tmp_path / "gaps.csv"
    path.write_text("dataset,algorithm,error\n" + "\n".join(lines) + "\n", encoding="utf-8")
    page = open_page(server)
    expect(headline(page)).to_be_visible()
    page.locator("#file").set_input_files(path)
    expect(page.locator('[data-about="best"] .answer')).to_have_text("low")
    rows = page.locator("table.board tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("table.board thead")).to_contain_text("missing")
    middle = rows.filter(has=page.get_by_role("button", name="middle", exact=True))
    expect(middle.locator("td").last).to_have_text("2")
