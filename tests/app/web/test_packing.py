"""Answers are sent packed to who can unpack them, and each is packed once."""

import gzip
import json

import pytest
from starlette.testclient import TestClient

from palio.app.web.packing import packed

PLAIN = {"accept-encoding": "identity"}
PACKED = {"accept-encoding": "gzip, deflate, br"}


@pytest.fixture
def about(client: TestClient) -> str:
    return f"table={client.get('/api/start').json()['opened']['id']}"


@pytest.mark.parametrize(
    "path", ["answer", "audit", "figures/critical-difference.html", "downloads/pairs.csv"]
)
def test_packed_or_not_it_says_the_same(client: TestClient, about: str, path: str) -> None:
    with client.stream("GET", f"/api/{path}?{about}", headers=PACKED) as sent:
        raw = b"".join(sent.iter_raw())
    plain = client.get(f"/api/{path}?{about}", headers=PLAIN)
    assert sent.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(raw) == plain.content
    assert int(sent.headers["content-length"]) == len(raw) < len(plain.content) / 2
    assert int(plain.headers["content-length"]) == len(plain.content)
    for each in (sent, plain):
        assert each.headers["vary"].lower() == "accept-encoding"
        assert each.headers["x-content-type-options"] == "nosniff"  # the guard sees it all


def test_an_answer_is_packed_once(
    client: TestClient, about: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    compress = gzip.compress

    def counted(*given: object, **options: object) -> bytes:
        calls.append(given)
        return compress(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(gzip, "compress", counted)
    for _ in range(3):
        assert client.get(f"/api/answer?{about}&alpha=0.0123", headers=PACKED).json()["table"]
    assert len(calls) == 1


def test_what_would_not_become_smaller_is_left_alone(client: TestClient, about: str) -> None:
    assert packed(lambda: b"short") == b"short"
    noise = bytes(hash((i, 7)) % 251 for i in range(3000))
    squeezed = gzip.compress(noise)
    assert packed(lambda: squeezed) == squeezed
    refused = client.get("/api/answer?table=none", headers=PACKED)
    assert refused.status_code == 404
    assert "content-encoding" not in refused.headers
    assert json.loads(refused.content)["message"]
    picture = client.get(f"/api/figures/pareto.png?{about}&cost=space", headers=PACKED)
    assert picture.content.startswith(b"\x89PNG")


def test_what_a_browser_may_keep_is_not_sent_again(client: TestClient, about: str) -> None:
    address = f"/api/figures/critical-difference.svg?{about}"
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first.headers["etag"]})
    other = client.get(
        f"{address}&test=mean-ranks", headers={"if-none-match": first.headers["etag"]}
    )
    assert (first.status_code, again.status_code, other.status_code) == (200, 304, 200)
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    assert "content-length" not in again.headers
    # What nobody may keep has no mark.
    assert "etag" not in client.get(f"/api/answer?{about}").headers
