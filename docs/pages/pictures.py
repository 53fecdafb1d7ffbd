"""The picture of the workbench in the README and on its page: taken anew by ``make pictures``.

Kept in the repository, as a building of the site has no browser.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

import palio

__all__ = ["workbench"]

PLACE = Path(__file__).parents[1] / "images"


def workbench() -> None:
    """Look at a published study: eight learners on 38 data sets, by training time."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "ulas2008.csv"
        palio.load_study("ulas2008").to_frame().to_csv(table, index=False)
        command = [sys.executable, "-m", "palio.app.cli", "serve", str(table), "--port", "0"]
        with subprocess.Popen(
            [*command, "--no-browser"], stderr=subprocess.PIPE, text=True
        ) as server:
            try:
                _keep(_picture(_address(server)))
            finally:
                server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline() if server.stderr else "")
    if found is None:
        raise RuntimeError("the workbench did not start")
    return found.group()


def _picture(address: str) -> bytes:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{address}/?cost=train_time")
        sure = page.locator('[data-about="sure"] .answer')
        expect(sure).to_have_text("Shared", timeout=60_000)
        expect(page.locator("[data-panel=pareto] svg")).to_be_visible(timeout=60_000)
        return page.screenshot()


def _keep(picture: bytes) -> None:
    """Write it with few colours: a third of the size, and nobody sees it."""
    few = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64)
    few.save(PLACE / "workbench.png", optimize=True)


if __name__ == "__main__":
    workbench()
