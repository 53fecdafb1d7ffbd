"""The audit in a browser: what a pair opens, by mouse and by keyboard, and how long it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import palio
from tests.app.web.chromium import Open, expect_no_overflow, serving


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving("study:replication2026") as url:
        yield url


def test_a_pair_opens_what_would_change_the_verdict(open_page: Open, server: str) -> None:
    page = open_page(server)
    # On the workbench it is worked out when it is looked at.
    page.locator("[data-panel=audit]").scroll_into_view_if_needed()
    rows = page.locator(".audit tr[data-a]")
    expect(rows.first).to_be_visible()
    found = palio.audit(palio.load_study("replication2026"), only=["leave-one-out"])
    numbers = [int(rows.first.get_attribute(key) or "") for key in ("data-a", "data-b")]
    pair = {found.algorithms[number] for number in numbers}
    check = found["leave-one-out"]
    said = [s for s, each in zip(check.findings, check.pairs, strict=True) if {*each} == pair]
    opened = rows.first.locator("details p:visible")
    expect(opened).to_have_count(0)
    rows.first.locator("summary").click()
    assert {f"{each}." for each in said} <= set(opened.all_inner_texts())
    rows.first.locator("summary").press("Enter")
    expect(opened).to_have_count(0)


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
    assert audit.locator("tr[data-a]").count() > 10
    for width, most in ((1440, 900), (1024, 900), (390, 1500)):
        page.set_viewport_size({"width": width, "height": 900})
        box = audit.bounding_box()
        assert box is not None
        assert box["height"] <= most
        expect_no_overflow(page)
        grid = audit.locator(".scroll")
        assert grid.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    audit.locator("th summary").first.press("Enter")
    expect(audit.locator("th details p:visible").first).to_be_visible()
