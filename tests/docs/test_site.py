"""The site as it is built: without a warning, whole, and looked at in a browser."""

import functools
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from docs.pages import links, tables
from palio.report.figures import FIGURES
from tests.docs.written import ROOT

browser_tools = pytest.importorskip("playwright.sync_api")

from tests.app.web.axe import expect_accessible  # noqa: E402
from tests.app.web.chromium import Open, browser, expect_no_overflow, open_page  # noqa: E402

__all__ = ["browser", "open_page"]

LOOKED_AT = (
    "index.html",
    "guide/which.html",
    "reference/methods/bayes/anova.html",
    "reference/api/palio.compare.html",
    "reference/api/palio.Comparison.html",
    "examples/index.html",
    "examples/plot_verdict.html",
    "papers.html",
)
OF_STUDIES = {"error-densities", "cell-grid"}
"""Figures that only a study's own results can be drawn as."""


def test_every_figure_is_in_an_example() -> None:
    assert {name for name in FIGURES if tables.shown_in(name) is None} == OF_STUDIES


def test_a_link_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x">b</a><h1 id="y"></h1>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<a href="a.html#y">a</a><a href="c.html">c</a>', "utf-8")
    assert list(links.broken(tmp_path)) == ["a.html links to b.html#x", "b.html links to c.html"]
    (tmp_path / "a.html").write_text('<script src="//cdn.example/x.js"></script>', encoding="utf-8")
    assert list(links.fetched(tmp_path)) == ["a.html loads //cdn.example/x.js"]
    assert len((links.complaint(tmp_path) or "").splitlines()) == 3


def test_a_site_without_fault_has_nothing_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="x"><a href="#x">x</a></p>', encoding="utf-8")
    assert links.complaint(tmp_path) is None


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, its examples and figures made anew."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-d", str(folder / "read")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, "docs", str(folder / "site")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where a browser finds the site."""
    handler = functools.partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.slow
def test_links_lead_somewhere_and_nothing_comes_from_elsewhere(site: Path) -> None:
    assert not list(links.broken(site))
    assert not list(links.fetched(site))
    assert "<math" in (site / "reference" / "methods" / "bayes" / "anova.html").read_text("utf-8")
    for example in tables.EXAMPLES:
        assert list(site.glob(f"_downloads/*/{example.stem}.ipynb")), example.stem


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_page_is_for_everyone(path: str, width: int, address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{path}", width=width)
    expect_no_overflow(page)
    expect_accessible(page)
