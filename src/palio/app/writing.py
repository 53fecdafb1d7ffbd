"""Figures and files asked for on the command line; where each went is said on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from palio.errors import UnreadableError

if TYPE_CHECKING:
    from palio.results import Result


class Wanted(NamedTuple):
    """A figure, and where it goes; one that was not asked for by name may be another."""

    figure: str
    path: Path
    by_name: bool


def check_figures(texts: Sequence[str], default: str = "multitest-graph") -> list[Wanted]:
    """Read ``--figure`` values, ``path`` or ``name=path``, before any work is done."""
    from palio.report.figures import FIGURES, check_path

    wanted = []
    for text in texts:
        name, equals, path = text.partition("=")
        figure = FIGURES[name if equals else default].name
        wanted.append(Wanted(figure, check_path(path if equals else text), bool(equals)))
    return wanted


def write_figures(wanted: Sequence[Wanted], result: Result) -> None:
    """Draw and save the figures of a result.

    Where it has not what the usual figure shows, the first that it has is drawn.
    """
    if not wanted:
        return
    from palio.report.figures import available, draw, save

    there = available(result)
    for figure, path, by_name in wanted:
        other = not by_name and figure not in there and bool(there)
        save(draw(result, figure=there[0] if other else figure), path)
        sys.stderr.write(f"wrote {path}\n")


def write_text(path: Path, text: str) -> None:
    """Write a file; a path that cannot be written is one clear line."""
    from palio.report.files import replace_file

    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise UnreadableError("file", f"'{path}' cannot be written: {error.strerror}") from error
    sys.stderr.write(f"wrote {path}\n")
