"""``palio read``: what was understood of a table."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, MoreFiles, Reading, show, together


def read(
    results: str,
    /,
    *more: MoreFiles,
    to: Annotated[
        Path | None, Parameter(help="Write the table here, one row per result: table.csv.")
    ] = None,
    reading: Reading | None = None,
    json: JsonFlag = False,
) -> None:
    """Say what is understood of a table: roles, measure, design, what is missing.

    Nothing is compared. Missing scores are counted, and stay missing unless --missing says more.

    Example: palio read results.csv --to table.csv

    Parameters
    ----------
    results
        Scores in a file or folder, the store of an experiment, or study:NAME.
    """
    how = replace(reading or Reading(), keep_failing=True)  # it says what is there
    table = how.read(together(results, more), alone=True)
    show(table.understood(), json=json)
    if to is not None:
        from palio.scores.formats import write_file

        write_file(table.to_frame(), to, "to")
        sys.stderr.write(f"wrote {to}\n")
