"""Whether everyone can use the pages: axe-core on every page and state, and the keyboard."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import palio
from palio.app.web.settings import Settings
from palio.errors import LeftOutWarning
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open, headline, put, serving, settle
from tests.app.web.test_looks import table

FOCUSED = """() => {
  const one = document.activeElement;
  return {text: one.textContent.trim(), id: one.id, outline: getComputedStyle(one).outlineStyle};
}"""

ASKED = """() => document.getElementById("file").addEventListener("click", (event) => {
  event.preventDefault();
  event.target.dataset.asked = "yes";
})"""


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
    # Whether the button asks for a file; of Chromium's dialog Playwright is not always told.
    page.evaluate(ASKED)
    page.keyboard.press("Enter")
    expect(page.locator("#file")).to_have_attribute("data-asked", "yes")


def test_the_token(open_page: Open) -> None:
    with serving(None, settings=Settings(workers=0, token="a token of enough letters")) as address:
        page = open_page(address)
        expect(page.get_by_label("Token")).to_be_focused()
        expect_accessible(page)


# --- states of the workbench --------------------------------------------------------------------


@pytest.fixture(scope="module", params=[3, 14, pytest.param(60, marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, server: str) -> str:
    """An answer about so many algorithms."""
    return put(server, table(request.param).to_frame().to_csv(index=False))


def test_an_answer_and_a_row_looked_at(open_page: Open, address: str) -> None:
    page = open_page(f"{address}&cost=train_time")
    settle(page)
    page.locator("#order tbody button").nth(1).click()
    expect(page.locator("#order .detail")).to_be_visible()
    expect_accessible(page)


def test_a_refused_field_and_what_moved(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?table=study-ulas2008")
    expect(headline(page)).to_be_visible()
    page.get_by_label("Significance level").fill("0.001")
    expect(page.locator("#moved")).to_contain_text("no longer different")
    page.get_by_label("Significance level").fill("7")
    expect(page.locator("#problem")).to_be_visible()
    settle(page)
    expect_accessible(page)


def test_an_error_with_choices(open_page: Open, server: str) -> None:
    page = open_page(put(server, "dataset,tree,knn\nx,0.9,0.8\ny,0.7,0.6\n"))
    expect(page.locator("#problem button").first).to_be_visible()
    expect_accessible(page)


def test_missing_scores(open_page: Open, server: str) -> None:
    rows = [f"set {i},{0.9 + i / 1000},{0.8 - i / 1000},{0.7 if i % 3 else ''}" for i in range(9)]
    address = put(server, "\n".join(["dataset,first,second,third", *rows]))
    page = open_page(f"{address}&score=accuracy")
    settle(page)
    expect_accessible(page)


def test_one_data_set(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?table=study-ulas2008&datasets=optdigits")
    settle(page)
    expect_accessible(page)


def test_the_drawer_of_a_narrow_screen(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?table=study-replication2026", width=390)
    settle(page)
    expect_accessible(page)
    page.locator("#drawer-button").click()
    expect(page.locator("#question")).to_be_in_viewport()
    expect_accessible(page)


def test_a_run(open_page: Open, tmp_path: Path) -> None:
    store = tmp_path / "experiment.db"
    run(store, stop_at=2)
    with serving(str(store)) as address:
        page = open_page(address)
        progress = page.locator("#progress")
        expect(progress).to_contain_text("under way")
        expect_accessible(page)
        run(store, stop_at=3)
        expect(progress).to_contain_text("failed")
        expect_accessible(page)
        run(store, stop_at=1000)
        expect(progress).to_contain_text("finished")
        settle(page)
        expect_accessible(page)


def run(store: Path, *, stop_at: int) -> None:
    """Run a small experiment, one of whose learners fails, up to so many jobs."""
    from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    def stop(state: Any) -> None:
        if state.done >= stop_at:
            raise KeyboardInterrupt

    learners = {
        "majority": DummyClassifier(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        "broken": DecisionTreeClassifier(max_depth=-1),
    }
    with contextlib.suppress(KeyboardInterrupt), warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        palio.run(
            ["sklearn:iris", "sklearn:wine"],
            learners,
            resampling="5x2",
            store=store,
            engine="inline",
            progress=stop,
        )


# --- the report --------------------------------------------------------


@pytest.mark.parametrize("size", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_the_report(open_page: Open, tmp_path: Path, size: int) -> None:
    data = palio.load_study("ulas2008") if size == 8 else table(size)
    report = palio.analyse(data, cost="train_time", checks=["conventions"])
    (tmp_path / "report.html").write_text(report.to_html(), encoding="utf-8")
    page = open_page((tmp_path / "report.html").as_uri())
    page.locator("#order table a").first.click()
    expect(page.locator(".detail:target")).to_be_visible()
    expect_accessible(page)
