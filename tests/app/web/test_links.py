"""Figures as part of the page: an algorithm lights up wherever it stands, with what is said."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from tests.app.web.chromium import Open, expect_no_overflow, headline, serving

pytestmark = pytest.mark.xdist_group("browser")

STALE = re.compile("stale")
WIDTH = "svg => svg.getBoundingClientRect().width"


def figure(page: Page, name: str) -> Any:
    """Bring a figure into view, and return it when it is drawn."""
    panel = page.locator(f"[data-panel={name}]")
    panel.scroll_into_view_if_needed()
    expect(panel).not_to_have_class(STALE)
    return panel.locator("figure")


# --- drawn anew ----------------------------------------------------------------------------------


def test_a_figure_is_about_the_same_results_as_the_table(open_page: Open, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def run(jobs: int, sets: list[str]) -> None:
        def stop(state: Any) -> None:
            if state.done >= jobs:
                raise StopError

        with contextlib.suppress(StopError):
            palio.run(
                [f"sklearn:{name}" for name in sets],
                {"majority": DummyClassifier(), "tree": DecisionTreeClassifier(max_depth=2)},
                store=tmp_path / "experiment.db",
                resampling="5x2",
                engine="inline",
                progress=stop,
            )

    run(18, ["iris", "wine"])
    with serving(str(tmp_path / "experiment.db")) as address:
        page = open_page(address)
        expect(headline(page)).to_contain_text("over 2 data sets")
        expect(figure(page, "critical-difference")).to_contain_text("2 data sets")
        run(1000, ["iris", "wine", "breast_cancer"])
        expect(headline(page)).to_contain_text("over 3 data sets")
        expect(figure(page, "critical-difference")).to_contain_text("3 data sets")


def test_a_narrow_window_has_drawings_of_its_own(open_page: Open, results: Path) -> None:
    with serving(str(results)) as address:
        page = open_page(f"{address}/?cost=train_time")
        wide = figure(page, "critical-difference").locator("svg")
        before = wide.evaluate(WIDTH)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.set_viewport_size({"width": 390, "height": 900})
        expect(wide).to_be_visible()
        figure(page, "critical-difference")
        assert any("critical-difference.html" in url and "narrow=1" in url for url in asked)
        for panel in page.locator("#figures .panel").all():
            drawn = figure(page, panel.get_attribute("data-panel") or "")
            inner = drawn.locator(".drawing").first
            assert inner.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
        expect_no_overflow(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        page.evaluate("scrollTo(0, 0)")
        figure(page, "critical-difference")
        assert wide.evaluate(WIDTH) == before
