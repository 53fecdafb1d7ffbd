"""The workbench as an application, and how it is served."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from palio.app.options import Reading
from palio.app.web import replies
from palio.app.web.connection import Connection
from palio.app.web.guard import STATIC, Guard, Token
from palio.app.web.packing import Packing
from palio.app.web.routes import router
from palio.app.web.settings import Settings
from palio.app.web.state import ServerState
from palio.errors import ParameterError
from palio.systems import system

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
    # What the report has too: its palette, figures, boards and what links them.
    app.mount("/assets", StaticFiles(packages=[("palio.report", "assets")]))
    app.state.token = None if settings.token is None else Token(settings.token)
    app.add_middleware(Packing)
    app.add_middleware(Guard, settings=settings, token=app.state.token)
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
                    opened = _with_token(address, app.state.token and app.state.token.ticket())
                    # A browser may take its time, and some never return.
                    threading.Thread(target=webbrowser.open, args=[opened], daemon=True).start()

            server = _Server(_configured(app, settings), started, app.state.server.watcher.close)
            with contextlib.suppress(KeyboardInterrupt):  # that is how it is ended
                server.run(sockets=[listener])
    finally:
        app.state.server.close()


def _configured(app: FastAPI, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Connection.within(settings.patience),
        ws="none",
        log_level="warning",
        access_log=False,  # it would hold tokens
        server_header=False,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=2,
    )


def _tell(settings: Settings, address: str) -> None:
    shown = _with_token(address, settings.token)
    sys.stderr.write(f"workbench on {shown} (Ctrl-C ends it)\n")
    if settings.is_local:
        return
    if settings.token is None:
        sys.stderr.write(
            f"warning: whoever can reach {settings.host} can use it, and there is no token; "
            "serve on 127.0.0.1 unless you trust that network\n"
        )
        return
    sys.stderr.write("from other machines use this one's address; nothing is encrypted\n")


def _with_token(address: str, token: str | None) -> str:
    return address if token is None else f"{address}/?token={quote(token, safe='')}"


def _listener(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family)
    system().claim_address(found)
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
    """A server that says when it can be reached, and when it will end."""

    def __init__(
        self,
        config: uvicorn.Config,
        when_started: Callable[[], None],
        when_ending: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._when_started, self._when_ending = when_started, when_ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        if self.started:
            self._when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell, and end: who listens would be waited for."""
        self._when_ending()
        await super().shutdown(sockets)
