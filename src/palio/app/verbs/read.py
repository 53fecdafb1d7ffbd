"""``palio read``: what was understood of a table."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from palio.app.options import JsonFlag, MoreFiles, Reading, show, together
from palio.errors import ParameterError, UndecidedError
from palio.words import visible


def _write_lines(lines: Iterable[str]) -> None:
    """Write the evidence beside the answer, which may be JSON."""
    sys.stderr.write("".join(f"{visible(line)}\n" for line in lines))


def read(
    results: str,
    /,
    *more: MoreFiles,
    to: Path | None = None,
    why: Annotated[
        bool, Parameter(help="Say what speaks for the reading, and for the runner-up.", negative="")
    ] = False,
    save_spec: Annotated[
        Path | None,
        Parameter(
            help="Write how the table was read: results.toml, for --spec; beside the file, as "
            "results.csv.palio.toml, it is used unasked."
        ),
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
    to
        Write the table here, one row per result: table.csv.
    """
    how = replace(reading or Reading(), keep_failing=True)  # it says what is there
    try:
        table = how.read(together(results, more), alone=True)
    except UndecidedError as error:
        _write_lines(error.why if why else ())
        raise
    show(table.understood(), json=json)
    _write_lines(table.how_read.why if why else ())
    if to is not None:
        from palio.scores.formats import write_file

        write_file(table.to_frame(), to, "to")
        sys.stderr.write(f"wrote {to}\n")
    if save_spec is not None:
        from palio.app.writing import write_text

        spec = table.how_read.spec
        if spec is None:
            raise ParameterError("save_spec", f"{results!r} has columns of its own")
        said = replace(spec, alone=False, keep_failing=False)  # the verb's own, not the table's
        write_text(save_spec, f"{said.to_toml()}\n")
