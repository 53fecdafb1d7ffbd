"""Who may ask, and what a browser may do with the answer.

A server on a person's own machine is reached by every page that person visits. So the host that
a request names must be one of ours (a foreign name that resolves to 127.0.0.1 is not), and what
comes from another page is refused.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from palio.app.web.replies import refusal
from palio.app.web.settings import Settings, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

# A figure opened by itself may be styled, and nothing else.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

# What the browser says of where a request comes from, if it comes from us or from the address bar.
_OUR_SITES = {"same-origin", "none"}


class Guard:
    """ASGI middleware: checks the request, and adds the headers that the answer lacks."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anything is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in _HEADERS.items()
                        if name.encode() not in given
                    ),
                ]
            await send(message)

        refused = self._complaint(scope, headers)
        if refused is not None:
            await refusal(*refused)(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)

    def _complaint(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """Return why a request is refused: status, parameter and message; or nothing."""
        host = headers.get("host", "")
        if not is_ours(host, self._settings):
            return (
                400,
                "host",
                f"host: this server does not answer to {host[:100]!r}; open it by the address "
                "that it printed when it started.",
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "origin", "origin: only the workbench's own page may ask, and another did."
        site = headers.get("sec-fetch-site", "none")
        if scope["path"].startswith("/api/") and site not in _OUR_SITES:
            return 403, "origin", "origin: only the workbench's own page may ask, and another did."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._settings.upload_bytes:
            return 413, "file", self._settings.too_large
        return None


def is_ours(host: str, settings: Settings) -> bool:
    """Say whether a ``Host`` header names this server.

    An address in figures cannot be a foreign name made to resolve to this machine, so where the
    server listens to others, any address will do; a name must be the one it was started with.

    >>> local = Settings()
    >>> is_ours("127.0.0.1:8000", local), is_ours("localhost", local), is_ours("[::1]:80", local)
    (True, True, True)
    >>> is_ours("evil.example:8000", local), is_ours("192.168.0.7", local), is_ours("", local)
    (False, False, False)
    >>> is_ours("192.168.0.7:8000", Settings(host="0.0.0.0"))
    True
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if is_loopback(name):
        return True
    if settings.is_local:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == settings.host.lower()
    return True
