"""Whatever goes wrong, a page gets one object: the parameter, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from palio.app.web.query import READING
from palio.app.web.settings import GoneError, OverloadError, TooLargeError
from palio.errors import MissingExtraError, Option, PalioError, UndecidedError
from palio.report.question import READERS
from palio.scores.roles import CALLED
from palio.scores.spec import field_texts, is_several
from palio.words import joined

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

log = logging.getLogger(__name__)

# What options are called on the page; others have their name.
_WORDS = {
    "costs": "a second table of costs",
    "higher_is_better": "a direction",
    "missing": "missing scores",
    "score": "the score",
    "test_fraction": "the share of the data used for testing",
    "where": "only rows with",
    "format": "the table",
}
_WORDS_OF_VALUE = {
    ("higher_is_better", "True"): "higher is better",
    ("higher_is_better", "False"): "lower is better",
    ("transpose", "True"): "algorithms in rows",
    ("transpose", "False"): "data sets in rows",
    ("allow_out_of_range", "True"): "the values as they are",
    ("limits", "False"): "a server without limits",  # a page cannot lift them
    ("duplicates", "mean"): "the mean of such rows",
    ("duplicates", "first"): "the first of such rows",
    ("duplicates", "last"): "the last of such rows",
}


_STATUS: dict[type[PalioError], int] = {
    GoneError: 404,
    TooLargeError: 413,
    OverloadError: 503,
    MissingExtraError: 501,
    PalioError: 422,
}


def as_chosen(option: Option) -> str:
    """Write an option that an error names as the page calls it, those set together as one.

    >>> as_chosen(Option("score", "error")), as_chosen(Option("higher_is_better", "True"))
    ("the score 'error'", 'higher is better')
    >>> as_chosen(Option("algorithm", "name+size", more=(Option("transpose", "True"),)))
    "'name' and 'size' together name the algorithms, algorithms in rows"
    """
    return ", ".join(map(_chosen, option.all))


def _chosen(option: Option) -> str:
    parameter, value = option.parameter, option.value
    if (parameter, value) in _WORDS_OF_VALUE:
        return _WORDS_OF_VALUE[parameter, value or ""]
    if parameter in CALLED and value is not None:
        parts = [repr(part) for part in value.split("+")]
        name = "together name" if len(parts) > 1 else "names"
        return f"{joined(parts)} {name} {CALLED[parameter]}"
    words = _WORDS.get(parameter, parameter.replace("_", " "))
    return words if value is None else f"{words} {value!r}"


def as_choice(option: Option) -> str | None:
    """Write an option as what it changes of a link; None if a link cannot say it.

    What is empty is left out of the link, and what begins with + is one more of several.

    >>> as_choice(Option("score", "f1")), as_choice(Option("where", "metric=f1"))
    ('score=f1&higher_is_better=', '%2Bwhere=metric%3Df1')
    """
    parts = {each.parameter: each.python_value for each in option.all}
    if None in parts.values() or not parts.keys() <= {*READING, *READERS}:
        return None
    if "score" in parts:  # another score has a direction of its own
        parts.setdefault("higher_is_better", "")
    pairs = [
        (f"+{name}" if name in READING and is_several(name) else name, text)
        for name, value in parts.items()
        for text in field_texts(value)
    ]
    return urlencode(pairs)


def refusal(
    status: int, parameter: str | None, message: str, options: Sequence[Option] = ()
) -> JSONResponse:
    """Write an error, and the options that it names and the page can set, each with its text.

    The connection is closed where the rest of a body is not wanted.
    """
    headers = {"connection": "close"} if status == 413 else None
    offered = [
        {"choice": choice, "text": as_chosen(each)}
        for each in options
        if (choice := as_choice(each)) is not None
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
    options = known.options
    if isinstance(known, UndecidedError) and None not in map(as_choice, options):
        known = UndecidedError(known.parameter, known.rule)  # the ways are buttons
    message = " ".join(known.spelled(as_chosen).split())
    return refusal(status, known.parameter if known.rule else None, message, options)


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
