"""Who may ask, and what a browser may do with the answer."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from palio.app.web.server import application, is_ours
from palio.app.web.settings import Settings
from palio.errors import ParameterError


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "10.0.0.1", "", "[::1"])
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    found = client.get("/api/start", headers={"host": host})
    assert found.status_code == 400
    assert found.json()["parameter"] == "host"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_this_machine_is_not(client: TestClient, host: str) -> None:
    assert client.get("/api/start", headers={"host": host}).status_code == 200


def test_a_server_for_others_answers_to_addresses_and_its_own_name() -> None:
    settings = Settings(host="bench.example")
    assert is_ours("bench.example:8000", settings)
    assert is_ours("192.168.1.5", settings)
    assert not is_ours("other.example", settings)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_page_may_not_ask(client: TestClient, headers: dict[str, str]) -> None:
    for found in (
        client.get("/api/start", headers=headers),
        client.post("/api/tables?name=a.csv", content=b"a", headers=headers),
    ):
        assert found.status_code == 403
        assert found.json()["parameter"] == "origin"


def test_a_link_from_another_site_opens(client: TestClient) -> None:
    # Following a link is asking for the page, not for an answer.
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/start", "/api/nothing", "/static/main.js"])
def test_every_answer_is_guarded(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/docs"])
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    found = client.get(path)
    assert found.status_code == 404
    assert found.json()["message"] == "there is no such page."


def test_a_wrong_verb_is_told_so(client: TestClient) -> None:
    assert client.put("/api/answer").json() == {
        "parameter": None,
        "message": "this is not done here.",
        "options": [],
    }


def test_the_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/").text
    assert '<script type="module" src="/static/main.js">' in page
    assert "//" not in page.replace("<!doctype html>", "")
    for name in ("main", "controls", "panels", "order", "verdict", "progress", "api", "dom"):
        code = client.get(f"/static/{name}.js")
        assert code.headers["content-type"].startswith("text/javascript")
        assert "innerHTML" not in code.text
        assert "http:" not in code.text
        assert "https:" not in code.text


@pytest.fixture
def broken() -> Iterator[TestClient]:
    app = application(Settings(workers=0))

    @app.get("/api/broken")
    async def fail() -> None:
        raise RuntimeError("a secret of the server")

    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as made:
        yield made


def test_a_mistake_of_ours_shows_no_traceback(
    broken: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    found = broken.get("/api/broken")
    assert found.status_code == 500
    assert "secret" not in found.text
    assert found.json()["parameter"] is None
    assert "a secret of the server" in caplog.text


@pytest.mark.parametrize(
    "wrong", [{"port": -1}, {"port": 70000}, {"upload_bytes": 0}, {"seconds": -1.0}]
)
def test_limits_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=f"^{next(iter(wrong))}: "):
        Settings(**wrong)  # type: ignore[arg-type]
