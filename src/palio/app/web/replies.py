"""Whatever goes wrong, a page gets one object: the parameter, and what to do."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from palio.app.web.settings import GoneError, OverloadError, TooLargeError
from palio.errors import MissingExtraError, PalioError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

__all__ = ["as_chosen", "parameter_of", "refusal", "register"]

log = logging.getLogger(__name__)

# How the options that messages name in Python are called on the page.
_SPELLINGS = (
    (r"higher_is_better=True or (?:higher_is_better=)?False", "a direction"),
    (r"\bscore=(?=')", "the score "),
    (r"\bmissing=(?=')", "missing scores: "),
)

_PARAMETER = re.compile(r"^([a-z][a-z0-9_-]{0,40}): ")


_STATUS: dict[type[PalioError], int] = {
    GoneError: 404,
    TooLargeError: 413,
    OverloadError: 503,
    MissingExtraError: 501,
    PalioError: 422,
}


def parameter_of(message: str) -> str | None:
    """Return the parameter that a message is about, if it begins with one.

    >>> parameter_of("alpha: a level lies between 0 and 1."), parameter_of("no table")
    ('alpha', None)
    """
    found = _PARAMETER.match(message)
    return found.group(1) if found else None


def as_chosen(message: str) -> str:
    """Name options as the page does, not as Python does.

    >>> as_chosen("Give score='error', or any name with higher_is_better=True or False.")
    "Give the score 'error', or any name with a direction."
    """
    for pattern, spelling in _SPELLINGS:
        message = re.sub(pattern, spelling, message)
    return message


def refusal(status: int, parameter: str | None, message: str) -> JSONResponse:
    """Write an error; the connection is closed where the rest of a body is not wanted."""
    headers = {"connection": "close"} if status == 413 else None
    return JSONResponse(
        {"parameter": parameter, "message": message}, status_code=status, headers=headers
    )


def register(app: FastAPI) -> None:
    """Let the application turn every error into such an object."""
    app.add_exception_handler(PalioError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unknown)


def _known(_request: Request, error: Exception) -> JSONResponse:
    message = as_chosen(" ".join(str(error).split()))
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    return refusal(status, parameter_of(message), message)


def _invalid(_request: Request, error: Exception) -> JSONResponse:
    found: list[Any] = list(error.errors()) if isinstance(error, RequestValidationError) else []
    where = str(found[0]["loc"][-1]) if found else None
    reason = str(found[0]["msg"]) if found else "the request cannot be understood"
    return refusal(422, where, f"{where or 'request'}: {reason[:1].lower()}{reason[1:]}.")


def _http(_request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    reason = {404: "there is no such page", 405: "this is not done here"}
    return refusal(status, None, f"{reason.get(status, 'the request cannot be answered')}.")


def _unknown(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return refusal(
        500, None, "the server made a mistake, which is in its log; the page still works."
    )
