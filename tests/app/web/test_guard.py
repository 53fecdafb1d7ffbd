"""Who may ask, and what a browser may do with the answer."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from palio.app.web.guard import Token, is_ours
from palio.app.web.server import application
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
        {"origin": "http://["},
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


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "abc", "1e3"])
def test_a_length_that_is_none_is_refused(client: TestClient, length: str) -> None:
    found = client.get("/api/start", headers={"content-length": length})
    assert found.status_code == 413


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
        # One place takes pieces of the page, which the server wrote with every name as text.
        assert code.text.count("innerHTML") == (name == "dom")
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
    "wrong",
    [
        *({"port": -1}, {"port": 70000}, {"upload_bytes": 0}, {"seconds": -1.0}),
        *({"worker_bytes": 0}, {"token": "short"}, {"token": "long enough, too", "no_token": True}),
    ],
)
def test_limits_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"^{next(iter(wrong))}: "):
        Settings(**wrong)  # type: ignore[arg-type]


# --- the token ------------------------------------------------------------------------------------

SECRET = "long & secret, é"
OTHERS = "http://192.168.0.7:8000"


@pytest.fixture
def guarded() -> Iterator[TestClient]:
    """A server that others can reach; what it answers is not followed."""
    settings = Settings(workers=0, host="0.0.0.0", token=SECRET)
    with TestClient(application(settings), base_url=OTHERS, follow_redirects=False) as made:
        yield made


def test_beyond_this_machine_there_is_a_token_unless_it_is_said_otherwise() -> None:
    drawn = Settings(host="0.0.0.0").token
    assert drawn is not None
    assert len(drawn) == 32
    assert drawn != Settings(host="0.0.0.0").token
    assert Settings(host="0.0.0.0", no_token=True).token is None
    assert Settings().token is None
    assert SECRET not in repr(Settings(token=SECRET))


@pytest.mark.parametrize("path", ["/api/start", "/", "/static/main.js", "/openapi.json", "/x"])
def test_without_the_token_nothing_is_told(guarded: TestClient, path: str) -> None:
    for query in ("", "?token=", "?token=wrong+and+long", "?token=long"):
        found = guarded.get(path + query)
        assert found.status_code == 401
        assert "set-cookie" not in found.headers
        assert found.headers["referrer-policy"] == "no-referrer"
    assert guarded.post("/api/tables?name=a.csv", content=b"x").status_code == 401


def test_who_comes_by_a_bare_address_is_asked_for_it(guarded: TestClient) -> None:
    assert "the address that it printed" in guarded.get("/").text
    assert guarded.get("/api/start").json() == {
        "parameter": "token",
        "message": "token: this server asks for one; open the address that it printed when it "
        "started.",
        "options": [],
    }


def test_the_first_visit_leaves_a_cookie_and_no_token(guarded: TestClient) -> None:
    first = guarded.get("/", params={"table": "study-ulas2008", "token": SECRET})
    assert first.status_code == 303
    assert first.headers["location"] == "/?table=study-ulas2008"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert SECRET not in cookie
    assert guarded.get("/").status_code == 200
    assert guarded.get("/api/start").status_code == 200
    # The other checks stay.
    assert guarded.get("/api/start", headers={"origin": "http://evil.example"}).status_code == 403
    assert guarded.get("/api/start", headers={"host": "evil.example"}).status_code == 400
    # What was right before is no excuse for what is wrong now.
    assert guarded.get("/api/start?token=wrong").status_code == 401


@pytest.mark.parametrize(
    "cookie", ["", "palio-8000=", "palio-80=x", 'palio-8000="\\x";;=', f"palio-8000={'x' * 32}"]
)
def test_another_cookie_does_not_do(guarded: TestClient, cookie: str) -> None:
    assert guarded.get("/api/start", headers={"cookie": cookie}).status_code == 401


def test_a_script_may_give_it_in_a_header(guarded: TestClient) -> None:
    assert guarded.get("/api/start", headers={"authorization": "Bearer x"}).status_code == 401
    plain = Settings(workers=0, token="a-token-of-letters")
    with TestClient(application(plain), base_url="http://127.0.0.1:8000") as here:
        for given, expected in (
            ("Bearer a-token-of-letters", 200),
            ("bearer  a-token-of-letters", 200),
            ("Bearer a-token-of-letter", 401),
            ("Basic a-token-of-letters", 401),
            ("Bearer", 401),
        ):
            found = here.get("/api/start", headers={"authorization": given})
            assert found.status_code == expected, given


def test_the_way_on_stays_here(guarded: TestClient) -> None:
    found = guarded.get("/%2fevil.example/x", params={"token": SECRET})
    assert found.headers["location"] == "/evil.example/x"


def test_a_ticket_is_good_once() -> None:
    token = Token("a-token-of-letters")
    ticket = token.ticket()
    assert [token.admits(each) for each in (ticket, ticket, "", "a-token-of-letters")] == [
        *(True, False, False, True),
    ]
    assert not token.admits_cookie(ticket)
    assert not token.admits(token.cookie)
