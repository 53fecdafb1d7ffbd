"""Whether everything can be read: at three widths, on paper, with few and with many algorithms.

What goes wrong with looks and can be measured: a page that is wider than its window, a text that
is cut or leaves the window, and names in a figure that cover each other, leave it or are too small.
For the rest ``make looks`` has the pages photographed, and a person looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import palio
from tests.app.web.chromium import Open, put, serving, settle

WIDTHS = (1440, 1024, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAPER = 718  # A4, in pixels of a 96th of an inch, without its margins
SIZES = (3, 14, *(pytest.param(size, marks=pytest.mark.slow) for size in (60, 150)))

FAMILIES = (
    "HistGradientBoosting", "kNN", "LogisticRegression", "RandomForest", "SVM-rbf",
    "MultilayerPerceptron", "GaussianNB", "DecisionTree", "ExtraTrees", "AdaBoost",
    "LinearDiscriminant", "GradientBoosting", "SVM-linear",
)  # fmt: skip
VARIANTS = (
    "default", "tuned", "bagged-25", "calibrated", "ensemble", "pruned", "boosted-100", "stacked",
    "PCA", "balanced", "early-stopping", "oblique",
)  # fmt: skip

FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")


def table(size: int) -> palio.ScoreTable:
    """Names as people give them, on data sets with long names, with several costs."""
    rng = np.random.default_rng(size)
    names = [f"{family}-{variant}" for variant, family in product(VARIANTS, FAMILIES)][:size]
    sets = [f"blood-transfusion-service-center-{i}" for i in range(8)]
    skill = 0.8 + 0.03 * rng.normal(size=(size, 1, 1))
    scores = skill + 0.02 * rng.normal(size=(len(sets), size, 5, 2))
    costs = ("train_time", "tuning_cpu_time", "tuning_cpu_time_per_combination")
    return palio.ScoreTable.from_arrays(
        np.clip(scores, 0.05, 0.999),
        datasets=sets,
        algorithms=names,
        measure="accuracy",
        costs={cost: rng.lognormal(0, 1, (len(sets), size)) for cost in costs},
    )


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(None) as address:
        yield address


def faults(page: Page) -> list[str]:
    """Return what is wrong, at each width."""
    # The widest last: there everything is at hand.
    return [fault for width in reversed(WIDTHS) for fault in _faults(page, width, "screen")]


def faults_on_paper(page: Page) -> list[str]:
    page.emulate_media(media="print")
    found = _faults(page, PAPER, "print")
    page.emulate_media(media="screen")
    return found


def _faults(page: Page, width: int, media: str) -> list[str]:
    smallest = 0 if media == "print" else 7  # paper has more of them to the inch
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("new Promise(requestAnimationFrame)")
    settle(page)  # figures are drawn anew for a phone
    return [f"{media} {width}: {fault}" for fault in page.evaluate(FAULTS, smallest)]


Photograph = Callable[[Page, str], None]


@pytest.fixture
def photograph(request: pytest.FixtureRequest) -> Photograph:
    """Photograph a page as it stands, if someone wants to see it (``--screenshots``)."""
    folder = request.config.getoption("screenshots")

    def photograph(page: Page, name: str) -> None:
        if folder is None:
            return
        for width, scheme in product(WIDTHS, SCHEMES):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            settle(page)
            page.screenshot(path=Path(folder, f"{name}-{width}-{scheme}.png"))
            # A window as high as the page: a screenshot of the whole would change its width, too.
            height = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=Path(folder, f"{name}-{width}-{scheme}-whole.png"))
        page.emulate_media(media="print", color_scheme="light")
        page.pdf(path=Path(folder, f"{name}.pdf"), format="A4", print_background=True)
        page.emulate_media(media="screen")

    return photograph


def test_the_check_sees_what_is_wrong(open_page: Open) -> None:
    page = open_page(
        "data:text/html,"
        + quote(
            "<p style='overflow: hidden; width: 3em; white-space: nowrap'>too long for this</p>"
            "<p style='width: 2000px'>" + 40 * "a page that is too wide " + "</p>"
            "<svg width=300 height=100>"
            "<text x=10 y=20>one</text><text x=12 y=22>another</text>"
            "<text x=10 y=80 transform='rotate(-45 10 80)'>turned</text>"
            "<text x=30 y=80 transform='rotate(-45 30 80)'>beside</text>"
            "<text x=290 y=50>leaves</text></svg>"
            "<svg width=300 height=100 viewBox='0 0 900 300'><text y=99>tiny</text></svg>"
        )
    )
    kinds = [fault.split(":")[0] for fault in page.evaluate(FAULTS, 7)]
    seen = ["page", "cut", "beside the window", "overlap", "outside its figure", "too small"]
    assert kinds == seen


@pytest.mark.parametrize("size", SIZES)
def test_the_report_can_be_read(
    open_page: Open, photograph: Photograph, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "report.html"
    path.write_text(palio.analyse(table(size), checks=["conventions"]).to_html(), encoding="utf-8")
    page = open_page(path.as_uri())
    assert faults_on_paper(page) + faults(page) == []
    photograph(page, f"report-{size}")
    # With the details of the algorithm of the longest name.
    page.locator("#order table a", has_text="HistGradientBoosting-default").first.click()
    expect(page.locator(".detail:target")).to_be_visible()
    assert faults(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_the_workbench_can_be_read(
    open_page: Open, photograph: Photograph, server: str, size: int
) -> None:
    page = open_page(put(server, table(size).to_frame().to_csv(index=False)))
    settle(page)
    photograph(page, f"workbench-{size}")
    page.locator("#order").get_by_role(
        "button", name="HistGradientBoosting-default", exact=True
    ).click()
    expect(page.locator("#order .detail")).to_be_visible()
    assert faults_on_paper(page) + faults(page) == []
    page.get_by_label("Significance level").fill("7")
    expect(page.locator("#problem")).to_be_visible()
    assert faults(page) == []


def test_the_choices_of_an_error_can_be_read(
    open_page: Open, photograph: Photograph, server: str
) -> None:
    page = open_page(put(server, "dataset,tree,knn\nx,0.9,0.8\ny,0.7,0.6\n"))
    expect(page.locator("#problem button").first).to_be_visible()
    assert faults(page) == []
    photograph(page, "error")


def test_the_start_can_be_read(open_page: Open, photograph: Photograph, server: str) -> None:
    page = open_page(server)
    expect(page.get_by_role("button", name="Choose a file")).to_be_visible()
    assert faults(page) == []
    photograph(page, "start")
