"""Tables that are copied: as LaTeX, Markdown and CSV, from what is seen."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import palio
from palio.report.latex import escape_latex
from palio.scores.formats.text import guarded
from tests.app.web.chromium import Open, serving, settle

NAMES = ["=1+2", "a|b & c", "50%_of {α}", "-x--y", "'@z", "plain", "say \"it\", 'so'", "1e-3"]


def results(step: float = 0.4) -> palio.ScoreTable:
    """One better than the next by a step; where it is small, verdicts hang on something."""
    rng = np.random.default_rng(0)
    skill = -step * np.arange(len(NAMES))
    return palio.ScoreTable.from_arrays(
        skill + 0.1 * rng.normal(size=(30, len(NAMES))),
        datasets=[f"d{i}" for i in range(30)],
        algorithms=NAMES,
        measure=palio.Measure("gain", higher_is_better=True),
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("copy") / "report.html"
    path.write_text(palio.analyse(results(), checks=["conventions"]).to_html(), encoding="utf-8")
    return path.as_uri()


def copied(page: Page, form: str, table: str = "Leaderboard") -> str:
    """Copy a table by hand, and return what the clipboard holds."""
    summary = page.get_by_label(f"Copy as: {table}", exact=True)
    menu = page.locator(".copy-as").filter(has=summary)
    if menu.get_attribute("open") is None:
        summary.click()
    page.evaluate("navigator.clipboard.writeText('nothing')")
    menu.get_by_role("button", name=f"{form}: {table}").click()
    expect(menu.get_by_role("status")).to_contain_text(f"Copied as {form}: ")
    return str(page.evaluate("navigator.clipboard.readText()"))


def open_with_clipboard(open_page: Open, url: str) -> Page:
    page = open_page(url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return page


def test_a_board_as_csv(open_page: Open, report: str) -> None:
    page = open_with_clipboard(open_page, report)
    rows = list(csv.DictReader(io.StringIO(copied(page, "CSV"))))
    table = results()
    means = dict(zip(table.algorithms, table.means().mean(axis=0), strict=True))
    assert [row["algorithm"] for row in rows] == [guarded(name) for name in NAMES]
    for row, name in zip(rows, NAMES, strict=True):
        # The number behind the text, which is rounded; below zero it is still a number.
        assert float(row["mean gain"]) == pytest.approx(means[name], rel=1e-9)
        assert row["place"] == str(NAMES.index(name) + 1)
    assert "" not in rows[0]  # the pins are no column


def test_a_board_as_markdown(open_page: Open, report: str) -> None:
    page = open_with_clipboard(open_page, report)
    head, rule, *rows = copied(page, "Markdown").splitlines()
    cells = [re.split(r"(?<!\\)\|", row) for row in (head, rule, *rows)]
    assert len({len(row) for row in cells}) == 1
    assert len(rows) == len(NAMES)
    at = [cell.strip() for cell in cells[0]].index("algorithm")
    assert cells[1][at].strip() == ":---"
    assert cells[1][at - 1].strip() == "---:"
    shown = [re.sub(r"\\(.)", r"\1", row[at].strip()) for row in cells[2:]]
    assert shown == NAMES


def test_a_board_as_latex(open_page: Open, report: str) -> None:
    page = open_with_clipboard(open_page, report)
    latex = copied(page, "LaTeX")
    layout = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", latex)
    rows = re.findall(r"^  (.*) \\\\$", latex, re.MULTILINE)
    cells = [re.split(r"(?<!\\) & ", row) for row in rows]
    assert {len(row) for row in cells} == {len(layout[0])}
    at = cells[0].index("algorithm")
    # Escaped as in the files that are written for a paper.
    assert [row[at] for row in cells[1:]] == [escape_latex(name) for name in NAMES]
    assert any(r"$\pm$" in cell for cell in cells[1])
    for rule in ("top", "mid", "bottom"):
        assert latex.count(f"\\{rule}rule") == 1


def test_what_is_seen_is_copied(open_page: Open, report: str) -> None:
    page = open_with_clipboard(open_page, report)
    heading = page.locator("table.board thead").get_by_role("button", name="place")
    heading.click()
    heading.click()
    names = [row["algorithm"] for row in csv.DictReader(io.StringIO(copied(page, "CSV")))]
    assert names == [guarded(name) for name in reversed(NAMES)]
    page.locator(".find-row").fill("plain")
    assert [row["algorithm"] for row in csv.DictReader(io.StringIO(copied(page, "CSV")))] == [
        "plain"
    ]
    expect(page.get_by_text("Copied as CSV: 1 row.")).to_be_visible()


def test_by_keyboard(open_page: Open, report: str) -> None:
    page = open_with_clipboard(open_page, report)
    page.get_by_label("Copy as: Leaderboard", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Copied as Markdown: 8 rows.")).to_be_visible()
    assert page.evaluate("document.activeElement.textContent") == "Markdown"


def test_every_table_has_it_once_also_those_that_come_later(
    open_page: Open, tmp_path: Path
) -> None:
    path = tmp_path / "results.csv"
    results(0.03).to_frame().to_csv(path, index=False)
    with serving(str(path)) as address:
        page = open_with_clipboard(open_page, address + "/?higher_is_better=true&score=gain")
        expect(page.locator("table.board")).to_be_visible()
        settle(page)
        expect(page.locator(".audit-grid")).to_be_attached()
        for level in ("0.02", "0.01"):
            page.get_by_label("Significance level").fill(level)
            expect(page).to_have_url(re.compile(f"alpha={level}"))
            settle(page)
            tables = page.locator(".scroll > table:has(thead)")
            expect(page.locator(".scroll:has(> table) + .copy-as")).to_have_count(tables.count())
            expect(page.locator(".copy-as")).to_have_count(tables.count())
        assert len(copied(page, "CSV").splitlines()) == len(NAMES) + 1
