"""Chromium, and servers for it to look at: what the tests of the page share.

`browser` and `open_page` are fixtures, see `conftest.py`; each worker that runs tests has a browser
of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import uvicorn
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from palio.app.options import Reading
from palio.app.web.server import application
from palio.app.web.settings import Settings

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MISSING = "there is no Chromium; `make test` installs it where apt-get can, as root"

# A busy machine takes its time.
PATIENCE = 60_000

Open = Callable[..., Page]


# Not longer than a module: while Playwright runs, other tests of the worker could start no loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for a module; without one its tests are skipped, and fail where CI=true."""
    if CHROMIUM is None:
        if (
            os.environ.get("CI") == "true" and sys.platform == "linux"
        ):  # elsewhere pages are the same
            raise RuntimeError(f"the browser tests cannot run: {MISSING}.")
        pytest.skip(MISSING)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield made
        made.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a page that is watched until the end of the test."""
    complaints: list[str] = []
    hosts: set[str] = set()
    allowed: set[str] = set()
    with contextlib.ExitStack() as stack:

        def open_page(url: str, *, width: int = 1440, dark: bool = False) -> Page:
            allowed.add(urlsplit(url).netloc)
            context = stack.enter_context(
                browser.new_context(
                    viewport={"width": width, "height": 900},
                    color_scheme="dark" if dark else "light",
                    accept_downloads=True,
                )
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("console", lambda said: _note(complaints, said.type, said.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
            page.goto(url)
            return page

        yield open_page
    assert complaints == []
    assert hosts <= {*allowed, ""}  # data: and file: have no host


def _note(complaints: list[str], kind: str, text: str) -> None:
    # That a request was refused is said on the page, and by the browser on its console.
    if kind in ("error", "warning") and not text.startswith("Failed to load resource"):
        complaints.append(text)


@contextlib.contextmanager
def started(results: Path, *options: str) -> Iterator[str]:
    """Start the workbench as by hand, with its processes, and return the address it prints."""
    command = [sys.executable, "-m", "palio.app.cli", "serve", str(results), "--port", "0"]
    with subprocess.Popen(
        [*command, "--no-browser", *options], stderr=subprocess.PIPE, text=True, cwd=results.parent
    ) as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\S+", process.stderr.readline())
        assert found is not None
        try:
            yield found.group()
        finally:
            process.terminate()
            process.wait(timeout=30)


@contextlib.contextmanager
def serving(
    opened: str | None,
    reading: Reading | None = None,
    settings: Settings | None = None,
    *,
    port: int = 0,
) -> Iterator[str]:
    """Serve from a thread of this process, where no other processes are needed."""
    app = application(settings or Settings(workers=0), opened=opened, reading=reading)
    served = uvicorn.Server(
        uvicorn.Config(
            app, port=port, log_level="error", timeout_graceful_shutdown=PATIENCE // 1000
        )
    )
    thread = threading.Thread(target=served.run)
    thread.start()
    try:
        while not served.started:
            thread.join(0.05)
        port = served.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        app.state.server.watcher.close()
        served.should_exit = True
        thread.join()


def put(server: str, content: str) -> str:
    """Upload a table, and return the address of its page."""
    request = Request(f"{server}/api/tables?name=results.csv", content.encode(), method="POST")
    with urlopen(request) as said:
        return f"{server}/?table={json.load(said)['id']}"


def headline(page: Page) -> Locator:
    return page.locator("#verdict h2")


def expect_no_overflow(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0


def settle(page: Page) -> None:
    """Wait until everything is there, and go back to the top."""
    expect(page.locator("#opening")).to_be_hidden()  # a report has none
    if page.locator("#work").is_visible():
        expect(headline(page)).to_be_visible()
        expect(page.locator("#work")).to_have_attribute("aria-busy", "false")
    panels = page.locator("[data-panel]:visible")
    for i in range(panels.count()):
        panels.nth(i).scroll_into_view_if_needed()
        expect(panels.nth(i)).not_to_have_attribute("aria-busy", "true")
    page.evaluate("scrollTo(0, 0)")
