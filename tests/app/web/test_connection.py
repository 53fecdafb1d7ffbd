"""Connections as strangers open them: half-open, silent, slow. Each has its time, and no more."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from palio.app.web.server import _configured, application
from palio.app.web.settings import Patience, Settings

PATIENCE = Patience(head=0.6, body=0.8, rate=2_000, reader=0.8)

HEAD = b"GET /api/start HTTP/1.1\r\nHost: 127.0.0.1\r\n"
UPLOAD = b"POST /api/tables?name=a.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"


@contextlib.contextmanager
def served(patience: Patience) -> Iterator[int]:
    """Serve in a thread, and return the port."""
    settings = Settings(workers=0, patience=patience)
    server = uvicorn.Server(_configured(application(settings), settings))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served(PATIENCE) as found:
        yield found


def opened(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port))
    made.settimeout(10)
    return made


def seconds_open(talk: socket.socket, drip: bytes = b"", every: float = 0.1) -> float:
    """Say how long a connection stays open, while a little is sent once in a while."""
    begun = time.monotonic()
    talk.settimeout(every)
    while time.monotonic() - begun < 10:
        with contextlib.suppress(TimeoutError):
            try:
                if drip:
                    talk.sendall(drip)
                if talk.recv(1000) == b"":
                    break
            except OSError as error:
                if isinstance(error, TimeoutError):
                    raise
                break
    talk.close()
    return time.monotonic() - begun


def test_a_connection_that_says_nothing_is_closed(port: int) -> None:
    assert 0.4 < seconds_open(opened(port)) < 3


def test_a_head_that_comes_by_the_letter_is_not_waited_for(port: int) -> None:
    talk = opened(port)
    talk.sendall(HEAD)
    assert 0.4 < seconds_open(talk, b"x") < 3


def test_nor_is_the_next_head(port: int) -> None:
    talk = opened(port)
    talk.sendall(HEAD + b"\r\n")
    assert talk.recv(100_000).startswith(b"HTTP/1.1 200")
    talk.sendall(HEAD)
    assert seconds_open(talk, b"x") < 3


def test_a_body_that_does_not_come_is_not_waited_for(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    for drip in (b"", b"x"):
        talk = opened(port)
        talk.sendall(UPLOAD % 1_000_000)
        with caplog.at_level(logging.ERROR):
            assert 0.6 < seconds_open(talk, drip) < 3
    assert caplog.text == ""  # who leaves is no mistake of the server's


def test_a_body_that_comes_steadily_has_its_time(port: int) -> None:
    talk = opened(port)
    talk.sendall(UPLOAD % 8_000)
    for _ in range(16):  # 1.6 s, twice what a body has that does not come
        talk.sendall(b"x" * 500)
        time.sleep(0.1)
    assert talk.recv(1000).startswith(b"HTTP/1.1 200")
    talk.close()


def test_a_reader_that_does_not_read_is_not_waited_for(port: int) -> None:
    talk = socket.socket()
    talk.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    talk.connect(("127.0.0.1", port))
    ask = b"GET /static/main.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    talk.settimeout(0.2)
    begun = time.monotonic()
    with contextlib.suppress(TimeoutError):
        talk.sendall(ask * 2_000)  # many megabytes of answers
    talk.settimeout(5)
    time.sleep(3)
    with pytest.raises(ConnectionError):  # noqa: PT012 - one of these is told that it is gone
        talk.sendall(ask)
        while True:
            if not talk.recv(1_000_000):
                raise ConnectionError
    assert time.monotonic() - begun < 10
    talk.close()


def test_silence_of_many_keeps_nobody_waiting(port: int) -> None:
    with contextlib.ExitStack() as silent:
        for _ in range(200):
            silent.enter_context(opened(port))
        with opened(port) as talk:
            begun = time.monotonic()
            talk.sendall(HEAD + b"\r\n")
            assert talk.recv(100_000).startswith(b"HTTP/1.1 200")
            assert time.monotonic() - begun < 5


def test_an_answer_may_take_longer_than_a_head(port: int) -> None:
    ask = HEAD.replace(b"start", b"answer?table=study-ulas2008&alpha=0.0123")
    with opened(port) as talk:
        talk.sendall(ask + b"\r\n")
        assert talk.recv(100_000).startswith(b"HTTP/1.1 200")


def test_the_usual_patience_is_as_stated() -> None:
    assert Patience() == Patience(head=10, body=20, rate=10_000, reader=60)
