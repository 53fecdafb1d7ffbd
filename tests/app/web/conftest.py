"""A server in this process, and what is asked of it; a browser, see `chromium.py`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import palio
from palio.app.web.server import application
from palio.app.web.settings import Settings
from tests.app.web.chromium import browser, open_page

__all__ = ["browser", "open_page"]

Ask = Callable[..., Any]

# A browser would name the host it was sent to.
HERE = "http://127.0.0.1:8000"


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study ulas2008 as a file: 8 algorithms, 38 data sets, 5×2 cv, two costs."""
    path = tmp_path_factory.mktemp("results") / "results.csv"
    palio.load_study("ulas2008").to_frame().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def client(results: Path) -> Iterator[TestClient]:
    """A server that was started with the results, and works in its own process."""
    with TestClient(application(Settings(workers=0), opened=str(results)), base_url=HERE) as made:
        yield made


@pytest.fixture(scope="module")
def empty() -> Iterator[TestClient]:
    """A server that was started with nothing, and takes files of up to 100 kB."""
    settings = Settings(workers=0, upload_bytes=100_000, uploads=3)
    with TestClient(application(settings), base_url=HERE) as made:
        yield made


@pytest.fixture
def ask(client: TestClient) -> Ask:
    """Ask about the results; the answer must be good."""
    table = client.get("/api/start").json()["opened"]["id"]

    def ask(path: str, query: str = "") -> Any:
        found = client.get(f"/api/{path}?table={table}&{query}")
        assert found.status_code == 200, found.text
        return found.json()

    return ask


@pytest.fixture
def put(empty: TestClient) -> Callable[..., str]:
    """Upload a text, and return the name of its table."""

    def put(text: str | bytes, name: str = "results.csv") -> str:
        content = text.encode() if isinstance(text, str) else text
        found = empty.post(f"/api/tables?name={quote(name)}", content=content)
        assert found.status_code == 200, found.text
        return str(found.json()["id"])

    return put
