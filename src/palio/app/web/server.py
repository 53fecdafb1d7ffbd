"""The workbench as an application, how it is served, and who may ask.

A server on a person's own machine is reached by every page that person visits. So the host that
a request names must be one of ours (a foreign name that resolves to 127.0.0.1 is not), and what
comes from another page is refused.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from palio.app.options import Reading
from palio.app.web import replies
from palio.app.web.routes import router
from palio.app.web.settings import Settings, is_loopback
from palio.app.web.state import ServerState
from palio.errors import ParameterError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = Path(__file__).parent / "static"

# A link with many long names is long.
_LONGEST_HEAD = 1_000_000


def application(
    settings: Settings | None = None,
    *,
    opened: str | None = None,
    reading: Reading | None = None,
) -> FastAPI:
    """Make the application: pages, routes, and what guards them.

    Parameters
    ----------
    settings
        Its limits.
    opened, reading
        A file or a store that it starts with, and how to read it.
    """
    settings = settings or Settings()
    state = ServerState(settings, opened, reading)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        state.open()
        try:
            yield
        finally:
            state.close()

    # Its pages of documentation would load scripts from elsewhere.
    app = FastAPI(title="Palio workbench", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.server = state
    replies.register(app)
    app.include_router(router)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_middleware(Guard, settings=settings)
    return app


def serve(
    settings: Settings, *, opened: str | None, reading: Reading | None, browser: bool
) -> None:
    """Serve until Ctrl-C."""
    app = application(settings, opened=opened, reading=reading)
    try:
        app.state.server.check()
        with _listener(settings) as listener:
            address = f"http://{settings.address}:{listener.getsockname()[1]}"

            def started() -> None:
                _tell(settings, address)
                if browser:
                    # A browser may take its time, and some never return.
                    threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

            server = _Server(
                uvicorn.Config(
                    app,
                    log_level="warning",
                    server_header=False,
                    h11_max_incomplete_event_size=_LONGEST_HEAD,
                    timeout_graceful_shutdown=2,
                ),
                started,
            )
            with contextlib.suppress(KeyboardInterrupt):  # that is how it is ended
                server.run(sockets=[listener])
    finally:
        app.state.server.close()


def _tell(settings: Settings, address: str) -> None:
    sys.stderr.write(f"workbench on {address} (Ctrl-C ends it)\n")
    if not settings.is_local:
        sys.stderr.write(
            f"warning: whoever can reach {settings.host} can use it, and there is no password; "
            "serve on 127.0.0.1 unless you trust that network\n"
        )


def _listener(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
    except OSError as error:
        found.close()
        raise ParameterError(
            "port",
            f"cannot listen on {settings.host}:{settings.port} ({error.strerror})",
            remedy="give another with --port, or --port 0 for any that is free",
        ) from error
    return found


class _Server(uvicorn.Server):
    """A server that says when it can be reached."""

    def __init__(self, config: uvicorn.Config, when_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_started = when_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        if self.started:
            self._when_started()


# --- who may ask, and what a browser may do with the answer ---------------------------------------

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
            await replies.refusal(*refused)(scope, receive, send_guarded)
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
