"""Whatever goes wrong, a page gets one object: the parameter, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from palio.app.web.settings import GoneError, OverloadError, TooLargeError
from palio.errors import MissingExtraError, Option, PalioError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

log = logging.getLogger(__name__)

# What options are called on the page; in the place of others stands their name.
_WORDS = {
    "costs": "a second table of costs",
    "higher_is_better": "a direction",
    "missing": "missing scores",
    "score": "the score",
    "test_fraction": "the share of the data used for testing",
}
_DIRECTIONS = {"True": "higher is better", "False": "lower is better"}


_STATUS: dict[type[PalioError], int] = {
    GoneError: 404,
    TooLargeError: 413,
    OverloadError: 503,
    MissingExtraError: 501,
    PalioError: 422,
}


def as_chosen(option: Option) -> str:
    """Write an option that an error names as the page calls it.

    >>> as_chosen(Option("score", "error")), as_chosen(Option("higher_is_better", "True"))
    ("the score 'error'", 'higher is better')
    >>> as_chosen(Option("limits", "False"))
    'a server without limits'
    """
    if option.parameter == "limits":  # a page cannot lift them
        return "a server without limits"
    if option.parameter == "higher_is_better" and option.value is not None:
        return _DIRECTIONS[option.value]
    words = _WORDS.get(option.parameter, option.parameter.replace("_", " "))
    return words if option.value is None else f"{words} {option.value!r}"


def refusal(
    status: int, parameter: str | None, message: str, options: Sequence[Option] = ()
) -> JSONResponse:
    """Write an error, and the options that it names, each of which the page can offer.

    The connection is closed where the rest of a body is not wanted.
    """
    headers = {"connection": "close"} if status == 413 else None
    offered = [
        {"parameter": each.parameter, "value": each.value, "text": as_chosen(each)}
        for each in options
        if each.parameter != "limits"
    ]
    return JSONResponse(
        {"parameter": parameter, "message": message, "options": offered},
        status_code=status,
        headers=headers,
    )


def register(app: FastAPI) -> None:
    """Let the application turn every error into such an object."""
    app.add_exception_handler(PalioError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(Exception, _unknown)


def _known(_request: Request, error: Exception) -> JSONResponse:
    known = cast("PalioError", error)  # it is registered for these
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    message = " ".join(known.spelled(as_chosen).split())
    return refusal(status, known.parameter if known.rule else None, message, known.options)


def _invalid(_request: Request, error: Exception) -> JSONResponse:
    found: list[Any] = list(error.errors()) if isinstance(error, RequestValidationError) else []
    where = str(found[0]["loc"][-1]) if found else None
    reason = str(found[0]["msg"]) if found else "the request cannot be understood"
    return refusal(422, where, f"{where or 'request'}: {reason[:1].lower()}{reason[1:]}.")


def _http(_request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    reason = {404: "there is no such page", 405: "this is not done here"}
    return refusal(status, None, f"{reason.get(status, 'the request cannot be answered')}.")


def _left(_request: Request, _error: Exception) -> JSONResponse:
    return refusal(400, None, "the request broke off.")  # which nobody hears any more


def _unknown(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return refusal(
        500, None, "the server made a mistake, which is in its log; the page still works."
    )
