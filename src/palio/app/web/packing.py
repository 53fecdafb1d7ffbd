"""Answers go over the wire packed, where the browser can unpack them; each was packed once.

That is done where they are made, beside the server, and they are kept so. What a browser may keep
has a mark, by which it is told later that nothing has changed.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVarTuple

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Given = TypeVarTuple("Given")

_LEAST = 1000  # bytes; less fits into one parcel of the network anyway
_LEVEL = 4
_BEGINNING = b"\x1f\x8b\x08"  # of what gzip has packed, and of no text or picture

_UNPACKS = re.compile(r"(?:^|[,\s])gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)")


def packed(function: Callable[[*Given], bytes], *given: *Given) -> bytes:
    """Return what a function says, packed where that saves something."""
    content = function(*given)
    if len(content) < _LEAST:
        return content
    smaller = gzip.compress(content, _LEVEL, mtime=0)
    return smaller if len(smaller) < 0.9 * len(content) else content


def unpacks(accepted: str) -> bool:
    """Say whether who accepts such encodings can unpack.

    >>> unpacks("gzip, deflate, br"), unpacks("br;q=1.0, gzip;q=0.8"), unpacks("identity")
    (True, True, False)
    >>> unpacks("gzip;q=0"), unpacks("gzip;q=0.0, br"), unpacks("")
    (False, False, False)
    """
    return _UNPACKS.search(accepted) is not None


class Packing:
    """ASGI middleware: says that an answer is packed, or unpacks it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        held: list[Message] = []

        async def send_packed(message: Message) -> None:
            # What has no length comes bit by bit, and begins at once.
            if message["type"] == "http.response.start" and _has_length(message):
                held.append(message)
                return
            if held:
                start = held.pop()
                if not message.get("more_body", False):
                    _dress(start, message, asked)
                await send(start)
            await send(message)

        await self._app(scope, receive, send_packed)


def _has_length(start: Message) -> bool:
    return "content-length" in Headers(raw=start["headers"])


def _dress(start: Message, body: Message, asked: Headers) -> None:
    """Write on the head what the body is, and give the body in the form that was asked for."""
    headers = MutableHeaders(raw=start["headers"])
    _mark(start, body, headers, asked)
    if body["body"].startswith(_BEGINNING):
        headers.add_vary_header("accept-encoding")
        if unpacks(asked.get("accept-encoding", "")):
            headers["content-encoding"] = "gzip"
        else:
            body["body"] = gzip.decompress(body["body"])
            headers["content-length"] = str(len(body["body"]))
    start["headers"] = headers.raw


def _mark(start: Message, body: Message, headers: MutableHeaders, asked: Headers) -> None:
    """Mark what may be kept; who has it already is told so."""
    kept = headers.get("cache-control", "no-store")
    if start["status"] != 200 or "no-store" in kept or "etag" in headers:
        return
    mark = f'W/"{hashlib.blake2b(body["body"], digest_size=12).hexdigest()}"'
    headers["etag"] = mark
    if mark in asked.get("if-none-match", ""):
        start["status"], body["body"] = 304, b""
        del headers["content-length"]
