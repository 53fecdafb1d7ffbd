"""What can be asked over HTTP. Each route reads the request, and leaves the work to a worker."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from palio.app.web import answers, downloads, live
from palio.app.web.panels import PANELS
from palio.app.web.preview import preview_piece
from palio.app.web.query import READING
from palio.app.web.state import ServerState
from palio.app.web.tables import ENDINGS, PASTED, Asked
from palio.errors import require

router = APIRouter(prefix="/api")

# What a table holds does not change under its digest, so a browser may keep what is drawn from it.
_KEEP = "private, max-age=3600"

# A figure opened by itself may be styled, and nothing else.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

FileName = Annotated[str, Path(max_length=100)]


def _server(request: Request) -> ServerState:
    server: ServerState = request.app.state.server
    return server


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")


async def _asked(request: Request) -> Asked:
    """Read the question from the address; an experiment is asked as it stands now."""
    return await _server(request).asked(_query(request))


def _query(request: Request) -> str:
    query: str = request.scope["query_string"].decode("latin-1")
    return query


@router.get("/start")
async def start(request: Request) -> JSONResponse:
    """Say what the server was opened with, what it allows, and which methods there are."""
    server = _server(request)
    opened = server.tables.opened()
    return JSONResponse(
        {
            "opened": None
            if opened is None
            else {"id": opened.id, "name": opened.name, "is_store": opened.is_store},
            "limits": {
                "upload_bytes": server.settings.upload_bytes,
                "too_large": server.settings.too_large,
                "formats": ENDINGS,
            },
            "methods": answers.methods(),
            "reading": READING,
            "pasted": PASTED,
        }
    )


@router.post("/tables")
async def add_table(
    request: Request, name: Annotated[str, Query(min_length=1, max_length=1000)]
) -> JSONResponse:
    """Take in a file: the body is the file, and nothing else."""
    upload = await _server(request).tables.uploads.add(name, request.stream())
    return JSONResponse({"id": upload.digest, "name": upload.name, "bytes": upload.size})


@router.get("/table")
async def table(request: Request) -> Response:
    """Say what a table holds."""
    asked = await _asked(request)
    server = _server(request)
    key = ("table", *asked.source.key)
    return _json(await server.ask(key, answers.describe, asked.source))


@router.get("/preview")
async def preview(request: Request) -> Response:
    """Show the first rows of a table, and how its columns are read or can be."""
    source = (await _asked(request)).source
    return _json(await _server(request).ask(("preview", *source.key), preview_piece, source))


@router.get("/answer")
async def answer(request: Request) -> Response:
    """Answer the question, but for what takes long."""
    asked = await _asked(request)
    return _json(await _server(request).ask(("answer", *asked.key), answers.answer, asked))


@router.get("/focus")
async def focus(request: Request) -> Response:
    """Say where one algorithm stands, and why."""
    asked = await _asked(request)
    return _json(await _server(request).ask(("focus", *asked.key), answers.focus, asked))


@router.get("/facts")
async def facts(request: Request) -> Response:
    """Say of each algorithm, and of pairs, what the page shows when they are pointed at."""
    query, also = _apart(_query(request), "also")
    asked = await _server(request).asked(query)
    key = ("facts", also, *asked.key)
    return _json(await _server(request).ask(key, answers.facts, asked, also))


@router.get("/pools")
async def pool_flips(request: Request) -> Response:
    """Say which mean-ranks verdicts change with one algorithm more or less."""
    asked = await _asked(request)
    return _json(await _server(request).ask(("pools", *asked.key), answers.pools, asked))


@router.get("/audit")
async def audit(request: Request) -> Response:
    """Say how firm the verdicts are."""
    asked = await _asked(request)
    return _json(await _server(request).ask(("audit", *asked.key), answers.audit, asked, slow=True))


@router.get("/posterior")
async def posterior(request: Request) -> Response:
    """Say what the Bayesian model says."""
    asked, server = await _asked(request), _server(request)
    found = await server.posterior(asked)
    return _json(await server.ask(("posterior", *asked.key), answers.posterior, asked, found))


@router.get("/figures/{file}")
async def figure(request: Request, file: FileName) -> Response:
    """Draw a figure: a file, or a piece of the page for a wide or a narrow window."""
    name, _, format_ = file.rpartition(".")
    allowed = (*downloads.FIGURE_TYPES, "html")
    require(format_ in allowed, "format", "it is svg, png, pdf or html", format_)
    server = _server(request)
    query, narrow = _apart(_query(request), "narrow")
    is_narrow = "1" in narrow
    asked = await server.asked(query)
    of_posterior = name in PANELS and PANELS[name].part == "posterior"
    found = await server.posterior(asked) if of_posterior else None
    key = ("figure", file, is_narrow, *asked.key)
    if format_ == "html":
        piece = await server.ask(key, downloads.fragment, asked, name, found, is_narrow, slow=True)
        # The server remembers it, and knows when a store has changed.
        return Response(piece, media_type="text/html", headers={"cache-control": "no-store"})
    content = await server.ask(key, downloads.figure, asked, name, format_, found, slow=True)
    headers = {"content-security-policy": FIGURE_POLICY}
    headers["cache-control"] = "no-store" if asked.source.is_store else _KEEP
    return Response(content, media_type=downloads.FIGURE_TYPES[format_], headers=headers)


def _apart(query: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Take what is no part of the question out of a query.

    >>> _apart("table=t&also=a%26b&alpha=0.1", "also")
    ('table=t&alpha=0.1', ('a&b',))
    """
    parts = query.split("&")
    own = [part for part in parts if part.partition("=")[0] == name]
    rest = "&".join(part for part in parts if part not in own)
    return rest, tuple(parse_qs("&".join(own)).get(name, ()))


@router.get("/downloads/{file}")
async def download(request: Request, file: FileName) -> Response:
    """Write a table or the whole report; always a file to save, never a page of ours."""
    kind = downloads.FILES[file]
    asked = await _asked(request)
    content = await _server(request).ask(
        ("file", file, *asked.key), downloads.download, asked, file, slow=True
    )
    headers = {"content-disposition": f'attachment; filename="{kind.name}"'}
    return Response(content, media_type=f"{kind.media_type}; charset=utf-8", headers=headers)


@router.get("/progress")
async def progress(request: Request) -> Response:
    """Say how far the experiment is that the server was started with."""
    return _json(await _server(request).progress())


@router.get("/progress/events")
async def events(request: Request) -> StreamingResponse:
    """Say it again whenever something has changed, until all has ended."""
    server = _server(request)
    server.experiment()
    server.watcher.admit()
    return StreamingResponse(server.watcher.listen(), media_type="text/event-stream")


@router.get("/standing")
async def standing(request: Request) -> Response:
    """Say how the order stands while the experiment runs."""
    asked, server = await _asked(request), _server(request)
    server.experiment()
    return _json(await server.ask(("standing", *asked.key), live.standing, asked))
