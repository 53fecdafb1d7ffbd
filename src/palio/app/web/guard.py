"""Who may ask, and what a browser may do with the answer.

A server on a person's own machine is reached by every page that person visits. So the host that
a request names must be one of ours (a foreign name that resolves to 127.0.0.1 is not), and what
comes from another page is refused. Where others can reach it, they need its token, too.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.responses import FileResponse, RedirectResponse, Response

from palio.app.web import replies
from palio.app.web.settings import Settings, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = Path(__file__).parent / "static"

PAGE_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

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


class Token:
    """A secret that lets in: in the address, in a header, or as the cookie that follows.

    Secrets are compared by their digests, in a time that tells nothing of either.
    """

    def __init__(self, text: str) -> None:
        self._digest = _digest(text)
        self._tickets: set[bytes] = set()
        # Another secret, so that who sees a cookie does not see the token.
        self.cookie = secrets.token_urlsafe(24)

    def ticket(self) -> str:
        """Return a secret that lets in once: what a program is started with, others can see."""
        made = secrets.token_urlsafe(24)
        self._tickets.add(_digest(made))
        return made

    def admits(self, text: str) -> bool:
        """Say whether a text is the token, or a ticket that was not used before."""
        given = _digest(text)
        if given in self._tickets:  # digests of random texts: their order tells nothing
            self._tickets.remove(given)
            return True
        return hmac.compare_digest(given, self._digest)

    def admits_cookie(self, text: str) -> bool:
        """Say whether a text is the cookie that was given for the token."""
        return hmac.compare_digest(_digest(text), _digest(self.cookie))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).digest()


class Guard:
    """ASGI middleware: checks the request, and adds the headers that the answer lacks."""

    def __init__(self, app: ASGIApp, settings: Settings, token: Token | None) -> None:
        self._app = app
        self._settings = settings
        self._token = token

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
        answer = replies.refusal(*refused) if refused else self._at_the_door(scope, headers)
        await (answer or self._app)(scope, receive, send_guarded)

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
        if origin is not None and _address_of(origin) != host:
            return 403, "origin", "origin: only the workbench's own page may ask, and another did."
        site = headers.get("sec-fetch-site", "none")
        if scope["path"].startswith("/api/") and site not in _OUR_SITES:
            return 403, "origin", "origin: only the workbench's own page may ask, and another did."
        length = headers.get("content-length", "0")
        if not (length.isdecimal() and len(length) < 20) or int(length) > (
            self._settings.upload_bytes
        ):
            return 413, "file", self._settings.too_large
        return None

    def _at_the_door(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Return what is said to who may not enter yet, or nothing."""
        token = self._token
        if token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [text for name, text in query if name == "token"]
        if given and token.admits(given[-1]):
            kept = [(name, text) for name, text in query if name != "token"]
            return _let_in(token, scope, urlencode(kept))
        if not given and _is_known(token, scope, headers):
            return None
        said = "that is not this server's" if given else "this server asks for one"
        message = f"token: {said}; open the address that it printed when it started."
        if scope["path"].startswith("/api/"):
            return replies.refusal(401, "token", message)
        return FileResponse(STATIC / "token.html", status_code=401)


def _let_in(token: Token, scope: Scope, query: str) -> Response:
    """Give a cookie for the token, and lead to where the address shows none."""
    # One slash: with two, the rest would name another server.
    path = "/" + quote(scope["path"].lstrip("/\\"))
    answer = RedirectResponse(f"{path}?{query}" if query else path, status_code=303)
    answer.set_cookie(_cookie_name(scope), token.cookie, httponly=True, samesite="lax")
    return answer


def _is_known(token: Token, scope: Scope, headers: dict[str, str]) -> bool:
    """Say whether a request has the token in a header, or the cookie."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.admits(text.strip())
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(scope))
    except CookieError:
        return False
    return found is not None and token.admits_cookie(found.value)


def _address_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # brackets that are no address
        return None


def _cookie_name(scope: Scope) -> str:
    """Return a name by the port, which cookies themselves do not tell apart."""
    return f"palio-{(scope.get('server') or ('', 0))[1]}"


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
