"""Figures as part of the page: an algorithm lights up wherever it stands, with what is said."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from tests.app.web.axe import expect_accessible
from tests.app.web.chromium import Open, expect_no_overflow, headline, serving, settle, started

STALE = re.compile("stale")
WIDTH = "svg => svg.getBoundingClientRect().width"


@pytest.fixture(scope="module")
def server(results: Path) -> Iterator[str]:
    with started(results) as address:
        yield address


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

    run(1000, ["iris", "wine"])
    run(22, ["iris", "wine", "breast_cancer"])
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


# --- whom marks stand for ------------------------------------------------------------------------


def lit(page: Page, within: str) -> set[str]:
    """Return the numbers that are lit up in a part of the page."""
    script = "all => all.filter(e => !e.dataset.b).map(e => e.dataset.a ?? '')"
    return set(page.locator(f"{within} .lit").evaluate_all(script)) - {""}


def mark(page: Page, where: str, name: str) -> Any:
    return page.locator(f"{where} svg text[data-a]", has_text=re.compile(f"^{name}$")).first


def box(area: Any) -> dict[str, float]:
    return dict(area.bounding_box())


def test_who_is_pointed_at_lights_up_in_every_figure(open_page: Open, server: str) -> None:
    page = open_page(f"{server}/?cost=train_time")
    comparison = palio.compare(palio.load_study("ulas2008"))
    figure(page, "pareto")
    figure(page, "critical-difference")
    name = mark(page, "[data-panel=critical-difference]", "mlp")
    number = name.get_attribute("data-a")
    assert comparison.algorithms[int(number)] == "mlp"
    name.hover()
    tip = page.get_by_role("tooltip")
    for where in ("[data-panel=critical-difference]", "[data-panel=pareto]"):
        assert lit(page, where) == {number}
        expect(page.locator(f"{where} svg")).to_have_class(re.compile("dimmed"))
    # What is said are the numbers of the comparison.
    pair = comparison.pair("svr", "mlp")
    sign = 1 if pair.a == "svr" else -1
    low, high = sorted(sign * end for end in pair.interval)
    assert pair.interval_of.endswith("by Hodges and Lehmann, at the level of the verdict")
    expect(tip).to_contain_text(
        f"svr − mlp: {sign * pair.estimate:+.2f} (interval {low:+.2f} to {high:+.2f}): "
        f"{pair.interval_of}."
    )
    wins, losses = (pair.wins, pair.losses) if sign > 0 else (pair.losses, pair.wins)
    expect(tip).to_contain_text(f"svr won {wins}, tied {pair.ties}, lost {losses} data sets.")
    expect(tip).to_contain_text(f"significantly better, adjusted p = {pair.p_adjusted:.1e}.")
    # The tip may be pointed at, and Escape puts it away.
    tip.hover()
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    assert lit(page, "body") == set()


def test_the_table_and_the_figures_light_each_other_up(open_page: Open, server: str) -> None:
    page = open_page(server)
    figure(page, "rank-distribution")
    figure(page, "critical-difference")
    mark(page, "[data-panel=critical-difference]", "c45").hover()
    expect(page.locator("#order tr.lit th")).to_have_text("c45")
    row = page.locator("#order tr[data-a]", has_text="lnp")
    number = row.get_attribute("data-a")
    row.locator("td").last.hover()
    for where in ("[data-panel=critical-difference]", "[data-panel=rank-distribution]"):
        assert lit(page, where) == {number}
    expect(page.get_by_role("tooltip").locator("strong")).to_have_text("lnp")
    # By keyboard: the tip describes what has the focus, and Escape puts it away.
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    row.locator(".pin").focus()
    page.keyboard.press("Tab")
    name = row.locator(".algorithm")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-describedby", "tip")
    assert lit(page, "[data-panel=critical-difference]") == {number}
    expect(page.get_by_role("tooltip")).to_contain_text(" − lnp: ")
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()
    expect(name).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(row.locator(".pin")).to_have_attribute("aria-pressed", "true")
    expect(mark(page, "[data-panel=critical-difference]", "lnp")).to_have_class(
        re.compile("pinned")
    )


def test_a_cell_of_the_matrix_is_about_its_pair(open_page: Open, server: str) -> None:
    page = open_page(server)
    comparison = palio.compare(palio.load_study("ulas2008"))
    figure(page, "comparison-matrix")
    cell = page.locator("[data-panel=comparison-matrix] svg .areas [data-b]").first
    a, b = (comparison.algorithms[int(cell.get_attribute(f"data-{x}") or "")] for x in "ab")
    cell.hover()
    tip = page.get_by_role("tooltip")
    expect(tip.locator("strong")).to_have_text(f"{a} and {b}")
    pair = comparison.pair(a, b)
    said = "significantly better" if pair.significant else "No significant difference"
    expect(tip).to_contain_text(said)
    both = lit(page, "[data-panel=critical-difference]")
    assert {comparison.algorithms[int(i)] for i in both} == {a, b}


def test_a_pin_stays_and_stands_in_the_link(open_page: Open, server: str) -> None:
    page = open_page(server)
    figure(page, "critical-difference")
    where = "[data-panel=critical-difference]"
    mark(page, where, "mlp").click()
    expect(page).to_have_url(re.compile("[?&]pin=mlp"))
    expect(mark(page, where, "mlp")).to_have_class(re.compile("pinned"))
    # Others are told against the pinned.
    mark(page, where, "lnp").hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text(re.compile("(mlp − lnp|lnp − mlp): "))
    page.get_by_label("Significance level").fill("0.01")
    expect(page).to_have_url(re.compile("alpha=0.01"))
    figure(page, "critical-difference")
    expect(mark(page, where, "mlp")).to_have_class(re.compile("pinned"))
    assert "pin=mlp" in page.url
    # Whose number has changed is still the same.
    page.locator("#controls").get_by_role("button", name="c45", exact=True).click()
    expect(headline(page)).to_contain_text("7 algorithms")
    figure(page, "critical-difference")
    expect(mark(page, where, "mlp")).to_have_class(re.compile("pinned"))
    expect(page.locator(f"{where} text.pinned")).to_have_text(["4.17", "mlp"])
    other = open_page(page.url)
    figure(other, "critical-difference")
    expect(mark(other, where, "mlp")).to_have_class(re.compile("pinned"))
    mark(other, where, "mlp").click()
    expect(other).not_to_have_url(re.compile("pin="))


def test_the_report_does_the_same(open_page: Open, tmp_path: Path) -> None:
    table = palio.load_study("ulas2008")
    path = tmp_path / "report.html"
    report = palio.analyse(table, cost="train_time", checks=[])
    path.write_text(report.to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    name = mark(page, "#figure-critical-difference", "mlp")
    name.hover()
    number = str(table.algorithms.index("mlp"))
    # The drawings for narrow windows are there, too.
    for key in ("critical-difference", "pareto", "multitest-graph"):
        assert lit(page, f"#figure-{key}") == {number}
    expect(page.get_by_role("tooltip")).to_contain_text("svr − mlp: ")
    name.click()
    page.mouse.move(0, 0)
    mark(page, "#figure-critical-difference", "lnp").hover()
    expect(page.get_by_role("tooltip")).to_contain_text(re.compile("(mlp − lnp|lnp − mlp): "))
    page.set_viewport_size({"width": 390, "height": 900})
    for drawing in page.locator(".for-narrow .drawing").all():
        drawing.scroll_into_view_if_needed()
        assert drawing.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
        expect(drawing.locator("svg")).to_be_visible()
    assert not any(each.is_visible() for each in page.locator(".for-wide").all())
    expect_no_overflow(page)


def test_in_a_large_matrix_a_row_and_a_column_cross_in_their_pair(
    open_page: Open, tmp_path: Path
) -> None:
    scores = np.random.default_rng(0).random((6, 40))
    names = [f"n{i}" for i in range(40)]
    sets = [str(i) for i in range(6)]
    table = palio.ScoreTable.from_arrays(
        scores, datasets=sets, algorithms=names, measure="accuracy"
    )
    path = tmp_path / "report.html"
    path.write_text(palio.analyse(table, checks=[]).to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    areas = "#figure-comparison-matrix .for-wide .areas"
    assert page.locator(f"{areas} [data-b]").count() == 0
    row, column = (page.locator(f'{areas} [data-a="{i}"]') for i in (3, 7))
    row.first.scroll_into_view_if_needed()
    across = max(map(box, row.all()), key=lambda each: each["width"])
    down = max(map(box, column.all()), key=lambda each: each["height"])
    x, y = down["x"] + down["width"] / 2, across["y"] + across["height"] / 2
    page.mouse.move(x, y)
    tip = page.get_by_role("tooltip")
    expect(tip.locator("strong")).to_have_text("n3 and n7")
    expect(tip).to_contain_text("No significant difference")
    assert lit(page, "#figure-critical-difference") == {"3", "7"}


def test_names_in_the_facts_cannot_leave_their_element(open_page: Open, tmp_path: Path) -> None:
    name = "</script><script>window.hacked = 1</script>"
    scores = {"dataset": list("uvwxyz"), name: [0.9] * 6, "b": [0.1, 0.2, 0.3, 0.2, 0.1, 0.2]}
    report = palio.analyse(palio.read_scores(scores, score="accuracy"), checks=[])
    path = tmp_path / "report.html"
    path.write_text(report.to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    page.locator("#figure-critical-difference text[data-a]").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("<script>")
    assert page.evaluate("window.hacked") is None


# --- the price -----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["report", "workbench"])
def test_what_a_price_buys(open_page: Open, server: str, tmp_path: Path, where: str) -> None:
    address = f"{server}/?cost=train_time"
    if where == "report":
        report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
        (tmp_path / "report.html").write_text(report.to_html(), encoding="utf-8")
        address = (tmp_path / "report.html").as_uri()
    page = open_page(address)
    slider = page.get_by_label("What may be spent")
    if where == "workbench":
        figure(page, "pareto")
    said = page.locator(".prices li:visible")
    # At first the best value of the verdict.
    expect(said).to_have_text(
        "At most 46.3 (train_time): svl, accuracy 83.18, 1.1 times as fast as svr; "
        "not significantly worse."
    )
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("mlp, accuracy 81.67, 4.5 times as fast as svr; significantly")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^At most 10.8 .*mlp"))
    number = str(palio.load_study("ulas2008").algorithms.index("mlp"))
    assert lit(page, "[data-figure=pareto]") == {number}
    page.keyboard.press("End")
    expect(said).to_contain_text("svr, accuracy 85.11, the leader.")
    page.keyboard.press("Tab")
    assert lit(page, "body") == set()


# --- for everybody -------------------------------------------------------------------------------


def test_with_a_tip_a_pin_and_the_rest_stepping_back_the_page_is_accessible(
    open_page: Open, server: str
) -> None:
    page = open_page(f"{server}/?cost=train_time&pin=mlp")
    page.set_viewport_size({"width": 1440, "height": 3000})  # nothing is half under the header
    settle(page)
    figure(page, "critical-difference")
    mark(page, "[data-panel=critical-difference]", "c45").hover()
    expect(page.get_by_role("tooltip")).to_contain_text(re.compile("(mlp − c45|c45 − mlp): "))
    expect_accessible(page)
