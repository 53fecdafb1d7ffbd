"""``palio serve``: the workbench, a page on which every choice can be changed and seen."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from palio.app.options import Reading
from palio.errors import ParameterError
from palio.extras import need


def serve(
    results: str | None = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: Annotated[
        str | None,
        Parameter(
            help="What one must know to be let in; drawn, unless given, where others can come.",
            env_var="PALIO_TOKEN",
        ),
    ] = None,
    no_token: Annotated[bool, Parameter(help="Let in whoever can reach it.", negative="")] = False,
    upload_mb: float = 50.0,
    worker_gb: float = 4.0,
    browser: bool = True,
    reading: Reading | None = None,
) -> None:
    """Open the workbench in the browser: change the question, and see what moves.

    Measure, costs and weights, tests, level, which algorithms and data sets are in: the page
    follows at once. Its address holds the whole question. Of a store it shows the run while it
    goes on. Without a file, one can be dropped on the page.

    Example: palio serve results.csv

    Parameters
    ----------
    results
        Scores in a file, or the store of an experiment (.db or a URL).
    host
        Address to listen on; others than 127.0.0.1 let others in.
    port
        Port; 0 for any that is free.
    upload_mb
        Largest file that may be uploaded, in MB.
    worker_gb
        Memory that each process beside the server may have, in GB.
    browser
        Open the page in a browser.
    """
    need("web", "serve")
    from palio.app.web.server import serve as serve_page
    from palio.app.web.settings import GIGABYTE, MEGABYTE, Settings

    if results == "/dev/stdin":
        raise ParameterError("results", "the page reads it more than once", remedy="give a file")
    settings = Settings(
        host=host,
        port=port,
        token=token,
        no_token=no_token,
        upload_bytes=int(upload_mb * MEGABYTE),
        worker_bytes=int(worker_gb * GIGABYTE),
    )
    serve_page(settings, opened=results, reading=reading, browser=browser)
