"""Results in a notebook, seen in a browser: sorted by a click, in the notebook's light or dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

import palio
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open

Theme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def pieces() -> list[str]:
    data = palio.load_study("ulas2008")
    order, compared = palio.order(data, cost="train_time"), palio.compare(data)
    results: tuple[Any, ...] = (order, compared, compared, palio.audit(data), data)
    return [each._repr_html_() for each in results]


def notebook(pieces: list[str], folder: Path, theme: Theme = "light") -> str:
    """Put pieces where JupyterLab has them, below titles, in its light or dark."""
    light, ground = ("true", "#fff") if theme == "light" else ("false", "#111")
    ink = "#000" if theme == "light" else "#fff"
    titles = "<h1>Notebook</h1><h2>Chapter</h2><h3>Section</h3><p id=other>Other text</p>"
    (folder / "notebook.html").write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Notebook</title>"
        f'<body data-jp-theme-light="{light}" style="background:{ground};color:{ink}">'
        f"<main>{titles}{'<hr>'.join(pieces)}</main></html>",
        encoding="utf-8",
    )
    return (folder / "notebook.html").as_uri()


def column(page: Page, piece: int, heading: str) -> list[str]:
    """Return what stands in a column of the first table of a piece."""
    table = page.locator(".palio").nth(piece).locator("table").first
    names = table.locator("thead th").all_inner_texts()
    cells = table.locator(f"tbody td:nth-child({names.index(heading) + 1})")
    return cells.all_inner_texts()


def background(page: Page, selector: str) -> str:
    return str(page.locator(selector).first.evaluate("it => getComputedStyle(it).backgroundColor"))


def test_a_heading_sorts_its_own_table(open_page: Open, tmp_path: Path, pieces: list[str]) -> None:
    page = open_page(notebook(pieces[:3], tmp_path))
    before = [column(page, i, "mean accuracy") for i in range(3)]
    # By keyboard as by mouse: up, down, and back.
    button = page.locator(".palio").nth(1).get_by_role("button", name="mean accuracy")
    button.focus()
    page.keyboard.press("Enter")
    up = sorted(before[1], key=float)
    assert column(page, 1, "mean accuracy") == up != before[1]
    button.click()
    assert column(page, 1, "mean accuracy") == up[::-1]
    expect(page.locator('[aria-sort="descending"]')).to_have_count(1)
    button.click()
    assert [column(page, i, "mean accuracy") for i in range(3)] == before
    # Names by letters, intervals by their ends; a result that is shown twice is two tables.
    page.locator(".palio").nth(2).get_by_role("button", name="algorithm").click()
    assert column(page, 2, "algorithm")[:3] == ["5nn", "c45", "lnp"]
    page.locator(".palio").nth(2).get_by_role("button", name="ranks").nth(0).click()
    assert column(page, 2, "ranks")[:3] == ["1–2", "1–4", "2–8"]
    assert column(page, 1, "mean accuracy") == before[1]


def test_numbers_are_sorted_by_size_whatever_their_unit(open_page: Open, tmp_path: Path) -> None:
    said = ["2 min", "–", "3 s", "12,500 s", "40 ms", "−1 s"]
    rows = "".join(f"<tr><td class=number>{each}</td></tr>" for each in said)
    table = (
        f"<table><thead><tr><th class=number>cost</th></tr></thead><tbody>{rows}</tbody></table>"
    )
    shown = palio.rank(palio.load_study("ulas2008"))._repr_html_()
    piece = re.sub("<table>.*</table>", lambda _: table, shown, flags=re.DOTALL)
    page = open_page(notebook([piece], tmp_path))
    page.get_by_role("button", name="cost").click()
    assert column(page, 0, "cost") == ["−1 s", "40 ms", "3 s", "2 min", "12,500 s", "–"]
    page.get_by_role("button", name="cost").click()
    assert column(page, 0, "cost") == ["12,500 s", "2 min", "3 s", "40 ms", "−1 s", "–"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_notebook_says_whether_it_is_dark(
    open_page: Open, tmp_path: Path, pieces: list[str], theme: Theme
) -> None:
    # What the system prefers says nothing of the notebook.
    page = open_page(notebook(pieces, tmp_path, theme), dark=theme == "light")
    card = {"light": "rgb(255, 255, 255)", "dark": "rgb(30, 33, 37)"}[theme]
    assert background(page, ".palio") == card
    ink = {"light": "#1a1a1a", "dark": "#ececec"}[theme]
    drawn = page.locator(".drawing text").first
    assert drawn.evaluate("it => getComputedStyle(it).fill") == _rgb(ink)
    assert background(page, "#other") == "rgba(0, 0, 0, 0)"
    expect_accessible(page)


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize("width", [1440, 600])
def test_the_figure_is_beside_the_table_or_below(
    open_page: Open, tmp_path: Path, pieces: list[str], width: int
) -> None:
    page = open_page(notebook(pieces[:1], tmp_path), width=width)
    table = page.locator(".beside > .scroll").bounding_box()
    figure = page.locator(".beside > figure").bounding_box()
    assert table is not None
    assert figure is not None
    beside = figure["x"] >= table["x"] + table["width"]
    assert beside == (width == 1440)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_script_it_is_a_plain_table(
    open_page: Open, tmp_path: Path, pieces: list[str]
) -> None:
    bare = [re.sub("<script>.*?</script>", "", each, flags=re.DOTALL) for each in pieces[:1]]
    page = open_page(notebook(bare, tmp_path))
    expect(page.locator("button")).to_have_count(0)
    assert page.locator("thead th").first.inner_text() == "place"


@pytest.mark.slow
def test_a_notebook_from_a_kernel_to_a_page(open_page: Open, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    nbconvert = pytest.importorskip("nbconvert")
    palio.load_study("ulas2008").to_frame().to_csv(tmp_path / "file.csv", index=False)
    lines = ["import palio", 'table = palio.read_scores("file.csv")', "palio.order(table)"]
    new = nbformat.v4
    ran = "ran = palio.run(['sklearn:wine'], ['nb', 'nmc'], engine='inline', store='e.db')"
    sources = ["\n".join(lines), "palio.compare(table)", ran, "palio.order(table, test='boxes')"]
    cells = [new.new_code_cell(each) for each in sources]
    cells[-1].metadata["tags"] = ["raises-exception"]
    book = new.new_notebook(cells=cells)
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (order,) = (each for each in book.cells[0].outputs if each.output_type == "execute_result")
    assert order.data["text/plain"].startswith("svr leads 8 algorithms over 38 data sets")
    (bar,) = book.cells[2].outputs
    assert bar.data["text/plain"] == "jobs 10/10 0 failed"
    (error,) = book.cells[3].outputs
    assert "palio/comparison" not in "".join(error.traceback)
    assert error.traceback[-1].startswith("UnknownNameError: test: 'boxes' is not known")
    page_html, _ = nbconvert.HTMLExporter(theme="dark").from_notebook_node(book)
    # The page of nbconvert asks others for what ours has no need of.
    inside = "(?:(?!</script>).)*"
    theirs = f"<script{inside}https://{inside}</script>"
    page_html = re.sub(theirs, "", page_html, flags=re.DOTALL)
    (tmp_path / "book.html").write_text(page_html, encoding="utf-8")
    page = open_page((tmp_path / "book.html").as_uri())
    before = column(page, 1, "mean accuracy")
    page.locator(".palio").nth(1).get_by_role("button", name="mean accuracy").click()
    assert column(page, 1, "mean accuracy") == sorted(before, key=float) != before
    assert background(page, ".palio") == "rgb(30, 33, 37)"
